"""Tables of documents and queries in XML and in objects of JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any

from toysearch.files.columns import (
    ByPart,
    holds_text,
    is_prose,
    is_text,
    parts_inside,
    parts_of,
    plain_label,
    without,
    words_of,
)
from toysearch.files.labels import PIECES, QUERY_TEXTS, REPLIES, TABLES
from toysearch.files.listed_documents import are_sentences, documents_in
from toysearch.files.nested_fields import MOST_KEYS, nested_texts, reached
from toysearch.files.nested_hits import are_alike
from toysearch.files.source import Source
from toysearch.files.syntaxes import xml_tables
from toysearch.files.syntaxes.json_tables import BEGINS, is_object, rows_in_object, tables, tables_if_any
from toysearch.files.syntaxes.trec import LOOKED_AT
from toysearch.files.table import KEY, VALUE, Cells, Row, Table, text_of

_FEW = 5  # keys
_OF_TABLES = {name for names in TABLES.values() for name in names}


def record_table(source: Source, role: str, columns: ByPart | None = None) -> Table | None:
    """Return the table of documents or queries in XML, or in the only object of a file; None for lines."""
    if columns:
        return _record_table(source, role, columns)
    if role not in source.known:
        source.known[role] = _record_table(source, role, None)
    found: Table | None = source.known[role]
    return found


def _record_table(source: Source, role: str, columns: ByPart | None) -> Table | None:
    if source.head.lstrip().startswith(b"<"):
        return xml_tables.table_of(source, columns)
    found = tables(source)
    if is_object(source) and found[1:]:
        return _inside(source, found, role, columns)
    return next(filter(None, (_of_pieces(table, columns, role) for table in found)), None)


def _inside(source: Source, found: Sequence[Table], role: str, columns: ByPart | None) -> Table | None:
    """Return the table of the records in the only object of a file; None if it is one record itself.

    found : the object, and the tables in it
    """
    whole, *inside = found
    if (named_key := source.reading.records) and role == "documents":
        under = next(iter(_under(named_key, inside)), None)
        return under and (_of_pieces(under, columns, role) or _with_keys_as_ids(under))
    fitting = [table for table in inside if _holds_texts(table, columns)]
    named = [table for table in fitting if {*TABLES[role]} & {*_name_of(table).split("_")}]
    lists = [table for table in fitting if _is_list(table)]
    are_ids = len(whole.labels) > LOOKED_AT and not columns
    own = {} if are_ids else parts_of(whole.labels, columns)
    if role == "queries" and not named:
        asked = [table for table in inside if _are_records(table) and {*QUERY_TEXTS} & {*table.labels}]
        if own.keys() == {"title"} and not fitting and len(asked) == 1:
            return asked[0]  # what stands once beside a list, as the name of a golden set, is no query
    lists.sort(key=_n_letters, reverse=True)
    if lists and not named:  # a known key of a short list, such as licences, counts less than much more text
        beside = [table for table in inside if table not in fitting and _key_beside(table, lists[0])]
        lists = [table for table in beside if _n_letters(table) > 2 * _n_letters(lists[0])] or lists
    columnar = [table for table in fitting if table.name == "[]" and (table.labels[1:] or "data" in whole.labels)]
    are_columns = any({*own.values()} <= {*table.labels} for table in columnar)
    has_text = holds_text(whole.labels) and not are_ids
    is_named = bool(named) and ("text" not in own or not ("id" in own or has_text))
    if not (are_columns or is_named or _is_envelope(whole, own, lists, has_text=has_text)):
        return None
    keyed = [table for table in fitting if KEY in table.labels and (table.name in (KEY, VALUE) or _are_records(table))]
    around = tuple(table.name.removesuffix(VALUE) + "." for table in keyed if table.name != VALUE)
    lists = [table for table in lists if not table.name.startswith(around)]  # and no record of those by their keys
    keyed = [table for table in keyed if _have_key_in_common(table) and not _has_keys_of(table, source.alike)]
    keyed.sort(key=_n_letters, reverse=True)
    if best := columnar or named or (lists if len(lists) == 1 or not keyed else keyed):
        are_parts = best is lists and all(len(table.head) == 1 for table in lists)
        if are_parts and len({*map(_first_key, lists)}) > 1:
            return None  # of one record
        table = _with_alike(best[0], found)
        return _of_pieces(table, columns, role) or _with_keys_as_ids(table)
    unknown = [table for table in inside if "[]" not in table.name and _are_records(table)]
    unknown = [table for table in unknown if KEY not in table.labels or _are_by_ids(table, source.alike)]
    return _with_keys_as_ids(unknown[0]) if len(unknown) == 1 and not own else None


def _is_envelope(whole: Table, own: ByPart, lists: Sequence[Table], *, has_text: bool) -> bool:
    """True for an object around objects, or around a list of which it is no record with an id or a text.

    own : its parts
    """
    cells = whole.head[0].cells
    if all(isinstance(cells.get(label), dict) for label in own.values()):
        return True
    if not lists or len(lists[0].head) == 1 or has_text or _is_beside(lists, own, cells):
        return False
    return "id" not in own or len(own) == 1 or "text" in parts_of(lists[0].labels)


def _under(name: str, inside: Iterable[Table]) -> list[Table]:
    """Return the tables under a key: a list, objects by their ids, texts by their ids."""
    under = [table for table in inside if plain_label(_last_key(table)) == plain_label(name)]
    texts = [table for table in under if table.name.endswith(KEY) and _have_prose(table)]
    return [*filter(_is_list, under), *(table for table in under if table.name.endswith(VALUE)), *texts]


def _last_key(table: Table) -> str:
    return table.name.removesuffix(KEY).removesuffix(VALUE).rpartition(".")[2]


def likely_keys(source: Source) -> list[str]:
    """Return at most two keys of the only object of a file under which objects have the most letters."""
    if not BEGINS.match(source.text) or not is_object(source):
        return []
    letters = dict[str, int]()
    for table in tables(source)[1:]:
        if (key := _last_key(table)) and len(table.head) > 1 and (_is_list(table) or table.name.endswith(VALUE)):
            letters.setdefault(key, _n_letters(table))
    return sorted(filter(letters.get, letters), key=lambda key: -letters[key])[:2]


def has_queries_beside(source: Source) -> bool:
    """True for an object of JSON that holds documents, and beside them queries, as their name says."""
    if not BEGINS.match(source.text) or not is_object(source):
        return False
    tables_of = [record_table(source, role) for role in ("documents", "queries")]
    return len({table.name for table in tables_of if table}) > 1


def _is_beside(lists: Sequence[Table], own: ByPart, cells: Cells) -> bool:
    """True for several short lists, or one without texts, of rows without ids, in an object with a title and a text."""
    is_told = all(isinstance(cells.get(own.get(part, "")), str) for part in ("title", "text"))
    parts = parts_of(lists[0].labels)
    are_parts = len({*map(_first_key, lists)}) > 1 or "text" not in parts
    return is_told and are_parts and "id" not in parts and all(len(one.head) <= MOST_KEYS for one in lists)


def _have_key_in_common(table: Table) -> bool:
    labels = [row.cells.keys() - {KEY} for row in table.head]
    return not table.name.endswith(VALUE) or bool(set.intersection(*labels))


def _are_by_ids(table: Table, others: Sequence[Source]) -> bool:
    """True for objects with prose, or many with texts, by their ids: other files have other keys."""
    have_texts = any(str in map(type, table.cells(label)) for label in table.labels[1:])
    are_many = have_texts and len(table.head) > MOST_KEYS and table.name == VALUE
    return (are_many or _have_prose(table)) and not _has_keys_of(table, others)


def _has_keys_of(table: Table, others: Iterable[Source]) -> bool:
    """True if most keys of a table are also in one of its name in another file, as those of records are, but no ids."""
    keys = {*table.cells(KEY)}
    alike = [{*one.cells(KEY)} for other in others for one in tables_if_any(other) if one.name == table.name]
    return any(2 * len(keys & one) > len(keys | one) for one in alike)


def _are_records(table: Table) -> bool:
    """True for several rows of objects, or of texts of several words."""
    return len(table.head) > 1 and (VALUE not in table.labels or _have_prose(table))


def _are_rows(table: Table) -> bool:
    """True for the columns of a data frame, and for objects of texts by their ids that have the same few keys."""
    are_objects = table.name.endswith(VALUE)
    names = table.cells(KEY) if are_objects else table.labels
    if not _OF_TABLES.isdisjoint(map(plain_label, names)):
        return False
    if not are_objects:
        return table.name == "[]" and 1 < len(table.labels) <= len(table.head)
    labels = [row.cells.keys() - {KEY} for row in table.head]
    are_few = len({*chain(*labels)}) <= max(len(labels), _FEW)
    kinds = {type(cell) for row in table.head for cell in row.cells.values()}
    return len(labels) > 1 and are_few and _have_key_in_common(table) and kinds.isdisjoint({dict, list})


def _key_beside(table: Table, other: Table) -> str:
    """Return the key in which the names of two lists of prose, or objects by ids, differ; of texts all keys; or ""."""
    kinds = [next(kind for kind in (KEY, VALUE, "[]", "") if one.name.endswith(kind)) for one in (table, other)]
    keys, others = (one.name.removesuffix(kinds[0]).split(".") for one in (table, other))
    different = [key for key, own in zip(keys, others, strict=False) if key != own]
    if len({*kinds}) > 1 or len(keys) != len(others) or not different:
        return ""
    if KEY in kinds:
        return ".".join(keys) if _have_prose(table, any) and _OF_TABLES.isdisjoint(words_of(other.name)) else ""
    is_kind = VALUE in kinds or (_is_list(table) and _are_records(table) and _have_prose(table))
    return different[0] if is_kind and len(different) == 1 else ""


def _with_alike(table: Table, found: Sequence[Table]) -> Table:
    """Return a table with the rows of all lists of prose beside it that have its keys or its parts, as train and test.

    The keys of the others are told.
    """
    of_others = _OF_TABLES - {*TABLES["documents"]}
    keys = {key: one for one in found if (key := _key_beside(one, table))}
    beside = {key: one for key, one in keys.items() if of_others.isdisjoint(words_of(key))}
    is_of_documents = of_others.isdisjoint(_name_of(table).split("_"))
    alike = [one.name for one in beside.values() if is_of_documents and _have_prose(one, any) and table.is_like(one)]
    table = replace(table, beside=[key for key, one in beside.items() if one.name not in alike])
    if not alike:
        return table
    both = [one for one in found if one.name in (table.name, *alike)]
    joined = _joined(table, both)
    is_even = all(one.labels == table.labels for one in both)
    return joined if is_even else joined.with_labels_of(parts_of(table.labels))


def _joined(table: Table, tables: Sequence[Table]) -> Table:
    """Return a table with the rows of several in its file."""
    head = [row for one in tables for row in one.head]
    return replace(table, head=head, rows=partial(rows_in_object, table.source, *[one.name for one in tables]))


def _is_list(table: Table) -> bool:
    return KEY not in table.labels and "[]" not in table.name


def _have_prose(table: Table, several: Callable[[Iterable[bool]], bool] = all) -> bool:
    return several(any(map(is_prose, row.cells.values())) for row in table.head)


def _n_letters(table: Table) -> int:
    """Return the number of letters in the titles and texts of the first rows, or in their prose if no name is known."""
    parts = {"text": VALUE} if VALUE in table.labels else parts_of(table.labels)
    parts = parts if {"title", "text"} & parts.keys() else parts_inside(table.head[0].cells)
    labels = [label for part, label in parts.items() if part != "id"]
    values = [reached(row.cells, label) for row in table.head for label in labels or row.cells]
    texts = [text for value in values for text in nested_texts("", value, text_of).values()]
    return sum(len(text) for text in texts if labels or is_prose(text))


def _of_pieces(table: Table, columns: ByPart | None, role: str) -> Table | None:
    """Return the table of what is in the lists of its records: their texts in pieces, or documents in groups."""
    cells = table.head[0].cells if table.head else {}
    parts = parts_of([*cells], columns)
    if "text" in parts:
        return None
    found = [label for label, items in cells.items() if "title" in parts and label in PIECES and _are_pieces(items)]
    if role == "documents" and "id" not in parts:
        found += [label for label in cells if _are_grouped(table, label, parts, columns)]
    return _in_pieces(table, found[0]) if found else None


def _are_grouped(table: Table, label: str, parts: ByPart, columns: ByPart | None) -> bool:
    """True if a key holds lists of objects with texts, and with titles, answers or ids, all of which differ.

    parts : those of the objects around the lists; with a title, these are groups only if all else is in the lists, or
        if these are long and have its keys too
    """
    lists = [documents_in(row.cells.get(label)) for row in table.head]
    items = [item for one in lists if _are_objects(one) for item in one]
    labels = [*items[0]] if items else []
    found = {**parts_inside(dict(*items[:1])), **parts_of(labels, columns)}
    is_long = len(items) > _FEW * len(lists) and {*table.labels} <= {label, *labels} and "title" in found.keys() & parts
    own = found.get("id") or (is_long and found["title"])
    ids = [str(item.get(own)) for item in items] if own else []
    named = found.keys() & {"id", "title"} or {*REPLIES}.intersection(labels)
    is_whole = is_long or found.keys() >= ({"id", "title", "text"} if parts else {"text"})
    return is_whole and bool(named) and len({*ids}) == len(ids) and {*(columns or {}).values()} <= {*labels}


def _are_pieces(items: Any) -> bool:
    return bool(items) and _are_objects(items) and all("text" in parts_of([*item]) for item in items)


def _in_pieces(table: Table, label: str) -> Table:
    """Return a table with a row for each object in the lists of its records, numbered after their ids."""
    are_rows = _are_pieces if label in PIECES else _are_objects

    def pieces(rows: Iterable[Row]) -> Iterator[Row]:
        for row in rows:
            items: Any = documents_in(row.cells.get(label))
            if not are_rows(items):
                yield row
                continue
            outer = without(label, row.cells)
            known = parts_of([*outer])
            id_label = known.pop("id", None)
            if label not in PIECES:
                outer = {key: cell for key, cell in outer.items() if key not in known.values()}
            for number, item in enumerate(items, 1):
                of_piece = {id_label: f"{outer[id_label]}#{number}"} if id_label else {}
                yield row._replace(cells={**outer, **of_piece, **item})

    changed = table.changed(pieces)
    return replace(changed, labels=[*changed.head[0].cells])


def _are_objects(items: Any) -> bool:
    return isinstance(items, list) and all(isinstance(item, dict) for item in items)


def _first_key(table: Table) -> str:
    return table.name.partition(".")[0]


def _name_of(table: Table) -> str:
    return plain_label(table.name.removesuffix(KEY).removesuffix(VALUE).rpartition(".")[2])


def _holds_texts(table: Table, columns: ByPart | None) -> bool:
    """True if rows have a title or a text, or are texts by their keys."""
    if {*table.labels} == {KEY, VALUE}:
        texts = [row.cells[VALUE] for row in table.head]
        return all(isinstance(text, str) or (isinstance(text, list) and are_sentences(text)) for text in texts)
    cells = table.head[0].cells
    if _are_rows(table) and _have_prose(table, any):
        return True
    if len(table.labels) > MOST_KEYS or are_alike(cells):
        return False  # several records
    inside = [label for label in (columns or {}).values() if reached(cells, label) is not None]
    parts = parts_of([*table.labels, *inside], columns)
    parts = parts if {"title", "text"} & parts.keys() else parts_inside(cells)
    texts = [reached(cells, label) for part, label in parts.items() if part != "id"]
    return any(isinstance(text, list) or is_text(text) for text in texts)


def _with_keys_as_ids(table: Table) -> Table:
    """Return a table with the key of each row as its id, and with the text under it as its text."""
    if KEY not in table.labels:
        return table
    others = [label for label in table.labels if label != KEY and table.head[0].cells[label] is not None]
    names = {label: "text" if label == VALUE else label for label in others}
    if "id" not in parts_of(others):
        names = {KEY: "id", **names}

    def renamed(row: Row) -> Row:
        return row._replace(cells={name: row.cells[label] for label, name in names.items() if label in row.cells})

    return table.changed(partial(map, renamed), labels=[*names.values()])
