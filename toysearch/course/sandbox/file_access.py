"""The files of a confined program: readable paths, written files, kept files, and their removal."""

from __future__ import annotations

import contextlib
import itertools
import os
import stat
import sys
import sysconfig
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from toysearch.base import ArgumentError

_PACKAGE = Path(__file__).resolve().parents[2]
_SHARE = 0.25  # of the memory of a program: the most that its page tables may take
_SITES = ("site-packages", "dist-packages")
_MOST_FILES, _MOST_THREADS, _DEEPEST = 2_000, 1_000, 50


class Usage:
    """The disk usage, the threads and the page tables of a running program."""

    def __init__(self, work: Path, loops: Path, copied: Path, pid: int) -> None:
        self.work, self.loops = work, loops
        free = [_size(info) for info in _files(copied) if info is not None]
        self.free, self.free_number = sum(free), len(free)
        self.process = Path("/proc", str(pid))

    def met(self, files: int, memory: int) -> str | None:
        """The limit that is currently exceeded: ``memory`` (by page tables), ``files`` or ``threads``."""
        if self._page_tables() > memory * _SHARE:
            return "memory"
        with contextlib.suppress(OSError):
            if len(os.listdir(self.process / "task")) > _MOST_THREADS:
                return "threads"
        return "files" if self.too_many(files) else None

    def _page_tables(self) -> int:
        """The bytes of the kernel's tables for the memory of the process, which no limit of the kernel counts."""
        with contextlib.suppress(OSError, ValueError):
            status = (self.process / "status").read_text("utf-8", "replace")
            found = next((line for line in status.splitlines() if line.startswith("VmPTE:")), "VmPTE: 0 kB")
            return 1024 * int(found.split()[1])
        return 0

    def too_many(self, files: int) -> bool:
        """Whether files exceed the limits of number, size or depth; removed files count while open."""
        removed = self._removed()
        return _too_many(itertools.chain(_files(self.work), removed), files, _MOST_FILES) or _too_many(
            _files(self.loops), files + self.free, _MOST_FILES + self.free_number
        )

    def _removed(self) -> Iterator[os.stat_result | None]:
        """The files that the process holds although they are removed; None for one of unknown size."""
        # A file of unknown size is mapped and not open: it may be much larger than the mapped piece.
        seen = set()
        mapped = self._mapped()  # before the open ones: a file is closed after it is mapped
        with contextlib.suppress(OSError), os.scandir(self.process / "fd") as entries:
            for entry in entries:
                with contextlib.suppress(OSError):
                    info = os.stat(entry.path)
                    if stat.S_ISREG(info.st_mode) and not info.st_nlink:
                        seen.add(info.st_ino)
                        yield info
        if mapped - seen and mapped & self._mapped() - seen:  # still there, not just released
            yield None

    def _mapped(self) -> set[int]:
        """The removed files of its folders that are in its memory, by number."""
        folder = f"{self.work.parent}{os.sep}"
        found = set()
        with contextlib.suppress(OSError):
            for line in (self.process / "maps").read_text("utf-8", "replace").splitlines():
                columns = line.split(maxsplit=5)  # addresses, rights, offset, device, number, name
                if len(columns) > 5 and columns[5].startswith(folder) and columns[5].endswith(" (deleted)"):
                    found.add(int(columns[4]))
        return found


def _too_many(infos: Iterable[os.stat_result | None], most: int, most_files: int) -> bool:
    size = 0
    for number, info in enumerate(infos):
        size += most + 1 if info is None else _size(info)
        if size > most or number >= most_files:
            return True
    return False


def _size(info: os.stat_result) -> int:
    return 0 if stat.S_ISDIR(info.st_mode) else info.st_size


def _files(folder: Path) -> Iterator[os.stat_result | None]:
    """Everything below a folder; None for entries that are unreadable or too deep; vanished ones are omitted."""
    waiting = [(str(folder), 0)]
    while waiting:
        path, depth = waiting.pop()
        try:
            with os.scandir(path) as entries:
                for entry in entries:
                    yield entry.stat(follow_symlinks=False)
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append((entry.path, depth + 1))
        except FileNotFoundError:
            continue
        except OSError:
            yield None
        if depth > _DEEPEST:
            yield None


def granted(more: Iterable[str | Path], hidden: Iterable[str | Path]) -> tuple[list[str], list[str]]:
    """The paths a program may read: Python, packages, toysearch and more; and folders that it may only list."""
    places = sysconfig.get_paths()
    own = [Path(places[name]) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    own += [_PACKAGE, _PACKAGE.parent / "corpora", *(Path(entry) for entry in sys.path if Path(entry).name in _SITES)]
    own += [Path(at, name) for at in (sys.prefix, sys.base_prefix) for name in ("lib", "lib64", "share/jupyter")]
    given = [Path(os.path.realpath(path)) for path in more]
    linked = []  # the collections in a folder are often links
    for root in given:
        with contextlib.suppress(OSError):
            linked += [path for pattern in ("*", "*/*") for path in root.glob(pattern) if path.is_symlink()]
    out = [Path(os.path.realpath(path)) for path in hidden]
    read: list[str] = []
    listed: list[str] = []
    for root in dict.fromkeys(Path(os.path.realpath(path)) for path in (*own, *given, *linked)):
        _grant(root, out, read, listed)
    return list(dict.fromkeys(read)), list(dict.fromkeys(listed))


def _grant(root: Path, hidden: Sequence[Path], read: list[str], listed: list[str]) -> None:
    """Grant a folder, or each part of it that is not hidden."""
    if any(root.is_relative_to(each) for each in hidden):
        return
    if not any(each.is_relative_to(root) for each in hidden):
        read.append(str(root))
        return
    listed.append(str(root))
    with contextlib.suppress(OSError):
        for path in sorted(root.iterdir()):
            if not path.is_symlink():
                _grant(path, hidden, read, listed)


def import_path(read: Sequence[str]) -> list[str]:
    """The import paths of this process that the program may read."""
    inside = tuple(f"{path}{os.sep}" for path in read)
    entries = [os.path.realpath(entry) for entry in sys.path if entry]
    return [each for each in entries if each in read or each.startswith(inside) or each.endswith(_SITES)]


def put(work: Path, files: Mapping[str, bytes | str]) -> None:
    """Write files into the working folder."""
    for name, content in files.items():
        path = work / name
        if not path.resolve().is_relative_to(work):
            raise ArgumentError(f"'{name}' leads out of the working folder")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content)


def kept(work: Path, name: str, most: int) -> bytes | None:
    """The content of a plain file inside the folder; None for anything else: a link could lead anywhere."""
    path = work / name
    with contextlib.suppress(OSError):
        info = path.lstat()
        if path.resolve() == path and stat.S_ISREG(info.st_mode) and info.st_size <= most:
            return path.read_bytes()
    return None


def removed(base: Path) -> None:
    """Remove a folder with everything in it, however deep: each folder is moved up before it is emptied."""
    number = itertools.count()
    waiting = [base]
    emptied = []
    while waiting:
        folder = waiting.pop()
        with contextlib.suppress(OSError):
            os.chmod(folder, 0o700)
            with os.scandir(folder) as entries:
                found = list(entries)
            for entry in found:
                with contextlib.suppress(OSError):
                    if not entry.is_dir(follow_symlinks=False):
                        os.unlink(entry.path)
                    elif not _without_content(entry.path):
                        nearer = base / f".removed-{next(number)}"
                        os.chmod(entry.path, 0o700)  # moving a folder requires write permission for it
                        os.rename(entry.path, nearer)
                        waiting.append(nearer)
        emptied.append(folder)
    for folder in reversed(emptied):
        with contextlib.suppress(OSError):
            folder.rmdir()


def _without_content(path: str) -> bool:
    """Remove a folder if it is empty, and return whether it was."""
    try:
        os.rmdir(path)
    except OSError:
        return False
    return True
