"""Spelling of a query: words that no document contains, and the most probable correction of the whole query.

A word may be read as it is, as a near word of the collection, joined with its neighbour, or split.
"""

from __future__ import annotations

import itertools
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple, TypeAlias
from weakref import proxy

import numpy as np

from toysearch import loops
from toysearch.base import expect, groups_of
from toysearch.base.plain_or_compiled import compiled
from toysearch.index import Index, Strings, common_postings, contained
from toysearch.index.inverted_index import once_per_index
from toysearch.index.letter_sets import LetterSets
from toysearch.query.syntax import And, AtLeast, Boost, Field, Node, Not, Optional, Or, Phrase, Synonyms, Term
from toysearch.retrieval.fuzzy_and_wildcard_terms import strings_within
from toysearch.retrieval.matching import filter_fields
from toysearch.retrieval.query_terms import analyzed

__all__ = ["Suggestion", "suggest", "suggest_tree", "unknown_words"]


class Suggestion(NamedTuple):
    """Better spelling of a query."""

    text: str  # the query with some words corrected
    documents: int  # the number of documents that contain all its terms; 0 if some are still unknown


def suggest(index: Index, text: str) -> Suggestion | None:
    """Suggest a better spelling of a query, from the words of the documents.

    A word that no document contains, or only very few, may stand for a near word, for two words, or, with its
    neighbour, for one word. The most probable reading of the whole query is suggested: its words are frequent, occur
    together, and need few edits.

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
    A near word is at most two edits away (`terms_within`), one if the word has four letters. The probability of a
    reading is that of its words, df/N for the first and df/N given the word before it for the others, times that of
    the errors: 1/1000 for a letter dropped and for two letters exchanged, 1/26000 for a letter added or replaced. In an
    index of stems, the words are taken from the stored texts.

    References
    ----------
    Kernighan, Church & Gale, A spelling correction program based on a noisy channel model, COLING 1990.

    Examples
    --------
    >>> index = Index.build(["the boundary layer", "boundary conditions", "a layer of paint"])
    >>> suggest(index, "boundery layer")
    Suggestion(text='boundary layer', documents=1)
    >>> suggest(index, "boundarylayer").text
    'boundary layer'
    """
    expect(Index, index=index)
    expect(str, text=text)
    if index.analyzer.makes_grams:
        return None
    analyzer, words, lexicon = index.analyzer, list[QueryWord](), _lexicon(index)
    for start, stop in analyzer.tokenizer.places(text):
        tokens = analyzer.tokenizer(text[start:stop])
        if len(tokens) == 1:
            term = analyzer.term(tokens[0])
            words.append(QueryWord(start, stop, tokens[0], term, -1 if term is None else index.term_numbers[term]))
    readings = lexicon.most_probable(words)
    if not any(reading.written for reading in readings):
        return None
    parts, end, at, unknown = [], 0, 0, False
    for reading in readings:
        unknown |= not (reading.written or reading.numbers or words[at].term is None)
        start, stop = words[at].start, words[at + reading.words - 1].stop
        typed = text[start:stop]
        in_capitals = reading.written.upper()
        keeps = typed.isupper() and analyzer.tokenizer(in_capitals) == analyzer.tokenizer(reading.written)
        written = in_capitals if keeps else reading.written
        parts += [text[end:start], written or typed]
        end, at = stop, at + reading.words
    numbers = [number for reading in readings for number in reading.numbers]
    documents = lexicon.together(numbers) if numbers and not unknown else 0
    return Suggestion("".join([*parts, text[end:]]), documents)


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
    """Word of a query: its place in the text, its token, its term, and the number of that term, -1 if unknown."""

    start: int
    stop: int
    token: str
    term: str | None  # None: left out
    number: int

    @property
    def correctable(self) -> bool:
        """True if the word is neither short nor very long and has no digit."""
        return SHORTEST <= len(self.token) <= LONGEST and not any(map(str.isdigit, self.token))


class WordReading(NamedTuple):
    """Reading of one word of a query, or of two neighbours."""

    words: int  # 1 or 2
    written: str  # "": as they are
    numbers: tuple[int, ...]  # of its terms, without unknown ones
    score: float  # the log of the probabilities of its terms and errors


def unclear_words(index: Index, text: str) -> list[str]:
    """List the words of a query that no document contains and that are no misspelt stop words."""
    return [word for word in unknown_words(index, text) if not _lexicon(index).misspelt_stop_words(word)]


@once_per_index
def _lexicon(index: Index) -> _Lexicon:
    return _Lexicon(proxy(index))


class _Chain(NamedTuple):
    score: float
    last: WordReading | None = None
    before: _Chain | None = None

    def readings(self) -> list[WordReading]:
        readings, chain = [], self
        while chain.last is not None and chain.before is not None:
            readings.append(chain.last)
            chain = chain.before
        return readings[::-1]


class _Lexicon:
    def __init__(self, index: Index) -> None:
        self.index = index
        self.near_words = lru_cache(_KEPT_TOKENS)(self._near_words)
        self._words = _DocumentWords(index)
        self.stop_words = [word for word in sorted(index.analyzer.stop) if len(word) >= SHORTEST]
        self.near_stop_words = Strings.of(self.stop_words)
        self.df = lru_cache(_KEPT)(lambda number: int(index.df_by_term[[number]][0]))
        self.company = lru_cache(_KEPT)(self._company)
        self._docs = lru_cache(_KEPT_DOCS)(lambda number: index.blocks.of_terms(np.array([number])).docs)

    def is_rare(self, word: QueryWord) -> bool:
        """True if a word is unknown, or so rare that it may be an error in the documents."""
        df = 0 if word.number < 0 else self.df(word.number)
        return word.term is not None and df * _FREQUENT <= len(self.index)

    def alone(self, number: int) -> float:
        """Log of the share of the documents that contain a term."""
        return math.log(self.df(number) / len(self.index))

    def together(self, numbers: Sequence[int]) -> int:
        terms = sorted({*numbers}, key=self.df)
        if self.df(terms[-1]) > _MOST_DOCS:
            return len(common_postings(self.index.blocks, np.array(terms))[0])
        docs = self._docs(terms[0])
        for term in terms[1:]:
            docs = docs[contained(docs, self._docs(term))]
        return len(docs)

    def _company(self, before: int, number: int) -> float:
        """Log of how much more probable a term is beside another one; 0 without a term."""
        if min(before, number) < 0 or before == number:
            return 0.0
        share = math.exp(self.alone(number))
        beside = self.together([before, number]) + _SMOOTHING * share
        return math.log(beside / (self.df(before) + _SMOOTHING) / share)

    def most_probable(self, words: Sequence[QueryWord]) -> list[WordReading]:
        # Each word depends on the one before it, so the best chain is found from left to right (Viterbi 1967). Words
        # with a single reading are the same in all chains, so their frequency together is not counted.
        n_left = _MOST
        # per place: the last term so far (-1: none) → the best chain; those that go on from it share its readings
        chains: list[dict[int, _Chain]] = [{-1: _Chain(0.0)}, *({} for _ in words)]
        for at, word in enumerate(words):
            doubtful = n_left > 0 and word.correctable and self.is_rare(word)
            n_left -= doubtful
            readings = self.readings(words, at, doubtful=doubtful)
            open_ = len(readings) > 1 or len(chains[at]) > 1 or bool(chains[at + 1])
            for last, chain in chains[at].items():
                for reading in readings:
                    first, ending = (reading.numbers[0], reading.numbers[-1]) if reading.numbers else (-1, last)
                    total = chain.score + reading.score + (self.company(last, first) if open_ else 0.0)
                    ends = chains[at + reading.words]
                    if ending not in ends or total > ends[ending].score:
                        ends[ending] = _Chain(total, reading, chain)
        return max(chains[-1].values(), key=lambda chain: chain.score).readings()

    def readings(self, words: Sequence[QueryWord], at: int, *, doubtful: bool) -> list[WordReading]:
        word, readings = words[at], []
        if doubtful:
            readings = [*self._as_near_words(word), *self._as_left_out(word), *self._split(word)]
            readings = sorted(readings, key=lambda reading: (-reading.score, reading.written))[:_READINGS]
        if word.term is None:
            readings.append(WordReading(1, "", (), _LEFT_OUT))
        elif word.number >= 0:
            readings.append(WordReading(1, "", (word.number,), self.alone(word.number)))
        elif not readings:
            readings.append(WordReading(1, "", (), _UNKNOWN))
        return [*readings, *self._joined(words[at : at + 2])]

    def _as_near_words(self, word: QueryWord) -> Iterator[WordReading]:
        assert word.term is not None
        for near in self.near_words(word.token, word.term):
            if word.number < 0 or near.edits == 1:
                error = error_score(word.token, near.written) if word.number < 0 else _IN_DOCUMENTS
                yield WordReading(1, near.written, (near.number,), self.alone(near.number) + error)

    def _near_words(self, token: str, term: str) -> Sequence[NearWord]:
        """Find the words near a token of a query, one per term other than its own, nearest and most frequent first."""
        index, limit = self.index, EDITS if len(token) >= _TWO_EDITS else 1
        edits = _edits_of(index, term, limit)
        number_of_term = index.term_numbers[term]
        edits.pop(number_of_term, None)
        if index.analyzer.stem is not None:
            return [word for word in self._written(token, edits, limit) if word.number != number_of_term]
        terms = _nearest(index, edits)
        return [NearWord(near, number, edits[number]) for number, near in terms.items()]

    def _written(self, token: str, edits: dict[int, int], limit: int) -> list[NearWord]:
        # Errors at the end of a word can change its whole stem. One error is found by trying all.
        index, variants = self.index, _variants(self.index, token)
        docs = _first_docs(index, _nearest(index, edits | dict.fromkeys(variants, 1)))
        counts = self._words.near(token, limit, docs, _READ)
        for number, words in variants.items():
            if number in docs:
                if index.texts is not None:
                    texts = index.texts.take(docs[number][:_SEARCHED])
                    text = index.analyzer.tokenizer.prepared("\n".join(text[:_CHARACTERS] for text in texts))
                    words = [word for word in words if word in text and re.search(rf"\b{re.escape(word)}\b", text)]
                counts.update(words)
        near_words = _near_tokens(index, token, counts, limit)
        if limit == 1 or any(word.edits == 1 for word in near_words):
            return near_words
        # Errors in the ending hide the stem, but the word begins like it.
        docs = _first_docs(index, _nearest(index, _edits_of(index, token, EDITS, _ENDING)))
        more = _near_tokens(index, token, self._words.near(token, limit, docs, _READ_MORE), limit)
        found = {word.number for word in near_words}
        return near_words + [word for word in more if word.number not in found]

    def misspelt_stop_words(self, token: str) -> list[str]:
        return [self.stop_words[number] for number in strings_within(self.near_stop_words, token, 1).numbers.tolist()]

    def _as_left_out(self, word: QueryWord) -> Iterator[WordReading]:
        if word.number < 0:
            for stop in self.misspelt_stop_words(word.token):
                yield WordReading(1, "", (), _LEFT_OUT + error_score(word.token, stop))  # no search finds it

    def _split(self, word: QueryWord) -> Iterator[WordReading]:
        analyzer, index = self.index.analyzer, self.index
        cuts = range(_PART, len(word.token) - _PART + 1) if word.number < 0 else ()
        for cut in cuts:
            parts = word.token[:cut], word.token[cut:]
            terms = map(analyzer.term, parts)
            first, second = (-1 if term is None else index.term_numbers[term] for term in terms)
            if min(first, second) >= 0 and self.together([first, second]):
                score = self.alone(first) + self.alone(second) + self.company(first, second) + _ERROR
                yield WordReading(1, " ".join(parts), (first, second), score)

    def _joined(self, words: Sequence[QueryWord]) -> Iterator[WordReading]:
        token, index = "".join(word.token for word in words), self.index
        if len(words) < 2 or words[1].start - words[0].stop > 1 or any(word.term is None for word in words):
            return
        if not words[0]._replace(token=token).correctable:
            return
        term = index.analyzer.term(token)
        number = -1 if term is None else index.term_numbers[term]
        if number >= 0:
            yield WordReading(2, token, (number,), self.alone(number) + _BLANK)


def error_score(typed: str, meant: str) -> float:
    """Log of the probability that a word is typed as another one, by its most probable edits."""
    # Kernighan, Church & Gale, A spelling correction program based on a noisy channel model, COLING 1990. Each row has
    # the best ways to type the first letters of a word as each beginning of the other.
    if compiled():
        return float(loops.error_score(typed, meant, _ERROR, _LETTER))
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
_KEPT_TOKENS = 2048  # tokens whose near words are kept
_KEPT_WORDS = 1 << 18  # words of documents that are kept


class NearWord(NamedTuple):
    """Word of the collection: as it is written, the number of its term, and its distance."""

    written: str
    number: int
    edits: int


def _edits_of(index: Index, term: str, limit: int, ending: int = 0) -> dict[int, int]:
    near = strings_within(index.terms, term, limit, ending)
    return dict(zip(near.numbers.tolist(), near.edits.tolist(), strict=True))


def _nearest(index: Index, edits: dict[int, int]) -> dict[int, str]:
    df = dict(zip(edits, index.df_by_term[list(edits)].tolist(), strict=True))
    order = sorted(edits, key=lambda number: (edits[number], -df[number], number))[:_NEAREST]
    terms = zip(order, index.terms.take(order), strict=True)
    return {number: term for number, term in terms if not any(map(str.isdigit, term))}


def _first_docs(index: Index, terms: Iterable[int]) -> dict[int, np.ndarray]:
    numbers = np.array([*terms], np.int64)
    return dict(zip(numbers.tolist(), index.blocks.first_docs(numbers), strict=True))


def _near_tokens(index: Index, token: str, counts: Counter[str], limit: int) -> list[NearWord]:
    words = [*counts]
    near = strings_within(Strings.of(words), token, limit)
    near_words: dict[int, NearWord] = {}
    for edits, _, word in sorted((e, -counts[words[at]], words[at]) for at, e in zip(*near, strict=True)):
        number = index.term_numbers[index.analyzer.term(word) or ""]
        if number >= 0:
            near_words.setdefault(number, NearWord(word, number, int(edits)))
    return list(near_words.values())


class _ReadWords(NamedTuple):
    words: list[str]
    counts: list[int]
    letters: LetterSets


class _DocumentWords:
    def __init__(self, index: Index) -> None:
        self._index = index
        self._read: dict[int, _ReadWords] = {}
        self._size = 0

    def near(self, token: str, limit: int, docs: dict[int, np.ndarray], most: int) -> Counter[str]:
        if self._index.texts is None:
            return Counter(self._index.terms.take(docs))
        documents = self._of(sorted({doc for some in docs.values() for doc in some[:most].tolist()}))
        edges = np.cumsum([0, *(len(document.words) for document in documents)])
        near = LetterSets.joined([document.letters for document in documents]).near(token, limit)
        owners = np.searchsorted(edges, near, side="right") - 1
        counts: Counter[str] = Counter()
        for owner, place in zip(owners.tolist(), (near - edges[owners]).tolist(), strict=True):
            counts[documents[owner].words[place]] += documents[owner].counts[place]
        return counts

    def _of(self, docs: Sequence[int]) -> list[_ReadWords]:
        if self._size > _KEPT_WORDS:
            self._read, self._size = {}, 0
        documents = self._read  # another thread may begin a new one meanwhile
        new = [doc for doc in docs if doc not in documents]
        if new:
            assert self._index.texts is not None
            tokens = self._index.analyzer.tokenizer
            counted = [Counter(tokens(text[:_CHARACTERS])) for text in self._index.texts.take(new)]
            letters = Strings.of(itertools.chain.from_iterable(counted)).letters
            edges = np.cumsum([0, *map(len, counted)]).tolist()
            self._size += edges[-1]
            for doc, words, (start, stop) in zip(new, counted, itertools.pairwise(edges), strict=True):
                documents[doc] = _ReadWords([*words], [*words.values()], letters.between(start, stop))
        return [documents[doc] for doc in docs]


def _variants(index: Index, word: str) -> dict[int, list[str]]:
    # The possible letters: the alphabet, and the neighbours of the word's own letters in Unicode.
    blocks = {ord(character) // _BLOCK for character in word if not character.isascii()}
    near = [chr(block * _BLOCK + at) for block in sorted(blocks) for at in range(_BLOCK)]
    letters = _LETTERS + "".join(letter for letter in near if unicodedata.category(letter)[0] in "LM")
    words: set[str] = set()
    for at in range(len(word) + 1):
        before, after = word[:at], word[at:]
        words.update(before + letter + after for letter in letters)
        if after:
            words.add(before + after[1:])
            words.update(before + letter + after[1:] for letter in letters)
        words.add(before + after[1:2] + after[:1] + after[2:])
    words_of_term = groups_of(
        (term, variant)
        for variant in words - {word}
        if (term := index.analyzer.term(variant)) is not None and (term.isascii() or not _SURROGATE.search(term))
    )
    numbers = index.term_numbers.of_each([*words_of_term])
    return {number: spellings for number, spellings in zip(numbers, words_of_term.values(), strict=True) if number >= 0}


_BETWEEN = "\n\n"  # words with more than one character between them are not joined
_Change: TypeAlias = Callable[[Sequence[str]], Sequence[str]]


def suggest_tree(index: Index, tree: Node, text: str) -> Node | None:
    """Return a query tree with its words in a better spelling, as `suggest` finds it.

    Neighbouring words are joined if nothing but a blank is between them: words of a phrase, and words without an
    operator. A word that is split becomes two words of its phrase, or one of two words; where it is required or
    prohibited, both words; in a group of synonyms, a phrase.

    Parameters
    ----------
    index : Index
        The index searched.
    tree : Node
        The query.
    text : str
        The text from which it was read.

    Returns
    -------
    Node or None
        None if no word is better spelt in another way. Patterns and ranges stay as they are.

    Examples
    --------
    >>> from toysearch.query.parser import parse
    >>> index = Index.build(["tick removal for dogs", "a password"])
    >>> for text in ("tickremoval AND dogs", "pass word -dgos", "pass AND word"):
    ...     print(suggest_tree(index, parse(text).tree, text))
    tick AND removal AND dogs
    password AND NOT dogs
    None
    """
    expect(Index, index=index)
    expect(Node, tree=tree)
    expect(str, text=text)
    blank = " ".join(text.split())
    runs = []

    def kept(words: Sequence[str]) -> Sequence[str]:
        runs.append(" ".join(" ".join(words).split()))
        return words

    filters = filter_fields(index)
    _Respelling(kept, blank, filters).node(tree, _any)
    better = suggest(index, _BETWEEN.join(runs))
    if better is None:
        return None
    pairs = iter(zip(runs, better.text.split(_BETWEEN), strict=True))

    def corrected(words: Sequence[str]) -> Sequence[str]:
        before, after = next(pairs)
        return words if before == after else after.split()

    return _Respelling(corrected, blank, filters).node(tree, _any)


_Several: TypeAlias = Callable[[Sequence[str]], Node]


class _Respelling(NamedTuple):
    """Changes each run of plain words in a tree; the values of fields that filter stay as they are."""

    change: _Change
    text: str
    filters: Collection[str]

    def node(self, node: Node, several: _Several) -> Node:
        if isinstance(node, Term):
            words = self.change([node.word])
            return Term(words[0]) if len(words) == 1 else several(words)
        if isinstance(node, Phrase):
            words = self.change(node.words)
            return Term(words[0]) if len(words) == 1 < len(node.words) else Phrase(*words, slop=node.slop, gap=node.gap)
        if isinstance(node, Synonyms):
            return Synonyms(*(self.node(part, _in_order) for part in node.nodes))
        if isinstance(node, And | Or):
            required = isinstance(node, And) and sum(not isinstance(part, Not) for part in node.nodes) > 1
            several = _all if required else _any
            nodes = [part for run in _runs(node.nodes, self.text) for part in self.run(run, several)]
            return nodes[0] if len(nodes) == 1 else type(node)(*nodes)
        if isinstance(node, AtLeast):
            return node.with_nodes([self.node(part, _all) for part in node.nodes])
        if isinstance(node, Not | Optional):
            return type(node)(self.node(node.node, _all if isinstance(node, Not) else _any))
        if isinstance(node, Boost) or (isinstance(node, Field) and node.name not in self.filters):
            return replace(node, node=self.node(node.node, several))
        return node

    def run(self, run: Sequence[Node], several: _Several) -> list[Node]:
        words, optional = [_plain_word(part) for part in run], isinstance(run[0], Optional)
        if len(run) == 1 and not (words[0] and optional):
            return [self.node(run[0], several)]
        return [Optional(Term(word)) if optional else Term(word) for word in self.change(words)]


def _runs(nodes: Sequence[Node], text: str) -> Iterator[list[Node]]:
    """Yield the parts of an `And` or `Or`; plain words with a blank between them in the text are together."""
    run: list[Node] = []
    for node in nodes:
        if run:
            words = _plain_word(run[-1]), _plain_word(node)
            together = all(words) and re.search(rf"(?<!\w){' '.join(map(re.escape, words))}(?!\w)", text)
            if not together or type(node) is not type(run[-1]):
                yield run
                run = []
        run.append(node)
    yield run


def _plain_word(node: Node) -> str:
    word = node.node if isinstance(node, Optional) else node
    return word.word if isinstance(word, Term) else ""


def _all(words: Sequence[str]) -> Node:
    return And(*map(Term, words))


def _any(words: Sequence[str]) -> Node:
    return Or(*map(Term, words))


def _in_order(words: Sequence[str]) -> Node:
    return Phrase(*words)
