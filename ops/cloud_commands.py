"""`rewards up` and `rewards down`: the embedded cloud."""

from ops.embedded import cloud
from ops.embedded.deploy import bootstrap, deploy, is_bootstrapped
from ops.folders import data_folder
from ops.stack import embedded_stack
from ops.terminal import Json, err, out, print_json, step
from ops.trouble import Trouble

ROOM = "cloud"


def up(*, as_json: Json = False) -> None:
    """Start the embedded cloud and deploy the stack to it; if it runs, deploy what has changed.

    A small AWS in one process on 127.0.0.1, with the real template and the real functions. What it holds is
    kept in .rewards/ (or in the folder REWARDS_DATA names), and is there again the next time. Its schedules do not
    fire by themselves: `rewards dispatch` moves its clock and does what they would have done.
    """
    with cloud.alone(data_folder()):
        running = cloud.running(data_folder())
        if running and running.room != ROOM:
            raise Trouble("The demo's cloud is running: stop it first with `rewards down`.")
        if running is None and cloud.was_killed(data_folder(), ROOM):
            err.print("The cloud was not stopped gently: it holds what it held at its last stop, if there was one.")
        running = running or start_and_bootstrap(ROOM)
        deploy_stack(running)
    describe(running, as_json=as_json)


def down(*, as_json: Json = False) -> None:
    """Stop the embedded cloud, gently: it saves what it holds, and `rewards up` goes on from there.

    The demo's cloud is one of its own: `rewards up` does not see what it held, and the next demo begins anew.
    """
    with cloud.alone(data_folder()):  # a deployment that is cut off would leave half of it for good
        running = cloud.running(data_folder())
        if running is None:
            err.print("No embedded cloud is running.")
        else:
            with step("Stopping the embedded cloud", "Stopped the embedded cloud; its data is kept"):
                cloud.stop(data_folder(), running)
    if as_json:
        print_json({"stopped": running is not None})


def start_and_bootstrap(room: str) -> cloud.EmbeddedCloud:
    with step("Starting the embedded cloud", "Started the embedded cloud"):
        running = cloud.start(data_folder(), room)
    if not is_bootstrapped(running):
        with step("Preparing it for the CDK (cdk bootstrap)", "Prepared it for the CDK"):
            bootstrap(running, data_folder() / room)
    return running


def deploy_stack(running: cloud.EmbeddedCloud) -> None:
    with step("Deploying the stack (cdk deploy)", "Deployed the stack"):
        deploy(running, data_folder() / running.room)


def describe(running: cloud.EmbeddedCloud, *, as_json: bool) -> None:
    outputs = embedded_stack(running).outputs
    if as_json:
        print_json({"endpoint": running.endpoint, "outputs": outputs})
        return
    who = f"region {cloud.REGION}, key and secret `{cloud.CREDENTIALS}`"
    out.print(f"\nThe embedded cloud answers on {running.endpoint} ({who}).")
    out.print("Next: `rewards promotions put samples/promotions.json`, `rewards send FILE`, `rewards down`.")
