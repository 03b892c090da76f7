"""Grades of a collection: the numbers that its codes stand for."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from toysearch.base import ArgumentError, DataError, Qrels, Spec, expect_name, parse_spec, unknown

AS_GIVEN = "as given"
"""Name shown if a collection has no mapping."""

Gains = Mapping[float, float | None]
"""Code → gain; None: the judgment is removed."""


class GradeOption(NamedTuple):
    """Option of a mapping."""

    description: str  # the choice, in a sentence
    default: str  # the value if the user names none
    values: Mapping[str, Gains]  # value → code → gain, for the codes concerned


class GradeMapping(NamedTuple):
    """Named translation of the codes of judgments."""

    name: str  # its name, as in ``graded:minus1=relevant``
    description: str  # its purpose, in a sentence or two
    gains: Gains  # code → gain; None removes the judgment
    options: Mapping[str, GradeOption]  # the choices of the user; their gains override those of the mapping

    def choose(self, parameters: Mapping[str, str]) -> tuple[Spec, Gains]:
        """Return the full choice, with every option named, and its gains."""
        for option in parameters:
            if option not in self.options:
                if not self.options:
                    raise ArgumentError(f"grade mapping '{self.name}' has no options, found '{option}'")
                raise unknown("grade option", option, self.options)
        chosen = {name: parameters.get(name, option.default) for name, option in self.options.items()}
        gains = dict(self.gains)
        for name, value in chosen.items():
            values = self.options[name].values
            expect_name(f"value of {name}", value, values, "values")
            gains.update(values[value])
        return Spec(self.name, chosen), gains


def choose_grades(mappings: Mapping[str, GradeMapping], default: str, text: str | None) -> tuple[str, Gains | None]:
    """Return the full text of a choice of grades and its gains; `AS_GIVEN` and None if there are no mappings."""
    if not mappings:
        if text is None:
            return AS_GIVEN, None
        raise ArgumentError(
            f"grades '{text}' cannot be chosen: this collection has no grade mappings and uses its grades as "
            "given; leave grades out"
        )
    spec = parse_spec(default if text is None else text)
    if spec.values:
        raise ArgumentError(f"'{text}': '{spec.values[0]}' is not of the form option=value")
    expect_name("grade mapping", spec.name, mappings)
    full, gains = mappings[spec.name].choose(spec.parameters)
    return str(full), gains


def apply_gains(qrels: Qrels, gains: Gains, grades: str) -> Qrels:
    """Replace each code by its gain, or leave its judgment out if its gain is None."""
    codes = qrels.relevance.tolist()
    for row, code in enumerate(codes):
        if code not in gains:
            first = [*qrels][row]
            defined = ", ".join(f"{other:g}" for other in gains)
            raise DataError(
                f"query '{first.query_id}' has the code {code:g} for document '{first.doc_id}', which grade "
                f"mapping '{grades}' does not define; it defines {defined}"
            )
    numbers = {code: math.nan if gain is None else gain for code, gain in gains.items()}
    values = np.array([numbers[code] for code in codes])
    judged = np.flatnonzero(~np.isnan(values))
    if len(judged) < len(values):
        qrels, values = qrels.of_rows(judged.tolist()), values[judged]
    return qrels.with_gains(values, numbers)
