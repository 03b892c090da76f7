"""The error for an unknown name."""

from __future__ import annotations

from toysearch.errors import unknown


def test_a_long_list_of_names_is_cut():
    names = [str(number) for number in range(1, 226)]
    assert str(unknown("query", "22x", names, "queries")) == (
        "unknown query '22x'; did you mean '22'? Queries: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, … (225 in all)"
    )
    assert str(unknown("name", "x", ["b", "c"])) == "unknown name 'x'. Names: b, c"
