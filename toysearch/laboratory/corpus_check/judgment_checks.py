"""Checks of the judgments: columns, repeated pairs, missing documents, and the scale of the grades."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path

import numpy as np

from toysearch.base import DataError, Problems, Remedy, counted
from toysearch.corpus.collection import apply_gains
from toysearch.formats import numbered_lines
from toysearch.formats.column_names import rows_of
from toysearch.formats.detection import what_is
from toysearch.laboratory.corpus_check.grade_scale import (
    LIKELY,
    SURE,
    CodeRanks,
    Scale,
    mean_average_precision,
    scale_of,
)
from toysearch.laboratory.corpus_check.raw_collection import (
    ERROR,
    INFO,
    MOST_ROWS,
    WARNING,
    Finding,
    Material,
    files_of,
    some,
)

_PLACES = {"trec": (0, 2, 3), "three": (0, 1, 2)}
"""The columns of query, document and grade, by the layout of a file without a header."""

_FEW = 0.05  # a share of judgments of missing documents that hardly changes figures


def constant_columns(material: Material) -> Iterator[Finding]:
    """Findings on columns with the same value on every line where a grade is expected."""
    for file, path in files_of(material, "qrels"):
        if file.split not in material.codes or what_is(path).layout != "smart":
            continue
        ends = {tuple(columns[2:]) for _, columns in _columns(path)}
        if len(ends) == 1:
            yield Finding(
                INFO,
                f"{path.name} has no grades: its last columns are {' and '.join(*ends)} on every line; each line is "
                "read as a relevant pair, query and document",
                [{"line": number, "columns": " ".join(columns)} for number, columns in islice(_columns(path), 2)],
                "A reader of the four TREC columns would read a constant document and the grade 0.",
            )


def _columns(path: Path) -> Iterator[tuple[int, list[str]]]:
    for number, line in numbered_lines(path):
        if columns := line.split():
            yield number, columns


def pairs_twice(material: Material) -> Iterator[Finding]:
    """Findings on pairs of query and document that are judged more than once in a file."""
    for file, path in files_of(material, "qrels"):
        rows = _second_judgments(path, file.columns)
        if rows:
            differ = sum(row["first grade"] != row["second grade"] for row in rows)
            yield Finding(
                ERROR if differ else INFO,
                f"{path}: {counted(len(rows), 'pair is', 'pairs are')} judged a second time, {differ} with another "
                "grade",
                sorted(rows, key=lambda row: row["first grade"] == row["second grade"])[:MOST_ROWS],
                "Keep one line per pair; if grades differ, decide which one holds." if differ else "Each counts once.",
            )


def _second_judgments(path: Path, columns: Mapping[str, str]) -> list[dict[str, str]]:
    """The lines that judge a pair again."""
    pairs: dict[tuple[str, str], tuple[int, str]] = {}
    rows = []
    with contextlib.suppress(DataError):  # reported by the check that reads all files
        for line, query_id, doc_id, code in _given(path, columns):
            first, before = pairs.setdefault((query_id, doc_id), (line, code))
            if first != line:
                pair = {"query": query_id, "document": doc_id, "lines": f"{first} and {line}"}
                rows.append({**pair, "first grade": before, "second grade": code})
    return rows


def _given(path: Path, columns: Mapping[str, str]) -> Iterator[tuple[int, str, str, str]]:
    """Line, query, document and grade of each readable judgment; nothing for votes."""
    layout = what_is(path, {"qrels": columns}).layout
    if layout == "table":
        for row in rows_of(path, ("relevance", "vote", "score"), "judgments", Problems(path), columns):
            if row.by != "vote":  # several users may vote on one pair
                yield row.line, row.query_id, row.doc_id, row.value
        return
    places = _PLACES.get(layout or "", ())
    for line, cells in _columns(path) if places else ():
        if len(cells) > max(places):
            query_id, doc_id, code = (cells[place] for place in places)
            yield line, query_id, doc_id, code


def missing_documents(material: Material) -> Iterator[Finding]:
    """Findings on judgments of documents that are not in the collection."""
    if material.index is None or material.census.refused:
        return
    doc_ids = set(material.index.doc_ids.take(range(len(material.index.doc_ids))))
    absent: dict[str, int] = {}
    for doc_id in material.all_codes.doc_ids:
        if doc_id not in doc_ids:
            absent[doc_id] = absent.get(doc_id, 0) + 1
    if not absent:
        return
    rows = sum(absent.values())
    share = rows / len(material.all_codes)
    folded = {doc_id.casefold(): doc_id for doc_id in doc_ids}
    alike = [(doc_id, folded[doc_id.casefold()]) for doc_id in absent if doc_id.casefold() in folded]
    hint = f" '{alike[0][0]}' is there as '{alike[0][1]}': write ids alike." if alike else ""
    yield Finding(
        WARNING if share < _FEW else ERROR,
        f"{rows} of {len(material.all_codes)} judgments ({share:.1%}) are of {counted(len(absent), 'document')} that "
        "are not in the collection",
        [{"document": doc_id, "judgments": count} for doc_id, count in list(absent.items())[:MOST_ROWS]],
        f"A relevant one counts as not found for every system. Are documents missing, or is it another edition?{hint}",
    )


def nothing_relevant(material: Material) -> Iterator[Finding]:
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


def direction(material: Material) -> Iterator[Finding]:
    """Findings on a scale that runs backwards: worse grades are ranked higher."""
    scale = material.scale
    if material.gains is None:
        if scale.chance < LIKELY:
            yield _backwards(scale, "the codes of the judgments", scale.gains(reverse=True))
        return
    gains_scale = scale_of(material.run, material.at_places(material.relevance), material.relevance)
    if gains_scale.chance < LIKELY:
        subject = f"the gains of grade mapping '{material.grades}'"
        yield _backwards(gains_scale, subject, scale.gains(reverse=scale.chance < LIKELY))
    elif scale.chance < LIKELY:
        what = f"the codes of the judgments run backwards; grade mapping '{material.grades}' reverses them"
        cure = "Nothing to do here; used directly as gains, they would reverse nDCG."
        yield Finding(INFO, what, _ranks(scale.ranks), cure)


def _backwards(scale: Scale, label: str, gains: dict[float, float]) -> Finding:
    low, high = (f"{code:g}" for code in (min(scale.backwards), max(scale.backwards)))
    level, seem = (ERROR, "run") if scale.chance < SURE else (WARNING, "seem to run")
    return Finding(
        level,
        f"{label} {seem} backwards: documents with {low} are ranked higher than those with {high} (plain BM25; by "
        f"accident with a chance of {_shown(scale.chance)})",
        _ranks(scale.ranks),
        f"Is {low} the best grade? Measures with gains, such as nDCG, then reward the weakest answers most. A "
        "grade mapping reverses the scale: see the collection.toml.",
        {"gains": gains, "odd": scale.odd},
    )


def odd_judgments(material: Material) -> Iterator[Finding]:
    """Findings on a code that each query has once and that is not on the scale."""
    scale = material.scale
    for code in scale.odd:
        doc_ids, last, n_queries = [], 0, 0
        for query_id in material.all_codes.query_ids:
            rows = list(material.all_codes[query_id].items())
            odd_ids = [doc_id for doc_id, rank in rows if rank == code]
            n_queries += bool(odd_ids)
            doc_ids += odd_ids
            last += rows[-1][1] == code
        row = next(rank for rank in scale.ranks if rank.code == code)
        is_mapped = material.gains is not None
        gain = (material.gains or {}).get(code)
        reading = "removed" if gain is None else f"gain {gain:g}"
        settled = f"; grade mapping '{material.grades}' reads it as {reading}" if is_mapped else ""
        yield Finding(
            INFO if is_mapped else WARNING,
            f"code {code:g} is not on the scale: {n_queries} of {len(material.all_codes.query_ids)} queries have it, "
            f"once each, {last} times as the last judgment; {len(set(doc_ids))} different documents, with a median "
            f"rank of {row.median_rank:g} under plain BM25{settled}",
            _readings(material, code),
            "It may mark the source document of the query. No reading is certain, so state which one a "
            "figure uses; an evaluator that takes codes above 0 as relevant drops one below.",
            {} if is_mapped else {"gains": scale.gains(reverse=scale.chance < LIKELY), "odd": scale.odd},
        )


def _readings(material: Material, code: float) -> list[dict[str, object]]:
    """Average precision with an odd code read as not relevant and as relevant."""
    plain: dict[float, float | None] = dict(material.scale.gains())
    grades = [grade for grade in material.scale.grades if grade > 0]
    rows: list[dict[str, object]] = []
    for reading, gain in (("not relevant", 0.0), ("relevant", max(grades))) if grades else ():
        gains = apply_gains(material.judged, {**plain, code: gain}, "codes")
        ap = mean_average_precision(material.run, gains, min(1.0, material.recipe.threshold))
        rows.append({f"code {code:g} read as": reading, "AP (BM25)": ap})
    return rows


def lowest_grade(material: Material) -> Iterator[Finding]:
    """Findings on a scale whose lowest grade has a gain although it may mean not relevant."""
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
        f"If {rows[0].code:g} means not relevant, its gain must be 0: otherwise a ranking of only such documents "
        "has a good nDCG. A grade mapping shifts the scale: see the collection.toml.",
        {"gains": scale.gains(shift=rows[0].code), "odd": []} if suspicious and material.gains is None else {},
    )


def one_grade(material: Material) -> Iterator[Finding]:
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


def fractions(material: Material) -> Iterator[Finding]:
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
