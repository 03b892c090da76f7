"""Values of a field in an index: whether they are numbers or words, and which of them are equal."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

import numpy as np

from toysearch.base import Remedy, count_each, has_no
from toysearch.base.errors import ArgumentError
from toysearch.index import Index, number_in
from toysearch.index.document_columns import (
    ValueGroups,
    are_read_together,
    field_spelt,
    field_word,
    folded,
    holds_numbers_among,
    note_left_out,
    numbers_among,
)
from toysearch.index.inverted_index import once_per_index


def kept_field(index: Index, name: str) -> str:
    """Return a field, named in any case, as the index spells it; refuse one whose values it does not keep."""
    fields = sorted({*index.values, *index.keywords})
    field = field_spelt(name, fields)
    if field not in fields:
        source = index.source
        if source is not None and field_spelt(field, names := source.documents.field_names) not in names:
            raise has_no(f"collection '{source.name}'", "field", field, names)
        others = f", only of {', '.join(fields)}" if fields else ""
        remedy = Remedy("Index.build", keywords=[field])
        raise ArgumentError(f"the index keeps no values of a field '{field}'{others}; to ask for it: {remedy}")
    return field


def field_in_query(index: Index, field: str) -> str:
    """Write the name of a field as a query names it: as it is, as one word, or with backslashes."""
    from toysearch.query.syntax import escaped  # most searches have no facet

    names = {*index.values, *index.keywords}
    words = (name for name in (field, field_word(field)) if re.fullmatch(r"[^\W\d_][\w-]*", name))
    return next((word for word in words if _spelt_or_none(word, names) == field), escaped(field))


def _spelt_or_none(name: str, names: set[str]) -> str | None:
    try:
        return field_spelt(name, names)
    except ArgumentError:  # of several fields
        return None


@once_per_index
def holds_numbers(index: Index, field: str) -> bool:
    """True if the values of a field are numbers or dates; otherwise they are words."""
    if field not in index.keywords:
        return field in index.values
    return (holds_numbers_among if field in index.values else are_read_together)(texts_of(index, field))


def texts_of(index: Index, field: str) -> Counter[str]:
    """Count the texts of a field that is kept as words."""
    values, codes = index.keywords[field]
    counts = count_each(codes, minlength=len(values) + 1)[1:].tolist()
    return Counter(dict(zip(values, counts, strict=True)))


@once_per_index
def numbers_of(index: Index, field: str) -> np.ndarray | None:
    """Return the number of each document, NaN without one; None if no value of the field is a number.

    The numbers of a field of words, such as codes, are those of its texts.
    """
    numbers, keywords = index.values.get(field), index.keywords.get(field)
    if keywords is not None:
        texts = texts_of(index, field)
        of_values = np.array([np.nan, *numbers_among(texts)])
        if numbers is None and not np.isnan(of_values).all():
            numbers = of_values[keywords.codes]
        if numbers is not None:
            note_left_out(field, texts)
    return None if numbers is None else np.asarray(numbers, dtype=np.float64)


@once_per_index
def groups_of(index: Index, field: str) -> ValueGroups:
    """Return the values of a field of words, those that are equal but for case as one."""
    return ValueGroups.of(index.keywords[field], folding_of(index))


def folding_of(index: Index) -> Callable[[str], str]:
    """Return how values are folded for comparison: their capital letters are those of the language of the index."""
    return lambda value: folded(index.analyzer.tokenizer.with_small_letters(value))


def example_of(index: Index, field: str) -> str:
    """Return one of the values of a field, a number if there is one, as a message names it."""
    if field in index.keywords:
        return min(index.keywords[field].values, key=lambda value: np.isnan(number_in(value)), default="")
    return next((f"{number:.15g}" for number in index.values[field] if not np.isnan(number)), "")


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
