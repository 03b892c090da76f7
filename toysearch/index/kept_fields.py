"""The fields of documents that an index keeps beside the searched text: numbers, dates, and values that are words."""

from __future__ import annotations

from collections.abc import Collection as Several
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np

from toysearch.base.argument_checks import checked
from toysearch.corpus.collection import Collection
from toysearch.index.document_columns import number_in

__all__ = ["KeptFields", "every_field", "named_kept_fields", "small_fields"]

_SAMPLE = 1000  # documents that say whether a named field holds numbers
_SMALL = 6_000_000  # bytes of documents that are all looked at if no field is named
_LARGE = 1 << 28  # bytes of documents that are not all kept in memory
_MOST = 1000  # distinct values of a field that is kept without being named
_LONGEST = 60  # characters of such a value
FEW = 24
"""Distinct values of a field that is shown as a facet."""


class KeptFields(NamedTuple):
    """The fields whose numbers are kept, and those whose values are kept as words."""

    values: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()


@checked
def named_kept_fields(collection: Collection, names: Sequence[str]) -> KeptFields:
    """Fields that somebody names: of numbers if at least half of their first values are numbers or dates.

    Parameters
    ----------
    collection : Collection
        The documents.
    names : sequence of str
        The fields; one that no document has counts as a field of numbers.

    Examples
    --------
    >>> from toysearch import load
    >>> named_kept_fields(load("companions"), ["date", "topic"])
    KeptFields(values=('date',), keywords=('topic',))
    """
    texts: dict[str, list[str]] = {name: [] for name in names}
    if names:
        for document in islice(collection.stream(), _SAMPLE):
            for name in names:
                own = document.title if name == "title" else document.text if name == "text" else ""
                texts[name].append(document.fields.get(name, own).strip())
    found = {name: list(filter(None, own)) for name, own in texts.items()}
    words = [name for name, own in found.items() if 2 * _numbers_among(own) < len(own)]
    return KeptFields(tuple(name for name in names if name not in words), tuple(words))


@checked
def every_field(collection: Collection) -> KeptFields:
    """All fields that are not searched, for an index in memory: as words, and those with numbers as numbers too.

    Parameters
    ----------
    collection : Collection
        The documents.
    """
    searched = collection.searched_fields
    if collection.reading is not None and collection.reading.size >= _LARGE:
        fields = (name for document in islice(collection.stream(), _SAMPLE) for name in document.fields)
        return named_kept_fields(collection, [name for name in dict.fromkeys(fields) if name not in searched])
    columns = _columns(collection)
    return KeptFields(tuple(name for name, own in columns.items() if _numbers_among(own)), tuple(columns))


@checked
def small_fields(collection: Collection) -> KeptFields:
    """The fields of a collection of at most 6 MB that every index keeps: numbers, dates, and few short values.

    Parameters
    ----------
    collection : Collection
        The documents; those of other sources than files keep none.
    """
    if collection.reading is None or collection.reading.size > _SMALL:
        return KeptFields()
    columns = _columns(collection)
    numbers = (name for name, own in columns.items() if own and _numbers_among(own) == len(own))
    return KeptFields(tuple(numbers), tuple(name for name, own in columns.items() if _is_small(own)))


def _columns(collection: Collection) -> dict[str, list[str]]:
    """The values of the fields that are not searched, without empty ones."""
    documents, searched = collection.documents, collection.searched_fields
    columns: dict[str, list[str]] = {name: [] for name in documents.field_names if name not in searched}
    for document in documents if columns else ():
        for name, text in document.fields.items():
            if name in columns and (value := text.strip()):
                columns[name].append(value)
    return columns


def _numbers_among(texts: Sequence[str]) -> int:
    """How many texts are numbers or dates."""
    return sum(not np.isnan(number_in(text)) for text in texts)


def _is_small(texts: Sequence[str]) -> bool:
    """Whether the values of a field are few and short, so that many documents share one."""
    distinct = {*texts}
    few = is_facet(distinct, len(texts)) or 2 <= len(distinct) <= min(_MOST, len(texts) // 2)
    return few and max(map(len, distinct)) <= _LONGEST


def is_facet(distinct: Several[str], n_documents: int) -> bool:
    """Whether a field with these distinct values in so many documents divides them into a few groups."""
    return 2 <= len(distinct) <= FEW and len(distinct) < n_documents and max(map(len, distinct)) <= _LONGEST
