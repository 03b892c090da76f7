"""The search view: the numbers of `toysearch search`, bars that add up, facets, spelling, what is tried."""

import html
import re

import pytest
from page_client import client, of_documents, of_name, reproduced
from shell import words_of
from tiers import thinned

import toysearch
from toysearch.base import Document, Qrels, Query
from toysearch.page import search_view
from toysearch.page.search_view import bars
from toysearch.retrieval import completions

MIXTURE = "0.7*bm25 + 0.3*dph"
SEARCHES = [
    {"q": "removing a tick"},
    {"q": "removing a tick", "model": "bm25:b=0.4,k1=0.9", "k": "25"},
    {"q": '"tick removal" OR leash* -dog'},
    {"q": "title:tick dog", "model": "bm25f"},
    {"q": "date:[2016 TO 2018] dog", "query_mode": "strict"},
    {"q": "tick AND", "query_mode": "plain"},
    {"q": "-tick dog"},
    {"topic": "12"},
    {"topic": "33", "model": "lm-dirichlet:500"},
    {"topic": "33", "model": "cosine"},
    {"q": "xylophonist"},
]


@pytest.fixture(scope="module")
def companions():
    return client(*of_name("companions"))


@pytest.fixture(scope="module")
def rated():
    kinds = {f"cat number {n}": kind for n, kind in enumerate(["tom", "tom", "kitten", "tom", 'it\'s "odd"'], 1)}
    documents = [Document(text[-1], text, fields={"text": text, "kind": kind}) for text, kind in kinds.items()]
    return client(of_documents(documents, "rated", [Query("q1", "cat")], Qrels.from_dict({"q1": {"1": 0, "2": 2}})))


def data_of(asked, source, parameters):
    reply = asked.get(f"/{source}/search.json", params=parameters)
    assert reply.status_code == 200, reply.text
    return reply.json()


@pytest.mark.parametrize("typed", ["how to tra", "tic", "Guinea", "a b ", "", "zzzq", "é", '"guinea p'])
def test_queries_are_completed_as_the_command_completes_them(companions, typed):
    reply = companions.get("/companions/completion.json", params={"q": typed})
    assert reply.status_code == 200
    index = toysearch.Searcher("companions").index
    rows = completions(index, typed, 8) if typed[-1:].isalnum() else []
    assert [(row["text"], row["term"], row["df"]) for row in reply.json()["completions"]] == rows
    for row in reply.json()["completions"]:
        assert companions.get(row["address"].replace("/search?", "/search.json?")).json()["query"] == row["text"]


FACETED = [
    {"q": "tick", "f.topic": "health"},
    {"topic": "33", "f.topic": "health", "f.date": "[2015 TO 2020}", "model": "lm-dirichlet"},
]


@pytest.mark.parametrize("typed", ["C++", "C#", ".NET", "R", "Node.js", "+C++ templates"])
def test_a_name_with_signs_is_marked_as_a_whole(typed):
    asked = client(*of_name("languages"))
    text = asked.get("/languages/search", params={"q": typed}).text
    marked = {mark.lower() for mark in re.findall(r"<mark>(.*?)</mark>", text)}
    assert marked == ({"c++", "template", "templates"} if " " in typed else {typed.lower()})
    reproduced(data_of(asked, "languages", {"q": typed}))


@pytest.mark.parametrize("parameters", [*SEARCHES, *FACETED], ids=str)
def test_command_and_python_that_the_page_names_give_its_ranking(companions, parameters):
    data = data_of(companions, "companions", parameters)
    assert words_of(data["command"])[:3] == ["toysearch", "search", "companions"]
    printed = reproduced(data)
    assert data["query"] == (printed["query"] if "topic" in parameters else parameters["q"])
    assert data["model"] == printed["model"]
    for hit, other in zip(data["hits"], printed["hits"], strict=True):
        assert [hit[name] for name in ("rank", "grade", "title")] == [
            other[name] for name in ("rank", "grade", "title")
        ]


@pytest.mark.system
@pytest.mark.parametrize(
    "model", ["bm25", "cosine", "dice", "lm-dirichlet", "dph", "bm25f", "euclidean", MIXTURE, "rm3(bm25)", "lsa:20"]
)
def test_the_parts_of_a_score_add_up_to_it(model):
    made = toysearch.model(model)
    asked = client(*of_name("companions"), models={str(made): made})
    hits = data_of(asked, "companions", {"topic": "33"})["hits"]
    assert asked.get(hits[0]["explanation"]).status_code == 200
    assert hits
    for hit in hits:
        assert sum(part["share"] for part in hit["parts"]) == pytest.approx(hit["score"], rel=1e-9)


def test_bars_are_as_long_as_their_parts():
    first = {"doc_id": "1", "parts": [{"part": "cat", "share": 3.0}, {"part": "dog", "share": -1.0}]}
    drawn = bars([first, {"doc_id": "2", "parts": [{"part": "dog", "share": 2.0}]}])
    assert drawn["colours"] == {"cat": 1, "dog": 2}
    shown = {doc_id: [(each["x"], each["width"], each["below"]) for each in row] for doc_id, row in drawn["of"].items()}
    assert shown == {"1": [(0.0, 75.0, False), (75.0, 25.0, True)], "2": [(0.0, 50.0, False)]}


def test_of_a_part_that_all_documents_have_only_the_difference_is_drawn():
    norm = "(every ranked document)"
    hits = [
        {"doc_id": "1", "parts": [{"part": "cat", "share": 3.0}, {"part": norm, "share": -10.0}]},
        {"doc_id": "2", "parts": [{"part": "cat", "share": 1.0}, {"part": norm, "share": -11.0}]},
    ]
    drawn = bars(hits)
    assert drawn["common"] == {norm: -10.0}
    widths = {doc_id: [(each["width"], each["below"]) for each in row] for doc_id, row in drawn["of"].items()}
    assert widths["1"] == [(100.0, False), (0.0, False)]
    assert widths["2"] == [(pytest.approx(100 / 3), False), (pytest.approx(100 / 3), True)]
    assert bars(hits[:1])["common"] == {}


def test_the_legend_says_what_is_not_drawn_and_has_a_colour_for_the_rest_only(companions):
    page = companions.get("/companions/search?topic=33&model=lm-dirichlet").text
    legend = page[page.index('aria-label="Parts of the scores"') :].partition("</ul>")[0]
    entries = {re.sub("<[^>]*>", "", entry).strip(): "<svg" in entry for entry in re.findall("<li>.*?</li>", legend)}
    [same] = [entry for entry in entries if entry.startswith("(every ranked document)")]
    assert re.fullmatch(r"\(every ranked document\): −\d+\.\d{4} in each, not drawn", same)
    assert {entry for entry, has_colour in entries.items() if not has_colour} == {same}


def test_a_better_spelling_leads_to_its_search(companions):
    data = data_of(companions, "companions", {"q": "removing a tikc", "model": "bm25:b=0.4", "k": "3"})
    assert data["suggestion"]["text"] == "removing a tick"
    found = companions.get(data["suggestion"]["address"].replace("?", ".json?", 1)).json()
    assert (found["query"], found["suggestion"]) == ("removing a tick", None)
    assert (found["model"], found["k"]) == ("bm25:b=0.4", 3)


def test_facets_count_what_matches_and_filter(rated):
    data = data_of(rated, "own", {"q": "cat"})
    [facet] = data["facets"]
    assert facet["field"] == "kind"
    counted = {row["value"]: row["documents"] for row in facet["values"]}
    assert [*counted.items()] == [("tom", 3), ('it\'s "odd"', 1), ("kitten", 1)]
    for row in facet["values"]:
        chosen = rated.get(row["address"].replace("?", ".json?", 1)).json()
        assert (len(chosen["hits"]), chosen["matched"]) == (row["documents"], row["documents"])
        command = words_of(chosen["command"])
        assert command[command.index("--where") + 1].startswith("kind:")
        [again] = chosen["facets"]
        [kept] = [each for each in again["values"] if each["chosen"]]
        assert kept["value"] == row["value"]
        assert "f.kind" not in kept["address"]


def test_grades_are_those_of_the_topic_whatever_is_typed(rated):
    data = data_of(rated, "own", {"topic": "q1"})
    assert {hit["doc_id"]: hit["grade"] for hit in data["hits"]} == {
        "1": 0.0,
        "2": 2.0,
        "3": None,
        "4": None,
        "5": None,
    }
    assert data["relevant"] == 1
    again = data_of(rated, "own", {"topic": "q1", "q": "number"})
    assert (again["query"], {hit["doc_id"]: hit["grade"] for hit in again["hits"]}["2"]) == ("number", 2.0)
    assert [hit["grade"] for hit in data_of(rated, "own", {"q": "cat"})["hits"]] == [None] * 5


@pytest.mark.parametrize("model", thinned(["bm25:b=0.1", "bm25", "lm-dirichlet:mu=50", "rm3(bm25)"], 3))
def test_measures_of_a_topic_are_those_of_eval_and_change_from_the_own_settings(model):
    made = toysearch.model(model)
    listed = toysearch.model(model.partition(":")[0])
    asked = client(*of_name("companions"), models={str(listed): listed})
    measures, collection = ["AP", "nDCG@10", "P@10"], toysearch.load("companions")
    query, qrels = {"7": collection.query("7")}, {"7": collection.qrels["7"]}
    runs = [toysearch.Searcher("companions", ranker).run(query) for ranker in (made, listed)]
    own, usual = (toysearch.evaluate(run, qrels, measures).per_query["7"] for run in runs)
    rows = data_of(asked, "companions", {"topic": "7", "model": model})["measures"]
    assert rows == [{"measure": name, "value": own[name], "change": own[name] - usual[name]} for name in measures]


def test_an_empty_page_offers_three_judged_queries(companions):
    links = '<a href="/companions/search?topic=%s&amp;model=bm25">'
    page = companions.get("/companions/search").text
    assert [number for number in ("1", "2", "3", "4") if links % number in page] == ["1", "2", "3"]
    assert "For example" not in companions.get("/companions/search?q=tick").text


def test_a_topic_without_judgments_has_no_measures(rated):
    assert data_of(rated, "own", {"q": "cat"}).get("measures") == []
    queries = [Query("q1", "cat"), Query("q2", "number")]
    asked = client(of_documents([Document("1", "cat")], "own", queries, Qrels.from_dict({"q1": {"1": 1}})))
    data = data_of(asked, "own", {"topic": "q2"})
    assert (data["measures"], data["missed"], data["need"]) == ([], [], {})


def test_the_need_is_what_the_topic_says_beyond_its_query(companions):
    need = data_of(companions, "companions", {"topic": "7"})["need"]
    assert [*need] == ["description", "narrative"]
    assert need["description"] in companions.get("/companions/search?topic=7").text


def test_missed_documents_are_the_relevant_ones_that_are_not_shown(companions):
    collection = toysearch.load("companions")
    relevant = {doc_id for doc_id, grade in collection.qrels["34"].items() if grade >= collection.threshold}
    data = data_of(companions, "companions", {"topic": "34", "k": "3"})
    whole = [hit.doc_id for hit in toysearch.Searcher("companions").search(collection.query("34"), None)]
    shown = {hit["doc_id"] for hit in data["hits"]}
    assert {row["doc_id"] for row in data["missed"]} == relevant - shown != set()
    assert len(relevant & shown) + len(data["missed"]) == data["relevant"]
    for row in data["missed"]:
        assert row["rank"] == (whole.index(row["doc_id"]) + 1 if row["doc_id"] in whole else None)
        assert row["grade"] == collection.qrels["34"][row["doc_id"]]
        why = companions.get(row["explanation"].replace("?", ".json?", 1)).json()
        assert (why["doc_id"], why["rank"]) == (row["doc_id"], row["rank"])
    grades = [row["grade"] for row in data["missed"]]
    assert grades == sorted(grades, reverse=True)
    text = companions.get("/companions/search?topic=34&k=3").text
    assert f"{data['relevant']} relevant ({len(data['missed'])} not shown)" in text
    assert f"Not shown: {len(data['missed'])} relevant document" in text


def test_each_setting_is_counted_once():
    asked = client(*of_name("cat-dog-parrot"))
    moved = {"model": "bm25", "of": "bm25", "p.b": "0.4"}
    settings = [{}, {"model": "bm25"}, moved, {"model": "bm25:b=0.4"}, {"model": "dph"}]
    assert [data_of(asked, "cat-dog-parrot", {"q": "cat"} | each)["tried"] for each in settings] == [1, 1, 2, 2, 3]
    assert data_of(asked, "cat-dog-parrot", {})["tried"] == 3


def test_settings_are_counted_per_visitor_and_only_where_a_slider_is_left():
    asked, other = client(*of_name("cat-dog-parrot")), None
    address = "/cat-dog-parrot/search?q=cat&model=bm25:b="
    part = {"x-toysearch-part": "moving"}
    for value in ("0.1", "0.2", "0.3"):
        asked.get(address + value, headers=part)
    asked.get(address + "0.4", headers={"x-toysearch-part": "main"})
    assert "1 setting tried" in asked.get(address + "0.4").text
    assert "2 settings tried" in asked.get(address + "0.5").text
    other = asked.cookies["toysearch-visitor"]
    asked.cookies.clear()
    assert "1 setting tried" in asked.get(address + "0.5").text
    assert asked.cookies["toysearch-visitor"] != other


def test_the_address_gives_the_same_again(companions):
    asked = {"q": "tick", "model": "bm25", "of": "bm25", "p.b": "0.35", "query_mode": "strict", "k": "3"}
    asked |= {"f.topic": "health"}
    data = data_of(companions, "companions", asked | {"utm": "x"})
    again = companions.get(data["address"].replace("?", ".json?", 1)).json()
    assert again == data
    page = companions.get(data["address"])
    assert page.headers["x-toysearch-address"] == data["address"]


def test_a_saved_page_stands_alone_and_explains_each_score(companions):
    reply = companions.get("/companions/search", params={"topic": "33", "save": "1"})
    assert reply.headers["content-disposition"] == 'attachment; filename="toysearch-search.html"'
    assert [part for part in ("href=", "src=", "<form") if part in reply.text] == []
    hits = data_of(companions, "companions", {"topic": "33"})["hits"]
    for hit in hits:
        assert f"document {hit['doc_id']}: score {hit['score']:.6f} under bm25" in reply.text


@pytest.mark.system
def test_scores_are_explained_only_for_what_is_shown(monkeypatch):
    asked, explained = client(*of_name("companions")), []
    explain = toysearch.explain
    monkeypatch.setattr(search_view.toysearch, "explain", lambda *given: explained.append(given) or explain(*given))
    page = asked.get("/companions/search?q=dog&k=1000").text
    assert len(explained) == 40
    data = asked.get("/companions/search.json?q=dog&k=1000").json()
    assert len(data["hits"]) == data["ranked"] == len(explained) - 40
    assert f"The page shows the first 40 of {data['ranked']} documents" in page


def test_a_form_leads_to_its_permanent_address(companions):
    typed = {"q": "dog", "topic": "", "model": "bm25", "of": "bm25", "p.k1": "1.2", "p.b": "0.75", "p.k3": "none"}
    sent = companions.get("/companions/search", params=typed | {"query_mode": "", "k": "10"})
    assert (sent.status_code, sent.headers["location"]) == (303, "/companions/search?q=dog&model=bm25")
    sent = companions.get("/companions/compare", params={"a": "bm25", "of.a": "bm25", "p.a.b": "0.4", "all": "1"})
    # How many settings this visitor has tried depends on the tests before.
    address = re.sub(r"(?<=&tried=)\d+", "N", sent.headers["location"])
    assert address == "/companions/compare?a=bm25%3Ab%3D0.4&b=lm-dirichlet&tried=N&all=1"
    refused = companions.get("/companions/search", params=typed | {"p.b": "x"})
    assert (refused.status_code, 'id="search"' in refused.text) == (400, True)


def test_more_documents_and_the_usual_values_are_a_click_away(companions):
    page = companions.get("/companions/search?q=dog&model=bm25:b=0.2").text
    assert 'href="/companions/search?q=dog&amp;model=bm25">back to bm25</a>' in page
    assert 'href="/companions/search?q=dog&amp;model=bm25%3Ab%3D0.2&amp;k=20">Show more</a>' in page
    usual = companions.get("/companions/search?q=dog").text
    assert re.search(r"hidden><a [^>]*>back to bm25", usual)  # its room is kept
    assert "Show more" not in companions.get("/companions/search?q=dog&k=40").text


BOX = re.compile(r'<input id="q"[^>]* value="([^"]*)"')


def test_the_box_shows_the_words_of_a_topic_which_count_as_typed_once_they_are_changed(companions):
    text = companions.get("/companions/search?topic=33").text
    [words], own = BOX.findall(text), data_of(companions, "companions", {"topic": "33"})
    assert words == " ".join(own["query"].split())
    assert "Rewritten from:" not in text
    form = {"topic": "33", "of.topic": "33"}
    assert data_of(companions, "companions", form | {"q": words}) == own
    assert data_of(companions, "companions", form | {"q": words, "topic": "7"})["query_id"] == "7"  # without scripts
    assert data_of(companions, "companions", form | {"q": words, "topic": "7"})["query"] != words
    rewritten = data_of(companions, "companions", form | {"q": f"{words} again"})
    assert (rewritten["query"], rewritten["query_id"]) == (f"{words} again", "33")
    assert "Rewritten from:" in companions.get(rewritten["address"]).text
    assert data_of(companions, "companions", {"q": words})["query_id"] is None


def test_the_id_of_a_document_leads_to_it(companions):
    text = companions.get("/companions/search?q=p057").text
    assert "Index.vector" not in text
    [address] = re.findall('It is the id of a document: <a href="([^"]+)">', text)
    assert companions.get(html.unescape(address) + "&save=1").status_code == 200
    assert "doc=p057" in address
    assert "id of a document" not in companions.get("/companions/search?q=p0571").text


def test_a_program_without_cookies_counts_only_what_it_asks_for(companions):
    tried = []
    for model in ("bm25", "dph", "bm25:b=0.2"):
        companions.cookies.clear()
        tried.append(data_of(companions, "companions", {"q": "tick", "model": model})["tried"])
    assert tried == [1, 1, 1]
    assert data_of(companions, "companions", {"q": "tick", "model": "dph"})["tried"] == 2  # with the cookie of the last
