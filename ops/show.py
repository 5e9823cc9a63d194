"""`rewards show`: one order, what it earned, and how it came to that."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from decimal import Decimal
from itertools import chain, groupby
from zoneinfo import ZoneInfo

from msgspec.structs import asdict

from ops.orders import OrderArgument, Shown, first_known, look_up, order_ids
from ops.stack import connect
from ops.terminal import Aws, Json, counted, out, plain, print_json
from rewards.history import HistoryItem
from rewards.order import Order, ReturnedLine
from rewards.promotion import RewardType
from rewards.reward import Reward

THINGS: Mapping[RewardType, str] = {"LoyaltyPoints": "point", "ECoupon": "coupon"}
"""What the amount of a reward counts."""


def show(
    order: OrderArgument,
    *,
    aws: Aws = False,
    as_json: Json = False,
) -> None:
    """Show an order: what was bought and came back, what each promotion gave or why not, and every change since.

    Times are in the shop's zone; in JSON they are in UTC.
    """
    ids = order_ids(order)
    stack = connect(aws=aws)
    shown = first_known(ids, lambda each: look_up(each, stack))
    if as_json:
        print_json(for_programs(shown))
        return
    zone = stack.zone
    print_order(shown.order, zone)
    lines = [undecided_lines(shown.order, zone), decision_lines(shown), reward_lines(shown, zone), kept_lines(shown)]
    for line in chain(*lines, history_lines(shown, zone)):
        out.print(line)


def for_programs(shown: Shown) -> dict[str, object]:
    """The same with the names of the contract: `shop_id`, `order_group`, `booking_time`."""
    return {
        "order": _fields(shown.order),
        "rewards": [_fields(reward) for reward in shown.rewards],
        "history": [_fields(change) for change in shown.history],
    }


def _fields(row: Order | Reward | HistoryItem) -> dict[str, object]:
    fields = asdict(row)
    return {**fields.pop("id")._asdict(), **fields}


def print_order(order: Order, zone: ZoneInfo) -> None:
    out.print(f"[bold]Order {plain('/'.join(order.id))}[/]")
    if order.ordered_at is None:
        out.print("  was not placed or paid as far as is known; it was shipped, or some of it came back.")
    else:
        total = sum((line.amount for line in order.lines), Decimal())
        paid = f"paid {local(order.paid_at, zone)}" if order.is_paid else "not paid"
        out.print(f"  {plain(order.member_id or 'a guest')} · {order.source} · {money(total)} {order.currency}")
        shipped = f" · shipped {local(order.shipped_at, zone)}" if order.shipped_at else ""
        out.print(f"  ordered {local(order.ordered_at, zone)} · {paid}{shipped}")
    for line in order.lines:
        categories = f" ({', '.join(line.categories)})" if line.categories else ""
        out.print(f"  {plain(line.line)}  {line.quantity} × {plain(line.sku + categories)}, {money(line.amount)}")
    for return_id, back in sorted(order.returns.items(), key=lambda told: told[1].occurred_at):
        pieces = [] if back.lines == "all" else [piece(each, order) for each in back.lines]
        what = plain(", ".join(pieces) or "all of it")
        out.print(f"  came back {local(back.occurred_at, zone)}: {what} [dim]{plain(return_id)}[/]")


def piece(back: ReturnedLine, order: Order) -> str:
    """A line nobody ordered changes nothing; it is named, since the sender may have meant another one."""
    is_unknown = order.lines and back.line not in {line.line for line in order.lines}
    return f"{back.quantity} of {back.line}{' (no line of this order)' if is_unknown else ''}"


def undecided_lines(order: Order, zone: ZoneInfo) -> Iterator[str]:
    """Why no promotion is told of: those of another time are not kept with an order."""
    if order.is_paid and not order.decisions:
        at = local(order.ordered_at, zone)
        yield f"\nNo promotion of shop {plain(order.id.shop_id)} was running when it was ordered, {at}."


def decision_lines(shown: Shown) -> Iterator[str]:
    """What each promotion came to, line by line, as it is printed; so are the next two."""
    if shown.order.decisions:
        yield "\n[bold]Promotions[/], as decided when it was placed or paid"
    for promotion_id, reason in shown.order.decisions.items():
        yield f"  {plain(called(promotion_id, shown.names))}  {plain(reason)}"


def reward_lines(shown: Shown, zone: ZoneInfo) -> Iterator[str]:
    for row in shown.rewards:
        name = called(row.id.promotion_id, shown.names)
        kept = f", {row.points - row.recycle_points:,} kept" if row.recycle_points or row.shortfall else ""
        yield f"\n[bold]Reward of {plain(name)}[/]: {row.status}, {amounts(row, row.reward_type)}{kept}"
        granted = f", granted {local(row.granted_at, zone)}" if row.granted_at else ""
        booked = f"; booked for {local(row.booking_time, zone)}" if row.booking_time else ""
        yield f"  on {money(row.base_amount)}{booked}{granted}"
        for line in coupons(row):
            yield f"  {plain(line)}"
        if row.lock:
            yield f"  claimed by a worker until {local(row.lock.until, zone)}"
        if row.held:
            yield f"  [red]held for a person: {plain(row.held.reason)}[/]"


def kept_lines(shown: Shown) -> Iterator[str]:
    """What the returns have left with the member, of all that the order was granted."""
    granted = {kind: [row for row in shown.rewards if row.is_reward and row.reward_type == kind] for kind in THINGS}
    if not shown.order.returns or not any(granted.values()):
        return
    yield ""
    for kind, rows in granted.items():
        given, taken = sum(row.points for row in rows), sum(row.recycle_points for row in rows)
        short = sum(row.shortfall for row in rows)
        short_of = f"; {short:,} more should have been and could not be" if short else ""
        kept = counted(given - taken, THINGS[kind])
        if rows:
            yield f"[bold]The member keeps {kept}[/]: {given:,} granted − {taken:,} taken back{short_of}"


def amounts(row: Reward | HistoryItem, reward_type: RewardType) -> str:
    """A reward's points or coupons, and what became of them."""
    words = [counted(row.points, THINGS[reward_type])]
    if row.recycle_points:
        words.append(f"{row.recycle_points:,} taken back")
    if row.shortfall:
        words.append(f"{row.shortfall:,} could not be")
    return ", ".join(words)


def coupons(row: Reward) -> Iterator[str]:
    """What became of a reward of coupons, line by line."""
    if row.stock_outs:
        yield f"was out of stock {counted(row.stock_outs, 'time')}"
    for code in row.codes:
        yield f"{code}{', revoked' if code in row.revoked_codes else ', used' if code in row.used_codes else ''}"


def history_lines(shown: Shown, zone: ZoneInfo) -> Iterator[str]:
    types = {reward.id: reward.reward_type for reward in shown.rewards}
    for day, changes in groupby(shown.history, key=lambda change: change.at.astimezone(zone).date()):
        yield f"\n[bold]{day}[/]"
        for change in changes:
            name = called(change.id.promotion_id, shown.names)
            moved = f"{change.before} → " if change.before not in (None, change.after) else ""
            held = ", held for a person" if change.held else ""
            yield (
                f"  {change.at.astimezone(zone):%H:%M:%S}  {plain(name)}  {moved}{change.after}, "
                f"{amounts(change, types[change.id])}{held} · [dim]{change.actor}: {plain(change.reason)}[/]"
            )


def called(promotion_id: str, names: Mapping[str, str]) -> str:
    """A promotion as people know it, and its id; only the id once it is not stored any more."""
    return f"{names[promotion_id]} ({promotion_id})" if promotion_id in names else promotion_id


def money(amount: Decimal) -> str:
    """To the cent, or as exactly as it takes."""
    cents = f"{amount:,.2f}"
    return cents if Decimal(cents.replace(",", "")) == amount else f"{amount:,.6f}".rstrip("0")


def local(at: datetime | None, zone: ZoneInfo) -> str:
    return f"{at.astimezone(zone):%Y-%m-%d %H:%M}" if at else ""
