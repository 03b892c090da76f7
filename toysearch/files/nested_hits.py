"""Hits in nested JSON: the paths to queries, documents and scores, and one row for each document."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import islice
from typing import Any, NamedTuple, TypeAlias

from toysearch.files.columns import (
    ByPart,
    is_negative,
    is_prose,
    labels_of,
    means_relevant,
    named_like,
    parts_of,
    plain_label,
    words_of,
)
from toysearch.files.labels import ANSWERS, CONTEXTS, HITS, JUDGED, NAMES, RANKED, TABLES
from toysearch.files.listed_documents import VALUES, id_in, is_number
from toysearch.files.numbers import codes_in, counts, falls, number_of
from toysearch.files.table import KEY, VALUE, Cells, Row, Table

_DEEPEST = 12
_MOST_KEYS = 50  # of an object whose keys are no ids
_AROUND = {*HITS, "matches", "points", "result", "data", *(name for names in TABLES.values() for name in names)}
"""Keys around hits or tables, which are no ids of queries."""
_ByPath: TypeAlias = dict[str, list[Any]]


class Paths(NamedTuple):
    """Paths of the parts of a run or of judgments: keys with points between, `KEY` and `VALUE` where ids are keys."""

    parts: ByPart  # part → its path
    by: str = ""  # the part that holds the value; "" if the order counts, or each document is relevant
    documents: Sequence[str] = ()  # paths between which nothing decides
    values: Sequence[str] = ()  # paths of which one may hold the grade
    is_open: bool = False  # True if the value is missing
    several: str = ""  # the path of lists of numbers, one for each document, which are no grade


@dataclass
class Found:
    """Texts and numbers in nested objects."""

    queries: Collection[str] = ()  # ids of the other files
    documents: Collection[str] = ()
    shared: Set[str] = frozenset()  # paths whose last key holds some of the same in other files, of unknown ids
    keyed: Set[str] = frozenset()  # paths of objects whose keys are ids, as those of others there are
    cells: _ByPath = field(default_factory=partial(defaultdict, list))  # path → what stands there
    lists: _ByPath = field(default_factory=partial(defaultdict, list))  # path → lists, or keys that are documents

    def add(self, value: Any, path: str = "", depth: int = 0) -> None:
        """Add what stands in a value."""
        value = _paired(value)
        if depth > _DEEPEST or value is None:
            return
        if isinstance(value, list):
            self.lists[path].append(value)
            for one in value:
                self.add(one, path, depth + 1)
        elif not isinstance(value, dict):
            self.cells[path].append(value)
        elif self._has_ids_as_keys(value, path):
            if not value.keys().isdisjoint(self.documents) or are_alike(value):
                self.lists[path].append([*value])
            for key, one in value.items():
                self.cells[_joined(path, KEY)].append(key)
                self.add(one, _joined(path, VALUE), depth + 1)
        elif len(value) <= _MOST_KEYS:
            for key, one in value.items():
                self.add(one, _joined(path, key), depth + 1)

    def _has_ids_as_keys(self, value: dict[str, Any], path: str) -> bool:
        """True if keys are ids of the other files, name systems above those, or may be queries above lists."""
        inner = [one for one in value.values() if isinstance(one, dict)]
        if len(inner) > 1 and all(not one.keys().isdisjoint(self.queries) for one in inner):
            return True
        if are_alike(value) or path in self.keyed:
            return True
        is_even = len({isinstance(one, dict | list) for one in value.values()}) == 1
        if is_even and not (value.keys().isdisjoint(self.queries) and value.keys().isdisjoint(self.documents)):
            return True
        are_lists = bool(value) and all(isinstance(one, list) for one in value.values())
        [first, *others] = value.values() if are_lists else [[]]
        cells = [cell for one in first if isinstance(one, dict) for cell in one.values()]
        is_around = not others and _names_query(cells)
        return not path and are_lists and not is_around and _AROUND.isdisjoint(map(plain_label, value))

    @property
    def has_flags(self) -> bool:
        """True if documents in lists have a value that is true or false, which may be their grade."""
        return any(isinstance(cells[0], bool) and self.list_of(path) for path, cells in self.cells.items())

    @property
    def is_nested(self) -> bool:
        """True if there are objects or lists in the objects."""
        return bool(self.lists) or any("." in path for path in self.cells)

    def list_of(self, path: str) -> str | None:
        """Return the innermost list around a path; None without one."""
        around = [one for one in self.lists if one in ("", path) or path.startswith(f"{one}.")]
        return max(around, key=len, default=None)

    def share(self, path: str, ids: Collection[str]) -> float:
        """Return the share of the cells of a path that are among some ids."""
        cells = self.cells[path]
        return sum(id_in(cell) in ids for cell in cells) / len(cells)

    def query(self, doc: str) -> str:
        """Return the path of the ids of queries; "" without any."""
        most = len(self.cells[doc]) + self.lists.get(self.list_of(doc) or "", []).count([])
        free = [path for path in self.cells if path != doc and len(self.cells[path]) <= most]
        free = [path for path in free if not self._counts(path, doc)]
        if self.queries:
            found = [path for path in free if self._has_queries(path)]
            return max(found, key=lambda path: self.share(path, self.queries), default="")
        if KEY in free:
            return KEY
        named = [path for path in free if "query_id" in labels_of([last_key(path)])]
        if not named:
            return next((path for path in ("id", "_id") if path in free and path in self.shared), "")
        is_open = len({*map(_parent, named)}) > 1
        keys = {last_key(path): path for path in named}
        return "" if is_open else keys[labels_of(keys)["query_id"]]

    def _counts(self, path: str, doc: str) -> bool:
        """True for numbers beside the hits of an engine, or that repeat above lists, unless their key names an id."""
        cells, last = self.cells[path], last_key(path)
        if not all(type(cell) is int for cell in cells) or _is_of_id(path) or "query_id" in labels_of([last]):
            return False
        around = [doc.partition(answer)[0] for answer in ANSWERS if answer in doc]
        return path.startswith((*around,)) or len({*cells}) < len(cells) < len(self.cells[doc])

    def _has_queries(self, path: str) -> bool:
        """True if half of what stands on a path are queries of the other files; or some, if its key names an id."""
        cells = {*map(id_in, self.cells[path])}
        n_common = len(cells & {*self.queries})
        return 2 * n_common > min(len(cells), len(self.queries)) or (n_common > 0 and _is_of_id(path))

    def documents_for(self, role: str) -> list[str]:
        """Return the path of the ids of documents; several if nothing decides between them."""
        found = [path for path in self.cells if self.share(path, self.documents) and self._may_be_documents(path)]
        found = [path for path in found if path != KEY] or found  # the keys of all else are queries
        if not self.documents:
            numbered = [path for path in self.shared & self.lists.keys() if {*map(type, self.cells[path])} == {int}]
            numbered = [path for path in numbered if self._may_be_documents(path)]
            inside = [path for path in self.cells if self.list_of(path) is not None]
            of_objects = [path for path in inside if path in self.shared and path not in self.lists]
            texts = [path for path in of_objects if {*map(type, self.cells[path])} == {str}]
            found = [path for path in inside if _is_of_id(path)] or numbered or texts
            found = [path for path in found if path in self.shared] or found
        relevant = [path for path in found if means_relevant(path)]
        others = [path for path in found if path not in relevant and not is_negative(path)]
        unranked = [path for path in others if words_of(path).isdisjoint(RANKED | CONTEXTS)]
        found = (relevant or unranked or others) if role == "qrels" else (others or found)
        found = [path for path in found if _is_of_id(path)] or found
        lists = [path for path in found if path in self.lists]
        with_texts = [path for path in lists if str in map(type, self.cells[path])]
        several = [path for path in lists if path in relevant or path in with_texts or last_key(path).isdecimal()]
        shares = {path: self.share(path, self.documents) for path in found}
        if role == "run" and lists == found and 1 in shares.values():
            judged = next(path for path in found if shares[path] == 1)
            longer = [path for path in found if len(self.cells[path]) > len(self.cells[judged])]
            if len(longer) == 1 and shares[longer[0]] < 1:
                return longer  # beside a shorter list of known ids alone: the judgments
        if len(several) > 1:
            return several  # perhaps one for each grade or system
        most = max(shares.values(), default=0)
        best = [path for path in found if shares[path] == most]
        best.sort(key=lambda path: -len(self.cells[path]))
        ids = {path: [*map(id_in, self.cells[path])] for path in best}
        return [path for path in best if ids[path] != ids[best[0]] or path == best[0]]

    def _may_be_documents(self, path: str) -> bool:
        """True unless ids stand above lists of ids, name queries, or are numbers that repeat in a list or fill it."""
        if _below(path) in self.lists.keys() & self.cells.keys():
            return not self.share(_below(path), self.documents)
        if path not in self.lists or not all(type(cell) is int for cell in self.cells[path]):
            is_named = "query_id" in labels_of([last_key(path)])
            return not is_named or (not self.share(path, self.queries) and any(map(self._has_queries, self.cells)))
        groups = [group for group in self.lists[path] if {*map(type, group)} == {int}]
        return not all(map(counts, map(sorted, groups))) and all(len({*group}) == len(group) for group in groups)

    def values(self, doc: str) -> list[str]:
        """Return the paths of the values that documents may have, beside their ids."""
        around, others = self.list_of(doc), [path for path in self.cells if path != doc]
        as_many = [path for path in others if len(self.cells[path]) == len(self.cells[doc])]
        if doc == around:  # perhaps with a list of scores beside
            return [path for path in as_many if path in self.lists and _parent(path) == _parent(doc)]
        lists_of_one = as_many if around is None else ()  # each document may have a list of one grade
        return [path for path in others if self.list_of(path) == around or path in lists_of_one]

    def valued(self, doc: str, role: str) -> dict[str, str]:
        """Return part → the path whose name says that it holds the values of documents, in order of precedence."""
        values, parts = self.values(doc), dict[str, str]()
        for part in VALUES[role]:
            labels = [path for path in values if _part_of(path, role) == part and _are_values(self.cells[path], part)]
            if role == "run":  # equal numbers are no scores
                labels = [path for path in labels if len({*map(str, self.cells[path])}) > 1 or len(values) == 1]
            if labels:
                parts[part] = labels[0]
        return parts

    def several(self, doc: str) -> str:
        """Return the path of lists of grades, one for each document, some with several; "" without."""
        for path, groups in self.lists.items():
            of_grades = _parent(path) == _parent(doc) and _part_of(path, "qrels") == "relevance"
            cells = self.cells.get(path, ())
            if of_grades and len(groups) == len(self.cells[doc]) < len(cells) and all(map(is_number, cells)):
                return path
        return ""

    def other_scores(self, doc: str) -> list[str]:
        """Return the paths of scores that fall down each list of documents, if those of the known name do not."""
        falling = [path for path in self.values(doc) if "score" in words_of(last_key(path)) and self._falls(path, doc)]
        return [] if self.valued(doc, "run").get("score") in (None, *falling) else falling

    def _falls(self, path: str, doc: str) -> bool:
        """True if the numbers on a path fall down each list of documents."""
        groups = self.lists.get(self.list_of(doc) or "", ())
        numbers = (number_of(cell) or 0 for cell in self.cells[path])
        lists = [[*islice(numbers, len(items))] for items in groups]
        return sum(map(len, groups)) == len(self.cells[path]) and falls(lists)


def _names_query(value: Any) -> bool:
    """True if a key of objects in some others, or in the lists in them, names a query."""
    if isinstance(value, dict):
        return "query_id" in labels_of(value) or any(map(_names_query, value.values()))
    return isinstance(value, list) and any(map(_names_query, value))


def are_alike(value: Cells) -> bool:
    """True for records by their ids: objects with the same keys, below keys that name no part of a row."""
    shapes = {frozenset(one) if isinstance(one, dict) else None for one in value.values()}
    return (
        len(value) > 1 and len(shapes) == 1 and None not in shapes and not labels_of(value) and not parts_of([*value])
    )


def nested_keys(table: Table) -> list[str]:
    """Return the paths in the objects of a table; none if they hold neither objects nor lists."""
    found = found_in(table)
    return [*found.cells] if found.is_nested else []


def found_in(
    table: Table, queries: Collection[str] = (), documents: Collection[str] = (), keyed: Set[str] = frozenset()
) -> Found:
    """Return what stands in the first objects of a table."""
    found = Found(queries, documents, keyed=keyed)
    for row in table.head:
        found.add(row.cells)
    of_ids = {_parent(path) for path in found.cells if last_key(path) == KEY}
    is_mixed = any(_parent(path) in of_ids and last_key(path) not in (KEY, VALUE) for path in found.cells)
    return found_in(table, queries, documents, of_ids) if is_mixed and not keyed else found


def shared_paths(found: Found, tables: Iterable[Table]) -> set[str]:
    """Return the paths whose last key holds some of the same in other tables of objects."""
    inside = map(found_in, tables)
    others = {(last_key(path), id_in(cell)) for other in inside for path in other.cells for cell in other.cells[path]}
    return {path for path in found.cells for cell in found.cells[path] if (last_key(path), id_in(cell)) in others}


def paths_in(found: Found, role: str, named: ByPart) -> Paths | None:
    """Find the paths of a run or of judgments by the ids of the other files, or by their names if there are no ids.

    named : part → its path, as the user gives it
    """
    docs = [named["doc_id"]] if "doc_id" in named else found.documents_for(role)
    is_known = {*named.values()} <= found.cells.keys()
    docs = [path for path in docs if is_known and (named.get("query_id") or found.query(path))]
    if not docs or not found.is_nested:
        return None
    doc = docs[0]
    query = named.get("query_id") or found.query(doc)
    parts = {**named, "query_id": query, "doc_id": doc}
    is_record = _parent(query) == _parent(doc) and KEY not in (last_key(query), last_key(doc))
    systems = [path for path in found.cells if query.startswith(f"{_below(path)}.")]
    if systems and not is_record:
        parts.setdefault("tag", systems[-1])
    if len(docs) > 1:
        return Paths(parts, documents=docs)
    by = next((part for part in VALUES[role] if part in named), "")
    if by:
        return Paths(parts, by)
    values = found.values(doc)
    is_relevant = role == "qrels" and means_relevant(doc)
    flags = [path for path in values if {*map(type, found.cells[path])} == {bool}]
    for part, path in found.valued(doc, role).items():
        are_scores = (role, part) == ("qrels", "score") and any(
            (number_of(cell) or 0) % 1 for cell in found.cells[path]
        )
        if flags and are_scores:
            return Paths(parts, values=flags, is_open=True)
        if role == "run" and (others := found.other_scores(doc)):
            return Paths(parts, values=[path, *others], is_open=True)
        if not is_relevant or part == VALUES[role][0]:
            return Paths({**parts, part: path}, part)
    if role == "qrels" and not named and (several := found.several(doc)):
        return Paths(parts, several=several)
    # Words that can only be grades: relevant and not relevant; yes and no may answer anything.
    worded = [path for path in values if "relevant" in codes_in(found.cells[path]).lower()]
    if len(worded) == 1 and role == "qrels" and not is_relevant:
        return Paths({**parts, "relevance": worded[0]}, "relevance")
    is_graded = last_key(doc) == KEY and words_of(doc) & JUDGED
    is_pair = role == "qrels" and {"query_id", "doc_id"} <= named.keys()
    if is_pair or (is_relevant and not is_graded):
        return Paths(parts)  # without grades, each is relevant
    values = [path for path in values if path != query and not _is_of_id(path) and named_like(last_key(path)) != "page"]
    values = [path for path in values if not any(map(is_prose, found.cells[path]))]
    values = [path for path in values if len({*map(str, found.cells[path])}) > 1] or values  # not the same for all
    is_list = found.list_of(doc) is not None
    if role == "qrels" and is_list:
        values = [path for path in values if {*map(type, found.cells[path])} <= {int, bool}]
        return Paths(parts, values=values, is_open=bool(values))
    return Paths(parts, values=values, is_open=not is_list)


def _are_values(cells: Sequence[Any], part: str) -> bool:
    """True for numbers, perhaps in texts; grades may be true and false."""
    return all(is_number(cell) or isinstance(cell, str | bool if part == "relevance" else str) for cell in cells)


@lru_cache(maxsize=1 << 12)
def _part_of(path: str, role: str) -> str:
    """Return the part that the last key of a path names; relevance in a run is a score, as in Vespa."""
    last = last_key(path)
    if last == VALUE:  # beside the key of its document
        return VALUES[role][0]
    parts = labels_of([last, last.removesuffix("s")])
    part = next((part for part in (*VALUES[role], "relevance") if part in parts), "")
    return "score" if (role, part) == ("run", "relevance") else part


def _is_of_id(path: str) -> bool:
    """True if the last key of a path names an id.

    >>> [path for path in ("node.id_", "objectID", "docs.pids", "(value).(key)", "score") if _is_of_id(path)]
    ['node.id_', 'objectID', 'docs.pids', '(value).(key)']
    """
    last = plain_label(last_key(path)).strip("_")
    return last in (KEY, *NAMES["doc_id"]) or last.removesuffix("s").endswith("id")


def _joined(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


def _parent(path: str) -> str:
    return path.rpartition(".")[0]


def last_key(path: str) -> str:
    """Return the last key of a path."""
    return path.rpartition(".")[2]


def _below(path: str) -> str:
    """Return the path of what stands under the keys of a path; of one without such keys, none that there is."""
    return path.removesuffix(KEY) + VALUE


def _paired(value: Any) -> Any:
    """Return a pair of a document and a number as an object, more texts and numbers by their places; else the value."""
    if not isinstance(value, list):
        return value
    if len(value) > 2 and {str, int} <= {*map(type, value)}:
        return {f"({place})": cell for place, cell in enumerate(value, 1)}
    is_pair = len(value) == 2 and isinstance(value[0], dict | str) and is_number(value[1])
    return {"document": value[0], "score": value[1]} if is_pair else value


def aligned(value: Any, paths: ByPart) -> list[dict[str, Any]]:
    """Return one object, part → what stands on its path, for each item of the lists on the way.

    Lists beside each other have the same number of items; what stands outside a list belongs to each of its items.

    >>> aligned({"q": 1, "hits": [{"id": "a"}, {"id": "b"}]}, {"query": "q", "doc": "hits.id"})
    [{'query': 1, 'doc': 'a'}, {'query': 1, 'doc': 'b'}]
    >>> aligned({"q": ["x", "y"], "ids": [["a", "b"], ["c"]]}, {"query": "q", "doc": "ids"})
    [{'query': 'x', 'doc': 'a'}, {'query': 'x', 'doc': 'b'}, {'query': 'y', 'doc': 'c'}]
    >>> aligned({"q1": {"a": 3}}, {"query": "(key)", "doc": "(value).(key)", "score": "(value).(value)"})
    [{'query': 'q1', 'doc': 'a', 'score': 3}]
    """
    value = _paired(value)
    if isinstance(value, list):
        return [row for one in value for row in aligned(one, paths)]
    if not any(paths.values()):
        return [dict.fromkeys(paths, value)]
    if not isinstance(value, dict):
        return []
    inner: dict[str, dict[str, str]] = {}
    for part, path in paths.items():
        key = path if path in value else path.partition(".")[0]
        inner.setdefault(key, {})[part] = path[len(key) + 1 :]
    if {KEY, VALUE} & inner.keys() and KEY not in value:
        return [row for key, one in value.items() for row in aligned({KEY: key, VALUE: one}, paths)]
    lists = {key: one for key in inner if isinstance(one := value.get(key), list)}
    groups = [one for one in lists.values() if one and all(isinstance(group, list) for group in one)]
    if groups and len({*map(len, lists.values())}) == 1:  # a list for each query, beside the queries
        grouped = [{**value, **dict(zip(lists, group, strict=True))} for group in zip(*lists.values(), strict=True)]
        return [row for group in grouped for row in aligned(group, paths)]
    columns = [column for key, below in inner.items() if (column := aligned(value.get(key), below))]
    lengths = {len(column) for column in columns} - {1}
    if len(lengths) > 1:
        raise ValueError(f"lists beside each other have {' and '.join(map(str, sorted(lengths)))} items")
    columns = [column * max(lengths, default=1) if len(column) == 1 else column for column in columns]
    return [{part: cell for each in cells for part, cell in each.items()} for cells in zip(*columns, strict=True)]


def flat(table: Table, paths: ByPart) -> tuple[Table, dict[str, str]]:
    """Return a table with one row for each document, and part → its label there: its path."""
    parts = {**paths}
    if last_key(parts.get("tag", "")) == KEY:
        parts["tag"] = "system"
    if parts.get("doc_id") == VALUE:  # the label of a list
        parts["doc_id"] = "doc_id"

    def flat_rows(rows: Iterator[Row]) -> Iterator[Row]:
        for row in rows:
            around = {label: cell for label, cell in row.cells.items() if not isinstance(cell, dict | list)}
            try:
                found = aligned(row.cells, paths)
            except (ValueError, RecursionError) as error:
                is_deep = isinstance(error, RecursionError)
                yield row._replace(problem="it is nested too deeply" if is_deep else str(error))
                continue
            for one in found:
                yield row._replace(cells={**around, **{label: one.get(part) for part, label in parts.items()}})
            if not found:
                yield row

    labels = [*parts.values()]
    form = "json" if table.form == "lines" and len(table.head) == 1 else table.form
    return table.changed(flat_rows, labels=labels, form=form), parts
