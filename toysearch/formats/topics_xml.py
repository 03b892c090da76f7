"""Topics in XML: the elements ``<topic>`` or ``<query>`` of a well-formed file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple
from xml.parsers import expat

from toysearch.errors import malformed
from toysearch.formats.markup_tags import INLINE
from toysearch.formats.text_files import text_blocks

TOPIC_ELEMENTS = ("topic", "top", "query")
"""The elements that are topics, unless they stand in another one."""


class Topic(NamedTuple):
    """A topic as it stands in a file."""

    line: int  # the line on which it begins
    attributes: Mapping[str, str]  # those of its element, by their names in lower case
    # the texts of its elements, by their names in lower case; "" is for text that stands in none
    fields: dict[str, list[str]]


def xml_topics(path: str | Path) -> Iterator[Topic]:
    r"""The topics of an XML file, in its order.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "wt09.xml")
    >>> _ = path.write_text('<topics>\n<topic number="1"><query>obama</query></topic>\n</topics>')
    >>> for topic in xml_topics(path):
    ...     print(topic.line, topic.attributes, topic.fields["query"])
    2 {'number': '1'} ['obama']
    """
    collector = _Collector(path)
    for _, block in text_blocks(path):
        yield from collector.feed(f"{block}\n")
    yield from collector.feed("", last=True)


class _Collector:
    """What a parser of XML calls, and the topics that came out of it."""

    def __init__(self, path: str | Path) -> None:
        self.path = path
        self.parser = expat.ParserCreate("utf-8")  # the text was decoded already, whatever the file declares
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.words
        self.parser.EntityDeclHandler = self.refuse_entity
        self.finished: list[Topic] = []
        self.topic: Topic | None = None
        self.texts = [""]  # of the field that is open
        self.depth = 0  # below the topic

    def feed(self, text: str, last: bool = False) -> list[Topic]:
        """The topics that end in the next part of the file."""
        self.finished = []
        try:
            self.parser.Parse(text.encode(), last)
        except expat.ExpatError as error:
            problem = f"expected well-formed XML; {expat.ErrorString(error.code)} at column {error.offset + 1}"
            raise malformed(self.path, error.lineno, problem) from None
        return self.finished

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Begin a topic, a field of one, or what parts the words inside a field."""
        name = name.lower()
        if self.topic is None:
            if name in TOPIC_ELEMENTS:
                lowered = {key.lower(): value for key, value in attributes.items()}
                self.texts = [""]
                self.topic = Topic(self.parser.CurrentLineNumber, lowered, {"": self.texts})
        elif name not in INLINE:
            self.words(" ")
            self.depth += 1
            if self.depth == 1:
                self.texts = self.topic.fields.setdefault(name, [])
                self.texts.append("")

    def end(self, name: str) -> None:
        """End a topic, a field of one, or what parts the words inside a field."""
        if self.topic is None or name.lower() in INLINE:
            return
        if self.depth == 0:
            self.finished.append(self.topic)
            self.topic = None
            return
        self.depth -= 1
        if self.depth == 0:
            self.texts = self.topic.fields[""]
        self.words(" ")

    def words(self, text: str) -> None:
        """Add text to the field that is open."""
        if self.topic is not None:
            self.texts[-1] += text

    def refuse_entity(self, name: str, *_: object) -> None:
        """Refuse the declaration of an entity."""
        line = self.parser.CurrentLineNumber
        problem = f"expected XML that declares no entities, found one named '{name[:60]}'; write out what it stands for"
        raise malformed(self.path, line, problem)
