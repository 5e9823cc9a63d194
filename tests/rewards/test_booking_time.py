from collections import Counter
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewards.booking_time import Buckets, booking_time
from rewards.order import Order
from rewards.promotion import Basis, ByDateTime, Days, Timing
from tests.builders import a_paid_order, an_order

TAIPEI = ZoneInfo("Asia/Taipei")
THREE = Buckets(3, 0)
SEED = "28343_TG20193021"


def booked(timing: Timing, order: Order, *, zone: ZoneInfo = TAIPEI, buckets: Buckets = THREE) -> datetime:
    at = booking_time(timing, order, "28343", zone=zone, buckets=buckets)
    assert at
    return at


def ordered(text: str) -> Order:
    return an_order(ordered_at=datetime.fromisoformat(text))


@pytest.mark.parametrize(
    ("count", "bucket"), [(3, 4273969079 % 3), (3, 2), (7, 4273969079 % 7), (24, 4273969079 % 24), (1, 0)]
)
def test_the_bucket_is_the_one_the_source_system_computes(count: int, bucket: int) -> None:
    assert Buckets(count, 0).bucket(SEED) == bucket


@pytest.mark.parametrize(("count", "start_hour"), [(0, 0), (-1, 3), (25, 0), (3, 22), (1, 24), (1, -1), (2, -1)])
def test_buckets_that_do_not_fit_into_a_day_are_refused(count: int, start_hour: int) -> None:
    with pytest.raises(ValueError, match="do not fit into a day"):
        Buckets(count, start_hour)


@pytest.mark.parametrize(("count", "start_hour"), [(1, 0), (1, 23), (24, 0), (3, 21)])
def test_buckets_may_fill_the_day(count: int, start_hour: int) -> None:
    assert Buckets(count, start_hour).count == count


def test_seeds_spread_evenly_over_the_buckets() -> None:
    spread = Counter(Buckets(3, 0).bucket(f"28343_TG{number}") for number in range(30_000))
    assert all(9_500 < seeds < 10_500 for seeds in spread.values())


def test_some_days_later_means_the_hour_of_its_bucket_on_that_day_in_the_shops_zone() -> None:
    assert booked(Days(7), ordered("2026-11-23T12:34:56+08:00")) == datetime(2026, 11, 30, 2, tzinfo=TAIPEI)


def test_the_start_hour_moves_the_buckets() -> None:
    order = ordered("2026-11-23T12:34:56+08:00")
    assert booked(Days(7), order, buckets=Buckets(3, 9)) == datetime(2026, 11, 30, 11, tzinfo=TAIPEI)


@pytest.mark.parametrize(
    ("at", "day"),
    [
        ("2026-11-23T15:59:59Z", date(2026, 11, 23)),
        ("2026-11-23T16:00:00Z", date(2026, 11, 24)),
        ("2026-12-31T16:00:00Z", date(2027, 1, 1)),
        ("2028-02-28T16:00:00Z", date(2028, 2, 29)),
    ],
)
def test_the_day_is_counted_from_the_shops_calendar_and_not_from_utcs(at: str, day: date) -> None:
    assert booked(Days(1), ordered(at)).astimezone(TAIPEI).date() == day + timedelta(days=1)


def test_zero_days_is_the_basis_time_itself_to_the_second() -> None:
    assert booked(Days(0), ordered("2026-11-23T12:34:56.789+08:00")) == datetime(
        2026, 11, 23, 4, 34, 56, 789_000, tzinfo=UTC
    )


def test_a_dated_reward_keeps_its_date() -> None:
    at = datetime(2026, 12, 24, 18, 30, 5, tzinfo=TAIPEI)
    assert booked(ByDateTime(at), ordered("2026-11-23T12:34:56+08:00")) == at


@pytest.mark.parametrize(("basis", "day"), [("ordered", 24), ("paid", 26), ("shipped", 28)])
def test_days_are_counted_from_the_time_the_promotion_names(basis: Basis, day: int) -> None:
    order = a_paid_order(
        ordered_at=datetime(2026, 11, 23, 12, tzinfo=TAIPEI),
        paid_at=datetime(2026, 11, 25, 12, tzinfo=TAIPEI),
        shipped_at=datetime(2026, 11, 27, 12, tzinfo=TAIPEI),
    )
    assert booked(Days(1, basis), order) == datetime(2026, 11, day, 2, tzinfo=TAIPEI)


@pytest.mark.parametrize("days", [0, 7])
def test_a_time_the_order_does_not_have_is_refused(days: int) -> None:
    with pytest.raises(ValueError, match="was not paid yet"):
        booked(Days(days, "paid"), an_order())


@pytest.mark.parametrize("days", [0, 7])
def test_a_reward_that_waits_for_the_parcel_has_no_time_until_it_leaves(days: int) -> None:
    assert booking_time(Days(days, "shipped"), an_order(), "28343", zone=TAIPEI, buckets=THREE) is None


@pytest.mark.parametrize("days", [0, 7])
def test_until_the_parcel_leaves_the_time_may_be_the_one_counted_from_the_order(days: int) -> None:
    provisional = Days(days, "shipped", before_shipping="ordered")
    assert booked(provisional, an_order()) == booked(Days(days, "ordered"), an_order())
    shipped = an_order(shipped_at=datetime(2026, 11, 27, 12, tzinfo=TAIPEI))
    assert booked(provisional, shipped) == booked(Days(days, "shipped"), shipped)


@pytest.mark.parametrize(
    ("zone", "at", "start_hour", "due"),
    [
        # the clocks go from 02:00 to 03:00
        ("Europe/Berlin", "2026-03-28T12:00:00+01:00", 2, "2026-03-29T03:00:00+02:00"),
        # a day of 23 hours is still one calendar day
        ("Europe/Berlin", "2026-03-28T23:30:00+01:00", 4, "2026-03-29T04:00:00+02:00"),
        # midnight itself does not exist
        ("America/Santiago", "2026-09-05T12:00:00-04:00", 0, "2026-09-06T01:00:00-03:00"),
        # the clocks go forward by half an hour: 02:00 is missing, 03:00 is there
        ("Australia/Lord_Howe", "2026-10-03T12:00:00+10:30", 2, "2026-10-04T03:00:00+11:00"),
        # a whole day is missing
        ("Pacific/Apia", "2011-12-29T12:00:00-10:00", 1, "2011-12-31T00:00:00+14:00"),
        # 02:00 comes twice: the first
        ("Europe/Berlin", "2026-10-24T12:00:00+02:00", 2, "2026-10-25T02:00:00+02:00"),
    ],
)
def test_where_clocks_are_changed_the_hour_is_the_next_that_exists(
    zone: str, at: str, start_hour: int, due: str
) -> None:
    booking = booked(Days(1), ordered(at), zone=ZoneInfo(zone), buckets=Buckets(1, start_hour))
    assert booking == datetime.fromisoformat(due)


@given(
    st.datetimes(datetime(1980, 1, 1), datetime(2199, 1, 1), timezones=st.just(UTC)),  # noqa: DTZ001
    st.integers(1, 3650),
    st.integers(1, 24),
)
def test_every_delayed_reward_falls_due_on_a_whole_hour_of_its_day_within_the_buckets(
    at: datetime, days: int, count: int
) -> None:
    local = booked(Days(days), an_order(ordered_at=at), buckets=Buckets(count, 0)).astimezone(TAIPEI)
    assert (local.minute, local.second, local.microsecond) == (0, 0, 0)
    assert local.date() == at.astimezone(TAIPEI).date() + timedelta(days=days)
    assert local.hour < count


@given(st.integers(0, 30), st.text(max_size=20))
def test_booking_again_gives_the_same_time(days: int, order_group: str) -> None:
    order = an_order(order_group=order_group)
    assert booked(Days(days), order) == booked(Days(days), order)
