"""`rewards demo`: a day of a shop's orders, from end to end, on an embedded cloud of its own."""

import typer

from ops.cloud_commands import DEMO, deploy_stack, start_and_bootstrap
from ops.demo.books import read_books
from ops.demo.orders import SHOP, an_order_of
from ops.demo.report import Report, for_people, for_programs, report_on
from ops.demo.week import live_through
from ops.embedded import cloud
from ops.folders import PROJECT, data_folder
from ops.promotions import read
from ops.stack import Stack, embedded_stack
from ops.terminal import Json, out, print_json, step
from ops.trouble import Trouble

SAMPLE_PROMOTIONS = PROJECT / "samples" / "promotions.json"

WORTH_A_LOOK = {
    "back bit by bit": ("show", "came back piece by piece"),
    "coupon used, back": ("show", "came back after one of its coupons was used"),
    "never paid": ("explain", "held a place until its time to pay was over"),
    "not shipped yet": ("explain", "waits for its parcel to leave"),
}
"""Stories, the command that tells an order of theirs best, and what it will tell."""


def demo(*, as_json: Json = False) -> None:
    """Send a day of sample orders through the stack, run what falls due in the days after, and show what came of it.

    It has a cloud and data of its own, which it empties first: each time the numbers are the same. Time is the
    embedded clock's: the orders are of 11 November 2026, and the schedules' runs of the week after are made one by one.
    The cloud goes on running afterwards, to look around in. Status 1 if the day does not add up.
    """
    stack = _a_new_cloud()
    promotions = read(SAMPLE_PROMOTIONS)
    live_through(promotions, stack)
    with step("Reading the tables", "Read the tables"):
        report = report_on(read_books(stack), promotions)
    _tell(report, as_json=as_json)
    if not report.adds_up:
        raise typer.Exit(1)


def _a_new_cloud() -> Stack:
    with cloud.alone(data_folder()):
        running = cloud.running(data_folder())
        if running and running.room != DEMO:
            raise Trouble(
                "The cloud of `rewards up` is running, and the demo will not disturb it: `rewards down` stops it."
            )
        if running:
            with step("Stopping the last demo's cloud", "Stopped the last demo's cloud"):
                cloud.stop(data_folder(), running)
        cloud.empty(data_folder(), DEMO)
        running = start_and_bootstrap(DEMO)
        deploy_stack(running)
    return embedded_stack(running)


def _tell(report: Report, *, as_json: bool) -> None:
    if as_json:
        print_json(for_programs(report))
        return
    out.print(for_people(report))
    out.print("\nThe cloud is still running, until `rewards down`; `rewards up --demo` opens it again. Worth a look:")
    for story, (command, what) in WORTH_A_LOOK.items():
        call = f"rewards {command} {SHOP}/{an_order_of(story).order_group}"
        out.print(f"  {call:<34}{what}")
