"""A value that is refused stays in its field, and nothing is computed in its place."""

from html.parser import HTMLParser

import pytest
from page_client import client, of_name

from toysearch.page import compare_view
from toysearch.page.served_source import ServedSource


class Fields(HTMLParser):
    """What the first form of a page shows: name of a field → its value; and the text of the main part."""

    def __init__(self, page):
        super().__init__()
        self.shown, self.main = {}, ""
        self._select, self._chosen, self._in_main = None, False, False
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        name = attributes.get("name")
        self._in_main |= tag == "main"
        if tag == "input" and name:
            self.shown[name] = attributes.get("value", "")
        if tag == "select":
            self._select = name
        self._chosen = tag == "option" and "selected" in attributes

    def handle_data(self, data):
        self.main += data if self._in_main else ""
        if self._chosen:
            self.shown[self._select] = data.partition(":")[0]
            self._chosen = False


@pytest.fixture(scope="module")
def pets():
    return client(*of_name("cat-dog-parrot"))


MODEL = {"model": "bm25", "of": "bm25"}


@pytest.mark.parametrize(
    ("view", "wrong", "name"),
    [
        ("search", {"k": "0"}, "k"),
        ("search", {"k": "ten"}, "k"),
        ("search", {"topic": "99"}, "topic"),
        ("search", {"model": "bm52"}, "model"),
        ("search", {"model": "bm25:b=9"}, "p.b"),
        ("search", MODEL | {"p.k1": "-3"}, "p.k1"),
        ("search", MODEL | {"p.k3": "x", "query_mode": "strict"}, "p.k3"),
        ("search", {"query_mode": "loose"}, "query_mode"),
        ("search", {"q": "cat AND", "query_mode": "strict"}, "q"),
        ("compare", {"measure": "NDGC@10"}, "measure"),
        ("compare", {"b": "bm25:b=9"}, "p.b.b"),
        ("compare", {"a": "dph", "b": "bm52"}, "b"),
        ("compare", {"a": "dph", "b": "bm25", "c": "bm52"}, "c"),
        ("compare", {"topic": "99"}, "topic"),
        ("compare", {"k": "1001"}, "k"),
    ],
)
def test_what_is_refused_stays_in_its_field_and_nothing_is_computed_in_its_place(pets, monkeypatch, view, wrong, name):
    monkeypatch.setattr(ServedSource, "searcher", None)
    monkeypatch.setattr(compare_view, "overall", None)
    typed = {"q": "cat", **wrong}
    page = pets.get(f"/cat-dog-parrot/{view}", params=typed)
    assert page.status_code == 400
    fields = Fields(page.text)
    assert fields.main.strip() == "Nothing is computed"
    apart = {key: value for key, value in typed.items() if ":" not in value}
    assert {key: fields.shown[key] for key in apart} == apart
    assert fields.shown[name] == typed.get(name, "9")
