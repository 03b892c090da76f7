"""Roles of files: a run, judgments or another one of the lab; the column of each part. The one place that guesses."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import chain, islice
from typing import Any

from toysearch.base import cut
from toysearch.files.agreement import (
    Ids,
    ask_for_documents,
    ask_for_value,
    by_agreement,
    has_answers,
    kind_of,
    listing,
    numbered,
    of_ranks,
)
from toysearch.files.bare_rows import (
    by_places,
    columns_below,
    is_of_kind,
    likely_parts,
    looks_like_header,
    of_bare_rows,
    which_part,
)
from toysearch.files.claims import USES, Clues, What, of_use
from toysearch.files.columns import (
    ByPart,
    holds_text,
    is_document,
    is_negative,
    is_prose,
    labels_of,
    means_relevant,
    named_like,
    parts_inside,
    parts_of,
    places_of,
    plain_label,
    role_of_columns,
    words_of,
)
from toysearch.files.common_columns import (
    asked_beside,
    document_beside,
    ids_in_common,
    meet,
    pairs_in_head,
    query_beside,
    shared_ids,
)
from toysearch.files.file_role import PAIR, Settled, naming, of_listing
from toysearch.files.labels import ANSWERS, CONTEXTS, HITS, IDS, LISTS, TABLES
from toysearch.files.listed_documents import (
    VALUES,
    are_documents,
    are_sentences,
    are_texts,
    documents_in,
    id_in,
    in_brackets,
    is_number,
    items_in_brackets,
    listed,
    role_of_list,
    splitter_of,
)
from toysearch.files.nested_hits import Found, Paths, flat, found_in, paths_in, shared_paths
from toysearch.files.numbers import falls, finite_number, has_digit
from toysearch.files.problems import reader
from toysearch.files.record_tables import record_table
from toysearch.files.sheets import ROWS_FIRST, sheet_for
from toysearch.files.source import AnyPath, Source, source_of
from toysearch.files.syntaxes import letor, trec, word_counts
from toysearch.files.syntaxes.delimited import headed, is_of_trec, rows_in, separator_of
from toysearch.files.syntaxes.json_tables import BEGINS, tables, tables_if_any
from toysearch.files.syntaxes.trec import LOOKED_AT, columns_of_line, data_lines
from toysearch.files.table import FEW, KEY, MANY, VALUE, Row, Table
from toysearch.files.value_columns import MOST_CODES, MOST_LABELS, known_parts, value_part

BINARY = What(shown_by="it has zero bytes, as no text has")
_AT_COLON = re.compile(r"[^\s:]+\s*:\s*[^\s:]+")
_BEGINNING = 64  # bytes
_MOST_WORDS = 3  # in the name of a column of ids or lists
_OF_LISTS = frozenset("0123456789|;,[")  # signs in the text of a list of ids
_UMBRELA = {"passage", "judgment"}  # which names a passage by its text, unless there is an id too


@reader
def settle(path: AnyPath, place: str = "", columns: ByPart | None = None) -> Settled:
    """Settle what a file is.

    place : the role in whose place it is given, run or qrels; "" if it may be either
    columns : part → the column or key that the user names
    """
    source, columns = source_of(path), columns or {}
    known, call = source.known, (place, *columns.items(), *source.beside)
    if call not in known:
        source = sheet_for(source, (place,) if place else ROWS_FIRST, columns)
        settled = settle_source(source, place, columns)
        if place and settled.table is not None:
            found = of_ranks(settled) if place == "run" else None
            is_open = not found and not settled.ask and "query_id" not in columns and settled.has_pair
            if is_open and len(settled.table.labels) > len(PAIR) + bool(settled.by):
                asked = (asked_beside(settled, other, place) for other in _tables_beside(source, place))
                found = next(filter(None, asked), None)
            settled = found or settled
        known[call] = settled
    return known[call]  # type: ignore[no-any-return]


def settle_source(source: Source, place: str, columns: ByPart) -> Settled:
    """Settle what a file is, or the sheet of a workbook; its parameters are those of `settle`."""
    settled = _by_itself(source, place, columns)._replace(source=source)
    if not place or settled.what.role in USES:
        return settled
    others = cache(partial(ids_in, source.beside, place))  # whose files are read once, if at all
    named = columns
    if not columns and settled.table is not None:
        query = query_beside(settled, _perhaps_unnamed(settled, place))
        if query not in ("", settled.parts.get("query_id")):
            named = {"query_id": query}
        elif doc := document_beside(settled, _tables_beside(source, place)):
            named = columns if doc in _of_other_role(settled.table, place) else {"doc_id": doc}
    if named is not columns:
        settled = _by_itself(source, place, named)
        settled = settled._replace(source=source, shown_by=f"by the ids of {source.others}")
    if settled.whole and source.beside:
        of_ids = _of_header(settled.whole, place, named, others().documents)
        settled = settled if of_ids is None else of_ids._replace(source=source, shown_by=settled.shown_by)
    if named is not columns and "query_id" in named:
        return settled
    is_json = BEGINS.match(source.text) is not None
    inner = _flat_rows(tables(source)) if is_json and not named else None
    if inner and settled.what.form != "lines" and not (settled.what.role and meets(settled, others())):
        settled = Settled(What(), inner, source=source)
    elif is_json and settled.table and (nested := _of_paths(settled, place, named, others)):
        is_other = not others().documents and _has_other_values(nested, place)
        return settled if is_other else nested._replace(source=source)
    if named or not source.beside or not source.lines:
        return settled
    if settled.table is None and trec.certain_rows(source):
        return settled
    if place == "run" and _begins_with_trec(source):
        return settled
    is_known = settled.has_pair and settled.sure_table.form != "rows"
    is_whole = not is_known or settled.by or settled.is_pair or settled.what.form != "table"
    others_named = settled.sure_table.without(settled.parts.values()) if is_known else ()
    is_open = settled.ask or any(named_like(label) == "ids" for label in others_named)
    if settled.what.form == "letor" or (is_known and is_whole and not is_open):
        return settled
    ids = others() if settled.table is None else ids_for(settled.table, source, place, others())
    if settled.what.form == "pairs" and settled.sure_table.form == "rows" and _begins_with_names(settled, ids):
        named_by = headed(source, settled.sure_table.between)
        return settled._replace(table=named_by, parts=dict(zip(PAIR, named_by.labels, strict=True)), ask="")
    if place == "qrels" and (keyed := _of_one_each(source, ids)):
        return keyed
    if place == "run" and ids.queries and (in_order := _in_order(source, settled, ids)):
        return in_order
    if not ids.queries or not ids.documents or (not settled.ask and is_whole and _fits(source, settled, ids)):
        return settled
    ids = ids._replace(documents=_pieces(settled, ids.documents)) if settled.what.form == "pairs" else ids
    found = by_agreement(source, place, settled, ids)
    if found is None or (found.ask and settled.ask) or (not others().queries and _has_other_values(found, place)):
        return settled
    return found._replace(source=source, shown_by=f"by the ids of {source.others}")


def _pieces(settled: Settled, documents: frozenset[str]) -> frozenset[str]:
    """Return the ids that another file lists in its cells, if none of these stands in some pairs; all have digits."""
    split = splitter_of([*documents])
    pieces = frozenset(piece for cell in documents for piece in split(cell)) if split else documents
    cells = settled.sure_table.cells(settled.parts["doc_id"])
    return pieces if all(map(has_digit, pieces)) and documents.isdisjoint(cells) else documents


def _perhaps_unnamed(settled: Settled, place: str) -> Iterator[Settled | None]:
    """Yield the other files, but those that name all their columns beside one that does; None for a collection."""
    free = settled.sure_table.without(settled.parts.values())
    for other in settled.source.beside:
        if other.ids and free:
            yield None
        elif not other.ids and (free or not other.first_lines or len(places_of(other.labels)) != len(other.labels)):
            yield _beside(other, place)


def _sets_of_judgments(table: Table, parts: ByPart) -> list[str]:
    """Return the names of sets of judgments, of which two judge the same query; [] if none do."""
    labels = [parts.get("tag", ""), parts["query_id"]]
    pairs = dict.fromkeys(tuple(str(row.get(label)) for label in labels) for row in table.readable)
    has_several = len({query_id for _, query_id in pairs}) < len(pairs)
    return [*dict.fromkeys(name for name, _ in pairs)] if has_several else []


def _begins_with_trec(source: Source) -> bool:
    """True if the first line has the six columns of a run of TREC; the reader reports what is wrong below it."""
    return any(columns_of_line(line)[1:2] == ["Q0"] and is_of_trec(line) for line in data_lines(source)[:1])


def _has_other_values(settled: Settled, place: str) -> bool:
    """True for grades by their name in the place of a run, or more fractions than grades have in that of judgments."""
    label = settled.parts.get(settled.by, "")
    if place == "run":
        is_predicted = plain_label(label) == "rating"  # as recommenders call it
        return settled.what.form == "table" and "relevance" in places_of([label]) and not is_predicted
    numbers = settled.sure_table.numbers.get(label, ())
    return len({number for number in numbers if number % 1}) > MOST_CODES


def _begins_with_names(settled: Settled, ids: Ids) -> bool:
    """True if the first of some pairs, unlike others, has no known query and a document of another kind."""
    kinds = {*map(kind_of, ids.documents)}
    pairs = [(query in ids.queries, kind_of(doc) in kinds) for query, [doc] in pairs_in_head(settled)]
    return pairs[:1] == [(False, False)] and (True, True) in pairs


def _of_one_each(source: Source, ids: Ids) -> Settled | None:
    """Settle an object of the one document of each query, all of which are in the other files."""
    what = What("qrels", "json", "it is an object of a document by query", sure=False)
    for table in tables_if_any(source):
        if table.name == KEY and ids.documents.issuperset(table.ids(VALUE)):
            parts, shown_by = {"query_id": KEY, "doc_id": VALUE}, f"by the ids of {source.others}"
            return Settled(what, listing(table, [VALUE]), parts, shown_by=shown_by, source=source)
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


def ids_for(table: Table, source: Source, place: str, ids: Ids) -> Ids:
    """Return the ids of the other files of a table; of those whose own parts are open, what it has in common."""
    if ids.queries or _of_collection(source):
        return with_texts(ids, table)
    if table.form not in ("table", "lines"):
        return ids
    common = ids_in_common(table, _rows_beside(source))
    tables = (other.sure_table for other in _tables_beside(source, place))
    return common if common.queries else shared_ids(table, tables, place)


def _rows_beside(source: Source) -> Iterator[Table]:
    """Yield the objects or the rows of the other files, whatever they are."""
    return (table for other in source.beside for table in tables_if_any(other)[:1] or [_delimited(other)])


def with_texts(ids: Ids, table: Table) -> Ids:
    """Return ids with the texts of queries that a table alone has: of a column named so, else of the first of prose."""
    if ids.queries or not ids.documents:
        return ids
    query = known_parts(table).get("query_id", "")
    prose = (label for label in table.labels if table.cells(label) and all(map(is_prose, table.cells(label))))
    texts = [*map(str, table.cells(query or next(prose, "")))]
    first = [str(cell) for row in table.head[:1] for cell in row.cells.values()]
    is_header = table.form == "rows" and {*map(kind_of, ids.documents)}.isdisjoint(map(kind_of, first))
    return ids._replace(queries=frozenset(texts[is_header:]))


def _in_order(source: Source, settled: Settled, ids: Ids) -> Settled | None:
    """Settle the order of columns without names, as in the other files, by that of the rows; None if that is open."""
    rows = _bare_cells(source)
    if not all(map(_is_nameless, source.beside)):
        return None
    if ids.queries.isdisjoint(row[0] for row in rows):
        return settled if columns_below(rows, 0) else None
    if not (values := columns_below(rows, 1)):
        return None
    ways = [
        f"{naming('run', f'{columns},{values}')} {naming('qrels', f'{columns},grade=3')}"
        for columns in ("query=2,doc=1", "query=1,doc=2")
    ]
    ask = f"no column is named, and the second may hold the queries; say which: {', or '.join(ways)}"
    return settled._replace(what=What("run", "rows", sure=False), ask=ask)


def _of_collection(source: Source) -> bool:
    """True for judgments that are given to a collection, all of whose ids are known; no names are as sure as theirs."""
    return any(other.ids for other in source.beside)


def _bare_cells(source: Source) -> list[list[str]]:
    lines = data_lines(source)
    return [*filter(None, rows_in(lines, separator_of(lines)))] if lines else []


def _is_nameless(source: Source) -> bool:
    """True for rows of three cells without a header."""
    return _by_itself(source, "", {}).what.form == "three"


def _of_paths(settled: Settled, place: str, named: ByPart, others: Callable[[], Ids]) -> Settled | None:
    """Settle nested objects by the paths on which they have ids; None if their keys fit, or no paths do.

    others : returns the ids of the other files
    """
    source, known = settled.source, settled.sure_table
    has_pair = settled.has_pair
    if named and has_pair and {*named.values()} <= {*known.labels}:
        values = [cell for part in VALUES[place] for cell in known.cells(named.get(part, ""))]
        if not any(isinstance(cell, list) for cell in values):
            return None
    documents = known.cells(settled.parts["doc_id"]) if has_pair else []
    if _of_collection(source) and has_pair and (settled.by or any(isinstance(cell, dict) for cell in documents)):
        return None
    ids = others()
    fits = not named and has_pair and meets(settled, ids)
    if fits and (settled.by or not _has_values_beside(settled, place)):
        return None
    shown_by = f"by the ids of {source.others}" if source.beside else ""
    ids = ids if ids.documents else ids_in_common(tables(source)[0], _rows_beside(source))
    for table in tables(source)[: None if named else 1]:
        table = _with_joined(table, named)
        found = found_in(table, ids.queries, ids.documents)
        if not ids.documents:
            found.shared = shared_paths(found, (one for other in source.beside for one in tables_if_any(other)[:1]))
        if paths := paths_in(found, place, named):
            return _on_paths(table, place, paths, found)._replace(shown_by=shown_by)
    return _of_other_ids(known, place, source.others) if source.beside and not named and not has_pair else None


def _of_other_ids(table: Table, place: str, others: str) -> Settled | None:
    """Ask about nested objects whose ids are none of the other files; None if their names tell no ids."""
    found = found_in(table)
    paths = paths_in(found, place, {})
    if not paths or paths.documents:
        return None
    query, doc = paths.parts["query_id"], paths.parts["doc_id"]
    such = f"queries such as '{found.cells[query][0]}' and documents such as '{found.cells[doc][0]}'"
    ask = f"it seems to have {such}, which {others} does not have; to read it so: "
    settled = _on_paths(table, place, paths, found)
    return settled._replace(ask=f"{ask}{naming(place, {'query': query, 'doc': doc})}")


def _has_values_beside(settled: Settled, place: str) -> bool:
    """True if a list of scores, ranks, distances or grades stands beside that of the documents, or other ones in it.

    place : the role, whose values these are
    """
    found, doc = found_in(settled.sure_table), settled.parts["doc_id"]
    paths = [path for path in found.cells if f"{path}.".startswith(f"{doc}.")]
    lists = [found.valued(path, place) for path in paths if path in found.lists]
    if place == "qrels":
        return found.has_flags or any("relevance" in valued for valued in lists) or any(map(found.several, paths))
    return any(lists) or any(map(found.other_scores, paths))


def _on_paths(table: Table, place: str, paths: Paths, found: Found) -> Settled:
    """Settle a table on the paths of its parts, or ask which of several they are."""
    what = What(place, "lines", f"it has documents under {paths.parts['doc_id']}", sure=False)
    rows, parts = flat(table, paths.parts)
    ask, each = "", naming(place, {part: paths.parts[part] for part in PAIR})
    if paths.several:
        several = f"a document has several numbers under {paths.several}, and its grade is one number"
        ask = f"{several}; write one for each document; or, if each is relevant: {each}"
    elif paths.documents:
        ask = ask_for_documents(place, [{"doc": path} for path in paths.documents])
    elif place == "qrels" and (systems := _sets_of_judgments(rows, parts)):
        ask = f"it holds several sets of judgments ({cut(', '.join(systems), 100)}); write one file for each"
    elif paths.is_open and (paths.values or place == "run" or not has_answers(table, paths.parts)):
        ask = f"its documents are under {parts['doc_id']}, without scores or grades; add them"
        if paths.values:
            valued, _ = flat(table, {**paths.parts, **{path: path for path in paths.values}})
            ask = ask_for_value(valued, parts, place, paths.values[:FEW])
        if place == "qrels" and not found.has_flags:
            ask += f"; or, if each is relevant: {each}"
    return Settled(what, rows, parts, paths.by, ask)


def meets(settled: Settled, ids: Ids) -> bool:
    """True if a query and a document are among the ids of the other files, or if there are none."""
    pairs = [*pairs_in_head(settled)]
    has_query = not ids.queries or any(query_id in ids.queries for query_id, _ in pairs)
    return has_query and (not ids.documents or any(not ids.documents.isdisjoint(found) for _, found in pairs))


def _fits(source: Source, settled: Settled, ids: Ids) -> bool:
    """True if the columns of a file without names have ids of the other files, and all its lines are alike."""
    widths = {len(columns_of_line(line)) for line in data_lines(source)}
    is_even = settled.table is not None or len(widths) == 1
    return is_even and meets(settled, ids)


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


def _flat_rows(found: Sequence[Table]) -> Table | None:
    """Return the table of objects with the same keys, of which none holds a list or an object; None without one.

    They stand on lines, in a list, or in the only list of an object that has nothing else but numbers and texts.
    """
    objects = [table for table in found if KEY not in table.labels and "[]" not in table.name]
    inner = objects if len(found) == 1 else [table for table in objects if table.name and len(table.head) > 1]
    around = [table for table in objects if table not in inner]
    nested = [[cell for row in table.head for cell in row.cells.values() if _is_nested(cell)] for table in objects]
    is_alone = len(inner) == 1 and all(inner[0].name.startswith(table.name) for table in around)
    is_even = is_alone and len({frozenset(row.cells) for row in inner[0].head}) == 1
    return inner[0] if is_even and inner[0].labels and [*map(len, nested)] == [1] * len(around) + [0] else None


def _is_nested(cell: object) -> bool:
    return isinstance(cell, dict | list)


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
        table, groups = listing(table, [VALUE]), [[one] for one in groups]
    if (table.name != KEY and not named) or (not texts and len({*map(type, groups)}) > 1):
        return None
    objects = [one for one in groups if isinstance(one, dict)]
    if place == "qrels" and any(sum(isinstance(value, list | dict) for value in one.values()) > 1 for one in objects):
        return None  # of several lists, one may be a ranking
    are_empty = not any(groups) and len(objects) == len(groups)
    if not are_empty and not are_documents(groups, numbers=True, texts=texts):
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
    if place == "run" and not columns and (of_numbers := _of_numbers(table, inner)):
        return of_numbers
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


def _of_numbers(table: Table, groups: Sequence[Any]) -> Settled | None:
    """Settle objects of numbers that count or rise from each document to the next; None if they are scores."""
    if not all(isinstance(group, dict) and all(map(is_number, group.values())) for group in groups):
        return None
    rows = [[("", doc_id, str(number)) for doc_id, number in group.items()] for group in groups]
    if falls(group.values() for group in groups) or max(map(len, rows)) < MANY:
        return None
    fitting = likely_parts(rows)
    if fitting == ["score"]:
        return None
    query, doc, number = KEY, f"{VALUE}.{KEY}", f"{VALUE}.{VALUE}"
    flattened, parts = flat(table, {"query_id": query, "doc_id": doc, fitting[0]: number})
    ask = f"its numbers may be {which_part(fitting, f'query={query},doc={doc},{{}}={number}')}"
    what = What("run", "json", f"its numbers may be {fitting[0]}s", sure=False)
    return Settled(what, flattened, parts, fitting[0], ask if len(fitting) > 1 else "", "by their order")


def _of_lists(table: Table, parts: ByPart, place: str, columns: ByPart) -> Settled | None:
    """Settle objects that list documents beside their query."""
    among = [parts["doc_id"]] if columns.keys() & parts.keys() >= {"doc_id"} else table.labels
    ids = ("id", "_id") if place or table.name else ()
    query = parts.get("query_id") or next((key for key in ids if key in table.labels), "")
    excluded = {query} if columns else {query} | _of_other_role(table, place)
    if place == "qrels" and any(map(is_number, table.cells(parts.get("relevance", "")))):
        excluded |= {label for label in among if words_of(label).isdisjoint(IDS) and not role_of_list(label)}
    lists = {
        label: of
        for label in among
        if label not in excluded and are_documents(table.cells(label), numbers=bool(of := role_of_list(label)))
    }
    label = _list_for(place, lists)
    if query and label and place != "run" and not lists[label] and (doc := _named_relevant(table, among)):
        by = value_part("qrels", parts, columns)
        return Settled(What("qrels", "lines", [doc]), table, {**parts, "query_id": query, "doc_id": doc}, by)
    others = source_of(table.source).beside
    if query and not label and place:
        return _of_texts(table, query, place, others)
    if not query or not label or (is_negative(label) and label not in columns.values()):
        return None
    documents: Any = next(filter(None, map(documents_in, table.cells(label))))
    found = listed(documents[0], "run") if isinstance(documents, list) else None
    is_of_trace = found and found.cells and "query_id" not in parts and not columns
    if is_of_trace and _have_queries(table):
        return None  # its own id is that of no query
    value = found and found.value
    are_graded = not place and value is None and _have_grades(documents)
    role = "qrels" if are_graded else place or lists[label]
    if value is not None:
        role = lists[label] or "run"
    what = What(role, "json" if table.name else "lines", [*table.labels], sure=not are_graded)
    settled = Settled(what, table, {**parts, "query_id": query, "doc_id": label})
    return settled if found and found.by else _with_grade(settled, parts)


def _have_queries(table: Table) -> bool:
    """True if objects in those of a table name a query by its text."""
    inner = (cell for label in table.labels for cell in table.cells(label) if isinstance(cell, dict))
    return any(isinstance(one.get(labels_of(one).get("query_id")), str) for one in inner)


def _named_relevant(table: Table, labels: Sequence[str]) -> str:
    """Return the only key named like relevant documents that holds an id, no list and no text; "" without one."""
    cells = {label: table.cells(label) for label in labels if role_of_list(label) == "qrels"}
    ids = [label for label in cells if all(map(id_in, cells[label])) and not any(map(is_prose, cells[label]))]
    return ids[0] if len(ids) == 1 else ""


def _of_other_role(table: Table, place: str) -> set[str]:
    """Return the labels of relevant documents beside a ranking, in the place of a run, and the other way round."""
    relevant = {label for label in table.labels if means_relevant(label)}
    if place == "run":
        others = [label for label in table.labels if label not in relevant and not is_negative(label)]
        are_lists = any(isinstance(cell, list) for other in others for cell in table.cells(other))
        is_ranked = are_lists or "run" in map(role_of_list, others) or numbered(others)
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


def _of_texts(table: Table, query: str, place: str, others: Sequence[Source]) -> Settled | None:
    """Settle lists of the texts of documents, which are in a collection or in other lists; None if none or several are.

    others : the other files
    """
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
    if place == "run" or not all(other.ids for other in others):
        inside = _rows_beside(source_of(table.source))
        beside = [_texts_in(one, key) for one in inside for key in one.labels if key != label]
        if _texts_in(table, label).isdisjoint(chain.from_iterable(beside)):
            return None
    rows, parts = flat(table, {"query_id": query, "doc_id": path})
    return Settled(What(place, "lines", f"it has texts under {label}"), rows, parts)


def _texts_in(table: Table, label: str) -> set[str]:
    """Return the texts in the lists under a label."""
    cells = (items_in_brackets(cell) if in_brackets(cell) else cell for cell in table.cells(label))
    return {text for cell in cells if isinstance(cell, list) for text in cell if isinstance(text, str)}


def _list_for(role: str, lists: Mapping[str, str]) -> str:
    """Choose the label of the lists of a role, or of any; "" if none or several fit."""
    named = [label for label, of in lists.items() if of == (role or of) and of]
    free = [label for label, of in lists.items() if not of] if role else []
    hits = [label for label in HITS if label in lists]
    some = (named,) if named else (free, hits[:1], [*lists])  # of two rankings none is the right one
    return next((labels[0] for labels in some if len(labels) == 1), "")


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
    if not lines or _names_other_columns(table, lines):
        return Settled(What(), table)
    at_colons = place == "qrels" and all(map(_AT_COLON.fullmatch, lines))  # a query and its document
    return of_bare_rows(source, lines, ":" if at_colons else separator_of(lines), place) or Settled(What(), table)


def _delimited(source: Source) -> Table:
    """Return the table of a file whose lines have cells."""
    lines = [line.rstrip("\r") for line in islice(source.lines, LOOKED_AT)]
    return headed(source, separator_of(lines) if lines else None)


def _of_header(table: Table, place: str, columns: ByPart, ids: Collection[str] = ()) -> Settled | None:
    """Settle a table whose header names the query and the document; ids: those of documents that are known."""
    labels, parts = [*table.labels], known_parts(table, columns)
    shown_by = ""
    if place == "run" and not columns and (left := _left_for_documents(table, parts)):
        parts["doc_id"], shown_by = left, f"by the ids of {source_of(table.source).others}"
    if {*PAIR} <= parts.keys():
        names = f"its header names {', '.join(parts)}"
        if not columns and (use := of_use(labels, "table", names)):
            return Settled(use, table, parts)
        role = place or "qrels" if columns else role_of_columns(labels, parts)
        by = value_part(place or role, parts, columns)
        label = parts["doc_id"]
        is_named = "doc_id" in columns and table.lists(label, ids)
        if not by and (is_named or any(map(in_brackets, table.cells(label)))):
            return of_listing(table, {**parts}, place, ids)
        what = What(role, "table", names, sure=bool(role) or len(labels) != len(PAIR))
        return Settled(what, table, parts, by, shown_by=shown_by)
    alone = len(labels) == len(PAIR) and table.between is not None and _may_be_names(table)
    excluded = {parts.get("query_id")} | (set() if columns else _of_other_role(table, place))
    free = [label for label in labels if label not in excluded and (place or not _are_prose(table, label))]
    lists = {label: role_of_list(label) for label in free}
    second = plain_label(labels[1]) if alone and labels[1] in lists else ""
    if second.removesuffix("s") in LISTS or (second.endswith("ids") and table.lists(labels[1], ids)):
        lists[labels[1]] = lists[labels[1]] or "run"
    lists = {label: of for label, of in lists.items() if of}
    bracketed = [label for label in free if table.ids(label) and all(map(in_brackets, table.cells(label)))]
    lists |= {label: "qrels" for label in bracketed if means_relevant(label) and words_of(label) & CONTEXTS}
    in_marks = {label: lists[label] for label in bracketed if label in lists}
    label = _list_for(place, in_marks or lists)
    places = numbered(free) if place == "run" and not label and "query_id" in parts and not columns else []
    cells = table.ids(*places)
    if cells and not any(is_prose(cell) or finite_number(cell) is not None for cell in cells):
        what = What(place, "lists", "its counted columns are the places of rankings", sure=False)
        pair = {"query_id": parts["query_id"], "doc_id": VALUE}
        return Settled(what, listing(table, places), pair, shown_by="counted in their names")
    query = parts.get("query_id") or (labels[0] if alone and label == labels[1] else "")
    if not query or not label:
        return None
    role, pair = place or lists[label], {"query_id": query, "doc_id": label}
    by = value_part(role, parts, columns)
    has_values = by and (parts[by] in table.numbers or table.words(parts[by]))
    if has_values and not table.lists(label, ids, between_marks=True):  # a document in each row, under a name of lists
        return Settled(What(role, "table", f"its header names {query}, {label}, {by}"), table, {**parts, **pair}, by)
    return _with_grade(of_listing(table, pair, role, ids), parts)


def _left_for_documents(table: Table, parts: ByPart) -> str:
    """Return the only column beside a query and its rank or score, if another file has its ids and queries; else ""."""
    free = table.without(parts.values())
    if len(free) != 1 or "query_id" not in parts or "doc_id" in parts or not value_part("run", parts):
        return ""
    for other in map(_delimited, source_of(table.source).beside):
        known = known_parts(other)
        values = {label for part, label in known.items() if part not in PAIR}
        documents = [known["doc_id"]] if "doc_id" in known else other.without(values)
        queries = [label for label in other.labels if meet(table.ids(parts["query_id"]), other.ids(label))]
        if queries and any(meet(table.ids(free[0]), other.ids(label)) for label in documents if [label] != queries):
            return free[0]
    return ""


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


def _may_be_names(table: Table) -> bool:
    """True if the labels of two columns are no sentence, and of another kind than the cells below them."""
    is_sentence = any(len(label.split()) > _MOST_WORDS for label in table.labels)
    return not is_sentence and 2 * len(table.readable) > len(table.head) and not _has_first_row(table)


def _has_first_row(table: Table) -> bool:
    """True if a label differs only in its numbers from a cell below it."""
    return is_of_kind(table.labels, ([str(row.cells.get(label)) for label in table.labels] for row in table.head))


def _names_other_columns(table: Table, lines: Sequence[str]) -> bool:
    """True if the first line names the columns of a table, though not those of a run or judgments."""
    labels = [*table.labels]
    known = parts_of(labels).keys() if table.between is not None else ()
    if ("id" in known and len(known) > 1) or {"title", "text"} <= {*known}:
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


def _beside(source: Source, place: str) -> Settled:
    """Settle another file by itself; of a workbook, rather the sheet of the other role."""
    known, call = source.known, (f"beside {place}", *source.beside)
    if call not in known:
        roles = ("qrels", "run") if place == "run" else ("run", "qrels")
        sheet = sheet_for(source, roles)
        settled = _by_itself(sheet, "", {})
        if place and settled.table is not None and not settled.has_pair:
            settled = _by_itself(sheet, roles[0], {})
        known[call] = settled._replace(source=sheet)
    return known[call]  # type: ignore[no-any-return]


def _tables_beside(source: Source, place: str) -> Iterator[Settled]:
    """Yield the other files that are tables."""
    others = (_beside(other, place) for other in source.beside if not other.ids)
    return (other for other in others if other.table is not None)


def ids_in(sources: Sequence[Source], place: str = "") -> Ids:
    """Return the ids of files that are settled by themselves; place: the role that another file has."""
    queries, documents = set[str](), set[str]()
    for source in sources:
        if source.ids:
            of_queries, of_documents = source.ids()
            queries.update(of_queries)
            documents.update(of_documents)
            continue
        settled = _beside(source, place)
        first, second = (queries, documents)
        if columns_below(_bare_cells(settled.source), 1):
            first, second = documents, queries
        for query_id, doc_ids in pairs_in_head(settled):
            first.add(query_id)
            second.update(doc_ids)
    return Ids(frozenset(queries), frozenset(documents))
