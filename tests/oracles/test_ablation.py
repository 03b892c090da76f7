"""Switched systems against the same systems written out: by parameters, formulas, analyzers and texts."""

import numpy as np
import pytest
from chosen_way import way
from random_collections import collection
from tiers import exhaustive

import toysearch
from toysearch import Analyzer, Collection, Evaluator, Index, Query, Searcher, ablate, evaluate, model
from toysearch.models.rankers import Ranker

K1, B = 1.2, 0.75
IDF, LENGTH = "log(1 + (N - df + 0.5) / (df + 0.5))", f"(1 - {B} + {B} * dl / avgdl)"

pytestmark = pytest.mark.system


@pytest.fixture(scope="module", params=["plain", pytest.param("compiled", marks=exhaustive)])
def path(request):
    with way(request.param):
        yield request.param


@pytest.fixture(scope="module")
def made():
    """Queries with repeated words among them, relevance explained by the words."""
    found = collection(3, n_docs=120, by_words=True)
    queries = [Query(query_id, f"{text} {text.split()[0]}") for query_id, text in found.queries]
    return Collection("made", found.documents, queries, found.qrels)


def switched(made, name, ingredient, to, **options):
    """The value of each query with an ingredient switched."""
    return values(ablate(name, made, **options), f"{ingredient} {to}")


def values(found, name):
    """The value of each query under a system, whose measure is the only one."""
    [table] = found.values.values()
    return table[:, found.systems.index(name)]


def valued(made, name, analyzer=None, queries=None):
    run = Searcher(Index.build(made, analyzer), name).run(queries or made.judged_queries)
    return [row["AP"] for row in evaluate(run, made.qrels, "AP").per_query.values()]


@pytest.mark.parametrize(
    ("name", "ingredient", "other"),
    [
        ("bm25", "length normalisation", "bm25:b=0"),
        ("bm25plus", "length normalisation", "bm25plus:b=0"),
        ("bm25", "repeated query terms", "bm25:k3=0"),
        ("bm25", "idf", f"formula:tf / (tf + {K1} * {LENGTH})"),
        ("bm25", "tf", f"formula:{IDF} / (1 + {K1} * {LENGTH})"),
        ("bm25", "tf saturation", f"formula:{IDF} * tf / (1 + {K1} * {LENGTH})"),
        ("bm25:k1=0.5", "tf", f"formula:{IDF} / (1 + 0.5 * {LENGTH})"),
        ("formula:sqrt(tf) * cf / N", "idf", "formula:sqrt(tf)"),
        ("formula:sqrt(tf) / max_tf", "length normalisation", "formula:sqrt(tf)"),
        ("formula:sqrt(tf) / sqrt(distinct * bytes)", "length normalisation", "formula:sqrt(tf)"),
        ("cosine:weights=tf", "length normalisation", "formula:tf"),
        ("formula:sqrt(tf)", "tf", "formula:1 + 0*tf"),
        ("formula:sqrt(tf)", "tf saturation", "formula:tf"),
        ("0.5*bm25 + min-max(bm25plus)", "length normalisation", "0.5*bm25:b=0 + min-max(bm25plus:b=0)"),
        ("formula:tf / max_tf", "tf", "formula:1 + 0*tf"),
    ],
)
def test_off_is_the_same_model_without_it(path, made, name, ingredient, other):
    assert switched(made, name, ingredient, "off").tolist() == valued(made, other)


@pytest.mark.parametrize(
    ("name", "ingredient", "other"),
    [
        ("formula:tf", "idf", "formula:tf * log(1 + N/df)"),
        ("formula:tf", "length normalisation", f"formula:tf / {LENGTH}"),
        ("formula:tf", "tf saturation", "formula:1 + log(tf)"),
        ("formula:log(N/df)", "tf", "formula:tf * log(N/df)"),
        ("formula:log(N/df)", "length normalisation", f"formula:log(N/df) / {LENGTH}"),
        ("bm25:b=0", "length normalisation", f"formula:{IDF} * (tf/{LENGTH}) / (tf/{LENGTH} + {K1})"),
    ],
)
def test_on_is_the_same_model_with_it(path, made, name, ingredient, other):
    assert switched(made, name, ingredient, "on").tolist() == valued(made, other)


def test_in_a_mixture_only_models_that_have_it_are_switched_off(path, made):
    """tfidf is linear in tf, the square root is not; with neither idf, both get it."""
    root, line = toysearch.formula("sqrt(tf)"), toysearch.formula("tf")
    mixed, straight = (mixture(0.7, "tfidf", 2, each) for each in (root, line))
    assert switched(made, mixed, "tf saturation", "off").tolist() == valued(made, straight)
    with_idf = mixture(1, "formula:tf * log(1 + N/df)", 3, "formula:sqrt(tf) * log(1 + N/df)")
    assert switched(made, mixture(1, line, 3, root), "idf", "on").tolist() == valued(made, with_idf)


def mixture(*parts):
    """Numbers and models in turn, as a mixture: formulas cannot stand in the text of one."""
    pairs = zip(parts[::2], parts[1::2], strict=True)
    weights, models = zip(*((float(weight), model(each)) for weight, each in pairs), strict=True)
    return Ranker("+", models, weights)


def test_constants_of_the_collection_are_made_of_terms_that_are_all_alike(path, made):
    index = Index.build(made)
    df, cf = float(np.mean(index.df)), float(np.mean(index.cf))

    def constants(df_all, cf_all):
        alike = (df_all == df).all() and (cf_all == cf).all() and len(df_all) == len(index.terms)
        return {"power": 0.5 if alike else 3.0}

    @model(collection_constants=constants)
    def own(tf, power):
        return tf**power

    assert switched(made, own, "idf", "off").tolist() == valued(made, "formula:tf**0.5")


def test_a_language_model_without_idf_takes_every_term_for_as_likely(path, made):
    n_terms, mu = len(Index.build(made).terms), 2000.0

    @model(document=lambda dl, ql: ql * np.log(mu / (mu + dl)))
    def uniform(tf):
        return np.log(1 + tf / (mu / n_terms))

    assert switched(made, "lm-dirichlet", "idf", "off").tolist() == valued(made, uniform)


@pytest.mark.parametrize("name", ["bm25", "tfidf", "cosine", "lm-dirichlet", "jaccard", "pl2", "lm-jm"])
def test_repeated_terms_are_those_of_a_query_that_says_everything_once(path, made, name):
    once = {query_id: " ".join(dict.fromkeys(text.split())) for query_id, text in made.judged_queries}
    assert switched(made, name, "repeated query terms", "off").tolist() == valued(made, name, queries=once)
    if name in ("bm25", "tfidf"):
        assert valued(made, name, queries=once) != valued(made, name)


def test_a_function_of_the_users_is_switched_like_the_built_in_one(path, made):
    def own(tf, dl, df, N, avgdl, *, k1=1.2, b=0.75):
        return np.log(1 + (N - df + 0.5) / (df + 0.5)) * tf / (tf + k1 * (1 - b + b * dl / avgdl))

    one, other = ablate(own, made), ablate("bm25", made)
    assert one.switches == other.switches
    assert one.values["AP"].tolist() == other.values["AP"].tolist()


@pytest.mark.parametrize(
    ("name", "to", "fields"), [("companions", "off", "text"), pytest.param("cranfield", "on", "T,W", marks=exhaustive)]
)
def test_the_analysis_and_the_title(corpora, name, to, fields):
    whole = toysearch.load(name)
    found = ablate("bm25", whole)
    for ingredient, analyzer in {
        "stop words": Analyzer.for_language("english", stop="none"),
        "stemming": Analyzer.for_language("english", stem="none"),
    }.items():
        assert values(found, f"{ingredient} off").tolist() == valued(whole, "bm25", analyzer)
    plain = ablate("bm25", whole, analyzer=Analyzer())
    for ingredient, analyzer in {"stop words": Analyzer(stop="sklearn"), "stemming": Analyzer(stem="english")}.items():
        assert values(plain, f"{ingredient} on").tolist() == valued(whole, "bm25", analyzer)
    other = toysearch.load(name, fields=fields)
    assert values(found, f"title {to}").tolist() == valued(other, "bm25")


def test_the_full_system_is_the_one_that_is_evaluated(made):
    found = ablate("bm25", made, "nDCG@10")
    evaluator = Evaluator(Index.build(made), dict(made.judged_queries), made.qrels, "nDCG@10", threshold=1)
    assert found.value == evaluator("bm25")["nDCG@10"]
    for pair in found.pairs:
        assert pair.result.mean == pytest.approx(found.means["nDCG@10"][pair.system] - found.value, abs=1e-12)
