"""Collections of the package ir_datasets, which downloads and reads them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from toysearch.base import DataError, JoinedText, Qrels, ToysearchError, counted, loading, note, unknown
from toysearch.files import PARTS, Record, RecordFile
from toysearch.files.claims import NOUNS
from toysearch.files.syntaxes.json_lines import mended
from toysearch.files.table import text_of

_LONGEST = 200  # characters of a message from elsewhere
_PARTS = {"documents": "docs", "queries": "queries", "qrels": "qrels"}
"""Role → its name in ir_datasets."""


def read_dataset(dataset: RecordFile) -> Iterator[Record]:
    """Read the documents or the queries of a collection of ir_datasets."""
    # They keep the ir_datasets fields that hold a string, a number or a list of strings. The text is the field `text`,
    # else `default_text()`: of a TREC topic, the title. The title (or headline) of a document becomes `title`, and is
    # no part of its text.
    dataset_id, surrogates = dataset.source.path, 0
    with _blamed_dataset(dataset_id, dataset.role):
        for place, item in enumerate(_items(dataset_id, dataset.role), 1):
            record_id, fields, replaced = mended(item[0], _fields(item, dataset.role))
            surrogates += replaced
            yield place, record_id, fields
    if surrogates:
        note(f"ir_datasets:{dataset_id}: {counted(surrogates, 'lone surrogate')} read as U+FFFD")


def read_dataset_qrels(dataset_id: str) -> Qrels:
    """Read the judgments of a collection of ir_datasets, with its grades."""
    grades: dict[str, dict[str, float]] = {}
    with _blamed_dataset(dataset_id, "qrels"):
        for judgment in _items(dataset_id, "qrels"):
            of_query = grades.setdefault(judgment.query_id, {})
            if judgment.doc_id in of_query:
                raise DataError(
                    f"ir_datasets:{dataset_id} judges query '{judgment.query_id}' and document '{judgment.doc_id}' "
                    f"twice (its judgments have {', '.join(judgment._fields)}); each pair may occur once"
                )
            of_query[judgment.doc_id] = float(judgment.relevance)
    return Qrels.from_dict(grades)


def dataset_parts(dataset_id: str) -> list[str]:
    """Return the parts (documents, queries, qrels) that a collection of ir_datasets has."""
    dataset = _dataset(dataset_id)
    return [role for role, part in _PARTS.items() if getattr(dataset, f"has_{part}")()]


@contextmanager
def _blamed_dataset(dataset_id: str, role: str) -> Iterator[None]:
    """Turn any exception of an ir_datasets download or parser into a one-sentence error."""
    try:
        yield
    except ToysearchError:
        raise
    except Exception as error:
        problem = f"{type(error).__name__}: {error}"
        raise DataError(
            f"ir_datasets:{dataset_id}: its {NOUNS[role]} could not be read; ir_datasets says: "
            f"{problem[:_LONGEST]}{'…' if len(problem) > _LONGEST else ''}"
        ) from error


def _items(dataset_id: str, role: str) -> Iterable[Any]:
    """Return the named tuples of ir_datasets; the first element of a document or a query is its id."""
    if role not in dataset_parts(dataset_id):
        raise DataError(f"ir_datasets:{dataset_id} has no {NOUNS[role]}; name a collection that has some")
    items: Iterable[Any] = getattr(_dataset(dataset_id), f"{_PARTS[role]}_iter")()
    return items


def _dataset(dataset_id: str) -> Any:
    use = f"'ir_datasets:{dataset_id}' needs the package ir_datasets"
    with loading(use, "an extra: pip install 'toysearch[datasets]'"):
        import ir_datasets
    try:
        return ir_datasets.load(dataset_id)
    except KeyError:
        raise unknown("data set", dataset_id, ir_datasets.registry) from None


def _fields(item: Any, role: str) -> dict[str, str]:
    values = item._asdict()
    del values[item._fields[0]]
    fields = {name: text for name, value in values.items() if (text := text_of(value)) is not None}
    title = ""
    if role == "documents" and (name := next((name for name in PARTS["title"] if name in fields), "")):
        title = fields["title"] = fields.pop(name)
    if "text" not in fields and hasattr(item, "default_text"):  # it begins with the title, a field of its own
        whole: str = item.default_text()
        fields["text"] = whole.removeprefix(title).lstrip() if title else whole
    elif "text" not in fields:
        fields["text"] = JoinedText.joined(value for name, value in fields.items() if name != "title" and value)
    return fields
