"""The ranked documents of one query."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from importlib import import_module
from itertools import islice
from typing import Any, NamedTuple, Protocol, overload

import numpy as np

from toysearch.base.argument_checks import checked
from toysearch.base.encoded_texts import Texts
from toysearch.base.errors import ArgumentError
from toysearch.base.result_tables import Column, Marked, Part, Result, ResultTable, number_columns, records
from toysearch.base.wording import counted, cut

__all__ = ["Hit", "Ranking", "ScoredDoc"]

_MOST = 20  # rows for people
_TITLE = 40  # characters of a title in a repr


class ScoredDoc(NamedTuple):
    """A document in a run."""

    query_id: str
    doc_id: str
    score: float

    def __repr__(self) -> str:
        query = f"query_id={self.query_id!r}, " if self.query_id else ""  # a text alone has no id
        return f"{type(self).__name__}({query}doc_id={self.doc_id!r}, score={self.score!r})"


class Passage(Protocol):
    """A part of a text, and the positions of the words in it that are to be marked, as (start, end) pairs."""

    text: str
    spans: list[tuple[int, int]]


class HitTexts(Protocol):
    """Reads the title, the text, the passage and the fields of a document."""

    @property
    def has_titles(self) -> bool:
        """Whether the titles are at hand."""

    def title(self, doc_id: str) -> str:
        """The title; "" if the document has none."""

    def text(self, doc_id: str) -> str:
        """The searched text."""

    def marked_title(self, doc_id: str) -> Passage:
        """The title, with the words of the query."""

    def passage(self, doc_id: str) -> Passage:
        """The part of the text with the most words of the query."""

    def fields(self, doc_id: str) -> Mapping[str, Any]:
        """All fields, by name."""


class Hit(ScoredDoc):
    """A document that a search has found. Its title, texts and fields are read when they are asked for.

    Examples
    --------
    >>> from toysearch import Searcher
    >>> hit = Searcher(["a cat purrs", "a dog barks"]).search("purring purrs")[0]
    >>> hit, hit.rank, hit.passage
    (Hit(doc_id='1', score=0.31506...), 1, 'a cat purrs')
    """

    rank: int
    _ranking: Ranking

    def __repr__(self) -> str:
        texts = self._ranking.texts
        title = cut(self.title, _TITLE) if texts and texts.has_titles else ""
        return super().__repr__()[:-1] + (f", title={title!r})" if title else ")")

    @property
    def title(self) -> str:
        """The title of the document; "" if it has none."""
        return self._known.title(self.doc_id)

    @property
    def text(self) -> str:
        """The text of the document that was searched."""
        return self._known.text(self.doc_id)

    @property
    def passage(self) -> str:
        """The part of the text with the most words of the query, at most 160 characters."""
        return self._known.passage(self.doc_id).text

    @property
    def fields(self) -> Mapping[str, Any]:
        """All fields of the document, by name."""
        return self._known.fields(self.doc_id)

    @property
    def _known(self) -> HitTexts:
        if self._ranking.texts is None:
            raise ArgumentError(
                f"this ranking holds ids and scores only; collection['{self.doc_id}'] is the document, "
                "and what Searcher.search returns has titles and texts"
            )
        return self._ranking.texts

    def __reduce__(self) -> tuple[type[ScoredDoc], tuple[str, str, float]]:
        """Pickled or copied alone, a hit is its id and its score."""
        return ScoredDoc, (self.query_id, self.doc_id, self.score)


class Ranking(Result):
    """The ranked documents of one query, best first.

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

    @checked
    def __init__(self, query_id: str, doc_ids: Sequence[str] | Texts, scores: Sequence[float] | np.ndarray) -> None:
        self.query_id = query_id
        self.scores = np.asarray(scores, dtype=np.float64)
        self._asked: tuple[Any, ...] | None = None
        if hasattr(doc_ids, "texts"):
            self._ids = doc_ids
        else:
            self.doc_ids = list(doc_ids)

    @classmethod
    def of_index(cls, query_id: str, doc_ids: Texts, scores: np.ndarray, *asked: Any) -> Ranking:
        """The ranking that a search has made; its arguments need no check. asked: the index, the query, its mode."""
        ranking = cls.__new__(cls)
        ranking.query_id, ranking._ids, ranking.scores, ranking._asked = query_id, doc_ids, scores, asked or None
        return ranking

    @cached_property
    def doc_ids(self) -> list[str]:
        """The documents, best first."""
        return self._ids.texts(0, len(self.scores))

    @cached_property
    def texts(self) -> HitTexts | None:
        """Reads titles and texts of the documents; None for a ranking that no search has made, such as one of a run."""
        if self._asked is None:
            return None
        of_index: Callable[..., HitTexts] = import_module("toysearch.search.typed_query").IndexTexts
        return of_index(*self._asked)

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
        hit.rank, hit._ranking = rank % len(self) + 1, self
        return hit

    def __iter__(self) -> Iterator[Hit]:
        return map(self.__getitem__, range(len(self)))

    def tables(self, form: str = "table") -> list[ResultTable]:
        """The documents with their titles; for people, or with the best passages, the words of the query marked."""
        columns = [*number_columns("", "rank"), Column("doc_id"), *number_columns(".4f", "score")]
        texts = self.texts
        if texts is None or not texts.has_titles:
            return [ResultTable(columns, ([hit.rank, hit.doc_id, hit.score] for hit in self), n=len(self))]
        people = form in ("table", "html")
        columns.append(Column("title", "title or best passage", wrap=True) if people else Column("title"))
        title: Callable[[str], Any] = partial(_title_or_passage, texts) if people else texts.title
        rows = ([hit.rank, hit.doc_id, hit.score, title(hit.doc_id)] for hit in self)
        return [ResultTable(columns, rows, n=len(self))]

    def sentences(self) -> list[str]:
        """A sentence if a search made the ranking and its index has no titles to show."""
        lacks = self.texts is not None and not self.texts.has_titles
        return ["the index keeps no titles and no texts"] if lacks else []

    def text_parts(self, width: int | None = None, wrap: int | None = None) -> list[Part]:
        """The first documents as a table for people, and what else there is to know."""
        if not len(self):
            return [repr(self)]
        more = [f"… and {len(self) - _MOST:,} more"] if len(self) > _MOST else []
        [table] = self.tables()
        return [table._replace(rows=list(islice(table.rows, _MOST)), caption="\n".join([*more, *self.sentences()]))]

    def data(self) -> list[dict[str, Any]]:
        """The documents as records, for JSON."""
        return records(self.tables("json")[0])

    def __repr__(self) -> str:
        first = "".join(f", {self._brief(hit)}" for hit in self[:3])[2:]
        rest = ", …" if len(self) > 3 else ""
        return f"<Ranking of {counted(len(self), 'document')}{':' if first else ''} {first}{rest}".rstrip() + ">"

    def _brief(self, hit: Hit) -> str:
        """A document with its score, and its title if it has one."""
        title = cut(hit.title, _TITLE) if self.texts and self.texts.has_titles else ""
        return f"{hit.doc_id} {hit.score:.4f}" + (f" {title!r}" if title else "")


def _title_or_passage(texts: HitTexts, doc_id: str) -> Marked:
    """The title of a document, or its best passage if that has a word of the query and the title has none."""
    title = texts.marked_title(doc_id)
    if title.spans:
        return Marked(title.text, title.spans)
    passage = texts.passage(doc_id)
    best = passage if passage.spans or not title.text else title
    return Marked(best.text, best.spans)
