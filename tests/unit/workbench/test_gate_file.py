"""What a relevance.toml may say, and what is said of one that is wrong; whole messages, with the line."""

from pathlib import Path

import pytest
from error_messages import raising
from gate_files import VALID

from toysearch.base.errors import DataError
from toysearch.workbench.gate_file import GOALS, read_gate

TOP = 'collection = "cat-dog-parrot"\n'


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "relevance.toml"


def refused(file: Path, text: str) -> str:
    file.write_text(text)
    with pytest.raises(DataError) as error:
        read_gate(file)
    message = str(error.value)
    assert message.startswith(f"{file}:")
    return message.removeprefix(f"{file}:")


def test_all_kinds(file):
    (file.parent / "theirs.run").write_text("1 Q0 1 1 1 theirs\n")
    file.write_text(f'{VALID}\n[[expect]]\nmeasure = "map"\nbaseline = "theirs.run"\nquery_may_fall_by = 0\n')
    found = read_gate(file)
    goals = ["at_least", "not_in_first", "query_may_fall_by", "in_first", "finds_at_most", "query_may_fall_by"]
    assert [expectation.goal for expectation in found] == goals
    assert {expectation.goal for expectation in found} == {*GOALS}
    assert [expectation.line for expectation in found] == [9, 13, 20, 25, 30, 34]
    assert [one.title for one in found[:3]] == ["AP at_least=0.3", "cats", "nDCG@10 query_may_fall_by=0.2"]
    assert [one.title for one in found[3:5]] == ["train a cat in_first=1", "zebra finds_at_most=0"]
    assert found[0].system == {"model": "bm25:b=0.4", "collection": "cat-dog-parrot", "ties": "rank"}
    assert found[1].values["query"] == "1"
    assert found[1].values["documents"] == ["1", "2"]
    assert found[1].system == {"run": "mine.run", "qrels": "qrels.txt"}
    assert found[2].baseline == found[1].system
    # A baseline that is a file is judged as the system is.
    assert found[5].baseline == {"collection": "cat-dog-parrot", "ties": "rank", "run": "theirs.run"}
    assert found[3].values["documents"] == ["1"]


@pytest.mark.parametrize("text", ["", "# nothing\n", TOP])
def test_nothing_expected(file, text):
    file.write_text(text)
    assert read_gate(file) == []


def test_no_file(file):
    with raising(DataError, f"{file}: there is no such file"):
        read_gate(file)


def test_no_toml(file):
    assert refused(file, f"{TOP}k 5\n") == "2: expected TOML; Expected '=' after a key in a key/value pair"
    file.write_text("k = ")
    with pytest.raises(DataError, match="expected TOML; Invalid value \\(at end of document\\)"):
        read_gate(file)
    for odd in (f"k = {'1' * 5000}".encode(), b"\xff\xfe\x00"):
        file.write_bytes(odd)
        with pytest.raises(DataError, match=r"expected TOML|is not in utf-16"):
            read_gate(file)


EXPECT, AT_TOP = f"{TOP}[[expect]]\n", "the system at the top of the file"
AP, QUERY, TWO = f'{EXPECT}measure = "AP"\n', f"{EXPECT}query = 1\n", '[systems.a]\ncollection = "x"\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            'colection = "pets"\n',
            "1: unknown key 'colection'; did you mean 'collection'?",
        ),
        (f"{TOP}k = 10\n", '2: k is not a key any more: leave it out: measure = "AP@10" scores the first ten ranks'),
        (
            f'{TOP}colour = "red"\n',
            "2: unknown key 'colour'. Keys: collection, model, run, queries, qrels, known_items, ties, expect, systems",
        ),
        (f"{TOP}ties = true\n", "2: expected rank or trec_eval as ties, found True"),
        (f'{TOP}model = ""\n', "2: expected a string, such as 'bm25:b=0.4' or 'mine.py:rank' as model, found ''"),
        ('model = "bm25"\n', f"1: {AT_TOP} has neither a collection nor a run; expected one of them"),
        ('[systems.m]\nrun = "a"\n', "1: system 'm' is a run without judgments; expected a key qrels, or collection"),
        (
            'run = "a.run"\nqrels = "q.txt"\nqueries = "pets"\n',
            f"3: {AT_TOP} has queries without a collection; expected a key collection",
        ),
        (f'{TOP}run = "a.run"\nmodel = "bm25"\n', f"3: {AT_TOP} is a run, which is scored as it is; remove model"),
        (f"{TOP}expect = 5\n", "2: expected at least one table [[expect]]"),
        (f"{TOP}[expect]\n", "1: expected at least one table [[expect]]"),
        (f"{TOP}systems = 5\n", "2: expected a table [systems.NAME] for each system"),
        (EXPECT, f"2: this table states no expectation; expected one of {', '.join(GOALS)}"),
        (f"{EXPECT}at_least = 0.3\n", "2: at_least needs a key measure"),
        (f'{EXPECT}measure = "APP"\nat_least = 0.3\n', "3: unknown measure 'APP'; did you mean 'AP'?"),
        (f'{EXPECT}measure = "AP RR"\nat_least = 0.3\n', "3: 'AP RR' is not of the form name, name@cutoff or "),
        (f'{AP}at_least = "0.3"\n', "4: expected a number as at_least, found '0.3'"),
        (f"{AP}at_least = nan\n", "4: expected a number as at_least, found nan"),
        (f"{QUERY}finds_at_most = -1\n", "4: expected a whole number, such as 0 as finds_at_most, found -1"),
        (f"{QUERY}document = 1\nin_first = 0\n", "5: expected a whole number of at least 1 as in_first, found 0"),
        (f"{QUERY}document = 1\nin_first = true\n", "5: expected a whole number of at least 1 as in_first, found True"),
        (
            f'{AP}baseline = "x"\nquery_may_fall_by = -1\n',
            "5: expected a number of 0 or more as query_may_fall_by, found -1",
        ),
        (
            f"{AP}at_least = 0.3\nin_first = 3\n",
            "2: expected one of these keys, found at_least and in_first; write one [[expect]] for each",
        ),
        (f"{AP}at_least = 0.3\ndocument = 3\n", "5: document has no meaning beside at_least; leave it out"),
        (f"{QUERY}in_first = 3\n", "2: in_first needs a key document or documents"),
        (f'{QUERY}text = "cat"\ndocument = 1\nin_first = 3\n', "2: in_first needs one of query and text, found both"),
        (f"{QUERY}documents = []\nin_first = 3\n", "4: expected a list of ids as documents, found []"),
        (f"{QUERY}documents = [1.5]\nin_first = 3\n", "4: expected a list of ids as documents, found"),
        (f'{TWO}[[expect]]\nsystem = "b"\nmeasure = "AP"\nat_least = 0.3\n', "4: unknown system 'b'. Systems: a"),
        (
            f'{TWO}[systems.b]\ncollection = "x"\n[[expect]]\nmeasure = "AP"\nat_least = 0.3\n',
            "5: there are several systems; expected a key system, or a collection or a run at the top of the file",
        ),
        (
            AP.removeprefix(TOP) + "at_least = 0.3\n",
            "1: there is no system to test; expected a collection or a run at the top of the file",
        ),
        (f'{AP}baseline = "x"\nquery_may_fall_by = 1\n', "4: there is no run 'x', and no system of that name"),
        (f"{AP}query_may_fall_by = 1\n", "2: query_may_fall_by needs a key baseline"),
    ],
)
def test_what_is_refused(file, text, message):
    assert refused(file, text).startswith(message)


def test_expectations_in_one_list(file):
    file.write_text(f'{TOP}expect = [\n  {{ measure = "AP", at_least = 0.3 }},\n]\n')
    assert [expectation.line for expectation in read_gate(file)] == [2]
    assert refused(file, f'{TOP}expect = [ {{ measure = "AP", atleast = 1 }} ]\n').startswith(
        "2: unknown key 'atleast'"
    )
