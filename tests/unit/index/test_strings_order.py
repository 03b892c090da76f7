"""Sorting strings by their bytes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from toysearch.index.strings import Strings, byte_order, repeated

PARTS = st.sampled_from(["a", "b", "\0", "é", "\uffff", "\U00010000", "aaaaaaaa", "bbbbbbbbbbbbbbbb"])
STRINGS = st.lists(st.lists(PARTS, max_size=8).map("".join) | st.text(max_size=30), max_size=40)


@given(STRINGS)
def test_the_order_is_python_s_own(strings):
    order = byte_order(Strings.of(strings)).tolist()
    assert order == sorted(range(len(strings)), key=lambda number: strings[number].encode())


@given(STRINGS.map(lambda strings: strings + strings[::2]))
def test_what_is_repeated(strings):
    packed = Strings.of(strings)
    order = byte_order(packed)
    ordered = [strings[number] for number in order]
    expected = [number > 0 and ordered[number] == ordered[number - 1] for number in range(len(ordered))]
    assert repeated(packed, order).tolist() == expected


def test_strings_that_agree_for_long():
    strings = ["x" * 24 + tail for tail in ("b", "", "a\0", "a", "b", "\0", "")] + ["x" * 24 + "\0" * 9, "x" * 23]
    order = byte_order(Strings.of(strings)).tolist()
    assert order == sorted(range(len(strings)), key=lambda number: strings[number].encode())
