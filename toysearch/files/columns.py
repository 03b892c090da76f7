"""Names of columns and keys: of the parts of a document, of a judgment, of a run; and the rows below a header."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import zip_longest
from typing import Any, TypeAlias

from toysearch.base import ArgumentError, Remedy, expect, expect_name, groups_of, unknown
from toysearch.base.wording import some
from toysearch.files.labels import (
    DOCUMENT_PARTS,
    LONG_TEXTS,
    NAMES,
    NEGATIVE,
    NO_TEXT_ENDS,
    NO_TEXTS,
    NO_TEXTS_INSIDE,
    PARTS,
    QUERY_IDS,
    QUERY_PARTS,
    QUERY_TEXTS,
    RELEVANT,
)
from toysearch.files.nested_fields import inner_texts
from toysearch.files.numbers import finite_number
from toysearch.files.reading import Columns

ByPart: TypeAlias = Mapping[str, str]
"""Part of a document, a judgment or a run → the label of its column, or its path in nested objects."""

Parts: TypeAlias = dict[str, str]
"""A copy of them, which the caller may change."""

_DASHES = re.compile("[\u2010-\u2015\u2212]")
_NOT = re.compile(r"(?<![^.])no[nt][\W_]?rel", re.IGNORECASE)
_TYPE = re.compile(r"(?<=\w):(?:token|float|int(?:eger)?|long|double|str(?:ing)?|bool(?:ean)?)(?:_seq|\[\])?\s*\Z")
"""Type behind the name of a column, as RecBole and Neo4j write it."""
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
_MOST_SHOWN = 20  # labels in an error
_OWN_PARTS = frozenset(PARTS)
_MOST_READ = 200  # rows that show what a column holds
_PROSE = 4  # words
_FEW = 5  # rows
ASKED = ("query", "question")
"""Names of what is asked about another text."""
_WITHOUT_BLANKS = re.compile("[\u0e00-\u0eff\u3040-\u9fff]")
_WORD = r"[^\W\d_]+"
OF_WORDS = re.compile(rf".*(?:\s|{_WITHOUT_BLANKS.pattern}).*|{_WORD}(?:-{_WORD})*", re.DOTALL)
"""Text of words, unlike an address or a path."""


@lru_cache(maxsize=1024)
def plain_label(label: str) -> str:
    """Return a column name in comparable form: lower case, with ``_`` for hyphens and white space, accents composed.

    A type behind it is left out.

    >>> plain_label("Query-ID "), plain_label("note\u0301 e"), plain_label("item_id:token")
    ('query_id', 'not\u00e9_e', 'item_id')
    """
    label = _TYPE.sub("", label) if ":" in label else label
    if not label.isascii():
        from unicodedata import normalize  # most names need none

        label = _DASHES.sub("-", normalize("NFC", label))
    return "_".join(label.lower().replace("-", "_").split())


@lru_cache(maxsize=1024)
def words_of(label: str) -> frozenset[str]:
    """Return the words of a label, in lower case.

    >>> sorted(words_of("RelevantDocs") | words_of("expected-chunk_ids"))
    ['chunk', 'docs', 'expected', 'ids', 'relevant']
    """
    return frozenset(re.split(r"[\W_]+", plain_label(_HUMP.sub("_", label)))) - {""}


def means_relevant(label: str) -> bool:
    """True if a label names relevant documents, or what says that they are.

    >>> [means_relevant(label) for label in ("gold_ids", "relevant or not", "not_relevant_ids", "id")]
    [True, True, False, False]
    """
    return not words_of(label).isdisjoint(RELEVANT) and not is_negative(label)


def is_negative(label: str) -> bool:
    """True if a label or a path names documents that are not relevant, such as `hard_negatives` or `excluded_ids`."""
    return not words_of(_NOT.sub("notrel", label)).isdisjoint(NEGATIVE)


def parsed_columns(columns: Columns) -> Parts:
    """Return part → column, as the user gave them."""
    if not isinstance(columns, str):
        return checked_columns(columns)
    by_part: Parts = {}
    for item in columns.split(","):
        part, _, column = (piece.strip() for piece in item.partition("="))
        if not part or not column:
            raise ArgumentError(f"expected columns such as id=docno,text=body, found '{item.strip()}'")
        if part in by_part:
            raise ArgumentError(f"columns names the part {part} twice; name one column per part")
        by_part[part] = column
    return checked_columns(by_part)


def parts_of(labels: Sequence[str], columns: ByPart | None = None) -> Parts:
    """Return part → the label of its column, for the parts that have one."""
    return {**_parts_of(tuple(labels), tuple((columns or {}).items()))}


def record_parts(labels: Sequence[str], columns: ByPart | None = None, role: str = "documents") -> Parts:
    """Return the parts of documents or queries by the names of their columns, and the further columns of the text.

    All columns of documents are searched but the id and those of `NO_TEXTS`, unless the user names that of the text.
    Of a question and its answer, the question is the title.

    >>> record_parts(["sku", "name", "colour", "notes", "image_url", "supplier_id"])
    {'id': 'sku', 'title': 'name', 'colour': 'colour', 'notes': 'notes'}
    >>> record_parts(["name", "details", "summary"], {"text": "summary"})
    {'title': 'name', 'text': 'summary'}
    >>> record_parts(["id", "title", "description", "narrative"], role="queries")
    {'id': 'id', 'title': 'title'}
    """
    return {**_record_parts(tuple(labels), tuple((columns or {}).items()), role)}


@lru_cache(maxsize=1024)
def _record_parts(labels: Sequence[str], columns: Sequence[tuple[str, str]], role: str) -> ByPart:
    named = dict(columns)
    choices, free = _chosen(labels, columns)
    _add_short_names(free)
    if role == "queries":
        parts = _named(choices, free, QUERY_PARTS)
        if "text" not in named and not parts.keys() & {"title", "text"}:
            parts = {**_inside(labels, without("id", QUERY_PARTS) if "id" in named else QUERY_PARTS), **parts}
        if not named.keys() & {"id", "text"} and "id" not in parts and "text" in free:  # another name may be the id's
            return {**parts, "text": free["text"]}
        asked = [label for label in free.values() if _OF_QUERIES.fullmatch(label)]
        if asked and "text" not in named and plain_label(parts.get("text", "")) not in QUERY_TEXTS:
            parts["text"] = asked[0]
        return parts
    parts = _named(choices, free, DOCUMENT_PARTS)
    if "text" in named:
        return parts
    if not parts.keys() & {"title", "text"}:
        parts = {**_inside(labels, without("id", DOCUMENT_PARTS) if "id" in named else DOCUMENT_PARTS), **parts}
    text = parts.get("text", "")
    searched = [label for label in labels if label not in parts.values() and is_searched(label, labels)]
    if plain_label(text) in ASKED and "title" not in named and searched:
        del parts["text"]
        if "title" in parts:
            searched.insert(0, text)
        else:
            parts["title"] = text
    return parts | {label: label for label in searched}


def _inside(labels: Sequence[str], names_of: Mapping[str, Sequence[str]]) -> Parts:
    """Return the parts in the first object that has a title or a text.

    >>> _inside(["type", "post.id", "post.title", "of.body"], PARTS)
    {'id': 'post.id', 'title': 'post.title'}
    """
    pairs = (label.partition(".") for label in labels if label.count(".") == 1)
    objects = groups_of((name, key) for name, _, key in pairs)
    for name, keys in objects.items():
        parts = _named({}, {plain_label(key): f"{name}.{key}" for key in reversed(keys)}, names_of)
        if parts.keys() & {"title", "text"}:
            return parts
    return {}


def _add_short_names(free: dict[str, str]) -> None:
    """Add the names without a namespace, as g:id or @id, and without what is in brackets."""
    free.pop("@context", None)  # which JSON-LD names
    for name, own in [*free.items()]:
        free.setdefault(re.split("[:@]", name)[-1], own)
        free.setdefault(_IN_BRACKETS.sub("", name), own)


def is_searched(label: str, labels: Iterable[str] = ()) -> bool:
    """True for a column of documents that is searched by its name, among those beside it.

    >>> [label for label in ("colour", "imageUrl", "created_at", "spec.size", "metadata.source", "_score")
    ...  if is_searched(label)]
    ['colour', 'spec.size']
    >>> is_searched("body_html"), is_searched("body_html", ["body_html", "body"])
    (True, False)
    """
    *above, key = label.split(".")
    name = plain_label(_HUMP.sub("_", key))
    if name.startswith("_") or name in NO_TEXTS or name.endswith(NO_TEXT_ENDS):
        return False
    is_copy = name.endswith("_html") and label[: -len("_html")] in labels
    return not is_copy and NO_TEXTS_INSIDE.isdisjoint(map(plain_label, (*above, key)))


_NUMBER = r"[-+\u2212]?[\d.,'\s]*\d(?:e[-+]?\d+)?"
_DAY = r"\d{1,4}([-./])\d{1,2}\1\d{1,4}\.?"
_TIME = r"\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d+)?(?:\s?[ap]m)?(?:\s?(?:z|utc|gmt|[-+]\d{2}:?\d{2}))?"
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_IN_WORDS = rf"(?:[a-z]{{3,9}},?\s)?(?:\d{{1,2}}\.?\s{_MONTH},?\s\d{{4}}|{_MONTH}\s\d{{1,2}},?\s\d{{4}})"
_VALUE = re.compile(
    rf"{_NUMBER}\s?%?|[$€£]\s?{_NUMBER}|{_NUMBER}\s?[$€£]|(?:{_DAY}|{_IN_WORDS})(?:[t\s]{_TIME})?|{_TIME}|true|false"
    r"|[a-z][a-z\d+.-]*://\S+|www\.\S+|[^\s@]+@[^\s@]+\.\w+",
    re.IGNORECASE,
)


def is_value(cell: str) -> bool:
    """True for a cell that is, as a whole, a number, a date, an address or a boolean, and so no text.

    >>> [cell for cell in ("1,776.5", "2020-05-01T10:00Z", "3 May 2020", "https://a.org/b c", "true", "5 lamps", "red")
    ...  if not is_value(cell)]
    ['https://a.org/b c', '5 lamps', 'red']
    """
    return _VALUE.fullmatch(cell.strip()) is not None


@lru_cache(maxsize=1024)
def _parts_of(labels: Sequence[str], columns: Sequence[tuple[str, str]]) -> ByPart:
    choices, free = _chosen(labels, columns)
    _add_short_names(free)
    parts = _named(choices, free, PARTS)
    if "title" not in parts and "summary" in free and parts.get("text") not in (None, free["summary"]):
        parts["title"] = free["summary"]
    return parts


def _chosen(labels: Sequence[str], columns: Iterable[tuple[str, str]]) -> tuple[Parts, dict[str, str]]:
    """Return part → the label that the user means, "" if it is missing; and the other labels by their plain form."""
    choices: Parts = {}
    for part, typed in columns:
        alike = (label for label in labels if typed and plain_label(label) == plain_label(typed))
        choices[part] = typed if typed in labels else next(alike, "")
    return choices, {plain_label(label): label for label in reversed(labels) if label not in choices.values()}


def _named(choices: ByPart, free: ByPart, names_of: Mapping[str, Sequence[str]]) -> Parts:
    """Return part → the label that is chosen for it, or the first of its names that is free; without those missing."""
    parts = Parts()
    for part, names in names_of.items():
        label = choices[part] if part in choices else next((free[name] for name in names if name in free), "")
        if label:
            parts[part] = label
    return parts


def parts_inside(item: Mapping[str, Any]) -> Parts:
    """Return part → the dotted key of what is in the first object of a record that has a title or a text.

    A long text by its name may stand in another object.

    >>> parts_inside({"type": "post", "attributes": {"id": 7, "title": "Oaks"}, "of": {"body": "Tall."}})
    {'id': 'attributes.id', 'title': 'attributes.title', 'text': 'of.body'}
    """
    found: Parts = {}
    for key, value in item.items():
        parts = parts_of([*value]) if isinstance(value, Mapping) else {}
        inside = {part: f"{key}.{label}" for part, label in parts.items()}
        if not found and any(is_text(value[label]) for part, label in parts.items() if part != "id"):
            found = inside
        elif found and "text" not in found and holds_text([parts.get("text", "")]):
            found["text"] = inside["text"]
    return found


def is_text(value: object) -> bool:
    """True for a text, or one in several languages."""
    return isinstance(value, str) or (isinstance(value, dict) and {*map(type, value.values())} == {str})


@dataclass(frozen=True)
class TableHead:
    """The first cells of each column, by its label.

    >>> head = TableHead.of_rows(["id", "text"], [["1", "a cat"], ["2", "a cat and a dog"]])
    >>> head.labels, head.filled("id"), head.texts
    (['id', 'text'], ['1', '2'], {'text': 'a cat and a dog'})
    """

    cells: Mapping[str, Sequence[Any]]

    @classmethod
    def of_rows(cls, labels: Sequence[str], rows: Iterable[Sequence[Any]] = ()) -> TableHead:
        """Return the head of some rows, which may be shorter than the labels."""
        columns = zip_longest(*rows, fillvalue="")
        return cls(dict.fromkeys(labels, ()) | dict(zip(labels, columns, strict=False)))

    @property
    def labels(self) -> list[str]:
        """Names of the columns."""
        return [*self.cells]

    @cached_property
    def texts(self) -> dict[str, str]:
        """The longest text of each column that holds no numbers."""
        longest: dict[str, str] = {}
        for label, cells in self.cells.items():
            read = [text_of_list(cell) if isinstance(cell, list) else cell for cell in cells[:_MOST_READ]]
            texts = [text.strip() for text in read if isinstance(text, str) and finite_number(text) is None]
            if text := max(texts, key=len, default=""):
                longest[label] = text
        return longest

    @cached_property
    def n_letters(self) -> int:
        """Number of letters in its different texts of several words."""
        return sum(len(text) for cells in self.cells.values() for text in {*filter(is_prose, cells)})

    def filled(self, label: str) -> list[str]:
        """Return the cells of a column that are not empty, as texts."""
        return _filled(self.cells[label])

    @cached_property
    def first(self) -> dict[str, list[str]]:
        """The cells of each column in the first rows that are not empty, as texts."""
        return {label: _filled(cells[:_MOST_READ]) for label, cells in self.cells.items()}

    def n_different(self, label: str) -> int:
        """Return the number of different cells of a column in the first rows."""
        return len({*self.first[label]})


def _filled(cells: Iterable[Any]) -> list[str]:
    texts = [str(cell).strip() for cell in cells]
    return [text for text in texts if text not in ("", "None")]


def role_by_id(labels: Iterable[str]) -> str:
    """Return the role of records whose id has one of these labels: documents, queries, or "" if it does not say.

    >>> role_by_id(["Doc-ID", "text"]), role_by_id(["qid", "text"]), role_by_id(["id", "text"])
    ('documents', 'queries', '')
    """
    label = plain_label(parts_of([*labels]).get("id", ""))
    if label in QUERY_IDS:
        return "queries"
    return "documents" if label.startswith("doc") else ""


def holds_text(labels: Iterable[str]) -> bool:
    """True if a label names a long text, which neither judgments nor runs have."""
    return any(plain_label(label) in LONG_TEXTS for label in labels)


def is_document(item: Mapping[str, Any] | None) -> bool:
    """True if an object has the text or the title of a document, and no score, unless beside an embedding.

    >>> is_document({"id": "1", "title": "Cats"}), is_document({"docno": "1", "title": "Cats", "score": 2})
    (True, False)
    """
    if not item:
        return False
    scored = {"score", "rank"} & places_of(item).keys() and item.get("score", "") is not None
    if scored and "embedding" not in item:
        return False
    return any(isinstance(item[key], str) for part, key in parts_of([*item]).items() if part != "id")


def checked_columns(columns: ByPart | None) -> Parts:
    """Return the user's choice of columns; refuse an unknown part, or one column for two parts."""
    labels: dict[str, str] = {}
    for part, label in (columns or {}).items():
        expect_name("part of a record", part, PARTS, "parts")
        if label in labels:
            raise ArgumentError(
                f"column '{label}' is named for {labels[label]} and for {part}; name one column per part"
            )
        labels[label] = part
    return dict(columns or {})


def field_names(labels: Iterable[str], parts: ByPart) -> dict[str, str]:
    """Return the field names of a record: label → name, without the label of the id.

    They are its own labels; a title or a text that is another column than that of the part gets an underscore.

    >>> field_names(["id", "body", "text"], {"id": "id", "text": "body"})
    {'body': 'body', 'text': 'text_'}
    """
    labels = [*labels]
    in_use = {part for part in ("title", "text") if part in parts and parts[part] != part}
    names: dict[str, str] = {}
    for label in labels:
        if label == parts.get("id"):
            continue
        name = label
        while name in in_use:
            name += "_"
        in_use.add(name)
        names[label] = name
    return names


def of_most_text(letters: Mapping[Any, int]) -> list[Any]:
    """Return the table with more than twice the text of any other; letters: name → how many its texts have.

    >>> of_most_text({"tickets": 900, "people": 80}), of_most_text({"shoes": 900, "bags": 700})
    (['tickets'], [])
    """
    most = max(letters, key=letters.__getitem__, default=None)
    return [most] if 2 * sorted([0, 0, *letters.values()])[-2] < letters.get(most, 0) else []


def without(left_out: str, items: Mapping[str, Any]) -> dict[str, Any]:
    """Return what stands under all names but one."""
    return {name: item for name, item in items.items() if name != left_out}


def n_words(text: str) -> int:
    """Return the number of words in a text; where no blanks separate them, each letter counts as one."""
    return len(text.split()) + len(_WITHOUT_BLANKS.findall(text))


def is_prose(text: object) -> bool:
    """True for a text of several words."""
    return isinstance(text, str) and n_words(text) >= _PROSE


def names_query(label: str) -> bool:
    """True for the name of a query's text."""
    return plain_label(label) in QUERY_TEXTS or _OF_QUERIES.fullmatch(label) is not None


def text_of_list(cells: Sequence[object]) -> str:
    """Return several texts, of which one is prose, or the only one; "" for words.

    >>> text_of_list(["It barks.", "It sleeps all day."]), text_of_list(["red", "blue"]), text_of_list(["red"])
    ('It barks. It sleeps all day.', '', 'red')
    """
    texts = [cell for cell in inner_texts(cells) if isinstance(cell, str)]
    return " ".join(texts) if len(cells) == 1 or any(map(is_prose, texts)) else ""


def named_column(label: str, role: str = "documents", part: str = "text") -> Remedy:
    """Return the remedy that names the column of a part of documents or queries."""
    named = f"{part}={label}"
    return Remedy("load", query_columns=named) if role == "queries" else Remedy("load", columns=named)


def without_text(head: TableHead, parts: ByPart, noun: str, expected: str, role: str = "documents") -> str:
    """Return the advice for columns or keys without a known name for the text: the longest, of queries the first."""
    free = {label: head.texts.get(label, "") for label in head.labels if label not in parts.values()}
    named = [label for label in free if role == "queries" and _OF_QUERIES.fullmatch(label)]
    likely = named or ([*free] if role == "queries" else sorted(free, key=lambda label: -len(free[label])))
    example = likely[0] if likely else "NAME"
    return (
        f"expected {expected} that holds the text, such as text or body, found {listed_labels(head.labels, noun)}; "
        f"name it, as in {named_column(example, role)}"
    )


def has_letters(text: str) -> bool:
    """True if most characters are letters, unlike those of a date."""
    signs = "".join(text.split())
    return 2 * sum(map(str.isalpha, signs)) > len(signs)


def listed_labels(labels: Sequence[str], noun: str) -> str:
    """List the labels, separated by commas, for an error; a long list is truncated."""
    return some(labels, _MOST_SHOWN) if labels else f"no {noun}"


NOTHING = ' \t,;"'
"""Characters of a row without any content, as spreadsheets write empty rows."""

JUDGED_PARTS = ("query_id", "doc_id", "relevance")
"""Parts of a judgment that a user can name columns for."""

_OF_IDS = re.compile(
    r"(?i:(?:\A|.*[\W_])(?:u?ids?|hash|uuid|guid|key|nr|no|idx|index))[\W_]*\Z|.*(?:[a-z]ID|[A-Za-z]Id|Hash)\Z"
    r"|id(?:_|[A-Z]).*",
    re.DOTALL,
)
"""Name of a column of ids: AnonID, _task_hash, artikel_id, idMeal."""
_OF_QUERIES = re.compile(
    r".*(?:query|question|frage|phrase|prompt|claim|utterance|pregunta|pergunta|requ[eê]te|consulta|查询|问题)"
    r"(?:[\W_]?(?:text|string))?|q",
    re.IGNORECASE | re.DOTALL,
)
"""Name of the text of a query: user_question, Nutzerfrage, query_string."""
_OF_RANKS = re.compile(
    r"(?:.*[\W_])?(?:pos\.?|place|plaats|platz|position|posi(?:ci[oó]n|ção|zione)|puesto|順位|排名)|(?:.*ran[kg]|position)(?:[\W_].*)?",
    re.IGNORECASE | re.DOTALL,
)
_OF_PAGES = re.compile(
    r"(?:.*[\W_])?(?:page|seite|seiten|sid(?:a|e|or|er)|p[aá]gina|chapter|kapitel)s?(?:[\W_]num(?:ber)?)?",
    re.IGNORECASE | re.DOTALL,
)
_OF_DISTANCES = re.compile(
    r"(?:.*[\W_])?(?:d|l[12]|dist(?:[\W_].*)?|.*(?:distan[zc]|abstand|afstand|entfernung|odleg|loss).*|距[离離])",
    re.IGNORECASE | re.DOTALL,
)

_GRADE_WORDS = frozenset(NAMES["relevance"])
SHORT = {"query_id": "query", "doc_id": "doc", "relevance": "grade"}
"""Part of a judgment → its short name."""

_PARTS = {name: part for part, short in SHORT.items() for name in (part, short)}
_PARTS |= {"text": "query_id", "query_text": "query_id", "document": "doc_id", "rating": "relevance"}

_RUN_PARTS = {"query": "query_id", "doc": "doc_id", "score": "score", "rank": "rank", "distance": "distance"}
_RUN_PARTS |= {"split": "split", "system": "tag", "query_id": "query_id", "doc_id": "doc_id", "tag": "tag"}
"""Part of a run → its name in `NAMES`."""

_CLICK_PARTS = {"session": "session", "query": "query_id", "rank": "rank", "doc": "doc_id", "clicked": "clicked"}
_CLICK_PARTS |= {"system": "tag", "query_id": "query_id", "doc_id": "doc_id"}
"""Part of a click log → its name in `NAMES`."""

BOOK = ["query", "docid"]
"""First columns of a Quepid book; those behind them are judges."""

_BEIR = "corpus_id"  # only in BEIR judgments is the grade called score


def role_of_columns(labels: Sequence[str], parts: Container[str]) -> str:
    """Return the role of a table of queries and documents by its columns: judgments or a run; "" if none decides.

    parts : those that have a column (keys of `NAMES`)

    >>> role_of_columns(["query", "doc", "grade"], ["relevance"]), role_of_columns(["q", "doc", "bm25"], ["score"])
    ('qrels', 'run')
    """
    if "vote" in parts or ("relevance" in parts and "score" not in parts):
        return "qrels"
    if "score" in parts:
        return "qrels" if len(labels) == 3 and _BEIR in map(plain_label, labels) else "run"
    if "rank" in parts or "distance" in parts:
        return "run"
    is_book = [*labels[:2]] == BOOK and len(labels) > len(BOOK)
    return "qrels" if is_book else ""


def named_like(label: str) -> str:
    """Return what a name says of the numbers in its column: ids, rank, page or distance; "" if nothing.

    >>> [named_like(label) for label in ("AnonID", "bm25_rank", "Rang", "l2_distance", "D", "paid", "grade")]
    ['ids', 'rank', 'rank', 'distance', 'distance', '', '']
    """
    patterns = {"ids": _OF_IDS, "rank": _OF_RANKS, "page": _OF_PAGES, "distance": _OF_DISTANCES}
    return next((kind for kind, pattern in patterns.items() if pattern.fullmatch(_TYPE.sub("", label.strip()))), "")


def places_of(labels: Iterable[object], columns: ByPart | None = None) -> dict[str, int]:
    """Return the positions of the known columns, by part.

    >>> places_of(["qid", "docno", "score", "Rank"])
    {'query_id': 0, 'doc_id': 1, 'score': 2, 'rank': 3}
    """
    return dict(_places(tuple(map(str, labels)), tuple((columns or {}).items())))


def labels_of(labels: Iterable[object], columns: ByPart | None = None) -> dict[str, str]:
    """Return the known columns, by part.

    >>> labels_of(["qid", "docno", "Rank"])
    {'query_id': 'qid', 'doc_id': 'docno', 'rank': 'Rank'}
    """
    return {**_known(tuple(map(str, labels)), tuple((columns or {}).items()))}


@lru_cache(maxsize=64)
def _known(labels: tuple[str, ...], columns: tuple[tuple[str, str], ...]) -> ByPart:
    return {part: labels[at] for part, at in _places(labels, columns).items()}


@lru_cache(maxsize=64)  # each line of JSON has labels, mostly those of the line before
def _places(labels: tuple[str, ...], columns: tuple[tuple[str, str], ...]) -> Mapping[str, int]:
    return {part: labels.index(label) for part, label in _named(*_chosen(labels, columns), NAMES).items()}


def columns_of_systems(labels: Sequence[str]) -> list[str]:
    """Return the columns that may name the system of a row, in order of precedence.

    >>> columns_of_systems(["System", "qid", "docno", "score", "run"])
    ['run', 'System']
    """
    return [label for name in NAMES["tag"] for label in labels if plain_label(label) == name]


def unread_columns(labels: Sequence[str]) -> list[str]:
    """Return the columns of a run that are no known part of it.

    >>> unread_columns(["qid", "docno", "score", "run", "setup"])
    ['setup']
    """
    known = {*columns_of_systems(labels), *(labels[place] for place in places_of(labels).values())}
    return [label for label in labels if label not in known]


def parsed_judged_columns(columns: Columns, more: Sequence[str] = ()) -> Parts:
    """Return the columns of judgments that the user named, by part; `more` are parts beside those of a judgment.

    >>> parsed_judged_columns("doc_id=artikel,relevance=note (0, 1, 2)")
    {'doc_id': 'artikel', 'relevance': 'note (0, 1, 2)'}
    """
    parts = _PARTS | {part: part for part in (*more, "split")}
    return _once(columns, _named_columns(columns, parts, "a judgment", more))


def parsed_run_columns(columns: Columns) -> Parts:
    """Return the columns of a run that the user named, by part.

    >>> parsed_run_columns("query=topic,doc=artikel,system=engine")
    {'query_id': 'topic', 'doc_id': 'artikel', 'tag': 'engine'}
    """
    return _once(columns, _named_columns(columns, _RUN_PARTS, "a run"))


def parsed_click_columns(columns: Columns) -> Parts:
    """Return the columns of a click log that the user named, by part.

    >>> parsed_click_columns("query=search,clicked=event")
    {'query_id': 'search', 'clicked': 'event'}
    """
    return _once(columns, _named_columns(columns, _CLICK_PARTS, "a click log"))


def _once(columns: Columns, pairs: Sequence[tuple[str, str]]) -> Parts:
    by_part: Parts = {}
    for part, label in pairs:
        if part in by_part:
            raise ArgumentError(f"two columns are named for the {SHORT.get(part, part)}: {columns}; name one")
        by_part[part] = label
    return by_part


def _named_columns(columns: Columns, parts: ByPart, noun: str, more: Sequence[str] = ()) -> list[tuple[str, str]]:
    if columns is not None and not isinstance(columns, str):
        expect(Mapping, columns=columns)
    pairs = _pairs_in(columns) if isinstance(columns, str) else (columns or {}).items()
    result: list[tuple[str, str]] = []
    for holds, label in ((holds.strip(), label.strip()) for holds, label in pairs):
        if not label:
            value = next(part for part in ("relevance", "clicked", "score") if part in parts)
            raise ArgumentError(f"expected columns such as doc_id=artikel,{value}=note, found '{columns}'")
        if holds not in parts:
            known = [*SHORT.values(), *more] if "relevance" in parts else [*parts][:6]
            raise unknown(f"part of {noun}", holds, known, "parts")
        if label in (other for part, other in result if part != parts[holds]):
            raise ArgumentError(f"one column is named for two parts of {noun}: {columns}; name one column per part")
        result.append((parts[holds], label))
    return result


def _pairs_in(columns: str) -> Iterator[tuple[str, str]]:
    """Split a list into names and values; a comma that no name follows belongs to the value before it."""
    items: list[str] = []
    for item in columns.split(","):
        if items and item.strip() and "=" not in item:
            items[-1] += f",{item}"
        else:
            items.append(item)
    return ((holds, label) for holds, _, label in (item.partition("=") for item in items))


_TO = r"[-\u2010-\u2015\u2212/;]|\.\.+|\u2026|[a-z\u00e0]{1,3}\b|,[\d\s,]*?"
_SCALE = re.compile(rf"[(\[{{]\s*(-?\d+)\s*(?:{_TO})\s*(\d+)\s*[)\]}}]", re.IGNORECASE)
_IN_BRACKETS = re.compile(r"_*[(\[{].*")


@lru_cache(maxsize=64)  # each row of a table has the same ones
def scale_of(label: str) -> tuple[int, int] | None:
    """Return the lowest and the highest grade that the name of a column states.

    >>> scale_of("Rating (0-3)"), scale_of("note [1 bis 5]"), scale_of("grade (0, 1, 2)"), scale_of("Rating")
    ((0, 3), (1, 5), (0, 2), None)
    """
    match = _SCALE.search(label)
    lowest, highest = map(int, match.groups()) if match else (0, 0)
    return (lowest, highest) if lowest < highest else None


def likely_grades(labels: Sequence[str], numbers: Mapping[str, Sequence[float]]) -> list[str]:
    """Return the columns that may hold grades, by their names, else those of small whole numbers, else of any numbers.

    numbers : label → those in its cells, if it has some

    >>> likely_grades(["title", "Ada", "Ben", "price"], {"Ada": [2, 0], "Ben": [3], "price": [9.5, 12]})
    ['Ada', 'Ben']
    >>> likely_grades(["Note Al (1-5)", "Note Bo", "Minutes"], {"Note Al (1-5)": [1], "Note Bo": [2], "Minutes": [7]})
    ['Note Al (1-5)', 'Note Bo']
    """
    filled = [label for label in labels if label in numbers]
    by_name = [
        label for label in labels if scale_of(label) or _GRADE_WORDS & {*re.split(r"[\W_]+", plain_label(label))}
    ]
    like_grades = {_first_word(label) for label in by_name if label in numbers}
    small = [label for label in filled if all(-2 <= number <= 10 and number % 1 == 0 for number in numbers[label])]
    alike = [label for label in filled if label in by_name or (label in small and _first_word(label) in like_grades)]
    return alike or small or filled or by_name


def _first_word(label: str) -> str:
    return plain_label(label).split("_")[0]
