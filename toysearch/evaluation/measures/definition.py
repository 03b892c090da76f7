"""The definition of a measure: its computation, its parameters, the terms of its values, and their properties.

Most measures add something up along the ranking and divide the sum: Σ gain · weight / discount, over a normaliser.
The values and their explanation are both computed from these terms.

Start with `Terms`, which a measure returns, and `Sum`. `Definition` is what the registry knows of a measure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from toysearch.base import COMPLEMENT, COUNT, EQUAL, HIGHEST, MEAN, PRODUCT, QUOTIENT, SUM, Explanation

Numbers: TypeAlias = np.ndarray | float
"""Numbers: one per query, one per query and rank, or one for all."""

LOG2 = "log2({})"
"""Formula of a piece that is the logarithm of another."""


FLAG = "flag"
"""Kind of a quantity that says if a document counts: 1 or 0."""

IDEAL = "ideal"
"""Kind of a sum along an ideal ranking, whose grades stand beside it."""


class Piece(NamedTuple):
    """Named quantity, and optionally the formula that gives it."""

    name: str
    values: Numbers
    how: str = ""  # the formula, with a pair of braces for each of the numbers in `of`
    of: tuple[Numbers, ...] = ()

    def explained(self, place: int | None = None) -> Explanation:
        """Explain the quantity of the first query, at a rank if there is one per rank, with its formula."""
        numbers = {str(position): first_number(values, place) for position, values in enumerate(self.of)}
        kind = FLAG if np.asarray(self.values).dtype == bool else ""
        return Explanation(self.name, first_number(self.values, place), self.how, numbers, kind=kind)


def first_number(values: Numbers, place: int | None = None) -> float:
    """Return the number of the first query, at a position if there are several."""
    array = np.asarray(values)
    if array.ndim == 2:
        array = array[0]
    return float(array if array.ndim == 0 else array[place or 0])


def fraction(name: str, part: Numbers, whole: Numbers) -> Piece:
    """Make the piece of one quantity over another."""
    return Piece(name, part / whole, "{}/{}", (part, whole))


class Sum(NamedTuple):
    """Sum along a ranking: gain · weight / discount at each rank."""

    gain: Piece  # the gain of each document; bool if documents are only counted
    weight: Piece | None = None
    discount: Piece | None = None
    name: str = ""  # the name of the sum, if it has one
    # For an ideal ranking: its grades and their gains, both unsorted.
    ideal: tuple[np.ndarray, np.ndarray] | None = None

    @property
    def terms(self) -> np.ndarray:
        """Term at each rank: shape (n_queries, width)."""
        terms = np.asarray(self.gain.values)
        if self.weight is not None:
            terms = terms * self.weight.values
        if self.discount is not None:
            terms = terms / self.discount.values
        return terms

    @property
    def values(self) -> np.ndarray:
        """Sums: shape (n_queries,)."""
        return np.asarray(self.terms.sum(axis=1))

    def explained(self) -> Explanation:
        """Explain the sum of the first query, with the gain, the weight and the discount of each rank."""
        parts = []
        for place, term in enumerate(self.terms[0].tolist()):
            part = self.gain.explained(place)
            if self.weight is not None:
                weighed = part, self.weight.explained(place)
                part = Explanation("", part.value * weighed[1].value, PRODUCT, parts=weighed)
            if self.discount is not None:
                part = Explanation("", float(term), QUOTIENT, parts=(part, self.discount.explained(place)))
            parts.append(part)
        is_count = np.asarray(self.gain.values).dtype == bool and self.weight is None and self.discount is None
        formula = COUNT if is_count else SUM
        total = Explanation(self.name, float(self.values[0]), formula, parts=tuple(parts))
        if self.ideal is None:
            return total
        grades, gains = (array[0] for array in self.ideal)
        by_gain = grades[np.argsort(-gains, kind="stable")]
        return total._replace(quantities={"grades": by_gain[: len(parts)].tolist()}, kind=IDEAL)


class Best(NamedTuple):
    """Highest term along a ranking, 0 if no rank counts."""

    along: Sum  # the terms at the ranks; they are not added up
    nothing: str  # the explanation if no rank counts
    first: str = "first at rank {}"  # the explanation of the first rank that counts, if documents are only counted

    @property
    def values(self) -> np.ndarray:
        """Highest terms: shape (n_queries,)."""
        return np.asarray(self.along.terms.max(axis=1, initial=0))

    def explained(self) -> Explanation:
        """Explain the highest term of the first query among those of all ranks."""
        words = {"nothing": self.nothing, "first": self.first}
        return self.along.explained()._replace(value=float(self.values[0]), formula=HIGHEST, quantities=words)


class Mean(NamedTuple):
    """Mean of a measure at several levels."""

    name: str  # the name of the values at the levels
    levels: Sequence[float]
    at: Sequence[np.ndarray]  # the values at each level: shape (n_queries,)

    @property
    def values(self) -> np.ndarray:
        """Means: shape (n_queries,)."""
        return np.asarray(np.mean(self.at, axis=0))

    def explained(self) -> Explanation:
        """Explain the mean of the first query, with the value at each level."""
        levels = zip(self.levels, self.at, strict=True)
        parts = tuple(Explanation(f"{level:g}", float(values[0])) for level, values in levels)
        return Explanation(self.name, float(self.values[0]), MEAN, parts=parts)


@dataclass(frozen=True, eq=False)
class Terms:
    """Terms of the values of a measure: a total, over a normaliser."""

    total: Sum | Best | Mean | Piece
    normaliser: Piece | Sum | None = None  # the divisor of the total; 1 is used where it is 0
    defined: np.ndarray | None = None  # the queries that have a value: bool, shape (n_queries,); all by default
    complement: bool = False  # true if the value is 1 minus the quotient
    also: tuple[Piece, ...] = ()  # other quantities in an explanation, beside the ranks or below the table
    ideal: tuple[Piece, ...] = ()  # quantities along the ideal ranking: all judged documents by falling grade

    @property
    def values(self) -> np.ndarray:
        """Value of the measure for each query, NaN where it is undefined: float64, shape (n_queries,)."""
        values = np.asarray(self.total.values)
        if self.normaliser is not None:
            whole = np.asarray(self.normaliser.values)
            values = values / np.where(whole > 0, whole, 1)
        if self.complement:
            values = 1 - values
        return np.asarray(values if self.defined is None else np.where(self.defined, values, np.nan), np.float64)

    def explained(self) -> Explanation:
        """Take apart the value of the first query; beside it stand the numbers of the query that have a name."""
        number = self.total.explained()
        others = [piece.explained() for piece in self.also if np.ndim(piece.values) < 2]
        if self.normaliser is not None:
            parts = number, self.normaliser.explained()
            others = [*parts, *others]
            quotient = number.value / (parts[1].value if parts[1].value > 0 else 1.0)
            number = Explanation("", quotient, QUOTIENT, parts=parts)
        if self.complement:
            number = Explanation("", 1 - number.value, COMPLEMENT, parts=(number,))
        value = float(self.values[0])
        numbers: dict[str, float] = {}
        for part in others:
            if part.label:
                numbers.setdefault(part.label, part.value)
        return Explanation("", value, EQUAL, numbers, (number._replace(value=value),), "measure")


Mapped = tuple[tuple[float, float], ...]
"""Pairs of numbers, such as grade and gain, by rising first number."""

Value = float | str | bool | Mapped
"""Value of a parameter: a number, one of several texts, a flag, or pairs of numbers."""

Aggregate = Literal["mean", "sum", "gm", "hm", "median", "min", "max"]


class Parameter(NamedTuple):
    """Parameter of a measure: a number, one of several texts, a flag, or pairs of numbers."""

    description: str  # half a line
    # the default; None if only the description tells it; False or True for a flag
    default: Value | None = None
    # low, high: the least and the largest number; None for no limit
    low: float | None = 0.0
    high: float | None = None
    choices: tuple[str, ...] = ()  # the allowed texts; empty for a number or a flag
    whole: bool = False  # true if a number has to be whole
    # true for a mapping of numbers to numbers, given as ``{1:0,2:1}`` and handed over as `Mapped`
    pairs: bool = False
    needed: str = ""  # an example value for a required parameter; empty for all others

    @property
    def kind(self) -> Literal["number", "choice", "text", "flag", "mapping"]:
        """Kind of its values."""
        if self.pairs:
            return "mapping"
        if self.choices:
            return "choice"
        if isinstance(self.default, str):
            return "text"
        return "flag" if isinstance(self.default, bool) else "number"

    @property
    def shown_default(self) -> str:
        """Default as text; empty if only the description has it.

        >>> Parameter("", 1.0).shown_default, Parameter("", False).shown_default, Parameter("").shown_default
        ('1', 'False', '')
        """
        if self.needed:
            return "needed"
        return "" if self.default is None else str(self.default).removesuffix(".0")

    @property
    def takes(self) -> str:
        """Allowed values, in words.

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
        if self.kind == "text":
            return "a text"
        number = "a whole number" if self.whole else "a number"
        if self.low is None:
            return number if self.high is None else f"{number} of at most {self.high:g}"
        return (
            f"{number} of at least {self.low:g}"
            if self.high is None
            else f"{number} from {self.low:g} to {self.high:g}"
        )


class Definition(NamedTuple):
    """Definition of a measure, as its function and the decorator `measure` give it."""

    # Takes the join (`JoinedRun`) and, by name, the cutoff (unless it takes none) and the parameters; returns the
    # `Terms` that the values and their explanation are computed from.
    compute: Callable[..., Terms]
    # whether ``@k`` can, or must, follow the name; "recall": a level of recall must, as in ``IPrec@0.1``
    cutoff: Literal["none", "optional", "needed", "recall"]
    parameters: Mapping[str, Parameter]  # its parameters, given in parentheses
    description: str  # one line
    family: Literal["set", "ranked", "graded", "user", "incomplete", "diversity", "own"]  # the kind of measure
    formula: str  # the value for a query; the letters are those of `toysearch docs measures`
    source: str  # where the definition comes from
    undefined: str  # when a query has no value, in a sentence; empty if it always has one
    # the lowest and the highest possible value; None for no limit
    range: tuple[float, float | None] = (0.0, 1.0)
    better: Literal["higher", "lower"] | None = "higher"  # which values are better; None if neither
    ordered: bool = True  # false if the order of the documents (within the cutoff, where there is one) does not matter
    cut_by_R: bool = False  # true if the cutoff is not in the name but follows from the number of relevant documents
    # the value, with default parameters and without an optional cutoff, of a ranking that begins with all judged
    # documents by falling grade, if any of them is relevant; None if it depends on the judgments
    perfect: float | None = None
    # "mean" | "sum" | "gm" | "hm" | "median" | "min" | "max": the aggregate for all queries
    aggregate: Aggregate = "mean"
    either: tuple[str, ...] = ()  # parameters of which only one can be given
    # what a document with a negative grade is, if the measure asks whether a document is judged
    negative: Literal["judged", "unjudged"] | None = None
    # its mean over the orders of tied documents: a function of the join of one query, its groups (`Group`), and by name
    # the cutoff and the parameters; "additive" for a sum of terms that depend on one document's rank alone, or such a
    # sum over a constant; None if all orders are tried
    over_ties: Callable[..., float] | Literal["additive"] | None = None
    # whether it never falls when a better document replaces a worse one, so that its extremes are at the orders of tied
    # documents by their worth; "uncut": without a cutoff
    by_worth: Literal["always", "uncut", "never"] = "always"

    @property
    def needs(self) -> tuple[str, ...]:
        """Required parameters."""
        return tuple(name for name, parameter in self.parameters.items() if parameter.needed)


def differing(values: Mapping[str, Value], parameters: Mapping[str, Parameter]) -> tuple[tuple[str, Value], ...]:
    """Return the values of parameters that differ from the defaults, in the order of the parameters."""
    known = ((name, parameter) for name, parameter in parameters.items() if name in values)
    return tuple((name, values[name]) for name, parameter in known if values[name] != parameter.default)
