from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewards.sharding import shard_of


@pytest.mark.parametrize(
    ("identity", "shard"), [(("1", "M1", "28343"), 15), (("2", "M1", "28343"), 0), (("1", "#7", "28343"), 10)]
)
def test_an_identity_keeps_its_shard_for_ever(identity: tuple[str, ...], shard: int) -> None:
    assert shard_of(*identity, count=16) == shard


@given(st.lists(st.text(), min_size=1, max_size=4), st.integers(1, 100))
def test_every_identity_has_a_shard_among_those_there_are(identity: list[str], count: int) -> None:
    assert 0 <= shard_of(*identity, count=count) < count


def test_where_one_identifier_ends_and_the_next_begins_matters() -> None:
    assert shard_of("1", "23", count=1 << 32) != shard_of("12", "3", count=1 << 32)
    assert shard_of("a#b", "c", count=1 << 32) != shard_of("a", "b#c", count=1 << 32)


def test_consecutive_members_spread_evenly() -> None:
    shards = Counter(shard_of("1", str(member), "28343", count=16) for member in range(16_000))
    assert len(shards) == 16
    assert min(shards.values()) > 850
    assert max(shards.values()) < 1_150
