"""Synonyms of several words against texts rewritten beforehand by a regular expression: one index, to the last byte."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_collections import contents

from toysearch import Analyzer, Document, Index, Searcher
from toysearch.base import JoinedText
from toysearch.retrieval.snippets import snippet

SYNONYMS = {
    "water boiler": "kettle",
    "hot water boiler": "urn",
    "water boiler bill": "invoice",
    "bill of sale": "receipt",
    "tea kettle": "pot",
    "boiler": "tank",
}
OPTIONS = {"stem": "english", "stop": ["the", "of"], "tokens": "word1"}
JOINED = Analyzer(synonyms=SYNONYMS, **OPTIONS)
ONE_BY_ONE = Analyzer(synonyms={"boiler": "tank"}, **OPTIONS)
RUNS = {
    "urn": "hot waters? (boiler|tanks?)",
    "invoice": "waters? (boiler|tanks?) bills?",
    "kettle": "waters? (boiler|tanks?)",
    "receipt": "bills? of sales?",
    "pot": "teas? kettles?",
}
ANY_RUN = "|".join(rf"(?P<{word}>\b{run}\b)".replace(" ", r"\W+") for word, run in RUNS.items())

SINGLE = (
    "hot",
    "water",
    "waters",
    "boiler",
    "tank",
    "tanks",
    "tea",
    "kettle",
    "kettles",
    "bills",
    "of",
    "sale",
    "electric",
)
WORDS = [*SINGLE, *SYNONYMS, "the", "teas", "sales"]
TEXTS = st.lists(
    st.tuples(st.sampled_from(WORDS), st.sampled_from([" ", " ", " ", "-", ", ", "; "])), min_size=1, max_size=12
).map(lambda pairs: "".join(word + sign for word, sign in pairs).strip(" -,;"))
DOCUMENTS = st.lists(st.tuples(TEXTS, TEXTS), min_size=2, max_size=6)


def by_hand(text: str) -> str:
    """Rewrite the runs of a text, the longest from the left."""
    return re.sub(ANY_RUN, lambda match: str(match.lastgroup), text)


def rows_of(documents, change=str):
    return [
        Document(str(number), JoinedText.joined([change(title), change(text)]), change(title))
        for number, (title, text) in enumerate(documents)
    ]


def built(documents, analyzer, change=str, **options):
    return Index.build(rows_of(documents, change), analyzer, **options)


def bytes_of(index, folder):
    """Return the files of an index by name, without its description and the lengths of texts."""
    index.save(folder)
    files = {name.rpartition("-")[0]: data for name, data in contents(folder).items()}
    return {name: data for name, data in files.items() if name not in ("", "bytes")}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("joined")


@given(TEXTS)
def test_terms_are_those_of_the_rewritten_text(text):
    for grams in ({}, {"ngrams": (1, 2)}, {"char_ngrams": (3, 4)}):
        joined, one_by_one = Analyzer(synonyms=SYNONYMS, **OPTIONS, **grams), ONE_BY_ONE
        expected = Analyzer(synonyms={"boiler": "tank"}, **OPTIONS, **grams)(by_hand(text))
        assert joined(text) == expected
        kept = [term for term in joined.steps(text)[-1].tokens if term is not None]
        assert kept == expected
        assert joined.tokenizer(text) == one_by_one.tokenizer(by_hand(text))


@given(DOCUMENTS, st.booleans())
def test_an_index_is_that_of_the_rewritten_texts(folder, documents, positions):
    options = {"store_text": False, "positions": positions}
    joined, expected = built(documents, JOINED, **options), built(documents, ONE_BY_ONE, by_hand, **options)
    files = bytes_of(joined, folder / "joined")
    assert files == bytes_of(expected, folder / "expected")
    assert len(files) > 10

    first, *rest = rows_of(documents)
    Index.build([first], JOINED, **options).save(folder / "joined")
    added = Index.open(folder / "joined").add(rest)
    assert bytes_of(added, folder / "joined") == files


@given(DOCUMENTS, st.lists(st.sampled_from(WORDS), min_size=1, max_size=5), st.sampled_from(["bm25", "lm-dirichlet"]))
def test_queries_rank_as_among_the_rewritten_texts(folder, documents, words, model):
    built(documents, JOINED).save(folder / "saved")
    joined = Searcher(Index.open(folder / "saved"), model)
    with_positions = Searcher(built(documents, JOINED, positions=True), model)
    expected = Searcher(built(documents, ONE_BY_ONE, by_hand), model)
    text = " ".join(words)
    pairs = [(text, by_hand(text)), (f'"{text}"', f'"{by_hand(text)}"'), (f"{text} -zebra", f"{by_hand(text)} -zebra")]
    pairs += [(f"{text} +electric", f"{by_hand(text)} +electric")]
    for asked, rewritten in pairs:
        ranking = [(hit.doc_id, hit.score) for hit in expected.search(rewritten)]
        assert [(hit.doc_id, hit.score) for hit in joined.search(asked)] == ranking
        assert [(hit.doc_id, hit.score) for hit in with_positions.search(asked)] == ranking


@given(TEXTS, st.sampled_from([*RUNS]))
def test_marks_cover_each_run_as_a_whole(text, word):
    shown, spans = snippet(text, set(JOINED(word)), JOINED, width=1000)
    expected = []
    for match in re.finditer(rf"{ANY_RUN}|\w+", shown):
        if match.lastgroup == word or match[0].rstrip("s") == word:
            expected.append(match.span())
    assert spans == expected
