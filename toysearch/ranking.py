"""The ranked documents of one query."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from toysearch import display
from toysearch.argument_checks import checked
from toysearch.encoded_texts import Texts

__all__ = ["Ranking", "ScoredDoc"]


class ScoredDoc(NamedTuple):
    """A document in a ranking."""

    query_id: str
    doc_id: str
    score: float


class Ranking:
    """The ranked documents of one query, best first.

    Iterating gives `ScoredDoc` records; `len` counts them; an index or a slice works as on a list.

    Parameters
    ----------
    query_id : str
        The id of the query ("" for a text without one).
    doc_ids : sequence of str
        Best first.
    scores : array_like of float, shape (len(doc_ids),)
        Aligned with `doc_ids`.

    Examples
    --------
    >>> Ranking("1", ["a", "b"], [2.0, 1.0])[0]
    ScoredDoc(query_id='1', doc_id='a', score=2.0)
    """

    _repr_html_ = display.html
    frame = display.frame

    @checked
    def __init__(self, query_id: str, doc_ids: Sequence[str] | Texts, scores: Sequence[float] | np.ndarray) -> None:
        self.query_id = query_id
        self.scores = np.asarray(scores, dtype=np.float64)
        if hasattr(doc_ids, "texts"):
            self._ids = doc_ids
        else:
            self.doc_ids = list(doc_ids)

    @classmethod
    def of_index(cls, query_id: str, doc_ids: Texts, scores: np.ndarray) -> Ranking:
        """The ranking that a search has made; its arguments need no check."""
        made = cls.__new__(cls)
        made.query_id, made._ids, made.scores = query_id, doc_ids, scores
        return made

    @cached_property
    def doc_ids(self) -> list[str]:
        """The documents, best first."""
        return self._ids.texts(0, len(self.scores))

    def __len__(self) -> int:
        return len(self.scores)

    def __getitem__(self, rank: int) -> ScoredDoc:
        return ScoredDoc(self.query_id, self.doc_ids[rank], float(self.scores[rank]))

    def __iter__(self) -> Iterator[ScoredDoc]:
        return map(self.__getitem__, range(len(self)))

    def __repr__(self) -> str:
        shown = ", ".join(f"{hit.doc_id} {hit.score:.4f}" for hit in list(self)[:3])
        return f"<Ranking of {len(self)} documents: {shown}{', …' if len(self) > 3 else ''}>"
