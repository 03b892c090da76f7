"""collection.toml: the recipe that it holds, and where it says something wrongly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from toysearch.corpus.grade_mapping import Gains, GradeMapping, GradeOption
from toysearch.corpus.recipes import ROLES, Recipe, RecipeFile, recipe_of_layout
from toysearch.errors import ArgumentError, DataError, unknown
from toysearch.formats.column_names import PARTS, checked_columns
from toysearch.formats.document_formats import FORMATS
from toysearch.formats.folder_layout import layout_of_folder
from toysearch.formats.rejected_records import IDS, ON_ERROR
from toysearch.formats.table_columns import JUDGED_PARTS, parsed_judged_columns
from toysearch.formats.text_files import finite_number
from toysearch.formats.toml_files import read_toml

FILE_NAME = "collection.toml"
NUMBERINGS = ("id", "place")


def read_recipe(path: Path, name: str | None = None) -> Recipe:
    """The recipe in a collection.toml."""
    table, _ = read_toml(path)
    try:
        return _recipe(path, name or path.resolve().parent.name, table)
    except ArgumentError as error:  # an unknown key or value, found without knowing the file
        raise DataError(f"{path}: {error}") from None


_KEYS: dict[str, type] = {
    "title": str,
    "description": str,
    "format": str,
    "language": str,
    "licence": str,
    "origin": str,
    "text": tuple,
    "query": tuple,
    "number": str,
    "threshold": float,
    "split": str,
    "default_grades": str,
    "quirks": tuple,
    "apart": bool,
    "ids": str,
    "on_error": str,
    "sources": tuple,
    "files": list,
    "grades": dict,
}
_FILE_KEYS: dict[str, type] = {
    "role": str,
    "path": str,
    "format": str,
    "columns": dict,
    "split": str,
    "records": int,
    "judged": int,
    "sha256": str,
    "bytes": int,
}
_MAPPING_KEYS: dict[str, type] = {"description": str, "gains": dict, "options": dict}
_OPTION_KEYS: dict[str, type] = {"description": str, "default": str, "values": dict}
_EXPECTED = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    tuple: "a list of texts",
    list: "a list of tables",
    dict: "a table",
}


def _recipe(path: Path, name: str, table: dict[str, Any]) -> Recipe:
    values = _values(table, _KEYS, "")
    files = tuple(_file(item, f"files[{place}].") for place, item in enumerate(values.pop("files", []), 1))
    grades = {key: _mapping(key, item) for key, item in values.pop("grades", {}).items()}
    default = values.setdefault("default_grades", next(iter(grades)) if len(grades) == 1 else "")
    if grades and default not in grades:
        raise unknown("default_grades", default, grades, "grade mappings")
    if default and not grades:
        raise ArgumentError(f"default_grades '{default}' names a grade mapping, but there is no [grades.{default}]")
    if values.get("number", "id") not in NUMBERINGS:
        raise unknown("number", values["number"], NUMBERINGS, "ways to number queries")
    if values.get("format", FORMATS[0]) not in FORMATS:
        raise unknown("format", values["format"], FORMATS)
    for key, choices in (("ids", IDS), ("on_error", ON_ERROR)):
        if values.get(key, choices[0]) not in choices:
            raise unknown(key, values[key], choices, "choices")
    if files:
        files = _with_formats(files, values.pop("format", ""))
        main = next(file.format for file in files if file.role == "documents")
        return Recipe(name=name, folder=path.parent, format=main, files=files, grades=grades, **values)
    layout = layout_of_folder(path.parent, values.pop("format", None))
    return replace(recipe_of_layout(name, path.parent, layout), grades=grades, **values)


def _with_formats(files: tuple[RecipeFile, ...], format_of_all: str) -> tuple[RecipeFile, ...]:
    """The files, those without a format of their own in that of the collection; their parts are checked."""
    _check_roles(files)
    files = tuple(replace(file, format=file.format or format_of_all) for file in files)
    if not all(file.format for file in files if file.role in ("documents", "queries")):
        raise ArgumentError(f"expected a key format beside files; formats: {', '.join(FORMATS)}")
    formats = sorted({file.format for file in files if file.role == "documents"})
    if len(formats) > 1:
        raise ArgumentError(f"expected one format for all files with the role documents, found {' and '.join(formats)}")
    return files


def _values(table: object, keys: Mapping[str, type], where: str) -> dict[str, Any]:
    """The values of a table, each of the type that its key takes."""
    if not isinstance(table, dict):
        raise ArgumentError(f"expected a table as {where.rstrip('.')}")
    values = {}
    for key, value in table.items():
        if key not in keys:
            raise unknown("key", f"{where}{key}", [f"{where}{known}" for known in keys])
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


def _is_number(value: object) -> bool:
    """Whether a value is a finite number; TOML has ``nan`` and ``inf`` too."""
    return type(value) in (int, float) and finite_number(str(value)) is not None


def _file(table: object, where: str) -> RecipeFile:
    values = _values(table, _FILE_KEYS, where)
    for key in ("role", "path"):
        if key not in values:
            raise ArgumentError(f"expected a key {where}{key}")
    if values["role"] not in ROLES:
        raise unknown(f"{where}role", values["role"], ROLES, "roles")
    if values.get("format", FORMATS[0]) not in FORMATS:
        raise unknown(f"{where}format", values["format"], FORMATS, "formats")
    parts = JUDGED_PARTS if values["role"] == "qrels" else PARTS
    named = _values(values.pop("columns", {}), dict.fromkeys(parts, str), f"{where}columns.")
    check = parsed_judged_columns if values["role"] == "qrels" else checked_columns
    return RecipeFile(**values, columns=check(named))


def _check_roles(files: tuple[RecipeFile, ...]) -> None:
    roles = [file.role for file in files]
    if "documents" not in roles:
        raise ArgumentError("expected one file with the role documents, found 0")
    for role in ("queries", "run"):
        if roles.count(role) > 1:
            raise ArgumentError(f"expected at most one file with the role {role}, found {roles.count(role)}")
    splits = [file.split for file in files if file.role == "qrels"]
    if len(set(splits)) != len(splits):
        raise ArgumentError("expected a different split for each file with the role qrels")


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
    if default not in choices:
        raise unknown(f"{where}default", default, choices, "values")
    return GradeOption(values.get("description", ""), default, choices)


def _gains(table: object, where: str) -> Gains:
    """Code → gain from a table such as ``{ 1 = 4, -1 = "removed" }``."""
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
