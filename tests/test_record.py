"""The tool that records what toysearch answers, and compares two records: tools/record.py."""

import json
import subprocess
import sys

import pytest
from conftest import ROOT
from recording import advice, difference, random_calls, rewritings

import toysearch
from toysearch.evaluation.measures.measure import defined_measure

CSV = b"query_id,doc_id,score\n1,a,2\n1,b,1\n2,c,5\n"


def names_of(kind):
    return [name.partition("(")[0].partition("@")[0].partition(":")[0] for name in getattr(random_calls.known, kind)]


def test_random_calls_know_each_model_and_measure_of_today():
    assert [name for name in toysearch.MODELS if name not in names_of("models")] == []
    assert [name for name in toysearch.MEASURES if name not in names_of("measures")] == []
    assert defined_measure("AP")


def test_a_random_call_depends_on_its_number_alone():
    for number in (0, 1, 2, 100, 2999):
        assert random_calls.asked(number) == random_calls.asked(number)
    assert len({str(random_calls.asked(number)) for number in range(300)}) > 250


def test_a_table_is_rewritten_in_seven_ways_with_the_same_rows():
    found = {how: (name, content.decode()) for how, name, content in rewritings.rewritten("run.csv", CSV)}
    assert {*found} == {
        *("rows shuffled", "other separator", "columns permuted", "as JSON", "as lines of JSON"),
        *("names replaced", "header cut"),
    }
    assert sorted(found["rows shuffled"][1].splitlines()) == sorted(CSV.decode().splitlines())
    assert found["other separator"][1] == CSV.decode().replace(",", "\t")
    assert json.loads(found["as JSON"][1])[2] == {"query_id": "2", "doc_id": "c", "score": "5"}
    assert found["header cut"][1] == "1,a,2\n1,b,1\n2,c,5\n"


def test_lines_of_trec_become_tables_with_the_names_of_the_field():
    found = {how: content.decode() for how, _, content in rewritings.rewritten("q.txt", b"1 0 a 1\n2 0 b 0\n")}
    assert found["as CSV"] == "query_id,iteration,doc_id,relevance\n1,0,a,1\n2,0,b,0\n"


@pytest.mark.parametrize(
    ("message", "typed"),
    [
        ("found three columns: --run-columns query=q,doc=d or --run-columns query=q,doc=e.", 2),
        ("--on-error skip leaves them out", 1),
        ("name them with --qrels", 1),
        ("a file: --qrels FILE", 0),
        ("write the grades as numbers", 0),
    ],
)
def test_advice_is_what_a_message_says_to_type(message, typed):
    assert len([*advice.advised(["eval", "a.csv", "b.csv"], message)]) == typed


def test_advice_takes_the_place_of_the_option_that_was_typed():
    words = ["eval", "a.csv", "b.csv", "--run-columns", "query=x"]
    assert [*advice.advised(words, "is no column; --run-columns query=q,doc=d")] == [
        ["eval", "a.csv", "b.csv", "--run-columns", "query=q,doc=d"]
    ]


KINDS = {
    "An answer became a question or a refusal": ({"exit": 0, "stdout": "1"}, {"exit": 2, "stdout": ""}),
    "The same words with other numbers": ({"exit": 0, "stdout": "AP 0.5"}, {"exit": 0, "stdout": "AP 0.25"}),
    "Only the words of notes or refusals": ({"exit": 2, "said": "no"}, {"exit": 2, "said": "none"}),
    "A rewritten file: same became other": ({"exit": 0, "verdict": "same"}, {"exit": 0, "verdict": "other"}),
    "A crash that there was not": ({"exit": 1}, {"exit": 1, "crash": "KeyError"}),
    "Python refuses what it read": ({"result": "1"}, {"error": "DataError: no"}),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_difference_has_the_kind_that_it_is_grouped_by(kind):
    before, after = KINDS[kind]
    key = ("cases", "x", "eval a b")
    assert difference.groups({key: before}, {key: after}) == {f"cases: {kind}": [key]}
    assert difference.groups({key: before}, {key: before}) == {}


@pytest.mark.system
def test_a_record_is_the_same_with_other_seeds_and_workers(tmp_path):
    only = r"^random calls: from 0$|^wrong functions: 2\.4$|^texts of tests: tests/unit/files/test_triples.py"
    for name, seed, workers in (("a", "1", "1"), ("b", "7", "2")):
        subprocess.run(
            [sys.executable, ROOT / "tools/record.py", tmp_path / name, "--only", only, "--workers", workers],
            env={"PATH": "", "PYTHONHASHSEED": seed},
            check=True,
            timeout=600,
        )
    first = (tmp_path / "a").read_text(encoding="utf-8")
    assert first == (tmp_path / "b").read_text(encoding="utf-8")
    parts = {json.loads(line)["part"] for line in first.splitlines()}
    assert parts == {"random calls", "wrong functions", "texts of tests"}
    assert str(tmp_path) not in first
    assert str(ROOT) not in first
