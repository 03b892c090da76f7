"""Calls of the grammar of rankers: around a ranker or beside the models, in one table."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from toysearch.base import ArgumentError, expect_name, has_no, parse_spec
from toysearch.files.numbers import finite_number
from toysearch.models.model import Range, Value, value_text

__all__ = ["CALLS", "Call"]

SUM, PRODUCT, PIPE = "+", "*", ">>"
"""Calls that are written as operators between rankers."""

LSA, DENSE, IMPACT, LEARNED, SEARCH, RUN = "lsa", "dense", "impact", "learned", "search", "run"
DIMENSIONS = 200
"""Number of topics of ``lsa`` without a number, if the index stores none."""

QUERY, ORDER, VECTORS, BROUGHT = "query", "order", "vectors", "brought"
"""Kinds of calls: change the terms of a query, re-rank documents, compare vectors, or apply the user's own."""


class Setting(NamedTuple):
    """Setting of a call: its default, its range, and true if it is a whole number."""

    default: Value
    low: float | None = 0.0
    high: float | None = None
    whole: bool = False
    words: str = ""  # the range of a text in words; "" for a number
    is_slow: bool = False  # true if each value takes seconds

    @property
    def span(self) -> Range:
        """Range of a number."""
        return self.low, self.high

    @property
    def range(self) -> str:
        """Range in words."""
        span = f"at least {self.low:g}" if self.high is None else f"from {self.low:g} to {self.high:,.12g}"
        return self.words or (f"a whole number, {span}" if self.whole else span)

    def value(self, label: str, given: Any, advice: str = "") -> Any:
        """Return a text as it is, or a number, refused outside the range; `advice` ends the sentence."""
        if self.words:
            return given
        number, whole = finite_number(str(given)), "whole " if self.whole else ""
        low, high = -math.inf if self.low is None else self.low, math.inf if self.high is None else self.high
        if number is not None and low <= number <= high and not (self.whole and number % 1):
            return number
        if self.low is None:
            raise ArgumentError(f"{label} must be a finite number, not {given!r}")
        span = f"of at least {low:g}" if self.high is None else f"from {low:g} to {high:,.12g}"
        raise ArgumentError(f"{label} must be a {whole}number {span}{advice}")


def chosen(what: str, text: str, settings: Mapping[str, Mapping[str, Setting]]) -> tuple[str, dict[str, Any]]:
    """Return the name at the beginning of a text and the settings behind it; the first ones need no names.

    >>> chosen("method", "rrf:20", {"rrf": {"k": Setting(60.0)}, "sum": {}})
    ('rrf', {'k': 20.0})
    """
    spec = parse_spec(text)
    expect_name(what, spec.name, settings)
    by_name = settings[spec.name]
    values = [*zip(by_name, spec.values, strict=False), *spec.parameters.items()]
    for name in (*spec.values[len(by_name) :], *spec.parameters):
        if name not in by_name:
            raise has_no(spec.name, "setting", name, by_name)
    return spec.name, {
        name: by_name[name].value(f"{name} of {spec.name}", value, f", not '{value}'") for name, value in values
    }


WEIGHT, DEPTH = Setting(1.0, None), Setting(None, 1, whole=True)
"""Settings that a sum and a pipeline have for each of their parts."""


class Call(NamedTuple):
    """Description of a call.

    >>> CALLS["rm3"].form, CALLS["rm3"].parameters({"docs": 5.0})[0]
    ('rm3(MODEL)', {'name': 'docs', 'value': '5', 'default': '10', 'range': 'a whole number, at least 0'})
    """

    name: str
    kind: str
    form: str  # its text, such as rm3(MODEL)
    summary: str  # one sentence
    formula: str
    source: str
    example: str  # a value that can be typed for MODEL
    settings: Mapping[str, Setting] = {}

    @property
    def defaults(self) -> str:
        """Defaults in one line, of the settings that have one."""
        return ", ".join(f"{name}={value_text(each.default)}" for name, each in self.settings.items() if each.default)

    def parameters(self, values: Mapping[str, Any]) -> list[dict[str, str]]:
        """Describe the settings in words: name, value (the default if it is not among the values), default, range."""
        return [
            {
                "name": name,
                "value": value_text(values.get(name, setting.default)),
                "default": value_text(setting.default),
                "range": setting.range,
            }
            for name, setting in self.settings.items()
        ]


def _around(name: str, kind: str, summary: str, formula: str, source: str, example: str, **settings: Setting) -> Call:
    """Describe a call around a ranker; `lambda` is written lambda_ here."""
    declared = {name.removesuffix("_"): setting for name, setting in settings.items()}
    return Call(name, kind, f"{name}(MODEL)", summary, formula, source, example, declared)


def _whole(default: float, low: float = 0) -> Setting:
    return Setting(default, low, whole=True)


def _part(default: float) -> Setting:
    return Setting(default, 0, 1)


_DIVERGENCE = {"docs": _whole(3), "terms": _whole(10), "beta": Setting(1.0)}
_DIVERSITY = {"lambda_": _part(0.5), "depth": _whole(100, 1)}
_MIXED = (
    "The terms with the highest weights, as shares that add up to 1, count (1 − lambda) · |q|, and the terms of the "
    "query lambda times what they did; |q| is the length of the query."
)
_HIGHEST = (
    "The highest weight counts as beta times the highest count of a term in the query, and the others in proportion."
)
_FEW = " (but with those in 2 at most and not in all)"

CALLS: Mapping[str, Call] = {
    call.name: call
    for call in (
        _around(
            "sdm",
            QUERY,
            "Sequential dependence: pairs of neighbouring words of the query count too.",
            "terms · Σ w(q) + ordered · Σ w(\"q q'\") + unordered · Σ w(#uwN(q q')): MODEL weighs the words q of the "
            "query, each pair of neighbours as a phrase, and each pair within `window` words.",
            "Metzler & Croft, SIGIR 2005, with the weights of the paper.",
            "sdm(bm25, window=4)",
            terms=Setting(0.85),
            ordered=Setting(0.1),
            unordered=Setting(0.05),
            window=_whole(8, 2),
        ),
        _around(
            "rm3",
            QUERY,
            "Relevance model: terms of the first documents are added to the query.",
            "w(t) = Σ tf / dl · weight of the document, over the first `docs` documents of MODEL, without terms in "
            f"more than the share df of all documents{_FEW}. {_MIXED}",
            "Abdul-Jaleel et al., TREC 2004 (RM3).",
            "rm3(bm25, docs=5, lambda=0.7)",
            docs=_whole(10),
            terms=_whole(30),
            lambda_=_part(0.5),
            df=_part(0.1),
        ),
        _around(
            "rocchio",
            QUERY,
            "Rocchio: the query moves towards the first documents.",
            "q / |q| + beta · e / |e| − gamma · f / |f|: e has the best terms of the mean vector of the first `docs` "
            "documents, each of length 1, without terms in more than the share df of all documents"
            f"{_FEW}; f is the mean of documents known to be not relevant.",
            "Rocchio 1971; as the RocchioReranker of Anserini.",
            "rocchio(bm25, beta=0.5)",
            docs=_whole(10),
            terms=_whole(50),
            beta=Setting(0.75),
            gamma=Setting(0.15),
            df=_part(0.1),
        ),
        _around(
            "bo1",
            QUERY,
            "Bo1: terms whose counts in the first documents differ most from chance are added.",
            "w(t) = tf · log2((1 + f) / f) + log2(1 + f), f = cf / N, tf in the first `docs` documents together. "
            + _HIGHEST,
            "Amati 2003.",
            "bo1(bm25, docs=10)",
            **_DIVERGENCE,
        ),
        _around(
            "kl",
            QUERY,
            "Terms are added by the divergence of the first documents from the collection.",
            "w(t) = p · log2(p / (cf / T)), p the share of the term in the first `docs` documents together. "
            + _HIGHEST,
            "Amati 2003.",
            "kl(bm25, docs=10)",
            **_DIVERGENCE,
        ),
        _around(
            "axiomatic",
            QUERY,
            "Terms are added that share documents with those of the query.",
            "w(t) = beta · Σ qtf · I(q, t) / I(q, q) over the terms q of the query; I is the mutual information of the "
            "presence of two terms in the first `docs` documents and pool − 1 times as many others.",
            "Fang & Zhai, SIGIR 2006.",
            "axiomatic(bm25, docs=10)",
            docs=_whole(20),
            terms=_whole(20),
            pool=_whole(30, 1),
            beta=Setting(0.4),
        ),
        Call(
            PIPE,
            ORDER,
            "MODEL@DEPTH>>MODEL",
            "Pipeline: each stage re-ranks the first documents of the stage before.",
            "The first DEPTH documents (all without @) get the scores of the next MODEL; the others follow in their "
            "old order, 1, 2 … below the lowest of these scores.",
            "`toysearch docs combine-models`.",
            "bm25@100 >> lsa:100",
        ),
        _around(
            "passages",
            ORDER,
            "MaxP: a document has the score of its best passage.",
            "Σ of the `best` highest scores among the passages of the document (best=0: all, SumP). A passage has "
            "`words` words and begins `stride` words (at most `words`) after the one before; N, df and avgdl are those "
            "of passages.",
            "Callan, SIGIR 1994; Dai & Callan, SIGIR 2019.",
            "passages(bm25, words=100, stride=50)",
            words=_whole(150, 1),
            stride=_whole(75, 1),
            best=_whole(1),
        ),
        _around(
            "mmr",
            ORDER,
            "Maximal marginal relevance: documents unlike those ranked before.",
            "Next is the document with the highest lambda · s − (1 − lambda) · span · max cos(d, d'), d' ranked before "
            "it; s is the score of MODEL, span the highest minus the lowest s of its first `depth` documents, and the "
            "cosine that of log(1 + tf) · idf.",
            "Carbonell & Goldstein, SIGIR 1998.",
            "mmr(bm25, lambda=0.7)",
            **_DIVERSITY,
        ),
        _around(
            "xquad",
            ORDER,
            "xQuAD: documents that cover what those ranked before do not, with each term of the query as an aspect.",
            "Next is the document with the highest (1 − lambda) · s + lambda · span · Σ p(q) · p(d|q) · "
            "Π (1 − p(d'|q)), d' ranked before it, q a term of the query; p(q) is its share of the query, p(d|q) the "
            "score for q alone, from 0 to 1 among the first `depth` documents; s and span as in mmr.",
            "Santos, Macdonald & Ounis, WWW 2010; terms as aspects: Dang & Croft, SIGIR 2013.",
            "xquad(bm25, lambda=0.7)",
            **_DIVERSITY,
        ),
        Call(
            LSA,
            VECTORS,
            f"{LSA}:{DIMENSIONS}",
            "Latent topics: cosine of documents and queries in the space of that many topics.",
            "cos(d, q) with d = x · T and q = Σ qtf · idf · T[term]. x is the row of a document, log(1 + tf) · idf "
            "divided by its length; the columns of T are the strongest directions of its singular value decomposition. "
            "All documents are ranked.",
            "Deerwester et al. 1990.",
            f"{LSA}:100",
            {"dimensions": Setting(float(DIMENSIONS), 1, 5000, whole=True, is_slow=True)},
        ),
        Call(
            DENSE,
            VECTORS,
            f"{DENSE}:FILE",
            "Vectors of your own: cosine or dot product of documents and queries.",
            "d · q / (|d| |q|), or d · q with similarity=dot. FILE holds one vector per document (.npy, or a Parquet "
            "file or folder), and queries=FILE one per query, or FILE.py:FUNCTION that makes them. All documents are "
            "ranked.",
            "`toysearch docs search-by-topic`.",
            "dense:vectors.npy,queries=queries.npy",
            {
                "queries": Setting("", words="a file, or FILE.py:FUNCTION"),
                "similarity": Setting("cosine", words="cosine, dot"),
                "ids": Setting("", words="a file with the ids of the rows"),
            },
        ),
        Call(
            IMPACT,
            VECTORS,
            f"{IMPACT}:FILE",
            "Learned sparse vectors (SPLADE, uniCOIL, DeepImpact): products of the weights of terms, added up.",
            "Σ d · q over the terms of the document that the query has too. FILE holds an object per document, "
            '{"id": …, "vector": {term: weight}}. Each word of a query weighs 1, or its vector is in queries=FILE, or '
            "made by FILE.py:FUNCTION.",
            "Mallia et al., SIGIR 2021; Formal et al., SIGIR 2021; `toysearch docs search-by-topic`.",
            "impact:vectors.jsonl,queries=queries.jsonl",
            {"queries": Setting("", words="a file, or FILE.py:FUNCTION")},
        ),
        Call(
            LEARNED,
            BROUGHT,
            f"{LEARNED}:FOLDER",
            "A ranker that `toysearch learn` saved: the models in it, combined by what was learned.",
            "A weighted sum of features, or trees, for the documents of its pool; documents outside the pool follow in "
            "the order of the first model of the pool.",
            "`toysearch docs learn-a-ranker`.",
            f"{LEARNED}:ranker",
        ),
        Call(
            SEARCH,
            BROUGHT,
            "FILE.py:SEARCH",
            "A search of your own: a function that gets the text of a query.",
            "def search(text) returns {doc_id: score}, pairs of both, or the doc_ids from the best on. Its keyword "
            "parameters with numbers can be tuned. It gives no terms, so its scores are not taken apart.",
            "`toysearch docs bring-your-search`.",
            "mine.py:search",
        ),
        Call(
            RUN,
            BROUGHT,
            f"{RUN}:FILE",
            "A run in a file: the documents and scores of another system for each query, by its id.",
            "The scores of the file, in any form of a run; tied documents as in trec_eval. Documents that the index "
            "lacks are left out. It gives no terms, so its scores are not taken apart.",
            "`toysearch docs combine-models`.",
            f"{RUN}:theirs.run",
        ),
    )
}
"""Calls by name, in the order of the list of models."""


def of_kind(*kinds: str) -> tuple[str, ...]:
    """Return the names of the calls of some kinds."""
    return tuple(call.name for call in CALLS.values() if call.kind in kinds and call.name != PIPE)
