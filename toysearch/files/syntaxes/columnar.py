"""Parquet: each row as a line of JSON, batch by batch, so that it is read as JSON Lines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from typing import IO, Any

_ROWS = 256  # in memory at a time
_INDEX = "__index_level_"  # of a data frame, in a file that pandas writes


def lines(file: IO[bytes]) -> Iterator[bytes]:
    """Yield the rows as lines of JSON, those of each batch together."""
    from pyarrow.parquet import ParquetFile

    content = ParquetFile(file)
    labels = [label for label in content.schema_arrow.names if not label.startswith(_INDEX)]
    for batch in content.iter_batches(_ROWS, columns=labels):
        rows = (json.dumps(row, ensure_ascii=False, default=_plain) for row in batch.to_pylist())
        yield "".join(f"{row}\n" for row in rows).encode(errors="replace")


def _plain(cell: Any) -> Any:
    """Return a value that JSON lacks as a number, or a text; None for bytes, such as those of a picture."""
    if isinstance(cell, Decimal):
        return int(cell) if cell == cell.to_integral_value() else float(cell)
    if isinstance(cell, bytes):
        return None
    return cell.isoformat() if hasattr(cell, "isoformat") else str(cell)
