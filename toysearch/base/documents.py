"""Documents and queries: what is searched, and what with.

Start with `Document` and `Query`, records whose ids are always strings. `CountedWords` stands for a text of which only
the counts of words are known.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import accumulate, pairwise
from typing import Any, NamedTuple, Protocol

from toysearch.base.wording import cut

__all__ = ["Document", "Query"]

_SHOWN = 60  # characters of a text in a repr


class CountedWords(str):
    """Word counts instead of a text: its words, each as often as it occurs, and its length in UTF-8 bytes.

    >>> CountedWords.joined(["the the cat", CountedWords("dog", 7)]).size
    19
    """

    size: int

    def __new__(cls, words: str, size: int) -> CountedWords:
        """Take the words of a text of this length."""
        text = super().__new__(cls, words)
        text.size = size
        return text

    @classmethod
    def joined(cls, parts: Iterable[str]) -> CountedWords:
        """Join the words of several texts, which have one blank between them; an empty text takes no part."""
        parts = list(parts)
        if len(parts) == 1 and isinstance(parts[0], CountedWords):
            return parts[0]
        sizes = [part.size if isinstance(part, CountedWords) else len(part.encode()) for part in parts]
        return cls(" ".join(filter(None, parts)), sum(sizes) + max(sum(map(bool, sizes)) - 1, 0))

    def __bool__(self) -> bool:
        return self.size > 0

    def __reduce__(self) -> tuple[type[CountedWords], tuple[str, int]]:
        return CountedWords, (str(self), self.size)


BORDER = "\x1f"
"""Character between the parts of a searched text, as in an index: the unit separator of ASCII."""

GAP = 100
"""Number of positions left free at a border, so that no phrase, and no window of so many words, reaches over it."""


class JoinedText(str):
    r"""Texts of several fields, or items of a list, as one: with a blank between two of them, which is a border.

    >>> text = JoinedText.joined(["The red lamp", JoinedText.joined(["harbour", "pier"])])
    >>> text, bordered(text)
    ('The red lamp harbour pier', 'The red lamp\x1fharbour\x1fpier')
    """

    borders: tuple[int, ...] = ()  # where its parts begin, but for the first

    @classmethod
    def joined(cls, parts: Iterable[str]) -> str:
        """Join texts."""
        return cls.of(BORDER.join(map(bordered, parts)))

    @classmethod
    def of(cls, text: str) -> str:
        """Read a text with a `BORDER` between its parts; one without it is returned as it is."""
        if BORDER not in text:
            return text
        joined = cls(text.replace(BORDER, " "))
        joined.borders = tuple(accumulate(len(part) + 1 for part in text.split(BORDER)[:-1]))
        return joined


def bordered(text: str) -> str:
    """Return a text with a `BORDER` between its parts."""
    if not (borders := getattr(text, "borders", ())):
        return text
    return BORDER.join([text[start : end - 1] for start, end in pairwise((0, *borders, len(text) + 1))])


class Document(NamedTuple):
    """Document: its id, the text that is searched, a title to show, and all fields unchanged.

    Where documents are given, one is read as the dict of its parts, so that its title is searched too, unless that is
    in a field already.

    >>> Document("d1", "How to train a cat", title="Cats")
    Document(doc_id='d1', text='How to train a cat', title='Cats')
    """

    doc_id: str
    text: str
    title: str = ""
    fields: Mapping[str, str] = {}

    def __repr__(self) -> str:
        words = self[1]  # of word counts there is no text
        text = f"<{len(words.split())} words>" if isinstance(words, CountedWords) else repr(cut(words, _SHOWN))
        parts = [f"doc_id={self.doc_id!r}", f"text={text}"]
        parts += [f"title={cut(self.title, _SHOWN)!r}"] if self.title else []
        parts += [f"fields={{{', '.join(map(repr, self.fields))}}}"] if self.fields else []
        return f"Document({', '.join(parts)})"


class Query(NamedTuple):
    """Query: its id and its text.

    >>> Query("1", "train cat").text
    'train cat'
    """

    query_id: str
    text: str


class QueryWithFields(Query):
    """Query of a data frame or of a dict, with the fields that it has beside its id."""

    fields: Mapping[str, str] = {}

    @classmethod
    def of(cls, query_id: str, fields: Mapping[str, str]) -> QueryWithFields:
        """Make the query of a record."""
        query = cls(query_id, fields["text"])
        query.fields = fields
        return query


class UnmatchedQuery(Query):
    """Query that its collection declares to match no document, so that no note repeats it."""


class Frame(Protocol):
    """Data frame, such as those of pandas and polars: it has columns, accessed by name."""

    @property
    def columns(self) -> Any:
        """Column names."""
        ...

    def __getitem__(self, name: Any, /) -> Any: ...
