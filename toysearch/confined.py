"""Runs somebody's Python code in a child process with limits: of time, memory, output, files, and without a network.

It is a guard against the mistakes and the mischief of a course: an endless loop, too much memory, a program that writes
where it should not. It is no jail. What forbids things is Python's own audit hook, in the same process as the code that
it watches: whoever sets out to break it, with ctypes for instance, can. Code of strangers belongs in a container.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from toysearch.caches import compiled_loops, user_cache
from toysearch.errors import ArgumentError

_GUARD = Path(__file__).with_name("guard.py")
_FLAGS = ("-P", "-s", "-B", "-X", "utf8")
"""As -I, but that the environment counts, which is ours: it fixes the order of sets."""
_LOOK = 0.05  # seconds between two looks at a running child
_THREADS = ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "VECLIB", "BLIS")
_PASSED = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "SYSTEMROOT", "TOYSEARCH_CORPORA", "TOYSEARCH_PATH")
_MORE_THAN_MISUSE = ("SIGABRT", "SIGSEGV", "SIGBUS")


@dataclass(frozen=True)
class Limits:
    """What a confined program may use.

    Attributes
    ----------
    seconds : float
        Seconds on the clock, start and imports included.
    cpu_seconds : float or None
        Seconds of computing; None for as many as `seconds`. Counted in whole seconds. Not on Windows.
    memory : int
        Bytes of address space, of which a program with numpy and numba takes about 1e9 before it does anything. Not on
        Windows, and not on macOS, which has no such limit.
    output : int
        Bytes that may be printed, stdout and stderr together.
    files : int
        Bytes of all files in the working folder.
    """

    seconds: float = 60.0
    cpu_seconds: float | None = None
    memory: int = 4_000_000_000
    output: int = 1_000_000
    files: int = 100_000_000

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if value is not None and not value > 0:
                raise ArgumentError(f"{name}: a limit is above 0, and {value} was given")


@dataclass(frozen=True)
class Confined:
    """What became of a confined program.

    Attributes
    ----------
    ended : str
        ``done`` (exit code 0), ``failed`` (an exception, or another exit code), ``time``, ``cpu``, ``memory``,
        ``output``, ``files`` (the limit that it met), ``refused`` (it did something forbidden and could not go on), or
        ``crashed`` (the interpreter itself died).
    exit_code : int
        Of the process; negative: the signal that ended it.
    output, errors : str
        What was printed on stdout and on stderr, as much as was allowed.
    seconds : float
        How long it ran.
    sentence : str
        Why it ended, for people; ``done`` where all was well.
    refused : tuple of str
        Everything that it was refused, also where it went on.
    files : dict of str to bytes
        Of the files asked for by `keep`, those that were there.
    missing : tuple of str
        The limits that this system does not have, among ``cpu_seconds``, ``memory``, ``files`` and ``network`` (no
        network namespace: the audit hook alone forbids).
    """

    ended: str
    exit_code: int
    output: str
    errors: str
    seconds: float
    sentence: str
    refused: tuple[str, ...] = ()
    files: dict[str, bytes] = field(default_factory=dict)
    missing: tuple[str, ...] = ()


def run_confined(
    target: str | Path,
    *arguments: str,
    limits: Limits | None = None,
    files: Mapping[str, bytes | str] | None = None,
    keep: Sequence[str] = (),
    hidden: Sequence[str | Path] = (),
    environment: Mapping[str, str] | None = None,
) -> Confined:
    r"""What became of a Python program that ran confined.

    The program runs with this interpreter and can import what this process can, in a working folder of its own, empty
    but for `files`, which is removed afterwards. Its environment is clean but for where collections are found
    (TOYSEARCH_CORPORA, the cache); libraries compute with one thread. It may write into its working folder only, and
    may neither reach a network nor start another process: it gets a ``PermissionError`` that says so. At its end every
    process that it might have started is ended too. See the module's docstring for what this cannot hold off.

    Parameters
    ----------
    target : str or Path
        A path, or a text that ends in ``.py``: a file; otherwise a module, as after ``python -m``.
    *arguments : str
        Its arguments, ``sys.argv[1:]``.
    limits : Limits, optional
        What it may use.
    files : mapping of str to bytes or str, optional
        Name → content of files that are in the working folder when it starts; a name may have folders.
    keep : sequence of str, optional
        Names of files in the working folder whose content is wanted back. What is no plain file is left out.
    hidden : sequence of str or Path, optional
        Files and folders that it may not even read.
    environment : mapping of str to str, optional
        Variables to add to its environment.

    Raises
    ------
    ArgumentError
        If a limit is not above 0, or a name of `files` leads out of the working folder.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     program = Path(folder, "mine.py")
    ...     _ = program.write_text("print('hello'); open('/somewhere', 'w')")
    ...     ended = run_confined(program)
    >>> ended.output, ended.ended, ended.sentence
    ('hello\n', 'refused', "refused: writing '/somewhere', which is outside of its working folder")
    """
    limits = limits or Limits()
    is_file = isinstance(target, Path) or str(target).endswith(".py")
    with tempfile.TemporaryDirectory(prefix="toysearch-", ignore_cleanup_errors=True) as root:
        base = Path(os.path.realpath(root))
        work, loops, report = base / "work", base / "loops", base / "report"
        work.mkdir()
        loops.mkdir()
        _put(work, files or {})
        asked = {
            "target": str(Path(target).resolve()) if is_file else str(target),
            "is_file": is_file,
            "arguments": list(arguments),
            "path": _import_path(),
            "cpu_seconds": math.ceil(limits.seconds if limits.cpu_seconds is None else limits.cpu_seconds),
            "memory": limits.memory,
            "files": limits.files,
            "report": str(report),
            "loops": [str(compiled_loops()), str(loops)],
            "writable": [str(work), str(loops)],
            "hidden": [os.path.realpath(path) for path in hidden],
        }
        variables = _environment(work, loops) | dict(environment or {})
        child = _Child([sys.executable, *_FLAGS, str(_GUARD), json.dumps(asked)], work, variables)
        met = child.follow(limits)
        told = _told(report)
        return _result(
            child, met, told, limits, {name: data for name in keep if (data := _kept(work, name)) is not None}
        )


def _put(work: Path, files: Mapping[str, bytes | str]) -> None:
    for name, content in files.items():
        path = work / name
        if not path.resolve().is_relative_to(work):
            raise ArgumentError(f"'{name}' leads out of the working folder")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)


def _import_path() -> list[str]:
    """Where this process imports from, but for the folder that it happens to be in, unless toysearch is there."""
    home, here = str(Path(__file__).resolve().parent.parent), os.path.realpath(os.getcwd())
    return [entry or here for entry in sys.path if entry or here == home]


def _environment(work: Path, loops: Path) -> dict[str, str]:
    return {
        **{name: os.environ[name] for name in _PASSED if name in os.environ},
        **{f"{library}_NUM_THREADS": "1" for library in (*_THREADS, "NUMBA")},
        **dict.fromkeys(("HOME", "USERPROFILE", "TMPDIR", "TEMP", "TMP", "IPYTHONDIR", "MPLCONFIGDIR"), str(work)),
        "LOCALAPPDATA": str(user_cache().parent),
        "XDG_CACHE_HOME": str(user_cache().parent),
        "NUMBA_CACHE_DIR": str(loops),
        "MALLOC_ARENA_MAX": "2",  # each costs address space
        "PYTHONHASHSEED": "0",
    }


class _Child:
    """A process in a group of its own, and what it prints."""

    def __init__(self, command: Sequence[str], folder: Path, environment: Mapping[str, str]) -> None:
        apart: dict[str, Any] = {"start_new_session": True}
        if sys.platform == "win32":
            apart = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
        self.folder = folder
        self.started = time.monotonic()
        self.seconds = 0.0
        self.printed = {"output": bytearray(), "errors": bytearray()}
        self.process = subprocess.Popen(
            command,
            cwd=folder,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            **apart,
        )

    def follow(self, limits: Limits) -> str | None:
        """Wait for the end, or make it; the limit that was met."""
        readers = [
            threading.Thread(target=self._read, args=(name, pipe, limits.output), daemon=True)
            for name, pipe in (("output", self.process.stdout), ("errors", self.process.stderr))
        ]
        try:
            for reader in readers:
                reader.start()
            met = self._met(limits)
        finally:
            self.seconds = time.monotonic() - self.started
            self._end()
        for reader in readers:
            reader.join(1.0)  # a process that has left the group may hold the pipe open
        return met or ("output" if self._size() > limits.output else None)

    def _met(self, limits: Limits) -> str | None:
        while True:
            left = limits.seconds - (time.monotonic() - self.started)
            if left <= 0:
                return "time"
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(min(left, _LOOK))
                return "files" if _folder_size(self.folder) > limits.files else None
            if self._size() > limits.output:
                return "output"
            if _folder_size(self.folder) > limits.files:
                return "files"

    def _read(self, name: str, pipe: IO[bytes], most: int) -> None:
        printed = self.printed[name]
        with contextlib.suppress(OSError, ValueError), pipe:
            while len(printed) <= most and (data := os.read(pipe.fileno(), 65536)):
                printed += data

    def _size(self) -> int:
        return sum(map(len, self.printed.values()))

    def _end(self) -> None:
        """End the process and all of its group."""
        if sys.platform == "win32":
            self.process.kill()
        else:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def _folder_size(folder: Path) -> int:
    """Bytes of all files below a folder; what vanishes meanwhile counts as nothing."""
    size = 0
    for path, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                size += os.lstat(os.path.join(path, name)).st_size
    return size


def _told(report: Path) -> list[tuple[str, str]]:
    """What the child wrote into its report."""
    told = []
    with contextlib.suppress(OSError):
        for line in report.read_text(encoding="utf-8", errors="replace").splitlines():
            with contextlib.suppress(ValueError):
                what, text = json.loads(line)
                told.append((str(what), str(text)))
    return told


def _kept(work: Path, name: str) -> bytes | None:
    """The content of a file, if it is a plain one inside the folder: a link could lead anywhere."""
    path = work / name
    with contextlib.suppress(OSError):
        if path.resolve() == path and stat.S_ISREG(path.lstat().st_mode):
            return path.read_bytes()
    return None


def _result(
    child: _Child, met: str | None, told: list[tuple[str, str]], limits: Limits, kept: dict[str, bytes]
) -> Confined:
    code = child.process.returncode
    last = next(((what, text) for what, text in reversed(told) if what in ("memory", "stopped", "failed")), None)
    ended, sentence = _why(code, met, last, limits)
    printed = {name: bytes(data[: limits.output]).decode("utf-8", "replace") for name, data in child.printed.items()}
    return Confined(
        ended=ended,
        exit_code=code,
        output=printed["output"],
        errors=printed["errors"],
        seconds=child.seconds,
        sentence=sentence,
        refused=tuple(dict.fromkeys(text for what, text in told if what == "refused")),
        files=kept,
        missing=tuple(name for what, text in told if what == "missing" for name in text.split()),
    )


def _why(code: int, met: str | None, last: tuple[str, str] | None, limits: Limits) -> tuple[str, str]:
    """How a program ended, as a word and as a sentence."""
    cpu = limits.seconds if limits.cpu_seconds is None else limits.cpu_seconds
    sentences = {
        "time": f"it took more than {limits.seconds:g} s and was ended",
        "cpu": f"it computed for more than {math.ceil(cpu)} s and was ended",
        "memory": f"it wanted more memory than {limits.memory / 1e6:,.0f} MB",
        "output": f"it printed more than {limits.output:,} bytes and was ended",
        "files": f"it wrote more than {limits.files:,} bytes into files",
    }
    name = signal.Signals(-code).name if code < 0 and -code in set(signal.Signals) else ""
    what = met or {"SIGXCPU": "cpu", "SIGXFSZ": "files"}.get(name) or ("memory" if last and last[0] == "memory" else "")
    if what:
        return what, sentences[what]
    if code == 0:
        return "done", "done"
    if code < 0:
        hint = ", often for want of memory" if name in _MORE_THAN_MISUSE else ""
        return "crashed", f"Python itself was ended by {name or f'signal {-code}'}{hint}"
    if last and last[0] == "stopped":
        return "refused", last[1].removeprefix("Refused: ")
    return "failed", last[1] if last else f"it ended with exit code {code}"
