"""Every command that measures, on every way to name documents or runs with their queries and judgments."""

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner
from shell import refusal
from tiers import thinned

import toysearch
from toysearch.cli.main import command
from toysearch.collection.queries import read_queries

TWO = ["--model", "bm25", "--model", "tfidf"]
MEASURING: dict[str, list[str]] = {
    "eval": ["-m", "AP"],
    "compare": [*TWO, "-m", "AP"],
    "diff": TWO,
    "tune": ["--grid", "k1=0.5,1", "--folds", "2"],
    "ablate": [],
    "robustness": ["--only", "spelling"],
    "report": [*TWO, "-m", "AP", "--json"],
    "search": ["--query-id", "1"],
    "explain": ["--query-id", "1", "--doc", "1"],
}
SCORING = {"eval": ["-m", "AP"], "compare": ["-m", "AP"], "diff": [], "check": [], "eval --bounds": []}
N_RUNS = {"compare": 2, "diff": 2}


def run(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(command, list(arguments))
    return result.exit_code, result.stdout, result.stderr


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The collection as a folder, as an index without a name, and its parts as files."""
    folder = tmp_path_factory.mktemp("pets")
    pets = toysearch.load("cat-dog-parrot")
    toysearch.convert(pets, to="jsonl", folder=folder / "own")
    toysearch.Index.build(pets).save(folder / "named.idx")
    toysearch.Index.build(toysearch.load(folder / "own" / "documents.jsonl")).save(folder / "own.idx")
    topics = "".join(f"{each.query_id},{each.text}\n" for each in pets.queries)
    (folder / "topics.csv").write_text("query_id,text\n" + topics)
    toysearch.write_qrels(pets.qrels, folder / "qrels.txt")
    for name in ("bm25", "tfidf"):
        toysearch.write_run(toysearch.Searcher(pets, name).run(pets.queries), folder / f"{name}.run")
    (folder / "mine.py").write_text("def rank(tf, df, N):\n    return tf * N / df\n")
    return folder


@pytest.fixture
def pets(written: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A working folder that holds them."""
    monkeypatch.chdir(shutil.copytree(written, tmp_path / "pets"))


@pytest.mark.system
@pytest.mark.parametrize("name", thinned(MEASURING, 2))
def test_a_collection_by_its_name_and_an_index_by_files_give_the_same(pets, name: str) -> None:
    files = ["--queries", "topics.csv", "--qrels", "qrels.txt"]
    by_name = ["--queries", "cat-dog-parrot", "--qrels", "cat-dog-parrot"]
    rel = [] if name in ("search", "explain") else ["--threshold", "0.5"]
    sources = {
        "index and files": ["own.idx", *files, *rel],
        "index and names": ["own.idx", *by_name],
        "named index": ["named.idx"],
        "folder and files": ["own", *files, *rel],
        "documents and names": ["own/documents.jsonl", *by_name],
        "named and files": ["cat-dog-parrot", *files, *rel],
    }
    if name in ("eval", "compare", "diff"):
        sources["index and collection"] = ["own.idx", "cat-dog-parrot"]
        sources["index and judgments"] = ["own.idx", "qrels.txt", "--queries", "topics.csv", *rel]
        sources["collection and judgments"] = ["cat-dog-parrot", "qrels.txt", *rel]
    expected = run(name, "cat-dog-parrot", *MEASURING[name])
    assert expected[0] == 0, expected
    for how, source in sources.items():
        found = run(name, *source, *MEASURING[name])
        assert found[0] == 0, (how, found)
        if name != "report":
            kept = _numbers(found[1]), _numbers(expected[1])
            assert kept[0] == kept[1] != [], how


def _numbers(text: str) -> list[str]:
    """The lines with figures in them, without what an index leaves out, and how many are tested with it (ablation)."""
    without = "stop", "stem", "title", "t test"
    return [line for line in text.splitlines() if line[:1].isalnum() and not line.startswith(without)]


@pytest.mark.parametrize("name", SCORING)
def test_runs_with_a_file_or_a_collection_in_every_spelling(pets, name: str) -> None:
    runs = ["bm25.run", "tfidf.run"][: N_RUNS.get(name, 1)]
    rel = [] if name == "check" else ["--threshold", "0.5"]
    spellings = {
        "file last": [*runs, "qrels.txt", *rel],
        "file first": ["qrels.txt", *runs, *rel],
        "--qrels file": [*runs, "--qrels", "qrels.txt", *rel],
        "collection last": [*runs, "cat-dog-parrot"],
        "collection first": ["cat-dog-parrot", *runs],
        "folder first": ["own", *runs, *rel],
        "--qrels collection": [*runs, "--qrels", "cat-dog-parrot"],
        "--qrels folder": [*runs, "--qrels", "own", *rel],
    }
    found = {how: run(*name.split(), *given, *SCORING[name])[:2] for how, given in spellings.items()}
    if name == "check":  # which also says what was read of a file
        of_file = {how: text.startswith("qrels.txt: 12 judgments read; ") for how, (_, text) in found.items()}
        assert of_file == {how: "file" in how for how in found}
        found = {how: (code, "") for how, (code, _) in found.items()}
    assert set(found.values()) == {(0, found["file last"][1])}


RUN_AND_JUDGMENTS = ["check", "compare", "diff", "eval", "eval --bounds", "eval --convention all"]
RUN_AND_JUDGMENTS += ["report --chart pr -o pr.html"]


@pytest.mark.parametrize("command", RUN_AND_JUDGMENTS)
def test_judgments_are_named_once(pets, command) -> None:
    for twice in ("qrels.txt", *["own"] * (command != "check")):
        assert run(*command.split(), "bm25.run", twice, "--qrels", "qrels.txt")[2].endswith(
            f"Error: the judgments are given twice, as {twice} and by --qrels qrels.txt\n"
        )


DRAWN = pytest.param(RUN_AND_JUDGMENTS[-1], marks=pytest.mark.system)


@pytest.mark.parametrize("command", [*RUN_AND_JUDGMENTS[1:-1], DRAWN])
def test_a_collection_without_judgments_is_replaced_by_a_file_of_them(pets, command) -> None:
    Path("two.run").write_text(Path("bm25.run").read_text().replace("bm25", "two"))
    runs = ["bm25.run", *["two.run"] * (command in ("compare", "diff"))]
    Path("texts").mkdir()
    Path("texts", "1.txt").write_text("a cat")
    code, _, said = run(*command.split(), *runs, "texts")
    said = said.splitlines()[-1]
    assert (code, said) == (
        2,
        "toysearch: texts has no judgments to score against; name a file of judgments in its place",
    )
    assert run(*command.split(), *runs, "qrels.txt")[0] == 0


FORMS = {
    "topics.xml": "<topics><topic number='1'><title>train cat</title></topic></topics>",
    "topics.trec": "<top>\n<num> Number: 1\n<title> train cat\n</top>\n",
    "q.qry": ".I 1\n.W\ntrain cat\n",
    "q.tsv": "query_id\ttext\n1\ttrain cat\n",
    "q.csv": "qid,query\n1,train cat\n",
    "q.jsonl": json.dumps({"_id": "1", "text": "train cat"}) + "\n",
    "plain.txt": "1\ttrain cat\n",
    "colon.txt": "1: train cat\n",
}


@pytest.mark.parametrize("name", FORMS)
def test_queries_of_every_format(pets, name: str) -> None:
    Path(name).write_text(FORMS[name])
    assert list(read_queries(name)) == [("1", "train cat")]
    code, out, _ = run("run", "own.idx", "--queries", name, "-o", "-")
    assert (code, out.split()[:3]) == (0, ["1", "Q0", "1"])


@pytest.mark.parametrize("name", ["eval", "compare", "diff"])
def test_a_file_of_documents_with_judgments(pets, name: str) -> None:
    """Judgments after the documents are those of --qrels; of columns that nobody knows, the only text is searched."""
    texts = {"p1": "usb cable", "p2": "mouse pad", "p3": "cat mouse"}
    for file, header in (("known.csv", "id,title,text"), ("unknown.csv", "product_id,blurb")):
        cells = "{0},x,{1}" if header.count(",") == 2 else "{0},{1}"
        Path(file).write_text(f"{header}\n" + "".join(cells.format(*item) + "\n" for item in texts.items()))
    Path("judged.csv").write_text("query,product_id,grade\nusb cable,p1,2\nmouse,p2,1\nmouse,p3,1\n")
    options = [*MEASURING[name], *(["--model", "bm25"] if name == "eval" else [])]  # else it is no run
    given = run(name, "known.csv", "judged.csv", *options)
    assert given[0] == 0
    assert given == run(name, "known.csv", "--qrels", "judged.csv", *options)
    code, printed, said = run(name, "unknown.csv", "judged.csv", *options)
    assert code == 0
    assert "; searched: blurb" in said
    columns = ["--columns", "id=product_id,text=blurb"]
    assert run(name, "unknown.csv", "judged.csv", *options, *columns)[:2] == (0, printed)


@pytest.mark.parametrize("name", [name for name in MEASURING if name not in ("search", "explain")])
@pytest.mark.parametrize(("option", "value"), [("--threshold", "9"), ("-m", "AP(rel=9)")])
def test_a_grade_that_no_judgment_reaches_is_refused(name, option, value) -> None:
    """Instead of a table of zeros."""
    said = refusal(name, "cat-dog-parrot", *MEASURING[name], option, value)
    named = value if option == "-m" else "threshold"
    assert f": {named}: no judgment has a grade of 9 or above, the highest is 1; nothing could be relevant" in said


@pytest.mark.parametrize("name", ["eval", "compare", "diff"])
def test_runs_are_scored_by_judgments_that_name_queries_by_their_texts(pets, name: str) -> None:
    Path("a.run").write_text("1 Q0 k 1 2 a\n1 Q0 l 2 1 a\n2 Q0 l 1 2 a\n")
    Path("b.run").write_text("1 Q0 l 1 2 b\n1 Q0 k 2 1 b\n2 Q0 l 1 2 b\n")
    Path("needs.csv").write_text("No;Search term\n1;tea kettle\n2;red lamp\n")
    Path("by_text.csv").write_text("query_id,doc_id,relevance\ntea kettle,k,3\nred lamp,l,2\n")
    Path("by_id.csv").write_text("query_id,doc_id,relevance\n1,k,3\n2,l,2\n")
    files = ("a.run", "b.run", "--queries", "needs.csv", "--qrels")
    code, printed, said = run(name, *files, "by_text.csv")
    assert (code, printed) == run(name, *files, "by_id.csv")[:2]
    assert "the judgments name 2 queries by their texts" in said


def test_judgments_name_documents_and_queries_by_the_field_of_their_column(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("docs.csv").write_text("id,sku,text\n1,3,red lamp\n2,1,two wheels\n3,2,an owl\n")
    Path("asked.csv").write_text("id,qid,query\n1,2,lamp\n2,1,owl\n")
    Path("judged.csv").write_text("qid,sku,relevance\n2,3,1\n1,2,1\n")
    given = ("eval", "docs.csv", "--queries", "asked.csv", "--qrels", "judged.csv", "-m", "AP", "--tsv")
    _, found, told = run(*given)
    assert found.split()[-1] == "1.0"
    assert "the judgments name 2 documents by their skus" in told
    Path("judged.csv").write_text("qid,sku,relevance\n2,4,1\n1,2,1\n")  # one that no document has
    assert "by their sku" not in run(*given)[2]
