"""The addresses of the page: JSON and HTML tell the same, errors are sentences, hostile input stays text."""

import json
import re
from html.parser import HTMLParser

import pytest
from page_client import client, of_documents, of_name

from toysearch.base import Document, Qrels, Query
from toysearch.page import search_view
from toysearch.page.application import VIEWS
from toysearch.page.judging_rules import Judging
from toysearch.page.thumbs import Thumbs
from toysearch.workbench.judging.judgment_log import JudgmentLog, VoteLog

SCRIPT = "<script>alert('cat')</script>"
IDS = ["a/b", "../../etc/passwd", "%2e%2e%2f", 'say "cat"', "it's", "<b>", "a&doc=b", "ü\u202e", " ", SCRIPT]
VIEW_ADDRESSES = ["search?q=cat", "search?topic=1", "explanation?q=cat&doc=1", "document?doc=1&q=cat", "search"]
VIEW_ADDRESSES += ["compare", "compare?a=dph&topic=1", pytest.param("compare?depends=1", marks=pytest.mark.system)]


class Seen(HTMLParser):
    """The elements of a page, and the text outside scripts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements, self.text = [], ""
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text += data


@pytest.fixture(scope="module")
def pets():
    [source] = of_name("cat-dog-parrot")
    return client(source)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    documents = [Document(doc_id, f"a cat {SCRIPT} of {doc_id}", f"Title {SCRIPT} {doc_id}") for doc_id in IDS]
    queries = [Query(doc_id, f"cat {SCRIPT}") for doc_id in IDS]
    qrels = Qrels.from_dict({doc_id: dict.fromkeys(IDS, 1) for doc_id in IDS})
    source = of_documents(documents, "<i>own</i>", queries, qrels)
    with JudgmentLog(tmp_path_factory.mktemp("judged") / "log.jsonl") as log:
        texts = {query.query_id: query.text for query in queries}
        for judge in (f"ada{SCRIPT}", "ben"):
            for doc_id in IDS[:2]:
                log.add(judge, IDS[0], doc_id, len(judge), f"because {SCRIPT}")
            log.skip(judge, IDS[0], IDS[2])
        votes, decisions = VoteLog(log.path.with_name("v.jsonl")), JudgmentLog(log.path.with_name("d.jsonl"))
        with votes, decisions:
            source.judging = Judging(source.index, texts, log, decisions, ["bm25"], settling_key=SCRIPT)
            source.judging.settle(SCRIPT, IDS[0], IDS[1], "3", f"decided {SCRIPT}")
            source.thumbs = Thumbs(texts, votes, "key")
            source.class_link = f"http://192.0.2.7/own/search?token={SCRIPT}"
            votes.thumb("eve", SCRIPT, SCRIPT, up=True, model=SCRIPT, rank=1)
            yield client(source)


@pytest.mark.parametrize("address", VIEW_ADDRESSES)
def test_json_is_asked_for_by_the_address_or_by_accept(pets, address):
    view, _, rest = address.partition("?")
    by_address = pets.get(f"/cat-dog-parrot/{view}.json?{rest}")
    by_accept = pets.get(f"/cat-dog-parrot/{address}", headers={"accept": "application/json"})
    page = pets.get(f"/cat-dog-parrot/{address}", headers={"accept": "text/html,application/json;q=0.9"})
    assert by_address.headers["content-type"] == by_accept.headers["content-type"] == "application/json"
    assert by_address.json() == by_accept.json()
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert "accept" in page.headers["vary"]


@pytest.mark.parametrize("address", VIEW_ADDRESSES)
def test_a_page_shows_the_data_of_its_json(pets, address):
    view, _, rest = address.partition("?")
    data = pets.get(f"/cat-dog-parrot/{view}.json?{rest}").json()
    shown = Seen(pets.get(f"/cat-dog-parrot/{address}").text).text
    texts = [text for hit in data.get("hits", []) for text in (hit["title"], hit["snippet"], f"{hit['score']:.4f}")]
    for name in ("text", "python", "command"):
        texts += data[name] if isinstance(data.get(name), list) else [data.get(name) or ""]
    texts += [term["term"] for term in data.get("terms", [])]
    assert [text for text in texts if text.strip() not in shown] == []


@pytest.mark.parametrize("address", VIEW_ADDRESSES)
@pytest.mark.parametrize("layout", ["page", "part", "saved"])
def test_no_script_and_no_style_stands_in_a_page(pets, address, layout):
    more = "&save=1" if layout == "saved" else ""
    mark = "" if "?" in address else "?"
    headers = {"x-toysearch-part": "1"} if layout == "part" else {}
    reply = pets.get(f"/cat-dog-parrot/{address}{mark}{more}", headers=headers)
    for tag, attributes in Seen(reply.text).elements:
        assert not [name for name in attributes if name.startswith("on") or name == "style"]
        assert tag != "script" or (attributes["src"].startswith("/static/") and layout == "page")
        assert tag != "style" or layout == "saved"
        for name in ("src", "href", "action"):
            assert attributes.get(name, "/").startswith(("/", "#"))


@pytest.mark.system
@pytest.mark.parametrize("doc_id", IDS)
def test_ids_and_titles_of_any_kind_are_text(hostile, doc_id):
    asked = {"q": "cat", "doc": doc_id, "topic": doc_id, "judge": "<i>carla</i>"}
    for view in VIEWS:
        for more in ({}, {"save": "1"}):
            reply = hostile.get(f"/own/{view}", params=asked | more)
            assert reply.status_code == 200, reply.text
            assert [tag for tag in ("<script>alert", "<b>", "<i>") if tag in reply.text] == []
    assert hostile.get("/own/document.json", params=asked).json()["doc_id"] == doc_id


@pytest.mark.system
def test_every_link_of_a_hostile_ranking_leads_to_its_document(hostile):
    data = hostile.get("/own/search.json", params={"q": "cat", "k": 50}).json()
    assert {hit["doc_id"] for hit in data["hits"]} == set(IDS)
    for hit in data["hits"]:
        for name in ("document", "explanation"):
            assert hostile.get(hit[name].replace("?", ".json?", 1)).json()["doc_id"] == hit["doc_id"]
    for row in hostile.get("/own/compare.json").json()["overall"]["rows"]:
        led = hostile.get(row["address"].replace("?", ".json?", 1)).json()
        assert led["query_id"] == row["query_id"]
        hit = led["rankings"][0]["hits"][-1]
        address = hit["address"].removesuffix("#why").replace("?", ".json?", 1)
        assert hostile.get(address).json()["why"]["doc_id"] == hit["doc_id"]


@pytest.mark.parametrize(
    ("address", "status", "sentence"),
    [
        ("/nothing/search", 404, "unknown source 'nothing'. Sources: cat-dog-parrot"),
        ("/cat-dog-parrot/saerch", 404, f"unknown view 'saerch'; did you mean 'search'? Views: {', '.join(VIEWS)}"),
        ("/a/b/c/d", 404, "there is no page at /a/b/c/d"),
        ("/cat-dog-parrot/document", 400, "an address of a document needs its id (doc)"),
        ("/cat-dog-parrot/document?doc=9", 400, "the index has no document '9'; it has 4 documents, the first is '1'"),
        ("/cat-dog-parrot/explanation?doc=1", 400, "an explanation needs a query (q or topic) and a document (doc)"),
        ("/cat-dog-parrot/search?q=cat&k=0", 400, "k must be a whole number from 1 to 1,000, not '0'"),
        ("/cat-dog-parrot/search?q=cat&k=x", 400, "k must be a whole number from 1 to 1,000, not 'x'"),
        ("/cat-dog-parrot/search?model=bm25:b=2", 400, "b of bm25 must be from 0 to 1, not 2"),
        (
            "/cat-dog-parrot/search?query_mode=loud",
            400,
            "unknown way to read a query 'loud'. Ways: lenient, strict, plain",
        ),
        ("/cat-dog-parrot/search?q=cat&f.colour=red", 400, "unknown field to count by 'colour'. Fields: "),
        (f"/cat-dog-parrot/search?q={'x' * 10001}", 400, "a query may have at most 10,000 characters here, not 10,001"),
    ],
)
def test_errors_are_sentences_on_the_page_and_in_json(pets, address, status, sentence):
    page, data = pets.get(address), pets.get(address, headers={"accept": "application/json"})
    assert (page.status_code, data.status_code) == (status, status)
    assert data.json() == {"error": sentence, "status": status}
    first = sentence[0] if sentence.startswith(("k must", "b of")) else sentence[0].upper()  # k and b are names
    assert first + sentence[1:] in Seen(page.text).text
    assert "Traceback" not in page.text


@pytest.mark.parametrize(
    ("view", "wrong"),
    [
        ("search", {"q": "cat", "k": "0"}),
        ("search", {"q": "cat", "topic": "99"}),
        ("search", {"q": "cat", "model": "bm52"}),
        ("search", {"q": "x" * 10_001}),
        ("compare", {"q": "cat", "measure": "nothing"}),
        ("compare", {"a": "bm25", "b": "bm25:b=9", "topic": "1"}),
    ],
)
def test_what_is_refused_stands_above_its_form(pets, view, wrong):
    page = pets.get(f"/cat-dog-parrot/{view}", params=wrong)
    data = pets.get(f"/cat-dog-parrot/{view}.json", params=wrong)
    part = pets.get(f"/cat-dog-parrot/{view}", params=wrong, headers={"x-toysearch-part": "1"})
    assert {page.status_code, data.status_code, part.status_code} == {400}
    assert [data.json()["error"][1:] in Seen(shown.text).text for shown in (page, part)] == [True, True]
    forms = [attributes for tag, attributes in Seen(page.text).elements if tag == "form"]
    assert forms[0]["action"] == f"/cat-dog-parrot/{view}"
    typed = [attributes.get("value") for tag, attributes in Seen(page.text).elements if attributes.get("name") == "q"]
    assert typed == [wrong.get("q", "")]
    assert "<form" not in part.text


def test_an_empty_result_is_one_sentence(pets):
    page = Seen(pets.get("/cat-dog-parrot/search?q=zzzzz").text).text
    assert [text in page for text in ("No document contains zzzzz.", "No document matches", "Note:")] == [
        True,
        False,
        False,
    ]


def test_a_mistake_of_the_program_is_a_sentence_too(pets, monkeypatch, capsys):
    monkeypatch.setitem(VIEWS, "search", lambda *_: 1 / 0)
    reply = pets.get("/cat-dog-parrot/search?q=cat")
    assert reply.status_code == 500
    assert ("by a mistake of toysearch" in reply.text, "ZeroDivision" in reply.text) == (True, False)
    assert "ZeroDivisionError" in capsys.readouterr().err


def test_a_page_can_only_be_read(pets):
    elements = [attributes for _, attributes in Seen(pets.get("/cat-dog-parrot/search").text).elements]
    token = next(each["content"] for each in elements if each.get("name") == "toysearch-token")
    reply = pets.post("/cat-dog-parrot/document", headers={"x-toysearch-token": token})
    assert reply.status_code == 405
    assert pets.post("/cat-dog-parrot/document").status_code == 403


ELSEWHERE = "../access.py ..%2faccess.py %2e%2e/access.py ..%5caccess.py /etc/passwd page.css%00 . x.css"


@pytest.mark.parametrize("path", ELSEWHERE.split())
def test_static_gives_its_own_files_only(pets, path):
    reply = pets.get(f"/static/{path}")
    assert (reply.status_code in (307, 404), "import" in reply.text, "root:" in reply.text) == (True, False, False)
    for name, kind in (("page.css", "text/css"), ("search.js", "text/javascript"), ("icon.svg", "image/svg+xml")):
        assert pets.get(f"/static/{name}").headers["content-type"].startswith(kind)


@pytest.mark.system
def test_one_source_is_opened_at_once_and_several_are_listed(pets):
    assert pets.get("/").headers["location"] == "/cat-dog-parrot/search"
    assert pets.get("/cat-dog-parrot").headers["location"] == "/cat-dog-parrot/search"
    two = client(*of_name("cat-dog-parrot", "companions"))
    rows = two.get("/", headers={"accept": "application/json"}).json()["sources"]
    assert [(row["name"], row["documents"]) for row in rows] == [("cat-dog-parrot", 4), ("companions", 400)]
    assert [row["title"] for row in rows if row["title"] not in two.get("/").text] == []


def test_notes_belong_to_their_request(pets):
    asked = ('"train cat', "cat", '"a cat"', "dog !cat")
    found = [pets.get("/cat-dog-parrot/search.json", params={"q": text}).json()["notes"] for text in asked]
    assert [len(notes) for notes in found] == [1, 0, 1, 1]
    assert found[2] == ["left out of the query: 'a' is too short (tokens=word1 keeps single characters)"]


def test_a_lone_surrogate_of_a_file_is_shown_as_a_question_mark():
    documents = [Document("1", "a cat", "", {"text": "a cat", "kind": "odd\ud800"}), Document("2", "a dog", "")]
    qrels = Qrels.from_dict({"q\udfff": {"1": 1}})
    asked = client(of_documents(documents, "own", [Query("q\udfff", "cat \ud800")], qrels))
    for address in ("search", "search?q=cat", "document?doc=1&q=cat"):
        for headers in ({}, {"accept": "application/json"}):
            assert asked.get(f"/own/{address}", headers=headers).status_code == 200
    assert asked.get("/own/document.json?doc=1").json()["fields"] == {"kind": "odd?"}


def test_numbers_that_are_not_finite_are_null_in_json(pets, monkeypatch):
    monkeypatch.setattr(search_view, "score_parts", lambda why: [{"part": "x", "share": float("nan")}])
    reply = pets.get("/cat-dog-parrot/search.json?q=cat")
    assert json.loads(reply.text)["hits"][0]["parts"] == [{"part": "x", "share": None}]


def test_the_list_of_collections_says_what_one_can_do_and_gives_examples():
    page = client(*of_name("companions", "cat-dog-parrot")).get("/").text
    for view in ("search", "compare"):
        assert f'<a href="/companions/{view}">' in page
    assert page.count("For example: ") == 2
    assert page.count('<a href="/companions/search?topic=') == 3


@pytest.mark.parametrize("name", ["companions", "cranfield"])
def test_the_first_load_has_at_most_25_kb(name):
    asked = client(*of_name(name))
    address = asked.get("/").headers["location"]
    page = asked.get(address)
    paths = [address, *re.findall(r'(?:src|href)="(/static/[^"]+)"', page.text)]
    assert len(paths) >= 4
    assert sum(int(asked.get(path).headers["content-length"]) for path in paths) <= 25_000
    assert page.headers["content-encoding"] == "gzip"
