"""Output of trec_eval for a run and judgments: its names, columns and digits; the numbers are computed here."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import compress
from typing import NamedTuple

import numpy as np

from toysearch import evaluate
from toysearch.base import ArgumentError, DataError, Qrels, Run, note
from toysearch.base.elsewhere import here
from toysearch.evaluation import Measure
from toysearch.evaluation.measures.measure import CUT
from toysearch.files import finite_number

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
    "yaap",
)
"""Measures of runs and judgments of trec_eval 9, in the order in which it prints them; relstring is a text."""

SETS = {
    "official": NAMES[: NAMES.index("P") + 1],
    "set": (*NAMES[:5], "utility", "set_P", "set_relative_P", "set_recall", "set_map", "set_F"),
    "all_trec": NAMES[: NAMES.index("yaap")],
}
"""Sets of measures; the first is the default."""

COUNTS = ("num_q", "num_ret", "num_rel", "num_rel_ret", "num_nonrel_judged_ret")
GEOMETRIC = {"gm_map": "map", "gm_bpref": "bpref"}

_MULTIPLES = (0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0)
_PLAIN = {**here("measure"), "Rprec": "Rprec", "infAP": "infAP", "yaap": "Yaap"}
_OF_GAINS = {"ndcg": "nDCG", "G": "G", "ndcg_rel": "nDCG_rel", "Rndcg": "RnDCG"}


WeightedSum = tuple[tuple[float, str], ...]
"""Weights and measures of toysearch."""


class Line(NamedTuple):
    """Measure to print."""

    # name, base: its name in trec_eval, with and without cut-offs and parameters
    name: str
    base: str
    # what gives its value
    parts: WeightedSum = ()


def asked(measures: str) -> list[Line]:
    """Return the lines for the requested measures, in the order of trec_eval; cut-offs ascend.

    >>> [line.name for line in asked("P.10,5 map")]
    ['map', 'P_5', 'P_10']
    """
    by_name: dict[str, list[str]] = {}
    for text in measures.split():
        base, dot, parameters = text.partition(".")
        if not dot and "_" in text and base not in NAMES:  # the printed name, as P_5
            stem, _, last = text.rpartition("_")
            base, parameters = (stem, last) if stem in CUT else (base, parameters)
        if base not in NAMES and base not in SETS:
            raise ArgumentError(
                f"'{text}' is not a measure of trec_eval; its sets: {', '.join(SETS)}; its measures: {', '.join(NAMES)}"
            )
        for name in SETS.get(base, (base,)):
            by_name.setdefault(name, []).extend([parameters] if parameters and name == base else [])
    return [line for name in NAMES if name in by_name for line in _lines(name, by_name[name])]


def _lines(name: str, texts: list[str]) -> list[Line]:
    """Return the lines of a measure: one per cut-off, by default those of trec_eval."""
    if name in ("runid", "num_q"):
        _refuse_parameters(name, texts)
        return [Line(name, name)]
    if name == "iprec_at_recall":
        levels = _numbers(name, texts, "levels of recall from 0 on") or _default(name)
        return [Line(f"{name}_{level:.2f}", name, _one(f"IPrec@{level!r}")) for level in levels]
    if name == "Rprec_mult":
        multiples = _numbers(name, texts, "multiples from 0 on") or list(_MULTIPLES)
        return [Line(f"{name}_{times:.2f}", name, _one(f"RprecMult(times={times!r})")) for times in multiples]
    if name in CUT:
        ranks = sorted({int(rank) for rank in _numbers(name, texts, "whole numbers from 1 on", least=1)})
        return [
            Line(f"{name}_{rank}", name, _one(f"{CUT[name][0]}@{rank}")) for rank in ranks or map(int, _default(name))
        ]
    if texts:
        return [Line(f"{name}_{texts[0]}", name, _parametrised(name, texts[0]))]
    return [Line(name, name, _one(_OF_GAINS.get(name) or _PLAIN[GEOMETRIC.get(name, name)]))]


def _parametrised(name: str, parameters: str) -> WeightedSum:
    if name in _OF_GAINS:
        return _one(f"{_OF_GAINS[name]}({_gains(name, parameters)})")
    if name not in ("utility", "11pt_avg", "set_F"):
        _refuse_parameters(name, [parameters])
    numbers = [finite_number(part) for part in parameters.split(",")]
    expected = {"utility": 4, "11pt_avg": len(numbers)}.get(name, 1)
    values = [number for number in numbers if number is not None]
    if len(values) != len(numbers) or len(values) != expected:
        raise ArgumentError(
            f"'{name}.{parameters}': expected {expected} number{'s' * (expected > 1)}, separated by commas"
        )
    if name == "utility":
        if values[3]:
            raise ArgumentError(
                f"'{name}.{parameters}': the fourth number is the worth of each document that is neither retrieved nor "
                "relevant, whose number is not known here; write 0"
            )
        return _one("Utility(TP={!r},FP={!r},FN={!r})".format(*values))
    if min(values) < 0:
        raise ArgumentError(f"'{name}.{parameters}': expected numbers from 0 on")
    if name == "set_F":
        return _one(f"SetF(beta={values[0] ** 0.5!r})")
    return tuple((1 / len(values), f"IPrec@{level!r}") for level in values)


def _gains(name: str, parameters: str) -> str:
    pairs: dict[float, float] = {}
    for part in parameters.split(","):
        key, value = (finite_number(piece) for piece in part.partition("=")[::2])
        if key is None or value is None or key % 1 or value < 0:
            raise ArgumentError(
                f"'{name}.{parameters}': expected grades and their gains from 0 on, as in {name}.1=3,2=9; "
                f"found '{part}'"
            )
        pairs.setdefault(key, value)
    return f"gains={{{','.join(f'{grade:.0f}:{gain!r}' for grade, gain in sorted(pairs.items()))}}}"


def _one(ours: str) -> WeightedSum:
    return ((1.0, ours),)


def _default(name: str) -> list[float]:
    return [float(cutoff) for cutoff in CUT[name][1].strip("[]").split(",")]


def _refuse_parameters(name: str, texts: list[str]) -> None:
    if texts:
        raise ArgumentError(f"'{name}.{texts[0]}': {name} takes no parameters; write -m {name}")


def _numbers(name: str, texts: list[str], expected: str, least: float = 0) -> list[float]:
    """Read the cut-offs given for a measure, ascending; none if it is named alone."""
    numbers = []
    for text in texts:
        for part in text.split(","):
            number = finite_number(part)
            if number is None or number < least:
                raise ArgumentError(
                    f"'{name}.{text}': expected {expected} as cut-offs, separated by commas; found '{text}'"
                )
            numbers.append(number)
    return sorted(set(numbers))


_FLOOR = 1e-5  # the least value in a geometric mean, so that one 0 does not make the mean 0


def trec_eval_lines(
    run: Run,
    qrels: Qrels,
    lines: Sequence[Line],
    *,
    threshold: float = 1.0,
    only_retrieved: bool = False,
    per_query: bool = False,
) -> Iterator[str]:
    """Yield the lines that trec_eval prints for a run and judgments: with its -c, or without if `only_retrieved`.

    >>> run = Run.from_dict({"1": {"a": 2, "b": 1}}, name="mine")
    >>> for line in trec_eval_lines(run, Qrels.from_dict({"1": {"b": 1}}), asked("map num_ret"), per_query=True):
    ...     print(line.expandtabs(8))
    num_ret                 1       2
    map                     1       0.5000
    num_ret                 all     2
    map                     all     0.5000
    """
    judged = _whole(qrels)
    answered = set(compress(run.query_ids, np.diff(run.offsets)))
    query_ids = sorted(answered.intersection(judged.query_ids))
    rows = values(lines, run, judged, threshold, query_ids)
    n_queries = len(query_ids if only_retrieved else judged.query_ids)
    if not n_queries:
        raise DataError("the run has no document for any judged query, so there is no mean over those it answers")
    if per_query:
        for query_id in query_ids:
            for line in lines:
                if line.parts and line.base not in GEOMETRIC:
                    yield printed(line, query_id, rows[query_id][line.name])
    for line in lines:
        if line.base == "runid":
            yield f"{'runid':<22}\tall\t{run.name}"
        elif line.base == "num_rel" and not only_retrieved:
            # As in trec_eval: over all judged queries, whatever the level.
            yield printed(line, "all", float((judged.relevance > 0).sum()))
        else:
            column = [row[line.name] for row in rows.values()] if line.parts else []
            yield printed(line, "all", over_all(line, column, n_queries))


def values(
    lines: Sequence[Line], run: Run, qrels: Qrels, threshold: float, query_ids: Sequence[str]
) -> dict[str, dict[str, float]]:
    """Return query_id → name of a line → value; for a geometric mean, the logarithm of the value."""
    ours = dict.fromkeys(["NumRet", *(text for line in lines for _, text in line.parts)])
    measured = evaluate(run, qrels, list(ours), threshold=threshold).per_query
    names = {text: str(Measure.parse(text)) for text in ours}
    of_queries = [measured[query_id] for query_id in query_ids]
    with_values = [line for line in lines if line.parts]
    columns = []
    for line in with_values:
        column = [0.0] * len(of_queries)
        for weight, text in line.parts:
            column = [value + weight * row[names[text]] for value, row in zip(column, of_queries, strict=True)]
        if line.base in GEOMETRIC:
            column = [math.log(max(value, _FLOOR)) for value in column]
        columns.append(column)
    texts = [line.name for line in with_values]
    return {query_id: dict(zip(texts, row, strict=True)) for query_id, *row in zip(query_ids, *columns, strict=True)}


def _whole(qrels: Qrels) -> Qrels:
    whole = np.trunc(qrels.relevance)
    fractions = qrels.relevance[whole != qrels.relevance]
    if not fractions.size:
        return qrels
    note(
        f"{fractions.size} of {len(qrels)} grades are fractions, such as {fractions[0]:g}, which trec_eval truncates "
        f"to {np.trunc(fractions[0]):g}, as is done here; the other forms of the output take them as they are"
    )
    return qrels.with_grades(whole)


def over_all(line: Line, column: list[float], n_queries: int) -> float:
    """Return the value for all queries, added up one after the other as in trec_eval."""
    if line.base == "num_q":
        return n_queries
    total = 0.0
    for value in column:  # `sum` would be more exact than trec_eval
        total += value
    if line.base in COUNTS:
        return total
    if line.base in GEOMETRIC:
        return math.exp((total + (n_queries - len(column)) * math.log(_FLOOR)) / n_queries)
    return total / n_queries


def printed(line: Line, query_id: str, value: float) -> str:
    """Format a line as trec_eval prints it."""
    digits = f"{value:.0f}" if line.base in COUNTS else f"{value:6.4f}"
    return f"{line.name:<22}\t{query_id}\t{digits}"
