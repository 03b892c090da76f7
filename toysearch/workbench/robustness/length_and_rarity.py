"""Length of documents and rarity of query terms: how values and rankings depend on them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from random import Random
from typing import NamedTuple

import numpy as np

from toysearch.base import Document, Ranking, TextNeeds, ToysearchError, count_each, repeat_each
from toysearch.collection.document_batches import Batch
from toysearch.evaluation.intervals import mean_interval
from toysearch.evaluation.values_and_means import over_needs
from toysearch.index import Index
from toysearch.index.document_columns import field_texts
from toysearch.models import ModelLike, index_needs
from toysearch.retrieval import QueryTerms, Searcher
from toysearch.study.compare.effects import Example, Variation, study_variation
from toysearch.study.compare.significance import paired_test
from toysearch.workbench.robustness.alterations import StudiedSystems, seeded_random, unknown_word, written_words

GROUPS = ("common", "middling", "rare")


class ExactMatches(NamedTuple):
    """Number of relevant documents that contain the exact terms of their query."""

    relevant: int  # the number of pairs of a query and a relevant document
    # all_terms, some_terms, no_term: the shares of these pairs whose document contains all terms of its query, some,
    # none. A model that sums the weights of query terms cannot find the last
    all_terms: float
    some_terms: float
    no_term: float


def exact_matches(
    index: Index, terms: Mapping[str, QueryTerms], relevant: Mapping[str, Iterable[int]], needs: TextNeeds
) -> ExactMatches:
    """Count the relevant documents that contain the terms of their queries; over the texts of a need, their mean."""
    pairs, weights = [0.0, 0.0, 0.0], needs.weights(relevant)
    for query_id, docs in relevant.items():
        query = terms[query_id]
        counts = count_each(index.blocks.of_terms(query.numbers).docs, minlength=index.stats.N)
        all_terms = len(query.numbers) + len(query.unknown)
        for doc in docs:
            pairs[0 if counts[doc] == all_terms and all_terms else 1 if counts[doc] else 2] += weights[query_id]
    total = sum(pairs)
    return ExactMatches(round(total), *(count / total if total else np.nan for count in pairs))


class RarityValue(NamedTuple):
    """Value of a third of the queries by the rarity of their terms."""

    # system, measure: which
    system: str
    measure: str
    group: str  # 'common' | 'middling' | 'rare': which third
    queries: int
    # held_low, held_high: the lowest and the highest share of documents that contain a term of such a query (averaged
    # over its terms)
    held_low: float
    held_high: float
    # value, low, high: the mean of the measure, and its 95 % interval, within the range of the measure
    value: float
    low: float
    high: float


class RarityGroup(NamedTuple):
    """Third of the queries by the rarity of their terms."""

    group: str  # 'common' | 'middling' | 'rare': which third
    query_ids: list[str]  # most common terms first
    # low, high: the shares of documents that contain a term of a query (the geometric mean over its terms): for the
    # query with the rarest terms in the group, and for that with the most common ones
    low: float
    high: float


def rarity_groups(terms: Mapping[str, QueryTerms], df: np.ndarray, N: int) -> list[RarityGroup]:
    """Divide queries into three groups of equal size, by the mean idf ln(N/df) of their known terms."""
    # The mean idf of a query's terms predicts its difficulty (Cronen-Townsend, Zhou & Croft 2002; Hauff 2010
    # calls it AvIDF).
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


def rarity_values(studied: StudiedSystems) -> list[RarityValue]:
    """Return the values of each third of the queries, under each system and by each measure."""
    study = studied.study
    index, needs = study.index(), study.qrels().needs
    groups, rows = rarity_groups(studied.terms, index.df, index.stats.N), []
    for system, model in studied.models.items():
        per_query = study.evaluation(model, studied.measures).per_query
        for measure, group in itertools.product(studied.measures, groups):
            column = np.array([per_query[query_id][str(measure)] for query_id in group.query_ids])
            values = list(filter(math.isfinite, over_needs(group.query_ids, column, needs)[1].tolist()))
            if values:
                interval = mean_interval(measure, np.array(values))
                limits = group.low, group.high, math.fsum(values) / len(values), interval.low, interval.high
                rows.append(RarityValue(system, str(measure), group.group, len(values), *limits))
    return rows


LONG, SHORT = (5000, 10), (100, 5)  # words, and how many of them are the query word
FIFTHS = 5
_MADE_UP = 50  # distinct words of noise that occur in no query


class LongAndShort(NamedTuple):
    """Scores of a word 10 times among 5,000 and 5 times among 100, and the document ranked first."""

    system: str
    long: float
    short: float
    first: str


class LengthBias(NamedTuple):
    """Length of the documents that a system ranks first, compared with the relevant ones."""

    system: str
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
    """Fifth of the documents by length, with its shares of the relevant and of the retrieved documents."""

    # shortest, longest: tokens
    shortest: int
    longest: int
    relevant: float  # the share of all relevant documents, over all queries
    retrieved: dict[str, float]  # system → the share of its top documents, as many per query as are relevant


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
            random.choices(words, cum_weights=weights, k=len(written_words(document.text))) if words else ()
        )

    common = "half of the documents are doubled by words drawn from the collection in proportion to their frequency"
    unknown = "half of the documents are doubled in length by words that occur in no query"
    twice = "half of the documents contain their text twice"
    yield _padded(studied, "own text added", twice, lambda document, _: document.text)
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
    example = Example(f"document {documents[first].doc_id}", originals[first].text, documents[first].text)
    return study_variation(name, what, lambda study: study.with_index(documents=documents), example)


def padded(document: Document, more: str, field: str | None = None) -> Document:
    """Add text at the end of a document."""
    if not more:
        return document
    fields = dict(document.fields)
    if field is not None:
        [text] = field_texts(Batch([document.doc_id], [document.text], [document.title], [fields]), field)
        fields |= {field: f"{text} {more}"}
    return document._replace(text=f"{document.text} {more}", fields=fields)


_WORD = "match"
_OTHERS = 8  # documents without the word: under ln(N/df) a word in every document would have weight 0
_LENGTH = 100  # words in each of these documents


def ranking_of_lengths(model: ModelLike, documents: Sequence[tuple[int, int]]) -> Ranking:
    """Rank documents given as (length, term frequency) pairs, for a query of one word.

    >>> ranking_of_lengths("tfidf", [(5000, 10), (100, 5)])
    <Ranking of 2 documents: 1 25.9029, 2 12.9515>
    >>> ranking_of_lengths("bm25", [(5000, 10), (100, 5)])[0].doc_id
    '2'
    """
    # Every other word occurs once, in a single document. Eight documents of 100 words lack the query word.
    texts = [
        " ".join([_WORD] * matches + [f"word{i}of{number}" for i in range(words - matches)])
        for number, (words, matches) in enumerate(documents, 1)
    ]
    texts += [" ".join(f"other{i}of{number}" for i in range(_LENGTH)) for number in range(_OTHERS)]
    index = Index.build([Document(str(number), text) for number, text in enumerate(texts, 1)])
    return Searcher(index, model).search(_WORD, len(documents))


def long_and_short(studied: StudiedSystems) -> tuple[list[LongAndShort], list[tuple[str, str]]]:
    """Compare a word in a long document and in a short one, under each system; name those that fail, and why."""
    pairs, reasons = [], []
    for name, model in studied.models.items():
        try:
            ranking = ranking_of_lengths(model, [LONG, SHORT])
        except ToysearchError as error:
            why = "it ranks by fields, which these two documents lack" if index_needs(model).apart else str(error)
            reasons.append((f"a long and a short document, {name}", why))
            continue
        scores = {hit.doc_id: hit.score for hit in ranking}
        if not {"1", "2"} <= scores.keys():
            reasons.append((f"a long and a short document, {name}", "it does not rank both"))
            continue
        first = "both alike" if scores["1"] == scores["2"] else "long" if ranking[0].doc_id == "1" else "short"
        pairs.append(LongAndShort(name, scores["1"], scores["2"], first))
    return pairs, reasons


def length_bias(studied: StudiedSystems) -> tuple[list[LengthBias], list[Fifth]]:
    """Compare the lengths of relevant and of retrieved documents, on average and by fifths of the documents."""
    study = studied.study
    index = study.index()
    most = max(map(len, studied.relevant.values()))
    queries, mode = study.queries(), study.scoring.query_mode
    runs = {name: Searcher(index, model).run(queries, most, query_mode=mode) for name, model in studied.models.items()}
    # for each query as many top documents, by number, as it has relevant ones
    retrieved = {
        name: {
            query_id: [index.doc_number(doc_id) for doc_id in run.doc_ids_of(query_id)[: len(docs)]]
            for query_id, docs in studied.relevant.items()
        }
        for name, run in runs.items()
    }
    biases, dl = [], index.dl
    for name, docs_of in retrieved.items():
        pairs = {query_id: (docs, docs_of[query_id]) for query_id, docs in studied.relevant.items()}
        means = {
            query_id: (float(dl[docs].mean()), float(dl[first].mean()))
            for query_id, (docs, first) in pairs.items()
            if docs and first
        }
        bias = LengthBias(name, 0, *[float("nan")] * 5)
        if means:
            both = over_needs([*means], np.array([*means.values()]), study.qrels().needs)[1].tolist()
            relevant, first_ranked = (float(np.mean(values)) for values in zip(*both, strict=True))
            test = paired_test([after - before for before, after in both])
            bias = LengthBias(name, len(both), relevant, first_ranked, test.mean, test.low, test.high)
        biases.append(bias)
    return biases, _fifths(studied, retrieved)


def _fifths(studied: StudiedSystems, retrieved: dict[str, dict[str, list[int]]]) -> list[Fifth]:
    """Return the shares of fifths of the documents by length (Singhal, Buckley & Mitra 1996, §3)."""
    dl = studied.study.index().dl
    order = np.argsort(dl, kind="stable")
    parts = [part for part in np.array_split(order, FIFTHS) if part.size]
    group = np.empty(order.size, dtype=np.int64)
    for number, part in enumerate(parts):
        group[part] = number

    def shares(docs_of: dict[str, list[int]]) -> np.ndarray:
        docs = np.array([doc for docs in docs_of.values() for doc in docs], dtype=np.int64)
        of_queries = studied.study.qrels().needs.weights(docs_of)
        weights = repeat_each([*of_queries.values()], [*map(len, docs_of.values())])
        return count_each(group[docs], weights, minlength=len(parts)) / (weights.sum() or 1)

    relevant, of_systems = shares(studied.relevant), {name: shares(docs) for name, docs in retrieved.items()}
    return [
        Fifth(
            int(dl[part].min()),
            int(dl[part].max()),
            float(relevant[number]),
            {name: float(share[number]) for name, share in of_systems.items()},
        )
        for number, part in enumerate(parts)
    ]
