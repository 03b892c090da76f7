"""Documents of one query by rank: a `Ranking`, whose `Hit` records read titles and texts where a search made it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np

from toysearch.base.argument_checks import expect, numbers
from toysearch.base.errors import ArgumentError, a
from toysearch.base.result import Result, number_columns
from toysearch.base.result_tables import Column, Part, ResultTable, records
from toysearch.base.wording import counted, cut

if TYPE_CHECKING:
    from toysearch.base.encoded_texts import Texts
    from toysearch.retrieval.typed_query import IndexTexts

__all__ = ["Hit", "Ranking", "ScoredDoc"]

_MOST = 20  # rows for people
_TITLE = 40  # characters of a title in a repr


class ScoredDoc(NamedTuple):
    """Document in a run."""

    query_id: str
    doc_id: str
    score: float

    def __repr__(self) -> str:
        query = f"query_id={self.query_id!r}, " if self.query_id else ""  # a text alone has no id
        return f"{type(self).__name__}({query}doc_id={self.doc_id!r}, score={self.score!r})"


_PARTS = ("rank", *ScoredDoc._fields, "title", "text", "passage", "fields")


class Hit(ScoredDoc):
    """Document that a search has found. Its title, texts and fields are read on access.

    Examples
    --------
    >>> from toysearch import Searcher
    >>> hit = Searcher(["a cat purrs", "a dog barks"]).search("purring purrs")[0]
    >>> hit, hit.rank, hit.passage
    (Hit(doc_id='1', score=0.31506...), 1, 'a cat purrs')
    """

    rank: int
    _ranking: Ranking

    def __getitem__(self, part: Any) -> Any:
        """Return a part by its name too, as in ``hit["title"]``."""
        return getattr(self, part) if part in _PARTS else super().__getitem__(part)

    def __repr__(self) -> str:
        return super().__repr__()[:-1] + (f", title={self.beginning!r})" if self.beginning else ")")

    @property
    def beginning(self) -> str:
        """Beginning of the title; "" if there is none, or nothing that reads it."""
        texts = self._ranking.texts
        return cut(self.title, _TITLE) if texts and texts.has_titles else ""

    @property
    def title(self) -> str:
        """Title of the document; "" if it has none."""
        return self._known.title(self.doc_id)

    @property
    def text(self) -> str:
        """Text of the document that was searched."""
        return self._known.text(self.doc_id)

    @property
    def passage(self) -> str:
        """Part of the text with the most words of the query, at most 160 characters."""
        return self._known.passage(self.doc_id).text

    @property
    def fields(self) -> Mapping[str, Any]:
        """All fields of the document, by name."""
        return self._known.fields(self.doc_id)

    @property
    def _known(self) -> IndexTexts:
        if self._ranking.texts is None:
            raise ArgumentError(
                f"this ranking holds ids and scores only; collection['{self.doc_id}'] is the document, "
                "and what Searcher.search returns has titles and texts"
            )
        return self._ranking.texts

    def __reduce__(self) -> tuple[type[ScoredDoc], tuple[str, str, float]]:
        """Pickle or copy only the id and the score."""
        return ScoredDoc, (self.query_id, self.doc_id, self.score)


class Ranking(Result):
    """Ranked documents of one query, best first.

    Iterating gives `Hit` records; `len` counts them; an index or a slice works as on a list. ``print`` shows a table.

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
    Hit(query_id='1', doc_id='a', score=2.0)
    """

    offset = 0  # the documents that a search left out at the top

    def __init__(self, query_id: str, doc_ids: Sequence[str] | Texts, scores: Sequence[float] | np.ndarray) -> None:
        from toysearch.base.encoded_texts import Listed, Texts  # a search makes a ranking of its index

        expect(str, query_id=query_id)
        self.query_id = query_id
        self.scores = numbers(scores, "scores")
        if self.scores.ndim != 1:
            raise ArgumentError(f"scores must be a list of numbers, not {a(scores)}")
        self.texts: IndexTexts | None = None  # reads titles and texts, where a search has made the ranking
        self.ids = doc_ids if isinstance(doc_ids, Texts) else Listed(doc_ids)

    @classmethod
    def of_index(cls, query_id: str, doc_ids: Texts, scores: np.ndarray, texts: IndexTexts | None = None) -> Ranking:
        """Make the ranking of a search, with the reader of its texts; the arguments need no check."""
        ranking = cls.__new__(cls)
        ranking.query_id, ranking.ids, ranking.scores, ranking.texts = query_id, doc_ids, scores, texts
        return ranking

    def __getstate__(self) -> dict[str, Any]:
        """Pickle or copy the ids and the scores, as of a `Hit`; titles and texts stay with the index."""
        from toysearch.base.encoded_texts import Listed

        return vars(self) | {"ids": Listed(self.doc_ids), "texts": None}

    @cached_property
    def doc_ids(self) -> list[str]:
        """Documents, best first."""
        return self.ids.at(slice(0, len(self.scores)))

    def __len__(self) -> int:
        return len(self.scores)

    @overload
    def __getitem__(self, rank: int) -> Hit: ...
    @overload
    def __getitem__(self, rank: slice) -> list[Hit]: ...
    def __getitem__(self, rank: int | slice) -> Hit | list[Hit]:
        if isinstance(rank, slice):
            return [self[place] for place in range(*rank.indices(len(self)))]
        hit = Hit(self.query_id, self.doc_ids[rank], float(self.scores[rank]))
        hit.rank, hit._ranking = self.offset + rank % len(self) + 1, self
        return hit

    def __iter__(self) -> Iterator[Hit]:
        return map(self.__getitem__, range(len(self)))

    def tables(self, form: str = "table") -> list[ResultTable]:
        """Return the documents with titles; for people, or with the best passages, the words of the query marked."""
        columns = [*number_columns("", "rank"), Column("doc_id"), *number_columns(".4f", "score")]
        texts = self.texts
        if texts is None or not texts.has_titles:
            return [ResultTable(columns, ([hit.rank, hit.doc_id, hit.score] for hit in self), n=len(self))]
        people = form in ("table", "html")
        columns.append(Column("title", "title or best passage", wrap=True) if people else Column("title"))
        title: Callable[[str], Any] = texts.title_or_passage if people else texts.title
        rows = ([hit.rank, hit.doc_id, hit.score, title(hit.doc_id)] for hit in self)
        return [ResultTable(columns, rows, n=len(self))]

    def sentences(self) -> list[str]:
        """Return a sentence if a search made the ranking and its index has no titles to show."""
        lacks = self.texts is not None and not self.texts.has_titles
        return ["the index keeps no titles and no texts"] if lacks else []

    def text_parts(self, width: int | None = None, wrap: int | None = None) -> list[Part]:
        """Return the first documents as a table for people, and any further remarks."""
        if not len(self):
            return [repr(self)]
        more = [f"… and {len(self) - _MOST:,} more"] if len(self) > _MOST else []
        [table] = self.tables()
        return [table._replace(rows=list(islice(table.rows, _MOST)), caption="\n".join([*more, *self.sentences()]))]

    def data(self) -> list[dict[str, Any]]:
        """Return the documents as records, for JSON."""
        return records(self.tables("json")[0])

    @property
    def captioned(self) -> bool:
        """True if a notebook shows the repr above the rows, which has the first of them."""
        return not len(self)

    def __repr__(self) -> str:
        hits = [f"{hit.doc_id} {hit.score:.4f}" + (f" {hit.beginning!r}" if hit.beginning else "") for hit in self[:3]]
        first = ", ".join(hits)
        rest = ", …" if len(self) > 3 else ""
        return f"<Ranking of {counted(len(self), 'document')}{':' if first else ''} {first}{rest}".rstrip() + ">"
