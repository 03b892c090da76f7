"""BEIR files: ``corpus.jsonl`` and ``queries.jsonl`` (an object a line), ``qrels/*.tsv`` (with a header)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from toysearch.errors import DataError, malformed, note
from toysearch.formats.lines import Record, counted, finite_number, numbered_lines, refuse_second
from toysearch.records import Qrels, encodable

ID, TITLE, TEXT = "_id", "title", "text"
"""The keys of an object; a query has no title."""

_KINDS = {dict: "an object", list: "a list", str: "a text", bool: "true or false", type(None): "null"}
_HEADER = "query-id<TAB>corpus-id<TAB>score"


def read_jsonl(path: str | Path) -> Iterator[Record]:
    r"""The records of a JSON Lines file: documents or queries.

    Each line is an object with ``_id`` (a text; a whole number is read as its digits), ``text`` and, if
    wanted, ``title``. Its other keys are fields too where they hold a text; all else (such as ``metadata``,
    which may hold the answers) is left alone. Blank lines are skipped. A lone surrogate, which no file can
    hold as text, becomes U+FFFD; a note says how many.

    Parameters
    ----------
    path : str or Path
        The file.

    Yields
    ------
    (int, str, dict of str to str)
        The line, the id, the fields by key.

    Raises
    ------
    DataError
        With the line, where it is no such object; if there is no object at all.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "corpus.jsonl")
    >>> _ = path.write_text('{"_id": "7", "title": "Cats", "text": "train a cat", "metadata": {}}\n')
    >>> list(read_jsonl(path))
    [(1, '7', {'title': 'Cats', 'text': 'train a cat'})]
    """
    surrogates, found = 0, False
    for number, line in numbered_lines(path):
        if not line.strip():
            continue
        found = True
        item = _object(path, number, line)
        record_id = _record_id(path, number, item)
        fields = _fields(path, number, item)
        if "\\ud" in line or "\\uD" in line:
            surrogates += _mend(fields)
            record_id, replaced = encodable(record_id)
            surrogates += replaced
        yield number, record_id, fields
    if not found:
        raise DataError(f"{path} holds no record; expected one JSON object a line, with _id and text")
    if surrogates:
        note(f"{path}: {counted(surrogates, 'lone surrogate')} read as U+FFFD")


def _object(path: str | Path, number: int, line: str) -> dict[str, Any]:
    try:
        item = json.loads(line)
    except json.JSONDecodeError as error:
        raise malformed(
            path, number, f"expected a JSON object with _id and text; {error.msg} at column {error.colno}"
        ) from None
    except (ValueError, RecursionError) as error:
        raise malformed(path, number, f"expected a JSON object with _id and text; {error}") from None
    if not isinstance(item, dict):
        raise malformed(path, number, f"expected a JSON object with _id and text, found {_kind(item)}")
    return item


def _kind(value: object) -> str:
    return _KINDS.get(type(value), "a number")


def _record_id(path: str | Path, number: int, item: dict[str, Any]) -> str:
    if ID not in item:
        raise malformed(path, number, f"expected the key _id, found {', '.join(item) or 'no key'}")
    record_id = item[ID]
    if type(record_id) is int:  # not bool, which is a kind of int
        return str(record_id)
    if not isinstance(record_id, str):
        raise malformed(path, number, f"_id must be a text or a whole number, found {_kind(record_id)}")
    if not record_id:
        raise malformed(path, number, "_id must not be empty")
    return record_id


def _fields(path: str | Path, number: int, item: dict[str, Any]) -> dict[str, str]:
    if TEXT not in item:
        raise malformed(path, number, f"expected the key text, found {', '.join(item)}")
    if not isinstance(item[TEXT], str):
        raise malformed(path, number, f"text must be a text, found {_kind(item[TEXT])}")
    if not isinstance(item.get(TITLE), str | None):
        raise malformed(path, number, f"title must be a text, found {_kind(item[TITLE])}")
    return {key: value for key, value in item.items() if isinstance(value, str) and key != ID}


def _mend(fields: dict[str, str]) -> int:
    """Replace lone surrogates in the fields; how many there were."""
    surrogates = 0
    for name, value in fields.items():
        fields[name], replaced = encodable(value)
        surrogates += replaced
    return surrogates


def read_beir_qrels(path: str | Path) -> Qrels:
    r"""The judgments of a tab-separated file with a header: ``query-id``, ``corpus-id``, ``score``.

    Parameters
    ----------
    path : str or Path
        The file.

    Raises
    ------
    DataError
        With the line, where the header is missing, a line has not three columns, a score is no number, or
        a pair is given twice; if there is no judgment at all.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "test.tsv")
    >>> _ = path.write_text("query-id\tcorpus-id\tscore\n1\t7\t0.5\n")
    >>> read_beir_qrels(path)["1"]
    {'7': 0.5}
    """
    qrels = Qrels.from_records(_judgments(path))
    if not len(qrels):
        raise DataError(f"{path} holds no judgments; expected lines {_HEADER} after a header")
    return qrels


def _judgments(path: str | Path) -> Iterator[tuple[str, str, float]]:
    first_lines: dict[tuple[str, str], int] = {}
    header = True
    for number, line in numbered_lines(path):
        if not line.strip():
            continue
        columns = [column.strip() for column in line.split("\t")]
        if len(columns) != 3:
            raise malformed(
                path, number, f"expected 3 columns separated by tabs ({_HEADER}), found {len(columns)}: '{line}'"
            )
        query_id, doc_id, text = columns
        score = finite_number(text)
        if header:
            header = False
            if score is not None:  # the first judgment would be lost silently
                raise malformed(path, number, f"expected a header such as {_HEADER}, found '{line}'")
            continue
        if score is None:
            raise malformed(path, number, f"expected a number as the score, found '{text}'")
        refuse_second(path, number, (query_id, doc_id), first_lines)
        yield query_id, doc_id, score
