"""Recipes: what a collection.toml says about a collection, and where it says it wrongly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from toysearch.errors import ArgumentError, DataError, unknown
from toysearch.formats.layout import FORMATS, Layout, layout_of_folder
from toysearch.formats.lines import finite_number, numbered_lines
from toysearch.grades import Gains, GradeMapping, GradeOption

FILE_NAME = "collection.toml"
ROLES = ("documents", "queries", "qrels", "run")
NUMBERINGS = ("id", "place")

_TEXT_FIELDS = {"beir": ("title", "text"), "smart": ("T", "W")}
_QUERY_FIELDS = {"beir": ("text",), "smart": ("W",)}
_TITLE_FIELD = {"beir": "title", "smart": "T"}


@dataclass(frozen=True)
class RecipeFile:
    """A file of a collection: its part, where it stands, and what is known about it.

    Parameters
    ----------
    role : str
        ``documents``, ``queries``, ``qrels`` or ``run`` (a published ranking of the queries).
    path : str
        Below the folder of the collection.
    split : str
        For qrels: the name of this set of judgments, where there are several.
    records : int or None
        How many documents, queries or judgments it should hold.
    judged : int or None
        For qrels: how many queries they should be about.
    sha256 : str
        The checksum of the file, unpacked and with CRLF read as LF; "" where not known.
    address : str
        Where it can be had; "" where not known.
    address_verified : bool
        Whether somebody fetched the file from there and found this checksum.
    """

    role: str
    path: str
    split: str = ""
    records: int | None = None
    judged: int | None = None
    sha256: str = ""
    address: str = ""
    address_verified: bool = False

    def below(self, folder: Path) -> Path:
        """The file below a folder: as named, or gzipped if only that is there.

        Parameters
        ----------
        folder : Path
            The folder.
        """
        path = folder / self.path
        packed = path.with_name(f"{path.name}.gz")
        return packed if packed.is_file() and not path.is_file() else path


@dataclass(frozen=True)
class Recipe:
    """What is known about a collection before its files are read.

    Parameters
    ----------
    name : str
        The name of its folder.
    folder : Path
        The folder that holds collection.toml (or the files, where there is none).
    format : str
        ``beir`` or ``smart``.
    files : tuple of RecipeFile
        One for the documents, at most one for the queries and for a run, any number for judgments.
    title, description, language, licence, origin : str
        As in `Collection`; where the files come from and what may be done with them.
    text, query : tuple of str
        The fields of a document and of a query that are searched, where it says so (see `text_fields`).
    number : str
        How queries are numbered: by ``id``, by ``place`` in the file, or "" (what the judgments fit).
    threshold : float
        The lowest grade that counts as relevant.
    split : str
        The set of judgments that is used unless the user says.
    grades : mapping of str to GradeMapping
        The grade mappings by name.
    default_grades : str
        The mapping that is used unless the user says.
    quirks : tuple of str
        What a reader of the files should know, a sentence each.
    in_catalog : bool
        Whether the catalog knows it by its name.
    """

    name: str
    folder: Path
    format: str
    files: tuple[RecipeFile, ...]
    title: str = ""
    description: str = ""
    language: str = "none"
    licence: str = ""
    origin: str = ""
    text: tuple[str, ...] = ()
    query: tuple[str, ...] = ()
    number: str = ""
    threshold: float = 1.0
    split: str = ""
    grades: Mapping[str, GradeMapping] = field(default_factory=dict)
    default_grades: str = ""
    quirks: tuple[str, ...] = ()
    in_catalog: bool = False

    @property
    def title_field(self) -> str:
        """The field that is shown as the title of a document."""
        return _TITLE_FIELD[self.format]

    @property
    def text_fields(self) -> tuple[str, ...]:
        """The fields of a document that are searched."""
        return self.text or _TEXT_FIELDS[self.format]

    @property
    def query_fields(self) -> tuple[str, ...]:
        """The fields of a query that are searched with."""
        return self.query or _QUERY_FIELDS[self.format]

    def missing(self, folder: Path) -> list[str]:
        """The paths of the files that a folder does not hold.

        Parameters
        ----------
        folder : Path
            The folder.
        """
        return [file.path for file in self.files if not file.below(folder).is_file()]

    @property
    def splits(self) -> list[str]:
        """The names of the sets of judgments ("" for one without a name)."""
        return [file.split for file in self.files if file.role == "qrels"]

    def file(self, role: str) -> RecipeFile | None:
        """The file of the documents, the queries or the run; None where there is none.

        Parameters
        ----------
        role : str
            ``documents``, ``queries`` or ``run``.
        """
        return next((file for file in self.files if file.role == role), None)

    def qrels_file(self, split: str | None = None) -> RecipeFile | None:
        """The file of one set of judgments; None where there are no judgments.

        Parameters
        ----------
        split : str, optional
            Its name; by default `Recipe.split`, else ``test``, else the only one there.

        Raises
        ------
        ArgumentError
            If there is no such set, or the user has to say which.
        """
        sets = {file.split: file for file in self.files if file.role == "qrels"}
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
        """How many documents, queries, judgments and judged queries there should be, as far as known."""
        counts = {role: file.records for role in ROLES[:2] if (file := self.file(role))}
        qrels = self.qrels_file(self.split or None) if len(self.splits) < 2 or self.split else None
        if qrels:
            counts |= {"judgments": qrels.records, "judged_queries": qrels.judged}
        return {name: count for name, count in counts.items() if count is not None}


def recipe_of_layout(name: str, folder: Path, layout: Layout) -> Recipe:
    """The recipe of a folder or a file that says nothing about itself.

    Parameters
    ----------
    name : str
        The name of the collection.
    folder : Path
        The folder that holds the files.
    layout : Layout
        Which they are.
    """
    return Recipe(name, folder, layout.format, _files_of(layout))


def _files_of(layout: Layout) -> tuple[RecipeFile, ...]:
    files = [RecipeFile("documents", layout.documents)]
    if layout.queries:
        files.append(RecipeFile("queries", layout.queries))
    files += [RecipeFile("qrels", path, split) for split, path in layout.qrels.items()]
    return tuple(files)


def read_recipe(path: Path, name: str | None = None) -> Recipe:
    """The recipe in a collection.toml.

    Parameters
    ----------
    path : Path
        The file.
    name : str, optional
        The collection's name; by default that of the folder.

    Raises
    ------
    DataError
        If it is no TOML, has an unknown key, or a value that is not what its key takes; if it lists no
        files and its folder's layout is not recognised.
    """
    import tomllib

    content = "\n".join(line for _, line in numbered_lines(path))
    try:
        return _recipe(path, name or path.resolve().parent.name, tomllib.loads(content))
    except tomllib.TOMLDecodeError as error:
        raise DataError(f"{path}: expected TOML; {error}") from None
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
    "files": list,
    "grades": dict,
}
_FILE_KEYS: dict[str, type] = {
    "role": str,
    "path": str,
    "split": str,
    "records": int,
    "judged": int,
    "sha256": str,
    "address": str,
    "address_verified": bool,
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
    if files and "format" not in values:
        raise ArgumentError(f"expected a key format beside files; formats: {', '.join(FORMATS)}")
    if files:
        _check_roles(files)
        return Recipe(name=name, folder=path.parent, files=files, grades=grades, **values)
    layout = layout_of_folder(path.parent, values.pop("format", None))
    return replace(recipe_of_layout(name, path.parent, layout), grades=grades, **values)


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
    if kind is float and type(value) in (int, float):
        return float(value)  # type: ignore[arg-type]
    if type(value) is not kind:
        raise ArgumentError(f"expected {_EXPECTED[kind]} as {where}, found {value!r}")
    return value


def _file(table: object, where: str) -> RecipeFile:
    values = _values(table, _FILE_KEYS, where)
    for key in ("role", "path"):
        if key not in values:
            raise ArgumentError(f"expected a key {where}{key}")
    if values["role"] not in ROLES:
        raise unknown(f"{where}role", values["role"], ROLES, "roles")
    return RecipeFile(**values)


def _check_roles(files: tuple[RecipeFile, ...]) -> None:
    roles = [file.role for file in files]
    for role, least in (("documents", 1), ("queries", 0), ("run", 0)):
        if not least <= roles.count(role) <= 1:
            expected = "one file" if least else "at most one file"
            raise ArgumentError(f"expected {expected} with the role {role}, found {roles.count(role)}")
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
        elif type(gain) in (int, float):
            gains[number] = float(gain)
        else:
            raise ArgumentError(f'expected a number or "removed" as {where}.{code}, found {gain!r}')
    return gains
