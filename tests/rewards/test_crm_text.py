"""Which encoding a file has, and where in it each line begins."""

from io import BytesIO, TextIOWrapper

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewards.crm_text import LINE_BYTES, Encoding, Refused, encoding_of
from tests.rewards.crm import lines_of

ON_WINDOWS = "許功蓋,碁,裏,恒,粧"
"""Characters whose second byte is a backslash, and some that `big5` does not have."""

texts = st.text(st.sampled_from('茶許功a,"\n\r\\ '))


@pytest.mark.parametrize("encoding", ["utf-8", "cp950"])
@pytest.mark.parametrize("size", [1, 2, 3, 1000])
def test_the_encoding_is_known_wherever_the_pieces_are_cut(encoding: Encoding, size: int) -> None:
    content = ON_WINDOWS.encode(encoding)
    pieces = [content[start : start + size] for start in range(0, len(content), size)]
    assert encoding_of(pieces) == encoding


def test_what_is_both_is_utf_8() -> None:
    assert encoding_of([b"TG1,L1"]) == encoding_of([]) == "utf-8"


@pytest.mark.parametrize("content", [b"\xff\xfe", "茶".encode("utf-16"), b"ok\n\x80", "茶".encode()[:2] + b"\xff"])
def test_what_is_neither_is_refused(content: bytes) -> None:
    with pytest.raises(Refused, match="neither UTF-8 nor cp950"):
        encoding_of([content])


def test_a_character_cut_off_at_the_end_is_no_text() -> None:
    with pytest.raises(Refused):
        encoding_of(["茶".encode("cp950")[:1]])


@given(texts, st.sampled_from(["utf-8", "cp950"]))
def test_lines_are_those_of_a_text_stream_and_reading_goes_on_from_any_of_them(text: str, encoding: Encoding) -> None:
    content = text.encode(encoding)
    expected = TextIOWrapper(BytesIO(content), encoding, newline="\n").readlines()
    lines = lines_of(content, encoding)
    for number, line in enumerate(lines, start=1):
        assert (line, lines.number) == (expected[number - 1], number)
        rest = lines_of(content[lines.start :], encoding, start=lines.start, number=number)
        assert list(rest) == expected[number:]
    assert lines.start == len(content)


def test_a_byte_order_mark_is_left_out_also_where_files_were_put_together() -> None:
    assert list(lines_of("\ufeffa\n\ufeffb\n".encode())) == ["a\n", "b\n"]


def test_a_line_without_an_end_is_not_held() -> None:
    with pytest.raises(Refused, match="line 2 is longer"):
        list(lines_of(b"a\n" + b"x" * LINE_BYTES))
