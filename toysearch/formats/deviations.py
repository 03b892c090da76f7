"""Means and standard deviations of measures, query by query: the file of trec_eval's option -Z."""

from __future__ import annotations

import math
from pathlib import Path

from toysearch.errors import DataError, malformed
from toysearch.formats.text_files import numbered_lines


def read_deviations(path: str | Path) -> dict[tuple[str, str], tuple[float, float]]:
    """The mean and the standard deviation of each measure for each query.

    Each line holds four columns with white space between: ``query_id measure mean deviation``. A number may be ``nan``.
    """
    found = {}
    for number, line in numbered_lines(path):
        columns = line.split()
        if not columns:
            continue
        if len(columns) != 4:
            raise malformed(
                path,
                number,
                f"expected 4 columns (query_id measure mean deviation), found {len(columns)}: '{line[:80]}'",
            )
        values = [_number(text) for text in columns[2:]]
        if None in values:
            raise malformed(path, number, f"expected two numbers, found '{columns[2]}' and '{columns[3]}'")
        found[columns[0], columns[1]] = (values[0] or 0.0, values[1] or 0.0)
    if not found:
        raise DataError(f"{path} is empty; expected lines of query_id, measure, mean and standard deviation")
    return found


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return None if math.isinf(value) or "_" in text else value
