"""`toysearch verify`: all agree as it is, and a single wrong number is seen."""

import json
from functools import partial

import numpy as np
import pytest
import rank_bm25
import shell
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from tiers import thinned

import toysearch
from toysearch.workbench import verification
from toysearch.workbench.verification import VERIFIED_MODELS

pytrec_eval = pytest.importorskip("pytrec_eval")

pytestmark = pytest.mark.system

run = partial(shell.run, "verify")


def rows(result) -> dict[tuple[str, str], dict]:
    return {(row["what"], row["by"]): row for row in json.loads(result.stdout)["rows"]}


@pytest.mark.parametrize("options", thinned([[], ["--analyzer", "none"], ["--analyzer", "english:fold-accents"]], 3))
def test_all_agree(options):
    result = run("companions", "--json", *options)
    assert result.exit_code == 0
    data = json.loads(result.stdout)
    assert data["agrees"]
    assert len(data["rows"]) == 2 + len(VERIFIED_MODELS) + 16
    assert all(row["agrees"] and row["digits"] >= 12 and row["numbers"] > 50 for row in data["rows"])
    assert {row["by"].partition(", with")[0] for row in data["rows"]} == {
        "scikit-learn",
        "rank-bm25",
        "pytrec_eval",
        "ir_measures",
    }


MODELS = ["bm25:k1=0.9,b=0.4", "bm25-robertson", "bm25-atire", "bm25l-rank:delta=0.2", "tfidf", "cosine:tf=binary"]


@pytest.mark.parametrize("model", thinned(MODELS, 6))
def test_models_with_other_parameters(model):
    result = run("companions", "--model", model, "--json", "--sample", 9)
    assert result.exit_code == 0
    assert any(what == f"scores of {toysearch.model(model)}" for what, _ in rows(result))


def wrong_tokens(monkeypatch):
    ours = CountVectorizer.build_analyzer
    monkeypatch.setattr(CountVectorizer, "build_analyzer", lambda self: lambda text: ours(self)(text)[::-1])


def wrong_counts(monkeypatch):
    theirs = CountVectorizer.fit_transform
    monkeypatch.setattr(CountVectorizer, "fit_transform", lambda self, texts: theirs(self, texts) * 2)


def wrong_bm25(monkeypatch):
    theirs = rank_bm25.BM25Okapi.get_scores
    monkeypatch.setattr(rank_bm25.BM25Okapi, "get_scores", lambda self, query: theirs(self, query) * (1 + 1e-8))


def wrong_cosine(monkeypatch):
    theirs = TfidfVectorizer.transform
    monkeypatch.setattr(TfidfVectorizer, "transform", lambda self, texts: theirs(self, texts).power(1.0001))


def wrong_measure(monkeypatch):
    theirs = verification._by_pytrec_eval

    def changed(run, qrels):
        found = theirs(run, qrels)
        found[next(iter(found))]["AP"] += 1e-6
        return found

    monkeypatch.setattr(verification, "_by_pytrec_eval", changed)


@pytest.mark.parametrize(
    ("spoil", "what"),
    [
        (wrong_tokens, "tokens"),
        (wrong_counts, "counts"),
        (wrong_bm25, "scores of bm25-okapi"),
        (wrong_cosine, "scores of cosine:idf=smooth"),
        (wrong_measure, "AP of each query"),
    ],
)
def test_a_wrong_number_is_seen(monkeypatch, spoil, what):
    spoil(monkeypatch)
    collection = "companions" if spoil is wrong_measure else "cat-dog-parrot"  # which has fractional grades
    result = run(collection, "--model", "bm25-okapi", "--model", "cosine:idf=smooth", "--json")
    assert result.exit_code == 1
    wrong = [name for (name, _), row in rows(result).items() if not row["agrees"]]
    assert what in wrong


def test_a_wrong_number_is_marked(monkeypatch):
    wrong_tokens(monkeypatch)
    assert " NO" in run("cat-dog-parrot", "--model", "bm25-okapi").stdout


def test_what_is_left_out_is_said(monkeypatch):
    monkeypatch.setattr(verification, "present", lambda module: False)
    result = run("companions", "--model", "bm25", "--analyzer", "english:ngrams=1-2")
    assert result.exit_code == 0
    assert "left out: tokens: scikit-learn has no equivalent of this analyzer" in result.stderr
    assert "left out: measures by pytrec_eval: it is not installed" in result.stderr


def test_a_function_as_stemmer_leaves_the_tokens_out_and_nothing_else():
    def first_four(word):
        return word[:4]

    usual = verification.verify("cat-dog-parrot", ["bm25"], analyzer=toysearch.Analyzer())
    stemmed = verification.verify("cat-dog-parrot", ["bm25"], analyzer=toysearch.Analyzer(stem=first_four))
    assert stemmed.left == ("tokens: scikit-learn has no equivalent of this analyzer", *usual.left)
    assert [row.what for row in usual.rows if row not in stemmed.rows] == ["tokens"]
    assert stemmed.agrees


def test_an_index_of_a_named_collection(tmp_path):
    folder = tmp_path / "pets.idx"
    toysearch.Index.build(toysearch.load("cat-dog-parrot")).save(folder)
    assert run(folder).exit_code == 0


def test_digits_and_missing_numbers():
    compared = verification._compared
    one = np.array([1.0, 2.0])
    assert compared("x", "y", one, one)[1:] == (2, 0.0, 16, "y", True)
    assert compared("x", "y", one, np.array([1.0, 2.0 + 1e-7])).digits == 7
    assert not compared("x", "y", one, np.array([1.0, 2.0 + 1e-7])).agrees
    assert compared("x", "y", one, one[:1]).difference == np.inf
    assert not compared("x", "y", one, np.array([1.0, np.nan])).agrees


def test_pytrec_eval_is_asked_for_what_it_has():
    assert set(verification._MEASURES.values()) - pytrec_eval.supported_measures <= {
        "ndcg_cut_10",
        "P_10",
        "recall_100",
    }
