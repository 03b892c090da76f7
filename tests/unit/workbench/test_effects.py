"""Every variation of every registry on every kind of ranker has an effect, or a sentence that says why it has none."""

import math
import re
import warnings

import pytest
from random_collections import collection

import toysearch
from toysearch import Collection, Document
from toysearch.study.compare.significance import Procedure, corrected
from toysearch.workbench.effects import effects, model_variation, quantities, refused
from toysearch.workbench.learning.ranker_training import learn
from toysearch.workbench.robustness.alterations import (
    QUERY_ALTERATIONS,
    changed_collections,
    correction,
    padded_collections,
    query_variation,
)
from toysearch.workbench.robustness.scorecard import studied_systems

pytestmark = pytest.mark.system

RANKERS = ["bm25", "jaccard", "rm3(bm25)", "0.5*min-max(bm25) + 0.5*min-max(lm-dirichlet)", "lsa:5", "learned:ranker"]


@pytest.fixture(scope="module")
def made():
    found = collection(1, n_docs=40, n_queries=4, by_words=True)
    documents = [Document(each.doc_id, each.text, "", {"title": "w1", "text": each.text}) for each in found.documents]
    return Collection("made", documents, found.queries, found.qrels)


@pytest.fixture
def studied(made, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        learn(made, "logistic", ["bm25", "length"], pool=["bm25@10"]).save("ranker")
        return studied_systems(made, RANKERS, "AP nDCG@10")


def variations(studied):
    """Those of all registries, each with its name."""
    cure = correction()
    for changes_of in QUERY_ALTERATIONS.values():
        for change in changes_of(studied.vocabulary, studied.language, None):
            yield query_variation(change, studied.study, studied.seed, cure)
    yield from changed_collections(studied)
    yield from padded_collections(studied)


def test_every_variation_of_every_ranker_has_an_effect_or_a_reason(studied):
    every = list(variations(studied))
    assert len(every) > 24
    rows = effects(studied.study, studied.models, every, quantities(studied.measures))
    for system in RANKERS:
        for variation in every:
            found = [row for row in rows if (row.system, row.variation) == (system, variation.name)]
            assert found, variation.name
            for row in found:
                if row.problem:
                    assert re.fullmatch(r"[a-z0-9'].{10,}", row.problem), row
                else:
                    assert row.measure in ("AP", "nDCG@10")
                    assert row.queries > 0
                    assert math.isfinite(row.after)
                    assert row.after - row.before == pytest.approx(row.difference, abs=1e-12)


def test_p_is_corrected_over_the_variations_of_a_system(made):
    studied = studied_systems(made, ["bm25", "tfidf"], "AP")
    every = [model_variation(f"b = {b}", "", lambda _, __, b=b: toysearch.model(f"bm25:b={b}")) for b in (0, 0.2, 1)]
    every.insert(1, refused("none", "it is not possible"))
    found = effects(studied.study, studied.models, every, quantities(studied.measures), Procedure("t", "holm", 0.05, 0))
    for system in studied.models:
        tested = [row for row in found if row.system == system and row.test]
        assert len(tested) == 3
        expected = corrected([row.test.p for row in tested], "holm").tolist()
        assert [row.p for row in tested] == expected
        assert [row.low > 0 or row.high < 0 for row in tested] == [p <= 0.05 for p in expected]
    assert [row.problem for row in found if row.variation == "none"] == ["it is not possible"] * 2
