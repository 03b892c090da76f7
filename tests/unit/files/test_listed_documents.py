"""Documents listed in a cell: what is between them, and names that have blanks and marks in them."""

import csv
import json
from pathlib import Path

import pytest
from shell import run as shell

from toysearch import read_qrels
from toysearch.files.listed_documents import splitter_of

TITLES = ["Rome, Open City", "Alien: Covenant", "Food & Drink", "Terms and conditions", "TV / Radio", "Heat (1995)"]
RANKED = {"q1": ["Alien: Covenant", "Rome, Open City"], "q2": ["Heat (1995)", "Klute", "Food & Drink"]}
JUDGED = {"q1": ["Rome, Open City"], "q2": ["Heat (1995)"]}  # at ranks 2 and 1
MORE = {"q1": ["Alien: Covenant", "TV / Radio"], "q2": ["Klute", "Terms and conditions"]}  # AP 1/2 and 1/4


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write("run.csv", ["query", "rank", "document"], ranked())
    write("docs.csv", ["id", "text"], ([title, "A story."] for title in [*TITLES, "Klute"]))


def ranked():
    return ([query, rank, title] for query, titles in RANKED.items() for rank, title in enumerate(titles, 1))


def write(name, labels, rows):
    with open(name, "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([labels, *rows])


def average_precision(*words):
    result = shell("eval", *words, "-m", "AP", "--tsv")
    assert result.exit_code == 0, result.stderr
    return float(result.stdout.splitlines()[1].split("\t")[1])


@pytest.mark.parametrize("label", ["document", "expected_doc", "relevant_document", "gold_doc", "top_result"])
def test_a_name_of_the_other_file_is_one_document_whatever_stands_in_it(label) -> None:
    write("judged.csv", ["query", label], ([query, *titles] for query, titles in JUDGED.items()))
    assert average_precision("run.csv", "judged.csv") == 0.75
    write("graded.csv", ["query", label, "relevance"], ([query, *titles, 1] for query, titles in JUDGED.items()))
    assert average_precision("run.csv", "graded.csv") == 0.75


@pytest.mark.parametrize("value", ["rank", "score"])
def test_a_ranked_name_of_the_judgments_is_one_document(value) -> None:
    rows = ([query, title, rank if value == "rank" else 9 - rank] for query, rank, title in ranked())
    write("mine.csv", ["query", "retrieved_doc", value], rows)
    write("judged.csv", ["query", "document"], ([query, *titles] for query, titles in JUDGED.items()))
    assert average_precision("mine.csv", "judged.csv") == 0.75


@pytest.mark.parametrize("mark", ["\n", "; ", "|", ", ", "\n- "])
@pytest.mark.parametrize("label", ["expected_docs", "relevant documents"])
def test_known_names_say_what_separates_them(label, mark) -> None:
    write(
        "judged.csv",
        ["query", label],
        ([query, mark.lstrip("\n") * (mark == "\n- ") + mark.join(titles)] for query, titles in MORE.items()),
    )
    assert average_precision("run.csv", "judged.csv") == 0.375


def test_names_of_a_collection_are_known(tmp_path) -> None:
    write("judged.csv", ["query", "expected_doc"], [["story", "Rome, Open City"], ["a story", "Terms and conditions"]])
    said = shell("eval", "docs.csv", "--queries", "judged.csv", "--qrels", "judged.csv").stderr
    assert "judged.csv: 2 judgments" in said
    assert "is in the index" not in said


@pytest.mark.parametrize(
    ("cells", "ids", "lists"),
    [
        (["d1 d2", "d3"], (), [["d1", "d2"], ["d3"]]),
        (["Reset your password\nReturns"], (), [["Reset your password", "Returns"]]),
        (["1. d1\n2. d2"], (), [["d1", "d2"]]),
        (["Rome, Open City", "Heat, Klute"], ["Rome, Open City", "Heat"], [["Rome, Open City"], ["Heat", "Klute"]]),
        (["a b", "c d"], ["a b"], [["a b"], ["c d"]]),
        (["a b", "c d"], ["a b", "c", "d"], [["a b"], ["c", "d"]]),
        (["d1 d2"], ["d1 d2", "d1", "d2"], [["d1", "d2"]]),  # a list that another file has too
    ],
)
def test_what_is_between_ids_is_shown_by_those_that_are_known(cells, ids, lists) -> None:
    assert [*map(splitter_of(cells, ids), cells)] == lists


def test_ids_with_their_values_are_not_split_at_blanks() -> None:
    """Else the values would be documents."""
    split = splitter_of(["p1 (9.0), p2 (8.5)", "p1"], ["p1", "p2"])
    assert split("p1 (9.0), p2 (8.5)") == ["p1 (9.0)", "p2 (8.5)"]


@pytest.mark.parametrize("form", ["{} ({})", "{}:{}", "{} = {}"])
def test_a_number_behind_each_known_name_in_a_cell_is_its_value(form) -> None:
    graded = {query: [(title, 1) for title in titles] + [("Klute", 0)] for query, titles in JUDGED.items()}
    rows = ([query, "; ".join(form.format(*pair) for pair in pairs)] for query, pairs in graded.items())
    write("judged.csv", ["query", "relevant_docs"], rows)
    assert average_precision("run.csv", "judged.csv") == 0.75
    scored = {query: [(title, 9.5 - at) for at, title in enumerate(titles)] for query, titles in RANKED.items()}
    rows = ([query, "; ".join(form.format(*pair) for pair in pairs)] for query, pairs in scored.items())
    write("mine.csv", ["query", "retrieved"], rows)
    write("plain.csv", ["query", "document"], ([query, *titles] for query, titles in JUDGED.items()))
    assert average_precision("mine.csv", "plain.csv") == 0.75


def test_names_are_cut_at_blanks_where_no_other_file_knows_them() -> None:
    Path("judged.csv").write_text("query,expected_docs\nq1,d1 d2\n")
    assert read_qrels("judged.csv")["q1"] == {"d1": 1.0, "d2": 1.0}


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_a_grade_beside_a_list_is_that_of_each_of_its_documents(suffix) -> None:
    rows = [("q1", 2, ["b", "c"]), ("q1", 0, ["a"]), ("q2", 1, ["a"])]
    if suffix == "csv":
        write("judged.csv", ["query", "grade", "expected_docs"], ([q, g, ",".join(docs)] for q, g, docs in rows))
    else:
        objects = [{"query": query, "grade": grade, "doc_ids": docs} for query, grade, docs in rows]
        Path("judged.jsonl").write_text("".join(json.dumps(one) + "\n" for one in objects))
    qrels = read_qrels(f"judged.{suffix}")
    assert {query_id: qrels[query_id] for query_id in qrels.query_ids} == {
        "q1": {"b": 2, "c": 2, "a": 0},
        "q2": {"a": 1},
    }


def test_the_first_of_pairs_is_a_header_if_no_document_is_named_like_it() -> None:
    Path("pages").mkdir()
    for name in ("holidays.md", "vpn.md", "printer.md"):
        Path("pages", name).write_text(f"About the {name[:-3]}, which is for all.\n")
    pairs = "about the holidays;holidays.md\nabout the printer;printer.md\n"
    Path("judged.csv").write_text(f"pregunta;archivo esperado\n{pairs}")
    said = shell("eval", "pages", "--qrels", "judged.csv", "-m", "RR").stderr
    assert "judged.csv: 2 judgments; query pregunta; document archivo esperado" in said
    Path("judged.csv").write_text(f"about the vpn;missing.md\n{pairs}")
    assert "judged.csv: 3 judgments" in shell("eval", "pages", "--qrels", "judged.csv", "-m", "RR").stderr
