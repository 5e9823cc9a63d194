"""Input as nobody means it: something odd at any place of what would be good."""

from typing import Any

from hypothesis import strategies as st

odd = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(
        ["1e3", "-0", "NaN", "²", "٣", "𝟏", "\ud800", "\x00", "0" * 400, "2026-02-30T00:00:00Z", "1" * 5000]
    ),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@st.composite
def spoilt(draw: st.DrawFn, value: Any) -> Any:
    """The value with something odd in one place, at any depth."""
    if draw(st.integers(0, 3)) == 0 or not isinstance(value, dict | list) or not value:
        return draw(odd)
    keys = list(value) if isinstance(value, dict) else list(range(len(value)))
    key = draw(st.sampled_from(keys))
    changed = dict(value) if isinstance(value, dict) else list(value)
    if isinstance(changed, dict) and draw(st.integers(0, 5)) == 0:
        del changed[key]
    else:
        changed[key] = draw(spoilt(value[key]))
    return changed


DEEP = "[" * 100_000
"""Deeper than anybody reads."""

anything = st.text() | st.binary().map(lambda raw: raw.decode("utf-8", "surrogateescape")) | st.just(DEEP)
"""Text that is no message at all."""
