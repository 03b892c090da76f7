"""A source of any kind: a collection, an index with and without its collection, texts or separate fields."""

from types import SimpleNamespace

import pytest
from page_client import client, of_name, run_by_python
from shell import done

import toysearch
from toysearch.base import DataError
from toysearch.page.served_source import names_in_addresses


@pytest.fixture
def folder(tmp_path):
    """An index of a named collection, and one of a file without texts."""
    done("index", "cat-dog-parrot", "-o", tmp_path / "pets.idx")
    (tmp_path / "own.jsonl").write_text('{"_id": "a/1", "text": "a cat"}\n{"_id": "2", "text": "a dog"}\n')
    toysearch.Index.build(toysearch.load(tmp_path / "own.jsonl"), store_text=False).save(tmp_path / "bare.idx")
    return tmp_path


def test_an_index_knows_the_topics_of_its_collection(folder):
    [source] = of_name(str(folder / "pets.idx"))
    asked = client(source)
    data = asked.get(f"/{source.name}/search.json?topic=1").json()
    expected = client(*of_name("cat-dog-parrot")).get("/cat-dog-parrot/search.json?topic=1").json()
    same = ("doc_id", "score", "grade", "title", "snippet")
    for hit, other in zip(data["hits"], expected["hits"], strict=True):
        assert [hit[name] for name in same] == [other[name] for name in same]
    names = run_by_python(data["python"].replace("toysearch.load(", "toysearch.load('cat-dog-parrot' or "))
    assert [hit.doc_id for hit in names["ranking"]] == [hit["doc_id"] for hit in data["hits"]]


def test_an_index_is_served_without_a_collection_that_cannot_be_read(folder, monkeypatch):
    def broken(*_):
        raise DataError("queries.jsonl:1: broken")

    monkeypatch.setattr("toysearch.collection.catalog.collection_of", broken)
    [source] = of_name(str(folder / "pets.idx"))
    assert source.study.collection() is None
    assert client(source).get(f"/{source.name}/search.json?q=cat").json()["hits"]


@pytest.mark.system
def test_an_index_without_texts_and_collection(folder):
    [source] = of_name(str(folder / "bare.idx"))
    asked = client(source)
    for address in ("search", "search?q=cat", "document?doc=a/1", "explanation?q=cat&doc=a/1", "search?q=cat&save=1"):
        assert asked.get(f"/{source.name}/{address}").status_code == 200
    hit = asked.get(f"/{source.name}/search.json?q=cat").json()["hits"][0]
    assert (hit["doc_id"], hit["title"], hit["snippet"], hit["grade"]) == ("a/1", "", "", None)
    error = asked.get(f"/{source.name}/search.json?topic=1").json()["error"]
    assert error.endswith("has no queries of its own, so there is no topic '1'")


@pytest.mark.system
def test_what_an_index_cannot_answer_is_a_sentence(folder):
    [source] = of_name(str(folder / "bare.idx"))
    for asked in ("q=cat&model=bm25f", 'q="cat dog"', "q=title:cat&query_mode=strict"):
        reply = client(source).get(f"/{source.name}/search.json?{asked}")
        assert reply.status_code == 400, asked
        assert "\n" not in reply.json()["error"].split("\n  ")[0]


def found(asked, name, text="cat"):
    data = asked.get(f"/{name}/search.json?q={text}").json()
    return [hit["doc_id"] for hit in data.get("hits", [])], data["notes"]


def changed(folder, *words):
    done(*words[:1], folder / "own.idx", *words[1:])


@pytest.fixture
def own(tmp_path):
    """An index of two documents, and more documents for it."""
    (tmp_path / "own.jsonl").write_text('{"_id": "1", "text": "a cat"}\n{"_id": "2", "text": "a dog"}\n')
    (tmp_path / "more.jsonl").write_text('{"_id": "3", "text": "a cat and a parrot"}\n')
    done("index", tmp_path / "own.jsonl", "-o", tmp_path / "own.idx")
    return tmp_path


@pytest.mark.system
def test_a_running_page_sees_what_is_added_and_deleted(own):
    [source] = of_name(str(own / "own.idx"))
    asked = client(source)
    assert found(asked, source.name)[0] == ["1"]
    changed(own, "add", own / "more.jsonl")
    assert found(asked, source.name)[0] == ["1", "3"]
    assert found(asked, source.name, "parrot")[0] == ["3"]
    changed(own, "delete", "1")
    assert found(asked, source.name)[0] == ["3"]
    for address in ("document?doc=3", "explanation?q=cat&doc=3", "compare?q=cat", "search?q=cat&save=1"):
        assert asked.get(f"/{source.name}/{address}").status_code == 200
    assert asked.get(f"/{source.name}/document?doc=1").status_code == 400
    done("index", own / "more.jsonl", "-o", own / "own.idx")
    assert found(asked, source.name)[0] == ["3"]
    assert asked.get(f"/{source.name}/document?doc=2").status_code == 400


def test_an_index_that_is_damaged_meanwhile_is_shown_as_it_was(own):
    [source] = of_name(str(own / "own.idx"))
    asked = client(source)
    (own / "own.idx" / "manifest.json").write_text("{}")
    ids, notes = found(asked, source.name)
    assert ids == ["1"]
    assert len([each for each in notes if each.startswith("the index has been changed and cannot be read now")]) == 1
    (own / "own.idx" / "manifest.json").unlink()
    assert found(asked, source.name)[0] == ["1"]


def test_what_was_tried_counts_on_after_a_change(own):
    [source] = of_name(str(own / "own.idx"))
    asked = client(source)
    asked.get(f"/{source.name}/search?q=cat&model=dph")
    changed(own, "add", own / "more.jsonl")
    assert asked.get(f"/{source.name}/search.json?q=cat&model=bm25").json()["tried"] == 2


def test_an_index_that_does_not_change_or_on_which_people_judge_stays(own):
    [source] = of_name(str(own / "own.idx"))
    assert source.renewed() is source
    source.judging = SimpleNamespace(own_judge="")
    changed(own, "add", own / "more.jsonl")
    assert source.renewed() is source


def test_names_in_addresses_are_safe_and_different():
    names = names_in_addresses(["static", "a/b c", "x/b c", "../..", "ü", "b-c", "pets.json"])
    assert len(set(names)) == len(names)
    assert "static" not in names
    assert all(name.replace("-", "").replace("_", "").isalnum() and name.isascii() for name in names)
