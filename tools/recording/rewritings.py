"""The same file, written differently: it must give the same number, or a question.

Rows shuffled, columns permuted, another separator, JSON for CSV and CSV for JSON, names replaced, the header cut.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator
from pathlib import PurePosixPath
from random import Random
from typing import Any

Rows = list[list[str]]


def rewritten(name: str, content: bytes) -> Iterator[tuple[str, str, bytes]]:
    """How a file is rewritten, the name of the new one, and its content; nothing if it is no table."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return
    rng, stem = Random(text), PurePosixPath(name).stem
    if text.lstrip()[:1] in ("{", "["):
        found = _of_json(text, rng, name.endswith((".jsonl", ".ndjson")))
    elif table := _table(text):
        found = _of_table(*table, rng)
    elif rows := _of_blanks(text):
        found = _of_trec(rows, rng)
    else:
        return
    for how, suffix, new in found:
        if new != text:
            yield how, f"{stem}-{how.replace(' ', '-')}{suffix}", new.encode("utf-8", "surrogatepass")


def _table(text: str) -> tuple[Rows, str] | None:
    """The rows of a table and its separator; None if its lines have different numbers of cells, or one."""
    for separator in "\t,;|":
        try:
            rows = [row for row in csv.reader(io.StringIO(text), delimiter=separator) if row]
        except csv.Error:
            continue
        if len(rows) > 1 and len(rows[0]) > 1 and len({*map(len, rows)}) == 1:
            return rows, separator
    return None


def _of_blanks(text: str) -> Rows | None:
    """The rows of lines as in TREC: four or six words each."""
    rows = [line.split() for line in text.splitlines() if line.strip()]
    return rows if len(rows) > 1 and {*map(len, rows)} in ({4}, {6}) else None


def _written(rows: Rows, separator: str = ",") -> str:
    """The text of a table."""
    out = io.StringIO()
    csv.writer(out, delimiter=separator, lineterminator="\n").writerows(rows)
    return out.getvalue()


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _of_table(rows: Rows, separator: str, rng: Random) -> Iterator[tuple[str, str, str]]:
    """A table in other ways: without a header only its rows and its separator change."""
    suffix = {"\t": ".tsv"}.get(separator, ".csv")
    header = not any(map(_is_number, rows[0])) and len({*rows[0]}) == len(rows[0]) and "" not in rows[0]
    first, body = (rows[:1], rows[1:]) if header else ([], rows)
    shuffled = rng.sample(body, len(body))
    order = rng.sample(range(len(rows[0])), len(rows[0]))
    yield "rows shuffled", suffix, _written(first + shuffled, separator)
    other = {",": "\t", "\t": ",", ";": ",", "|": "\t"}[separator]
    yield "other separator", {"\t": ".tsv"}.get(other, ".csv"), _written(rows, other)
    if header:
        yield "columns permuted", suffix, _written([[row[place] for place in order] for row in rows], separator)
        records = [dict(zip(rows[0], row, strict=True)) for row in body]
        yield "as JSON", ".json", json.dumps(records, ensure_ascii=False)
        yield "as lines of JSON", ".jsonl", _lines(records)
        yield "names replaced", suffix, _written([[f"c{place}" for place in range(len(order))], *body], separator)
        yield "header cut", suffix, _written(body, separator)


def _of_trec(rows: Rows, rng: Random) -> Iterator[tuple[str, str, str]]:
    """Lines as in TREC, in other orders and as tables with the field's names."""
    run = ["query_id", "iteration", "doc_id", "rank", "score", "system"]
    names = run if len(rows[0]) == 6 else ["query_id", "iteration", "doc_id", "relevance"]
    yield "rows shuffled", ".txt", "".join(" ".join(row) + "\n" for row in rng.sample(rows, len(rows)))
    yield "other separator", ".tsv", _written(rows, "\t")
    yield "as CSV", ".csv", _written([names, *rows])
    yield "as lines of JSON", ".jsonl", _lines([dict(zip(names, row, strict=True)) for row in rows])


def _lines(records: list[Any]) -> str:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def _of_json(text: str, rng: Random, of_lines: bool) -> Iterator[tuple[str, str, str]]:
    """JSON in other ways: records shuffled, keys permuted, as CSV if all values are single ones."""
    try:
        data = [json.loads(line) for line in text.splitlines() if line.strip()] if of_lines else json.loads(text)
    except ValueError:
        return
    if isinstance(data, dict):
        yield "keys permuted", ".json", json.dumps(_permuted(data, rng), ensure_ascii=False)
        return
    if len(data) < 2 or not all(isinstance(record, dict) for record in data):
        return
    write: Callable[[list[Any]], str] = _lines if of_lines else json.dumps
    same, other = (".jsonl", ".json") if of_lines else (".json", ".jsonl")
    yield "rows shuffled", same, write(rng.sample(data, len(data)))
    yield "keys permuted", same, write([_permuted(record, rng) for record in data])
    yield f"as {'JSON' if of_lines else 'lines of JSON'}", other, (json.dumps if of_lines else _lines)(data)
    names = [*dict.fromkeys(name for record in data for name in record)]
    replaced = {name: f"c{place}" for place, name in enumerate(names)}
    yield "names replaced", same, write([{replaced[name]: each for name, each in record.items()} for record in data])
    if all(isinstance(value, str | int | float) for record in data for value in record.values()):
        yield "as CSV", ".csv", _written([names, *([str(record.get(name, "")) for name in names] for record in data)])


def _permuted(record: dict[str, Any], rng: Random) -> dict[str, Any]:
    """An object with its keys in another order; the lists in it stay as they are."""
    return {key: record[key] for key in rng.sample([*record], len(record))}
