"""Parts of a collection: files with their roles, as a collection.toml describes them, or as they are laid out."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from toysearch.base import ArgumentError, DataError, Remedy
from toysearch.files.columns import ByPart
from toysearch.files.document_formats import DATASET, is_texts
from toysearch.files.reading import Reading, ReadingReport
from toysearch.files.source import AnyPath, Source, refuse_folder

FILE_NAME = "collection.toml"
"""Name of the file that describes a collection."""


@dataclass(frozen=True)
class Part:
    """File of a collection: its role, its path and its description. A file with several roles is several parts."""

    role: str  # ``documents``, ``queries``, ``qrels`` or ``run`` (a published ranking of the queries)
    # Below the folder of the collection. For documents and queries it may be a folder or a pattern such as
    # ``docs/*.gz``, which means all matching files, sorted; ``.`` is the folder itself, for a folder of texts
    path: str
    format: str = ""  # one of `FORMATS`; "" for judgments or a run, whose format is detected
    split: str = ""  # for qrels: the name of this set of judgments, if there are several
    # part (id, title, text; of judgments query_id, doc_id, relevance) → its column or key, if that has another name
    columns: ByPart = field(default_factory=dict)
    records: int | None = None  # the expected number of documents, queries or judgments
    judged: int | None = None  # for qrels: the expected number of judged queries
    sha256: str = ""  # the checksum of the file, unpacked and with CRLF read as LF; "" if unknown
    bytes: int | None = None  # its size, unpacked
    field: str = ""  # of word counts: the field whose words are counted; files with fields are parts of one document
    confined: bool = False  # a collection.toml names it: links may not lead out of the folder
    source: Source | None = None  # with what was read to recognise it, for its reader
    guessed: bool = False  # whether it is taken for one of several files of documents by its name

    def below(self, folder: Path) -> Path:
        """Return the file below a folder: as named, or gzipped if only that is there."""
        path = folder / self.path
        packed = Path(f"{path}.gz")
        return self._inside(folder, packed if packed.is_file() and not path.exists() else path)

    def _inside(self, folder: Path, path: Path) -> Path:
        """Refuse a path that leads out of the folder though a collection.toml, perhaps of a stranger, names it."""
        if self.confined and not path.resolve().is_relative_to(folder.resolve()):
            raise DataError(
                f"{path} leads out of {folder}; a {FILE_NAME} reads no file outside its folder: put the file there, or "
                "give it by itself"
            )
        return path

    def paths(self, folder: Path) -> Sequence[AnyPath]:
        """Return the files below a folder that match the path, sorted; a folder of texts counts as one."""
        if self.format == DATASET or (self.source and self.source.path == "-"):
            return [self.path]
        path = folder / self.path if self.source else self.below(folder)  # what was recognised has its own name
        if path.is_dir():
            within = [self._inside(folder, path / name) for name in files_below(path)]
            return [path] if is_texts(self.format) else within
        if path.exists() or glob.escape(self.path) == self.path:
            return [path] if path.exists() else []
        try:
            matches = [match for match in folder.glob(self.path) if match.is_file()]
        except (ValueError, NotImplementedError):  # such as a**b
            return []
        hidden = {match for match in matches if any(part[0] == "." for part in match.relative_to(folder).parts)}
        return [self._inside(folder, match) for match in sorted({*matches} - hidden)]

    def source_at(self, path: AnyPath, how: Reading, report: ReadingReport | None = None) -> Source:
        """Return the source of the file at a path, with what is known of it; report: another one than that of all."""
        known = self.source or Source(os.fspath(path))
        fields = {"documents": how.fields, "queries": how.query_fields}.get(self.role)
        records = how.records if self.role == "documents" else None
        if records and self.format not in ("xml", "jsonl"):
            raise ArgumentError(f"{path} is no XML or JSON, whose parts {Remedy('load', records=records)} names")
        return known.read_as(
            encoding=how.encoding, on_error=None, report=report or how.report, fields=fields, records=records
        )


def files_below(folder: Path) -> list[str]:
    """List all files below a folder, with ``/`` between the parts of paths: its own files first, each group sorted."""
    # Hidden files and folders are left out.
    top: list[str] = []
    others: list[str] = []
    for place, folders, names in os.walk(folder, onerror=refuse_folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        below = Path(place).relative_to(folder).as_posix()
        # A pipe or a socket is not listed: opening it would wait for a writer.
        visible = [name for name in names if not name.startswith(".") and os.path.isfile(os.path.join(place, name))]
        if below == ".":
            top = sorted(visible)
        else:
            others += [f"{below}/{name}" for name in visible]
    return top + sorted(others)
