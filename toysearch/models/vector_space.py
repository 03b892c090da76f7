"""Two vectors or sets of terms compared: cosine, Dice, Jaccard, Tversky, the forms with minima, and distances.

A document and a query are weighed by the same formula (`vector_weight`); the models differ in the similarity of the two
vectors and in the default weights. Query terms unknown to the index count in the query's sums under binary and tf
weights; under weights with an idf they have none and are left out.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from toysearch.models.model import Array, Model, model
from toysearch.models.tfidf import IDF, TF, inverse_document_frequency, term_frequency

WEIGHTS = ("tfidf", "tf", "binary")


def vector_weight(tf: Array, max_tf: Any, df: Array, N: float, weights: str, tf_: str, idf: str) -> tuple[Array, Array]:
    """The tf part and the idf part of a weight in one of two compared vectors; each 1 where the weights have none."""
    tf_part = term_frequency(tf, max_tf, "binary" if weights == "binary" else tf_)
    idf_part = inverse_document_frequency(df, N, idf if weights == "tfidf" else "none")
    return tf_part, idf_part


def _query(qtf: Array, max_qtf: float, df: Array, N: float, *, weights: str, tf_: str, idf: str) -> Array:
    """The query term's weight, by the same formula as the document's."""
    tf_part, idf_part = vector_weight(qtf, max_qtf, df, N, weights, tf_, idf)
    return tf_part * idf_part


def _unknown(qtf: Array, max_qtf: float, *, weights: str, tf_: str, idf: str) -> Array:
    """Weight of a query term unknown to the index: with an idf it has none, else it counts in the query's norm."""
    if weights == "tfidf" and idf != "none":
        return np.zeros_like(qtf)
    return term_frequency(qtf, max_qtf, "binary" if weights == "binary" else tf_)


def _check(given: set[str], *, weights: str) -> str | None:
    """What is wrong with the parameters given, where one would have no effect."""
    if weights == "binary" and given & {"tf_", "idf"}:
        return "weights=binary has neither tf nor idf; give weights=tf or weights=tfidf to use them"
    if weights == "tf" and "idf" in given:
        return "weights=tf has no idf; give weights=tfidf to use one"
    return None


_PARAMETERS = """

Parameters
----------
tf, max_tf, df, N
    Statistics of the posting, its document, its term, the collection.
weights : {{'tfidf', 'tf', 'binary'}}
    tf part · idf part; the tf part alone; 1.
tf_ : {{'raw', 'log', 'sqrt', 'binary', 'augmented'}}
    tf; 1 + ln tf; √tf; 1; 0.5 + 0.5 tf / max_tf.
idf : {{'ln', 'smooth', 'plus1', 'prob', 'none'}}
    ln(N/df); ln((1+N)/(1+df)) + 1; ln(N/df) + 1; max(0, ln((N-df)/df)); 1.

References
----------
{references}

Examples
--------
{example}"""


def _comparison(name: str, default: str, doc: str, references: str, example: str, **ranges: Any) -> Model:
    """The model that compares two vectors by the similarity of its name, with a documentation page of its own."""

    def weight(
        tf: Array, max_tf: Array, df: Array, N: float, *, weights: str = default, tf_: str = "raw", idf: str = "ln"
    ) -> Array:
        tf_part, idf_part = vector_weight(tf, max_tf, df, N, weights, tf_, idf)
        return tf_part * idf_part

    weight.__name__ = weight.__qualname__ = name.replace("-", "_")
    weight.__doc__ = doc + _PARAMETERS.format(references=references, example=example)
    return model(
        weight,
        name=name,
        similarity=name,
        query=_query,
        unknown=_unknown,
        check=_check,
        weights=WEIGHTS,
        tf_=TF,
        idf=IDF,
        **ranges,
    )


cosine = _comparison(
    "cosine",
    "tfidf",
    """Cosine of the angle between the document's and the query's weights: Σ q·d / √(Σ d² · Σ q²).

``cosine:idf=smooth`` is scikit-learn's ``TfidfVectorizer`` with cosine similarity, ``cosine:tf=log,idf=smooth``
the same with ``sublinear_tf=True``; ``cosine:weights=binary`` is |X∩Y| / √(|X|·|Y|). Σ d² runs over all
terms of the document. Query terms that the index does not know count in Σ q² under binary and tf weights; under
weights with an idf they have none and are left out.""",
    """Salton, Wong & Yang, "A vector space model for automatic indexing", CACM 18, 1975.""",
    """>>> round(cosine.weight(tf=3, max_tf=3, df=10, N=1000), 6)
13.815511""",
)
dice = _comparison(
    "dice",
    "binary",
    """Dice's coefficient: 2 Σ q·d / (Σ d² + Σ q²); on sets 2|X∩Y| / (|X| + |Y|), the default.

Ranks like Jaccard on the same weights: D = 2J / (1 + J). Query terms unknown to the index count in |Y| and Σ q²
under binary and tf weights; under weights with an idf they are left out.""",
    """Dice, "Measures of the amount of ecologic association between species", Ecology 26, 1945.
van Rijsbergen, Information Retrieval, 2nd ed. 1979, ch. 3.""",
    """>>> dice.weight(tf=3, max_tf=3, df=10, N=1000)
1.0""",
)
jaccard = _comparison(
    "jaccard",
    "binary",
    """Jaccard's coefficient: Σ q·d / (Σ d² + Σ q² − Σ q·d); on sets |X∩Y| / |X∪Y|, the default.

The vector form is Tanimoto's. Ranks like Dice on the same weights: J = D / (2 − D). Query terms unknown to the
index count in |X∪Y| and Σ q² under binary and tf weights; under weights with an idf they are left out.""",
    """Jaccard, "Étude comparative de la distribution florale", Bull. Soc. Vaud. Sci. Nat. 37, 1901.
van Rijsbergen, Information Retrieval, 2nd ed. 1979, ch. 3.""",
    """>>> jaccard.weight(tf=3, max_tf=3, df=10, N=1000)
1.0""",
)
overlap_coefficient = _comparison(
    "overlap-coefficient",
    "binary",
    """Overlap coefficient: |X∩Y| / min(|X|, |Y|), the shared terms as a part of the smaller set.

1 where the document holds the whole query, or the query the whole document: a document of one word that is in the
query scores 1. With other weights than binary: Σ min(q, d) / min(Σ d, Σ q).""",
    """Simpson, "Mammals and the nature of continents", American Journal of Science 241, 1943 (Szymkiewicz 1934).
Manning & Schütze, Foundations of Statistical Natural Language Processing, 1999, table 8.7.""",
    """>>> overlap_coefficient.weight(tf=3, max_tf=3, df=10, N=1000)
1.0""",
)
tversky = _comparison(
    "tversky",
    "binary",
    """Tversky's ratio model: |X∩Y| / (|X∩Y| + alpha · |X−Y| + beta · |Y−X|), X the document, Y the query.

alpha weighs a term that only the document has, beta one that only the query has; a shared term weighs 1. So
``tversky:1,1`` is Jaccard,
``tversky:0.5,0.5`` Dice, ``tversky:0,1`` the part of the query that the document holds. With other weights than
binary the measure of a set is the sum of its weights, and shared is min(q, d): ``tversky:weights=tf`` is
`jaccard-minmax`.""",
    """Tversky, "Features of similarity", Psychological Review 84, 1977.""",
    """>>> tversky.bind(0.5, beta=1)
tversky:alpha=0.5""",
    alpha=(0, None),
    beta=(0, None),
)
dice_minmax = _comparison(
    "dice-minmax",
    "tf",
    """Dice's coefficient of multisets: 2 Σ min(q, d) / (Σ d + Σ q), on tf the default; on sets Dice's own.

A term counts as shared as often as both have it. 1 minus this is the dissimilarity of Bray & Curtis. Ranks like
`jaccard-minmax` on the same weights.""",
    'Bray & Curtis, "An ordination of the upland forest communities of southern Wisconsin", Ecol. Monographs 27, 1957.',
    """>>> dice_minmax.weight(tf=3, max_tf=3, df=10, N=1000)
3.0""",
)
jaccard_minmax = _comparison(
    "jaccard-minmax",
    "tf",
    """Jaccard's coefficient of multisets: Σ min(q, d) / Σ max(q, d), on tf the default; on sets Jaccard's own.

A term counts as shared as often as both have it. Unlike `jaccard:weights=tf`, Tanimoto's form
with products and squares, it counts each repetition of a term once.""",
    """Ruzicka, "Anwendung mathematisch-statistischer Methoden in der Geobotanik", Biológia 13, 1958.""",
    """>>> jaccard_minmax.weight(tf=3, max_tf=3, df=10, N=1000)
3.0""",
)
euclidean = _comparison(
    "euclidean",
    "tf",
    """Minus the Euclidean distance of the two vectors: −√(Σ (d − q)²), over all terms of both; tf by default.

Higher is nearer, and 0 is the same vector. The distance grows with a document's length, so the shortest of the
documents that match come first: which is why vectors are compared by their angle (`cosine`). It is computed
as √(Σ d² + Σ q² − 2 Σ q·d), exactly so on whole numbers; with other weights a distance that is small beside the
lengths has fewer exact digits.""",
    "Manning, Raghavan & Schütze, Introduction to Information Retrieval, 2008, sec. 6.3.",
    """>>> euclidean.weight(tf=3, max_tf=3, df=10, N=1000)
3.0""",
)
manhattan = _comparison(
    "manhattan",
    "tf",
    """Minus the Manhattan distance of the two vectors: −Σ |d − q|, over all terms of both; tf by default.

Higher is nearer, and 0 is the same vector; on sets it is minus the number of terms that only one of the two
has. Like the Euclidean distance it prefers short documents.""",
    "Manning & Schütze, Foundations of Statistical Natural Language Processing, 1999, sec. 8.5 (L1 norm).",
    """>>> manhattan.weight(tf=3, max_tf=3, df=10, N=1000)
3.0""",
)

MODELS: tuple[Any, ...] = (
    cosine,
    dice,
    jaccard,
    overlap_coefficient,
    tversky,
    dice_minmax,
    jaccard_minmax,
    euclidean,
    manhattan,
)
