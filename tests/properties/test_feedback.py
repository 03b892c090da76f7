"""What must hold for query expansion, whatever the documents and the query."""

import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

import toysearch
from toysearch import Analyzer, Index, Searcher
from toysearch.index import document_vectors
from toysearch.models.calls import CALLS
from toysearch.models.rankers import ADDED
from toysearch.retrieval import mixture_scorer
from toysearch.retrieval.expanded_queries import expanded

pytestmark = pytest.mark.system

EXPANSIONS = [name for name in ADDED if name != "sdm"]
WORDS = ["train", "cat", "dog", "the", "of", "κῦμα", "x" * 30]
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), max_size=10).map(" ".join), min_size=1, max_size=10)
QUERIES = st.lists(st.sampled_from([*WORDS, "unheard"]), min_size=1, max_size=6).map(" ".join)
MODELS = ["bm25", "lm-dirichlet", "cosine", "tfidf", "dph", "bm25-robertson"]


def ranked(index, model, query):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [(hit.doc_id, hit.score) for hit in Searcher(index, model).search(query, k=None)]


def unchanged(name):
    """Texts of the wrapper with parameters that leave the query as it is."""
    neutral = {"lambda": "1", "beta": "0"}
    own = [f"{each}={value}" for each, value in neutral.items() if each in CALLS[name].settings]
    return [f"{name}({{}}, {setting})" for setting in [*own, "docs=0", "terms=0"]]


@pytest.mark.parametrize("name", EXPANSIONS)
@given(texts=TEXTS, query=QUERIES, model=st.sampled_from(MODELS))
def test_an_expansion_without_weight_is_the_plain_model_to_the_bit(name, texts, query, model):
    index = Index.build(texts)
    plain = ranked(index, model, query)
    for text in unchanged(name):
        assert ranked(index, text.format(model), query) == plain


@pytest.mark.parametrize("name", EXPANSIONS)
@given(texts=TEXTS, query=QUERIES)
def test_no_stop_word_comes_in(name, texts, query):
    index = Index.build(texts, Analyzer(stop="sklearn"))
    searcher = Searcher(index)
    [factor] = toysearch.model(f"{name}(bm25)").products[0].factors
    [made] = expanded(searcher.scorer, [searcher.terms(query)], factor.wrappers[0])
    assert not {"the", "of"} & {*index.terms.take(made.query.numbers)}
    assert (made.query.qtf > 0).all()
    assert {*made.added.terms.tolist()} <= {*range(index.stats.n_terms)}


@given(texts=TEXTS, chosen=st.data())
def test_the_terms_of_documents_are_found_alike_in_three_ways(texts, chosen):
    index = Index.build(texts)
    docs = chosen.draw(st.lists(st.integers(0, len(texts) - 1), unique=True))
    expected = [index.vector(str(doc + 1)) for doc in docs]
    for way in (index.documents.by_document, index.documents.analysed, index.documents.scanned):
        rows = way(docs)
        assert [dict(zip(index.terms.take(terms), tf.tolist(), strict=True)) for terms, tf in rows] == expected


@given(texts=TEXTS, query=QUERIES)
def test_a_ranking_does_not_depend_on_the_stored_texts(texts, query):
    kept, dropped = Index.build(texts), Index.build(texts, store_text=False)
    assert ranked(kept, "rm3(bm25, docs=2)", query) == ranked(dropped, "rm3(bm25, docs=2)", query)


@given(texts=TEXTS, queries=st.lists(QUERIES, min_size=2, max_size=5), name=st.sampled_from(EXPANSIONS))
def test_queries_together_are_expanded_like_each_alone(texts, queries, name):
    asked = {str(number): query for number, query in enumerate(queries)}
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        patch.setattr(document_vectors, "SMALL", 0)  # documents are read from texts, or found in all blocks
        patch.setattr(mixture_scorer, "_AT_ONCE", 3)
        share = ", df=1" if "df" in CALLS[name].settings else ""  # in few documents, no term is rare
        for stored in (True, False):
            searcher = Searcher(Index.build(texts, store_text=stored), f"{name}(bm25, docs=3{share})")
            together = [(hit.query_id, hit.doc_id, hit.score) for hit in searcher.run(asked, None)]
            alone = {query_id: searcher.search(query, None) for query_id, query in asked.items()}
            assert together == [
                (query_id, doc_id, score)
                for query_id, ranking in alone.items()
                for doc_id, score in zip(ranking.doc_ids, ranking.scores.tolist(), strict=True)
            ]
