"""Several problems of one command line are one message, and the line in it solves all of them."""

import os
from pathlib import Path

import pytest
from shell import done, every_command, example_on, refused, run, words_of

PRODUCTS = "ref;name;blurb\n1-SKU;red kettle;a kettle\n2-SKU;blue toaster;a toaster\n"
PRODUCTS += "".join(f"{n}-SKU;item {n};text {n}\n" for n in range(3, 9))
QUERIES = "nr;Search term\n1;kettle\n2;toaster\n3;item\n4;red item\n"
RATINGS = (
    "Search term;product_code;first;second\nkettle;1-SKU;3;2\ntoaster;2-SKU;?;1\nitem;3-SKU;1;0\nred item;1-SKU;2;2\n"
)
FILES = {"products.csv": PRODUCTS, "queries.csv": QUERIES, "ratings.csv": RATINGS}
NEEDED = ("--qrels-columns", "-m")
COMMANDS = [
    name for name, each in every_command() if {*NEEDED} <= {name for option in each.params for name in option.opts}
]
COMMANDS = [name for name in COMMANDS if " " not in name]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).write_text(text)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_that_scores_tells_all_that_is_wrong_and_writes_nothing(name):
    words = [name, *example_on("products.csv", name), "--queries", "queries.csv", "--qrels", "ratings.csv"]
    result = run(*words)
    assert result.exit_code == 2
    first, *others = result.stderr.splitlines()
    assert first.startswith("toysearch: ratings.csv:1: found the columns")
    assert [line.partition(":")[0] for line in others] == [
        "  then none of the 3 judged documents is in the index, which has ids such as '1', the judgments such as "
        "'1-SKU'; ref has these ids",
        "  all at once",
    ]
    assert sorted(os.listdir()) == sorted(FILES)
    assert words_of(others[-1].partition(": ")[2])[1 : len(words) + 1] == words


def test_the_line_solves_all_of_them():
    message = refused("eval", "products.csv", "--queries", "queries.csv", "--qrels", "ratings.csv")
    line = words_of(message.rpartition("all at once: ")[2])
    assert line[-4:] == [
        "--qrels-columns",
        "query=Search term,doc=product_code,grade=second",
        "--columns",
        "id=ref",
    ]
    assert done(*line[1:], "-m", "RR", "--per-query", "--tsv").stdout.splitlines()[1:]


def test_a_single_problem_stands_alone():
    columns = "query=Search term,doc=product_code,grade=first"
    words = ["--queries", "queries.csv", "--qrels", "ratings.csv", "--qrels-columns", columns, "--columns", "id=ref"]
    message = refused("eval", "products.csv", *words)
    assert (
        message
        == "toysearch: ratings.csv:3: expected a number as relevance, found '?'; --on-error skip leaves it out\n"
    )


def test_ids_that_choose_need_queries_to_choose_from():
    Path("notes").mkdir()
    Path("notes/a.txt").write_text("a red lamp")
    message = refused("eval", "notes", "--queries", "1,2")
    assert message == "toysearch: '1,2' chooses queries by their ids, and there are none; name a file of queries\n"


def test_names_that_no_file_shows_are_no_line_to_copy():
    Path("run.csv").write_text("query,id,rating,comment\na red kettle,d1,3,fine\na red kettle,d2,1,\n")
    Path("judged.json").write_text('{"a red kettle": {"found": {"points": [{"id": "x1", "note": "n"}]}}}')
    message = refused("eval", "run.csv", "judged.json")
    assert "--run-columns query=query,doc=id" in message or "-columns" not in message
    assert "all at once" not in message
