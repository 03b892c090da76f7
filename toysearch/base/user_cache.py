"""The cache folder, for files that toysearch can make or download again."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path


def cache_folder() -> Path:
    """The folder of the user, which need not exist yet.

    >>> cache_folder().name
    'toysearch'
    """
    from platformdirs import user_cache_path

    return user_cache_path("toysearch", appauthor=False, opinion=False)


def neighbour_graphs() -> Path:
    """The folder of the graphs of approximate searches, each named by what it is made from and by its checksum."""
    return cache_folder() / "graphs"


def compiled_loops() -> Path:
    """The folder of the compiled loops: NUMBA_CACHE_DIR if it is set, otherwise one in the user's cache."""
    # Its name holds a checksum of all of them, because numba sees a change of a function's own file, not of one that it
    # calls.
    if chosen := os.environ.get("NUMBA_CACHE_DIR"):
        return Path(chosen)
    digest = hashlib.sha256()
    for path in sorted((Path(__file__).parents[1] / "compiled").glob("*.py")):
        digest.update(path.read_bytes())
    return cache_folder() / "compiled" / digest.hexdigest()[:12]
