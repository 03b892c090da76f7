"""Click logs as tables and as JSON Lines of User Behavior Insights; every bad line is listed."""

import json
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


@pytest.mark.parametrize("clicks", ["[0, 1]", "['b']", "['false', 'true']"])
@pytest.mark.parametrize("label", ["doc", "shown"])
def test_a_row_with_the_lists_of_what_was_shown_and_clicked(tmp_path, label, clicks):
    path = written(tmp_path, f"session,query,{label},clicked\n1,cats,\"['a', 'b']\",\"{clicks}\"\n")
    assert read_clicks(path) == [ShownList("1", "cats", (ShownDocument("a", False), ShownDocument("b", True)))]


def test_rows_of_json_with_lists_are_sessions_of_their_own(tmp_path):
    rows = [{"query": "cats", "docs": ["a", "b"], "clicked": clicked} for clicked in ([0, 0], ["b"])]
    path = written(tmp_path, "".join(f"{json.dumps(row)}\n" for row in rows), "clicks.jsonl")
    marks = [[one and one.clicked for one in shown.documents] for shown in read_clicks(path)]
    assert marks == [[False, False], [False, True]]


@pytest.mark.parametrize("clicks", ["['c']", "[1]", "0"])
def test_clicks_that_fit_no_list_are_refused(tmp_path, clicks):
    path = written(tmp_path, f"session,query,doc,clicked\n1,cats,\"['a', 'b']\",\"{clicks}\"\n")
    with pytest.raises(DataError, match=r":2: expected (1 or 0 for each document|a list of documents)"):
        read_clicks(path)


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
    expected = "the columns session, query, rank, doc and clicked, or JSON Lines of User Behavior Insights"
    sentence = f"{path} holds no list that a user saw; expected {expected}"
    if text.startswith("query"):
        reader = "toysearch.workbench.clicks.click_log.read_clicks"
        more = f"found the columns query, doc, score; name the others, as in {reader}(…, columns='session=…')"
        sentence = f"{path}:1: expected {expected}, {more}"
    with raising(DataError, sentence):
        read_clicks(path)


def test_a_table_without_rows(tmp_path):
    path = written(tmp_path, TABLE.partition("\n")[0])
    expected = "the columns session, query, rank, doc and clicked, or JSON Lines of User Behavior Insights"
    with raising(DataError, f"{path} holds no list that a user saw; expected {expected}"):
        read_clicks(path)


def insights(*extra: object) -> str:
    query = {"query_id": "u1", "user_query": "cats", "query_response_hit_ids": ["a", "b", "c"], "client_id": "x"}
    clicked = {"object": {"object_id": "b"}, "position": {"ordinal": 2}}
    click = {"action_name": "click", "query_id": "u1", "event_attributes": clicked}
    impression = {"action_name": "impression", "query_id": "u1"}
    return "".join(json.dumps(item) + "\n" for item in (query, click, impression, *extra))


def test_user_behavior_insights(tmp_path):
    expected = [
        ShownList("u1", "cats", (ShownDocument("a", False), ShownDocument("b", True), ShownDocument("c", False)))
    ]
    assert read_clicks(written(tmp_path, insights(), "ubi.jsonl")) == expected
    wrapped = "".join(
        json.dumps({"_index": "ubi", "_source": json.loads(line)}) + "\n" for line in insights().split("\n")[:-1]
    )
    assert read_clicks(written(tmp_path, wrapped, "export.jsonl")) == expected


def test_a_click_on_what_was_not_listed_is_left_out_with_a_note(tmp_path):
    other = {"action_name": "click", "query_id": "u1", "event_attributes": {"object": {"object_id": "z"}}}
    path = written(tmp_path, insights(other), "ubi.jsonl")
    with pytest.warns(UserWarning, match="1 click left out, on documents that the log does not list for their query"):
        assert len(read_clicks(path)) == 1


def test_bad_lines_of_insights(tmp_path):
    path = written(
        tmp_path,
        '{"query_id": 1, "query_response_hit_ids": []}\n{"query_id": "a", "query_response_hit_ids": [1]}\n'
        '{"query_id": "a", "action_name": "click", "event_attributes": []}\nx\n[]\n',
        "ubi.jsonl",
    )
    with pytest.raises(DataError) as error:
        read_clicks(path)
    assert str(error.value).split("\n  ") == [
        f"{path}: 5 lines cannot be read:",
        "line 1: expected the text query_id, which joins a query and its clicks",
        "line 2: expected a list of document ids as query_response_hit_ids",
        "line 3: expected event_attributes.object.object_id, the document that was clicked",
        "line 4: expected a JSON object; Expecting value: line 1 column 1 (char 0)",
        "line 5: expected a JSON object",
    ]
