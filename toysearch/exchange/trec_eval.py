"""`toysearch trec_eval`: the output of trec_eval for the same files and flags; the numbers are computed here."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import compress, count
from pathlib import Path
from typing import Any, NamedTuple

import click
import numpy as np

from toysearch import evaluate, read_qrels, read_run
from toysearch.base import ArgumentError, DataError, Problems, Qrels, Run, malformed, note, trec_eval_order
from toysearch.cli import POSITIVE, Command, examples, option
from toysearch.evaluation import ALIASES, CUT, PREFERENCE_MEASURES, Measure, preference_values
from toysearch.formats import TrecColumns, finite_number, numbered_lines, trec_rows

COLUMNS = {
    "prefs": ("query_id", "group", "subgroup", "doc_id", "level"),
    "qrels_prefs": ("query_id", "group", "doc_id", "level"),
    "qrels_jg": ("query_id", "group", "doc_id", "grade"),
}
"""The columns of each format; a group is a person with one information need."""

Groups = dict[str, dict[str, dict[str, float]]]
"""Group → subgroup → doc_id → level; levels are comparable only within a subgroup."""


def read_judgment_groups(path: str | Path, layout: str) -> dict[str, Groups]:
    r"""The levels that each group assigned to documents, by query."""
    if layout not in COLUMNS:
        raise ArgumentError(f"unknown layout of judgments '{layout}'; the layouts are {', '.join(COLUMNS)}")
    expected = COLUMNS[layout]
    queries: dict[str, Groups] = {}
    lines: dict[tuple[str, ...], int] = {}
    problems = Problems(path)
    form = TrecColumns(layout, expected, len(expected) - 1, finite_number)
    for number, columns, level in trec_rows(numbered_lines(path), form, problems):
        query_id, group, doc_id = columns[0], columns[1], columns[-2]
        subgroup = columns[2] if "subgroup" in expected else "0"
        first = lines.setdefault((query_id, group, subgroup, doc_id), number)
        if first != number:
            whose = f"query '{query_id}' and group '{group}'"
            problems.add(number, f"{whose} already have document '{doc_id}' on line {first}; keep one of the two lines")
            continue
        queries.setdefault(query_id, {}).setdefault(group, {}).setdefault(subgroup, {})[doc_id] = level
    problems.refuse()
    if not queries:
        raise DataError(f"{path} is empty; expected lines of {len(expected)} columns: {' '.join(expected)}")
    if layout == "prefs":
        _refuse_both(path, queries)
    return queries


def _refuse_both(path: str | Path, queries: dict[str, Groups]) -> None:
    """Refuse a document that a group judges not relevant in one subgroup and relevant in another."""
    for query_id, groups in queries.items():
        for group, subgroups in groups.items():
            zero: dict[str, bool] = {}
            for levels in subgroups.values():
                for doc_id, level in levels.items():
                    if zero.setdefault(doc_id, level == 0) != (level == 0):
                        raise DataError(
                            f"{path}: query '{query_id}', group '{group}' has document '{doc_id}' at level 0 and at "
                            "another; 0 means not relevant and holds for all subgroups of a group"
                        )


def read_deviations(path: str | Path) -> dict[tuple[str, str], tuple[float, float]]:
    """The mean and the standard deviation of each measure for each query."""
    # Each line holds four columns with white space between: `query_id measure mean deviation`. A number may be `nan`.
    deviations = {}
    for number, line in numbered_lines(path):
        columns = line.split()
        if not columns:
            continue
        if len(columns) != 4:
            raise malformed(
                path,
                number,
                f"expected 4 columns (query_id measure mean deviation), found {len(columns)}: '{line[:80]}'",
            )
        try:
            mean, deviation = map(float, columns[2:])
        except ValueError:
            mean = deviation = math.inf
        if math.isinf(mean) or math.isinf(deviation) or "_" in columns[2] + columns[3]:
            raise malformed(path, number, f"expected two numbers, found '{columns[2]}' and '{columns[3]}'")
        deviations[columns[0], columns[1]] = (mean, deviation)
    if not deviations:
        raise DataError(f"{path} is empty; expected lines of query_id, measure, mean and standard deviation")
    return deviations


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
    "yaap",
)
"""The measures of runs and judgments of trec_eval 9, in the order in which it prints them."""

_NDCG, _YAAP = NAMES.index("ndcg"), NAMES.index("yaap")
NAMES_OF_10 = (
    *NAMES[:_NDCG],
    "dcg",
    "ideal_dcg",
    *NAMES[_NDCG:_YAAP],
    "num_nonjudged_ret",
    "yaap",
    "rbp",
    "rbp_resid",
    "unj",
)
"""The measures of trec_eval 10."""

_BY_NAME_ONLY = ("yaap", "dcg", "ideal_dcg", "num_nonjudged_ret")
"""The measures that are not in the set all_trec."""

COUNTS = (
    "num_q",
    "num_ret",
    "num_rel",
    "num_rel_ret",
    "num_nonrel_judged_ret",
    "num_nonjudged_ret",
    *(name for name in PREFERENCE_MEASURES if "_num_" in name),
)
GEOMETRIC = {"gm_map": "map", "gm_bpref": "bpref"}
VERSIONS = ("9", "10")
"""The versions of trec_eval that can be emulated."""

_SETS = {
    "official": NAMES[: NAMES.index("P") + 1],
    "set": (*NAMES[:5], "utility", "set_P", "set_relative_P", "set_recall", "set_map", "set_F"),
}
_OF_GROUPS = ("map", "P", "Rprec_mult")
_MEAN = "_avgjg"  # the suffix of measures that are means over the groups
_WITH_PREFERENCES = ("runid", "num_q", *PREFERENCE_MEASURES)
_WITH_GROUPS = ("runid", "num_q", *(f"{name}{_MEAN}" for name in _OF_GROUPS))
_MULTIPLES = (0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0)
_CUT = {**CUT, "unj": ("Hole", "[5,10,20]")}
_PLAIN = {
    **ALIASES,
    "Rprec": "Rprec",
    "infAP": "infAP",
    "yaap": "Yaap",
}
_NOT_JUDGED = ((1.0, "NumRet"), (-1.0, "NumRelRet"), (-1.0, "NumNonRelRet"))
_OF_GAINS = {"dcg": "DCG", "ideal_dcg": "IdealDCG", "ndcg": "nDCG", "G": "G", "ndcg_rel": "nDCG_rel", "Rndcg": "RnDCG"}
_ROUNDED = re.compile(r"^(IPrec|IAP)\b")
_LENGTH, _PERSISTENCE, _UTILITY = 10, 0.9, (1.0, -1.0, 0.0, 0.0)


class Line(NamedTuple):
    """A measure that is printed."""

    # name, base: its name in trec_eval, with and without cut-offs and parameters
    name: str
    base: str
    # the weighted sum that gives its value: weights and measures here
    parts: tuple[tuple[float, str], ...] = ()
    parametrised: bool = False
    # the length of ``relstring``; for ``utility``, the worth of a document that is neither retrieved nor relevant
    number: float = 0.0


def asked(measures: Iterable[str], version: str = "9", judgments: str = "qrels") -> list[Line]:
    """The lines for the requested measures, in the order of trec_eval; cut-offs ascend.

    >>> [line.name for line in asked(["P.10,5", "map"])]
    ['map', 'P_5', 'P_10']
    """
    names, sets = _offered(version, judgments)
    by_name: dict[str, list[str]] = {}
    for text in measures:
        base, dot, parameters = text.partition(".")
        if not dot and "_" in text and base not in names:  # the printed name, as P_5
            stem, _, last = text.rpartition("_")
            base, parameters = (stem, last) if stem.removesuffix(_MEAN) in _CUT else (base, parameters)
        if base not in names and base not in sets:
            where = "" if judgments == "qrels" else f" for judgments in the format {judgments}"
            raise ArgumentError(
                f"'{text}' is not a measure of trec_eval {version}{where}; its sets: {', '.join(sets)}; its measures: "
                f"{', '.join(names)}"
            )
        for name in sets.get(base, (base,)):
            by_name.setdefault(name, []).extend([parameters] if parameters and name == base else [])
    lines = [line for name in names if name in by_name for line in _lines(name, by_name[name])]
    if version != "10":
        return lines
    return [  # version 10 rounds the levels of recall to the nearest rank
        line._replace(
            parts=tuple((weight, _ROUNDED.sub(r"\1(rounding='nearest')", measure)) for weight, measure in line.parts)
        )
        for line in lines
    ]


def _offered(version: str, judgments: str) -> tuple[tuple[str, ...], dict[str, tuple[str, ...]]]:
    """The measures for this format of judgments, and the sets of them; the first set is the default."""
    if judgments == "qrels_jg":
        return _WITH_GROUPS, {"qrels_jg": _WITH_GROUPS}
    if judgments != "qrels":
        return _WITH_PREFERENCES, {"prefs": _WITH_PREFERENCES[:8], "all_prefs": _WITH_PREFERENCES}
    names = NAMES_OF_10 if version == "10" else NAMES
    return names, {**_SETS, "all_trec": tuple(name for name in names if name not in _BY_NAME_ONLY)}


def _lines(name: str, texts: list[str]) -> list[Line]:
    """The lines of a measure: one per cut-off, by default those of trec_eval."""
    if name.endswith(_MEAN) and name in _WITH_GROUPS:
        base = name.removesuffix(_MEAN)
        return [line._replace(name=name + line.name.removeprefix(base), base=name) for line in _lines(base, texts)]
    averaged = GEOMETRIC.get(name, name)
    if name in PREFERENCE_MEASURES:
        _refuse_parameters(name, texts)
        return [Line(name, name, _one(name))]
    if name in ("runid", "num_q"):
        _refuse_parameters(name, texts)
        return [Line(name, name)]
    if name == "iprec_at_recall":
        levels = _numbers(name, texts, "levels of recall from 0 on") or _default(name)
        return [Line(f"{name}_{level:.2f}", name, _one(f"IPrec@{level!r}")) for level in levels]
    if name == "Rprec_mult":
        multiples = _numbers(name, texts, "multiples from 0 on") or list(_MULTIPLES)
        return [Line(f"{name}_{times:.2f}", name, _one(f"RprecMult(times={times!r})")) for times in multiples]
    if name in _CUT:
        ranks = sorted({int(rank) for rank in _numbers(name, texts, "whole numbers from 1 on", least=1)})
        return [
            Line(f"{name}_{rank}", name, _one(f"{_CUT[name][0]}@{rank}")) for rank in ranks or map(int, _default(name))
        ]
    if texts:
        return [_parametrised(name, texts[0])]
    return [_ALONE.get(name) or Line(name, name, _one(_OF_GAINS.get(name) or _PLAIN[averaged]))]


def _parametrised(name: str, parameters: str) -> Line:
    """The line of a measure with parameters, which are part of its name."""
    printed = f"{name}_{parameters}"
    if name in _OF_GAINS:
        return Line(printed, name, _one(f"{_OF_GAINS[name]}({_gains(name, parameters)})"), parametrised=True)
    if name in ("rbp", "rbp_resid"):
        return Line(printed, name, _one(_of_persistence(name, parameters)), parametrised=True)
    if name not in ("relstring", "utility", "11pt_avg", "set_F"):
        _refuse_parameters(name, [parameters])
    numbers = [finite_number(part) for part in parameters.split(",")]
    expected = {"utility": 4, "11pt_avg": len(numbers)}.get(name, 1)
    values = [number for number in numbers if number is not None]
    if len(values) != len(numbers) or len(values) != expected:
        raise ArgumentError(
            f"'{name}.{parameters}': expected {expected} number{'s' * (expected > 1)}, separated by commas"
        )
    if name == "relstring":
        return Line(printed, name, parametrised=True, number=max(int(values[0]), 0))
    if name == "utility":
        worth = ",".join(f"{key}={value!r}" for key, value in zip(("TP", "FP", "FN"), values, strict=False))
        return Line(printed, name, _one(f"Utility({worth})"), parametrised=True, number=values[3])
    if min(values) < 0:
        raise ArgumentError(f"'{name}.{parameters}': expected numbers from 0 on")
    if name == "set_F":
        return Line(printed, name, _one(f"SetF(beta={values[0] ** 0.5!r})"), parametrised=True)
    return Line(printed, name, tuple((1 / len(values), f"IPrec@{level!r}") for level in values), parametrised=True)


def _of_persistence(name: str, parameters: str) -> str:
    """RBP or its residual with the persistence, and for RBP the gains of grades, as in ``p=0.8,1=0.5,2=1``."""
    pairs = [part.partition("=") for part in parameters.split(",")]
    others = ",".join("".join(pair) for pair in pairs if pair[0] != "p")
    number = finite_number(next((value for key, _, value in pairs if key == "p"), str(_PERSISTENCE)))
    if number is None or not 0 <= number <= 1 or (others and name == "rbp_resid"):
        raise ArgumentError(f"'{name}.{parameters}': expected the persistence, as in {name}.p=0.8")
    if name == "rbp_resid":
        return f"RBPres(p={number!r})"
    return f"RBP(p={number!r},scale='query'{',' + _gains(name, others) if others else ''})"


def _gains(name: str, parameters: str) -> str:
    """The gains of grades in a text such as ``1=3,2=9``, as a parameter of a measure."""
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


def _one(ours: str) -> tuple[tuple[float, str], ...]:
    return ((1.0, ours),)


_ALONE = {
    "relstring": Line("relstring", "relstring", number=_LENGTH),
    "rbp": Line("rbp", "rbp", _one(f"RBP(p={_PERSISTENCE},scale='query')")),
    "rbp_resid": Line("rbp_resid", "rbp_resid", _one(f"RBPres(p={_PERSISTENCE})")),
    "num_nonjudged_ret": Line("num_nonjudged_ret", "num_nonjudged_ret", _NOT_JUDGED),
    "utility": Line("utility", "utility", _one("Utility"), number=_UTILITY[3]),
}
"""The lines of measures that are named without their parameters, where they are not those of one measure of ours."""


def _default(name: str) -> list[float]:
    return [float(cutoff) for cutoff in _CUT[name][1].strip("[]").split(",")]


def _refuse_parameters(name: str, texts: list[str]) -> None:
    if texts:
        raise ArgumentError(f"'{name}.{texts[0]}': {name} takes no parameters; write -m {name}")


def _numbers(name: str, texts: list[str], expected: str, least: float = 0) -> list[float]:
    """The cut-offs given for a measure, ascending; none if it is named alone."""
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
    query_ids = sorted(chosen) if whole else common
    added = [query_id for query_id in query_ids if query_id not in answered]
    scored = run
    if qrels is not None:
        scored = kept_of(run, qrels, how)
        if not scored.ranked and any(line.base == "relstring" for line in lines):
            scored = trec_eval_order(scored)
        rows = values(lines, _with_nobodys(scored, added, how.judged_only), qrels, how, query_ids)
        for query_id in added:
            # The document that version 10 adds for a missing query would change these values.
            rows[query_id] |= {
                line.name: 0.0
                for line in lines
                if line.base in ("num_ret", "unj") or (line.base in ("utility", "rbp_resid") and not line.parametrised)
            }
    elif layout == "qrels_jg":
        rows = _over_groups(lines, run, {query_id: groups[query_id] for query_id in query_ids}, how)
    else:
        ranked = {query_id: _by_rising_id(run, query_id, how.version)[: how.most] for query_id in common}
        rows = {
            query_id: _preferences(lines, ranked.get(query_id, []), query_id, groups[query_id])
            for query_id in query_ids
        }
    if deviations is not None:
        rows = {query_id: deviated(row, query_id, lines, deviations) for query_id, row in rows.items()}
    prefix = "" if deviations is None else "Z"
    if how.per_query:
        for query_id in query_ids:
            for line in lines:
                if line.base == "relstring" and qrels is not None:
                    cleared = query_id in added and not line.parametrised
                    signs = "" if cleared else _relevance_string(scored, qrels, query_id, int(line.number))
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


def values(
    lines: list[Line], scored: Run, qrels: Qrels, how: Flags, query_ids: list[str]
) -> dict[str, dict[str, float]]:
    """Query_id → name of a line → value; for a geometric mean, the logarithm of the value."""
    ours = dict.fromkeys(text for line in lines for _, text in line.parts)
    ours |= dict.fromkeys(["NumRet", "NumRel", "NumRelRet", "Judged"])
    measured = evaluate(scored, qrels, list(ours), threshold=how.level).per_query
    names = {text: str(Measure.parse(text)) for text in ours}
    of_queries = [measured[query_id] for query_id in query_ids]
    lines = [
        line._replace(parts=tuple((weight, names[text]) for weight, text in line.parts)) for line in lines if line.parts
    ]
    columns = [_column(line, of_queries, how.size) for line in lines]
    texts = [line.name for line in lines]
    return {query_id: dict(zip(texts, row, strict=True)) for query_id, *row in zip(query_ids, *columns, strict=True)}


def _column(line: Line, of_queries: Sequence[Mapping[str, float]], size: int) -> list[float]:
    """The values of a line, one per query."""
    column = [0.0] * len(of_queries)
    for weight, name in line.parts:
        column = [value + weight * row[name] for value, row in zip(column, of_queries, strict=True)]
    if line.base in GEOMETRIC:
        return [math.log(max(value, _FLOOR)) for value in column]
    if line.base == "utility" and line.number:
        others = [size + row["NumRelRet"] - row["NumRet"] - row["NumRel"] for row in of_queries]
        return [value + line.number * count for value, count in zip(column, others, strict=True)]
    if line.base == "rbp_resid":  # as in trec_eval: 0 if all retrieved are judged
        return [0.0 if row["Judged"] == 1 else value for value, row in zip(column, of_queries, strict=True)]
    return column


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


def _relevance_string(scored: Run, qrels: Qrels, query_id: str, length: int) -> str:
    """One sign for each of the first documents: its grade, > above 9, - if unjudged, . if its grade is negative."""
    if query_id not in scored.query_ids:
        return "-"[:length]
    grades = map(qrels[query_id].get, scored.doc_ids_of(query_id)[:length])
    return "".join(
        "-" if grade is None else "." if grade < 0 else ">" if grade > 9 else f"{grade:.0f}" for grade in grades
    )


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
        of_query = list(range(*run.rows(query_id).indices(len(run))))
        of_query.sort(key=run.doc_ids.__getitem__, reverse=True)
        of_query.sort(key=run.scores.__getitem__, reverse=True)
        rows += of_query
    doc_ids = [run.doc_ids[row] for row in rows]
    return Run(run.query_ids, run.offsets, doc_ids, run.scores[rows], run.name, ranked=True)


def _with_nobodys(scored: Run, missing: list[str], judged_only: bool) -> Run:
    """The run in which each missing query has one unjudged document."""
    if not missing or judged_only:
        return scored
    there = [query_id for query_id in scored.query_ids if query_id not in missing]
    rankings = {query_id: scored.doc_ids_of(query_id) for query_id in there} | {
        query_id: [_NOBODYS] for query_id in missing
    }
    offsets = np.cumsum([0, *map(len, rankings.values())])
    doc_ids = [doc_id for ranking in rankings.values() for doc_id in ranking]
    places = np.arange(len(doc_ids), 0, -1, dtype=np.float64)
    return Run(list(rankings), offsets, doc_ids, places, scored.name, ranked=True)


def over_all(line: Line, column: list[float], n_queries: int) -> float:
    """The value for all queries, added up one after the other as in trec_eval."""
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


def printed(line: Line, query_id: str, value: float, prefix: str) -> str:
    """A line as it is printed; deviations have a prefix, and are never whole numbers."""
    digits = f"{value:.0f}" if line.base in COUNTS and not prefix else f"{value:6.4f}"
    return f"{prefix}{line.name:<22}\t{query_id}\t{digits}"


def _preferences(lines: list[Line], ranking: list[str], query_id: str, groups: Groups) -> dict[str, float]:
    try:
        by_measure = preference_values(ranking, groups)
    except DataError as error:
        raise DataError(f"query '{query_id}', {error}") from error
    return {line.name: by_measure[line.base] for line in lines if line.parts}


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
        measured = values(lines, kept_of(run, qrels, how), qrels, how._replace(size=0), list(grades))
        for query_id, row in measured.items():
            for name, value in row.items():
                totals[query_id][name] = totals[query_id].get(name, 0.0) + value
    return {
        query_id: {name: total / len(judgments[query_id]) for name, total in row.items()}
        for query_id, row in totals.items()
    }


def _of_trec(context: click.Context, parameter: click.Parameter, value: str | None) -> None:
    """Accept the only format of runs."""
    if value not in (None, "trec_results"):
        raise click.UsageError(f"'{value}' is not a format of runs here; the only one is trec_results")


@click.command(
    "trec_eval",
    cls=Command,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=examples(
        "toysearch trec_eval qrels.txt mine.run",
        "toysearch trec_eval -q -c -m map -m P.5,10 -m ndcg_cut.10 qrels.txt mine.run",
        "toysearch trec_eval -l2 -M100 -m official qrels.txt mine.run",
        "toysearch trec_eval --like 10 -q -c -m all_trec qrels.txt mine.run",
    ),
)
@click.argument("qrels")
@click.argument("run")
@option("-q", "--query_eval_wanted", "per_query", is_flag=True, help="Print lines for each query too.")
@option("-c", "--complete_rel_info_wanted", "complete", is_flag=True, help="Average over all judged queries.")
@option(
    "-n", "--nosummary", "summary", is_flag=True, flag_value=False, default=True, help="Print no lines for all queries."
)
@option("-l", "--level_for_rel", "level", type=POSITIVE, default=1, help="Lowest relevant grade.")
@option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    metavar="MEASURE[.PARAMETERS]",
    help="Measure of trec_eval, or official, all_trec, set.  [default: official; with -R, its own]",
)
@option("-M", "--Max_retrieved_per_topic", "most", type=POSITIVE, help="Number of documents per query that count.")
@option("-J", "--Judged_docs_only", "judged_only", is_flag=True, help="Leave out unjudged documents.")
@option("-N", "--Number_docs_in_coll", "size", type=int, default=0, help="Documents in the collection, for utility.")
@option("-Z", "--Zscore", "means", metavar="FILE", writes="file", help="Print deviations from the means in FILE.")
@option("-D", "--Debug_level", "debug", metavar="LEVEL[.ID]", help="Evaluate the query ID alone.")
@option("-o", "--Output_old_results_format", "_old", is_flag=True, expose_value=False, help="Ignored, as in trec_eval.")
@option("--like", "version", type=click.Choice(VERSIONS), default=VERSIONS[0], help="Version of trec_eval to imitate.")
@option(
    "-R",
    "--Rel_info_format",
    "layout",
    type=click.Choice(["qrels", *LAYOUTS]),
    default="qrels",
    help="Format of QRELS; prefs, qrels_prefs and qrels_jg have their own measures.",
)
@option("-T", "--Results_format", hidden=True, expose_value=False, callback=_of_trec)
def trec_eval_command(
    qrels: str, run: str, measures: tuple[str, ...], layout: str, debug: str | None, **flags: Any
) -> None:
    """Print what trec_eval prints: its flags, its names, its digits.

    Defaults and columns are the same too, so that programs that read its output keep working: those of version 9, or of
    10 with --like 10. Without -c, a judged query that the run lacks does not count. QRELS and RUN may also have other
    formats (`toysearch docs runs-and-judgments`).
    """
    from toysearch.evaluation.lint import suspicions

    scored = read_run(run)
    judged: Any = read_qrels(qrels) if layout == "qrels" else qrels
    if layout == "qrels":
        for sentence in suspicions(scored, judged, run):
            note(sentence)
    only = debug.partition(".")[2] or None if debug else None
    for line in trec_eval_lines(scored, judged, measures, layout, only=only, **flags):
        click.echo(line)
