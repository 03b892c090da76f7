"""TREC topics: the queries of a test collection, in tags, in XML or one per line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import unescape
from itertools import islice

from toysearch.base import INLINE, malformed
from toysearch.files.account import NUMBERED
from toysearch.files.claims import Clues, What
from toysearch.files.document_formats import TOPIC_FORMS, Record, RecordFile
from toysearch.files.source import AnyPath, Line, Source, numbered_lines, source_of
from toysearch.files.syntaxes.sgml import (
    Element,
    first_element,
    one_id,
    plain_declarations,
    read_trec_documents,
    sgml_elements,
    split_at_tags,
)
from toysearch.files.syntaxes.xml_tables import Records, XmlElement, elements

TOPIC_ELEMENTS = ("topic", "top", "query")
"""Elements that are topics, unless they are nested in another topic."""
_TOPICS = Records(TOPIC_ELEMENTS, holders=None)

FIELDS: Mapping[str, tuple[str, ...]] = {
    "title": ("title", "query", "text"),
    "description": ("description", "desc", "question", "summary"),
    "narrative": ("narrative", "narr"),
}
"""Field → its names in the files, in order of precedence."""

_NUMBERS = ("num", "number", "identifier", "id", "qid", "topic_id", "topicid", "query_id")
LABELS: Mapping[str, str] = {
    "num": "Number",
    "dom": "Domain",
    "title": "Topic",
    "desc": "Description",
    "smry": "Summary",
    "narr": "Narrative",
    "con": "Concept(s)",
    "fac": "Factor(s)",
    "nat": "Nationality",
    "time": "Time",
    "def": "Definition(s)",
}
"""Element of a ``<top>`` → the label that early TREC topics have at its beginning, which is dropped."""

_OF_A_LANGUAGE = re.compile(r"[a-z]{2}-(?P<name>[a-z]+)")  # CLEF: <EN-title>
_TOP = re.compile(rb"<(top)[\s>]", re.IGNORECASE)
_LIKE_TOP = re.compile(rb"<(topic|query)(?:\s[^<>]*)?>\s*<num>[^<]*<(?!/num)", re.IGNORECASE)  # RCV1: this is no XML
_MARKED = re.compile(r"\s*(?P<id>[^\s:]+?) ?(?P<mark>[:\t]|\|\|)[ \t]*\S")
_NUMBERED = re.compile(r"\s*(?P<id>[^\s,;|]*\d[^\s,;|]*?)[.)]?\s+(?P<text>\S.*)")
_COUNTED = re.compile(r"(?:[^\t]*\S +\S[^\t]*|[^\d\t]*[^\W\d_][^\d\t]*)\t\s*[\d.,]+\s*")  # no id in front
_HEADERS = ("query", "queries", "question", "questions", "search term", "search terms", "keyword", "keywords")
_HAS_MARK = re.compile(r"\S[:\t]")
_MARKS = {":": "a colon", "\t": "a tab", "||": "two bars"}
_TABLES = (".csv", ".tsv")
_DIGITS = re.compile(r"\d+")
_ENOUGH = 1 << 13  # bytes


def read_topics(file: RecordFile) -> Iterator[Record]:
    r"""Read the topics of a file, in any of the TREC forms.

    =========================================  ======================================================================
    form                                       read as
    =========================================  ======================================================================
    ``<top> <num> Number: 051 <title> …``      fields up to the next tag, closed or not, without the words ``Number:``,
                                               ``Topic:``, ``Description:``, … (`LABELS`) at their beginning
    ``<topic number="1"> <query>…</query> …``  XML; also ``<query>`` outside a topic; text outside all elements is the
                                               title
    ``<DOC> <DOCNO> 1 </DOCNO> …``              as a document; its text is the text
    ``1:obama family tree``                    one per line, also with a tab, two bars or blanks instead of the colon
                                               (``q1 …``, ``1. …``); the text is the title
    ``obama family tree``                      one per line, numbered from 1, if no line before it has an id
    =========================================  ======================================================================

    Fields are named ``title``, ``description`` and ``narrative`` (`FIELDS` has their other names), or like their
    elements, in lower case; elements of one name become lines of one field. CLEF's names of one language, such as
    ``EN-title``, are read without it. Runs of white space in a text become one
    blank. Ids are strings: ``051`` stays ``051``.
    """
    path = source_of(file.source)
    head = path.head[:_ENOUGH].lstrip()
    if not head.startswith(b"<"):
        return _line_topics(path, file)
    if first_element(head, "doc"):
        return read_trec_documents(file)
    if tag := _TOP.search(head) or _LIKE_TOP.search(head):
        return (_record(path, _topic(path, element)) for element in sgml_elements(path, tag[1].decode()))
    return (_record(path, _in_lower_case(topic)) for topic in elements(path, _TOPICS))


def claims(source: Source, clues: Clues) -> What | None:
    """Claim a file that begins with the tag of a topic."""
    first = first_element(source.head, "|".join(["doc", "topics", "queries", *TOPIC_ELEMENTS]))
    return What("queries", "trec", f"it begins with <{first}>") if first not in ("", "doc") else None


def claims_lines(source: Source, clues: Clues) -> What | None:
    """Claim a file whose name or place is that of queries, if each line may be one."""
    if clues.role != "queries":
        return None
    by_name = ", and the name is that of queries" if not clues.place else ""
    lines = source.first_lines
    if all(map(_MARKED.match, lines)) or (_are_numbered(lines) and all(map(_NUMBERED.match, lines))):
        return What("queries", "trec", f"each line is an id and a text{by_name}")
    if clues.place and len(lines) > 1 and all(map(_COUNTED.fullmatch, lines)):
        return What("queries", "trec", "each line is a query and its count", sure=False)
    is_bare = clues.place and not clues.name.lower().endswith(_TABLES) and not all(map(_HAS_MARK.search, lines))
    return What("queries", "trec", "each line is a query", sure=False) if is_bare else None


def _are_numbered(lines: Sequence[str]) -> bool:
    """True if at least half of some lines begin with ids that are distinct and alike, such as q1 and q2.

    >>> _are_numbered(["1. red lamp", "2. kettle"]), _are_numbered(["2 lamps", "2 kettles"]), _are_numbered(["7 up"])
    (True, False, True)
    """
    ids = [match["id"] for match in map(_NUMBERED.match, lines) if match]
    alike = {_DIGITS.sub("0", query_id) for query_id in ids}
    return 2 * len(ids) >= len(lines) and len({*ids}) == len(ids) and len(alike) == 1


def _topic(path: AnyPath, element: Element) -> XmlElement:
    first, tags = split_at_tags(plain_declarations(element.text))
    if found := first.split():
        raise malformed(
            path, element.line, f"expected <num> or another field after {element.tag}, found '{found[0][:60]}'"
        )
    fields: dict[str, list[str]] = {}
    texts: list[str] = [""]  # a closing tag before all others opens no field
    for slash, name, _, words in tags:
        if not slash and name not in INLINE and name != "p":
            texts = fields.setdefault(name, [])
            if name in LABELS:
                words = re.sub(rf"\A\s*{re.escape(LABELS[name])}[ \t]*[:\n]", "", words, flags=re.IGNORECASE)
            texts.append(words)
        else:
            texts[-1] += words if name in INLINE else f" {words}"
    unescaped = {name: [*map(unescape, texts)] for name, texts in fields.items()}
    return XmlElement("top", element.line, {}, unescaped, [])


def _record(path: AnyPath, topic: XmlElement) -> Record:
    fields = {name: "\n".join(filter(None, map(_on_one_line, texts))) for name, texts in topic.texts.items()}
    fields = {name: text for name, text in fields.items() if text}
    query_id = _query_id(path, topic, fields)
    if words := fields.pop("", ""):  # in XML, text may stand outside all elements
        fields["text"] = f"{fields['text']}\n{words}" if "text" in fields else words
    if not fields:
        raise malformed(path, topic.line, f"topic '{query_id}' has no text; expected a title or a description")
    fields = _in_one_language(fields)
    usual = {}
    for field, names in FIELDS.items():
        if name := next((name for name in names if name in fields), None):
            usual[field] = fields.pop(name)
    return topic.line, query_id, usual | fields


def _in_one_language(fields: dict[str, str]) -> dict[str, str]:
    """Name the fields without their language, unless a topic has several."""
    plain_names = {name: match["name"] for name in fields if (match := _OF_A_LANGUAGE.fullmatch(name))}
    several = len({name[:2] for name in plain_names}) > 1 or not fields.keys().isdisjoint(plain_names.values())
    return fields if several else {plain_names.get(name, name): text for name, text in fields.items()}


def _on_one_line(text: str) -> str:
    return " ".join(text.split())


def _query_id(path: AnyPath, topic: XmlElement, fields: dict[str, str]) -> str:
    for name in _NUMBERS:
        if name in topic.texts:
            ids = {one_id(path, topic.line, text, f"<{name}>"): None for text in topic.texts[name]}
            if len(ids) > 1:
                problem = f"the topic that begins here has the numbers {' and '.join(ids)}; expected one"
                raise malformed(path, topic.line, f"{problem}: is a <top> missing between them?")
            del fields[name]
            return next(iter(ids))
    for name in _NUMBERS:
        if name in topic.attributes:
            return one_id(path, topic.line, topic.attributes[name], f"the attribute {name}")
    listed = ", ".join(name for name in fields if name) or "no field"
    raise malformed(
        path, topic.line, f"the topic that begins here has no number; expected <num> or number=…, found {listed}"
    )


def _line_topics(source: Source, file: RecordFile) -> Iterator[Record]:
    """Read one topic per line: an id, a colon, a tab or blanks, and the text; or the text alone, numbered from 1."""
    rows: Iterator[Line] = ((number, line.strip()) for number, line in numbered_lines(source) if line.strip())
    first, *others = source.first_lines or [""]
    if others and all(map(_COUNTED.fullmatch, [first, *others])):
        file.remark = f"each line is a query and its count, {NUMBERED}"
        rows = ((number, line.rpartition("\t")[0]) for number, line in rows)
    elif (marked := _MARKED.match(first)) or all(map(_HAS_MARK.search, source.first_lines)):
        mark = "\t" if "\t" in first.strip() else marked["mark"] if marked else ":"  # a text may hold the others
        yield from _marked_topics(source, rows, mark)
    elif _are_numbered(source.first_lines):
        for number, line in rows:
            if (match := _NUMBERED.match(line)) is None:
                raise malformed(source, number, f"expected an id and a text, found '{line[:60]}'; {TOPIC_FORMS}")
            yield number, match["id"], {"title": _on_one_line(match["text"])}
    else:
        is_header = bool(others) and first.strip().lower() in _HEADERS
        file.remark = f"each line {'below the first ' if is_header else ''}is a query, {NUMBERED}"
        rows = islice(rows, int(is_header), None)
    for place, (number, line) in enumerate(rows, 1):  # those that have no ids
        yield number, str(place), {"title": _on_one_line(line)}


def _marked_topics(source: Source, rows: Iterable[Line], mark: str) -> Iterator[Record]:
    for number, line in rows:
        query_id, separator, text = line.partition(mark)
        if not separator:
            expected = f"an id, {_MARKS[mark]} and a text"
            raise malformed(source, number, f"expected {expected}, found '{line[:60]}'; {TOPIC_FORMS}")
        query_id = one_id(source, number, query_id, "front of the text")
        if not text.strip():
            raise malformed(source, number, f"topic '{query_id}' has no text; expected some after its id")
        yield number, query_id, {"title": _on_one_line(text)}


def _in_lower_case(topic: XmlElement) -> XmlElement:
    """Return a topic of XML with the names of its attributes and its elements in lower case."""
    attributes = {name.lower(): text for name, text in topic.attributes.items()}
    return topic._replace(attributes=attributes, texts={name.lower(): texts for name, texts in topic.texts.items()})
