"""What trec_eval prints where the judgments are preferences, or those of several people (its option -R)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from itertools import count
from pathlib import Path

import numpy as np

from toysearch.errors import DataError
from toysearch.evaluation.measures.preferences import preference_values
from toysearch.formats.annotator_qrels import COLUMNS, Groups, read_judgment_groups
from toysearch.formats.deviations import read_deviations
from toysearch.laboratory.reports.trec_eval_names import Line, asked
from toysearch.laboratory.reports.trec_eval_output import deviated, kept_of, over_all, printed, values
from toysearch.records import Qrels, Run

LAYOUTS = tuple(COLUMNS)
"""The formats of judgments of groups."""


def grouped_lines(
    run: Run,
    path: str | Path,
    layout: str,
    measures: Iterable[str] = (),
    *,
    version: str = "9",
    level: int = 1,
    complete: bool = False,
    per_query: bool = False,
    summary: bool = True,
    judged_only: bool = False,
    most: int | None = None,
    only: str | None = None,
    means: str | Path | None = None,
) -> Iterator[str]:
    r"""The lines that trec_eval prints for a run and judgments of groups.

    >>> import tempfile
    >>> run, file = Run.from_dict({"1": {"a": 2, "b": 1}}), Path(tempfile.mkdtemp()) / "judged.txt"
    >>> _ = file.write_text("1 ada a 1\n1 ada b 0\n1 ben a 0\n1 ben b 1\n")
    >>> for line in grouped_lines(run, file, "qrels_prefs", ["prefs_simp"]):
    ...     print(line.expandtabs(8))
    prefs_simp              all     0.5000
    >>> for line in grouped_lines(run, file, "qrels_jg", ["map_avgjg"]):
    ...     print(line.expandtabs(8))
    map_avgjg               all     0.7500
    """
    usual = "qrels_jg" if layout == "qrels_jg" else "prefs"
    lines = asked(measures or (usual,), version, layout)
    judgments = read_judgment_groups(path, layout)
    deviations = None if means is None else read_deviations(means)
    chosen = {query_id: groups for query_id, groups in judgments.items() if only in (None, query_id)}
    answered = {query_id for query_id in run.query_ids if len(run.doc_ids[run.rows(query_id)])}
    common = sorted(answered & chosen.keys())
    if not common and not (complete and version == "10" and chosen):
        raise DataError(
            "run and judgments have no query in common: the run has queries such as "
            f"'{next(iter(run.query_ids), '')}', the judgments such as '{next(iter(judgments), '')}'; the ids must be "
            "equal as texts"
        )
    shown = sorted(chosen) if complete and version == "10" else common
    if layout == "qrels_jg":
        rows = _over_groups(lines, run, {each: chosen[each] for each in shown}, version, level, judged_only, most)
    else:
        ranked = {query_id: _by_rising_id(run, query_id, version)[:most] for query_id in common}
        rows = {
            query_id: _preferences(lines, ranked.get(query_id, []), query_id, chosen[query_id]) for query_id in shown
        }
    if deviations is not None:
        rows = {query_id: deviated(row, query_id, lines, deviations) for query_id, row in rows.items()}
    prefix = "" if deviations is None else "Z"
    if per_query:
        for query_id in shown:
            for line in lines:
                if line.parts:
                    yield printed(line, query_id, rows[query_id][line.name], prefix)
    if summary:
        n_queries = len(chosen) if complete else len(common)
        for line in lines:
            if line.base == "runid":
                yield f"{'runid':<22}\tall\t{run.name}"
            else:
                column = [row[line.name] for row in rows.values()] if line.parts else []
                yield printed(line, "all", over_all(line, column, n_queries), prefix)


def _preferences(lines: list[Line], ranking: list[str], query_id: str, groups: Groups) -> dict[str, float]:
    try:
        found = preference_values(ranking, groups)
    except DataError as error:
        raise DataError(f"query '{query_id}', {error}") from error
    return {line.name: found[line.base] for line in lines if line.parts}


def _by_rising_id(run: Run, query_id: str, version: str) -> list[str]:
    """A query's documents by falling score, of equal scores by rising doc_id; of version 9, as 32-bit floats."""
    rows = run.rows(query_id)
    scores = run.scores[rows].astype(np.float32 if version == "9" else np.float64).tolist()
    pairs = sorted(zip(run.doc_ids[rows], scores, strict=True))
    return [doc_id for doc_id, _ in sorted(pairs, key=lambda pair: -pair[1])]


def _over_groups(
    lines: list[Line],
    run: Run,
    judgments: Mapping[str, Groups],
    version: str,
    level: int,
    judged_only: bool,
    most: int | None,
) -> dict[str, dict[str, float]]:
    """Query_id → line's name → the mean of the values by the judgments of each group."""
    totals: dict[str, dict[str, float]] = {query_id: {} for query_id in judgments}
    for place in count():  # the first group of each query that has one, the second, …
        grades = {
            query_id: {doc_id: float(math.trunc(grade)) for doc_id, grade in groups[sorted(groups)[place]]["0"].items()}
            for query_id, groups in judgments.items()
            if place < len(groups)
        }
        if not grades:
            break
        qrels = Qrels.from_dict(grades)
        found = values(lines, kept_of(run, qrels, most, judged_only, version), qrels, level, 0, list(grades))
        for query_id, row in found.items():
            for name, value in row.items():
                totals[query_id][name] = totals[query_id].get(name, 0.0) + value
    return {
        query_id: {name: total / len(judgments[query_id]) for name, total in row.items()}
        for query_id, row in totals.items()
    }
