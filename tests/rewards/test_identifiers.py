from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewards.errors import Invalid
from rewards.identifiers import escape, identifier, join, member, split, unescape

awkward = st.text(st.sampled_from("#~01a%/ １號"), max_size=8)
identities = st.lists(awkward | st.text(max_size=20), min_size=1, max_size=5)


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("ＴＧ２０１９３０２１", "TG20193021"),
        ("\u3000A B\u3000", "A B"),
        ("A\u3000B", "A B"),
        (" \t007\r\n", "007"),
        ("～！", "~!"),
        ("10²", "10²"),
        ("ﾃｽﾄ", "ﾃｽﾄ"),
        ("訂單１", "訂單1"),
        ("é", "é"),
        ("e\u0301", "e\u0301"),
    ],
)
def test_only_full_width_ascii_and_the_ends_change_at_the_border(sent: str, kept: str) -> None:
    assert identifier(sent, "member_id") == kept


@given(st.text(min_size=1, max_size=20))
def test_what_crossed_the_border_once_crosses_it_unchanged(text: str) -> None:
    try:
        once = identifier(text, "line")
    except Invalid:
        return
    assert identifier(once, "line") == once


def test_a_leading_zero_is_another_identity() -> None:
    assert identifier("007", "member_id") != identifier("7", "member_id")


@pytest.mark.parametrize("nothing", ["", " ", "\u3000", "\t\n"])
def test_an_empty_identifier_is_refused(nothing: str) -> None:
    with pytest.raises(Invalid, match=r"^order\.lines\[2\]\.line: is empty$"):
        identifier(nothing, "order.lines[2].line")


@pytest.mark.parametrize("value", [7, 7.0, True, None, ["a"], {"a": 1}])
def test_a_number_where_an_identifier_is_due_is_refused(value: object) -> None:
    with pytest.raises(Invalid, match="is not a string"):
        identifier(value, "shop_id")


def test_the_length_is_counted_in_bytes_after_the_border() -> None:
    assert identifier("號" * 33 + "1", "shop_id")
    assert identifier("１" * 100, "shop_id") == "1" * 100
    with pytest.raises(Invalid, match="longer than 100 bytes"):
        identifier("號" * 34, "shop_id")
    with pytest.raises(Invalid, match="longer than 100 bytes"):
        identifier("1" * 101, "shop_id")


def test_half_a_character_is_refused_and_not_a_crash() -> None:
    with pytest.raises(Invalid, match="half a character"):
        identifier("A\ud800", "shop_id")


@pytest.mark.parametrize("character", ["\ufffe", "\uffff"])
def test_a_character_that_no_queue_carries_is_refused_before_it_blocks_one(character: str) -> None:
    with pytest.raises(Invalid, match="no queue carries"):
        identifier(f"A{character}", "shop_id")


@pytest.mark.parametrize("guest", [None, "", "0", "０", " 0 ", "\u3000"])
def test_every_form_of_guest_is_no_member(guest: object) -> None:
    assert member(guest, "order.member_id") is None


@pytest.mark.parametrize("someone", ["00", "1", "O", "guest", "null"])
def test_whatever_is_no_guest_form_is_a_member(someone: str) -> None:
    assert member(someone, "order.member_id") == someone


def test_a_number_is_neither_guest_nor_member() -> None:
    with pytest.raises(Invalid, match="0 is not a string"):
        member(0, "order.member_id")


@given(identities)
def test_a_key_gives_back_the_identifiers_it_was_made_of(identity: list[str]) -> None:
    assert split(join(*identity)) == tuple(identity)


@given(identities, identities)
def test_different_identities_have_different_keys(one: Sequence[str], other: Sequence[str]) -> None:
    assert (join(*one) == join(*other)) == (one == other)


@pytest.mark.parametrize(
    ("one", "other"),
    [(("a#b", "c"), ("a", "b#c")), (("a~1b",), ("a#b",)), (("", "a"), ("a", "")), (("~#",), ("~0~1",))],
)
def test_a_delimiter_inside_an_identifier_neither_merges_nor_splits(one: Sequence[str], other: Sequence[str]) -> None:
    assert join(*one) != join(*other)
    assert len(split(join(*one))) == len(one)


@given(awkward)
def test_an_escaped_identifier_holds_no_delimiter(text: str) -> None:
    assert "#" not in escape(text)
    assert unescape(escape(text)) == text


@given(st.text(max_size=100))
def test_an_escaped_identifier_is_at_most_twice_as_long(text: str) -> None:
    assert len(escape(text)) <= 2 * len(text)


@given(st.lists(st.tuples(awkward, awkward), min_size=2, max_size=20))
def test_keys_that_share_their_first_identifiers_sort_together(identities: list[tuple[str, str]]) -> None:
    firsts = [split(key)[0] for key in sorted(join(*identity) for identity in identities)]
    changes = sum(before != after for before, after in pairwise(firsts))
    assert changes == len(set(firsts)) - 1
