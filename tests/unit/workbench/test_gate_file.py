"""What a relevance.toml may say, and what is said of one that is wrong; whole messages, with the line."""

from pathlib import Path

import pytest
from error_messages import raising
from gate_files import VALID

from toysearch.base.errors import DataError
from toysearch.workbench.gate_file import KINDS, read_gate

TOP = 'collection = "cat-dog-parrot"\n'
GOALS = (
    "at_least, at_most, every_query_at_least, in_first, not_in_first, finds_at_least, finds_at_most, "
    "query_may_fall_by, mean_may_fall_by, no_worse_than"
)


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


@pytest.mark.parametrize("fields", ['["title", "text"]', '"title,text"'], ids=["list", "text"])
def test_fields_are_a_list_or_a_text(file, fields):
    file.write_text(f'{TOP}fields = {fields}\n[[expect]]\nmeasure = "AP"\nat_least = 0\n')
    assert read_gate(file)[0].system["fields"] == "title,text"


@pytest.mark.parametrize("fields", ["[]", '["title", 7]', "7", '""'])
def test_other_fields_are_refused(file, fields):
    shown = fields.replace('"', "'")
    expected = f"expected a string or a list of strings as fields, found {shown}"
    assert refused(file, f"{TOP}fields = {fields}\n") == f"2: {expected}"


def test_all_kinds(file):
    (file.parent / "theirs.run").write_text("1 Q0 1 1 1 theirs\n")
    nothing = '\n[[expect]]\ntext = "zebra"\nfinds_at_most = 0\n'
    more = "every_query_at_least = 0.1", 'baseline = "theirs.run"\nmean_may_fall_by = 0'
    more += ('no_worse_than = "theirs.run"\nmargin = 0.01',)
    file.write_text(VALID + "".join(f'\n[[expect]]\nmeasure = "map"\n{each}\n' for each in more) + nothing)
    found = read_gate(file)
    assert [expectation.kind for expectation in found] == [
        *["value", "rank", "fall", "rank", "every query", "fall"],
        *["not worse", "found"],
    ]
    assert {expectation.kind for expectation in found} == set(KINDS)
    assert [expectation.line for expectation in found] == [9, 14, 21, 26, 31, 35, 40, 45]
    assert [one.title for one in found[:3]] == ["AP at_least=0.3 at_most=1", "cats", "nDCG@10 query_may_fall_by=0.2"]
    assert found[0].system == {"model": "bm25:b=0.4", "collection": "cat-dog-parrot", "k": 10}
    assert found[1].values["query"] == "1"
    assert found[1].values["documents"] == ["1", "2"]
    assert found[1].system == {"run": "mine.run", "qrels": "qrels.txt"}
    assert found[2].baseline == found[1].system
    # A baseline that is a file is judged as the system is.
    assert found[5].baseline == {"collection": "cat-dog-parrot", "run": "theirs.run"}
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
        (f"{TOP}k = 0\n", "2: expected a whole number of at least 1 as k, found 0"),
        (f"{TOP}k = true\n", "2: expected a whole number of at least 1 as k, found True"),
        (f"{TOP}threshold = nan\n", "2: expected a number as threshold, found nan"),
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
        (EXPECT, f"2: this table states no expectation; expected one of {GOALS}"),
        (f"{EXPECT}at_least = 0.3\n", "2: at_least needs a key measure"),
        (f'{EXPECT}measure = "APP"\nat_least = 0.3\n', "3: unknown measure 'APP'; did you mean 'AP'?"),
        (f'{EXPECT}measure = "AP RR"\nat_least = 0.3\n', "3: 'AP RR' is not of the form name, name@cutoff or "),
        (
            f"{AP}at_least = 0.5\nat_most = 0.3\n",
            "4: at_least, 0.5, is above at_most, 0.3, so no value meets the expectation",
        ),
        (f'{AP}at_least = "0.3"\n', "4: expected a number as at_least, found '0.3'"),
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
        (f'{AP}baseline = "x"\nmean_may_fall_by = 1\n', "4: there is no run 'x', and no system of that name"),
        (f'{AP}no_worse_than = "x"\nmargin = 1\n', "4: there is no run 'x', and no system of that name"),
        (f'{AP}no_worse_than = "x"\n', "2: no_worse_than needs a key margin"),
        (f'{AP}no_worse_than = "x"\nmargin = 0\n', "5: expected a number above 0, such as 0.01 as margin, found 0"),
        (
            f'{TWO}[[expect]]\nmeasure = "AP"\nbaseline = "aa"\nmean_may_fall_by = 1\n',
            "5: unknown baseline 'aa'. Baselines: a",
        ),
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
