"""What a view names gives the same: commands and Python, with options, own models, and for an index."""

import pytest
from page_client import client, reproduced, run_by_python
from shell import done, words_of
from tiers import thinned

import toysearch
from toysearch.base import platform
from toysearch.cli.options import SourceOptions
from toysearch.files.reading import ARGUMENTS, Reading
from toysearch.page.search_request import spec_of
from toysearch.page.serve import served_source

ASKED = [
    {"q": "removing a tick"},
    {"q": "title:tick dog"},
    {"topic": "33", "model": "bm25f"},
    {"topic": "33", "model": "rank:k=2"},
    {"q": "tick", "model": "formula:tf*log(N/df)"},
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A model of one's own, some queries, and an index."""
    folder = tmp_path_factory.mktemp("own")
    (folder / "mine.py").write_text("def rank(tf, df, N, *, k=1.0):\n    return tf / (tf + k) * N / df\n")
    (folder / "queries.tsv").write_text("33\tdog or cat\n")
    analyzer = toysearch.Analyzer.parse("plain")
    companions = toysearch.load("companions")
    toysearch.Index.build(companions, analyzer, fields=companions.searched_fields).save(folder / "own idx")
    return folder


def served(folder, asked, options, source="companions"):
    """The data of a search, with a model of one's own and a formula named on the command line."""
    made = [toysearch.model(text) for text in ("bm25", f"{folder}/mine.py:rank", "formula:tf*log(N/df)")]
    models = {str(model): model for model in made} | toysearch.MODELS
    here = client(served_source("here", source, (), options), models=models)
    reply = here.get("/here/search.json", params=asked)
    assert reply.status_code == 200, reply.text
    return reply.json(), here


@pytest.mark.system
@pytest.mark.parametrize("asked", thinned(ASKED, 2), ids=str)
@pytest.mark.parametrize(
    "options",
    [{}, {"analyzer": "german"}, {"fields": "title,text"}, {"queries": "queries.tsv", "query_fields": "title"}],
    ids=str,
)
def test_of_a_collection_read_with_options(folder, asked, options):
    own = {name: str(folder / value) if name == "queries" else value for name, value in options.items()}
    own |= {"analyzer": toysearch.Analyzer.parse(own["analyzer"])} if "analyzer" in own else {}
    reading = Reading(**{name: own.pop(name) for name in ARGUMENTS if name in own})
    reproduced(served(folder, asked, SourceOptions(reading, **own))[0])


@pytest.mark.parametrize("system", ["Linux", "Windows"])
@pytest.mark.parametrize("asked", ASKED, ids=str)
def test_of_an_index(folder, asked, system, monkeypatch):
    monkeypatch.setattr(platform, "SYSTEM", system)
    reproduced(served(folder, asked, SourceOptions(), str(folder / "own idx"))[0])


@pytest.mark.system
@pytest.mark.parametrize("asked", thinned([*ASKED, {"q": 'tick* OR "guide dog"', "model": "dph"}], 3), ids=str)
def test_of_an_explanation(folder, asked):
    data, here = served(folder, asked, SourceOptions())
    hit = data["hits"][1]
    why = here.get(hit["explanation"].replace("?", ".json?", 1)).json()
    names = run_by_python(why["python"])
    assert (names["why"].doc_id, names["why"].score) == (hit["doc_id"], pytest.approx(hit["score"], rel=1e-12))
    words = words_of(why["command"])
    printed = done(*words[1:]).stdout
    assert f"document {hit['doc_id']}: score {hit['score']:.6f} under {data['model']}" in printed


def test_a_mixture_with_a_model_of_a_file_has_no_spec(folder):
    assert spec_of(toysearch.model(f"0.5*bm25 + 0.5*{folder}/mine.py:rank")) is None
    assert spec_of(toysearch.model(f"{folder}/mine.py:rank:k=3")) == f"{folder / 'mine.py'}:rank:k=3"
    assert spec_of(toysearch.model("0.5*bm25:b=0.4 + 0.5*dph")) == "0.5*bm25:b=0.4 + 0.5*dph"
