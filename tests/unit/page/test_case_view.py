"""Grades given where documents stand in a ranking, and the case: each query with its grades, its score and a note."""

import html
import re

import pytest
from page_client import client, of_documents, of_name

import toysearch
from toysearch.base import Document, Qrels, Query
from toysearch.evaluation import parse_measures
from toysearch.page.access import TOKEN_HEADER, class_token
from toysearch.workbench.judging.judgment_log import JudgmentLog

BY = "nDCG@10"
BUTTON = re.compile(r'name="grade" value="(\d) ([^"]+)"[^>]*aria-pressed="(\w+)"')


def rates(asked, status=200, search="topic=q1&case=1", **form):
    reply = asked.post("/own/search.json", data={"topic": "q1", "search": f"/own/search?{search}"} | form)
    assert reply.status_code == status, reply.text
    return reply.json()


def begins(asked):
    rates(asked, action="begin", judge="ada")
    return asked


def test_whoever_begins_grades_where_documents_stand(asked, tmp_path):
    assert BUTTON.findall(asked.get("/own/search?topic=q1").text) == []
    data = rates(begins(asked), grade="2 d,1")
    assert {hit["doc_id"]: hit["grade"] for hit in data["hits"]}["d,1"] == 2
    buttons = BUTTON.findall(asked.get("/own/search?topic=q1").text)
    assert [grade for grade, doc_id, pressed in buttons if doc_id == "d,1" and pressed == "true"] == ["2"]
    assert {doc_id for _, doc_id, _ in buttons} == {hit["doc_id"] for hit in data["hits"]}
    [judgment] = JudgmentLog(tmp_path / "class.jsonl", append=False)
    assert judgment[1:] == ("ada", "q1", "d,1", 2, "")
    assert asked.get("/own/judge.json?judge=ada&topic=q1").json()["graded"] == 1
    rates(asked, action="undo")
    assert len(asked.log) == 0
    assert BUTTON.findall(rates_page(asked, action="end")) == []


def rates_page(asked, **form):
    """The page to which a form without scripts leads."""
    reply = asked.post("/own/search", data={"topic": "q1", "search": "/own/search?topic=q1"} | form)
    assert reply.status_code == 303
    return asked.get(reply.headers["location"]).text


def test_a_form_without_scripts_leads_back_to_the_search(asked):
    assert "<bdi>ada</bdi> grades here" in rates_page(asked, action="begin", judge="ada")
    assert "grade 3" in rates_page(asked, grade="3 d,2")


def test_nothing_tells_the_grades_of_others_to_whoever_grades(opening):
    asked = opening()
    asked.log.add("ben", "q1", "d,1", 3, "because-of-ben")
    asked.log.note("ben", "q1", "noted-by-ben")
    begins(asked)
    for view in ("search?topic=q1&case=1", "document?doc=d,1&topic=q1", "explanation?topic=q1&doc=d,1"):
        for address in (f"/own/{view}", "/own/" + view.replace("?", ".json?")):
            text = asked.get(address).text
            assert [each for each in ("ben", "grade 3", '"grade": 3', "/own/agreement") if each in text] == []
        assert 'href="/own/compare' not in asked.get(f"/own/{view}").text


def test_known_grades_and_what_follows_from_them_are_hidden_from_whoever_grades(opening):
    documents = [Document(f"d{n}", f"cat {'dog ' * n}", f"cat {n}") for n in range(1, 6)]
    queries, qrels = [Query("q1", "cat"), Query("q2", "dog")], Qrels.from_dict({"q1": {"d1": 3}, "q2": {"d2": 3}})
    known = opening(source=of_documents(documents, "pets", queries, qrels))
    before = known.get("/own/search.json?topic=q1&case=1").json()
    assert [hit["grade"] for hit in before["hits"] if hit["doc_id"] == "d1"] == [3]
    assert [row["graded"] for row in before["case"]["queries"]] == [1, 1]
    data = rates(known, action="begin", judge="ada")
    assert {hit["grade"] for hit in data["hits"]} == {None}
    assert (data["measures"], data["relevant"], data["missed"], data["grades"]) == ([], 0, [], None)
    assert (data["case"]["mean"], [row["graded"] for row in data["case"]["queries"]]) == (None, [0, 0])
    assert known.get("/own/document.json?doc=d1").json()["judgments"] == []
    compared = known.get("/own/compare.json?topic=q1").json()
    assert (compared["one_query"], compared["notes"]) == (None, ["topic q1 is not judged"])
    rates(known, grade="2 d2")
    assert known.get("/own/compare.json?topic=q1").json()["one_query"] is not None


def test_the_case_has_the_score_of_each_query_by_the_model_on_screen():
    asked = client(*of_name("companions"))
    case = asked.get("/companions/search.json?topic=7&case=1&model=dph").json()["case"]
    collection = toysearch.load("companions")
    run = toysearch.Searcher("companions", "dph").run(collection.judged_queries, 10)
    values = toysearch.evaluate(run, collection.qrels, ["nDCG@10"], threshold=collection.threshold)
    expected = {query_id: of["nDCG@10"] for query_id, of in values.per_query.items()}
    assert {row["query_id"]: row["score"] for row in case["queries"] if row["score"] is not None} == expected
    assert case["mean"] == pytest.approx(values["nDCG@10"])
    page = asked.get("/companions/search?topic=7&case=1").text
    assert page.count("/companions/search?topic=") >= len(case["queries"])
    assert 'aria-current="true">7 <bdi>' in page
    assert "case" not in asked.get("/companions/search?topic=7").text.partition('id="case"')[2]


@pytest.mark.parametrize("measure", ["ERR@3", "RBP", "alpha_nDCG@3", "nDCG(judged_only=true)@1"])
def test_a_query_has_the_value_that_it_has_among_all(measure):
    """The highest of all grades is the top of the scale; a need counts once; sub-topics and deep ranks count."""
    documents = [Document(f"d{n}", f"cat {'dog ' * n}") for n in range(4)]
    needs = {"1a": "1", "1b": "1", "2": "2"}
    words = {"1a": "cat", "1b": "dog", "2": "cat dog"}
    queries = [{"query_id": text, "text": words[text], "need": need} for text, need in needs.items()]
    judged = {"1": {"d1": {"x": 1, "y": 0}, "d2": {"x": 1}}, "2": {"d2": {"x": 3}, "d3": {"x": 0, "y": 1}}}
    source = of_documents(documents, "own", queries, Qrels.from_subtopics(judged))
    source.chosen_measures = parse_measures(measure)
    run = source.searcher(toysearch.model("bm25")).run(source.collection.judged_queries)
    expected = toysearch.evaluate(run, source.qrels, measure, threshold=1)
    pages = {text: client(source).get(f"/own/search.json?topic={text}&case=1").json() for text in needs}
    for text, page in pages.items():
        [of_query] = expected.per_query[text].values()
        assert [row["value"] for row in page["measures"]] == [pytest.approx(of_query)]
        scores = {row["query_id"]: row["score"] for row in page["case"]["queries"]}
        assert scores[text] == pytest.approx(of_query)
        assert page["case"]["mean"] == pytest.approx(expected[measure])


def test_scores_of_the_case_follow_the_own_grades(asked):
    begins(asked)
    first = rates(asked, grade="3 d,1")["case"]
    assert [(row["query_id"], row["graded"]) for row in first["queries"] if row["graded"]] == [("q1", 1)]
    hits = [hit["doc_id"] for hit in asked.get("/own/search.json?topic=q1").json()["hits"]]
    better = rates(asked, grade=f"3 {hits[0]}")["case"]
    assert better["queries"][0]["score"] >= first["queries"][0]["score"] > 0
    assert better["mean"] == better["queries"][0]["score"]


def test_notes_are_kept_in_the_log(asked, tmp_path):
    begins(asked)
    assert rates(asked, action="note", note="too short")["case"]["queries"][0]["note"] == "too short"
    assert "too short" in asked.get("/own/search?topic=q1").text
    with JudgmentLog(tmp_path / "class.jsonl", append=False) as log:
        assert (log.notes("ada"), log.notes("ben"), len(log)) == ({"q1": "too short"}, {}, 0)
    rates(asked, action="note", note="")
    with JudgmentLog(tmp_path / "class.jsonl", append=False) as log:
        assert log.notes("ada") == {}


@pytest.mark.parametrize(
    ("form", "says"),
    [
        ({"grade": "7 d,1"}, "unknown grade '7'"),
        ({"grade": "2 nowhere"}, "nowhere"),
        *(
            ({"topic": "q9"} | form, "unknown query 'q9'")
            for form in ({"grade": "2 d,1"}, {"action": "note", "note": "x"})
        ),
        ({"action": "fly"}, "unknown action 'fly'"),
        ({"action": "begin", "judge": "x" * 61}, "a judge needs a name"),
        ({"action": "begin", "judge": "adjudicator"}, "only the adjudicator"),
    ],
)
def test_what_cannot_be_saved_is_refused(asked, tmp_path, form, says):
    begins(asked)
    before = (tmp_path / "class.jsonl").read_bytes()
    assert says in rates(asked, 400, **form)["error"]
    assert (tmp_path / "class.jsonl").read_bytes() == before


def test_whoever_has_not_begun_and_whoever_only_reads_cannot_grade(asked, tmp_path):
    assert "a judge needs a name" in rates(asked, 400, grade="2 d,1")["error"]
    begins(asked)
    del asked.headers[TOKEN_HEADER]
    assert asked.post("/own/search.json", data={"topic": "q1", "grade": "2 d,1"}).status_code == 403
    assert (tmp_path / "class.jsonl").read_bytes() == b""


def test_with_invited_judges_only_the_adjudicator_grades_in_the_ranking_and_settles(opening):
    asked = opening(keys={"ada": "key-of-ada"})
    asked.headers[TOKEN_HEADER] = asked.app._write_token
    asked.cookies.set("toysearch-grades", "ada")
    assert asked.get("/own/search?topic=q1").status_code == 403
    asked.cookies.clear()
    rates(asked, 403, action="begin", judge="ada")
    rates(asked, action="begin", judge="adjudicator", key="settles")
    assert asked.get("/own/agreement?key=settles").status_code == 200  # the link sets the cookie
    rates(asked, grade="1 d,1")
    assert [decision[2:5] for decision in asked.decisions] == [("q1", "d,1", 1.0)]
    assert len(asked.log) == 0
    assert asked.get("/own/search.json?topic=q1&case=1").json()["case"]["queries"][0]["graded"] == 1
    rates(asked, action="undo")
    assert len(asked.decisions) == 0


def test_a_class_sees_no_buttons(opening):
    documents = [Document("d1", "cat", "cat")]
    source = of_documents(documents, "pets", [Query("q1", "cat")])
    opening(source=source)
    reads = client(source, token="of-the-page")
    reads.headers["authorization"] = f"Bearer {class_token('of-the-page')}"
    reads.cookies.set("toysearch-grades", "ada")
    page = reads.get("/own/search?topic=q1&case=1").text
    assert [each for each in ('id="case"', 'id="rate"', 'name="grade"', "grades here") if each in page] == ['id="case"']
    assert reads.post("/own/search", data={"topic": "q1", "grade": "2 d1", "token": ""}).status_code == 403


def test_a_collection_without_queries_has_no_case():
    asked = client(of_documents([Document("d1", "cat", "cat")]))
    assert asked.get("/own/search.json?q=cat&case=1").json()["case"] is None


def test_the_queries_of_a_case_are_sorted_by_their_score():
    asked = client(*of_name("companions"))
    in_order = asked.get("/companions/search.json?case=1").json()["case"]
    lowest = asked.get("/companions/search.json?case=lowest").json()["case"]
    scores = [row["score"] for row in lowest["queries"]]
    assert scores == sorted(row["score"] for row in in_order["queries"])
    assert scores != [row["score"] for row in in_order["queries"]]
    assert lowest["mean"] == in_order["mean"]
    assert all("case=lowest" in row["address"] for row in lowest["queries"])
    page = asked.get("/companions/search?case=lowest").text
    assert (page.count("aria-sort"), re.findall(r'href="([^"]+)" title="Sort by it">query', page)) == (
        1,
        ["/companions/search?model=bm25&amp;case=1"],
    )


def test_the_queries_of_a_case_are_chosen_by_their_change_since_the_settings_of_the_model():
    asked, collection = client(*of_name("companions")), toysearch.load("companions")
    values = [
        toysearch.evaluate(toysearch.Searcher("companions", model).run(collection.judged_queries, 10), collection, [BY])
        for model in ("bm25", "bm25:b=0.1")
    ]
    changes = {
        query_id: round(row[BY] - values[0].per_query[query_id][BY], 12)
        for query_id, row in values[1].per_query.items()
    }
    expected = {
        "all": list(changes),
        "lost": [query_id for query_id, change in changes.items() if change < 0],
        "gained": [query_id for query_id, change in changes.items() if change > 0],
        "zero": [query_id for query_id, row in values[1].per_query.items() if row[BY] == 0],
    }
    assert all(map(len, expected.values()))

    def case(text):
        return asked.get(f"/companions/search.json?model=bm25:b=0.1&case={text}").json()["case"]

    for name, query_ids in expected.items():
        found = case(name)
        assert [row["query_id"] for row in found["queries"]] == query_ids
        assert {row["query_id"]: row["change"] for row in found["queries"]} == pytest.approx(
            {query_id: changes[query_id] for query_id in query_ids}, abs=1e-12
        )
        assert [each["name"] for each in found["filters"] if each["chosen"]] == [name]
        assert {each["name"]: each["queries"] for each in found["filters"]} == {
            n: len(of) for n, of in expected.items()
        }
        for each in found["filters"]:
            led = asked.get(each["address"].replace("search?", "search.json?")).json()["case"]["queries"]
            assert len(led) == each["queries"]
    sorted_changes = [row["change"] for row in case("lost-change")["queries"]]
    assert sorted_changes == sorted(changes[query_id] for query_id in expected["lost"])
    assert case("nonsense-lowest")["filters"][0]["chosen"] is True
    page = asked.get("/companions/search?model=bm25:b=0.1&case=1").text
    assert (page.count("▼"), page.count("▲")) == (len(expected["lost"]), len(expected["gained"]))
    assert "▼" not in asked.get("/companions/search?case=1").text  # nothing changes since itself


def test_a_case_says_how_many_of_the_queries_it_shows():
    queries = [Query(f"q{n}", "cat") for n in range(1200)]
    qrels = Qrels.from_dict({query.query_id: {"1": 1} for query in queries})
    asked = client(of_documents([Document("1", "a cat")], "own", queries, qrels))
    assert "These are 1,000 of 1,200 queries." in asked.get("/own/search?case=1").text


TRIED = re.compile(r'<li data-model="[^"]*" data-time="([\d.]+)"><a href="([^"]*)"><code>([^<]*)</code></a></li>')


def test_each_setting_tried_has_a_link():
    asked = client(*of_name("companions"))
    for model in ("bm25", "dph"):
        asked.get(f"/companions/search.json?topic=33&model={model}")
    tried = TRIED.findall(asked.get("/companions/search?topic=33&model=bm25:k1=0.9").text)
    assert [model for *_, model in tried] == ["bm25", "dph", "bm25:k1=0.9"]
    times = [float(time) for time, *_ in tried]
    assert times == sorted(times)
    for _, address, model in tried:
        shown = asked.get(html.unescape(address).replace("search?", "search.json?")).json()
        assert (shown["model"], shown["query_id"]) == (model, "33")


def test_the_table_of_tries_has_no_means_for_whoever_grades(asked):
    assert 'data-measure=""' not in client(*of_name("companions")).get("/companions/search").text
    begins(asked)
    rates(asked, grade="2 d,1")
    assert 'data-measure=""' in asked.get("/own/search?topic=q1").text
