"""Length: documents padded with their own text and with noise, a long document against a short one, and bias."""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate
from random import Random
from typing import Any, NamedTuple

import numpy as np

from toysearch.base.errors import ToysearchError
from toysearch.base.records import Document
from toysearch.base.wide_counts import count_each
from toysearch.corpus.collection import Batch
from toysearch.index.document_columns import field_texts
from toysearch.laboratory.experiments.robustness.alteration import seeded_random, written_words
from toysearch.laboratory.experiments.robustness.query_alterations import unknown_word
from toysearch.laboratory.experiments.robustness.tested_system import Example, SystemsUnderTest
from toysearch.laboratory.experiments.stats.significance import paired_test
from toysearch.laboratory.explain.worked_examples import ranking_of_lengths
from toysearch.models.model import index_needs
from toysearch.search.searcher import Searcher

LONG, SHORT = (5000, 10), (100, 5)  # words, and how many of them are the query word
FIFTHS = 5
_MADE_UP = 50  # distinct words of noise that occur in no query


class LongAndShort(NamedTuple):
    """The scores of a word 10 times among 5,000 and 5 times among 100, and the document ranked first."""

    system: str
    long: float
    short: float
    first: str


class LengthBias(NamedTuple):
    """The length of the documents that a system ranks first, compared with the relevant ones."""

    system: str  # the system
    queries: int  # the number of queries with a relevant document
    # relevant, retrieved: mean tokens of the relevant documents of a query, and of as many documents from the top of
    # its ranking, averaged over queries
    relevant: float
    retrieved: float
    # difference, low, high: the mean of retrieved − relevant, and its 95 % interval
    difference: float
    low: float
    high: float


class Fifth(NamedTuple):
    """A fifth of the documents by length, with its shares of the relevant and of the retrieved documents."""

    # shortest, longest: tokens
    shortest: int
    longest: int
    relevant: float  # the share of all relevant documents, over all queries
    retrieved: dict[str, float]  # system → the share of its top documents, as many per query as are relevant


def lengths(bench: SystemsUnderTest) -> dict[str, Any]:
    """Pad documents, rank a long and a short one, compare the lengths of relevant and retrieved documents."""
    for padding in paddings(bench):
        _pad(bench, *padding)
    pairs = _long_and_short(bench)
    if not any(bench.relevant.values()):
        bench.skip("bias", "no query has a relevant document")
        return {"long_and_short": pairs}
    retrieved = {name: _retrieved(bench, name) for name in bench.models}
    bias = [_bias(bench, name, docs) for name, docs in retrieved.items()]
    return {"long_and_short": pairs, "bias": bias, "fifths": _fifths(bench, retrieved)}


Padding = Callable[[Document, Random], str]


def paddings(bench: SystemsUnderTest) -> list[tuple[str, str, Padding]]:
    """Each way to pad documents: name, description, and the function that returns the padding of a document."""
    words = sorted(bench.vocabulary.counts)
    weights = list(accumulate(bench.vocabulary.counts[word] for word in words))
    random = seeded_random(bench.seed, "made-up words")
    made_up = sorted({unknown_word(bench.vocabulary, random) for _ in range(_MADE_UP)})

    def drawn(words: list[str], weights: list[int] | None) -> Padding:
        """As many words as the document has, drawn by weights."""
        return lambda document, random: " ".join(
            random.choices(words, cum_weights=weights, k=len(written_words(document.text))) if words else ()
        )

    common = "half of the documents are doubled by words drawn from the collection in proportion to their frequency"
    unknown = "half of the documents are doubled in length by words that occur in no query"
    return [
        ("own text added", "half of the documents contain their text twice", lambda document, _: document.text),
        ("the collection's words added", common, drawn(words, weights)),
        ("unknown words added", unknown, drawn(made_up, None)),
    ]


def _pad(bench: SystemsUnderTest, name: str, what: str, padding: Padding) -> None:
    """Measure the systems after half of the documents are padded."""
    documents, example = half_padded(bench, name, padding)
    bench.record(name, what, example, bench.evaluations(bench.build(documents)))


def half_padded(bench: SystemsUnderTest, name: str, padding: Padding) -> tuple[list[Document], Example]:
    """All documents, half of them padded, and the first of these as an example."""
    N = len(bench.documents)
    chosen = sorted(seeded_random(bench.seed, "padded documents").sample(range(N), (N + 1) // 2))
    field = bench.fields[-1] if bench.fields else None
    documents = bench.documents.copy()
    for number in chosen:
        document = documents[number]
        documents[number] = padded(document, padding(document, seeded_random(bench.seed, name, document.doc_id)), field)
    first = next((number for number in chosen if documents[number] != bench.documents[number]), chosen[0])
    return documents, Example(f"document {documents[first].doc_id}", bench.documents[first].text, documents[first].text)


def padded(document: Document, more: str, field: str | None = None) -> Document:
    """A document with more text at its end."""
    if not more:
        return document
    fields = dict(document.fields)
    if field is not None:
        [own] = field_texts(Batch([document.doc_id], [document.text], [document.title], [fields]), field)
        fields |= {field: f"{own} {more}"}
    return document._replace(text=f"{document.text} {more}", fields=fields)


def _long_and_short(bench: SystemsUnderTest) -> list[LongAndShort]:
    """A word in a long document and in a short one, under each system."""
    pairs = []
    for name, model in bench.models.items():
        try:
            ranking = ranking_of_lengths(model, [LONG, SHORT])
        except ToysearchError as error:
            why = "it ranks by fields, which these two documents lack" if index_needs(model).apart else str(error)
            bench.skip(f"a long and a short document, {name}", why)
            continue
        scores = {hit.doc_id: hit.score for hit in ranking}
        first = "both alike" if scores["1"] == scores["2"] else "long" if ranking[0].doc_id == "1" else "short"
        pairs.append(LongAndShort(name, scores["1"], scores["2"], first))
    return pairs


def _retrieved(bench: SystemsUnderTest, name: str) -> dict[str, list[int]]:
    """For each query as many top documents, by number, as it has relevant ones."""
    most = max(map(len, bench.relevant.values()))
    run = Searcher(bench.index, bench.models[name]).run(bench.queries, most)
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
    """The shares of fifths of the documents by length (Singhal, Buckley & Mitra 1996, §3)."""
    order = np.argsort(bench.index.dl, kind="stable")
    parts = [part for part in np.array_split(order, FIFTHS) if part.size]
    group = np.empty(order.size, dtype=np.int64)
    for number, part in enumerate(parts):
        group[part] = number

    def shares(docs_of: dict[str, list[int]]) -> np.ndarray:
        docs = np.array([doc for docs in docs_of.values() for doc in docs], dtype=np.int64)
        return count_each(group[docs], minlength=len(parts)) / max(docs.size, 1)

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
