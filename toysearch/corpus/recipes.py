"""Recipes: what is known about a collection before its files are read."""

from __future__ import annotations

import glob
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from toysearch.corpus.grades import GradeMapping
from toysearch.errors import ArgumentError, unknown
from toysearch.formats.documents import DATASET, Format, format_named
from toysearch.formats.layout import Layout, files_below
from toysearch.formats.rejected import Rejected

ROLES = ("documents", "queries", "qrels", "run")


@dataclass(frozen=True)
class RecipeFile:
    """A file of a collection: its part, where it stands, and what is known about it.

    Parameters
    ----------
    role : str
        ``documents``, ``queries``, ``qrels`` or ``run`` (a published ranking of the queries).
    path : str
        Below the folder of the collection. For documents and queries it may be a folder or a pattern such as
        ``docs/*.gz``, which stand for all their files, sorted.
    split : str
        For qrels: the name of this set of judgments, where there are several.
    records : int or None
        How many documents, queries or judgments it should hold.
    judged : int or None
        For qrels: how many queries they should be about.
    sha256 : str
        The checksum of the file, unpacked and with CRLF read as LF; "" where not known.
    bytes : int or None
        How large it is, unpacked.
    format : str
        One of `FORMATS`; "" for judgments or a run in whatever format they are.
    columns : mapping of str to str
        Part (id, title, text; of judgments query_id, doc_id, relevance) → the column or key that holds it, where
        its name does not tell.
    """

    role: str
    path: str
    split: str = ""
    records: int | None = None
    judged: int | None = None
    sha256: str = ""
    bytes: int | None = None
    format: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)

    def below(self, folder: Path) -> Path:
        """The file below a folder: as named, or gzipped if only that is there.

        Parameters
        ----------
        folder : Path
            The folder.
        """
        path = folder / self.path
        packed = path.with_name(f"{path.name}.gz")
        return packed if packed.is_file() and not path.exists() else path

    def paths(self, folder: Path) -> list[Path]:
        """The files below a folder for which the path stands, sorted; a folder of texts is one by itself.

        Parameters
        ----------
        folder : Path
            The folder.
        """
        path = self.below(folder)
        if path.is_dir() and self.format != "folder":
            return [path / name for name in files_below(path)]
        if path.exists() or glob.escape(self.path) == self.path:
            return [path] if path.exists() else []
        pattern = os.path.join(glob.escape(str(folder)), self.path)
        return sorted(Path(found) for found in glob.glob(pattern, recursive=True) if os.path.isfile(found))


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
        One of `FORMATS`: that of the documents.
    files : tuple of RecipeFile
        One or more for the documents, at most one for the queries and for a run, any number for judgments.
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
    apart : bool
        Whether an index counts the searched fields one by one.
    sources : tuple of str
        Where the files can be had: the addresses of archives, or of folders (these end in ``/``), tried in turn.
    in_catalog : bool
        Whether the catalog knows it by its name.
    ids, on_error : str
        What is done with records whose id is missing or was given before, and with those that cannot be read.
    rejected : Rejected or None
        Takes the records that are left out.
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
    apart: bool = False
    sources: tuple[str, ...] = ()
    in_catalog: bool = False
    ids: str = "refuse"
    on_error: str = "refuse"
    rejected: Rejected | None = None

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
        """The paths of the files that a folder does not hold.

        Parameters
        ----------
        folder : Path
            The folder.
        """
        return [file.path for file in self.files if self.format != DATASET and not file.paths(folder)]

    @property
    def splits(self) -> list[str]:
        """The names of the sets of judgments ("" for one without a name)."""
        return [file.split for file in self.files if file.role == "qrels"]

    def file(self, role: str) -> RecipeFile | None:
        """The file of the documents (the first of several), the queries or the run; None where there is none.

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
    files = [RecipeFile(role, path, split, format=form) for role, path, form, split in layout]
    return Recipe(name, folder, files[0].format, tuple(files))
