"""What a call answers, without what changes from one machine, folder or minute to another."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import math
import os
import re
import warnings
from collections.abc import Callable, Mapping
from typing import Any

from recording.batches import OutOfTime, time_limit

WHOLE = 1200
"""Letters up to which an answer is kept whole; of a longer one the beginning and a checksum."""
ENVIRONMENT = {"COLUMNS": "80", "LINES": "24", "TZ": "UTC", "TERM": "dumb"}
USAGE = re.compile(r"\AUsage: .*\nTry '.*' for help\.\n\n(?:Error: )?")
UNSTEADY = ("versions", "command", "toysearch", "seconds", "time")
"""Keys of JSON that say which toysearch answered, where, and how quickly."""

Facts = dict[str, Any]


def same_surroundings() -> None:
    """Set what a command asks of its surroundings to the same values everywhere."""
    for name in [*os.environ]:
        if name.startswith(("TOYSEARCH_", "LC_")) or name in ("NO_COLOR", "FORCE_COLOR"):
            del os.environ[name]
    os.environ.update(ENVIRONMENT)


def of_command(words: list[str], stdin: str | None = None) -> Facts:
    """What a command answers in this folder: exit code, standard output, notes and errors."""
    from click.testing import CliRunner

    from toysearch.cli.main import command

    try:
        with time_limit():
            found = CliRunner().invoke(command, words, stdin, prog_name="toysearch")
    except OutOfTime:
        return {"exit": "time"}
    crash = None if isinstance(found.exception, SystemExit | None) else repr(found.exception)
    facts = {"exit": found.exit_code, "stdout": _of_stdout(found.stdout), "said": said(found.stderr)}
    return {**facts, "crash": anywhere(crash)} if crash else facts


def of_python(call: Callable[[], Any]) -> Facts:
    """What a call in Python returns or raises, and its notes."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            with time_limit():
                facts = {"result": short(json.dumps(plain(call()), default=repr, sort_keys=True))}
        except OutOfTime:
            facts = {"error": "time"}
        except Exception as error:
            facts = {"error": f"{type(error).__name__}: {anywhere(str(error))}"}
    return {**facts, "said": [anywhere(str(each.message)) for each in caught]}


def said(stderr: str) -> str:
    """Standard error without the lines on usage."""
    return anywhere(USAGE.sub("", stderr)).rstrip()


def anywhere(text: str) -> str:
    """A text that does not say where it was made, when, or how long it took."""
    for place in (os.getcwd(), os.path.realpath(os.getcwd())):
        text = text.replace(place + os.sep, "").replace(place, ".")
    text = re.sub(r"(?<![\w./])/(?:[\w.@+-]+/)*(?=[\w.@+-]+)", "PLACE/", text)
    text = re.sub(r"\b\d+(?:\.\d+)? ?(?:s|ms|µs|seconds?)\b(?! of)", "… s", text)
    return re.sub(r"\bat 0x[0-9a-f]+", "at 0x", text)


def _of_stdout(text: str) -> Any:
    """Standard output: JSON without what is unsteady in it, anything else as text."""
    if text[:1] in ("{", "["):
        with contextlib.suppress(ValueError):
            return short(json.dumps(steady(json.loads(text)), ensure_ascii=False))
    return short(anywhere(text))


def steady(value: Any) -> Any:
    """JSON without the keys that are unsteady, in texts too."""
    if isinstance(value, dict):
        return {key: steady(each) for key, each in value.items() if key not in UNSTEADY}
    if isinstance(value, list):
        return [*map(steady, value)]
    return anywhere(value) if isinstance(value, str) else value


def short(text: str) -> Any:
    """A text, or the beginning of a long one with its checksum and the number and sum of its numbers."""
    if len(text) <= WHOLE:
        return text
    numbers = [float(number) for number in re.findall(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![\w.])", text)]
    total = math.fsum(number for number in numbers if math.isfinite(number))
    checksum = hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()
    return {"begins": text[:300], "letters": len(text), "numbers": len(numbers), "sum": total, "sha256": checksum}


def plain(value: Any, depth: int = 0) -> Any:
    """A value of Python as values of JSON: a result as its data, a run or a ranking as its rows."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if depth > 6:
        return type(value).__name__
    if hasattr(value, "tolist"):
        return plain(value.tolist(), depth + 1)
    if callable(getattr(value, "data", None)):
        return steady(plain(value.data(), depth + 1))
    if isinstance(value, Mapping):
        return {str(key): plain(each, depth + 1) for key, each in value.items()}
    if isinstance(value, set | frozenset):
        return sorted(map(repr, value))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = (field.name for field in dataclasses.fields(value) if not field.name.startswith("_"))
        return {name: plain(getattr(value, name), depth + 1) for name in fields}
    if hasattr(value, "__iter__"):
        return [plain(each, depth + 1) for each in value]
    return anywhere(repr(value))
