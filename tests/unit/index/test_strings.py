"""Strings in two arrays."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toysearch.index import strings as strings_module
from toysearch.index.strings import GrowingStrings, Positions, Strings, byte_order, repeated

TEXTS = st.lists(st.text())


@given(TEXTS)
def test_it_is_a_sequence_of_the_strings(texts):
    strings = Strings.of(texts)
    assert list(strings) == texts
    assert len(strings) == len(texts)
    assert strings[:] == texts
    assert strings[::-2] == texts[::-2]
    assert [strings.raw(number).decode() for number in range(len(texts))] == texts


@given(TEXTS.filter(bool), st.data())
def test_take_gives_the_strings_at_many_positions(texts, data):
    numbers = data.draw(st.lists(st.integers(0, len(texts) - 1), max_size=200))
    strings = Strings.of(texts)
    expected = [texts[number] for number in numbers]
    assert strings.take(numbers) == expected
    assert strings.take(np.array(numbers, dtype=np.int64)) == expected
    assert strings.take(numbers) == expected  # now that they may all be decoded


def test_take_decodes_all_once_many_are_asked_for():
    strings = Strings.of(map(str, range(1000)))
    strings.take(range(200))
    assert strings._all is None
    assert strings.take(range(300)) == [str(number) for number in range(300)]
    assert strings._all == [str(number) for number in range(1000)]


def test_positions_are_those_of_a_list():
    strings = Strings.of(["a", "b"])
    assert strings[-1] == "b"
    for beyond in (2, -3):
        with pytest.raises(IndexError):
            strings[beyond]


@given(st.sets(st.text()), st.one_of(st.text(), st.text(st.characters(exclude_categories=()))))
def test_find_in_sorted_strings(texts, other):
    strings = Strings.of(sorted(texts))
    for number, text in enumerate(sorted(texts)):
        assert strings.find(text) == number
    assert (strings.find(other) >= 0) == (other in texts)


@given(st.lists(st.text(), unique=True), st.text())
def test_find_by_an_order(texts, other):
    strings = Strings.of(texts)
    order = np.array(sorted(range(len(texts)), key=texts.__getitem__), dtype=np.int32)
    for number, text in enumerate(texts):
        assert strings.find(text, order) == number
    assert (strings.find(other, order) >= 0) == (other in texts)


def test_growing():
    growing = GrowingStrings()
    for raw in (b"cat", b"", "\u00e9".encode()):
        growing.append(raw)
    strings = growing.finish()
    assert (list(strings), strings.offsets.tolist()) == (["cat", "", "é"], [0, 3, 3, 5])


# Sorting strings by their bytes.

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


def test_strings_are_sorted_in_parts_between_which_ctrl_c_is_answered(monkeypatch):
    strings = [f"{first}{second}{number % 7}" for number in range(20) for first in "dbac" for second in "xzy"] + [""]
    expected = sorted(range(len(strings)), key=lambda number: (strings[number], number))
    sizes = []
    lexsort = np.lexsort

    def recorded(keys):
        sizes.append(len(keys[0]))
        return lexsort(keys)

    monkeypatch.setattr(strings_module, "_AT_ONCE", 30)
    monkeypatch.setattr(np, "lexsort", recorded)
    assert byte_order(Strings.of(strings)).tolist() == expected
    assert sum(sizes) == len(strings)
    assert max(sizes) < 30 + 20  # 20 strings begin with the same two letters


# Many strings together

ALIKE = st.text(st.sampled_from("ab\x00é"), max_size=20)


@given(st.sets(ALIKE, min_size=1, max_size=60), st.sets(ALIKE, min_size=9, max_size=30))
def test_strings_alike_for_many_bytes(known, others):
    ordered = sorted(known, key=str.encode)
    wanted = [*others, *ordered[:5]]
    together, alone = Positions(Strings.of(ordered)), Positions(Strings.of(ordered))
    places = {string: place for place, string in enumerate(ordered)}
    assert together.of_each(wanted) == [places.get(string, -1) for string in wanted]
    assert together.of_each(wanted) == [alone[string] for string in wanted]


def test_absent_strings_are_not_kept():
    positions = Positions(Strings.of(["cat", "dog"]))
    assert positions.of_each(["dog", "catfish", ""]) == [1, -1, -1]
    assert dict(positions) == {"dog": 1}
