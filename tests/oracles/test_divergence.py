"""Divergence from randomness, information-based and axiomatic models against their definitions, as probabilities.

The definitions are written as the papers reason: the probability that chance puts so many occurrences into a document,
its information, the gain when the term is accepted. The models here are written as sums of logarithms.
"""

import math
from collections import Counter
from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiers import exhaustive

import toysearch
from toysearch import Analyzer, Index, Searcher

analyze = Analyzer()
WORDS = ["train", "cat", "dog", "the", "κῦμα", "日本語", "it_s"]
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join), min_size=1, max_size=8)
QUERIES = st.lists(st.sampled_from([*WORDS, "unheard"]), min_size=1, max_size=6).map(" ".join)


class Posting(NamedTuple):
    """What is known of a word in a document."""

    tf: int
    dl: int
    df: int
    cf: int
    n_documents: int
    n_tokens: int

    def normalised(self, c: float, base: float = 2) -> float:
        """Normalisation 2."""
        average = Fraction(self.n_tokens, self.n_documents)
        return self.tf * math.log(1 + c * float(average / self.dl), base)

    @property
    def relative(self) -> Fraction:
        return Fraction(self.tf, self.dl)

    @property
    def prior(self) -> Fraction:
        return Fraction(self.cf, self.n_tokens)


def bits(probability: float | Fraction) -> float:
    return -math.log2(probability)


def laplace(tfn: float) -> float:
    """1 - tfn / (tfn + 1): the risk that is left after tfn successes."""
    return 1 - tfn / (tfn + 1)


def pl2(posting: Posting, c: float = 1.0) -> float:
    tfn, mean = posting.normalised(c), posting.cf / posting.n_documents
    factorial = math.sqrt(2 * math.pi * tfn) * (tfn / math.e) ** tfn  # Stirling
    return bits(math.exp(-mean) * mean**tfn / factorial) * laplace(tfn)


def inl2(posting: Posting, c: float = 1.0) -> float:
    tfn = posting.normalised(c)
    return bits(((posting.df + 0.5) / (posting.n_documents + 1)) ** tfn) * laplace(tfn)


def choosing(posting: Posting) -> float:
    """The information of C(dl, tf) · f^tf · (1 - f)^(dl - tf) by Stirling's formula, the opposite of its sign."""
    f = posting.relative
    return 0.5 * math.log2(2 * math.pi * posting.tf * (1 - f)) if f < 1 else 0.0


def dph(posting: Posting) -> float:
    """Popper's normalisation in the place of Laplace's."""
    popper = (1 - posting.relative) ** 2 / (posting.tf + 1)
    return float(popper) * (bits((posting.prior / posting.relative) ** posting.tf) + choosing(posting))


def ll(posting: Posting, c: float = 1.0) -> float:
    tfn, rarity = posting.normalised(c, math.e), posting.df / posting.n_documents
    return -math.log(rarity / (tfn + rarity))


def spl(posting: Posting, c: float = 1.0) -> float:
    with localcontext() as context:
        context.prec = 50
        tfn, one = Decimal(posting.normalised(c, math.e)), Decimal(1)
        rarity = Decimal(posting.df) / posting.n_documents
        if rarity == 1:  # the limit, from a rarity just below
            rarity -= Decimal(10) ** -25
        return float(-((rarity ** (tfn / (tfn + 1)) - rarity) / (one - rarity)).ln())


def f2exp(posting: Posting, s: float = 0.5, k: float = 0.35) -> float:
    pivoted = s + s * float(posting.dl * Fraction(posting.n_documents, posting.n_tokens))
    return math.exp(k * math.log(posting.n_documents / posting.df)) * posting.tf / (posting.tf + pivoted)


Definition = Callable[..., float]
NORMALISED: list[Definition] = [pl2, inl2, ll, spl]
MODELS: list[tuple[str, Definition]] = [
    *((definition.__name__, definition) for definition in [*NORMALISED, dph, f2exp]),
    *((f"{d.__name__}:{c:g}", lambda posting, d=d, c=c: d(posting, c)) for d in NORMALISED for c in (0.25, 7.0)),
    ("f2exp:s=0.2,k=0.7", lambda posting: f2exp(posting, 0.2, 0.7)),
    ("f2exp:0,0", lambda posting: f2exp(posting, 0, 0)),
]
each_model = pytest.mark.parametrize(
    ("name", "definition"),
    [
        pytest.param(
            *each, id=each[0], marks=[pytest.mark.system] if ":" in each[0] or each[0] in ("inl2", "ll") else []
        )
        for each in MODELS
    ],
)


def counted(texts) -> tuple[list[Counter], Counter, Counter]:
    """The words of each document and of all, and in how many documents each word is."""
    documents = [Counter(analyze(text)) for text in texts]
    collection = Counter(term for counts in documents for term in counts.elements())
    return documents, collection, Counter(term for counts in documents for term in counts)


def scores(documents, collection, holders, query, definition: Definition) -> dict[int, float]:
    """The score of each document that has a word of the query, a word counting as often as the query has it."""
    size, words = (len(documents), collection.total()), analyze(query)
    found = {}
    for number, counts in enumerate(documents):
        asked = [term for term in words if term in counts]
        if asked:
            found[number] = math.fsum(
                definition(Posting(counts[term], counts.total(), holders[term], collection[term], *size))
                for term in asked
            )
    return found


@each_model
@given(texts=TEXTS, query=QUERIES)
def test_scores_are_those_of_the_definition(name, definition, texts, query):
    ranking = Searcher(Index.build(texts), name).search(query, k=None)
    ours = {int(hit.doc_id) - 1: hit.score for hit in ranking}
    assert ours == pytest.approx(scores(*counted(texts), query, definition), rel=1e-9, abs=1e-9)


@exhaustive
def test_cranfield(corpora):
    collection = toysearch.load("cranfield")
    index, words = Index.build(collection, analyze), counted(collection.documents.texts)
    for (name, definition), query in zip(MODELS, collection.queries[::8], strict=False):
        ours = {index.doc_number(hit.doc_id): hit.score for hit in Searcher(index, name).search(query.text, k=None)}
        assert ours == pytest.approx(scores(*words, query.text, definition), rel=1e-9, abs=1e-8)


def test_spl_keeps_its_digits_where_tfn_is_large_and_where_the_term_is_almost_everywhere():
    def weight(model, **statistics):
        return toysearch.model(model).weight(**statistics)

    large = weight("spl:1e6", tf=1e9, dl=1e9, df=1, N=2, avgdl=1e9)
    assert large == pytest.approx(math.log(1 + 1e9 * math.log(1 + 1e6)) - math.log(math.log(2)), rel=1e-9)
    everywhere, almost = (weight("spl", tf=3, df=df, N=1e9, dl=4, avgdl=4.0) for df in (1e9, 1e9 - 1))
    assert almost == pytest.approx(everywhere, rel=1e-6)
