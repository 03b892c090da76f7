"""What a system's refusal means, in a sentence: no such file, no right, no room, no memory, too many files."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator

_FEW_FILES = "this process may not open more files: raise the limit (ulimit -n 1024) or use fewer --threads"
_NO_MEMORY = "not enough memory; give the command more (ulimit -v), a smaller collection, or fewer --threads"
_NO_THREAD = "no more threads can be started here; use --threads 1, or raise the limit (ulimit -u, ulimit -v)"

_OF_FILES = {
    errno.ENOENT: "there is no file or folder {}; check the name and the folder you are in",
    errno.EACCES: "permission denied: {} may not be read or written by you",
    errno.EPERM: "permission denied: {} may not be read or written by you",
    errno.EISDIR: "{} is a folder; a file was expected",
    errno.ENOTDIR: "{} is not inside a folder: a part of the path is a file",
    errno.EEXIST: "{} exists already; choose another name",
    errno.EROFS: "{} is on a disk that cannot be written to; choose another place",
    errno.ELOOP: "{} is a link that leads to itself; name the file",
}


def trouble_of(error: BaseException) -> str | None:
    """What the system has refused, in a sentence; None for an error of another kind."""
    text = " ".join(map(str, _chain(error)))
    unloaded = isinstance(error, ImportError) or (isinstance(error, OSError) and not error.errno)
    if isinstance(error, MemoryError) or (unloaded and ("failed to map" in text or "annot allocate" in text)):
        return _NO_MEMORY
    if isinstance(error, RuntimeError) and "can't start new thread" in text:
        return _NO_THREAD
    if unloaded and os.strerror(errno.EMFILE) in text:
        return _FEW_FILES
    if not isinstance(error, OSError):
        return None
    name = f"'{os.fsdecode(error.filename)}'" if isinstance(error.filename, str | bytes) else ""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"no room left on the disk{f' for {name}' if name else ''}; free some or choose another place"
    if error.errno in (errno.EMFILE, errno.ENFILE):
        return _FEW_FILES
    if error.errno == errno.ENOMEM:
        return _NO_MEMORY
    if error.errno == errno.EAGAIN and not name:
        return _NO_THREAD
    if not name and error.strerror:
        return f"the system refuses what the command needs: {error.strerror[:1].lower()}{error.strerror[1:]}"
    if not name:
        return None
    return _OF_FILES.get(error.errno or 0, "{}: " + str(error.strerror).replace("{", "{{")).format(name)


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """An error and those that it came of."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
