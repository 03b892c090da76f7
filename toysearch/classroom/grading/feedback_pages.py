"""Pages about graded notebooks: one for each student, one for the class, and one for the tutor."""

from __future__ import annotations

import html
import pprint
import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from toysearch.base import cut, folded, without_notes
from toysearch.classroom.answers import observe
from toysearch.classroom.exercise import Case, Exercise, Lesson
from toysearch.classroom.grading.graded_notebook import GradedNotebook, labs_of
from toysearch.classroom.grading.roster import safe_file_name
from toysearch.classroom.notebook import blank_notebook
from toysearch.classroom.open_question import open_questions, question_texts
from toysearch.files import write_texts
from toysearch.files.writing import PAGE_MARK

Links = Mapping[int, str]
"""Place of a notebook → the file of its page."""

CLASS, TUTOR = "class.html", "tutor.html"
"""Names of the pages for the lecturer."""

_COMMONEST = 10
_LONGEST = 1_500  # characters of an answer that are shown
_STYLE = """
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; width: 100% } th, td { text-align: left; vertical-align: top; padding: .3rem .6rem }
tr { border-bottom: 1px solid #8886 } main { overflow-wrap: break-word } pre { white-space: pre-wrap; margin: 0 }
pre, code { font: .9rem/1.4 ui-monospace, monospace } h3, h4 { margin-bottom: .3rem } section { break-inside: avoid }
.wide { overflow-x: auto } .wide td:not(:last-child) { overflow-wrap: normal } .name { white-space: nowrap }
.bar { background: #0072b2; height: .8em }
td:has(.bar) { width: 60% } dt { font-weight: 600 } dd { margin: 0 0 .5rem }
th button { all: unset; cursor: pointer; font-weight: bold } th button:focus-visible { outline: 2px solid }
[aria-sort=ascending] button::after { content: " ▲" } [aria-sort=descending] button::after { content: " ▼" }
@media (prefers-color-scheme: dark) { body { background: #111; color: #eee } a { color: #8cf }
.bar { background: #56b4e9 } }
@media print { body { background: #fff; color: #000; max-width: none; margin: 0 } .bar { print-color-adjust: exact } }
"""

_SORTING = """<script>
for (const head of document.querySelectorAll("table.sorted th")) {
  const button = document.createElement("button"), column = head.cellIndex;
  button.append(...head.childNodes);
  head.append(button);
  button.addEventListener("click", () => {
    const falls = head.getAttribute("aria-sort") === "ascending", body = head.closest("tbody");
    for (const other of head.parentNode.cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", falls ? "descending" : "ascending");
    const of = (row) => row.cells[column].textContent, [, ...rows] = body.rows;
    const order = (one, other) => of(one).localeCompare(of(other), undefined, {numeric: true});
    body.append(...rows.sort((one, other) => falls ? order(other, one) : order(one, other)));
  });
}
</script>"""
"""What makes the heads of a table buttons that sort its rows; without scripts the rows stand by name."""

_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
{mark}
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{style}</style>
<main>
<h1>{title}</h1>
{body}
</main>
</html>
"""


def write_feedback(graded: Sequence[GradedNotebook], folder: Path) -> list[Path]:
    """Write one page per notebook, one for the class and one for the tutor; existing pages are replaced."""
    folder.mkdir(parents=True, exist_ok=True)
    pages = {}
    links = {}
    for place, notebook in enumerate(graded):
        if notebook.absent:
            continue
        stem = f"{notebook.lesson.stem if notebook.lesson else 'unknown'}-{safe_file_name(notebook.student)}"
        number, path = 1, folder / f"{stem}.html"
        while path in pages:
            number += 1
            path = folder / f"{stem}-{number}.html"
        pages[path], links[place] = student_page(notebook), path.name
    pages[folder / CLASS] = class_page(graded, links)
    pages[folder / TUTOR] = tutor_page(graded, links)
    for path, text in pages.items():
        write_texts([text], path)
    return list(pages)


def student_page(graded: GradedNotebook) -> str:
    """Write the page of a student: each exercise with points, own numbers, the given answer and the right one."""
    title = f"Lab {graded.lesson.number}: {graded.lesson.title}" if graded.lesson else "A notebook of an unknown lab"
    rows = [
        map(
            html.escape,
            (verdict.number, verdict.title, f"{verdict.score}/{verdict.points}", " ".join(verdict.sentences)),
        )
        for verdict in graded.verdicts
    ]
    parts = [
        f"<p>{html.escape(graded.student)}: {graded.score} of {graded.max_score} points</p>",
        _table(("exercise", "title", "points", "remark"), rows),
    ]
    if graded.remarks:
        parts += ["<h2>Notes</h2>", _list(graded.remarks)]
    if graded.lesson:
        parts.append("<h2>Numbers and answers</h2>")
        parts += [_worked(graded, exercise) for exercise in graded.lesson.exercises]
        counted = {verdict.number for verdict in graded.verdicts}
        for question in open_questions(graded.lesson.number):
            text = graded.written.get(question.number.partition(".")[2], "")
            if text and question.number not in counted:
                parts += [f"<h3>{question.number} {question.title}</h3>", _pre(text)]
    return _page(title, parts)


def _worked(graded: GradedNotebook, exercise: Exercise) -> str:
    case = exercise.case(*graded.judged_as)
    with without_notes():
        right = observe(exercise, exercise.expected(case.given), case)["seen"]
    observation = graded.observations.get(exercise.number, {})
    text, place = cut(str(observation.get("found", "none")), _LONGEST), 0
    if observation.get("state") == "seen":
        try:
            answer = observation["seen"]
            pairs = enumerate(zip(answer, right, strict=False) if case.inputs else ())
            wrong = (place for place, (one, other) in pairs if not exercise.answer.same([one], [other]))
            place = next(wrong, 0)  # the first input for which a function is not right
            text = _answer(answer, case, place)
        except Exception:  # the process of a student may have written anything
            text = "The record of this answer cannot be read."
    least = "at least " * exercise.answer.is_bar
    terms = [
        *([("Your numbers", _pre(cut(repr(case.given), _LONGEST)))] if list(case.given) else []),
        ("Your answer", _pre(text)),
        ("A right answer", _pre(f"{least}{_answer(right, case, place)}")),
        ("Why", html.escape(" ".join([*exercise.hints, exercise.why]))),
    ]
    items = "".join(f"<dt>{term}</dt><dd>{text}</dd>" for term, text in terms)
    return f"<section><h3>{exercise.number} {html.escape(exercise.title)}</h3><dl>{items}</dl></section>"


def _answer(answer: Any, case: Case, place: int) -> str:
    if not case.inputs:
        return _shown(answer)
    call, result = cut(", ".join(map(repr, case.inputs[place])), _LONGEST), answer[place]
    if "raised" in result:
        return f"for the input {call}\nraises {result['raised']}"
    return f"for the input {call}\n{_shown(result['returned']) if 'returned' in result else result['unusable']}"


def _shown(value: Any) -> str:
    text = repr(value)
    return cut(text, _LONGEST) if len(text) > _LONGEST else pprint.pformat(value, width=96, sort_dicts=False)


def class_page(graded: Sequence[GradedNotebook], links: Links) -> str:
    """Write the page for the lecturer: for each lab the spread, the hardest exercises, common mistakes, and students.

    links: place of a notebook → the page of its student.
    """
    parts = [f'<p><a href="{TUTOR}">For the tutor</a>: open questions</p>']
    for lesson in labs_of(graded):
        places = _places(graded, lesson)
        of = [graded[place] for place in places if not graded[place].absent]
        parts.append(f"<h2>Lab {lesson.number}: {html.escape(lesson.title)}</h2>")
        parts += _spread(of)
        parts += _hardest(lesson, of)
        parts += _mistakes(of)
        parts += ["<h3>Students</h3>", _students(graded, places, links)]
    unread = [f"{notebook.student}: {' '.join(notebook.troubles)}" for notebook in graded if not notebook.lesson]
    if unread:
        parts += ["<h2>Not graded</h2>", _list(unread)]
    return _page("The class", [*parts, _SORTING])


def _places(graded: Sequence[GradedNotebook], lesson: Lesson) -> list[int]:
    of_lab = (place for place, notebook in enumerate(graded) if notebook.lesson == lesson)
    return sorted(of_lab, key=lambda place: folded(graded[place].student).casefold())


def _spread(of: Sequence[GradedNotebook]) -> list[str]:
    if not of:
        return ["<p>No notebook was handed in.</p>"]
    shares = [notebook.score / notebook.max_score for notebook in of]
    low, middle, high = statistics.quantiles(shares, n=4, method="inclusive") if len(of) > 1 else shares * 3
    facts = f"{len(of)} notebook{'s' * (len(of) != 1)}, {statistics.fmean(shares):.0%} of the points on average"
    quartiles = f"lowest {min(shares):.0%}, quartiles {low:.0%}, {middle:.0%} and {high:.0%}, highest {max(shares):.0%}"
    tenths = Counter(min(9, int(10 * share + 1e-9)) for share in shares)
    bars = [
        f'<div class="bar" style="width: {100 * tenths[tenth] / max(tenths.values()):.0f}%"></div>'
        for tenth in range(10)
    ]
    rows = [(f"{10 * tenth}–{10 * tenth + 10}%", str(tenths[tenth]), bar) for tenth, bar in enumerate(bars)]
    return [f"<p>{facts}: {quartiles}.</p>", "<h3>Spread</h3>", _table(("points", "notebooks", "drawn"), rows)]


def _hardest(lesson: Lesson, of: Sequence[GradedNotebook]) -> list[str]:
    rows = []
    for place, exercise in enumerate(lesson.exercises):
        states = Counter(notebook.verdicts[place].state for notebook in of)
        wrong = states["wrong"] + states["refused"]
        rows.append((exercise.number, html.escape(exercise.title), states["right"], wrong, states["unanswered"]))
    rows.sort(key=lambda row: (row[2], -row[3]))
    header = ("exercise", "title", "right", "wrong", "not answered")
    return ["<h3>Exercises, the hardest first</h3>", _table(header, rows)]


def _mistakes(of: Sequence[GradedNotebook]) -> list[str]:
    """List the comments that several students got, their number, and their share of the wrong answers."""
    wrong = [verdict for notebook in of for verdict in notebook.verdicts if verdict.state == "wrong"]
    answers = Counter(verdict.number for verdict in wrong)
    common = Counter((verdict.number, verdict.sentences[0]) for verdict in wrong).most_common(_COMMONEST)
    rows = [
        (str(times), f"{times / answers[number]:.0%}", number, html.escape(comment))
        for (number, comment), times in common
        if times > 1
    ]
    header = ("times", "of the wrong answers", "exercise", "remark")
    return ["<h3>The most common mistakes</h3>", _table(header, rows)] if rows else []


def _students(graded: Sequence[GradedNotebook], places: Sequence[int], links: Links) -> str:
    rows = []
    for place in places:
        row = graded[place]
        points = "nothing was handed in" if row.absent else f"{row.score}/{row.max_score}"
        late = f"{row.days_late} day{'s' * (row.days_late != 1)}" if row.days_late else ""
        rows.append(
            (
                _link(row.student, links.get(place, "")),
                points,
                late,
                html.escape("; ".join([*row.private, *row.remarks])),
            )
        )
    return _table(("student", "points", "late", "notes"), rows, "sorted")


def _link(text: str, page: str) -> str:
    link = f' href="{html.escape(page, quote=True)}"' if page else ""
    return f'<a class="name"{link}>{html.escape(text)}</a>'


def tutor_page(graded: Sequence[GradedNotebook], links: Links) -> str:
    """Write the page for the tutor: the open questions with their rubric and answers."""
    parts = [f'<p><a href="{CLASS}">The class</a></p>']
    for lesson in labs_of(graded):
        places = [place for place in _places(graded, lesson) if not graded[place].absent]
        parts.append(f"<h2>Lab {lesson.number}: {html.escape(lesson.title)}</h2>")
        texts = question_texts(blank_notebook(lesson).read_bytes())
        for question in open_questions(lesson.number):
            kind = question.number.partition(".")[2]
            parts += [f"<h3>{question.number} {question.title}</h3>", _pre(texts.get(kind, ""))]
            parts += [f"<p>{question.points} points, one for each:</p>", _list(question.rubric)]
            rows = [_written(graded[place], kind, question.number, links, place) for place in places]
            parts.append(_table(("student", "graded part", "by hand", "answer"), rows))
    return _page("For the tutor", parts)


def _written(row: GradedNotebook, kind: str, number: str, links: Links, place: int) -> Sequence[str]:
    by_hand = next((verdict.by_hand for verdict in row.verdicts if verdict.number == number), None)
    exercises = row.lesson.exercises if row.lesson else ()
    judged = row.verdicts[: len(exercises)]
    points = f"{sum(verdict.score for verdict in judged):g}/{sum(verdict.points for verdict in judged)}"
    text = _pre(row.written[kind]) if kind in row.written else "–"
    return _link(row.student, links.get(place, "")), points, "" if by_hand is None else f"{by_hand:g}", text


def _pre(text: str) -> str:
    return f"<pre>{html.escape(text)}</pre>"


def _page(title: str, parts: Iterable[str]) -> str:
    return _PAGE.format(mark=PAGE_MARK, title=html.escape(title), style=_STYLE, body="\n".join(parts))


def _table(header: Sequence[str], rows: Iterable[Iterable[object]], kind: str = "") -> str:
    """Return a table of HTML; a wide one scrolls inside the page."""
    cells = [("th", header), *(("td", row) for row in rows)]
    lines = ["<tr>" + "".join(f"<{tag}>{cell}</{tag}>" for cell in row) + "</tr>" for tag, row in cells]
    table = f'<table class="{kind}">' if kind else "<table>"
    return "\n".join([f'<div class="wide" tabindex="0">{table}', *lines, "</table></div>"])


def _list(sentences: Iterable[str]) -> str:
    return "<ul>" + "".join(f"<li>{html.escape(text)}</li>" for text in sentences) + "</ul>"
