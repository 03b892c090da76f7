"""Wrong functions that students write in lab 7: readers of SMART files."""

from __future__ import annotations

import re
from collections.abc import Callable

from toysearch.classroom.exercises.lab07 import _texts

Texts = Callable[[str], dict[str, str]]


def _texts_by(change: Callable[[dict[str, str]], dict[str, str]]) -> Texts:
    """Change the right texts."""
    return lambda text: change(_texts(text))


def _each_text(change: Callable[[str], str]) -> Texts:
    return _texts_by(lambda texts: {doc_id: change(text) for doc_id, text in texts.items()})


def _lines_of(text: str) -> dict[str, list[str]]:
    """Read the lines of each text."""
    found: dict[str, list[str]] = {}
    inside = False
    for line in text.splitlines():
        if line.startswith(".I "):
            lines, inside = found.setdefault(line[3:], []), False
        elif len(line) == 2 and line[0] == ".":
            inside = inside or line == ".W"
        elif inside:
            lines.append(line)
    return found


def _joined_by(join: Callable[[list[str]], str]) -> Texts:
    return lambda text: {doc_id: join(lines) for doc_id, lines in _lines_of(text).items()}


def _without_last(texts: dict[str, str]) -> dict[str, str]:
    return dict([*texts.items()][:-1])


def _with_text_before(texts: dict[str, str]) -> dict[str, str]:
    """Give a document without text that of the document before."""
    before, changed = "", {}
    for doc_id, own in texts.items():
        before = changed[doc_id] = own or before
    return changed


def _lines_kept(keep: Callable[[str], bool]) -> Texts:
    return _joined_by(lambda lines: " ".join(filter(keep, lines)))


_JOIN = "join the lines by single spaces."


_WRONG_READERS = (
    (lambda text: _texts(text.replace(" .I ", "\n.I ")), "a document begins where .I begins a line."),
    (
        lambda text: _texts(text.replace("\n.W\n", "\n.W\n.Q\n", 1), switching=True),
        "your abstract ends at a marker line; everything from .W to the next .I is text.",
    ),
    (lambda text: _texts(text, fields="T"), "this is the title; the text is that of .W."),
    (lambda text: _texts(text, fields="TABW"), "you included title, author and source; the text is that of .W."),
    (lambda text: _texts(text, fields="AW"), "you included the author; the text is that of .W."),
    (lambda text: _texts(text, fields="BW"), "you included the source; the text is that of .W."),
    (_joined_by("".join), _JOIN),
    (_joined_by("\n".join), _JOIN),
    (_joined_by("  ".join), _JOIN),
    (_joined_by(lambda lines: lines[0] if lines else ""), "you keep only the first line of a text."),
    (_joined_by(lambda lines: lines[-1] if lines else ""), "you keep only the last line of a text."),
    (_joined_by(lambda lines: " ".join(lines[1:])), "you lose the first line of a text."),
    (_joined_by(lambda lines: " ".join(lines[:-1])), "you lose the last line of a text."),
    (_joined_by(lambda lines: " ".join(dict.fromkeys([*lines, *lines[::-1]]))[:40]), "you cut the texts."),
    (_lines_kept(lambda line: not line.startswith(".")), "a line that only begins with a full stop is text."),
    (_lines_kept(lambda line: len(line) > 2), "a short line is text, too, unless it is a marker."),
    (
        _lines_kept(lambda line: line.lstrip(".") not in ("I", "W", "T", "A", "B")),
        "a line with a letter but without a full stop is text.",
    ),
    (_each_text(str.lower), "you changed the case; keep the texts as they are."),
    (_each_text(lambda text: re.sub(r"[^\w\s]", "", text)), "you removed punctuation; keep the texts as they are."),
    (_each_text(lambda text: " ".join(re.findall(r"\w\w+", text))), "these are tokens; keep the texts as they are."),
    (_texts_by(_without_last), "you lose the last document; nothing follows it that could end it."),
    (_texts_by(lambda texts: dict([*texts.items()][1:])), "you lose the first document."),
    (_texts_by(lambda texts: dict([*texts.items()][:100])), "you stop after the first 100 documents."),
    (_texts_by(_with_text_before), "a document without text gets the text of the one before; begin each anew."),
    (
        _texts_by(lambda texts: dict(enumerate(texts.values(), 1))),
        "the ids are those of the .I lines; you numbered the documents.",
    ),
    (
        _texts_by(lambda texts: {f".I {doc_id}": text for doc_id, text in texts.items()}),
        "the id is what follows .I on its line.",
    ),
    (_texts_by(lambda texts: {doc_id[:1]: text for doc_id, text in texts.items()}), "an id may have several digits."),
    (_texts_by(lambda texts: {doc_id[-1:]: text for doc_id, text in texts.items()}), "an id may have several digits."),
)


WRONG = {"7.2": _WRONG_READERS}
