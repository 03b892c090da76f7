"""What trec_eval prints, for the same files and flags, to the character; the numbers are our own."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from toysearch.errors import ArgumentError, DataError, note
from toysearch.evaluation.evaluate import evaluate
from toysearch.evaluation.measure import Measure
from toysearch.evaluation.names import ALIASES, CUT
from toysearch.formats.lines import finite_number
from toysearch.formats.trec import trec_eval_order
from toysearch.records import Qrels, Run

NAMES = (
    "runid",
    "num_q",
    "num_ret",
    "num_rel",
    "num_rel_ret",
    "map",
    "gm_map",
    "Rprec",
    "bpref",
    "recip_rank",
    "iprec_at_recall",
    "P",
    "relstring",
    "recall",
    "infAP",
    "gm_bpref",
    "Rprec_mult",
    "utility",
    "11pt_avg",
    "binG",
    "G",
    "ndcg",
    "ndcg_rel",
    "Rndcg",
    "ndcg_cut",
    "map_cut",
    "relative_P",
    "success",
    "set_P",
    "set_relative_P",
    "set_recall",
    "set_map",
    "set_F",
    "num_nonrel_judged_ret",
)
"""trec_eval's measures of runs and qrels, in the order in which it prints them."""

SETS: dict[str, tuple[str, ...]] = {
    "official": NAMES[: NAMES.index("P") + 1],
    "all_trec": NAMES,
    "set": (*NAMES[:5], "utility", "set_P", "set_relative_P", "set_recall", "set_map", "set_F"),
}
"""trec_eval's names for several of them."""

_COUNTS = ("num_q", "num_ret", "num_rel", "num_rel_ret")
_GEOMETRIC = {"gm_map": "map", "gm_bpref": "bpref"}
_FLOOR = 1e-5  # of a value in a geometric mean, so that one 0 does not make all 0
_OURS = {"Rprec": "Rprec", "infAP": "infAP", **ALIASES}


class _Line(NamedTuple):
    """A measure that is printed: its name there, its base name, and ours (empty for what is no value)."""

    name: str
    base: str
    ours: str


def trec_eval_lines(
    run: Run,
    qrels: Qrels,
    measures: Iterable[str] = ("official",),
    *,
    level: int = 1,
    complete: bool = False,
    per_query: bool = False,
    summary: bool = True,
    judged_only: bool = False,
    most: int | None = None,
) -> Iterator[str]:
    """The lines that trec_eval prints for a run.

    Parameters
    ----------
    run : Run
        What is scored; equal scores are ordered by falling doc_id, as there.
    qrels : Qrels
        The judgments. Grades that are fractions are cut to whole numbers, as there, with a note.
    measures : iterable of str
        As after its ``-m``: ``official``, ``map``, ``P.5,10``.
    level : int, default 1
        ``-l``: the grade from which on a document is relevant.
    complete : bool, default False
        ``-c``: average over all judged queries, not over those that are in the run too.
    per_query : bool, default False
        ``-q``: lines for each query first, the queries in the order of their ids as texts.
    summary : bool, default True
        Without ``-n``: the lines for all queries.
    judged_only : bool, default False
        ``-J``: leave unjudged documents out of the rankings.
    most : int, optional
        ``-M``: how many documents count for each query.

    Yields
    ------
    str
        A line, without its end: name, query_id or ``all``, value, with tabs between.

    Raises
    ------
    ArgumentError
        If a measure is none of trec_eval's, or none of ours.
    DataError
        If run and judgments have no query in common.

    Examples
    --------
    >>> run = Run.from_dict({"1": {"a": 2, "b": 1}}, name="mine")
    >>> for line in trec_eval_lines(run, Qrels.from_dict({"1": {"b": 1}}), ["map", "num_ret"], per_query=True):
    ...     print(line.expandtabs(8))
    num_ret                 1       2
    map                     1       0.5000
    num_ret                 all     2
    map                     all     0.5000
    """
    lines = _asked(measures)
    qrels = _whole(qrels)
    common = sorted(query_id for query_id in run.query_ids if query_id in qrels and _length(run, query_id))
    if not common:
        raise DataError(
            "run and judgments have no query in common: the run has queries such as "
            f"'{next(iter(run.query_ids), '')}', the judgments such as '{next(iter(qrels.query_ids), '')}'; the ids "
            "must be equal as texts"
        )
    kept = _kept(run, qrels, most, judged_only)
    ours = list(dict.fromkeys(line.ours for line in lines if line.ours)) or ["NumRet"]
    values = evaluate(kept, qrels, ours, threshold=level).per_query
    shortest = {text: str(Measure.parse(text)) for text in ours}
    rows = {query_id: {text: values[query_id][shortest[text]] for text in ours} for query_id in common}
    if per_query:
        for query_id in common:
            for line in lines:
                if line.base not in ("runid", "num_q", *_GEOMETRIC):
                    yield _printed(line, query_id, rows[query_id][line.ours])
    if summary:
        n_queries = len(qrels.query_ids) if complete else len(common)
        for line in lines:
            column = [row[line.ours] for row in rows.values()] if line.ours else []
            if line.base == "runid":
                yield f"{'runid':<22}\tall\t{run.name}"
            elif line.base == "num_rel" and complete:
                # As there: of all judged queries, and whatever the level is.
                yield _printed(line, "all", float((qrels.relevance > 0).sum()))
            else:
                yield _printed(line, "all", _over_all(line, column, n_queries))


def _asked(measures: Iterable[str]) -> list[_Line]:
    """The lines for the measures asked for, in trec_eval's order; cut-offs rise."""
    wanted: dict[str, set[float]] = {}
    missing: list[str] = []
    for text in measures:
        base, dot, given = text.partition(".")
        if not dot and "_" in text and base not in NAMES:  # the printed name, as P_5
            stem, _, last = text.rpartition("_")
            base, given = (stem, last) if stem in CUT else (base, given)
        if base not in NAMES and base not in SETS:
            raise ArgumentError(
                f"'{text}' is no measure of trec_eval; its sets: {', '.join(SETS)}; its measures: {', '.join(NAMES)}"
            )
        for name in SETS.get(base, (base,)):
            if _known(name):
                wanted.setdefault(name, set()).update(_cutoffs(name, given if name == base else "", text))
            elif base in SETS:
                missing.append(name)
            else:
                raise ArgumentError(f"'{name}' of trec_eval is not one of the measures here; leave it out")
    if missing:
        note(f"without {', '.join(dict.fromkeys(missing))}, which only trec_eval has")
    return [line for name in NAMES if name in wanted for line in _lines(name, wanted[name])]


def _known(name: str) -> bool:
    """Whether we have what the measure needs."""
    if name == "runid" or name == "num_q":
        return True
    if name in CUT:
        ours = f"{CUT[name][0]}@{'0.5' if name == 'iprec_at_recall' else '5'}"
    else:
        ours = _OURS.get(_GEOMETRIC.get(name, name), "")
    try:
        return bool(ours and Measure.parse(ours))
    except ArgumentError:
        return False


def _cutoffs(name: str, given: str, text: str) -> list[float]:
    """The cut-offs given for a measure; none where it is named alone."""
    if given and name not in CUT:
        raise ArgumentError(f"'{text}': {name} takes no parameters here; write -m {name}")
    if not given:
        return []
    numbers = [finite_number(part) for part in given.split(",")]
    levels = name == "iprec_at_recall"
    if any(number is None or number < 0 or (not levels and (number < 1 or number % 1)) for number in numbers):
        expected = "levels of recall from 0 on" if levels else "whole numbers from 1 on"
        raise ArgumentError(f"'{text}': expected {expected} with commas between as cut-offs, found '{given}'")
    return [float(number) for number in numbers if number is not None]


def _lines(name: str, given: Iterable[float]) -> list[_Line]:
    """The lines of a measure: one for each cut-off, by default trec_eval's."""
    if name in ("runid", "num_q"):
        return [_Line(name, name, "")]
    if name not in CUT:
        return [_Line(name, name, _OURS[_GEOMETRIC.get(name, name)])]
    cutoffs = sorted(given) or [float(cutoff) for cutoff in CUT[name][1].strip("[]").split(",")]
    if name == "iprec_at_recall":
        return [_Line(f"{name}_{cutoff:.2f}", name, f"IPrec@{cutoff!r}") for cutoff in cutoffs]
    return [_Line(f"{name}_{cutoff:.0f}", name, f"{CUT[name][0]}@{cutoff:.0f}") for cutoff in cutoffs]


def _whole(qrels: Qrels) -> Qrels:
    """The judgments with the grades that trec_eval reads: whole numbers."""
    whole = np.trunc(qrels.relevance)
    fractions = qrels.relevance[whole != qrels.relevance]
    if not fractions.size:
        return qrels
    note(
        f"{fractions.size} of {len(qrels)} grades are fractions, such as {fractions[0]:g}, which trec_eval reads as "
        f"{np.trunc(fractions[0]):g}, and so it is here; `toysearch eval` takes them as they are"
    )
    return Qrels(qrels.query_ids, qrels.offsets, qrels.doc_ids, whole)


def _length(run: Run, query_id: str) -> int:
    return len(run.doc_ids[run.rows(query_id)])


def _kept(run: Run, qrels: Qrels, most: int | None, judged_only: bool) -> Run:
    """The documents that count: in trec_eval's order the first ones, and of these the judged ones."""
    ordered = trec_eval_order(run)
    if most is None and not judged_only:
        return ordered
    query_ids, offsets, rows = [], [0], []
    for query_id in ordered.query_ids:
        grades = qrels[query_id] if judged_only else {}
        first = range(*ordered.rows(query_id).indices(len(ordered)))[:most]
        rows += [row for row in first if not judged_only or grades.get(ordered.doc_ids[row], -1) >= 0]
        query_ids.append(query_id)
        offsets.append(len(rows))
    doc_ids = [ordered.doc_ids[row] for row in rows]
    return Run(query_ids, offsets, doc_ids, ordered.scores[rows], run.name, ranked=True)


def _over_all(line: _Line, column: list[float], n_queries: int) -> float:
    """The value for all queries; added up one after the other, as there."""
    if line.base == "num_q":
        return n_queries
    change: Callable[[Any], float] = float
    if line.base in _GEOMETRIC:
        change = _log_above_floor
    total = 0.0
    for value in column:
        total += change(value)
    if line.base in _COUNTS:
        return total
    if line.base in _GEOMETRIC:
        return math.exp((total + (n_queries - len(column)) * math.log(_FLOOR)) / n_queries)
    return total / n_queries


def _log_above_floor(value: float) -> float:
    return math.log(max(value, _FLOOR))


def _printed(line: _Line, query_id: str, value: float) -> str:
    shown = f"{value:.0f}" if line.base in _COUNTS else f"{value:6.4f}"
    return f"{line.name:<22}\t{query_id}\t{shown}"
