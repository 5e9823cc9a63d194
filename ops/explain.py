"""`rewards explain`: why an order earned what it earned, promotion by promotion."""

from collections.abc import Iterator
from zoneinfo import ZoneInfo

from ops import clock
from ops.orders import OrderArgument, first_known, look_up, order_ids
from ops.promotions import gives_of
from ops.show import called, local, money, print_order, undecided_lines
from ops.stack import connect
from ops.terminal import Aws, Json, counted, out, plain, print_json
from rewards import explaining
from rewards.explaining import Amount, Booking, Explanation
from rewards.waiting import Waiting

ROUNDED = {"floor": "down", "half_up": "to the nearest", "ceil": "up"}


def explain(
    order: OrderArgument,
    *,
    aws: Aws = False,
    as_json: Json = False,
) -> None:
    """Explain an order: of every promotion whether it matched, how amount and time came about, what it waits for.

    The amount is what the lines kept by now earn by the rule the reward was booked under. Times are in the shop's
    zone; in JSON they are in UTC.
    """
    ids = order_ids(order)
    stack = connect(aws=aws)
    shown = first_known(ids, lambda each: look_up(each, stack))
    every = explaining.explain(shown.order, shown.rewards, timetable=stack.timetable, now=clock.now(stack))
    if as_json:
        print_json({**shown.order.id._asdict(), "is_paid": shown.order.is_paid, "promotions": every})
        return
    print_order(shown.order, stack.zone)
    if not shown.order.is_paid:
        out.print("\nIt is not known to be paid, and most promotions are considered when it is.")
    for line in undecided_lines(shown.order, stack.zone):
        out.print(line)
    for each in every:
        out.print(f"\n[bold]{plain(called(each.promotion_id, shown.names))}[/]  {each.status}")
        for line in words(each, stack.zone):
            out.print(f"  {plain(line)}")


def words(explanation: Explanation, zone: ZoneInfo) -> Iterator[str]:
    """The explanation line by line, as an operator would give it to a customer."""
    yield explanation.decision + (f"; last change: {explanation.reason}" if explanation.reason else "")
    if explanation.amount:
        yield from _amount(explanation.amount)
        yield f"on the row: {explanation.points:,}{_taken_back(explanation)}"
    if explanation.booking:
        yield f"booked: {_booking(explanation.booking, zone)}"
    if explanation.waits_for:
        yield f"waits for {_waiting(explanation.waits_for, zone)}"


def _amount(amount: Amount) -> Iterator[str]:
    yield f"earns {amount.points:,}: {_sum(amount)}"
    for line in amount.lines:
        back = f", {line.returned:,} of {line.quantity:,} came back" if line.returned else ""
        yield f"  {line.line}: {money(line.kept)} kept of {money(line.amount)}{back}"
    if amount.not_counted:
        yield f"  not counted: {', '.join(amount.not_counted)}"


def _sum(amount: Amount) -> str:
    base = money(amount.base_amount)
    if amount.applied is None:
        below = f", which is below {money(amount.min_amount)}" if amount.base_amount < amount.min_amount else ""
        return f"the lines kept come to {base}{below}"
    steps = [f"{gives_of(amount.applied)}, for {base}"]
    if amount.exact != amount.whole:
        steps.append(f"is {money(amount.exact)}, rounded {ROUNDED[amount.rounding or 'floor']} to {amount.whole:,}")
    if amount.points != amount.whole:
        steps.append(f"of {amount.whole:,} at most {amount.max_points:,}")
    return ", ".join(steps)


def _taken_back(explanation: Explanation) -> str:
    taken = f", {explanation.recycle_points:,} taken back" if explanation.recycle_points else ""
    return taken + (f", {explanation.shortfall:,} not to be had" if explanation.shortfall else "")


def _booking(booking: Booking, zone: ZoneInfo) -> str:
    at = local(booking.at, zone)
    if booking.by == "date":
        return f"{at}, the date the promotion names"
    if booking.by == "stock":
        return f"{at}, the next time to ask for stock"
    if booking.by == "otherwise":
        return f"{at}, by what was known or set at that time"
    after = (
        f"{counted(booking.days, 'day')} after it was {booking.basis}"
        if booking.days
        else f"as soon as it is {booking.basis}"
    )
    if booking.at is None:
        return f"not yet; {after}"
    since = f"{at}, {after} ({local(booking.since, zone)})"
    if booking.draw is None:
        return since
    draw = booking.draw
    return f"{since}, bucket {draw.bucket} of 0 to {draw.buckets - 1}: MD5 of {draw.seed} begins with {draw.number}"


def _waiting(waiting: Waiting, zone: ZoneInfo) -> str:
    until = local(waiting.until, zone)
    named = {
        "payment": f"the payment, until {until}",
        "shipping": "the parcel to leave",
        "stock": f"stock, asked for again {until}",
        "window": f"its window, released {until}",
        "worker": "a worker: it has been released",
        "lease": f"the worker that has it, until {until}",
        "person": "a person",
    }
    return named[waiting.what] + (f" ({waiting.why})" if waiting.why else "")
