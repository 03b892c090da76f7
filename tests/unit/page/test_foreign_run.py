"""Runs of other engines beside the models of the page: ranked, measured and explained as far as texts allow."""

import re

import pytest
from page_client import USUAL, client, of_documents, of_name, run_by_python

import toysearch
from toysearch.base import collected_notes
from toysearch.page.foreign_run import foreign_runs


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """A run of companions by another model, with a document that companions lacks."""
    run = toysearch.Searcher("companions", "dph").run(toysearch.load("companions").queries, 30)
    path = tmp_path_factory.mktemp("theirs") / "lucene.run"
    toysearch.write_run(run, path)
    path.write_text(path.read_text() + "7 Q0 stranger 31 0.00001 dph\n")
    return path


@pytest.fixture(scope="module")
def beside(file):
    """The page of companions beside that run, and the notes of reading it."""
    [source] = of_name("companions")
    with collected_notes() as notes:
        source.runs = foreign_runs(source, [str(file)], USUAL)
    return client(source), [*map(str, notes)]


def data_of(asked, **parameters):
    reply = asked.get("/companions/compare.json", params=parameters)
    assert reply.status_code == 200, reply.text
    return reply.json()


def test_its_values_are_those_of_compare(beside, file):
    asked, notes = beside
    data = data_of(asked, measure="AP,nDCG@10")
    assert [system["model"] for system in data["systems"]] == ["bm25", "lucene.run"]
    expected = run_by_python(data["python"])["comparison"]
    for table in data["overall"]["measures"]:
        means = expected.means[table["measure"]]
        assert table["means"] == {"a": means["bm25"], "b": means["lucene.run"]}
    assert data["command"] is None
    assert notes == [f"{file}: companions lacks 1 document of its {len({*toysearch.read_run(file).doc_ids})}"]


def test_a_query_has_its_ranking_and_the_text_tells_of_a_document(beside, file):
    asked, _ = beside
    data = data_of(asked, topic="7", k="40")
    ranked = data["rankings"][1]["hits"]
    assert [hit["doc_id"] for hit in ranked] == toysearch.read_run(file).ranking("7").doc_ids
    assert (ranked[-1]["doc_id"], ranked[-1]["title"]) == ("stranger", "")

    def told(doc_id):
        return data_of(asked, topic="7", doc=doc_id)["why"]["systems"]

    of_model, of_run = told("p259")
    assert of_run["score"] == pytest.approx(toysearch.read_run(file)["7"]["p259"])
    assert (of_run["parts"], of_run["explanation"], of_model["told"]) == ([], None, None)
    assert re.fullmatch(
        r"lucene\.run ranks it 4\. A run gives no reasons; the text, of \d+ terms \(the mean is 58\), has school 2 × "
        r"and not pet\.",
        of_run["told"],
    )
    of_model, of_run = told("stranger")
    assert of_model["score"] is None
    assert of_run["told"] == ("lucene.run ranks it 31. It is not a document of companions, so its text is not known.")
    _, of_run = told("p001")
    assert "does not rank it. A run gives no reasons" in of_run["told"]
    assert "has no term of the query, so the run knows it by something else" in of_run["told"]


def test_other_words_have_no_ranking_in_it(beside):
    asked, _ = beside
    data = data_of(asked, q="tick")
    assert data["rankings"][1]["hits"] == []
    assert "lucene.run ranks nothing for this query: a run has the queries of its file only" in data["notes"]


def test_the_page_offers_it_and_can_be_saved(beside):
    asked, _ = beside
    for more in ({}, {"topic": "7"}, {"topic": "7", "doc": "stranger"}, {"topic": "7", "a": "lucene.run", "b": "dph"}):
        page = asked.get("/companions/compare", params=more).text
        assert '<optgroup label="runs of other engines">' in page
        assert asked.get("/companions/compare", params=more | {"save": "1"}).status_code == 200
    assert data_of(asked, depends="1")["overall"]["power"][0]["n"] == 58


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (
            "x1 Q0 p001 1 2.0 mine\n",
            "answers none of the judged queries of companions: its ids are such as 'x1', those",
        ),
        ("1 Q0 p001\n", "expected 6 columns"),
    ],
)
def test_a_run_of_something_else_is_refused(tmp_path, line, sentence):
    (tmp_path / "mine.run").write_text(line)
    [source] = of_name("companions")
    with pytest.raises(toysearch.ToysearchError, match=re.escape(sentence)):
        foreign_runs(source, [str(tmp_path / "mine.run")], USUAL)


def test_two_systems_of_one_name_and_documents_without_judgments_are_refused(file):
    [source] = of_name("companions")
    with pytest.raises(toysearch.ToysearchError, match=r"^two systems of the page are called 'lucene\.run'; rename"):
        foreign_runs(source, [str(file), str(file)], USUAL)
    plain = of_documents([toysearch.Document("d", "cat")])
    with pytest.raises(toysearch.ToysearchError, match=r"^own has no judged queries, so there is nothing to show"):
        foreign_runs(plain, [str(file)], USUAL)
