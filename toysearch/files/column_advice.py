"""Advice on the columns of a table, tried on its file before it is given."""

from __future__ import annotations

from collections.abc import Sequence

from toysearch.base import Remedy
from toysearch.files.agreement import Ids, best_column, share_of_ids
from toysearch.files.columns import ByPart, has_letters, named_like, places_of, words_of
from toysearch.files.file_role import PAIR, naming
from toysearch.files.labels import NO_TITLES, PEOPLE
from toysearch.files.listed_documents import VALUES
from toysearch.files.roles import ids_for, ids_in, meets, settle
from toysearch.files.source import Source
from toysearch.files.table import Table
from toysearch.files.value_columns import known_parts, likely_values, parts_for

_LONG = 4  # words


def advised_parts(table: Table, parts: ByPart) -> dict[str, str]:
    """Return the likeliest columns of the query and the document of a table that lacks one in its parts."""
    cells = {label: [*map(str, table.cells(label))] for label in table.without(parts.values())}
    cells = {label: filled for label, filled in cells.items() if any(filled)}
    short = [label for label in cells if label and not _are_long(cells[label]) and "hash" not in label.lower()]
    free = short or [*cells]
    ends = {label.rpartition(".")[2]: label for label in reversed(free)}  # as of Input.query_id
    found = {part: [*ends.values()][at] for part, at in places_of(ends).items() if part in PAIR and part not in parts}
    parts, free = {**parts, **found}, [label for label in free if label not in found.values()]
    if "query_id" not in parts and free:
        free = [label for label in free if label not in ("id", "_id")] or free  # which is that of the row
        found["query_id"] = min(free, key=lambda label: _unlike_query(cells[label]))
        free.remove(found["query_id"])
    if "doc_id" not in parts and free:
        found["doc_id"] = max(free, key=lambda label: _like_document(label, cells[label]))
    return found


def _unlike_query(cells: Sequence[str]) -> tuple[bool, int]:
    """Return a key that sorts columns: first those of words that repeat, of which there are fewer than documents."""
    n_different = len({*cells})
    is_repeated = 1 < n_different <= len(cells) / 2 and has_letters("".join(cells))
    return not is_repeated, n_different


def _like_document(label: str, cells: Sequence[str]) -> tuple[bool, bool, bool, int]:
    """Return a key that sorts columns: last those of ids, which neither number their rows nor have names of values."""
    names_value = not words_of(label).isdisjoint(NO_TITLES - PEOPLE)  # such as times
    return not _are_numbered(cells), not names_value, named_like(label) == "ids", len({*cells})


def _are_numbered(cells: Sequence[str]) -> bool:
    """True if cells number their rows."""
    return any([*cells] == [*map(str, range(first, first + len(cells)))] for first in (0, 1))


def _are_long(cells: Sequence[str]) -> bool:
    """True if half of the cells have more words than a query or an id."""
    return 2 * sum(len(cell.split()) >= _LONG for cell in cells) > len(cells)


def advised(table: Table, role: str, *, valued: bool = True) -> Remedy | None:
    """Return the remedy that names the columns of a table of unknown ones; None if that does not help.

    Beside other files they have ids in common with these.

    valued : whether a column holds the scores or grades; else each row is relevant
    """
    named = {part: label for part, label in known_parts(table).items() if part in (*PAIR, *VALUES[role])}
    source, ids = table.source, Ids(frozenset(), frozenset())
    if isinstance(source, Source):
        ids = ids_for(table, source, role, ids_in(source.beside, role))
    if ids.queries and ids.documents:
        for part, among in zip(PAIR, ids, strict=True):
            taken = {label for other, label in named.items() if other != part}
            if part not in named or not any(share_of_ids(table, among, named[part])):
                named[part] = best_column(table, among, taken, ties=True)
        if not all(named.values()):
            return None
    known = {part: named[part] for part in PAIR if part in named}
    likely = [] if any(part in named for part in VALUES[role]) else likely_values(table, [*known.values()], role)
    if likely:
        value = next((label for label in likely if label in table.labels[1:]), likely[0])  # it rarely comes first
        known |= advised_parts(table, {**known, "": value})
        part = parts_for(table, known, value)[0] if role == "run" and {*PAIR} <= known.keys() else VALUES[role][0]
        named[part] = value
    named |= advised_parts(table, named)
    named = {part: named[part] for part in (*PAIR, *VALUES[role]) if part in named}
    settled = settle(table.source, role, named)
    works = settled.table is not None and {*PAIR} <= settled.parts.keys() and bool(settled.by) == valued
    if not works or not (valued or ids.queries) or not meets(settled, ids):
        return None
    return naming(role, named, table.words(named.get("relevance", "")))
