"""Rows of the scorecard by other roads: scipy's paired t test on runs made one by one."""

import functools

import numpy as np
import pytest
from scipy.stats import t as student
from scipy.stats import ttest_rel
from tiers import EVERYTHING, exhaustive

import toysearch
from toysearch import Analyzer, Index, Qrels, Searcher, evaluate
from toysearch.collection.collection import Queries
from toysearch.retrieval.spelling import suggest
from toysearch.workbench.robustness.alterations import Vocabulary, altered_queries, spelling_alterations

pytestmark = pytest.mark.system

MODELS = ["bm25", "dice"]


@pytest.fixture(scope="module")
def cranfield(corpora):
    """Cranfield with every thirtieth of its queries, or with every sixth."""
    whole = toysearch.load("cranfield")
    queries = Queries(list(whole.judged_queries)[:: 6 if EVERYTHING else 30])
    qrels = Qrels.from_dict({query.query_id: whole.qrels[query.query_id] for query in queries})
    return whole.with_topics(queries, qrels)


@pytest.fixture(scope="module")
def index(cranfield):
    return Index.build(cranfield)


@pytest.fixture(scope="module")
def found(cranfield):
    return toysearch.robustness(
        MODELS, cranfield, "AP nDCG@10", only="corpus,length,spelling" if EVERYTHING else "corpus,length", seed=3
    )


@functools.cache
def originals(index, cranfield, model, measure):
    """The values of each query as it is."""
    return values(index, cranfield.judged_queries, cranfield.qrels, model, measure)


def values(index, queries, qrels, model, measure):
    run = Searcher(index, model).run(queries)
    return {query_id: row[measure] for query_id, row in evaluate(run, qrels, measure, threshold=1).per_query.items()}


def check(row, before, after):
    """A row of a measure from 0 to 1 against scipy; the interval ends where the altered mean would leave that range."""
    both = np.array([(before[query_id], after[query_id]) for query_id in after if query_id in before])
    assert row.queries == len(both)
    assert (row.before, row.after) == pytest.approx(tuple(both.mean(axis=0)), abs=1e-12)
    difference = both[:, 1] - both[:, 0]
    assert row.test.mean == pytest.approx(difference.mean(), abs=1e-12)
    if np.abs(difference).max() < 1e-12:
        assert (row.test.low, row.test.high, row.test.p) == (0, 0, 1)
        return
    test = ttest_rel(both[:, 1], both[:, 0])
    half = student.ppf(0.975, len(both) - 1) * difference.std(ddof=1) / np.sqrt(len(both))
    assert row.test.p == pytest.approx(test.pvalue, rel=1e-9)
    low = max(difference.mean() - half, -1.0)
    high = min(difference.mean() + half, 1.0)
    assert (row.test.low, row.test.high) == pytest.approx((low, high), abs=1e-9)


def row_of(altered, system, measure):
    return next(row for row in altered.rows if (row.system, row.measure) == (system, measure))


@exhaustive
def test_misspelt_queries(found, cranfield, index):
    vocabulary = Vocabulary(index, cranfield.documents.texts)
    made = spelling_alterations(vocabulary, Analyzer.for_language("english").stop, "english")
    queries, qrels = cranfield.judged_queries, cranfield.qrels
    for number, alteration in enumerate(made):
        altered = altered_queries(alteration, queries, 3)
        if not altered:
            continue
        for model, measure in ((MODELS[0], "AP"), (MODELS[1], "nDCG@10"))[number % 2 :: 2]:
            ids = {query.query_id for query in altered}
            after = {k: v for k, v in values(index, altered, qrels, model, measure).items() if k in ids}
            before = originals(index, cranfield, model, measure)
            row = row_of(found[alteration.name], model, measure)
            check(row, before, after)
            if not alteration.misspells:
                assert row.corrected is None
                continue
            better = [query._replace(text=(suggest(index, query.text) or query).text) for query in altered]
            corrected = values(index, better, qrels, model, measure)
            assert row.corrected == pytest.approx(np.mean([corrected[query_id] for query_id in ids]))


def test_a_third_of_the_documents_gone(found, cranfield):
    from toysearch.workbench.robustness.alterations import seeded_random

    documents = list(cranfield.documents)
    order = list(range(1400))
    seeded_random(3, "documents removed").shuffle(order)
    gone = {documents[place].doc_id for place in order[:420]}
    kept = Index.build(
        [document for document in documents if document.doc_id not in gone], Analyzer.for_language("english")
    )
    queries, qrels = cranfield.judged_queries, cranfield.qrels
    whole = Index.build(documents, Analyzer.for_language("english"))
    for model in MODELS:
        before, after = (values(one, queries, qrels, model, "AP") for one in (whole, kept))
        check(row_of(found["30% removed"], model, "AP"), before, after)
