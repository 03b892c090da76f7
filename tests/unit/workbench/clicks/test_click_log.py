"""Click logs as tables; every bad line is listed."""

from pathlib import Path

import pytest
from error_messages import raising

from toysearch.base.errors import DataError
from toysearch.workbench.clicks.click_log import ShownDocument, ShownList, read_clicks

TABLE = """session,query,rank,doc,clicked,system
1,cats,2,b,1,lsa
1,cats,1,a,0,bm25
1,dogs,1,a,,bm25
2,cats,3,c,true,lsa
"""


def written(folder: Path, text: str, name: str = "clicks.csv") -> Path:
    path = folder / name
    path.write_text(text)
    return path


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_a_table(tmp_path, mark):
    shown = read_clicks(written(tmp_path, TABLE.replace(",", mark)))
    a, b = ShownDocument("a", False, "bm25"), ShownDocument("b", True, "lsa")
    assert shown == [
        ShownList("1", "cats", (a, b)),
        ShownList("1", "dogs", (ShownDocument("a", False, "bm25"),)),
        ShownList("2", "cats", (None, None, ShownDocument("c", True, "lsa"))),
    ]


def test_every_bad_row_is_listed(tmp_path):
    rows = "session,query,rank,doc,clicked\n1,q,1,a,maybe\n1,q,0,a,1\n1,q,x,a,1\n1,q\n"
    rows += "1,q,1,a,1\n1,q,1,b,1\n1,q,2,a,1\n1,,2,b,1\n1,q,,b,1\n"
    path = written(tmp_path, rows)
    with pytest.raises(DataError) as error:
        read_clicks(path)
    assert str(error.value).split("\n  ") == [
        f"{path}: 8 lines cannot be read:",
        "line 2: expected 1 or 0 as clicked, found 'maybe'",
        "line 3: expected a whole number from 1 to 100,000 as rank, found '0'",
        "line 4: expected a whole number from 1 to 100,000 as rank, found 'x'",
        "line 5: expected 5 columns (session query rank doc clicked), found 2: '1,q'; complete the line or remove it",
        "line 7: session '1' and query 'q' have rank 1 or document 'b' twice",
        "line 8: session '1' and query 'q' have rank 2 or document 'a' twice",
        "line 9: the query_id is empty",
        "line 10: the rank is empty",
    ]


@pytest.mark.parametrize("text", ["", "query,doc,score\n1,a,2\n", "1 0 a 1\n"])
def test_what_is_not_a_log(tmp_path, text):
    path = written(tmp_path, text)
    expected = "the columns session, query, rank, doc and clicked"
    sentence = f"{path} holds no list that a user saw; expected {expected}"
    if text.startswith("query"):
        reader = "toysearch.workbench.clicks.click_log.read_clicks"
        more = f"found the columns query, doc, score; name the others, as in {reader}(…, columns='session=…')"
        sentence = f"{path}:1: expected {expected}, {more}"
    with raising(DataError, sentence):
        read_clicks(path)


def test_a_table_without_rows(tmp_path):
    path = written(tmp_path, TABLE.partition("\n")[0])
    expected = "the columns session, query, rank, doc and clicked"
    with raising(DataError, f"{path} holds no list that a user saw; expected {expected}"):
        read_clicks(path)


def test_columns_of_other_names(tmp_path):
    path = written(tmp_path, "visit,search,at,shown,event\n1,cats,1,a,yes\n")
    columns = "session=visit,query=search,rank=at,doc=shown,clicked=event"
    assert read_clicks(path, columns) == [ShownList("1", "cats", (ShownDocument("a", True),))]
