"""Feedback on graded notebooks: one page per student, and one for the class."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from toysearch.course.grading.gradebook import Enrolled, safe_file_name
from toysearch.course.grading.graded_notebook import GradedNotebook
from toysearch.course.lessons import Lesson
from toysearch.formats import PAGE_MARK, write_texts

CLASS = "class.html"
"""The name of the page for the class."""

_COMMONEST = 10
_STYLE = """
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; width: 100% } th, td { text-align: left; vertical-align: top; padding: .3rem .6rem }
tr { border-bottom: 1px solid #8886 } main { overflow-x: auto }
@media (prefers-color-scheme: dark) { body { background: #111; color: #eee } }
"""


def write_feedback(
    graded: Sequence[GradedNotebook], folder: Path, absent: Sequence[tuple[Lesson, Enrolled]] = ()
) -> list[Path]:
    """Write one page per notebook, and one for the class; existing pages are replaced."""
    folder.mkdir(parents=True, exist_ok=True)
    pages: dict[Path, str] = {}
    for notebook in graded:
        stem = f"{notebook.lesson.stem if notebook.lesson else 'unknown'}-{safe_file_name(notebook.student)}"
        number, path = 1, folder / f"{stem}.html"
        while path in pages:
            number += 1
            path = folder / f"{stem}-{number}.html"
        pages[path] = student_page(notebook)
    pages[folder / CLASS] = class_page(graded, absent)
    for path, text in pages.items():
        write_texts([text], path)
    return list(pages)


def student_page(graded: GradedNotebook) -> str:
    """The page of a student: each exercise with its points and the comment on the answer."""
    title = f"Lab {graded.lesson.number}: {graded.lesson.title}" if graded.lesson else "A notebook of an unknown lab"
    rows = [
        (verdict.number, verdict.title, f"{verdict.score}/{verdict.points}", " ".join(verdict.sentences))
        for verdict in graded.verdicts
    ]
    parts = [
        f"<p>{html.escape(graded.student)}: {graded.score} of {graded.max_score} points</p>",
        _table(("exercise", "", "points", ""), rows),
    ]
    if graded.troubles:
        parts += ["<h2>Notes</h2>", _list(graded.troubles)]
    return _page(title, parts)


def class_page(graded: Sequence[GradedNotebook], absent: Sequence[tuple[Lesson, Enrolled]] = ()) -> str:
    """The page for the lecturer: the hardest exercises of each lab, the most common mistakes, and the students."""
    parts: list[str] = []
    for lesson in sorted({notebook.lesson for notebook in graded if notebook.lesson}):
        of = [notebook for notebook in graded if notebook.lesson == lesson]
        mean = sum(notebook.score / notebook.max_score for notebook in of) / len(of)
        parts += [
            f"<h2>Lab {lesson.number}: {html.escape(lesson.title)}</h2>",
            f"<p>{len(of)} notebook{'s' * (len(of) != 1)}, {mean:.0%} of the points</p>",
            "<h3>Exercises, the hardest first</h3>",
            _table(("exercise", "", "right", "wrong", "not answered"), _hardest(lesson, of)),
        ]
        if mistakes := _commonest(of):
            parts += ["<h3>The most common mistakes</h3>", _table(("times", "exercise", ""), mistakes)]
        points = [(notebook.student, f"{notebook.score}/{notebook.max_score}") for notebook in of]
        points += [(student.name, "nothing was handed in") for lab, student in absent if lab == lesson]
        parts += ["<h3>Students</h3>", _table(("student", "points"), sorted(points))]
    unread = [f"{notebook.student}: {' '.join(notebook.troubles)}" for notebook in graded if not notebook.lesson]
    if unread:
        parts += ["<h2>Not graded</h2>", _list(unread)]
    return _page("The class", parts)


def _hardest(lesson: Lesson, graded: Sequence[GradedNotebook]) -> list[tuple[str, ...]]:
    """Exercise, title, and the numbers of notebooks with a right, a wrong and no answer."""
    rows = []
    for place, exercise in enumerate(lesson.exercises):
        states = Counter(notebook.verdicts[place].state for notebook in graded)
        counts = states["right"], states["wrong"] + states["refused"], states["unanswered"]
        rows.append((counts, (exercise.number, exercise.title)))
    return [(*names, *map(str, counts)) for counts, names in sorted(rows, key=lambda row: (row[0][0], -row[0][1]))]


def _commonest(graded: Sequence[GradedNotebook]) -> list[tuple[str, ...]]:
    """Count, exercise and comment, for comments given to more than one notebook."""
    times_of = Counter(
        (verdict.number, verdict.sentences[0])
        for notebook in graded
        for verdict in notebook.verdicts
        if verdict.state == "wrong"
    )
    return [
        (str(times), number, sentence) for (number, sentence), times in times_of.most_common(_COMMONEST) if times > 1
    ]


def _page(title: str, parts: Iterable[str]) -> str:
    head = '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
    head += f"{PAGE_MARK}\n"
    head += '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    body = "\n".join([f"<h1>{html.escape(title)}</h1>", *parts])
    return f"{head}<title>{html.escape(title)}</title>\n<style>{_STYLE}</style>\n<main>\n{body}\n</main>\n</html>\n"


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    def line(cells: Sequence[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>"

    return "\n".join(["<table>", line(header, "th"), *(line(row, "td") for row in rows), "</table>"])


def _list(sentences: Iterable[str]) -> str:
    return "<ul>" + "".join(f"<li>{html.escape(text)}</li>" for text in sentences) + "</ul>"
