"""The names of measures, sets and parameters in trec_eval, and the measures here that they stand for."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from toysearch.base import ArgumentError
from toysearch.evaluation import ALIASES, CUT, PREFERENCE_MEASURES
from toysearch.formats import finite_number

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
    given: bool = False  # whether it has parameters of its own
    # the length of ``relstring``; for ``utility``, the worth of a document that is neither retrieved nor relevant
    number: float = 0.0


def asked(measures: Iterable[str], version: str = "9", judgments: str = "qrels") -> list[Line]:
    """The lines for the requested measures, in the order of trec_eval; cut-offs ascend.

    >>> [line.name for line in asked(["P.10,5", "map"])]
    ['map', 'P_5', 'P_10']
    """
    names, sets = _offered(version, judgments)
    wanted: dict[str, list[str]] = {}
    for text in measures:
        base, dot, given = text.partition(".")
        if not dot and "_" in text and base not in names:  # the printed name, as P_5
            stem, _, last = text.rpartition("_")
            base, given = (stem, last) if stem.removesuffix(_MEAN) in _CUT else (base, given)
        if base not in names and base not in sets:
            where = "" if judgments == "qrels" else f" for judgments in the format {judgments}"
            raise ArgumentError(
                f"'{text}' is not a measure of trec_eval {version}{where}; its sets: {', '.join(sets)}; its measures: "
                f"{', '.join(names)}"
            )
        for name in sets.get(base, (base,)):
            wanted.setdefault(name, []).extend([given] if given and name == base else [])
    found = [line for name in names if name in wanted for line in _lines(name, wanted[name])]
    return [_as_in_10(line) for line in found] if version == "10" else found


def _as_in_10(line: Line) -> Line:
    """The line with levels of recall as version 10 rounds them."""
    parts = ((weight, _ROUNDED.sub(r"\1(rounding='nearest')", text)) for weight, text in line.parts)
    return line._replace(parts=tuple(parts))


def _offered(version: str, judgments: str) -> tuple[tuple[str, ...], dict[str, tuple[str, ...]]]:
    """The measures for this format of judgments, and the sets of them; the first set is the default."""
    if judgments == "qrels_jg":
        return _WITH_GROUPS, {"qrels_jg": _WITH_GROUPS}
    if judgments != "qrels":
        return _WITH_PREFERENCES, {"prefs": _WITH_PREFERENCES[:8], "all_prefs": _WITH_PREFERENCES}
    names = NAMES_OF_10 if version == "10" else NAMES
    return names, {**_SETS, "all_trec": tuple(name for name in names if name not in _BY_NAME_ONLY)}


def _lines(name: str, given: list[str]) -> list[Line]:
    """The lines of a measure: one per cut-off, by default those of trec_eval."""
    if name.endswith(_MEAN) and name in _WITH_GROUPS:
        base = name.removesuffix(_MEAN)
        return [line._replace(name=name + line.name.removeprefix(base), base=name) for line in _lines(base, given)]
    own = GEOMETRIC.get(name, name)
    if name in PREFERENCE_MEASURES:
        _none(name, given)
        return [Line(name, name, _one(name))]
    if name in ("runid", "num_q"):
        _none(name, given)
        return [Line(name, name)]
    if name == "iprec_at_recall":
        levels = _numbers(name, given, "levels of recall from 0 on") or _default(name)
        return [Line(f"{name}_{level:.2f}", name, _one(f"IPrec@{level!r}")) for level in levels]
    if name == "Rprec_mult":
        multiples = _numbers(name, given, "multiples from 0 on") or list(_MULTIPLES)
        return [Line(f"{name}_{times:.2f}", name, _one(f"RprecMult(times={times!r})")) for times in multiples]
    if name in _CUT:
        ranks = sorted({int(rank) for rank in _numbers(name, given, "whole numbers from 1 on", least=1)})
        return [Line(f"{name}_{rank}", name, _one(f"{_CUT[name][0]}@{rank}")) for rank in ranks or _ranks(name)]
    if not given:
        return [_unparametrised(name, own)]
    return [_parametrised(name, given[0])]


def _unparametrised(name: str, own: str) -> Line:
    if name == "relstring":
        return Line(name, name, number=_LENGTH)
    if name == "rbp":
        return Line(name, name, _one(f"RBP(p={_PERSISTENCE},scale='query')"))
    if name == "rbp_resid":
        return Line(name, name, _one(f"RBPres(p={_PERSISTENCE})"))
    if name == "num_nonjudged_ret":
        return Line(name, name, _NOT_JUDGED)
    if name == "utility":
        return Line(name, name, _one("Utility"), number=_UTILITY[3])
    return Line(name, name, _one(_OF_GAINS.get(name) or _PLAIN[own]))


def _parametrised(name: str, given: str) -> Line:
    """The line of a measure with parameters, which are part of its name."""
    printed = f"{name}_{given}"
    if name in _OF_GAINS:
        return Line(printed, name, _one(f"{_OF_GAINS[name]}({_gains(name, given)})"), given=True)
    if name in ("rbp", "rbp_resid"):
        return Line(printed, name, _one(_of_persistence(name, given)), given=True)
    if name not in ("relstring", "utility", "11pt_avg", "set_F"):
        _none(name, [given])
    numbers = [finite_number(part) for part in given.split(",")]
    wanted = {"utility": 4, "11pt_avg": len(numbers)}.get(name, 1)
    values = [number for number in numbers if number is not None]
    if len(values) != len(numbers) or len(values) != wanted:
        raise ArgumentError(f"'{name}.{given}': expected {wanted} number{'s' * (wanted > 1)}, separated by commas")
    if name == "relstring":
        return Line(printed, name, given=True, number=max(int(values[0]), 0))
    if name == "utility":
        worth = ",".join(f"{key}={value!r}" for key, value in zip(("TP", "FP", "FN"), values, strict=False))
        return Line(printed, name, _one(f"Utility({worth})"), given=True, number=values[3])
    if min(values) < 0:
        raise ArgumentError(f"'{name}.{given}': expected numbers from 0 on")
    if name == "set_F":
        return Line(printed, name, _one(f"SetF(beta={values[0] ** 0.5!r})"), given=True)
    return Line(printed, name, tuple((1 / len(values), f"IPrec@{level!r}") for level in values), given=True)


def _of_persistence(name: str, given: str) -> str:
    """RBP or its residual with the persistence, and for RBP the gains of grades, as in ``p=0.8,1=0.5,2=1``."""
    pairs = [part.partition("=") for part in given.split(",")]
    others = ",".join("".join(pair) for pair in pairs if pair[0] != "p")
    number = finite_number(next((value for key, _, value in pairs if key == "p"), str(_PERSISTENCE)))
    if number is None or not 0 <= number <= 1 or (others and name == "rbp_resid"):
        raise ArgumentError(f"'{name}.{given}': expected the persistence, as in {name}.p=0.8")
    if name == "rbp_resid":
        return f"RBPres(p={number!r})"
    return f"RBP(p={number!r},scale='query'{',' + _gains(name, others) if others else ''})"


def _gains(name: str, given: str) -> str:
    pairs = _pairs(name, given, "grades and their gains")
    return f"gains={{{','.join(f'{grade:.0f}:{gain!r}' for grade, gain in sorted(pairs.items()))}}}"


def _one(ours: str) -> tuple[tuple[float, str], ...]:
    return ((1.0, ours),)


def _default(name: str) -> list[float]:
    return [float(cutoff) for cutoff in _CUT[name][1].strip("[]").split(",")]


def _ranks(name: str) -> list[int]:
    return [int(rank) for rank in _default(name)]


def _none(name: str, given: list[str]) -> None:
    if given:
        raise ArgumentError(f"'{name}.{given[0]}': {name} takes no parameters; write -m {name}")


def _numbers(name: str, given: list[str], expected: str, least: float = 0) -> list[float]:
    """The cut-offs given for a measure, ascending; none if it is named alone."""
    numbers = []
    for text in given:
        for part in text.split(","):
            number = finite_number(part)
            if number is None or number < least:
                raise ArgumentError(
                    f"'{name}.{text}': expected {expected} as cut-offs, separated by commas; found '{text}'"
                )
            numbers.append(number)
    return sorted(set(numbers))


def _pairs(name: str, given: str, what: str) -> dict[float, float]:
    """The pairs of numbers in a text such as ``1=3,2=9``."""
    pairs: dict[float, float] = {}
    for part in given.split(","):
        key, value = (finite_number(piece) for piece in part.partition("=")[::2])
        if key is None or value is None or key % 1 or value < 0:
            raise ArgumentError(f"'{name}.{given}': expected {what} from 0 on, as in {name}.1=3,2=9; found '{part}'")
        pairs.setdefault(key, value)
    return pairs
