"""Open questions: every lab has two, a tutor has a rubric of three lines for each, and what is written is collected."""

import json

import pytest

from toysearch.classroom.exercise import LESSONS
from toysearch.classroom.notebook import blank_notebook
from toysearch.classroom.open_question import open_questions, question_texts, written_answers


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.stem)
def test_every_lab_asks_for_a_prediction_and_an_explanation_and_the_blank_notebook_answers_neither(lesson):
    content = blank_notebook(lesson).read_bytes()
    questions = open_questions(lesson.number)
    assert [question.number for question in questions] == [f"{lesson.number}.predict", f"{lesson.number}.explain"]
    assert all(len(question.rubric) == question.points == 3 for question in questions)
    assert all(line.endswith(".") for question in questions for line in question.rubric)
    texts = question_texts(content)
    assert sorted(texts) == ["explain", "predict"]
    assert all(len(text) > 20 for text in texts.values()), texts
    assert written_answers(content) == {}


def test_what_stands_below_the_mark_is_the_answer():
    notebook = json.loads(blank_notebook(LESSONS[4]).read_bytes())
    for cell in notebook["cells"]:
        if cell["metadata"].get("tags") == ["predict"]:
            cell["source"] = [*cell["source"], "\n", "\n", "Nothing: most documents\n", "are not relevant. \ud800"]
        elif cell["metadata"].get("tags") == ["explain"]:
            cell["source"] = "Without the mark."
    assert written_answers(json.dumps(notebook).encode()) == {
        "predict": "Nothing: most documents\nare not relevant. \\ud800",
        "explain": "Without the mark.",
    }


@pytest.mark.parametrize(
    "content", [b"", b"[]", b'{"cells": [{"metadata": {"tags": [[]]}}]}', b'{"cells": 3}', b"\xff"]
)
def test_a_damaged_notebook_answers_nothing(content):
    assert written_answers(content) == {}


def test_an_unknown_lab_has_no_open_question():
    assert open_questions(99) == ()
