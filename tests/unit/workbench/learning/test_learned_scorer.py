"""A learned ranker as a model: the pool in its order, the rest as before, and the score of a document explained."""

import numpy as np
import pytest

import toysearch
from toysearch import Searcher
from toysearch.base.errors import ArgumentError, DataError, ModelError
from toysearch.workbench.learning.learned_ranker import LearnedRanker, PoolPart, as_model, feature_of
from toysearch.workbench.learning.learners import Function, Linear
from toysearch.workbench.learning.ranker_training import learn

pytestmark = pytest.mark.system


@pytest.fixture(scope="module", params=["logistic", "boosting:trees=20,leaves=4,rows=10"])
def learned(request, tmp_path_factory):
    """What was learned from companions, and the name of the model."""
    names = ["bm25", "min-max(dph)", "length", "coverage"]
    found = learn(toysearch.features("companions", names, ["bm25@10"]), request.param)
    folder = tmp_path_factory.mktemp("ranker")
    found.save(folder)
    return found, f"learned:{folder}"


@pytest.fixture(scope="module")
def index():
    collection = toysearch.load("companions")
    return toysearch.Index.build(collection, toysearch.Analyzer.for_language("english"))


def test_the_pool_comes_first_and_the_rest_keeps_its_order(learned, index):
    for query in ("train a cat", "my dog pulls on the leash", "parrot"):
        before = [hit.doc_id for hit in Searcher(index).search(query, None)]
        after = [*Searcher(index, learned[1]).search(query, None)]
        assert [hit.doc_id for hit in after][10:] == before[10:]
        assert {hit.doc_id for hit in after[:10]} == set(before[:10])
        scores = [hit.score for hit in after]
        assert scores == sorted(scores, reverse=True)
        assert [hit.doc_id for hit in Searcher(index, learned[1]).search(query, 3)] == [hit.doc_id for hit in after[:3]]


def test_a_saved_ranker_ranks_as_the_one_in_memory(learned):
    found, name = learned
    collection = toysearch.load("companions")
    index = toysearch.Index.build(collection)
    runs = [Searcher(index, model).run(collection.judged_queries) for model in (name, found.model)]
    assert list(runs[0]) == list(runs[1])
    result = toysearch.evaluate(runs[0], collection.qrels, ["AP"], threshold=collection.threshold)
    assert result.means["AP"] == pytest.approx(found.fitted.value, abs=1e-12)


def test_an_explanation_adds_up_to_the_score(learned, index):
    searcher = Searcher(index, learned[1])
    for rank, hit in enumerate(searcher.search("train a cat", 15), 1):
        why = toysearch.explain(searcher, "train a cat", hit.doc_id)
        assert why.score == hit.score
        if rank <= 10:
            assert sum(part.value for part in why.tree.parts) == pytest.approx(why.score, abs=1e-9)
            features = {part.label for part in why.tree.of_kind("feature")}
            assert features == {"bm25", "min-max(dph)", "length", "coverage"}
        else:
            [base] = why.tree.parts
            assert base.parts[1].value == rank - 10
            assert f"outside the pool, {rank - 10} below its lowest document" in str(why)


def test_two_documents_side_by_side(learned, index):
    searcher = Searcher(index, learned[1])
    hits = searcher.search("train a cat", 20)
    for one, other in ((0, 1), (0, 19)):
        order = toysearch.explain_order(searcher, "train a cat", hits[one].doc_id, hits[other].doc_id)
        lead = hits[one].score - hits[other].score
        assert sum(part.difference for part in order.parts) == pytest.approx(lead, abs=1e-9)


def test_the_query_language_and_unknown_words(learned, index):
    searcher = Searcher(index, learned[1])
    assert len(searcher.search("xyzzy", None)) == 0
    plain = {hit.doc_id for hit in Searcher(index).search("cat AND litter", None, query_mode="strict")}
    assert {hit.doc_id for hit in searcher.search("cat AND litter", None, query_mode="strict")} == plain


def test_a_mixture_counts_the_pool_of_a_ranker(learned, index):
    query, text = "train a cat", f"0.5*min-max(bm25) + 0.5*min-max({learned[1]})"
    first = {hit.doc_id: hit.score for hit in Searcher(index).search(query, None)}
    pool = {hit.doc_id: hit.score for hit in Searcher(index, learned[1]).search(query, 10)}

    def share(scores, doc_id):
        low, high = min(scores.values()), max(scores.values())
        return (scores[doc_id] - low) / (high - low) if doc_id in scores else 0.0

    found = {hit.doc_id: hit.score for hit in Searcher(index, text).search(query, None)}
    assert found == pytest.approx({each: 0.5 * share(first, each) + 0.5 * share(pool, each) for each in first})
    assert str(toysearch.model(text)) == text
    why = toysearch.explain(Searcher(index, text), query, max(pool, key=pool.get))
    assert why.score == found[why.doc_id]
    assert learned[1] in str(why)


def test_a_mixture_with_a_ranker_is_tuned_and_knows_its_content(learned):
    model = toysearch.model(f"{learned[1]} + 0.5*bm25")
    tuned = toysearch.tune(model, "companions", {"weight2": [0.0, 1.0]})
    assert {trial.setting["weight2"] for trial in tuned.trials} >= {0.0, 1.0}


def test_a_ranker_takes_no_wrapper_and_is_no_part_of_another(learned):
    for text in ("rm3({})", "sdm({})"):
        with pytest.raises(ArgumentError, match=r"changes the terms of a query, and learned:.* fits its models"):
            toysearch.model(text.format(learned[1]))
    for text in ("{}", "bm25 + {}", "min-max({})"):
        with pytest.raises(ArgumentError, match="a ranker cannot be a part of another one"):
            feature_of(text.format(learned[1]), toysearch.model)


def test_a_ranker_that_is_not_there():
    with pytest.raises(
        DataError,
        match=r"^no-such-folder: there is no such folder; expected that of a ranker, which `toysearch learn -o` ",
    ):
        toysearch.model("learned:no-such-folder")
    with pytest.raises(ArgumentError, match="names no folder; expected learned:FOLDER"):
        toysearch.model("learned:")


def of_length(weight: float, scale: float = 1.0, intercept: float = 0.0) -> Linear:
    """The length of a document, times a weight, divided by a scale."""
    return Linear(intercept, *np.array([[weight], [0.0], [scale]]))


def ranked(function: Function) -> Searcher:
    ranker = LearnedRanker("logistic", ("length",), (PoolPart("bm25", 2),), function)
    return Searcher(
        ["cat cat", "cat aa bb", "cat cc dd ee", "cat ff gg hh ii"], as_model(ranker, "ranker", toysearch.model)
    )


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("function", "score"),
    [
        (of_length(1e308), "inf"),
        (of_length(1.0, 1e-320), "inf"),
        (of_length(1e308, intercept=-1e308), "inf"),
        (of_length(1e15), "2e+15"),
        (of_length(-1e15), "-2e+15"),
    ],
)
def test_scores_that_could_not_be_ordered_are_refused(function, score):
    for work in (lambda: ranked(function).search("cat"), lambda: toysearch.explain(ranked(function), "cat", "1")):
        with pytest.raises(ModelError) as caught:
            work()
        assert str(caught.value) == (
            f"learned:ranker gives a document the score {score}, expected from −1e+15 to 1e+15; learn a ranker with "
            "other settings or features"
        )


def test_the_rest_keeps_its_order_below_the_largest_scores():
    searcher = ranked(of_length(-3e14))
    assert [hit.doc_id for hit in searcher.search("cat")] == ["1", "2", "3", "4"]
    why = toysearch.explain(searcher, "cat", "4")
    [base] = why.tree.parts
    assert ([part.value for part in base.parts], why.score) == ([-9e14, 2], -9e14 - 2)
