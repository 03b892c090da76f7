"""Altered queries: misspelt words, other words for the same, and rare words."""

from __future__ import annotations

import math
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import combinations, pairwise
from pathlib import Path
from random import Random
from typing import NamedTuple

import numpy as np

from toysearch.analysis.languages import language_named
from toysearch.analysis.stemming import stem
from toysearch.analysis.synonyms import synonyms_of
from toysearch.analysis.tokenizer import folded
from toysearch.errors import ArgumentError
from toysearch.laboratory.experiments.robustness.alteration import Alteration, Vocabulary, rewritten, words_of
from toysearch.search.scoring import QueryTerms

_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")  # each row half a key to the right of the one above
_ACUTE = "\u0301"
_VOWELS = "aeiou"
_APART = 2  # two errors stand further apart than this: a swap takes two letters
_LEAST = 4  # letters of a word that gets an error


def _neighbours() -> dict[str, str]:
    """Each letter of the keyboard → those of the keys that touch its own."""
    places = {letter: (row, 2 * column + row) for row, keys in enumerate(_ROWS) for column, letter in enumerate(keys)}
    return {
        letter: "".join(
            other
            for other, (above, left) in places.items()
            if other != letter and abs(above - row) <= 1 and abs(left - column) <= 2
        )
        for letter, (row, column) in places.items()
    }


NEIGHBOURS = _neighbours()
"""Letters whose keys touch on a QWERTY keyboard."""

Edit = Callable[[str, int, Random], str]


def neighbouring_key(word: str, place: int, random: Random) -> str:
    """A word with a letter replaced by one whose key touches its own; "" where the letter is on no key."""
    letter = word[place]
    keys = NEIGHBOURS.get(letter.lower(), "")
    if not keys:
        return ""
    key = random.choice(keys)
    return word[:place] + (key.upper() if letter.isupper() else key) + word[place + 1 :]


def swapped(word: str, place: int, random: Random) -> str:
    """A word with a letter and the next one in each other's place; "" where there is none or they are equal."""
    if place + 1 >= len(word) or word[place] == word[place + 1]:
        return ""
    return word[:place] + word[place + 1] + word[place] + word[place + 2 :]


def dropped(word: str, place: int, random: Random) -> str:
    """A word without one of its letters."""
    return word[:place] + word[place + 1 :]


def misspelt(word: str, edits: Collection[Edit], count: int, random: Random) -> str:
    """A word with one error or two, never in its first letter, where they are rare (Yannakoudakis & Fawthrop 1983).

    Two errors stand so far apart that they cannot make one together, or undo each other.
    """
    if not word.isalpha() or len(word) < _LEAST:
        return word
    single = [(place, edit) for place in range(1, len(word)) for edit in edits if edit(word, place, random)]
    fitting = [
        chosen
        for chosen in combinations(single, count)
        if all(later - place > _APART for (place, _), (later, _) in pairwise(chosen))
    ]
    if not fitting:
        return word
    for place, edit in reversed(random.choice(fitting)):  # from the right: a drop moves what is behind it
        word = edit(word, place, random)
    return word


def spelling_alterations(vocabulary: Vocabulary, function_words: Collection[str]) -> list[Alteration]:
    """The errors of input."""

    def one_word(name: str, what: str, change: Callable[[str, Random], str]) -> Alteration:
        """An alteration of one word: of the same one, as far as it goes, whatever is done to it."""
        return Alteration(name, what, lambda text, random: in_one_word(text, vocabulary, change, random), "one word")

    def error(edit: Edit, count: int) -> Callable[[str, Random], str]:
        return lambda word, random: misspelt(word, [edit], count, random)

    kinds: list[tuple[Edit, str, str]] = [
        (neighbouring_key, "a neighbouring key", "two neighbouring keys"),
        (swapped, "two letters swapped", "two pairs swapped"),
        (dropped, "a letter dropped", "two letters dropped"),
    ]
    made = [
        one_word(name, "one word of the query has one error of this kind", error(edit, 1)) for edit, name, _ in kinds
    ]
    made += [
        one_word(name, "one word of the query has two errors of this kind", error(edit, 2)) for edit, _, name in kinds
    ]
    edits = [edit for edit, *_ in kinds]

    def every_word(text: str, random: Random) -> str:
        return rewritten(text, lambda _, word: misspelt(word, edits, 1, random) if vocabulary.knows(word) else word)

    return [
        *made,
        Alteration("every word misspelt", "each word has one error, of any of these kinds", every_word),
        Alteration(
            "no function words",
            "words such as 'the' and 'a' are missing",
            lambda text, _: without(text, function_words),
        ),
        Alteration("upper case", "the query is in capitals", lambda text, _: text.upper()),
        one_word("an accent added", "a vowel of one word has an acute accent", accented),
        Alteration("accents dropped", "letters have no accents", lambda text, _: folded(text)),
    ]


def in_one_word(text: str, vocabulary: Vocabulary, change: Callable[[str, Random], str], random: Random) -> str:
    """A text with one of its words changed: the first, in a random order, that the index knows and that can be."""
    words = words_of(text)
    order = [place for place, word in enumerate(words) if vocabulary.knows(word)]
    random.shuffle(order)
    for chosen in order:
        after = change(words[chosen], random)
        if after != words[chosen]:
            return rewritten(text, lambda place, word: after if place == chosen else word)  # noqa: B023
    return text


def without(text: str, words: Collection[str]) -> str:
    """A text without some words; as it was where nothing else is in it."""
    made = rewritten(text, lambda _, word: "" if word.lower() in words else word)
    return made if words_of(made) else text


def accented(word: str, random: Random) -> str:
    """A word with an acute accent on one of its vowels; as it was where it has none."""
    places = [place for place, letter in enumerate(word) if letter.lower() in _VOWELS]
    if not places:
        return word
    place = random.choice(places)
    return word[:place] + unicodedata.normalize("NFC", word[place] + _ACUTE) + word[place + 1 :]


Others = Callable[[str], Sequence[str]]
"""A word → those that may stand in its place, the best first."""

_TOGETHER = 3  # documents that two terms must share: in one or two they may meet by accident
_NEIGHBOURS = 10  # of a term that are kept: its best ones may stand in the query already


def synonyms_in(thesaurus: str | Path | Mapping[str, str]) -> Others:
    """Word → the others that mean the same, by a thesaurus.

    >>> others = synonyms_in({"parakeet": "budgie", "budgerigar": "budgie"})
    >>> others("Budgie"), others("parakeet"), others("cat")
    (['budgerigar', 'parakeet'], ['budgerigar', 'budgie'], [])
    """
    groups: defaultdict[str, set[str]] = defaultdict(set)
    for word, stands_for in synonyms_of(thesaurus, _single_word).items():
        groups[stands_for] |= {word, stands_for}
    same = {word: group for group in groups.values() for word in group}
    return lambda word: sorted(same.get(word.lower(), set()) - {word.lower()})


def _single_word(text: str) -> str:
    if words_of(text) != [text]:
        raise ArgumentError(f"expected a single word, found {text!r}")
    return text.lower()


class Company:
    """Word → the words that keep company with it: those that stand in the same documents.

    The association of two terms is the cosine of the sets of documents that hold them, |A∩B| / √(|A|·|B|); a term is
    thus known by the documents that it is in (Salton & McGill 1983; Qiu & Frei 1993, "Concept based query expansion").
    These are not synonyms in a linguist's sense: boundary goes with layer.

    >>> from toysearch.index.inverted_index import Index
    >>> texts = ["boundary layer"] * 3 + ["boundary", "layer", "wing", "wing"]
    >>> Company(Vocabulary(Index.build(texts), texts))("boundary")
    ['layer']
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._found: dict[str, list[str]] = {}

    def __call__(self, word: str) -> Sequence[str]:
        """The words nearest to a word; none for one that no document holds or that nothing goes with."""
        term = self._vocabulary.term(word)
        if term is None:
            return []
        if term not in self._found:
            self._found[term] = self._nearest(self._vocabulary.index.term_number(term))
        return self._found[term]

    @cached_property
    def _terms_of_documents(self) -> tuple[np.ndarray, np.ndarray]:
        """The postings document by document: where those of each begin, and their terms."""
        index = self._vocabulary.index
        terms = np.repeat(np.arange(len(index.terms)), np.diff(index.offsets))
        order = np.argsort(index.docs, kind="stable")
        return np.cumsum(np.append(0, np.bincount(index.docs, minlength=index.stats.N))), terms[order]

    def _nearest(self, number: int) -> list[str]:
        index = self._vocabulary.index
        starts, terms = self._terms_of_documents
        docs = index.docs[index.offsets[number] : index.offsets[number + 1]]
        both = np.bincount(np.concatenate([terms[starts[doc] : starts[doc + 1]] for doc in docs]))
        both[number] = 0
        met = np.flatnonzero(both >= _TOGETHER)
        cosine = both[met] / np.sqrt(index.df[met] * float(len(docs)))
        nearest = met[np.argsort(-cosine, kind="stable")].tolist()
        words = (self._vocabulary.word.get(index.term(other)) for other in nearest)
        return [word for _, word in zip(range(_NEIGHBOURS), filter(None, words), strict=False)]


class Forms:
    """Word → the other words of the collection with its stem, by the stemmer of a language, most frequent first.

    >>> from toysearch.index.inverted_index import Index
    >>> texts = ["a wing", "wings", "wings", "winged"]
    >>> Forms(Vocabulary(Index.build(texts), texts), "english")("wing")
    ['wings', 'winged']
    """

    def __init__(self, vocabulary: Vocabulary, language: str) -> None:
        self._language = language_named(language)
        self._forms: defaultdict[str, list[str]] = defaultdict(list)
        for word in sorted(vocabulary.counts, key=lambda word: (-vocabulary.counts[word], word)):
            self._forms[stem(word, self._language)].append(word)

    def __call__(self, word: str) -> Sequence[str]:
        """The other forms of a word."""
        word = word.lower()
        return [form for form in self._forms[stem(word, self._language)] if form != word]


def semantic_alterations(
    vocabulary: Vocabulary, others: Others, forms: Others, function_words: Collection[str]
) -> list[Alteration]:
    """Words of queries in the place of others."""

    def replaced(text: str, others: Others, chosen: Callable[[list[int], list[str]], list[int]]) -> str:
        words = words_of(text)
        instead: dict[int, str | None] = {}
        for place, word in enumerate(words):
            if word.lower() not in function_words:
                company = [*words[:place], *words[place + 1 :], *filter(None, instead.values())]
                instead[place] = first_new(others(word), company)
        places = chosen([place for place, other in instead.items() if other is not None], words)
        return rewritten(text, lambda place, word: (place in places and instead[place]) or word)

    def first_new(candidates: Sequence[str], company: Sequence[str]) -> str | None:
        """The first that is neither a function word nor, by its letters or by its term, among other words."""
        there = {word.lower() for word in company} | set(filter(None, map(vocabulary.term, company)))
        return next(
            (word for word in candidates if word not in function_words and not {word, vocabulary.term(word)} & there),
            None,
        )

    def rarest(places: list[int], words: list[str]) -> list[int]:
        return sorted(places, key=lambda place: vocabulary.df(words[place]) or np.inf)[:1]

    def all_of_them(places: list[int], _: list[str]) -> list[int]:
        return places

    def alteration(
        name: str, what: str, others: Others, chosen: Callable[[list[int], list[str]], list[int]]
    ) -> Alteration:
        def alter(text: str, _: Random) -> str:
            return replaced(text, others, chosen)

        return Alteration(name, what, alter)

    return [
        alteration("a synonym of one word", "the rarest word that has a synonym is replaced by it", others, rarest),
        alteration("synonyms of all words", "each word that has a synonym is replaced by it", others, all_of_them),
        alteration(
            "other forms of all words", "each word has another ending, such as wings for wing", forms, all_of_them
        ),
    ]


class ExactMatches(NamedTuple):
    """How many of the relevant documents hold the very words of their query."""

    relevant: int  # the pairs of a query and a relevant document of the collection
    # all_terms, some_terms, no_term: The shares of these pairs whose document holds all terms of its query, some of
    # them, none. No model that adds up the weights of a query's terms can find the last
    all_terms: float
    some_terms: float
    no_term: float


def exact_matches(
    vocabulary: Vocabulary, terms: Mapping[str, QueryTerms], relevant: Mapping[str, Iterable[int]]
) -> ExactMatches:
    """How many of the relevant documents hold the terms of their queries."""
    index, held = vocabulary.index, [0, 0, 0]
    for query_id, docs in relevant.items():
        query = terms[query_id]
        spans = [index.docs[index.offsets[number] : index.offsets[number + 1]] for number in query.numbers]
        counts = np.bincount(np.concatenate([np.empty(0, dtype=np.int64), *spans]), minlength=index.stats.N)
        wanted = len(query.numbers) + len(query.unknown)
        for doc in docs:
            held[0 if counts[doc] == wanted and wanted else 1 if counts[doc] else 2] += 1
    total = sum(held)
    return ExactMatches(total, *(count / total if total else np.nan for count in held))


_SYLLABLES = [consonant + vowel for consonant in "bdfgklmnprtvz" for vowel in "aeiou"]
_TRIES = 100
GROUPS = ("common", "middling", "rare")


def unknown_word(vocabulary: Vocabulary, random: Random) -> str:
    """A word that can be spoken and of which the index knows no term; "" where it seems to know all."""
    index = vocabulary.index
    for _ in range(_TRIES):
        word = "".join(random.choices(_SYLLABLES, k=4))
        terms = index.analyzer(word)
        if terms and all(index.term_number(term) < 0 for term in terms):
            return word
    return ""


class RareWords:
    """Alterations that add words to queries."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary

    @cached_property
    def once_seen(self) -> list[str]:
        """The words that the whole collection holds once, by their letters."""
        vocabulary, cf = self._vocabulary, self._vocabulary.index.cf
        once = (word for word, count in vocabulary.counts.items() if count == 1)
        terms = ((word, vocabulary.term(word)) for word in once)
        return sorted(word for word, term in terms if term is not None and cf[vocabulary.index.term_number(term)] == 1)

    @property
    def alterations(self) -> list[Alteration]:
        """One word added or three, unknown or seen once."""

        def unknown(count: int) -> Callable[[str, Random], str]:
            return lambda text, random: _with(text, [unknown_word(self._vocabulary, random) for _ in range(count)])

        def once_seen(count: int) -> Callable[[str, Random], str]:
            return lambda text, random: _with(text, self._others_seen_once(text, random, count))

        return [
            Alteration("an unknown word", "one word that no document holds, at the end", unknown(1)),
            Alteration("three unknown words", "three words that no document holds, at the end", unknown(3)),
            Alteration("a once-seen word", "one word that the collection holds once, at the end", once_seen(1)),
            Alteration("three once-seen words", "three words that the collection holds once, at the end", once_seen(3)),
        ]

    def _others_seen_once(self, text: str, random: Random, count: int) -> list[str]:
        """Words that the collection holds once, and that are not in a text."""
        there = set(words_of(text.lower()))
        words = [word for word in self.once_seen if word not in there]
        return random.sample(words, min(count, len(words)))


def _with(text: str, words: Sequence[str]) -> str:
    """A text with words at its end; as it was where there are none."""
    return " ".join([text, *filter(None, words)])


class RarityGroup(NamedTuple):
    """A third of the queries, by how rare their words are."""

    group: str  # 'common' | 'middling' | 'rare': which third
    query_ids: list[str]  # the queries, those of the most common words first
    # low, high: the shares of the documents that hold a word of such a query (the geometric mean over its words): of
    # the query with the rarest words in the group, and of that with the most common ones
    low: float
    high: float


def rarity_groups(terms: Mapping[str, QueryTerms], df: np.ndarray, N: int) -> list[RarityGroup]:
    """Queries in three groups of a size, by the mean idf ln(N/df) of their known terms.

    The mean idf of a query's terms is a predictor of how hard it is (Cronen-Townsend, Zhou & Croft 2002; Hauff 2010
    names it AvIDF).
    """
    idf = {
        query_id: float(np.log(N / df[query.numbers]).mean()) for query_id, query in terms.items() if len(query.numbers)
    }
    order = sorted(idf, key=lambda query_id: idf[query_id])
    parts = [part.tolist() for part in np.array_split(np.array(order, dtype=object), len(GROUPS))]
    return [
        RarityGroup(name, part, math.exp(-idf[part[-1]]), math.exp(-idf[part[0]]))
        for name, part in zip(GROUPS, parts, strict=True)
        if part
    ]
