"""What a hit knows beside its id and score, from each kind of index."""

import json
import pickle

import pytest
from error_messages import raising
from shell import done

import toysearch
from toysearch import Document, Index, Query, Ranking, Searcher, ToysearchError
from toysearch.query.syntax import Phrase
from toysearch.retrieval.relevance_feedback import search_again
from toysearch.retrieval.similar_documents import similar
from toysearch.study.search_result import find

TITLE = "Tick removal for dog owners"


@pytest.fixture(scope="module")
def companions():
    return toysearch.load("companions")


@pytest.fixture(scope="module")
def sources(companions, tmp_path_factory):
    """The same documents as a collection, as an index, as a saved one, and one written while it was made."""
    folder = tmp_path_factory.mktemp("indexes")
    index = Index.build(companions)
    index.save(folder / "saved.idx")
    return {
        "collection": companions,
        "index": index,
        "saved": folder / "saved.idx",
        "spooled": Index.build(companions, folder=folder / "spooled.idx"),
        "texts": Index.build(companions, store_text=False),
    }


@pytest.mark.parametrize("kind", ["collection", "index", "saved", "spooled", "texts"])
def test_a_hit_has_its_title_its_text_and_a_passage(sources, kind, companions):
    hit = Searcher(sources[kind]).search("removing a tick", k=3)[0]
    assert (hit.rank, hit.doc_id, hit.title) == (1, "p057", TITLE)
    assert hit.text == companions["p057"].text
    assert hit.passage.startswith("Ticks climb onto dogs")


@pytest.mark.parametrize("kind", ["collection", "index", "spooled", "texts"])
def test_a_hit_has_all_fields_of_the_collection_that_was_searched(sources, kind, companions):
    assert Searcher(sources[kind]).search("tick", k=1)[0].fields == companions["p224"].fields


def test_an_index_alone_has_numbers_or_says_that_it_has_no_fields(sources, companions, tmp_path):
    assert Searcher(sources["saved"]).search("tick", k=1)[0].fields == {"topic": "law", "date": "2005-11-18"}
    Index.build(companions, values=()).save(tmp_path / "bare")
    with pytest.raises(ToysearchError) as refused:
        _ = Searcher(tmp_path / "bare").search("tick", k=1)[0].fields
    assert str(refused.value) == (
        "the index keeps no fields of its documents; the collection has them: collection['p224'].fields"
    )
    Index.build([Document("a", "one cat", "", {"year": "1999"})], values=["year"]).save(tmp_path / "dated")
    assert Searcher(tmp_path / "dated").search("cat")[0].fields == {"year": 1999.0}


def test_every_search_knows_the_texts(sources):
    searcher = Searcher(sources["index"])
    tree = searcher.search(Phrase("tick", "removal"), k=1)
    rankings = [
        tree,
        searcher.search(Query("9", "tick"), k=1),
        searcher.search('"tick removal" -cat', k=1, query_mode="strict"),
        searcher.search_terms(["tick"], k=1),
        search_again(searcher, "tick", ["p057"], k=1),
        similar(sources["index"], "p057", k=1),
    ]
    assert all(ranking[0].title for ranking in rankings)
    assert rankings[1][0].query_id == rankings[1].query_id == "9"
    assert tree.texts.title_or_passage("p057").spans == [(0, 4), (5, 12)]


def test_titles_are_in_the_repr_and_in_the_table(sources):
    ranking = Searcher(sources["saved"]).search("removing a tick", k=2)
    assert repr(ranking) == (
        f"<Ranking of 2 documents: p057 4.8713 '{TITLE}', p224 3.5559 'Please put a tick in every box'>"
    )
    assert repr(ranking[0]) == f"Hit(doc_id='p057', score={ranking[0].score!r}, title='{TITLE}')"
    assert str(ranking).splitlines() == [
        "rank  doc_id   score  title or best passage",
        "   1  p057    4.8713  *Tick* *removal* for dog owners",
        "   2  p224    3.5559  Please put a *tick* in every box",
    ]
    html = ranking._repr_html_()
    assert "Ranking of" not in html
    assert '<td style="text-align:left"><strong>Tick</strong> <strong>removal</strong> for dog owners</td>' in html


def test_without_texts_a_table_says_so(sources):
    ranking = Searcher(Index.build({"a": "a cat"}, store_text=False)).search("cat")
    assert str(ranking).splitlines()[-1] == "the index keeps no titles and no texts"
    assert '<div style="text-align:left">the index keeps no titles and no texts</div>' in ranking._repr_html_()
    assert repr(ranking) == "<Ranking of 1 document: a 0.1308>"
    with pytest.raises(ToysearchError, match="build it again with them"):
        _ = ranking[0].title


def test_runs_carry_no_texts(sources, companions):
    run = Searcher(sources["index"]).run(companions.queries[:2])
    ranking = run.ranking(run.query_ids[0])
    assert ranking.texts is None
    assert "title" not in str(ranking)
    with pytest.raises(ToysearchError, match="holds ids and scores only"):
        _ = ranking[0].title
    assert type(next(iter(run))).__name__ == "ScoredDoc"


def test_searching_reads_no_text(sources, monkeypatch):
    searcher = Searcher(sources["index"])
    monkeypatch.setattr(Index, "text", None)
    monkeypatch.setattr(Index, "title", None)
    assert len(searcher.search("tick", k=3).doc_ids) == 3


def test_a_hit_alone_is_pickled_without_the_index(sources):
    hit = Searcher(sources["index"]).search("tick", k=1)[0]
    assert pickle.loads(pickle.dumps(hit)) == hit == ("", "p224", hit.score)


def test_a_ranking_is_indexed_like_a_list():
    ranking = Ranking("1", ["a", "b", "c"], [3.0, 2.0, 1.0])
    assert [hit.doc_id for hit in ranking[:2]] == ["a", "b"]
    assert (ranking[-1].doc_id, ranking[-1].rank) == ("c", 3)
    assert repr(Ranking("1", [], [])) == str(Ranking("1", [], [])) == "<Ranking of 0 documents>"


def test_documents_by_id(companions):
    assert companions["p057"] == companions.documents["p057"]
    assert companions["p057"].title == TITLE
    assert "p057" in companions
    assert "p057" in companions.documents
    assert "nothing" not in companions
    assert 1 not in companions
    with raising(ToysearchError, "there is no document 'p999'; there are 400 documents, from 'p001' to 'p400'"):
        companions["p999"]
    with pytest.raises(ToysearchError, match="takes a doc_id, not 0"):
        companions[0]


@pytest.mark.parametrize("more", [(), ("--where", "price < 40"), ("--sort", "price")])
@pytest.mark.parametrize("source", ["shop.csv", "shop.idx"])
def test_json_has_the_fields_of_a_collection_as_of_its_index(source, more, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = (
        "id,title,text,brand,price,date",
        "s1,Red,a shoe,New Look,0,2012-01-15",
        "s2,Blue,a shoe,Dyson,30.5,2013-02-01",
    )
    (tmp_path / "shop.csv").write_text("\n".join(rows) + "\n")
    done("index", "shop.csv", "-o", "shop.idx", "--values", "brand,price,date")
    hits = json.loads(done("search", source, "shoe", "--json", *more).stdout)["hits"]
    assert {hit["doc_id"]: hit["fields"] for hit in hits} == {
        "s1": {"brand": "New Look", "date": "2012-01-15", "price": 0},
        "s2": {"brand": "Dyson", "date": "2013-02-01", "price": 30.5},
    }


@pytest.mark.parametrize(
    ("title", "query", "shown"),
    [
        ("Kettle news", '"red kettle"', "so a *red* *kettle* boiled."),
        ("A kettle, red", 'lamp "red kettle"', "so a *red* *kettle* boiled."),
        ("Kettle news", '"the red kettle"', "so a *red* *kettle* boiled."),
        ("Red kettle", '"red kettle"', "*Red* *kettle*"),
        ("Kettle news", "red kettle", "*Kettle* news"),
        ("Kettle news", '"red lamp"', "*red* *lamp* and"),
        ("", '"red kettle"', "so a *red* *kettle* boiled."),
    ],
)
def test_the_passage_with_the_phrase_is_shown(title, query, shown):
    text = f"{title}\nred lamp and kettle. {'filler ' * 60} so a red kettle boiled. {'more ' * 60}"
    index = Index.build([Document("a", text, title)], "english")
    assert shown in str(Searcher(index).search(query))
    assert shown in str(find(index, query))
