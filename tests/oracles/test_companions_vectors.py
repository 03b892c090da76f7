"""The vectors that companions comes with are those that their script makes, and serve a hybrid search."""

import runpy

import numpy as np
import pytest
from conftest import ROOT
from shell import done, refused

import toysearch

pytestmark = pytest.mark.system

FOLDER = ROOT / "corpora" / "companions" / "made-up"


def test_the_files_are_those_of_the_script():
    made = runpy.run_path(str(ROOT / "docs" / "make_companions_vectors.py"))
    doc_ids, matrix = made["vectors"]()
    assert (FOLDER / "vectors.ids").read_text().split() == doc_ids
    kept = np.load(FOLDER / "vectors.npy")
    assert (kept.dtype, kept.shape) == (np.int8, (400, 64))
    assert np.abs(kept.astype(int) - matrix).max() <= 1  # a rounding error may move a number from one to the next


def test_a_hybrid_ranks_documents_of_both():
    collection = toysearch.load("companions")
    dense = f"dense:{FOLDER / 'vectors.npy'},queries={FOLDER / 'embed.py'}:embed"
    models = "bm25", dense, f"0.6*min-max(bm25) + 0.4*min-max({dense})"
    runs = (toysearch.Searcher(collection, model).run(collection.queries) for model in models)
    bm25, vectors, both = (toysearch.evaluate(run, collection.qrels, "AP")["AP"] for run in runs)
    assert both > max(bm25, vectors) > 0.3


@pytest.mark.parametrize("command", ["search companions hibernation", "explain companions p303 --query hibernation"])
def test_a_collection_stands_for_its_vectors(command):
    files = f"dense:{FOLDER / 'vectors.npy'},queries={FOLDER / 'embed.py'}:embed"
    short, long = (
        done(*command.split(), "--model", f"rrf(bm25, {one})", "--json") for one in ("dense:companions", files)
    )
    assert short.stdout.replace("dense:companions", files) == long.stdout


def test_a_collection_without_vectors_says_so():
    expected = "collection 'cat-dog-parrot' comes without vectors; name a file: dense:vectors.npy"
    assert expected in refused("search", "cat-dog-parrot", "cat", "--model", "dense:cat-dog-parrot")


def test_the_code_of_other_collections_is_not_run(tmp_path, monkeypatch):
    folder = tmp_path / "strange"
    folder.mkdir()
    (folder / "corpus.jsonl").write_text('{"_id": "1", "text": "cat"}\n')
    (folder / "collection.toml").write_text((FOLDER.parents[1] / "cat-dog-parrot" / "collection.toml").read_text())
    np.save(folder / "vectors.npy", np.ones((1, 2)))
    (folder / "vectors.ids").write_text("1\n")
    (folder / "embed.py").write_text("raise SystemExit('run')\ndef embed(text): return [1, 1]\n")
    monkeypatch.setenv("TOYSEARCH_CORPORA", str(tmp_path))
    expected = "strange: expected vectors as .npy, .parquet, .jsonl, or a FLEX folder of pyterrier_dr"
    assert expected in refused("search", "cat-dog-parrot", "cat", "--model", "dense:strange")
