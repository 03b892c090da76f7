"""Borders between fields and items of lists: no phrase and no window reaches over one, however an index came about."""

import json
import re
from itertools import product

import pytest
from chosen_way import way
from error_messages import raising
from small_collections import write_files
from stand_in_frames import Frame

from toysearch import Analyzer, Document, Index, Searcher, load
from toysearch.base import GAP, DataError, JoinedText, bordered
from toysearch.index import builder, threaded_builder
from toysearch.query.parser import read
from toysearch.retrieval.matching import Matcher
from toysearch.workbench.shards.sharded_index import ShardedIndex

pytestmark = pytest.mark.system

PETS = {  # doc_id → title, text, tags
    "within": ("Garden", "the old pond and the old frog of the pond", ["green"]),
    "fields": ("Paint it old", "Pond with a frog", ["green"]),
    "items": ("Frog", "nothing here", ["old", "pond", "frog"]),
    "left out": ("House of old", "the pond", ["the old", "the", "the pond"]),
    "without": ("", "old", ["pond"]),
    "stop": ("the", "the old pond", ["the", "old pond", ""]),
    "none": ("!", "", []),
}
PHRASES = {  # query → its words, None for one that is left out, and the width of a window
    '"old pond"': (["old", "pond"], 0),
    '"old the pond"': (["old", None, "pond"], 0),
    '"old pond"~5': (["old", "pond"], 5),
    f'"pond old"~{GAP}': (["old", "pond"], GAP),
    '"frog of the pond"': (["frog", None, None, "pond"], 0),
    '"pond frog"~3': (["pond", "frog"], 3),
}
ANALYZER = Analyzer(stop=["the", "of", "it"])
TAGS = ["title", "text", "tags"]


def words_of(parts):
    """The words of the parts of a text, far from those of another."""
    words = []
    for number, part in enumerate(part for part in parts if part):
        words += [None] * GAP * (number > 0) + re.findall(r"\w\w+", part.lower())
    return words


def count(words, wanted, window):
    """How often a phrase is in a text, or how many windows that begin with one of its words hold them all."""
    if window:
        starts = (words[at : at + window] for at, word in enumerate(words) if word in wanted)
        return sum(all(word in near for word in wanted) for near in starts)
    stretches = (words[at : at + len(wanted)] for at in range(len(words) - len(wanted) + 1))
    return sum(all(asked in (None, word) for word, asked in zip(each, wanted, strict=True)) for each in stretches)


def expected(parts):
    """The frequency of each phrase in each document that has it, by a plain loop over its parts."""
    words = {doc_id: words_of(of_one) for doc_id, of_one in parts.items()}
    return {
        query: {doc_id: tf for doc_id, each in words.items() if (tf := count(each, *phrase))}
        for query, phrase in PHRASES.items()
    }


ALL = {doc_id: (title, text, *tags) for doc_id, (title, text, tags) in PETS.items()}
TWO = {doc_id: parts[:2] for doc_id, parts in ALL.items()}


def counted(index):
    """The frequencies of the phrases in an index."""
    found = {}
    for query in PHRASES:
        terms = Matcher(index).query_terms(read(query, "strict", [], "").tree)
        found[query] = {index.doc_ids[doc]: tf for term in terms.derived for doc, tf in zip(*term[1:3], strict=True)}
    return found


def records():
    """The documents as dicts."""
    return [{"_id": doc_id, "title": title, "text": text, "tags": tags} for doc_id, (title, text, tags) in PETS.items()]


def in_file(name, fields):
    """A collection of the file that a function writes."""
    return lambda folder: load(str(folder / name), fields=fields, topics=False)


def frame(folder):
    """A data frame, whose text is a list."""
    rows = [(doc_id, title, [text, *tags]) for doc_id, (title, text, tags) in PETS.items()]
    doc_ids, titles, texts = map(list, zip(*rows, strict=True))
    return Frame(id=doc_ids, title=titles, text=texts)


LINES = "".join(f"{json.dumps(record)}\n" for record in records())
CSV = "id,title,text\n" + "".join(f'{doc_id},"{title}","{text}"\n' for doc_id, (title, text, _) in PETS.items())
TREC = "".join(
    f"<DOC><DOCNO>{doc_id.replace(' ', '-')}</DOCNO><TITLE>{title}</TITLE><TEXT>{text}</TEXT></DOC>\n"
    for doc_id, (title, text, _) in PETS.items()
)
SOURCES = {  # name → a function of a folder, and the parts of the documents
    "JSON Lines, items": (in_file("pets.jsonl", TAGS), ALL),
    "JSON, items": (in_file("pets.json", TAGS), ALL),
    "JSON Lines, fields": (in_file("pets.jsonl", None), ALL),
    "CSV": (in_file("pets.csv", None), TWO),
    "TREC": (in_file("pets.trec", None), {doc_id.replace(" ", "-"): parts for doc_id, parts in TWO.items()}),
    "records": (lambda folder: records(), ALL),
    "by id": (lambda folder: {record.pop("_id"): record for record in records()}, ALL),
    "documents": (lambda folder: list(in_file("pets.jsonl", TAGS)(folder).documents), ALL),
    "texts by id": (lambda folder: {doc_id: JoinedText.joined(filter(None, of)) for doc_id, of in ALL.items()}, ALL),
    "data frame": (frame, ALL),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the documents in several forms."""
    files = {"pets.jsonl": LINES, "pets.json": json.dumps(records()), "pets.csv": CSV, "pets.trec": TREC}
    return write_files(tmp_path_factory.mktemp("pets"), **files)


@pytest.mark.parametrize("loops", ["compiled", "plain"])
@pytest.mark.parametrize("positions", [False, True])
@pytest.mark.parametrize("name", SOURCES)
def test_phrases_of_each_source_are_those_of_its_parts(name, positions, loops, folder):
    source, parts = SOURCES[name]
    with way(loops):
        index = Index.build(source(folder), ANALYZER, positions=positions)
        assert counted(index) == expected(parts)
        assert counted(index)['"old pond"'].keys() == {"within", "stop"}


def made(folder):
    """The same documents in each way in which an index comes about, and the one built alone."""
    source = in_file("pets.jsonl", TAGS)
    documents = list(source(folder).documents)
    alone = Index.build(source(folder), ANALYZER, positions=True)
    yield "alone", alone
    yield "threads", Index.build(source(folder), ANALYZER, positions=True, threads=3)
    yield "added", Index.build(documents[:3], ANALYZER, positions=True).add(documents[3:])
    more = [Document("x", JoinedText.joined(["old", "pond"])), *documents, Document("y", "old pond")]
    yield "deleted", Index.build(more, ANALYZER, positions=True).delete(["x", "y"])
    alone.save(folder / "saved")
    yield "saved", Index.open(folder / "saved")


@pytest.mark.parametrize("loops", ["compiled", "plain"])
def test_an_index_has_the_same_positions_however_it_came_about(loops, folder):
    with way("compiled"):
        first = dict(Index.build(in_file("pets.jsonl", TAGS)(folder), ANALYZER, positions=True).arrays)
    with way(loops):
        for name, index in made(folder):
            assert counted(index) == expected(ALL), name
            if name != "saved":
                for array in ("positions", "positions_offsets", "position_bits", "holes", "texts", "dl"):
                    assert index.arrays[array].tobytes() == first[array].tobytes(), (name, array)


def test_shards_and_separate_fields_find_the_same(folder):
    source = in_file("pets.jsonl", TAGS)
    documents = list(source(folder).documents)
    parts = [Index.build(some, ANALYZER, positions=True) for some in (documents[:2], documents[2:])]
    sharded = ShardedIndex(parts)
    apart = Index.build(source(folder), ANALYZER, fields=TAGS, positions=True)
    scanned = Index.build(source(folder), ANALYZER, fields=TAGS)
    assert counted(apart) == counted(scanned) == expected(ALL)
    alone = Index.build(source(folder), ANALYZER, positions=True)
    for query, model in product([*PHRASES, "old pond frog"], ["bm25", "sdm(bm25)", "sdm(lm-dirichlet, window=100)"]):
        ranked = [*Searcher(alone, model).search(query, None)]
        for other in (sharded, apart, scanned):
            assert [*Searcher(other, model).search(query, None)] == ranked, (query, model)


def test_frequencies_and_texts_are_those_of_the_joined_text(folder):
    collection = in_file("pets.jsonl", TAGS)(folder)
    plain = Index.build({document.doc_id: str(document.text.replace(" ", " ")) for document in collection.documents})
    index = Index.build(collection)
    assert [*map(str, index.texts)] == [*plain.texts] == [document.text for document in collection.documents]
    for array in ("terms", "df", "cf", "dl", "distinct", "max_tf", "bytes", "postings"):
        if array in index.arrays:
            assert index.arrays[array].tobytes() == plain.arrays[array].tobytes(), array


def test_a_passage_keeps_the_borders_of_its_text(folder):
    model, query = "passages(bm25, words=6, stride=3)", '"old pond"'
    found = Searcher(Index.build(in_file("pets.jsonl", TAGS)(folder), ANALYZER), model).search(query, None)
    assert {*found.doc_ids} == {"within", "stop"}


@pytest.mark.parametrize(
    "analyzer",
    [
        Analyzer(html=True, stop=["the", "of", "it"]),
        Analyzer(tokens="unicode", stop=["the", "of", "it", "a"]),
        Analyzer(tokens="whitespace", stop=["the", "of", "it", "a", "!"]),
        Analyzer(tokens=r"[a-z]{2,}", stop=["the", "of", "it"]),
        Analyzer(tokens=str.split, stop=["the", "of", "it", "a", "!"]),
        Analyzer(cjk=True, fold_accents=True, stop=["the", "of", "it"]),
    ],
    ids=str,
)
def test_borders_hold_for_each_kind_of_tokens(analyzer, folder):
    index = Index.build(in_file("pets.jsonl", TAGS)(folder), analyzer, positions=True)
    scanned = Index.build(in_file("pets.jsonl", TAGS)(folder), analyzer)
    assert counted(index) == counted(scanned)
    assert counted(index)['"old pond"'] == expected(ALL)['"old pond"']


def test_a_token_across_a_border_is_counted_and_has_no_border():
    text = JoinedText.joined(["old", "pond"])
    index = Index.build({"1": text, "2": "old pond"}, Analyzer(tokens=r".+"), positions=True)
    assert [*index.terms] == ["old pond"]
    assert [*index.postings("old pond").docs] == [0, 1]


def test_a_text_keeps_its_borders():
    text = JoinedText.joined(["", "a b", JoinedText.joined(["c", "", "d"])])
    assert text == " a b c  d"
    assert JoinedText.of(bordered(text)).borders == text.borders
    assert bordered(text).split("\x1f") == ["", "a b", "c", "", "d"]
    assert type(JoinedText.joined(["one"])) is str


@pytest.mark.parametrize("loops", ["compiled", "plain"])
def test_more_positions_than_32_bits_hold_are_refused(loops, monkeypatch):
    for module in (builder, threaded_builder):
        monkeypatch.setattr(module, "GAP", 2**31)
    documents = [Document("1", JoinedText.joined(["red", "lamp"]))]
    with (
        way(loops),
        raising(DataError, "a document has more than 2,147,483,647 positions; make several documents of it"),
    ):
        Index.build(documents, positions=True)
