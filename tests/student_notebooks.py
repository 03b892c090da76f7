"""Notebooks as students hand them in, and the mark of tests that need a system on which programs can be confined."""

import json
from pathlib import Path
from typing import Any

import pytest

from toysearch.classroom.sandbox import confined_run, kernel_confinement

needs_confinement = pytest.mark.skipif(
    bool(kernel_confinement.missing()), reason=f"nothing confines here: {kernel_confinement.missing()}"
)


def notebook(*cells: str, outputs: list[Any] | None = None) -> str:
    """A notebook of some cells, of several lines as a list as Jupyter writes them; outputs: of the last one."""
    sources = [cell.splitlines(keepends=True) if "\n" in cell else cell for cell in cells]
    made: list[dict[str, Any]] = [
        {"cell_type": "code", "source": source, "metadata": {}, "outputs": []} for source in sources
    ]
    made[-1]["outputs"] = outputs or []
    return json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def notebook_file(path: Path, *cells: str, **more: Any) -> Path:
    """The same as a file."""
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_text(notebook(*cells, **more))
    return path


def line_past_the_limit(monkeypatch: pytest.MonkeyPatch) -> str:
    """A line with which a confined program says that its time is over, however long its limit and its start are."""

    class Late(confined_run._Child):
        def clock(self) -> float:
            return 1e6 * (self.folder / "late").exists()

    monkeypatch.setattr(confined_run, "_Child", Late)
    return "open('late', 'w').close()"
