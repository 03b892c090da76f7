"""Rankers give the scores of scikit-learn; features are those of a plain loop."""

import math
from collections import Counter

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression

import toysearch
from toysearch.workbench.learning.feature_table import features
from toysearch.workbench.learning.learned_ranker import LearnedRanker, PoolPart, open_ranker, save_ranker
from toysearch.workbench.learning.learners import TrainingRows, learner_of

pytestmark = pytest.mark.system
TREES = "trees=30,leaves=6,rate=0.2,rows=5,columns=0.6"


@pytest.fixture(scope="module")
def rows() -> TrainingRows:
    """Made-up rows: 40 queries of 25 documents, whose relevance depends on two of five features."""
    rng = np.random.default_rng(3)
    values = rng.normal(size=(1000, 5)).round(2)  # many equal values
    return TrainingRows(values, values[:, 0] + values[:, 2] * values[:, 3] + rng.normal(size=1000) > 1.2)


def kept(name: str, rows: TrainingRows, folder) -> LearnedRanker:
    """A ranker that was saved and opened."""
    function = learner_of(name).learn(rows)
    save_ranker(LearnedRanker(name, tuple("abcde"), (PoolPart("bm25", 10),), function), folder)
    return open_ranker(folder)


def test_logistic_regression_gives_the_scores_of_scikit_learn(rows, tmp_path):
    made = kept("logistic:C=0.5", rows, tmp_path).function
    standard = (rows.features - rows.features.mean(0)) / rows.features.std(0)
    fitted = LogisticRegression(C=0.5, tol=1e-6, max_iter=1000).fit(standard, rows.relevant)
    # scikit-learn adds the products in the order of its BLAS library.
    np.testing.assert_allclose(made.scores(rows.features), fitted.decision_function(standard), rtol=0, atol=1e-12)


def test_boosting_gives_the_scores_of_scikit_learn_to_the_last_bit(rows, tmp_path):
    made = kept(f"boosting:{TREES}", rows, tmp_path).function
    fitted = HistGradientBoostingClassifier(
        learning_rate=0.2,
        max_iter=30,
        max_leaf_nodes=6,
        min_samples_leaf=5,
        early_stopping=False,
        random_state=0,
        max_features=0.6,
    ).fit(rows.features, rows.relevant)
    others = np.random.default_rng(4).normal(size=(500, 5)).round(1)
    for values in (rows.features, others):
        assert made.scores(values).tolist() == fitted.decision_function(values).tolist()


def test_the_shares_of_weights_add_up_to_the_score(rows, tmp_path):
    function = kept("logistic", rows, tmp_path).function
    total = function.intercept + function.shares(rows.features).sum(1)
    np.testing.assert_allclose(total, function.scores(rows.features), rtol=0, atol=1e-10)
    # Over the training rows the intercept is the mean score, as each share is a difference from a mean.
    assert function.intercept == pytest.approx(function.scores(rows.features).mean(), abs=1e-9)


def test_the_share_in_trees_is_what_the_score_loses_without_the_feature(rows, tmp_path):
    function = kept(f"boosting:{TREES}", rows, tmp_path).function
    few = rows.features[:7]
    shares = function.shares(few)
    for row, column in np.ndindex(few.shape):
        usual = few[row].copy()
        usual[column] = rows.features[:, column].mean()
        with_it, without = function.scores(np.stack([few[row], usual])).tolist()
        assert shares[row, column] == with_it - without


def test_features_are_those_of_a_plain_loop():
    names = ["bm25", "min-max(bm25)", "coverage", "idf-coverage", "idf-sum", "tf-sum", "length", "query-length"]
    names += ["query-idf", "z-score(length)"]
    table = features("companions", names, ["bm25@20", "cosine@5"])
    collection = toysearch.load("companions")
    analyze, documents = table.index.analyzer, {each.doc_id: each for each in collection.documents}
    tokens = {doc_id: analyze(toysearch.Index.build([each], analyze).text(0)) for doc_id, each in documents.items()}
    N, found = len(tokens), list(table.rows)
    df = Counter(term for own in tokens.values() for term in set(own))
    for query_id, text in [*collection.judged_queries][:8]:
        terms = list(dict.fromkeys(analyze(text)))
        idf = {term: math.log(1 + (N - df[term] + 0.5) / (df[term] + 0.5)) for term in terms}
        bm25 = {hit.doc_id: hit.score for hit in toysearch.Searcher(table.index, "bm25").search(text, None)}
        pool = {*list(bm25)[:20]}
        pool |= {hit.doc_id for hit in toysearch.Searcher(table.index, "cosine").search(text, 5)} if terms else set()
        own = [row for row in found if row[0] == query_id]
        assert {row[1] for row in own} == pool
        scores = [bm25[row[1]] for row in own]
        lengths = np.array([len(tokens[row[1]]) for row in own], float)
        for place, (_, doc_id, grade, values) in enumerate(own):
            held = [term for term in terms if term in tokens[doc_id]]
            expected = [
                bm25[doc_id],
                (bm25[doc_id] - min(scores)) / (max(scores) - min(scores)),
                len(held) / len(terms),
                sum(idf[term] for term in held) / sum(idf.values()),
                sum(idf[term] for term in held),
                sum(tokens[doc_id].count(term) for term in terms),
                len(tokens[doc_id]),
                len(terms),
                sum(idf.values()) / len(terms),
                (lengths[place] - lengths.mean()) / lengths.std(),
            ]
            assert values == pytest.approx(expected, abs=1e-9), (query_id, doc_id)
            assert grade == collection.qrels[query_id].get(doc_id, 0)
