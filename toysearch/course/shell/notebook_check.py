"""What `toysearch check` says of the notebook of a lab."""

from __future__ import annotations

from pathlib import Path

from toysearch.base import Column, counted, note
from toysearch.cli import emit, remark
from toysearch.course.grading.gradebook import as_dict
from toysearch.course.grading.graded_notebook import grade


def notebook_is_right(file: Path, seconds: float, memory: int, form: str) -> bool:
    """Run a notebook from top to bottom, within limits, and print each answer's verdict; whether all are right."""
    path = file.resolve() if file.is_symlink() else file  # of the user, who may link to it
    graded = grade(path, seconds=seconds, memory=memory, trust_code=True)
    columns = [
        Column("number", "exercise"),
        Column("title", wrap=True),
        Column("score", "points", justify="right"),
        Column("state", "verdict", wrap=True),
    ]
    words = {"right": "right", "unanswered": "not answered yet"}
    rows = [
        [
            verdict.number,
            verdict.title,
            f"{verdict.score}/{verdict.points}",
            words.get(verdict.state) or " ".join(verdict.sentences),
        ]
        for verdict in graded.verdicts
    ]
    emit(columns, rows, form, data=as_dict(graded))
    for trouble in graded.troubles:
        note(trouble)
    remark(f"{graded.student}: {graded.score} of {counted(graded.max_score, 'point')}")
    return bool(graded.verdicts) and all(verdict.passed for verdict in graded.verdicts)
