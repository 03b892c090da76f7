"""What an index knows of its own postings; a shard counts its own, and has the statistics of the whole."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from toysearch.index.file_layout import Arrays

if TYPE_CHECKING:
    from toysearch.index.shards import Shard


class OwnPostings:
    """The part of `Index` in which a shard differs from an index that is whole."""

    shards: Sequence[Shard] = ()  # of an index that consists of several
    left_out = ""  # the end of the name of a run if shards are missing
    _arrays: Arrays
    _folder: Path | None
    fields: Any

    @property
    def arrays(self) -> Arrays:
        """The arrays that docs/look-up/index-format.md names."""
        return self._arrays

    @property
    def folder(self) -> Path | None:
        """The folder that the index was opened from; None for any other."""
        return self._folder

    def own_terms(self, terms: np.ndarray) -> np.ndarray:
        """The numbers of some terms among those of its postings; -1 for a term that none of its documents contains."""
        return terms

    def field_tokens(self, field: str) -> int:
        """The tokens of a separate field in all documents."""
        return int(self.fields.dl(field).sum(dtype=np.int64))
