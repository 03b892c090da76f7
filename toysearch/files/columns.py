"""Names of columns and keys: of the parts of a document, of a judgment, of a run; and the rows below a header."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import zip_longest
from typing import Any, TypeAlias

from toysearch.base import ArgumentError, JoinedText, Remedy, expect, expect_name, unknown
from toysearch.base.wording import some
from toysearch.files.labels import (
    CONTEXTS,
    DESCRIBED,
    DESCRIPTIONS,
    KINDS,
    LONG_TEXTS,
    NAMES,
    NEGATIVE,
    NO_TITLES,
    PARTS,
    PEOPLE,
    PERHAPS_IDS,
    PERHAPS_LABELS,
    QUERY_IDS,
    QUERY_TEXTS,
    RELEVANT,
    REPLIES,
    THINGS,
    VALUES,
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
_AMOUNT = re.compile(r"\s*[-+]?[\d.,]+\s+\S{1,3}\s*")  # such as 85 %
_ADDRESS = re.compile(r"[^\s@]+@[^\s@]+\.\w+")
_SIGN = re.compile(r"[^\w\s]")
_MOST_SHOWN = 20  # labels in an error
_OWN_PARTS = frozenset(PARTS)
_MOST_READ = 200  # rows that show what a column holds
_PROSE = 4  # words
_TITLES = frozenset((*PARTS["title"], "ti"))  # words in the name of a title
_IN_NAMES = (*LONG_TEXTS, "summary", "ab")  # words in the name of a text
_FEW = 5  # rows
_MANY = 1000  # products
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


def _names_values(label: str) -> bool:
    """True if a label names people, values or kinds."""
    return not words_of(label).isdisjoint(NO_TITLES | KINDS)


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


@lru_cache(maxsize=1024)
def _parts_of(labels: Sequence[str], columns: Sequence[tuple[str, str]]) -> ByPart:
    choices, free = _chosen(labels, columns)
    free.pop("@context", None)  # which JSON-LD names
    for name, own in [*free.items()]:  # of a namespace, as g:id or @id; with more in brackets
        free.setdefault(re.split("[:@]", name)[-1], own)
        free.setdefault(_IN_BRACKETS.sub("", name), own)
    parts = _named(choices, free, PARTS)
    if "title" not in parts and "summary" in free and parts.get("text") not in (None, free["summary"]):
        parts["title"] = free["summary"]
    return parts


def _chosen(labels: Sequence[str], columns: Iterable[tuple[str, str]]) -> tuple[Parts, dict[str, str]]:
    """Return part → the label that the user means, "" if it is missing; and the other labels by their plain form."""
    choices: Parts = {}
    for part, typed in columns:
        alike = (label for label in labels if plain_label(label) == plain_label(typed))
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


def parts_with_id(head: TableHead, columns: ByPart | None = None, role: str = "") -> Parts:
    """Return `parts_of` the labels; a number or an id of something is the id if no two of the rows have the same.

    It is also where a usual id repeats, as that of the document that chunks are of.

    >>> parts_with_id(TableHead({"SKU": ["K1", "L2"], "title": ["a pot", "a lamp"]}))
    {'title': 'title', 'id': 'SKU'}
    >>> parts_with_id(TableHead({"SKU": ["K1", "K1"], "title": ["a pot", "the pot again"]}))
    {'title': 'title'}
    >>> parts_with_id(TableHead({"reviewerID": ["A1", "A2"], "asin": ["B1", "B1"], "text": ["good", "bad"]}))
    {'text': 'text'}
    >>> parts_with_id(TableHead({"doc_id": ["d1", "d1"], "chunk_id": ["d1#1", "d1#2"], "text": ["oaks", "elms"]}))
    {'id': 'chunk_id', 'text': 'text'}
    """
    labels = head.labels
    parts = parts_of(labels, columns)
    usual = parts.get("id", "")
    is_of_queries = plain_label(usual) in QUERY_IDS and role != "documents"
    if "id" in (columns or {}) or len(labels) == len(parts) or is_of_queries:
        return parts
    filled = head.filled(usual) if usual else []
    are_words = not filled or any(map(is_prose, filled))  # keywords, as in an export of Web of Science
    if usual and len(filled) < len(head.cells[usual]) and are_words:
        del parts["id"]
        usual = ""
    elif usual and len({*filled}) == len(filled):
        return parts
    first, of_items = labels[0], {*PERHAPS_IDS, *NAMES["doc_id"]}
    are_events = any(plain_label(label) in of_items for label in labels)  # of people and items, as reviews are
    is_code = not usual and (_OF_CODES.fullmatch(first.strip()) or all(map(_CODE.fullmatch, head.filled(first))))
    free = [label for label in labels if label not in parts.values()]
    for label in free:
        is_id = (is_code and label == first) or plain_label(label) in PERHAPS_IDS or named_like(label) == "ids"
        if is_id and not (are_events and words_of(label) & PEOPLE) and _differ(head, label):
            return {**parts, "id": label}
    if usual:
        return parts
    if first in free and _are_numbers(first, head.cells[first]):
        return {**parts, "id": first}
    codes = [label for label in free if _are_codes(label, head.cells[label])]
    return {"id": codes[0], **parts} if len(codes) == 1 and role == "documents" else parts


def _differ(head: TableHead, label: str) -> bool:
    """True if a column has another cell in each row, and no list."""
    cells = head.cells[label]
    return len({*head.filled(label)}) == len(cells) and not any(isinstance(cell, list) for cell in cells)


def _are_codes(label: str, cells: Sequence[Any]) -> bool:
    """True for different codes such as B-101 in all of several rows, under a name of no values."""
    are_codes = all(isinstance(cell, str) and _CODE.fullmatch(cell.strip()) for cell in cells)
    is_of_values = _names_values(label) or words_of(label) & VALUES
    return are_codes and not is_of_values and _FEW <= len({*cells}) == len(cells) < _MOST_READ


def _are_numbers(label: str, cells: Sequence[Any]) -> bool:
    """True for texts that are different whole numbers, large, of as many digits or rising, under a name of no values.

    >>> numbers = ["4071", "3022", "5120", "1204", "7002"]
    >>> _are_numbers("Artikel", numbers), _are_numbers("Jahr", numbers), _are_numbers("Artikel", [*numbers, "12"])
    (True, False, False)
    """
    if not all(isinstance(cell, str) and cell.strip().isdecimal() for cell in cells):
        return False
    numbers = [*map(int, cells)]
    is_even = len({*map(len, cells)}) == 1 or numbers == sorted(numbers) or min(numbers) >= _MANY
    is_whole = _FEW <= len(numbers) < _MOST_READ  # further ones may repeat
    are_ids = label.lower().endswith("id") or (is_even and is_whole)  # as of appid
    is_of_values = _names_values(label) or named_like(label) or any(map(str.isdigit, label))
    return are_ids and not is_of_values and len({*numbers}) == len(numbers)


def texts_beside(head: TableHead) -> list[str]:
    """Return the columns of prose beside those of a query and of what judgments and runs have.

    >>> texts_beside(TableHead({"query": ["an old oak"], "docid": ["7"], "about": ["Oaks grow very slowly."]}))
    ['about']
    """
    known = {head.labels[place] for place in places_of(head.labels).values()}
    return [label for label in head.texts if is_prose(head.texts[label]) and not (label in known or names_query(label))]


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
    """Return the field names of a record: label → name, without the label of the id."""
    # The labels of the title and the text are renamed to title and text. Any other label that is one of these two words
    # gets an underscore behind it.
    names = {label: part for part, label in parts.items() if part in ("title", "text")}
    in_use = set(names.values())
    for label in labels:
        if label in names or label == parts.get("id"):
            continue
        name = label
        while name in in_use:
            name += "_"
        in_use.add(name)
        names[label] = name
    return names


def with_more(fields: dict[str, str], parts: ByPart) -> dict[str, str]:
    """Return fields with the text in several columns as one, if it is.

    >>> with_more({"text": "a lamp", "notes": "of oak"}, {"text": "body", "more": "notes"})
    {'text': 'a lamp of oak', 'notes': 'of oak'}
    """
    if _OWN_PARTS.issuperset(parts):
        return fields
    more = [label for part, label in parts.items() if part not in _OWN_PARTS]
    texts = [text for name in ("text", *more) if (text := fields.get(name))]
    return {**fields, "text": JoinedText.joined(texts)}


def longer_text(parts: ByPart, texts: Mapping[str, str]) -> str:
    """Return the column whose text is more than twice as long as those that are searched; "" without one.

    texts : the longest text of each column

    >>> longer_text({"title": "name"}, {"name": "a cat", "details": "how to train it and to feed it"})
    'details'
    """
    searched = [texts.get(label, "") for part, label in parts.items() if part != "id"]
    free = [label for label in texts if label not in parts.values() and _may_be_text(label, texts[label])]
    label = max(free, key=lambda label: len(texts[label]), default="")
    return label if len(texts.get(label, "")) > 2 * max(map(len, searched), default=0) else ""


def of_most_text(letters: Mapping[Any, int]) -> list[Any]:
    """Return the table with more than twice the text of any other; letters: name → how many its texts have.

    >>> of_most_text({"tickets": 900, "people": 80}), of_most_text({"shoes": 900, "bags": 700})
    (['tickets'], [])
    """
    most = max(letters, key=letters.__getitem__, default=None)
    return [most] if 2 * sorted([0, 0, *letters.values()])[-2] < letters.get(most, 0) else []


def n_words(text: str) -> int:
    """Return the number of words in a text; where no blanks separate them, each letter counts as one."""
    return len(text.split()) + len(_WITHOUT_BLANKS.findall(text))


def is_prose(text: object) -> bool:
    """True for a text of several words."""
    return isinstance(text, str) and n_words(text) >= _PROSE


def names_query(label: str) -> bool:
    """True for the name of a query's text."""
    return plain_label(label) in QUERY_TEXTS or _OF_QUERIES.fullmatch(label) is not None


def is_title(label: str) -> bool:
    """True for the dotted key of a title, as in `metadata.title`."""
    return label.lower().endswith(".title")


def settled_parts(parts: ByPart, head: TableHead, columns: ByPart, role: str) -> tuple[Parts, str]:
    """Return the parts of records with the title and the text that the cells show, and another likely text, or "".

    A longer text beside a known one of documents is more of it, and so are those of its kind; an empty one is none.

    columns : part → the column that the user names

    >>> head = TableHead({"summary": ["It barks"], "notes": ["the dog of the house next door"]})
    >>> settled_parts({"text": "summary"}, head, {}, "documents")
    ({'more': 'notes', 'text': 'summary'}, '')
    """
    is_open, other = role == "documents" and "text" not in columns, ""
    empty = parts.get("text", "")
    is_empty = bool(head.cells.get(empty)) and not any(head.cells[empty])
    if is_open and is_empty and empty != "text" and not any(label.startswith(f"{empty}.") for label in head.cells):
        rest = TableHead(without(empty, head.cells))
        found, other = settled_parts(without("text", parts), rest, columns, role)
        return ({"empty": empty, **found} if "text" in found else {**parts}), other
    if is_open:
        title = parts.get("title", "") if "title" not in columns else ""
        if plain_label(title) == "name" and title not in _beyond_people(head, head.labels):
            parts = without("title", parts)
        parts = of_documents(parts, head)
    if not {"title", "text"} & parts.keys() and "text" not in columns:
        parts, other = _with_text(parts, head, role)
    longer = longer_text(parts, head.texts) if {"title", "text"} & parts.keys() else ""
    if not is_open:
        return {**parts}, longer
    text = parts.get("text", "")
    is_reply = plain_label(text) in REPLIES  # beside what it is found in
    if longer and (is_reply or _above(longer) == _above(text)):
        also, text = {"more": longer}, longer
    else:
        also = _beside_names(parts, head) if "title" not in columns else {}
    if not (text or longer):
        text = parts.get("title", "")
    also |= {label: label for label in _texts_beside({**also, **parts}, head, text)}
    other = other or longer
    return {**also, **parts}, "" if other in also.values() else other


def without(left_out: str, items: Mapping[str, Any]) -> dict[str, Any]:
    """Return what stands under all names but one."""
    return {name: item for name, item in items.items() if name != left_out}


def _above(label: str) -> str:
    """Return the path of the object that a dotted key is in."""
    return label.rpartition(".")[0]


def _key_of(label: str) -> str:
    """Return the last key of a path, in plain form."""
    return plain_label(label.rpartition(".")[2])


def of_documents(parts: ByPart, head: TableHead) -> Parts:
    """Return parts with another column as the text if there is none, or if it is what was asked about the other.

    Without a title, it is a column before the text that names each document.

    >>> head = TableHead({"query": ["lights"], "name": ["xmas"], "summary": ["red"]})
    >>> of_documents({"title": "name", "text": "query"}, head)
    {'title': 'name', 'text': 'summary'}
    >>> head = TableHead({"query": ["lights"], "details": ["a string of coloured lights"]})
    >>> of_documents({"text": "query", "id": "id"}, head), of_documents({"title": "query"}, head)
    ({'text': 'details', 'id': 'id'}, {'title': 'query', 'text': 'details'})
    >>> of_documents({"text": "desc"}, TableHead({"item": ["a lamp"], "desc": ["of red steel"]}))
    {'title': 'item', 'text': 'desc'}
    """
    label, labels, texts = parts.get("text", ""), head.labels, head.texts
    if plain_label(label) in CONTEXTS and label in labels:
        reply = next((one for one in texts if plain_label(one) in REPLIES), "")
        if reply and not all(str(cell).strip("[]'") for cell in head.cells[label]):
            label, parts = reply, {**parts, "text": reply}
    asked = _key_of(label)
    if label and asked not in ASKED:
        before, behind = labels[: labels.index(label)], labels[labels.index(label) + 1 :]
        names = [one for one in behind if _are_names(head, one, label)]
        return {**_title(_title_in(head, parts, before) or _title_in(head, parts, names)), **parts}
    beside = {one.rpartition(".")[2]: one for one in texts if one != label and _above(one) == _above(label)}
    other = beside.get(parts_of([*beside]).get("text", ""), "") if label else ""
    if not other and parts.keys() - {"id"}:
        other = _text_beside(parts, texts)
    if not other:
        return without("text", parts) if asked == "query" and "title" in parts else {**parts}
    part = "more" if "title" in parts else "title"
    is_about = part == "more" and _key_of(other) in CONTEXTS  # which has other questions
    also = {part: label} if asked == "question" and not is_about else {}
    return {**also, **parts, "text": other}


def _title(label: str) -> Parts:
    return {"title": label} if label else {}


def of_queries(parts: ByPart, columns: ByPart, head: TableHead) -> Parts:
    """Return parts in which a text beside a query, or a description beside a title, is not the text, unless named.

    >>> of_queries({"id": "id", "title": "title", "text": "description"}, {}, TableHead({}))
    {'id': 'id', 'title': 'title'}
    >>> of_queries({"text": "context"}, {}, TableHead.of_rows(["input", "context"]))
    {'text': 'input'}
    >>> of_queries({"text": "document"}, {}, TableHead.of_rows(["question", "document"]))
    {'text': 'question'}
    >>> of_queries({"id": "id", "text": "passage"}, {}, TableHead({"my query": ["oaks"], "passage": ["…"]}))
    {'id': 'id', 'text': 'my query'}
    """
    if "text" in columns:
        return {**parts}
    text = plain_label(parts.get("text", ""))
    asked = {plain_label(label): label for label in head.labels if label != parts.get("id")}
    is_of_documents = text in CONTEXTS or text in ("document", "passage")
    names = QUERY_TEXTS if "id" in parts or not text or is_of_documents else ()  # else it may be the id
    is_described = text in DESCRIPTIONS
    names = (*names, *(DESCRIBED if is_described and "id" in parts else ()))
    label = next((asked[name] for name in names if name in asked), "")
    if label or (names and text and (label := _query_beside(parts, head))):
        return {**parts, "text": label}
    is_described = is_described and plain_label(parts.get("title", "")) == "title"
    return without("text", parts) if is_described else {**parts}


def _query_beside(parts: ByPart, head: TableHead) -> str:
    """Return the column beside a known text that is named like a query, or a shorter text before it; "" without one."""
    known, texts = parts["text"], head.texts
    free = without(parts.get("id", ""), texts)
    if known not in texts:
        return ""
    if named := [label for label in free if _OF_QUERIES.fullmatch(label) and OF_WORDS.fullmatch(free[label])]:
        return named[0]
    if plain_label(known) == "text" or "title" in parts:
        return ""
    before = [label for label in head.labels[: head.labels.index(known)] if label in free and not _names_values(label)]
    shorter = [label for label in before if " " in free[label] and len(free[label]) < len(texts[known])]
    return next((label for label in shorter if len({*head.filled(label)}) == len(head.cells[label])), "")


def _text_beside(parts: ByPart, texts: Mapping[str, str]) -> str:
    """Return the answer beside a question, else the only column whose name says so, the only one, or `longer_text`."""
    free = [label for label in texts if label not in parts.values()]
    answers = [label for label in free if "text" in parts and plain_label(label) in REPLIES]
    named = answers or [label for label in free if words_of(label) & {*_IN_NAMES} and is_prose(texts[label])]
    free = [label for label in free if "text" not in parts or "." not in label]
    if not named and len(free) == 1 and " " in texts[free[0]]:
        known = texts.get(parts.get("title", parts.get("text", "")), "")
        named = [label for label in free if len(texts[label]) > len(known)]
    return named[0] if len(named) == 1 else longer_text(parts, texts)


def text_of_list(cells: Sequence[object]) -> str:
    """Return several texts, of which one is prose, or the only one; "" for words.

    >>> text_of_list(["It barks.", "It sleeps all day."]), text_of_list(["red", "blue"]), text_of_list(["red"])
    ('It barks. It sleeps all day.', '', 'red')
    """
    texts = [cell for cell in inner_texts(cells) if isinstance(cell, str)]
    return " ".join(texts) if len(cells) == 1 or any(map(is_prose, texts)) else ""


def _title_in(head: TableHead, parts: ByPart, among: Sequence[str]) -> str:
    """Return the title: the first of some columns named like one, else the one before the text that hardly repeats.

    Without one before it, it is the only one behind it; "" without any. A column that names people or values is no
    title, and neither are addresses and paths; one of kinds comes last.
    """
    labels, texts, text = head.labels, head.texts, parts["text"]
    if parts.get("title"):
        return ""
    free = [label for label in among if label not in parts.values() and plain_label(label) not in QUERY_TEXTS]
    free = [label for label in free if has_letters(texts.get(label, "")) and OF_WORDS.fullmatch(texts[label])]
    free = [label for label in free if words_of(label).isdisjoint(NO_TITLES) or label.lower().endswith("question")]
    free = [*_beyond_people(head, free, text)]
    names = [label for label in free if words_of(label).isdisjoint(KINDS)]
    named = [label for label in names if words_of(label) & _TITLES and "." not in label]
    before = [label for label in free if labels.index(label) < labels.index(text)]
    if named:
        return named[0]
    if not before:
        behind = [label for label in names if _are_names(head, label, text)]
        return behind[0] if len(behind) == 1 else ""
    n_texts, n_cells = head.n_different(text), {label: head.n_different(label) for label in before}
    likely = [label for label in before if label in names]
    share, least = (0.9, min(n_texts, n_texts / 2 + 1)) if likely else (1, max(n_texts, _FEW))
    likely = likely or before
    most = max(n_cells[label] for label in likely)
    title = next(label for label in likely if n_cells[label] >= share * most)
    things = [label for label in before if words_of(label) & {*THINGS}]
    return title if n_cells[title] >= least else next(iter(things), "")


def _are_names(head: TableHead, label: str, text: str) -> bool:
    """True for texts that differ in nearly all rows, mostly of several words, and shorter than a text."""
    cells = head.cells[label]
    names = {cell for cell in cells if isinstance(cell, str)}
    n_wordy = sum(n_words(name) > 1 for name in names)
    is_short = 2 * sum(map(len, names)) < sum(map(len, head.filled(text)))
    return is_short and 10 * len(names) >= 9 * len(cells) and len(cells) >= _FEW and 2 * n_wordy > len(names)


def _beyond_people(head: TableHead, among: Sequence[str], text: str = "") -> Sequence[str]:
    """Return the columns behind one of mail addresses, beside which people stand, if some are before a text."""
    for place, label in enumerate(head.labels):
        cells = head.first[label]
        if cells and all(map(_ADDRESS.fullmatch, cells)):
            behind = [one for one in head.labels[place + 1 :] if is_prose(head.texts.get(one))]
            subjects = behind[: behind.index(text) if text in behind else -1]
            subjects = [one for one in subjects if 2 * head.n_different(one) > len(cells)]
            return [one for one in among if one in subjects] or among
    return among


def _texts_beside(parts: ByPart, head: TableHead, text: str) -> list[str]:
    """Return the columns of sentences, mostly different, at least a third as long as a text, or as a title without one.

    One named as a short description may be shorter, and repeat.

    >>> head = TableHead.of_rows(["case", "cure"], [[f"No light in room {n}", f"A new bulb for {n}"] for n in range(5)])
    >>> _texts_beside({"text": "cure"}, head, "cure")
    ['case']
    """
    if text not in head.texts:
        return []
    cells = {label: head.first[label] for label in head.texts}
    searched = [cells.get(label) for label in parts.values()]

    def words(label: str) -> list[set[str]]:
        return [{*_SIGN.sub("", cell.lower()).split()} for cell in cells[label][:_FEW]]

    def is_more(label: str) -> bool:
        n_sentences = len({*filter(is_prose, cells[label])})
        is_long = 3 * sum(map(len, cells[label])) >= sum(map(len, cells[text]))
        are_many = is_long and n_sentences >= max(_FEW, len(cells[label]) / 2)
        if not (are_many or (n_sentences and _OF_SHORT.fullmatch(label))):
            return False
        return not all(map(set.issubset, words(label), words(text)))  # no copy

    free = [label for label in cells if cells[label] not in searched and _above(label) == _above(text)]
    named = {label: words_of(label) - PEOPLE - NEGATIVE for label in free if has_letters(head.texts[label])}
    return [label for label, own in named.items() if own and own.isdisjoint(NO_TITLES | KINDS) and is_more(label)]


def _beside_names(parts: ByPart, head: TableHead) -> Parts:
    """Return a column that names each document as more of the text, where the title may be people or labels."""
    title = plain_label(parts.get("title", ""))
    known = words_of(title) & {*_TITLES, *ASKED, "summary"}
    if "text" not in parts or not title or title in known - PERHAPS_LABELS.keys():
        return {}
    others = [label for label in head.labels if plain_label(label) not in (title, "name")]
    label = _title_in(head, without("title", parts), others)
    if not label or words_of(label) & KINDS or n_words(head.texts[label]) == 1:
        return {}
    is_named = title == "name" and words_of(label) & _TITLES
    times = 1 if is_named else PERHAPS_LABELS.get(title, 2 if known else 0.9)
    return {"more": label} if head.n_different(parts["title"]) * times <= head.n_different(label) else {}


def named_column(label: str, role: str = "documents", part: str = "text") -> Remedy:
    """Return the remedy that names the column of a part of documents or queries."""
    named = f"{part}={label}"
    return Remedy("load", query_columns=named) if role == "queries" else Remedy("load", columns=named)


def without_text(head: TableHead, parts: ByPart, noun: str, expected: str, role: str = "documents") -> str:
    """Return the advice for columns or keys without a known name for the text: the longest, of queries the first."""
    texts = dict.fromkeys(head.texts, "a") if role == "queries" else head.texts
    likely = _likely_texts(head.labels, parts, texts, role)
    example = next(label for label in [*likely, parts.get("title"), "NAME"] if label)
    return (
        f"expected {expected} that holds the text, such as text or body, found {listed_labels(head.labels, noun)}; "
        f"name it, as in {named_column(example, role)}"
    )


def _likely_texts(labels: Sequence[str], parts: ByPart, texts: Mapping[str, str], role: str = "") -> list[str]:
    """Return the labels that no part has: those named much like a text, then by their texts, the longest first."""
    from difflib import get_close_matches

    free = {label.rpartition(".")[2].lower(): label for label in labels if label not in parts.values()}
    near = [free[label] for label in free if _OF_QUERIES.fullmatch(label)] if role == "queries" else []
    near += [free[label] for name in _IN_NAMES for label in free if name in plain_label(label).split("_")]
    near += [free[label] for name in LONG_TEXTS for label in get_close_matches(name, free, n=1, cutoff=0.8)]
    long = [label for label in texts if label not in parts.values()]
    near += sorted(long, key=lambda label: len(texts[label]), reverse=True)
    return [*dict.fromkeys([*near, *free.values()])]


def _with_text(parts: ByPart, head: TableHead, role: str) -> tuple[Parts, str]:
    """Return parts with the likeliest column of several words as the text, if there is any, and the next one, or "".

    Of two columns with letters, such as a question and its answer, the second is the text. Of those of queries, only
    one may have several words, or else letters.

    >>> _with_text({}, TableHead({"Q": ["how so?"], "A": ["by and by"]}), "documents")
    ({'title': 'Q', 'text': 'A'}, '')
    >>> _with_text({}, TableHead({"term": ["kettle"], "CTR": ["9%"]}), "queries")
    ({'text': 'term'}, '')
    """
    texts = {label: text for label, text in head.texts.items() if not words_of(label) <= NEGATIVE} or head.texts
    several = {label: text for label, text in texts.items() if " " in text or _WITHOUT_BLANKS.search(text)}
    wordy = {label: text for label, text in several.items() if not _AMOUNT.fullmatch(text)}
    if not wordy and role == "queries":
        wordy = {label: text for label, text in texts.items() if has_letters(text)}
    found = [label for label in _likely_texts(head.labels, parts, wordy) if label in wordy]
    if not found or (role == "queries" and len(found) > 1):
        return {**parts}, ""
    free = [label for label in texts if label not in parts.values() and has_letters(texts[label])]
    text = free[1] if len(free) == 2 and free[1] in found else found[0]
    settled = {**parts, "text": text}
    if role == "documents":
        asked = {"title": free[0]} if len(free) == 2 and text == free[1] and is_prose(texts[free[0]]) else {}
        settled = _title(_title_in(head, settled, head.labels)) | asked | settled
    free = [label for label in found if label not in settled.values() and has_letters(texts[label])]
    return settled, next((label for label in free if words_of(label).isdisjoint(PEOPLE | {"date", "time"})), "")


def _may_be_text(label: str, text: str) -> bool:
    """True for prose that is no list of codes, and no question about another text."""
    return is_prose(text) and has_letters(text) and _key_of(label) not in ASKED


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
_OF_CODES = re.compile(r".*(?:nummer|number|code|n[uú]mero|num[eé]ro|编号|編號|番号)", re.IGNORECASE | re.DOTALL)
"""Name of a first column of numbers or codes: Artikelnummer, part_number."""
_OF_SHORT = re.compile(
    r"(?:kurz(?:besch|text|info)|(?:short|brief|korte)[\W_]?(?:desc|oms|text)|excerpt|auszug|extracto|extrait).*"
    r"|desc.*[\W_](?:breve|corta|courte|short)",
    re.IGNORECASE | re.DOTALL,
)
"""Name of a short description: Kurzbeschreibung, short_description, descripción corta, excerpt:encoded."""
_CODE = re.compile(r"[^\W\d_]{1,4}[-_.]? ?\d[\w./-]*|0\d+")
"""Cell of a first column of ids: E2, T-001/B, Art. 7a, 007."""
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
_RUN_PARTS |= {"system": "tag", "query_id": "query_id", "doc_id": "doc_id", "tag": "tag"}
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
    parts = _PARTS | {part: part for part in more}
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
