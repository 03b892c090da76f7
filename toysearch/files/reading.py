"""Settings of reading: how files become documents, queries and judgments. A new setting is one field of `Reading`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from toysearch.base import ArgumentError

if TYPE_CHECKING:
    from toysearch.files.account import Account

READ_KINDS = ("collection", "files")
"""Kinds of source that are read: a name of the catalog; a folder or a file of the user."""

TOPIC_KINDS = (*READ_KINDS, "file", "other")
"""Kinds from which queries or judgments are read: those; a file of them that is given instead; another collection."""

Names: TypeAlias = str | Sequence[str] | None
"""Names of fields, as one text or as several."""

Columns: TypeAlias = str | Mapping[str, str] | None
"""Part of a record → its column or key; or a text that says the same."""

ON_ERROR = ("refuse", "skip")
"""Choices for a record that cannot be read."""


class ReadingSetting(NamedTuple):
    """What is known of a setting: its words in the help, where it has an effect, and its key of collection.toml."""

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


def _setting(*known: Any, **more: Any) -> Any:
    return field(default=None, metadata={"setting": ReadingSetting(*known, **more)})


class ReadingReport(NamedTuple):
    """Receivers of what reading finds besides records; without a receiver it is noted at once, or dropped."""

    taken: Callable[[str], object] | None = None  # told what each file is taken for
    left_out: Callable[[str | os.PathLike[str], Mapping[int, str]], object] | None = None  # takes lines, with reasons
    replaced: list[tuple[str, int, str]] | None = None  # files that are not UTF-8: the places, the likely encoding
    in_utf8: list[str] | None = None  # files that are UTF-8 though another encoding is named
    read: Callable[[Account], object] | None = None  # takes what was read of each file

    def tell_read(self, accounts: Iterable[Account]) -> None:
        """Give what was read of files to the receiver; without one, note it where something was guessed."""
        if self.read is not None:
            for account in accounts:
                self.read(account)
        elif guessed := [account for account in accounts if account.guessed]:
            from toysearch.files.account import note_read  # the parts of most files have known names

            note_read(guessed)


SILENT = ReadingReport()


@dataclass(frozen=True, kw_only=True)
class Reading:
    """Settings with which files are read, as `toysearch.load` explains them; None leaves one to the collection."""

    grades: str | None = _setting(
        "Gains of judgment codes: a mapping such as binary; for a file, E=3,S=2,I=0.",
        {"qrels": (*TOPIC_KINDS, "checked")},
        metavar="MAPPING",
        key=None,  # there it is a table of mappings
    )
    fields: Names = _setting(
        "Fields to search.  [default: those of the collection]",
        {"documents": READ_KINDS},
        kind=tuple,
        metavar="A,B",
        key="text",
    )
    split: str | None = _setting(
        "Set of judgments, where there are several: train, test.",
        {"qrels": (*READ_KINDS, "other")},
        metavar="NAME",
    )
    input_format: str | None = _setting(
        "Document format: beir, smart, trec, jsonl, csv, tsv, folder, docword, svmlight.",
        {"documents": READ_KINDS},
        metavar="NAME",
        key="format",
    )
    records: str | None = _setting(
        "Key of JSON that holds the documents, or element of XML that is one.",
        {"documents": READ_KINDS},
        metavar="NAME",
    )
    columns: Columns = _setting(
        "Columns or keys of a document, such as id=docno,text=body.",
        {"documents": READ_KINDS},
        kind=dict,
        metavar="PART=NAME,…",
    )
    query_fields: Names = _setting(
        "Fields of a query to search with, such as title,description; a bar between fields, title|description, makes "
        "each a text of one need.",
        {"queries": TOPIC_KINDS},
        kind=tuple,
        metavar="A,B",
        key="query",
    )
    query_columns: Columns = _setting(
        "Columns or keys of a query, such as id=nr,text=question.",
        {"queries": (*TOPIC_KINDS, "ids")},
        kind=dict,
        metavar="PART=NAME,…",
    )
    qrels_columns: Columns = _setting(
        "Columns of judgments, such as query_id=nr,doc_id=product.",
        {"qrels": (*TOPIC_KINDS, "checked")},
        kind=dict,
        metavar="PART=NAME,…",
    )
    ids: str | None = _setting(
        "Records with a repeated id: refuse, keep the first or the last, or number.  [default: refuse]",
        {"documents": READ_KINDS, "queries": READ_KINDS},
        choices=("refuse", "first", "last", "number"),
    )
    on_error: str | None = _setting(
        "Unreadable records: refuse, or skip.  [default: refuse]",
        {"documents": (*READ_KINDS, "runs"), "queries": READ_KINDS, "qrels": TOPIC_KINDS},
        choices=ON_ERROR,
    )
    rejected: str | os.PathLike[str] | None = _setting(
        "New file for the records skipped by {on_error} skip.",
        {"documents": (*READ_KINDS, "runs"), "queries": READ_KINDS, "qrels": READ_KINDS},
        metavar="FILE",
        key=None,
        is_output=True,
    )
    encoding: str | None = _setting(
        "Encoding of the files, such as cp1252 (Windows).  [default: utf-8, or the one that the bytes show]",
        {"documents": (*READ_KINDS, "checked"), "queries": (*TOPIC_KINDS, "ids"), "qrels": (*TOPIC_KINDS, "ids")},
        metavar="NAME",
    )

    report: ReadingReport = field(default=SILENT, compare=False)
    texts_only: bool = False  # whether no word counts stand for missing texts
    run_columns: Columns = None  # of runs beside; no setting of a collection

    @property
    def codec(self) -> str | None:
        """Name of the encoding as Python spells it; None for UTF-8."""
        from toysearch.files.encodings import known_encoding  # an index is opened without it

        return None if self.encoding is None else known_encoding(self.encoding)

    @property
    def searched(self) -> list[str]:
        """Fields of a document that the user names; none where nobody does."""
        named, added = named_fields(self.fields), self.added
        if added and len(added) < len(named):
            raise ArgumentError(f"fields {','.join(named)}: name those to search, or those to add with + before each")
        return [] if added else named

    @property
    def added(self) -> list[str]:
        """Fields that the user adds to those that are searched anyway: ``+url``."""
        return [name[1:].strip() for name in named_fields(self.fields) if name.startswith("+")]

    def tell(self, sentence: str) -> None:
        """Say what a file is taken for, to those who ask."""
        if self.report.taken is not None:
            self.report.taken(sentence)

    def chosen(self) -> dict[str, Any]:
        """Return the settings that are not None, as arguments of `toysearch.load`."""
        return {name: value for name in ARGUMENTS if (value := getattr(self, name)) is not None}


_SETTINGS = {each.name: each.metadata["setting"] for each in fields(Reading) if "setting" in each.metadata}

ARGUMENTS = tuple(_SETTINGS)
"""Names of all settings."""

_LAST = ("grades", "split", "input_format")  # they choose among what a collection has

SETTINGS: dict[str, ReadingSetting] = {name: _SETTINGS[name] for name in sorted(ARGUMENTS, key=_LAST.__contains__)}
"""Each setting by its name, in the order of the help."""


def named_fields(fields: Names, option: str = "fields", example: str = "title,text") -> list[str]:
    """Return the names of fields that the user gives, as one string with commas or as a list; none for None."""
    given = fields.split(",") if isinstance(fields, str) else fields or []
    names = [name.strip() for name in given if name.strip()]
    if not names and fields is not None:
        raise ArgumentError(f"{option} names no field; an example: {option}='{example}'")
    return names


def settings_for(role: str, kind: str) -> tuple[str, ...]:
    """Return the names of the settings that have an effect on the files of a role, from a kind of source.

    >>> settings_for("queries", "file")
    ('query_fields', 'query_columns', 'encoding')
    """
    return tuple(name for name, setting in SETTINGS.items() if kind in setting.effects.get(role, ()))
