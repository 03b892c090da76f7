"""What is named like a model and has no weight of a term of its own: wrappers, vectors, and learned rankers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from toysearch.models.parameter_ranges import value_text
from toysearch.models.query_wrappers import WRAPPERS, WrapperParameter
from toysearch.models.vector_models import DENSE, DIMENSIONS, LSA, TOPICS

__all__ = ["COMPOSED", "Composed"]

LEARNED = "learned"


class Setting(NamedTuple):
    """A parameter in words: its name, its default and its range."""

    name: str
    default: str
    range: str


class Composed(NamedTuple):
    """The description of a wrapper, of vectors, or of learned rankers.

    >>> COMPOSED["rm3"].form, COMPOSED["rm3"].parameters({"docs": 5.0})[0]
    ('rm3(MODEL)', {'name': 'docs', 'value': '5', 'default': '10', 'range': 'a whole number, at least 0'})
    """

    name: str
    form: str  # how it is written, such as rm3(MODEL)
    summary: str  # one sentence
    formula: str
    source: str
    example: str  # what can be typed for MODEL
    settings: tuple[Setting, ...] = ()

    @property
    def defaults(self) -> str:
        """The defaults in one line, of the parameters that have one."""
        return ", ".join(f"{each.name}={each.default}" for each in self.settings if each.default)

    def parameters(self, values: Mapping[str, Any]) -> list[dict[str, str]]:
        """The parameters in words: name, value (the default if it is not among the values), default, range."""
        return [
            {
                "name": each.name,
                "value": value_text(values[each.name]) if each.name in values else each.default,
                "default": each.default,
                "range": each.range,
            }
            for each in self.settings
        ]


def _range(parameter: WrapperParameter) -> str:
    """The range of a parameter of a wrapper in words."""
    span = f"at least {parameter.low:g}" if parameter.high is None else f"from {parameter.low:g} to {parameter.high:g}"
    return f"a whole number, {span}" if parameter.whole else span


def _wrapper(name: str, summary: str, formula: str, source: str, example: str) -> Composed:
    settings = tuple(Setting(own, value_text(each.default), _range(each)) for own, each in WRAPPERS[name].items())
    return Composed(name, f"{name}(MODEL)", summary, formula, source, example, settings)


_MIXED = (
    "The terms with the highest weights, as shares that add up to 1, count (1 − lambda) · |q|, and the terms of the "
    "query lambda times what they did; |q| is the length of the query."
)
_HIGHEST = (
    "The highest weight counts as beta times the highest count of a term in the query, and the others in proportion."
)

COMPOSED: Mapping[str, Composed] = {
    each.name: each
    for each in (
        _wrapper(
            "sdm",
            "Sequential dependence: pairs of neighbouring words of the query count too.",
            "terms · Σ w(q) + ordered · Σ w(\"q q'\") + unordered · Σ w(#uwN(q q')): MODEL weighs the words q of the "
            "query, each pair of neighbours as a phrase, and each pair within `window` words.",
            "Metzler & Croft, SIGIR 2005, with the weights of the paper.",
            "sdm(bm25:window=4)",
        ),
        _wrapper(
            "rm3",
            "Relevance model: terms of the first documents are added to the query.",
            "w(t) = Σ tf / dl · weight of the document, over the first `docs` documents of MODEL, without terms in "
            f"more than the share df of all documents. {_MIXED}",
            "Abdul-Jaleel et al., TREC 2004 (RM3).",
            "rm3(bm25:docs=5,lambda=0.7)",
        ),
        _wrapper(
            "rm3-anserini",
            "Relevance model as in Anserini.",
            "As rm3; each document is first reduced to its `terms` most frequent terms, of 2 to 20 ASCII letters and "
            f"digits and in at most a tenth of the documents. {_MIXED}",
            "Rm3Reranker of Anserini.",
            "rm3-anserini(bm25:docs=5)",
        ),
        _wrapper(
            "rm3-terrier",
            "Relevance model as in Terrier.",
            "As rm3; a document weighs exp(score), and a term is in at least 2 documents and in less than a tenth. "
            f"{_MIXED}",
            "RM1 and RM3 of terrier-prf.",
            "rm3-terrier(bm25:docs=5)",
        ),
        _wrapper(
            "rocchio",
            "Rocchio: the query moves towards the first documents.",
            "q / |q| + beta · e / |e| − gamma · f / |f|: e has the best terms of the mean vector of the first `docs` "
            "documents, each of length 1, and f is the mean of documents known to be not relevant.",
            "Rocchio 1971; as the RocchioReranker of Anserini.",
            "rocchio(bm25:beta=0.5)",
        ),
        _wrapper(
            "bo1",
            "Bo1: terms whose counts in the first documents differ most from chance are added.",
            "w(t) = tf · log2((1 + f) / f) + log2(1 + f), f = cf / N, tf in the first `docs` documents together. "
            + _HIGHEST,
            "Amati 2003.",
            "bo1(bm25:docs=10)",
        ),
        _wrapper(
            "bo1-terrier",
            "Bo1 as in Terrier.",
            "As bo1; a new term is in at least 2 of the documents, and weights are divided by the formula at f = tf / "
            "N of the best term.",
            "Bo1 of Terrier.",
            "bo1-terrier(bm25:docs=10)",
        ),
        _wrapper(
            "kl",
            "Terms are added by the divergence of the first documents from the collection.",
            "w(t) = p · log2(p / (cf / T)), p the share of the term in the first `docs` documents together. "
            + _HIGHEST,
            "Amati 2003.",
            "kl(bm25:docs=10)",
        ),
        _wrapper(
            "kl-terrier",
            "Divergence as in Terrier.",
            "As kl; a new term is in at least 2 of the documents, and weights are divided by tf · log2(T / l) / l of "
            "the best term, l the length of the documents together.",
            "KL of Terrier.",
            "kl-terrier(bm25:docs=10)",
        ),
        _wrapper(
            "axiomatic",
            "Terms are added that share documents with those of the query.",
            "w(t) = beta · Σ qtf · I(q, t) / I(q, q) over the terms q of the query; I is the mutual information of the "
            "presence of two terms in the first `docs` documents and pool − 1 times as many others.",
            "Fang & Zhai, SIGIR 2006.",
            "axiomatic(bm25:docs=10)",
        ),
        Composed(
            LSA,
            f"{LSA}:{DIMENSIONS}",
            "Latent topics: cosine of documents and queries in the space of that many topics.",
            "cos(d, q) with d = x · T and q = Σ qtf · idf · T[term]. x is the row of a document, log(1 + tf) · idf "
            "divided by its length; the columns of T are the strongest directions of its singular value decomposition. "
            "All documents are ranked.",
            "Deerwester et al. 1990.",
            f"{LSA}:100",
            (Setting("dimensions", str(DIMENSIONS), f"a whole number, from {TOPICS[0]:g} to {TOPICS[1]:,.0f}"),),
        ),
        Composed(
            DENSE,
            f"{DENSE}:FILE",
            "Vectors of your own: cosine or dot product of documents and queries.",
            "d · q / (|d| |q|), or d · q with similarity=dot. FILE holds one vector per document (.npy, or a Parquet "
            "file or folder), and queries=FILE one per query, or FILE.py:FUNCTION that makes them. All documents are "
            "ranked.",
            "docs/do/search-by-topic.md (toysearch docs search-by-topic).",
            f"{DENSE}:vectors.npy,queries=queries.npy",
            (
                Setting("queries", "", "a file, or FILE.py:FUNCTION"),
                Setting("similarity", "cosine", "cosine, dot"),
                Setting("ids", "", "a file with the ids of the rows"),
                Setting("approximate", "", "a number of candidates; exact without it"),
            ),
        ),
        Composed(
            LEARNED,
            f"{LEARNED}:FOLDER",
            "A ranker that `toysearch learn` saved: the models in it, combined by what was learned.",
            "A weighted sum of features, or trees, for the documents of its pool; documents outside the pool follow in "
            "the order of the first model of the pool.",
            "docs/do/learn-a-ranker.md (toysearch docs learn-a-ranker).",
            f"{LEARNED}:ranker",
        ),
    )
}
"""These models by name, in the order of the list of models."""
