"""Priors: a number of each document that no query changes, such as its year: ``bm25 + 0.1*prior:year``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from toysearch.models.formula import PriorFormula

PREFIX = "prior:"
EVERY = "every"
"""Call around a prior that ranks all documents: ``every(prior:year)``."""

_FILES = (".csv", ".tsv", ".csv.gz", ".tsv.gz")
_FORMULA = re.compile(r"[A-Za-z][A-Za-z0-9-]*\(.*\)\Z", re.DOTALL)


@dataclass(frozen=True)
class Prior:
    """Number of each document, such as its year, from a field that the index keeps or from a file."""

    # the name of a field, or the path of a CSV or TSV file (by its extension) with the columns doc_id and value;
    # or a formula of such, log(1 + prior:price)
    source: str
    ranks_every: bool = False  # true if it ranks all documents, not only those that a model ranks
    call: ClassVar[str] = "prior"
    inside: ClassVar[tuple[()]] = ()
    parameters: ClassVar[Mapping[str, Any]] = {}
    single: ClassVar[None] = None
    changes_query: ClassVar[bool] = False
    training: ClassVar[Mapping[str, Any]] = {}

    def __str__(self) -> str:
        text = self.source if self.formula else PREFIX + self.source
        return f"{EVERY}({text})" if self.ranks_every else text

    @cached_property
    def formula(self) -> PriorFormula | None:
        """Formula that derives its number from others; None for the number of a field or a file."""
        return PriorFormula(self.source) if _FORMULA.match(self.source) else None

    @property
    def sources(self) -> tuple[str, ...]:
        """Fields and files whose numbers it takes."""
        return self.formula.sources if self.formula else (self.source,)

    @property
    def fields_of_priors(self) -> tuple[str, ...]:
        """Fields that the index must keep."""
        return tuple(source for source in self.sources if not is_file_of_numbers(source))


def is_file_of_numbers(source: str) -> bool:
    """True if a prior comes from a file.

    >>> is_file_of_numbers("clicks.csv"), is_file_of_numbers("year")
    (True, False)
    """
    return source.lower().endswith(_FILES)
