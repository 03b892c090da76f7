"""A searcher, its model and its results in other processes: pickled and read back, and sent to a spawned worker."""

import copy
import multiprocessing
import pickle

import pytest
from error_messages import raising

import toysearch
from toysearch import MODELS, Index, Searcher, model
from toysearch.base.errors import ArgumentError

TEXTS = ["the lamp is on the shelf", "a shelf and a lamp and a chair", "the chair", "lamps of a chair"]
IN_MEMORY = (
    "another process opens an index from its folder, and this one is only in memory: index.save('my.idx'), "
    "then Index.open('my.idx')"
)


@model
def counted_once(tf):
    return tf / tf


def scaled(tf, *, by=1.0):
    return tf * by


def again(value):
    return pickle.loads(pickle.dumps(value))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("pickled")
    Index.build(TEXTS, fields=["text"]).save(path / "texts.idx")
    (path / "mine.py").write_text("def rank(tf, *, k=2.0):\n    return tf / (tf + k)\n")
    return path


RANKERS = [
    *sorted(set(MODELS) - {"bm25f"}),
    "bm25:k1=0.1,b=0.3",
    "new=bm25:b=0.4",
    "rm3(bm25:k1=2, docs=2)",
    "0.7*bm25 + 0.3*min-max(tfidf)",
    "bm25@2 >> cosine",
    "formula:tf/(tf+k):k=1.2",
    counted_once,
    scaled,
    model(scaled).bind(by=3.0),
]


@pytest.mark.parametrize("ranker", RANKERS, ids=lambda ranker: getattr(ranker, "__name__", str(ranker)))
def test_a_searcher_of_a_saved_index_answers_the_same_where_it_is_read_back(folder, ranker):
    searcher = Searcher(folder / "texts.idx", ranker, memory=12345)
    other = again(searcher)
    assert (str(other.model), other.index.folder) == (str(searcher.model), (folder / "texts.idx").resolve())
    assert other.model == searcher.model
    assert [*other.search("lamp chair")] == [*searcher.search("lamp chair")]


def test_a_function_of_a_file_is_found_again_in_its_file(folder):
    searcher = Searcher(folder / "texts.idx", model(f"{folder / 'mine.py'}:rank:k=3"))
    other = again(searcher)
    assert other.model.parameters == {"k": 3.0}
    assert [*other.search("lamp chair")] == [*searcher.search("lamp chair")]


def test_an_index_in_memory_says_how_it_can_be_sent():
    for value in (index := Index.build(TEXTS), Searcher(index)):
        with raising(ArgumentError, IN_MEMORY):
            pickle.dumps(value)


def test_rankings_and_runs_keep_ids_and_scores(folder):
    searcher = Searcher(folder / "texts.idx")
    ranking, run = searcher.search("lamp", offset=1), searcher.run({"1": "lamp", "2": "chair", "3": "nothing"})
    assert [*again(ranking)] == [*ranking]
    assert again(ranking)[0].rank == 2
    for other in (again(run), copy.copy(run)):
        assert (other.name, other.to_dict(), other.query_ids) == (run.name, run.to_dict(), run.query_ids)
        assert not other.values.flags.writeable
    judged = toysearch.Qrels({"1": {"1": 1}})
    assert toysearch.evaluate(again(run), again(judged), "RR").means == toysearch.evaluate(run, judged, "RR").means


def test_a_spawned_worker_searches(folder):
    searcher = Searcher(folder / "texts.idx")
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        [ranking] = pool.map(searcher.search, ["lamp"])
    assert [*ranking] == [*searcher.search("lamp")]


def test_a_copy_of_a_searcher_in_memory_has_the_same_index() -> None:
    searcher = Searcher(Index.build(["a red lamp", "a harbour"]), "bm25:b=0.5")
    assert copy.copy(searcher.index) is searcher.index
    for duplicate in (copy.copy(searcher), copy.deepcopy(searcher)):
        assert duplicate.index is searcher.index
        assert duplicate.search("lamp").scores.tolist() == searcher.search("lamp").scores.tolist()
