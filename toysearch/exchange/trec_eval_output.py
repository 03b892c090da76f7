"""The output of trec_eval for the same files and flags, character by character; the numbers are computed here."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import compress, count
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from toysearch import evaluate
from toysearch.base import DataError, Qrels, Run, note, trec_eval_order
from toysearch.evaluation import preference_values
from toysearch.evaluation.measures.measure import Measure
from toysearch.exchange.trec_eval_names import COUNTS, GEOMETRIC, Line, asked
from toysearch.formats import COLUMNS, Groups, read_deviations, read_judgment_groups

_FLOOR = 1e-5  # the least value in a geometric mean, so that one 0 does not make the mean 0
_MISSING = -1_000_000.0  # the deviation if the mean is unknown
_NOBODYS = "ceci_nest_pas_un_docno"  # the document that version 10 adds for a missing query

Deviations = Mapping[tuple[str, str], tuple[float, float]]
"""Query_id and name of a measure → mean and standard deviation of a reference set of runs."""


class Flags(NamedTuple):
    """The flags of trec_eval.

    version: what is imitated, "9" or "10"; level: the lowest relevant grade; most: the number of documents per query
    that count; size: documents in the collection; only: the single query that is evaluated; means: the file of means
    and deviations.
    """

    version: str = "9"
    level: int = 1
    complete: bool = False
    per_query: bool = False
    summary: bool = True
    judged_only: bool = False
    most: int | None = None
    size: int = 0
    only: str | None = None
    means: str | Path | None = None


LAYOUTS = tuple(COLUMNS)
"""The formats of judgments of groups."""

_USUAL = {"qrels": "official", "qrels_jg": "qrels_jg"}
"""Format of judgments → set of measures, where it is not prefs."""


def trec_eval_lines(
    run: Run, judgments: Qrels | str | Path, measures: Iterable[str] = (), layout: str = "qrels", **flags: Any
) -> Iterator[str]:
    r"""The lines that trec_eval prints for a run and judgments, or a file with judgments of groups; flags: `Flags`.

    >>> run = Run.from_dict({"1": {"a": 2, "b": 1}}, name="mine")
    >>> for line in trec_eval_lines(run, Qrels.from_dict({"1": {"b": 1}}), ["map", "num_ret"], per_query=True):
    ...     print(line.expandtabs(8))
    num_ret                 1       2
    map                     1       0.5000
    num_ret                 all     2
    map                     all     0.5000
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "judged.txt"
    >>> _ = file.write_text("1 ada a 1\n1 ada b 0\n1 ben a 0\n1 ben b 1\n")
    >>> for line in trec_eval_lines(run, file, ["prefs_simp"], "qrels_prefs"):
    ...     print(line.expandtabs(8))
    prefs_simp              all     0.5000
    >>> for line in trec_eval_lines(run, file, ["map_avgjg"], "qrels_jg"):
    ...     print(line.expandtabs(8))
    map_avgjg               all     0.7500
    """
    how = Flags(**flags)
    lines = asked(measures or (_USUAL.get(layout, "prefs"),), how.version, layout)
    qrels = _whole(judgments) if isinstance(judgments, Qrels) else None
    groups = {} if isinstance(judgments, Qrels) else read_judgment_groups(judgments, layout)
    deviations = None if how.means is None else read_deviations(how.means)
    judged = list(groups if qrels is None else qrels.query_ids)
    chosen = [query_id for query_id in judged if how.only in (None, query_id)]
    answered = set(compress(run.query_ids, np.diff(run.offsets)))
    common = sorted(answered.intersection(chosen))
    whole = how.complete and how.version == "10"
    if not common and not (whole and chosen):
        raise DataError(
            "run and judgments have no query in common: the run has queries such as "
            f"'{next(iter(run.query_ids), '')}', the judgments such as '{next(iter(judged), '')}'; the ids "
            "must be equal as texts"
        )
    shown = sorted(chosen) if whole else common
    added = [query_id for query_id in shown if query_id not in answered]
    kept = run
    if qrels is not None:
        kept = kept_of(run, qrels, how)
        if not kept.ranked and any(line.base == "relstring" for line in lines):
            kept = trec_eval_order(kept)
        rows = values(lines, _with_nobodys(kept, added, how.judged_only), qrels, how, shown)
        for query_id in added:
            rows[query_id] |= {line.name: 0.0 for line in lines if _is_cleared(line)}
    elif layout == "qrels_jg":
        rows = _over_groups(lines, run, {query_id: groups[query_id] for query_id in shown}, how)
    else:
        ranked = {query_id: _by_rising_id(run, query_id, how.version)[: how.most] for query_id in common}
        rows = {
            query_id: _preferences(lines, ranked.get(query_id, []), query_id, groups[query_id]) for query_id in shown
        }
    if deviations is not None:
        rows = {query_id: deviated(row, query_id, lines, deviations) for query_id, row in rows.items()}
    prefix = "" if deviations is None else "Z"
    if how.per_query:
        for query_id in shown:
            for line in lines:
                if line.base == "relstring" and qrels is not None:
                    cleared = query_id in added and not line.given
                    signs = "" if cleared else _relevance_string(kept, qrels, query_id, int(line.number))
                    yield f"{line.name:<22}\t{query_id}\t'{signs}'"
                elif line.parts and line.base not in GEOMETRIC:
                    yield printed(line, query_id, rows[query_id][line.name], prefix)
    if how.summary:
        n_queries = len(common) if not how.complete else len(chosen if qrels is None else judged)
        for line in lines:
            if line.base == "runid":
                yield f"{'runid':<22}\tall\t{run.name}"
            elif line.base == "num_rel" and how.complete and qrels is not None:
                # As in trec_eval: over all judged queries, whatever the level.
                yield printed(line, "all", float((qrels.relevance > 0).sum()), prefix)
            elif line.base != "relstring":
                column = [row[line.name] for row in rows.values()] if line.parts else []
                yield printed(line, "all", over_all(line, column, n_queries), prefix)


def values(lines: list[Line], kept: Run, qrels: Qrels, how: Flags, shown: list[str]) -> dict[str, dict[str, float]]:
    """Query_id → name of a line → value; for a geometric mean, the logarithm of the value."""
    ours = dict.fromkeys(text for line in lines for _, text in line.parts)
    ours |= dict.fromkeys(["NumRet", "NumRel", "NumRelRet", "Judged"])
    measured = evaluate(kept, qrels, list(ours), threshold=how.level).per_query
    names = {text: str(Measure.parse(text)) for text in ours}
    of_queries = [measured[query_id] for query_id in shown]
    lines = [
        line._replace(parts=tuple((weight, names[text]) for weight, text in line.parts)) for line in lines if line.parts
    ]
    columns = [_column(line, of_queries, how.size) for line in lines]
    texts = [line.name for line in lines]
    return {query_id: dict(zip(texts, row, strict=True)) for query_id, *row in zip(shown, *columns, strict=True)}


def _column(line: Line, of_queries: Sequence[Mapping[str, float]], size: int) -> list[float]:
    """The values of a line, one per query."""
    column = [0.0] * len(of_queries)
    for weight, name in line.parts:
        column = [value + weight * found[name] for value, found in zip(column, of_queries, strict=True)]
    if line.base in GEOMETRIC:
        return [math.log(max(value, _FLOOR)) for value in column]
    if line.base == "utility" and line.number:
        others = [size + found["NumRelRet"] - found["NumRet"] - found["NumRel"] for found in of_queries]
        return [value + line.number * count for value, count in zip(column, others, strict=True)]
    if line.base == "rbp_resid":  # as in trec_eval: 0 if all retrieved are judged
        return [0.0 if found["Judged"] == 1 else value for value, found in zip(column, of_queries, strict=True)]
    return column


def _is_cleared(line: Line) -> bool:
    """Whether version 10 sets a line to 0 for a query that the run lacks, where its added document would change it."""
    return line.base in ("num_ret", "unj") or (line.base in ("utility", "rbp_resid") and not line.given)


def deviated(row: dict[str, float], query_id: str, lines: list[Line], deviations: Deviations) -> dict[str, float]:
    """The values as deviations from the means, in units of the standard deviations."""
    changed = {}
    for line in lines:
        if line.name in row:
            value = row[line.name]
            mean, deviation = deviations.get((query_id, line.name), (math.nan, 0.0))
            if deviation:
                changed[line.name] = (value - mean) / deviation
            else:
                changed[line.name] = 0.0 if value == mean else _MISSING
    return changed


def _relevance_string(kept: Run, qrels: Qrels, query_id: str, length: int) -> str:
    """A sign for each of the first documents: its grade, > above 9, - if unjudged, . if in the pool and not judged."""
    if query_id not in kept.query_ids:
        return "-"[:length]
    grades = qrels[query_id]
    signs = []
    for doc_id in kept.doc_ids_of(query_id)[:length]:
        grade = grades.get(doc_id)
        signs.append("-" if grade is None else "." if grade < 0 else ">" if grade > 9 else f"{grade:.0f}")
    return "".join(signs)


def _whole(qrels: Qrels) -> Qrels:
    """The judgments with the grades that trec_eval reads: whole numbers."""
    whole = np.trunc(qrels.relevance)
    fractions = qrels.relevance[whole != qrels.relevance]
    if not fractions.size:
        return qrels
    note(
        f"{fractions.size} of {len(qrels)} grades are fractions, such as {fractions[0]:g}, which trec_eval truncates "
        f"to {np.trunc(fractions[0]):g}, as is done here; `toysearch eval` takes them as they are"
    )
    return qrels.with_grades(whole)


def kept_of(run: Run, qrels: Qrels, how: Flags) -> Run:
    """The documents that count: the first ones in the order of trec_eval, and of these the judged ones."""
    if how.version == "9" and how.most is None and not how.judged_only and not run.ranked:
        return run  # which `evaluate` puts in that order
    ordered = trec_eval_order(run) if how.version == "9" else in_full(run)
    if how.most is None and not how.judged_only:
        return ordered
    query_ids, offsets, rows = [], [0], []
    for query_id in ordered.query_ids:
        grades = qrels[query_id] if how.judged_only else {}
        first = range(*ordered.rows(query_id).indices(len(ordered)))[: how.most]
        rows += [row for row in first if not how.judged_only or grades.get(ordered.doc_ids[row], -1) >= 0]
        query_ids.append(query_id)
        offsets.append(len(rows))
    doc_ids = [ordered.doc_ids[row] for row in rows]
    return Run(query_ids, offsets, doc_ids, ordered.scores[rows], run.name, ranked=True)


def in_full(run: Run) -> Run:
    """The run in the order of version 10: as in version 9, but scores are 64-bit floats."""
    rows: list[int] = []
    for query_id in run.query_ids:
        own = list(range(*run.rows(query_id).indices(len(run))))
        own.sort(key=run.doc_ids.__getitem__, reverse=True)
        own.sort(key=run.scores.__getitem__, reverse=True)
        rows += own
    doc_ids = [run.doc_ids[row] for row in rows]
    return Run(run.query_ids, run.offsets, doc_ids, run.scores[rows], run.name, ranked=True)


def _with_nobodys(kept: Run, missing: list[str], judged_only: bool) -> Run:
    """The run in which each missing query has one unjudged document."""
    if not missing or judged_only:
        return kept
    there = [query_id for query_id in kept.query_ids if query_id not in missing]
    rankings = {query_id: kept.doc_ids_of(query_id) for query_id in there} | {each: [_NOBODYS] for each in missing}
    offsets = np.cumsum([0, *map(len, rankings.values())])
    doc_ids = [doc_id for ranking in rankings.values() for doc_id in ranking]
    places = np.arange(len(doc_ids), 0, -1, dtype=np.float64)
    return Run(list(rankings), offsets, doc_ids, places, kept.name, ranked=True)


def over_all(line: Line, column: list[float], n_queries: int) -> float:
    """The value for all queries, added up one after the other as in trec_eval."""
    if line.base == "num_q":
        return n_queries
    total = 0.0
    for value in column:
        total += value
    if line.base in COUNTS:
        return total
    if line.base in GEOMETRIC:
        return math.exp((total + (n_queries - len(column)) * math.log(_FLOOR)) / n_queries)
    return total / n_queries


def printed(line: Line, query_id: str, value: float, prefix: str) -> str:
    """A line as it is printed; deviations have a prefix, and are never whole numbers."""
    shown = f"{value:.0f}" if line.base in COUNTS and not prefix else f"{value:6.4f}"
    return f"{prefix}{line.name:<22}\t{query_id}\t{shown}"


def _preferences(lines: list[Line], ranking: list[str], query_id: str, groups: Groups) -> dict[str, float]:
    try:
        found = preference_values(ranking, groups)
    except DataError as error:
        raise DataError(f"query '{query_id}', {error}") from error
    return {line.name: found[line.base] for line in lines if line.parts}


def _by_rising_id(run: Run, query_id: str, version: str) -> list[str]:
    """The documents of a query by descending score, then ascending doc_id; in version 9, scores are 32-bit floats."""
    rows = run.rows(query_id)
    scores = run.scores[rows].astype(np.float32 if version == "9" else np.float64).tolist()
    pairs = sorted(zip(run.doc_ids[rows], scores, strict=True))
    return [doc_id for doc_id, _ in sorted(pairs, key=lambda pair: -pair[1])]


def _over_groups(
    lines: list[Line],
    run: Run,
    judgments: Mapping[str, Groups],
    how: Flags,
) -> dict[str, dict[str, float]]:
    """Query_id → name of a line → mean of the values by the judgments of each group."""
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
        found = values(lines, kept_of(run, qrels, how), qrels, how._replace(size=0), list(grades))
        for query_id, row in found.items():
            for name, value in row.items():
                totals[query_id][name] = totals[query_id].get(name, 0.0) + value
    return {
        query_id: {name: total / len(judgments[query_id]) for name, total in row.items()}
        for query_id, row in totals.items()
    }
