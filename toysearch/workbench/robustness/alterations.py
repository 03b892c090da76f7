"""Altered queries (misspelt words, synonyms, rare words), changed or padded documents, the systems that meet them."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache, cached_property, partial
from itertools import accumulate, islice
from pathlib import Path
from random import Random
from typing import NamedTuple

import numpy as np

from toysearch.analysis.languages import default_list, language_named, stop_words
from toysearch.analysis.token_filters import stem, stemmers, synonyms_of
from toysearch.base import (
    ArgumentError,
    Document,
    JoinedText,
    Query,
    Remedy,
    bordered,
    count_each,
    repeat_each,
)
from toysearch.collection.document_batches import Batch
from toysearch.evaluation import Measure
from toysearch.index.document_columns import field_texts
from toysearch.index.inverted_index import Index
from toysearch.models import Model, Ranker, index_needs
from toysearch.retrieval import QueryTerms, Searcher
from toysearch.retrieval.spelling import suggest
from toysearch.study.study import Study
from toysearch.workbench.effects import Example, Variation, refused, study_variation

Alter = Callable[[str, Random], str]
"""Returns the altered text for a text and random numbers; the same text if the alteration does not apply."""


class TextChange(NamedTuple):
    """Change to the text of a query."""

    name: str  # a few words, the same in all output
    what: str  # a description of one sentence
    alter: Alter
    # the name that seeds the random numbers, if not `name`: alterations with the same draw choose alike
    draw: str = ""
    misspells: bool = False  # whether it imitates typing errors, which can be corrected
    idle: str = "it changes no query"  # the reason to give if it does


def seeded_random(seed: int, *names: str) -> Random:
    """Return random numbers that depend only on a seed and on names for their use.

    >>> first = seeded_random(0, "a").random()
    >>> first == seeded_random(0, "a").random(), first == seeded_random(1, "a").random()
    (True, False)
    """
    # So the alteration of a query does not depend on other queries and alterations.
    return Random("\0".join([str(seed), *names]))  # SHA-512 hashes a string seed, on every machine alike


def altered_queries(change: TextChange, queries: Iterable[Query], seed: int) -> list[Query]:
    """Return the queries that a change alters, with their altered texts.

    >>> shout = TextChange("upper case", "in capitals", lambda text, random: text.upper())
    >>> altered_queries(shout, [Query("1", "a cat"), Query("2", "NASA")], seed=0)
    [Query(query_id='1', text='A CAT')]
    """
    texts = (
        (query, change.alter(query.text, seeded_random(seed, change.draw or change.name, query.query_id)))
        for query in queries
    )
    return [Query(query.query_id, text) for query, text in texts if text != query.text]


def correction() -> Variation:
    """Return the variation that searches queries in the spelling that is suggested for them."""
    remedy = Remedy("toysearch.retrieval.remarks.tell_spelling", correct=True)
    what = f"each query is searched in the spelling that is suggested for it ({remedy})"

    def corrected(study: Study) -> Study:
        suggested = ((query, suggest(study.index(), query.text)) for query in study.queries())
        return study.with_texts([query._replace(text=better.text) if better else query for query, better in suggested])

    return study_variation("spelling correction", what, corrected)


def query_variation(change: TextChange, study: Study, seed: int, cure: Variation) -> Variation:
    """Vary the queries of a study, without those that stay; `cure` corrects misspelt ones."""
    queries = study.queries()
    altered = altered_queries(change, queries, seed)
    if not altered:
        return refused(change.name, change.idle)
    query_id, text = altered[0]
    example = Example(f"query {query_id}", dict(queries)[query_id], text)
    cure_of_change = cure if change.misspells else None
    return study_variation(change.name, change.what, lambda study: study.with_texts(altered), example, cure_of_change)


_WORD = re.compile(r"\w+")


def written_words(text: str) -> list[str]:
    """Return the words of a text, as written.

    >>> written_words("Jets, and a Mach-2 wing")
    ['Jets', 'and', 'a', 'Mach', '2', 'wing']
    """
    return _WORD.findall(text)


def rewritten(text: str, changed: Callable[[int, str], str]) -> str:
    """Replace each word of a text by the result of a function.

    >>> rewritten("the flow, the wing", lambda place, word: "" if word == "the" else word.upper())
    'FLOW, WING'
    """
    parts, end = [], 0
    for place, match in enumerate(_WORD.finditer(text)):
        between, word = text[end : match.start()], changed(place, match[0])
        parts += [between if word else between.rstrip(), word]
        end = match.end()
    result = "".join([*parts, text[end:]])
    return result if result == text else result.strip()


class Vocabulary:
    """Words in the texts of a collection, and the index terms that they become.

    >>> texts = ["the cats sat", "Cats", "a dog"]
    >>> vocabulary = Vocabulary(Index.build(texts), texts)
    >>> vocabulary.counts["cats"], vocabulary.term("CATS"), vocabulary.term("horse"), vocabulary.word["sat"]
    (2, 'cats', None, 'sat')
    """

    def __init__(self, index: Index, texts: Iterable[str]) -> None:
        self.index = index
        self.counts: Counter[str] = Counter()
        for text in texts:
            self.counts.update(written_words(text.lower()))
        self._terms: dict[str, str | None] = {}

    def term(self, word: str) -> str | None:
        """Return the term that a word becomes; None if it becomes no term, several, or one that the index lacks."""
        if word not in self._terms:
            terms = self.index.analyzer(word)
            is_indexed = len(terms) == 1 and self.index.term_numbers[terms[0]] >= 0
            self._terms[word] = terms[0] if is_indexed else None
        return self._terms[word]

    def knows(self, word: str) -> bool:
        """True if the index contains a term of a word."""
        return any(self.index.term_numbers[term] >= 0 for term in self.index.analyzer(word))

    def df(self, word: str) -> int:
        """Return the document frequency of the term of a word; 0 for a word without one."""
        term = self.term(word)
        return 0 if term is None else int(self.index.df[self.index.term_numbers[term]])

    @cached_property
    def words(self) -> list[str]:
        """Return the words, most frequent first; equally frequent ones in alphabetical order."""
        return sorted(self.counts, key=lambda word: (-self.counts[word], word))

    @cached_property
    def word(self) -> dict[str, str]:
        """Map each term to its most frequent word; the first in alphabetical order if several are."""
        terms = ((self.term(word), word) for word in reversed(self.words))
        return {term: word for term, word in terms if term is not None}


_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")  # each row half a key to the right of the one above
_LEAST = 4  # letters of a word that can get an error


_KEYS = {letter: (row, 2 * column + row) for row, keys in enumerate(_ROWS) for column, letter in enumerate(keys)}
NEIGHBOURS = {
    letter: "".join(
        other
        for other, (other_row, other_column) in _KEYS.items()
        if other != letter and abs(other_row - row) <= 1 and abs(other_column - column) <= 2
    )
    for letter, (row, column) in _KEYS.items()
}
"""Letters on adjacent keys of a QWERTY keyboard."""

Edit = Callable[[str, int, Random], str]


def neighbouring_key(word: str, place: int, random: Random) -> str:
    """Replace a letter of a word by one on an adjacent key; return "" if the letter is not on the keyboard."""
    letter = word[place]
    keys = NEIGHBOURS.get(letter.lower(), "")
    if not keys:
        return ""
    key = random.choice(keys)
    return word[:place] + (key.upper() if letter.isupper() else key) + word[place + 1 :]


def swapped(word: str, place: int, random: Random) -> str:
    """Swap a letter of a word and the next one; return "" if there is no next letter or the two are equal."""
    if place + 1 >= len(word) or word[place] == word[place + 1]:
        return ""
    return word[:place] + word[place + 1] + word[place] + word[place + 2 :]


def dropped(word: str, place: int, random: Random) -> str:
    """Drop one letter of a word."""
    return word[:place] + word[place + 1 :]


def misspelt(word: str, edits: Sequence[Edit], random: Random) -> str:
    """Put an error into a word, never in the first letter: those are rare (Yannakoudakis & Fawthrop 1983)."""
    if not word.isalpha() or len(word) < _LEAST:
        return word
    fitting = [(place, edit) for place in range(1, len(word)) for edit in edits if edit(word, place, random)]
    if not fitting:
        return word
    place, edit = random.choice(fitting)
    return edit(word, place, random)


_KINDS: dict[str, Edit] = {  # of errors
    "a neighbouring key": neighbouring_key,
    "two letters swapped": swapped,
    "a letter dropped": dropped,
}


def spelling_alterations(vocabulary: Vocabulary, function_words: Container[str]) -> list[TextChange]:
    """Return the alterations that imitate typing errors."""
    misspelling = partial(TextChange, misspells=True)

    def error(name: str, edit: Edit) -> TextChange:
        """Return an error in one word, where possible in the same word for all kinds."""
        change = partial(in_one_word, vocabulary=vocabulary, edit=edit)
        return misspelling(name, "one word of the query has one error of this kind", change, "one word")

    def every_word(text: str, random: Random) -> str:
        edits = [*_KINDS.values()]
        return rewritten(text, lambda _, word: misspelt(word, edits, random) if vocabulary.knows(word) else word)

    missing = "words such as 'the' and 'a' are missing"
    return [error(name, edit) for name, edit in _KINDS.items()] + [
        misspelling("every word misspelt", "each word has one error of any of these kinds", every_word),
        TextChange("no function words", missing, lambda text, _: without(text, function_words)),
        TextChange("upper case", "the query is in capitals", lambda text, _: text.upper()),
    ]


def in_one_word(text: str, random: Random, vocabulary: Vocabulary, edit: Edit) -> str:
    """Misspell one word of a text: the first in random order that the index knows and that can be changed."""
    words = written_words(text)
    order = [place for place, word in enumerate(words) if vocabulary.knows(word)]
    random.shuffle(order)
    for chosen in order:
        after = misspelt(words[chosen], [edit], random)
        if after != words[chosen]:
            return rewritten(text, lambda place, word: after if place == chosen else word)  # noqa: B023
    return text


def without(text: str, words: Container[str]) -> str:
    """Remove some words from a text; leave it unchanged if nothing would remain."""
    rest = rewritten(text, lambda _, word: "" if word.lower() in words else word)
    return rest if written_words(rest) else text


Others = Callable[[str], Sequence[str]]
"""Returns the possible replacements of a word, best first."""

_TOGETHER = 3  # documents that two terms must share: one or two may be chance
_NEIGHBOURS = 10  # neighbours kept per term: the best ones may already be in the query


def synonyms_in(thesaurus: str | Path | Mapping[str, str]) -> Others:
    """Return word → its synonyms in a thesaurus.

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
    if written_words(text) != [text]:
        raise ArgumentError(f"expected a single word, found {text!r}")
    return text.lower()


def company(vocabulary: Vocabulary) -> Others:
    """Return word → the words that occur in the same documents.

    >>> from toysearch.index.inverted_index import Index
    >>> texts = ["boundary layer"] * 3 + ["boundary", "layer", "wing", "wing"]
    >>> company(Vocabulary(Index.build(texts), texts))("boundary")
    ['layer']
    """
    # The association of two terms is the cosine of the sets of documents that contain them, |A∩B| / √(|A|·|B|); a term
    # is thus represented by its documents (Salton & McGill 1983; Qiu & Frei 1993, "Concept based query
    # expansion"). These are associated words rather than synonyms: boundary and layer.
    index = vocabulary.index
    # the postings by document: where each document begins, and the terms
    all_docs = index.docs()
    starts = np.cumsum(np.append(0, count_each(all_docs, minlength=index.stats.N)))
    terms = repeat_each(np.arange(len(index.terms)), index.df)[np.argsort(all_docs, kind="stable")]

    @cache
    def nearest(term: str) -> list[str]:
        number = index.term_numbers[term]
        docs = index.blocks.of_terms(np.array([number])).docs
        both = count_each(np.concatenate([terms[starts[doc] : starts[doc + 1]] for doc in docs]))
        both[number] = 0
        met = np.flatnonzero(both >= _TOGETHER)
        cosine = both[met] / np.sqrt(index.df[met] * float(len(docs)))
        words = (vocabulary.word.get(index.term(other)) for other in met[np.argsort(-cosine, kind="stable")].tolist())
        return list(islice(filter(None, words), _NEIGHBOURS))

    return lambda word: [] if (term := vocabulary.term(word)) is None else nearest(term)


def other_forms(vocabulary: Vocabulary, language: str) -> Others:
    """Return word → the other words of the collection with the same stem, most frequent first.

    >>> from toysearch.index.inverted_index import Index
    >>> texts = ["a wing", "wings", "wings", "winged"]
    >>> other_forms(Vocabulary(Index.build(texts), texts), "english")("wing")
    ['wings', 'winged']
    """
    language_rules, forms = language_named(language), defaultdict[str, list[str]](list)
    for word in vocabulary.words:
        forms[stem(word, language_rules)].append(word)
    return lambda word: [form for form in forms[stem(word.lower(), language_rules)] if form != word.lower()]


def semantic_alterations(
    vocabulary: Vocabulary, others: Others, forms: Others, function_words: Container[str]
) -> list[TextChange]:
    """Return the alterations that replace words of queries."""

    def first_new(candidates: Sequence[str], company: Sequence[str]) -> str | None:
        """Return the first candidate that is neither a function word nor among other words, by spelling or by term."""
        there = {word.lower() for word in company} | set(filter(None, map(vocabulary.term, company)))
        return next(
            (word for word in candidates if word not in function_words and not {word, vocabulary.term(word)} & there),
            None,
        )

    def replaced(text: str, _: Random, others: Others, all_of_them: bool) -> str:
        words, instead = written_words(text), dict[int, str]()
        for place, word in enumerate(words):
            company = [*words[:place], *words[place + 1 :], *instead.values()]
            if word.lower() not in function_words and (other := first_new(others(word), company)):
                instead[place] = other
        if instead and not all_of_them:
            rarest = min(instead, key=lambda place: vocabulary.df(words[place]) or np.inf)
            instead = {rarest: instead[rarest]}
        return rewritten(text, instead.get)

    rows = (
        ("one related word", "the rarest word that has a related word is replaced by it", others, False),
        ("related words only", "each word that has a related word is replaced by it", others, True),
        ("other forms of all words", "each word has another ending, such as wings for wing", forms, True),
    )
    return [
        TextChange(name, what, partial(replaced, others=source, all_of_them=every))
        for name, what, source, every in rows
    ]


_SYLLABLES = [consonant + vowel for consonant in "bdfgklmnprtvz" for vowel in "aeiou"]
_TRIES = 100
_COMMON = 20  # words that count as common


def unknown_word(vocabulary: Vocabulary, random: Random) -> str:
    """Make up a pronounceable word without a term in the index; "" if none is found."""
    for _ in range(_TRIES):
        word = "".join(random.choices(_SYLLABLES, k=4))
        if vocabulary.index.analyzer(word) and not vocabulary.knows(word):
            return word
    return ""


def once_seen(vocabulary: Vocabulary) -> list[str]:
    """Return the words that occur once in the collection, in alphabetical order."""
    index, once = vocabulary.index, sorted(word for word, count in vocabulary.counts.items() if count == 1)
    terms = ((word, vocabulary.term(word)) for word in once)
    return [word for word, term in terms if term is not None and index.cf[index.term_numbers[term]] == 1]


def most_common(vocabulary: Vocabulary) -> list[str]:
    """Return the words of the terms that most documents contain, the most common first; equally common ones by term.

    >>> from toysearch.index.inverted_index import Index
    >>> texts = ["a wing", "wing tip", "wing tip", "jet"]
    >>> most_common(Vocabulary(Index.build(texts), texts))
    ['wing', 'tip', 'jet']
    """
    index = vocabulary.index
    terms = (index.term(number) for number in np.argsort(-index.df, kind="stable").tolist())
    return list(islice(filter(None, map(vocabulary.word.get, terms)), _COMMON))


def rare_alterations(vocabulary: Vocabulary) -> list[TextChange]:
    """Return the alterations that add one or three words: unknown, seen once, or the most common ones."""
    once, common = once_seen(vocabulary), most_common(vocabulary)

    def unknown(count: int) -> Alter:
        return lambda text, random: _with(text, [unknown_word(vocabulary, random) for _ in range(count)])

    def seen_once(count: int) -> Alter:
        def alter(text: str, random: Random) -> str:
            there = set(written_words(text.lower()))
            words = [word for word in once if word not in there]
            return _with(text, random.sample(words, min(count, len(words))))

        return alter

    def commonplace(text: str, random: Random) -> str:
        there = set(filter(None, map(vocabulary.term, written_words(text))))
        words = [word for word in common if vocabulary.term(word) not in there]
        return _with(text, random.sample(words, min(3, len(words))))

    return [
        TextChange("an unknown word", "one word that is in no document is added at the end", unknown(1)),
        TextChange("three unknown words", "three words that are in no document are added at the end", unknown(3)),
        TextChange("a once-seen word", "one word that occurs once in the collection is added at the end", seen_once(1)),
        TextChange(
            "three once-seen words", "three words that occur once in the collection are added at the end", seen_once(3)
        ),
        TextChange(
            "three common words",
            f"three of the {_COMMON} words that most documents contain are added at the end",
            commonplace,
        ),
    ]


def _with(text: str, words: Sequence[str]) -> str:
    return " ".join([text, *filter(None, words)])


def _semantic(vocabulary: Vocabulary, language: str, others: Others | None) -> list[TextChange]:
    stems = language in stemmers()
    forms: Others = other_forms(vocabulary, language) if stems else lambda _: []
    # even in an unknown language, how and to are not synonyms
    avoided = _function_words(language) or _function_words("english")
    *changes, of_forms = semantic_alterations(vocabulary, others or company(vocabulary), forms, avoided)
    return [*changes, of_forms if stems else of_forms._replace(idle=f"no stemmer is known (language: {language})")]


def _spelling(vocabulary: Vocabulary, language: str, _: Others | None) -> list[TextChange]:
    function_words = _function_words(language)
    idle = f"no list of function words is known (language: {language})"
    changes = spelling_alterations(vocabulary, function_words)
    return [
        change._replace(idle=idle) if change.name == "no function words" and not function_words else change
        for change in changes
    ]


def _function_words(language: str) -> Set[str]:
    return stop_words(default_list(language), language).words


QUERY_ALTERATIONS: Mapping[str, Callable[[Vocabulary, str, Others | None], list[TextChange]]] = {
    "spelling": _spelling,
    "rare": lambda vocabulary, _, __: rare_alterations(vocabulary),
    "semantic": _semantic,  # last, because they take the longest to make
}
"""Functions that make the alterations of queries by the property they test, from a vocabulary, a language and
synonyms.
"""


@dataclass(frozen=True)
class StudiedSystems:
    """Models on a study, and the seed of the alterations."""

    study: Study
    models: Mapping[str, Model | Ranker]
    measures: Sequence[Measure]
    seed: int

    @property
    def language(self) -> str:
        """Return the language of the texts, ``none`` if unknown."""
        language = self.study.analyzer().language
        return language if language != "none" else self.study.judged().language

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """Return the words of the documents."""
        return Vocabulary(self.study.index(), (text for _, text, _, _ in self.study.documents()))

    @cached_property
    def terms(self) -> dict[str, QueryTerms]:
        """Return the terms of each query, read as words in every mode: a phrase has no df."""
        searcher = Searcher(self.study.index())
        return {query_id: searcher.terms(text, query_id=query_id) for query_id, text in self.study.queries()}

    @cached_property
    def numbers(self) -> dict[str, int]:
        """Return the number of each document."""
        return {document.doc_id: number for number, document in enumerate(self.study.documents())}

    @cached_property
    def relevant(self) -> dict[str, list[int]]:
        """Return the numbers of the relevant documents of each query, if in the collection."""
        relevant: dict[str, list[int]] = {query_id: [] for query_id, _ in self.study.queries()}
        for query_id, doc_id, grade in self.study.qrels():
            if query_id in relevant and self.is_relevant(doc_id, grade):
                relevant[query_id].append(self.numbers[doc_id])
        return relevant

    def is_relevant(self, doc_id: str, grade: float) -> bool:
        """True if a judged document is relevant and in the collection."""
        return grade >= self.study.threshold() and grade > 0 and doc_id in self.numbers


SHARES = (10, 30, 50)  # per cent
DOUBLED = 30  # per cent


def changed_collections(studied: StudiedSystems) -> Iterator[Variation]:
    """Remove documents, add them again, duplicate some."""
    study = studied.study
    index, documents = study.index(), list(study.documents())
    if len(documents) < 2:
        yield refused("documents removed", "there is only one document")
        return
    for share in SHARES:
        gone = documents_removed(studied, share)
        back = [document for document in documents if document.doc_id in gone]
        where, text = f"document {back[0].doc_id}", back[0].text
        state, again = f"{share}% removed", f"{share}% added again"
        removed = study.with_index(index.delete(gone))

        what = f"{len(gone):,} of {len(documents):,} documents are removed; relevant ones among them count as not found"
        yield _changed(state, what, removed, Example(where, text, ""))
        yield _drifted(studied, removed, gone, f"{state}, drift", Example(where, text, ""))

        restored = study.with_index(removed.index().add(back))
        what = "they are added at the end: only ties can change their order"
        yield _changed(again, what, restored, Example(where, "", text))
    yield from _doubled(studied)


def _changed(name: str, what: str, changed: Study, example: Example) -> Variation:
    return study_variation(name, what, lambda _: changed, example)


def documents_removed(studied: StudiedSystems, share: int) -> set[str]:
    """Return the first so many per cent of the documents in the order of removal: the first 10% are among 30%."""
    doc_ids = [document.doc_id for document in studied.study.documents()]
    seeded_random(studied.seed, "documents removed").shuffle(doc_ids)
    return set(doc_ids[: max(1, round(share * len(doc_ids) / 100))])


def _drifted(studied: StudiedSystems, removed: Study, gone: set[str], name: str, example: Example) -> Variation:
    what = "the remaining documents, ranked by the old statistics and by the new ones"
    study, judgments = studied.study, studied.study.qrels()
    left = [(place, row) for place, row in enumerate(judgments) if row.doc_id not in gone]
    answerable = {row.query_id for _, row in left if studied.is_relevant(row.doc_id, row.relevance)}
    if not answerable:
        return refused(name, "no relevant document remains")
    queries = [query for query in study.queries() if query.query_id in answerable]
    qrels = judgments.of_rows([place for place, row in left if row.query_id in answerable])
    before = study.with_texts(queries).with_scoring(qrels=qrels, left_out=frozenset(gone))
    after = removed.with_texts(queries).with_scoring(qrels=qrels)
    return _changed(name, what, after, example)._replace(against=_changed("the old statistics", "", before, example))


def _doubled(studied: StudiedSystems) -> Iterator[Variation]:
    study, chosen = studied.study, documents_removed(studied, DOUBLED)
    doc_ids, copies = set(studied.numbers), {}
    for document in study.documents():
        if document.doc_id in chosen:
            doc_id = f"{document.doc_id}-copy"
            while doc_id in doc_ids:
                doc_id += "-copy"
            doc_ids.add(doc_id)
            copies[document.doc_id] = document._replace(doc_id=doc_id)
    original, copy = next(iter(copies.items()))
    example = Example(f"document {original}", "", f"{copy.doc_id}: {copy.text}")
    judged, judgments, index = [], study.qrels(), study.index()
    for place, row in enumerate(judgments):
        judged.append((place, row.doc_id))
        if row.doc_id in copies:
            judged.append((place, copies[row.doc_id].doc_id))
    doubled, name = study.with_index(index.add(list(copies.values()))), f"{DOUBLED}% doubled"
    yield _changed(name, "unjudged copies of documents", doubled, example)
    as_originals = doubled.with_scoring(qrels=judgments.of_rows(*map(list, zip(*judged, strict=True))))
    yield _changed(f"{name}, judged", "the same copies, judged as their originals", as_originals, example)


_MADE_UP = 50  # distinct words of noise that occur in no query

Padding = Callable[[Document, Random], str]
"""Returns the words that are added to a document."""


def padded_collections(studied: StudiedSystems) -> Iterator[Variation]:
    """Yield each way to pad half of the documents."""
    counts = studied.vocabulary.counts
    words = sorted(counts)
    weights = list(accumulate(counts[word] for word in words))
    random = seeded_random(studied.seed, "made-up words")
    made_up = sorted({unknown_word(studied.vocabulary, random) for _ in range(_MADE_UP)})

    def drawn(words: list[str], weights: list[int] | None) -> Padding:
        return lambda document, random: " ".join(
            random.choices(words, cum_weights=weights, k=len(written_words(document[1]))) if words else ()
        )

    common = "half of the documents are doubled by words drawn from the collection in proportion to their frequency"
    unknown = "half of the documents are doubled in length by words that occur in no query"
    twice = "half of the documents contain their text twice"
    yield _padded(studied, "own text added", twice, lambda document, _: document[1])
    yield _padded(studied, "the collection's words added", common, drawn(words, weights))
    yield _padded(studied, "unknown words added", unknown, drawn(made_up, None))


def _padded(studied: StudiedSystems, name: str, what: str, padding: Padding) -> Variation:
    study = studied.study
    originals = list(study.documents())
    N = len(originals)
    chosen = sorted(seeded_random(studied.seed, "padded documents").sample(range(N), (N + 1) // 2))
    *_, field = None, *study.searched().separate_fields(index_needs(*studied.models.values()).apart)
    documents = originals.copy()
    for number in chosen:
        document = documents[number]
        more = padding(document, seeded_random(studied.seed, name, document.doc_id))
        documents[number] = padded(document, more, field)
    first = next((number for number in chosen if documents[number] != originals[number]), chosen[0])
    example = Example(f"document {documents[first].doc_id}", originals[first][1], documents[first][1])
    return study_variation(name, what, lambda study: study.with_index(documents=documents), example)


def padded(document: Document, more: str, field: str | None = None) -> Document:
    """Add text at the end of a document."""
    if not more:
        return document
    fields = dict(document.fields)
    if field is not None:
        [text] = field_texts(Batch([document.doc_id], [document[1]], [document.title], [fields]), field)
        fields |= {field: _appended(text, more)}
    return document._replace(text=_appended(document[1], more), fields=fields)


def _appended(text: str, more: str) -> str:
    """Add to a text, whose fields and items of lists end where they did."""
    return JoinedText.of(f"{bordered(text)} {bordered(more)}")
