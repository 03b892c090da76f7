"""Checks of the grades: which way the scale runs, what is not on it, what its lowest grade is worth."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from toysearch.corpus.grade_mapping import apply_gains
from toysearch.formats.text_files import counted
from toysearch.laboratory.corpus_check.finding import ERROR, INFO, WARNING, Finding, some
from toysearch.laboratory.corpus_check.grade_scale import LIKELY, SURE, Scale, scale_of
from toysearch.laboratory.corpus_check.judged_ranks_by_bm25 import CodeRanks, average_precision
from toysearch.laboratory.corpus_check.raw_collection import Material

_LEVELS = 3  # grades that make a scale
_COMMON = 0.4  # share of the judgments above which a lowest grade is no distinction
_MOST_GRADES = 50  # more distinct grades than any scale of relevance has


def direction(material: Material) -> Iterator[Finding]:
    """Findings on a scale that runs backwards: worse grades are ranked higher."""
    scale = material.scale
    if material.gains is None:
        if scale.chance < LIKELY:
            yield _backwards(scale, "the codes of the judgments", scale.gains(reverse=True))
        return
    used = scale_of(material.run, material.at_places(material.relevance), material.relevance)
    if used.chance < LIKELY:
        named = f"the gains of grade mapping '{material.grades}'"
        yield _backwards(used, named, scale.gains(reverse=scale.chance < LIKELY))
    elif scale.chance < LIKELY:
        what = f"the codes of the judgments run backwards; grade mapping '{material.grades}' turns them round"
        cure = "Nothing to do here; used as gains as they stand they would turn nDCG round."
        yield Finding(INFO, what, _ranks(scale.ranks), cure)


def _backwards(scale: Scale, named: str, gains: dict[float, float]) -> Finding:
    low, high = (f"{code:g}" for code in (min(scale.backwards), max(scale.backwards)))
    level, seem = (ERROR, "run") if scale.chance < SURE else (WARNING, "seem to run")
    return Finding(
        level,
        f"{named} {seem} backwards: documents with {low} are ranked higher than those with {high} (plain BM25; by "
        f"accident with a chance of {_shown(scale.chance)})",
        _ranks(scale.ranks),
        f"Is {low} the best grade? Measures with gains, such as nDCG, then reward the weakest answers most. A "
        "grade mapping turns the scale round: see the collection.toml.",
        {"gains": gains, "odd": scale.odd},
    )


def odd_judgments(material: Material) -> Iterator[Finding]:
    """Findings on a code that each query has once and that is not on the scale."""
    scale = material.scale
    for code in scale.odd:
        doc_ids, last, n_queries = [], 0, 0
        for query_id in material.all_codes.query_ids:
            rows = list(material.all_codes[query_id].items())
            found = [doc_id for doc_id, each in rows if each == code]
            n_queries += bool(found)
            doc_ids += found
            last += rows[-1][1] == code
        row = next(each for each in scale.ranks if each.code == code)
        read = material.gains is not None
        settled = f"; grade mapping '{material.grades}' reads it as {_reading(material, code)}" if read else ""
        yield Finding(
            INFO if read else WARNING,
            f"code {code:g} is not on the scale: {n_queries} of {len(material.all_codes.query_ids)} queries have it, "
            f"once each, {last} times as the last judgment; {len(set(doc_ids))} different documents, with a median "
            f"rank of {row.median_rank:g} under plain BM25{settled}",
            _readings(material, code),
            "It may mark the document from which the query was written. No reading is the truth, so say which one a "
            "figure uses; an evaluator that takes codes above 0 as relevant drops one below.",
            {} if read else {"gains": scale.gains(reverse=scale.chance < LIKELY), "odd": scale.odd},
        )


def _reading(material: Material, code: float) -> str:
    gain = (material.gains or {}).get(code)
    return "removed" if gain is None else f"gain {gain:g}"


def _readings(material: Material, code: float) -> list[dict[str, object]]:
    """Average precision with an odd code read as not relevant and as relevant."""
    plain: dict[float, float | None] = dict(material.scale.gains())
    grades = [grade for grade in material.scale.grades if grade > 0]
    rows: list[dict[str, object]] = []
    for reading, gain in (("not relevant", 0.0), ("relevant", max(grades))) if grades else ():
        gains = apply_gains(material.judged, {**plain, code: gain}, "codes")
        ap = average_precision(material.run, gains, min(1.0, material.recipe.threshold))
        rows.append({f"code {code:g} read as": reading, "AP (BM25)": ap})
    return rows


def lowest_grade(material: Material) -> Iterator[Finding]:
    """Findings on a scale whose lowest grade gains something, though it may mean: not relevant."""
    scale = scale_of(material.run, material.at_places(material.relevance), material.relevance)
    rows = scale.ranks
    if len(rows) < _LEVELS or scale.chance < LIKELY or rows[0].code <= 0 or rows[0].code < material.recipe.threshold:
        return
    share = rows[0].judgments / sum(row.judgments for row in rows)
    lower = 2 * rows[0].mean_reciprocal_rank < rows[1].mean_reciprocal_rank
    suspicious = share >= _COMMON or lower
    yield Finding(
        WARNING if suspicious else INFO,
        f"the lowest grade is {rows[0].code:g}, and counts as relevant: nothing is judged not relevant; {share:.0%} of "
        "the judgments have it" + (", and its documents are ranked far below those of the next" if lower else ""),
        _ranks(rows),
        f"If {rows[0].code:g} means not relevant, it must gain 0: otherwise a ranking of nothing but such documents "
        "has a good nDCG. A grade mapping shifts the scale: see the collection.toml.",
        {"gains": scale.gains(shift=rows[0].code), "odd": []} if suspicious and material.gains is None else {},
    )


def one_grade(material: Material) -> Iterator[Finding]:
    """Findings on judgments that cannot tell more than relevant or not, or not even that."""
    grades = np.unique(material.relevance.relevance)
    if grades.size and grades[-1] <= 0:
        what = f"no grade of {counted(len(material.relevance), 'judgment')} is above 0: nothing is relevant"
        yield Finding(ERROR, what, cure="Is it another scale, or another column?")
    elif grades.size == 1:
        what = f"all {len(material.relevance)} judgments have the grade {grades[0]:g}: relevance is yes or unjudged"
        cure = "nDCG cannot tell good from better, and Bpref has no judged non-relevant document to count."
        yield Finding(INFO, what, cure=cure)
    elif grades.size > _MOST_GRADES:
        what = f"{grades.size} different grades, from {grades[0]:g} to {grades[-1]:g}: more than any scale has"
        yield Finding(WARNING, what, cure="Are these the scores of a run? A run is no judgment.")


def fractions(material: Material) -> Iterator[Finding]:
    """Findings on grades between 0 and 1 that do not reach the threshold, where nobody set one."""
    grades = material.relevance.relevance
    below = grades[(grades > 0) & (grades < 1)]
    if below.size and material.recipe.threshold == 1.0:
        shown = some([f"{grade:g}" for grade in np.unique(below).tolist()])
        yield Finding(
            WARNING,
            f"{below.size} of {grades.size} grades lie between 0 and 1 ({shown}), and relevant means 1 or above: "
            "they gain, but do not count as relevant",
            cure="Say from which grade on a document is relevant; 0.5 is the middle of such a scale.",
            settings={"threshold": 0.5},
        )


def _ranks(rows: list[CodeRanks]) -> list[dict[str, object]]:
    return [
        {
            "code": row.code,
            "judgments": row.judgments,
            "queries": row.queries,
            "in first 10": row.in_first_10,
            "mean reciprocal rank": row.mean_reciprocal_rank,
            "median rank": row.median_rank if np.isfinite(row.median_rank) else None,
        }
        for row in rows
    ]


def _shown(chance: float) -> str:
    return f"{chance:.1g}" if chance >= 1e-6 else "less than one in a million"
