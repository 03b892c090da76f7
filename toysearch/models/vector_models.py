"""Models of vectors: every document and the query are points, and the score is the cosine or the dot product of both.

They have no weights of terms, so they rank documents that share no word with the query.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from toysearch.base import ArgumentError, has_no, parse_spec, unknown

LSA, DENSE, APPROXIMATE = "lsa", "dense", "approximate"
DIMENSIONS = 200
"""The number of topics of ``lsa`` without a number, if the index stores none."""

TOPICS = (1.0, 5000.0)
"""The range of the number of topics."""

SIMILARITIES = ("cosine", "dot")
_OPTIONS = ("queries", "similarity", "ids", APPROXIMATE)
_CANDIDATES = re.compile("[1-9][0-9]{0,8}")
_EXAMPLE = f"{DENSE}:vectors.npy,queries=queries.npy"


@dataclass(frozen=True)
class LatentModel:
    """Cosine of documents and queries in the space of latent topics (Deerwester et al. 1990)."""

    dimensions: int | None = None  # None: as many as the index stores, or `DIMENSIONS`

    def __str__(self) -> str:
        return f"{LSA}:{self.dimensions}" if self.dimensions else LSA


@dataclass(frozen=True)
class DenseVectors:
    """Cosine or dot product of vectors that the user brings in files."""

    source: str  # the file or the folder with the vectors of the documents
    queries: str = ""  # the file with the vectors of the queries, or the function that makes them, mine.py:embed
    similarity: str = "cosine"
    ids: str = ""  # the file with the ids of an array; by default the one beside it
    approximate: int = 0  # the number of candidates of an approximate search; 0 for the exact one

    @property
    def files(self) -> tuple[str, ...]:
        """The files and folders of vectors and ids, and the file of the function."""
        code = f"{self.queries.partition('.py:')[0]}.py" if ".py:" in self.queries else self.queries
        beside = [f"{name.removesuffix('.npy')}.ids" for name in (self.source, code) if name.endswith(".npy")]
        return tuple(name for name in (self.source, code, self.ids, *beside) if name)

    def __str__(self) -> str:
        options = {"queries": self.queries, "ids": self.ids}
        options["similarity"] = "" if self.similarity == SIMILARITIES[0] else self.similarity
        options[APPROXIMATE] = str(self.approximate or "")
        return ",".join([f"{DENSE}:{self.source}", *(f"{name}={value}" for name, value in options.items() if value)])


def vector_model(text: str) -> LatentModel | DenseVectors | None:
    """The model of vectors that a text names; None if it names another one.

    >>> vector_model("lsa:100"), str(vector_model("dense:a.npy,queries=b.npy"))
    (LatentModel(dimensions=100), 'dense:a.npy,queries=b.npy')
    """
    name, _, rest = text.strip().partition(":")
    if name == LSA:
        return latent_model(rest) if rest else LatentModel()
    return _dense(text, rest) if name == DENSE else None


def latent_model(values_text: str) -> LatentModel:
    """The model of latent topics with this number of them.

    >>> latent_model("100"), latent_model("dimensions=100")
    (LatentModel(dimensions=100), LatentModel(dimensions=100))
    """
    text = f"{LSA}:{values_text}"
    spec = parse_spec(text)
    if unknown_name := next((name for name in spec.parameters if name != "dimensions"), None):
        raise ArgumentError(f"{LSA} has no parameter '{unknown_name}', only dimensions, as in {LSA}:{DIMENSIONS}")
    values = [*spec.values, *spec.parameters.values()]
    if len(values) > 1:
        raise ArgumentError(f"'{text}' has too many values; an example: {LSA}:{DIMENSIONS}")
    if not values[0].isdecimal() or len(values[0]) > 9 or not TOPICS[0] <= int(values[0]) <= TOPICS[1]:
        raise ArgumentError(
            f"'{text}': dimensions must be a whole number from {TOPICS[0]:g} to {TOPICS[1]:,g}, as in "
            f"{LSA}:{DIMENSIONS}"
        )
    return LatentModel(int(values[0]))


def _dense(text: str, rest: str) -> DenseVectors:
    source, *options = (part.strip() for part in rest.split(","))
    if not source:
        raise ArgumentError(f"'{text}' names no file of vectors; an example: {_EXAMPLE}")
    values: dict[str, str] = {}
    for option in options:
        name, equals, value = (part.strip() for part in option.partition("="))
        if not (equals and value):
            raise ArgumentError(f"'{text}': '{option}' is not of the form key=value; an example: {_EXAMPLE}")
        if name not in _OPTIONS:
            raise has_no(DENSE, "option", name, _OPTIONS)
        if name in values:
            raise ArgumentError(f"'{text}' gives {name} twice")
        values[name] = value
    if values.get("similarity", SIMILARITIES[0]) not in SIMILARITIES:
        raise unknown("similarity", values["similarity"], SIMILARITIES, "similarities")
    candidates = values.pop(APPROXIMATE, "")
    if candidates and not _CANDIDATES.fullmatch(candidates):
        raise ArgumentError(f"'{text}': approximate must be a whole number of candidates, as in approximate=100")
    return DenseVectors(source, **values, approximate=int(candidates or 0))
