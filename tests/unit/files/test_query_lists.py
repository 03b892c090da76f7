"""Judgments in files that are named after queries, each with a list of documents: read in the place of judgments."""

import shutil
from pathlib import Path

import pytest
from captured_notes import noted
from shell import done, refusal, run

import toysearch
from toysearch.base.errors import ArgumentError, DataError
from toysearch.files import lists_by_query

RUN = "q1 Q0 oak 1 2.5 x\nq1 Q0 elm 2 1.5 x\n3 Q0 ash 1 2.5 x\n"
TREES = ["oak", "elm", "ash"]
GRADES = {"3": {"ash": 1}, "q1": {"elm": 2, "oak": 0}}
RELEVANT = {query_id: dict.fromkeys(grades, 1) for query_id, grades in GRADES.items()}
SEPARATORS = {"blank": " ", "tab": "\t", "comma": ",", "semicolon": ";"}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("mine.run").write_text(RUN)
    Path("trees.jsonl").write_text("".join(f'{{"_id": "{tree}", "text": "a tall {tree} tree"}}\n' for tree in TREES))
    Path("asked.tsv").write_text("q1\telm\n3\tash\n")
    Path("asked.jsonl").write_text('{"_id": "q1", "text": "elm"}\n{"_id": "3", "text": "ash"}\n')


def write(grades, between=None, name="{}.txt", place="REL"):
    """Write the judgments of each query into a file of its own; between: what stands before a grade, if any."""
    Path(place).mkdir(parents=True)
    for query_id, of_query in grades.items():
        lines = [doc_id if between is None else f"{doc_id}{between}{grade}" for doc_id, grade in of_query.items()]
        Path(place, name.format(query_id)).write_text("".join(f"{line}\n" for line in lines))


@pytest.mark.parametrize("name", ["{}.txt", "{}", "{}.csv"])
@pytest.mark.parametrize("between", SEPARATORS)
def test_lists_of_grades(between, name):
    write(GRADES, SEPARATORS[between], name)
    with noted() as notes:
        assert toysearch.read_qrels("REL").to_dict() == GRADES
    assert notes == ["REL: 3 judgments; query by the names of 2 files"]


@pytest.mark.parametrize("path", ["REL", Path("REL"), "REL/", "REL/*", "R*/*.txt"])
def test_lists_of_relevant_documents(path):
    write(RELEVANT)
    assert toysearch.read_qrels(path).to_dict() == RELEVANT


COMMANDS = [
    "eval mine.run {} -m RR",
    "eval mine.run --qrels {} -m RR",
    "eval trees.jsonl --queries asked.tsv --qrels {} -m RR",
    "eval trees.idx {} --queries asked.tsv -m RR",
    "compare mine.run theirs.run {} -m RR --tsv",
    "compare trees mine.run --model bm25 --queries asked.tsv --qrels {} -m RR --tsv",
    "compare trees mine.run {} --model bm25 --queries asked.tsv -m RR --tsv",
    "diff mine.run theirs.run {} -m RR --format json",
    "check mine.run {}",
    "judge pool mine.run --judged {}",
    "judge agree mine={} theirs={}",
    "eval described -m RR",
    "check described",
    "convert described --to trec -o converted",
]
RECIPE = """format = "jsonl"
[[files]]
role = "documents"
path = "trees.jsonl"
[[files]]
role = "queries"
path = "asked.jsonl"
[[files]]
role = "qrels"
path = "{}"
"""


def printed(command, judged):
    """What a command prints, with judgments at a path."""
    Path("described/collection.toml").write_text(RECIPE.format(judged))
    shutil.rmtree("converted", ignore_errors=True)
    result = run(*command.replace("{}", judged).split())
    assert result.exit_code == 0, result.output
    written = [path.read_text() for path in sorted(Path("converted").rglob("*.trec"))]
    lines = result.stdout.replace(judged, "JUDGED").splitlines()
    return [line for line in lines if " judgments read; " not in line], written


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_takes_the_folder_as_it_takes_a_file(command):
    Path("theirs.run").write_text(RUN.replace("elm 2 1.5", "elm 2 3.5"))
    write(GRADES, " ")
    Path("file.qrels").write_text("3 0 ash 1\nq1 0 elm 2\nq1 0 oak 0\n")
    for name in ("trees", "described"):
        Path(name).mkdir()
    for tree in TREES:
        Path("trees", tree).write_text(f"tall {tree}\n")
    for name in ("trees.jsonl", "asked.jsonl", "file.qrels"):
        shutil.copy(name, "described")
    shutil.copytree("REL", "described/REL")
    done("index", "trees.jsonl", "-o", "trees.idx")
    assert printed(command, "REL") == printed(command, "file.qrels")


def test_python_takes_the_folder():
    write(GRADES, ",")
    assert toysearch.evaluate("mine.run", "REL", ["RR"])["RR"] == 0.75  # 1/2 and 1/1
    compared = toysearch.compare({"mine": "mine.run", "none": {"q1": ["fir"]}}, "REL", measures=["RR"])
    assert "0.7500" in str(compared)
    assert toysearch.Collection("trees", {"oak": "an oak"}, qrels="REL").qrels.to_dict() == GRADES


def test_a_list_without_a_document_is_a_query_without_a_relevant_one():
    write({**RELEVANT, "7": {}})
    Path("REL/8.txt").write_text("\n \n")
    with noted() as notes:
        assert toysearch.read_qrels("REL").to_dict() == {**RELEVANT, "7": {}, "8": {}}
    assert notes == ["REL: 3 judgments; 2 without a document; query by the names of 4 files"]


def test_a_query_may_have_several_files():
    write({"q1": {"oak": 2}}, "\t")
    Path("REL/q1.tsv").write_text("elm\t1\noak\t2\n")
    assert toysearch.read_qrels("REL").to_dict() == {"q1": {"oak": 2, "elm": 1}}
    Path("REL/q1.csv").write_text("oak,1\n")
    with pytest.raises(DataError, match="'oak' have grade 2 here and 1 in REL"):
        toysearch.read_qrels("REL")


REFUSED = {
    "a grade is missing": (
        {"3": "ash 1\n", "q1": "oak\n"},
        "REL/q1:1: expected 2 columns (doc_id relevance), found 1: 'oak'",
    ),
    "a list without grades beside it": (
        {"3": "ash\nelm one two\n"},
        "REL/3:2: expected 1 column (doc_id), found 3: 'elm one two'",
    ),
    "a word": ({"3": "ash 1\nelm high\n"}, "REL/3:2: expected a number as relevance, found 'high'"),
    "other text": (
        {"3": "ash\n", "README": "see the notes\n"},
        "REL/README:1: expected 1 column (doc_id), found 3: 'see the notes'",
    ),
    "two grades": ({"3": "ash 1\nash 2\n"}, "REL/3:2: query '3' and document 'ash' have grade 2 here and 1 on line 1"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_does_not_fit_is_refused_with_its_line(case):
    files, said = REFUSED[case]
    Path("REL").mkdir()
    for name, text in files.items():
        Path("REL", name).write_text(text)
    with pytest.raises(DataError) as refused:
        toysearch.read_qrels("REL")
    assert str(refused.value).startswith(said)
    assert refusal("eval", "mine.run", "REL").startswith(f"toysearch: {said}")


OTHERS = {
    "TREC lines beside texts": {"a.txt": "oak\n", "b.txt": "ash\n", "qrels.txt": "q1 0 a.txt 1\n"},
    "pairs": {"q1.txt": "q1 oak\n", "3.txt": "3 ash\n"},
    "pairs of numbers": {"1.txt": "1 184\n1 29\n", "2.txt": "2 12\n"},
    "texts": {"a.txt": "a tall oak\n", "b.txt": "a small elm\n"},
    "folders": {"a.txt": "oak\n", "more/b.txt": "elm\n"},
    "a collection": {"a.txt": "oak\n", "collection.toml": 'format = "folder"\n'},
    "nothing": {},
}


@pytest.mark.parametrize("case", OTHERS)
def test_what_is_no_folder_of_lists_stays_what_it_was(case):
    Path("REL").mkdir()
    for name, text in OTHERS[case].items():
        Path("REL", name).parent.mkdir(exist_ok=True)
        Path("REL", name).write_text(text)
    assert lists_by_query("REL") == []
    with pytest.raises(DataError):
        toysearch.read_qrels("REL")
    assert "named after its query" not in run("eval", "mine.run", "REL").output


@pytest.mark.parametrize(("judged", "found"), [("oak.txt", "oak"), ("oak", "oak.txt")])
def test_ids_that_differ_by_a_suffix_are_asked_about(judged, found):
    Path("mine.run").write_text(RUN.replace("oak", found).replace("elm", "fir").replace("ash", "yew"))
    write({"q1": {judged: 1}, "3": {"larch.txt": 1}})
    said = f"REL/q1.txt:1: found the document '{judged}', which is '{found}' in mine.run; write the ids alike"
    assert refusal("eval", "mine.run", "REL") == f"toysearch: {said}"
    write({"q1": {"oak.5": 1}}, place="OTHER")  # a number is no suffix
    assert run("eval", "mine.run", "OTHER").exit_code == 0


def test_links_out_of_a_described_folder_are_refused(tmp_path):
    write(RELEVANT, place="described/REL")
    for name in ("trees.jsonl", "asked.jsonl"):
        shutil.copy(name, "described")
    Path("described/collection.toml").write_text(RECIPE.format("REL"))
    Path("described/REL/z.txt").symlink_to(tmp_path / "asked.tsv")
    with pytest.raises(DataError, match=r"z\.txt leads out of described"):
        toysearch.load("described")


def test_columns_without_names_cannot_be_named():
    write(RELEVANT)
    with pytest.raises(ArgumentError, match="has no columns with names; leave out"):
        toysearch.read_qrels("REL", columns="doc=tree")


@pytest.mark.parametrize("given", ["runs {}", "runs --qrels {}", "mine.run {}", "runs lists {}", "lists --qrels {}"])
@pytest.mark.parametrize("judged", ["REL", "LISTS", "file.qrels"])
def test_a_ranking_for_each_query_is_scored_by_judgments_for_each_query(given, judged):
    order = {"q1": {"oak": 2.5, "elm": 1.25}, "3": {"ash": 2.5}}
    write(order, " ", place="runs")
    write(order, place="lists")
    write(GRADES, " ")
    write({"3": {"ash": 1}, "q1": {"elm": 1}}, place="LISTS")
    Path("file.qrels").write_text("3 0 ash 1\nq1 0 elm 2\nq1 0 oak 0\n")
    lines = done("eval", *given.format(judged).split(), "-m", "RR", "--tsv").stdout.splitlines()[1:]
    assert {line.split("\t")[1] for line in lines} == {"0.75"}
