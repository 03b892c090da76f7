"""Where toysearch keeps what it can make or fetch again."""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path

_CACHES = {"darwin": ("XDG_CACHE_HOME", "~/Library/Caches"), "win32": ("LOCALAPPDATA", "~/AppData/Local")}
_OTHER_CACHE = ("XDG_CACHE_HOME", "~/.cache")
"""The environment variable that names the folder of caches, and where it is without."""


def user_cache() -> Path:
    """The user's own folder, which need not exist yet.

    >>> user_cache().name
    'toysearch'
    """
    variable, default = _CACHES.get(sys.platform, _OTHER_CACHE)
    return Path(os.environ.get(variable) or os.path.expanduser(default), "toysearch")


def compiled_loops() -> Path:
    """Where the compiled loops are kept: the folder that NUMBA_CACHE_DIR names, else one of the user's own.

    Its name holds a checksum of all of them, because numba sees a change of a function's own file, not of one that it
    calls.
    """
    if chosen := os.environ.get("NUMBA_CACHE_DIR"):
        return Path(chosen)
    digest = hashlib.sha256()
    for path in sorted((Path(__file__).parent / "compiled").glob("*.py")):
        digest.update(path.read_bytes())
    return user_cache() / "compiled" / digest.hexdigest()[:12]
