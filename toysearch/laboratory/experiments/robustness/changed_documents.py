"""A changing collection: documents removed, added again and duplicated; the effect on statistics and values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from toysearch.base.ranking import Ranking
from toysearch.base.records import Document, Qrels, Query, Run
from toysearch.evaluation.evaluate import evaluate
from toysearch.evaluation.result import Evaluation
from toysearch.index.inverted_index import Index
from toysearch.laboratory.experiments.robustness.alteration import seeded_random
from toysearch.laboratory.experiments.robustness.tested_system import Evaluations, Example, SystemsUnderTest
from toysearch.search.scoring import QueryTerms
from toysearch.search.searcher import Searcher

SHARES = (10, 30, 50)  # per cent
DOUBLED = 30  # per cent


class Drift(NamedTuple):
    """The statistics of a collection after a change."""

    state: str  # a description of the change
    # documents, terms: the number of documents and of distinct terms
    documents: int
    terms: int
    avgdl: float  # tokens per document
    df_change: float  # the mean relative change of df/N, up or down, over the query terms
    lost: int  # the number of query terms that no document contains any more


class RebuildCheck(NamedTuple):
    """Whether a changed index and its values are identical to those of a new build."""

    name: str
    what: str
    holds: bool


def changes(bench: SystemsUnderTest) -> dict[str, Any]:
    """Remove documents, add them again, duplicate some; measure the drift and check the indexes."""
    drifts = [drift("as it is", bench.index, bench.index, bench.terms)]
    checks: list[RebuildCheck] = []
    order = _removal_order(bench)
    if len(order) < 2:
        bench.skip("documents removed", "there is only one document")
        return {"drift": drifts, "checks": checks}
    for share in SHARES:
        number = _number(share, len(order))
        removed = _removed(bench, share, documents_removed(bench, share), checks)
        drifts.append(drift(f"{share} % removed", bench.index, removed, bench.terms))
        last = bench.documents[-number:]
        index = bench.index.delete([document.doc_id for document in last]).add(last)
        checks.append(_check(bench, f"the last {share} % removed and added", "the original", index, bench.documents)[0])
    doubled = _doubled(bench, sorted(order[: _number(DOUBLED, len(order))]))
    drifts.append(drift(f"{DOUBLED} % doubled", bench.index, doubled, bench.terms))
    return {"drift": drifts, "checks": checks}


def _removal_order(bench: SystemsUnderTest) -> list[int]:
    """The numbers of the documents in the order in which they are removed: the first 10 % are among the first 30 %."""
    order = list(range(len(bench.documents)))
    seeded_random(bench.seed, "documents removed").shuffle(order)
    return order


def documents_removed(bench: SystemsUnderTest, share: int) -> set[str]:
    """The documents among the first so many per cent in the order of removal."""
    order = _removal_order(bench)
    return {bench.documents[place].doc_id for place in order[: _number(share, len(order))]}


def _removed(bench: SystemsUnderTest, share: int, gone: set[str], checks: list[RebuildCheck]) -> Index:
    """The index without some documents; measured as it is, and with them added at the end."""
    kept = [document for document in bench.documents if document.doc_id not in gone]
    back = [document for document in bench.documents if document.doc_id in gone]
    where, text = f"document {back[0].doc_id}", back[0].text
    state, again = f"{share} % removed", f"{share} % added again"
    removed = bench.index.delete(gone)

    check, altered = _check(bench, state, "as built without them", removed, kept)
    checks.append(check)
    what = (
        f"{len(gone):,} of {len(bench.documents):,} documents are removed; relevant ones among them count as not found"
    )
    bench.record(state, what, Example(where, text, ""), altered)
    _of_those_left(bench, removed, gone, f"{state}, drift", Example(where, text, ""))

    check, altered = _check(bench, again, "as built in that order", removed.add(back), kept + back)
    checks.append(check)
    what = "they are added at the end: only ties can change their order"
    bench.record(again, what, Example(where, "", text), altered)
    return removed


def _check(
    bench: SystemsUnderTest, name: str, what: str, index: Index, documents: Sequence[Document]
) -> tuple[RebuildCheck, Evaluations]:
    """The check of a changed index against a new build of these documents, and its values."""
    found, built = bench.evaluations(index), bench.build(documents)
    anew = bench.evaluations(built)
    alike = all(anew[system].per_query == found[system].per_query for system in bench.models)
    return RebuildCheck(name, what, alike and same_index(index, built)), found


def _of_those_left(bench: SystemsUnderTest, index: Index, gone: set[str], name: str, example: Example) -> None:
    """Measure the effect of the drift of the statistics on the order of the remaining documents."""
    kept = [row for row in bench.collection.qrels if row.doc_id not in gone]
    answerable = {row.query_id for row in kept if bench.is_relevant(row.doc_id, row.relevance)}
    queries = [query for query in bench.queries if query.query_id in answerable]
    if not queries:
        bench.skip(name, "no relevant document remains")
        return
    qrels = Qrels.from_records(kept)
    what = "the remaining documents, ranked by the old statistics and by the new ones"
    before, after = _left_over(bench, gone, queries, qrels), bench.evaluations(index, queries, qrels)
    bench.record(name, what, example, after, before, [query.query_id for query in queries])


def _left_over(bench: SystemsUnderTest, gone: set[str], queries: list[Query], qrels: Qrels) -> dict[str, Evaluation]:
    """The evaluations of the original rankings without the removed documents."""
    found = {}
    for name, model in bench.models.items():
        run = Searcher(bench.index, model).run(queries, bench.k + len(gone))
        rankings = []
        for query_id in run.query_ids:
            left = [hit for hit in run.ranking(query_id) if hit.doc_id not in gone][: bench.k]
            rankings.append(Ranking(query_id, [hit.doc_id for hit in left], [hit.score for hit in left]))
        found[name] = evaluate(Run.from_rankings(rankings, name), qrels, bench.measures, threshold=bench.threshold)
    return found


def _doubled(bench: SystemsUnderTest, places: Sequence[int]) -> Index:
    """The index with copies of some documents, measured with the copies unjudged and judged as the originals."""
    taken, copies = set(bench.numbers), {}
    for document in (bench.documents[place] for place in places):
        doc_id = f"{document.doc_id}-copy"
        while doc_id in taken:
            doc_id += "-copy"
        taken.add(doc_id)
        copies[document.doc_id] = document._replace(doc_id=doc_id)
    index, original = bench.index.add(list(copies.values())), bench.documents[places[0]]
    example = Example(f"document {original.doc_id}", "", f"{copies[original.doc_id].doc_id}: {original.text}")
    judged = []
    for row in bench.collection.qrels:
        judged += [row, row._replace(doc_id=copies[row.doc_id].doc_id)] if row.doc_id in copies else [row]
    for name, what, qrels in (
        (f"{DOUBLED} % doubled", "unjudged copies of documents", None),
        (f"{DOUBLED} % doubled, judged", "the same copies, judged as their originals", Qrels.from_records(judged)),
    ):
        bench.record(name, what, example, bench.evaluations(index, qrels=qrels))
    return index


def _number(share: int, N: int) -> int:
    """The number of documents in a percentage, at least one."""
    return max(1, round(share * N / 100))


def same_index(one: Index, other: Index) -> bool:
    """Whether two indexes hold the same documents, terms and counts in the same order."""
    if list(one.doc_ids) != list(other.doc_ids) or list(one.terms) != list(other.terms):
        return False
    names = ("offsets", "cf", "dl", "distinct", "max_tf", "bytes")
    same = all(np.array_equal(getattr(one, name), getattr(other, name)) for name in names)
    return same and all(map(np.array_equal, one.blocks.span(), other.blocks.span()))


def drift(state: str, before: Index, after: Index, terms: Mapping[str, QueryTerms]) -> Drift:
    """The statistics of a changed index, and the change in those of the query terms."""
    moved, lost = [], 0
    for number in sorted({number for query in terms.values() for number in query.numbers.tolist()}):
        now = after.term_number(before.term(number))
        if now < 0:
            lost += 1
        else:
            was = before.df[number] / before.stats.N
            moved.append(abs(after.df[now] / after.stats.N / was - 1))
    change = float(np.mean(moved)) if moved else 0.0
    return Drift(state, after.stats.N, after.stats.n_terms, after.stats.avgdl, change, lost)
