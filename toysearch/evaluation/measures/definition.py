"""What a measure of the table is: how it is computed, what it takes, and what holds for its values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple

from toysearch.evaluation.measures.terms import Terms

Mapped = tuple[tuple[float, float], ...]
"""Pairs of numbers, such as grade and gain, by rising first number."""

Value = float | str | bool | Mapped
"""What a parameter can be: a number, one of some texts, a flag, or pairs of numbers."""

Aggregate = Literal["mean", "sum", "gm", "hm", "median", "min", "max"]


class Parameter(NamedTuple):
    """What a measure takes by name: a number, one of some texts, a flag, or pairs of numbers."""

    description: str  # half a line
    # What it is when not given; None: what the description says. A flag's default is False or True
    default: Value | None = None
    # low, high: the least and the largest number; None for no limit
    low: float | None = 0.0
    high: float | None = None
    choices: tuple[str, ...] = ()  # the texts among which to choose; none of them for a number or a flag
    whole: bool = False  # whether a number has to be whole
    # whether it is a mapping of numbers to numbers, given as ``{1:0,2:1}`` and handed over as `Mapped`
    pairs: bool = False
    needed: str = ""  # for one that has to be given: an example of it; empty for all others

    @property
    def kind(self) -> Literal["number", "choice", "flag", "mapping"]:
        """Which of the four it is."""
        if self.pairs:
            return "mapping"
        if self.choices:
            return "choice"
        return "flag" if isinstance(self.default, bool) else "number"

    @property
    def shown_default(self) -> str:
        """The default as it is written; empty where only the description says what it is.

        >>> Parameter("", 1.0).shown_default, Parameter("", False).shown_default, Parameter("").shown_default
        ('1', 'False', '')
        """
        if self.needed:
            return "needed"
        return "" if self.default is None else str(self.default).removesuffix(".0")

    @property
    def takes(self) -> str:
        """What can be given, in words.

        >>> Parameter("", low=0.0).takes, Parameter("", low=1, whole=True).takes, Parameter("", low=0, high=1).takes
        ('a number of at least 0', 'a whole number of at least 1', 'a number from 0 to 1')
        >>> Parameter("", "a", choices=("a", "b")).takes, Parameter("", False).takes
        ("'a' or 'b'", 'True or False')
        """
        if self.kind == "flag":
            return "True or False"
        if self.kind == "mapping":
            return "pairs of numbers, such as {1:0,2:1}"
        if self.kind == "choice":
            return " or ".join(repr(choice) for choice in self.choices)
        number = "a whole number" if self.whole else "a number"
        if self.low is None:
            return number if self.high is None else f"{number} of at most {self.high:g}"
        return (
            f"{number} of at least {self.low:g}"
            if self.high is None
            else f"{number} from {self.low:g} to {self.high:g}"
        )


class Definition(NamedTuple):
    """The definition of a measure."""

    # Takes the join (`JoinedRun`) and, by name, the cutoff (unless it takes none) and the parameters; returns the
    # `Terms` that the values and their explanation are computed from.
    compute: Callable[..., Terms]
    # whether ``@k`` can, or must, follow the name; "recall": a level of recall must, as in ``IPrec@0.1``
    cutoff: Literal["none", "optional", "needed", "recall"]
    parameters: Mapping[str, Parameter]  # what can be given in parentheses
    family: Literal["set", "ranked", "graded", "user", "incomplete"]  # the kind of measure
    description: str  # one line
    formula: str  # the value for a query; the letters are those of docs/look-up/measures.md
    source: str  # where the definition comes from
    # the least and the largest value that there can be; None for no limit
    range: tuple[float, float | None] = (0.0, 1.0)
    better: Literal["higher", "lower"] | None = "higher"  # which values are better; None for a number that is neither
    ordered: bool = True  # whether the order of the documents (within the cutoff, where there is one) matters
    # the value (without a cutoff where there need be none, with the default parameters) of a ranking that has all
    # judged documents by falling grade at its top, where something is relevant; None where that depends on the
    # judgments
    perfect: float | None = None
    undefined: str = "no document is relevant"  # when a query has no value, in a sentence; empty if it always has one
    # "mean" | "sum" | "gm" | "hm" | "median" | "min" | "max": what the value for all queries is
    aggregate: Aggregate = "mean"
    either: tuple[str, ...] = ()  # parameters of which only one can be given

    @property
    def needs(self) -> tuple[str, ...]:
        """The parameters that have to be given."""
        return tuple(name for name, parameter in self.parameters.items() if parameter.needed)


REL: Mapping[str, Parameter] = MappingProxyType(
    {"rel": Parameter("the lowest grade that is relevant; the threshold by default")}
)
"""The parameter of every measure for which a document is relevant or not."""

JUDGED_ONLY: Mapping[str, Parameter] = MappingProxyType(
    {"judged_only": Parameter("leave out the unjudged documents so that those below move up (condensed list)", False)}
)
"""The flag of every measure that can be computed without the unjudged documents; it comes last."""
