"""Differences between Windows, macOS, Linux and a browser; nothing else in toysearch asks for the system."""

# The shell loads this module before its work: keep the imports few.

from __future__ import annotations

import contextlib
import errno
import io
import os
import re
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from itertools import repeat
from typing import TYPE_CHECKING, Any, TypeVar

from toysearch.base.interrupts import Interruptible, until

if TYPE_CHECKING:
    import subprocess
    from concurrent.futures import Executor, Future
    from mmap import mmap
    from pathlib import Path

    import numpy as np

_Result = TypeVar("_Result")

SYSTEM = {"win32": "Windows", "darwin": "macOS", "linux": "Linux", "emscripten": "a browser"}.get(
    sys.platform, sys.platform
)
"""Usual name of this system."""

WIDE = sys.maxsize > 1 << 32
"""True if this Python has 64 bits, so that the places of arrays have them too."""

ALONE = sys.platform == "emscripten"
"""True if this program has no threads, processes and servers: in a tab of a browser."""

LOCKS_OPEN_FILES = sys.platform == "win32"
"""True if a file that is open cannot be replaced or deleted."""

LOCK = ".toysearch.lock"
"""Name of a file that Windows has in a folder while it is locked."""

CACHE = "TOYSEARCH_CACHE"
"""Environment variable that names another cache folder."""

_PAUSES: tuple[float, ...] = (0.002,) * 50 + (0.01,) * 30 + (0.05,) * 20 if sys.platform == "win32" else ()
"""Seconds: other programs read a file of Windows for a moment, again and again; a virus scanner for longer."""

_LOOK = 0.05  # seconds between two looks at a lock


def patiently(work: Callable[[], _Result]) -> _Result:
    """Repeat work that Windows refuses while another program has a file open."""
    for pause in _PAUSES:
        try:
            return work()
        except PermissionError:
            time.sleep(pause)
    return work()


def replace(source: str | os.PathLike[str], target: str | os.PathLike[str]) -> None:
    """Give a file or folder another name; a file of that name is replaced, unless Windows has it open or mapped."""
    patiently(lambda: os.replace(source, target))


def sync(descriptor: int) -> None:
    """Put the content of a file on the disk; Windows does so only for one that is open for writing."""
    if sys.platform == "darwin":
        import fcntl

        with contextlib.suppress(OSError):  # of network disks; fsync alone leaves the content in the disk's memory
            fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
            return
    os.fsync(descriptor)


def sync_folder(folder: str | os.PathLike[str]) -> None:
    """Fsync a folder, so that the names of its new files last; Windows does so by itself."""
    if sys.platform != "win32":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def lock(descriptor: int, *, wait: bool = False) -> bool:
    """Lock an open file until it is closed; return False if another process has it."""
    while True:
        try:
            _lock_now(descriptor)
        except OSError as error:
            if error.errno not in (errno.EAGAIN, errno.EACCES, errno.EDEADLK):
                return True  # there are no locks here: a browser, some network disks
            if not wait:
                return False
            time.sleep(_LOOK)
        else:
            return True


def lock_folder(folder: str | os.PathLike[str], *, wait: bool = False) -> int | None:
    """Return a descriptor that locks a folder until it is closed; None if another process has it."""
    while True:
        descriptor = _opened_for_lock(folder)
        if descriptor is not None:
            try:
                if lock(descriptor, wait=wait and sys.platform != "win32") and _is_in_place(descriptor, folder):
                    return descriptor
            except BaseException:
                os.close(descriptor)
                raise
            os.close(descriptor)
        if not wait:
            return None
        time.sleep(_LOOK)


if sys.platform == "win32":
    import msvcrt

    _FAR = 0x7FFF0000  # beyond the content of every log: what Windows locks, no other process may read

    def _lock_now(descriptor: int) -> None:
        os.lseek(descriptor, _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError as error:  # what is locked has one number or another
            if error.errno in (errno.EINVAL, errno.EBADF):
                raise
            raise BlockingIOError(errno.EAGAIN, "locked") from None
        finally:
            os.lseek(descriptor, 0, os.SEEK_SET)

    def _opened_for_lock(folder: str | os.PathLike[str]) -> int | None:
        """Open a file, because Windows opens no folder; its last user removes it."""
        path = os.path.join(folder, LOCK)
        try:
            return os.open(path, os.O_RDWR | os.O_CREAT | os.O_TEMPORARY | os.O_NOINHERIT, 0o600)
        except PermissionError:
            if os.path.lexists(path):  # it is going
                return None
            raise

    def _is_in_place(descriptor: int, folder: str | os.PathLike[str]) -> bool:
        """True if others find the locked file: its last holder may have removed it meanwhile."""
        try:
            return os.path.samestat(os.fstat(descriptor), os.stat(os.path.join(folder, LOCK)))
        except OSError:
            return False

else:

    def _lock_now(descriptor: int) -> None:
        try:
            import fcntl
        except ImportError:
            raise OSError(errno.ENOLCK, "no locks") from None
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _opened_for_lock(folder: str | os.PathLike[str]) -> int | None:
        return os.open(folder, os.O_RDONLY)

    def _is_in_place(descriptor: int, folder: str | os.PathLike[str]) -> bool:
        return True


@contextlib.contextmanager
def alarm(seconds: float, again: float, ring: Callable[..., None]) -> Iterator[None]:
    """Call a function in the main thread after some seconds and then again and again, until the block ends.

    Alarms may be nested. Without threads (in a browser) and outside of the main thread there are none.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    ringing = _alarm_of_thread
    if sys.platform != "win32" and hasattr(signal, "setitimer"):
        ringing = _alarm_of_system
    with ringing(seconds, again, ring):
        yield


if sys.platform != "win32":

    @contextlib.contextmanager
    def _alarm_of_system(seconds: float, again: float, ring: Callable[..., None]) -> Iterator[None]:
        started = time.monotonic()
        handler = signal.signal(signal.SIGALRM, ring)
        outer, outer_again = signal.setitimer(signal.ITIMER_REAL, seconds, again)
        if outer and outer < seconds:
            signal.setitimer(signal.ITIMER_REAL, outer, again)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, handler if handler is not None else signal.SIG_DFL)
            if outer:
                rest = outer - (time.monotonic() - started)
                signal.setitimer(signal.ITIMER_REAL, max(rest, 0.001), outer_again)


@contextlib.contextmanager
def _alarm_of_thread(seconds: float, again: float, ring: Callable[..., None]) -> Iterator[None]:
    """Do the same by a thread that raises the signal of Ctrl-C: Windows has no other that also ends a pause."""
    due, ended = threading.Event(), threading.Event()

    def wait() -> None:
        pause = seconds
        while not ended.wait(pause):
            pause = again
            due.set()
            signal.raise_signal(signal.SIGINT)

    def answer(number: int, frame: Any) -> Any:
        if due.is_set():
            due.clear()
            return ring(number, frame)
        return handler(number, frame) if callable(handler) else signal.default_int_handler(number, frame)

    handler = signal.getsignal(signal.SIGINT)
    thread = threading.Thread(target=wait, daemon=True)
    signal.signal(signal.SIGINT, answer)
    try:
        with contextlib.suppress(RuntimeError):  # no threads
            thread.start()  # only now: it may ring at once
        yield
    finally:
        ended.set()
        if thread.ident is not None:
            thread.join()
        signal.signal(signal.SIGINT, handler if handler is not None else signal.SIG_DFL)  # pending signals come before


def write_as_everywhere(stream: object) -> None:
    """Write UTF-8 and the same line ends to files and pipes; a character that a terminal lacks ends no program."""
    if not isinstance(stream, io.TextIOWrapper):
        return
    if stream.isatty():
        stream.reconfigure(errors="replace")
    else:
        stream.reconfigure(encoding="utf-8", errors="replace", newline="\n")


def is_broken_pipe(error: Exception) -> bool:
    """True if the reader of this program's output has closed it."""
    if sys.platform == "win32" and isinstance(error, OSError):
        return error.errno in (errno.EINVAL, errno.EPIPE) and error.filename is None
    else:
        return isinstance(error, BrokenPipeError)


_PLAIN_WORD = r"[\w.:/\\=+@,~-]+"  # which the shells of Windows take as it is
_DEVICES = r"(?i)(con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$) *(\..*)?"


def portable_name(text: str) -> str:
    """Make a file name that every system allows from a text; Windows has devices and cuts dots off.

    >>> portable_name("my run?.txt"), portable_name("aux.py"), portable_name("..")
    ('my_run_.txt', '_aux.py', 'file')
    """
    name = re.sub(r"[^\w.-]", "_", text).rstrip(".") or "file"
    return f"_{name}" if re.fullmatch(_DEVICES, name) else name


def leads_elsewhere(path: str) -> bool:
    """True if Windows, if this is Windows, takes a path below a folder for a device or for another file."""
    parts = path.replace("\\", "/").split("/")
    return SYSTEM == "Windows" and any(":" in part or re.fullmatch(_DEVICES, part) for part in parts)


def typed_line(*words: str) -> str:
    """Join words as they are typed in a shell; those of Windows know double quotes only.

    >>> print(typed_line("toysearch", "search", "companions", "ticks on dogs"))
    toysearch search companions 'ticks on dogs'
    """
    import shlex

    if SYSTEM != "Windows":
        return shlex.join(words)
    ends = re.compile(r'(?<!\\)(\\*)("|\Z)')
    quoted = (ends.sub(lambda end: 2 * end[1] + end[2].replace('"', '\\"'), word) for word in words)
    return " ".join(
        word if re.fullmatch(_PLAIN_WORD, word) else f'"{inner}"' for word, inner in zip(words, quoted, strict=True)
    )


beside: ContextVar[int] = ContextVar("the number of tasks that share the cores of this process", default=1)


def cores() -> int:
    """Return the number of cores that this process may use, or its share of them: the default number of threads.

    >>> cores() >= 1
    True
    """
    if sys.platform == "linux":
        available = len(os.sched_getaffinity(0))
    else:
        available = os.cpu_count() or 1
    return max(1, available // beside.get())


def pool(threads: int) -> Executor:
    """Return an executor of threads; in a tab of a browser it works in the only thread, at once."""
    from concurrent.futures import Executor, Future, ThreadPoolExecutor  # slow to import, and often not needed

    class Threads(ThreadPoolExecutor):
        def submit(self, work: Callable[..., Any], /, *values: Any, **options: Any) -> Future[Any]:
            with Interruptible():
                return super().submit(work, *values, **options)

        def map(self, fn: Callable[..., Any], *iterables: Iterable[Any], **_: Any) -> Iterator[Any]:
            futures = [*map(self.submit, repeat(fn), *iterables)]
            return map(awaited, futures)

        def shutdown(self, wait: bool = True, *, cancel_futures: bool = True) -> None:
            super().shutdown(wait, cancel_futures=cancel_futures)

    class Here(Executor):
        def submit(self, work: Callable[..., Any], /, *values: Any, **options: Any) -> Future[Any]:
            future: Future[Any] = Future()
            try:
                future.set_result(work(*values, **options))
            except Exception as error:
                future.set_exception(error)
            return future

    return Here() if ALONE else Threads(threads)


def awaited(future: Future[Any]) -> Any:
    """Wait for the result of work in a thread, and answer Ctrl-C meanwhile."""
    from concurrent.futures import wait

    until(lambda seconds: wait([future], seconds).done)
    return future.result()


def own_pages(length: int, dtype: Any) -> np.ndarray:
    """Return zeros in memory that goes back to the system when it is freed; what malloc keeps would raise the peak."""
    import mmap

    import numpy as np

    size = max(length * np.dtype(dtype).itemsize, 1)
    if sys.platform == "win32":
        memory = mmap.mmap(-1, size)
    else:  # confined programs may not share any
        memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    return np.frombuffer(memory, dtype, count=length)


def forget_pages(mapped: mmap) -> None:
    """Let the system take back the memory of a mapped file, which is read again on demand."""
    import mmap

    if sys.platform != "win32" and hasattr(mmap, "MADV_DONTNEED"):
        mapped.madvise(mmap.MADV_DONTNEED)


def most_files() -> int | None:
    """Return the number of files that this process may have open; None if there is no limit."""
    if sys.platform == "win32" or ALONE:
        return None
    else:
        import resource

        files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        return None if files == resource.RLIM_INFINITY else files


def limit_resource(name: str, soft: int, hard: int) -> None:
    """Limit a resource of this process, where the system has such a limit: Windows has none, macOS a few."""
    if sys.platform != "win32":
        with contextlib.suppress(ImportError, AttributeError, ValueError, OSError):
            import resource

            which = getattr(resource, name)
            most = resource.getrlimit(which)[1]
            ceiling = hard if most == resource.RLIM_INFINITY else min(hard, most)
            resource.setrlimit(which, (min(soft, ceiling), ceiling))


def wait_for_room(descriptor: int) -> None:
    """Make writing to a pipe wait until there is room, which a process at its other end may have changed."""
    if sys.platform != "win32":
        os.set_blocking(descriptor, True)


def apart() -> dict[str, Any]:
    """Return the options of a process that is started in a group of its own."""
    if sys.platform == "win32":
        import subprocess

        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    else:
        return {"start_new_session": True}


def end_group(process: subprocess.Popen[bytes]) -> None:
    """End a process that was started apart, and its own processes."""
    if sys.platform == "win32":
        import subprocess

        with contextlib.suppress(OSError):
            subprocess.run(["taskkill", "/T", "/F", "/PID", str(process.pid)], capture_output=True, check=False)
        process.kill()
    else:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)


def spare_interrupts() -> None:
    """Keep Ctrl-C, which a terminal sends to all, from what this thread will start by threads and `multiprocessing`."""
    if sys.platform != "win32":
        from multiprocessing import resource_tracker

        resource_tracker.ensure_running()  # now: its start lets the signal through again
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


def is_orphan(parent: int) -> bool:
    """True if the process that has started this one has ended."""
    return sys.platform != "win32" and os.getppid() != parent


def open_place(path: str) -> int:
    """Open a descriptor of a file or folder that only says where it is; Linux has such."""
    if sys.platform == "linux":
        return os.open(path, os.O_PATH | os.O_CLOEXEC)
    else:
        raise OSError(errno.ENOSYS, f"{SYSTEM} has no such descriptors")


def cache_folder() -> Path:
    """Return the user's folder for files that can be made or downloaded again; it need not exist yet."""
    from pathlib import Path

    if chosen := os.environ.get(CACHE):
        return Path(chosen)
    from platformdirs import user_cache_path

    return user_cache_path("toysearch", appauthor=False, opinion=False)
