"""What `toysearch check` says of the notebook of a lab."""

from __future__ import annotations

from pathlib import Path

from toysearch.base import note
from toysearch.cli import remark, show
from toysearch.course.grading.graded_notebook import grade


def notebook_is_right(file: Path, seconds: float, memory: int, form: str) -> bool:
    """Run a notebook from top to bottom, within limits, and print each answer's verdict; whether all are right."""
    path = file.resolve() if file.is_symlink() else file  # of the user, who may link to it
    graded = grade(path, seconds=seconds, memory=memory, trust_code=True)
    show(graded, form)
    for trouble in graded.troubles:
        note(trouble)
    remark(graded.points)
    return bool(graded.verdicts) and all(verdict.passed for verdict in graded.verdicts)
