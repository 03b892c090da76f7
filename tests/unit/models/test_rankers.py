"""Mixtures of models and priors: the grammar, the arithmetic, the errors."""

import gzip

import numpy as np
import pytest
from captured_notes import noted
from error_messages import raising

import toysearch
from toysearch import Document, Index, Searcher
from toysearch.base.errors import ArgumentError, DataError, ModelError
from toysearch.models.model import Needs, index_needs
from toysearch.models.rankers import Ranker
from toysearch.study.explain.order_explanation import shared_terms

DOCUMENTS = [
    Document("1", "train a cat", "", {"text": "train a cat", "year": "2000"}),
    Document("2", "train a dog", "", {"text": "train a dog", "year": "2010"}),
    Document("3", "train train the cat", "", {"text": "train train the cat", "year": "2020"}),
    Document("4", "parrots", "", {"text": "parrots", "year": "1900"}),
]
INDEX = Index.build(DOCUMENTS, values=("year",))


def scores(model, query="train cat", index=INDEX):
    return {hit.doc_id: hit.score for hit in Searcher(index, model).search(query, k=None)}


def test_scores_are_weighted_and_added():
    bm25, tfidf = scores("bm25"), scores("tfidf")
    mixed = scores("0.7*bm25 + 0.3*tfidf")
    assert mixed == {doc_id: 0.7 * bm25[doc_id] + 0.3 * tfidf[doc_id] for doc_id in bm25}
    assert scores("bm25 * tfidf * 2") == {doc_id: 2 * bm25[doc_id] * tfidf[doc_id] for doc_id in bm25}


def test_normalised_over_the_documents_that_are_ranked():
    raw = scores("bm25")
    low, high = min(raw.values()), max(raw.values())
    assert scores("min-max(bm25)") == {doc_id: (score - low) / (high - low) for doc_id, score in raw.items()}
    values = np.array(list(raw.values()))
    expected = dict(zip(raw, (values - values.mean()) / values.std(), strict=True))
    assert scores("z-score(bm25)") == pytest.approx(expected, abs=1e-12)
    assert sum(scores("sum(bm25)").values()) == pytest.approx(1)
    # document 4 is not ranked: its year is not the lowest of those that count
    assert scores("0*bm25 + min-max(prior:year)") == {"1": 0.0, "2": 0.5, "3": 1.0}


def test_a_prior_is_added_or_multiplied():
    raw = scores("bm25")
    years = {"1": 2000.0, "2": 2010.0, "3": 2020.0}
    assert scores("bm25+prior:year") == {doc_id: raw[doc_id] + years[doc_id] for doc_id in raw}
    assert scores("bm25*prior:year") == {doc_id: raw[doc_id] * years[doc_id] for doc_id in raw}


@pytest.mark.parametrize("pack", [False, True])
def test_a_prior_from_a_file(tmp_path, pack):
    path = tmp_path / ("clicks.csv.gz" if pack else "clicks.csv")
    text = b'doc_id,value\n1,5\n"3",7.5\n9,1\n'
    path.write_bytes(gzip.compress(text) if pack else text)
    with noted() as told:
        found = scores(f"0*bm25 + prior:{path}")
    assert found == {"1": 5.0, "2": 5.0, "3": 7.5}
    assert told == [
        f"prior:{path}: 1 line of documents that the index does not have",
        f"prior:{path}: 2 documents of 4 without a number; the lowest of the others, 5, is used for them",
    ]
    with noted() as told:  # the file is read once, however often it is named
        assert scores(f"0*bm25 + prior:{path} + 2*prior:{path}") == {"1": 15.0, "2": 15.0, "3": 22.5}
    assert len(told) == 2


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("1,5\n2,x\n", ":2: expected a number or a date as value, found 'x'"),
        ("1,5\n1,6\n", ":2: doc_id '1' was already given on line 1"),
        ("1,5,6\n", ":1: expected doc_id and value, found 3 columns: '1,5,6'"),
        ('1,5\n"2"x,6\n', """:2: expected doc_id and value, found a malformed row: ',' expected after '"'"""),
        (
            f"1,5\n2,{'9' * 200_000}\n",
            ":2: expected doc_id and value, found a malformed row: field larger than field limit (131072)",
        ),
        ("doc_id,value\n", ": no document has a number there; expected numbers, or dates such as 2024-07-01"),
    ],
)
def test_malformed_files(tmp_path, content, message):
    path = tmp_path / "clicks.csv"
    path.write_text(content)
    with pytest.raises((DataError, ArgumentError)) as caught:
        scores(f"bm25 + prior:{path}")
    assert str(caught.value).removeprefix("prior:") == f"{path}{message}"


def test_the_index_must_keep_the_numbers():
    with pytest.raises(ArgumentError) as caught:
        scores("bm25 + prior:views")
    assert str(caught.value) == (
        "prior:views: the index does not keep numbers of the field 'views' (it keeps year); build it with "
        "Index.build(…, values=['views'])"
    )


def test_a_score_that_is_not_finite_is_refused():
    with pytest.raises(ModelError, match="gives document '1' a score that is not finite"):
        scores("1e308*bm25*prior:year")


def test_what_an_index_must_keep():
    assert index_needs(toysearch.model("bm25")) == Needs()
    assert index_needs(toysearch.model("bm25f + prior:year + prior:a.csv*bm25 + 2*prior:year")) == Needs(
        apart=True, values=("year",)
    )


class Widened:
    """A scorer that also ranks document 4, with a score of 3."""

    def __init__(self, inside):
        self.weights, self.inside = inside.weights, inside

    def score(self, query):
        docs, own = self.inside.score(query)
        return np.append(docs, 3), np.append(own, 3.0)

    def explained(self, query, doc_id):
        return self.inside.explained(query, doc_id)


def test_each_model_ranks_its_own_documents():
    text = "0.5*min-max(bm25) + 2*tfidf + min-max(prior:year)"
    searcher = Searcher(INDEX, text)
    wide = toysearch.model("tfidf")
    searcher.scorer.scorers[wide] = Widened(searcher.scorer.scorers[wide])
    found = {hit.doc_id: hit.score for hit in searcher.search("train cat", k=None)}
    bm25, tfidf = scores("min-max(bm25)") | {"4": 0.0}, scores("tfidf") | {"4": 3.0}
    year = {"1": 100 / 120, "2": 110 / 120, "3": 1.0, "4": 0.0}  # normalised over all four
    assert found == {each: 0.5 * bm25[each] + 2 * tfidf[each] + year[each] for each in "1234"}
    factors = [product.parts[1] for product in toysearch.explain(searcher, "train cat", "4").tree.parts]
    numbers = [(factor.quantities["raw"], factor.value) for factor in factors]
    assert numbers == [(0.0, 0.0), (3.0, 3.0), (1900.0, 0.0)]
    assert factors[0].parts == ()


def test_no_model_is_asked_about_no_document():
    """A function need not know what to do with empty arrays."""

    @toysearch.model(document=lambda dl: dl.max() - dl)
    def shortest(tf):
        return tf

    mixture = Ranker("min-max", (shortest,))
    for model in (shortest, mixture):
        assert toysearch.explain(Searcher(INDEX, model), "unheard", "3").score is None
        with pytest.warns(toysearch.ToysearchNote, match="unheard"):
            assert len(Searcher(INDEX, model).search("unheard")) == 0


def test_a_mixture_is_explained():
    searcher = Searcher(INDEX, "0.5*min-max(bm25) + 0.001*prior:year")
    why = toysearch.explain(searcher, "train cat", "3")
    assert why.score == {hit.doc_id: hit.score for hit in searcher.search("train cat")}["3"]
    assert sum(product.value for product in why.tree.parts) == pytest.approx(why.score, abs=1e-12)
    bm25, prior = (product.parts[1] for product in why.tree.parts)
    assert bm25.quantities["raw"] == scores("bm25")["3"]
    assert bm25.parts[0].parts[1] == toysearch.explain(Searcher(INDEX, "bm25"), "train cat", "3").tree
    assert (prior.label, prior.quantities["raw"], prior.parts) == ("prior:year", 2020.0, ())
    assert toysearch.explain(searcher, "train cat", "4").score is None
    assert toysearch.explain(searcher, "unheard", "3").score is None
    with pytest.raises(ArgumentError, match="is a mixture; name a single model here"):
        shared_terms(searcher, "1", "3")


def test_weights_are_parameters():
    mixture = toysearch.model("0.7*min-max(bm25) + prior:year*tfidf")
    assert mixture.tuned == {"weight1": 0.7, "weight2": 1.0}
    assert mixture.ranges["weight1"] == mixture.ranges["weight2"] == (0.0, 1.0)
    assert str(mixture.bind(weight1=-0.25)) == "-0.25*min-max(bm25) + prior:year*tfidf"
    assert toysearch.model("2*bm25").parameters == toysearch.model("bm25").parameters
    assert str(toysearch.model("lsa").bind(dimensions=50)) == "lsa:50"


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"c": 2}, "dice + dph has no parameter 'c'. Parameters of dice + dph: weight1, weight2, weights, tf, idf"),
        ({"weight1": "many"}, "weight1 of dice + dph must be a finite number, not 'many'"),
    ],
)
def test_wrong_weights(values, message):
    with raising(ArgumentError, message):
        toysearch.model("dice + dph").bind(**values)


@pytest.mark.system
def test_weights_of_a_mixture_are_tuned():
    found = toysearch.tune("0.5*min-max(bm25) + 0.5*min-max(tfidf)", "companions", {"weight2": [0, 0.5]}, folds=2)
    assert [trial.setting for trial in found.trials] == [{"weight2": 0.0}, {"weight2": 0.5}]
    alone = toysearch.tune("bm25", "companions", {"k1": [1.2]}, folds=2)
    assert found.trials[0].value == pytest.approx(alone.trials[0].value)
