"""Looking at an answer, and judging what was seen: two steps, so that a grader can do the second elsewhere."""

from __future__ import annotations

import json
from typing import Any

from toysearch.course.exercise import Case, Exercise, Unanswered, Unusable
from toysearch.course.motivation import WHY
from toysearch.course.verdict import Verdict

Observation = dict[str, Any]
"""What was seen of an answer: ``{"state": "seen", "seen": …}``, or that there was none, or why it was refused."""


def observe(exercise: Exercise, answer: Any, case: Case) -> Observation:
    """What is seen of an answer, as JSON has it."""
    if answer is ... or answer is None:
        return {"state": "unanswered"}
    try:
        seen = exercise.answer.look(answer, case)
    except Unanswered as error:
        return {"state": "unanswered", "found": str(error)}
    except Unusable as error:
        return {"state": "refused", "found": str(error)}
    return {"state": "seen", "seen": json.loads(json.dumps(seen))}


def judge(exercise: Exercise, observation: Observation, case: Case) -> Verdict:
    """The verdict on what was seen."""
    state, sentences = _judged(exercise, observation, case)
    return Verdict(exercise.number, exercise.title, state, tuple(sentences), exercise.points)


def _judged(exercise: Exercise, observation: Observation, case: Case) -> tuple[str, list[str]]:
    kind = exercise.answer
    if observation["state"] == "unanswered":
        found = [f"Found: {observation['found']}."] if "found" in observation else []
        return "unanswered", [f"Not answered yet. Expected: {kind.expects}.", *found]
    if observation["state"] == "refused":
        return "refused", [f"Expected: {kind.expects}. Found: {observation['found']}."]
    seen = observation["seen"]
    right = observe(exercise, exercise.expected(case.given), case)["seen"]
    if kind.same(seen, right):
        points = f"{exercise.points} point{'s' * (exercise.points != 1)}"
        return "right", [f"Right: {points}.", *filter(None, [WHY.get(exercise.number)])]
    for mistake in exercise.mistakes:
        made = observe(exercise, mistake.made(case.given), case)
        if made["state"] == "seen" and kind.same(seen, made["seen"]):
            return "wrong", ["Not right: " + mistake.sentence]
    remark = kind.remark(seen, right, case)
    return "wrong", [_ended(f"Not right: {remark}" if remark else "Not right"), *_way_out(exercise)]


def _ended(sentence: str) -> str:
    """A sentence with a full stop, unless it asks or calls."""
    return sentence if sentence.endswith(("?", "!", ".")) else f"{sentence}."


def _way_out(exercise: Exercise) -> list[str]:
    return [f'labs.hint("{exercise.number}") helps.'] if exercise.hints else []
