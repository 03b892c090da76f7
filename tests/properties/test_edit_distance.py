"""Distances of terms from a word against the textbook's table of distances between beginnings."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from toysearch import Index
from toysearch.base.errors import ArgumentError
from toysearch.index import letter_sets
from toysearch.index.strings import Strings, pieces_of
from toysearch.retrieval.fuzzy_and_wildcard_terms import strings_within, terms_within


def distance(first: str, second: str) -> int:
    """Optimal string alignment: each cell is the distance between the first i and the first j characters."""
    table = [[i + j for j in range(len(second) + 1)] for i in range(len(first) + 1)]
    for i in range(1, len(first) + 1):
        for j in range(1, len(second) + 1):
            deleted, inserted = table[i - 1][j] + 1, table[i][j - 1] + 1
            replaced = table[i - 1][j - 1] + (first[i - 1] != second[j - 1])
            table[i][j] = min(deleted, inserted, replaced)
            if i > 1 and j > 1 and first[i - 2 : i] == second[j - 2 : j][::-1]:
                table[i][j] = min(table[i][j], table[i - 2][j - 2] + 1)
    return table[-1][-1]


def near(terms: list[str], word: str, edits: int) -> list[tuple[str, int]]:
    found = strings_within(Strings.of(terms), word, edits)
    return [(terms[number], edits) for number, edits in zip(found.numbers.tolist(), found.edits.tolist(), strict=True)]


LETTERS = st.sampled_from("abcé日😀")  # of one to four bytes
# Scripts, with combining marks and letters beyond the first plane; each two begin with the same bytes, or end with them
SCRIPTS = ("abc1", "абюя", "αά\u0301ω", "कखि\u094d", "日本\u3099か", "가각힣", "𐍈𐍉𝒜😀", "éę\u0328e")
WORDS = st.text(LETTERS, max_size=8) | st.text(st.sampled_from("ab"), min_size=10, max_size=70)


@pytest.mark.parametrize("script", SCRIPTS)
@given(data=st.data(), edits=st.integers(1, 2), ending=st.sampled_from([0, 0, 2]))
def test_words_of_several_scripts(script, data, edits, ending):
    letters = st.sampled_from(script) | st.sampled_from("".join(SCRIPTS))
    words = st.text(letters, min_size=1, max_size=6)
    word = data.draw(words)
    terms = data.draw(st.sets(words, min_size=1, max_size=30))
    terms = sorted({*terms, word[::-1], word[1:], word[:-1] + script[0], word + script[1]})
    cut = [word[: len(word) - letters] for letters in range(min(ending, len(word)) + 1)]
    expected = [(number, min(distance(term, beginning) for beginning in cut)) for number, term in enumerate(terms)]
    found = strings_within(Strings.of(terms), word, edits, ending)
    assert list(zip(*map(np.ndarray.tolist, found), strict=True)) == [pair for pair in expected if pair[1] <= edits]


@given(
    terms=st.sets(WORDS, max_size=40).map(sorted),
    word=WORDS,
    edits=st.integers(0, 4),
    ending=st.just(0) | st.integers(1, 5),
)
@example(terms=["ca", "abc"], word="ca", edits=3, ending=0)  # 3, though Damerau's distance of ca and abc is 2
@example(terms=["abcd", "bacd"], word="badc", edits=2, ending=0)  # two exchanges, one
@example(terms=[""], word="", edits=0, ending=0)
@example(terms=["a" * 64, "a" * 63 + "b"], word="a" * 64, edits=1, ending=0)
@example(terms=["train"], word="traiminf", edits=1, ending=3)
def test_the_terms_within_some_edits_of_a_word_or_of_it_without_its_last_letters(terms, word, edits, ending):
    cut = [word[: len(word) - letters] for letters in range(min(ending, len(word)) + 1)]
    expected = [(term, min(distance(term, beginning) for beginning in cut)) for term in terms]
    found = strings_within(Strings.of(terms), word, edits, ending)
    numbers = [number for number, pair in enumerate(expected) if pair[1] <= edits]
    assert found.numbers.tolist() == numbers
    assert found.edits.tolist() == [expected[number][1] for number in numbers]


@pytest.mark.parametrize("block", [3, 10**9])
@given(terms=st.sets(st.text(st.sampled_from("abcdeé"), max_size=7), min_size=1, max_size=200).map(sorted))
def test_terms_in_several_blocks(block, terms):
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(letter_sets, "_STRINGS", block)
        for word in ("abacus", "ecd", "éa"):
            expected = [(term, distance(term, word)) for term in terms]
            assert near(terms, word, 2) == [pair for pair in expected if pair[1] <= 2]


@pytest.mark.system
def test_a_very_long_word_and_very_many_edits():
    long = "ab" * 5_000
    assert near([long[:-1], long], long + "c", 2) == [(long[:-1], 2), (long, 1)]
    assert near(["cat", "dog"], "cats", 10**9) == [("cat", 1), ("dog", 4)]
    assert near(["cat"], "\ud800at", 1) == [("cat", 1)]


def test_strings_in_pieces():
    terms = Strings.of(["cat", "dog"])
    pieces = Strings(pieces_of(terms.blob[:3], terms.blob[3:]), terms.offsets)
    assert strings_within(pieces, "dig", 1).numbers.tolist() == [1]


def test_edits_are_refused_if_negative():
    with pytest.raises(ArgumentError, match="edits must be 0 or more, not -1"):
        terms_within(Index.build(["cat"]), "cat", -1)
