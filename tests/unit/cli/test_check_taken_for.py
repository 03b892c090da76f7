"""What a file is taken for: the same is said by `check` and by every command that reads it, with --notes."""

import json
import re
import shutil

import numpy as np
import pytest
from binary_files import workbook
from shell import done, every_command, refusal, run

from toysearch.files.claims import USES
from toysearch.files.recognise import kind_of, rows_in, what_is

DOCUMENTS = {
    "d.jsonl": '{"_id": "d1", "text": "tall oak"}\n{"_id": "d2", "text": "small elm"}\n',
    "d.csv": "doc_id,text\nd1,tall oak\nd2,small elm\n",
    "d.all": ".I d1\n.W\ntall oak\n.I d2\n.W\nsmall elm\n",
}
QUERIES = {
    "q.tsv": "t1\toak\n",
    "q.jsonl": '{"query_id": "t1", "text": "oak"}\n',
    "q.topics": "<top>\n<num> Number: t1\n<title> oak\n</top>\n",
}
QRELS = {
    "trec.txt": "t1 0 d1 1\nt1 0 d2 0\n",
    "sheet.csv": "query,docid,rating\nt1,d1,1\nt1,d2,0\n",
    "grades.jsonl": '{"query_id": "t1", "doc_id": "d1", "grade": 1}\n',
    "grades.letor": "1 qid:t1 # d1\n0 qid:t1 # d2\n",
}
RUNS = {
    "trec.run": "t1 Q0 d1 1 2.5 x\nt1 Q0 d2 2 1.5 x\n",
    "table.csv": "qid,docid,score\nt1,d1,2.5\nt1,d2,1.5\n",
    "hits.json": json.dumps({"t1": {"hits": [{"_id": "d1", "_score": 2.5}, {"_id": "d2", "_score": 1.5}]}}),
}
SHEETS = {
    "blank.csv": "query_id,doc_id,relevance,reason,text\nt1,d1,,,tall oak\nt1,d2,0,,small elm\n",
    "book.csv": "query,docid,Ada,Ben\noak,d1,2,1\noak,d2,0,0\n",
    "umbrela.jsonl": '{"query": "oak", "passage": "tall oak", "judgment": 2}\n',
}
OTHER_USES = {
    "shown.csv": ("a click log", "session,query,rank,doc,clicked\n1,oak,1,d1,1\n1,oak,2,d2,0\n"),
    "class.jsonl": (
        "a log of the grades of judges",
        '{"time": "", "judge": "ada", "query_id": "t1", "doc_id": "d1", "grade": 2}\n',
    ),
    "noted.jsonl": (
        "a log of the grades of judges",
        '{"time": "", "judge": "ada", "query_id": "t1", "note": "a tree"}\n'
        '{"time": "", "judge": "ada", "query_id": "t1", "doc_id": "d1", "grade": 2}\n',
    ),
    "thumbs.jsonl": (
        "a log of thumbs",
        '{"time": "", "voter": "ada", "query_id": "t1", "doc_id": "d1", "vote": "up"}\n',
    ),
    "dense.jsonl": ("a file of vectors", '{"_id": "d1", "vector": [1, 0]}\n{"_id": "d2", "vector": [0, 1]}\n'),
    "embedded.json": ("a file of vectors", '[{"id": 1, "embedding": [1, 0]}]\n'),
    "dense.npy": ("a file of vectors", None),
    "bm25.eval": ("a table of measures", "map     \tall\t0.75\nP_10    \tall\t0.2\n"),
}
NOUNS = {
    **dict.fromkeys(DOCUMENTS, "documents"),
    **dict.fromkeys(QUERIES, "queries"),
    **dict.fromkeys(QRELS, "judgments"),
    **dict.fromkeys(RUNS, "a run"),
}
NOUNS |= dict.fromkeys(SHEETS, "judgments")
FILES = DOCUMENTS | QUERIES | QRELS | RUNS
COMMANDS = [
    "search DOCUMENTS oak",
    "run DOCUMENTS --queries QUERIES -o -",
    "explain DOCUMENTS d1 --query oak",
    "similar DOCUMENTS d1",
    "eval DOCUMENTS --queries QUERIES --qrels QRELS -m RR",
    "compare DOCUMENTS --queries QUERIES --qrels QRELS --model bm25 --model tfidf",
    "index DOCUMENTS -o made.idx",
    "corpora show DOCUMENTS",
    "eval RUNS QRELS -m RR",
    "compare RUNS other.run QRELS",
    "diff RUNS other.run QRELS",
    "fuse RUNS other.run",
    "judge pool RUNS other.run",
    "clicks interleave RUNS other.run",
    "judge agree QRELS other=QRELS",
    "judge merge QRELS",
    "judge rejudge RUNS other.run QRELS --by grades.letor",
    "gate RUNS-QRELS.toml",
    "query oak DOCUMENTS",
    "textbook relevance DOCUMENTS oak",
]
OTHERS = "serve report add tune ablate robustness learn convert check verify"
"""Commands with --notes that read as one of those does."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("taken")
    for name, text in FILES.items():
        (folder / name).write_text(text)
    for name, text in SHEETS.items():
        (folder / name).write_text(text)
    for name, (_, text) in OTHER_USES.items():
        if text is not None:
            (folder / name).write_text(text)
    for run_file in (*RUNS, *OTHER_USES):
        for judged in (*QRELS, *OTHER_USES):
            gate = f'run = "{run_file}"\nqrels = "{judged}"\n[[expect]]\nmeasure = "AP"\nat_least = 0\n'
            (folder / f"{run_file}-{judged}.toml").write_text(gate)
    np.save(folder / "dense.npy", np.eye(2))
    (folder / "other.run").write_text("t1 Q0 d2 1 2.5 y\nt1 Q0 d1 2 1.5 y\n")
    return folder


@pytest.fixture(autouse=True)
def place(folder, monkeypatch):
    monkeypatch.chdir(folder)


OF_EACH = {"DOCUMENTS": "d.jsonl", "QUERIES": "q.tsv", "QRELS": "trec.txt", "RUNS": "trec.run"}
"""Part of a line → the file that stands there in the lines of other parts."""


def cells():
    """A command line with a file, and the name of the file."""
    for command in COMMANDS:
        for part, files in {"DOCUMENTS": DOCUMENTS, "QUERIES": QUERIES, "QRELS": QRELS, "RUNS": RUNS}.items():
            if part in command:
                others = {each: name for each, name in OF_EACH.items() if each != part}
                for name in files:
                    line = command.replace(part, name)
                    for each, usual in others.items():
                        line = line.replace(each, usual)
                    yield line, name


@pytest.mark.parametrize(("line", "name"), [*cells()])
def test_each_command_says_what_it_took_a_file_for_if_asked(line, name):
    said = f"note: {name} is taken for {NOUNS[name]}"
    shutil.rmtree("made.idx", ignore_errors=True)
    told = run(*line.split(), "--notes")
    assert told.exit_code == 0, told.output
    assert told.stderr.count(said) == 1, told.stderr
    if name in OF_EACH.values() and not line.startswith("index"):
        assert "is taken for" not in done(*line.split()).stderr


def test_every_command_with_the_option_is_here():
    having = {name for name, each in every_command() if any("--notes" in option.opts for option in each.params)}
    groups = ("corpora", "judge", "clicks", "textbook")
    tried = {" ".join(line.split()[: 1 + line.startswith(groups)]) for line in COMMANDS}
    assert having == tried | {name.replace("-", " ") for name in OTHERS.split()}


@pytest.mark.parametrize("name", [*(name for name in FILES if name not in QUERIES), *SHEETS])
def test_check_says_it_first(name):
    result = run("check", name)
    assert result.stderr.splitlines()[0].startswith(f"{name} is taken for {NOUNS[name]}")


def test_every_command_that_reads_files_can_say_it():
    able = {name for name, each in every_command() if any("--notes" in option.opts for option in each.params)}
    reading = {name for name, each in every_command() if any(option.name == "qrels_columns" for option in each.params)}
    assert reading <= able


@pytest.mark.parametrize("name", [*DOCUMENTS])
def test_documents_in_the_place_of_a_run_are_said_to_be_none(name):
    said = refusal("eval", name, "trec.txt")
    assert f"{name}:1: expected a run" in said
    assert "--queries FILE" in said


@pytest.mark.parametrize("name", ["grades.jsonl", "grades.letor", "trec.txt"])
def test_judgments_in_the_place_of_a_run_are_said_to_be_none(name):
    assert re.search("expected|is not a run: ", refusal("compare", name, "trec.run", "sheet.csv"))


def test_check_reads_judgments_by_the_advice_that_it_gives(folder):
    (folder / "letters.csv").write_text("Nr;SKU;Note\nt1;d1;E\nt1;d2;I\n")
    first = refusal("eval", "trec.run", "letters.csv")
    assert "--qrels-columns" in first
    named = ["--qrels-columns", "query=Nr,doc=SKU,grade=Note"]
    second = run("check", "letters.csv", *named)
    assert "--grades E=…,I=…" in second.stdout
    for words in (["letters.csv"], ["trec.run", "letters.csv"], ["trec.run", "--qrels", "letters.csv"]):
        found = run("check", *words, *named, "--grades", "E=1,I=0")
        assert "malformed" not in found.output
        assert "expected" not in found.output
        assert "letters.csv is taken for judgments" in found.stderr or "--qrels" in words


def test_each_format_claims_its_file_with_role_form_and_reason():
    for name, noun in NOUNS.items():
        what = what_is(name, name=f"queries/{name}" if name in QUERIES else None)
        assert what.role, name
        assert what.why, name
        assert f"{name} is taken for {noun}" in what.taken(name)
    roles = {what_is(name).role for name in OTHER_USES}
    assert roles == {*USES}
    for name, (noun, _) in OTHER_USES.items():
        what = what_is(name)
        assert (what.form in ("table", "lines", "npy", "values"), what.sure, kind_of(name)) == (True, True, None), name
        assert what == rows_in(name)
        assert what.taken(name).startswith(f"{name} is taken for {noun}: its ") or name == "dense.npy"


@pytest.mark.parametrize("name", OTHER_USES)
@pytest.mark.parametrize("command", [*COMMANDS, "check ANY", "check trec.run ANY"])
def test_a_file_of_another_use_is_refused_with_what_takes_it(command, name):
    noun, _ = OTHER_USES[name]
    use = USES[what_is(name).role].format(name)
    first = {"DOCUMENTS": "d.jsonl", "QUERIES": "q.tsv", "QRELS": "trec.txt", "RUNS": "trec.run", "ANY": "trec.run"}
    for part in first:
        is_log = noun.startswith("a log of the grades")  # of one judge, whose grades are judgments
        if part not in command or (is_log and (part == "QRELS" or command.startswith("judge"))):
            continue
        line = command.replace(part, name, 1)
        for each, usual in first.items():
            line = line.replace(each, usual)
        result = run(*line.split())
        said = [text for text in result.output.splitlines() if f"{name} is {noun}, not " in text]
        assert result.exit_code in (1, 2), line
        assert len(said) == 1, (line, result.output)
        assert said[0].endswith(use), line


@pytest.mark.parametrize("name", OTHER_USES)
def test_what_takes_it_reads_it(name, folder):
    use = USES[what_is(name).role].format(name)
    if use.startswith("to rank"):
        (folder / "dense.ids").write_text("d1\nd2\n")
        (folder / "asked.jsonl").write_text('{"_id": "t1", "vector": [0, 1]}\n')
        model = use.partition("the model ")[2].replace("FILE", "asked.jsonl")
        documents = "one.jsonl" if name == "embedded.json" else "d.jsonl"
        (folder / "one.jsonl").write_text('{"id": "1", "text": "tall oak"}\n')
        done("run", documents, "--queries", "q.tsv", "--model", model, "-o", "-")
        return
    command = use.partition("toysearch ")[2].replace("RUN QRELS", "trec.run trec.txt")
    if command.startswith("eval"):
        done(*command.split())
        return
    done(*command.split(), "--force")
    written = command.split()[-1]
    assert kind_of(written) == "qrels"


@pytest.mark.parametrize("name", ["blank.csv", "book.csv"])
def test_a_sheet_beside_documents_is_not_searched(name):
    assert "expected documents, found judgments" in refusal("search", name, "oak")


@pytest.mark.parametrize("name", ["q.jsonl", "q.topics"])
def test_a_file_of_queries_is_checked_as_queries(tmp_path, name):
    path = tmp_path / name
    path.write_text(QUERIES[name])
    told = json.loads(done("check", path, "--json").stdout)
    assert (told["documents"], told["queries"], told["findings"]) == (0, 1, [])


def test_check_does_not_deny_what_it_reads_by_its_cells(tmp_path):
    rows = ("asin;name;reviews", "B1;Lamp;warm light for evenings of reading", "B2;Oven;bakes bread in half an hour")
    (tmp_path / "shop.csv").write_text("\n".join(rows))
    checked = done("check", tmp_path / "shop.csv")
    assert "2 documents read; id asin (by its name)" in checked.stdout
    assert "not recognised" not in checked.stderr


FIELDS = "".join(f'<field tag="{7 * n}">oak of age 7 years</field>\n' for n in range(6))
SEARCHED = {  # though the names and the numbers in the lines say something else
    "questions.json": json.dumps({"items": [{"question_id": n, "title": "Oaks?", "body": "How old?"} for n in (1, 2)]}),
    "query.xml": f"<feed>{'<entry><id>1</id><title>Oaks</title><summary>They are old</summary></entry>' * 2}</feed>",
    "notices.xml": f"<records>\n<record>\n{FIELDS}</record>\n<record>\n{FIELDS}</record>\n</records>\n",
}


@pytest.mark.parametrize("name", SEARCHED)
def test_what_a_search_reads_as_documents_is_checked_as_documents(tmp_path, name):
    path = tmp_path / name
    path.write_text(SEARCHED[name].replace("<id>1</id>", "<id>2</id>", 1))
    told = json.loads(run("check", path, "--json").stdout)
    assert (told["documents"], told["queries"]) == (2, 0)


def test_a_workbook_is_checked_by_the_sheet_that_a_search_reads(tmp_path):
    sheets = {
        "Overview": [["Stock", None, None], ["of 2024", None, None]],
        "Goods": [
            ["Art", "Ware", "Angaben"],
            *([f"A{n}", f"Lamp {n}", "A warm red light for evenings"] for n in "123"),
        ],
        "Sellers": [["No", "Place", None], ["7", "Rome", None]],
    }
    path = tmp_path / "stock.xlsx"
    path.write_bytes(workbook(sheets))
    assert "stock.xlsx: 3 documents, 0 queries" in done("check", path).stdout
    assert "A2" in done("search", path, "lamp").stdout
