"""Priors of the documents of an index: numbers that it keeps, or those in a file."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from toysearch.base import ArgumentError, Remedy, counted, malformed, note
from toysearch.files.source import SAVE_AS_UTF8, numbered_lines
from toysearch.index import Index, number_in
from toysearch.index.field_names import field_spelt
from toysearch.models import Array, Prior
from toysearch.models.formula import PriorFormula
from toysearch.models.prior import PREFIX, is_file_of_numbers
from toysearch.retrieval.field_values import numbers_of


def prior_values(prior: Prior, index: Index) -> Array:
    """Return the prior of each document; missing numbers become the lowest one, with a note."""
    # Returns (N,) float64.
    if formula := prior.formula:
        return _computed(prior, formula, [_numbers(Prior(source), index) for source in prior.sources], index)
    values = _numbers(prior, index)
    lacking = np.isnan(values)
    if lacking.any():
        lowest = float(np.nanmin(values))
        _tell_lacking(prior, lacking, f"the lowest of the others, {lowest:g}")
        values = np.where(lacking, lowest, values)
    return values


def _computed(prior: Prior, formula: PriorFormula, columns: list[Array], index: Index) -> Array:
    """Compute the numbers of documents from others; the lowest for a document that lacks one of them."""
    computed, lacking = formula(columns), np.logical_or.reduce([np.isnan(column) for column in columns])
    for doc in np.flatnonzero(~np.isfinite(computed) & ~lacking)[:1].tolist():
        pairs = zip(prior.sources, columns, strict=True)
        has = ", ".join(f"{PREFIX}{name} {column[doc]:g}" for name, column in pairs)
        raise ArgumentError(
            f"{prior} is {computed[doc]:g} for document '{index.doc_ids[doc]}' ({has}); expected a finite number, "
            f"as in log(1 + max({PREFIX}{prior.sources[0]}, 0))"
        )
    if lacking.all():
        raise ArgumentError(f"{prior}: no document has all the numbers of it")
    if lacking.any():
        lowest = float(computed[~lacking].min())
        _tell_lacking(prior, lacking, f"the lowest value of the others, {lowest:g}")
        computed = np.where(lacking, lowest, computed)
    return computed


def _tell_lacking(prior: Prior, lacking: np.ndarray, used: str) -> None:
    has = f"{counted(int(lacking.sum()), 'document')} of {len(lacking)} without a number"
    note(f"{prior}: {has}; {used}, is used for them")


def _numbers(prior: Prior, index: Index) -> Array:
    """Return the number of each document, (N,) float64; NaN where there is none."""
    if is_file_of_numbers(prior.source):
        values: Array | None = _numbers_in_file(prior, index)
    else:
        values = numbers_of(index, field_spelt(prior.source, index.values))
    if values is None:
        fields = f"it keeps {', '.join(index.values)}" if index.values else "it keeps none"
        raise ArgumentError(
            f"{prior}: the index does not keep numbers of the field '{prior.source}' ({fields}); build it with "
            f"{Remedy('Index.build', values=[prior.source])}"
        )
    if np.isnan(values).all():
        raise ArgumentError(f"{prior}: no document has a number there; expected numbers, or dates such as 2024-07-01")
    return values


def _numbers_in_file(prior: Prior, index: Index) -> Array:
    """Read numbers by document; NaN for a document without a line. A first line without a number is a header."""
    path, values, first_lines, n_unknown = Path(prior.source), np.full(len(index), np.nan), dict[str, int](), 0
    delimiter = "\t" if ".tsv" in path.suffixes else ","
    for line, text in numbered_lines(path, SAVE_AS_UTF8):
        if not text.strip():
            continue
        try:
            cells = [cell.strip() for cell in next(csv.reader([text], delimiter=delimiter, strict=True))]
        except csv.Error as error:
            raise malformed(path, line, f"expected doc_id and value, found a malformed row: {error}") from None
        if len(cells) != 2:
            raise malformed(path, line, f"expected doc_id and value, found {counted(len(cells), 'column')}: '{text}'")
        doc_id, value = cells[0], number_in(cells[1])
        if np.isnan(value) and line == 1:
            continue
        if np.isnan(value):
            raise malformed(path, line, f"expected a number or a date as value, found '{cells[1]}'")
        first = first_lines.setdefault(doc_id, line)
        if first != line:
            raise malformed(prior.source, line, f"doc_id '{doc_id}' was already given on line {first}")
        number = index.find_document(doc_id)
        n_unknown += number < 0
        if number >= 0:
            values[number] = value
    if n_unknown:
        note(f"{prior}: {counted(n_unknown, 'line')} of documents that the index does not have")
    return values
