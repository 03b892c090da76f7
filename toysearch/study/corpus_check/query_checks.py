"""Checks of queries, and of their judgments."""

from __future__ import annotations

from typing import Any

import numpy as np

from toysearch.base import Qrels, Remedy, counted, some, totals
from toysearch.collection.grades import apply_gains
from toysearch.evaluation.lint import EVERY_SPELLING, spelled_alike
from toysearch.study.corpus_check.raw_collection import (
    ERROR,
    INFO,
    LIKELY,
    MOST_ROWS,
    SURE,
    WARNING,
    CodeRanks,
    Finding,
    Findings,
    Material,
    Scale,
    ranks_by_code,
)

_CLEARLY = 2.0  # the ratio of average precision that makes a numbering clearly better
_BY_ACCIDENT = 0.05  # the average precision that wrong queries do not reach
_FEWEST = 10  # with fewer judged queries no comparison with wrong queries is made


def numbering(material: Material) -> Findings:
    """Findings on the numbers of queries in judgments: their ids or their positions in the file."""
    joins = dict[str, dict[str, Any]]()
    for name, (collection, codes) in material.numberings.items():
        query_ids = set(collection.queries.query_ids)
        merged = Qrels.from_dict(
            {query_id: qrels[query_id] for qrels in codes.values() for query_id in qrels.query_ids}
        )
        judged = material.at_places(merged, collection.queries.query_ids)
        rows = ranks_by_code(material.run, judged)
        share = sum(row.judgments * row.in_first_10 for row in rows) / max(1, sum(row.judgments for row in rows))
        positive = any(row.code > 0 for row in rows)
        ap = material.mean_average_precision(judged) if positive else 0.0
        met = sum(joined in query_ids for joined in merged.query_ids)
        joins[name] = {"joined by": name, "queries met": met, "in first 10": share, "AP (BM25)": ap}
    if len(joins) < 2 or material.collection is None:
        return
    by_id, by_place = (joins[name]["queries met"] for name in ("id", "place"))
    ids = {name: joined.queries.query_ids for name, (joined, _) in material.numberings.items()}
    if ids["id"] == ids["place"] or not by_place:
        return
    numbering = "place" if material.collection.queries.query_ids == ids["place"] else "id"
    better = max(joins, key=lambda name: (joins[name]["AP (BM25)"], joins[name]["queries met"]))
    if better != "place" and numbering != "place":
        return
    wrong = better != numbering and joins[better]["AP (BM25)"] > _CLEARLY * joins[numbering]["AP (BM25)"]
    both = f"{by_place} of {len(merged.query_ids)} judged queries have the number of a place, {by_id} that of an id"
    level = ERROR if wrong else INFO if material.recipe.number else WARNING
    how = {"id": "their ids", "place": "their places in the file"}
    worse = "id" if better == "place" else "place"
    yield Finding(
        level,
        f"the judgments count queries by {how[better]}, not by {how[worse]} ({both}); they are joined by "
        f"{how[numbering]}{', which gives rubbish' if wrong else ' here'}",
        [*joins.values()],
        "A join by the wrong numbers does not fail if both exist; it gives rubbish. State the right numbering.",
        settings={} if material.recipe.number == better else {"number": better},
    )


def unknown_queries(material: Material) -> Findings:
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
        cure = "They count as 0 in every mean. Is this the right file of queries, and the right set of judgments?"
        for how, pairs in spelled_alike(absent, queries.query_ids):
            if 2 * len(pairs) > len(absent):
                first, second = pairs[0]
                such = f"such as '{first}' and '{second}'"
                cure = f"{len(pairs)} of them differ from an id only in {how}, {such}: write them alike."
                break
        yield Finding(
            ERROR,
            f"{len(absent)} of {counted(len(judged), 'judged query', 'judged queries')} "
            f"{'has' if len(absent) == 1 else 'have'} no text: no query has that id",
            [{"judged": query_id} for query_id in absent[:MOST_ROWS]],
            cure,
        )


def empty_queries(material: Material) -> Findings:
    """Findings on queries that cannot match any document."""
    if material.collection is None or material.index is None:
        return
    index = material.index
    lost = [
        {"query": query_id, "judged": query_id in material.all_codes, "text": text[:60]}
        for query_id, text in material.collection.queries
        if not any(index.term_number(term) >= 0 for term in index.analyzer(text))
    ]
    if lost:
        judged = sum(bool(row["judged"]) for row in lost)
        yield Finding(
            WARNING,
            f"{counted(len(lost), 'query', 'queries')} without a term in any document, {judged} of them judged",
            lost[:MOST_ROWS],
            "They find nothing, and the judged ones count as 0. Are they misspelt, or is their text in another field?",
        )


def unjudged_queries(material: Material) -> Findings:
    """Findings on queries that nobody judged."""
    if material.collection is None or not material.codes:
        return
    queries = material.collection.queries
    unjudged = [query_id for query_id in queries.query_ids if query_id not in material.all_codes]
    if unjudged:
        yield Finding(
            WARNING,
            f"{len(unjudged)} of {counted(len(queries), 'query', 'queries')} "
            f"{'has' if len(unjudged) == 1 else 'have'} no judgments: {some(unjudged, 10)}",
            cure=f"Average over the {len(queries) - len(unjudged)} judged ones, as eval does here; over all "
            f"{len(queries)}, each figure would be {len(unjudged) / len(queries):.0%} lower.",
        )


def unrelated_judgments(material: Material) -> Findings:
    """Findings on judgments that fit other queries as well as their own."""
    judged = material.judged
    answerable = [query_id for query_id in judged.query_ids if max(judged[query_id].values()) > 0]
    if len(answerable) < _FEWEST:
        return
    answerable.sort(key=int)
    values = {}
    for shift in range(-2, 3):
        shifted = {
            query_id: judged[answerable[(place + shift) % len(answerable)]] for place, query_id in enumerate(answerable)
        }
        values[shift] = material.mean_average_precision(Qrels.from_dict(shifted))
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


_FEW = 0.05  # a share of judgments of missing documents that hardly changes figures


def missing_documents(material: Material) -> Findings:
    """Findings on judgments of documents that are not in the collection."""
    if material.index is None or material.census.refused:
        return
    doc_ids = {*material.index.doc_ids}
    absent = totals((doc_id, 1) for doc_id in material.all_codes.doc_ids if doc_id not in doc_ids)
    if not absent:
        return
    rows = sum(absent.values())
    share = rows / len(material.all_codes)
    hint = ""
    for _, ((judged, there), *_) in spelled_alike(absent, doc_ids, EVERY_SPELLING[:1]):
        hint = f" '{judged}' is there as '{there}': write ids alike."
    yield Finding(
        WARNING if share < _FEW else ERROR,
        f"{rows} of {len(material.all_codes)} judgments ({share:.1%}) are of {counted(len(absent), 'document')} that "
        "are not in the collection",
        [{"document": doc_id, "judgments": count} for doc_id, count in list(absent.items())[:MOST_ROWS]],
        f"A relevant one counts as not found for every system. Are documents missing, or is it another edition?{hint}",
    )


def nothing_relevant(material: Material) -> Findings:
    """Findings on judged queries for which nothing is relevant."""
    qrels, threshold = material.relevance, material.recipe.threshold
    without = [
        query_id
        for query_id in qrels.query_ids
        if not any(gain > 0 and gain >= threshold for gain in qrels[query_id].values())
    ]
    if without and len(without) < len(qrels.query_ids):
        yield Finding(
            WARNING,
            f"{counted(len(without), 'judged query has', 'judged queries have')} no relevant document (a gain of "
            f"{threshold:g} or more): {some(without)}",
            cure="They count as 0 in trec_eval, and are left out with "
            f"{Remedy('evaluate', undefined='nan')}. State which convention you use.",
        )


_LEVELS = 3  # the number of grades that form a scale
_COMMON = 0.4  # above this share of the judgments, a lowest grade does not distinguish
_MOST_GRADES = 50  # more distinct grades than any scale of relevance has


def direction(material: Material) -> Findings:
    """Findings on a scale that runs backwards: worse grades are ranked higher."""
    scale = material.scale
    if material.gains is None:
        if scale.chance < LIKELY:
            yield _backwards(scale, "the codes of the judgments", scale.gains(reverse=True))
        return
    gains_scale = material.scale_of_gains
    if gains_scale.chance < LIKELY:
        subject = f"the gains of grade mapping '{material.grades}'"
        yield _backwards(gains_scale, subject, scale.gains(reverse=scale.chance < LIKELY))
    elif scale.chance < LIKELY:
        what = f"the codes of the judgments run backwards; grade mapping '{material.grades}' reverses them"
        cure = "Nothing to do here; used directly as gains, they would reverse nDCG."
        yield Finding(INFO, what, _ranks(scale.ranks), cure)


def _backwards(scale: Scale, label: str, gains: dict[float, float]) -> Finding:
    low, high = (f"{code:g}" for code in (min(scale.backwards), max(scale.backwards)))
    by_chance = f"{scale.chance:.1g}" if scale.chance >= 1e-6 else "less than one in a million"
    level, seem = (ERROR, "run") if scale.chance < SURE else (WARNING, "seem to run")
    return Finding(
        level,
        f"{label} {seem} backwards: documents with {low} are ranked higher than those with {high} (plain BM25; by "
        f"accident with a chance of {by_chance})",
        _ranks(scale.ranks),
        f"Is {low} the best grade? Measures with gains, such as nDCG, then reward the weakest answers most. A "
        "grade mapping reverses the scale: see the collection.toml.",
        {"gains": gains, "odd": scale.odd},
    )


def odd_judgments(material: Material) -> Findings:
    """Findings on a code that each query has once and that is not on the scale."""
    scale = material.scale
    for code in scale.odd:
        doc_ids, last = [], 0  # one document of each query that has the code
        for query_id in material.all_codes.query_ids:
            codes = material.all_codes[query_id]
            doc_ids += [doc_id for doc_id, other in codes.items() if other == code]
            last += [*codes.values()][-1] == code
        row = next(rank for rank in scale.ranks if rank.code == code)
        is_mapped = material.gains is not None
        gain = (material.gains or {}).get(code)
        reading = "removed" if gain is None else f"gain {gain:g}"
        settled = f"; grade mapping '{material.grades}' reads it as {reading}" if is_mapped else ""
        positive = [grade for grade in scale.grades if grade > 0]
        readings = []
        for meaning, grade in (("not relevant", 0.0), ("relevant", max(positive))) if positive else ():
            plain = dict(scale.gains())
            gains = apply_gains(material.judged, {**plain, code: grade}, "codes")
            readings.append({f"code {code:g} read as": meaning, "AP (BM25)": material.mean_average_precision(gains)})
        yield Finding(
            INFO if is_mapped else WARNING,
            f"code {code:g} is not on the scale: {len(doc_ids)} of {len(material.all_codes.query_ids)} queries have "
            f"it, once each, {last} times as the last judgment; {len(set(doc_ids))} different documents, with a median "
            f"rank of {row.median_rank:g} under plain BM25{settled}",
            readings,
            "It may mark the source document of the query. No reading is certain, so state which one a "
            "figure uses; an evaluator that takes codes above 0 as relevant drops one below.",
            {} if is_mapped else {"gains": scale.gains(reverse=scale.chance < LIKELY), "odd": scale.odd},
        )


def lowest_grade(material: Material) -> Findings:
    """Findings on a scale whose lowest grade has a gain although it may mean not relevant."""
    scale = material.scale_of_gains
    rows = scale.ranks
    if len(rows) < 2 or scale.chance < LIKELY or rows[0].code <= 0 or rows[0].code < material.recipe.threshold:
        return
    lowest, second = rows[:2]
    share = lowest.judgments / sum(row.judgments for row in rows)
    lower = 2 * lowest.mean_reciprocal_rank < second.mean_reciprocal_rank
    suspicious = len(rows) >= _LEVELS and (share >= _COMMON or lower)
    order = ", and its documents are ranked far below those of the next" if lower else ""
    yield Finding(
        WARNING if suspicious else INFO,
        f"the lowest grade is {lowest.code:g}, and counts as relevant: nothing is judged not relevant; {share:.0%} of "
        f"the judgments have it{order}",
        _ranks(rows),
        f"If {lowest.code:g} means not relevant, its gain must be 0: otherwise a ranking of only such documents "
        "has a good nDCG. A grade mapping shifts the scale: see the collection.toml.",
        {"gains": scale.gains(shift=lowest.code), "odd": []} if suspicious and material.gains is None else {},
    )


def one_grade(material: Material) -> Findings:
    """Findings on judgments with a single grade, or without any relevant document."""
    grades = np.unique(material.relevance.relevance)
    if grades.size and grades[-1] <= 0:
        what = f"no grade of {counted(len(material.relevance), 'judgment')} is above 0: nothing is relevant"
        yield Finding(ERROR, what, cure="Is it another scale or another column?")
    elif grades.size == 1:
        what = f"all {len(material.relevance)} judgments have the grade {grades[0]:g}: relevance is yes or unjudged"
        cure = "nDCG cannot distinguish good from better, and Bpref has no judged non-relevant document to count."
        yield Finding(INFO, what, cure=cure)
    elif grades.size > _MOST_GRADES:
        what = f"{grades.size} different grades, from {grades[0]:g} to {grades[-1]:g}: more than any scale has"
        yield Finding(WARNING, what, cure="Are these the scores of a run? A run does not hold judgments.")


def fractions(material: Material) -> Findings:
    """Findings on grades between 0 and 1 below a threshold that nobody set."""
    grades = material.relevance.relevance
    below = grades[(grades > 0) & (grades < 1)]
    if below.size and material.recipe.threshold == 1.0:
        examples = some([f"{grade:g}" for grade in np.unique(below).tolist()])
        yield Finding(
            WARNING,
            f"{below.size} of {grades.size} grades lie between 0 and 1 ({examples}), and relevant means 1 or above: "
            "they have gains but do not count as relevant",
            cure="State the lowest relevant grade (threshold); 0.5 is the middle of such a scale.",
            settings={"threshold": 0.5},
        )


def _ranks(rows: list[CodeRanks]) -> list[dict[str, object]]:
    return [
        {name.replace("_", " "): value if np.isfinite(value) else None for name, value in row._asdict().items()}
        for row in rows
    ]
