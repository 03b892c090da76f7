"""Scores against PISA's, through pyterrier-pisa, on documents made at random.

PISA computes in 32 bits and returns documents with a score above 0. What differs:

- pl2: PISA has ln 0.5 in the place of log2 e; with it, typed as a formula, its scores are met.
- dph: of a document of one repeated word PISA makes 0 · infinity; there are none here.
- qld: PISA leaves out p(t|C) of the terms and lets no term count less than 0; typed as a formula as well.

Skipped where pyterrier-pisa is not installed (pip install pyterrier-pisa; Linux).
"""

import random
from collections import Counter

import numpy as np
import pytest

import toysearch
from toysearch import Index, Searcher, formula

pisa = pytest.importorskip("pyterrier_pisa", reason="pyterrier-pisa is not installed: pip install pyterrier-pisa")

TFN = "(tf * log2(1 + c * avgdl/dl))"
PL2 = f"1/({TFN} + 1) * ({TFN} * log2(N/cf) + cf/N * of_e + 0.5 * log2(2 * pi * {TFN}) + {TFN} * (log2({TFN}) - of_e))"
QLD = "max(0, log(1 + tf/(mu * cf/T)) + log(mu/(dl + mu)))"
MODELS = {
    "dph": ("dph", {}, toysearch.model("dph")),
    "pl2": ("pl2", {"c": 1.0}, formula(PL2, c=1, of_e=np.log(0.5))),
    "pl2, c = 7": ("pl2", {"c": 7.0}, formula(PL2, c=7, of_e=np.log(0.5))),
    "qld": ("qld", {"mu": 50.0}, formula(QLD, mu=50)),
    "bm25": ("bm25", {"k1": 0.9, "b": 0.4}, formula(
        "max(1e-6, log((N - df + 0.5)/(df + 0.5))) * tf * (1 + k1)/(tf + k1 * (1 - b + b * dl/avgdl))", k1=0.9, b=0.4
    )),
}  # fmt: skip


@pytest.fixture(scope="module")
def texts():
    """Of words w0, w1, …, the first ones frequent; every document has at least two different ones."""
    drawn = random.Random(1)
    words = [f"w{number}" for number in range(60)]
    weights = [1 / (1 + number) for number in range(60)]
    documents = [drawn.choices(words, weights, k=drawn.randint(2, 60)) for _ in range(300)]
    return [" ".join([*document, "w0", "w1"]) for document in documents]


@pytest.fixture(scope="module")
def theirs(texts, tmp_path_factory):
    index = pisa.PisaIndex(str(tmp_path_factory.mktemp("pisa") / "index"), stemmer="none", stops="none", threads=1)
    rows = [{"docno": str(number), "toks": dict(Counter(text.split()))} for number, text in enumerate(texts, 1)]
    index.toks_indexer(scale=1.0).index(rows)
    return index


@pytest.mark.parametrize("name", MODELS)
def test_scores_are_those_of_pisa(name, texts, theirs):
    import pandas as pd

    method, parameters, model = MODELS[name]
    drawn = random.Random(2)
    queries = [sorted({f"w{drawn.randrange(2, 60)}" for _ in range(3)}) for _ in range(20)]
    asked = pd.DataFrame([{"qid": str(i), "query_toks": dict.fromkeys(terms, 1.0)} for i, terms in enumerate(queries)])
    retriever = getattr(theirs, method)(**parameters, toks_scale=1.0, query_algorithm="ranked_or", num_results=1000)
    found = retriever.transform(asked)
    searcher = Searcher(Index.build(texts), model)
    for i, terms in enumerate(queries):
        ours = {hit.doc_id: hit.score for hit in searcher.search(" ".join(terms), k=None)}
        rows = found[found.qid == str(i)]
        expected = dict(zip(rows.docno, rows.score.astype(float), strict=True))
        assert len(expected) > 5
        assert {doc_id: ours[doc_id] for doc_id in expected} == pytest.approx(expected, rel=1e-4, abs=1e-5)
        assert all(score < 1e-4 for doc_id, score in ours.items() if doc_id not in expected)


def test_with_the_logarithm_of_e_it_is_pl2(texts):
    index = Index.build(texts)
    ours, typed = (
        Searcher(index, model).search("w5 w7", k=None) for model in ("pl2:3", formula(PL2, c=3, of_e=1 / np.log(2)))
    )
    assert ours.doc_ids == typed.doc_ids
    np.testing.assert_allclose(ours.scores, typed.scores, rtol=1e-12, atol=1e-12)
