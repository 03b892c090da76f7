"""Run confined, as ``python -m toysearch.labs.child NOTEBOOK SALT``: runs a student's notebook and notes what is seen.

Nothing is judged here. Each line of the file `NOTES` is what was started, what was seen of an answer, or what became of
a cell; `toysearch.labs.grading` reads them when this process is over.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from toysearch.labs.executing import run_cells
from toysearch.labs.notebook import code_cells
from toysearch.labs.session import SESSION

NOTES = "notes.jsonl"
"""In the working folder."""


def main() -> None:
    """Run the notebook."""
    notebook, salt = sys.argv[1:]
    cells = code_cells(Path(notebook))
    with open(NOTES, "a", encoding="utf-8", buffering=1) as file:  # line by line: what is noted outlives a crash

        def note(record: dict[str, Any]) -> None:
            file.write(json.dumps(record) + "\n")

        SESSION.record, SESSION.salt = note, salt
        for place, result in enumerate(run_cells(cells), 1):
            note({"cell": place, "trouble": result.trouble if result.failed else ""})
        note({"cells": len(cells)})


if __name__ == "__main__":
    main()
