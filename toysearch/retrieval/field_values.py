"""Values of a field in an index: whether they are numbers or words, and which of them are equal."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from toysearch.base import ArgumentError, Remedy, has_no
from toysearch.index import Index
from toysearch.index.field_names import field_spelt, field_word, folded
from toysearch.index.inverted_index import once_per_index
from toysearch.index.stored_values import FieldValues, ValueGroups, note_left_out


def kept_field(index: Index, name: str) -> str:
    """Return a field, named in any case, as the index spells it; refuse one whose values it does not keep."""
    fields = sorted(index.values)
    field = field_spelt(name, fields)
    if field not in fields:
        source = index.source
        if source is not None and field_spelt(field, names := source.documents.field_names) not in names:
            raise has_no(f"collection '{source.name}'", "field", field, names)
        others = f", only of {', '.join(fields)}" if fields else ""
        remedy = Remedy("Index.build", values=[field])
        raise ArgumentError(f"the index keeps no values of a field '{field}'{others}; to ask for it: {remedy}")
    return field


def field_in_query(index: Index, field: str) -> str:
    """Write the name of a field as a query names it: as it is, as one word, or with backslashes."""
    from toysearch.query.syntax import escaped  # most searches have no facet

    names = {*index.values}
    words = (name for name in (field, field_word(field)) if re.fullmatch(r"[^\W\d_][\w-]*", name))
    return next((word for word in words if _spelt_or_none(word, names) == field), escaped(field))


def _spelt_or_none(name: str, names: set[str]) -> str | None:
    try:
        return field_spelt(name, names)
    except ArgumentError:  # of several fields
        return None


def values_with_numbers(index: Index, field: str) -> FieldValues | None:
    """Return the values of a field for their numbers, with a note on the others; None if none is a number.

    The numbers of a field of words, such as codes, are those of its texts.
    """
    values = index.values.get(field)
    if values is None or np.isnan(values.numbers).all():
        return None
    note_left_out(field, values)
    return values


@once_per_index
def numbers_of(index: Index, field: str) -> np.ndarray | None:
    """Return the least number of each document, NaN without one; None if no value of the field is a number."""
    values = values_with_numbers(index, field)
    return None if values is None else values.least(values.numbers)


@once_per_index
def groups_of(index: Index, field: str) -> ValueGroups:
    """Return the values of a field that are equal as one."""
    return ValueGroups.of(index.values[field], folding_of(index))


@once_per_index
def folded_values(index: Index, field: str) -> list[str]:
    """Return the texts of a field, folded for comparison."""
    return [*map(folding_of(index), index.values[field].texts)]


def folding_of(index: Index) -> Callable[[str], str]:
    """Return how values are folded for comparison: their capital letters are those of the language of the index."""
    return lambda value: folded(index.analyzer.tokenizer.with_small_letters(value))


def example_of(index: Index, field: str) -> str:
    """Return one of the values of a field, a number if there is one, as a message names it."""
    values = index.values[field]
    return values.texts[int(np.argmin(np.isnan(values.numbers)))] if len(values.texts) else ""


def any_of(values: str) -> str:
    """Write values that commas separate as alternatives of the query language.

    >>> any_of("health, old law, 'sun, sea'")
    '(health OR "old law" OR "sun, sea")'
    """
    parts = re.findall(r"""\s*("[^"]*"|'[^']*'|[^,]+)""", values)
    names = filter(None, (part.strip(" \"'") for part in parts))
    bare = r"(?!(?:AND|OR|NOT)\Z)\w+"
    return f"({' OR '.join(name if re.fullmatch(bare, name) else in_quotes(name) for name in names)})"


def in_quotes(value: str) -> str:
    r"""Write a value between quotation marks, as the query language reads it.

    >>> print(in_quotes('a 3" pipe'))
    "a 3\" pipe"
    """
    escaped = re.sub(r'["\\]', r"\\\g<0>", value)
    return f'"{escaped}"'
