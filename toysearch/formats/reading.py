"""Settings of reading: how files become documents, queries and judgments. A new setting is one field of `Reading`."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

READ = ("collection", "files")
"""Kinds of source that are read: a name of the catalog; a folder or a file of the user."""

OTHERS = ("file", "other")
"""Kinds of source that replace its queries or judgments: a file of them; another collection."""

ON_ERROR = ("refuse", "skip")
"""Choices for a record that cannot be read."""


@dataclass(frozen=True)
class Setting:
    """What is known of a setting: its words in the help, its key of collection.toml, and where it has an effect."""

    help: str  # with {on_error} for the option on_error
    effects: Mapping[str, tuple[str, ...]]  # role of files → the kinds of source with which it has an effect on them
    kind: type = str  # of its value in collection.toml; a tuple of names, or a dict of columns, may be a text too
    metavar: str | None = None
    choices: tuple[str, ...] = ()
    key: str | None = ""  # in collection.toml: "" for its own name, None if it is no key there
    is_output: bool = False  # it names a file to write, anew each time

    @property
    def role(self) -> str:
        """Role of the only files that it concerns; "" if there are several."""
        return next(iter(self.effects)) if len(self.effects) == 1 else ""


def _setting(
    words: str,
    *,
    documents: tuple[str, ...] = (),
    queries: tuple[str, ...] = (),
    qrels: tuple[str, ...] = (),
    **more: Any,
) -> Any:
    by_role = {"documents": documents, "queries": queries, "qrels": qrels}
    effects = {role: kinds for role, kinds in by_role.items() if kinds}
    return field(default=None, metadata={"setting": Setting(words, effects, **more)})


@dataclass(frozen=True, kw_only=True)
class Reading:
    """Settings with which files are read, as `toysearch.load` explains them; None leaves one to the collection."""

    grades: str | None = _setting(
        "Gains of judgment codes: a mapping such as binary; of a file, E=3,S=2,I=0.",
        metavar="MAPPING",
        key=None,  # there it is a table of mappings
        qrels=(*READ, *OTHERS, "checked"),
    )
    fields: str | Sequence[str] | None = _setting(
        "Fields to search.  [default: those of the collection]",
        kind=tuple,
        metavar="A,B",
        key="text",
        documents=READ,
    )
    split: str | None = _setting(
        "Set of judgments, where there are several: train, test.",
        metavar="NAME",
        qrels=(*READ, "other"),
    )
    input_format: str | None = _setting(
        "Document format: beir, smart, trec, jsonl, csv, tsv, folder, docword, svmlight.",
        metavar="NAME",
        key="format",
        documents=READ,
    )
    columns: str | Mapping[str, str] | None = _setting(
        "Columns or keys of a document, such as id=docno,text=body.",
        kind=dict,
        metavar="PART=NAME,…",
        documents=READ,
    )
    query_fields: str | Sequence[str] | None = _setting(
        "Fields of a query to search with, such as title,description; a bar between fields, title|description, makes "
        "each a text of one need.",
        kind=tuple,
        metavar="A,B",
        key="query",
        queries=(*READ, *OTHERS),
    )
    query_columns: str | Mapping[str, str] | None = _setting(
        "Columns or keys of a query, such as id=nr,text=question.",
        kind=dict,
        metavar="PART=NAME,…",
        queries=(*READ, *OTHERS, "ids"),
    )
    qrels_columns: str | Mapping[str, str] | None = _setting(
        "Columns of judgments, such as query_id=nr,doc_id=product.",
        kind=dict,
        metavar="PART=NAME,…",
        qrels=(*READ, *OTHERS, "checked"),
    )
    ids: str | None = _setting(
        "Records with a repeated id: refuse, keep the first or the last, or number.  [default: refuse]",
        choices=("refuse", "first", "last", "number"),
        documents=READ,
        queries=READ,
    )
    on_error: str | None = _setting(
        "Unreadable records: refuse, or skip.  [default: refuse]",
        choices=ON_ERROR,
        documents=(*READ, "runs"),
        queries=READ,
        qrels=(*READ, *OTHERS),
    )
    rejected: str | os.PathLike[str] | None = _setting(  # noqa: RUF009
        "New file for the records skipped by {on_error} skip.",
        metavar="FILE",
        key=None,
        is_output=True,
        documents=(*READ, "runs"),
        queries=READ,
        qrels=READ,
    )
    encoding: str | None = _setting(
        "Encoding of the files, such as cp1252 (Windows).  [default: utf-8, or utf-16 with its mark]",
        metavar="NAME",
        documents=(*READ, "checked"),
        queries=(*READ, *OTHERS, "ids"),
        qrels=(*READ, *OTHERS, "ids"),
    )

    def chosen(self) -> dict[str, Any]:
        """Return the settings that are not None, as arguments of `toysearch.load`."""
        return {name: value for name in ARGUMENTS if (value := getattr(self, name)) is not None}


NO_SETTINGS = Reading()

ARGUMENTS = tuple(Reading.__dataclass_fields__)
"""Names of all settings."""

_LAST = ("grades", "split", "input_format")  # they choose among what a collection has

SETTINGS: dict[str, Setting] = {
    name: Reading.__dataclass_fields__[name].metadata["setting"]
    for name in sorted(ARGUMENTS, key=lambda name: name in _LAST)
}
"""Each setting by its name, in the order of the help."""


def settings_for(role: str, kind: str) -> tuple[str, ...]:
    """Return the names of the settings that have an effect on the files of a role, from a kind of source.

    >>> settings_for("queries", "file")
    ('query_fields', 'query_columns', 'encoding')
    """
    return tuple(name for name, setting in SETTINGS.items() if kind in setting.effects.get(role, ()))
