"""What a notebook's process left: notes, which are read like any file of a stranger. A bad line is no line."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

from toysearch.wording import cut, one_line

_LONGEST_NOTE = 2_000_000  # bytes of a line
_MOST_NOTES = 100_000
_MOST_KEPT = 10_000_000  # bytes of all that is kept of answers; in memory it may be twenty times as much
_LONGEST_TROUBLE, _LONGEST_NAME = 200, 100
_MOST_TROUBLES = 20
_WORKED_ON = re.compile(r"The collection of this lab is (\S+) here\.")


@dataclass
class Notes:
    """What was noted."""

    started: bool = False  # whether a lab was started
    lab: int = 0  # the last that was
    student: str = ""  # the name that was given to it
    seen: dict[str, dict[str, Any]] = field(default_factory=dict)  # exercise → what was last seen of the answer
    failed: dict[str, list[int]] = field(default_factory=dict)  # trouble → the cells that had it
    done: int = 0  # how many cells came to an end
    whole: bool = False  # whether all of them did
    _sizes: dict[str, int] = field(default_factory=dict)
    _kept: int = 0

    def troubles(self) -> list[str]:
        """A sentence for each trouble, with its cells."""
        sentences = [
            f"cell{'s' * (len(cells) > 1)} {', '.join(map(str, cells))}: {trouble}"
            for trouble, cells in self.failed.items()
        ]
        more = len(sentences) - _MOST_TROUBLES
        return [*sentences[:_MOST_TROUBLES], *([f"{more} more cells failed"] if more > 0 else [])]

    def take(self, note: dict[str, Any], cells: int, size: int) -> None:
        """Take a note, if it is of a known kind; of an answer that is too large, only that it was there."""
        if _is(note, lab=int, student=str):
            name = cut(one_line(note["student"]), _LONGEST_NAME)
            self.started, self.lab, self.student = True, note["lab"], name or self.student
        elif _is(note, exercise=str, state=str):
            self._see(note["exercise"], note, size)
        elif _is(note, cell=int, trouble=str) and 1 <= note["cell"] <= cells:
            self.done += 1
            trouble = cut(one_line(note["trouble"]), _LONGEST_TROUBLE)
            if trouble and note["cell"] not in self.failed.setdefault(trouble, []):
                self.failed[trouble].append(note["cell"])
        elif _is(note, cells=int):
            self.whole = True

    def _see(self, exercise: str, note: dict[str, Any], size: int) -> None:
        """Keep the last that was seen of an answer; nothing of it where that would be too much."""
        self._kept -= self._sizes.get(exercise, 0)
        fits = self._kept + size <= _MOST_KEPT
        self._sizes[exercise] = size if fits else 0
        self._kept += self._sizes[exercise]
        self.seen[exercise] = note if fits else {}


def read_notes(content: bytes, cells: int) -> Notes:
    """The notes of a notebook; invalid lines are skipped."""
    notes = Notes()
    for line in content.split(b"\n", _MOST_NOTES)[:_MOST_NOTES]:
        if len(line) > _LONGEST_NOTE:
            continue
        try:
            note = _readable(json.loads(line.decode("utf-8", "replace")))
        except (ValueError, RecursionError):
            continue
        if isinstance(note, dict):
            notes.take(note, cells, len(line))
    return notes


def readable(text: str) -> str:
    r"""A text that can be written: what is half a character becomes its number.

    >>> readable("\ud800")
    '\\ud800'
    """
    return text.encode("utf-8", "backslashreplace").decode()


def saved_collection(content: bytes) -> str:
    """The collection that the outputs of a notebook name, as it was saved; empty where they name none."""
    try:
        cells = json.loads(content)["cells"]
        texts = [
            "".join(output["data"]["text/plain"])
            for cell in cells
            for output in cell.get("outputs", [])
            if "text/plain" in output.get("data", {})
        ]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return ""
    found = _WORKED_ON.findall(" ".join(" ".join(texts).split()))
    return cut(one_line(readable(found[-1])), _LONGEST_NAME) if found else ""


def _is(note: dict[str, Any], **kinds: type) -> bool:
    """Whether a note has these entries, of these kinds."""
    return all(type(note.get(name)) is kind for name, kind in kinds.items())


def _readable(value: Any) -> Any:
    """The same with texts that can be written."""
    if isinstance(value, str):
        return readable(value)
    if isinstance(value, list):
        return [_readable(each) for each in value]
    if isinstance(value, dict):
        return {readable(key): _readable(each) for key, each in value.items()}
    return value
