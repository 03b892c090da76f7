"""Near words: the words of a collection that a misspelt word may stand for, each with its distance."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from operator import itemgetter
from typing import NamedTuple

from toysearch.index.inverted_index import Index
from toysearch.index.strings import Strings
from toysearch.search.edit_distance import strings_within, terms_within

EDITS = 2
_TWO_EDITS = 5  # letters from which two edits are considered: half the vocabulary is near a shorter word
_NEAREST = 16  # terms whose words are looked up
_READ = 3  # documents of a term that are read for its words
_SEARCHED = 100  # documents of a term that are searched for a word
_CHARACTERS = 1 << 14  # of each document
_BLOCK = 64  # code points around a letter, mostly of its script
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


class NearWord(NamedTuple):
    """A word of the collection: as it is written, the number of its term, and its distance."""

    written: str
    number: int
    edits: int


def near_words(index: Index, token: str, term: str) -> list[NearWord]:
    """The words near a token of a query, one per term other than its own, nearest and most frequent first."""
    limit = EDITS if len(token) >= _TWO_EDITS else 1
    edits = dict(zip(*(column.tolist() for column in terms_within(index, term, limit)), strict=True))
    variants = _of_variants(index, token) if index.analyzer.stem is not None else {}
    edits |= dict.fromkeys(variants, 1)
    edits.pop(index.term_number(term), None)
    order = sorted(edits, key=lambda number: (edits[number], -int(index.df[number]), number))[:_NEAREST]
    terms = {
        number: near
        for number, near in zip(order, index.terms.take(order), strict=True)
        if not any(map(str.isdigit, near))
    }
    if index.analyzer.stem is None:
        return [NearWord(near, number, edits[number]) for number, near in terms.items()]
    written = _words(index, [*terms])
    for number in terms:
        written += _occurring(index, number, variants.get(number, []))
    near = strings_within(Strings.of(written), token, limit)
    found: dict[int, NearWord] = {}
    for place, distance in sorted(zip(near.numbers.tolist(), near.edits.tolist(), strict=True), key=itemgetter(1)):
        number = index.term_number(index.analyzer.term(written[place]) or "")
        if number in terms:
            found.setdefault(number, NearWord(written[place], number, distance))
    return list(found.values())


def _words(index: Index, numbers: list[int]) -> list[str]:
    """The words of some documents of terms, most frequent first; the terms themselves if no text is stored."""
    if index.texts is None:
        return index.terms.take(numbers)
    docs = {doc for number in numbers for doc in _documents(index, number, _READ)}
    counts = Counter(token for doc in docs for token in index.analyzer.tokenizer(index.texts[doc][:_CHARACTERS]))
    return sorted(counts, key=lambda word: (-counts[word], word))


def _occurring(index: Index, number: int, words: list[str]) -> list[str]:
    """The words that are in some documents of a term; all of them if no text is stored."""
    if index.texts is None or not words:
        return words
    texts = "\n".join(index.texts[doc][:_CHARACTERS].lower() for doc in _documents(index, number, _SEARCHED))
    return [word for word in words if word in texts and re.search(rf"\b{re.escape(word)}\b", texts)]


def _documents(index: Index, number: int, most: int) -> list[int]:
    """The first documents of a term."""
    start, stop = index.offsets[number : number + 2].tolist()
    numbers: list[int] = index.docs(start, min(start + most, stop)).tolist()
    return numbers


def _of_variants(index: Index, token: str) -> dict[int, list[str]]:
    """The words at one edit from a token, by their terms: an error at the end of a word may change its whole stem."""
    found = defaultdict[int, list[str]](list)
    for variant in _edited(token):
        term = index.analyzer.term(variant)
        if term is not None and (number := index.term_number(term)) >= 0:
            found[number].append(variant)
    return found


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
