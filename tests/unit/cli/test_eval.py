"""`toysearch eval`: models on a collection, and runs against judgments."""

import json
import re
from functools import partial

import pytest
import shell

from toysearch.collection.collection import Documents
from toysearch.evaluation.measures.measure import parse_measures

RUN = "q1 Q0 a 1 3 first\nq1 Q0 b 2 2 first\nq2 Q0 c 1 1 first\n"
QRELS = "q1 0 b 1\nq1 0 x 1\nq2 0 c 0\nq3 0 c 2\n"


@pytest.fixture
def files(tmp_path):
    (tmp_path / "run").write_text(RUN)
    (tmp_path / "qrels").write_text(QRELS)
    return tmp_path


run = partial(shell.run, "eval")
failure = partial(shell.refused, "eval")


MANY = "P@[1,2,3,4,5,6,7,8,9,10,11,12] NumRel AP"


def test_many_measures_of_one_system_are_below_each_other(files):
    (files / "run").write_text(RUN.replace(" 2 2 ", " 2 3 "))
    pair = files / "run", files / "qrels"
    rows = json.loads(run(*pair, "-m", MANY, "--json").stdout)["systems"][0]
    lines = run(*pair, "-m", MANY).stdout.splitlines()
    assert re.split("  +", lines[0]) == ["measure", "first", "any order of ties"]
    assert lines.pop() == "too few queries for confidence intervals of the means (fewer than 5)"
    assert [line.split()[0] for line in lines[1:]] == list(rows["measures"])
    shown = {name: f"{value:.10g}" if name == "NumRel" else f"{value:.4f}" for name, value in rows["measures"].items()}
    assert {line.split()[0]: line.split()[1] for line in lines[1:]} == shown
    low, high = rows["tie_bounds"]["P@1"]
    assert (low, high) == (0, 1 / 3)
    assert lines[1].split()[-3:] == [f"{low:.4f}", "…", f"{high:.4f}"]
    bounds = run(*pair, "-m", MANY, "--ties", "bounds").stdout.splitlines()
    assert bounds[0].split() == ["measure", "first", "low", "high"]
    assert bounds[1].split()[2:] == [f"{low:.4f}", f"{high:.4f}"]


def test_no_measure_is_not_taken_for_the_usual_ones(files):
    assert failure(files / "run", files / "qrels", "-m", "").startswith("toysearch: no measure was named; ")


def test_queries_and_other_forms_stay_in_rows(files):
    pair = files / "run", files / "qrels"
    assert run(*pair, "-m", "P@[1,2]").stdout.startswith("system     P@1")
    for more in (["--per-query"], ["--tsv"], ["--format", "markdown"]):
        assert "P@9" in run(*pair, *more, "-m", MANY).stdout.splitlines()[0]


@pytest.mark.system
@pytest.mark.parametrize("command", ["eval", "compare", "eval --convention all"])
def test_documents_of_a_collection_are_read_only_for_measures_that_count_them(tmp_path, monkeypatch, command):
    runs = [tmp_path / name for name in ("a.run", "b.run")[: 2 if command == "compare" else 1]]
    for path in runs:
        shell.done("run", "companions", "--model", "bm25", "-o", path)
    read, made = [], Documents.__init__

    def watched(documents, *given):
        read.append(documents)
        made(documents, *given)

    monkeypatch.setattr(Documents, "__init__", watched)
    shell.done(*command.split(), *runs, "companions", "-m", "AP")
    assert read == []
    shell.done(*command.split(), *runs, "companions", "-m", "Fallout@5")
    assert len(read) == 1


@pytest.mark.system
def test_what_a_collection_declares_of_its_queries_is_not_said():
    told = shell.done("eval", "companions").stderr
    assert "note: tied documents affect the values of 16 of 58 queries: 7, 11, 12, 13, 14, …" in told
    assert told.count("note") == 1
    assert "has no term" not in shell.done("run", "companions", "-o", "-").stderr
    # more queries without a relevant document than declared
    more = shell.done(
        "eval", "companions", "--threshold", "3.5", "--undefined", "nan", "--notes", "-m", "NumRel"
    ).stderr
    assert "of 58 queries have no relevant document and are undefined and left out of the mean: " in more


def test_the_conventions_can_be_chosen(files):
    def ap(*options):
        return json.loads(run(files / "run", files / "qrels", "--json", *options).stdout)["systems"][0]["measures"][
            "AP"
        ]

    assert ap() == pytest.approx(0.25 / 3)
    assert ap("--only-retrieved") == pytest.approx(0.25 / 2)
    assert ap("--undefined", "nan") == pytest.approx(0.25 / 2)
    assert ap("--threshold", "2") == 0


def test_ties_are_ordered_as_asked_before_the_cut(tmp_path):
    for name, text in {
        "corpus.jsonl": '{"_id": "a", "text": "cat"}\n{"_id": "b", "text": "cat"}\n',
        "queries.jsonl": '{"_id": "q", "text": "cat"}\n',
        "qrels/test.tsv": "query-id\tcorpus-id\tscore\nq\tb\t1\n",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    for ties, expected in (("rank", 0.0), ("trec_eval", 1.0)):
        data = json.loads(run(tmp_path, "-k", "1", "--ties", ties, "-m", "RR", "--json").stdout)
        assert (data["ties"], data["systems"][0]["measures"]["RR"]) == (ties, expected)


@pytest.mark.system
def test_grade_mappings_change_the_gains_and_are_named(corpora):
    def evaluated(grades):
        return json.loads(run("cranfield", "-m", "AP nDCG@10", "--grades", grades, "--json").stdout)

    graded, relevant = evaluated("graded"), evaluated("graded:minus1=relevant")
    assert (graded["grades"], relevant["grades"]) == ("graded:minus1=nonrelevant", "graded:minus1=relevant")
    assert relevant["systems"][0]["measures"]["AP"] > graded["systems"][0]["measures"]["AP"] + 0.1
    assert failure("cranfield", "--grades", "grded").startswith("toysearch: unknown grade mapping")


def test_a_query_is_cut_in_the_tables_of_single_queries_and_whole_in_json(tmp_path):
    long = "how to train " + "a very patient cat " * 20
    (tmp_path / "documents.jsonl").write_text('{"doc_id": "a", "text": "a cat"}\n{"doc_id": "b", "text": "a dog"}\n')
    (tmp_path / "queries.jsonl").write_text(json.dumps({"query_id": "1", "text": long}) + "\n")
    (tmp_path / "qrels.txt").write_text("1 0 b 1\n")
    for option in ("--worst", "--hardest"):
        asked = ["eval", str(tmp_path), "-m", "AP", option, "1"]
        table = shell.run(*asked)
        assert table.exit_code == 0, table.output
        assert "how to train a very patient cat a very patient …" in table.stdout
        assert max(map(len, table.stdout.partition("Why")[0].splitlines())) <= 120
        assert long.strip() in shell.run(*asked, "--json").stdout


@pytest.mark.system
@pytest.mark.usefixtures("corpora")
def test_dice_and_jaccard_rank_alike_on_cranfield():
    told = run("cranfield", "--model", "dice", "--model", "jaccard", "--model", "bm25").stderr
    assert "note: dice and jaccard rank all queries alike\n" in told
    assert "bm25 rank" not in told


THREE = ("--model", "bm25", "--model", "tfidf", "--model", "dice")


def test_three_systems_with_many_measures_have_a_row_per_measure():
    shown = run("companions", *THREE, "-m", "official").stdout.splitlines()
    assert shown[0].split() == ["measure", "bm25", "±", "tfidf", "±", "dice", "±"]
    assert [line.split()[0] for line in shown[1:-1]] == [str(one) for one in parse_measures("official")]
    assert max(map(len, shown)) <= 80


def test_three_queries_are_too_few_for_intervals_in_every_form():
    asked, few = ("cat-dog-parrot", *THREE), "too few queries for confidence intervals of the means (fewer than 5)"
    for form in ("table", "html", "json", "csv", "tsv", "latex", "markdown"):
        shown = run(*asked, "--format", form)
        assert (few in (shown.stdout if form in ("table", "html", "json") else shown.stderr), "±" in shown.output) == (
            True,
            False,
        )
    data = json.loads(run(*asked, "-m", "AP NumRel GMAP", "--json").stdout)
    assert [of_system["intervals"] for of_system in data["systems"]] == [{"AP": None}] * 3
    for unasked in (("-m", "NumRel GMAP"), ("--bounds",), ("--ties", "bounds"), ("--per-query",)):
        assert few not in run(*asked[:3], *unasked).stdout


def test_the_intervals_of_three_systems_go_before_their_ranges_of_ties():
    shown = run("companions", *THREE).stdout.splitlines()
    assert shown[0].split() == ["system", "AP", "±", "nDCG@10", "±", "P@10", "±"]
    assert [line.split()[0] for line in shown[1:]] == ["bm25", "tfidf", "dice", "±:"]
