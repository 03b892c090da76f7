"""A measure as a value, and the grammar of its name: ``AP``, ``nDCG@10``, ``P(rel=2)@5``, ``IPrec@0.1``."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import chain

import numpy as np

from toysearch.base import ArgumentError, checked, has_no, unknown
from toysearch.evaluation.joined_run import JoinedRun, condensed
from toysearch.evaluation.measures.all_measures import MEASURES, each_cutoff, in_our_names
from toysearch.evaluation.measures.definition import Definition, Parameter, Terms, Value
from toysearch.formats.text_files import finite_number

__all__ = ["Measure", "named_measure", "parse_measures", "with_size"]

_FORM = re.compile(r"(?P<name>\w+)(?:\((?P<parameters>[^()]*)\))?(?:@(?P<cutoff>.*))?")
_CUTOFF = re.compile(r"[1-9][0-9]{0,8}")
_LEVEL = re.compile(r"0?\.[0-9]+|[01](?:\.0*)?")
# Blanks and commas, but not those inside parentheses or brackets, nor those of P.5,10 (trec_eval).
_BETWEEN = re.compile(r"(?![\s,]+[^()]*\))(?![\s,]+[^\[\]]*\])(?!,[0-9.]+(?:[\s,]|\Z))[\s,]+")
_BETWEEN_PARAMETERS = re.compile(r",(?![^{}]*\})(?=(?:[^'\"]*['\"][^'\"]*['\"])*[^'\"]*\Z)")

SIZE = ("N",)
"""The parameter of measures that a collection provides: its number of documents."""


@dataclass(frozen=True)
class Measure:
    """A measure with its cutoff and parameters bound; its text form parses back to the same measure.

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
        """The measure that a text names, as in ir_measures: ``name(parameter=value,…)@cutoff``.

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
        several = _named(text, frozenset(later))
        if len(several) > 1:
            raise ArgumentError(
                f"'{text.strip()}' names {len(several)} measures where one was expected: {several[0]}, …"
            )
        return several[0]

    def __str__(self) -> str:
        return self.text

    @cached_property
    def text(self) -> str:
        """The text form."""
        parameters = ",".join(f"{name}={_text(value)}" for name, value in self.parameters)
        cutoff = "" if self.cutoff is None else f"@{self.cutoff}"
        if isinstance(self.cutoff, float):  # the shortest number that reads back as the same: 0.00001, not 1e-05
            cutoff = f"@{np.format_float_positional(self.cutoff, trim='0')}"
        return self.name + (f"({parameters})" if parameters else "") + cutoff

    @property
    def definition(self) -> Definition:
        """The entry of the table of measures."""
        return MEASURES[self.name]

    def values(self, judged: JoinedRun) -> np.ndarray:
        """The measure's value for each query, NaN where it is undefined: float64, shape (n_queries,)."""
        return self.terms(judged).values

    def terms(self, judged: JoinedRun) -> Terms:
        """The terms of the values."""
        parameters = dict(self.parameters)
        if parameters.pop("judged_only", False):
            judged = condensed(judged)
        definition = MEASURES[self.name]
        cutoff = {} if definition.cutoff == "none" else {"cutoff": self.cutoff}
        return definition.compute(judged, **cutoff, **parameters)


@checked
def parse_measures(measures: str | Iterable[object], later: Iterable[str] = ()) -> list[Measure]:
    """The measures of a list, each once, in the order given.

    Parameters
    ----------
    measures : str or iterable
        One text with blanks or commas between the names, or several names: texts, `Measure` values, or the
        measures of ir_measures. A name may be that of a preset ("official", "beir", "seeds"); a list of cutoffs
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
    texts = _BETWEEN.split(measures.strip()) if isinstance(measures, str) else map(str, measures)
    parsed = list(dict.fromkeys(chain.from_iterable(_named(text, frozenset(later)) for text in texts if text)))
    if not parsed:
        raise ArgumentError(f"no measure was named; {LISTED}")
    return parsed


@checked
def with_size(measures: Iterable[Measure], n_documents: int | None) -> list[Measure]:
    """The measures, with N where they need the number of documents and lack it.

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
    sized = []
    for measure in measures:
        parameters = dict(measure.parameters)
        if n_documents is not None and "N" in measure.definition.needs and "N" not in parameters:
            parameters["N"] = float(n_documents)  # at its place among the parameters
            pairs = ((key, parameters[key]) for key in measure.definition.parameters if key in parameters)
            measure = replace(measure, parameters=tuple(pairs))
        sized.append(measure)
    return sized


def mean_measures(measures: str | Iterable[object], later: Iterable[str] = ()) -> list[Measure]:
    """The measures of a list, each of which must be a mean over queries: systems are compared by mean differences."""
    parsed = parse_measures(measures, later)
    for measure in parsed:
        if measure.definition.aggregate == "gm":
            raise ArgumentError(f"{measure} is not a mean over queries; compare AP, from whose values it is computed")
    return parsed


@checked
def named_measure(text: str) -> str:
    """The name in the table of the measure that a text names; cutoff and parameters may be missing.

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
    ours = in_our_names(text.strip())[0]
    return ours if ours in MEASURES else parse_measures(text)[0].name


@cache
def _named(text: str, later: frozenset[str] = frozenset()) -> tuple[Measure, ...]:
    """The measures that a text names, in our names or in those of another tool."""
    return tuple(_parse(ours, later) for one in each_cutoff(text.strip()) for ours in in_our_names(one))


LISTED = "`toysearch measures` lists all (toysearch.MEASURES in Python)"


def _parse(text: str, later: frozenset[str]) -> Measure:
    form = _FORM.fullmatch(text.strip())
    if form is None:
        raise ArgumentError(
            f"'{text}' is not of the form name, name@cutoff or name(parameter=value)@cutoff; an example: P(rel=2)@5"
        )
    name = form["name"]
    if name not in MEASURES:
        raise unknown("measure", name, MEASURES, listed=LISTED)
    definition = MEASURES[name]
    cutoff = _parse_cutoff(name, definition, form["cutoff"])
    return Measure(name, cutoff, _parse_parameters(name, definition, form["parameters"] or "", later))


def _parse_cutoff(name: str, definition: Definition, text: str | None) -> int | float | None:
    if definition.cutoff == "recall":
        if text is None or not _LEVEL.fullmatch(text) or float(text) > 1:
            written = name if text is None else f"{name}@{text}"
            raise ArgumentError(f"{written}: expected a level of recall from 0 to 1 after @, such as {name}@0.1")
        return float(text)
    if text is None:
        if definition.cutoff == "needed":
            raise ArgumentError(f"{name} needs a cutoff, such as {name}@10")
        return None
    if definition.cutoff == "none":
        raise ArgumentError(f"{name} takes no cutoff; write {name} without @{text}")
    if not _CUTOFF.fullmatch(text):
        raise ArgumentError(f"{name}@{text}: expected a whole number from 1 to 999999999 as cutoff, such as {name}@10")
    return int(text)


def _parse_parameters(
    name: str, definition: Definition, text: str, later: frozenset[str]
) -> tuple[tuple[str, Value], ...]:
    values: dict[str, Value] = {}
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
            raise ArgumentError(
                f"{name} needs {key}, {parameter.description}, such as {name}({key}={parameter.needed})"
            )
    return tuple(
        (key, values[key])
        for key, parameter in definition.parameters.items()
        if key in values and values[key] != parameter.default
    )


def _read(parameter: Parameter, text: str) -> Value | None:
    """The value of a parameter as a text gives it, or None where it is not one."""
    if parameter.kind == "flag":
        return {"true": True, "false": False}.get(text.lower())
    if parameter.kind == "choice":
        bare = text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"" else text
        return bare if bare in parameter.choices else None
    if parameter.kind == "mapping":
        if not (text.startswith("{") and text.endswith("}")):
            return None
        pairs: dict[float, float] = {}
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
    """A value as the text that reads back as the same; a whole number without a point."""
    if isinstance(value, tuple):
        return "{" + ",".join(f"{_text(key)}:{_text(number)}" for key, number in value) + "}"
    return repr(value).removesuffix(".0") if isinstance(value, float) else repr(value)
