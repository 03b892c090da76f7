"""What is kept while a parameter of a wrapper moves, documents and pairs: the values are those of a run, to the bit."""

import pytest
from error_messages import raising

from toysearch import Evaluator, Index, Searcher, evaluate
from toysearch.base.errors import ArgumentError
from toysearch.models.calls import CALLS
from toysearch.models.rankers import factor_of
from toysearch.models.registry import model as find_model
from toysearch.retrieval.expanded_queries import feedback_of
from toysearch.retrieval.expansion_formulas import EXPANSIONS
from toysearch.workbench.tune import prepared_postings

TEXTS = [
    "a tick bites a dog and the dog scratches",
    "ticks bite cats and dogs in warm grass",
    "warm grass grows in spring",
    "the cat sleeps in warm spring sun",
    "dogs bark at the postman",
    "remove a tick with tweezers and clean the bite",
    "tweezers remove splinters and thorns",
    "the postman walks his dog in spring",
    *(f"filler{number} of its own" for number in range(40)),  # so that the other terms are rare
]
QUERIES = {"1": "tick bite", "2": "warm spring", "3": "postman's dog", "4": "unheard", "5": "remove thorns"}
QRELS = {
    "1": {"1": 2, "5": 1, "8": 3},
    "2": {"2": 1, "8": 2},
    "3": {"5": 1, "4": 1},
    "4": {"2": 1},
    "5": {"7": 1, "1": 2},
}
MOVES = {  # moves of one slider after another, as on the page
    "docs": ("3", "0", "3", "5"),
    "terms": ("4", "0", "2"),
    "lambda": ("0", "0.31", "1"),
    "df": ("1", "0.4"),
    "beta": ("0", "0.7"),
    "gamma": ("0.2",),
    "pool": ("1", "2", "3"),
    "b": ("0.1", "0.75"),
}


@pytest.fixture(autouse=True)
def compiled(monkeypatch):
    monkeypatch.setenv("TOYSEARCH_PATH", "compiled")


@pytest.fixture
def index() -> Index:
    return Index.build(TEXTS)


def _settings(wrapper: str) -> list[str]:
    """The settings that sliders go through."""
    usual = {"docs": "4"} | ({"df": "1"} if "df" in CALLS[wrapper].settings else {})
    names = [*CALLS[wrapper].settings, "b"]
    found = []
    for name in names:
        for value in MOVES[name]:
            given = usual | {name: value}
            inside = f"bm25:b={given.pop('b')}" if "b" in given else "bm25"
            found.append(f"{wrapper}({', '.join([inside, *map('='.join, given.items())])})")
    return found


@pytest.mark.system
@pytest.mark.parametrize("wrapper", EXPANSIONS)
def test_values_do_not_depend_on_what_was_evaluated_before(index, wrapper):
    evaluator, differ = Evaluator(index, QUERIES, QRELS, "AP nDCG@9"), set()
    for setting in [*_settings(wrapper), *_settings(wrapper)[::-1]]:
        found = evaluator(setting).per_query
        run = Searcher(index, setting).run({query_id: QUERIES[query_id] for query_id in QRELS})
        assert found == evaluate(run, QRELS, "AP nDCG@9").per_query, setting
        differ.add(str(found))
    assert len(differ) > 1


PAIRS = [
    "sdm(bm25)",
    "sdm(bm25:b=0.1)",
    "sdm(bm25, ordered=0.9)",
    "sdm(bm25:b=0.1, ordered=0)",
    "sdm(bm25, unordered=0.7, window=3)",
    "sdm(bm25, unordered=0.7, window=5)",
    "sdm(bm25, terms=0, unordered=0.7, window=5)",
    "sdm(lm-dirichlet:mu=3)",
    "sdm(lm-jm)",
    "sdm(smart:ltc.ltc)",
    "sdm(bm25f:start=3)",
]


@pytest.mark.system
def test_scores_with_kept_pairs_are_those_of_a_run_to_the_bit(index):
    evaluator = Evaluator(index, QUERIES, QRELS)
    for setting in [*PAIRS[:-1], *PAIRS[-2::-1]]:
        evaluator(setting)
        postings, inside = evaluator._feedback.expanded(factor_of(find_model(setting)))
        searcher = Searcher(Index.build(TEXTS), setting)
        expected = searcher.scorer.best([searcher.terms(QUERIES[query_id]) for query_id in QRELS], 9)
        for (docs, scores), (own_docs, own_scores) in zip(postings.best(inside, 9), expected, strict=True):
            assert docs.tolist() == own_docs.tolist(), setting
            assert scores.tolist() == own_scores.tolist(), setting


def test_documents_are_read_again_only_for_another_model_inside_or_number(index, monkeypatch):
    read = []
    monkeypatch.setattr(prepared_postings, "feedback_of", lambda *args: read.append(1) or feedback_of(*args))
    evaluator = Evaluator(index, QUERIES, QRELS, "AP")
    for setting, times in {
        "rm3(bm25, df=1)": 1,
        "rm3(bm25, terms=3, lambda=0.1, df=0.5)": 1,
        "rocchio(bm25)": 1,
        "rm3(bm25, docs=3)": 2,
        "rm3(bm25:b=0.1, docs=3)": 3,
        "rm3(bm25:b=0.1, docs=3, lambda=0.2)": 3,
    }.items():
        evaluator(setting)
        assert len(read) == times, setting
    monkeypatch.setattr(prepared_postings, "FEEDBACK_POSTINGS", 10)  # too many to keep
    evaluator("rm3(bm25, docs=4)")
    evaluator("rm3(bm25, docs=4, lambda=0.2)")
    assert len(read) == 5


def test_a_negative_weight_of_an_added_term_is_refused_as_in_a_search(index):
    setting = "rm3(smart:ltc.ltn,df=1)"
    with pytest.raises(ArgumentError) as of_search:
        Searcher(index, setting).run(QUERIES)
    with raising(ArgumentError, str(of_search.value)):
        Evaluator(index, QUERIES, QRELS)(setting)
    assert "a negative weight" in str(of_search.value)
