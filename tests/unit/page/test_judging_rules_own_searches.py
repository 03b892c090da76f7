"""One's own folder: each search that has a grade is a query, in a log that `eval --qrels` reads with nothing else."""

import contextlib
import json
import re

import pytest
from browser_pages import expect, opened
from page_client import client, of_name, reproduced, served_here
from shell import done, refused

import toysearch
from toysearch.base import StorageError
from toysearch.page.access import TOKEN_HEADER
from toysearch.page.judging_rules import JudgingRules, is_without_queries, opened_judging
from toysearch.workbench.judging.judgment_log import JudgmentLog

TEXTS = {
    "mats.txt": "A cat sleeps on a mat.",
    "dogs.txt": "A dog barks at the cat.",
    "soup.txt": "Tomato soup with basil.",
    "food.txt": "Kitten food: what a young animal eats.",
}
BUTTON = re.compile(r'name="grade" value="(\d) ([^"]+)"[^>]*aria-pressed="(\w+)"')


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes").mkdir()
    for name, text in TEXTS.items():
        (tmp_path / "notes" / name).write_text(text)
    return tmp_path


@pytest.fixture
def serving(folder):
    """A function that serves the folder with its log, which it closes before it serves it again."""
    stack = contextlib.ExitStack()

    def started(depth=10):
        stack.close()
        [source] = of_name("notes")
        assert is_without_queries(source)
        models = [toysearch.MODELS["bm25"], toysearch.MODELS["lm-dirichlet"]]
        source.judging = opened_judging(source, "notes.qrels", models, stack, {}, JudgingRules(depth))
        source.options = [*source.options, "--qrels", "notes.qrels"]
        asked = client(source.renewed())
        asked.headers[TOKEN_HEADER] = asked.app._write_token
        return asked

    yield started
    stack.close()


def grades(asked, search, status=200, **form):
    reply = asked.post("/notes/search.json", data={"search": f"/notes/search?{search}"} | form)
    assert reply.status_code == status, reply.text
    return reply.json()


def logged():
    with open("notes.qrels", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def test_a_search_becomes_a_query_by_its_first_grade_and_eval_follows_with_no_other_option(serving):
    asked = serving()
    page = asked.get("/notes/search?q=a+cat").text
    assert {(doc_id, pressed) for _, doc_id, pressed in BUTTON.findall(page)} == {
        ("mats.txt", "false"),
        ("dogs.txt", "false"),
    }
    data = grades(asked, "q=a+cat", grade="2 dogs.txt")
    assert (data["query_id"], {hit["doc_id"]: hit["grade"] for hit in data["hits"]}["dogs.txt"]) == ("1", 2)
    assert grades(asked, "q=A++CAT", grade="0 mats.txt")["query_id"] == "1"  # the same words
    assert grades(asked, "q=c%2B%2B", grade="1 food.txt")["query_id"] == "2"
    keys = ("judge", "query_id", "query_text", "doc_id", "grade")
    assert [tuple(entry.get(key) for key in keys) for entry in logged()] == [
        ("notes", "1", "a cat", "dogs.txt", 2),
        ("notes", "1", "a cat", "mats.txt", 0),
        ("notes", "2", "c++", "food.txt", 1),
    ]
    printed = done("eval", "notes", "--qrels", "notes.qrels", "-q", "--format", "trec_eval").stdout
    # mats.txt, the shorter one, is first, and only dogs.txt is relevant; nothing is found for c++, which counts 0.
    assert re.findall(r"^(map|recip_rank)\s+(\w+)\t([\d.]+)", printed, re.MULTILINE) == [
        ("map", "1", "0.5000"),
        ("recip_rank", "1", "0.5000"),
        ("map", "all", "0.2500"),
        ("recip_rank", "all", "0.2500"),
    ]
    qrels = toysearch.read_qrels("notes.qrels")
    assert (qrels.to_dict(), dict(qrels.texts)) == (
        {"1": {"dogs.txt": 2, "mats.txt": 0}, "2": {"food.txt": 1}},
        {"1": "a cat", "2": "c++"},
    )


def test_all_views_see_a_grade_at_once_and_again_after_a_restart(serving):
    asked = serving()
    grades(asked, "q=cat", grade="2 dogs.txt")
    for _ in range(2):
        data = asked.get("/notes/search.json?topic=1&case=1").json()
        assert "error" not in data, data
        collection = toysearch.load("notes")
        run = toysearch.Searcher(collection).run({"1": "cat"}, 1000)
        expected = toysearch.evaluate(run, {"1": {"dogs.txt": 2}}, "AP nDCG@10 P@10").per_query["1"]
        assert {row["measure"]: row["value"] for row in data["measures"]} == expected
        assert [(row["query"], row["graded"]) for row in data["case"]["queries"]] == [("cat", 1)]
        assert asked.get("/notes/search.json?q=Cat").json()["query_id"] == "1"
        assert asked.get("/notes/compare.json?a=bm25&b=dph").json()["overall"]["rows"][0]["query_id"] == "1"
        assert asked.get("/notes/document.json?doc=dogs.txt").json()["judgments"][0]["grade"] == 2
        assert asked.get("/notes/judge.json").json()["grades"] == 1
        assert reproduced(data)["query"] == "cat"
        asked = serving()


def test_a_grade_is_changed_and_taken_back(serving):
    asked = serving()
    grades(asked, "q=cat", grade="2 dogs.txt")
    assert grades(asked, "topic=1", topic="1", grade="1 dogs.txt")["hits"][1]["grade"] == 1
    assert grades(asked, "topic=1", topic="1", action="undo")["hits"][1]["grade"] == 2
    last = grades(asked, "topic=1", topic="1", action="undo")
    assert (last["hits"][1]["grade"], last["measures"], len(logged())) == (None, [], 4)
    assert "is a log of the grades of judges" in refused("eval", "notes", "--qrels", "notes.qrels")


def test_what_is_unjudged_is_searched_by_other_words_and_marked_as_found_by_hand(serving):
    asked = serving(depth=1)  # only mats.txt is in the pool
    grades(asked, "q=cat", grade="1 mats.txt")
    unjudged = asked.get("/notes/search.json?topic=1&unjudged=1").json()
    assert [hit["doc_id"] for hit in unjudged["hits"]] == ["dogs.txt"]
    assert (unjudged["command"], unjudged["python"], unjudged["measures"]) == (None, None, [])
    other = asked.get("/notes/search.json?topic=1&unjudged=1&q=kitten").json()
    assert (other["query_id"], [hit["doc_id"] for hit in other["hits"]]) == ("1", ["food.txt"])
    data = grades(asked, "topic=1&unjudged=1&q=kitten", topic="1", grade="3 food.txt")
    assert (data["query_id"], data["hits"]) == ("1", [])
    assert [(entry["doc_id"], entry.get("found_by")) for entry in logged()] == [
        ("mats.txt", None),
        ("food.txt", "kitten"),
    ]
    with JudgmentLog("notes.qrels", append=False) as log:
        assert log.queries == {"1": "cat"}
    page = asked.get("/notes/search?topic=1&case=1").text
    links = re.findall(r'<a href="([^"]+)">Search for what is unjudged</a>', page)
    assert len(links) == 3  # of the ranking, of what it missed, of the case
    assert "Only documents without a grade for" in asked.get(links[0].replace("&amp;", "&")).text
    assert (
        asked.get("/notes/search.json?q=kitten").json()["query_id"] is None
    )  # elsewhere, other words are another query


@pytest.mark.parametrize(
    ("search", "form", "says"),
    [
        ("q=cat", {"grade": "9 mats.txt"}, "unknown grade '9'"),
        ("q=cat", {"grade": "2 nowhere"}, "nowhere"),
        ("", {"grade": "2 mats.txt"}, "unknown query ''"),
        ("q=cat", {"topic": "7", "grade": "2 mats.txt"}, "unknown query '7'"),
    ],
)
def test_what_cannot_be_saved_is_refused_and_leaves_no_query(serving, search, form, says):
    asked = serving()
    assert says in grades(asked, search, 400, **form)["error"]
    assert (logged(), asked.get("/notes/search.json?q=cat").json()["query_id"]) == ([], None)
    assert "there is no query to judge yet" in asked.get("/notes/judge.json").json()["error"]


def test_a_grade_that_cannot_be_written_leaves_no_query(serving, monkeypatch):
    asked = serving()

    def fails(*_):
        raise StorageError("notes.qrels could not be written: no space left on device")

    monkeypatch.setattr("toysearch.files.event_log.AppendLog.append", fails)
    assert "no space left" in grades(asked, "q=cat", 500, grade="2 mats.txt")["error"]
    assert asked.get("/notes/search.json?q=cat").json()["query_id"] is None


def test_the_log_of_several_judges_is_merged_first_and_only_its_judge_goes_on(serving):
    asked = serving()
    grades(asked, "q=cat", grade="2 dogs.txt")
    assert "here only 'notes' judges" in asked.get("/notes/judge.json?judge=ada").json()["error"]
    with JudgmentLog("others.qrels") as log:
        log.add("ada", "1", "dogs.txt", 2, query_text="cat")
        log.add("ben", "1", "dogs.txt", 1)
    assert "toysearch judge merge others.qrels" in refused("eval", "notes", "--qrels", "others.qrels")


def test_judges_need_queries(folder):
    said = refused("serve", "notes", "--judgments", "notes.qrels", "--judges", "ada,ben")
    assert "--judges: notes has no queries to judge; give some with --queries FILE" in said


@pytest.mark.system
@pytest.mark.waits
def test_in_a_browser_digits_grade_and_u_undoes(browser, folder):
    with served_here("notes", "--judgments", "notes.qrels", folder=folder) as printed:
        found = opened(browser, f"{printed[0]}notes/search?q=cat")
        page, summary = found.page, found.page.locator("#summary")
        expect(page.locator(".current")).to_have_attribute("data-doc", "mats.txt")
        page.keyboard.press("2")
        expect(page.locator("[data-doc='mats.txt'] .grade")).to_have_text("grade 2")
        expect(page.locator(".current")).to_have_attribute("data-doc", "dogs.txt")
        expect(summary).to_contain_text("for query 1, 1 relevant")
        page.keyboard.press("0")
        expect(page.locator("[data-doc='dogs.txt'] .grade")).to_have_text("grade 0")
        expect(page.locator(".current")).to_have_count(0)
        page.keyboard.press("u")
        expect(page.locator(".current")).to_have_attribute("data-doc", "dogs.txt")
        plain = opened(browser, f"{printed[0]}notes/search?q=dog", scripts=False).page
        plain.click("[data-doc='dogs.txt'] button:has-text('3')")
        expect(plain.locator("[data-doc='dogs.txt'] .grade")).to_have_text("grade 3")
        assert found.said == []
    assert [(entry["query_id"], entry["doc_id"], entry.get("grade")) for entry in logged()] == [
        ("1", "mats.txt", 2),
        ("1", "dogs.txt", 0),
        ("1", "dogs.txt", None),
        ("2", "dogs.txt", 3),
    ]
    assert not [path for path in folder.iterdir() if path.name not in ("notes", "notes.qrels")]
