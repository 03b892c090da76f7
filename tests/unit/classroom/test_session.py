"""A lab as a student meets it: start, given, check, hint; as text and as HTML."""

import importlib
import itertools
import json
import random
import re
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest
from tiers import often

from toysearch import Searcher, labs
from toysearch.base.errors import ArgumentError, ToysearchNote
from toysearch.classroom.answers import Verdict, Waiting
from toysearch.classroom.exercise import LESSONS, exercise
from toysearch.classroom.grading.graded_notebook import graded_notes
from toysearch.classroom.grading.notebook_run import executed, read_notes
from toysearch.classroom.session import SESSION

pytestmark = [pytest.mark.system, pytest.mark.waits]


@pytest.fixture(autouse=True)
def untouched():
    """Whatever a test starts is over after it."""
    yield
    labs.start(1)


def test_a_lab_is_started_for_somebody_or_for_anyone():
    assert repr(labs.start(1, student=" ada ")).splitlines() == [
        "Lab 1: Tokens and terms",
        "  10 exercises, 16 points, about 120 minutes.",
        "  The numbers are those of ada.",
    ]
    adas = repr(labs.given("1.1"))
    assert 'labs.start(1, student="your name")' in repr(labs.start(1)).replace("\n  ", " ")
    assert repr(labs.given("1.1")) != adas


def test_what_is_given_decides_what_is_right_and_can_be_spoilt_by_nobody():
    labs.start(1, student="ada")
    labs.given("1.7").pairs.clear()
    assert len(labs.given("1.7").pairs) == 6
    right = exercise("1.4").expected(labs.given("1.4"))
    assert labs.check("1.4", right).passed
    labs.start(1, student="grace")
    assert not labs.check("1.4", right).passed


def test_hints_come_one_after_the_other_and_begin_again_with_the_lab():
    labs.start(1)
    hints = exercise("1.2").hints
    assert [labs.hint("1.2").sentences for _ in range(3)] == [(hints[0],), (hints[1],), ("There are no more hints.",)]
    assert labs.hint("1.1").heading == "Hint for 1.1 Tokens by hand, 1 of 2"
    labs.start(1)
    assert labs.hint("1.2").sentences == (hints[0],)


@pytest.mark.parametrize(
    ("number", "message"),
    [
        ("1.19", "unknown exercise '1.19'; did you mean"),
        ("77.1", "unknown lab '77'"),
        (1.2, r'an exercise is named by a text such as "1\.1", not by 1\.2'),
        ("one", "an exercise is named by a text"),
    ],
)
def test_an_unknown_exercise_is_told(number, message):
    for function in (labs.given, labs.hint, lambda each: labs.check(each, 1)):
        with pytest.raises(ArgumentError, match=message):
            function(number)
    with pytest.raises(ArgumentError, match="unknown lab '15'"):
        labs.start(15)


def test_a_verdict_for_a_terminal_and_for_a_notebook():
    found = Verdict("1.1", "A <b>title</b>", "wrong", ("Not right: x < y.", "Two."), 2)
    assert repr(found) == "✗ 1.1 A <b>title</b>\n  Not right: x < y.\n  Two."
    html = found._repr_html_()
    assert "✗ 1.1 A &lt;b&gt;title&lt;/b&gt;</strong><br>Not right: x &lt; y.<br>Two." in html
    assert not found.passed
    assert (found.score, Verdict("1.1", "t", "right", (), 2).score) == (0, 2)


def test_in_a_grading_run_nothing_is_judged(monkeypatch):
    records = []
    monkeypatch.setattr(SESSION, "record", records.append)
    labs.start(1, student="ada")
    found = labs.check("1.4", exercise("1.4").expected(labs.given("1.4")))
    labs.check("1.4", ...)
    labs.check("1.4", "x")
    assert found.state == "noted"
    assert not found.passed
    assert [each["state"] for each in records[1:]] == ["seen", "unanswered", "refused"]
    assert records[0] == {"lab": 1, "student": "ada", "individual": ""}
    picture = labs.picture(None, "Nothing is drawn")
    assert (repr(picture), picture._repr_svg_(), picture._repr_png_()) == ("[Picture: Nothing is drawn]", None, None)


def bm25(tf, dl, df, N, avgdl, *, k1=1.2, b=0.75):
    return np.log(1 + (N - df + 0.5) / (df + 0.5)) * tf / (tf + k1 * (1 - b + b * dl / avgdl))


@pytest.mark.filterwarnings("error::toysearch.base.errors.ToysearchNote")
def test_a_check_that_searches_prints_no_note_on_the_query():
    labs.start(4, student="ada")
    with pytest.raises(ToysearchNote, match="did you mean cat clawing the settle"):
        Searcher(labs.collection()).search(labs.given("4.4").query)
    assert labs.check("4.4", bm25).passed


def test_the_advice_of_an_error_is_in_the_verdict():
    labs.start(4, student="ada")
    found = labs.check("4.4", lambda tf, dl, df, N, avgdl, *, k1=1.2, b=0.75: np.cumsum(tf)).sentences[0]
    assert "use the named statistics (avgdl, max_tf, …) or a collection_constants hook instead" in found
    found = labs.check("4.4", lambda tf, dl, df, N, avgdl, *, k1=1.2, b=0.75: 1.0)
    assert (found.state, found.sentences[0][:11]) == ("wrong", "Not right: ")


def test_blanks_of_a_ranking_that_were_counted_are_named():
    labs.start(6, student="ada")
    given = labs.given("6.2")
    ranks = [rank for rank, sign in enumerate(given.ranking, 1) if sign == "R"]
    found = labs.check("6.2", sum(n / rank for n, rank in enumerate(ranks, 1)) / given.relevant)
    assert found.sentences[0].startswith("Not right: you count the blanks between the letters as documents; ")


ANSWERS = (None, ..., "what", 3, float("nan"), {}, {1: 2}, [], b"x", lambda *given: 1, lambda *given: None)


def checked(lesson, student, answers, notes=None):
    """Start a lab and check answers of some exercises; with notes, as in a grading run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SESSION, "record", notes)
        patch.setattr(SESSION, "salt", "winter" if notes else "")
        labs.start(lesson.number, student=student)
        for number, answer in answers:
            labs.check(number, answer(exercise(number).case(student).given))
        return {number: verdict.state for number, verdict in SESSION.verdicts.items()}


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_a_check_at_home_and_a_grade_agree_whatever_was_answered_before(lesson):
    """One to four answers of each exercise: right, a mistake, of a wrong form, or none."""
    draw = random.Random(lesson.number)
    for time in range(often(5, quick=1)):
        answers = []
        for task in lesson.exercises:
            wrong = [mistake.answer for mistake in task.wrong_answers()[:6]]
            odd = [lambda given, answer=answer: answer for answer in draw.sample(ANSWERS, 4)]
            chosen = draw.choices([*[task.expected] * 3, *wrong, *odd], k=draw.randint(1, 4))
            answers += zip(itertools.repeat(task.number), chosen)
        records = []
        at_home = checked(lesson, f"student {time}", answers)
        checked(lesson, f"student {time}", answers, records.append)
        notes = read_notes(b"\n".join(json.dumps(each).encode() for each in records), 0)
        graded = graded_notes(Path(f"{lesson.stem}.ipynb"), notes, [], "winter", 0.0)
        assert {verdict.number: verdict.state for verdict in graded.verdicts} == at_home


def test_progress_counts_the_points_of_the_last_answers_of_the_right_form():
    labs.start(5, student="ada")
    labs.check("5.1", exercise("5.1").expected(labs.given("5.1")))
    assert labs.check("5.1", [1, 2]).state == "refused"
    labs.check("5.2", {"precision": 0})
    labs.check("5.3", ...)
    labs.check("5.4", [0.5])
    assert repr(labs.progress()).splitlines() == [
        "Lab 5: 1 of 10 points",
        "  Right: 5.1.",
        "  Not right yet: 5.2, 5.4.",
        "  Not answered: 5.3, 5.5, 5.6, 5.7, 5.8.",
    ]
    labs.needs("5.1")
    labs.check("5.1", {"TP": 0})
    assert repr(labs.progress()).startswith("Lab 5: 0 of 10")
    labs.start(5, student="ada")
    assert repr(labs.progress()).startswith("Lab 5: 0 of 10")


def test_a_cell_waits_for_its_exercises():
    labs.start(5, student="ada")
    labs.check("5.1", ...)
    labs.check("5.3", "a text")
    with pytest.raises(Waiting, match=r"^Wait for exercises 5\.1 and 5\.3\. This cell needs your answers to them\.$"):
        labs.needs("5.1", "5.3")
    labs.check("5.1", {"TP": 0})
    labs.needs("5.1")
    with pytest.raises(ArgumentError, match="unknown exercise"):
        labs.needs("5.99")


CELLS = [
    *("from toysearch import labs", "labs.start(5, student='ada')\nlabs.check('5.1', ...)\nlabs.check('5.2', ...)"),
    *("found = labs.check('5.3', ...)\nprint('after it')", "labs.needs('5.3')\nprint('never')", "labs.given('5.3')"),
]


def test_two_checks_in_one_cell_are_both_seen_once_each():
    importlib.import_module("IPython")  # without it, cells show nothing
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        results = pool.submit(executed, CELLS).result()
    seen = [re.findall(r"(?:·|Lab|Wait for exercise) [0-9.]+", str(result.outputs)) for result in results]
    shown = [[], ["Lab 5", "· 5.1", "· 5.2"], ["· 5.3"], ["Wait for exercise 5.3"], []]
    assert [sorted(set(each)) for each in seen] == shown
    assert [len(result.outputs) for result in results] == [0, 3, 2, 1, 1]
    assert not any(result.failed for result in results)


def test_a_plain_script_prints_what_a_check_says(tmp_path):
    script = tmp_path / "lab.py"
    script.write_text("\n".join(CELLS), encoding="utf-8")
    ran = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    assert re.findall(r"^(?:·|Lab) [0-9.]+", ran.stdout, re.MULTILINE) == ["Lab 5", "· 5.1", "· 5.2", "· 5.3"]
    assert "never" not in ran.stdout
    assert (ran.returncode, ran.stderr) == (1, "Wait for exercise 5.3. This cell needs your answer to it.\n")


def test_a_picture_is_drawn_as_svg_or_as_png():
    import altair as alt

    chart = alt.Chart(alt.InlineData(values=[{"x": 1}])).mark_point().encode(x="x:Q")
    assert labs.picture(chart, "A point", "svg")._repr_svg_().startswith("<svg")
    assert labs.picture(chart, "A point", "svg")._repr_png_() is None
    png, shown = labs.picture(chart.to_dict(), "A point")._repr_png_()
    assert png.startswith(b"\x89PNG")
    assert 2 * shown["width"] <= int.from_bytes(png[16:20]) <= 2 * shown["width"] + 1


def test_where_nothing_can_be_drawn_the_description_stands_and_the_notebook_may_draw(monkeypatch):
    import altair as alt

    chart = alt.Chart(alt.InlineData(values=[{"x": 1}])).mark_point()
    assert labs.picture(chart, "A point")._repr_mimebundle_() is None
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    picture = labs.picture(chart, "A point")
    assert (repr(picture), picture._repr_png_(), picture._repr_svg_()) == ("[Picture: A point]", None, None)
    [specification] = picture._repr_mimebundle_().values()
    assert (specification["description"], specification["mark"]["type"]) == ("A point", "point")
