"""Terms near a word against rapidfuzz, which computes each distance, and symspellpy, which looks deletions up."""

import random

import pytest
from tiers import often

import toysearch
from toysearch import Index
from toysearch.retrieval.fuzzy_and_wildcard_terms import terms_within

pytestmark = pytest.mark.system


@pytest.fixture(scope="module")
def index() -> Index:
    return Index.build(toysearch.load("companions"))


def misspelt(index: Index) -> list[str]:
    """Terms of an index with up to two letters replaced."""
    rng, words = random.Random(0), []
    for term in rng.sample(list(index.terms), often(100)):
        letters = list(term)
        for _ in range(rng.randint(0, 2)):
            letters[rng.randrange(len(letters))] = rng.choice("aeinrst")
        words.append("".join(letters))
    return words


def test_the_terms_within_two_edits_by_rapidfuzz(index):
    distance = pytest.importorskip("rapidfuzz.distance", reason="pip install -e '.[dev]'").OSA.distance
    for word in misspelt(index):
        distances = [(number, distance(word, other, score_cutoff=2)) for number, other in enumerate(index.terms)]
        near = terms_within(index, word, 2)
        expected = [pair for pair in distances if pair[1] <= 2]
        assert list(zip(near.numbers.tolist(), near.edits.tolist(), strict=True)) == expected


def test_the_terms_within_two_edits_by_symspellpy(index):
    symspellpy = pytest.importorskip("symspellpy", reason="pip install -e '.[dev]'")
    longest = max(map(len, index.terms))
    other = symspellpy.SymSpell(max_dictionary_edit_distance=2, prefix_length=longest)
    for term, cf in zip(index.terms, index.cf.tolist(), strict=True):
        other.create_dictionary_entry(term, cf)
    for word in misspelt(index):
        near = terms_within(index, word, 2)
        found = other.lookup(word, symspellpy.Verbosity.ALL, max_edit_distance=2)
        terms = [index.term(number) for number in near.numbers.tolist()]
        assert dict(zip(terms, near.edits.tolist(), strict=True)) == {each.term: each.distance for each in found}
