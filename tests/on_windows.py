"""What tests find on Windows: files are written as elsewhere, and links and pipes are refused in a way of their own."""

import contextlib
import errno
import os
import shutil
import stat
import sys
import time
from pathlib import Path

from toysearch.base import platform
from toysearch.base.platform import LOCK

STRICT = os.environ.get("TOYSEARCH_SYSTEM") == "strict-windows"
"""Whether every test runs on a simulated Windows."""

WINDOWS = STRICT or sys.platform == "win32"


NO_CLOCK = "Dask waits until the clock of Windows stands still, which that of Wine never does"
"""Why Dask cannot be used there."""


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


def in_use(path: str | os.PathLike[str]) -> bool:
    """Whether this process has a file open or mapped, or one in a folder; /proc tells it.

    Python keeps a descriptor of each file that it maps.
    """
    place = os.fsencode(os.path.realpath(path))
    if not os.path.lexists(place):
        return False
    for descriptor in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):  # of the list itself
            name = os.readlink(os.fsencode(f"/proc/self/fd/{descriptor}"))
            if (name == place or name.startswith(place + b"/")) and stat.S_ISREG(os.fstat(int(descriptor)).st_mode):
                return True
    return False


def strict(monkeypatch) -> list[str]:
    """Refuse on Linux what Windows refuses, more strictly than Wine; the refused calls are listed.

    No file that is open or mapped is replaced, renamed or removed; no read-only file is flushed; nobody
    makes links or pipes; a folder is locked by a file in it.
    """
    refusals = []

    def refusing(call, n_paths):
        def called(*arguments, **options):
            if any(in_use(path) for path in arguments[:n_paths]):
                refusals.append(call.__name__)
                raise PermissionError(errno.EACCES, "Access denied", str(arguments[0]))
            return call(*arguments, **options)

        return called

    def fsync(descriptor):  # says only whether Windows would flush: flushing itself takes most of the time
        import fcntl

        is_folder = stat.S_ISDIR(os.fstat(descriptor).st_mode)  # platform.sync_folder does nothing there
        if not is_folder and fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY:
            raise OSError(errno.EBADF, "Bad file descriptor")

    locks = {}  # descriptors, and the files that go with the last of them

    def opened_for_lock(folder):
        path = os.path.join(folder, LOCK)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        locks[descriptor] = path
        return descriptor

    def close(descriptor, close=os.close, unlink=os.unlink):
        close(descriptor)
        path = locks.pop(descriptor, None)
        if path is not None and path not in locks.values():
            with contextlib.suppress(FileNotFoundError):
                unlink(path)

    for name, n_paths in {"replace": 2, "rename": 2, "unlink": 1, "remove": 1}.items():
        monkeypatch.setattr(os, name, refusing(getattr(os, name), n_paths))
    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(os, "close", close)
    monkeypatch.setattr(os, "symlink", _no_link)
    monkeypatch.setattr(os, "mkfifo", _pipe)
    monkeypatch.setattr(shutil, "_use_fd_functions", False)  # folders are removed file by file, by their paths
    monkeypatch.setattr(platform, "_opened_for_lock", opened_for_lock)
    return refusals


def _no_link(*_, **options) -> None:
    raise NotOnWindows("Windows lets only administrators make links")


def has_a_clock_for_dask() -> bool:
    """Whether several readings of the time are the same, as on Windows itself; Dask reads it until they are."""
    return sys.platform != "win32" or sys.version_info >= (3, 13) or len({time.time() for _ in range(10)}) < 6


def is_private(path: Path) -> bool:
    """Whether only its owner may read a file; on Windows the rights of its folder decide, and modes say nothing."""
    return sys.platform == "win32" or path.stat().st_mode & 0o077 == 0


def files_in(folder: Path) -> list[Path]:
    """The files of a folder, without the one that Windows has there after a lock."""
    return [path for path in sorted(folder.iterdir()) if path.name != LOCK]


def copy_of(folder: Path, place: Path) -> Path:
    """A copy of a folder without that file, which Windows lets nobody read."""
    return Path(shutil.copytree(folder, place, ignore=shutil.ignore_patterns(LOCK)))


if sys.platform == "win32":
    os.symlink, os.mkfifo = _link, _pipe
    written, read = Path.write_text, Path.read_text

    def write_text(self, data, encoding="utf-8", errors=None, newline="\n"):
        """What tests write is the same on all systems."""
        return written(self, data, encoding, errors, newline)

    def read_text(self, encoding="utf-8", errors=None):
        return read(self, encoding, errors)

    Path.write_text, Path.read_text = write_text, read_text
