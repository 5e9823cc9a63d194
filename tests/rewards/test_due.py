from datetime import UTC, datetime, timedelta, timezone
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewards.due import DueRow, due_keys, parse, partition
from rewards.reward import Due, RewardId
from rewards.windows import Kind, slot

HOUR = timedelta(hours=1)
TAIPEI = timezone(timedelta(hours=8))
AT = datetime(2026, 11, 30, 16, tzinfo=UTC)
LONG_AGO = datetime(2026, 11, 1, tzinfo=UTC)
ORDERED_AT = datetime(2026, 11, 23, 4, tzinfo=UTC)
REWARD = RewardId("1", "TG20193021", "28343")

instants = st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001
identifiers = st.text(st.sampled_from("#~01aZ 號-"), min_size=1, max_size=6)
identities = st.builds(RewardId, identifiers, identifiers, identifiers)


def keys(
    kind: Kind = "reward",
    at: datetime = AT,
    now: datetime = LONG_AGO,
    id: RewardId = REWARD,
    member_id: str = "M1",
    ordered_at: datetime = ORDERED_AT,
) -> Due:
    return due_keys(kind, at, now, id, member_id, ordered_at, shards=16, period=HOUR)


def test_the_place_of_a_reward_is_its_date_and_shard_and_then_the_order_of_dispatch() -> None:
    assert keys() == Due("reward#2026-11-30#15", "2026-11-30T16:00Z#1#M1#28343#2026-11-23T04:00:00.000000Z#TG20193021")


def test_a_booking_at_midnight_in_taipei_stands_in_the_utc_date_before() -> None:
    assert keys(at=AT.astimezone(TAIPEI), ordered_at=ORDERED_AT.astimezone(TAIPEI)) == keys()


def test_what_is_late_already_takes_the_current_slot() -> None:
    late = keys(at=AT - timedelta(days=3), now=AT + timedelta(minutes=17))
    assert late == keys(at=AT)


@pytest.mark.parametrize(
    ("kind", "start"),
    [("reward", "2026-11-30T16:00Z#"), ("recycle", "2026-11-30T16:30Z#"), ("expire", "2026-11-30T16:30:15Z#")],
)
def test_every_kind_has_its_own_partition_and_width_of_slot(kind: Kind, start: str) -> None:
    due = keys(kind, AT + timedelta(minutes=30, seconds=15))
    assert due.partition == f"{kind}#2026-11-30#15"
    assert due.sort.startswith(start)


@given(st.sampled_from(get_args(Kind)), instants, instants, identities, identifiers, instants)
def test_a_sort_key_says_what_it_was_made_of(
    kind: Kind, at: datetime, now: datetime, id: RewardId, member_id: str, ordered_at: datetime
) -> None:
    due = keys(kind, at, now, id, member_id, ordered_at)
    row = parse(due.sort)
    assert row.id == id
    assert row.member_id == member_id
    assert datetime.fromisoformat(row.ordered_at) == ordered_at
    assert row.slot == slot(kind, max(at, now), HOUR)
    assert due.partition.startswith(f"{kind}#{row.slot[:10]}#")


@given(st.lists(st.tuples(identities, identifiers, instants), min_size=2, max_size=12))
def test_within_a_slot_groups_stand_together_and_in_the_order_of_their_orders_times(
    rewards: list[tuple[RewardId, str, datetime]],
) -> None:
    rows = sorted(keys(id=reward, member_id=member, ordered_at=at).sort for reward, member, at in rewards)
    groups: dict[tuple[str, ...], list[DueRow]] = {}
    last = None
    for row in map(parse, rows):
        group = (row.slot, row.shop_id, row.member_id, row.promotion_id)
        assert group == last or group not in groups
        last = group
        groups.setdefault(last, []).append(row)
    for members in groups.values():
        assert len({(row.shop_id, row.member_id, row.promotion_id) for row in members}) == 1
        assert [row.ordered_at for row in members] == sorted(row.ordered_at for row in members)
    assert len(groups) == len({(reward.shop_id, member, reward.promotion_id) for reward, member, _ in rewards})


@given(identities, identifiers, identifiers)
def test_all_rewards_of_a_member_under_a_promotion_share_a_shard(id: RewardId, member: str, order_group: str) -> None:
    other = id._replace(order_group=order_group)
    assert keys(id=id, member_id=member).partition == keys(id=other, member_id=member).partition


@given(identities, identifiers)
def test_a_key_is_always_longer_than_its_slot(id: RewardId, member: str) -> None:
    due = keys(id=id, member_id=member)
    assert due.sort > slot("reward", AT, HOUR)
    assert due.sort < slot("reward", AT + HOUR, HOUR)


def test_the_longest_identifiers_there_may_be_fit_a_sort_key() -> None:
    due = keys(id=RewardId("#" * 100, "#" * 100, "~" * 100), member_id="#" * 100)
    assert len(due.sort.encode()) <= 1024


@pytest.mark.parametrize("sort", ["", "2026-11-30T16:00Z", "a#b#c#d#e", "a#b#c#d#e#f#g"])
def test_what_is_no_sort_key_is_refused(sort: str) -> None:
    with pytest.raises(ValueError, match="no sort key"):
        parse(sort)


def test_shards_have_two_digits() -> None:
    assert partition("reward", "2026-11-30", 7) == "reward#2026-11-30#07"
    assert partition("recycle", "2026-11-30", 15) == "recycle#2026-11-30#15"
