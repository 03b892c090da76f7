"""A measure as a value, and the grammar of its name: ``AP``, ``nDCG@10``, ``P(rel=2)@5``."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from toysearch.errors import ArgumentError, unknown
from toysearch.evaluation.judged import Judged
from toysearch.evaluation.measures import MEASURES, Definition, Parameter
from toysearch.formats.lines import finite_number

_FORM = re.compile(r"(?P<name>\w+)(?:\((?P<parameters>[^()]*)\))?(?:@(?P<cutoff>.*))?")
_CUTOFF = re.compile(r"[1-9][0-9]{0,8}")
_BETWEEN = re.compile(r"[\s,]+(?![^()]*\))")  # blanks and commas, but not those inside parentheses


@dataclass(frozen=True)
class Measure:
    """A measure with its cutoff and parameters bound; its text form parses back to the same measure.

    Made by `Measure.parse`, which checks what it is given.

    Attributes
    ----------
    name : str
        The name in the table of measures.
    cutoff : int or None
        The rank down to which the ranking counts; None means all of it.
    parameters : tuple of (str, float)
        What differs from the defaults, in the order of the table.

    Examples
    --------
    >>> Measure.parse("P(rel=2)@5")
    Measure(name='P', cutoff=5, parameters=(('rel', 2.0),))
    >>> str(Measure.parse("F( beta=1, rel=2.0 )@5"))
    'F(rel=2)@5'
    """

    name: str
    cutoff: int | None = None
    parameters: tuple[tuple[str, float], ...] = ()

    @classmethod
    def parse(cls, text: str) -> Measure:
        """The measure that a text names, as in ir_measures: ``name(parameter=value,…)@cutoff``.

        Parameters
        ----------
        text : str
            The name, in its own upper and lower case; parameters and cutoff where the measure has them.

        Raises
        ------
        ArgumentError
            If the measure is unknown, or does not take what is given, or lacks the cutoff that it needs.
        """
        form = _FORM.fullmatch(text.strip())
        if form is None:
            raise ArgumentError(
                f"'{text}' is not of the form name, name@cutoff or name(parameter=value)@cutoff; an example: P(rel=2)@5"
            )
        name = form["name"]
        if name not in MEASURES:
            raise unknown("measure", name, MEASURES)
        definition = MEASURES[name]
        cutoff = _parse_cutoff(name, definition, form["cutoff"])
        return cls(name, cutoff, _parse_parameters(name, definition, form["parameters"] or ""))

    def __str__(self) -> str:
        given = ",".join(f"{name}={_shortest(value)}" for name, value in self.parameters)
        cutoff = "" if self.cutoff is None else f"@{self.cutoff}"
        return self.name + (f"({given})" if given else "") + cutoff

    @property
    def definition(self) -> Definition:
        """The entry of the table of measures."""
        return MEASURES[self.name]

    def values(self, judged: Judged) -> np.ndarray:
        """The measure's value for each query, NaN where it is undefined.

        Parameters
        ----------
        judged : Judged
            The join of a run with judgments.

        Returns
        -------
        ndarray of float64, shape (n_queries,)
        """
        cutoff = {} if self.definition.cutoff == "none" else {"cutoff": self.cutoff}
        return self.definition.compute(judged, **cutoff, **dict(self.parameters))


def parse_measures(measures: str | Iterable[object]) -> list[Measure]:
    """The measures of a list, each once, in the order given.

    Parameters
    ----------
    measures : str or iterable
        One text with blanks or commas between the names, or anything whose items' text forms are names: texts,
        `Measure` values, or the measures of ir_measures.

    Raises
    ------
    ArgumentError
        If there is none, or one of them is not a measure.

    Examples
    --------
    >>> [str(measure) for measure in parse_measures("AP nDCG@10, F(rel=2, beta=2)@5")]
    ['AP', 'nDCG@10', 'F(rel=2,beta=2)@5']
    """
    texts = _BETWEEN.split(measures.strip()) if isinstance(measures, str) else map(str, measures)
    parsed = list(dict.fromkeys(Measure.parse(text) for text in texts if text))
    if not parsed:
        raise ArgumentError(f"no measure was named; some of them: {', '.join(MEASURES)}")
    return parsed


def _parse_cutoff(name: str, definition: Definition, text: str | None) -> int | None:
    if text is None:
        if definition.cutoff == "needed":
            raise ArgumentError(f"{name} needs a cutoff, such as {name}@10")
        return None
    if definition.cutoff == "none":
        raise ArgumentError(f"{name} takes no cutoff; write {name} without @{text}")
    if not _CUTOFF.fullmatch(text):
        raise ArgumentError(f"{name}@{text}: a cutoff is a whole number from 1 to 999999999, such as {name}@10")
    return int(text)


def _parse_parameters(name: str, definition: Definition, text: str) -> tuple[tuple[str, float], ...]:
    given: dict[str, float] = {}
    for part in text.split(",") if text.strip() else []:
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals:
            raise ArgumentError(f"{name}({text}): '{part}' is not of the form parameter=value")
        if not definition.parameters:
            raise ArgumentError(f"{name} takes no parameters; '{key}' was given")
        if key not in definition.parameters:
            raise unknown(f"parameter of {name}", key, definition.parameters, "parameters")
        if key in given:
            raise ArgumentError(f"{name}({text}) gives {key} twice")
        given[key] = _parse_value(name, key, definition.parameters[key], value)
    return tuple(
        (key, given[key])
        for key, parameter in definition.parameters.items()
        if key in given and given[key] != parameter.default
    )


def _parse_value(name: str, key: str, parameter: Parameter, text: str) -> float:
    value = finite_number(text)
    if value is None or value < parameter.low:
        raise ArgumentError(f"{name}({key}={text}): {key} is a number from {parameter.low:g} on")
    return value


def _shortest(value: float) -> str:
    """A number as a text that reads back as the same, without a point where it is whole."""
    return repr(value).removesuffix(".0")
