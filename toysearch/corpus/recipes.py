"""Recipes: what is known about a collection before its files are read."""

from __future__ import annotations

import glob
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from toysearch.corpus.grade_mapping import GradeMapping
from toysearch.errors import ArgumentError, unknown
from toysearch.formats.document_formats import DATASET, Format, format_named
from toysearch.formats.folder_layout import Layout, files_below
from toysearch.formats.rejected_records import Rejected

ROLES = ("documents", "queries", "qrels", "run")


@dataclass(frozen=True)
class RecipeFile:
    """A file of a collection: its part, where it stands, and what is known about it."""

    role: str  # ``documents``, ``queries``, ``qrels`` or ``run`` (a published ranking of the queries)
    # Below the folder of the collection. For documents and queries it may be a folder or a pattern such as
    # ``docs/*.gz``, which stand for all their files, sorted
    path: str
    split: str = ""  # for qrels: the name of this set of judgments, where there are several
    records: int | None = None  # how many documents, queries or judgments it should hold
    judged: int | None = None  # for qrels: how many queries they should be about
    sha256: str = ""  # the checksum of the file, unpacked and with CRLF read as LF; "" where not known
    bytes: int | None = None  # how large it is, unpacked
    format: str = ""  # one of `FORMATS`; "" for judgments or a run in whatever format they are
    # part (id, title, text; of judgments query_id, doc_id, relevance) → the column or key that holds it, where its name
    # does not tell
    columns: Mapping[str, str] = field(default_factory=dict)

    def below(self, folder: Path) -> Path:
        """The file below a folder: as named, or gzipped if only that is there."""
        path = folder / self.path
        packed = path.with_name(f"{path.name}.gz")
        return packed if packed.is_file() and not path.exists() else path

    def paths(self, folder: Path) -> list[Path]:
        """The files below a folder for which the path stands, sorted; a folder of texts is one by itself."""
        path = self.below(folder)
        if path.is_dir() and self.format != "folder":
            return [path / name for name in files_below(path)]
        if path.exists() or glob.escape(self.path) == self.path:
            return [path] if path.exists() else []
        pattern = os.path.join(glob.escape(str(folder)), self.path)
        return sorted(Path(found) for found in glob.glob(pattern, recursive=True) if os.path.isfile(found))


@dataclass(frozen=True)
class Recipe:
    """What is known about a collection before its files are read."""

    name: str  # the name of its folder
    folder: Path  # the folder that holds collection.toml (or the files, where there is none)
    format: str  # one of `FORMATS`: that of the documents
    # one or more for the documents, at most one for the queries and for a run, any number for judgments
    files: tuple[RecipeFile, ...]
    # title, description, language, licence, origin: as in `Collection`; where the files come from and what may be done
    # with them
    title: str = ""
    description: str = ""
    language: str = "none"
    licence: str = ""
    origin: str = ""
    # text, query: the fields of a document and of a query that are searched, where it says so (see `text_fields`)
    text: tuple[str, ...] = ()
    query: tuple[str, ...] = ()
    number: str = ""  # how queries are numbered: by ``id``, by ``place`` in the file, or "" (what the judgments fit)
    threshold: float = 1.0  # the lowest grade that counts as relevant
    split: str = ""  # the set of judgments that is used unless the user says
    grades: Mapping[str, GradeMapping] = field(default_factory=dict)  # the grade mappings by name
    default_grades: str = ""  # the mapping that is used unless the user says
    quirks: tuple[str, ...] = ()  # what a reader of the files should know, a sentence each
    apart: bool = False  # whether an index counts the searched fields one by one
    # where the files can be had: the addresses of archives, or of folders (these end in ``/``), tried in turn
    sources: tuple[str, ...] = ()
    in_catalog: bool = False  # whether the catalog knows it by its name
    # ids, on_error: what is done with records whose id is missing or was given before, and with those that cannot be
    # read
    ids: str = "refuse"
    on_error: str = "refuse"
    rejected: Rejected | None = None  # takes the records that are left out

    @property
    def title_field(self) -> str:
        """The field that is shown as the title of a document."""
        return self._form.title

    @property
    def text_fields(self) -> tuple[str, ...]:
        """The fields of a document that are searched."""
        return self.text or self._form.text

    @property
    def _form(self) -> Format:
        return format_named(self.format)

    def missing(self, folder: Path) -> list[str]:
        """The paths of the files that a folder does not hold."""
        return [file.path for file in self.files if self.format != DATASET and not file.paths(folder)]

    @property
    def splits(self) -> list[str]:
        """The names of the sets of judgments ("" for one without a name)."""
        return [file.split for file in self.files if file.role == "qrels"]

    def file(self, role: str) -> RecipeFile | None:
        """The file of the documents (the first of several), the queries or the run; None where there is none."""
        return next((file for file in self.files if file.role == role), None)

    def qrels_file(self, split: str | None = None) -> RecipeFile | None:
        """The file of one set of judgments; None where there are no judgments."""
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
        counts: dict[str, int | None] = {}
        for role in ROLES[:2]:
            records = [file.records for file in self.files if file.role == role]
            if records:
                counts[role] = None if None in records else sum(count or 0 for count in records)
        qrels = self.qrels_file(self.split or None) if len(self.splits) < 2 or self.split else None
        if qrels:
            counts |= {"judgments": qrels.records, "judged_queries": qrels.judged}
        return {name: count for name, count in counts.items() if count is not None}


def recipe_of_layout(name: str, folder: Path, layout: Layout) -> Recipe:
    """The recipe of a folder or a file that says nothing about itself."""
    files = [RecipeFile(role, path, split, format=form) for role, path, form, split in layout]
    return Recipe(name, folder, files[0].format, tuple(files))
