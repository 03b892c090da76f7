"""Models × analyses × fields × indexes in the shell, each combination a system; and where only one may be given."""

import json

import pytest
from shell import done, every_command, refusal

from toysearch import Analyzer, Index, Searcher, evaluate, load, write_run

pytestmark = pytest.mark.usefixtures("bundled_read_once")
NAME = "companions"


def mean(analyzer, model="bm25", fields=None):
    """AP of a model on an index made for it alone."""
    collection = load(NAME, fields=fields)
    run = Searcher(Index.build(collection, Analyzer.parse(analyzer)), model).run(collection.judged_queries)
    return evaluate(run, collection.qrels, "AP", threshold=collection.threshold)["AP"]


def means(*words):
    """System → AP, as a command prints them."""
    data = json.loads(done(*words, "--json").stdout)
    found = data["systems"] if words[0] == "eval" else data["means"]
    if isinstance(found, dict):
        return found
    return {row["system"]: row["measures"]["AP"] if "measures" in row else row["AP"] for row in found}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("indexes")
    for name in ("plain", "english"):
        Index.build(load(NAME), Analyzer.parse(name)).save(folder / f"{name}.idx")
    write_run(Searcher(Index.open(folder / "plain.idx")).run(load(NAME).judged_queries), folder / "plain.run")
    return folder


def test_every_combination_is_a_system():
    words = ["--model", "bm25", "--model", "dice", "--analyzer", "plain", "--analyzer", "english"]
    found = means("eval", NAME, *words, "--fields", "title", "--fields", "title,text", "-m", "AP")
    for model in ("bm25", "dice"):
        for analyzer in ("plain", "english"):
            for fields in ("title", "title,text"):
                expected = mean(analyzer, model, fields)
                assert found.pop(f"{model} · {analyzer} · {fields}") == pytest.approx(expected, abs=1e-12)
    assert not found


@pytest.mark.parametrize(
    ("words", "systems"),
    [
        (["--analyzer", "plain", "--analyzer", "english"], {"bm25 · plain": "plain", "bm25 · english": "english"}),
        (["--language", "german", "--language", "english"], {"bm25 · german": "german", "bm25 · english": "english"}),
        (["--model", "bm25", "--model", "bm25 · plain"], {"bm25": "english", "bm25 · plain": "plain"}),
        (
            ["--analyzer", "plain", "--model", "bm25", "--model", "bm25 | english"],
            {"bm25": "plain", "bm25 · english": "english"},
        ),
    ],
)
def test_each_system_has_its_own_analysis(words, systems):
    found = means("eval", NAME, *words, "-m", "AP")
    assert found == {name: pytest.approx(mean(analyzer), abs=1e-12) for name, analyzer in systems.items()}


def test_synonyms_are_told_by_a_short_name(tmp_path):
    (tmp_path / "pets.txt").write_text("couch => sofa\nsettee => sofa\n")
    analyzer = f"english:synonyms={tmp_path / 'pets.txt'}"
    found = means("eval", NAME, "--analyzer", "english", "--analyzer", analyzer, "-m", "AP")
    assert found == {
        "bm25 · english": pytest.approx(mean("english"), abs=1e-12),
        "bm25 · english+synonyms": pytest.approx(mean(analyzer), abs=1e-12),
    }


def test_compare_corrects_for_all_of_them():
    text = done("compare", NAME, "--model", "bm25", "--model", "dice", "--language", "de", "--language", "en").stdout
    assert "p and CI corrected (holm) for 9 comparisons" in " ".join(text.split())  # three measures, three systems


def test_indexes_are_systems_named_by_their_folders(folder):
    indexes = [folder / "plain.idx", folder / "english.idx"]
    expected = {f"bm25 · {name}.idx": pytest.approx(mean(name), abs=1e-12) for name in ("plain", "english")}
    assert means("eval", *indexes, "-m", "AP") == expected
    assert means("eval", *indexes, NAME, "-m", "AP") == expected
    assert means("eval", *indexes, "--queries", NAME, "--qrels", NAME, "-m", "AP", "--model", "bm25") == expected
    assert [*means("eval", *indexes, "-m", "AP", "--model", "dice", "--model", "dph")] == [
        f"{model} · {name}.idx" for model in ("dice", "dph") for name in ("plain", "english")
    ]


def test_diff_takes_two_of_them(folder):
    by_index = done("diff", folder / "plain.idx", folder / "english.idx", "--top", 1).stdout
    by_analysis = done("diff", NAME, "--analyzer", "plain", "--analyzer", "english", "--top", 1).stdout
    assert by_index.replace(".idx", "") == by_analysis
    assert "joined: cat and cats → cat; moved p307" in by_analysis


def test_a_report_names_the_index_of_each():
    words = ["report", NAME, "--analyzer", "plain", "--analyzer", "english", "--json", "-m", "AP"]
    repeat = json.loads(done(*words).stdout)["repeat"]
    assert repeat["index of bm25 · plain"]["analyzer"] == "plain"
    assert repeat["models"]["bm25 · english"] == "bm25:k1=1.2,b=0.75,k3=none · english"


def test_gate_takes_them(tmp_path):
    (tmp_path / "relevance.toml").write_text(
        f'collection = "{NAME}"\nmodel = "bm25 | plain"\n[[expect]]\nmeasure = "AP"\nat_least = 0.32\n'
    )
    assert (
        "AP of bm25 | plain on companions is at least 0.32: 0.3275" in done("gate", tmp_path / "relevance.toml").stdout
    )


def test_tune_tries_analyzers():
    several = done("tune", NAME, "--analyzer", "plain", "--analyzer", "english", "--grid", "b=0.3,0.75").stdout
    grid = done("tune", NAME, "--analyzer", "plain", "--grid", "analyzer=plain,english", "--grid", "b=0.3,0.75").stdout
    assert several == grid
    data = json.loads(done("tune", NAME, "--grid", "analyzer=plain,english:stem=porter,html", "--json").stdout)
    assert data["grid"]["analyzer"] == ["plain", "english:stem=porter,html"]
    values = {row["setting"]["analyzer"]: row["value"] for row in data["settings"] if row["setting"].get("k1") == 1.2}
    for analyzer, value in values.items():
        assert value == pytest.approx(mean(analyzer), abs=1e-12)


SEVERAL = ["--analyzer", "plain", "--analyzer", "english"]
MANY = [word for n in range(25) for word in ("--model", f"bm25:b=0.{n:02}")]
REFUSED = [
    (
        ["search", NAME, "cat", *SEVERAL],
        "--analyzer is given 2 times, and takes one value here: leave out the others; eval and compare take several",
    ),
    (["run", NAME, "-o", "x.run", "--language", "de", "--language", "en"], "--language is given 2 times"),
    (["tune", NAME, "--fields", "title", "--fields", "text"], "--fields is given 2 times"),
    (["search", NAME, "cat", "--model", "bm25 · english"], "'bm25 · english' is a system"),
    (["compare", NAME, *SEVERAL, "--language", "de"], "--analyzer describes the whole analysis: leave out --language"),
    (["compare", NAME, *SEVERAL, "--model", "bm25", "--model", "bm25 · plain"], "'bm25 · plain' has its own analyzer"),
    (["compare", NAME, "--model", "bm25"], "a comparison needs at least two systems, found 1; repeat --model"),
    (
        ["compare", NAME, "--model", "bm25", "--analyzer", "plain", "--analyzer", "plain"],
        "a comparison needs at least two",
    ),
    (["diff", NAME, *SEVERAL, "--model", "bm25", "--model", "dice"], "give two models to compare, not 4"),
    (
        ["compare", NAME, *MANY, *SEVERAL],
        "25 models × 2 analyses are 50 systems, and at most 24 are compared at once",
    ),
    (
        ["compare", "plain.idx", *SEVERAL],
        "an index stores its own analysis, here plain: systems with another one need the collection; name it instead",
    ),
    (
        ["compare", "english.idx", *SEVERAL],
        "'english.idx' is an index, which stores its own analysis: --analyzer cannot",
    ),
    (
        ["compare", "plain.idx", "english.idx", "plain.run"],
        "plain.idx and english.idx: indexes are compared without run files",
    ),
]


@pytest.mark.parametrize(("words", "message"), REFUSED, ids=range(len(REFUSED)))
def test_wrong_use_is_refused(words, message, folder, monkeypatch):
    monkeypatch.chdir(folder)
    assert message in refusal(*words)


def test_indexes_of_other_documents_are_refused(folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs.jsonl").write_text('{"_id": "p001", "text": "cat"}\n')
    done("index", "docs.jsonl", "-o", "b.idx")
    message = (
        "b.idx lacks 399 of the documents of plain.idx, such as 'p002'; systems are compared on the same documents"
    )
    assert message in refusal("compare", folder / "plain.idx", "b.idx", NAME)


def test_every_command_takes_several_of_both_or_one_of_each():
    several = {"analyzer": set(), "fields": set(), "models": set()}
    for name, command in every_command():
        for option in command.params:
            if option.name in several and getattr(option, "multiple", False):
                several[option.name].add(name)
    systems = {"eval", "compare", "diff", "report", "judge rejudge"}
    assert several["fields"] == systems
    assert several["analyzer"] == {*systems, "tune"}
    assert several["models"] >= systems


EVERY = ["eval", "compare", "diff", "report --json", "judge rejudge --by grades.csv", "tune --grid b=0,1"]


@pytest.mark.parametrize("line", EVERY)
def test_each_of_them_ranks_by_both(line, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"1,{number},{grade}\n" for number, grade in ((1, 1), (2, 0), (3, 1)))
    (tmp_path / "grades.csv").write_text(f"query_id,doc_id,grade\n{rows}")
    shown = done(*line.split(), "cat-dog-parrot", *SEVERAL).stdout
    assert "plain" in shown
    assert "english" in shown
