"""Wildcards in a permuterm index and in a k-gram index."""

from __future__ import annotations

import fnmatch

import pytest

from toysearch.base.errors import ArgumentError
from toysearch.course.textbook_query import rotations, wildcard_lookup

TERMS = ["cart", "cat", "cactus", "chest", "cut", "cute", "ct", "red", "redo", "retired", "reed", "re", "rated"]


def test_rotations_by_hand():
    """Figure 3.3 of Manning, Raghavan & Schütze."""
    assert rotations("hello") == ["hello$", "ello$h", "llo$he", "lo$hel", "o$hell", "$hello"]


@pytest.mark.parametrize(
    ("pattern", "rotation", "grams"),
    [
        ("c*t", "t$c*", ["$c", "t$"]),
        ("red*", "$red*", ["$r", "re", "ed"]),
        ("*ed", "ed$*", ["ed", "d$"]),
        ("*es*", "$*", ["es"]),
        ("re*ed", "ed$re*", ["$r", "re", "ed", "d$"]),
        ("r*t*d", "d$r*", ["$r", "d$"]),
        ("c?t", "t$c*", ["$c", "t$"]),
        ("*", "$*", []),
    ],
)
@pytest.mark.parametrize("k", [2, 3])
def test_a_lookup_by_hand(pattern, rotation, grams, k):
    found = wildcard_lookup(TERMS, pattern, k)
    assert found.rotation == rotation
    assert found.terms == sorted(fnmatch.filter(TERMS, pattern))
    assert set(found.terms) <= set(found.candidates)
    assert found.rotated == sorted(
        (turned, term) for term in TERMS for turned in rotations(term) if turned.startswith(rotation[:-1])
    )
    if k == 2:
        assert [each.gram for each in found.grams] == grams
        assert [each.n_terms for each in found.grams] == [sum(gram in f"${term}$" for term in TERMS) for gram in grams]


def test_a_candidate_need_not_fit():
    """A term has both 3-grams of red* without beginning so (Manning, Raghavan & Schütze, 3.2.2)."""
    found = wildcard_lookup(TERMS, "red*", 3)
    assert [each.gram for each in found.grams] == ["$re", "red"]
    assert (found.candidates, found.terms) == (["red", "redo", "retired"], ["red", "redo"])


def test_what_is_no_lookup_is_refused():
    with pytest.raises(ArgumentError, match="takes a pattern with"):
        wildcard_lookup(TERMS, "cat")
    with pytest.raises(ArgumentError, match=r"^k must be 2 or more, not 1$"):
        wildcard_lookup(TERMS, "c*t", 1)
