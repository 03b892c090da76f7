"""Documents in one cell: a list of ids, of pairs or of objects, an object of numbers, or a text that lists ids."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple

from toysearch.base import encodable
from toysearch.files.columns import labels_of, means_relevant, parts_of, words_of
from toysearch.files.labels import HITS, IDS, RANKED

VALUES = {"run": ("score", "distance", "rank"), "qrels": ("relevance", "vote", "score")}
"""Role → the parts that may hold the value of a document, in order of precedence."""

_QUERY = ("qid", "query_id", "queryid", "id")
_DEEPEST = 4  # objects around the hits
MARKS = "\n|;,、"
"""Signs between the ids of a list, the surest first."""
_BRACKETS = re.compile(r"\[.*\]|\{\s*['\"].*\}|\{[^{}:]*\}|(?:\w*[Aa]rray)?\(.*\)", re.DOTALL)
_NO_ID = re.compile(r"\W*|\d+[.)]")  # a sign between ids, or the number of the next one
_COUNTED = re.compile(r"\A(?:\d+[.)]|[^\w\s]+)\s+")  # what may stand before an id on a line of its own
_ITEM = re.compile(r"[^][(){}\s,;'\"]+")  # of a list without quotation marks
_QUOTED = re.compile(
    r"""('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")(\s+(?=['"]))?""", re.DOTALL
)  # side by side, as NumPy prints

VALUED = re.compile(r"(.+?)\s*[:=(]\s*(-?\d+(?:\.\d+)?)\s*\)?")
"""Id and its number in the text of a list."""


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


def splitter_of(cells: Sequence[str], ids: Collection[str] = ()) -> Callable[[str], list[str]] | None:
    """Return what splits the cells of a column of lists; None if they may have several marks between ids.

    ids : those that are known, which may have marks and blanks in them

    >>> [splitter_of(cells)(cells[0]) for cells in (["['a','b']"], ["a|b"], ["a b", "c"])]
    [['a', 'b'], ['a', 'b'], ['a', 'b']]
    >>> splitter_of(["Rome, Open City", "Rome, Jaws"], ["Rome, Open City", "Jaws"])("Rome, Open City")
    ['Rome, Open City']
    """
    if any(map(in_brackets, cells)):
        return items_in_brackets
    marks = [mark for mark in MARKS if any(mark in cell for cell in cells)]
    if ids:
        shares = {mark: _known_pieces(cells, _split_at(mark, cells), ids) for mark in (*marks, " ")}
        fitting = {mark: share for mark, share in shares.items() if share is not None}
        if not fitting:
            return lambda cell: [cell]
        best = max(fitting, key=fitting.__getitem__)
        marks = [best] if fitting[best] else [mark for mark in marks if mark in fitting]
    if len(marks) > 1 and marks[0] != "\n":
        return None
    split = _split_at((marks or " ")[0], cells)
    return lambda cell: [cell] if is_name(cell, ids) and not _are_known(split(cell), ids) else split(cell)


def _are_known(pieces: Sequence[str], ids: Collection[str]) -> bool:
    return all(_is_known(piece, ids) for piece in pieces)


def _is_known(piece: str, ids: Collection[str]) -> bool:
    """True for a known name, perhaps with a number behind it."""
    return is_name(piece, ids) or ((match := VALUED.fullmatch(piece)) is not None and is_name(match[1], ids))


def is_name(text: str, ids: Collection[str]) -> bool:
    """True for a known id, or for the path or address of one, if it has letters.

    >>> [is_name(text, ["a b.pdf", "7"]) for text in ("a b.pdf", "docs/a b.pdf", "3/7", "a/x.pdf a/a b.pdf")]
    [True, True, False, False]
    """
    folders, _, name = text.rpartition("/")
    return text in ids or (name in ids and not name.isdecimal() and folders.split() == [folders])


def stem_of(path: str) -> str:
    """Return the last part of a path without its suffix, unless that is a number.

    >>> stem_of("REL/q1.txt"), stem_of("REL/1.2")
    ('q1', '1.2')
    """
    name = path.rpartition("/")[2]
    stem, suffix = os.path.splitext(name)
    return name if suffix[1:].isdecimal() else stem


def _known_pieces(cells: Sequence[str], split: Callable[[str], list[str]], ids: Collection[str]) -> float | None:
    """Return the share of the pieces that are known, but for those of known cells; None if it is low beside these."""
    several = {cell: pieces for cell in cells if len(pieces := split(cell)) > 1}
    others = [pieces for cell, pieces in several.items() if not is_name(cell, ids) or _are_known(pieces, ids)]
    known = [_is_known(piece, ids) for pieces in others for piece in pieces]
    share = sum(known) / max(len(known), 1)
    return None if len(others) < len(several) and 2 * share < 1 else share


def _split_at(mark: str, cells: Sequence[str]) -> Callable[[str], list[str]]:
    """Return what splits cells at a mark, a word that stands between all ids, or blanks."""
    if mark == "\n":
        return lambda cell: [one for line in cell.splitlines() if (one := _COUNTED.sub("", line.strip(" ,;"), 1))]
    between = re.escape(mark) if mark != " " else r"\s+"
    word = _word_between([piece for cell in cells for piece in re.split(between, cell)] if mark != " " else cells)
    ends = re.compile(rf"\s+{re.escape(word)}\s+|{between}" if word else between)
    return lambda cell: [one.strip("'\" ") for one in ends.split(cell) if not _NO_ID.fullmatch(one)]


def _word_between(texts: Sequence[str]) -> str:
    """Return the word without a digit that always stands between two ids; "" without one.

    >>> _word_between(["d1 and d2", "d3", "d4 and d5 and d6"]), _word_between(["red blue green"])
    ('and', '')
    """
    lists = [*map(str.split, texts)]
    inner = [word for words in lists for word in words[1::2]]
    is_one = len(inner) > 1 and len({*inner}) == 1 and all(len(words) % 2 for words in lists if words)
    return inner[0] if is_one and not any(map(str.isdigit, inner[0])) else ""


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


def several_ids(cell: str) -> str:
    """Say that a cell may hold several ids."""
    return (
        f"'{cell[:60]}' may be one id or several; write one per line, or lists below a header such as query_id,ranking"
    )
