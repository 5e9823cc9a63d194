"""When a reward falls due. One function, used when it is booked, when it is booked again and when it is audited."""

from collections.abc import Collection
from datetime import UTC, date, datetime, time, timedelta
from hashlib import md5
from zoneinfo import ZoneInfo

from msgspec import Struct

from rewards.order import Order
from rewards.promotion import Basis, ByDateTime, Days, Timing

_HOUR = timedelta(hours=1)


class Buckets(Struct, frozen=True):
    """The `count` whole hours, from `start_hour` on, over which the delayed rewards of one day are spread."""

    count: int
    start_hour: int

    def __post_init__(self) -> None:
        if self.count < 1 or self.start_hour < 0 or self.start_hour + self.count > 24:
            raise ValueError(f"{self.count} buckets from hour {self.start_hour} on do not fit into a day")

    def bucket(self, seed: str) -> int:
        """The bucket of `seed`, from 0."""
        return number_of(seed) % self.count

    def hour(self, day: date, seed: str, zone: ZoneInfo) -> datetime:
        """The hour of `day` that `seed` falls into, in UTC."""
        return _existing(datetime.combine(day, time(self.start_hour + self.bucket(seed)), zone)).astimezone(UTC)


def booking_time(
    timing: Timing, order: Order, promotion_id: str, *, zone: ZoneInfo, buckets: Buckets
) -> datetime | None:
    """When the reward of `order` under the promotion falls due, in UTC; None while it waits for the parcel to leave.

    Only rewards some days away are spread over buckets; an immediate or dated reward keeps its own time, since moving
    it would break what the customer was told. Days are the calendar's in the shop's `zone`. Raises ValueError if the
    order was not ordered or not paid yet, and the days are counted from that.
    """
    if isinstance(timing, ByDateTime):
        return timing.at.astimezone(UTC)
    basis = basis_of(timing, order)
    if basis is None:
        return None
    since = time_of(order, basis)
    if timing.days == 0:
        return since.astimezone(UTC)
    day = since.astimezone(zone).date() + timedelta(days=timing.days)
    return buckets.hour(day, seed_of(promotion_id, order), zone)


def basis_of(timing: Days, order: Order) -> Basis | None:
    """What the days are counted from as the order stands now; None while that is still to come."""
    if timing.basis == "shipped" and order.shipped_at is None:
        return "ordered" if timing.before_shipping == "ordered" else None
    return timing.basis


def time_of(order: Order, basis: Basis) -> datetime:
    """The order's time of that name. Raises ValueError if it has none yet."""
    at = {"ordered": order.ordered_at, "paid": order.paid_at, "shipped": order.shipped_at}[basis]
    if at is None:
        raise ValueError(f"order {order.id} was not {basis} yet")
    return at


def seed_of(promotion_id: str, order: Order) -> str:
    """What the buckets are drawn by: `<PromotionEngineId>_<TradesOrderGroupCode>`, as the source system has it."""
    return f"{promotion_id}_{order.id.order_group}"


def number_of(seed: str) -> int:
    """The first four bytes of the seed's MD5, little-endian and unsigned, as the source system reads them."""
    return int.from_bytes(md5(seed.encode(), usedforsecurity=False).digest()[:4], "little")


def next_hour(now: datetime, hours: Collection[int], zone: ZoneInfo) -> datetime:
    """The first of these whole hours of the day in `zone` that is strictly later than `now`, in UTC."""
    today = now.astimezone(zone).date()
    times = [
        _existing(datetime.combine(day, time(hour), zone)).astimezone(UTC)
        for day in (today, today + timedelta(days=1))
        for hour in sorted(hours)
    ]
    return next(at for at in times if at > now)


def _existing(wall: datetime) -> datetime:
    """`wall` itself or, where the clocks are put forward over it, the next hour that they show."""
    while wall.astimezone(UTC).astimezone(wall.tzinfo) != wall:
        wall += _HOUR
    return wall
