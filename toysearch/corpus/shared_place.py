"""Where workers find what a command reads: a path that all machines have, or the copy of an address."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from toysearch.base.errors import COPIES
from toysearch.corpus.collection import Collection
from toysearch.corpus.shares import not_in_files
from toysearch.formats.remote_files import copy_like


class SharedPlace(NamedTuple):
    """A file or a folder, or the name of a collection, that the command and its workers read."""

    path: str
    address: str = ""  # if the path is that of the command's copy

    @classmethod
    def of(cls, source: str | os.PathLike[str]) -> SharedPlace:
        """The place of what the command reads."""
        if not os.path.exists(source):
            return cls(os.fspath(source))
        return cls(os.path.abspath(source), COPIES.get(os.fspath(source), ""))

    def here(self) -> str:
        """The path in a worker, which makes its own copy if its machine lacks the command's."""
        if not self.address or os.path.exists(self.path):
            return self.path
        return str(copy_like(self.path, self.address))


def place_of_documents(collection: Collection) -> tuple[SharedPlace, dict[str, Any]]:
    """Where workers read the documents of a collection, and with which other arguments of `load`."""
    if collection.read_from is None:
        raise not_in_files(collection)
    path, reading = collection.read_from
    return SharedPlace(path, COPIES.get(path, "")), {**reading, "topics": False}
