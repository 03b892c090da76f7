"""Which column of a table, or which key of an object, holds the id, the title and the text of a document or a query."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from toysearch.errors import ArgumentError, unknown
from toysearch.formats.table_columns import plain_label

PARTS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "id": (
            "_id",
            "id",
            "doc_id",
            "docid",
            "docno",
            "document_id",
            "query_id",
            "queryid",
            "qid",
            "topic_id",
            "number",
            "pid",
        ),
        "title": ("title", "headline", "heading", "name", "subject"),
        "text": (
            "text",
            "body",
            "content",
            "contents",
            "abstract",
            "passage",
            "document",
            "description",
            "query",
            "question",
        ),
    }
)
"""A part → the names of columns that play it, those that decide first."""

_LONG_TEXTS = ("text", "body", "content", "contents", "abstract", "passage")
_MOST_SHOWN = 20  # labels in an error


def parts_of(labels: Sequence[str], columns: Mapping[str, str] | None = None) -> dict[str, str]:
    """The label that plays each part, for the parts that one does."""
    given = {part: _spelt(label, labels) for part, label in (columns or {}).items()}
    free = {plain_label(label): label for label in reversed(labels) if label not in given.values()}
    parts: dict[str, str] = {}
    for part, names in PARTS.items():
        label = given[part] if part in given else next((free[name] for name in names if name in free), None)
        if label is not None:
            parts[part] = label
    return parts


def holds_text(labels: Iterable[str]) -> bool:
    """Whether one of the labels names a text of more than a few words, which neither judgments nor runs have."""
    return any(plain_label(label) in _LONG_TEXTS for label in labels)


def _spelt(label: str, labels: Sequence[str]) -> str | None:
    """The label that the user means; None where there is none."""
    alike = (other for other in labels if plain_label(other) == plain_label(label))
    return label if label in labels else next(alike, None)


def checked_columns(columns: Mapping[str, str] | None) -> dict[str, str]:
    """What the user says about columns, refused if a part is unknown or two are played by one column."""
    labels: dict[str, str] = {}
    for part, label in (columns or {}).items():
        if part not in PARTS:
            raise unknown("part of a record", part, PARTS, "parts")
        if label in labels:
            raise ArgumentError(f"column '{label}' is named for {labels[label]} and for {part}; name one column a part")
        labels[label] = part
    return dict(columns or {})


def field_names(labels: Iterable[str], parts: Mapping[str, str]) -> dict[str, str]:
    """What the fields of a record are called: the label → the name, without the label of the id.

    Those that play the parts title and text are called so. Another label that is one of these two words gets
    an underscore behind it.
    """
    names = {label: part for part, label in parts.items() if part != "id"}
    taken = set(names.values())
    for label in labels:
        if label in names or label == parts.get("id"):
            continue
        name = label
        while name in taken:
            name += "_"
        taken.add(name)
        names[label] = name
    return names


def without_text(labels: Sequence[str], parts: Mapping[str, str], noun: str, expected: str) -> str:
    """What to say of columns or keys of which none is known to hold the text."""
    example = next((label for label in labels if label not in parts.values()), "NAME")
    return (
        f"expected {expected} that holds the text, such as text or body, found {listed(labels, noun)}; "
        f"name it, as in --columns text={example}"
    )


def listed(labels: Sequence[str], noun: str) -> str:
    """The labels with commas between them, for an error; many are cut short."""
    shown = ", ".join(labels[:_MOST_SHOWN]) + (", …" if len(labels) > _MOST_SHOWN else "")
    return shown if labels else f"no {noun}"
