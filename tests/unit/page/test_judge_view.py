"""Judging on the page: grades reach the log before the answer; order, skipping, undoing, secrets, agreement."""

import json
import math
import re
from urllib.parse import parse_qs, urlsplit

import pytest
from judging_page import MODELS, QUERIES, post_grade
from on_windows import is_private
from page_client import client, of_documents

import toysearch
from toysearch.base import Document, Query
from toysearch.base.errors import DataError
from toysearch.page import judge_view
from toysearch.page.access import TOKEN_HEADER
from toysearch.page.judging_rules import Judging, judge_keys
from toysearch.workbench.judging.pooling import divide_pool


def next_for(asked, judge="ada", topic="q1"):
    reply = asked.get("/own/judge.json", params={"judge": judge, "topic": topic})
    assert reply.status_code == 200, reply.text
    return reply.json()


def test_every_document_of_the_pool_comes_once(asked, tmp_path):
    seen, data = [], next_for(asked)
    assert (data["pool"], data["graded"], data["waiting"], data["last"]) == (4, 0, 4, None)
    while data["document"]:
        seen.append(data["document"]["doc_id"])
        data = post_grade(asked, doc=seen[-1], grade=str(len(seen) % 4), reason=f" because {len(seen)} ")
        assert len((tmp_path / "class.jsonl").read_text().splitlines()) == len(seen)  # when the answer comes
    assert sorted(seen) == ["d,1", "d,2", "d,4", "d,5"]
    assert (data["graded"], data["waiting"], data["next_query"]) == (4, 0, 'q"2')
    lines = [json.loads(line) for line in (tmp_path / "class.jsonl").read_text().splitlines()]
    assert [(line["doc_id"], line["grade"], line["reason"]) for line in lines] == [
        (doc_id, n % 4, f"because {n}") for n, doc_id in enumerate(seen, 1)
    ]


@pytest.mark.parametrize(("seconds", "said"), [(0.2, "less than 1 s each"), (0.7, "1 s each"), (12.4, "12 s each")])
def test_the_pace_is_in_whole_seconds_and_never_none(asked, monkeypatch, seconds, said):
    monkeypatch.setattr(Judging, "pace", lambda rules, judge: seconds)
    for address in ("/own/judge?judge=ada&topic=q1", "/own/judge?judge=ada"):
        assert said in asked.get(address).text


@pytest.mark.system
def test_judges_see_the_documents_in_different_orders_and_each_always_in_the_same(asked):
    def order(judge):
        found, data = [], next_for(asked, judge)
        for _ in range(4):
            found.append(data["document"]["doc_id"])
            data = post_grade(asked, judge=judge, doc=found[-1], action="skip")
        return found

    orders = {judge: order(judge) for judge in ("ada", "ben", "carla", "dora", "emil")}
    assert len({*map(tuple, orders.values())}) > 1
    assert all(sorted(each) == sorted(orders["ada"]) for each in orders.values())
    assert order("ada") == orders["ada"]  # all are skipped, the first one longest ago


def test_nothing_tells_the_system_the_rank_or_the_known_grade(asked):
    page = asked.get("/own/judge", params={"judge": "ada", "topic": "q1"}).text
    assert not re.search(r"bm25|cosine|rank|score", page.split("<main")[1])


def test_undo_leads_back_to_the_document_and_its_earlier_grade(asked):
    first = next_for(asked)["document"]["doc_id"]
    assert post_grade(asked, doc=first, grade="3", reason="first")["document"]["doc_id"] != first
    post_grade(asked, doc=first, grade="0")
    data = post_grade(asked, action="undo")
    assert (data["document"]["doc_id"], data["grade"], data["reason"]) == (first, 3, "first")
    data = post_grade(asked, action="undo")
    assert (data["document"]["doc_id"], data["grade"], data["graded"], data["last"]) == (first, None, 0, None)
    assert post_grade(asked, action="undo")["document"]["doc_id"] == first  # nothing to take back: the next document


def test_a_query_that_no_document_answers_is_passed(asked):
    for doc_id in ("d,1", "d,2", "d,4", "d,5"):
        post_grade(asked, doc=doc_id, grade="0")
    for doc_id in ("d,2", "d,3"):
        data = post_grade(asked, topic='q"2', doc=doc_id, grade="0")
    assert (data["document"], data["next_query"]) == (None, None)


@pytest.mark.parametrize(
    ("form", "says"),
    [
        *(({"doc": "d,1", "grade": grade}, f"unknown grade '{grade}'") for grade in ("7", "", "nan")),
        *(({"doc": doc_id, "grade": "1"}, f"no document '{doc_id}'") for doc_id in ("nowhere", "")),
        ({"doc": "d,1", "grade": "1", "topic": "q9"}, "unknown query 'q9'"),
        *(({"doc": "d,1", "grade": "1", "judge": name}, "a judge needs a name") for name in ("", "a\nb", "x" * 61)),
        ({"action": "delete"}, "unknown action 'delete'"),
        ({"action": "skip", "topic": "q9"}, "unknown query 'q9'"),
    ],
)
def test_what_cannot_be_saved_is_refused_and_not_saved(asked, tmp_path, form, says):
    assert says in post_grade(asked, status=400, **form)["error"]
    assert (tmp_path / "class.jsonl").read_text() == ""


def test_a_form_without_scripts_leads_to_the_next_document(asked):
    token = asked.headers.pop(TOKEN_HEADER)
    form = {"token": token, "judge": "ada", "key": "", "topic": 'q"2', "doc": "d,3", "grade": "1", "reason": ""}
    reply = asked.post("/own/judge", data=form)
    assert reply.status_code == 303
    assert parse_qs(urlsplit(reply.headers["location"]).query) == {"judge": ["ada"], "topic": ['q"2']}
    assert 'value="d,2"' in asked.get(reply.headers["location"]).text


def test_each_judge_needs_the_own_key(opening):
    asked = opening(keys={"ada": "key-of-ada", "ben": "key-of-ben"})
    assert "Each judge has a link" in asked.get("/own/judge").text
    for form in ({}, {"key": ""}, {"key": "key-of-ben"}, {"judge": "carla", "key": ""}, {"judge": "carla", "key": "-"}):
        assert "does not let" in post_grade(asked, status=400, doc="d,1", grade="1", **form)["error"]
    assert post_grade(asked, doc="d,1", grade="1", key="key-of-ada")["graded"] == 1


@pytest.mark.parametrize("content", ["[]", "{", '{"ada": 1}', '{"ada": ""}', "\xff"])
def test_keys_are_kept_and_a_file_without_them_is_refused(tmp_path, content):
    file = tmp_path / "class.keys.json"
    keys = judge_keys(file, ["ada", "ben"])
    assert judge_keys(file, ["ben", "carla"])["ben"] == keys["ben"] != keys["ada"]
    assert judge_keys(file, ["ada"]) == {"ada": keys["ada"]}
    assert is_private(file)
    file.write_text(content, encoding="latin-1")
    with pytest.raises(DataError, match="does not have the keys of links; remove it"):
        judge_keys(file, ["ada"])
    assert file.read_text(encoding="latin-1") == content


@pytest.mark.parametrize("restarted", [False, True])
def test_what_is_skipped_comes_last_even_after_a_restart_and_can_be_returned_to(asked, opening, restarted):
    first = next_for(asked)["document"]["doc_id"]
    second = post_grade(asked, doc=first, action="skip")["document"]["doc_id"]
    third = post_grade(asked, doc=second, action="skip")["document"]["doc_id"]
    data = post_grade(asked, doc=second, action="skip")  # again: still after the first one
    if restarted:
        asked = opening()
        data = next_for(asked)
    assert ([each["doc_id"] for each in data["skipped"]], data["document"]["doc_id"]) == ([first, second], third)
    page = asked.get(data["skipped"][1]["address"]).text
    assert f'name="doc" value="{second}"' in page
    assert next_for(asked, "ben")["skipped"] == []
    data = post_grade(asked, doc=second, grade="1")
    assert ([each["doc_id"] for each in data["skipped"]], data["waiting"]) == ([first], 3)


@pytest.mark.system
@pytest.mark.parametrize("twice", [0, 0.2, 1])
def test_divided_documents_are_those_of_the_command_and_each_judge_sees_their_own(opening, twice):
    keys = {"ada": "a", "ben": "b", "carla": "c"}
    asked = opening(keys=keys, twice=twice)
    runs = [toysearch.Searcher(asked.index, model).run(QUERIES, 10) for model in MODELS]
    divided = divide_pool(toysearch.pool(runs, 10), [*keys], twice)
    expected = {judge: {each: ids for each, ids in part.items() if ids} for judge, part in divided.items()}
    assert sum(map(bool, expected.values())) == (3 if twice else 2)  # a judge per query, and one more per overlap
    for judge, key in keys.items():
        own = {"judge": judge, "key": key}
        table = asked.get("/own/judge.json", params=own).json()
        assert (table["divided"], table["all_queries"]) == (True, len(expected[judge]))
        assert [each["query_id"] for each in table["queries"]] == sorted(expected[judge], key=[*QUERIES].index)
        assert "divided among the judges" in asked.get("/own/judge", params=own).text
        for query_id in QUERIES:
            part, seen = {*expected[judge].get(query_id, ())}, set()
            data = asked.get("/own/judge.json", params=own | {"topic": query_id}).json()
            assert data["pool"] == len(part)
            while data["document"]:
                seen.add(data["document"]["doc_id"])
                data = post_grade(asked, topic=query_id, doc=data["document"]["doc_id"], grade="1", **own)
            assert seen == part
        assert data["next_query"] is None
    given = [(each.query_id, each.doc_id) for each in asked.log]
    assert {*given} == {*toysearch.pool(runs, 10).pairs}
    assert len(given) - len({*given}) == sum(math.ceil(twice * len(each)) for each in toysearch.pool(runs, 10).values())


def test_a_long_table_of_queries_has_several_pages(asked, monkeypatch):
    monkeypatch.setattr(judge_view, "_QUERIES", 2)
    data = asked.get("/own/judge.json", params={"judge": "ada"}).json()
    assert ([row["query_id"] for row in data["queries"]], data["all_queries"]) == (["q1", 'q"2'], 3)
    page = asked.get("/own/judge", params={"judge": "ada"}).text
    address = re.search(r'href="([^"]+)">Queries 3–3', page)[1].replace("&amp;", "&")
    assert [row["query_id"] for row in asked.get(address.replace("judge?", "judge.json?")).json()["queries"]] == ["q3"]
    for start in ("-1", "x", "1" * 30, "²"):
        reply = asked.get("/own/judge.json", params={"judge": "ada", "start": start})
        assert (reply.status_code, "rows to pass over" in reply.json()["error"]) == (400, True)


def test_the_best_passage_stands_above_long_texts_only_and_no_text_repeats_its_title(opening):
    texts = {"short": "A cat\nA cat purrs.", "long": "A cat " + "It sleeps. " * 100 + "A cat purrs."}
    documents = [Document(doc_id, text, "A cat", {"text": text}) for doc_id, text in texts.items()]
    asked = opening(source=of_documents(documents, "pets", [Query("q1", "purrs")]))
    pages = {doc_id: asked.get(f"/own/judge?judge=ada&topic=q1&doc={doc_id}").text for doc_id in texts}
    assert {doc_id: page.count('<p class="passage" dir="auto">') for doc_id, page in pages.items()} == {
        "short": 0,
        "long": 1,
    }
    assert [page.count("A cat") for page in pages.values()] == [2, 3]  # the title, the last sentence, and its passage


def test_without_a_log_the_page_says_how_to_judge():
    source = of_documents([Document("1", "cat")], "pets", [Query("1", "cat")])
    asked = client(source)
    assert ">Judge<" not in asked.get("/own/search").text
    for view in ("judge", "agreement"):
        reply = asked.get(f"/own/{view}.json")
        assert (reply.status_code, "--judgments FILE.jsonl" in reply.json()["error"]) == (400, True)
