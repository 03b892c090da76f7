"""Spelling of a query: words that no document contains, and the nearest words of the documents.

Start with `suggest`: each word that no document contains, or very few, is compared with the words near it. The best has
the highest product of df and the probability of the errors. In an index of stems a near word is one of the documents.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import NamedTuple
from weakref import proxy

import numpy as np

from toysearch.base import expect, groups_of
from toysearch.index import Index, Strings, common_postings
from toysearch.index.inverted_index import once_per_index
from toysearch.query.syntax import Field, Node, Phrase, Term, parts, with_parts, words_of
from toysearch.retrieval.fuzzy_and_wildcard_terms import strings_within
from toysearch.retrieval.matching import filter_fields
from toysearch.retrieval.query_terms import analyzed

__all__ = ["Suggestion", "suggest", "suggest_tree", "unknown_words"]

_SHORTEST, _LONGEST = 4, 40  # letters of a word that is corrected: too many words are near a shorter one
_TWO_EDITS = 5  # letters from which two edits are considered: half the vocabulary is near a shorter word
_FREQUENT = 300  # a word in more than one of this many documents is not an error
_MOST = 16  # words of a query that are corrected
_NEAREST = 16  # terms whose words are looked up
_READ, _READ_MORE = 3, 15  # documents of a term that are read for its words: if one error is found, or else
_SEARCHED = 100  # documents of a term that are searched for a word, less than a block
_CHARACTERS = 1 << 14  # of each document
_ENDING = 5  # letters at the end of a word that its stem may lack
_KEPT = 1 << 12  # words whose corrections, and documents whose words, are kept

# Logs of probabilities. A letter dropped and two exchanged are one of few possible errors in a word; a letter added
# or replaced is also one of 26.
_ERROR = math.log(0.001)
_OF_26 = _ERROR - math.log(26)
_IN_DOCUMENTS = -math.log(_FREQUENT)  # an error that documents contain too
_LEFT_OUT = math.log(0.1)  # a word that the analyzer leaves out, such as a stop word


class Suggestion(NamedTuple):
    """Better spelling of a query."""

    text: str  # the query with some words corrected
    documents: int  # the number of documents that contain all its terms; 0 if some are still unknown


class NearWord(NamedTuple):
    """Word of the collection: as it is written, the number of its term, and its distance."""

    written: str
    number: int
    edits: int


def suggest(index: Index, text: str) -> Suggestion | None:
    """Suggest a better spelling of a query, from the words of the documents.

    A word that no document contains, or only very few, may stand for a near word: one that is frequent and needs few
    edits.

    Parameters
    ----------
    index : Index
        The index searched.
    text : str
        The query.

    Returns
    -------
    Suggestion or None
        None if no word is better spelt in another way. Words of fewer than four letters and words with digits are never
        corrected, nor are n-grams and pairs of Chinese, Japanese and Korean characters.

    Notes
    -----
    A near word is at most two edits away (`terms_within`), one if the word has four letters. Its probability is df/N
    times that of the errors: 1/1000 for a letter dropped and for two letters exchanged, 1/26000 for a letter added or
    replaced. In an index of stems, the words are taken from the stored texts.

    References
    ----------
    Kernighan, Church & Gale, A spelling correction program based on a noisy channel model, COLING 1990.

    Examples
    --------
    >>> index = Index.build(["the boundary layer", "boundary conditions", "a layer of paint"])
    >>> suggest(index, "boundery layer")
    Suggestion(text='boundary layer', documents=1)
    """
    expect(Index, index=index)
    expect(str, text=text)
    if index.analyzer.makes_grams:
        return None
    analyzer, lexicon = index.analyzer, _lexicon(index)
    pieces, end, numbers, n_left = [], 0, set[int](), _MOST
    for start, stop in analyzer.tokenizer.places(text):
        typed = text[start:stop]
        tokens = analyzer.tokenizer(typed)
        term = analyzer.term(tokens[0]) if len(tokens) == 1 else None
        if term is None:
            continue
        number = index.term_numbers[term]
        if n_left and lexicon.may_be_wrong(tokens[0], number):
            n_left -= 1
            if near := lexicon.correction(tokens[0], term):
                number, written, in_capitals = near.number, near.written, near.written.upper()
                keeps = typed.isupper() and analyzer.tokenizer(in_capitals) == analyzer.tokenizer(written)
                pieces += [text[end:start], in_capitals if keeps else written]
                end = stop
        numbers.add(number)
    if not pieces:
        return None
    documents = 0 if -1 in numbers else len(common_postings(index.blocks, np.array([*numbers]))[0])
    return Suggestion("".join([*pieces, text[end:]]), documents)


def unknown_words(index: Index, text: str) -> list[str]:
    """List the words of a query that no document of an index contains.

    Parameters
    ----------
    index : Index
        The index searched.
    text : str
        The query.

    Returns
    -------
    list of str
        In the order of the query, each once.

    Examples
    --------
    >>> unknown_words(Index.build(["the boundary layer", "boundary conditions"]), "boundery layer")
    ['boundery']
    """
    expect(Index, index=index)
    expect(str, text=text)
    analyzer = index.analyzer
    if analyzer.makes_grams:
        return []
    terms = {token: analyzer.term(token) for token in analyzed(index, text).tokens}
    return [
        token
        for token, term in terms.items()
        if term is not None
        and index.term_numbers[term] < 0
        # a character may be searched in pairs of characters
        and not (analyzer.cjk and len(term) == 1 and len(index.terms.holding(term)))
    ]


def unclear_words(index: Index, text: str) -> list[str]:
    """List the words of a query that no document contains and that are no misspelt stop words."""
    return [word for word in unknown_words(index, text) if not _lexicon(index).misspelt_stop_words(word)]


def suggest_tree(index: Index, tree: Node) -> Node | None:
    """Return a query tree with its words in a better spelling, as `suggest` finds it.

    Parameters
    ----------
    index : Index
        The index searched.
    tree : Node
        The query.

    Returns
    -------
    Node or None
        None if no word is better spelt in another way. Patterns, ranges and the values of fields that filter stay as
        they are.

    Examples
    --------
    >>> from toysearch.query.parser import parse
    >>> print(suggest_tree(Index.build(["tick removal for dogs"]), parse('"tick remvoal" -dgos').tree))
    "tick removal" AND NOT dogs
    """
    expect(Index, index=index)
    expect(Node, tree=tree)
    filters = filter_fields(index)
    words = [" ".join(word.split()) for word in words_of(tree, filters)]
    better = suggest(index, "\n".join(words))
    if better is None:
        return None
    pairs = iter(zip(words, better.text.split("\n"), strict=True))

    def spelt(word: str) -> str:
        before, after = next(pairs)
        return word if before == after else after

    def respelt(node: Node) -> Node:
        if isinstance(node, Term):
            return Term(spelt(node.word))
        if isinstance(node, Phrase):
            return Phrase(*map(spelt, node.words), slop=node.slop, gap=node.gap)
        is_value = isinstance(node, Field) and node.name in filters
        return node if is_value else with_parts(node, [respelt(part) for part in parts(node)])

    return respelt(tree)


def error_score(typed: str, meant: str) -> float:
    """Log of the probability that a word is typed as another one, by its most probable edits."""

    @cache
    def best(i: int, j: int) -> float:  # the first i letters meant, the first j typed
        if not (i and j):
            return i * _ERROR + j * _OF_26
        is_same = meant[i - 1] == typed[j - 1]
        ways = [best(i - 1, j) + _ERROR, best(i, j - 1) + _OF_26, best(i - 1, j - 1) + (0.0 if is_same else _OF_26)]
        if min(i, j) > 1 and meant[i - 2 : i] == typed[j - 1] + typed[j - 2]:
            ways.append(best(i - 2, j - 2) + _ERROR)
        return max(ways)

    return best(len(meant), len(typed))


@once_per_index
def _lexicon(index: Index) -> _Lexicon:
    return _Lexicon(proxy(index))


class _Lexicon:
    def __init__(self, index: Index) -> None:
        self.index = index
        self.correction = lru_cache(_KEPT)(self._correction)
        self._words = lru_cache(_KEPT)(self._words_of_document)
        self._stop_words = Strings.of([word for word in sorted(index.analyzer.stop) if len(word) >= _SHORTEST])

    def may_be_wrong(self, token: str, number: int) -> bool:
        """True if no document contains a word, or few; not for a short word, a very long one, or one with a digit."""
        df = 0 if number < 0 else int(self.index.df_by_term[[number]][0])
        is_word = _SHORTEST <= len(token) <= _LONGEST and not any(map(str.isdigit, token))
        return is_word and df * _FREQUENT <= len(self.index)

    def misspelt_stop_words(self, token: str) -> list[str]:
        return [*self._stop_words.take(strings_within(self._stop_words, token, 1).numbers)]

    def _correction(self, token: str, term: str) -> NearWord | None:
        """Find the most probable word that a token stands for; None if it is best as it is."""
        index = self.index
        number = index.term_numbers[term]
        if number < 0:
            stays = [_LEFT_OUT + error_score(token, stop) for stop in self.misspelt_stop_words(token)]
        else:
            stays = [self._share(number)]
        best, score = None, max(stays, default=-math.inf)
        for near in sorted(self._near_words(token, term, number)):
            if number >= 0 and near.edits > 1:
                continue
            error = error_score(token, near.written) if number < 0 else _IN_DOCUMENTS
            if self._share(near.number) + error > score:
                best, score = near, self._share(near.number) + error
        return best

    def _share(self, number: int) -> float:
        """Log of the share of the documents that contain a term."""
        return math.log(int(self.index.df_by_term[[number]][0]) / len(self.index))

    def _near_words(self, token: str, term: str, own: int) -> list[NearWord]:
        """Find the words near a token of a query, one for each term but its own."""
        limit = 2 if len(token) >= _TWO_EDITS else 1
        edits = self._edits(term, limit)
        if self.index.analyzer.stem is not None:
            return [word for word in self._written(token, edits, limit) if word.number != own]
        edits.pop(own, None)
        return [NearWord(near, number, edits[number]) for number, near in self._nearest(edits).items()]

    def _edits(self, word: str, limit: int, ending: int = 0) -> dict[int, int]:
        near = strings_within(self.index.terms, word, limit, ending)
        return dict(zip(near.numbers.tolist(), near.edits.tolist(), strict=True))

    def _nearest(self, edits: dict[int, int]) -> dict[int, str]:
        """Return the nearest terms without digits, of those the most frequent."""
        df = dict(zip(edits, self.index.df_by_term[list(edits)].tolist(), strict=True))
        order = sorted(edits, key=lambda number: (edits[number], -df[number], number))[:_NEAREST]
        terms = zip(order, self.index.terms.take(order), strict=True)
        return {number: term for number, term in terms if not any(map(str.isdigit, term))}

    def _written(self, token: str, edits: dict[int, int], limit: int) -> list[NearWord]:
        """Find the words of documents near a token whose stem, itself misspelt, has some edits from their stems."""
        # Errors at the end of a word can change its whole stem. One error is found by trying all.
        variants = self._variants(token)
        docs = self._first_docs(edits | dict.fromkeys(variants, 1))
        counts = self._counted(docs, _READ)
        for number in variants.keys() & docs.keys():
            counts.update(self._contained(variants[number], docs[number]))
        near = self._near_tokens(token, counts, limit)
        if limit == 1 or any(word.edits == 1 for word in near.values()):
            return [*near.values()]
        # Errors in the ending hide the stem, but the word begins like it.
        docs = self._first_docs(self._edits(token, 2, _ENDING))
        return [*(self._near_tokens(token, self._counted(docs, _READ_MORE), limit) | near).values()]

    def _first_docs(self, edits: dict[int, int]) -> dict[int, np.ndarray]:
        numbers = np.array([*self._nearest(edits)], np.int64)
        return dict(zip(numbers.tolist(), self.index.blocks.first_docs(numbers), strict=True))

    def _counted(self, docs: dict[int, np.ndarray], most: int) -> Counter[str]:
        """Count the words of the first documents of terms; without texts, a term is its word."""
        if self.index.texts is None:
            return Counter(self.index.terms.take(docs))
        counts = Counter[str]()
        for doc in {doc for some in docs.values() for doc in some[:most].tolist()}:
            counts.update(self._words(doc))
        return counts

    def _words_of_document(self, doc: int) -> Counter[str]:
        assert self.index.texts is not None
        return Counter(self.index.analyzer.tokenizer(self.index.texts.take([doc])[0][:_CHARACTERS]))

    def _contained(self, words: list[str], docs: np.ndarray) -> list[str]:
        """Return the words that some of these documents contain."""
        if self.index.texts is None:
            return words
        texts = "\n".join(text[:_CHARACTERS] for text in self.index.texts.take(docs[:_SEARCHED]))
        prepared = self.index.analyzer.tokenizer.prepared(texts)
        return [word for word in words if word in prepared and re.search(rf"\b{re.escape(word)}\b", prepared)]

    def _near_tokens(self, token: str, counts: Counter[str], limit: int) -> dict[int, NearWord]:
        """Return the nearest word of each term, of those the most frequent."""
        words = [word for word in counts if abs(len(word) - len(token)) <= limit]
        near = strings_within(Strings.of(words), token, limit)
        found = dict[int, NearWord]()
        for edits, _, word in sorted((e, -counts[words[at]], words[at]) for at, e in zip(*near, strict=True)):
            number = self.index.term_numbers[self.index.analyzer.term(word) or ""]
            if number >= 0:
                found.setdefault(number, NearWord(word, number, int(edits)))
        return found

    def _variants(self, word: str) -> dict[int, list[str]]:
        """Make all words one edit from a word, by the numbers of those of their terms that the index has."""
        words = set[str]()
        for at in range(len(word) + 1):
            before, after = word[:at], word[at:]
            words |= {before + letter + end for letter in _letters(word) for end in (after, after[1:])}
            words |= {before + after[1:], before + after[1:2] + after[:1] + after[2:]}
        term = self.index.analyzer.term
        words_of_term = groups_of((term(variant) or "", variant) for variant in words - {word})
        numbers = self.index.term_numbers.of_each([*words_of_term])
        return {number: words for number, words in zip(numbers, words_of_term.values(), strict=True) if number >= 0}


def _letters(word: str) -> Iterable[str]:
    """Yield the letters that may stand in a word: a to z, and those beside its own in Unicode, mostly of its script."""
    yield from "abcdefghijklmnopqrstuvwxyz"
    for block in sorted({ord(letter) // 64 for letter in word if not letter.isascii()}):
        near = map(chr, range(64 * block, 64 * block + 64))
        yield from (letter for letter in near if unicodedata.category(letter)[0] in "LM")
