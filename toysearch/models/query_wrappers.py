"""Wrappers of models: ``sdm(lm-dirichlet)`` scores a query with more terms than its text has, by the model inside."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from toysearch.errors import ArgumentError
from toysearch.formats.text_files import finite_number
from toysearch.spec import parse_spec

WRAPPERS: Mapping[str, Mapping[str, float]] = {
    "sdm": {"terms": 0.85, "ordered": 0.1, "unordered": 0.05, "window": 8.0},
}
"""The wrappers by name, with their parameters and defaults; `toysearch.search.dependence` says what they do."""


class Wrapper(NamedTuple):
    """A wrapper and the values of its parameters."""

    name: str
    values: tuple[float, ...]  # in the order of WRAPPERS

    @property
    def parameters(self) -> dict[str, float]:
        """The values by name."""
        return dict(zip(WRAPPERS[self.name], self.values, strict=True))

    def around(self, inside: str) -> str:
        """The text of the wrapper around the text of a model."""
        defaults = WRAPPERS[self.name]
        changed = [f"{name}={value:.17g}" for name, value in self.parameters.items() if value != defaults[name]]
        separator = "," if ":" in inside else ":"
        return f"{self.name}({inside}{separator + ','.join(changed) if changed else ''})"


def unwrapped(name: str, inside: str) -> tuple[Wrapper, str]:
    """The wrapper and the text of the model inside, from the text in its brackets.

    >>> unwrapped("sdm", "lm-dirichlet:mu=1000,window=4")
    (Wrapper(name='sdm', values=(0.85, 0.1, 0.05, 4.0)), 'lm-dirichlet:mu=1000')
    """
    # The parameters of both stand in one list, as in a model alone; no model has one of these names.
    values = dict(WRAPPERS[name])
    spec = parse_spec(inside)
    for parameter in [each for each in spec.parameters if each in values]:
        number = finite_number(spec.parameters.pop(parameter))
        if number is None or number < 0 or (parameter == "window" and (number < 2 or number != int(number))):
            wanted = "a whole number of at least 2" if parameter == "window" else "a number of at least 0"
            raise ArgumentError(f"'{name}({inside})': {parameter} must be {wanted}")
        values[parameter] = number
    return Wrapper(name, tuple(values.values())), str(spec)
