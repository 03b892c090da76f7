"""Roles of files: a run, judgments or another one of the lab; the column of each part. The one place that guesses."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import chain, islice
from types import MappingProxyType
from typing import Any, NamedTuple

from toysearch.base import Remedy, cut, groups_of
from toysearch.files.claims import USES, Clues, What, of_use
from toysearch.files.columns import (
    SHORT,
    Header,
    holds_text,
    is_document,
    likely_grades,
    named_like,
    parts_inside,
    parts_of,
    places_of,
    plain_label,
    words_of,
)
from toysearch.files.labels import GRADES, HITS, LISTS, PERHAPS_SCORES, PIECES, RELEVANT, SUMMARIES, TABLES
from toysearch.files.listed_documents import (
    VALUES,
    are_documents,
    are_sentences,
    are_texts,
    documents_in,
    id_in,
    in_brackets,
    listed,
    role_of_list,
    several_ids,
    splitter_of,
)
from toysearch.files.nested_fields import reached
from toysearch.files.nested_hits import Found, Paths, flat, found_in, paths_in
from toysearch.files.numbers import finite_number, finite_value
from toysearch.files.sheets import ROWS_FIRST, sheet_for
from toysearch.files.source import AnyPath, Source, source_of
from toysearch.files.syntaxes import letor, trec, word_counts, xml_tables
from toysearch.files.syntaxes.delimited import bare, cells_of, headed, is_of_trec, rows_in, separator_of
from toysearch.files.syntaxes.json_tables import BEGINS, is_object, tables
from toysearch.files.syntaxes.trec import LOOKED_AT, QRELS, RUN, columns_of_line, is_comment, score_of
from toysearch.files.table import KEY, VALUE, Row, Table, text_of

_ANSWERS = {"hits.hits": "_id", "response.docs": "id"}
"""Hits in the answer to one query (Elasticsearch, Solr) → the key of their documents."""
_UMBRELA = {"passage", "judgment"}  # which names a passage by its text, unless there is an id too
_PAIR = ("query_id", "doc_id")
_COUNTED = re.compile(r"(.*\D)[ _.-]?(\d+)")
_MANY = 5  # ranks that no scale of grades has in this order for each query
_FEW = 3  # lines
_LONG = 4  # words
_NUMBERS = {3: "three", 4: "four", 5: "five"}
_ORDINALS = {2: "third", 3: "fourth", 4: "fifth"}
_MOST_CODES, _LONGEST_CODE = 9, 20  # different words for grades, and their letters
_MOST_KEYS = 50  # of a record; an object with more keys has ids
_DIGITS, _WORDS = re.compile(r"\d+"), re.compile(r"[^\W\d_]+")
_FORMS: Mapping[str, Mapping[str, Sequence[str]]] = {
    "trec": {"run": RUN.columns, "qrels": QRELS.columns},
    "three": {"qrels": (*_PAIR, "relevance")},
}
"""Form without a header → the names of its columns."""


class Settled(NamedTuple):
    """Role of a file, and the columns of its parts."""

    what: What
    table: Table | None = None  # None if the file has lines of TREC or SMART, whose readers know the columns
    parts: Mapping[str, str] = MappingProxyType({})  # part → its label
    by: str = ""  # the part that holds the values; "" if the order of the rows counts, or each is relevant
    ask: str = ""  # what only the user can say
    shown_by: str = ""  # what shows its columns, if not their names
    source: Source = Source("")  # the file, or the sheet of its workbook

    @property
    def is_of_trec(self) -> bool:
        """True if the file has lines of TREC."""
        return self.table is None and self.what.form == "trec"

    @property
    def is_pair(self) -> bool:
        """True if a query and a document are all that a row has, but for a number that no label names."""
        return self.table is not None and sum(map(bool, self.table.labels)) == len(_PAIR)


def settle(path: AnyPath, place: str = "", columns: Mapping[str, str] | None = None) -> Settled:
    """Settle what a file is.

    place : the role in whose place it is given, run or qrels; "" if it may be either
    columns : part → the column or key that the user names
    """
    source = path if isinstance(path, Source) else source_of(path)
    source = sheet_for(source, (place,) if place else ROWS_FIRST, columns)
    settled = _by_itself(source, place, columns or {})._replace(source=source)
    others = cache(partial(ids_in, source.beside))  # whose files are read once, if at all
    if place and (nested := _of_paths(source, place, settled, columns or {}, others)):
        return nested._replace(source=source)
    if not place or columns or not source.beside or not source.lines or settled.what.role in USES:
        return settled
    if settled.table is None and trec.certain_rows(source):
        return settled
    is_known = {*_PAIR} <= settled.parts.keys() and settled.table is not None and settled.table.form != "rows"
    if (
        is_known and not settled.ask and (settled.by or settled.is_pair or settled.what.form != "table")
    ) or settled.what.form == "letor":
        return settled
    ids = others()
    if not ids.queries and settled.table is not None and settled.table.form == "table":
        ids = _shared_ids(settled.table, source.beside)
    if not ids.queries or not ids.documents or (not settled.ask and not is_known and _fits(source, settled, ids)):
        return settled
    found = _by_agreement(source, place, settled, ids)
    return settled if found is None or (found.ask and settled.ask) else found._replace(source=source)


def _of_paths(
    source: Source, place: str, settled: Settled, named: Mapping[str, str], others: Callable[[], _Ids]
) -> Settled | None:
    """Settle nested objects by the paths on which they have ids; None if their keys fit, or no paths do.

    others : returns the ids of the other files
    """
    known = settled.table
    if not BEGINS.match(source.text) or settled.what.role in USES or (known and known.labels and not known.head):
        return None
    if known and named and {*named.values()} <= {*known.labels} and {*_PAIR} <= settled.parts.keys():
        return None
    ids = others()
    fits = not named and {*_PAIR} <= settled.parts.keys() and _meets(source, settled, ids)
    if fits and (place == "run" or settled.by or not _has_flags(known)):
        return None
    shown_by = f"by the ids of {' and '.join(map(str, source.beside))}" if source.beside else ""
    for table in tables(source)[: None if named else 1]:
        found = found_in(table, ids.queries, ids.documents)
        if found.is_nested and (paths := paths_in(found, place, named)):
            return _on_paths(table, place, paths, found)._replace(shown_by=shown_by)
    if known and source.beside and not named and not {*_PAIR} <= settled.parts.keys():
        return _of_other_ids(known, place, " and ".join(map(str, source.beside)))
    return None


def _of_other_ids(table: Table, place: str, others: str) -> Settled | None:
    """Ask about nested objects whose ids are none of the other files; None if their names tell no ids."""
    found = found_in(table)
    paths = paths_in(found, place, {}) if found.is_nested else None
    if not paths or paths.documents:
        return None
    query, doc = paths.parts["query_id"], paths.parts["doc_id"]
    such = f"queries such as '{found.cells[query][0]}' and documents such as '{found.cells[doc][0]}'"
    ask = f"it seems to have {such}, which {others} does not have; to read it so: "
    settled = _on_paths(table, place, paths, found)
    return settled._replace(ask=f"{ask}{naming(place, f'query={query},doc={doc}')}")


def _has_flags(table: Table | None) -> bool:
    """True if documents in lists have a value that is true or false, which may be their grade."""
    found = found_in(table) if table else Found()
    return any(isinstance(cells[0], bool) and found.list_of(path) for path, cells in found.cells.items())


def _on_paths(table: Table, place: str, paths: Paths, found: Found) -> Settled:
    """Settle a table on the paths of its parts, or ask which of several they are."""
    what = What(place, "lines", f"it has documents under {paths.parts['doc_id']}", sure=False)
    rows, parts = flat(table, paths.parts)
    ask = ""
    if paths.documents:
        choices = [str(naming(place, f"doc={path}")) for path in paths.documents]
        ask = f"the ids of the documents are open; name them: {' or '.join(choices)}"
    elif place == "qrels" and "tag" in parts:
        systems = cut(", ".join(dict.fromkeys(map(str, rows.cells(parts["tag"])))), 100)
        ask = f"it holds several sets of judgments ({systems}); write one file for each"
    elif paths.is_open and paths.values and place == "run":
        ask = _which_value(rows, parts, place, paths.values)
    elif paths.is_open and paths.values:
        choices = [str(_named_grade(paths.parts, path, found.cells[path])) for path in paths.values[:_FEW]]
        ask = f"the grades are open; name them: {' or '.join(choices)}"
    elif paths.is_open:
        ask = f"its documents are under {parts['doc_id']}, without scores or grades; add them"
    return Settled(what, rows, parts, paths.by, ask)


def _named_grade(parts: Mapping[str, str], path: str, cells: Sequence[Any]) -> Remedy:
    """Return the remedy that names the grades of nested judgments, and what true and false stand for."""
    columns = f"query={parts['query_id']},doc={parts['doc_id']},grade={path}"
    return naming("qrels", columns, "true=1,false=0" if any(isinstance(cell, bool) for cell in cells) else "")


def _meets(source: Source, settled: Settled, ids: _Ids) -> bool:
    """True if a query and a document are among the ids of the other files, or if there are none."""
    pairs = [*pairs_in_head(source, settled)]
    has_query = not ids.queries or any(query_id in ids.queries for query_id, _ in pairs)
    return has_query and (not ids.documents or any(not ids.documents.isdisjoint(found) for _, found in pairs))


def _fits(source: Source, settled: Settled, ids: _Ids) -> bool:
    """True if the columns of a file without names have ids of the other files, and all its lines are alike."""
    widths = {len(columns_of_line(line)) for line in source.lines[:LOOKED_AT] if not is_comment(line)}
    is_even = settled.table is not None or len(widths) == 1
    return is_even and _meets(source, settled, ids)


def _by_itself(source: Source, place: str, named: Mapping[str, str]) -> Settled:
    """Settle a file by its own labels and cells."""
    if named and all(map(str.isdecimal, named.values())) and (by_place := _by_places(source, place, named)):
        return by_place
    if BEGINS.match(source.text):
        return _of_json(source, place, named)
    if not named and (certain := trec.certain_rows(source)):
        return Settled(certain)
    if not source.lines:
        return Settled(What("", "empty", "it is empty"))
    if source.head.startswith(b"\x93NUMPY"):
        return Settled(What("vectors", "npy", "it begins like an array of numpy"))
    if source.head[:1] in word_counts.BEGINS and word_counts.claims(source, Clues("")):
        return Settled(What())
    return _of_lines(source, place, named)


def record_table(source: Source, role: str, columns: Mapping[str, str] | None = None) -> Table | None:
    """Return the table of documents or queries in XML, or in the only object of a file; None for lines."""
    if source.head.lstrip().startswith(b"<"):
        return next(iter(xml_tables.tables(source, columns)), None)
    found = tables(source) if BEGINS.match(source.text) else []
    if not found or not is_object(source):
        return next((_in_pieces(table, label) for table in found if (label := _pieces_in(table, columns))), None)
    fitting = [table for table in found[1:] if _holds_texts(table, columns)]
    named = [table for table in fitting if {*TABLES[role]} & {*_name_of(table).split("_")}]
    own = parts_of([*found[0].labels], columns) if fitting else {}
    values = [found[0].head[0].cells.get(label) for label in own.values()]
    are_columns = all(isinstance(value, list) for value in values) and len(values) > 1
    lists = [
        table for table in fitting if table.name.isprintable() and KEY not in table.labels and "[]" not in table.name
    ]
    lists.sort(key=lambda table: -_n_letters(table))
    is_titled = "id" in own and not (lists and "text" in parts_of(lists[0].labels))
    is_envelope = bool(lists) and len(lists[0].head) > 1 and not is_titled and not holds_text(found[0].labels)
    if not own or are_columns or all(isinstance(value, dict) for value in values):
        pass  # an object of records, or of columns
    elif not is_envelope and ("text" in own or not named):
        return None
    keyed = [table for table in fitting if table.name in (KEY, VALUE)]
    is_frame = {"schema", "data"} <= {*found[0].labels}
    columnar = [table for table in fitting if table.name == "[]" and (len(table.labels) > 1 or is_frame)]
    framed = columnar if columnar and not are_columns else []
    for some in (framed, named, lists if len(lists) == 1 or not keyed else [], keyed, columnar):
        if some:
            label = _pieces_in(some[0], columns)
            return _in_pieces(some[0], label) if label else _with_keys_as_ids(some[0])
    return None


def _n_letters(table: Table) -> int:
    """Return the number of letters in the titles and texts of the first rows."""
    cells = table.head[0].cells
    parts = parts_of(table.labels)
    labels = (parts if {"title", "text"} & parts.keys() else parts_inside(cells)).items()
    texts = (reached(row.cells, label) for row in table.head for part, label in labels if part != "id")
    return sum(len(text_of(text) or "") for text in texts)


def _pieces_in(table: Table, columns: Mapping[str, str] | None) -> str:
    """Return the key of the lists that hold the texts of titled records, in pieces; "" without one."""
    cells = table.head[0].cells if table.head else {}
    parts = parts_of([*cells], columns)
    if "text" in parts or "title" not in parts:
        return ""
    lists = {label: cells[label] for label in cells if label in PIECES and isinstance(cells[label], list)}
    fitting = (label for label, items in lists.items() if _are_pieces(items))
    return next(fitting, "")


def _are_pieces(items: Sequence[Any]) -> bool:
    return bool(items) and all(isinstance(item, dict) and "text" in parts_of([*item]) for item in items)


def _in_pieces(table: Table, label: str) -> Table:
    """Return a table with a row for each piece of its records: with their titles, and numbered after their ids."""

    def pieces(rows: Iterable[Row]) -> Iterator[Row]:
        for row in rows:
            items = row.cells.get(label)
            if row.problem or not isinstance(items, list) or not _are_pieces(items):
                yield row
                continue
            outer = {key: cell for key, cell in row.cells.items() if key != label}
            id_label = parts_of([*outer]).get("id")
            for number, item in enumerate(items, 1):
                of_piece = {id_label: f"{outer[id_label]}#{number}"} if id_label else {}
                yield row._replace(cells={**outer, **of_piece, **item})

    head = [*pieces(table.head)]
    return replace(table, labels=[*head[0].cells], head=head, rows=lambda: pieces(table.rows()))


def _name_of(table: Table) -> str:
    return plain_label(table.name.removesuffix(KEY).removesuffix(VALUE).rpartition(".")[2])


def _holds_texts(table: Table, columns: Mapping[str, str] | None) -> bool:
    """True if rows have a title or a text, or are texts by their keys."""
    if {*table.labels} == {KEY, VALUE}:
        texts = [row.cells[VALUE] for row in table.head]
        return all(isinstance(text, str) or (isinstance(text, list) and are_sentences(text)) for text in texts)
    cells = table.head[0].cells if table.head else {}
    inside = [label for label in (columns or {}).values() if label not in cells and reached(cells, label) is not None]
    parts = parts_of([*(label for label in table.labels if label != KEY), *inside], columns)
    parts = parts if {"title", "text"} & parts.keys() else parts_inside(cells)
    texts = [reached(cells, label) for part, label in parts.items() if part != "id"]
    return len(table.labels) <= _MOST_KEYS and any(isinstance(text, str | list) for text in texts)


def _with_keys_as_ids(table: Table) -> Table:
    """Return a table with the key of each row as its id, and with the text under it as its text."""
    if KEY not in table.labels:
        return table
    others = [label for label in table.labels if label != KEY]
    has_id = "id" in parts_of(others)
    names = {VALUE: "text"} if has_id else {KEY: "id", VALUE: "text"}
    kept = others if has_id else table.labels
    labels = [names.get(label, label) for label in kept]

    def renamed(row: Row) -> Row:
        return row._replace(cells={names.get(label, label): row.cells[label] for label in kept if label in row.cells})

    return replace(table, labels=labels, head=[*map(renamed, table.head)], rows=lambda: map(renamed, table.rows()))


def claims(source: Source, clues: Clues) -> What | None:
    """Claim ranks, lists and LETOR, unless the name is that of judgments."""
    if not clues.rows.sure and "rel" in clues.name.rpartition("/")[2].lower():
        return None
    return clues.rows if clues.rows.role and clues.rows.form in ("ranks", "lists", "letor") else None


def _of_json(source: Source, place: str, columns: Mapping[str, str]) -> Settled:
    found = tables(source)
    if not found or not found[0].head:
        return Settled(What(), found[0] if found else None)
    first, item = found[0], found[0].head[0].cells
    found.sort(key=lambda table: not _is_first(table))
    if not item:
        return Settled(What("", "json", "it is an empty object", sure=False), first)
    keys = [key for key, value in item.items() if not isinstance(value, dict)]
    is_judgment = {*_PAIR, "relevance"} <= places_of(item).keys() and not holds_text(item)
    is_judgment = is_judgment or item.keys() >= _UMBRELA
    is_text = is_document(item) and not is_judgment
    if not columns and not is_text and (use := of_use(keys, "lines", keys)):
        return Settled(use, first)
    if is_text and not place and not columns and {dict, list}.isdisjoint(map(type, item.values())):
        return Settled(What(), first)
    if not place and not columns and (records := record_table(source, "documents")) and records.name == "[]":
        return Settled(What(), records)
    settled = (_of_key(table, place) if KEY in table.labels else _of_object(table, place, columns) for table in found)
    perhaps = (_of_key(table, place, texts=True) for table in found if table.name == KEY and place)
    return next(filter(None, chain(settled, perhaps)), Settled(What(), first))


def _is_first(table: Table) -> bool:
    """True for the answer of an engine, and for columns with the names of a query and a document."""
    is_of_columns = table.name.endswith("[]") and {*_PAIR} <= places_of(table.labels).keys()
    return table.name in _ANSWERS or is_of_columns


def _of_object(table: Table, place: str, columns: Mapping[str, str]) -> Settled | None:
    """Settle objects by their keys."""
    labels, parts = [*table.labels], _parts(table, columns)
    if any(isinstance(cell, list) for cell in table.cells(parts.get("query_id", ""))):
        return None  # an object of columns
    if {*labels} >= _UMBRELA:
        parts.setdefault("doc_id", "passage")
    if found := _of_lists(table, parts, place):
        return found
    answer = What("run", "json", "it is an answer with hits")
    if table.name in _ANSWERS and "query_id" not in parts and place != "qrels":
        parts = {"doc_id": _ANSWERS[table.name], **parts}
        return Settled(answer, table, parts, _by("run", parts, {}))
    if table.name == "responses":
        return Settled(answer, table)
    if not {*_PAIR} <= parts.keys():
        return None
    kind = _header(labels, parts).kind or ""
    is_text = holds_text(labels) and not {*labels} >= _UMBRELA
    if not place and not columns and (is_text or (kind == "run" and not {"_id", "id"}.isdisjoint(labels))):
        return None
    role = "qrels" if columns and place != "run" else kind
    by = _by(place or role, parts, columns)
    is_whole = by or (place == "qrels" and len(labels) == len(_PAIR))
    return Settled(What(role, "lines", labels), table, parts, by) if is_whole else None


def _parts(table: Table, columns: Mapping[str, str]) -> dict[str, str]:
    """Return part → the label that is known for it, or named; a prediction is a score if it is a number."""
    parts = {part: table.labels[at] for part, at in places_of(table.labels, columns).items()}
    label = parts.get("score", "")
    is_open = plain_label(label) in PERHAPS_SCORES or any(map(in_brackets, table.cells(label)))
    if is_open and "score" not in columns and label not in numbers_in(table):
        del parts["score"]
    if "relevance" not in parts:
        free = [label for label in table.labels if label not in parts.values() and words_of(label) & RELEVANT]
        graded = [label for label in free if label in numbers_in(table) or words_in(table, label)]
        if len(graded) == 1:
            parts["relevance"] = graded[0]
    return parts


def _header(labels: list[str], parts: Mapping[str, str]) -> Header:
    return Header(labels, {part: labels.index(label) for part, label in parts.items()})


def numbers_in(table: Table) -> dict[str, list[float]]:
    """Return the numbers in the columns of which at least half of the cells hold one."""
    found: dict[str, list[float]] = {}
    for label in table.labels:
        cells = table.cells(label)
        numbers = [number for cell in cells if (number := number_of(cell)) is not None]
        if numbers and 2 * len(numbers) >= len(cells):  # the others are marks such as a question mark
            found[label] = numbers
    return found


def number_of(cell: object) -> float | None:
    """Return the finite number in a cell; None for anything else."""
    return finite_number(cell) if isinstance(cell, str) else finite_value(cell)


def likely_values(table: Table, occupied: Collection[str], role: str) -> list[str]:
    """Return the columns that may hold the scores of a run, or grades, the likeliest first.

    occupied : those that hold something else
    """
    places = [place for place, label in enumerate(table.labels) if label in occupied]
    rows = [[str(row.cells.get(label, "")) for label in table.labels] for row in table.head if not row.problem]
    likely = likely_grades(table.labels, rows, places) if role == "qrels" else [*numbers_in(table)]
    kinds = ("ids", "rank") if role == "qrels" else ("ids",)
    free = [label for label in likely if label and label not in occupied and named_like(label) not in kinds]
    worded = [label for label in table.labels if label not in occupied and words_in(table, label)]
    coded = [label for label in table.labels if label not in (*occupied, *worded, *free) and _holds_codes(table, label)]
    free = [*worded, *free, *coded] if role == "qrels" else free
    final = [label for label in free if not SUMMARIES.isdisjoint(plain_label(label).split("_"))]
    return [*final, *(label for label in free if label not in final)]


def _holds_codes(table: Table, label: str) -> bool:
    """True if each cell of a column is one of a few short words, such as E and I for exact and irrelevant."""
    codes = {str(cell).strip() for cell in table.cells(label)}
    return 0 < len(codes) <= _MOST_CODES and all(code.isalpha() and len(code) <= _LONGEST_CODE for code in codes)


def words_in(table: Table, label: str) -> str:
    """Return the number of each word in a column of known words for grades, as in yes=1,no=0; "" for another."""
    words = dict.fromkeys(word for cell in table.cells(label) if (word := str(cell).strip()))
    known = all(word.lower() in GRADES for word in words)
    return ",".join(f"{word}={GRADES[word.lower()]}" for word in words) if known else ""


def advised_parts(table: Table, parts: Mapping[str, str]) -> dict[str, str]:
    """Return the likeliest columns of the query and the document of a table that lacks one in its parts."""
    cells = {label: [*map(str, table.cells(label))] for label in table.labels if label not in parts.values()}
    short = [label for label in cells if label and not _are_long(cells[label]) and "hash" not in label.lower()]
    free, found = short or [*cells], dict[str, str]()
    if "query_id" not in parts and free:  # fewer than the documents
        found["query_id"] = min(free, key=lambda label: len({*cells[label]}))
        free.remove(found["query_id"])
    if "doc_id" not in parts and free:
        found["doc_id"] = max(free, key=lambda label: len({*cells[label]}))
    return found


def _are_long(cells: Sequence[str]) -> bool:
    """True if half of the cells have more words than a query or an id."""
    return 2 * sum(len(cell.split()) >= _LONG for cell in cells) > len(cells)


def advised(table: Table, role: str, *, valued: bool = True) -> Remedy | None:
    """Return the remedy that names the columns of a table of unknown ones; None if that does not help.

    Beside other files they have ids in common with these.

    valued : whether a column holds the scores or grades; else each row is relevant
    """
    named = {part: label for part, label in _parts(table, {}).items() if part in (*_PAIR, *VALUES[role])}
    ids = ids_in(table.source.beside) if isinstance(table.source, Source) else _Ids(frozenset(), frozenset())
    if ids.queries and ids.documents:
        for part, among in zip(_PAIR, ids, strict=True):
            taken = {label for other, label in named.items() if other != part}
            if part not in named or not any(_share(table, among, named[part])):
                named[part] = _best(table, among, taken, ties=True)
        if not all(named.values()):
            return None
    known = {part: named[part] for part in _PAIR if part in named}
    if not any(part in named for part in VALUES[role]) and (likely := likely_values(table, [*known.values()], role)):
        value = next((label for label in likely if label in table.labels[1:]), likely[0])  # it rarely comes first
        known |= advised_parts(table, {**known, "": value})
        part = parts_for(table, known, value)[0] if role == "run" and {*_PAIR} <= known.keys() else VALUES[role][0]
        named[part] = value
    named |= advised_parts(table, named)
    named = {part: named[part] for part in (*_PAIR, *VALUES[role]) if part in named}
    settled = settle(table.source, role, named)
    works = settled.table is not None and {*_PAIR} <= settled.parts.keys() and (settled.by or not valued)
    if not works or not (valued or ids.queries) or not _meets(settled.source, settled, ids):
        return None
    columns = ",".join(f"{SHORT.get(part, part)}={label}" for part, label in named.items())
    return naming(role, columns, words_in(table, named.get("relevance", "")))


def _by(role: str, parts: Mapping[str, str], columns: Mapping[str, str]) -> str:
    """Return the part that holds the value of a row; "" without any."""
    among = VALUES.get(role, ())
    return next((part for part in (*(part for part in columns if part in among), *among) if part in parts), "")


def _of_key(table: Table, place: str, *, texts: bool = False) -> Settled | None:
    """Settle an object whose keys are queries, with their documents in lists, or by numbers.

    texts : whether some groups may be of another kind, or hold texts: the reader then says what is wrong
    """
    groups = [row.cells.get(VALUE) for row in table.head]
    named = role_of_list(table.name.removesuffix(KEY).rpartition(".")[2])
    if (table.name != KEY and not named) or (not texts and len({*map(type, groups)}) > 1):
        return None
    if not are_documents(groups, numbers=True, texts=texts) and (
        any(groups) or not all(isinstance(one, dict) for one in groups)
    ):
        return None
    if (not place and are_texts(groups)) or any(isinstance(one, dict) and is_document(one) for one in groups):
        return None
    parts, inner = {"query_id": KEY, "doc_id": VALUE}, [documents_in(one) for one in groups]
    numbers = [
        value
        for one in inner
        if isinstance(one, dict)
        for value in one.values()
        if value is None or isinstance(value, str | int | float)
    ]
    if not numbers and any(groups):
        role = place or named or "run"
        lists = all(isinstance(one, list) for one in groups)
        of_ids = not any(isinstance(item, dict | list) for one in inner if isinstance(one, list) for item in one)
        why = f"it is an object of {'lists' if lists else 'hits by query'}"
        return Settled(What(role, "json", why, sure=not of_ids or bool(named)), table, parts)
    if any(isinstance(value, str) for value in numbers):  # where a number belongs: the reader reports the place
        what = What("", "json", "it is an object of objects of texts", sure=False)
    elif all(value is None or value % 1 == 0 for value in numbers):
        what = What("qrels", "json", "it is an object of objects of whole numbers", sure=False)
    else:
        what = What("run", "json", "it is an object of objects of numbers, some with a fraction", sure=False)
    return Settled(what, table, parts)


def _of_lists(table: Table, parts: Mapping[str, str], place: str) -> Settled | None:
    """Settle objects that list documents beside their query."""
    ids = ("id", "_id") if place or table.name else ()
    query = parts.get("query_id") or next((key for key in ids if key in table.labels), "")
    lists = {
        label: of
        for label in table.labels
        if label != query and are_documents(table.cells(label), numbers=bool(of := role_of_list(label)))
    }
    label = _list_for(place, lists)
    if not query or not label:
        return None
    documents: Any = next(filter(None, map(documents_in, table.cells(label))), [])
    first = next(iter(documents)) if isinstance(documents, list) and documents else None
    value = None if first is None or (found := listed(first, "run")) is None else found.value
    kind = "run" if value is not None else lists[label]
    role = place if place and value is None else lists[label] if lists[label] == "qrels" else kind
    form = "json" if table.name else "lines"
    return Settled(What(role or place, form, [*table.labels]), table, {**parts, "query_id": query, "doc_id": label})


def _list_for(role: str, lists: Mapping[str, str]) -> str:
    """Choose the label of the lists of a role, or of any; "" if none or several fit."""
    named = [label for label, of in lists.items() if of == (role or of) and of]
    free = [label for label, of in lists.items() if not of] if role else []
    hits = [label for label in HITS if label in lists]
    for some in (named, free, hits[:1], [*lists]):
        if len(some) == 1:
            return some[0]
        if some and {*some} <= {*HITS}:
            return hits[0]
    return ""


def _of_lines(source: Source, place: str, columns: Mapping[str, str]) -> Settled:
    if table := letor.table_of(source):
        what = What("qrels", "letor", "its lines begin with a grade and qid:")
        return Settled(what, table, {label: label for label in table.labels}, "relevance")
    lines = [line.rstrip("\r") for line in islice(source.lines, LOOKED_AT)]
    between = separator_of(lines)
    table = headed(source, between)
    if settled := _of_header(table, place, columns):
        return settled
    if not table.labels and columns:  # its header is misquoted
        return Settled(What(), table)
    lines = [line for line in lines if not is_comment(line)]
    if not lines or _names_other_columns(table, lines):
        return Settled(What(), table)
    return _of_bare(source, lines, separator_of(lines), place) or Settled(What(), table)


def _of_header(table: Table, place: str, columns: Mapping[str, str]) -> Settled | None:
    """Settle a table whose header names the query and the document."""
    labels, parts = [*table.labels], _parts(table, columns)
    if {*_PAIR} <= parts.keys():
        header = _header(labels, parts)
        names = f"its header names {', '.join(header.places)}"
        if not columns and (use := of_use(labels, "table", names)):
            return Settled(use, table, parts)
        role = "qrels" if columns and place != "run" else header.kind or ""
        by = _by(place or role, parts, columns)
        label = parts["doc_id"]
        if not by and (
            any(map(in_brackets, table.cells(label))) or ("doc_id" in columns and _is_listing(table, label))
        ):
            return _of_texts(table, {**parts}, place)
        return Settled(What(role, "table", names, sure=bool(role) or not header.is_pair), table, parts, by)
    alone = len(labels) == len(_PAIR) and table.between is not None
    lists = {label: role_of_list(label) for label in labels if label != parts.get("query_id")}
    if (alone and plain_label(labels[1]).removesuffix("s") in LISTS) or (
        alone and plain_label(labels[1]).endswith("ids") and _is_listing(table, labels[1])
    ):
        lists[labels[1]] = lists[labels[1]] or "run"
    label = _list_for(place, {label: of for label, of in lists.items() if of})
    query = parts.get("query_id") or (labels[0] if alone and label == labels[1] else "")
    return _of_texts(table, {"query_id": query, "doc_id": label}, place or lists[label]) if query and label else None


def _of_texts(table: Table, parts: Mapping[str, str], role: str) -> Settled:
    """Settle a table whose cells list documents in texts."""
    label = parts["doc_id"]
    split = splitter_of(table.cells(label))
    head = [*_with_lists(iter(table.head), label, split)]
    listing = replace(table, head=head, rows=lambda: _with_lists(table.rows(), label, split))
    return Settled(What(role or "run", "lists", f"its column {label} holds lists of ids", sure=False), listing, parts)


def _with_lists(rows: Iterator[Row], label: str, split: Callable[[str], list[str]] | None) -> Iterator[Row]:
    """Yield the rows with the texts under a label as lists; split: None if several marks may separate ids."""
    for row in rows:
        cell = row.cells.get(label)
        if row.problem or cell is None:
            yield row
        elif split is None:
            yield row._replace(problem=several_ids(cell))
        else:
            yield row._replace(cells={**row.cells, label: split(cell)})


def _names_other_columns(table: Table, lines: Sequence[str]) -> bool:
    """True if the first line names the columns of a table, though not those of a run or judgments."""
    labels = [*table.labels]
    if table.between is not None and "id" in (parts := parts_of(labels)) and len(parts) > 1:
        return True
    rows = rows_in(lines, table.between)[1:]
    fits = all(len(row) == len(labels) and not any(map(str.__eq__, row, labels)) for row in rows)
    if not rows or not fits or is_of_trec(lines[0]):
        return False
    if table.between is not None:
        return looks_like_header(labels, table.between)
    columns = [*zip(*rows, strict=True)]
    of_kind = any(
        _DIGITS.sub("0", label) in [_DIGITS.sub("0", cell) for cell in cells]
        for label, cells in zip(labels, columns, strict=True)
    )
    numbers = [all(finite_number(cell) is not None for cell in cells) for cells in columns]
    return (
        len(labels) > len(_PAIR)
        and not of_kind
        and any(numbers)
        and all(finite_number(label) is None for label in labels)
    )


class _Ids(NamedTuple):
    """Ids at the beginning of the other files of a call."""

    queries: frozenset[str]
    documents: frozenset[str]


def ids_in(sources: Sequence[Source]) -> _Ids:
    """Return the ids of files that are settled by themselves."""
    queries, documents = set[str](), set[str]()
    for source in sources:
        settled = _by_itself(source, "", {})
        for query_id, doc_ids in pairs_in_head(source, settled):
            queries.add(query_id)
            documents.update(doc_ids)
    return _Ids(frozenset(queries), frozenset(documents))


def _shared_ids(table: Table, sources: Sequence[Source]) -> _Ids:
    """Return the ids in the two columns that a table has in common with another file, by their names and their cells.

    The queries are those with fewer different ids; none are returned if both columns have as many.
    """
    for source in sources:
        other = _by_itself(source, "", {}).table
        names = [*filter(None, table.labels)] if other else []
        cells = {label: frozenset(map(str, other.cells(label))) for label in names if other and label in other.labels}
        alike = [label for label in cells if not cells[label].isdisjoint(map(str, table.cells(label)))]
        columns = sorted((cells[label] for label in alike), key=len)
        if len(columns) == len(_PAIR) and len(columns[0]) < len(columns[1]):
            return _Ids(*columns)
    return _Ids(frozenset(), frozenset())


def pairs_in_head(source: Source, settled: Settled) -> Iterator[tuple[str, list[str]]]:
    """Yield the query and the documents of the first rows of a run or judgments."""
    if settled.table is None:
        places = (0, 1) if settled.what.form in ("three", "smart") else (0, 2)
        for line in source.lines if settled.what.form in ("trec", "three", "smart") else ():
            columns = columns_of_line(line)
            if len(columns) > max(places):
                yield columns[0], [columns[places[1]]]
    elif {*_PAIR} <= settled.parts.keys():
        for row in settled.table.head:
            query_id, cell = id_in(row.cells.get(settled.parts["query_id"])), row.cells.get(settled.parts["doc_id"])
            listing = documents_in(cell)
            items: list[Any] = [cell] if listing is None else [*listing]
            found = [one.doc_id for item in items if (one := listed(_whole(item), "run"))]
            if query_id is not None:
                yield query_id, found


def _whole(item: Any) -> Any:
    return str(item) if type(item) is int else item


def _by_agreement(source: Source, place: str, settled: Settled, ids: _Ids) -> Settled | None:
    """Settle a table of unknown columns by the ids that it has in common with the other files; None if none fits."""
    known = {part: settled.parts[part] for part in _PAIR if part in settled.parts}
    if settled.table is not None and settled.table.noun == "key":
        table, parts = settled.table, known
    else:
        lines = [line.rstrip("\r") for line in islice(source.lines, LOOKED_AT) if not is_comment(line)]
        between = separator_of(lines or source.lines)
        rows = rows_in(lines or source.lines, between)
        if between is None and len({*map(len, rows)}) > 1:  # perhaps a query and its documents on each line
            if not _list_documents(rows, ids):
                return None
            table, parts = bare(source, None), {"query_id": KEY, "doc_id": VALUE}
        elif {*rows[0]} & (ids.queries | ids.documents):
            table, parts = bare(source, between, [str(place) for place in range(1, len(rows[0]) + 1)]), {}
        else:
            table, parts = headed(source, between), known
    for part, among in (("query_id", ids.queries), ("doc_id", ids.documents)):
        if parts.get(part) not in table.labels or not any(_share(table, among, parts[part])):
            is_first = part == "query_id" and table.form == "rows"  # of several columns without names
            parts[part] = _best(table, among, parts.values(), ties=is_first)
    if parts["query_id"] and place == "run" and (places := _numbered(table.labels)):
        table, parts["doc_id"] = _listing(table, places), VALUE
    found = _with_value(table, parts, place) if all(parts.values()) else _of_several(table, parts, place, ids)
    others = " and ".join(map(str, source.beside))
    return found and found._replace(shown_by=f"by the ids of {others}")


def _of_several(table: Table, parts: Mapping[str, str], place: str, ids: _Ids) -> Settled | None:
    """Ask which of several columns holds the documents, if only that is open."""
    free = [label for label in table.labels if label not in parts.values()]
    labels = [label for label in free if 2 * max(_share(table, ids.documents, label)) > 1]
    if not parts["query_id"] or len(labels) < 2:
        return None
    choices = [str(naming(place, f"query={parts['query_id']},doc={label}")) for label in labels[:_FEW]]
    what = What(place, "table", "its ids are those of the other files", sure=False)
    return Settled(what, table, parts, ask=f"the ids of the documents are open; name them: {' or '.join(choices)}")


def _list_documents(rows: Sequence[Sequence[str]], ids: _Ids) -> bool:
    """True if rows of several lengths may be a query and its documents: some are known, all documents of their kind."""
    kinds = {_kind(doc_id) for doc_id in ids.documents}
    listed = [one for row in rows for one in row[1:]]
    often = max(map(listed.count, {*listed}), default=0)
    some = any(row[0] in ids.queries and row[1] in ids.documents for row in rows if len(row) > 1)
    return some and all(_kind(one) in kinds for one in listed) and (len(rows) < _FEW or 2 * often <= len(rows))


def _kind(doc_id: str) -> str:
    """Return an id with one letter for each word and one digit for each number."""
    return _WORDS.sub("a", _DIGITS.sub("0", doc_id))


def _numbered(labels: Sequence[str]) -> list[str]:
    """Return the columns of which each holds a place of a ranking: of one name, and counted.

    >>> _numbered(["user", "item_1", "item_2"]), _numbered(["user", "item1", "grade2"])
    (['item_1', 'item_2'], [])
    """
    counted = [(match[1], int(match[2]), label) for label in labels if (match := _COUNTED.fullmatch(label))]
    stems, numbers = {stem for stem, _, _ in counted}, [number for _, number, _ in counted]
    is_ranking = len(stems) == 1 and numbers in [list(range(first, first + len(numbers))) for first in (0, 1)]
    return [label for _, _, label in counted] if is_ranking and len(numbers) > 1 else []


def _listing(table: Table, labels: Sequence[str]) -> Table:
    """Return a table with the cells of some columns as a list in one."""

    def listed_row(row: Row) -> Row:
        return row._replace(cells={**row.cells, VALUE: [row.cells[label] for label in labels if row.cells.get(label)]})

    head = [*map(listed_row, table.head)]
    return replace(table, labels=[*table.labels, VALUE], head=head, rows=lambda: map(listed_row, table.rows()))


def _share(table: Table, ids: frozenset[str], label: str) -> tuple[float, float]:
    """Return the share of the cells of a column that are among some ids, and of those that list one of them."""
    cells = table.cells(label)
    split = splitter_of([cell for cell in cells if isinstance(cell, str)])
    whole = sum(str(cell) in ids for cell in cells)
    lists = [split(cell) if isinstance(cell, str) else cell for cell in cells] if split and not whole else []
    listed = sum(any(id_in(one) in ids for one in items) for items in lists if isinstance(items, list))
    return whole / max(len(cells), 1), listed / max(len(cells), 1)


def _best(table: Table, ids: frozenset[str], taken: Collection[str], *, ties: bool = False) -> str:
    """Return the column of which most cells are ids of the other files; "" if none has some, or two alike.

    ties : whether the first of two alike is returned
    """
    shares = [(_share(table, ids, label), label) for label in table.labels if label not in taken]
    shares.sort(key=lambda found: found[0], reverse=True)
    if not shares or shares[0][0] == (0, 0) or (not ties and len(shares) > 1 and shares[1][0] == shares[0][0]):
        return ""
    return shares[0][1]


def _with_value(table: Table, parts: Mapping[str, str], place: str) -> Settled | None:
    """Settle the column of the values of a table whose query and document are found."""
    what = What(place, "table", "its ids are those of the other files", sure=False)
    if parts["doc_id"] == VALUE:
        return Settled(what._replace(form="lists"), table, parts)
    known = {part: label for part, label in _parts(table, {}).items() if label not in parts.values()}
    by = _by(place, known, {})
    numbers = numbers_in(table)
    relevance = known.get("relevance", "")
    are_scores = not all(map(float.is_integer, numbers.get(relevance, ())))  # fractions are hardly grades
    taken = {label for label in known.values() if place == "qrels" or label != relevance or not are_scores}
    likely = [] if by else likely_values(table, [*parts.values(), *taken], place)
    likely = [label for label in likely if any(numbers.get(label, ())) or words_in(table, label)]  # zeros say nothing
    found = Settled(what, table, {**known, **parts}, by)
    if not by and len(likely) == 1 and likely[0] in numbers:
        fitting = parts_for(table, parts, likely[0]) if place == "run" else ["relevance"]
        if len(fitting) == 1:
            by = fitting[0]
            return found._replace(parts={**known, **parts, by: likely[0]}, by=by)
    if not by and likely:
        return found._replace(ask=_which_value(table, parts, place, likely))
    if by or not _is_listing(table, parts["doc_id"]):
        is_whole = by or (place == "qrels" and len(table.labels) == len(_PAIR))
        return found if is_whole else None
    return _of_texts(table, parts, place)


def naming(role: str, columns: Any, grades: str = "") -> Remedy:
    """Return the remedy that names the columns of a run or of judgments, and the numbers of words for grades."""
    if role == "run":
        return Remedy("read_run", columns=columns)
    return Remedy("read_qrels", columns=columns, grades=grades) if grades else Remedy("read_qrels", columns=columns)


def _which_value(table: Table, parts: Mapping[str, str], place: str, likely: Sequence[str]) -> str:
    """Ask which of several columns holds the scores or grades, or whether one holds scores or ranks."""
    named = ",".join(f"{SHORT[part]}={parts[part]}" for part in _PAIR)
    fitting = {label: parts_for(table, parts, label) if place == "run" else ["grade"] for label in likely}
    pairs = [(part, label) for label, some_of in fitting.items() for part in some_of[: 1 if len(likely) > 1 else 2]]
    noun, words = ("scores", "") if place == "run" else ("grades", words_in(table, likely[0]))
    choices = [str(naming(place, f"{named},{part}={label}", words)) for part, label in pairs[: 1 if words else None]]
    return f"the {noun} are open; name them: {' or '.join(choices)}"


def parts_for(table: Table, parts: Mapping[str, str], label: str) -> list[str]:
    """Return the parts of a run that a column of numbers may be, the likeliest first: score, rank, distance."""
    rows = [row.cells for row in table.head if not row.problem and {parts["query_id"], label} <= row.cells.keys()]
    triples = [
        (str(cells[parts["query_id"]]), ("", str(cells.get(parts["doc_id"])), str(cells[label]))) for cells in rows
    ]
    groups = [*groups_of(triples).values()]
    columns = [[number for _, _, cell in group if (number := number_of(cell)) is not None] for group in groups]
    are_whole = all(number % 1 == 0 for column in columns for number in column)
    long = [column for column in columns if len(column) > 1 and column[0] != column[-1]]
    rising = [column for column in long if column == sorted(column)]
    part, kind = _part_of_run(groups), named_like(label)
    if part == "rank" or (kind == "rank" and are_whole):
        return ["rank"]
    if not part:
        return ["rank", "score"]
    if kind == "distance" or (rising and len(rising) == len(long)):
        return ["rank" if are_whole and kind != "distance" else "distance", "score"]
    return ["score", "distance"] if rising else ["score"]


def _is_listing(table: Table, label: str) -> bool:
    cells = [cell for cell in table.cells(label) if isinstance(cell, str)]
    split = splitter_of(cells)
    return split is not None and any(len(split(cell)) > 1 for cell in cells)


def looks_like_header(labels: Sequence[str], between: str | None) -> bool:
    """True if the cells of a line may be the names of columns, though none is known."""
    distinct = len(labels) >= 3 and len(set(labels)) == len(labels)
    return between is not None and distinct and all(label and finite_number(label) is None for label in labels)


def _of_bare(source: Source, lines: Sequence[str], between: str | None, place: str) -> Settled | None:
    """Settle lines without a header by the numbers in them."""
    rows = [row for row in rows_in(lines, between) if row]
    are_texts = not place and between is not None and any(len(row) == 3 and " " in row[1].strip() for row in rows)
    if not rows or are_texts:  # texts between a number and another
        return None
    what = _ranks(rows) or _pairs(rows) or trec.claims_rows(rows)
    if what is None and place == "qrels" and _have_codes(rows):
        what = What("qrels", "three", "its lines have three columns, the third one of a few codes", sure=False)
        return _named(what, bare(source, between, (*_PAIR, "relevance")), "relevance")
    if what is None:
        return None
    if what.form == "ranks":
        first, width = _place_of_ranks(rows) - 1, len(rows[0])
        of_ranks = {0: "query_id", first: "doc_id", first + 1: "rank", first + 2: "score"}
        labels = [of_ranks.get(at, f"column_{at + 1}") for at in range(width)]
        return _named(what, bare(source, between, labels), "score" if "score" in labels else "rank")
    if what.form == "pairs":
        return _pairs_in(source, rows, lines[0], between)
    if what.form == "three" and place == "run":
        n_alike = sum(len(row) == 3 and finite_number(row[2]) is not None for row in rows)
        if 2 * n_alike < len(rows):
            return None
        return _three_of_run(what, rows, partial(bare, source, between))
    names: Sequence[str] = _FORMS.get(what.form, {}).get(what.role, ())
    if between is None or not names or (between == "\t" and not any(" " in cell for row in rows for cell in row)):
        return Settled(what)
    return _named(what, bare(source, between, names), "score" if what.role == "run" else "relevance")


def _by_places(source: Source, place: str, columns: Mapping[str, str]) -> Settled | None:
    """Settle a file whose columns the user names by their places, from 1; None if a header has these names."""
    lines = [line.rstrip("\r") for line in islice(source.lines, LOOKED_AT) if not is_comment(line)]
    between = separator_of(lines) if lines else None
    width = len(cells_of(lines[0], between)) if lines else 0
    if not width or {*columns.values()} <= {*cells_of(source.lines[0].rstrip("\r"), between)}:
        return None
    table = bare(source, between, [str(number) for number in range(1, width + 1)])
    role = place or ("qrels" if "relevance" in columns else "run")
    return Settled(
        What(role, "rows", "its columns are named by their places"), table, columns, _by(role, columns, columns)
    )


def _named(what: What, table: Table, by: str) -> Settled:
    """Settle lines without a header whose columns have the names of parts."""
    return Settled(what, table, {part: table.labels[at] for part, at in places_of(table.labels).items()}, by)


def _ranks(rows: Sequence[Sequence[str]]) -> What | None:
    """Claim rows with a column that counts the documents of each query, and perhaps falling scores behind it."""
    width, n_rows = len(rows[0]), len(rows)
    rows = [row for row in rows if len(row) == width]  # the reader reports the others
    if 2 * len(rows) < n_rows or not (place := _place_of_ranks(rows)):
        return None
    by_query = groups_of((row[0], row) for row in rows)
    longest = max(map(len, by_query.values()))
    why = f"its lines have {_NUMBERS[width]} columns, the {_ORDINALS[place]} counts the documents of each query"
    if width == place + 1:
        return What("run", "ranks", why, sure=longest >= _MANY) if longest > 1 else None
    scores = [[score_of(row[place + 1]) for row in group] for group in by_query.values()]
    falling = all(None not in group and group == sorted(group, reverse=True) for group in scores)  # type: ignore[type-var]
    fractions = any("." in row[place + 1] for row in rows)
    if not falling or not (fractions or longest >= _MANY or any(group[0] != group[-1] for group in scores)):
        return None
    return What("run", "ranks", f"{why} and the {_ORDINALS[place + 1]} falls", sure=fractions or longest >= _MANY)


def _place_of_ranks(rows: Sequence[Sequence[str]]) -> int:
    """Return the place of the column of ranks, the third, or the fourth before scores; 0 if none counts."""
    width = len(rows[0])
    by_query = groups_of((row[0], row) for row in rows if len(row) == width)
    places = {3: (2,), 4: (2,), 5: (2, 3)}.get(width, ())
    return next((place for place in places if all(_counts(group, 1, place) for group in by_query.values())), 0)


def _counts(rows: Sequence[Sequence[str]], first: int, place: int = 2) -> bool:
    """True if the cells at a place count from the first on, in rows of different documents, which stand before it."""
    ranks, documents = [row[place] for row in rows], {row[place - 1] for row in rows}
    return len(documents) == len(rows) and ranks == [str(first + at) for at in range(len(rows))]


def _three_of_run(what: What, rows: Sequence[Sequence[str]], table: Callable[[Sequence[str]], Table]) -> Settled:
    """Settle three columns in the place of a run, whose numbers may be scores or ranks."""
    groups = groups_of((row[0], row) for row in rows if len(row) == 3)  # the reader reports the others
    part = _part_of_run([*groups.values()])
    settled = _named(What("run", "three", what.why, sure=False), table((*_PAIR, part or "score")), part or "score")
    either = [Remedy("read_run", columns=f"query=1,doc=2,{part}=3") for part in ("rank", "score")]
    ask = f"the third column may hold ranks or scores; say which: {either[0]} or {either[1]}"
    return settled if part else settled._replace(ask=ask)


def _part_of_run(groups: Sequence[Sequence[Sequence[str]]]) -> str:
    """Return the part that the third cells of each query are: ranks that count, or scores; "" if it is unclear."""
    for first in (0, 1):
        if all(_counts(group, first) for group in groups):
            return "rank"
        if all({row[2] for row in group} == {*map(str, range(first, first + len(group)))} for group in groups):
            return ""
    return "score"


def _have_codes(rows: Sequence[Sequence[str]]) -> bool:
    """True if the last of three cells is a word for a grade, or a letter with a number such as L2."""
    codes = {row[2] for row in rows if len(row) == 3}
    return all(len(row) == 3 for row in rows) and all(
        code.lower() in GRADES or re.fullmatch(r"[A-Za-z]\d", code) for code in codes
    )


def _pairs(rows: Sequence[Sequence[str]]) -> What | None:
    """Claim rows of two cells."""
    two = all(len(row) == len(_PAIR) and all(row) for row in rows)
    return What("", "pairs", "its lines have two columns", sure=False) if two else None


def _pairs_in(source: Source, rows: Sequence[Sequence[str]], first: str, between: str | None) -> Settled:
    """Settle lines of a query and a document; the first of them may name the columns."""
    what = What("", "pairs", "its lines have two columns", sure=False)
    headed_by = _is_header(rows)
    cells = [row[1] for row in rows[headed_by is True :] if between is not None]
    split = splitter_of(cells) or list
    several = next((cell for cell in cells if " " in cell or len(split(cell)) > 1), "")
    table, ask = bare(source, between, _PAIR), several and several_ids(several)
    parts = {part: part for part in _PAIR}
    if headed_by is None:
        ask = (
            f"'{first.strip()[:80]}' may be a header or a judged pair; write query_id,doc_id above the pairs, with the "
            "separator of the file"
        )
    elif headed_by:
        table = headed(source, between)
        parts = dict(zip(_PAIR, table.labels, strict=True))
        if cells and all(map(in_brackets, cells)):
            return _of_texts(table, parts, role_of_list(parts["doc_id"]))
    return Settled(what, table, parts, ask=ask)


def _is_header(rows: Sequence[Sequence[str]]) -> bool | None:
    """True if the first of some pairs is unlike all others in kind; None if it may be a header or a pair.

    >>> [_is_header([first, ["q1", "d7"], ["q2", "d8"]]) for first in (["id", "answer"], ["q3", "d1"])]
    [True, False]
    >>> _is_header([["lamp", "c"], ["shoe", "a"]])
    """
    first, *others = rows
    alike = [_DIGITS.sub("0", cell) for cell in first]  # q1 is of the kind of q2
    again = any(_DIGITS.sub("0", cell) == alike[place] for row in others for place, cell in enumerate(row))
    if not others or again or any(finite_number(cell) is not None for cell in first):
        return False
    if any(not _has_digit(cell) and all(_has_digit(row[place]) for row in others) for place, cell in enumerate(first)):
        return True
    return False if any(map(_has_digit, first)) else None


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))
