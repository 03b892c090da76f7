"""Run as a script in a confined child process: sets the limits, refuses what is forbidden, then runs what it was given.

`toysearch.confined` starts it, and tells it by its one argument (JSON) what to run. It imports nothing of toysearch, so
that the limits hold before anything else is loaded.
"""

from __future__ import annotations

import contextlib
import json
import os
import runpy
import sys
import traceback
from collections.abc import Callable, Sequence
from typing import Any

_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_NEWUSER, _NEWNET = 0x10000000, 0x40000000  # of unshare(2)
_STARTS = ("os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.startfile", "os.system", "pty.spawn")
_CALLS = ("socket.connect", "socket.bind", "socket.sendto", "socket.sendmsg")
_NAMES = ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr", "socket.getnameinfo")
_CHANGES = {  # event → how many of its first arguments are paths that are changed
    "os.chflags": 1,
    "os.chmod": 1,
    "os.chown": 1,
    "os.link": 2,
    "os.mkdir": 1,
    "os.remove": 1,
    "os.removexattr": 1,
    "os.rename": 2,
    "os.rmdir": 1,
    "os.setxattr": 1,
    "os.symlink": 2,
    "os.truncate": 1,
    "os.utime": 1,
    "sqlite3.connect": 1,
}


class Refused(PermissionError):
    """What confined code may not do; an OSError, so that libraries which can do without carry on."""


class Report:
    """What the parent reads when all is over: a line of JSON for each thing that happened."""

    def __init__(self, path: str) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def tell(self, what: str, text: str = "") -> None:
        """Add a line."""
        with contextlib.suppress(OSError):
            os.write(self._file, (json.dumps([what, text]) + "\n").encode())


def limit(cpu_seconds: int, memory: int, files: int) -> list[str]:
    """Set the system's limits for this process; the names of those that this system does not have."""
    try:
        import resource
    except ImportError:  # Windows
        return ["cpu_seconds", "memory"]
    missing = []
    for name, system, soft, hard in (
        ("cpu_seconds", "RLIMIT_CPU", cpu_seconds, cpu_seconds + 1),
        ("memory", "RLIMIT_AS", memory, memory),
        ("files", "RLIMIT_FSIZE", files, files),
        ("", "RLIMIT_CORE", 0, 0),
    ):
        try:
            resource.setrlimit(getattr(resource, system), (soft, hard))
        except (AttributeError, ValueError, OSError):  # macOS refuses RLIMIT_AS; a parent may have set a lower limit
            missing += [name] if name else []
    return missing


def leave_network() -> bool:
    """Move into a network namespace without any network; whether this system let us."""
    if sys.platform != "linux":
        return False
    import ctypes

    user, group = os.getuid(), os.getgid()
    try:
        unshare = ctypes.CDLL(None, use_errno=True).unshare
    except (AttributeError, OSError):
        return False
    if user == 0 and unshare(_NEWNET) == 0:
        return True
    if unshare(_NEWUSER | _NEWNET) != 0:
        return False
    with contextlib.suppress(OSError):  # without the map the user is called nobody, which does no harm
        for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
            with open(f"/proc/self/{name}", "w") as file:
                file.write(text)
    return True


def inside(path: Any, folders: Sequence[str]) -> bool:
    """Whether a path, links followed, is one of the folders or below it."""
    real = os.path.realpath(os.fsdecode(path))
    return any(real == folder or real.startswith(folder.rstrip(os.sep) + os.sep) for folder in folders)


def problem_of(event: str, args: Sequence[Any], writable: Sequence[str], hidden: Sequence[str]) -> str | None:
    """What is wrong with something that Python is about to do; None for what is allowed.

    Parameters
    ----------
    event : str
        The audit event's name (PEP 578).
    args : sequence
        Its arguments.
    writable, hidden : sequence of str
        The only folders that may be written to, and those that may not even be read.
    """
    if event == "open":
        path, _, flags = args
        if isinstance(path, int) or path is None:
            return None
        if hidden and inside(path, hidden):
            return f"reading {os.fsdecode(path)!r}, which is hidden from this program"
        if flags & _WRITES and os.fsdecode(path) != os.devnull and not inside(path, writable):
            return f"writing {os.fsdecode(path)!r}, which is outside of its working folder"
    elif event in ("os.listdir", "os.scandir"):
        path = "." if args[0] is None else args[0]
        if hidden and not isinstance(path, int) and inside(path, hidden):
            return f"reading {os.fsdecode(path)!r}, which is hidden from this program"
    elif event in _CHANGES:
        for path in args[: _CHANGES[event]]:
            if isinstance(path, str | bytes | os.PathLike) and not inside(path, writable):
                return f"changing {os.fsdecode(path)!r}, which is outside of its working folder"
    elif event == "subprocess.Popen":
        return f"starting another program, {str(args[0])!r}"
    elif event in _STARTS:
        return f"starting another process ({event})"
    elif event in _NAMES or event in _CALLS:
        where = args[0] if event in _NAMES else args[1]
        if event in _CALLS and sys.platform == "win32" and where and where[0] == "127.0.0.1":
            return None  # how socket.socketpair is made there, which every event loop has
        return f"the network ({event} {where})"
    elif event in ("os.kill", "os.killpg") and args[0] not in (0, os.getpid()):
        return "a signal to another process"
    return None


def watch(report: Report, writable: Sequence[str], hidden: Sequence[str]) -> None:
    """From now on, refuse what is forbidden, and tell the report."""

    def refuse(problem: str) -> None:
        sentence = f"refused: {problem}"
        report.tell("refused", sentence)
        raise Refused(sentence)

    def hook(event: str, args: tuple[Any, ...]) -> None:
        problem = problem_of(event, args, writable, hidden)
        if problem:
            refuse(problem)

    with contextlib.suppress(ImportError):  # multiprocessing calls it without an audit event
        import _posixsubprocess

        def fork_exec(*args: Any) -> None:
            refuse("starting another process (fork_exec)")

        vars(_posixsubprocess)["fork_exec"] = fork_exec
    sys.addaudithook(hook)


class CopiedLoops:
    """Copies the compiled loops when numba is first imported: it unpickles them, so nobody else may write into ours."""

    def __init__(self, source: str, target: str) -> None:
        self.source, self.target = source, target

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        """As a finder of modules, which finds none."""
        if name == "numba":
            sys.meta_path.remove(self)
            import shutil

            with contextlib.suppress(OSError, shutil.Error):  # another process may be compiling just now
                shutil.copytree(self.source, self.target, dirs_exist_ok=True)


def run(target: str, is_file: bool, report: Report) -> int:
    """Run a file or a module as the main program; its exit code."""
    try:
        if is_file:
            runpy.run_path(target, run_name="__main__")
        else:
            runpy.run_module(target, run_name="__main__", alter_sys=True)
    except SystemExit as ended:
        if isinstance(ended.code, int) or ended.code is None:
            return ended.code or 0
        print(ended.code, file=sys.stderr)
        return 1
    except BaseException as error:
        report.tell(_kind(error), f"{type(error).__name__}: {error}")
        _print(error)
        return 1
    return 0


def _kind(error: BaseException) -> str:
    """How the parent calls the end that an error makes."""
    if isinstance(error, MemoryError):
        return "memory"
    return "stopped" if isinstance(error, Refused) else "failed"


def _print(error: BaseException) -> None:
    """Print the traceback from the user's first line on: what is above is how the program was started."""
    frame = error.__traceback__
    while frame is not None and (
        frame.tb_frame.f_code.co_filename == __file__ or "runpy" in frame.tb_frame.f_code.co_filename
    ):
        frame = frame.tb_next
    traceback.print_exception(type(error), error, frame)


def main() -> None:
    """Do what the argument says."""
    asked: dict[str, Any] = json.loads(sys.argv[1])
    report = Report(asked["report"])
    missing = limit(asked["cpu_seconds"], asked["memory"], asked["files"])
    missing += [] if leave_network() else ["network"]
    report.tell("missing", " ".join(missing))
    sys.path[:] = asked["path"]
    sys.argv = [asked["target"], *asked["arguments"]]
    sys.meta_path.insert(0, CopiedLoops(*asked["loops"]))
    watch(report, asked["writable"], asked["hidden"])
    code = run(asked["target"], asked["is_file"], report)
    _flush(sys.stdout.flush, sys.stderr.flush)
    sys.exit(code)


def _flush(*flushes: Callable[[], None]) -> None:
    for flush in flushes:
        with contextlib.suppress(OSError, ValueError):
            flush()


if __name__ == "__main__":
    main()
