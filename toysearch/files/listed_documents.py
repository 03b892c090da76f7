"""Documents in one cell: a list of ids, of pairs or of objects, an object of numbers, or a text that lists ids."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from toysearch.base import encodable
from toysearch.files.columns import labels_of, means_relevant, parts_of, words_of
from toysearch.files.labels import HITS, IDS, RANKED

VALUES = {"run": ("score", "distance", "rank"), "qrels": ("relevance", "vote", "score")}
"""Role → the parts that may hold the value of a document, in order of precedence."""

_QUERY = ("qid", "query_id", "queryid", "id")
_DEEPEST = 4  # objects around the hits
_MARKS = "|;、"  # between the ids of a list, beside line ends
_BRACKETS = re.compile(r"\[.*\]|\{\s*['\"].*\}|\{[^{}:]*\}|(?:\w*[Aa]rray)?\(.*\)", re.DOTALL)
_NO_ID = re.compile(r"\W*|\d+[.)]")  # a sign between ids, or the number of the next one
_COUNTED = re.compile(r"\A(?:\d+[.)]|[^\w\s]+)\s+")  # what may stand before an id on a line of its own
_ITEM = re.compile(r"[^][(){}\s,;'\"]+")  # of a list without quotation marks
_QUOTED = re.compile(
    r"""('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")(\s+(?=['"]))?""", re.DOTALL
)  # side by side, as NumPy prints


class JudgedDocument(NamedTuple):
    """Document in a cell."""

    doc_id: str
    value: Any  # None without one
    cells: Mapping[str, Any]  # the other cells of its object
    by: str = ""  # the part that the value is


def role_of_list(label: str) -> str:
    """Return the role of lists under a label: a run, or judgments if it says so of ids; else "".

    >>> [role_of_list(label) for label in ("retrieved_ids", "expected_chunk_ids", "expected", "tags")]
    ['run', 'qrels', '', '']
    """
    words = words_of(label)
    if means_relevant(label):
        return "qrels" if words & IDS else ""
    return "run" if words & RANKED else ""


def documents_in(cell: object) -> Any:
    """Return the list of documents, or the object of numbers, in a cell or in the objects around it; else None."""
    for _ in range(_DEEPEST):
        if not isinstance(cell, dict):
            break
        lists = [key for key in cell if isinstance(cell[key], list)]
        if len(lists) > 1 and [*map(role_of_list, lists)].count("run") > 1:
            return None  # several rankings
        inner = next((cell[key] for key in HITS if isinstance(cell.get(key), list | dict)), None)
        if inner is None:
            break
        cell = inner
    return cell if isinstance(cell, list | dict) else None


def are_documents(cells: Sequence[object], *, numbers: bool = False, texts: bool = False) -> bool:
    """True if some cells list documents.

    numbers, texts : whether objects of numbers, such as scores by document, do too, or those of texts
    """
    found = [documents_in(cell) for cell in cells]
    first = next((documents for documents in found if documents), None)
    if first is None or 2 * found.count(None) > len(found):
        return False
    if isinstance(first, dict):
        if any(isinstance(value, dict | list) for value in first.values()):
            return False
        return numbers and (texts or any(not isinstance(value, str) for value in first.values()))
    if isinstance(first[0], str):
        return bool(first[0]) and not are_sentences(first)
    return listed(first[0], "run") is not None


def are_numbered(cells: Sequence[object]) -> bool:
    """True if some cells list whole numbers, which are ids where a name says so."""
    lists = [cell for cell in cells if isinstance(cell, list)]
    return len(lists) == len(cells) and {type(item) for items in lists for item in items} == {int}


def are_sentences(items: Sequence[object]) -> bool:
    """True if all of some items are texts that end like sentences of several words.

    >>> are_sentences(["Owls hunt at night.", "Why?"]), are_sentences(["Owls hunt at night."]), are_sentences(["d7."])
    (False, True, False)
    """
    return all(
        isinstance(item, str) and " " in item.strip() and item.rstrip().endswith((".", "!", "?")) for item in items
    )


def are_texts(cells: Sequence[object]) -> bool:
    """True if some cells list documents or queries with their texts, and without scores."""
    documents = next(filter(None, map(documents_in, cells)), None)
    first = documents[0] if isinstance(documents, list) else None
    hit = listed(first, "run")
    return isinstance(first, dict) and "text" in parts_of([*first]) and hit is not None and hit.value is None


def id_in(cell: object) -> str | None:
    """Return the id in a cell: a text, a whole number, or that of an object; None for anything else."""
    if isinstance(cell, dict):
        cell = next((cell[key] for key in _QUERY if key in cell), None)
    if type(cell) is str:
        return (cell if cell.isascii() else encodable(cell)[0]) or None
    return str(cell) if type(cell) is int else None


def listed(item: object, role: str) -> JudgedDocument | None:
    """Return a document of a list: an id, a pair with its value, or an object; None for anything else."""
    if isinstance(item, str):
        return JudgedDocument(item, None, {}) if item else None
    if isinstance(item, list) and len(item) == 2:
        first, value = item[::-1] if type(item[0]) is float else item  # as heapq sorts them
        doc_id = id_in(first)
        return JudgedDocument(doc_id, value, {}, VALUES[role][0]) if doc_id is not None and is_number(value) else None
    if not isinstance(item, dict):
        return None
    item = item["hit"] if isinstance(item.get("hit"), dict) else item
    labels = labels_of(item)
    by = next((part for part in VALUES[role] if part in labels), "")
    value = item.get(labels.get(by))
    doc_id = id_in(item.get("_id" if "_id" in item else labels.get("doc_id", "id")))
    if doc_id is None or isinstance(value, list | dict | bool):
        return None
    return JudgedDocument(doc_id, value, item, by)


def is_number(value: object) -> bool:
    """True for a number of JSON that is not NaN."""
    return type(value) in (int, float) and value == value


def stem_of(path: str) -> str:
    """Return the last part of a path without its suffix, unless that is a number.

    >>> stem_of("REL/q1.txt"), stem_of("REL/1.2")
    ('q1', '1.2')
    """
    name = path.rpartition("/")[2]
    stem, suffix = os.path.splitext(name)
    return name if suffix[1:].isdecimal() else stem


def ids_in_text(cell: str, between: str = "") -> list[str]:
    """Return the ids in a text: a list in brackets, or what stands between line ends, bars and semicolons.

    between : commas or blanks, if these separate ids too; none if the text is one id

    >>> ids_in_text("['a', 'b']"), ids_in_text("a.pdf; annual report.pdf"), ids_in_text("a, b", "commas")
    (['a', 'b'], ['a.pdf', 'annual report.pdf'], ['a', 'b'])
    """
    if between == "none":
        return [cell]
    if in_brackets(cell):
        return items_in_brackets(cell)
    if "\n" in cell.strip():
        return [one for line in cell.splitlines() if (one := _COUNTED.sub("", line.strip(" ,;"), 1))]
    marks = _MARKS + {"commas": ",", "blanks": r"\s"}.get(between, "")
    return [one.strip("'\" ") for one in re.split(f"[{marks}]", cell) if not _NO_ID.fullmatch(one)]


def in_brackets(cell: object) -> bool:
    """True for a text that is a list of Python or JSON."""
    return isinstance(cell, str) and _BRACKETS.fullmatch(cell) is not None


def items_in_brackets(cell: str) -> list[str]:
    """Return the items of a text that is a list of Python or JSON; any other text alone."""
    if not in_brackets(cell):
        return [cell]
    items = _written(cell)
    if not isinstance(items, dict):
        items = _written(f"[{cell[1:-1]}]")  # a set has no order, and one id in brackets is no list
    if items is None:
        items = [one for one in _ITEM.findall(cell)[cell[0].isalpha() :] if not one.startswith("dtype=")]
    return [str(item) for item in items if str(item)]


def _written(cell: str) -> Any:
    """Return the list or the object that a text in brackets is in Python or JSON; None for any other text."""
    try:
        return ast.literal_eval(_QUOTED.sub(_with_comma, cell)) if in_brackets(cell) else None
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None


def _with_comma(quoted: re.Match[str]) -> str:
    return f"{quoted[1]}, " if quoted[2] else quoted[1]


def valued_in(cell: str) -> Any:
    """Return the documents with their values in the text of a list or an object; None for plain ids.

    >>> valued_in("[('a', 0.5), ('b', 0.25)]"), valued_in("{'a': 1}"), valued_in("['a', 'b']")
    ([['a', 0.5], ['b', 0.25]], {'a': 1}, None)
    """
    items = _written(cell)
    if isinstance(items, dict):
        return items if items and all(map(is_number, items.values())) else None
    if not isinstance(items, list | tuple) or any(isinstance(item, str) for item in items):
        return None
    pairs = [[*item] if isinstance(item, tuple) else item for item in items]
    return pairs if pairs and all(listed(pair, "run") for pair in pairs) else None
