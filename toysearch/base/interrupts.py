"""Ctrl-C: it ends a process at once, or raises `KeyboardInterrupt` during work, but never inside a lock.

Python calls the handler of a signal between any two instructions, so that an exception from it may leave a lock of
`threading` released twice or never. Where such a package is at work, the handler only asks Python to report each call
(`sys.setprofile`), and raises at the first that our code makes: from there, blocks end as they do after any exception.
The price: until then calls are slower, and a wait inside these packages goes on. Our own waits therefore
end every few hundredths of a second (`until`). Other packages are interrupted at once: they may wait for the network or
for what is typed.
"""

# Imports here are loaded before Ctrl-C works: keep them few.

from __future__ import annotations

import os
import signal
import sys

TYPE_CHECKING = False  # typing is not imported for this
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

STATUS = 128 + 2
"""Exit code, as a shell reports a program that SIGINT ended."""

SENTENCE = "toysearch: interrupted"

_LOCKING = frozenset(
    (
        *("_frozen_importlib", "_frozen_importlib_external", "importlib", "threading", "concurrent", "multiprocessing"),
        *("queue", "weakref", "_weakrefset", "logging", "contextlib", "asyncio", "subprocess", "tempfile", "shutil"),
        *("dask", "distributed", "psutil", "tornado", "rich", "uvicorn"),
    )
)
"""Packages that hold locks, start threads or enter blocks: an exception from outside leaves them half done."""

_LOOK = 0.05  # seconds between two answers to Ctrl-C during a wait

_RESUMED = 0x20 | 0x80 | 0x200  # generators and coroutines: they may have begun something


def answer_at_once() -> None:
    """Let Ctrl-C end the process from here on, with one line on stderr; change nothing if it is ignored (nohup)."""
    try:
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, end)
    except KeyboardInterrupt:
        end(signal.SIGINT, None)


def end(number: int, frame: object) -> None:
    """Answer the signal."""
    os.write(2, f"{SENTENCE}\n".encode())
    os._exit(STATUS)


def answer_signals() -> None:
    """Let Python answer signals of a compiled loop or a wait: it does so at the start of every function."""


class Interruptible:
    """Block of the main thread in which Ctrl-C raises `KeyboardInterrupt`, but never inside a lock.

    If it comes while a package with locks is at work, it is raised once that has returned and its caller calls another
    function, at the latest at the end of the block. A second Ctrl-C is answered by the handler from before the block.
    In other threads, inside another such block and under any other handler, the block changes nothing.
    """

    def __init__(self, before: Callable[[int, FrameType | None], object] = signal.default_int_handler) -> None:
        self._before, self._holds, self._waits = before, False, False

    def __enter__(self) -> None:
        if signal.getsignal(signal.SIGINT) is self._before:
            try:
                signal.signal(signal.SIGINT, self._answer)
            except ValueError:  # another thread
                return
            self._holds = True

    def __exit__(self, *_: object) -> None:
        if self._waits:
            self._raise()
        elif self._holds:
            signal.signal(signal.SIGINT, self._before)

    def _answer(self, number: int, frame: FrameType | None) -> None:
        if self._waits:
            self._before(number, frame)
        elif frame is not None and _is_in_lock(frame) and sys.getprofile() is None:
            self._waits = True
            sys.setprofile(self._look)
        else:
            self._raise()

    def _look(self, frame: FrameType, event: str, _: object) -> None:
        """Raise the exception at a call from safe code; at a return it would skip the end of that function's blocks."""
        begins = event == "call" and not frame.f_code.co_flags & _RESUMED
        if (begins or event == "c_call") and not _is_in_lock(frame):
            self._raise()

    def _raise(self) -> None:
        if self._waits:
            sys.setprofile(None)
        self._holds = self._waits = False
        signal.signal(signal.SIGINT, self._before)
        raise KeyboardInterrupt


def _is_in_lock(frame: FrameType | None) -> bool:
    """True if a package with locks is at work, itself or through the rest of the standard library."""
    while frame is not None:
        package = str(frame.f_globals.get("__name__")).partition(".")[0]
        if package in _LOCKING or frame.f_code.co_name == "__del__":  # which swallows exceptions
            return True
        made = frame.f_code.co_filename == "<string>"  # a named tuple belongs to the code that calls it
        if not made and package not in sys.stdlib_module_names:
            return False
        frame = frame.f_back
    return False


def until(done: Callable[[float], object]) -> None:
    """Wait until a function, which waits for at most some seconds, returns true; answer Ctrl-C between its calls."""
    with Interruptible():
        while not done(_LOOK):
            answer_signals()
