"""Facets: the fields of documents with few values, and the number of ranked documents with each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from toysearch.index import is_facet

if TYPE_CHECKING:
    from toysearch import Index

FACET = "f."
"""What the name of a chosen value in an address begins with; the rest is the name of the field."""

MOST_DOCUMENTS = 100_000
"""Documents of an index whose queries are ranked in full, to count what matches; a longer one has no facets."""


class Facet(NamedTuple):
    """A field with few values, and the value of each document that has one."""

    field: str
    value_of: Mapping[str, str]  # by doc_id


def facets_of(index: Index) -> list[Facet]:
    """The fields with few values among those whose values the index keeps."""
    if len(index) > MOST_DOCUMENTS:
        return []
    columns: dict[str, dict[str, str]] = {}
    for name, keywords in index.keywords.items():
        texts = zip(index.doc_ids, keywords.of_documents(), strict=True)
        columns[name] = {doc_id: text for doc_id, text in texts if text}
    for name, values in index.values.items():
        if name not in columns:
            columns[name] = {index.doc_ids[place]: f"{value:g}" for place, value in enumerate(values) if value == value}
    return [Facet(name, column) for name, column in columns.items() if is_facet({*column.values()}, len(column))]


def counts(facets: Iterable[Facet], doc_ids: Iterable[str], chosen: Mapping[str, str]) -> list[dict[str, Any]]:
    """The number of documents with each value of each facet, most frequent first; a chosen value is always named."""
    listed, tables = [*doc_ids], []
    for facet in facets:
        tally = Counter(facet.value_of[doc_id] for doc_id in listed if doc_id in facet.value_of)
        choice = chosen.get(facet.field)
        if choice is not None:
            tally.setdefault(choice, 0)
        values = sorted(tally.items(), key=lambda pair: (-pair[1], pair[0]))
        rows = [{"value": value, "documents": number, "chosen": value == choice} for value, number in values]
        tables.append({"field": facet.field, "values": rows})
    return tables
