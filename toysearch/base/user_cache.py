"""The cache folder, for files that toysearch can make or download again."""

from __future__ import annotations

import os
from pathlib import Path

CACHE = "TOYSEARCH_CACHE"
"""The environment variable that names another cache folder."""


def cache_folder() -> Path:
    """The folder of the user, which need not exist yet."""
    if chosen := os.environ.get(CACHE):
        return Path(chosen)
    from platformdirs import user_cache_path

    return user_cache_path("toysearch", appauthor=False, opinion=False)


def neighbour_graphs() -> Path:
    """The folder of the graphs of approximate searches, each named by what it is made from and by its checksum."""
    return cache_folder() / "graphs"
