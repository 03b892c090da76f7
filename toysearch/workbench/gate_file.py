"""Reader of expectation files: the values that a search must reach, from TOML, with the line of each entry."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

from toysearch.base import ArgumentError, DataError, malformed, unknown
from toysearch.evaluation import Measure, placed
from toysearch.files.numbers import finite_value
from toysearch.files.reading import ARGUMENTS, SETTINGS
from toysearch.files.toml_tables import read_toml
from toysearch.study import ItemSettings

_HEADER = re.compile(r"\s*\[\[?\s*(?P<name>[^\[\]]+?)\s*\]\]?\s*(?:#.*)?")


class TomlTable(NamedTuple):
    """Table of a TOML file: its name as in the header, and its line numbers, from 1."""

    name: str
    first: int
    last: int


class Lines:
    """Lines of a TOML file, and the table that each belongs to.

    A line inside a multi-line string that looks like a header is taken for one; only line numbers can be wrong then.

    >>> lines = Lines(["k = 5", "[systems.mine]", "modl = 'bm25'", "[[expect]]", "measure = 'AP'", "[[expect]]"])
    >>> [table.first for table in lines.tables("expect")], lines.of_key("modl", lines.tables("systems.mine")[0])
    ([4, 6], 3)
    """

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        headers = [(number, match) for number, line in enumerate(lines, 1) if (match := _HEADER.fullmatch(line))]
        starts = [(1, ""), *((number, _plain(match["name"])) for number, match in headers)]
        ends = [number - 1 for number, _ in starts[1:]] + [len(lines)]
        self._tables = [TomlTable(name, first, last) for (first, name), last in zip(starts, ends, strict=True)]

    @property
    def top(self) -> TomlTable:
        """Return the table above the first header."""
        return self._tables[0]

    def tables(self, name: str) -> list[TomlTable]:
        """Return the tables with a name, in file order."""
        return [table for table in self._tables[1:] if table.name == _plain(name)]

    def of_key(self, key: str, table: TomlTable) -> int:
        """Return the line that sets a key of a table, or the first line of the table if the key is not found."""
        pattern = re.compile(rf"\s*[\"']?{re.escape(key)}[\"']?\s*=")
        for number in range(table.first, table.last + 1):
            if pattern.match(self._lines[number - 1]):
                return number
        return table.first


def _plain(name: str) -> str:
    """Strip the quotation marks and spaces that a header may have."""
    return re.sub(r"[\s\"']", "", name)


READING = tuple(name for name in ARGUMENTS if not SETTINGS[name].is_output)
"""Keys of a system for reading its collection, its queries and its judgments, named as the arguments of `load`."""

ANALYSIS = ("language", "tokens", "stop", "stem")
"""Keys of a system for the analysis of its texts."""


GateSystem = dict[str, Any]
"""System of the file, a model on a collection, or a run: its values, by key."""


class Expectation(NamedTuple):
    """Expectation of a system."""

    line: int  # where it begins
    kind: str  # of `KINDS`
    system: GateSystem  # the system under test
    values: dict[str, Any]  # its values in the file, by key; ``measure`` is a `Measure`, ``documents`` a list of ids
    baseline: GateSystem | None = None  # the system to compare with

    @property
    def title(self) -> str:
        """Return its name, or else a summary such as ``AP at_least=0.3`` or ``query 12 in_first=3``."""
        if "name" in self.values:
            return str(self.values["name"])
        about = [str(self.values["measure"])] if "measure" in self.values else []
        about += [f"query {self.values['query']}"] if "query" in self.values else []
        about += [self.values["text"]] if "text" in self.values else []
        for key in KINDS[self.kind].goals:
            if key in self.values:
                goal = self.values[key]
                about.append(f"{key}={goal if isinstance(goal, str) else f'{goal:g}'}")
        return " ".join(about)


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value and "\0" not in value else None


def _id(value: Any) -> str | None:
    """Read an id; numbers, which need no quotation marks in TOML, are ids too."""
    return str(value) if type(value) is int else _text(value)


def _ids(value: Any) -> list[str] | None:
    ids = [_id(item) for item in value] if isinstance(value, list) else []
    return [item for item in ids if item] if ids and all(ids) else None


def _names(value: Any) -> str | None:
    return ",".join(value) if isinstance(value, list) and value and all(map(_text, value)) else _text(value)


def _columns(value: Any) -> str | dict[str, str] | None:
    return value if isinstance(value, dict) and value and all(map(_text, value.values())) else _text(value)


def _drop(value: Any) -> float | None:
    number = finite_value(value)
    return number if number is not None and number >= 0 else None


def _count(value: Any, least: int = 1) -> int | None:
    return value if type(value) is int and value >= least else None


def _items(value: Any) -> ItemSettings | None:
    return ItemSettings.parse(value) if isinstance(value, str) else ItemSettings() if value is True else None


def _measure(value: Any) -> Measure | None:
    return Measure.parse(value) if isinstance(value, str) else None


Item = Mapping[str, Any]
"""Table of a gate file as TOML has it."""

Reader = Callable[[Any], Any]

_READERS: dict[type, tuple[Reader, str]] = {
    str: (_text, "a text"),
    dict: (_columns, "a string or a table of columns by part"),
    tuple: (_names, "a string or a list of strings"),
}
_SYSTEM: dict[str, tuple[Reader, str]] = {
    "collection": (_text, "a string: a name, a folder, a file or an index"),
    "model": (_text, "a string, such as 'bm25:b=0.4' or 'mine.py:rank'"),
    "run": (_text, "a string: the path of a run"),
    "queries": (_text, "a string: the path of queries, or the name of a collection"),
    "qrels": (_text, "a string: the path of judgments, or the name of a collection"),
    "known_items": (_items, "true, or a string: title, sentence or words, as sentence:n=50,seed=1"),
    "k": (_count, "a whole number of at least 1"),
    "threshold": (finite_value, "a number"),
    "ties": (lambda value: value if value in ("rank", "trec_eval") else None, "rank or trec_eval"),
    **dict.fromkeys(ANALYSIS, _READERS[str]),
    **{name: _READERS[SETTINGS[name].kind] for name in READING},
}
_EXPECTATION: dict[str, tuple[Reader, str]] = {
    "name": (_text, "a text"),
    "system": (_text, "a string: the name of one of the systems"),
    "measure": (_measure, "a string: the name of a measure"),
    "query": (_id, "a string or a number: the id of a query"),
    "text": (_text, "a string: the text of a query"),
    "document": (_id, "a string or a number: the id of a document"),
    "documents": (_ids, "a list of ids"),
    "baseline": (_text, "a string: the name of one of the systems, or the path of a run"),
    "at_least": (finite_value, "a number"),
    "at_most": (finite_value, "a number"),
    "every_query_at_least": (finite_value, "a number"),
    "in_first": (_count, "a whole number of at least 1"),
    "not_in_first": (_count, "a whole number of at least 1"),
    "finds_at_least": (_count, "a whole number of at least 1"),
    "finds_at_most": (partial(_count, least=0), "a whole number, such as 0"),
    "query_may_fall_by": (_drop, "a number of 0 or more"),
    "mean_may_fall_by": (_drop, "a number of 0 or more"),
    "no_worse_than": (_text, "a string: the name of one of the systems, or the path of a run"),
    "margin": (lambda value: _drop(value) or None, "a number above 0, such as 0.01"),
}


class ExpectationKind(NamedTuple):
    """Kind of expectation: its goal keys (one is given), its required keys, and its optional keys.

    ``a|b`` means either key.
    """

    goals: tuple[str, ...]
    needed: tuple[str, ...]
    allowed: tuple[str, ...]


KINDS = {
    "value": ExpectationKind(("at_least", "at_most"), ("measure",), ("query",)),
    "every query": ExpectationKind(("every_query_at_least",), ("measure",), ()),
    "rank": ExpectationKind(("in_first", "not_in_first"), ("query|text", "document|documents"), ()),
    "found": ExpectationKind(("finds_at_least", "finds_at_most"), ("query|text",), ()),
    "fall": ExpectationKind(("query_may_fall_by", "mean_may_fall_by"), ("measure", "baseline"), ()),
    "not worse": ExpectationKind(("no_worse_than",), ("measure", "margin"), ()),
}


def read_gate(path: str | PathLike[str]) -> list[Expectation]:
    """Read the expectations in a file, in order."""
    table, lines = read_toml(path)
    return _Reading(Path(path), Lines(lines)).expectations(table)


class _Reading:
    def __init__(self, path: Path, lines: Lines) -> None:
        self._path = path
        self._lines = lines

    def _error(self, message: str, where: TomlTable, key: str = "") -> DataError:
        return malformed(self._path, self._lines.of_key(key, where) if key else where.first, message)

    def expectations(self, table: Item) -> list[Expectation]:
        systems, top = self._systems(table), self._lines.top
        items = table.get("expect", [])
        if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
            raise self._error("expected at least one table [[expect]]", top, "expect")
        read_tables = self._lines.tables("expect")
        if len(read_tables) != len(items):  # written as an inline list of tables
            read_tables = [top._replace(first=self._lines.of_key("expect", top))] * len(items)
        return [self._expectation(item, where, systems) for item, where in zip(items, read_tables, strict=True)]

    def _systems(self, table: Item) -> dict[str, GateSystem]:
        """Return the systems by name; '' is the system at the top of the file."""
        top, tables = self._lines.top, table.get("systems", {})
        if not isinstance(tables, dict) or not all(isinstance(item, dict) for item in tables.values()):
            raise self._error("expected a table [systems.NAME] for each system", top, "systems")
        values = {key: value for key, value in table.items() if key not in ("expect", "systems")}
        systems = {"": self._system("", values, top)} if values else {}
        for name, item in tables.items():
            where = [*self._lines.tables(f"systems.{name}"), top][0]
            systems[name] = self._system(name, item, where)
        rules = {system["ties"] for system in systems.values() if "ties" in system}
        if len(rules) > 1:
            raise self._error("ties is one rule for all systems of a file, found rank and trec_eval", top, "ties")
        return systems

    def _system(self, name: str, item: Item, where: TomlTable) -> GateSystem:
        values = self._values(item, _SYSTEM, where, ["expect", "systems"] if where == self._lines.top else [])
        what = f"system '{name}'" if name else "the system at the top of the file"
        if "collection" not in values:
            if "run" not in values:
                raise self._error(f"{what} has neither a collection nor a run; expected one of them", where)
            if "qrels" not in values:
                raise self._error(f"{what} is a run without judgments; expected a key qrels, or collection", where)
            if "queries" in values:
                message = f"{what} has queries without a collection; expected a key collection"
                raise self._error(message, where, "queries")
        for key in ("queries", "qrels"):
            if "known_items" in values and key in values:
                raise self._error(f"known_items makes queries and judgments; remove it, or {key}", where, key)
        for key in ("model", "k", *ANALYSIS):
            if "run" in values and key in values:
                raise self._error(f"{what} is a run, which is scored as it is; remove {key}", where, key)
        return values

    def _expectation(self, item: Item, where: TomlTable, systems: Mapping[str, GateSystem]) -> Expectation:
        values = self._values(item, _EXPECTATION, where, [])
        kind = self._kind(values, where)
        if values.get("at_most", math.inf) < values.get("at_least", -math.inf):
            both = f"at_least, {values['at_least']:g}, is above at_most, {values['at_most']:g}"
            raise self._error(f"{both}, so no value meets the expectation", where, "at_least")
        if "document" in values:
            values["documents"] = [values.pop("document")]
        system, baseline = self._named(values.get("system"), systems, where), None
        for key in values.keys() & {"baseline", "no_worse_than"}:
            name = values[key]
            baseline = systems.get(name)
            if baseline is None and not os.path.isfile(self._path.parent / name):
                names = [key for key in systems if key]
                message = f"there is no run '{name}', and no system of that name"
                raise self._error(str(unknown("baseline", name, names)) if names else message, where, key)
            if baseline is None:
                judging = ("collection", "queries", "qrels", "known_items", "threshold", "ties", *READING)
                baseline = {key: system[key] for key in judging if key in system} | {"run": name}
        return Expectation(where.first, kind, system, values, baseline)

    def _kind(self, values: Item, where: TomlTable) -> str:
        """Find the kind of an expectation from its keys; refuse missing and superfluous ones."""
        goals = {key: name for name, kind in KINDS.items() for key in kind.goals}
        present = [key for key in goals if key in values]
        if not present:
            raise self._error(f"this table states no expectation; expected one of {', '.join(goals)}", where)
        if len(present) > 1 and present != ["at_least", "at_most"]:
            message = f"expected one of these keys, found {' and '.join(present)}; write one [[expect]] for each"
            raise self._error(message, where)
        kind = KINDS[goals[present[0]]]
        needed = [choice.split("|") for choice in kind.needed]
        for choices in needed:
            there = [key for key in choices if key in values]
            if not there:
                raise self._error(f"{present[0]} needs a key {' or '.join(choices)}", where)
            if len(there) > 1:
                raise self._error(f"{present[0]} needs one of {' and '.join(there)}, found both", where)
        known = {"name", "system", *chain(kind.goals, kind.allowed, *needed)}
        for key in values:
            if key not in known:
                raise self._error(f"{key} has no meaning beside {present[0]}; leave it out", where, key)
        return goals[present[0]]

    def _named(self, name: str | None, systems: Mapping[str, GateSystem], where: TomlTable) -> GateSystem:
        """Return the system with a name; by default the one at the top of the file, or the only one."""
        if name is None:
            if "" in systems or len(systems) == 1:
                return systems[""] if "" in systems else next(iter(systems.values()))
            what = "there are several systems" if systems else "there is no system to test"
            keys = "a key system, or a collection or a run" if systems else "a collection or a run"
            raise self._error(f"{what}; expected {keys} at the top of the file", where)
        if name not in systems:
            raise self._error(str(unknown("system", name, [key for key in systems if key])), where, "system")
        return systems[name]

    def _values(
        self, item: Item, keys: Mapping[str, tuple[Reader, str]], where: TomlTable, more: list[str]
    ) -> dict[str, Any]:
        values = {}
        for key, value in item.items():
            if key not in keys:
                raise self._error(str(unknown("key", key, [*keys, *more])), where, key)
            convert, expected = keys[key]
            if key == "measure" and isinstance(value, str):
                value = placed(value, self._path.parent)
            try:
                values[key] = convert(value)
            except ArgumentError as error:
                raise self._error(str(error), where, key) from None
            if values[key] is None:
                raise self._error(f"expected {expected} as {key}, found {value!r:.60}", where, key)
        return values
