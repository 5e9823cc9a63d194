"""Quota: the shares of the shards come to the total, and a place is found as long as there is one."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from rewards.promotion import Quota
from rewards.quota import SHARDS, Limits, NoPlace, Used, Vacancy, shares, vacancy
from rewards.reward import Place


def of_total(*shards: int) -> Used:
    return Used(shards)


@given(st.integers(1, 10_000), st.integers(1, SHARDS))
def test_the_shares_come_to_the_total_and_differ_by_one_at_most(total: int, shards: int) -> None:
    dealt = shares(total, shards)
    assert sum(dealt) == total
    assert max(dealt) - min(dealt) <= 1


def test_of_fewer_places_than_shards_the_last_shards_have_none() -> None:
    assert shares(3) == (1, 1, 1, *[0] * 13)


def test_a_place_is_of_the_first_shard_and_where_that_is_full_of_the_next_with_room() -> None:
    quota = Quota(total=8)
    assert vacancy(quota, of_total(0, 1, 0, 0), first=1) == Vacancy(Place(shard=1), Limits(shard=2))
    assert vacancy(quota, of_total(0, 2, 1, 0), first=1) == Vacancy(Place(shard=2), Limits(shard=2))
    assert vacancy(quota, of_total(1, 2, 2, 2), first=1) == Vacancy(Place(shard=0), Limits(shard=2))


def test_where_none_is_left_it_says_so() -> None:
    assert vacancy(Quota(total=1000), of_total(500, 500), first=0) == NoPlace("no place: 1,000 of 1,000 are taken")
    quota, used = Quota(total=8, per_member=1), Used((0, 0), member=1)
    assert vacancy(quota, used, first=0) == NoPlace("no place: the member has 1 of 1")


def test_a_quota_for_each_member_alone_counts_no_total() -> None:
    assert vacancy(Quota(per_member=2), Used(member=1), first=9) == Vacancy(Place(of_member=True), Limits(member=2))


def test_a_total_lowered_below_what_is_taken_gives_no_place_although_a_shard_has_room() -> None:
    assert vacancy(Quota(total=4), of_total(4, 0), first=1) == NoPlace("no place: 4 of 4 are taken")
    assert vacancy(Quota(total=4), of_total(3, 0), first=0) == Vacancy(Place(shard=1), Limits(shard=2))


@given(st.integers(1, 60), st.lists(st.integers(0, SHARDS - 1), min_size=70, max_size=70))
def test_exactly_as_many_find_a_place_as_there_are_wherever_they_begin(total: int, firsts: list[int]) -> None:
    taken, got = Counter[int](), 0
    for first in firsts:
        found = vacancy(Quota(total=total), of_total(*(taken[shard] for shard in range(SHARDS))), first=first)
        if isinstance(found, Vacancy):
            assert found.limits.shard is not None
            assert taken[found.place.shard or 0] < found.limits.shard
            taken[found.place.shard or 0] += 1
            got += 1
    assert got == total
