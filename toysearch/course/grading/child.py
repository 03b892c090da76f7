"""Run confined, as ``python -m toysearch.course.grading.child``: runs a student's notebook and notes what is seen.

Nothing is judged here. Each line of the file `NOTES` is what was started, what was seen of an answer, or what became of
a cell; `toysearch.course.grading.grading` reads them when this process is over.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from toysearch.course.grading.cell_execution import run_cells
from toysearch.course.notebook import code_cells
from toysearch.course.sandbox.time_limit import SECONDS
from toysearch.course.session import SESSION

ASKED, NOTES = "asked.json", "notes.jsonl"
"""In the working folder."""

_HABIT = re.compile(r"^([ \t]*)(%(matplotlib|config|load_ext|reload_ext|autoreload|pip|conda|cd)\b|!).*$", re.MULTILINE)
_OTHER_LANGUAGE = re.compile(r"\s*%%(bash|sh|script|html|HTML|javascript|js|svg|latex|markdown|writefile)\b")


def main() -> None:
    """Run the notebook."""
    asked: dict[str, Any] = json.loads(Path(ASKED).read_text(encoding="utf-8"))
    cells = code_cells(Path(asked["notebook"]))
    SECONDS.update(asked["seconds"])
    with open(NOTES, "a", encoding="utf-8", buffering=1) as file:  # line by line: what is noted outlives a crash

        def note(record: dict[str, Any]) -> None:
            file.write(json.dumps(record) + "\n")

        SESSION.record, SESSION.salt = note, asked["salt"]
        for place, result in enumerate(run_cells(map(without_habits, cells), limited=True), 1):
            note({"cell": place, "trouble": result.trouble if result.failed else ""})
        note({"cells": len(cells)})


def without_habits(source: str) -> str:
    r"""A cell without what people type by habit and a grading run does not need: ``%matplotlib inline``, ``!pip …``."""
    return "" if _OTHER_LANGUAGE.match(source) else _HABIT.sub(r"\1pass", source)


if __name__ == "__main__":
    main()
