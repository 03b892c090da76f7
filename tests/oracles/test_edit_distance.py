"""Terms near a word against rapidfuzz, which computes each distance by itself."""

from __future__ import annotations

import random

import pytest
from lengths import often

import toysearch
from toysearch import Index
from toysearch.search.edit_distance import terms_within

rapidfuzz = pytest.importorskip("rapidfuzz", reason="rapidfuzz is not installed: pip install -e '.[dev]'")


def test_the_terms_within_two_edits_of_misspelt_terms():
    from rapidfuzz.distance import OSA

    index = Index.build(toysearch.load("companions"))
    terms, rng = list(index.terms), random.Random(0)
    for term in rng.sample(terms, often(300)):
        letters = list(term)
        for _ in range(rng.randint(0, 2)):
            letters[rng.randrange(len(letters))] = rng.choice("aeinrst")
        word = "".join(letters)
        distances = [(number, OSA.distance(word, other, score_cutoff=2)) for number, other in enumerate(terms)]
        near = terms_within(index, word, 2)
        expected = [pair for pair in distances if pair[1] <= 2]
        assert list(zip(near.numbers.tolist(), near.edits.tolist(), strict=True)) == expected
