"""The numbers of documents that a prior stands for, from the index or from a file."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from toysearch.errors import ArgumentError, malformed, note
from toysearch.formats.lines import counted, numbered_lines
from toysearch.index.fields import number_in
from toysearch.index.index import Index
from toysearch.ranking.mixture import Prior
from toysearch.ranking.model import Array


def prior_values(prior: Prior, index: Index) -> Array:
    """The number of each document. One that has none gets the lowest that any has; a note says how many.

    Returns (N,) float64.
    """
    values = _from_file(prior, index) if prior.field is None else _from_index(prior, index)
    lacking = np.isnan(values)
    if lacking.all():
        raise ArgumentError(f"{prior}: no document has a number there; a number or a date such as 2024-07-01 is read")
    if lacking.any():
        lowest = float(np.nanmin(values))
        has = f"{counted(int(lacking.sum()), 'document')} of {len(values)} without a number"
        note(f"{prior}: {has}; the lowest of the others, {lowest:g}, counts for them")
        values = np.where(lacking, lowest, values)
    return values


def _from_index(prior: Prior, index: Index) -> Array:
    if prior.source not in index.values:
        kept = f"it keeps {', '.join(index.values)}" if index.values else "it keeps none"
        raise ArgumentError(
            f"{prior}: the index does not keep numbers of the field '{prior.source}' ({kept}); build it with "
            f"--values {prior.source} (values=['{prior.source}'] in Python)"
        )
    return index.values[prior.source]


def _from_file(prior: Prior, index: Index) -> Array:
    """The numbers in a file, by document; NaN where it has no line for one."""
    values = np.full(index.stats.N, np.nan)
    first_lines: dict[str, int] = {}
    unknown = 0
    for line, doc_id, value in _rows(Path(prior.source)):
        first = first_lines.setdefault(doc_id, line)
        if first != line:
            raise malformed(prior.source, line, f"doc_id '{doc_id}' was given on line {first} already")
        number = index.doc_ids.find(doc_id, index.doc_ids_order)
        if number < 0:
            unknown += 1
        else:
            values[number] = value
    if unknown:
        note(f"{prior}: {counted(unknown, 'line')} of documents that the index does not have")
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
