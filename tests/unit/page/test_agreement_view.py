"""Agreement on the page: its numbers, what the adjudicator settles, and the judgments as files in both directions."""

import json
import re
import threading
from concurrent.futures import ThreadPoolExecutor
from unittest import mock

import pytest
from judging_page import post_grade
from page_client import of_documents
from shell import done, words_of

from toysearch.base import Document, Query
from toysearch.page import agreement_view
from toysearch.page.access import TOKEN_HEADER
from toysearch.page.agreement_view import exported
from toysearch.workbench.judging import judgment_log
from toysearch.workbench.judging.judge_agreement import alpha

GIVEN = {"ada": {"d,1": 3, "d,2": 1, "d,4": 0}, "ben": {"d,1": 3, "d,2": 2, "d,4": 0}, "carla": {"d,1": 2, "d,2": 0}}


@pytest.fixture
def graded(asked):
    for judge, grades in GIVEN.items():
        for doc_id, grade in grades.items():
            post_grade(asked, judge=judge, doc=doc_id, grade=str(grade), reason=f"{judge} <i>says</i>")
    return asked


def settles(asked, status=200, **form):
    reply = asked.post("/own/agreement.json", data={"key": "settles", "topic": "q1"} | form)
    assert reply.status_code == status, reply.text
    return reply.json()


def seen(asked, **pairs):
    reply = asked.get("/own/agreement.json", params=pairs)
    assert reply.status_code == 200, reply.text
    return reply.json()


@pytest.mark.system
def test_agreement_is_that_of_the_grades_of_the_log(graded):
    data = seen(graded)
    expected = alpha({judge: {"q1": grades} for judge, grades in GIVEN.items()})
    assert (data["pairs"], data["same"], data["fleiss"]) == (expected.n, expected.agreement, expected.fleiss)
    assert data["alpha"] == {"nominal": expected.nominal, "ordinal": expected.ordinal, "interval": expected.interval}
    on_query = graded.get("/own/judge.json", params={"judge": "ada", "topic": "q1"}).json()["agreement"]
    assert on_query == {"judges": 3, "documents": 3, "same": expected.agreement, "alpha": expected.ordinal}
    disputed = {each["doc_id"]: {own["judge"]: own["grade"] for own in each["grades"]} for each in data["disputed"]}
    assert disputed == {"d,1": {"ada": 3, "ben": 3, "carla": 2}, "d,2": {"ada": 1, "ben": 2, "carla": 0}}
    page = graded.get("/own/agreement").text
    assert "ada &lt;i&gt;says&lt;/i&gt;" in page
    assert "<i>" not in page


def test_each_two_judges_have_a_table_of_their_grades(graded):
    tables = {tuple(table["judges"]): table for table in seen(graded)["confusion"]}
    counts = {
        judges: {
            (row["grade"], grade): n
            for row in table["rows"]
            for grade, n in zip(table["grades"], row["documents"], strict=True)
            if n
        }
        for judges, table in tables.items()
    }
    assert counts == {
        ("ada", "ben"): {(3, 3): 1, (1, 2): 1, (0, 0): 1},
        ("ada", "carla"): {(3, 2): 1, (1, 0): 1},
        ("ben", "carla"): {(3, 2): 1, (2, 0): 1},
    }
    assert [table["documents"] for table in seen(graded)["confusion"]] == [3, 2, 2]
    assert (
        "Documents by the grades of <bdi>ada</bdi> (down) and <bdi>ben</bdi> (across): 3"
        in graded.get("/own/agreement").text
    )


def test_disagreements_stand_by_query_with_the_need_and_the_passage(opening):
    documents = [Document(f"d{n}", f"a cat {'dog ' * n}", f"cat {n}", {}) for n in range(1, 4)]
    source = of_documents(documents, "pets", [Query("q2", "dog"), Query("q1", "cat")])
    asked = opening(source=source)
    for query_id, doc_id, apart in (("q1", "d1", 3), ("q2", "d2", 1), ("q1", "d3", 2), ("q2", "d1", 3)):
        asked.log.add("ada", query_id, doc_id, 0)
        asked.log.add("ben", query_id, doc_id, apart)
    source.judging._changed |= {"q1", "q2"}
    with mock.patch.object(type(source.collection.queries), "need", lambda self, key: {"narrative": f"all of {key}"}):
        data, page = seen(asked), asked.get("/own/agreement?key=settles").text
    assert [each["query_id"] for each in data["disputed"]] == ["q2", "q2", "q1", "q1"]
    assert data["disputed"][0]["need"] == {"narrative": "all of q2"}
    assert "dog" in data["disputed"][0]["passage"]
    assert [page.count(f"all of {key}") for key in ("q1", "q2")] == [1, 1]
    assert page.index("all of q2") < page.index("all of q1")
    assert "a cat <mark>dog</mark>" in page


def test_judges_without_a_common_document_have_no_agreement_yet(asked):
    post_grade(asked, judge="ada", doc="d,1", grade="1")
    assert post_grade(asked, judge="ben", doc="d,2", grade="1")["agreement"] is None
    data = seen(asked)
    assert (data["same"], data["pairs"], data["disputed"], len(data["judges"])) == (None, 0, [], 2)


@pytest.mark.system
def test_after_each_grade_and_undo_the_agreement_is_that_of_all_grades(asked):
    documents = [("q1", "d,1"), ("q1", "d,2"), ('q"2', "d,3"), ('q"2', "d,2")]
    steps = [(judge, *each) for each in documents for judge in ("ada", "ben", "carla")]
    for step, (judge, topic, doc_id) in enumerate(steps):
        post_grade(asked, judge=judge, topic=topic, doc=doc_id, grade=str(step * 7 % 4))
        if step % 4 == 3:
            post_grade(asked, judge=judge, action="undo")
        data, qrels = seen(asked), asked.log.qrels()
        if max(len(by) for topic in ("q1", 'q"2') for by in [{}, *asked.log.of_query(topic).values()]) < 2:
            assert data["alpha"] is None
            continue
        expected = alpha(qrels)
        assert data["alpha"]["ordinal"] in (None, pytest.approx(expected.ordinal, nan_ok=True))
        assert (data["pairs"], data["same"]) == (expected.n, pytest.approx(expected.agreement))
        disputed = [(each["query_id"], each["doc_id"]) for each in data["disputed"]]
        assert disputed == [each[:2] for each in expected.disputed]


def test_a_settled_document_leaves_the_list_and_undo_brings_it_back(graded, opening, tmp_path, monkeypatch):
    days = iter(range(10, 30))
    monkeypatch.setattr(judgment_log, "now", lambda: f"2026-01-{next(days)}T00:00:00.000Z")
    assert [each["doc_id"] for each in seen(graded, key="settles")["disputed"]] == ["d,1", "d,2"]
    data = settles(graded, doc="d,2", grade="2", reason=" the second <b>paragraph</b> ")
    assert ([each["doc_id"] for each in data["disputed"]], data["all_disputed"]) == (["d,1"], 1)
    [settled] = data["settled"]
    assert (settled["doc_id"], settled["grade"], settled["reason"]) == ("d,2", 2, "the second <b>paragraph</b>")
    assert {own["judge"]: own["grade"] for own in settled["grades"]} == {"ada": 1, "ben": 2, "carla": 0}
    [line] = (tmp_path / "class.decisions.jsonl").read_text().splitlines()
    assert json.loads(line).items() >= {"judge": "adjudicator", "doc_id": "d,2", "grade": 2}.items()
    assert "<b>paragraph" not in graded.get("/own/agreement").text
    settles(graded, doc="d,2", grade="1")  # decided anew
    graded = opening()  # what is settled lasts longer than the server
    assert settles(graded, action="undo")["settled"][0]["grade"] == 2
    assert [each["doc_id"] for each in settles(graded, doc="d,1", grade="3")["settled"]] == ["d,1", "d,2"]
    settles(graded, action="undo")
    data = settles(graded, action="undo")
    assert ([each["doc_id"] for each in data["disputed"]], data["settled"]) == (["d,1", "d,2"], [])
    assert settles(graded, action="undo")["settled"] == []


@pytest.mark.parametrize(
    ("form", "says"),
    [
        *(({"key": key, "action": "undo"}, "only the adjudicator may do this") for key in ("guess", "", "é")),
        ({"doc": "d,1", "grade": "9"}, "unknown grade '9'"),
        ({"doc": "nowhere", "grade": "1"}, "no document 'nowhere'"),
        ({"doc": "d,1", "grade": "1", "topic": "q9"}, "unknown query 'q9'"),
        ({"action": "delete"}, "unknown action 'delete'"),
    ],
)
def test_what_cannot_be_settled_is_refused_and_not_saved(graded, tmp_path, form, says):
    assert says in settles(graded, status=400, **form)["error"]
    assert (tmp_path / "class.decisions.jsonl").read_text() == ""


def test_only_the_adjudicator_has_forms_and_each_write_needs_the_token_of_the_page(graded, tmp_path):
    assert 'method="post"' not in graded.get("/own/agreement").text
    assert graded.get("/own/agreement", params={"key": "guess"}).status_code == 400
    page = graded.get("/own/agreement", params={"key": "settles"}).text
    assert page.count('class="settle"') == 2
    assert 'method="post"' not in graded.get("/own/agreement", params={"key": "settles", "save": "1"}).text
    for view in ("agreement", "judgments"):
        form = {"key": "settles", "topic": "q1", "doc": "d,1", "grade": "1", "content": "q1 0 d,1 1"}
        assert graded.post(f"/own/{view}", data=form, headers={TOKEN_HEADER: "no"}).status_code == 403
    token = graded.headers.pop(TOKEN_HEADER)
    reply = graded.post("/own/agreement", data=form | {"token": token, "start": "0"})
    assert (reply.status_code, reply.headers["location"]) == (303, "/own/agreement?key=settles")
    assert len(seen(graded)["settled"]) == 1


def test_many_disagreements_are_several_pages(graded, monkeypatch):
    monkeypatch.setattr(agreement_view, "_DISPUTED", 1)
    assert [each["doc_id"] for each in seen(graded, start="1")["disputed"]] == ["d,2"]
    page = graded.get("/own/agreement", params={"key": "settles"}).text
    assert re.search(r'href="/own/agreement\?key=settles&amp;start=1">Documents 2–2', page)


@pytest.mark.parametrize("rule", ["majority", "mean"])  # of all four: test_agreement_view_exchange.py
@pytest.mark.parametrize("decided", [False, True])
def test_page_and_command_merge_the_same_files_into_the_same_judgments(graded, tmp_path, rule, decided):
    more = []
    if decided:
        settles(graded, doc="d,2", grade="2")
        settles(graded, doc="d,1", grade="0")
        settles(graded, doc="d,1", grade="1")
        more = ["--decisions", tmp_path / "class.decisions.jsonl"]
    for form, file in (("qrels", "judged.txt"), ("csv", "judged.csv")):
        done("judge", "merge", tmp_path / "class.jsonl", *more, "--rule", rule, "-o", tmp_path / file, "--force")
        reply = graded.get("/own/judgments", params={"to": form, "rule": rule})
        assert reply.headers["content-disposition"] == f'attachment; filename="{file}"'
        assert reply.text == (tmp_path / file).read_text()
    data = graded.get("/own/judgments.json", params={"rule": rule}).json()
    assert data["text"] == (tmp_path / "judged.txt").read_text()
    assert [each["doc_id"] for each in data["undecided"]] == (["d,2"] if rule == "majority" and not decided else [])
    for params, says in (({"to": "pdf"}, "unknown form 'pdf'"), ({"rule": "best"}, "unknown rule 'best'")):
        reply = graded.get("/own/judgments.json", params=params)
        assert (reply.status_code, says in reply.json()["error"]) == (400, True)


def test_the_commands_on_the_page_give_its_numbers_and_judgments(graded, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    data = seen(graded)
    done(*words_of(data["merged"])[1:])
    assert (tmp_path / "judged.txt").read_text() == graded.get("/own/judgments", params={"to": "qrels"}).text
    words = words_of(data["command"])
    assert words[-3:-1] == ["--differences", "--texts"]
    assert json.loads(done(*words[1:-3], "--json").stdout)["agreement"] == pytest.approx(data["same"])


@pytest.mark.waits
def test_a_grade_does_not_wait_for_an_export(asked, graded):
    began, given = threading.Event(), threading.Event()

    def slow(*arguments):
        began.set()
        assert given.wait(60)
        return exported(*arguments)

    with mock.patch.object(agreement_view, "exported", slow), ThreadPoolExecutor(1) as pool:
        export = pool.submit(graded.get, "/own/judgments.json")
        try:
            assert began.wait(60)
            post_grade(graded, judge="zoe", doc="d,1", grade="2")
        finally:
            given.set()
        assert export.result().status_code == 200
