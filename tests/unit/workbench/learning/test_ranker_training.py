"""Learning to rank: folds, groups, held-out values, determinism, and that nothing is learned where there is nothing."""

import dataclasses
import math

import numpy as np
import pytest
from error_messages import raising
from tiers import EVERYTHING, exhaustive, longer

import toysearch
from toysearch import Collection, Document, Qrels, Query
from toysearch.analysis.analyzer import Analyzer
from toysearch.base.errors import ArgumentError, DataError
from toysearch.evaluation.evaluate import evaluate
from toysearch.workbench.learning.feature_table import FeatureTable, features
from toysearch.workbench.learning.learners import learner_of
from toysearch.workbench.learning.ranker_training import Scored, grouped_folds, learn, query_groups

pytestmark = pytest.mark.system

TREES = "boosting:trees=10,leaves=4,rows=5,columns=1"


def made(n_queries: int = 30) -> Collection:
    """Queries of one word each; a document that says the word is relevant if it is long, which BM25 turns round."""
    documents, grades, queries = [], [], []
    rng = np.random.default_rng(1)
    for number in range(n_queries):
        word = f"word{number}"
        queries.append(Query(str(number), word))
        for place in range(8):
            long = int(rng.integers(2, 40))
            documents.append(Document(f"{number}-{place}", f"{word} {'filler ' * long}"))
            grades.append((str(number), f"{number}-{place}", float(long > 20)))
    return Collection("made", documents, queries, Qrels.from_records(grades))


@pytest.fixture(scope="module")
def table() -> FeatureTable:
    return features(made(), ["bm25", "min-max(bm25)", "length"])


@pytest.mark.parametrize("learner", ["logistic", TREES])
def test_what_can_be_learned_is_learned(table, learner):
    found = learn(table, learner, measure="AP")
    assert found.baseline.value < 0.55 < 0.95 < found.held_out.value
    assert (found.verdict, found.fitted.value >= 0.95) == ("better", True)
    assert {use.feature for use in found.uses} == {"bm25", "min-max(bm25)", "length"}
    # The run that is returned has the values that are returned.
    values = evaluate(found.run, table.qrels, ["AP"]).per_query
    assert [values[query_id]["AP"] for query_id in found.query_ids] == found.held_out.per_query.tolist()
    for fold in found.folds:
        own = [values[query_id]["AP"] for query_id in fold.query_ids]
        assert fold.held_out == pytest.approx(sum(own) / len(own))


@pytest.mark.parametrize("learner", ["logistic", TREES])
def test_learning_twice_gives_the_same_bytes(table, learner, tmp_path):
    for name in ("first", "second"):
        found = learn(table, learner)
        found.save(tmp_path / name)
        toysearch.write_run(found.run, tmp_path / f"{name}.run")
    assert (tmp_path / "first.run").read_bytes() == (tmp_path / "second.run").read_bytes()
    for file in (tmp_path / "first").iterdir():
        assert file.read_bytes() == (tmp_path / "second" / file.name).read_bytes()


def test_the_ranker_of_a_fold_does_not_see_its_queries(table):
    """Turned grades of a fold change the rankings of other folds only."""
    found = learn(table, "logistic")
    fold = {*found.folds[2].query_ids}
    inside = np.repeat([query_id in fold for query_id in table.queries], np.diff(table.starts))
    turned = dataclasses.replace(table, grades=np.where(inside, 1 - table.grades, table.grades))
    again = learn(turned, "logistic").run
    same = {each: list(found.run.ranking(each)) == list(again.ranking(each)) for each in table.queries}
    assert {each for each, own in same.items() if own} == fold


def random_average_precision(table: FeatureTable) -> float:
    """The expected AP of a random order: Σ (1 + (k − 1) (R − 1) / (n − 1)) / k / n over the ranks k, for R of n."""
    values = []
    for start, end in zip(table.starts[:-1], table.starts[1:], strict=True):
        n, relevant = end - start, table.grades[start:end].sum()
        ranks = np.arange(1, n + 1)
        values.append((relevant > 0) * ((1 + (ranks - 1) * (relevant - 1) / (n - 1)) / ranks).sum() / n)
    return float(np.mean(values))


def test_the_value_on_training_queries_is_too_good(table):
    """Too high, or too low where lower values are better."""
    found = learn(table, "logistic")
    first, second = (Scored(value, found.held_out.per_query) for value in (0.25, 0.5))
    for sign, held_out, fitted, side in ((1, first, second, "high"), (-1, second, first, "low")):
        sentences = dataclasses.replace(found, sign=sign, held_out=held_out, fitted=fitted).sentences()
        assert f"On its training queries the ranker scores {fitted.value:.4f}, 0.2500 too {side}." in sentences


@longer
@pytest.mark.parametrize("learner", ["logistic", pytest.param("boosting:trees=3,leaves=4,rows=5", marks=exhaustive)])
def test_features_shuffled_between_queries_give_no_gain(learner):
    """With the features of a row taken from any query, held-out rankings are as good as random ones: 200 seeds."""
    table = features(made(15), ["length"])
    gains, leaks = [], []
    for seed in range(200 if EVERYTHING else 20):
        order = np.random.default_rng([seed, 5]).permutation(len(table))
        found = learn(dataclasses.replace(table, values=table.values[order]), learner, folds=3, seed=seed)
        gains.append(found.held_out.value - random_average_precision(table))
        leaks.append(found.fitted.value - random_average_precision(table))
    error = np.std(gains, ddof=1) / math.sqrt(len(gains))
    assert abs(np.mean(gains)) < 3 * error
    assert np.mean(leaks) > 3 * error  # a ranker of the same queries would gain


def test_near_duplicate_queries_are_in_one_fold():
    queries = {"1": "a red cat", "2": "red cats", "3": "blue dog", "4": "dogs blue", "5": "fish", "6": "a red dog cat"}
    groups = query_groups(queries, Analyzer.for_language("english"))
    assert groups == [["1", "2", "6"], ["3", "4"]]
    for seed in range(20):
        folds = dict(zip(queries, grouped_folds([*queries], groups, 3, seed).tolist(), strict=True))
        assert folds["1"] == folds["2"] == folds["6"], seed
        assert (folds["3"], {*folds.values()}) == (folds["4"], {0, 1, 2}), seed


def test_more_folds_than_groups_are_refused():
    for groups, folds, problem in (
        ([["1", "2"]], 3, "3 folds need as many groups of similar queries, not 2; take fewer folds"),
        (
            [["1", "2", "3"]],
            None,
            "2 folds need as many groups of similar queries, not 1; judge queries with other words",
        ),
    ):
        with raising(ArgumentError, problem):
            grouped_folds(["1", "2", "3"], groups, folds)
    assert max(grouped_folds([*"123456"], [["1", "2", "3", "4"]])) == 2  # three groups


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("boostin", "unknown learner 'boostin'; did you mean 'boosting'? Learners: logistic, boosting"),
        (
            "lambdamart:trees=5",
            "'lambdamart' is not a learner: boosting learns trees. Learners: logistic, boosting",
        ),
        ("none", "'none' is not a learner: toysearch.features has features alone. Learners: logistic, boosting"),
        ("logistic:D=1", "logistic has no setting 'D'. Settings of logistic: C"),
        ("logistic:C=0", "C of logistic must be a number of at least 1e-09, not '0'"),
        ("boosting:leaves=1", "leaves of boosting must be a whole number from 2 to 1,000, not '1'"),
        ("boosting:columns=2", "columns of boosting must be a number from 1e-09 to 1, not '2'"),
    ],
)
def test_learners_that_are_refused(text, problem):
    with raising(ArgumentError, problem):
        learner_of(text)


@pytest.mark.parametrize("value", [math.nan, math.inf, -1e101])
def test_a_feature_that_cannot_be_squared_is_refused(table, value):
    values = table.values.copy()
    values[11, 1] = value
    with pytest.raises(ArgumentError) as caught:
        learn(dataclasses.replace(table, values=values), "logistic")
    assert str(caught.value) == (
        f"feature 'min-max(bm25)' of document '1-3' for query '1' is {value:g}; expected a number from −1e+100 to "
        "1e+100"
    )


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"seed": 1 << 31}, "seed must be from 0 to 2,147,483,647, not 2147483648"),
        ({"features": "companions"}, "learn takes features, as in learn(features(collection), 'logistic')"),
        (
            {"learner": "boosting"},
            "a branch needs 400 documents, because a leaf has at least 200, but the pools of the training queries have "
            "192; set fewer rows, such as boosting:rows=9",
        ),
    ],
)
def test_what_learn_refuses(table, options, problem):
    with raising(ArgumentError, problem):
        learn(**{"features": table, "learner": "logistic", **options})


def test_an_infinite_measure_is_refused_before_the_work():
    told = []
    with pytest.raises(DataError, match=r"ESL is infinite for 6 of 58 queries, .* such as RR"):
        learn(features("companions", ["bm25"]), "logistic", "ESL", progress=lambda *step: told.append(step))
    assert told == []


def test_nothing_to_learn_is_refused(table):
    with pytest.raises(ArgumentError, match="the pool of the training queries has no relevant document"):
        learn(dataclasses.replace(table, grades=np.zeros(len(table))), "logistic")


@pytest.mark.parametrize(
    ("names", "pool", "problem"),
    [
        ([], None, "expected at least one feature, each named once"),
        (["bm25", "bm25"], None, "expected at least one feature, each named once: bm25, bm25"),
        (["bm25"], [], "expected at least one model for the pool, such as bm25@200"),
        (["bm25"], ["bm25"], "'bm25' is not a part of a pool; expected MODEL@NUMBER, as in bm25@200"),
        (
            ["mine.py:rank"],
            None,
            "feature 'mine.py:rank': a ranker names no Python file, because opening the ranker would run it",
        ),
        (["learned:x"], None, "feature 'learned:x': a ranker cannot be a part of another one"),
    ],
)
def test_features_that_are_refused(names, pool, problem):
    with raising(ArgumentError, problem):
        features("cat-dog-parrot", names, pool)


def test_the_texts_of_a_need_are_in_one_fold_whatever_their_words():
    queries = {"1a": "warm room", "1b": "stove", "2": "snow", "3": "snow in winter"}
    groups = query_groups(queries, Analyzer.for_language("english"), needs={"1a": "1", "1b": "1", "gone": "1"})
    assert groups == [["2", "3"], ["1a", "1b"]]
    assert query_groups(queries, Analyzer.for_language("english")) == [["2", "3"]]
