"""Sheets, books and logs of several judges: what is written reads back, whatever the ids are."""

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judge_sheet_grades import given_by, grades, reasons

from toysearch.base import Qrels
from toysearch.base.errors import ArgumentError, DataError
from toysearch.files.runs_and_judgments import read_qrels
from toysearch.workbench.judging.judge_sheets import read_judges, write_judges, write_ratings
from toysearch.workbench.judging.judgment_log import Judgment

pytestmark = pytest.mark.system

IDS = st.one_of(
    st.sampled_from(["a,b", 'say "hi"', "=1+1", "-x", "@y", "'=z", "d 7", "+5", "ü", "a;b"]),
    st.text("abc=,\"' ;-", min_size=1, max_size=5),
).filter(lambda text: text.strip() == text)
GRADES = st.dictionaries(IDS, st.dictionaries(IDS, st.sampled_from([0, 1, 2, 0.5, -1]), min_size=1), min_size=1)
JUDGES = st.dictionaries(IDS, GRADES, min_size=1, max_size=3)


@settings(max_examples=150, deadline=None)
@given(JUDGES, st.sampled_from(["sheet", "book", "log"]))
def test_what_is_written_reads_back(tmp_path_factory, given_grades, form):
    judges = given_by(given_grades)
    path = tmp_path_factory.mktemp("judges") / ("x.jsonl" if form == "log" else "x.csv")
    write_judges(judges, path, form)
    named = [*given_grades] if form == "book" else None  # columns that may hold something else are asked about
    assert grades(read_judges([path], judges=named)) == grades(judges)


def test_reasons_are_kept_in_sheets_and_logs(tmp_path):
    judges = [Judgment("", "ada", "1", "d", 2.0, '=a "reason", with\n a comma')]
    for form, name in (("sheet", "x.csv"), ("log", "x.jsonl")):
        write_judges(judges, tmp_path / name, form)
        found = reasons(read_judges([tmp_path / name]))["ada", "1", "d"]
        assert " ".join(found.split()) == '=a "reason", with a comma'


def test_a_book_is_what_quepid_exports():
    judges = given_by({"Ada": {"1": {"d,7": 2, "e": 0.5}}, "Ben": {"2": {"e": 0}}})
    book, texts = io.StringIO(), {"1": "train  cat", "2": "=x"}
    write_judges(judges, book, "book", texts)
    assert book.getvalue() == 'query,docid,Ada,Ben\ntrain cat,"d,7",2,\ntrain cat,e,0.5,\n\'=x,e,,0\n'


def test_ratings_are_judgments_of_queries_named_by_text(tmp_path):
    write_ratings(Qrels.from_dict({"1": {"d": 2}, "2": {"d": 0}}), tmp_path / "r.csv", {"1": "train cat"})
    assert (tmp_path / "r.csv").read_text() == "query,docid,rating\ntrain cat,d,2\n2,d,0\n"
    assert read_qrels(tmp_path / "r.csv")["train cat"] == {"d": 2}


@pytest.mark.parametrize("texts", [{"1": "x", "2": " x"}, {"1": "", "2": ""}, {"1": "2", "2": "1"}, {"1": " \n"}, {}])
def test_queries_that_a_text_does_not_name_keep_their_ids(tmp_path, texts):
    judges = given_by({"ada": {"1": {"d": 2}, "2": {"d": 1}}})
    write_judges(judges, tmp_path / "book.csv", "book", texts)
    assert (tmp_path / "book.csv").read_text() == "query,docid,ada\n1,d,2\n2,d,1\n"
    assert grades(read_judges([tmp_path / "book.csv"], texts, judges=["ada"])) == {
        "ada": {("1", "d"): 2, ("2", "d"): 1}
    }


def test_what_is_refused():
    judges = given_by({"ada": {"1": {"d": 2}, "2": {"d": 2}}})
    with pytest.raises(ArgumentError, match="'2' is the text of query '1' and the id of a query without a text"):
        write_judges(judges, io.StringIO(), "book", {"1": "2"})
    with pytest.raises(ArgumentError, match="unknown form 'boko'; did you mean 'book'\\?"):
        write_judges(judges, io.StringIO(), "boko")
    with pytest.raises(DataError, match="holds a line end, which CSV cannot carry"):
        write_judges([judges[0]._replace(judge="a\nb")], io.StringIO(), "sheet")
