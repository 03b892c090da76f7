"""A changing collection: documents removed, added again and duplicated; the effect on statistics and values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from toysearch.base import Document, Qrels
from toysearch.index.inverted_index import Index
from toysearch.laboratory.effects import Example, Variation, refused, study_variation
from toysearch.laboratory.experiments.robustness.alterations import StudiedSystems, seeded_random
from toysearch.laboratory.study import Study
from toysearch.search.scoring import QueryTerms

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
    lost_terms: int  # the number of query terms that no document contains any more


class RebuildCheck(NamedTuple):
    """Whether a changed index and its values are identical to those of a new build."""

    name: str
    what: str
    holds: bool


def changed_collections(
    studied: StudiedSystems, drifts: list[Drift], checks: list[RebuildCheck]
) -> Iterator[Variation]:
    """Remove documents, add them again, duplicate some; list the drift of the statistics, check the indexes."""
    study = studied.study
    index, documents = study.index, list(study.documents)
    drifts.append(drift("as it is", index, index, studied.terms))
    if len(documents) < 2:
        yield refused("documents removed", "there is only one document")
        return
    for share in SHARES:
        gone = documents_removed(studied, share)
        remaining = [document for document in documents if document.doc_id not in gone]
        back = [document for document in documents if document.doc_id in gone]
        where, text = f"document {back[0].doc_id}", back[0].text
        state, again = f"{share} % removed", f"{share} % added again"
        removed = study.with_(index=index.delete(gone))

        checks.append(_check(studied, state, "as built without them", removed, remaining))
        what = f"{len(gone):,} of {len(documents):,} documents are removed; relevant ones among them count as not found"
        yield _changed(state, what, removed, Example(where, text, ""))
        yield _drifted(studied, removed, gone, f"{state}, drift", Example(where, text, ""))

        restored = study.with_(index=removed.index.add(back))
        checks.append(_check(studied, again, "as built in that order", restored, remaining + back))
        what = "they are added at the end: only ties can change their order"
        yield _changed(again, what, restored, Example(where, "", text))

        drifts.append(drift(f"{share} % removed", index, removed.index, studied.terms))
        last = documents[-len(gone) :]
        restored = study.with_(index=index.delete([document.doc_id for document in last]).add(last))
        checks.append(_check(studied, f"the last {share} % removed and added", "the original", restored, documents))
    yield from _doubled(studied, drifts)


def _changed(name: str, what: str, changed: Study, example: Example) -> Variation:
    """A variation that is another study."""
    return study_variation(name, what, lambda _: changed, example)


def documents_removed(studied: StudiedSystems, share: int) -> set[str]:
    """The documents among the first so many per cent in the order of removal: the first 10 % are among 30 %."""
    doc_ids = [document.doc_id for document in studied.study.documents]
    seeded_random(studied.seed, "documents removed").shuffle(doc_ids)
    return set(doc_ids[: max(1, round(share * len(doc_ids) / 100))])


def _check(studied: StudiedSystems, name: str, what: str, changed: Study, documents: list[Document]) -> RebuildCheck:
    """The check of a changed index, and of the values measured on it, against a new build of these documents."""
    anew = studied.study.with_(documents=documents)
    alike = all(
        anew.evaluation(model, studied.measures).per_query == changed.evaluation(model, studied.measures).per_query
        for model in studied.models.values()
    )
    return RebuildCheck(name, what, alike and same_index(changed.index, anew.index))


def _drifted(studied: StudiedSystems, removed: Study, gone: set[str], name: str, example: Example) -> Variation:
    """The effect of the drift of the statistics on the order of the remaining documents."""
    what = "the remaining documents, ranked by the old statistics and by the new ones"
    rows = [row for row in studied.study.qrels if row.doc_id not in gone]
    answerable = {row.query_id for row in rows if studied.is_relevant(row.doc_id, row.relevance)}
    if not answerable:
        return refused(name, "no relevant document remains")
    queries = [query for query in studied.study.queries if query.query_id in answerable]
    qrels = Qrels.from_records(row for row in rows if row.query_id in answerable)
    before = studied.study.with_(queries=queries, scored=qrels, left_out=frozenset(gone))
    after = removed.with_(queries=queries, scored=qrels)
    return _changed(name, what, after, example)._replace(against=_changed("the old statistics", "", before, example))


def _doubled(studied: StudiedSystems, drifts: list[Drift]) -> Iterator[Variation]:
    """Copies of some documents, unjudged and judged as the originals."""
    study, chosen = studied.study, documents_removed(studied, DOUBLED)
    doc_ids, copies = set(studied.numbers), {}
    for document in study.documents:
        if document.doc_id in chosen:
            doc_id = f"{document.doc_id}-copy"
            while doc_id in doc_ids:
                doc_id += "-copy"
            doc_ids.add(doc_id)
            copies[document.doc_id] = document._replace(doc_id=doc_id)
    original, copy = next(iter(copies.items()))
    example = Example(f"document {original}", "", f"{copy.doc_id}: {copy.text}")
    judged = []
    for row in study.qrels:
        judged += [row, row._replace(doc_id=copies[row.doc_id].doc_id)] if row.doc_id in copies else [row]
    doubled, name = study.with_(index=study.index.add(list(copies.values()))), f"{DOUBLED} % doubled"
    drifts.append(drift(name, study.index, doubled.index, studied.terms))
    yield _changed(name, "unjudged copies of documents", doubled, example)
    as_originals = doubled.with_(scored=Qrels.from_records(judged))
    yield _changed(f"{name}, judged", "the same copies, judged as their originals", as_originals, example)


def same_index(one: Index, other: Index) -> bool:
    """Whether two indexes hold the same documents, terms and counts in the same order."""
    if list(one.doc_ids) != list(other.doc_ids) or list(one.terms) != list(other.terms):
        return False
    names = ("offsets", "cf", "dl", "distinct", "max_tf", "bytes")
    same = all(np.array_equal(getattr(one, name), getattr(other, name)) for name in names)
    return same and all(map(np.array_equal, one.blocks.span(), other.blocks.span()))


def drift(state: str, before: Index, after: Index, terms: Mapping[str, QueryTerms]) -> Drift:
    """The statistics of a changed index, and the change in those of the query terms."""
    moves, lost = [], 0
    for number in sorted({number for query in terms.values() for number in query.numbers.tolist()}):
        place = after.term_number(before.term(number))
        if place < 0:
            lost += 1
        else:
            share = before.df[number] / before.stats.N
            moves.append(abs(after.df[place] / after.stats.N / share - 1))
    change = float(np.mean(moves)) if moves else 0.0
    return Drift(state, after.stats.N, after.stats.n_terms, after.stats.avgdl, change, lost)
