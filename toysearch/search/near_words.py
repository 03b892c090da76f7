"""Near words: the words of a collection that a misspelt word may stand for, each with its distance."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Mapping
from itertools import chain
from typing import NamedTuple

import numpy as np

from toysearch.encoded_texts import Utf8
from toysearch.index.inverted_index import Index
from toysearch.index.strings import Strings, places
from toysearch.search.edit_distance import strings_within, terms_within

EDITS = 2
_TWO_EDITS = 5  # letters from which two edits are considered: half the vocabulary is near a shorter word
_NEAREST = 16  # terms whose words are looked up
_READ, _READ_MORE = 3, 15  # documents of a term that are read for its words: if one error is found, or else
_SEARCHED = 100  # documents of a term that are searched for a word, less than a block
_CHARACTERS = 1 << 14  # of each document
_BLOCK = 64  # code points around a letter, mostly of its script
_ENDING = 5  # letters at the end of a word that its stem may lack
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


class NearWord(NamedTuple):
    """A word of the collection: as it is written, the number of its term, and its distance."""

    written: str
    number: int
    edits: int


def near_words(index: Index, token: str, term: str) -> list[NearWord]:
    """The words near a token of a query, one per term other than its own, nearest and most frequent first."""
    limit = EDITS if len(token) >= _TWO_EDITS else 1
    near = terms_within(index, term, limit)
    edits = dict(zip(near.numbers.tolist(), near.edits.tolist(), strict=True))
    own = index.term_number(term)
    edits.pop(own, None)
    if index.analyzer.stem is not None:
        return [word for word in _near_written(index, token, edits, limit) if word.number != own]
    terms = _nearest(index, edits)
    return [NearWord(near, number, edits[number]) for number, near in terms.items()]


def _nearest(index: Index, edits: dict[int, int]) -> dict[int, str]:
    """The nearest and most frequent terms, by number; none has a digit."""
    df = dict(zip(edits, index.df_by_term[list(edits)].tolist(), strict=True))
    order = sorted(edits, key=lambda number: (edits[number], -df[number], number))[:_NEAREST]
    terms = zip(order, index.terms.take(order), strict=True)
    return {number: term for number, term in terms if not any(map(str.isdigit, term))}


def _near_written(index: Index, token: str, edits: dict[int, int], limit: int) -> list[NearWord]:
    """The words near a token that become stems, given the stems near its stem."""
    # Errors at the end of a word can change its whole stem. One error is found by trying all.
    variants = _of_variants(index, token)
    terms = _nearest(index, edits | dict.fromkeys(variants, 1))
    docs = dict(zip(terms, index.blocks.first_docs(np.array([*terms], dtype=np.int64)), strict=True))
    counts = _words(index, docs, _READ)
    for number, words in variants.items():
        if number in docs:
            counts.update(_occurring(index, docs[number], words))
    found = _near_tokens(index, token, counts, limit)
    if limit == 1 or any(word.edits == 1 for word in found):
        return found
    # Errors in the ending hide the stem, but the word begins like it.
    begun = strings_within(index.terms, token, EDITS, _ENDING)
    terms = _nearest(index, dict(zip(begun.numbers.tolist(), begun.edits.tolist(), strict=True)))
    docs = dict(zip(terms, index.blocks.first_docs(np.array([*terms], dtype=np.int64)), strict=True))
    more = _near_tokens(index, token, _words(index, docs, _READ_MORE), limit)
    return [*found, *(word for word in more if word.number not in {word.number for word in found})]


def _near_tokens(index: Index, token: str, counts: Counter[str], limit: int) -> list[NearWord]:
    """The words near a token, one per term, nearest and most frequent first."""
    words = sorted(counts)
    near = strings_within(Strings.of(words), token, limit)
    found: dict[int, NearWord] = {}
    for edits, _, word in sorted((e, -counts[words[at]], words[at]) for at, e in zip(*near, strict=True)):
        number = index.term_number(index.analyzer.term(word) or "")
        if number >= 0:
            found.setdefault(number, NearWord(word, number, int(edits)))
    return list(found.values())


def _words(index: Index, docs: Mapping[int, np.ndarray], most: int) -> Counter[str]:
    """The words of some documents of terms, with their frequencies; the terms themselves if no text is stored."""
    if index.texts is None:
        return Counter(index.terms.take(docs))
    texts = index.texts.take(sorted({doc for some in docs.values() for doc in some[:most].tolist()}))
    return Counter(chain.from_iterable(index.analyzer.tokenizer(text[:_CHARACTERS]) for text in texts))


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
        if term is not None:
            found[term].append(variant)
    wanted = Strings(*Utf8.of([term.encode(errors="surrogatepass") for term in found]))
    numbers, known = places(index.terms, np.arange(len(index.terms)), wanted)
    return {
        number: words for number, words, is_term in zip(numbers.tolist(), found.values(), known, strict=True) if is_term
    }


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
