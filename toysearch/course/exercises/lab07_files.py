"""Cranfield's files: the exercises of lab 7 on judgments that count places, and on a reader."""

from __future__ import annotations

from typing import Any

from toysearch.course.answer_kinds import Function, Table, Text, Unordered, Whole
from toysearch.course.exercise import Exercise, Given, Mistake
from toysearch.course.students import Draw

# 7.1: judgments that count places


def _numbered_queries(draw: Draw) -> dict[str, Any]:
    """Nine .I numbers with gaps, and judgments by place; the number asked for is itself a place, of another query."""
    numbers = [1, 2]
    while len(numbers) < 9:
        numbers.append(numbers[-1] + (2 if len(numbers) == 2 else draw.whole(1, 3)))
    query_id = draw.one([number for number in numbers[2:] if number <= 9])
    doc_ids = draw.some(range(11, 990), 27)
    judgments: list[tuple[int, int, int]] = []
    for place in range(1, 10):
        own = [doc_ids.pop() for _ in range(3)]
        judgments += [(place, doc_id, code) for doc_id, code in zip(own, (draw.whole(1, 2), 3, -1), strict=True)]
    return {"query_ids": [f"{number:03}" for number in numbers], "judgments": judgments, "query_id": f"{query_id:03}"}


def _judged(given: Given, place: int, lowest: int = 1) -> list[int]:
    """The documents judged for the query at a place, with a code from `lowest` on."""
    return [doc_id for number, doc_id, code in given.judgments if number == place and code >= lowest]


def _place(given: Given) -> int:
    return int(given.query_ids.index(given.query_id)) + 1


# 7.2: a reader of SMART files

_TITLES = ("slip flow", "heat in nozzles", "flutter of plates", "wings at low speed", "the blunt body", "jet mixing")
_LINES = (
    "the pressure is measured on a model .",
    "a theory of small waves is given .",
    "results agree with tests at mach 3 .",
    "the plate is cooled from below .",
    "an exact solution is found for the layer .",
    "the wake is stable up to a point .",
)


def _smart_file(draw: Draw) -> str:
    """Four documents in some order: a usual one, an empty one, and two with marker lines inside the text."""
    numbers, titles, lines = sorted(draw.some(range(1, 60), 4)), draw.some(_TITLES, 4), draw.some(_LINES, 6)
    usual = [titles[0], lines[0], lines[1]]
    author_inside = [titles[1], lines[2], ".A", "unity .", ".B", lines[3]]
    text_twice = [titles[2], lines[4], ".W", lines[5]]
    bodies = draw.shuffled([usual, author_inside, text_twice, []])
    parts = []
    for number, body in zip(numbers, bodies, strict=True):
        parts += [f".I {number}", ".T", *body[:1], ".A", *(["brown,j.", "li,w."][: len(body)]), ".B", ".W", *body]
    return "\n".join(parts) + "\n"


def _texts(
    text: str, fields: str = "W", switching: bool = False, last: bool = False, empty: bool = True, marks: bool = False
) -> dict[str, str]:
    """The texts of a SMART file by id; each of the flags is a mistake."""
    found: dict[str, list[str]] = {}
    lines: list[str] = []
    field = ""
    for line in text.splitlines():
        if line.startswith(".I "):
            lines, field = found.setdefault(line[3:].strip(), []), ""
        elif line[:1] == "." and len(line) == 2:
            if line == ".W" and last:
                lines.clear()
            if field == "W" and marks:
                lines.append(line)
            field = line[1] if switching or field != "W" else field
        elif field in fields:
            lines.append(line)
    return {doc_id: " ".join(own) for doc_id, own in found.items() if own or empty}


JUDGMENTS = Exercise(
    number="7.1",
    title="Whose judgments are these",
    given=_numbered_queries,
    answer=Unordered(Whole(), "documents"),
    expected=lambda given: _judged(given, _place(given)),
    mistakes=(
        Mistake(
            lambda given: _judged(given, int(given.query_id)),
            "you joined by the .I number; the judgments count queries by their place in the file.",
        ),
        Mistake(
            lambda given: _judged(given, _place(given), -1),
            "the code −1 is not one of the codes for relevant, which go from 1 to 4.",
        ),
        Mistake(
            lambda given: _judged(given, int(given.query_id), -1),
            "you joined by the .I number, and took the code −1 for relevant: neither holds here.",
        ),
        Mistake(
            lambda given: _judged(given, _place(given) - 1),
            "your places count from 0; the judgments' count from 1.",
        ),
    ),
    hints=(
        "At which place of query_ids does your query stand, the first being 1?",
        "The first number of a judgment is that place. The last one is its code.",
    ),
)

READER = Exercise(
    number="7.2",
    title="A reader of SMART files",
    answer=Function(Table(Text(), "documents"), "documents(text)"),
    inputs=lambda draw, given: [(_smart_file(draw),), (_smart_file(draw),)],
    expected=lambda given: _texts,
    mistakes=(
        Mistake(
            lambda given: lambda text: _texts(text, switching=True),
            "you lose text after a marker line inside an abstract; from .W on, all is text up to the next .I.",
        ),
        Mistake(
            lambda given: lambda text: _texts(text, last=True),
            "a second .W throws away what you had of the text; it goes on.",
        ),
        Mistake(
            lambda given: lambda text: _texts(text, switching=True, last=True),
            "a marker line inside an abstract ends it for you, and a second .W begins it anew; all is text up to "
            "the next .I.",
        ),
        Mistake(
            lambda given: lambda text: _texts(text, empty=False),
            "a document without text has gone; it keeps its id, with an empty text.",
        ),
        Mistake(
            lambda given: lambda text: _texts(text, marks=True),
            "the marker lines themselves are no text; leave them out.",
        ),
        Mistake(
            lambda given: lambda text: _texts(text, fields="TW"),
            "you took the title as well; .W repeats it already.",
        ),
    ),
    hints=(
        "Go through text.splitlines(). A line that starts with '.I ' begins a document: put its id into your dict "
        "at once, so that an empty one is there too.",
        "Keep a flag that says whether you are inside .W: .W sets it, only .I unsets it. Inside, add a line unless "
        "it is a marker (a full stop and one capital letter). ' '.join(lines) makes one text.",
    ),
    points=3,
)
