"""The compare view: the numbers of `toysearch compare`, what is tried enters p, lines, gains, histograms, refusals."""

import json
import os
import re
import subprocess
import sys
from collections import Counter

import pytest

pytest.importorskip("starlette")

from conftest import ROOT
from page_client import client, of_documents, of_name, run_by_python
from shell import done, words_of

import toysearch
from toysearch.base import Document, Qrels, Query
from toysearch.cli.options import SourceOptions
from toysearch.page.access import TOKEN_HEADER
from toysearch.page.compare_view import bars_of_histogram, joined
from toysearch.page.serve import served_source
from toysearch.study.system import System

escape = pytest.importorskip("markupsafe").escape

MIXTURE = "0.7*bm25 + 0.3*dph"
COMPARISONS = [
    {"a": "bm25", "b": "lm-dirichlet:mu=500"},
    {"a": "bm25:b=0.4", "b": "dph", "c": "bm25f", "measure": "nDCG@10, AP"},
    {"a": "cosine", "b": MIXTURE, "measure": "P(rel=2)@5"},
    {"a": "bm25", "b": "jaccard", "measure": "Fallout@5"},
]


def pets(*names: str):
    """A new server, on which nothing has been tried."""
    models = {"bm25": toysearch.MODELS["bm25"], MIXTURE: toysearch.model(MIXTURE)} | toysearch.MODELS
    return client(*of_name(*names or ("companions",)), models=models)


@pytest.fixture(scope="module")
def companions():
    return pets()


def data_of(asked, parameters, source="companions"):
    reply = asked.get(f"/{source}/compare.json", params=parameters)
    assert reply.status_code == 200, reply.text
    return reply.json()


@pytest.mark.system
@pytest.mark.parametrize("parameters", COMPARISONS, ids=str)
def test_means_differences_and_p_are_those_of_compare_and_values_those_of_the_python(parameters):
    data = data_of(pets(), parameters)
    command = words_of(data["command"])
    assert command[:3] == ["toysearch", "compare", "companions"]
    printed = json.loads(done(*command[1:], "--json").stdout)
    letters = {each["model"]: each["letter"] for each in data["systems"]}
    comparison, [first, *_] = run_by_python(data["python"])["comparison"], data["overall"]["measures"]
    by_query = zip(comparison.query_ids[first["measure"]], comparison.values[first["measure"]].tolist(), strict=True)
    assert {row["query_id"]: [*row["values"].values()] for row in data["overall"]["rows"]} == dict(by_query)
    for own, theirs in zip(data["overall"]["measures"], printed["measures"], strict=True):
        assert [own[name] for name in ("measure", "queries")] == [theirs[name] for name in ("measure", "queries")]
        assert own["means"] == {letters[name]: mean for name, mean in theirs["means"].items()}
        for mine, other in zip(own["pairs"], theirs["pairs"], strict=True):
            assert mine["system"] == letters[other["system"]]
            for name in ("difference", "wins", "ties", "losses", "effect"):
                assert mine[name] == other[name]
            assert (mine["p"], mine["low"], mine["high"]) == (other["p"], other["low"], other["high"])


@pytest.mark.system
@pytest.mark.parametrize("parameters", COMPARISONS[:2], ids=str)
def test_caveats_and_power_are_those_of_compare(companions, parameters):
    assert "caveats" not in data_of(companions, parameters)["overall"]
    data = data_of(companions, parameters | {"depends": "1"})
    printed = json.loads(done(*words_of(data["command"])[1:], "--power", "--json").stdout)
    names = {each["letter"]: each["model"] for each in data["systems"]} | {"": ""}

    def named(rows):
        return [{**row, "system": names[row["system"]], "other": names[row["other"]]} for row in rows]

    assert named(data["overall"]["caveats"]) == printed["caveats"] != []
    assert [{**row, "wanted": 0.8} for row in printed["power"]] == named(data["overall"]["power"])
    page = companions.get(data["address"]).text
    for line in data["overall"]["depends_on"]:
        assert f"<li>{escape(line)}</li>" in page
    assert data["overall"]["depends_on"]
    assert "Examine" in companions.get("/companions/compare", params=parameters).text
    assert "<caption>Power" in companions.get("/companions/compare", params=parameters | {"save": "1"}).text


@pytest.mark.system
def test_systems_with_their_own_analysis_have_the_numbers_of_compare():
    [source] = of_name("companions")
    given = [System.of("bm25 · plain"), System.of("lm-dirichlet | english:stem=none")]
    source.systems = {str(system): system for system in given}
    asked = client(source)
    data = data_of(asked, {"a": "bm25", "b": str(given[0]), "c": str(given[1]), "measure": "AP RR", "topic": "33"})
    printed = json.loads(done(*words_of(data["command"])[1:], "--json").stdout)
    assert data["overall"]["verdict"] == printed["verdict"]
    for own, theirs in zip(data["overall"]["measures"], printed["measures"], strict=True):
        assert [*own["means"].values()] == pytest.approx([*theirs["means"].values()], abs=1e-15)
    assert run_by_python(data["python"])["comparison"].data()["verdict"] == printed["verdict"]
    index = toysearch.Index.build(toysearch.load("companions"), analyzer="plain")
    for topic, words in (("33", {}), ("", {"q": "Ticks on dogs"})):
        data = data_of(asked, {"a": "bm25", "b": str(given[0]), "topic": topic, **words})
        expected = toysearch.Searcher(index, "bm25").search(data["query"])
        assert [hit["doc_id"] for hit in data["rankings"][1]["hits"]] == expected.doc_ids[:10]
        why = data_of(asked, {"a": "bm25", "b": str(given[0]), "topic": topic, "doc": expected.doc_ids[0], **words})[
            "why"
        ]
        assert sum(part["share"] for part in why["systems"][1]["parts"]) == pytest.approx(expected.scores[0])
    page = asked.get("/companions/compare").text
    assert all(f">{system}</option>" in page for system in given)


@pytest.mark.exhaustive
def test_the_first_comparison_finds_the_large_packages_loaded():
    code = (
        "import sys; sys.path.insert(0, 'tests'); from page_client import client, of_name; "
        "from toysearch.page.compare_view import prepare; asked = client(*of_name('companions')); prepare(); "
        "before = {*sys.modules}; asked.get('/companions/compare.json?a=bm25&b=dph').raise_for_status(); "
        "print([each for each in {*sys.modules} - before if each.split('.')[0] in ('scipy',)])"
    )
    environment = {**os.environ, "TOYSEARCH_PATH": "compiled"}
    found = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert (found.stdout.strip(), found.stderr) == ("[]", "")


@pytest.mark.system
@pytest.mark.parametrize("kind", ["analysed", "judged", "index"])
def test_command_and_python_know_how_the_source_was_read(tmp_path, kind):
    qrels = tmp_path / "mine.txt"
    qrels.write_text("33 0 p057 1\n1 0 p001 1\n")
    options = SourceOptions(qrels=str(qrels))
    if kind == "analysed":
        options = SourceOptions(analyzer=toysearch.Analyzer.parse("plain"))
    typed = "companions"
    if kind == "index":
        typed = str(tmp_path / "index")
        toysearch.Index.build(toysearch.load("companions")).save(typed)
    data = data_of(client(served_source("own", typed, (), options)), {"b": "dph"}, "own")
    [measure] = data["overall"]["measures"]
    printed = json.loads(done(*words_of(data["command"])[1:], "--json").stdout)
    assert [*measure["means"].values()] == [*printed["measures"][0]["means"].values()]
    by_python = run_by_python(data["python"])["comparison"].means["AP"]
    assert [*measure["means"].values()] == [*by_python.values()]


def test_a_query_has_the_values_that_it_has_among_all(companions):
    for topic in ("1", "33"):
        data = data_of(companions, {"a": "bm25", "b": "dph", "topic": topic, "measure": "AP,RR"})
        [row] = [row for row in data["overall"]["rows"] if row["query_id"] == topic]
        own = {each["measure"]: each for each in data["one_query"]}
        assert [*own] == ["AP", "RR", "nDCG@10", "P@10"]
        assert own["AP"]["values"] == row["values"]
        assert own["AP"]["changes"]["b"] == pytest.approx(row["gains"]["b"], abs=1e-12)


def test_queries_are_sorted_by_gain_and_lead_to_their_rankings(companions):
    asked = {"a": "bm25", "b": "dph", "c": "cosine", "sort": "c"}
    data = data_of(companions, asked)
    gains = [row["gains"]["c"] for row in data["overall"]["rows"]]
    assert gains == sorted(gains, reverse=True)
    row = data["overall"]["rows"][0]
    led = companions.get(row["address"].replace("?", ".json?", 1)).json()
    assert led["query_id"] == row["query_id"]
    assert [each["model"] for each in led["systems"]] == ["bm25", "dph", "cosine"]
    lower = data_of(companions, {"a": "bm25", "b": "jaccard", "measure": "Fallout@5"})["overall"]
    gains = [row["gains"]["b"] for row in lower["rows"]]
    assert (lower["measures"][0]["better"], gains) == ("lower", sorted(gains))


def test_the_queries_lost_and_gained_are_shown_alone(companions):
    for measure, better in (("AP", 1), ("Fallout@5", -1)):
        asked = {"a": "bm25", "b": "jaccard", "measure": measure, "all": "1"}
        data = data_of(companions, asked)
        gains = {row["query_id"]: better * row["gains"]["b"] for row in data["overall"]["rows"]}
        signs = {"lost": -1, "same": 0, "gained": 1}
        for name, sign in signs.items():
            page = companions.get("/companions/compare", params=asked | {"show": name}).text
            table = re.findall(r"topic=(\d+)[^>]*>\1 ", page[page.index('id="gains"') :])
            assert {*table} == {query_id for query_id, gain in gains.items() if (gain > 0) - (gain < 0) == sign}
            assert f'aria-current="true">{name} {len(table)}<' in page
            assert f"show={name}" in page[page.index('id="gains"') :]


def test_histograms_count_every_query_where_its_difference_is(companions):
    overall = data_of(companions, {"a": "bm25", "b": "dph", "c": "cosine"})["overall"]
    for letter, bars in overall["histograms"].items():
        gains = [row["gains"][letter] for row in overall["rows"]]
        for bar in bars:
            low, high = sorted([abs(bar["low"]), abs(bar["high"])])
            of_side = [abs(gain) for gain in gains if gain * (bar["low"] + bar["high"]) > 0]
            inside = [gain for gain in of_side if low + 1e-9 < gain <= high + 1e-9] if high else [0] * gains.count(0)
            assert bar["queries"] == len(inside)
        assert sum(bar["queries"] for bar in bars) == len(gains)


def differences_of(asked, parameters):
    return [row["gains"]["b"] for row in data_of(asked, parameters)["overall"]["rows"]]


@pytest.mark.system
def test_every_setting_tried_enters_p_whatever_view_shows_it():
    asked, parameters = pets(), {"a": "bm25", "b": "bm25:b=0.5"}
    asked.get("/companions/search")  # the visitor gets a name

    def found():
        data = data_of(asked, parameters)
        return data["tried"], data["overall"]["comparisons"], data["overall"]["measures"][0]["pairs"][0]

    tried, factor, first = found()
    assert (tried, factor, first["p"]) == (2, 1, first["p_uncorrected"])
    page = asked.get("/companions/compare?a=bm25&b=bm25:b=0.5").text
    assert "’s method" not in page  # nothing is corrected
    data_of(asked, {"a": "bm25", "b": "bm25", "of.b": "bm25", "p.b.b": "0.6"})
    asked.get("/companions/search?q=tick&model=dph")
    tried, factor, last = found()
    assert (tried, factor) == (4, 3)
    page = asked.get("/companions/compare?a=bm25&b=bm25:b=0.5").text
    assert "corrected for 3 comparisons by Bonferroni’s method" in page
    assert last["p_uncorrected"] == first["p_uncorrected"]
    assert last["p"] == min(1, 3 * first["p_uncorrected"])
    said = f"p = {first['p']:.4f}; {last['p']:.4f} for 3 comparisons)."
    assert data_of(asked, parameters)["overall"]["verdict"].endswith(said)
    level = toysearch.paired_test(differences_of(asked, parameters), alpha=0.05 / 3)
    assert (last["low"], last["high"]) == pytest.approx(level[3:5], abs=1e-12)
    assert found()[1] == 3
    sent = data_of(asked, parameters)
    assert sent["address"].endswith("&tried=4")
    assert "95% CI for 3 comparisons " in sent["overall"]["verdict"]
    received = pets().get(sent["address"].replace("/compare?", "/compare.json?")).json()  # by who has tried nothing
    assert (received["tried"], received["address"]) == (4, sent["address"])
    assert received["overall"] == sent["overall"]
    command = words_of(sent["command"])
    assert command[-2:] == ["--tried", "4"]
    printed = json.loads(done(*command[1:], "--json").stdout)
    assert printed["verdict"] == sent["overall"]["verdict"]
    assert sent["python"].endswith(", tried=4)")
    assert asked.get("/companions/compare?tried=-1").status_code == 400
    assert data_of(asked, parameters | {"measure": "AP RR"})["overall"]["comparisons"] == 6


def test_settings_are_counted_anew():
    asked = pets()
    token = asked.get("/companions/compare").text.partition('name="toysearch-token" content="')[2].partition('"')[0]
    for b in ("0.1", "0.2", "0.3"):
        data = data_of(asked, {"a": "bm25", "b": f"bm25:b={b}"})
    assert data["tried"] == 5  # the page opens with lm-dirichlet
    form = {"comparison": "a=bm25&b=bm25:b=0.3"}
    reply = asked.post("/companions/compare.json", data=form, headers={TOKEN_HEADER: token}).json()
    assert (reply["tried"], [system["model"] for system in reply["systems"]]) == (2, ["bm25", "bm25:b=0.3"])
    assert data_of(asked, {"a": "bm25", "b": "bm25:b=0.2"})["tried"] == 3


def test_sliders_set_the_parameters_of_their_own_system(companions):
    moved = {"a": "bm25", "of.a": "bm25", "p.a.b": "0.4", "b": "lm-dirichlet", "of.b": "bm25", "p.b.mu": "7"}
    data = data_of(companions, moved)
    assert [each["model"] for each in data["systems"]] == ["bm25:b=0.4", "lm-dirichlet"]
    assert [each["name"] for each in data["systems"][1]["parameters"]] == ["mu"]
    again = companions.get(data["address"].replace("?", ".json?", 1)).json()
    assert again == data
    assert companions.get(data["address"]).headers["x-toysearch-address"] == data["address"]


def test_the_rankings_are_those_of_search_and_tell_new_from_lost(companions):
    data = data_of(companions, {"a": "bm25", "b": "jaccard", "topic": "33", "k": "5"})
    left, right = data["rankings"]
    for each, system in zip((left, right), data["systems"], strict=True):
        searched = companions.get(system["search"].replace("?", ".json?", 1)).json()
        back = companions.get(searched["compare"].replace("?", ".json?", 1)).json()
        assert (back["query_id"], back["k"], back["systems"][0]["model"]) == ("33", 5, system["model"])
        same = ("rank", "doc_id", "score", "grade")
        assert [[hit[n] for n in same] for hit in each["hits"]] == [[hit[n] for n in same] for hit in searched["hits"]]
    old, new = ({hit["doc_id"] for hit in each["hits"]} for each in (left, right))
    assert old - new
    assert {hit["doc_id"] for hit in left["hits"] if hit["lost"]} == old - new
    assert {hit["doc_id"] for hit in right["hits"] if hit["new"]} == new - old
    whole = data_of(companions, {"a": "bm25", "b": "jaccard", "topic": "33", "k": "1000"})["rankings"][1]["hits"]
    ranks = {hit["doc_id"]: hit["rank"] for hit in whole}
    assert [hit["rank_after"] for hit in left["hits"]] == [ranks.get(hit["doc_id"]) for hit in left["hits"]]
    kinds = Counter(line.kind for line in joined(left["hits"], right["hits"]))
    assert kinds == {"joined": len(old & new), "lost": len(old - new), "new": len(new - old)}
    page = companions.get(data["address"]).text
    assert (page.count('<path class="joined'), page.count("<strong>new</strong>")) == (kinds["joined"], kinds["new"])


def test_bars_are_as_high_as_their_queries_and_say_who_wins():
    counts = [{"low": -0.1, "high": 0, "queries": 4}, {"low": 0, "high": 0, "queries": 0}]
    counts.append({"low": 0, "high": 0.1, "queries": 1})
    bars = bars_of_histogram(counts, "higher")["bars"]
    assert [(bar["kind"], bar["y"], bar["height"]) for bar in bars] == [("lost", 0, 100), ("won", 75, 25)]
    assert [bar["title"] for bar in bars] == ["−0.1 to 0: 4 queries", "0 to 0.1: 1 query"]
    assert [bar["kind"] for bar in bars_of_histogram(counts, "lower")["bars"]] == ["won", "lost"]


@pytest.mark.parametrize("doc_id", ["", "p057", "p001"])
def test_why_adds_up_and_leads_to_the_explanations(companions, doc_id):
    why = data_of(companions, {"a": "bm25", "b": "dph", "topic": "33", "doc": doc_id})["why"]
    assert doc_id in ("", why["doc_id"])
    for each in why["systems"]:
        assert sum(part["share"] for part in each["parts"]) == pytest.approx(each["score"] or 0, rel=1e-9)
        told = companions.get(each["explanation"].replace("?", ".json?", 1)).json()
        assert (told["model"], told["doc_id"], told["rank"]) == (each["model"], why["doc_id"], each["rank"])
        assert told["explanation"]["value"] == each["score"]


def test_a_document_is_kept_for_its_query_only(companions):
    asked = {"a": "bm25", "b": "dph", "topic": "33", "doc": "p057"}
    assert data_of(companions, asked | {"of.doc": "33 "})["why"]["doc_id"] == "p057"
    assert "doc=" not in data_of(companions, asked | {"topic": "1", "of.doc": "33 "})["address"]


@pytest.mark.system
def test_typed_words_are_measured_by_the_grades_of_the_topic(companions):
    data = data_of(companions, {"a": "bm25", "b": "dph", "topic": "33", "q": "tick"})
    index = toysearch.Index.build(toysearch.load("companions"))
    run = toysearch.Searcher(index, "dph").run({"33": "tick"})
    expected = toysearch.evaluate(run, {"33": toysearch.load("companions").qrels["33"]}, "AP", threshold=1)["AP"]
    assert (data["query"], data["one_query"][0]["values"]["b"]) == ("tick", expected)
    assert data_of(companions, {"a": "bm25", "b": "dph", "q": "tick"})["one_query"] is None


def test_without_judgments_it_says_what_is_missing():
    documents = [Document("1", "a cat"), Document("2", "a dog and a cat")]
    bare = client(of_documents(documents))
    asked_only = client(of_documents(documents, "asked", [Query("q1", "cat")]))
    so = "so only rankings can be compared; start `toysearch serve`"
    for asked, sentence in (
        (bare, f"own has no queries to measure systems by, {so}"),
        (asked_only, f"asked has no judgments to measure systems by, {so}"),
    ):
        data = data_of(asked, {"q": "cat"}, "own")
        assert data["missing"].startswith(sentence)
        assert data["overall"] is None
        assert [len(each["hits"]) for each in data["rankings"]] == [2, 2]
        assert sentence in asked.get("/own/compare?q=cat").text
        assert asked.get("/own/compare").status_code == 200


def test_a_topic_without_grades_is_compared_by_its_rankings():
    documents = [Document("1", "a cat"), Document("2", "a dog and a cat")]
    queries, qrels = [Query("q1", "cat"), Query("q2", "dog")], Qrels.from_dict({"q1": {"1": 1}})
    data = data_of(client(of_documents(documents, "own", queries, qrels)), {"topic": "q2"}, "own")
    assert (data["one_query"], data["notes"]) == (None, ["topic q2 is not judged"])
    assert [row["query_id"] for row in data["overall"]["rows"]] == ["q1"]


def test_the_same_system_twice_is_shown_but_no_command_compares_it(companions):
    data = data_of(companions, {"a": "bm25", "b": "bm25:k1=1.2"})
    assert (data["command"], data["python"]) == (None, None)
    [pair] = data["overall"]["measures"][0]["pairs"]
    assert (pair["difference"], pair["ties"]) == (0, len(data["overall"]["rows"]))


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"a": "bm52"}, "unknown model of this page 'bm52'; did you mean 'bm25'?"),
        ({"a": "bm25", "b": "bm25:b=2"}, "b of bm25 must be from 0 to 1, not 2"),
        ({"a": "=1/0"}, "unknown model of this page '=1/0'"),
        ({"measure": "APP"}, "unknown measure 'APP'"),
        ({"measure": "GMAP"}, "GMAP is not a mean over queries; compare AP, from whose values it is computed"),
        ({"measure": "P" * 301}, "a list of measures may have at most 300 characters here, not 301"),
        ({"topic": "999"}, "999"),
        ({"sort": "d"}, "unknown system to sort by 'd'. Systems: b"),
        ({"show": "won"}, "unknown choice of queries 'won'"),
        ({"margin": "0"}, "margin must be a number above 0, such as 0.01, not 0"),
        ({"margin": "1 %"}, "margin must be a number above 0, such as 0.01, not '1 %'"),
        ({"topic": "33", "doc": "nothing"}, "the index has no document 'nothing'"),
    ],
    ids=str,
)
def test_what_is_not_accepted_is_refused_in_one_sentence(companions, asked, sentence):
    reply = companions.get("/companions/compare.json", params=asked)
    assert reply.status_code == 400, reply.text
    assert sentence in reply.json()["error"]
    page = companions.get("/companions/compare", params=asked)
    assert page.status_code == 400
    assert "Traceback" not in page.text
    [begin] = re.findall('role="alert">(.{3})', page.text)
    assert begin[0] == begin[0].upper() or begin == "b o"  # the name of a parameter


@pytest.mark.parametrize("more", [{}, {"topic": "33"}, {"topic": "33", "c": "cosine", "k": "60"}], ids=str)
def test_the_page_shows_the_data_of_its_json_and_can_be_saved(companions, more):
    asked = {"a": "bm25", "b": "lm-dirichlet:mu=500"} | more
    data, page = data_of(companions, asked), companions.get("/companions/compare", params=asked).text
    for each in data["overall"]["measures"]:
        assert all(f"{mean:.4f}" in page for mean in each["means"].values())
        assert all(f"{pair['difference']:+.4f}".replace("-", "−") in page for pair in each["pairs"])
    assert data["command"] in page
    for each in data["rankings"] or []:
        assert all(f"doc={hit['doc_id']}#why" in page for hit in each["hits"][:50])
    if not more:
        assert all(f">{row['query_id']} " in page for row in data["overall"]["rows"][:20])
        every = companions.get("/companions/compare", params=asked | {"all": "1"}).text
        assert all(f">{row['query_id']} " in every for row in data["overall"]["rows"])
    saved = companions.get("/companions/compare", params=asked | {"save": "1"})
    assert saved.headers["content-disposition"] == 'attachment; filename="toysearch-compare.html"'
    assert [part for part in ("href=", "src=", "<form", "<script") if part in saved.text] == []
    assert max(len(page), len(saved.content)) < 150_000


def test_one_walks_from_the_largest_loss_to_the_largest_gain():
    collection = toysearch.load("companions")
    queries = [query for query in collection.queries if query.query_id in collection.qrels.query_ids][:8]
    qrels = Qrels.from_dict({query.query_id: dict(collection.qrels[query.query_id]) for query in queries})
    asked = client(of_documents(collection.documents, "own", queries, qrels))
    data = data_of(asked, {"a": "bm25", "b": "cosine"}, "own")
    walk, gains = data["overall"]["walk"], []
    assert (walk["place"], walk["queries"], walk["previous"]) == (None, 8, None)
    while walk["next"] is not None:
        page = asked.get(walk["next"].replace("?", ".json?", 1)).json()
        walk = page["overall"]["walk"]
        gains += [row["gains"]["b"] for row in page["overall"]["rows"] if row["query_id"] == page["query_id"]]
        assert walk["place"] == len(gains)
    assert (len(gains), gains) == (8, sorted(gains))
    assert len({*gains}) > 2
    page = asked.get("/own/compare?a=bm25&b=cosine").text
    table = re.findall(r'topic=([^"&]+)', page[page.index('id="gains"') :])
    assert table == [row["query_id"] for row in reversed(data["overall"]["rows"])]  # in the order of the walk
    assert page.count('<th scope="col" class="right">p</th>') == 1
    assert "p by compare" not in page


def test_the_texts_of_a_need_are_listed_with_their_values_and_the_worst_marked():
    documents = {"oak": "hard wood of a tree", "axe": "an axe splits wood", "fire": "a stove is warm", "snow": "snow"}
    queries = [
        {"id": "w1", "text": "hard wood", "need": "1"},
        {"id": "w2", "text": "snow", "need": "1"},
        {"id": "w3", "text": "", "need": "1"},
        {"id": "h1", "text": "warm stove", "need": "2"},
    ]
    asked = client(of_documents(documents, "trees", queries, {"1": {"oak": 1, "axe": 1}, "2": {"fire": 1}}))
    overall = data_of(asked, {"a": "bm25", "b": "cosine", "topic": "w2"}, "own")["overall"]
    assert [(row["query_id"], row["values"]["a"], row["worst"]) for row in overall["texts"]] == [
        ("w1", 1.0, []),
        ("w2", 0.0, ["a", "b"]),
        ("w3", 0.0, []),
    ]
    assert [(row["query_id"], row["query"], row["values"]["a"]) for row in overall["rows"]] == [
        ("1", "hard wood", pytest.approx(1 / 3)),
        ("2", "warm stove", 1.0),
    ]
    assert (overall["measures"][0]["queries"], overall["measures"][0]["kind"]) == (2, "needs")
    assert overall["walk"]["place"] == 2
    assert overall["verdict"] == "bm25 and cosine have equal means in AP."
    page = asked.get(overall["texts"][1]["address"]).text
    assert "Texts of this need: AP, the worst in bold" in page
    assert '<strong>0.0000<span class="unseen"> worst</span></strong>' in page
    searched = asked.get("/own/search.json", params={"topic": "w1"}).json()["texts"]
    assert [(row["query_id"], row["value"], row["worst"]) for row in searched] == [
        ("w1", 1.0, False),
        ("w2", 0.0, True),
        ("w3", 0.0, False),
    ]
    page = asked.get("/own/search", params={"topic": "w1"}).text
    assert page.count("AP <strong>0.0000, the worst</strong>") == 1
    assert "<bdi>w3</bdi></a>: AP 0.0000" in page  # an empty text has its id as the words of its link
    assert asked.get("/own/search.json", params={"topic": "h1"}).json()["texts"] == []
    assert data_of(asked, {"topic": "h1"}, "own")["overall"]["texts"] == []
