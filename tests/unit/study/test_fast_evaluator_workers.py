"""Experiments with workers give the results of one process, on all that workers can read for themselves."""

import json

import numpy as np
import pytest
from local_workers import WorkersHere
from small_shards import build_shards, same
from tiers import exhaustive

import toysearch
from toysearch import Collection, Document, Index, Qrels, Query, Searcher, compare, robustness, tune
from toysearch.base.errors import ArgumentError

MODELS = ["bm25", "rm3(tfidf)"]
PETS = toysearch.load("cat-dog-parrot")


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """One index in a folder, and the same documents in shards."""
    made = tmp_path_factory.mktemp("indexes")
    Index.build(PETS, folder=made / "one")
    build_shards("cat-dog-parrot", made / "shards", shards=2)
    return made


@pytest.fixture(params=["shards", "a name", pytest.param("a file", marks=exhaustive), "one index"])
def source(request, folders, tmp_path, monkeypatch):
    """What a user names."""
    if request.param == "a name":
        (tmp_path / "cat-dog-parrot").mkdir()  # a name means the collection, not this
        monkeypatch.chdir(tmp_path)
        return "cat-dog-parrot"
    if request.param == "a file":
        lines = [{"id": each.doc_id, "text": each.text} for each in PETS.documents]
        (tmp_path / "docs.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        monkeypatch.chdir(tmp_path)
        return toysearch.load("docs.jsonl").with_topics(PETS.queries, PETS.qrels, 0.5)
    return Index.open(folders / ("one" if request.param == "one index" else "shards"))


def test_comparisons_are_the_same(source):
    client = WorkersHere()
    expected, found = compare(MODELS, source, "AP"), compare(MODELS, source, "AP", client=client)
    assert client.sent
    assert found.systems == expected.systems
    assert all(same(found.runs[name], expected.runs[name]) for name in expected.systems)
    assert (found.means, found.pairs) == (expected.means, expected.pairs)
    assert str(found) == str(expected)


def test_searches_for_parameters_are_the_same(source):
    client, grid = WorkersHere(), {"k1": "0.5,1,2", "b": "0.2,0.8"}
    expected, found = tune("bm25", source, grid, "RR"), tune("bm25", source, grid, "RR", client=client)
    assert len(client.sent) >= 6
    assert str(found) == str(expected)
    for first, second in zip(expected.trials, found.trials, strict=True):
        assert first.setting == second.setting
        assert np.array_equal(first.per_query, second.per_query)


@pytest.mark.system
def test_scorecards_are_the_same(source, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "words.txt").write_text("cat, kitten\n")
    client, told, how = WorkersHere(), [], {"only": "semantic,length", "thesaurus": "words.txt"}
    expected = robustness(MODELS, source, **how)
    found = robustness((each for each in MODELS), source, client=client, progress=told.append, **how)
    assert len(client.sent) == 2
    assert found.data() == expected.data()


def test_an_index_searches_its_shards_here_again(folders):
    index = Index.open(folders / "shards")
    client = WorkersHere()
    compare(["bm25"], index, "AP", client=client)
    sent = len(client.sent)
    assert sent == 2
    Searcher(index).search("cat")
    assert len(client.sent) == sent


def in_memory():
    """An index that is in no folder."""
    return Index.build(PETS)


def made_here():
    """A collection that is in no file."""
    return Collection("pets", [Document("1", "a cat")], [Query("1", "cat")], Qrels.from_dict({"1": {"1": 1}}))


NO_FILES = "the documents of 'pets' are not in files, which workers could read; name a collection, a folder or a file"
NO_FOLDER = (
    "the index is in the memory of this process only, where workers cannot read it; save it to a folder and open that "
    "(Index.open)"
)
ONE_BY_ONE = "workers evaluate settings one by one: give a client or threads, not both"
ONLY_MODELS = "index, queries, k, threads and client apply only to models; runs are compared as they are"


@pytest.mark.parametrize(
    ("experiment", "said"),
    [
        (lambda client: compare(["bm25"], made_here(), "AP", client=client), NO_FILES),
        (lambda client: robustness("bm25", made_here(), client=client), NO_FILES),
        (lambda client: tune("bm25", made_here().with_topics(), grid={"b": "0,1"}, folds=2, client=client), None),
        (lambda client: compare(["bm25"], in_memory(), "AP", client=client), NO_FOLDER),
        (lambda client: tune("bm25", "cat-dog-parrot", grid={"b": "0"}, index=in_memory(), client=client), NO_FOLDER),
        (lambda client: tune("bm25", "cat-dog-parrot", grid={"b": "0,1"}, threads=2, client=client), ONE_BY_ONE),
        (lambda client: compare([{"1": ["1"]}], {"1": {"1": 1}}, "AP", client=client), ONLY_MODELS),
    ],
)
def test_what_workers_cannot_do_is_refused(experiment, said):
    client = WorkersHere()
    with pytest.raises(ArgumentError) as refused:
        experiment(client)
    assert said is None or str(refused.value) == said
    assert not client.sent
