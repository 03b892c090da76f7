"""One reading of the number in a cell: of scores, of grades and of field values; the values are worked out by hand."""

import math
from collections import Counter

import pytest
from shell import done

import toysearch
from toysearch.base.errors import DataError
from toysearch.index.typed_values import typed
from toysearch.workbench.judging.judge_sheets import read_judges

COLUMNS = [  # cells, and their numbers; None is not read
    (["900,5", "1.234"], [900.5, 1234]),
    (["1.234", "900,5", "12"], [1234, 900.5, 12]),
    (["1.234.567", "0,5"], [1234567, 0.5]),
    (["1.234,5", "-1.234", "+2.000"], [1234.5, -1234, 2000]),
    (["3,7", "1.234,50", "99,9"], [3.7, 1234.5, 99.9]),
    (["\u22122,5", "3,5"], [-2.5, 3.5]),
    (["\u22122", "3"], [-2, 3]),
    (["\u22121.234", "0,25"], [-1234, 0.25]),
    (["1.234", "900.5"], [1.234, 900.5]),
    (["1.234", "2.345"], [1.234, 2.345]),
    (["12,5", "2.5"], [12.5, 2.5]),
    (["0.125", "900,5"], [0.125, 900.5]),
    (["1.234", "900,5", "0.5"], [None, 900.5, 0.5]),
    (["1,299", "12.5"], [None, 12.5]),
    (["0,125", "12.5"], [0.125, 12.5]),
    (["1.234.567", "0.5", "2,5"], [1234567, 0.5, 2.5]),
    (["1,234.5", "2"], [1234.5, 2]),
    (["1,234,567", "1,299", "12.5"], [1234567, 1299, 12.5]),
    (["1,234.5", "12,5"], [None, 12.5]),
    (["1.23.456", "0,5"], [None, 0.5]),
]
OF_ROWS = {
    "scores": ("score", lambda path: toysearch.read_run(path, on_error="skip")["1"]),
    "grades": ("grade", lambda path: toysearch.read_qrels(path, on_error="skip")["1"]),
    "judges": (
        "Ada",
        lambda path: {each.doc_id: each.grade for each in read_judges([path], judges=["Ada"], on_error="skip")},
    ),
}
CASES = [(kind, *column) for kind in OF_ROWS for column in COLUMNS]


def test_each_column_meets_each_reader():
    assert len(CASES) == 3 * 20


@pytest.mark.parametrize(("kind", "cells", "expected"), CASES)
def test_between_semicolons_a_column_has_one_decimal_mark(tmp_path, kind, cells, expected):
    label, read = OF_ROWS[kind]
    path = tmp_path / "a.csv"
    rows = "".join(f"1;d{place};{cell}\n" for place, cell in enumerate(cells))
    path.write_text(f"query_id;doc_id;{label}\n{rows}", encoding="utf-8")
    assert read(path) == {f"d{place}": number for place, number in enumerate(expected) if number is not None}


SHARES = [
    (["87.5%", "9 %", "0.25%"], [87.5, 9, 0.25]),
    (["87.5%", "0.4"], [None, 0.4]),
    (["0.4", "87.5%"], [0.4, None]),
]


@pytest.mark.parametrize("mark", [",", ";", "\t"])
@pytest.mark.parametrize(("cells", "expected"), SHARES)
def test_scores_may_all_be_per_cent(tmp_path, mark, cells, expected):
    rows = "".join(f"1{mark}d{place}{mark}{cell}\n" for place, cell in enumerate(cells))
    (tmp_path / "a").write_text(f"query_id{mark}doc_id{mark}score\n{rows}")
    found = toysearch.read_run(tmp_path / "a", on_error="skip")["1"]
    assert found == {f"d{place}": number for place, number in enumerate(expected) if number is not None}


def test_commas_that_group_between_commas_are_quoted(tmp_path):
    (tmp_path / "a.csv").write_text('query_id,doc_id,score\n1,a,"19,388.20"\n1,b,"1,100"\n1,c,87\n')
    assert toysearch.read_run(tmp_path / "a.csv")["1"] == {"a": 19388.2, "b": 1100, "c": 87}


def test_a_comma_that_may_mean_either_is_refused_with_both_ways(tmp_path):
    (tmp_path / "a.csv").write_text('query_id,doc_id,score\n1,a,"1,234"\n1,b,87\n')
    with pytest.raises(DataError, match=r"a.csv:2: .*found '1,234'; write 1234 or 1.234"):
        toysearch.read_run(tmp_path / "a.csv")


def test_of_what_a_grade_is_a_share_is_asked(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text("query_id,doc_id,grade\n1,a,0%\n1,b,50%\n")
    with pytest.raises(DataError, match=r"a.csv:2: .*grades='0%=0,50%=50'"):
        toysearch.read_qrels("a.csv")
    assert toysearch.read_qrels("a.csv", grades="0%=0,50%=1")["1"] == {"a": 0, "b": 1}


def test_a_point_that_may_mean_either_is_refused_with_its_line(tmp_path):
    (tmp_path / "a.csv").write_text("query_id;doc_id;score\n1;a;1.234\n1;b;900,5\n1;c;0.5\n")
    with pytest.raises(DataError, match=r"a.csv:2: .*found '1.234, beside decimal commas and decimal points'"):
        toysearch.read_run(tmp_path / "a.csv")


def test_scores_with_grouped_thousands_are_ranked_by_their_size(tmp_path):
    (tmp_path / "run.csv").write_text("query_id;doc_id;score\n1;b;1.234\n1;a;900,5\n")
    (tmp_path / "q.txt").write_text("1 0 a 1\n")
    found = done("eval", tmp_path / "run.csv", tmp_path / "q.txt", "-m", "RR", "--tsv").stdout
    assert float(found.split()[-1]) == 0.5


FIELDS = [
    (["3,70", "12,00", "1.234,50", "99,9"], [3.7, 12, 1234.5, 99.9]),
    (["1.299", "4,50"], [1299, 4.5]),
    (["1.299", "3,7", "n/a"], [1299, 3.7, None]),
    (["\u22122,5", "3,5"], [-2.5, 3.5]),
    (["\u22122.5", "3"], [-2.5, 3]),
    (["0.5", "1.299", "4,50"], [0.5, None, 4.5]),
    (["1.299", "4,50 \u20ac", "12"], [None, 4.5, 12]),
    (["\u22121.299", "4,50", "-0.5"], [None, 4.5, -0.5]),
    (["1.299.000", "4,50", "0.5"], [1299000, 4.5, 0.5]),
    (["1.299", "2,450"], [1.299, None]),
    (["1 234,5", "99"], [1234.5, 99]),
    (["1\u2009234,50", "1\u202f234.5", "1\xa0234"], [1234.5, 1234.5, 1234]),
    (["1'234.50", "1\u2019234,5", "7"], [1234.5, 1234.5, 7]),
    (["\u20131,5", "5%", "(3)", "1,5e3", "2", "3", "4", "5"], [None, None, None, None, 2, 3, 4, 5]),
    (["2,000", "1,234.50"], [None, 1234.5]),
    (["3,7", "3.7"], [None, 3.7]),
    (["1,299", "2"], [None, 2]),
    (["1.299", "12.5"], [1.299, 12.5]),
]


@pytest.mark.parametrize(("cells", "expected"), FIELDS)
def test_a_field_has_one_decimal_mark(tmp_path, cells, expected):
    read = [None if math.isnan(number) else number for number in typed(Counter(cells))[1]]
    assert read == expected
    rows = "".join(f'{place},kettle,"{cell}"\n' for place, cell in enumerate(cells))
    (tmp_path / "shop.csv").write_text(f"id,text,price\n{rows}", encoding="utf-8")
    done("index", tmp_path / "shop.csv", "-o", tmp_path / "x.idx", "--values", "price")
    for source in (tmp_path / "shop.csv", tmp_path / "x.idx"):
        for number in (-1, 10, 90, 1000):
            found = done("search", source, "kettle", "--where", f"price > {number}", "--tsv").stdout.splitlines()[1:]
            right = {str(place) for place, one in enumerate(expected) if one is not None and one > number}
            assert {line.split("\t")[1] for line in found} == right, number
