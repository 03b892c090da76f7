"""`toysearch verify`: all agree as it is, and a single wrong number is seen."""

import json
from functools import partial

import numpy as np
import pytest
import rank_bm25
import shell
from sklearn.feature_extraction.text import TfidfVectorizer
from tiers import thinned

import toysearch

pytrec_eval = pytest.importorskip("pytrec_eval")

pytestmark = pytest.mark.system

run = partial(shell.run, "verify")
BY = {
    "bm25": "rank-bm25, with the idf of bm25",
    **dict.fromkeys(["bm25-okapi", "bm25l-rank", "bm25plus-rank"], "rank-bm25"),
    **dict.fromkeys(["tfidf:idf=smooth", "cosine:idf=smooth", "cosine:tf=log,idf=smooth"], "scikit-learn"),
}


@pytest.mark.parametrize("options", thinned([[], ["--analyzer", "none"], ["--analyzer", "english:ngrams=1-2"]], 3))
def test_all_agree(options):
    result = run("companions", "--json", *options)
    assert result.exit_code == 0
    data = json.loads(result.stdout)
    assert data["agrees"]
    assert [(row["what"], row["by"]) for row in data["rows"]] == [(f"scores of {model}", BY[model]) for model in BY]
    assert all(row["agrees"] and row["digits"] >= 12 and row["numbers"] > 3000 for row in data["rows"])


def wrong_bm25(monkeypatch, wrong):
    theirs = rank_bm25.BM25Okapi.get_scores
    monkeypatch.setattr(rank_bm25.BM25Okapi, "get_scores", lambda self, query: wrong(theirs(self, query)))


def wrong_cosine(monkeypatch, wrong):
    theirs = TfidfVectorizer.transform
    monkeypatch.setattr(TfidfVectorizer, "transform", lambda self, texts: wrong(theirs(self, texts)))


@pytest.mark.parametrize(
    ("spoil", "wrong", "model", "digits"),
    [
        (wrong_bm25, lambda scores: scores * (1 + 1e-7), "bm25-okapi", "7"),
        (wrong_bm25, lambda scores: scores * np.nan, "bm25-okapi", "16"),
        (wrong_cosine, lambda vectors: vectors.power(1.01), "cosine:idf=smooth", "2"),
    ],
)
def test_a_wrong_number_is_seen(monkeypatch, spoil, wrong, model, digits):
    spoil(monkeypatch, wrong)
    result = run("cat-dog-parrot", "--tsv")
    assert result.exit_code == 1
    [row] = [line.split("\t") for line in result.stdout.splitlines() if line.startswith(f"scores of {model}\t")]
    assert (row[3], row[5]) == (digits, "NO")


def test_the_tokens_are_those_of_the_index(tmp_path):
    folder, pets = tmp_path / "pets.idx", toysearch.load("cat-dog-parrot")
    toysearch.Index.build(pets).delete(["1"]).save(folder)
    result = run(folder, "--json")
    assert result.exit_code == 0
    assert {row["numbers"] for row in json.loads(result.stdout)["rows"]} == {9}
    assert {row.numbers for row in toysearch.verify(pets).rows} == {12}
