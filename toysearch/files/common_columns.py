"""Columns that two files of a call have in common, by their names and by the ids in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from toysearch.base import groups_of
from toysearch.files.agreement import Ids, ask_for_documents, numbered
from toysearch.files.columns import named_like, places_of, plain_label, words_of
from toysearch.files.file_role import PAIR, Settled, naming
from toysearch.files.labels import PARTS_OF_TEXTS, SEARCHERS
from toysearch.files.listed_documents import VALUES, documents_in, id_in, listed
from toysearch.files.nested_hits import found_in, last_key, paths_in, shared_paths
from toysearch.files.syntaxes.trec import columns_of_line
from toysearch.files.table import Table
from toysearch.files.triples import is_judged_by_itself

_SHORTEST_NUMBER = 3
"""Digits of a number that may be an id; shorter ones may count anything."""
_OF_VALUES = {part for parts in VALUES.values() for part in parts}


def asked_beside(settled: Settled, other: Settled, place: str) -> Settled | None:
    """Ask about columns of two files that name parts of documents, such as chunks, or tell lists of a query apart.

    A part belongs to one document, and some documents have several parts.
    """
    if not other.has_pair:
        return None
    run, judged = (settled, other) if place == "run" else (other, settled)
    apart = list[str]()
    for label, alike in _same_columns(run.sure_table, judged.sure_table).items():
        is_taken = label in map(run.parts.get, PAIR) or alike in map(judged.parts.get, PAIR)
        have_other_cells = run.sure_table.ids(label).isdisjoint(judged.sure_table.ids(alike))
        if is_taken or have_other_cells or "tag" in places_of([label]):
            continue
        own = (label, alike)[place == "qrels"]
        first, second = (
            one.sure_table.distinct(one.parts["doc_id"], by) for one, by in ((run, label), (judged, alike))
        )
        pairs, are_common = first | second, not first.isdisjoint(second)
        documents, of_parts = ({row[at] for row in pairs} for at in (0, 1))
        are_numbers = all(map(str.isdecimal, of_parts))
        names_parts = named_like(label) == "ids" and not PARTS_OF_TEXTS.isdisjoint(words_of(label))
        are_counted = are_numbers and names_parts and are_common
        if not are_counted and len(of_parts) < len(pairs):
            apart += [own] * _tells_lists_apart(run, label)
            continue
        are_named = _may_name_documents(label) and not are_numbers and are_common
        if (are_counted or are_named) and len(documents) < len(pairs):
            doc = settled.parts["doc_id"]
            ways = (doc, f"{doc}+{own}" if are_counted else own)
            choices = [{"query": settled.parts["query_id"], "doc": one} for one in ways]
            return settled._replace(ask=ask_for_documents(place, choices))
    if not apart:
        return None
    parts, names = settled.parts, " and ".join(apart)
    by = {settled.by: parts[settled.by]} if settled.by else {}
    named = naming(place, {"query": "+".join((*apart, parts["query_id"])), "doc": parts["doc_id"], **by})
    ask = f"queries have rows of several {names}; if each has lists of its own: {named}; else leave {names} out"
    return settled._replace(what=settled.what._replace(role=place), ask=ask)


def _tells_lists_apart(run: Settled, label: str) -> bool:
    """True for the name of a user or a session, or a column without which a query has a document or a rank twice."""
    table, (query, doc) = run.sure_table, (run.parts[part] for part in PAIR)
    if len(table.distinct(query, label)) == len(table.distinct(query)):
        return False
    are_lists = any(isinstance(cell, list | dict) for cell in table.cells(doc))
    among = {"" if are_lists else doc, run.parts.get("rank", doc)}
    twice = (one for one in among if len(table.distinct(query, one)) < len(table.readable))
    is_twice = any(len(table.distinct(query, label, one)) == len(table.readable) for one in twice)
    return is_twice or not SEARCHERS.isdisjoint(words_of(label))


def query_beside(settled: Settled, others: Iterable[Settled | None]) -> str:
    """Return the column of the names of queries that another file has too, if its own has others; "" without one.

    A file has ids beside the texts of the queries, the other one of both: that of its queries, or of the same name.

    others : None for a collection
    """
    for other in others:
        for one, alone in ((settled, other or settled), (other or settled, settled)):
            if not one.has_pair:
                continue
            table, query, doc = one.sure_table, one.parts["query_id"], alone.parts.get("doc_id", "")
            labels, rows = (alone.table.labels, alone.table.readable) if alone.table else ((), ())
            queries = frozenset(query_id for query_id, _ in pairs_in_head(alone))
            cells = {label: alone.sure_table.ids(label) for label in labels}
            if not table.ids(query).isdisjoint(queries.union(*cells.values())):
                continue
            for label in table.without(one.parts.values()):
                names, theirs = table.ids(label), cells.get(label, queries)
                n_pairs, n_queries = len(table.distinct(label, query)), len(table.distinct(query))
                found = {(str(row.get(label)), str(row.get(doc, at))) for at, row in enumerate(rows)}
                has_several = label not in labels or len(found) > len(theirs)  # documents, unlike titles and rows
                is_name = has_several or (len(theirs) == len(rows) and theirs <= names)
                are_names = is_name and len(names) == n_queries == n_pairs
                if are_names and meet(names, theirs):
                    return label if one is settled or label in labels else alone.parts["query_id"]
    return ""


def meet(first: frozenset[str], second: frozenset[str]) -> bool:
    """True if two columns have most of the cells of the shorter one in common."""
    return 2 * len(first & second) > min(len(first), len(second))


def document_beside(settled: Settled, others: Iterable[Settled]) -> str:
    """Return the path of the documents by a key that another file has with some of the same ids; "" without one.

    There it is the key of the documents, or no other key has ids that are in both files.
    """
    table = settled.sure_table
    is_sure = (settled.by and len(table.labels) == 3) or is_judged_by_itself(table)
    for other in () if is_sure else others:
        if not any("query_id" in one.parts for one in (settled, other)):
            continue
        own, theirs = map(_ids_by_path, (settled, other))
        documents, beside = ({one for _, ids in pairs_in_head(of) for one in ids} for of in (settled, other))
        by_key = {last_key(path): ids for path, ids in theirs.items()}
        same = [path for path in own if not own[path].isdisjoint(by_key.get(last_key(path), ()))]
        if any(own[path] == documents for path in same):
            continue
        keys = {*map(last_key, same)}
        known = [theirs[path] & documents for path in theirs if last_key(path) not in keys]
        known += [own[path] & beside for path in own if path not in same]
        found = [path for path in same if last_key(path) == other.parts.get("doc_id")]
        if not found and not any(known):
            likely = [path for path in same if _may_name_documents(last_key(path))]
            of_documents = settled if documents else other
            of_one = [path for path in same if not _is_of_several(of_documents, last_key(path))]
            found = of_one if not likely and not (documents and beside) else likely
        if len(found) == 1:
            return found[0]
    return ""


def _is_of_several(settled: Settled, label: str) -> bool:
    """True for a column of which a cell stands beside several documents, as a language does."""
    table, doc = settled.sure_table, settled.parts.get("doc_id", "")
    are_columns = {label, doc} <= {*table.labels} and label != doc
    return are_columns and len(table.distinct(label)) < len(table.distinct(label, doc))


def _ids_by_path(settled: Settled) -> dict[str, frozenset[str]]:
    """Return the ids on each path of a table that names neither its queries nor values."""
    ids = _ids_on_paths(settled.sure_table)
    others = {"query_id", "tag", *_OF_VALUES}
    free = [path for path in ids if others.isdisjoint(places_of([last_key(path)])) and named_like(path) != "page"]
    return {path: ids[path] for path in free if path != settled.parts.get("query_id")}


def shared_ids(table: Table, others: Iterable[Table], place: str) -> Ids:
    """Return the ids in the two columns that a table has in common with another one, by their names and their cells.

    The queries are those with fewer different ids; none are returned if both columns have as many. One column is that
    of queries beside the places of rankings. Of nested objects they are the ids by their names.
    """
    for other in others:
        found = found_in(other)
        found.shared = shared_paths(found, [table])
        paths = paths_in(found, "run" if place == "qrels" else "qrels", {})
        if paths and not paths.documents:
            return Ids(*(frozenset(map(str, found.cells[paths.parts[part]])) for part in PAIR))
        cells = {label: other.ids(alike) for label, alike in _same_columns(table, other).items()}
        alike = [label for label in cells if not cells[label].isdisjoint(table.ids(label))]
        alike = _of_pairs(table, alike, place) if len(alike) > len(PAIR) else alike
        columns = sorted((cells[label] for label in alike), key=len)
        if len(columns) == len(PAIR) and len(columns[0]) < len(columns[1]):
            return Ids(*columns)
        for one, beside in ((table, other), (other, table)):
            documents = one.ids(*numbered(one.labels)) & beside.ids(*beside.labels)
            if documents and len(columns) == 1:
                return Ids(columns[0], documents)
    return Ids(frozenset(), frozenset())


def ids_in_common(table: Table, others: Iterable[Table]) -> Ids:
    """Return the ids in the columns of another file that have some in common with two of a table.

    The queries are those with fewer different ids. Objects have a column on each path, whatever its name.
    """
    own = _ids_on_paths(table)
    for other in others:
        theirs = {label: ids for label, ids in _ids_on_paths(other).items() if _may_be_ids(label)}
        common = [(label, path) for label in theirs for path in own if _share_ids(theirs, label, own, path)]
        alone = {label: [label] for label, _ in common}
        for labels in (alone, groups_of((path, label) for label, path in common)):  # or all those of a column
            columns = [frozenset().union(*map(theirs.__getitem__, several)) for several in labels.values()]
            columns.sort(key=len)
            if len(columns) == len(PAIR) and len(columns[0]) < len(columns[1]):
                return Ids(*columns)
    return Ids(frozenset(), frozenset())


def _ids_on_paths(table: Table) -> dict[str, frozenset[str]]:
    return {path: frozenset(filter(None, map(id_in, cells))) for path, cells in found_in(table).cells.items()}


def _may_be_ids(path: str) -> bool:
    """True unless the last key of a path names scores, ranks or grades."""
    return _OF_VALUES.isdisjoint(places_of([last_key(path)]))


def _share_ids(ids: Mapping[str, frozenset[str]], label: str, others: Mapping[str, frozenset[str]], path: str) -> bool:
    """True if two columns have a quarter of the shorter one in common; short numbers count under the same name only."""
    is_named = plain_label(last_key(label)) == plain_label(last_key(path))
    shared = ids[label] & others[path]
    common = [cell for cell in shared if is_named or not (cell.isdecimal() and len(cell) < _SHORTEST_NUMBER)]
    return len(common) > 1 and 4 * len(common) > min(len(ids[label]), len(others[path]))


def _of_pairs(table: Table, labels: Sequence[str], place: str) -> list[str]:
    """Return the columns of ranked queries and of their documents, none of which a query has twice, among others.

    Without ranks, those of judgments are no numbers, which may be grades.
    """
    ranks = table.counted
    queries = [label for label in labels if label in ranks.values()]
    if not queries:
        return [label for label in labels if place == "run" or label not in table.numbers]
    free = [label for label in labels if label not in ranks and label not in queries]
    documents = [label for label in free if len(table.distinct(queries[0], label)) == len(table.readable)]
    return [queries[0], *([label for label in documents if "doc_id" in places_of([label])] or documents)]


def _same_columns(table: Table, other: Table) -> dict[str, str]:
    """Return the columns of two tables with the same name but for `id`, and the only others of ids; none of values."""
    of_both = []
    for one in (table, other):
        free = [label for label in one.labels if label and _OF_VALUES.isdisjoint(places_of([label]))]
        of_both.append({frozenset(words_of(label) - {"id"}): label for label in reversed(free)})
    first, second = of_both
    shared = {label: second[words] for words, label in first.items() if words in second}
    others = [
        [label for words, label in one.items() if words not in beside and _may_name_documents(label)]
        for one, beside in ((first, second), (second, first))
    ]
    if shared and [*map(len, others)] == [1, 1]:
        shared[others[0][0]] = others[1][0]
    return shared


def _may_name_documents(label: str) -> bool:
    return named_like(label) == "ids" or "doc_id" in places_of([label])


def pairs_in_head(settled: Settled) -> Iterator[tuple[str, list[str]]]:
    """Yield the query and the documents of the first rows of a run or judgments."""
    if settled.table is None:
        places = (0, 1) if settled.what.form in ("three", "smart") else (0, 2)
        for line in settled.source.lines if settled.what.form in ("trec", "three", "smart") else ():
            columns = columns_of_line(line)
            if len(columns) > max(places):
                yield columns[0], [columns[places[1]]]
    elif settled.has_pair:
        for row in settled.table.head:
            query_id, cell = id_in(row.cells.get(settled.parts["query_id"])), row.cells.get(settled.parts["doc_id"])
            found = documents_in(cell)
            items = [cell] if found is None else [*found]
            documents = (listed(str(item) if type(item) is int else item, "run") for item in items)
            if query_id is not None:
                yield query_id, [document.doc_id for document in documents if document]
