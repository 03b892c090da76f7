"""Roles of tables with unknown columns, by the ids that they have in common with other files."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import permutations
from typing import NamedTuple

import numpy as np

from toysearch.base import DataError, groups_of, without_notes
from toysearch.base.run_order import order_of, ordered
from toysearch.files.bare_rows import DIGITS
from toysearch.files.claims import What
from toysearch.files.columns import (
    ByPart,
    is_negative,
    is_prose,
    means_relevant,
    named_like,
    places_of,
    plain_label,
    words_of,
)
from toysearch.files.file_role import PAIR, Settled, naming, of_listing
from toysearch.files.labels import ORDINALS, REPLIES
from toysearch.files.listed_documents import VALUES, id_in, is_name, splitter_of, stem_of
from toysearch.files.numbers import counts, finite_number
from toysearch.files.source import Source, source_of
from toysearch.files.syntaxes import id_lists
from toysearch.files.syntaxes.delimited import bare, headed, rows_in, separator_of
from toysearch.files.syntaxes.trec import data_lines
from toysearch.files.table import FEW, KEY, MANY, VALUE, Row, Table
from toysearch.files.triples import is_judged_by_itself, one_run, read_run_rows
from toysearch.files.value_columns import (
    groups_in,
    known_parts,
    likely_values,
    part_of_run,
    parts_for,
    parts_of_numbers,
    value_part,
)

_FIRST = "column 1"
_COMPARED = re.compile(r"(?:.*\.)?(\w+?)(?:[\W_]?[AB]|[\W_][ab])")
_COUNTED = re.compile(r"(.*\D)[ _.-]?(\d+)")
_ORDINAL = re.compile(r"(\d+)(?:\.|st|nd|rd|th|er|e|º|ª)?")
_WORDS = re.compile(r"[^\W\d_]+")


class Ids(NamedTuple):
    """Ids at the beginning of the other files of a call."""

    queries: frozenset[str]
    documents: frozenset[str]


def by_agreement(source: Source, place: str, settled: Settled, ids: Ids) -> Settled | None:
    """Settle a table of unknown columns by the ids that it has in common with the other files; None if none fits."""
    table, first = settled.table, [""]
    if table is None or table.noun != "key":
        lines = data_lines(source) or source.lines
        between = separator_of(lines)
        table, rows = headed(source, between), rows_in(lines, between)
        first, is_ragged = rows[0], between is None and len({*map(len, rows)}) > 1  # perhaps lists on lines
        found = _of_listed(source, place, ids, is_ragged=is_ragged)
        if found or is_ragged:
            return found
    if matrix := _of_matrix(table, place, ids):
        return matrix
    named = known_parts(table)
    # Labels name the query, though the first of them may be #, or are no ids.
    are_named = "query_id" in named or ids.queries.union(ids.documents).isdisjoint(first)
    if are_named:
        named |= settled.parts
    else:
        table, named = bare(source, table.between, [*map(str, range(1, len(first) + 1))]), {}
    parts = _pair_in(table, named, place, ids)
    if place == "run" and table.form == "rows" and all(parts.values()) and (asked := _of_either(table, parts, ids)):
        return asked
    if query := parts["query_id"]:
        rank = named.get("rank") or next(iter(table.counted), "")
        found = _of_systems(table, query, rank, ids) if place == "run" else _of_judged_places(table, query, ids)
        if found:
            return found
        if places := (_places_in if place == "run" else _relevant_in)(table, query, ids):
            table, parts["doc_id"] = listing(table, places), VALUE
    if all(parts.values()):
        return _with_value(table, parts, place, ids.documents)
    return _of_several(table, parts, place, ids)


def _pair_in(table: Table, named: ByPart, place: str, ids: Ids) -> dict[str, str]:
    """Return the columns of the query and the document: as named if they have known ids, else those that have most."""
    parts = {part: named[part] for part in PAIR if part in named}
    values = [named[part] for part in VALUES["run"] if part in named]
    for part, among in zip(PAIR, ids, strict=True):
        if parts.get(part) in table.labels and any(share_of_ids(table, among, parts[part])):
            continue
        is_first = part == "query_id" and table.form == "rows"  # of several columns without names
        query, taken = parts["query_id"] if part == "doc_id" else "", {*parts.values(), *values}
        others = {named.get("relevance", "")} if place == "qrels" else set()  # perhaps ids, if no other column is
        if query and any(map(means_relevant, table.labels)):
            others |= {*numbered(table.labels)}
        ranked = _retrieved(table, among, taken) if query and place == "run" else ""
        parts[part] = ranked or best_column(table, among, taken | others, query, ties=is_first)
        parts[part] = parts[part] or best_column(table, among, taken, query, ties=is_first)
        if query and place == "qrels" and not parts[part]:  # whose names are brought to ids
            parts[part] = _column_of_paths(table, among, taken)
    return parts


def _of_either(table: Table, parts: ByPart, ids: Ids) -> Settled | None:
    """Ask which of two columns without names, both of known queries, tells systems apart; None if there is one.

    Both vary, and below each pair of their cells stand several rows.
    """
    query, doc = parts["query_id"], parts["doc_id"]
    for other in table.without((query, doc)):
        if not ids.queries.issuperset(table.ids(other)):
            continue
        likely = likely_values(table, [query, other, doc], "run")
        rows = [tuple(str(row.get(label)) for label in (query, other, doc, *likely[:1])) for row in table.readable]
        groups = groups_of((row[:2], ("", *row[2:])) for row in rows)
        n_least = min(len({row[at] for row in rows}) for at in range(2))
        if likely and 1 < n_least < len(groups) <= len(rows) / 2:
            value = {parts_of_numbers([*groups.values()])[0]: likely[0]}
            ways = [{"system": one, "query": two, "doc": doc, **value} for one, two in ((query, other), (other, query))]
            ask = f"two columns may hold the queries; say which: {' or '.join(str(naming('run', way)) for way in ways)}"
            return Settled(What("run", "rows"), table, parts, ask=ask)
    return None


def _of_listed(source: Source, place: str, ids: Ids, *, is_ragged: bool) -> Settled | None:
    """Settle lines of a query and its documents, perhaps behind a colon, or each with a colon and a number.

    Some queries and documents are known; without numbers, all documents are of their kind.
    """

    def paired(row: Row) -> Row:
        found = [pair.rstrip(",").rpartition(":") for pair in row.cells[VALUE]]
        numbers = {doc_id: finite_number(number) for doc_id, _, number in found}
        is_whole = bool(numbers) and None not in numbers.values()
        problem = "" if is_whole else "expected a query, and ids with a colon and a number"
        return row._replace(cells={KEY: row.cells[KEY].rstrip(":"), VALUE: numbers}, problem=problem)

    parts, lines = {"query_id": KEY, "doc_id": VALUE}, bare(source, None)
    what = What(place, "json", "its ids are those of the other files", sure=False)
    pairs = lines.changed(partial(map, paired), form="json")
    if _lists_known(pairs, ids) and not any(row.problem for row in pairs.head):
        return Settled(what, pairs, parts)
    labelled = id_lists.labelled(source)
    if labelled is None and not is_ragged:
        return None
    settled = of_listing(labelled, parts, place) if labelled else Settled(what._replace(form="lists"), lines, parts)
    table, kinds = settled.sure_table, {*map(kind_of, ids.documents)}
    lists = [row.cells[VALUE] or [""] for row in table.head if isinstance(row.cells.get(VALUE), list)]
    listed = [one for items in lists for one in items]
    often = max(Counter(listed).values(), default=0)
    # A number that most lists have may be a grade or a rank.
    is_rare = labelled or "0" not in kinds or len(lists) < FEW or 2 * often <= len(lists)
    are_known = _lists_known(table, ids, None if labelled else 1)
    return settled if is_rare and are_known and {*map(kind_of, listed)} <= kinds else None


def _lists_known(table: Table, ids: Ids, n: int | None = None) -> bool:
    """True if a known query has a known document among its first n."""
    known = (row[VALUE] for row in table.readable if row[KEY] in ids.queries)
    return any(not ids.documents.isdisjoint([*listed][:n]) for listed in known)


def _of_matrix(table: Table, place: str, ids: Ids) -> Settled | None:
    """Settle a table with a row for each query and a column for each document, or the other way round."""
    numbers, named = table.numbers, known_parts(table)
    for (side, of_side), (across, of_columns) in permutations(zip(PAIR, ids, strict=True)):
        kinds = {*map(kind_of, of_columns)}
        shares = {label: share_of_ids(table, of_side, label)[0] for label in table.labels if label not in of_side}
        label = max(shares, key=shares.__getitem__, default="")
        columns = [one for one in table.labels if one != label]
        are_ids = label != named.get(across) and all(kind_of(one) in kinds for one in columns)
        are_numbers = all(one in numbers or not table.cells(one) for one in columns)
        places = [[*map(str, range(first, first + len(columns)))] for first in (0, 1)]
        if columns in places and table.fractions.isdisjoint(columns):
            continue  # perhaps the documents at each place
        n_known = len(of_columns & {*columns})
        is_known = 2 * n_known > len(columns) if kinds == {"0"} else n_known > 0  # any numbers have some
        if are_ids and are_numbers and len(columns) > 1 and shares.get(label) and is_known:
            parts = {side: label or _FIRST, across: KEY}
            melted = replace(_melted(table, [label], KEY, {VALUE: columns}), form="rows")
            groups = groups_in(melted, parts, VALUE)
            are_ranks = place == "run" and part_of_run(groups) != "score" and max(map(len, groups)) >= MANY
            value = "rank" if are_ranks else VALUES[place][0]
            what = What(place, "table", "its columns have ids of the other files", sure=False)
            return Settled(what, melted, {**parts, value: VALUE}, value)
    return None


def _melted(table: Table, kept: Sequence[str], across: str, below: Mapping[str, Sequence[str]]) -> Table:
    """Return a table with a row for each column of some, beside others, that has a cell there.

    kept : the columns that all rows have; one without a name is called column 1
    across : the label of the names of the columns
    below : label → the columns whose cells stand there, the first of them filled
    """

    def melted(rows: Iterable[Row]) -> Iterator[Row]:
        for row in rows:
            beside = {label or _FIRST: row.cells.get(label, "") for label in kept}
            for columns in zip(*below.values(), strict=True):
                cells = [row.cells.get(column, "") for column in columns]
                if cells[0]:
                    yield row._replace(cells={**beside, across: columns[0], **dict(zip(below, cells, strict=True))})
            if row.problem:
                yield row

    return table.changed(melted, labels=[*(label or _FIRST for label in kept), across, *below])


def _of_systems(table: Table, query: str, rank: str, ids: Ids) -> Settled | None:
    """Settle the documents of several systems, a column for each, at the ranks that stand beside them.

    No system has a document twice for a query, and some have the same ones.
    """
    columns = table.without((query, rank))
    if not (rank and len(columns) > 1 and _hold_documents(table, columns, ids)):
        return None
    rows = table.readable
    pairs = [[(row.get(query), row[label]) for row in rows if row.get(label)] for label in columns]
    has_twice = any(len({*of_system}) < len(of_system) for of_system in pairs)
    if has_twice or any({*of_system}.isdisjoint(pairs[0]) for of_system in pairs):
        return None
    documents = ", ".join(columns)
    melted = _melted(table, [query, rank], "system", {documents: columns})
    what = What("run", "table", "its columns have ids of the other files", sure=False)
    return Settled(what, melted, {"query_id": query, "doc_id": documents, "rank": rank}, "rank")


def of_ranks(settled: Settled) -> Settled | None:
    """Settle the ranks of several systems, a column for each, which count the documents of each query."""
    if settled.by or not settled.has_pair:
        return None
    table, parts = settled.sure_table, settled.parts
    columns = [label for label in table.labels if named_like(label) == "rank"]
    if len(columns) < 2 or numbered(columns):  # the documents at each rank
        return None
    query, doc = (parts[part] for part in PAIR)
    for label in columns:
        filled = [row for row in table.readable if row.get(label) not in (None, "")]
        ranks = groups_of((str(row.get(query)), finite_number(str(row[label])) or 0) for row in filled)
        whole = [*ranks.values()][:-1] or [*ranks.values()]  # the last query may go on below the head
        if not whole or not all(map(counts, map(sorted, whole))):
            return None
    melted = _melted(table, [query, doc], "system", {"rank": columns})
    what = What("run", "table", "its columns have the ranks of systems")
    return settled._replace(what=what, table=melted, parts={**parts, "rank": "rank"}, by="rank", ask="")


def _of_judged_places(table: Table, query: str, ids: Ids) -> Settled | None:
    """Settle counted columns of documents, each with the column of its grade, which has the same number."""
    by_stem = groups_of((match[1], label) for label in table.labels if (match := _COUNTED.fullmatch(label)))
    counted = sorted(map(numbered, by_stem.values()), key=lambda labels: not _hold_documents(table, labels, ids))
    if len(counted) != len(PAIR) or len(counted[0]) != len(counted[1]) or not counted[1]:
        return None
    documents, grades = counted
    if not _hold_documents(table, documents, ids) or not {*grades} <= table.numbers.keys():
        return None
    doc, grade = (f"{labels[0]} … {labels[-1]}" for labels in counted)
    melted = _melted(table, [query], "place", {doc: documents, grade: grades})
    what = What("qrels", "table", "its columns have ids of the other files", sure=False)
    return Settled(what, melted, {"query_id": query, "doc_id": doc, "relevance": grade}, "relevance")


def _of_several(table: Table, parts: ByPart, place: str, ids: Ids) -> Settled | None:
    """Ask which of several columns holds the documents, if only that is open."""
    free = table.without(parts.values())
    labels = [label for label in free if 2 * sum(share_of_ids(table, ids.documents, label)) > 1]
    if not parts["query_id"] or len(labels) < 2:
        return None
    what = What(place, "table", "its ids are those of the other files", sure=False)
    ask = ask_for_documents(place, [{"query": parts["query_id"], "doc": label} for label in labels[:FEW]])
    if labels == free and not any(table.lists(label) for label in labels):
        each = "they are the places of a ranking" if place == "run" else "each of them is relevant"
        ask = f"{len(free)} columns hold documents; if {each}, call them doc_1, doc_2, …"
    return Settled(what, table, parts, ask=ask)


def ask_for_documents(place: str, choices: Sequence[ByPart]) -> str:
    """Ask which of several columns holds the documents, unless each has those of another grade."""
    labels = [one["doc"] for one in choices]
    are_grades = all(means_relevant(one) or is_negative(one) or one.rpartition(".")[2].isdecimal() for one in labels)
    if place == "qrels" and (preferred := preferred_in(labels)):
        return preferred
    if place == "qrels" and are_grades:
        listed = f"documents of one grade each stand under {', '.join(labels)}"
        return f"{listed}; write a row for each document: query_id, doc_id, grade"
    ways = [str(naming(place, one)) for one in choices]
    return f"the ids of the documents are open; name them: {' or '.join(ways)}"


def preferred_in(labels: Sequence[str]) -> str:
    """Say of which two documents one is preferred, as of docA and docB; "" if no columns are called so."""
    named = {label: match[1] for label in labels if (match := _COMPARED.fullmatch(label))}
    compared = [label for label in named if "doc_id" in places_of([named[label]])]
    better = f"it seems to hold which of {' and '.join(compared)} is better; judgments grade each document by itself"
    return better if len(compared) == len(PAIR) else ""


def kind_of(doc_id: str) -> str:
    """Return an id with one letter for each word and one digit for each number."""
    return _WORDS.sub("a", DIGITS.sub("0", doc_id))


def _places_in(table: Table, query: str, ids: Ids) -> list[str]:
    """Return the columns that hold the places of a ranking; those that are ordinals hold documents that are no numbers.

    query : the column of the queries
    """
    labels = table.without([query])
    places = {label: int(match[1]) for label in labels if (match := _ORDINAL.fullmatch(label))}
    places |= {label: 1 + ORDINALS.index(plain_label(label)) for label in labels if plain_label(label) in ORDINALS}
    if len(places) < FEW or not _hold_documents(table, [*places], ids):
        counted = numbered(labels)
        return counted if _are_alike(table, counted) else []
    return sorted(places, key=places.__getitem__)


def _are_alike(table: Table, labels: Sequence[str]) -> bool:
    """True if each of some columns has a cell of the kind of another one's, and none counts the rows of a query."""
    kinds = {label: {kind_of(str(cell)) for cell in table.cells(label)} for label in labels}
    others = {label: set[str]().union(*(kinds[one] for one in labels if one != label)) for label in labels}
    is_unlike = any(kinds[label] and kinds[label].isdisjoint(others[label]) for label in labels)
    return not is_unlike and table.counted.keys().isdisjoint(labels)


def _hold_documents(table: Table, labels: Sequence[str], ids: Ids) -> bool:
    """True if columns have known documents or others like them, which are no numbers."""
    kinds = {*map(kind_of, ids.documents)}
    others = [label for label in labels if not any(share_of_ids(table, ids.documents, label))]
    unlike = [label for label in others if not kinds.issuperset(kind_of(str(cell)) for cell in table.cells(label))]
    return "0" not in kinds and not unlike


def _relevant_in(table: Table, query: str, ids: Ids) -> list[str]:
    """Return the counted columns that hold the relevant documents of each query; none if others may choose among them.

    query : the column of the queries
    """
    labels = numbered(table.without([query]))
    others = table.without([query, *labels])
    if any(map(is_negative, labels)) or (others and not all(map(means_relevant, labels))):
        return []
    cells = [str(cell) for label in labels for cell in table.cells(label)]
    has_several = len(table.ids(query)) < len(table.cells(query))  # rows of a query
    are_known = 2 * sum(cell in ids.documents for cell in cells) > len(cells) and not has_several
    has_documents = any(any(share_of_ids(table, ids.documents, label)) for label in others)
    has_values = not table.numbers.keys().isdisjoint(likely_values(table, [query, *labels], "qrels"))
    return labels if are_known and not has_documents and not has_values else []


def numbered(labels: Sequence[str]) -> list[str]:
    """Return the columns of which each holds a place of a ranking: of one name, and counted.

    >>> numbered(["item_1", "item_2"]), numbered(["item1", "grade2"])
    (['item_1', 'item_2'], [])
    """
    counted = [(match[1], int(match[2]), label) for label in labels if (match := _COUNTED.fullmatch(label))]
    labels = [label for _, _, label in counted]
    if labels == sorted(labels):  # as a pivot orders them
        counted.sort(key=lambda one: one[1])
    stems, numbers = {stem for stem, _, _ in counted}, [number for _, number, _ in counted]
    is_ranking = len(stems) == 1 < len(numbers) and counts(numbers)
    return [label for _, _, label in counted] if is_ranking else []


def listing(table: Table, labels: Sequence[str]) -> Table:
    """Return a table with the cells of some columns as a list in one."""

    def listed_row(row: Row) -> Row:
        return row._replace(cells={**row.cells, VALUE: [row.cells[label] for label in labels if row.cells.get(label)]})

    return table.changed(partial(map, listed_row), labels=[*table.labels, VALUE])


def share_of_ids(table: Table, ids: frozenset[str], label: str) -> tuple[float, float]:
    """Return the share of the cells of a column that are among some ids, and of those that list one of them."""
    cells = table.cells(label)
    split = splitter_of([cell for cell in cells if isinstance(cell, str)], ids)
    others = [cell for cell in cells if str(cell) not in ids]
    lists = [split(cell) if isinstance(cell, str) else cell for cell in others] if split else []
    listed = sum(any(id_in(one) in ids for one in items) for items in lists if isinstance(items, list))
    return (len(cells) - len(others)) / max(len(cells), 1), listed / max(len(cells), 1)


def _column_of_paths(table: Table, ids: frozenset[str], taken: Collection[str]) -> str:
    """Return the only column of which most cells are paths or addresses of known ids; "" without one.

    Beside a collection, names without folders, perhaps without suffixes, are brought to ids too.
    """
    stems = any(other.ids for other in source_of(table.source).beside)
    names = {name for one in ids if stems for name in (one.rpartition("/")[2], stem_of(one))}
    found = []
    for label in (one for one in table.without(taken) if not is_negative(one)):
        cells = [*map(str, table.cells(label))]
        paths = [cell for cell in cells if "/" in cell and is_name(cell, ids)]
        n_named = len(paths) + sum(cell in names and not cell.isdecimal() for cell in cells)
        if 2 * n_named > len(cells):
            found.append(label)
    return found[0] if len(found) == 1 else ""


def _retrieved(table: Table, ids: frozenset[str], taken: Collection[str]) -> str:
    """Return the column of longer lists beside one with known ids alone, which are the judgments; "" without both."""
    known = dict[str, list[str]]()
    for label in table.without(taken):
        cells = [*map(str, table.cells(label))]
        split = splitter_of(cells, ids) if table.lists(label, ids) else None
        items = [one for cell in cells for one in split(cell)] if split else []
        if not ids.isdisjoint(items):
            known[label] = items
    judged = [label for label in known if ids.issuperset(known[label])]
    others = [label for label in known if label not in judged]
    is_longer = len(judged) == len(others) == 1 and len(known[others[0]]) > len(known[judged[0]])
    return others[0] if is_longer else ""


def best_column(
    table: Table, ids: frozenset[str], taken: Collection[str], query: str = "", *, ties: bool = False
) -> str:
    """Return the column of which most cells are ids of the other files; "" if none has some, or two alike.

    query : the column of the queries, none of which has a document twice; of two columns of documents none is taken
    ties : whether the first of two alike is returned
    """
    free = [label for label in table.without(taken) if not is_negative(label)]
    shares = {label: share_of_ids(table, ids, label) for label in free}
    most = max(shares.values(), default=(0, 0))
    best = [label for label in free if shares[label] == most != (0, 0)]
    if len(best) > 1 and query:
        best = [label for label in best if len(table.distinct(query, label)) == len(table.readable)] or best
    if query and {*map(kind_of, ids)} != {"0"}:  # numbers may be anything
        listed = {label: table.lists(label, between_marks=True) for label in free}  # not texts by chance
        known = {label: shares[label][0] + shares[label][1] * listed[label] for label in free}
        others = [label for label in free if label not in best and 2 * known[label] > 1]
        is_relevant = any(map(means_relevant, best))
        best += [label for label in others if means_relevant(label) or not is_relevant]
    return best[0] if best and (ties or len(best) == 1) else ""


def _with_value(table: Table, parts: ByPart, place: str, documents: Collection[str]) -> Settled | None:
    """Settle the column of the values of a table whose query and document are found; documents: ids of other files."""
    what = What(place, "table", "its ids are those of the other files", sure=False)
    if parts["doc_id"] == VALUE:
        return Settled(what._replace(form="lists"), table, parts)
    known = {part: label for part, label in known_parts(table).items() if label not in parts.values()}
    by = value_part(place, known)
    found = Settled(what, table, {**known, **parts}, by)
    if by:
        return found
    is_relevant = place == "qrels" and means_relevant(parts["doc_id"])
    likely = [] if is_relevant else _likely_beside(found)
    if len(likely) == 1 and (place == "run" or _are_grades(found, likely[0])):
        fitting = parts_for(table, parts, likely[0]) if place == "run" else ["relevance"]
        if len(fitting) == 1:
            return found._replace(parts={**found.parts, fitting[0]: likely[0]}, by=fitting[0])
    rank = known.get("rank", "")
    if place == "qrels" and rank and not likely and part_of_run(groups_in(table, parts, rank)) == "score":
        likely = [rank]  # numbers that do not count the documents
    if likely:
        alike = _ranked_alike(found, likely) if place == "run" else None
        return alike or found._replace(ask=ask_for_value(table, parts, place, likely))
    if table.lists(parts["doc_id"], documents):
        return of_listing(table, parts, place, documents)
    if is_relevant or (place == "qrels" and has_answers(table, parts)):
        return found._replace(what=what._replace(form="lists"))
    return None


def _likely_beside(found: Settled) -> list[str]:
    """Return the columns that may hold the values beside the parts of a table, none of which does by its name."""
    table, parts, place = found.sure_table, found.parts, found.what.role
    relevance = parts.get("relevance", "")
    are_scores = place == "run" and relevance in table.fractions  # hardly grades
    taken = [label for label in parts.values() if not are_scores or label != relevance]
    likely = likely_values(table, taken, place)
    likely = [label for label in likely if any(table.numbers.get(label, ())) or table.words(label)]  # zeros say nothing
    if place == "run":
        ranks = table.counted if is_judged_by_itself(table) else ()  # what is left is the grade
        return [label for label in likely if label in ranks] or likely
    if likely and "clicked" in parts:  # then another number may count what was shown
        likely.append(parts["clicked"])
    names = [label for label in likely if label not in table.numbers and len(table.ids(label)) == 1]  # of a judge
    return [label for label in likely if label not in names] or likely


def _are_grades(found: Settled, label: str) -> bool:
    """True for a column of numbers, or of words that say what is relevant, or that alone differ and judge pairs."""
    table, query = found.sure_table, found.parts["query_id"]
    words = table.words(label)
    if label in table.numbers or "relevant" in words.lower():
        return True
    free = [one for one in table.without([query, found.parts["doc_id"]]) if len(table.ids(one)) > 1]
    of_pairs = len(table.distinct(query, label)) > len(table.distinct(query))
    return free == [label] and "=1" in words and "=0" in words and of_pairs


def has_answers(table: Table, parts: ByPart) -> bool:
    """True if a row has an answer beside its query and its document, or no more than an id."""
    free = [label for label in table.without(parts.values()) if named_like(label) != "ids"]
    others = [label for label in free if words_of(label).isdisjoint(REPLIES)]
    are_texts = (means_relevant(label) and any(map(is_prose, table.cells(label))) for label in others)
    return not free or len(others) < len(free) or any(are_texts)


def _ranked_alike(found: Settled, likely: Sequence[str]) -> Settled | None:
    """Settle ranks and scores that give all rows the same order, without ties; None if they do not."""
    readings = [(part, label) for label in likely for part in parts_for(found.sure_table, found.parts, label)]
    parts = dict(reversed(readings))
    if parts.keys() != {"rank", "score"}:
        return None
    with suppress(DataError), without_notes():  # its reader refuses a cell, where it asks nothing
        of_parts = [found._replace(parts={**found.parts, part: label}, by=part) for part, label in readings]
        first, *others = [ordered(one_run(*read_run_rows(settled)))[0] for settled in of_parts]
        without_ties = all((np.diff(order_of(run, "trec_eval").keys) > 0).all() for run in (first, *others))
        if without_ties and all([*run.doc_ids] == [*first.doc_ids] for run in others):
            return found._replace(parts={**found.parts, **parts}, by="score")
    return None


def ask_for_value(table: Table, parts: ByPart, place: str, likely: Sequence[str]) -> str:
    """Ask which of several columns holds the scores or grades, or whether one holds scores or ranks."""
    named = {part: parts[part] for part in PAIR}
    n_parts, choices = 1 if len(likely) > 1 else 2, list[str]()
    for label in likely:
        fitting = parts_for(table, parts, label) if place == "run" else ["grade"]
        choices += [str(naming(place, {**named, part: label}, table.words(label))) for part in fitting[:n_parts]]
    return f"the {'scores' if place == 'run' else 'grades'} are open; name them: {' or '.join(choices)}"
