"""Length: documents padded with their own text and with noise, a long document against a short one, and bias."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import accumulate
from random import Random
from typing import NamedTuple

import numpy as np

from toysearch.corpus.collection import Batch
from toysearch.errors import ToysearchError
from toysearch.index.fields import field_texts
from toysearch.laboratory.experiments.robustness.alteration import chance, words_of
from toysearch.laboratory.experiments.robustness.query_alterations import unknown_word
from toysearch.laboratory.experiments.robustness.tested_system import AlteredInput, Example, Skipped, SystemsUnderTest
from toysearch.laboratory.experiments.stats.significance import paired_test
from toysearch.laboratory.explain.worked_examples import ranking_of_lengths
from toysearch.models.mixture import needs
from toysearch.records import Document
from toysearch.search.searcher import Searcher

PROPERTY = "length"
LONG, SHORT = (5000, 10), (100, 5)  # words, and how many of them are the one that is looked for
FIFTHS = 5
_MADE_UP = 50  # different words of the noise that nobody looks for


class LongAndShort(NamedTuple):
    """How a system scores a word 10 times among 5,000 and 5 times among 100, and which it puts first."""

    system: str
    long: float
    short: float
    first: str


class LengthBias(NamedTuple):
    """How long the documents are that a system ranks first, against the relevant ones."""

    system: str  # the system
    queries: int  # how many queries count: those with a relevant document
    # relevant, retrieved: tokens of the relevant documents of a query, and of as many first ones of its ranking: means
    # over the queries
    relevant: float
    retrieved: float
    # difference, low, high: the mean of retrieved − relevant, and its 95 % interval
    difference: float
    low: float
    high: float


class Fifth(NamedTuple):
    """A fifth of the documents by length, and which shares of what is relevant and of what is retrieved it has."""

    # shortest, longest: tokens
    shortest: int
    longest: int
    relevant: float  # the share of all relevant documents, over all queries
    retrieved: dict[str, float]  # system → the share of what it retrieves, to the same number for each query


class Lengths(NamedTuple):
    """What length does."""

    inputs: list[AlteredInput]
    long_and_short: list[LongAndShort]
    bias: list[LengthBias]
    fifths: list[Fifth]
    skipped: list[Skipped]


def lengths(bench: SystemsUnderTest) -> Lengths:
    """Pad documents, rank a long and a short one, compare the lengths of what is relevant and what is retrieved."""
    inputs = [_padded(bench, *padding) for padding in _paddings(bench)]
    skipped: list[Skipped] = []
    pairs = list(_long_and_short(bench, skipped))
    retrieved = {name: _retrieved(bench, name) for name in bench.models}
    if not any(bench.relevant.values()):
        skipped.append(Skipped(PROPERTY, "bias", "no query has a relevant document"))
        return Lengths(inputs, pairs, [], [], skipped)
    bias = [_bias(bench, name, docs) for name, docs in retrieved.items()]
    return Lengths(inputs, pairs, bias, _fifths(bench, retrieved), skipped)


Padding = tuple[str, str, Callable[[Document, Random], str]]


def _paddings(bench: SystemsUnderTest) -> list[Padding]:
    """Name, what is done, and what is added to a document."""
    words = sorted(bench.vocabulary.counts)
    weights = list(accumulate(bench.vocabulary.counts[word] for word in words))
    random = chance(bench.seed, "made-up words")
    made_up = sorted({unknown_word(bench.vocabulary, random) for _ in range(_MADE_UP)})

    def common(document: Document, random: Random) -> str:
        return " ".join(random.choices(words, cum_weights=weights, k=len(words_of(document.text)))) if words else ""

    def nobodys(document: Document, random: Random) -> str:
        return " ".join(random.choices(made_up, k=len(words_of(document.text))))

    return [
        ("own text added", "half of the documents hold their text twice", lambda document, _: document.text),
        (
            "the collection's words added",
            "half of the documents have as many words again, drawn from the whole collection as often as they occur",
            common,
        ),
        ("unknown words added", "half of the documents have as many words again that nobody looks for", nobodys),
    ]


def _padded(bench: SystemsUnderTest, name: str, what: str, padding: Callable[[Document, Random], str]) -> AlteredInput:
    """What the systems make of documents of which half are longer."""
    chosen = set(
        chance(bench.seed, "padded documents").sample(range(len(bench.documents)), (len(bench.documents) + 1) // 2)
    )
    field = bench.fields[-1] if bench.fields else None
    documents = [
        padded(document, padding(document, chance(bench.seed, name, document.doc_id)), field)
        if number in chosen
        else document
        for number, document in enumerate(bench.documents)
    ]
    first = next((number for number in sorted(chosen) if documents[number] != bench.documents[number]), min(chosen))
    example = Example(f"document {documents[first].doc_id}", bench.documents[first].text, documents[first].text)
    altered = bench.evaluations(bench.build(documents), bench.queries, bench.collection.qrels)
    return AlteredInput(PROPERTY, name, what, example, bench.rows(bench.original, altered))


def padded(document: Document, more: str, field: str | None = None) -> Document:
    """A document with more text at its end."""
    if not more:
        return document
    fields = dict(document.fields)
    if field is not None:
        [own] = field_texts(Batch([document.doc_id], [document.text], [document.title], [fields]), field)
        fields |= {field: f"{own} {more}"}
    return document._replace(text=f"{document.text} {more}", fields=fields)


def _long_and_short(bench: SystemsUnderTest, skipped: list[Skipped]) -> Iterator[LongAndShort]:
    for name, model in bench.models.items():
        try:
            ranking = ranking_of_lengths(model, [LONG, SHORT])
        except ToysearchError as error:
            why = "it ranks by fields, which these two lack" if needs(model).apart else str(error)
            skipped.append(Skipped(PROPERTY, f"a long and a short document, {name}", why))
            continue
        scores = {hit.doc_id: hit.score for hit in ranking}
        first = "both alike" if scores["1"] == scores["2"] else "long" if ranking[0].doc_id == "1" else "short"
        yield LongAndShort(name, scores["1"], scores["2"], first)


def _retrieved(bench: SystemsUnderTest, name: str) -> dict[str, list[int]]:
    """For each query as many first documents, by number, as it has relevant ones."""
    most = max(map(len, bench.relevant.values()))
    run = Searcher(bench.index, bench.models[name]).run(bench.queries, max(most, 1))
    return {
        query_id: [bench.index.doc_number(doc_id) for doc_id in run.doc_ids_of(query_id)[: len(relevant)]]
        for query_id, relevant in bench.relevant.items()
    }


def _bias(bench: SystemsUnderTest, name: str, retrieved: dict[str, list[int]]) -> LengthBias:
    dl = bench.index.dl
    both = [
        (float(dl[docs].mean()), float(dl[retrieved[query_id]].mean()))
        for query_id, docs in bench.relevant.items()
        if docs and retrieved[query_id]
    ]
    if not both:
        return LengthBias(name, 0, *[float("nan")] * 5)
    relevant, found = (float(np.mean(values)) for values in zip(*both, strict=True))
    test = paired_test([after - before for before, after in both])
    return LengthBias(name, len(both), relevant, found, test.mean, test.low, test.high)


def _fifths(bench: SystemsUnderTest, retrieved: dict[str, dict[str, list[int]]]) -> list[Fifth]:
    """What fifths of the documents by length have of both (Singhal, Buckley & Mitra 1996, §3)."""
    order = np.argsort(bench.index.dl, kind="stable")
    parts = [part for part in np.array_split(order, FIFTHS) if part.size]
    group = np.empty(order.size, dtype=np.int64)
    for number, part in enumerate(parts):
        group[part] = number

    def shares(docs_of: dict[str, list[int]]) -> np.ndarray:
        docs = np.array([doc for docs in docs_of.values() for doc in docs], dtype=np.int64)
        return np.bincount(group[docs], minlength=len(parts)) / max(docs.size, 1)

    relevant, found = shares(bench.relevant), {name: shares(docs) for name, docs in retrieved.items()}
    return [
        Fifth(
            int(bench.index.dl[part].min()),
            int(bench.index.dl[part].max()),
            float(relevant[number]),
            {name: float(share[number]) for name, share in found.items()},
        )
        for number, part in enumerate(parts)
    ]
