"""Collections of any text come back from each layout as they were."""

import tempfile
import warnings
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from toysearch import Index
from toysearch.base import Document, Qrels, Query
from toysearch.collection import catalog
from toysearch.collection.collection import Collection
from toysearch.collection.convert import TARGETS, convert
from toysearch.collection.judged_queries import are_texts

pytestmark = pytest.mark.system

# U+001F is the border between the parts of a searched text.
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x1f"), max_size=40)
MARKUP = st.lists(
    st.sampled_from(["<", ">", "&", "&amp;", "&#13;", "</TEXT>", "<DOC>", "<!--", "-->", "<b>", "</top>", "Topic:",
                     "<![CDATA[", "\r", "\n", "\r\n", "\t", " ", "\x00", "\u2028", '"', "\\", "cat", "é", "\ufeff"]),
    max_size=8,
).map("".join)  # fmt: skip
ANY = TEXTS | MARKUP
# Ids that every layout can carry: no white space.
IDS = st.text(st.characters(exclude_categories=["Cs", "Zs", "Zl", "Zp", "Cc"]), min_size=1, max_size=6)
NAMES = st.sampled_from(
    ["author", "Author", "date", "head", "b", "p", "text_", "body", "docno", "_id", "x y", "é", "num", "by", "header"]
)
FIELDS = st.dictionaries(NAMES, ANY, max_size=3)
GRADES = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-2, 4).map(float)


@st.composite
def collections(draw: st.DrawFn) -> tuple[Collection, list[Document]]:
    """A collection of a few documents, queries and judgments; and its documents as they were given."""
    doc_ids = draw(st.lists(IDS, min_size=1, max_size=4, unique=True))
    query_ids = draw(st.lists(IDS, max_size=3, unique=True))
    documents = [Document(doc_id, draw(ANY), draw(ANY), draw(FIELDS)) for doc_id in doc_ids]
    for _, _, title, fields in documents:  # a title in a field has been read, and is searched if the text has it
        assume(not title or one_line(title) not in map(one_line, fields.values()))
    queries = [Query(query_id, draw(ANY)) for query_id in query_ids]
    pairs = (
        draw(st.dictionaries(st.sampled_from(query_ids), st.dictionaries(st.sampled_from(doc_ids), GRADES)))
        if (query_ids)
        else {}
    )
    qrels = Qrels.from_dict({query_id: grades for query_id, grades in pairs.items() if grades})
    language = draw(st.sampled_from(["none", "german"]))
    return Collection("any", documents, queries, qrels, title=draw(ANY), language=language), documents


def copied(collection: Collection, to: str) -> Collection:
    """The collection as it reads when it has been written."""
    with tempfile.TemporaryDirectory() as place, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        after = catalog.load(convert(collection, to=to, folder=Path(place, "copy")))
        assert after.documents
        return after


def one_line(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("to", ["beir", "jsonl"])
@given(made=collections())
def test_json_lines_carry_any_text(to: str, made: tuple[Collection, list[Document]]) -> None:
    collection, documents = made
    after = copied(collection, to)
    assert [(d.doc_id, d.text) for d in after.documents] == [(d.doc_id, d.text) for d in collection.documents]
    assert after.documents.titles == [one_line(title) for title in collection.documents.titles]
    assert [sorted(d.fields.values()) for d in after.documents] == [
        sorted([*d.fields.values(), d.title, d.text]) for d in documents
    ]
    assert list(after.queries) == list(collection.queries)
    assert list(after.qrels) == list(collection.qrels)
    assert (after.title, after.language) == (collection.title, collection.language)


MARKED_UP = [Document("&lt;", "a &lt; b\r\n\r", "", {"head": "x"})]


@given(made=collections())
@example((Collection("any", MARKED_UP, [Query("<q>", "<b> &amp;")]), MARKED_UP))
def test_trec_carries_any_text_but_for_white_space(made: tuple[Collection, list[Document]]) -> None:
    collection, documents = made
    with_text = [(query_id, one_line(text)) for query_id, text in collection.queries if text.strip()]
    # A topic has some text; without any topic, judgments of queries that are called by words are read as their texts.
    assume(with_text or not are_texts(collection.qrels.query_ids))
    after = copied(collection, "trec")
    texts = [(d.doc_id, " ".join(filter(None, [d.title.strip(), d.text.strip()]))) for d in documents]
    assert [(d.doc_id, d.text) for d in after.documents] == texts
    assert after.documents.titles == [one_line(title) for title in collection.documents.titles]
    assert [d.fields["text"] for d in after.documents] == [d.text.strip() for d in documents]
    held = [sorted(f for n, f in d.fields.items() if n not in ("title", "text")) for d in after.documents]
    assert held == [sorted(text.strip() for text in d.fields.values() if text.strip()) for d in documents]
    assert list(after.queries) == with_text
    assert list(after.qrels) == list(collection.qrels)
    assert (after.title, after.language) == (collection.title, collection.language)


def kept(documents: list[Any], folder: Path) -> list[dict[str, bytes]]:
    """Bytes of the files of an index, of one with fields apart, and of a collection in two layouts."""
    Index.build(documents).save(folder / "index")
    Index.build(documents, fields=["title", "text"]).save(folder / "fields")
    collection = Collection("any", documents)
    places = [folder / "index", folder / "fields", *(convert(collection, to=to, folder=folder / to) for to in TARGETS)]
    return [{path.name: path.read_bytes() for path in place.rglob("*") if path.is_file()} for place in places]


@given(records=st.dictionaries(IDS, st.tuples(ANY, ANY), min_size=1, max_size=4))
def test_a_document_is_read_as_the_dict_of_its_parts(records: dict[str, tuple[str, str]]) -> None:
    dicts = [{"doc_id": doc_id, "title": title, "text": text} for doc_id, (title, text) in records.items()]
    documents = [Document(**parts) for parts in dicts]
    with tempfile.TemporaryDirectory() as place, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert kept(documents, Path(place, "documents")) == kept(dicts, Path(place, "dicts"))
