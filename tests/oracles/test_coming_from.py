"""The pages for those who come from another tool: its code and ours run there, and print the same numbers."""

from __future__ import annotations

import ast
import math
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import bm25s
import numpy as np
import pytest
from conftest import ROOT
from numpy.testing import assert_allclose

import toysearch

PAGES = sorted((ROOT / "docs" / "look-up").glob("coming-from-*.md"))
TEXTS = {page.stem.removeprefix("coming-from-"): page.read_text(encoding="utf-8") for page in PAGES}
BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```$)?", re.MULTILINE | re.DOTALL)
BLOCKS = [
    pytest.param(code, shown.strip(), id=f"{name}-{number}")
    for name, text in TEXTS.items()
    for number, (code, shown) in enumerate(BLOCK.findall(text), 1)
]
COMMAND = re.compile(r"^\$ toysearch ((?:run|convert) .+)$", re.MULTILINE)
NOT_RUN = {"elasticsearch", "pyserini"}  # a server, and a library on Java


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that the pages make."""
    folder = tmp_path_factory.mktemp("files")
    for command in sorted({command for text in TEXTS.values() for command in COMMAND.findall(text)}):
        subprocess.run([sys.executable, "-m", "toysearch", *command.split()], cwd=folder, check=True)
    return folder


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("code", "shown"), BLOCKS)
def test_the_code_gives_what_the_page_shows(
    code: str, shown: str, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    *before, last = ast.parse(code).body
    for node in before:
        if isinstance(node, ast.Import | ast.ImportFrom):
            for module in [node.module or ""] if isinstance(node, ast.ImportFrom) else [node.names[0].name]:
                pytest.importorskip(module)
    assert isinstance(last, ast.Expr)
    monkeypatch.chdir(files)
    names: dict[str, Any] = {}
    exec(compile(ast.Module(before, []), "page", "exec"), names)
    value = eval(compile(ast.Expression(last.value), "page", "eval"), names)
    assert not shown or repr(value) == shown


@pytest.mark.parametrize("name", TEXTS)
def test_a_page_shows_both_with_the_same_numbers_the_names_and_what_differs(name: str) -> None:
    text = TEXTS[name]
    shown = [printed.strip() for _, printed in BLOCK.findall(text) if printed]
    assert len(set(shown)) == 1
    assert len(shown) == (1 if name in NOT_RUN else 2)
    assert ("not run" in text) == (name in {*NOT_RUN, "pyterrier"})
    headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert {"Names", "What differs", "Not in toysearch"} <= set(headings)
    assert headings[0].startswith("The same ")


def test_there_is_a_page_for_each_of_the_ten_tools() -> None:
    others = {"rank-bm25", "bm25s", "scikit-learn", "whoosh", "ranx", "ir-measures", "trec-eval"}
    assert set(TEXTS) == others | {"pyterrier", "pyserini", "elasticsearch"}


def each_model(text: str) -> set[str]:
    """The models that the tables of a page name, with their parameters."""
    names = "|".join(sorted(toysearch.MODELS, key=len, reverse=True))
    wrapped = r"(?:rm3|rocchio)\([^`]*\)"
    return set(re.findall(rf"`((?:{names})(?::[^`]*)?|{wrapped})`", text))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", TEXTS)
def test_each_model_that_a_page_names_is_one(name: str) -> None:
    index = toysearch.Index.build(["a dog", "a cat", "a parrot"], lsa=1)
    for model in each_model(TEXTS[name]) - {"bm25f"}:
        assert toysearch.Searcher(index, model)


def test_bm25s_gives_delta_to_words_that_a_document_lacks() -> None:
    """To the last bits: the weight of bm25l and bm25+ at tf 0, for each word of the query that is not there."""
    collection, analyzer = toysearch.load("companions"), toysearch.Analyzer()
    index = toysearch.Index.build(collection, analyzer)
    tokens = [analyzer(document.text) for document in collection.documents]
    words, n = analyzer("removing a tick"), len(tokens)
    assert words == ["removing", "tick"]
    df = {word: sum(word in document for document in tokens) for word in words}
    missing = {
        "bm25l": ("bm25l:k1=1.5,delta=0.5", {w: math.log((n + 1) / (df[w] + 0.5)) * 2.5 * 0.5 / 2.0 for w in words}),
        "bm25+": ("bm25plus:k1=1.5,delta=0.5", {w: math.log((n + 1) / df[w]) * 0.5 for w in words}),
    }
    for method, (model, weights) in missing.items():
        theirs = bm25s.BM25(method=method, dtype="float64")
        theirs.index(tokens, show_progress=False)
        scores = np.array(theirs.get_scores(words))
        ours = {hit.doc_id: hit.score for hit in toysearch.Searcher(index, model).search("removing a tick", k=n)}
        for number, document in enumerate(collection.documents):
            scores[number] -= sum(weights[word] for word in words if word not in tokens[number])
            assert scores[number] == pytest.approx(ours.get(document.doc_id, 0.0), abs=1e-12)


def test_bm25plus_rank_is_bm25plus_of_bm25s_where_a_word_matches() -> None:
    texts = ["tick removal for dog owners", "a tick in every box", "a parrot", "a dog may carry a tick home"]
    index = toysearch.Index.build(texts)
    theirs = bm25s.BM25(method="bm25+", dtype="float64")
    theirs.index([index.analyzer(text) for text in texts], show_progress=False)
    hits = toysearch.Searcher(index, "bm25plus-rank:delta=0.5").search("tick dog")
    scores = theirs.get_scores(["tick", "dog"])
    assert_allclose([hit.score for hit in hits], [scores[int(hit.doc_id) - 1] for hit in hits], rtol=1e-12)


def test_tantivy_and_elasticsearch_are_bm25_lucene_times_k1_plus_1() -> None:
    tantivy = pytest.importorskip("tantivy")
    collection = toysearch.load("companions")
    fields = tantivy.SchemaBuilder()
    fields.add_text_field("text")
    fields.add_text_field("id", stored=True, tokenizer_name="raw")
    engine = tantivy.Index(fields.build())
    writer = engine.writer()
    for document in collection.documents:
        writer.add_document(tantivy.Document(id=document.doc_id, text=document.text))
    writer.commit()
    engine.reload()
    searcher = engine.searcher()
    theirs = {
        searcher.doc(place)["id"][0]: score
        for score, place in searcher.search(engine.parse_query("removing a tick", ["text"]), 20).hits
    }
    index = toysearch.Index.build(collection, toysearch.Analyzer(tokens="word1"))
    ours = toysearch.Searcher(index, "bm25-lucene").search("removing a tick", k=20)
    assert_allclose([hit.score * 2.2 for hit in ours], [theirs[hit.doc_id] for hit in ours], rtol=1e-6)
