"""One grammar for names with parameters: ``bm25:k1=0.9,b=0.4``, ``lm-jm:0.1``, ``graded:minus1=removed``."""

from __future__ import annotations

import re
from typing import NamedTuple

from toysearch.base.errors import ArgumentError

_NAME = r"[A-Za-z_][\w.+-]*\Z"

SYSTEM_PARTS = r"\s+[·|]\s+"
"""What stands between the model of a system and its other parts: bm25 · english, or bm25 | english."""


class Spec(NamedTuple):
    """Name with its parameters, as texts in the order given: values without a name first, then named ones."""

    name: str
    parameters: dict[str, str]
    values: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return the text that parses back to this.

        >>> str(Spec("bm25", {"k1": "0.9", "b": "0.4"}))
        'bm25:k1=0.9,b=0.4'
        """
        values = ",".join([*self.values, *(f"{key}={value}" for key, value in self.parameters.items())])
        return f"{self.name}:{values}" if values else self.name


def parse_spec(text: str) -> Spec:
    """Read the name and the parameters of ``name``, ``name:key=value,key=value`` or ``name:value,key=value``.

    >>> parse_spec("bm25:k1=0.9,b=0.4")
    Spec(name='bm25', parameters={'k1': '0.9', 'b': '0.4'}, values=())
    >>> parse_spec("bm25:0.9,b=0.4")
    Spec(name='bm25', parameters={'b': '0.4'}, values=('0.9',))
    """
    name, colon, rest = text.strip().partition(":")
    if not name or (colon and not rest):
        raise ArgumentError(f"'{text}' is not of the form name or name:key=value,key=value")
    parameters: dict[str, str] = {}
    values: list[str] = []
    for part in rest.split(",") if colon else []:
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if key and not equals and not parameters:
            values.append(key)
            continue
        if not (equals and value and re.match(_NAME, key)):
            raise ArgumentError(f"'{text}': '{part}' is not of the form key=value; an example: bm25:k1=0.9,b=0.4")
        if ":" in value and "=" in value:
            raise ArgumentError(f"'{text}': parameters are separated by commas: {name}:{rest.replace(':', ',')}")
        if key in parameters:
            raise ArgumentError(f"'{text}' gives {key} twice")
        parameters[key] = value
    return Spec(name, parameters, tuple(values))
