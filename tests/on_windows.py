"""What tests find on Windows: files are written as elsewhere, and links and pipes are refused in a way of their own."""

from __future__ import annotations

import os
import sys
from pathlib import Path


class NotOnWindows(OSError):
    """What Windows refuses to the tests; pytest, which makes links too, goes on without them."""


def _link(source, target, is_folder=False, *, make=os.symlink, **options) -> None:
    """A symbolic link; Windows lets only administrators make them, and Wine pretends to."""
    try:
        make(source, target, is_folder, **options)
    except (NotImplementedError, OSError) as error:
        raise NotOnWindows("Windows lets only administrators make links") from error
    if not os.path.islink(target):
        raise NotOnWindows("Windows lets only administrators make links")


def _pipe(path, mode=0o666) -> None:
    raise NotOnWindows("Windows has no pipes with a path")


if sys.platform == "win32":
    os.symlink, os.mkfifo = _link, _pipe
    written, read = Path.write_text, Path.read_text

    def write_text(self, data, encoding="utf-8", errors=None, newline="\n"):
        """What tests write is the same on all systems."""
        return written(self, data, encoding, errors, newline)

    def read_text(self, encoding="utf-8", errors=None):
        return read(self, encoding, errors)

    Path.write_text, Path.read_text = write_text, read_text
