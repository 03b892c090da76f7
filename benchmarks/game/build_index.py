"""Build an index of JSON Lines with "id" and "text" on standard input: python build_index.py FOLDER."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import IO

import toysearch


def documents(lines: IO[str]) -> Iterator[toysearch.Document]:
    """The document of each line."""
    for line in lines:
        record = json.loads(line)
        yield toysearch.Document(record["id"], record["text"])


if __name__ == "__main__":
    toysearch.Index.build(documents(sys.stdin), store_text=False, folder=sys.argv[1])
