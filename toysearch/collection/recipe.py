"""Recipe: the files of a collection, as its collection.toml describes them."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, TypeVar

from toysearch import files
from toysearch.base import (
    IN_FILE,
    UNSTATED,
    ArgumentError,
    DataError,
    Remedy,
    ToysearchError,
    encodable,
    expect_name,
    may_not_end,
    unknown,
)
from toysearch.base.platform import leads_elsewhere
from toysearch.collection.grades import Gains, GradeMapping, GradeOption, choose_grades
from toysearch.files import (
    FORMATS,
    PARTS,
    SETTINGS,
    Reading,
    Rejected,
    finite_number,
    format_named,
    parsed_columns,
    parsed_judged_columns,
)
from toysearch.files.columns import JUDGED_PARTS
from toysearch.files.document_formats import is_texts
from toysearch.files.encodings import known_encoding
from toysearch.files.part import FILE_NAME, Part
from toysearch.files.reading import Columns, named_fields
from toysearch.files.source import Source
from toysearch.files.toml_tables import read_toml

Value = TypeVar("Value")
ROLES = ("documents", "queries", "qrels", "run")


@dataclass(frozen=True, kw_only=True)
class Description:
    """What a collection.toml says of a collection; each field is a key."""

    # title, description, language, tokens, stop, licence, origin: as in `Collection`
    title: str = ""
    description: str = ""
    language: str = "none"
    tokens: str = "word2"
    stop: str = ""
    licence: str = ""
    origin: str = ""
    number: str = (
        ""  # numbering of queries: by ``id``, by ``place`` in the file, or "" (the one that fits the judgments)
    )
    threshold: float = UNSTATED  # the lowest grade that counts as relevant
    judgments: str = ""  # "complete" if every relevant document is judged, so that all others are not relevant
    split: str = ""  # the default set of judgments
    default_grades: str = ""  # the default mapping
    quirks: tuple[str, ...] = ()  # peculiarities of the files, one sentence each
    # queries that count unlike the others, as is known: without a term in a document, without a relevant document
    unmatched: tuple[str, ...] = ()
    without_relevant: tuple[str, ...] = ()
    apart: bool = False  # whether an index counts each searched field separately
    # the addresses of archives, or of folders (these end in ``/``), tried in turn
    sources: tuple[str, ...] = ()


@dataclass(frozen=True)
class Recipe(Description):
    """Description of a collection before its files are read."""

    name: str  # the name of its folder
    folder: Path  # the folder that holds its files, or collection.toml until they are found
    format: str  # one of `FORMATS`: that of the documents
    # one or more for the documents, at most one for the queries and for a run, any number for judgments
    files: tuple[Part, ...]
    counts: tuple[Part, ...] = ()  # files that come with toysearch instead: word counts, and the judgments
    grades: Mapping[str, GradeMapping] = field(default_factory=dict)  # the grade mappings by name
    codes: Mapping[str, float] | None = None  # instead of mappings: the grades of codes such as letters
    in_catalog: bool = False  # whether the catalog knows it by its name
    texts_format: str = ""  # of word counts that stand for texts: the format of those
    remark: str = ""  # what is told when its documents are read
    rejected: Rejected | None = None  # takes the records left out
    reading: Reading = Reading()  # the settings for its files: those of the user, then those of collection.toml

    @property
    def of_counts(self) -> Recipe:
        """Recipe of the word counts that stand for the texts."""
        counts = replace(self, texts_format=self.format, files=self.counts)
        return replace(counts, format=counts.of("documents")[0].format)

    @property
    def text_fields(self) -> Sequence[str]:
        """Fields of a document that are searched."""
        return self.reading.searched or format_named(self.format).text

    def of(self, *roles: str) -> list[Part]:
        """Return the files of some roles."""
        return [file for file in self.files if file.role in roles]

    def missing(self, folder: Path) -> list[str]:
        """Return the paths of the files that a folder does not hold."""
        return [file.path for file in self.files if not file.paths(folder)]

    @property
    def splits(self) -> list[str]:
        """Names of the sets of judgments ("" for one without a name)."""
        return [file.split for file in self.of("qrels")]

    def file(self, role: str) -> Part | None:
        """Return the file of the documents (the first of several), the queries or the run; None if there is none."""
        return next(iter(self.of(role)), None)

    def qrels_file(self, split: str | None = None) -> Part | None:
        """Return the file of one set of judgments; None if there are no judgments."""
        sets = {file.split: file for file in self.of("qrels")}
        if split is not None and split not in sets:
            if not any(sets):
                raise ArgumentError(
                    f"split '{split}' cannot be chosen: collection '{self.name}' has "
                    f"{'one set of judgments' if sets else 'no judgments'}; leave split out"
                )
            raise unknown("split", split, sets)
        if not sets:
            return None
        for name in (split, self.split, "test"):
            if name in sets:
                return sets[name]
        if len(sets) > 1:
            raise ArgumentError(
                f"collection '{self.name}' has several sets of judgments and none is called test; choose a "
                f"split: {', '.join(sets)}"
            )
        return next(iter(sets.values()))

    @property
    def expected(self) -> dict[str, int]:
        """Expected numbers of documents, queries, judgments and judged queries, as far as known."""
        counts: dict[str, int | None] = {}
        for role in ROLES[:2]:
            files = self.of(role)
            records = [file.records for file in (files[:1] if any(file.field for file in files) else files)]
            if records:
                counts[role] = None if None in records else sum(count or 0 for count in records)
        qrels = self.qrels_file(self.split or None) if len(self.splits) < 2 or self.split else None
        if qrels:
            counts |= {"judgments": qrels.records, "judged_queries": qrels.judged}
        return {name: count for name, count in counts.items() if count is not None}


NUMBERINGS = ("id", "place")
STOP_LISTS = ("none", "sklearn", "lucene", "snowball", "iso")  # those of the analysis; never a file


def read_recipe(path: Path, name: str | None = None, reading: Reading = Reading()) -> Recipe:
    """Read the recipe in a collection.toml."""
    table, _ = read_toml(Source(str(path), reading))
    try:
        return _recipe(path, name or path.resolve().parent.name, table, reading)
    except ArgumentError as error:  # an unknown key or value, without its file
        raise DataError(f"{path}: {error}") from None


def recipe_of_files(sources: Sequence[str | os.PathLike[str]], reading: Reading) -> tuple[Recipe, dict[str, Any]]:
    """Make the recipe of a folder, or of some files of one folder; return it with the table of its collection.toml."""
    if not sources:
        raise ArgumentError("expected a folder, or files of one folder, found an empty list")
    paths = [Path(source) for source in sources]
    is_folder = len(paths) == 1 and paths[0].is_dir()
    folder = paths[0] if is_folder else paths[0].parent
    for path in paths:
        if not path.exists():
            raise DataError(f"{path}: there is no such folder or file")
        if not is_folder and (path.is_dir() or path.parent.resolve() != folder.resolve()):
            raise ArgumentError(
                f"{path}: a {FILE_NAME} describes one folder; expected the folder alone, or files of {folder}"
            )
    settings = {name: list(value) if isinstance(value, tuple) else value for name, value in reading.chosen().items()}
    table = {_OTHER_KEYS.get(name, name): value for name, value in _without_strings(settings).items()}
    table |= {"grades": table.pop("grades")} if "grades" in table else {}  # which comes last, as tables do
    if not is_folder:
        columns = {role: _columns(role, table[name], name) for name, role in COLUMNS.items() if name in table}
        names = list(dict.fromkeys(path.name for path in paths))
        parts = files.layout_of_folder(folder, table.pop("format", None), columns, names, reading)
        for name in names:
            if name not in {part.path for part in parts}:
                raise DataError(
                    f"{folder / name}: expected documents, queries or judgments in one file each; leave the file out, "
                    "or give the folder"
                )
        table["files"] = file_tables(
            replace(part, format=part.format if part.format in FORMATS else "") for part in parts
        )
    return _recipe(folder / FILE_NAME, folder.resolve().name, table, replace(reading, grades=None)), table


def file_tables(parts: Iterable[Part]) -> list[dict[str, Any]]:
    """Return what a collection.toml states of its files."""
    keys = ("role", "path", "format", "records", "split", "judged")
    return [{key: value for key in keys if (value := getattr(part, key))} for part in parts]


def toml_lines(table: Mapping[str, Any]) -> list[str]:
    """Write the settings of a collection.toml, and below them its files.

    >>> toml_lines({"ids": "first", "columns": {"text": "Long text"}})
    ['ids = "first"', 'columns = { text = "Long text" }']
    """
    lines = [f"{key} = {_toml_value(value)}" for key, value in table.items() if key != "files"]
    for file in table.get("files", ()):
        lines += ["", "[[files]]", *toml_lines(file)]
    return lines


def _toml_value(value: object) -> str:
    """Write a value in TOML; JSON's texts are TOML's, but for one character."""
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{key} = {_toml_value(item)}' for key, item in value.items())} }}"
    return encodable(json.dumps(value, ensure_ascii=False))[0].replace("\x7f", "\\u007f")


_OTHER_KEYS = {name: setting.key for name, setting in SETTINGS.items() if setting.key}
"""Name of a setting → the key that says the same, if that has another name."""
COLUMNS = {name: setting.role for name, setting in SETTINGS.items() if setting.kind is dict}
"""Name of a setting → the role of the files whose columns it names."""
_READ = {
    name: _OTHER_KEYS.get(name, name) for name in ("fields", "query_fields", "ids", "on_error", "encoding", "records")
}
"""Setting that a recipe reads its files with → its key."""
_SAME_KEYS = [name for name, setting in SETTINGS.items() if setting.key == "" and name not in COLUMNS]
_READING_KEYS = [*_SAME_KEYS, *_OTHER_KEYS, *COLUMNS]
_KINDS = {"str": str, "float": float, "bool": bool, "tuple[str, ...]": tuple}
_KEYS: dict[str, type] = {
    **{each.name: _KINDS[str(each.type)] for each in fields(Description)},
    **{name: SETTINGS[name].kind for name in _READING_KEYS},
    "format": str,
    "text": tuple,
    "query": tuple,
    "files": list,
    "counts": list,
    "grades": dict,
}
_CHOICES: dict[str, tuple[tuple[str, ...], str]] = {
    "number": (NUMBERINGS, "ways to number queries"),
    "judgments": (("complete",), "kinds of judgments"),
    "format": (FORMATS, "formats"),
    "stop": (STOP_LISTS, "lists of stop words"),
    **{name: (setting.choices, "choices") for name, setting in SETTINGS.items() if setting.choices},
}
_FILE_KEYS: dict[str, type] = {
    "role": str,
    "path": str,
    "format": str,
    "columns": dict,
    "field": str,
    "split": str,
    "records": int,
    "judged": int,
    "sha256": str,
    "bytes": int,
}
_OF_COUNTS = tuple(name for name in FORMATS if format_named(name).counts)
_MAPPING_KEYS: dict[str, type] = {"description": str, "gains": dict, "options": dict}
_OPTION_KEYS: dict[str, type] = {"description": str, "default": str, "values": dict}
_EXPECTED = {
    str: "a string",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    tuple: "a list of strings",
    list: "a list of tables",
    dict: "a table",
}


def _recipe(path: Path, name: str, table: dict[str, Any], reading: Reading) -> Recipe:
    values = _stated(table)
    columns = {role: _columns(role, values.pop(name), name) for name, role in COLUMNS.items() if name in values}
    if "encoding" in values:
        _read_as("encoding", known_encoding, values["encoding"])
    listed = tuple(_file(item, f"files[{place}].") for place, item in enumerate(values.pop("files", []), 1))
    counts = tuple(_file(item, f"counts[{place}].") for place, item in enumerate(values.pop("counts", []), 1))
    if counts and not any(file.role == "documents" and format_named(file.format).counts for file in counts):
        raise ArgumentError(f"expected word counts among [[counts]], in a format of {' or '.join(_OF_COUNTS)}")
    grades = _mappings(values)
    _check_choices(values, path.name)
    stated = {name: value for name, key in _READ.items() if (value := values.pop(key, None))}
    reading = replace(reading, **(stated | reading.chosen()))
    if listed:
        listed = _with_formats(listed, values.pop("format", ""))
        if {file.role for file in listed} == {"documents"}:
            listed += _beside(path.parent, listed, reading)
    else:
        listed = files.layout_of_folder(path.parent, values.pop("format", None), columns, reading=reading)
    main = next(file.format for file in listed if file.role == "documents")
    listed = tuple(replace(file, columns={**columns.get(file.role, {}), **file.columns}) for file in listed)
    return Recipe(name, path.parent, main, listed, counts, grades=grades, reading=reading, **values)


def _stated(table: dict[str, Any]) -> dict[str, Any]:
    """Return what a collection.toml states, under the names of the fields of a recipe."""
    if codes := table["grades"] if isinstance(table.get("grades"), str) else None:
        table = {key: value for key, value in table.items() if key != "grades"}
        if "default_grades" in table:
            raise ArgumentError("grades of codes and default_grades exclude each other: leave one of them out")
    values = _values(_without_strings(table), _KEYS, "")
    if codes:
        from toysearch.files.triples import parsed_grades  # most judgments are numbers

        values["codes"] = _read_as("grades", parsed_grades, codes)
    for option, key in _OTHER_KEYS.items():
        if option in values and key in values:
            raise ArgumentError(f"{option} and {key} say the same: leave one of them out")
        if option in values:
            values[key] = values.pop(option)
    return values


def _mappings(values: dict[str, Any]) -> dict[str, GradeMapping]:
    """Take the grade mappings out of the values, and check which of them is the default."""
    grades = {key: _mapping(key, item) for key, item in values.pop("grades", {}).items()}
    default = values.setdefault("default_grades", next(iter(grades)) if len(grades) == 1 else "")
    if grades and default.partition(":")[0] not in grades:
        raise unknown("default_grades", default, grades, "grade mappings")
    if default and not grades:
        raise ArgumentError(f"default_grades '{default}' names a grade mapping, but there is no [grades.{default}]")
    if ":" in default:  # its options are refused here
        _read_as("default_grades", lambda name: choose_grades(grades, name, None), default)
    return grades


def _check_choices(values: Mapping[str, Any], name: str) -> None:
    """Refuse values that are no choices, and tokens that run code or may not end."""
    for key, (choices, plural) in _CHOICES.items():
        if key in values and values[key] not in choices and not (key == "format" and is_texts(values[key])):
            raise unknown(key, values[key], choices, plural)
    tokens = values.get("tokens", "")
    if IN_FILE.match(tokens):  # files of a collection are read, never run
        raise ArgumentError(
            f"tokens names a function, '{tokens}': a collection.toml runs no code; choose a function with "
            f"{Remedy('Index.build', analyzer='plain:tokens=' + tokens)}"
        )
    if tokens and may_not_end(tokens):
        analyzer = ... if "," in tokens else f"plain:tokens={tokens}"  # where a comma ends an option
        raise ArgumentError(
            f"the pattern of tokens, '{tokens}', may read a text in so many ways that it never ends; leave it out of "
            f"{name}, and if it is needed give it with {Remedy('Index.build', analyzer=analyzer)}"
        )


def _with_formats(listed: tuple[Part, ...], format_of_all: str) -> tuple[Part, ...]:
    """Return listed files with their formats; refuse roles that do not make a collection."""
    roles = [file.role for file in listed]
    if "documents" not in roles:
        raise ArgumentError("expected one file with the role documents, found 0")
    for role in ("queries", "run"):
        if roles.count(role) > 1:
            raise ArgumentError(f"expected at most one file with the role {role}, found {roles.count(role)}")
    splits = [file.split for file in listed if file.role == "qrels"]
    if len(set(splits)) != len(splits):
        raise ArgumentError("expected a different split for each file with the role qrels")
    listed = tuple(replace(file, format=file.format or format_of_all) for file in listed)
    if not all(file.format for file in listed if file.role in ("documents", "queries")):
        raise ArgumentError(f"expected the key format beside files; formats: {', '.join(FORMATS)}")
    formats = sorted({file.format for file in listed if file.role == "documents"})
    if len(formats) > 1:
        raise ArgumentError(f"expected one format for all files with the role documents, found {' and '.join(formats)}")
    return listed


def columns_parser(role: str) -> Callable[[Columns], dict[str, str]]:
    """Return the reader of the columns that a user names for the files of a role."""
    return parsed_judged_columns if role == "qrels" else parsed_columns


def _read_as(key: str, read: Callable[[Any], Value], value: Any) -> Value:
    try:
        return read(value)
    except ArgumentError as error:
        raise ArgumentError(f"{key}: {error}") from None


def _columns(role: str, columns: dict[str, Any], where: str) -> dict[str, str]:
    parts = JUDGED_PARTS if role == "qrels" else PARTS
    labels = _values(columns, dict.fromkeys(parts, str), f"{where}.")
    return _read_as(where, columns_parser(role), labels)


def _beside(folder: Path, listed: tuple[Part, ...], reading: Reading) -> tuple[Part, ...]:
    try:
        layout = files.layout_of_folder(folder, reading=reading)
    except ToysearchError:  # nothing else is there, or it cannot be recognised
        return ()
    described = {path for file in listed for path in file.paths(folder)}
    return tuple(
        file for file in layout if file.role in ("queries", "qrels") and described.isdisjoint(file.paths(folder))
    )


def _values(table: object, keys: Mapping[str, type], where: str) -> dict[str, Any]:
    if not isinstance(table, dict):
        raise ArgumentError(f"expected a table as {where.rstrip('.')}")
    values = {}
    for key, value in table.items():
        if key not in keys:
            raise unknown("key", f"{where}{key}", [f"{where}{key_name}" for key_name in keys])
        values[key] = _value(value, keys[key], f"{where}{key}")
    return values


def _value(value: object, kind: type, where: str) -> object:
    if kind is tuple and isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(value)
    if kind is float and _is_number(value):
        return float(value)  # type: ignore[arg-type]
    if kind is int and type(value) is int and value < 0:
        raise ArgumentError(f"expected a number of 0 or more as {where}, found {value}")
    if type(value) is not kind or kind is float:
        raise ArgumentError(f"expected {_EXPECTED[kind]} as {where}, found {value!r:.60}")
    return value


def _is_number(value: Any) -> bool:
    """True if a value is a finite number; TOML has ``nan`` and ``inf`` too."""
    return type(value) in (int, float) and abs(value) <= sys.float_info.max


def leaves_folder(name: str) -> bool:
    r"""True if a path may lead out of the folder that it is joined to: absolute, with ``..``, or a device."""
    parts = name.replace("\\", "/").split("/")
    drive = name[:1].isascii() and name[:1].isalpha() and name[1:2] == ":"
    return not name or parts[0] == "" or ".." in parts or drive or "\0" in name or leads_elsewhere(name)


def _file(table: object, where: str) -> Part:
    values = _values(table, _FILE_KEYS, where)
    for key in ("role", "path"):
        if key not in values:
            raise ArgumentError(f"expected a key {where}{key}")
    expect_name(f"{where}role", values["role"], ROLES, "roles")
    if not is_texts(values.get("format", "")):
        expect_name(f"{where}format", values.get("format", FORMATS[0]), FORMATS, "formats")
    columns = _columns(values["role"], values.pop("columns", {}), f"{where}columns")
    if leaves_folder(values["path"]) or Path(values["path"]) == Path():
        raise ArgumentError(
            f"expected a path below the folder of the {FILE_NAME} as {where}path, found '{values['path']}'"
        )
    if values.get("field") and values.get("format", _OF_COUNTS[0]) not in _OF_COUNTS:
        raise ArgumentError(f"{where}field is for word counts, in a format of {' or '.join(_OF_COUNTS)}")
    return Part(**values, columns=columns, confined=True)


def _mapping(name: str, table: object) -> GradeMapping:
    where = f"grades.{name}."
    values = _values(table, _MAPPING_KEYS, where)
    options = {key: _option(item, f"{where}options.{key}.") for key, item in values.get("options", {}).items()}
    if not values.get("gains"):
        raise ArgumentError(f"expected a table {where}gains of codes and gains, such as {{ 1 = 4, 2 = 3 }}")
    return GradeMapping(name, values.get("description", ""), _gains(values["gains"], f"{where}gains"), options)


def _option(table: object, where: str) -> GradeOption:
    values = _values(table, _OPTION_KEYS, where)
    choices = {key: _gains(item, f"{where}values.{key}") for key, item in values.get("values", {}).items()}
    default = values.get("default", "")
    expect_name(f"{where}default", default, choices, "values")
    return GradeOption(values.get("description", ""), default, choices)


def _gains(table: object, where: str) -> Gains:
    if not isinstance(table, dict):
        raise ArgumentError(f"expected a table of codes and gains as {where}, found {table!r}")
    gains: dict[float, float | None] = {}
    for code, gain in table.items():
        number = finite_number(code)
        if number is None:
            raise ArgumentError(f"expected a number as a code of {where}, found '{code}'")
        if gain == "removed":
            gains[number] = None
        elif _is_number(gain):
            gains[number] = float(gain)
        else:
            raise ArgumentError(f'expected a number or "removed" as {where}.{code}, found {gain!r}')
    return gains


_READERS: dict[str, Callable[[str], object]] = {
    key: named_fields if setting.kind is tuple else columns_parser(setting.role)
    for key, setting in SETTINGS.items()
    if setting.kind is not str
}


def _without_strings(table: dict[str, Any]) -> dict[str, Any]:
    """Write lists and columns of the table as on the command line: "title,text", "id=nr,text=body"."""
    texts = {key: table[key] for key in _READERS if isinstance(table.get(key), str)}
    return table | {key: _read_as(key, _READERS[key], text) for key, text in texts.items()}


def spelt_fields(wanted: Sequence[str], seen: Mapping[str, None], kind: str) -> list[str]:
    """Return the names as the records spell them, each once; refuse an unknown name."""
    spelt = {name.casefold(): name for name in reversed([*seen])}
    for name in wanted:
        if name.casefold() not in spelt:
            raise unknown(kind, name, seen)
    return list(dict.fromkeys(name if name in seen else spelt[name.casefold()] for name in wanted))
