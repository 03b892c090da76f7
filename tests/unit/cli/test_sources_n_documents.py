"""Measures that need N, the number of documents: every command takes it from the collection or the index."""

import pytest
from shell import done, refusal, run

import toysearch

TWO = ("--model", "bm25", "--model", "tfidf")
COMMANDS = {
    "eval": ("-m", "Fallout@1"),
    "eval --explain": ("--explain", "Fallout@1", "--query-id", "1"),
    "compare": (*TWO, "-m", "Fallout@1"),
    "eval --convention all": ("--convention", "all", "-m", "Fallout@1"),
    "diff": (*TWO, "-m", "Fallout@1"),
    "tune": ("--grid", "k1=1,2", "-m", "Fallout@1"),
    "ablate": ("-m", "Fallout@1"),
    "robustness": ("-m", "Fallout@1"),
}


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    """An index of cat-dog-parrot from which one of its four documents was deleted."""
    folder = tmp_path_factory.mktemp("made") / "pets.idx"
    done("index", "cat-dog-parrot", "-o", folder)
    done("delete", folder, "4")
    return folder


@pytest.mark.parametrize("name", COMMANDS)
def test_a_collection_is_counted(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text("def rank(tf, df, N):\n    return tf * N / df\n")
    command, *_ = name.split()
    counted = done(command, "cat-dog-parrot", *COMMANDS[name]).stdout
    given = [argument.replace("Fallout@1", "Fallout(N=4)@1") for argument in COMMANDS[name]]
    assert counted == done(command, "cat-dog-parrot", *given).stdout
    assert "Fallout(N=4)@1" in counted


@pytest.mark.parametrize("name", ["eval", "compare", "diff", "tune", "ablate"])
def test_of_an_index_its_own_documents_count(name, index):
    assert "Fallout(N=3)@1" in run(name, index, *COMMANDS[name]).stdout


@pytest.mark.parametrize("name", ["eval", "eval --explain", "compare", "eval --convention all", "diff"])
def test_runs_alone_are_refused(name, tmp_path):
    files = [tmp_path / each for each in ("mine.run", "other.run", "judged.qrels")]
    for run_file in files[:2]:
        run_file.write_text("1 Q0 1 1 3 mine\n")
    files[2].write_text("1 0 1 1\n")
    command, *_ = name.split()
    given = files[1:] if name.startswith("eval") else files
    options = [each for each in COMMANDS[name] if each not in TWO]
    options = options if command != "compare" else [*options, "--qrels", files[2]]
    assert refusal(command, *(given[:-1] if command == "compare" else given), *options) == (
        "toysearch: Fallout needs N, the number of documents in the collection: Fallout(N=…)[@k]"
    )


def test_a_typed_ranking_has_no_collection():
    assert refusal("score", "R I R", "--relevant", "2", "--explain", "Fallout@5") == (
        "toysearch: Fallout needs N, the number of documents in the collection: Fallout(N=…)[@k]"
    )
    assert "0.25" in done("score", "R I R", "--relevant", "2", "-m", "Fallout(N=6)@5").stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_another_number_than_that_of_the_collection_is_refused(name):
    command, *_ = name.split()
    given = [argument.replace("Fallout@1", "Fallout(N=1400)@1") for argument in COMMANDS[name]]
    assert refusal(command, "cat-dog-parrot", *given) == (
        "toysearch: Fallout(N=1400)@1: the collection has 4 documents; write Fallout(N=4)@1"
    )


def test_where_no_collection_is_known_a_number_is_taken():
    run, judged = {"1": ["1", "2"]}, toysearch.load("cat-dog-parrot").qrels
    assert toysearch.evaluate(run, judged, "TN(N=1400)@1").means["TN(N=1400)@1"] > 1000


def test_in_python():
    found = toysearch.compare(["bm25", "tfidf"], "cat-dog-parrot", "Fallout@1")
    assert [str(measure) for measure in found.measures] == ["Fallout(N=4)@1"]
    assert toysearch.tune("bm25", "cat-dog-parrot", {"k1": [1, 2]}, "Fallout@1").measure == "Fallout(N=4)@1"
    collection = toysearch.load("cat-dog-parrot")
    evaluator = toysearch.Evaluator(
        toysearch.Index.build(collection), collection.judged_queries, collection.qrels, "Fallout", parameters={"N": 9}
    )
    assert list(evaluator("bm25").means) == ["Fallout(N=9)"]
