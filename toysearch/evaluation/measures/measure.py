"""Measures as a table, and a measure as a value: ``AP``, ``nDCG@10``, ``P(rel=2)@5``, ``IPrec@0.1``.

Aliases, names of other tools and of sets of measures, are accepted as input only; output has the names in the table.
No alias equals a name of that table.
"""

from __future__ import annotations

import inspect
import math
import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from toysearch.base import ArgumentError, Qrels, Run, expect, expect_list, has_no, in_file_meant, shortest, unknown
from toysearch.base.elsewhere import here, phrases
from toysearch.evaluation import Definition, JoinedRun, Parameter, Terms, Value, condensed
from toysearch.evaluation.measures import binary, diversity, effort, graded  # noqa: F401
from toysearch.evaluation.measures.declaration import DECLARED, declared, in_file
from toysearch.evaluation.measures.definition import differing
from toysearch.rings import ring

__all__ = [
    "FAMILIES",
    "MEASURES",
    "PRESETS",
    "Measure",
    "defined_measure",
    "measure_facts",
    "measure_form",
    "named_measure",
    "parse_measures",
    "with_size",
]


CUTOFFS = "[5,10,15,20,30,100,200,500,1000]"
LEVELS = "[0.0,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1.0]"

CUT: Mapping[str, tuple[str, str]] = {
    "P": ("P", CUTOFFS),
    "recall": ("R", CUTOFFS),
    "map_cut": ("AP", CUTOFFS),
    "ndcg_cut": ("nDCG", CUTOFFS),
    "success": ("Success", "[1,5,10]"),
    "relative_P": ("R_cap", CUTOFFS),
    "iprec_at_recall": ("IPrec", LEVELS),
}
"""Name of a measure with cutoffs in trec_eval → ours, and the cutoffs if none is given: ``P_5``, ``P.5,10``."""

PRESETS: Mapping[str, str] = MappingProxyType(
    {
        "official": f"NumQ NumRet NumRel NumRelRet AP GMAP Rprec Bpref RR IPrec@{LEVELS} P@{CUTOFFS}",
        "beir": " ".join(f"{name}@[1,3,5,10,100,1000]" for name in ("nDCG", "AP", "R", "P"))
        + " R_cap@100 Hole@10 RR@10",
        "seeds": "P@[2,5] R@[2,5] F@5 R_cap@5 RR RR@2 AP AP@2 AP(first=2) MeanP@[2,5] DCG DCG(discount='jk') "
        "DCG(dcg='exp-log2') nDCG nDCG@2 nDCG(ideal='ranking') nDCG(dcg='exp-log2') nDCG(dcg='exp-log2',ideal='max') "
        "SetP SetR SetF SetF(alpha=0.2) SetE TP FP FN",
    }
)
"""Name of a set of measures → its measures: those of trec_eval, of BEIR, of published examples."""

_CUT = re.compile(rf"(?P<name>{'|'.join(CUT)})(?:[._](?P<cutoffs>[0-9.]+(?:,[0-9.]+)*))?")
_RBP = re.compile(r"rbp\.(?P<digits>[0-9]+)(?P<rest>.*)")
_MULTIPLE = re.compile(r"Rprec_mult(?:[._](?P<times>[0-9]+(?:\.[0-9]+)?(?:,[0-9]+(?:\.[0-9]+)?)*))?")
_MULTIPLES = "0.2,0.4,0.6,0.8,1,1.2,1.4,1.6,1.8,2"  # those of trec_eval
_SET_F = re.compile(r"set_F[._](?P<squared>[0-9]+(?:\.[0-9]+)?)")
_NAME = re.compile(r"(?P<name>\w[\w-]*)(?:\((?P<parameters>[^()]*)\))?(?P<rest>.*)")
_RELATIVE = "relative=True"
_AT = re.compile(r"(?P<name>[A-Za-z]\w*?)(?:_at)?_(?P<cutoff>[0-9]+)")  # ndcg_at_10, mrr_10
_LEVEL_OF_RANX = re.compile(r"(?P<name>\w+)(?P<cutoff>@[0-9]+)?-l(?P<rel>[0-9]+)")  # map@100-l2


def in_our_names(text: str) -> list[str]:
    """List the measures that a text names, each as a text with its name in the table."""
    if text in PRESETS:
        return [one for part in PRESETS[text].split() for one in each_cutoff(part)]
    cut = _CUT.fullmatch(text)
    if cut and (cut["cutoffs"] or text != CUT[cut["name"]][0]):
        name, usual = CUT[cut["name"]]
        return each_cutoff(f"{name}@[{cut['cutoffs']}]" if cut["cutoffs"] else f"{name}@{usual}")
    if rbp := _RBP.fullmatch(text):
        return [f"RBP(p=0.{rbp['digits']}){rbp['rest']}"]
    if set_f := _SET_F.fullmatch(text):  # the parameter of trec_eval is beta²
        return [f"SetF(beta={math.sqrt(float(set_f['squared']))!r})"]
    if multiple := _MULTIPLE.fullmatch(text):
        return [f"RprecMult(times={float(times)!r})" for times in (multiple["times"] or _MULTIPLES).split(",")]
    at = _AT.fullmatch(text)
    if at and (at["name"] in BUILT_IN or at["name"] in CUT or at["name"] in here("measure")):
        return in_our_names(f"{at['name']}@{at['cutoff']}")
    if level := _LEVEL_OF_RANX.fullmatch(text):
        return in_our_names(f"{level['name']}(rel={level['rel']}){level['cutoff'] or ''}")
    form = _NAME.fullmatch(text)
    if form is None:
        return [text]
    name, arguments = form["name"], [part.strip() for part in (form["parameters"] or "").split(",") if part.strip()]
    # In ir_measures, these two are other measures with a parameter.
    if name == "NumRet" and any(part.startswith("rel") for part in arguments):
        name = "NumRelRet"
    if name == "SetP" and _RELATIVE in arguments:
        name = "SetRelP"
        arguments.remove(_RELATIVE)
    meant = name if name in BUILT_IN else here("measure").get(name, name)
    ours, _, bound = meant.rstrip(")").partition("(")
    parameters = ",".join([bound, *arguments] if bound else arguments)
    return [ours + (f"({parameters})" if parameters else "") + form["rest"]]


def each_cutoff(text: str) -> list[str]:
    """Split a text that ends in a list of cutoffs into one text per cutoff."""
    start, at, cutoffs = text.partition("@[")
    if not at or not cutoffs.endswith("]"):
        return [text]
    return [f"{start}@{cutoff.strip()}" for cutoff in cutoffs[:-1].split(",")]


def aliases_of(name: str) -> list[str]:
    """List the aliases of a measure."""
    cut = [f"{theirs}_{'x' if usual == LEVELS else 'k'}" for theirs, (ours, usual) in CUT.items() if ours == name]
    return cut + [theirs for theirs, ours in here("measure").items() if ours.partition("(")[0] == name]


FAMILIES = {
    "ranked": "Rankings of documents that are relevant or not",
    "graded": "Rankings of documents that are relevant to a degree",
    "user": "Models of a user who reads down the ranking",
    "diversity": "Sub-topics and nuggets",
    "incomplete": "Incomplete judgments",
    "set": "Sets of documents",
}
"""Family → heading of its measures, in the order of the table."""

MEASURES: Mapping[str, Definition] = MappingProxyType(
    {name: one for family in FAMILIES for name, one in DECLARED.items() if one.family == family}
)
"""Name → definition, as the imported files declare them, in the order in which they are listed."""

OF_TREC_EVAL = "BinG G IdealDCG NumNonRelRet RnDCG RprecMult Utility Yaap nDCG_rel".split()  # noqa: SIM905
"""Measures of trec_eval alone, which are computed, but not listed."""

BUILT_IN = {*MEASURES, *OF_TREC_EVAL}


_AGGREGATES = {
    "mean": "the mean",
    "sum": "the sum",
    "gm": "the geometric mean, values below 0.00001 counting as 0.00001",
    "hm": "the harmonic mean",
    "median": "the median",
    "min": "the lowest",
    "max": "the highest",
}
_ENDS = {"none": "", "optional": "[@k]", "needed": "@k", "recall": "@x"}


def measure_form(name: str) -> str:
    """Write the form of the name of a measure, with required parameters and the cutoff.

    Parameters
    ----------
    name : str
        A name of the table of measures.

    Examples
    --------
    >>> measure_form("AP"), measure_form("P"), measure_form("IPrec"), measure_form("Fallout"), measure_form("Rprec")
    ('AP[@k]', 'P@k', 'IPrec@x', 'Fallout(N=…)[@k]', 'Rprec')
    """
    definition = defined_measure(name)
    needed = ",".join(f"{parameter}=…" for parameter in definition.needs)
    return name + (f"({needed})" if needed else "") + _ENDS[definition.cutoff]


def defined_measure(name: str, typed: str | None = None) -> Definition:
    """Look a measure up in the table, or define it if it is a measure of the user.

    Parameters
    ----------
    name : str
        A measure without cutoff and parameters, or a function: ``"mine.py:useful"``.
    typed : str, optional
        The cutoff typed behind it, for what the refusal of an unknown measure advises.

    Raises
    ------
    ArgumentError
        If there is no such measure.

    Examples
    --------
    >>> defined_measure("RR").family
    'ranked'
    """
    expect(str, name=name)
    if name in MEASURES:
        return MEASURES[name]
    if name in OF_TREC_EVAL:
        of_ring: Definition = ring("measures of trec_eval").OF_TREC_EVAL[name]
        return of_ring
    if _OWN.match(name):
        file, _, function = name.rpartition(":")
        path = Path(file)
        return _read_file(path, function, path.stat().st_mtime_ns if os.path.isfile(path) else 0)
    if name not in DECLARED:
        whole, within = _OF_OTHERS.findall(name)[0]
        k = typed or within
        for row in phrases("measure"):
            if row.theirs == whole and row.advice:
                advice = row.advice.format(k=k or 10, at=f"@{k}" if k else "")
                raise ArgumentError(f"unknown measure '{name}'; {advice}")
        raise unknown("measure", name, {**MEASURES, **DECLARED}, listed=LISTED)
    return DECLARED[name]


_OF_OTHERS = re.compile(r"(.+?)(?:(?:_at)?_([0-9]+)|[0-9]*)\Z")  # unj_10, NERR9


_read_file = cache(lambda path, function, changed: in_file(path, function))


def measure_facts(name: str) -> dict[str, str]:
    """Describe the properties of a measure: label → sentence.

    Parameters
    ----------
    name : str
        A name of the table of measures.

    Examples
    --------
    >>> rr = measure_facts("RR")
    >>> rr["range"], rr["perfect ranking"], rr["other names"]
    ('0 to 1; higher is better', '1, without a cutoff', 'recip_rank, mrr, MRR, reciprocal_rank, mean_reciprocal_rank')
    """
    definition = defined_measure(name)
    low, high = definition.range
    span = f"at least {low:g}" if high is None else f"{low:g} to {high:g}"
    better = f"{definition.better} is better" if definition.better else "neither end is better"
    perfect = "depends on the judgments" if definition.perfect is None else f"{definition.perfect:g}"
    if definition.perfect is not None and definition.cutoff == "optional":
        perfect += ", without a cutoff"
    order = "matters" if definition.ordered else "does not matter"
    if not definition.ordered and definition.cutoff != "none":
        order += " within the cutoff"
    undefined = f"where {definition.undefined}: " if definition.undefined else "never"
    if definition.undefined and definition.better == "lower":
        undefined += "left out of the mean (0 would be the best value)"
    elif definition.undefined:
        undefined += 'counts as 0, or is left out of the mean with undefined="nan"'
    return {
        "formula": definition.formula,
        "cutoff": {
            "none": "none",
            "optional": f"optional, as in {name}@10: only the first ten ranks count",
            "needed": f"required, as in {name}@10: only the first ten ranks count",
            "recall": f"required: a level of recall from 0 to 1, as in {name}@0.1",
        }[definition.cutoff],
        "range": f"{span}; {better}",
        "order": order,
        "perfect ranking": perfect,
        "undefined": undefined,
        "over all queries": _AGGREGATES[definition.aggregate],
        "source": definition.source,
        "other names": ", ".join(map(_with_parameters, aliases_of(name))) or "none",
    }


def _with_parameters(alias: str) -> str:
    parameters = here("measure").get(alias, "").rstrip(")").partition("(")[2]
    return f"{alias} ({parameters})" if parameters else alias


_FORM = re.compile(r"(?P<name>(?:[^()@]+\.py:)?\w+)(?:\((?P<parameters>[^()]*)\))?(?:@(?P<cutoff>.*))?")
_OWN = re.compile(r"[^()@]+\.py:")  # the file of a measure of the user
_CUTOFF = re.compile(r"[1-9][0-9]{0,8}")
_LATE = re.compile(r"(?P<cutoff>[0-9]+)\((?P<parameters>[^()]*)\)")
_LEVEL = re.compile(r"0?\.[0-9]+|[01](?:\.0*)?")
_LONGEST = 4_000  # characters of a measure, whose patterns look ahead to its end
_BETWEEN_PARAMETERS = re.compile(r",(?![^{}]*\})(?=(?:[^'\"]*['\"][^'\"]*['\"])*[^'\"]*\Z)")

SIZE = ("N",)
"""Parameter of measures that a collection provides: its number of documents."""


@dataclass(frozen=True)
class Measure:
    """Measure with its cutoff and parameters bound; its text form parses back to the same measure.

    Made by `Measure.parse`, which checks what it is given.

    Attributes
    ----------
    name : str
        The name in the table of measures.
    cutoff : int, float or None
        The last rank that counts; None for all. For a measure at a level of recall, that level.
    parameters : tuple of (str, value)
        Parameters that differ from the defaults, in the order of the table: numbers, texts, flags, or pairs of numbers.

    Examples
    --------
    >>> Measure.parse("P(rel=2)@5")
    Measure(name='P', cutoff=5, parameters=(('rel', 2.0),))
    >>> str(Measure.parse("F( beta=1, rel=2.0 )@5"))
    'F(rel=2)@5'
    >>> str(Measure.parse("map_cut_10")), str(Measure.parse("AP(judged_only=True)"))
    ('AP@10', 'AP(judged_only=True)')
    """

    name: str
    cutoff: int | float | None = None
    parameters: tuple[tuple[str, Value], ...] = ()

    @classmethod
    def parse(cls, text: str, later: Iterable[str] = ()) -> Measure:
        """Parse the measure that a text names, as in ir_measures: ``name(parameter=value,…)@cutoff``.

        Parameters
        ----------
        text : str
            The name, in its own upper and lower case, or its name in another tool (`toysearch measures NAME`
            lists them); with parameters and cutoff where the measure has them.
        later : iterable of str
            As `parse_measures` takes it.

        Raises
        ------
        ArgumentError
            If the measure is unknown, does not take what is given, or lacks the cutoff that it needs; or if the
            text names several.
        """
        several = parse_measures([text], later)
        if len(several) > 1:
            raise ArgumentError(
                f"'{text.strip()}' names {len(several)} measures where one was expected: {several[0]}, …"
            )
        return several[0]

    def __str__(self) -> str:
        return self.text

    @cached_property
    def text(self) -> str:
        """Text form."""
        parameters = ",".join(f"{name}={_text(value)}" for name, value in self.parameters)
        cutoff = "" if self.cutoff is None else f"@{self.cutoff}"
        if isinstance(self.cutoff, float):  # the shortest number that reads back as the same: 0.00001, not 1e-05
            cutoff = f"@{np.format_float_positional(self.cutoff, trim='0')}"
        return self.name + (f"({parameters})" if parameters else "") + cutoff

    @property
    def definition(self) -> Definition:
        """Definition of the measure, as by `defined_measure`."""
        return MEASURES.get(self.name) or defined_measure(self.name)

    @property
    def sign(self) -> int:
        """−1 if lower values are better, else 1."""
        return -1 if self.definition.better == "lower" else 1

    @property
    def verbs(self) -> tuple[str, str]:
        """What queries with better and with worse values do: gain, lose; rise, fall where neither side is better."""
        return ("rise", "fall") if self.definition.better is None else ("gain", "lose")

    def values(self, judged: JoinedRun) -> np.ndarray:
        """Compute the value of each query, NaN where it is undefined: float64, shape (n_queries,)."""
        return self.terms(judged).values

    def terms(self, judged: JoinedRun) -> Terms:
        """Compute the terms of the values."""
        parameters = dict(self.parameters)
        if parameters.pop("judged_only", False):
            judged = condensed(judged)
        cutoff = {} if self.definition.cutoff == "none" else {"cutoff": self.cutoff}
        return self.definition.compute(judged, **cutoff, **parameters)


MeasuresLike = str | Measure | Callable[..., object] | Iterable[object]
"""What `parse_measures` takes."""


def parse_measures(measures: MeasuresLike, later: Iterable[str] = ()) -> list[Measure]:
    """Parse the measures of a list, each once, in the order given.

    Parameters
    ----------
    measures : str, Measure, function or iterable
        One text with blanks or commas between the names, or several names: texts, `Measure` values, measures of
        ir_measures, or functions. A name may be that of a preset ("official", "beir", "seeds"); a list of cutoffs
        stands for one measure per cutoff.
    later : iterable of str
        Parameters that may be missing where a measure needs them, because they are added later: `SIZE`.

    Raises
    ------
    ArgumentError
        If none is given, or one of them is not a measure.

    Examples
    --------
    >>> [str(measure) for measure in parse_measures("AP nDCG@10, F(rel=2, beta=2)@5")]
    ['AP', 'nDCG@10', 'F(rel=2,beta=2)@5']
    >>> [str(measure) for measure in parse_measures("nDCG@[1,5,10] P.5,10")]
    ['nDCG@1', 'nDCG@5', 'nDCG@10', 'P@5', 'P@10']
    """
    if isinstance(measures, Mapping | Qrels | Run) or hasattr(measures, "qrels"):
        raise ArgumentError(
            "measures come last: evaluate(run, qrels, 'AP'); several systems are one list: compare(['bm25', 'dph'], "
            "collection, 'AP')"
        )
    if isinstance(measures, Measure) or inspect.isroutine(measures):
        measures = [measures]
    texts: Any = _listed(measures) if isinstance(measures, str) else measures
    expect_list(object, ordered=False, measures=texts)
    parsed: dict[Measure, None] = {}
    for one in texts:
        text = str(declared(one) if inspect.isroutine(one) else one)
        # A measure of the user may mean another function the next time.
        is_own = _OWN.match(text.strip()) or len(DECLARED) > len(MEASURES)
        parsed |= dict.fromkeys((_parsed if is_own else _parsed_once)(text, frozenset(later)))
    if not parsed:
        raise ArgumentError(f"no measure was named; {LISTED}")
    return list(parsed)


def _listed(text: str) -> list[str]:
    """Split at blanks and commas, but not inside parentheses or brackets, nor at those of P.5,10 (trec_eval)."""
    pieces, names = re.split(r"([\s,]+)", text.strip()), list[list[str]]([[]])
    round_next = square_next = ""
    for place in reversed(range(len(pieces))):  # what follows a comma says whether it is inside
        piece = pieces[place]
        is_between = place % 2 == 1 and round_next != ")" and square_next != "]"
        if is_between and not (piece == "," and re.fullmatch(r"[0-9.]+", pieces[place + 1])):
            names.append([])
            continue
        names[-1].append(piece)
        round_next = "".join(re.findall(r"[()]", piece)[:1]) or round_next
        square_next = "".join(re.findall(r"[\[\]]", piece)[:1]) or square_next
    return [*filter(None, ("".join(reversed(name)) for name in reversed(names)))]


def with_size(measures: Iterable[Measure], n_documents: int | None) -> list[Measure]:
    """Give measures their N where they need the number of documents and lack it.

    Parameters
    ----------
    measures : iterable of Measure
        As `parse_measures` returns them with ``later=["N"]``.
    n_documents : int or None
        The number of documents in the collection; None, if it is unknown, changes nothing.

    Examples
    --------
    >>> [str(measure) for measure in with_size(parse_measures("Fallout@5 AP", ["N"]), 1400)]
    ['Fallout(N=1400)@5', 'AP']
    """
    expect_list(Measure, ordered=False, measures=measures)
    if n_documents is None:
        return list(measures)
    expect(int, n_documents=n_documents)
    sized = []
    for measure in measures:
        if "N" in measure.definition.needs:
            given = dict(measure.parameters)
            values = {**given, "N": float(n_documents)}
            known = replace(measure, parameters=differing(values, measure.definition.parameters))
            if given.get("N", n_documents) != n_documents:
                raise ArgumentError(f"{measure}: the collection has {n_documents:,} documents; write {known}")
            measure = known
        sized.append(measure)
    return sized


def placed(text: str, folder: Path) -> str:
    """Return the text of a measure, with the path of its file in a folder if it is there.

    >>> placed("AP@10", Path("elsewhere"))
    'AP@10'
    """
    named_file = _OWN.match(text.strip())
    return str(folder / text.strip()) if named_file and (folder / named_file[0][:-1]).is_file() else text


def mean_measures(measures: MeasuresLike, later: Iterable[str] = ()) -> list[Measure]:
    """Parse measures, each of which must be a mean over queries: systems are compared by mean differences."""
    parsed = parse_measures(measures, later)
    for measure in parsed:
        if measure.definition.aggregate == "gm":
            raise ArgumentError(f"{measure} is not a mean over queries; compare AP, from whose values it is computed")
    return parsed


def named_measure(text: str) -> str:
    """Return the name in the table of the measure that a text names; cutoff and parameters may be missing.

    Parameters
    ----------
    text : str
        A measure, or its name in another tool.

    Raises
    ------
    ArgumentError
        If it is not a measure.

    Examples
    --------
    >>> [named_measure(text) for text in ("P", "nDCG@10", "map_cut_10", "hit_rate")]
    ['P', 'nDCG', 'AP', 'Success']
    """
    expect(str, text=text)
    ours = in_our_names(text.strip())[0]
    return ours if ours in BUILT_IN else parse_measures(text)[0].name


def _parsed(text: str, later: frozenset[str]) -> tuple[Measure, ...]:
    if len(text) > _LONGEST:
        raise ArgumentError(f"a measure has at most {_LONGEST:,} characters, not {len(text):,}")
    measures = []
    for one in each_cutoff(text.strip()):
        for written in [one] if _OWN.match(one) else in_our_names(one):
            form = _FORM.fullmatch(written.strip())
            if form is None:
                if written.endswith(".py") and Path(written).is_file():
                    raise ArgumentError(f"'{written}': name its function, as in {written}:NAME")
                if meant := in_file_meant(written):
                    raise ArgumentError(f"'{written}': the name of a file ends in .py: {meant}")
                raise ArgumentError(
                    f"'{written}' is not of the form name, name@cutoff or name(parameter=value)@cutoff; an example: "
                    "P(rel=2)@5"
                )
            name, definition = form["name"], defined_measure(form["name"], form["cutoff"])
            cutoff = _parse_cutoff(name, definition, form["cutoff"])
            parameters = _parse_parameters(name, definition, form["parameters"] or "", later)
            measures.append(Measure(name, cutoff, parameters))
    return tuple(measures)


_parsed_once = cache(_parsed)


LISTED = "`toysearch measures` lists all (toysearch.MEASURES in Python)"


def _parse_cutoff(name: str, definition: Definition, text: str | None) -> int | float | None:
    if definition.cutoff == "recall":
        if text is None or not _LEVEL.fullmatch(text) or float(text) > 1:
            written = name if text is None else f"{name}@{text}"
            raise ArgumentError(f"{written}: expected a level of recall from 0 to 1 after @, such as {name}@0.1")
        return float(text)
    if text is None:
        if definition.cutoff == "needed":
            whole = f", or Set{name} for the whole list" if f"Set{name}" in BUILT_IN else ""
            raise ArgumentError(f"{name} needs a cutoff, such as {name}@10{whole}")
        return None
    if definition.cutoff == "none":
        raise ArgumentError(f"{name} takes no cutoff; write {name} without @{text}")
    if late := _LATE.fullmatch(text):
        copied = f"{name}({late['parameters']})@{late['cutoff']}"
        raise ArgumentError(f"{name}@{text}: parameters stand before the cutoff: {copied}")
    if not _CUTOFF.fullmatch(text):
        raise ArgumentError(f"{name}@{text}: expected a whole number from 1 to 999999999 as cutoff, such as {name}@10")
    return int(text)


def _parse_parameters(
    name: str, definition: Definition, text: str, later: frozenset[str]
) -> tuple[tuple[str, Value], ...]:
    values = {}
    for part in _BETWEEN_PARAMETERS.split(text) if text.strip() else []:
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals:
            raise ArgumentError(f"{name}({text}): '{part}' is not of the form parameter=value")
        if not definition.parameters:
            raise ArgumentError(f"{name} takes no parameters; '{key}' was given")
        if key not in definition.parameters:
            raise has_no(name, "parameter", key, definition.parameters)
        if key in values:
            raise ArgumentError(f"{name}({text}) gives {key} twice")
        parameter = definition.parameters[key]
        parsed = _read(parameter, value)
        if parsed is None:
            raise ArgumentError(f"{name}({key}={value}): {key} must be {parameter.takes}")
        values[key] = parsed
    both = [key for key in definition.either if key in values]
    if len(both) > 1:
        raise ArgumentError(f"{name}({text}): give {' or '.join(both)}, not both")
    for key, parameter in definition.parameters.items():
        if parameter.needed and key not in values and key not in later:
            raise ArgumentError(f"{name} needs {key}, {parameter.description}: {measure_form(name)}")
    return differing(values, definition.parameters)


def _read(parameter: Parameter, text: str) -> Value | None:
    from toysearch.files import finite_number  # most measures are named without parameters

    if parameter.kind == "flag":
        return {"true": True, "false": False}.get(text.lower())
    if parameter.kind in ("choice", "text"):
        bare = text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"" else text
        return bare if bare in parameter.choices or parameter.kind == "text" else None
    if parameter.kind == "mapping":
        if not (text.startswith("{") and text.endswith("}")):
            return None
        pairs = {}
        for part in text[1:-1].split(","):
            key, value = (finite_number(piece.strip()) for piece in part.partition(":")[::2])
            if key is None or value is None or key in pairs:
                return None
            pairs[key] = value
        return tuple(sorted(pairs.items()))
    number = finite_number(text)
    low = -np.inf if parameter.low is None else parameter.low
    high = np.inf if parameter.high is None else parameter.high
    if number is None or not low <= number <= high or (parameter.whole and number % 1):
        return None
    return number


def _text(value: Value) -> str:
    """Write a value as the text that reads back as the same; a whole number without a point."""
    if isinstance(value, tuple):
        return "{" + ",".join(f"{_text(key)}:{_text(number)}" for key, number in value) + "}"
    return shortest(value) if isinstance(value, float) else repr(value)
