"""The likeliest correction of a query: its words as they are, as near words, joined with a neighbour, or split."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple
from weakref import WeakKeyDictionary, proxy

import numpy as np

from toysearch.index.inverted_index import Index
from toysearch.index.postings import contained
from toysearch.index.strings import Strings
from toysearch.search.edit_distance import strings_within
from toysearch.search.near_words import NearWords

SHORTEST, LONGEST = 4, 40  # letters of a word that is corrected: too many words are near a shorter one
_FREQUENT = 300  # a word in more than one of this many documents is not an error
_MOST = 16  # words of a query that are corrected
_READINGS = 8  # readings of a word as near words
_PART = 3  # the fewest letters of a part of a word that is split
_KEPT = 1 << 14  # terms, and pairs of terms, whose frequencies are kept
_KEPT_DOCS, _MOST_DOCS = 1 << 10, 1 << 12  # terms whose documents are kept, and how many of each at most
_SMOOTHING = 1.0  # documents that are added, as in Dirichlet smoothing, to those that contain a word

# Logs of probabilities. A letter dropped and two exchanged are one of few possible errors in a word; a letter added
# or replaced is also one of 26.
_ERROR = math.log(0.001)
_LETTER = -math.log(26)
_IN_DOCUMENTS = -math.log(_FREQUENT)  # an error that documents contain too
_BLANK = math.log(0.01)  # a blank added; a dropped one is a letter dropped
_UNKNOWN = math.log(1e-9)  # an unknown word without a near word
_LEFT_OUT = math.log(0.1)  # a word that the analyzer leaves out, such as a stop word


class QueryWord(NamedTuple):
    """A word of a query: its place in the text, its token, its term, and the number of that term, -1 if unknown."""

    start: int
    stop: int
    token: str
    term: str | None  # None: left out
    number: int

    @property
    def correctable(self) -> bool:
        """Whether it is neither short nor very long nor has a digit."""
        return SHORTEST <= len(self.token) <= LONGEST and not any(map(str.isdigit, self.token))


class WordReading(NamedTuple):
    """A reading of one word of a query, or of two neighbours."""

    words: int  # 1 or 2
    written: str  # "": as they are
    numbers: tuple[int, ...]  # of its terms, without unknown ones
    score: float  # the log of the probabilities of its terms and errors


def corrected(index: Index, text: str) -> tuple[str, int] | None:
    """A query with corrected words, and the number of documents with all its terms; None if no word is corrected."""
    words, lexicon = _query_words(index, text), _lexicon(index)
    readings = _best(lexicon, words)
    if not any(reading.written for reading in readings):
        return None
    parts, end, at = [], 0, 0
    for reading in readings:
        start, stop = words[at].start, words[at + reading.words - 1].stop
        asked = text[start:stop]
        parts += [text[end:start], _in_case_of(asked, reading.written) or asked]
        end, at = stop, at + reading.words
    unknown = any(reading.score == _UNKNOWN for reading in readings)
    numbers = [number for reading in readings for number in reading.numbers]
    return "".join([*parts, text[end:]]), lexicon.together(numbers) if numbers and not unknown else 0


def _in_case_of(asked: str, written: str) -> str:
    """A word in capitals if the query has it in capitals."""
    return written.upper() if asked.isupper() else written


def _query_words(index: Index, text: str) -> list[QueryWord]:
    """The words of a query that are one token each."""
    analyzer, words = index.analyzer, []
    for start, stop in analyzer.tokenizer.places(text):
        tokens = analyzer.tokenizer(text[start:stop])
        if len(tokens) == 1:
            term = analyzer.term(tokens[0])
            words.append(QueryWord(start, stop, tokens[0], term, -1 if term is None else index.term_number(term)))
    return words


def _best(lexicon: _Lexicon, words: Sequence[QueryWord]) -> list[WordReading]:
    """The most probable readings of the words of a query, in order."""
    # Each word depends on the one before it, so the best chain is found from left to right (Viterbi 1967). Words with a
    # single reading are the same in all chains, so how often they occur together is not counted.
    left = _MOST
    # per place: the last term so far (-1: none) → the best chain; those that go on from it share its readings
    chains: list[dict[int, _Chain]] = [{-1: _Chain(0.0)}, *({} for _ in words)]
    for at, word in enumerate(words):
        doubtful = left > 0 and word.correctable and lexicon.is_rare(word)
        left -= doubtful
        readings = _readings(lexicon, words, at, doubtful=doubtful)
        open_ = len(readings) > 1 or len(chains[at]) > 1 or bool(chains[at + 1])
        for last, chain in chains[at].items():
            for reading in readings:
                first, ending = (reading.numbers[0], reading.numbers[-1]) if reading.numbers else (-1, last)
                total = chain.score + reading.score + (lexicon.company(last, first) if open_ else 0.0)
                ends = chains[at + reading.words]
                if ending not in ends or total > ends[ending].score:
                    ends[ending] = _Chain(total, reading, chain)
    return max(chains[-1].values(), key=lambda chain: chain.score).readings()


class _Chain(NamedTuple):
    """The score of the readings of the first words of a query: the last one, and the chain before it."""

    score: float
    last: WordReading | None = None
    before: _Chain | None = None

    def readings(self) -> list[WordReading]:
        """The readings, in order."""
        found, chain = [], self
        while chain.last is not None and chain.before is not None:
            found.append(chain.last)
            chain = chain.before
        return found[::-1]


class _Lexicon:
    """The probabilities of the terms of an index, and the words near others; what has been found is kept."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self.near_words = NearWords(index).of
        self.stop_words = [word for word in sorted(index.analyzer.stop) if len(word) >= SHORTEST]
        self.near_stop_words = Strings.of(self.stop_words)
        self.df = lru_cache(_KEPT)(lambda number: int(index.df_by_term[[number]][0]))
        self.company = lru_cache(_KEPT)(self._company)
        self._docs = lru_cache(_KEPT_DOCS)(self._docs_of)

    def is_rare(self, word: QueryWord) -> bool:
        """Whether a word is unknown, or so rare that it may be an error in the documents."""
        df = 0 if word.number < 0 else self.df(word.number)
        return word.term is not None and df * _FREQUENT <= len(self.index)

    def alone(self, number: int) -> float:
        """The log of the share of the documents that contain a term."""
        return math.log(self.df(number) / len(self.index))

    def together(self, numbers: Sequence[int]) -> int:
        """The number of documents that contain all of some terms."""
        terms = sorted({*numbers}, key=self.df)
        if self.df(terms[-1]) > _MOST_DOCS:
            return len(self.index.blocks.of_all(np.array(terms))[0])
        found = self._docs(terms[0])
        for term in terms[1:]:
            found = found[contained(found, self._docs(term))]
        return len(found)

    def _docs_of(self, number: int) -> np.ndarray:
        """The documents of a term, by rising number."""
        return self.index.blocks.of_terms(np.array([number])).docs

    def _company(self, before: int, number: int) -> float:
        """The log of how much more probable a term is beside another one; 0 without a term."""
        if min(before, number) < 0 or before == number:
            return 0.0
        share = math.exp(self.alone(number))
        beside = self.together([before, number]) + _SMOOTHING * share
        return math.log(beside / (self.df(before) + _SMOOTHING) / share)


_LEXICONS: WeakKeyDictionary[Index, _Lexicon] = WeakKeyDictionary()


def _lexicon(index: Index) -> _Lexicon:
    """The lexicon of an index, kept as long as the index is."""
    found = _LEXICONS.get(index)
    if found is None:
        found = _LEXICONS[index] = _Lexicon(proxy(index))
    return found


def forget(index: Index) -> None:
    """Give up what is kept of an index: the next suggestion takes as long as the first one."""
    _LEXICONS.pop(index, None)


def _readings(lexicon: _Lexicon, words: Sequence[QueryWord], at: int, *, doubtful: bool) -> list[WordReading]:
    """The readings that begin with a word; of a doubtful one also near words."""
    word, found = words[at], []
    if doubtful:
        found = [*_as_near_words(lexicon, word), *_as_left_out(lexicon, word), *_split(lexicon, word)]
        found = sorted(found, key=lambda reading: (-reading.score, reading.written))[:_READINGS]
    if word.term is None:
        found.append(WordReading(1, "", (), _LEFT_OUT))
    elif word.number >= 0:
        found.append(WordReading(1, "", (word.number,), lexicon.alone(word.number)))
    elif not found:
        found.append(WordReading(1, "", (), _UNKNOWN))
    return [*found, *_joined(lexicon, words[at : at + 2])]


def _as_near_words(lexicon: _Lexicon, word: QueryWord) -> Iterator[WordReading]:
    """A word as each near word of the collection."""
    assert word.term is not None
    for near in lexicon.near_words(word.token, word.term):
        if word.number < 0:
            error = error_score(word.token, near.written)
            yield WordReading(1, near.written, (near.number,), lexicon.alone(near.number) + error)
        elif near.edits == 1:
            yield WordReading(1, near.written, (near.number,), lexicon.alone(near.number) + _IN_DOCUMENTS)


def error_score(typed: str, meant: str) -> float:
    """The log of the probability that a word is typed as another one, by its most probable edits."""
    # Kernighan, Church & Gale, A spelling correction program based on a noisy channel model, COLING 1990. Each row has
    # the best ways to type the first letters of a word as each beginning of the other.
    before: list[float] = []
    last: list[float] = []
    for i in range(len(meant) + 1):
        row: list[float] = []
        for j in range(len(typed) + 1):
            ways = [0.0] if i == j == 0 else []
            if i:
                ways.append(last[j] + _ERROR)
            if j:
                ways.append(row[j - 1] + _ERROR + _LETTER)
            if i and j:
                ways.append(last[j - 1] + (0.0 if meant[i - 1] == typed[j - 1] else _ERROR + _LETTER))
            if min(i, j) > 1 and meant[i - 2 : i] == typed[j - 1] + typed[j - 2]:
                ways.append(before[j - 2] + _ERROR)
            row.append(max(ways))
        before, last = last, row
    return last[-1]


def _as_left_out(lexicon: _Lexicon, word: QueryWord) -> Iterator[WordReading]:
    """An unknown word as one that the analyzer leaves out."""
    if word.number < 0:
        for number in strings_within(lexicon.near_stop_words, word.token, 1).numbers.tolist():
            stop = lexicon.stop_words[number]
            yield WordReading(1, stop, (), _LEFT_OUT + error_score(word.token, stop))


def _split(lexicon: _Lexicon, word: QueryWord) -> Iterator[WordReading]:
    """An unknown word as two words that occur together."""
    analyzer, index = lexicon.index.analyzer, lexicon.index
    cuts = range(_PART, len(word.token) - _PART + 1) if word.number < 0 else ()
    for cut in cuts:
        parts = word.token[:cut], word.token[cut:]
        first, second = (-1 if (term := analyzer.term(part)) is None else index.term_number(term) for part in parts)
        if min(first, second) >= 0 and lexicon.together([first, second]):
            score = lexicon.alone(first) + lexicon.alone(second) + lexicon.company(first, second) + _ERROR
            yield WordReading(1, " ".join(parts), (first, second), score)


def _joined(lexicon: _Lexicon, words: Sequence[QueryWord]) -> Iterator[WordReading]:
    """Two neighbouring words as one word of the collection."""
    token, index = "".join(word.token for word in words), lexicon.index
    if len(words) < 2 or words[1].start - words[0].stop > 1 or any(word.term is None for word in words):
        return
    if not words[0]._replace(token=token).correctable:
        return
    term = index.analyzer.term(token)
    number = -1 if term is None else index.term_number(term)
    if number >= 0:
        yield WordReading(2, token, (number,), lexicon.alone(number) + _BLANK)
