"""A changing collection: documents removed, added again and doubled, and the effect on statistics and values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from toysearch.evaluation.evaluate import evaluate
from toysearch.evaluation.result import Evaluation
from toysearch.index.inverted_index import Index
from toysearch.laboratory.experiments.robustness.alteration import chance
from toysearch.laboratory.experiments.robustness.tested_system import AlteredInput, Example, Skipped, SystemsUnderTest
from toysearch.records import Document, Qrels, Query, Ranking, Run
from toysearch.search.scoring import QueryTerms
from toysearch.search.searcher import Searcher

PROPERTY = "corpus"
SHARES = (10, 30, 50)  # per cent
DOUBLED = 30  # per cent


class Drift(NamedTuple):
    """The statistics of a collection after a change."""

    state: str  # what was done
    # documents, terms: n, and how many distinct terms there are
    documents: int
    terms: int
    avgdl: float  # tokens a document
    df_change: float  # by what share df/N of the queries' terms has changed, up or down, in the mean
    lost: int  # how many of the queries' terms no document holds any more


class Check(NamedTuple):
    """Whether a changed index is the one that building anew gives, and all its values with it."""

    name: str
    what: str
    holds: bool


class Changes(NamedTuple):
    """What changes of the collection do."""

    inputs: list[AlteredInput]
    drift: list[Drift]
    checks: list[Check]
    skipped: list[Skipped]


def changes(bench: SystemsUnderTest) -> Changes:
    """Remove documents, add them again, double some."""
    made = Changes([], [drift("as it is", bench.index, bench.index, bench.terms)], [], [])
    if len(bench.documents) < 2:
        made.skipped.append(Skipped(PROPERTY, "documents removed", "there is only one document"))
        return made
    order = list(range(len(bench.documents)))
    chance(bench.seed, "documents removed").shuffle(order)  # one order: what 10 % lack, 30 % lack too
    for share in SHARES:
        _removed_and_added(bench, share, order, made)
        _last_restored(bench, share, made)
    _doubled(bench, order, made)
    return made


def _removed_and_added(bench: SystemsUnderTest, share: int, order: list[int], made: Changes) -> None:
    """Remove a share of the documents and add them again."""
    number = _number(share, len(order))
    gone = {bench.documents[place].doc_id for place in order[:number]}
    kept = [document for document in bench.documents if document.doc_id not in gone]
    back = [document for document in bench.documents if document.doc_id in gone]
    example = Example(f"document {back[0].doc_id}", back[0].text, "")
    state, again = f"{share} % removed", f"{share} % added again"

    index = bench.index.delete(gone)
    altered = _evaluated(bench, index)
    what = f"{number:,} of {len(order):,} documents are gone; relevant ones among them count as not found"
    made.drift.append(drift(state, bench.index, index, bench.terms))
    made.inputs.append(AlteredInput(PROPERTY, state, what, example, bench.rows(bench.original, altered)))
    made.checks.append(_same(bench, state, "as built without them", index, kept, altered))
    _of_those_left(bench, index, gone, state, example, made)

    index = index.add(back)
    altered = _evaluated(bench, index)
    what = "they are back, behind the others: only equal scores can stand otherwise"
    example = Example(example.where, "", example.before)
    made.inputs.append(AlteredInput(PROPERTY, again, what, example, bench.rows(bench.original, altered)))
    made.checks.append(_same(bench, again, "as built in that order", index, kept + back, altered))


def _last_restored(bench: SystemsUnderTest, share: int, made: Changes) -> None:
    """Remove the last of the documents and add them in their order: that must give the original."""
    last = bench.documents[-_number(share, len(bench.documents)) :]
    index = bench.index.delete([document.doc_id for document in last]).add(last)
    name = f"the last {share} % removed and added"
    made.checks.append(_same(bench, name, "the original", index, bench.documents, _evaluated(bench, index)))


def _evaluated(bench: SystemsUnderTest, index: Index) -> dict[str, Evaluation]:
    """What the systems are worth on another index, by the original queries and judgments."""
    return bench.evaluations(index, bench.queries, bench.collection.qrels)


def _of_those_left(
    bench: SystemsUnderTest, index: Index, gone: set[str], state: str, example: Example, made: Changes
) -> None:
    """What the drift of the statistics does to the order of the documents that are left."""
    kept = [row for row in bench.collection.qrels if row.doc_id not in gone]
    answerable = {row.query_id for row in kept if bench.is_relevant(row.doc_id, row.relevance)}
    query_ids = [query_id for query_id, _ in bench.queries if query_id in answerable]
    name = f"{state}, drift"
    if not query_ids:
        made.skipped.append(Skipped(PROPERTY, name, "no relevant document is left"))
        return
    qrels = Qrels.from_records(kept)
    queries = [query for query in bench.queries if query.query_id in answerable]
    made.inputs.append(
        AlteredInput(
            PROPERTY,
            name,
            "the documents that are left, as the old statistics order them and as the new ones do",
            example,
            bench.rows(_left_over(bench, gone, queries, qrels), bench.evaluations(index, queries, qrels), query_ids),
        )
    )


def _left_over(bench: SystemsUnderTest, gone: set[str], queries: list[Query], qrels: Qrels) -> dict[str, Evaluation]:
    """The evaluations of the original rankings without the documents that are gone."""
    found = {}
    for name, model in bench.models.items():
        run = Searcher(bench.index, model).run(queries, bench.k + len(gone))
        rankings = []
        for query_id in run.query_ids:
            left = [hit for hit in run.ranking(query_id) if hit.doc_id not in gone][: bench.k]
            rankings.append(Ranking(query_id, [hit.doc_id for hit in left], [hit.score for hit in left]))
        found[name] = evaluate(Run.from_rankings(rankings, name), qrels, bench.measures, threshold=bench.threshold)
    return found


def _doubled(bench: SystemsUnderTest, order: list[int], made: Changes) -> None:
    """Add copies of a share of the documents, unjudged and judged as the originals are."""
    originals = [bench.documents[place] for place in sorted(order[: _number(DOUBLED, len(order))])]
    copies = dict(zip((document.doc_id for document in originals), _copies(bench, originals), strict=True))
    index = bench.index.add(list(copies.values()))
    state = f"{DOUBLED} % doubled"
    made.drift.append(drift(state, bench.index, index, bench.terms))
    example = Example(
        f"document {originals[0].doc_id}", "", f"{copies[originals[0].doc_id].doc_id}: {originals[0].text}"
    )
    judged = [
        row._replace(doc_id=doc_id)
        for row in bench.collection.qrels
        for doc_id in [row.doc_id, *([copies[row.doc_id].doc_id] if row.doc_id in copies else [])]
    ]
    for name, what, qrels in (
        (state, "copies of documents, which nobody has judged", bench.collection.qrels),
        (f"{state}, judged", "the same copies, judged as their originals are", Qrels.from_records(judged)),
    ):
        altered = bench.evaluations(index, bench.queries, qrels)
        made.inputs.append(AlteredInput(PROPERTY, name, what, example, bench.rows(bench.original, altered)))


def _copies(bench: SystemsUnderTest, originals: list[Document]) -> Iterator[Document]:
    """Documents of the same content by ids that no other has."""
    taken = {document.doc_id for document in bench.documents}
    for document in originals:
        doc_id = f"{document.doc_id}-copy"
        while doc_id in taken:
            doc_id += "-copy"
        taken.add(doc_id)
        yield document._replace(doc_id=doc_id)


def _number(share: int, N: int) -> int:
    """So many per cent of the documents, one at least."""
    return max(1, round(share * N / 100))


def _same(
    bench: SystemsUnderTest,
    name: str,
    what: str,
    index: Index,
    documents: list[Document],
    evaluations: Mapping[str, Evaluation],
) -> Check:
    """Whether a changed index is the one of these documents, and so are the values."""
    built = bench.build(documents)
    anew = _evaluated(bench, built)
    values = all(anew[system].per_query == evaluations[system].per_query for system in bench.models)
    return Check(name, what, values and same_index(index, built))


def same_index(one: Index, other: Index) -> bool:
    """Whether two indexes hold the same documents, terms and counts in the same order."""
    if list(one.doc_ids) != list(other.doc_ids) or list(one.terms) != list(other.terms):
        return False
    names = ("offsets", "docs", "cf", "dl", "distinct", "max_tf", "bytes")
    postings = one.stats.n_postings
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in names) and np.array_equal(
        one.tf(0, postings), other.tf(0, postings)
    )


def drift(state: str, before: Index, after: Index, terms: Mapping[str, QueryTerms]) -> Drift:
    """The statistics of a changed index, and how far those of the queries' terms have moved."""
    numbers = sorted({number for query in terms.values() for number in query.numbers.tolist()})
    moved, lost = [], 0
    for number in numbers:
        now = after.term_number(before.term(number))
        if now < 0:
            lost += 1
        else:
            was = before.df[number] / before.stats.N
            moved.append(abs(after.df[now] / after.stats.N / was - 1))
    change = float(np.mean(moved)) if moved else 0.0
    return Drift(state, after.stats.N, after.stats.n_terms, after.stats.avgdl, change, lost)
