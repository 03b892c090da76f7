"""Open questions of the labs, which a tutor grades by hand: one prediction and one explanation per lab."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from toysearch.classroom.exercise import LESSONS

_PLACE = re.compile(r"\*\*Your (?:prediction|explanation):\*\*")
_LONGEST = 5_000  # characters of an answer


class OpenQuestion(NamedTuple):
    """Question without an answer that a program could judge."""

    number: str  # of the lab, and its kind, which is also the tag of its cell in the notebook: 5.predict
    title: str
    rubric: tuple[str, ...]  # one point for each line

    @property
    def points(self) -> int:
        """Return the maximum number of points."""
        return len(self.rubric)


_PREDICTION = (
    "It is a claim that the next cell can refute: a number, an order, or a direction.",
    "It gives a reason in the terms of this lab.",
)


def open_questions(lab: int) -> tuple[OpenQuestion, ...]:
    """Return the open questions of a lab, in the order of the notebook.

    >>> [question.number for question in open_questions(5)]
    ['5.predict', '5.explain']
    """
    lesson = next((lesson for lesson in LESSONS if lesson.number == lab), None)
    if lesson is None:
        return ()
    return (
        OpenQuestion(f"{lab}.predict", "Prediction", (*_PREDICTION, lesson.prediction)),
        OpenQuestion(f"{lab}.explain", "In your own words", lesson.explanation),
    )


def written_answers(content: bytes) -> dict[str, str]:
    """Map the kind of each open question of a notebook to what the student wrote below its last mark.

    >>> cell = {"cell_type": "markdown", "metadata": {"tags": ["explain"]}, "source": "**Your explanation:** it is."}
    >>> written_answers(json.dumps({"cells": [cell]}).encode())
    {'explain': 'it is.'}
    """
    texts = {}
    try:
        for cell in json.loads(content)["cells"]:
            for kind in {"predict", "explain"} & set(cell["metadata"].get("tags", ())):
                if cell["cell_type"] == "markdown":
                    text = _PLACE.split("".join(cell["source"]))[-1].strip()[:_LONGEST]
                    texts[kind] = text.encode("utf-8", "backslashreplace").decode()  # it may hold lone surrogates
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return {}
    return {kind: text for kind, text in texts.items() if text}


def question_texts(content: bytes) -> dict[str, str]:
    """Map the kind of each open question of a blank notebook to its text: a prediction answers the guess above it."""
    texts = {}
    above = ""
    for cell in json.loads(content)["cells"]:
        text = _PLACE.split("".join(cell["source"]))[0].strip()
        for kind in {"predict", "explain"} & set(cell["metadata"].get("tags", ())):
            parts = text.partition("\n\n") if kind == "explain" else above.rpartition("*Guess first:*")
            texts[kind] = parts[2].strip()
        above = text
    return texts
