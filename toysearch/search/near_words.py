"""Near words: the words of a collection that a misspelt word may stand for, each with its distance."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import chain, pairwise
from typing import NamedTuple

import numpy as np

from toysearch.index.inverted_index import Index
from toysearch.index.strings import LetterSets, Strings
from toysearch.search.edit_distance import strings_within

EDITS = 2
_TWO_EDITS = 5  # letters from which two edits are considered: half the vocabulary is near a shorter word
_NEAREST = 16  # terms whose words are looked up
_READ, _READ_MORE = 3, 15  # documents of a term that are read for its words: if one error is found, or else
_SEARCHED = 100  # documents of a term that are searched for a word, less than a block
_CHARACTERS = 1 << 14  # of each document
_BLOCK = 64  # code points around a letter, mostly of its script
_ENDING = 5  # letters at the end of a word that its stem may lack
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_SURROGATE = re.compile("[\ud800-\udfff]")
_KEPT = 2048  # tokens whose near words are kept
_KEPT_WORDS = 1 << 18  # words of documents that are kept


class NearWord(NamedTuple):
    """A word of the collection: as it is written, the number of its term, and its distance."""

    written: str
    number: int
    edits: int


class NearWords:
    """The near words of tokens; what has been found is kept, as the words of documents read for it are."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._words = _DocumentWords(index)
        self.of = lru_cache(_KEPT)(self._of)

    def _of(self, token: str, term: str) -> Sequence[NearWord]:
        """The words near a token of a query, one per term other than its own, nearest and most frequent first."""
        index, limit = self._index, EDITS if len(token) >= _TWO_EDITS else 1
        edits = _edits_of(index, term, limit)
        own = index.term_number(term)
        edits.pop(own, None)
        if index.analyzer.stem is not None:
            return [word for word in self._written(token, edits, limit) if word.number != own]
        terms = _nearest(index, edits)
        return [NearWord(near, number, edits[number]) for number, near in terms.items()]

    def _written(self, token: str, edits: dict[int, int], limit: int) -> list[NearWord]:
        """The words near a token that become stems, given the stems near its stem."""
        # Errors at the end of a word can change its whole stem. One error is found by trying all.
        index, variants = self._index, _of_variants(self._index, token)
        docs = _first_docs(index, _nearest(index, edits | dict.fromkeys(variants, 1)))
        counts = self._words.near(token, limit, docs, _READ)
        for number, words in variants.items():
            if number in docs:
                counts.update(_occurring(index, docs[number], words))
        found = _near_tokens(index, token, counts, limit)
        if limit == 1 or any(word.edits == 1 for word in found):
            return found
        # Errors in the ending hide the stem, but the word begins like it.
        docs = _first_docs(index, _nearest(index, _edits_of(index, token, EDITS, _ENDING)))
        more = _near_tokens(index, token, self._words.near(token, limit, docs, _READ_MORE), limit)
        return [*found, *(word for word in more if word.number not in {word.number for word in found})]


def _edits_of(index: Index, term: str, limit: int, ending: int = 0) -> dict[int, int]:
    """The distances of the terms near a term, by number."""
    near = strings_within(index.terms, term, limit, ending)
    return dict(zip(near.numbers.tolist(), near.edits.tolist(), strict=True))


def _nearest(index: Index, edits: dict[int, int]) -> dict[int, str]:
    """The nearest and most frequent terms, by number; none has a digit."""
    df = dict(zip(edits, index.df_by_term[list(edits)].tolist(), strict=True))
    order = sorted(edits, key=lambda number: (edits[number], -df[number], number))[:_NEAREST]
    terms = zip(order, index.terms.take(order), strict=True)
    return {number: term for number, term in terms if not any(map(str.isdigit, term))}


def _first_docs(index: Index, terms: Iterable[int]) -> dict[int, np.ndarray]:
    """The first documents of terms, by their numbers."""
    numbers = np.array([*terms], dtype=np.int64)
    return dict(zip(numbers.tolist(), index.blocks.first_docs(numbers), strict=True))


def _near_tokens(index: Index, token: str, counts: Counter[str], limit: int) -> list[NearWord]:
    """The words near a token, one per term, nearest and most frequent first."""
    words = [*counts]
    near = strings_within(Strings.of(words), token, limit)
    found: dict[int, NearWord] = {}
    for edits, _, word in sorted((e, -counts[words[at]], words[at]) for at, e in zip(*near, strict=True)):
        number = index.term_number(index.analyzer.term(word) or "")
        if number >= 0:
            found.setdefault(number, NearWord(word, number, int(edits)))
    return list(found.values())


class _ReadWords(NamedTuple):
    """The different words of a document, with their frequencies and letters."""

    words: list[str]
    counts: list[int]
    letters: LetterSets


class _DocumentWords:
    """The words of documents; of those read so far they are kept, up to a limit."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._read: dict[int, _ReadWords] = {}
        self._size = 0

    def near(self, token: str, limit: int, docs: dict[int, np.ndarray], most: int) -> Counter[str]:
        """The words of the first documents of terms that may be near a token, with their frequencies."""
        if self._index.texts is None:
            return Counter(self._index.terms.take(docs))
        read = self._of(sorted({doc for some in docs.values() for doc in some[:most].tolist()}))
        edges = np.cumsum([0, *(len(each.words) for each in read)])
        near = LetterSets.joined([each.letters for each in read]).near(token, limit)
        owners = np.searchsorted(edges, near, side="right") - 1
        counts: Counter[str] = Counter()
        for owner, place in zip(owners.tolist(), (near - edges[owners]).tolist(), strict=True):
            counts[read[owner].words[place]] += read[owner].counts[place]
        return counts

    def _of(self, docs: Sequence[int]) -> list[_ReadWords]:
        """The words of some documents."""
        if self._size > _KEPT_WORDS:
            self._read, self._size = {}, 0
        known = self._read  # another thread may begin a new one meanwhile
        new = [doc for doc in docs if doc not in known]
        if new:
            assert self._index.texts is not None
            tokens = self._index.analyzer.tokenizer
            counted = [Counter(tokens(text[:_CHARACTERS])) for text in self._index.texts.take(new)]
            letters = Strings.of(chain.from_iterable(counted)).letters
            edges = np.cumsum([0, *map(len, counted)]).tolist()
            self._size += edges[-1]
            for doc, own, (start, stop) in zip(new, counted, pairwise(edges), strict=True):
                known[doc] = _ReadWords([*own], [*own.values()], letters.between(start, stop))
        return [known[doc] for doc in docs]


def _occurring(index: Index, docs: np.ndarray, words: list[str]) -> list[str]:
    """The words that are in some documents of a term; all of them if no text is stored."""
    if index.texts is None:
        return words
    texts = "\n".join(text[:_CHARACTERS] for text in index.texts.take(docs[:_SEARCHED])).lower()
    return [word for word in words if word in texts and re.search(rf"\b{re.escape(word)}\b", texts)]


def _of_variants(index: Index, token: str) -> dict[int, list[str]]:
    """The words at one edit from a token, by their terms."""
    found = defaultdict[str, list[str]](list)
    for variant in _edited(token):
        term = index.analyzer.term(variant)
        if term is not None and (term.isascii() or not _SURROGATE.search(term)):
            found[term].append(variant)
    numbers = index.term_numbers.of_all(found).tolist()
    return {number: words for number, words in zip(numbers, found.values(), strict=True) if number >= 0}


def _edited(word: str) -> set[str]:
    """All words at one edit from a word."""
    letters, found = _letters(word), set[str]()
    for at in range(len(word) + 1):
        before, after = word[:at], word[at:]
        found.update(before + letter + after for letter in letters)
        if after:
            found.add(before + after[1:])
            found.update(before + letter + after[1:] for letter in letters)
        found.add(before + after[1:2] + after[:1] + after[2:])
    return found - {word}


def _letters(word: str) -> str:
    """The possible letters of a word: the alphabet, and the neighbours of its own letters in Unicode."""
    blocks = {ord(character) // _BLOCK for character in word if not character.isascii()}
    near = [chr(block * _BLOCK + at) for block in sorted(blocks) for at in range(_BLOCK)]
    return _LETTERS + "".join(letter for letter in near if unicodedata.category(letter)[0] in "LM")
