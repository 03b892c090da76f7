"""The structure of a query decides which documents match, under every ranker."""

import numpy as np
import pytest
from tiers import exhaustive

import toysearch
from toysearch import Index, Searcher, explain
from toysearch.models.rankers import ADDED
from toysearch.query.parser import parse
from toysearch.retrieval.matching import Matcher

QUERIES = [
    '"guinea pig"',
    '"guinea pig" food',
    '"guinea zebra" food',
    '"guinea zebra"',
    "+cat dog",
    "cat -dog",
    "NOT dog",
    "guin*",
    "#syn(cat puppy) -dog",
    "+date:[2010 TO 2012] cat",
    "date:>=2015",
    "title:cat",
]
RANKERS = [
    *toysearch.MODELS,
    *(f"{name}(bm25)" for name in ADDED),
    "lsa:20",
    "rrf(bm25, lsa:20)",
    "0.5*min-max(bm25) + 0.5*min-max(lsa:20)",
    "rrf(bm25, rm3(bm25))",
    "rm3(sdm(bm25))",
]
QUICK = ["bm25", "cosine", "lsa:20", "rrf(bm25, lsa:20)", "rm3(bm25)"]
pytestmark = pytest.mark.system


@pytest.fixture(scope="module")
def index():
    pets = toysearch.load("companions")
    return Index.build(pets, positions=True, values=["date"], fields=["title", "text"])


@pytest.fixture(scope="module")
def dense(index, tmp_path_factory):
    folder = tmp_path_factory.mktemp("vectors")
    np.save(folder / "v.npy", np.random.default_rng(0).normal(size=(len(index), 8)).astype("float32"))
    (folder / "v.ids").write_text("\n".join(index.doc_ids) + "\n")
    (folder / "encoder.py").write_text("import numpy as np\n\n\ndef ones(text):\n    return np.ones(8)\n")
    return f"dense:{folder}/v.npy,queries={folder}/encoder.py:ones"


def check(index, ranker):
    searcher = Searcher(index, ranker)
    for query in QUERIES:
        expected = {index.doc_ids[doc] for doc in Matcher(index).matches(parse(query).tree)}
        found = searcher.search(query, None).doc_ids
        assert ({*found}, len(found)) == (expected, len(expected)), (ranker, query)
        for doc_id in [*found[:1], "p001"]:
            why = explain(searcher, searcher.terms(query), doc_id)
            assert (why.score is None) == (doc_id not in expected), (ranker, query, doc_id)


@pytest.mark.parametrize(
    "ranker", [*QUICK, *(pytest.param(each, marks=exhaustive) for each in RANKERS if each not in QUICK)]
)
def test_every_ranker_finds_what_the_structure_allows(index, ranker):
    check(index, ranker)


def test_vectors_of_the_user_find_what_the_structure_allows(index, dense):
    check(index, dense)
    assert len(Searcher(index, dense).search("guinea pig", None)) == len(index)


def test_topics_rank_by_the_words_of_phrases_and_patterns(index):
    searcher = Searcher(index, "lsa:20")
    ranked = {
        query: dict(zip(*columns(searcher.search(query, None)), strict=True))
        for query in ("guinea pig", '"guinea pig"')
    }
    assert len(ranked["guinea pig"]) > len(ranked['"guinea pig"']) == 14
    for doc_id, score in ranked['"guinea pig"'].items():
        assert score == pytest.approx(ranked["guinea pig"][doc_id])


def columns(ranking):
    return ranking.doc_ids, ranking.scores.tolist()
