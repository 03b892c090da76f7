"""Claims of the formats on files: the result, and the clues that they use."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from toysearch.base import DataError
from toysearch.files.columns import labels_of, listed_labels, plain_label
from toysearch.files.labels import OF_USES
from toysearch.files.unpacking import unpacked_name

ColumnNames = Mapping[str, Mapping[str, str]]
"""Role → part → the column that the user names."""

NAMELESS: ColumnNames = MappingProxyType({})

QUERY_NAME = re.compile(
    r"quer|topic|question|anfrage|\bsuch(?:en\b|begriff)|requ[eê]te|\.(?:qry|que)(?:\.|$)", re.IGNORECASE
)
"""Match in the name of a file of queries."""

MAIL = (".eml", ".mbox")
NOTEBOOK = ".ipynb"
MARKDOWN = (".md", ".markdown", ".mdx", ".rmd", ".qmd")
MARKUP = (*MARKDOWN, ".html", ".htm", ".xhtml", ".org", ".tex", ".adoc", NOTEBOOK, *MAIL)
"""Ends of names of texts in which a line may look like anything."""
_TEXTS = (".txt", ".text", ".rst")
NOUNS = {
    "documents": "documents",
    "queries": "queries",
    "qrels": "judgments",
    "run": "a run",
    "clicks": "a click log",
    "grades": "a log of the grades of judges",
    "votes": "a log of thumbs",
    "vectors": "a file of vectors",
    "values": "a table of measures",
}
"""Role → its name in messages."""

USES = {
    "clicks": "to make judgments of it: toysearch clicks model {} -o judged.csv",
    "grades": "to merge them into judgments: toysearch judge merge {} -o judged.csv",
    "votes": "to make judgments of it: toysearch judge votes {} -o thumbs.csv",
    "vectors": "to rank by them, the model dense:{},queries=FILE",
    "values": "give the run itself, and the judgments: toysearch eval RUN QRELS",
}
"""Role of a file that neither is searched nor evaluates → what uses it."""


class What(NamedTuple):
    """Format and role that a file seems to have."""

    role: str = ""  # ``documents``, ``queries``, ``qrels``, ``run``, one of `USES`, or "" if unknown
    # How its records lie in it: one of `FORMATS` (``folder`` is a single text), or of a run or judgments ``trec``,
    # ``three`` (the columns of Cranfield), ``smart`` (those of CISI, which hold no grade), ``table`` (a header and
    # columns), ``json`` (an object of objects), ``lines`` (an object per line) or ``empty``. "" if it is unknown, or if
    # the reader of the part decides.
    form: str = ""
    shown_by: str | Sequence[str] = ""  # what shows it: in words, or as the keys of its first object
    sure: bool = True  # False if the bytes leave it open: JSON does not distinguish scores from grades
    graded: bool = False  # whether a table without a long text has a column of small numbers, like a sheet of ratings

    @property
    def why(self) -> str:
        """Words for what shows it."""
        if isinstance(self.shown_by, str):
            return self.shown_by
        return f"its first object has the keys {listed_labels(self.shown_by, 'key')}"

    def taken(self, path: object, role: str = "") -> str:
        """Say what a file is taken for, and why.

        >>> What("qrels", "trec", "its lines have four columns, the last a number").taken("mine.txt")
        'mine.txt is taken for judgments: its lines have four columns, the last a number'
        >>> What("", "json", "it is an empty object", sure=False).taken("mine.json", "run")
        'mine.json is taken for a run, but may be something else: it is an empty object'
        >>> What("", "json", "it is an empty object").taken("mine.json")
        'mine.json is not recognised: it is an empty object'
        """
        chosen = role or self.role
        why = f": {self.why}" if self.why else ""
        if not chosen:
            return f"{path} is not recognised{why}"
        form = f" ({self.form})" if chosen in ("documents", "queries") and self.form else ""
        doubt = "" if self.sure and chosen == self.role else ", but may be something else"
        return f"{path} is taken for {NOUNS[chosen]}{form}{doubt}{why}"


def of_use(labels: Sequence[str], form: str, shown_by: str | Sequence[str]) -> What | None:
    """Claim a file of another use by its columns or keys.

    >>> of_use(["session", "query", "rank", "doc", "clicked"], "table", "its header").role
    'clicks'
    """
    plain = {*map(plain_label, labels)}
    is_scored = {"query_id", "doc_id", "score"} <= labels_of(labels).keys()  # perhaps by a search of vectors
    uses = (role for role, sets in OF_USES.items() if any({*names.split()} <= plain for names in sets))
    role = next((role for role in uses if not (role == "vectors" and is_scored)), "")
    if not role and {"session", "rank", "clicked"} <= labels_of(labels).keys():
        role = "clicks"
    return What(role, form, shown_by) if role else None


def refuse_use(what: What, path: object, expected: str) -> None:
    """Refuse a file of another use, and say what takes it."""
    if what.role in USES:
        raise DataError(f"{path} is {NOUNS[what.role]}, not {expected}: {what.why}; {USES[what.role].format(path)}")


def named_like_text(name: str, suffixes: tuple[str, ...] = MARKUP + _TEXTS) -> bool:
    """True if a name ends like that of a text."""
    return unpacked_name(name.lower()).endswith(suffixes)


class Clues(NamedTuple):
    """Clues about a file besides its bytes, for the format that claims it."""

    name: str  # the path of the file below a folder, where it may be anything
    columns: ColumnNames = NAMELESS
    rows: What = What()  # what it is taken for as a run or judgments
    place: str = ""  # documents or queries, if it stands in their place

    @property
    def role(self) -> str:
        """Role of its records by the place or the name of the file."""
        return self.place or ("queries" if QUERY_NAME.search(self.name) else "documents")
