"""Checks of the queries: their match with the judgments, missing text, and duplicates."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from toysearch.base import Qrels, Remedy, counted
from toysearch.laboratory.corpus_check.grade_scale import mean_average_precision, ranks_by_code
from toysearch.laboratory.corpus_check.raw_collection import ERROR, INFO, MOST_ROWS, WARNING, Finding, Material, some

_CLEARLY = 2.0  # the ratio of average precision that makes a numbering clearly better
_BY_ACCIDENT = 0.05  # the average precision that wrong queries do not reach
_FEWEST = 10  # with fewer judged queries no comparison with wrong queries is made
_SPELLINGS: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("in case", str.casefold),
    ("in leading zeros", lambda text: re.sub(r"(?<![0-9])0+(?=[0-9])", "", text)),
    ("in the text around the number", lambda text: re.sub(r"[^0-9]+", "", text)),
)


class _Join(NamedTuple):
    """The match of queries and judgments under one numbering."""

    numbering: str
    judged: int
    met: int
    in_first_10: float
    ap: float


def numbering(material: Material) -> Iterator[Finding]:
    """Findings on the numbers of queries in judgments: their ids or their positions in the file."""
    joins = {name: _join(material, name) for name in material.numberings}
    if len(joins) < 2 or material.collection is None:
        return
    by_id, by_place = joins["id"], joins["place"]
    ids = {name: joined.queries.query_ids for name, (joined, _) in material.numberings.items()}
    if ids["id"] == ids["place"] or not by_place.met:
        return
    numbering = "place" if material.collection.queries.query_ids == ids["place"] else "id"
    better = max(joins.values(), key=lambda join: (join.ap, join.met)).numbering
    if better != "place" and numbering != "place":
        return
    wrong = better != numbering and joins[better].ap > _CLEARLY * joins[numbering].ap
    both = f"{by_place.met} of {by_place.judged} judged queries have the number of a place, {by_id.met} that of an id"
    level = ERROR if wrong else INFO if material.recipe.number else WARNING
    how = {"id": "their ids", "place": "their places in the file"}
    yield Finding(
        level,
        f"the judgments count queries by {how[better]}, not by {how['id' if better == 'place' else 'place']} ({both}); "
        + (
            f"they are joined by {how[numbering]}, which gives rubbish"
            if wrong
            else f"they are joined by {how[numbering]} here"
        ),
        [
            {
                "joined by": join.numbering,
                "queries met": join.met,
                "in first 10": join.in_first_10,
                "AP (BM25)": join.ap,
            }
            for join in joins.values()
        ],
        "A join by the wrong numbers does not fail if both exist; it gives rubbish. State the right numbering.",
        settings={} if material.recipe.number == better else {"number": better},
    )


def _join(material: Material, name: str) -> _Join:
    collection, codes = material.numberings[name]
    query_ids = set(collection.queries.query_ids)
    merged = Qrels.from_dict({query_id: qrels[query_id] for qrels in codes.values() for query_id in qrels.query_ids})
    judged = material.at_places(merged, collection.queries.query_ids)
    rows = ranks_by_code(material.run, judged)
    share = sum(row.judgments * row.in_first_10 for row in rows) / max(1, sum(row.judgments for row in rows))
    positive = any(row.code > 0 for row in rows)
    ap = mean_average_precision(material.run, judged, min(1.0, material.recipe.threshold)) if positive else 0.0
    return _Join(name, len(merged.query_ids), sum(joined in query_ids for joined in merged.query_ids), share, ap)


def unknown_queries(material: Material) -> Iterator[Finding]:
    """Findings on judgments of queries that have no text."""
    if material.collection is None or not material.codes:
        return
    queries = material.collection.queries
    judged = material.all_codes.query_ids
    absent = [query_id for query_id in judged if queries.get(query_id) is None]
    if absent and not len(queries):
        what = f"{counted(len(judged), 'query is', 'queries are')} judged, but there is no file of queries"
        yield Finding(ERROR, what, cure="Add the file; without texts, nothing can be searched.")
    elif absent:
        yield Finding(
            ERROR,
            f"{len(absent)} of {counted(len(judged), 'judged query', 'judged queries')} "
            f"{'has' if len(absent) == 1 else 'have'} no text: no query has that id",
            [{"judged": query_id} for query_id in absent[:MOST_ROWS]],
            _spelling(absent, queries.query_ids)
            or "They count as 0 in every mean. Is this the right file of queries, and the right set of judgments?",
        )


def _spelling(absent: Sequence[str], query_ids: Sequence[str]) -> str:
    """The change of spelling under which most of the absent ids would match."""
    for what, plain in _SPELLINGS:
        by_plain = {plain(query_id): query_id for query_id in query_ids if plain(query_id)}
        pairs = [(query_id, by_plain[plain(query_id)]) for query_id in absent if plain(query_id) in by_plain]
        if 2 * len(pairs) > len(absent):
            first, second = pairs[0]
            such = f"such as '{first}' and '{second}'"
            return f"{len(pairs)} of them differ from an id only {what}, {such}: write them alike."
    return ""


def empty_queries(material: Material) -> Iterator[Finding]:
    """Findings on queries that cannot match any document."""
    if material.collection is None or material.index is None:
        return
    index = material.index
    lost = []
    for query_id, text in material.collection.queries:
        if not any(index.term_number(term) >= 0 for term in index.analyzer(text)):
            lost.append({"query": query_id, "judged": query_id in material.all_codes, "text": text[:60]})
    if lost:
        judged = sum(bool(row["judged"]) for row in lost)
        yield Finding(
            WARNING,
            f"{counted(len(lost), 'query', 'queries')} without a term in any document, {judged} of them judged",
            lost[:MOST_ROWS],
            "They find nothing, and the judged ones count as 0. Are they misspelt, or is their text in another field?",
        )


def unjudged_queries(material: Material) -> Iterator[Finding]:
    """Findings on queries that nobody judged, and on several sets of judgments for one file of queries."""
    if material.collection is None or not material.codes:
        return
    queries = material.collection.queries
    unjudged = [query_id for query_id in queries.query_ids if query_id not in material.all_codes]
    if len(material.codes) > 1:
        query_ids = set(material.collection.queries.query_ids) if material.collection else set()
        rows = [
            {"split": split, "judged queries": len(qrels.query_ids), "judgments": len(qrels)}
            for split, qrels in material.codes.items()
        ]
        judged_ids: set[str] = set()
        twice: set[str] = set()
        for qrels in material.codes.values():
            twice |= judged_ids & set(qrels.query_ids)
            judged_ids |= set(qrels.query_ids)
        shared = ""
        if twice:
            shared = f"; {counted(len(twice), 'query is', 'queries are')} in more than one, such as '{min(twice)}'"
        yield Finding(
            WARNING if twice else INFO,
            f"one file holds the {len(query_ids)} queries of {len(rows)} sets of judgments{shared}",
            rows,
            "Tune on one set and report on another; for queries in both, the answers are known."
            if twice
            else f"Means are over the queries of one set; {Remedy('load', split=...)} chooses it.",
        )
    if unjudged:
        yield Finding(
            WARNING,
            f"{len(unjudged)} of {counted(len(queries), 'query', 'queries')} "
            f"{'has' if len(unjudged) == 1 else 'have'} no judgments: {some(unjudged, 10)}",
            cure=f"Average over the {len(queries) - len(unjudged)} judged ones, as eval does here; over all "
            f"{len(queries)}, each figure would be {len(unjudged) / len(queries):.0%} lower.",
        )


def equal_queries(material: Material) -> Iterator[Finding]:
    """Findings on queries with the same text under several ids."""
    groups: dict[str, list[str]] = {}
    for query_id, text in material.collection.queries if material.collection else ():
        if text.strip():
            groups.setdefault(" ".join(text.casefold().split()), []).append(query_id)
    twice = [(text, query_ids) for text, query_ids in groups.items() if len(query_ids) > 1]
    if twice:
        yield Finding(
            WARNING,
            f"{counted(len(twice), 'query text stands', 'query texts stand')} under several ids",
            [{"queries": " = ".join(query_ids[:5]), "text": text[:60]} for text, query_ids in twice[:MOST_ROWS]],
            "They get the same ranking; different judgments contradict each other, and copies in two splits leak.",
        )


def unrelated_judgments(material: Material) -> Iterator[Finding]:
    """Findings on judgments that fit other queries as well as their own."""
    judged = material.judged
    answerable = [query_id for query_id in judged.query_ids if max(judged[query_id].values()) > 0]
    if len(answerable) < _FEWEST:
        return
    answerable.sort(key=int)
    values: dict[int, float] = {}
    for shift in range(-2, 3):
        shifted = {
            answerable[place]: judged[answerable[(place + shift) % len(answerable)]] for place in range(len(answerable))
        }
        values[shift] = mean_average_precision(
            material.run, Qrels.from_dict(shifted), min(1.0, material.recipe.threshold)
        )
    best = max(values, key=lambda shift: (values[shift], shift == 0))
    rows = [
        {"judgments taken from": f"{shift:+d} queries" if shift else "the query itself", "AP (BM25)": ap}
        for shift, ap in values.items()
    ]
    cure = "Compare a few queries with their relevant documents: `toysearch corpora show` shows one."
    second = max(ap for shift, ap in values.items() if shift != best)
    if best and values[best] > max(_CLEARLY * second, _BY_ACCIDENT):
        where = f"{counted(abs(best), 'query', 'queries')} {'before' if best > 0 else 'behind'} theirs"
        what = f"the judgments fit the query {where} far better: were lines lost, or the numbers counted from 0?"
        yield Finding(ERROR, what, rows, cure)
    elif best:
        what = "BM25 finds the relevant documents of a query no better than those of its neighbours"
        yield Finding(WARNING, what, rows, cure)
