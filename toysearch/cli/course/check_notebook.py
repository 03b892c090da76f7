"""`toysearch check` of a lab's notebook: which answers are right."""

from __future__ import annotations

from pathlib import Path

import click

from toysearch.cli.options import POSITIVE, option, together
from toysearch.cli.output import count, emit, remark
from toysearch.laboratory.reports.tables import Column

limit_options = together(
    option(
        "--seconds",
        type=click.FloatRange(min=0, min_open=True),
        default=300.0,
        heading="Notebooks",
        help="Time limit for a notebook.",
    ),
    option(
        "--memory",
        type=POSITIVE,
        default=4000,
        metavar="MB",
        callback=lambda _, __, megabytes: megabytes * 1_000_000,
        heading="Notebooks",
        help="Memory limit for a notebook, in megabytes.",
    ),
)
"""--seconds and --memory; the command gets seconds, and bytes."""


def notebook_is_right(file: Path, seconds: float, memory: int, form: str) -> bool:
    """Run a notebook from top to bottom, within limits, and print each answer's verdict; whether all are right."""
    from toysearch.course.grading.gradebook import as_dict
    from toysearch.course.grading.grading import grade

    graded = grade(file, seconds=seconds, memory=memory, trust_code=True)  # it is one's own
    columns = [
        Column("number", "exercise"),
        Column("title", wrap=True),
        Column("score", "points", justify="right"),
        Column("state", "verdict", wrap=True),
    ]
    words = {"right": "right", "unanswered": "not answered yet"}
    rows = [
        [each.number, each.title, f"{each.score}/{each.points}", words.get(each.state) or " ".join(each.sentences)]
        for each in graded.verdicts
    ]
    emit(columns, rows, form, data=as_dict(graded))
    for trouble in graded.troubles:
        remark(f"note: {trouble}")
    remark(f"{graded.student}: {graded.score} of {count(graded.max_score, 'point')}")
    return bool(graded.verdicts) and all(each.passed for each in graded.verdicts)
