"""A ranking as a table: the documents with their titles, or with the passages that match the query."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from toysearch.base.ranking import Hit, HitTexts, Ranking
from toysearch.laboratory.results.tables import Column, Marked, render

_MOST = 20  # rows for people


def ranking_text(found: Ranking, width: int | None, _: int | None = None) -> str:
    """The first documents as a table for people, and what else there is to know."""
    if not len(found):
        return repr(found)
    columns, rows = marked_rows(found)
    more = [f"… and {len(found) - _MOST:,} more"] if len(found) > _MOST else []
    return "\n".join([render(columns, islice(rows, _MOST), width=width), *more, *ranking_remarks(found)])


def marked_rows(found: Ranking) -> tuple[list[Column], Iterator[list[Any]]]:
    """The documents as rows for people, made one by one: with titles or passages, and the words of the query marked."""
    return _rows(found, Column("title", "title or best passage", wrap=True), _title_or_passage)


def ranking_rows(found: Ranking, _: str = "") -> tuple[list[Column], Iterator[list[Any]]]:
    """The documents as rows of data."""
    return _rows(found, Column("title"), lambda texts, hit: texts.title(hit.doc_id))


def ranking_data(found: Ranking) -> list[dict[str, Any]]:
    """The documents as records."""
    columns, rows = ranking_rows(found)
    return [dict(zip([column.name for column in columns], row, strict=True)) for row in rows]


def ranking_remarks(found: Ranking) -> list[str]:
    """A sentence if a search made the ranking and its index has no titles to show."""
    lacks = found.texts is not None and not found.texts.has_titles
    return ["the index keeps no titles and no texts"] if lacks else []


def _rows(
    found: Ranking, title: Column, shown: Callable[[HitTexts, Hit], Any]
) -> tuple[list[Column], Iterator[list[Any]]]:
    """The columns and rows of a ranking; the last column only if the titles are at hand."""
    columns = [Column("rank", "", "right"), Column("doc_id"), Column("score", "", "right", ".4f")]
    texts = found.texts
    if texts is None or not texts.has_titles:
        return columns, ([hit.rank, hit.doc_id, hit.score] for hit in found)
    return [*columns, title], ([hit.rank, hit.doc_id, hit.score, shown(texts, hit)] for hit in found)


def _title_or_passage(texts: HitTexts, hit: Hit) -> Marked:
    """The title of a document, or its best passage if that has a word of the query and the title has none."""
    title = texts.marked_title(hit.doc_id)
    if title.spans:
        return Marked(title.text, title.spans)
    passage = texts.passage(hit.doc_id)
    shown = passage if passage.spans or not title.text else title
    return Marked(shown.text, shown.spans)
