"""`rewards up` and `rewards down`: the embedded cloud."""

from pathlib import Path
from typing import Annotated

import typer

from ops.embedded import cloud
from ops.embedded.deploy import bootstrap, deploy, is_bootstrapped
from ops.folders import data_folder
from ops.stack import embedded_stack
from ops.terminal import Json, err, out, print_json, step
from ops.trouble import Trouble

ROOM = "cloud"
DEMO = "demo"

OPENS = {ROOM: "`rewards up` opens it again", DEMO: "`rewards up --demo` opens it again, until the next `rewards demo`"}
"""What brings back what the cloud of each room held."""

NEXT = {
    ROOM: "`rewards promotions put samples/promotions.json`, `rewards send FILE`",
    DEMO: "`rewards show 1/TG2611110080`",
}

OfTheDemo = Annotated[
    bool, typer.Option("--demo", help="Open again what the last `rewards demo` left, instead of what is your own.")
]


def up(*, demo: OfTheDemo = False, as_json: Json = False) -> None:
    """Start the embedded cloud and deploy the stack to it; if it runs, deploy what has changed.

    A small AWS in one process on 127.0.0.1, with the real template and the real functions. What it holds is
    kept in .rewards/ (or in the folder REWARDS_DATA names), and is there again the next time. Its schedules do not
    fire by themselves: `rewards dispatch` moves its clock and does what they would have done.
    """
    room = DEMO if demo else ROOM
    with cloud.alone(data_folder()):
        running = cloud.running(data_folder())
        if problem := problem_of(room, running, data_folder()):
            raise Trouble(problem)
        if running is None and cloud.was_killed(data_folder(), room):
            err.print("The cloud was not stopped gently: it holds what it held at its last stop, if there was one.")
        running = running or start_and_bootstrap(room)
        deploy_stack(running)
    describe(running, as_json=as_json)


def down(*, as_json: Json = False) -> None:
    """Stop the embedded cloud, gently: it saves what it holds, and `rewards up` goes on from there.

    The demo's cloud is one of its own: `rewards up --demo` opens that again; the next demo empties it.
    """
    with cloud.alone(data_folder()):  # a deployment that is cut off would leave half of it for good
        running = cloud.running(data_folder())
        if running is None:
            err.print("No embedded cloud is running.")
        else:
            with step("Stopping the embedded cloud", f"Stopped {whose(running.room)}; its data is kept"):
                cloud.stop(data_folder(), running)
            err.print(f"  {OPENS[running.room]}.")
    if as_json:
        print_json({"stopped": running is not None})


def problem_of(room: str, running: cloud.EmbeddedCloud | None, data: Path) -> str | None:
    """Why the cloud of this room cannot be opened; None if it can."""
    if running and running.room != room:
        return f"{whose(running.room).capitalize()} is running: stop it first with `rewards down`; its data is kept."
    if room == DEMO and not (data / room).exists():
        return "There is nothing of a demo to open: `rewards demo` makes it."
    return None


def whose(room: str) -> str:
    return "the demo's cloud" if room == DEMO else "the embedded cloud"


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
    out.print(f"Next: {NEXT[running.room]}, `rewards down`.")
