"""Roles of files: a run, judgments or another one of the lab; the column of each part, by its name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice
from typing import Any

from toysearch.files.bare_rows import by_places, is_of_kind, looks_like_header, of_bare_rows
from toysearch.files.claims import Clues, What, of_use
from toysearch.files.columns import (
    ByPart,
    holds_text,
    is_document,
    is_negative,
    is_prose,
    labels_of,
    means_relevant,
    parts_inside,
    parts_of,
    plain_label,
    role_of_columns,
    words_of,
)
from toysearch.files.file_role import PAIR, Settled, of_listing
from toysearch.files.labels import ANSWERS, CONTEXTS, HITS, IDS, RELEVANT, TABLES
from toysearch.files.listed_documents import (
    VALUES,
    are_documents,
    are_numbered,
    are_sentences,
    are_texts,
    documents_in,
    id_in,
    in_brackets,
    listed,
    role_of_list,
)
from toysearch.files.nested_hits import flat
from toysearch.files.numbers import finite_number
from toysearch.files.problems import reader
from toysearch.files.record_tables import record_table
from toysearch.files.sheets import ROWS_FIRST, sheet_for
from toysearch.files.source import AnyPath, Source, source_of
from toysearch.files.syntaxes import letor, trec, word_counts
from toysearch.files.syntaxes.delimited import headed, is_of_trec, rows_in, separator_of
from toysearch.files.syntaxes.json_tables import BEGINS, tables
from toysearch.files.syntaxes.trec import LOOKED_AT, data_lines
from toysearch.files.table import KEY, VALUE, Row, Table
from toysearch.files.value_columns import MOST_LABELS, known_parts, value_part

BINARY = What(shown_by="it has zero bytes, as no text has")
_BEGINNING = 64  # bytes
_OF_LISTS = frozenset("0123456789|;,[")  # signs in the text of a list of ids
_BETWEEN = frozenset(";|\n")  # between ids in a cell
_UMBRELA = {"passage", "judgment"}  # which names a passage by its text, unless there is an id too


@reader
def settle(path: AnyPath, place: str = "", columns: ByPart | None = None) -> Settled:
    """Settle what a file is.

    place : the role in whose place it is given, run or qrels; "" if it may be either
    columns : part → the column or key that the user names
    """
    source, columns = source_of(path), columns or {}
    known, call = source.known, (place, *columns.items())
    if call not in known:
        known[call] = settle_source(sheet_for(source, (place,) if place else ROWS_FIRST, columns), place, columns)
    return known[call]  # type: ignore[no-any-return]


def settle_source(source: Source, place: str, columns: ByPart) -> Settled:
    """Settle what a file is, or the sheet of a workbook; its parameters are those of `settle`."""
    split = columns.get("split", "")
    columns = {part: label for part, label in columns.items() if part != "split"}
    settled = _by_itself(source, place, columns)
    if columns and settled.table is not None and settled.table.noun == "key":
        settled = _on_paths(source, place, columns, settled) or settled
    if settled.has_pair and not settled.by and (split or settled.what.form not in ("lists", "json")):
        texts = [cell for cell in settled.sure_table.cells(settled.parts["doc_id"]) if isinstance(cell, str)]
        if split or any(in_brackets(cell) or not _BETWEEN.isdisjoint(cell) for cell in texts):
            settled = of_listing(settled.sure_table, settled.parts, settled.what.role, split)
    return settled._replace(source=source)


def _on_paths(source: Source, place: str, columns: ByPart, settled: Settled) -> Settled | None:
    """Settle nested objects on the paths that the user names; None if their keys are these, or nothing stands there."""
    values = {part: columns[part] for part in VALUES.get(place, ()) if part in columns}
    cells = [cell for label in values.values() for cell in settled.sure_table.cells(label)]
    if {*columns.values()} <= {*settled.sure_table.labels} and not any(isinstance(cell, list) for cell in cells):
        return None
    for table in tables(source):
        table = _with_joined(table, columns)
        parts = {part: label for part, label in known_parts(table).items() if part in PAIR} | {**columns}
        has_id = "query_id" not in columns and not {"id", "_id"}.isdisjoint(table.labels)
        if has_id or not parts.keys() >= {*PAIR}:
            continue  # beside its own id, the text of a query may be no id
        rows, parts = flat(table, parts)
        if all(rows.cells(label) for label in parts.values()):
            what = What(place, "lines", f"it has documents under {columns.get('doc_id')}", sure=False)
            return Settled(what, rows, parts, value_part(place, parts, columns))
    return None


def _with_joined(table: Table, columns: ByPart) -> Table:
    """Return a table with one column in place of several that the user names together, such as user+query."""
    together = {label: label.split("+") for label in columns.values() if label not in table.labels}
    for label, several in together.items():
        if not {*several} <= {*table.labels}:
            continue

        def joined(rows: Iterator[Row], label: str = label, several: Sequence[str] = several) -> Iterator[Row]:
            for row in rows:
                ids = [id_in(row.cells.get(one)) or "" for one in several]
                yield row._replace(cells={**row.cells, label: "+".join(ids) if all(ids) else None})

        table = table.changed(joined, labels=[label, *table.without(several)], written=())
    return table


def _by_itself(source: Source, place: str, named: ByPart) -> Settled:
    """Settle a file by its own labels and cells."""
    if b"\0" in source.head[:_BEGINNING]:
        is_array = source.head.startswith(b"\x93NUMPY")
        return Settled(What("vectors", "npy", "it begins like an array of numpy") if is_array else BINARY)
    if named and all(map(str.isdecimal, named.values())) and (by_place := by_places(source, place, named)):
        return by_place
    if BEGINS.match(source.text):
        return _of_json(source, place, named)
    if not named and (certain := trec.certain_rows(source)):
        return Settled(certain)
    if not source.lines:
        return Settled(What("", "empty", "it is empty"))
    if not named and (printed := trec.claims_values(source)):
        return Settled(printed)
    if source.head[:1] in word_counts.BEGINS and word_counts.claims(source, Clues("")):
        return Settled(What())
    return _of_lines(source, place, named)


def claims(source: Source, clues: Clues) -> What | None:
    """Claim ranks, lists and LETOR, unless the name is that of judgments."""
    if not clues.rows.sure and "rel" in clues.name.rpartition("/")[2].lower():
        return None
    return clues.rows if clues.rows.role and clues.rows.form in ("ranks", "lists", "letor") else None


def _of_json(source: Source, place: str, columns: ByPart) -> Settled:
    first, *_ = found = [_with_joined(table, columns) for table in tables(source)]
    if not first.head:
        return Settled(What(), first)
    item = first.head[0].cells
    if not item:
        return Settled(What("", "json", "it is an empty object", sure=False), first)
    keys = [key for key, value in item.items() if not isinstance(value, dict)]
    is_judgment = {*PAIR, "relevance"} <= labels_of(item).keys() and not holds_text(item)
    is_judgment = is_judgment or item.keys() >= _UMBRELA
    is_text = is_document(item) and not is_judgment
    if not columns and not (is_text or parts_inside(item)) and (use := of_use(keys, "lines", keys)):
        return Settled(use, first)
    if is_text and not place and not columns and {dict, list}.isdisjoint(map(type, item.values())):
        return Settled(What(), first)
    if not place and not columns and (records := record_table(source, "documents")) and records.name == "[]":
        return Settled(What(), records)
    found = _with_systems(found) if place else found
    if place and len({_role_named(table) for table in found if table.name.removesuffix(KEY)}) > 1:
        found = [table for table in found if _role_named(table) in (place, "")]
    found.sort(key=lambda table: not _is_first(table))
    settled = (
        _of_key(table, place, columns) if VALUE in table.labels else _of_object(table, place, columns)
        for table in found
    )
    perhaps = (_of_key(table, place, columns, texts=True) for table in found if table.name == KEY and place)
    return next(filter(None, chain(settled, perhaps)), Settled(What(), first))


def _with_systems(found: Sequence[Table]) -> list[Table]:
    """Return tables, with lists of queries that have the same labels as one table, whose systems are their keys.

    They are as deep in the object.
    """
    of_kinds = dict[Any, list[Table]]()
    for table in found:
        is_list = KEY not in table.labels and "query_id" in labels_of(table.labels)
        kind = (table.name.count("."), *table.labels) if is_list and table.name else table.name
        of_kinds.setdefault(kind, []).append(table)
    return [alike[0] if len(alike) == 1 else _joined(alike) for alike in of_kinds.values()]


def _joined(alike: Sequence[Table]) -> Table:
    """Return one table of several, with their names as systems."""
    named = [table.with_cells({"system": table.name}) for table in alike]
    head = [row for table in named for row in table.head]
    return replace(named[0], head=head, rows=lambda: (row for table in named for row in table.rows()))


def _role_named(table: Table) -> str:
    """Return the role that the key above the rows of a table names; "" if it names none."""
    name = table.name.removesuffix(KEY).rpartition(".")[2]
    return "qrels" if means_relevant(name) else role_of_list(name)


def _is_first(table: Table) -> bool:
    """True for the answer of an engine, and for columns with the names of a query and a document."""
    is_of_columns = table.name.endswith("[]") and {*PAIR} <= labels_of(table.labels).keys()
    return table.name in ANSWERS or is_of_columns


def _of_object(table: Table, place: str, columns: ByPart) -> Settled | None:
    """Settle objects by their keys."""
    labels, parts = [*table.labels], known_parts(table, columns)
    if any(isinstance(cell, list) for cell in table.cells(parts.get("query_id", ""))):
        return None  # an object of columns
    if {*labels} >= _UMBRELA:
        parts.setdefault("doc_id", "passage")
    if found := _of_lists(table, parts, place, columns):
        return found
    answer = What("run", "json", "it is an answer with hits")
    if table.name in ANSWERS and "query_id" not in parts and place != "qrels":
        parts = {"doc_id": ANSWERS[table.name], **parts}
        return Settled(answer, table, parts, value_part("run", parts))
    if table.name == "responses" or (place == "run" and "query_id" not in parts and _are_of_searches(table)):
        return Settled(answer, replace(table, name="responses"))
    if not {*PAIR} <= parts.keys():
        return None
    kind = role_of_columns(labels, parts)
    is_text = holds_text(labels) and not {*labels} >= _UMBRELA
    if not place and not columns and (is_text or (kind == "run" and not {"_id", "id"}.isdisjoint(labels))):
        return None
    role = "qrels" if columns and place != "run" else kind
    by = value_part(place or role, parts, columns)
    is_pair = len(labels) == len(PAIR) or columns.keys() == {*PAIR}
    is_whole = by or (place != "run" and is_pair)
    return Settled(What(role, "lines", labels), table, parts, by) if is_whole else None


def _are_of_searches(table: Table) -> bool:
    """True for an object that has the documents of several searches in lists, as Chroma answers."""
    cells = table.cells("ids")
    return len(table.head) == len(cells) == 1 and isinstance(cells[0], list) and are_documents(cells[0])


def _of_key(table: Table, place: str, columns: ByPart, *, texts: bool = False) -> Settled | None:
    """Settle an object whose keys are queries, with their documents in lists, or by numbers.

    texts : whether some groups may be of another kind, or hold texts: the reader then says what is wrong
    """
    groups, named = [row.cells.get(VALUE) for row in table.head], _role_named(table)
    if groups and all(map(_is_of_one, groups)):  # the document of each query
        if not place:
            return None
        table, groups = _of_ones(table), [[one] for one in groups]
    n_like_first = sum(type(group) is type(groups[0]) for group in groups)
    may_differ = texts and isinstance(groups[0], dict | list) and 2 * n_like_first >= len(groups)
    are_alike = n_like_first == len(groups) or may_differ
    if (table.name != KEY and not named) or not are_alike:
        return None
    objects = [one for one in groups if isinstance(one, dict)]
    if place == "qrels" and any(sum(isinstance(value, list | dict) for value in one.values()) > 1 for one in objects):
        return None  # of several lists, one may be a ranking
    are_empty = not any(groups) and len(objects) == len(groups)
    are_ids = bool(place) and are_numbered(groups)
    if not (are_empty or are_ids) and not are_documents(groups, numbers=True, texts=texts):
        return None
    are_records = any({*PAIR} <= labels_of(one).keys() for one in objects)
    if are_records or (not place and are_texts(groups)) or any(map(is_document, objects)):
        return None
    parts, inner = {"query_id": KEY, "doc_id": VALUE}, [documents_in(one) for one in groups]
    items = [one[0] for one in inner if isinstance(one, list) and one and isinstance(one[0], dict)]
    named_tables = [role for role in TABLES for row in table.head if plain_label(row.cells[KEY]) in TABLES[role]]
    if items and len({*named_tables}) > 1:
        return None  # tables of several roles
    if any(isinstance(item[label], list) and role_of_list(label) for item in items for label in item):
        return None  # queries, each with its own list
    numbers = [value for one in inner if isinstance(one, dict) for value in one.values()]
    if not numbers and any(groups):
        role = place or named or "run"
        lists = all(isinstance(one, list) for one in groups)
        of_ids = not any(isinstance(item, dict | list) for one in inner if isinstance(one, list) for item in one)
        why = f"it is an object of {'lists' if lists else 'hits by query'}"
        return Settled(What(role, "json", why, sure=not of_ids or bool(named)), table, parts)
    if any(isinstance(value, str | list | dict) for value in numbers):  # the reader reports the place
        what = What("", "json", "it is an object of objects of texts", sure=False)
    elif all(value is None or value % 1 == 0 for value in numbers):
        what = What("qrels", "json", "it is an object of objects of whole numbers", sure=False)
    else:
        what = What("run", "json", "it is an object of objects of numbers, some with a fraction", sure=False)
    return Settled(what, table, parts)


def _is_of_one(group: Any) -> bool:
    """True for an object whose keys name a document, but no query."""
    if not isinstance(group, dict):
        return False
    labels = labels_of(group)
    return "query_id" not in labels and "doc_id" in labels and isinstance(group[labels["doc_id"]], str)


def _of_ones(table: Table) -> Table:
    """Return the table of an object whose only documents stand in no lists, with lists of one."""

    def rows(found: Iterator[Row]) -> Iterator[Row]:
        for row in found:
            yield row._replace(cells={**row.cells, VALUE: [row.cells[VALUE]]} if VALUE in row.cells else row.cells)

    return table.changed(rows)


def _of_lists(table: Table, parts: ByPart, place: str, columns: ByPart) -> Settled | None:
    """Settle objects that list documents beside their query, under a name of such lists."""
    named = columns.get("doc_id")
    ids = ("id", "_id") if place or table.name else ()
    query = parts.get("query_id") or next((key for key in ids if key in table.labels), "")
    if not query or (columns and not named and "doc_id" in parts):
        return None
    excluded = {query} if columns else {query} | _of_other_role(table, place)
    among = [named] if named else [label for label in table.labels if label not in excluded]
    lists = {label: _role_listed(label, place) or ("run" if label in HITS else "") for label in among}
    lists |= {label: "qrels" for label in among if words_of(label) <= RELEVANT and _holds_lists(table, label)}
    lists = {label: of for label, of in lists.items() if of or label == named}
    lists = {label: of for label, of in lists.items() if _may_list(table, label, named=bool(of))}
    label = _list_for(place, lists)
    if not label and place and not named:
        return _of_texts(table, query, place)
    if not label:
        return None
    documents: Any = next(filter(None, map(documents_in, table.cells(label))), None)
    found = listed(documents[0], "run") if isinstance(documents, list) else None
    is_of_trace = found and found.cells and "query_id" not in parts and not columns
    if is_of_trace and _have_queries(table):
        return None  # its own id is that of no query
    value = found and found.value
    are_graded = not place and value is None and documents is not None and _have_grades(documents)
    role = "qrels" if are_graded else place or lists[label]
    if value is not None:
        role = lists[label] or "run"
    what = What(role, "json" if table.name else "lines", [*table.labels], sure=not are_graded)
    settled = Settled(what, table, {**parts, "query_id": query, "doc_id": label})
    return settled if found and found.by else _with_grade(settled, parts)


def _may_list(table: Table, label: str, *, named: bool) -> bool:
    """True if the cells under a label list documents, perhaps in texts where its name says so."""
    cells = table.cells(label)
    says_ids = named and bool(cells) and plain_label(label).endswith("s") and not words_of(label).isdisjoint(IDS)
    are_ids = says_ids and all(isinstance(cell, str) and not is_prose(cell) for cell in cells)
    return are_ids or are_documents(cells, numbers=named)


def _role_listed(label: str, place: str) -> str:
    """Return the role of lists under a label; names of ids alone, such as doc_ids, have that of their place."""
    is_of_ids = plain_label(label).endswith("s") and words_of(label) <= IDS
    return role_of_list(label) or (place if is_of_ids else "")


def _holds_lists(table: Table, label: str) -> bool:
    return all(isinstance(cell, list) for cell in table.cells(label))


def _have_queries(table: Table) -> bool:
    """True if objects in those of a table name a query by its text."""
    inner = (cell for label in table.labels for cell in table.cells(label) if isinstance(cell, dict))
    return any(isinstance(one.get(labels_of(one).get("query_id")), str) for one in inner)


def _of_other_role(table: Table, place: str) -> set[str]:
    """Return the labels of relevant documents beside a ranking, in the place of a run, and the other way round."""
    relevant = {label for label in table.labels if means_relevant(label)}
    if place == "run":
        others = [label for label in table.labels if label not in relevant and not is_negative(label)]
        are_lists = any(isinstance(cell, list) for other in others for cell in table.cells(other))
        is_ranked = are_lists or "run" in map(role_of_list, others)
        return relevant if is_ranked else set()
    if place != "qrels":
        return set()
    are_ids = any(isinstance(cell, str) for one in relevant if not table.words(one) for cell in table.cells(one))
    return {label for label in table.labels if are_ids and label not in relevant and role_of_list(label) == "run"}


def _have_grades(documents: Sequence[Any]) -> bool:
    """True for objects of an id and a whole number as grade, and no more."""
    found = [listed(one, "qrels") for one in documents if isinstance(one, dict) and len(one) == len(PAIR)]
    values = [one.value for one in found if one and one.by == "relevance"]
    return len(values) == len(documents) and {*map(type, values)} == {int}


def _of_texts(table: Table, query: str, place: str) -> Settled | None:
    """Settle lists of the texts of documents, under a name of such lists; None if none or several are."""
    found = {}
    for label in table.labels:
        is_relevant = means_relevant(label) or plain_label(label) in CONTEXTS
        fits = is_relevant if place == "qrels" else role_of_list(label) == "run"
        items = next((cell for cell in table.cells(label) if fits and isinstance(cell, list)), None) or [""]
        text = parts_of([*items[0]]).get("text", "") if isinstance(items[0], dict) else ""
        if is_prose(items[0][text] if text else items[0]):
            found[label] = f"{label}.{text}" if text else label
    if len(found) != 1:
        return None
    [(label, path)] = found.items()
    rows, parts = flat(table, {"query_id": query, "doc_id": path})
    return Settled(What(place, "json", f"it has texts under {label}"), rows, parts)


def _list_for(role: str, lists: Mapping[str, str]) -> str:
    """Choose the label of the lists of a role, or of any; "" if none or several fit."""
    named = [label for label, of in lists.items() if of in ("", role or of)]
    return named[0] if len(named) == 1 else ""


def _of_lines(source: Source, place: str, columns: ByPart) -> Settled:
    if table := letor.table_of(source):
        is_run = place == "run" and "relevance" in table.fractions
        role, by = ("run", "score") if is_run else ("qrels", "relevance")
        what = What(role, "letor", f"its lines begin with a {'score' if is_run else 'grade'} and qid:")
        return Settled(what, table, {"query_id": "query_id", "doc_id": "doc_id", by: "relevance"}, by)
    table = _with_joined(_delimited(source), columns)
    between = table.between
    is_prose = between is None and len(table.labels) > MOST_LABELS
    if not is_prose and (settled := _of_header(table, place, columns)):
        return settled
    if not table.labels and columns:  # its header is misquoted
        return Settled(What(), table)
    lines = data_lines(source)
    is_of_run = place == "run" and bool(lines) and lines[0].split()[1:2] == ["Q0"]
    if not lines or (not is_of_run and _names_other_columns(table, lines)):
        return Settled(What(), table)
    return of_bare_rows(source, lines, separator_of(lines), place) or Settled(What(), table)


def _delimited(source: Source) -> Table:
    """Return the table of a file whose lines have cells."""
    lines = [line.rstrip("\r") for line in islice(source.lines, LOOKED_AT)]
    return headed(source, separator_of(lines) if lines else None)


def _of_header(table: Table, place: str, columns: ByPart) -> Settled | None:
    """Settle a table whose header names the query and the document, or lists of documents."""
    labels, parts = [*table.labels], known_parts(table, columns)
    if {*PAIR} <= parts.keys():
        names = f"its header names {', '.join(parts)}"
        if not columns and (use := of_use(labels, "table", names)):
            return Settled(use, table, parts)
        role = place or "qrels" if columns else role_of_columns(labels, parts)
        by = value_part(place or role, parts, columns)
        what = What(role, "table", names, sure=bool(role) or len(labels) != len(PAIR))
        return Settled(what, table, parts, by)
    excluded = {parts.get("query_id")} | (set() if columns else _of_other_role(table, place))
    free = [label for label in labels if label not in excluded and (place or not _are_prose(table, label))]
    lists = {label: of for label in free if (of := _role_listed(label, place))}
    in_marks = [label for label in free if table.ids(label) and all(map(in_brackets, table.cells(label)))]
    texts = [label for label in in_marks if means_relevant(label) and words_of(label) & CONTEXTS]
    lists |= dict.fromkeys(texts, "qrels")
    marked = {label: lists[label] for label in in_marks if label in lists}
    query, label = parts.get("query_id"), _list_for(place, marked or lists)
    if not query or not label:
        return None
    role, pair = place or lists[label], {"query_id": query, "doc_id": label}
    by = value_part(role, parts, columns)
    has_values = by and (parts[by] in table.numbers or table.words(parts[by]))
    if has_values and not table.lists(label):  # a document in each row, under a name of lists
        return Settled(What(role, "table", f"its header names {query}, {label}, {by}"), table, {**parts, **pair}, by)
    return _with_grade(of_listing(table, pair, role), parts)


def _with_grade(settled: Settled, parts: ByPart) -> Settled:
    """Settle the grade that stands beside lists of judged documents, which is that of each; parts: those by name."""
    label, table = parts.get("relevance", ""), settled.sure_table
    if settled.what.role != "qrels" or label not in table.numbers or label in table.fractions:
        return settled
    return settled._replace(parts={**settled.parts, "relevance": label}, by="relevance")


def _are_prose(table: Table, label: str) -> bool:
    """True if most cells of a column are sentences, or words without digits and marks, which list no ids."""
    cells = table.cells(label)
    sentences = [cell for cell in cells if are_sentences([cell])]
    words = [cell for cell in cells if is_prose(cell) and _OF_LISTS.isdisjoint(cell)]
    return 2 * max(len(sentences), len(words)) > len(cells)


def _names_other_columns(table: Table, lines: Sequence[str]) -> bool:
    """True if the first line names the columns of a table, though not those of a run or judgments."""
    labels = [*table.labels]
    known = parts_of(labels).keys() if table.between is not None else ()
    are_names = table.between is not None and all(finite_number(label) is None for label in labels)
    are_of_rows = are_names and bool(labels_of(labels))
    if are_of_rows or ("id" in known and len(known) > 1) or {"title", "text"} <= {*known}:
        return True
    rows = rows_in(lines, table.between)[1:]
    fits = all(len(row) == len(labels) and not any(map(str.__eq__, row, labels)) for row in rows)
    if not rows or not fits or is_of_trec(lines[0]):
        return False
    if table.between is not None:
        return looks_like_header(labels, table.between)
    has_numbers = any(all(finite_number(cell) is not None for cell in cells) for cells in zip(*rows, strict=True))
    are_words = all(finite_number(label) is None for label in labels)
    return len(labels) > len(PAIR) and has_numbers and are_words and not _has_first_row(table)


def _has_first_row(table: Table) -> bool:
    """True if a label differs only in its numbers from a cell below it."""
    return is_of_kind(table.labels, ([str(row.cells.get(label)) for label in table.labels] for row in table.head))
