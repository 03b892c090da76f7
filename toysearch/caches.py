"""Where toysearch keeps what it can make or fetch again."""

from __future__ import annotations

import os
import sys
from pathlib import Path

_CACHES = {"darwin": ("", "~/Library/Caches"), "win32": ("LOCALAPPDATA", "~/AppData/Local")}
_OTHER_CACHE = ("XDG_CACHE_HOME", "~/.cache")
"""The environment variable that names the folder of caches, and where it is without."""


def user_cache() -> Path:
    """The user's own folder, which need not exist yet.

    Examples
    --------
    >>> user_cache().name
    'toysearch'
    """
    variable, default = _CACHES.get(sys.platform, _OTHER_CACHE)
    return Path(os.environ.get(variable) or os.path.expanduser(default), "toysearch")
