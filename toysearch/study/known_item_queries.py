"""Known items: queries made from the texts themselves, each of which should find its own text."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping
from functools import cached_property
from itertools import starmap
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from toysearch.analysis.analyzer import Analyzer
from toysearch.base import (
    ArgumentError,
    Document,
    Qrels,
    Query,
    bordered,
    comparable,
    counted,
    expect,
    expect_name,
    groups_of,
    without_notes,
)
from toysearch.base.documents import BORDER
from toysearch.collection.catalog import with_fields, without_texts
from toysearch.collection.collection import Collection, Queries
from toysearch.collection.document_batches import joined
from toysearch.index.inverted_index import Index
from toysearch.retrieval.snippets import without_title
from toysearch.study.study import Study, StudySource, stored_collection

if TYPE_CHECKING:
    from toysearch.study.study import JudgedLike

__all__ = ["known_items"]


class ItemKind(NamedTuple):
    """Kind of known items: its name in the note, and what a text lacks that gives no query."""

    name: str
    lacking: str


KINDS = {
    "title": ItemKind("their title, which is not searched", "title above a text that does not repeat it"),
    "sentence": ItemKind("their rarest sentence", "sentence of 4 to 12 words"),
    "words": ItemKind("three of their words", "word that other texts lack"),
}

N = 200
"""Default number of queries."""

_SENTENCE = range(4, 13)  # words
_WORD = re.compile(r"\S*[^\W\d_]\S*")
_DRAWN = 3
_FIRST = 1000  # documents that show which kind suits
_END = re.compile(r"(?<=[.!?…])[\"'”’)\]]*\s+|(?<=[。！？])|\n\s*\n|\n(?=\s*[-*+#>|])|" + BORDER)


class ItemSettings(NamedTuple):
    """How known items are made."""

    kind: str = ""  # "" for the first that suits the texts
    n: int = N
    seed: int = 0

    @classmethod
    def parse(cls, text: str) -> ItemSettings:
        """Read settings as they are typed: the kind, then numbers after a colon.

        >>> ItemSettings.parse("words:n=50,seed=3"), ItemSettings.parse("seed=3")
        (ItemSettings(kind='words', n=50, seed=3), ItemSettings(kind='', n=200, seed=3))
        """
        kind, _, numbers = text.rpartition(":") if "=" in text else (text, "", "")
        _expect_kind(kind)
        chosen = {}
        for setting in filter(None, numbers.split(",")):
            name, _, value = setting.partition("=")
            if name not in ("n", "seed") or not value.isdecimal() or (name == "n" and not int(value)):
                raise ArgumentError(
                    "expected a number of queries or a seed after the kind of known items, as in sentence:n=50,seed=1; "
                    f"found '{setting}'"
                )
            chosen[name] = int(value)
        return cls(kind, **chosen)


def _expect_kind(kind: str) -> None:
    if kind:
        expect_name("kind of known items", kind, KINDS, "kinds")


def known_items(source: JudgedLike | StudySource, kind: str = "", n: int = N, seed: int = 0) -> Collection:
    """Return the documents of a source with queries made from some of them, each judged to find its own document.

    The documents are drawn at random, uniformly among those that can give a query; the id of a query is that of its
    document. A query has several relevant documents if these share its title or its sentence, or if their texts are
    equal but for case and white space.

    Known items compare systems on the same texts; they do not say how well people are served, who do not type the
    words of a text that they have not seen. `toysearch docs known-items` has the limits.

    Parameters
    ----------
    source : Collection, Index, Searcher, Study or name
        The documents. For an index, those stored in it.
    kind : {"title", "sentence", "words"}, optional
        ``title``: the title, which is then not searched. ``sentence``: of the sentences of 4 to 12 words, outside the
        title, the one with the highest sum of ln(N / df) over its different words, divided by the number of its words.
        ``words``: 3 different words, drawn one after the other with the probability tf · ln(N / df), divided by its
        sum over the document. Words are those of the usual tokenizer, neither stemmed nor stopped, so that the queries
        do not depend on the analysis under test. By default the title, if at least half of the texts can give one;
        else the sentence; else words.
    n : int, default 200
        The largest number of queries.
    seed : int, default 0
        The seed of the draws.

    Raises
    ------
    ArgumentError
        If the kind is unknown, no document can give a query, or an index stores no texts, or titles are asked of one,
        which cannot leave them out.

    References
    ----------
    Azzopardi, L., de Rijke, M., and Balog, K. Building simulated queries for known-item topics. SIGIR 2007, 455-462.
    ``words`` is their popular and discriminative selection, without their noise, with a fixed length, and without
    replacement.

    Examples
    --------
    >>> items = known_items("cat-dog-parrot", "words", n=2)
    >>> [(query, items.qrels[query.query_id]) for query in items.queries]
    [(Query(query_id='3', text='parrot'), {'3': 1.0}), (Query(query_id='1', text='cat'), {'1': 1.0})]
    """
    expect(int, n=n, seed=seed)
    _expect_kind(kind)
    if n < 1 or seed < 0:
        raise ArgumentError(f"expected at least 1 query and a seed of 0 or more, found n={n} and seed={seed}")
    study = Study.of(source if isinstance(source, Study | StudySource) else StudySource(source, topics=False))
    opened = study.opened()
    texts = study.searched() if opened is None else stored_collection(opened, study.given.name)
    if kind == "title" and opened is not None:
        raise ArgumentError(
            f"{study.given.name} is an index, which cannot leave the titles out of a search: name its collection, or "
            "make the known items by sentence or words"
        )
    if not kind:
        first = texts.documents[:_FIRST]
        kind = "sentence" if any(_sentences(document, texts) for document in first) else "words"
        if opened is None and 2 * sum(bool(_title(document, texts)) for document in first) >= len(first):
            kind = "title"
    return _ItemMaker(texts, kind, seed).collection(n)


def _title_field(collection: Collection) -> str:
    return collection.reading.title if collection.reading is not None else "title"


def _other_fields(collection: Collection) -> list[str]:
    """Return the searched fields without the title."""
    return [name for name in collection.searched_fields if name != _title_field(collection)]


def _below_title(document: Document, collection: Collection) -> str:
    """Return the searched text without the title, as far as they are separate fields."""
    return joined(document.fields, _other_fields(collection)) if document.fields else document.text


def _title(document: Document, collection: Collection) -> str:
    """Return the title; "" if there is no other text, or this begins with the title."""
    if collection.word_counts:
        return ""
    given = document.fields.get(_title_field(collection), "") if document.fields else document.title
    title, text = " ".join(given.split()), _below_title(document, collection)
    return title if text and without_title(text, title) == text else ""


def _sentences(document: Document, collection: Collection) -> list[str]:
    """Return the sentences of 4 to 12 words below the title."""
    if collection.word_counts:
        return []
    texts = _END.split(bordered(_below_title(document, collection)))
    sentences = [" ".join(text.split()) for text in texts]
    return [sentence for sentence in sentences if len(_WORD.findall(sentence)) in _SENTENCE]


class _ItemMaker:
    """Maker of known items of one kind: it draws documents, and makes a query of each."""

    def __init__(self, collection: Collection, kind: str, seed: int) -> None:
        self.documents, self.kind, self.seed, self.rng = collection, kind, seed, np.random.default_rng(seed)
        analyzer = Analyzer.for_language(collection.language, stop="none", stem="none", tokens=collection.tokens)
        with without_notes():
            self.index = Index.build(collection, analyzer, store_text=False, values=())

    def collection(self, n: int) -> Collection:
        """Return the documents with at most n queries and their judgments, and note how they were made."""
        whole, source = self.documents, self.documents.documents
        texts: dict[str, str] = {}
        n_unable = 0
        for number in self.rng.permutation(len(source)).tolist():
            if len(texts) == n:
                break
            text = self._query(source[number])
            n_unable += not text
            if text and text not in texts.values():
                texts[source.doc_ids[number]] = text
        if not texts and whole.word_counts and self.kind != "words":
            raise without_texts(f"a {self.kind} is part of a text (try words)", whole.catalog_name)
        if not texts:
            other = "sentence" if self.kind == "words" else "words"
            none = f"none has a {KINDS[self.kind].lacking}"
            raise ArgumentError(f"no text of {whole.name} gives a known item: {none}; try {other}")
        grades = {doc_id: dict.fromkeys(self._holders(doc_id, text), 1) for doc_id, text in texts.items()}
        title_asks = self.kind == "title" and _title_field(whole) in whole.searched_fields
        searched = with_fields(whole, _other_fields(whole)) if title_asks else whole
        qrels = Qrels(grades)
        qrels.complete = True
        items = searched.with_topics(Queries(starmap(Query, texts.items())), qrels)
        items.known_items = self.kind
        items.grades = f"known items by {self.kind}, seed {self.seed}"
        kind, many = KINDS[self.kind], counted(len(source), "text")
        lacking = f"; {n_unable:,} of those drawn have no {kind.lacking}" if n_unable else ""
        which = "each should find itself" if len(texts) > 1 else "it should find itself"
        how = f"by {kind.name}, seed {self.seed}; {which} (docs known-items)"
        items.tell(f"known items: {len(texts):,} of {many}, {how}{lacking}")
        return items

    def _query(self, document: Document) -> str:
        """Return the query of a document; "" if it can give none."""
        if self.kind == "words":
            return self._drawn_words(document)
        texts = _sentences(document, self.documents) if self.kind == "sentence" else [_title(document, self.documents)]
        text = max(texts, key=self._rarity, default="")
        return text if self.index.analyzer(text) else ""

    def _drawn_words(self, document: Document) -> str:
        counts = sorted(Counter(self.index.analyzer(document[1])).items())
        weights = np.array([tf * self._idf(term) for term, tf in counts])
        n_drawn = min(_DRAWN, int(np.count_nonzero(weights)))
        if not n_drawn:
            return ""
        terms = [term for term, _ in counts]
        drawn = self.rng.choice(terms, n_drawn, replace=False, p=weights / weights.sum())
        return " ".join(drawn.tolist())

    def _idf(self, term: str) -> float:
        df = len(self.index.postings(term).docs)
        return math.log(len(self.index) / df) if df else 0.0

    def _rarity(self, sentence: str) -> float:
        """Sum the idf of the different words of a sentence, and divide it by the number of its words."""
        words = self.index.analyzer(sentence)
        return sum(map(self._idf, dict.fromkeys(words))) / max(1, len(words))

    def _holders(self, doc_id: str, text: str) -> list[str]:
        """Return the document of a query, and all others of which the query is made as well."""
        source = self.documents.documents
        if self.kind == "title":
            return self._by_title.get(comparable(text), [])
        terms = dict.fromkeys(self.index.analyzer(text))
        holders = set.intersection(*({*self.index.postings(term).docs.tolist()} for term in terms))
        key = comparable(text) if self.kind == "sentence" else comparable(source[doc_id][1])
        found = []
        for number in sorted(holders):
            document = source[number]
            texts = _sentences(document, self.documents) if self.kind == "sentence" else [document[1]]
            if key in map(comparable, texts):
                found.append(document.doc_id)
        return found

    @cached_property
    def _by_title(self) -> Mapping[str, list[str]]:
        source = self.documents.documents
        return groups_of(zip(map(comparable, source.titles), source.doc_ids, strict=True))
