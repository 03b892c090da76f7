"""What a confined program may use, and how it ended, as a word and as a sentence."""

from __future__ import annotations

import math
import re
import signal
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from toysearch.errors import ArgumentError
from toysearch.wording import cut, one_line, sentence

_FOR_WANT_OF_MEMORY = ("SIGABRT", "SIGSEGV", "SIGBUS", "SIGTRAP")
_LAST_LINE = re.compile(r"[A-Za-z_][\w.]*(: |\Z)")
_LONGEST = 300  # characters of a sentence that the program wrote


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
        Bytes of memory that can be written; what is only reserved does not count. Linux only.
    output : int
        Bytes that may be printed, stdout and stderr together.
    files : int
        Bytes of all files in the working folder, of which there may be 2,000.
    """

    seconds: float = 60.0
    cpu_seconds: float | None = None
    memory: int = 4_000_000_000
    output: int = 1_000_000
    files: int = 100_000_000

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if value is not None and not (isinstance(value, int | float) and value > 0):
                raise ArgumentError(f"{name}: a limit is above 0, and {value} was given")


@dataclass(frozen=True)
class Confined:
    """How a confined program ended, and what it left.

    Attributes
    ----------
    ended : str
        ``done`` (exit code 0), ``failed`` (an exception, or another exit code), ``time``, ``cpu``, ``memory``,
        ``output``, ``files``, ``threads`` (the limit that it met), ``refused`` (the system did not permit something
        and it could not go on), or ``crashed`` (the interpreter itself died).
    exit_code : int
        Of the process; negative: the signal that ended it.
    output, errors : str
        What was printed on stdout and on stderr, as much as was allowed.
    seconds : float
        How long it ran.
    sentence : str
        Why it ended, in one line without control characters; ``done`` where all was well.
    files : dict of str to bytes
        Of the files asked for by `keep`, those that were there.
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


def outcome(
    code: int,
    met: str | None,
    printed: Mapping[str, bytearray],
    limits: Limits,
    seconds: float,
    left: dict[str, bytes],
    confined: bool,
) -> Confined:
    """How a program ended, from its exit code and what it printed."""
    texts = {name: bytes(data[: limits.output]).decode("utf-8", "replace") for name, data in printed.items()}
    ended, why = _why(code, met, texts["errors"], limits)
    return Confined(ended, code, texts["output"], texts["errors"], seconds, why, left, confined)


def _why(code: int, met: str | None, errors: str, limits: Limits) -> tuple[str, str]:
    """How a program ended, as a word and as a sentence."""
    cpu = limits.seconds if limits.cpu_seconds is None else limits.cpu_seconds
    sentences = {
        "time": f"it took more than {limits.seconds:g} s and was ended",
        "cpu": f"it computed for more than {math.ceil(cpu)} s and was ended",
        "memory": f"it wanted more memory than {limits.memory / 1e6:,.0f} MB",
        "output": f"it printed more than {limits.output:,} bytes and was ended",
        "files": f"it wrote more than {limits.files:,} bytes, or 2,000 files",
        "threads": "it started more than 1,000 threads and was ended",
    }
    name = signal.Signals(-code).name if code < 0 and -code in set(signal.Signals) else ""
    told = last_line(errors, lambda line: bool(_LAST_LINE.match(line))) if "Traceback (most" in errors else ""
    if not met and code == 1 and told.partition(":")[0].endswith("MemoryError"):
        met = "memory"
    met = met or {"SIGXCPU": "cpu", "SIGXFSZ": "files"}.get(name)
    if met:
        return met, sentences[met]
    if code == 0:
        return "done", "done"
    if code < 0:
        hint = ", often for want of memory" if name in _FOR_WANT_OF_MEMORY else ""
        return "crashed", f"Python itself was ended by {name or f'signal {-code}'}{hint}"
    if told.startswith("PermissionError"):
        return "refused", with_reach(told)
    return "failed", told if code == 1 and told else f"it ended with exit code {code}"


def with_reach(told: str) -> str:
    """A sentence; where it tells of something that the system did not permit, with what it permits."""
    reach = "a confined program reaches its working folder and what it was given, nothing else"
    return f"{told} ({reach})" if "PermissionError:" in told else told


def last_line(text: str, wanted: Callable[[str], bool] = bool) -> str:
    """The last line of what a program printed, without control characters, cut to a sentence's length."""
    found = next((line for line in reversed(text.splitlines()) if line.strip() and wanted(line)), "")
    return cut(sentence(one_line(found)), _LONGEST)
