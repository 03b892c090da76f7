"""Untrusted Python code in a confined process: its start, its limits and its end.

The process confines itself (`kernel_confinement.py`) before it reads any of that code. Where the system cannot
confine it, the code is refused unless the caller trusts it.
"""

from __future__ import annotations

import contextlib
import io
import json
import math
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from toysearch.base import ArgumentError, Remedy, cut, note, one_line, refuse_in_a_tab, sentence
from toysearch.base.interrupts import Interruptible, answer_signals
from toysearch.base.platform import apart, end_group, wait_for_room
from toysearch.classroom.sandbox import kernel_confinement
from toysearch.classroom.sandbox.kernel_confinement import Usage, granted, import_path, kept, put, removed

__all__ = ["Confined", "Limits", "run_confined"]

_MARK = "toysearch_confined"
_FLAGS = ("-P", "-s", "-B", "-X", "utf8")
"""Options of the interpreter: as -I, but the environment is read; it is set here, and fixes the order of sets."""
_LOOK = 0.05  # seconds between two checks of a running child
_PIECE = 65536  # bytes that are read from a pipe at once
_LIBRARIES = ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "VECLIB", "BLIS")
_PASSED = ("LANG", "LC_ALL", "LC_CTYPE", "SYSTEMROOT", "TOYSEARCH_PATH")

_FOR_WANT_OF_MEMORY = ("SIGABRT", "SIGSEGV", "SIGBUS", "SIGTRAP")
_LAST_LINE = re.compile(r"[A-Za-z_][\w.]*(: |\Z)")
_LONGEST = 300  # characters of a sentence that the program wrote


@dataclass(frozen=True)
class Limits:
    """Limits of a confined program.

    Attributes
    ----------
    seconds : float
        Elapsed seconds, including start and imports.
    cpu_seconds : float or None
        CPU seconds, rounded up; None for the value of `seconds`. Not on Windows.
    memory : int
        Bytes of writable memory; reserved memory does not count. Linux only.
    output : int
        Bytes of output, stdout and stderr together.
    files : int
        Bytes of all files in the working folder, which may hold 2,000 files.
    """

    seconds: float = 60.0
    cpu_seconds: float | None = None
    memory: int = 4_000_000_000
    output: int = 1_000_000
    files: int = 100_000_000

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if value is not None and not (isinstance(value, int | float) and value > 0):
                raise ArgumentError(f"{name}: a limit must be above 0, not {value}")


@dataclass(frozen=True)
class Confined:
    """End of a confined program, with its output and files.

    Attributes
    ----------
    ended : str
        ``done`` (exit code 0), ``failed`` (an exception, or another exit code), ``time``, ``cpu``, ``memory``,
        ``output``, ``files``, ``threads`` (the limit that it reached), ``refused`` (it could not continue without
        something forbidden), or ``crashed`` (the interpreter itself died).
    exit_code : int
        The exit code of the process; a negative one is the signal that ended it.
    output, errors : str
        The allowed part of stdout and stderr.
    seconds : float
        The running time.
    sentence : str
        The reason of its end, in one line without control characters; ``done`` for success.
    files : dict of str to bytes
        The existing files among those of `keep`.
    confined : bool
        Whether the kernel confined it; False for trusted code on a system that cannot.
    """

    ended: str
    exit_code: int
    output: str
    errors: str
    seconds: float
    sentence: str
    files: dict[str, bytes] = field(default_factory=dict)
    confined: bool = True


def run_confined(
    target: str | Path,
    *arguments: str,
    limits: Limits | None = None,
    files: Mapping[str, bytes | str] | None = None,
    keep: Sequence[str] = (),
    readable: Sequence[str | Path] = (),
    hidden: Sequence[str | Path] = (),
    environment: Mapping[str, str] | None = None,
    trust_code: bool = False,
    stop: threading.Event | None = None,
) -> Confined:
    r"""Run a Python program confined, and report its end.

    The program runs with this interpreter in an empty working folder of its own, which is removed afterwards. It can
    read Python, installed packages, toysearch, `files` and `readable`; write into its working folder; start
    threads. Other files, other processes, and the network are out of its reach: it gets a ``PermissionError``. Its
    environment is empty but for the language and toysearch's settings; libraries compute with one thread. It ends
    with this process at the latest. A confined program that calls this function runs the other one in its own process.

    Parameters
    ----------
    target : str or Path
        A path, or a text that ends in ``.py``: a file; otherwise a module, as after ``python -m``.
    *arguments : str
        Its arguments, ``sys.argv[1:]``. They are not on a command line.
    limits : Limits, optional
        The limits of the program.
    files : mapping of str to bytes or str, optional
        Name → content of files that are in the working folder when it starts; a name may have folders.
    keep : sequence of str, optional
        Names of files in the working folder to return. Only plain files are returned.
    readable : sequence of str or Path, optional
        More files and folders that it may read.
    hidden : sequence of str or Path, optional
        Paths among all these that it may not read.
    environment : mapping of str to str, optional
        Variables to add to its environment.
    trust_code : bool, default False
        Run it even if this system cannot confine it: the limits then hold if the system has them, the rest does
        not. On a system that can confine it, the program is still confined.
    stop : threading.Event, optional
        Ends the program once it is set, for a caller that runs it in a thread; the end is then ``crashed``.

    Raises
    ------
    ArgumentError
        If a limit is not above 0, a name of `files` leads out of the working folder, or this system cannot confine
        the program and it is not trusted.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     program = Path(folder, "mine.py")
    ...     _ = program.write_text("print(6 * 7); 1 / 0")
    ...     ended = run_confined(program, trust_code=True)
    >>> ended.output, ended.ended, ended.sentence
    ('42\n', 'failed', 'ZeroDivisionError: division by zero')
    """
    limits = limits or Limits()
    is_file = isinstance(target, Path) or str(target).endswith(".py")
    name = os.path.realpath(target) if is_file else str(target)
    base = Path(os.path.realpath(tempfile.mkdtemp(prefix="toysearch-")))
    work = base / "work"
    try:
        work.mkdir()
        put(work, files or {})
        if _MARK in sys._xoptions:
            return _nested(name, is_file, arguments, work, keep, limits)
        confined = can_confine(trust_code)
        roots, listed = granted([*readable, *([name] if is_file else [])], hidden)
        request = {
            "target": name,
            "is_file": is_file,
            "arguments": list(arguments),
            "path": import_path(roots) if confined else sys.path,
            "limits": {
                "cpu_seconds": math.ceil(limits.seconds if limits.cpu_seconds is None else limits.cpu_seconds),
                "memory": limits.memory,
                "files": limits.files,
            },
            "parent": os.getpid(),
            "confined": confined,
            "readable": roots,
            "listed": listed,
            "writable": [str(work)],
        }
        mark = ("-X", _MARK) if confined else ()
        command = [sys.executable, *_FLAGS, *mark, str(kernel_confinement.__file__)]
        with Interruptible():
            child = _Child(command, work, _environment(work) | dict(environment or {}), json.dumps(request).encode())
            met = child.follow(limits, stop or threading.Event())
        results = kept(work, keep, limits.files)
        printed = {"output": child.output.content, "errors": child.errors.content}
        return _outcome(child.process.returncode, met, printed, limits, child.seconds, results, confined)
    finally:
        removed(base)


@contextlib.contextmanager
def ended_cleanly() -> Iterator[None]:
    """Run a block in which SIGTERM raises an exception, so that the folders of confined programs are removed."""
    here = threading.current_thread() is threading.main_thread()
    if not here or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return

    def end(number: int, frame: object) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # a second one does not interrupt the removal
        raise SystemExit(128 + number)

    signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def can_confine(trust_code: bool = False) -> bool:
    """True if this system can confine programs; refuse to go on if it cannot and the code is not trusted."""
    refuse_in_a_tab(
        "a process for the code of others", "download their files, and run this with toysearch on a computer"
    )
    if _MARK in sys._xoptions:
        return True
    lacks = kernel_confinement.missing()
    if lacks and not trust_code:
        raise ArgumentError(
            "this system cannot confine untrusted code (this requires Linux 6.2 with Landlock and seccomp; "
            f"{lacks}): run it there, in WSL 2 or in a container (toysearch docs install), or give "
            f"{Remedy('', trust_code=True)} if you trust the code"
        )
    return not lacks


def admit_code(trust_code: bool) -> None:
    """Refuse code of others where it can be neither confined nor trusted; note it if it is only trusted."""
    if not can_confine(trust_code):
        note("this code runs unconfined, because you trust it: it can read and change all that you can")


def _environment(work: Path) -> dict[str, str]:
    homes = ("HOME", "USERPROFILE", "LOCALAPPDATA", "XDG_CACHE_HOME", "TMPDIR", "TEMP", "TMP", "IPYTHONDIR")
    return {
        **{name: os.environ[name] for name in _PASSED if name in os.environ},
        **{f"{library}_NUM_THREADS": "1" for library in _LIBRARIES},
        **dict.fromkeys((*homes, "MPLCONFIGDIR"), str(work)),
        "PATH": os.defpath,
        "PYTHONPATH": str(Path(__file__).resolve().parents[3]),  # toysearch need not be installed
        "USER": "student",
        "TOYSEARCH_CORPORA": "",
        "TOYSEARCH_CACHE": str(work / "toysearch"),
        "MALLOC_ARENA_MAX": "2",
        "PYTHONHASHSEED": "0",
    }


class _Printed:
    """Output that a process prints into a pipe.

    A thread reads it up to a mark that is put into the pipe once the process has ended. The end of the pipe may come
    much later: trusted code may have started another process that holds it open.
    """

    def __init__(self) -> None:
        self.content = bytearray()
        self._mark = os.urandom(32)
        reading, writing = os.pipe()
        self._reading, self.writing = io.FileIO(reading, "r"), io.FileIO(writing, "w")
        self._reader: threading.Thread | None = None

    def read(self, most: int) -> None:
        """Begin to read; once the output is more than some bytes, the pipe is closed."""
        reader = threading.Thread(target=self._read, args=(most + len(self._mark),), daemon=True)
        reader.start()
        self._reader = reader

    def _read(self, most: int) -> None:
        with contextlib.suppress(OSError, ValueError), self._reading as pipe:
            while len(self.content) <= most and (data := pipe.read(_PIECE)):
                self.content += data
                if self._mark in self.content[-len(data) - len(self._mark) :]:
                    return

    def end(self) -> None:
        if self._reader is None:
            self._reading.close()
        with contextlib.suppress(OSError), self.writing as pipe:  # nobody reads it if it was too much
            wait_for_room(pipe.fileno())
            pipe.write(self._mark)
        if self._reader is not None:
            self._reader.join()
        self.content = self.content.partition(self._mark)[0]


class _Child:
    def __init__(self, command: Sequence[str], folder: Path, environment: Mapping[str, str], request: bytes) -> None:
        self.request = request
        self.folder = folder
        self.started = self.clock()
        self.seconds = 0.0
        self.output, self.errors = _Printed(), _Printed()
        pipes: dict[str, Any] = {
            "stdin": subprocess.PIPE,
            "stdout": self.output.writing,
            "stderr": self.errors.writing,
        }
        try:
            self.process = subprocess.Popen(command, cwd=folder, env=dict(environment), **pipes, **apart())
        except BaseException:
            self._read_to_the_end()
            raise
        self.usage = Usage(folder, self.process.pid)

    def clock(self) -> float:
        return time.monotonic()

    def follow(self, limits: Limits, stop: threading.Event) -> str | None:
        """Wait for the end, or enforce it, and return the limit that was reached."""
        try:
            for printed in (self.output, self.errors):
                printed.read(limits.output)
            with contextlib.suppress(BrokenPipeError), self.process.stdin or io.BytesIO() as pipe:
                pipe.write(self.request)
            met = self._met(limits, stop)
        finally:
            self.seconds = self.clock() - self.started
            self._end()
            self._read_to_the_end()
        return met or ("output" if self._size() > limits.output else None)

    def _met(self, limits: Limits, stop: threading.Event) -> str | None:
        while not stop.is_set():
            answer_signals()
            remaining = limits.seconds - (self.clock() - self.started)
            if remaining <= 0:
                return "time"
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(min(remaining, _LOOK))
                return "files" if self.usage.too_many(limits.files) else None
            if self._size() > limits.output:
                return "output"
            if met := self.usage.met(limits.files, limits.memory):
                return met
        return None

    def _read_to_the_end(self) -> None:
        for printed in (self.output, self.errors):
            printed.end()

    def _size(self) -> int:
        return len(self.output.content) + len(self.errors.content)

    def _end(self) -> None:
        """End the process; trusted code may have started others in its group."""
        end_group(self.process)
        self.process.wait()


def _nested(
    target: str, is_file: bool, arguments: Sequence[str], work: Path, keep: Sequence[str], limits: Limits
) -> Confined:
    """Run a program in this process, which is already confined and cannot start another."""
    printed = {"output": io.StringIO(), "errors": io.StringIO()}
    before, argv, started = os.getcwd(), sys.argv, time.monotonic()
    with contextlib.redirect_stdout(printed["output"]), contextlib.redirect_stderr(printed["errors"]):
        os.chdir(work)
        sys.argv = [target, *arguments]
        try:
            code = kernel_confinement.run_program(target, is_file)
        finally:
            os.chdir(before)
            sys.argv = argv
    texts = {name: bytearray(text.getvalue().encode("utf-8", "backslashreplace")) for name, text in printed.items()}
    results = kept(work, keep, limits.files)
    return _outcome(code, None, texts, limits, time.monotonic() - started, results, True)


def _outcome(
    code: int,
    met: str | None,
    printed: Mapping[str, bytearray],
    limits: Limits,
    seconds: float,
    results: dict[str, bytes],
    confined: bool,
) -> Confined:
    texts = {name: bytes(data[: limits.output]).decode("utf-8", "replace") for name, data in printed.items()}
    ended, why = _why(code, met, texts["errors"], limits)
    return Confined(ended, code, texts["output"], texts["errors"], seconds, why, results, confined)


def _why(code: int, met: str | None, errors: str, limits: Limits) -> tuple[str, str]:
    cpu = limits.seconds if limits.cpu_seconds is None else limits.cpu_seconds
    sentences = {
        "time": f"it took more than {limits.seconds:g} s and was ended",
        "cpu": f"it computed for more than {math.ceil(cpu)} s and was ended",
        "memory": f"it needed more memory than {limits.memory / 1e6:,.0f} MB",
        "output": f"it printed more than {limits.output:,} bytes and was ended",
        "files": f"it wrote more than {limits.files:,} bytes, or 2,000 files",
        "threads": "it started more than 1,000 threads and was ended",
    }
    name = signal.Signals(-code).name if code < 0 and -code in set(signal.Signals) else ""
    message = last_line(errors, lambda line: bool(_LAST_LINE.match(line))) if "Traceback (most" in errors else ""
    if not met and code == 1 and message.partition(":")[0].endswith("MemoryError"):
        met = "memory"
    met = met or {"SIGXCPU": "cpu", "SIGXFSZ": "files"}.get(name)
    if met:
        return met, sentences[met]
    if code == 0:
        return "done", "done"
    if code < 0:
        hint = ", often because memory ran out" if name in _FOR_WANT_OF_MEMORY else ""
        return "crashed", f"Python itself was ended by {name or f'signal {-code}'}{hint}"
    if message.startswith("PermissionError"):
        return "refused", with_reach(message)
    return "failed", message if code == 1 and message else f"it ended with exit code {code}"


def with_reach(told: str) -> str:
    """Extend a sentence by the permitted accesses if it reports a forbidden one."""
    reach = "a confined program can access only its working folder and the given files"
    return f"{told} ({reach})" if "PermissionError:" in told else told


def last_line(text: str, wanted: Callable[[str], bool] = bool) -> str:
    """Return the last line of what a program printed, without control characters, cut to a sentence's length."""
    last = next((line for line in reversed(text.splitlines()) if line.strip() and wanted(line)), "")
    return cut(sentence(one_line(last)), _LONGEST)
