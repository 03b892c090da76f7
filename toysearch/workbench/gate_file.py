"""Reader of expectation files: what a search must reach, from TOML, with the line of each entry."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

from toysearch.base import ArgumentError, DataError, malformed, unknown
from toysearch.base.elsewhere import phrases
from toysearch.evaluation import Measure, placed
from toysearch.files.numbers import finite_value
from toysearch.files.toml_tables import read_toml
from toysearch.study import ItemSettings

_HEADER = re.compile(r"\s*\[\[?\s*(?P<name>[^\[\]]+?)\s*\]\]?\s*(?:#.*)?")


class TomlTable(NamedTuple):
    """Table of a TOML file: its name, the number of its first line, from 1, and its lines."""

    name: str
    first: int
    lines: list[str]

    def line_of(self, key: str) -> int:
        """Return the line that sets a key, or the first line if the key is not found.

        >>> [table.line_of("k") for table in tables_of(["a = 1", "k = 5", "[systems.mine]", "model = 'bm25'"])]
        [2, 3]
        """
        pattern = re.compile(rf"\s*[\"']?{re.escape(key)}[\"']?\s*=")
        return next((n for n, line in enumerate(self.lines, self.first) if pattern.match(line)), self.first)


def tables_of(lines: Sequence[str]) -> list[TomlTable]:
    """Return the tables of a file, from the one above the first header.

    A line inside a multi-line string that looks like a header is taken for one; only line numbers can be wrong then.
    """
    tables = [TomlTable("", 1, [])]
    for number, line in enumerate(lines, 1):
        if header := _HEADER.fullmatch(line):
            tables.append(TomlTable(_plain(header["name"]), number, []))
        tables[-1].lines.append(line)
    return tables


def _plain(name: str) -> str:
    """Strip the quotation marks and spaces that a header may have."""
    return re.sub(r"[\s\"']", "", name)


GateSystem = dict[str, Any]
"""System of the file, a model on a collection, or a run: its values, by key."""


class Expectation(NamedTuple):
    """Expectation of a system."""

    line: int  # where it begins
    goal: str  # of `GOALS`
    system: GateSystem  # the system under test
    values: dict[str, Any]  # its values in the file, by key; ``measure`` is a `Measure`, ``documents`` a list of ids
    baseline: GateSystem | None = None  # the system to compare with

    @property
    def title(self) -> str:
        """Return its name, or else a summary such as ``AP at_least=0.3`` or ``query 12 in_first=3``."""
        if "name" in self.values:
            return str(self.values["name"])
        about = [str(self.values[key]) for key in ("measure", "text") if key in self.values]
        about += [f"query {self.values['query']}"] if "query" in self.values else []
        return " ".join([*about, f"{self.goal}={self.values[self.goal]:g}"])


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value and "\0" not in value else None


def _id(value: Any) -> str | None:
    """Read an id; numbers, which need no quotation marks in TOML, are ids too."""
    return str(value) if type(value) is int else _text(value)


def _ids(value: Any) -> Any:
    ids = [*map(_id, value)] if isinstance(value, list) else []
    return ids if ids and all(ids) else None


def _number(value: Any, least: float, whole: bool) -> float | None:
    number = finite_value(value)
    right = number is not None and number >= least and (type(value) is int or not whole)
    return value if right else None


def _items(value: Any) -> ItemSettings | None:
    return ItemSettings.parse(value) if isinstance(value, str) else ItemSettings() if value is True else None


def _measure(value: Any) -> Measure | None:
    return Measure.parse(value) if isinstance(value, str) else None


def _ties(value: Any) -> str | None:
    return value if value in ("rank", "trec_eval") else None


Item = Mapping[str, Any]
"""Table of a gate file as TOML has it."""

Readers = Mapping[str, tuple[Callable[[Any], Any], str]]
"""Key → what reads its value, with None for a wrong one, and what is expected."""

_SYSTEM: Readers = {
    "collection": (_text, "a string: a name, a folder, a file or an index"),
    "model": (_text, "a string, such as 'bm25:b=0.4' or 'mine.py:rank'"),
    "run": (_text, "a string: the path of a run"),
    "queries": (_text, "a string: the path of queries, or the name of a collection"),
    "qrels": (_text, "a string: the path of judgments, or the name of a collection"),
    "known_items": (_items, "true, or a string: title, sentence or words, as sentence:n=50,seed=1"),
    "ties": (_ties, "rank or trec_eval"),
}
_EXPECTATION: Readers = {
    "name": (_text, "a text"),
    "system": (_text, "a string: the name of one of the systems"),
    "measure": (_measure, "a string: the name of a measure"),
    "query": (_id, "a string or a number: the id of a query"),
    "text": (_text, "a string: the text of a query"),
    "document": (_id, "a string or a number: the id of a document"),
    "documents": (_ids, "a list of ids"),
    "baseline": (_text, "a string: the name of one of the systems, or the path of a run"),
    "at_least": (finite_value, "a number"),
    "in_first": (partial(_number, least=1, whole=True), "a whole number of at least 1"),
    "not_in_first": (partial(_number, least=1, whole=True), "a whole number of at least 1"),
    "finds_at_most": (partial(_number, least=0, whole=True), "a whole number, such as 0"),
    "query_may_fall_by": (partial(_number, least=0, whole=False), "a number of 0 or more"),
}
GOALS = {
    "at_least": ("measure",),
    "in_first": ("query|text", "document|documents"),
    "not_in_first": ("query|text", "document|documents"),
    "finds_at_most": ("query|text",),
    "query_may_fall_by": ("measure", "baseline"),
}
"""Key that states an expectation → the keys that it needs; a|b is one of two. A measure may be that of a query."""


def read_gate(path: str | PathLike[str]) -> list[Expectation]:
    """Read the expectations in a file, in order."""
    table, lines = read_toml(path)
    return _Reading(Path(path), tables_of(lines)).expectations(table)


class _Reading:
    def __init__(self, path: Path, tables: list[TomlTable]) -> None:
        self._path, self._tables, self._top = path, tables, tables[0]

    def _error(self, message: object, where: TomlTable, key: str = "") -> DataError:
        return malformed(self._path, where.line_of(key) if key else where.first, str(message))

    def expectations(self, table: Item) -> list[Expectation]:
        systems, items = self._systems(table), table.get("expect", [])
        if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
            raise self._error("expected at least one table [[expect]]", self._top, "expect")
        places = [table for table in self._tables if table.name == "expect"]
        if len(places) != len(items):  # written as an inline list of tables
            places = [self._top._replace(first=self._top.line_of("expect"), lines=[])] * len(items)
        return [self._expectation(item, where, systems) for item, where in zip(items, places, strict=True)]

    def _systems(self, table: Item) -> dict[str, GateSystem]:
        """Return the systems by name; '' is the system at the top of the file."""
        named = table.get("systems", {})
        if not isinstance(named, dict) or not all(isinstance(item, dict) for item in named.values()):
            raise self._error("expected a table [systems.NAME] for each system", self._top, "systems")
        top = {key: value for key, value in table.items() if key not in ("expect", "systems")}
        systems = {}
        for name, item in ({"": top} | named if top else named).items():
            header = _plain(f"systems.{name}") if name else ""
            where = next((place for place in self._tables if place.name == header), self._top)
            systems[name] = self._system(name, item, where)
        if len({system["ties"] for system in systems.values() if "ties" in system}) > 1:
            message = "ties is one rule for all systems of a file, found rank and trec_eval"
            raise self._error(message, self._top, "ties")
        return systems

    def _system(self, name: str, item: Item, where: TomlTable) -> GateSystem:
        values = self._values(item, _SYSTEM, where)
        what = f"system '{name}'" if name else "the system at the top of the file"
        is_run, has_collection = "run" in values, "collection" in values
        if not is_run and not has_collection:
            raise self._error(f"{what} has neither a collection nor a run; expected one of them", where)
        if is_run and not has_collection and "qrels" not in values:
            raise self._error(f"{what} is a run without judgments; expected a key qrels, or collection", where)
        if "queries" in values and not has_collection:
            message = f"{what} has queries without a collection; expected a key collection"
            raise self._error(message, where, "queries")
        if is_run and "model" in values:
            raise self._error(f"{what} is a run, which is scored as it is; remove model", where, "model")
        for key in ("queries", "qrels"):
            if "known_items" in values and key in values:
                raise self._error(f"known_items makes queries and judgments; remove it, or {key}", where, key)
        return values

    def _expectation(self, item: Item, where: TomlTable, systems: Mapping[str, GateSystem]) -> Expectation:
        values = self._values(item, _EXPECTATION, where)
        goal = self._goal(values, where)
        if "document" in values:
            values["documents"] = [values.pop("document")]
        system, baseline = self._tested(values, systems, where), None
        if "baseline" in values:
            name = values["baseline"]
            if name not in systems and not os.path.isfile(self._path.parent / name):
                raise self._error(f"there is no run '{name}', and no system of that name", where, "baseline")
            beside = {key: value for key, value in system.items() if key != "model"}  # a run is judged as the system is
            baseline = systems.get(name, beside | {"run": name})
        return Expectation(where.first, goal, system, values, baseline)

    def _goal(self, values: Item, where: TomlTable) -> str:
        """Find what an expectation states; refuse missing and superfluous keys."""
        goals = [key for key in GOALS if key in values]
        if not goals:
            raise self._error(f"this table states no expectation; expected one of {', '.join(GOALS)}", where)
        if len(goals) > 1:
            message = f"expected one of these keys, found {' and '.join(goals)}; write one [[expect]] for each"
            raise self._error(message, where)
        [goal] = goals
        known = {"name", "system", goal, "query" if goal == "at_least" else goal}
        for choices in (choice.split("|") for choice in GOALS[goal]):
            given = [key for key in choices if key in values]
            if not given:
                raise self._error(f"{goal} needs a key {' or '.join(choices)}", where)
            if len(given) > 1:
                raise self._error(f"{goal} needs one of {' and '.join(given)}, found both", where)
            known.update(choices)
        for key in values.keys() - known:
            raise self._error(f"{key} has no meaning beside {goal}; leave it out", where, key)
        return goal

    def _tested(self, values: Item, systems: Mapping[str, GateSystem], where: TomlTable) -> GateSystem:
        """Return the system under test; by default the one at the top of the file, or the only one."""
        name = values.get("system", next(iter(systems)) if len(systems) == 1 else "")
        if name in systems:
            return systems[name]
        if "system" in values:
            raise self._error(unknown("system", name, systems), where, "system")
        what, key = "there is no system to test", ""
        if systems:
            what, key = "there are several systems", "a key system, or "
        raise self._error(f"{what}; expected {key}a collection or a run at the top of the file", where)

    def _values(self, item: Item, readers: Readers, where: TomlTable) -> dict[str, Any]:
        values = {}
        for key, value in item.items():
            if key not in readers:
                retired = next((row.advice for row in phrases("key") if row.theirs == key), "")
                tables = ["expect", "systems"] if where is self._top else []
                known = unknown("key", key, [*readers, *tables])
                message = f"{key} is not a key any more: {retired}" if retired else known
                raise self._error(message, where, key)
            read, expected = readers[key]
            if key == "measure" and isinstance(value, str):
                value = placed(value, self._path.parent)
            try:
                values[key] = read(value)
            except ArgumentError as error:
                raise self._error(error, where, key) from None
            if values[key] is None:
                raise self._error(f"expected {expected} as {key}, found {value!r:.60}", where, key)
        return values
