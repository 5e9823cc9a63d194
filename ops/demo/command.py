"""`rewards demo`: a day of a shop's orders, from end to end, on an embedded cloud of its own."""

from datetime import datetime, timedelta

import typer

from ops import clock
from ops.cloud_commands import deploy_stack, start_and_bootstrap
from ops.demo.day import MIDNIGHT, SHOP, Day, sample_day, sample_orders
from ops.demo.report import Report, for_people, for_programs, report_on
from ops.demo.stock import take_stock
from ops.dispatch import run
from ops.embedded import cloud
from ops.folders import PROJECT, data_folder
from ops.promotions import read, store
from ops.send import put
from ops.stack import Stack, embedded_stack
from ops.stillness import wait_until_still
from ops.terminal import Json, out, print_json, step
from ops.trouble import Trouble
from rewards.promotion import Promotion

ROOM = "demo"
SAMPLE_PROMOTIONS = PROJECT / "samples" / "promotions.json"


def demo(*, as_json: Json = False) -> None:
    """Send a day of sample orders through the stack, run what falls due in the days after, and show what came of it.

    It has a cloud and data of its own, which it empties first: each time the numbers are the same. Time is the
    embedded clock's: the orders are of 11 November 2026, and the schedules' runs of the week after are made one by one.
    The cloud goes on running afterwards, to look around in. Status 1 if the day does not add up.
    """
    stack = _a_new_cloud()
    promotions = read(SAMPLE_PROMOTIONS)
    _live_through(sample_day(), promotions, stack)
    with step("Taking stock", "Took stock of the tables"):
        report = report_on(take_stock(stack), promotions)
    _tell(report, as_json=as_json)
    if not report.adds_up:
        raise typer.Exit(1)


def _a_new_cloud() -> Stack:
    running = cloud.running(data_folder())
    if running and running.room != ROOM:
        raise Trouble(
            "The cloud of `rewards up` is running, and the demo will not disturb it: `rewards down` stops it."
        )
    if running:
        with step("Stopping the last demo's cloud", "Stopped the last demo's cloud"):
            cloud.stop(data_folder(), running)
    cloud.empty(data_folder(), ROOM)
    running = start_and_bootstrap(ROOM)
    deploy_stack(running)
    return embedded_stack(running)


def _live_through(day: Day, promotions: list[Promotion], stack: Stack) -> None:
    store(promotions, stack)
    clock.move_to(stack, _at(days=1))
    _send(day.on_the_day, "orders, payments and early returns of the day", stack)
    _dispatch(_at(days=1, hours=1), stack)
    _send(day.while_waiting, "cancellations and returns while rewards wait", stack)
    for days, hours in ((3, 3), (4, 11), (7, 1), (7, 2), (7, 3)):
        _dispatch(_at(days=days, hours=hours), stack)
    clock.move_to(stack, _at(days=9))
    _send(day.after_the_grant, "returns after the grant", stack)
    _dispatch(_at(days=9, hours=10, minutes=30), stack)


def _at(*, days: int, hours: int = 0, minutes: int = 1) -> datetime:
    """So long after the day's midnight; by default at minute 1, when the schedules run."""
    return MIDNIGHT + timedelta(days=days, hours=hours, minutes=minutes)


def _send(events: list[dict[str, object]], what: str, stack: Stack) -> None:
    with step(f"Sending {len(events)} events: {what}", f"{len(events)} events: {what}"):
        put(events, stack.events, stack["OrdersBusName"])
        wait_until_still(stack)


def _dispatch(at: datetime, stack: Stack) -> None:
    with step(f"It is {at:%d %B, %H:%M}: dispatching", f"{at:%d %B, %H:%M}: dispatched what was due"):
        run(stack, at)


def _tell(report: Report, *, as_json: bool) -> None:
    if as_json:
        print_json(for_programs(report))
        return
    order = next(order for order in sample_orders() if order.story == "back bit by bit")
    out.print(for_people(report))
    out.print(
        f"\nThe cloud is still running. Next: `rewards show {SHOP}/{order.order_group}`; `rewards down` stops it."
    )
