"""What labs say of the wrong functions that students write: whether each passes, for two students."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from recording.batches import Batch, Line

STUDENTS = (("student 0", ""), ("student 1", "winter"))


def batches(checkout: Path) -> Iterator[Batch]:
    """A batch for each exercise that asks for a function; none where the folder of labs is not there."""
    try:
        from toysearch.classroom.exercise import LESSONS
    except ImportError:
        return
    for lesson in LESSONS:
        for task in lesson.exercises:
            if task.answer.expects.startswith("a function "):
                yield Batch("wrong functions", task.number, lambda task=task: _lines(task, checkout))


def _lines(task: object, checkout: Path) -> Iterator[Line]:
    """The verdict on each wrong function, and on each mistake that the exercise knows itself."""
    from toysearch.classroom.answers import judge, observe

    sys.path.insert(0, str(checkout / "tests"))
    from wrong_functions import WRONG

    wrong = [("its own", each.answer, each.sentence) for each in task.wrong_answers()]
    wrong += [("of the tests", *each) for each in WRONG.get(task.number, [])]
    for place, (origin, answer, reason) in enumerate(wrong):
        for student, salt in STUDENTS:
            case = task.case(student, salt)
            found = judge(task, observe(task, answer(case.given), case), case)
            told = {"passed": found.passed, "sentences": json.dumps(found.sentences, ensure_ascii=False)}
            yield {"call": f"{origin} {place}: {reason}", "student": student, **told}
