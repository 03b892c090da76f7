"""A prior: a number of each document, such as its year or how often it was read, that scores can be mixed with."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from toysearch.errors import ArgumentError, malformed, note
from toysearch.formats.lines import counted, numbered_lines
from toysearch.index.fields import number_in
from toysearch.index.index import Index
from toysearch.ranking.model import Array

PREFIX = "prior:"
_FILES = (".csv", ".tsv", ".csv.gz", ".tsv.gz")


@dataclass(frozen=True)
class Prior:
    """Numbers of documents, from a field that the index keeps or from a file.

    Parameters
    ----------
    source : str
        The name of a field, or the path of a CSV or TSV file (told by its ending) with the columns doc_id and value.
    """

    source: str

    def __str__(self) -> str:
        return PREFIX + self.source

    @property
    def field(self) -> str | None:
        """The field that the index has to keep; None for a file."""
        return None if self.source.lower().endswith(_FILES) else self.source

    def values(self, index: Index) -> Array:
        """The number of each document. One that has none gets the lowest that any has; a note says how many.

        Parameters
        ----------
        index : Index
            Whose documents are meant.

        Returns
        -------
        ndarray of float64, shape (N,)

        Raises
        ------
        ArgumentError
            If the index does not keep the field, or no document has a number.
        DataError
            If the file is malformed.
        """
        values = self._from_file(index) if self.field is None else self._from_index(index)
        lacking = np.isnan(values)
        if lacking.all():
            raise ArgumentError(
                f"{self}: no document has a number there; a number or a date such as 2024-07-01 is read"
            )
        if lacking.any():
            lowest = float(np.nanmin(values))
            has = f"{counted(int(lacking.sum()), 'document')} of {len(values)} without a number"
            note(f"{self}: {has}; the lowest of the others, {lowest:g}, counts for them")
            values = np.where(lacking, lowest, values)
        return values

    def _from_index(self, index: Index) -> Array:
        if self.source not in index.values:
            kept = f"it keeps {', '.join(index.values)}" if index.values else "it keeps none"
            raise ArgumentError(
                f"{self}: the index does not keep numbers of the field '{self.source}' ({kept}); build it with "
                f"--values {self.source} (values=['{self.source}'] in Python)"
            )
        return index.values[self.source]

    def _from_file(self, index: Index) -> Array:
        """The numbers in a file, by document; NaN where it has no line for one."""
        values = np.full(index.stats.N, np.nan)
        first_lines: dict[str, int] = {}
        unknown = 0
        for line, doc_id, value in _rows(Path(self.source)):
            first = first_lines.setdefault(doc_id, line)
            if first != line:
                raise malformed(self.source, line, f"doc_id '{doc_id}' was given on line {first} already")
            number = index.doc_ids.find(doc_id, index.doc_ids_order)
            if number < 0:
                unknown += 1
            else:
                values[number] = value
        if unknown:
            note(f"{self}: {counted(unknown, 'line')} of documents that the index does not have")
        return values


def _rows(path: Path) -> list[tuple[int, str, float]]:
    """Line, doc_id and number of each line; a first line without a number is a header."""
    delimiter = "\t" if ".tsv" in path.suffixes else ","
    rows: list[tuple[int, str, float]] = []
    for line, text in numbered_lines(path):
        if not text.strip():
            continue
        try:
            cells = [cell.strip() for cell in next(csv.reader([text], delimiter=delimiter, strict=True))]
        except csv.Error as error:
            raise malformed(path, line, f"expected doc_id and value, found what is no row: {error}") from None
        if len(cells) != 2:
            raise malformed(path, line, f"expected doc_id and value, found {counted(len(cells), 'column')}: '{text}'")
        value = number_in(cells[1])
        if np.isnan(value):
            if line == 1:
                continue
            raise malformed(path, line, f"expected a number or a date as value, found '{cells[1]}'")
        rows.append((line, cells[0], value))
    return rows
