"""Two vectors or sets of terms compared: cosine, Dice, Jaccard, and the Euclidean distance.

A document and a query are weighted by the same formula (`vector_weight`); the models differ in the similarity of the
two vectors and in the default weights. Query terms unknown to the index count in the sums of the query under binary and
tf weights; under weights with an idf they are left out.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from toysearch.models.model import Array, Model, model
from toysearch.models.tfidf import IDF, TF, inverse_document_frequency, term_frequency

WEIGHTS = ("tfidf", "tf", "binary")


def vector_weight(tf: Array, max_tf: Any, df: Array, N: float, weights: str, tf_: str, idf: str) -> tuple[Array, Array]:
    """Return the tf part and the idf part of a weight in a compared vector; 1 if the weights lack the part."""
    tf_part = term_frequency(tf, max_tf, "binary" if weights == "binary" else tf_)
    idf_part = inverse_document_frequency(df, N, idf if weights == "tfidf" else "none")
    return tf_part, idf_part


def _query(qtf: Array, max_qtf: float, df: Array, N: float, *, weights: str, tf_: str, idf: str) -> Array:
    tf_part, idf_part = vector_weight(qtf, max_qtf, df, N, weights, tf_, idf)
    return tf_part * idf_part


def _unknown(qtf: Array, max_qtf: float, *, weights: str, tf_: str, idf: str) -> Array:
    """Weigh a query term unknown to the index: 0 with an idf, else it counts in the norm of the query."""
    if weights == "tfidf" and idf != "none":
        return np.zeros_like(qtf)
    return term_frequency(qtf, max_qtf, "binary" if weights == "binary" else tf_)


def _check(given: set[str], *, weights: str) -> str | None:
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


def _comparison(name: str, default: str, doc: str, references: str, example: str) -> Model:
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
    )


cosine = _comparison(
    "cosine",
    "tfidf",
    """Cosine of the angle between the weights of document and query: Σ q·d / √(Σ d² · Σ q²).

``cosine:idf=smooth`` is ``TfidfVectorizer`` of scikit-learn with cosine similarity, ``cosine:tf=log,idf=smooth``
the same with ``sublinear_tf=True``; ``cosine:weights=binary`` is |X∩Y| / √(|X|·|Y|). Σ d² covers all
terms of the document. Query terms that the index does not know count in Σ q² under binary and tf weights; under
weights with an idf they are left out.""",
    """Salton, Wong & Yang, "A vector space model for automatic indexing", CACM 18, 1975.""",
    """>>> round(cosine.weight(tf=3, max_tf=3, df=10, N=1000), 6)
13.815511""",
)
dice = _comparison(
    "dice",
    "binary",
    """Dice's coefficient: 2 Σ q·d / (Σ d² + Σ q²); on sets 2|X∩Y| / (|X| + |Y|), the default.

It ranks like Jaccard on the same weights: D = 2J / (1 + J). Query terms unknown to the index count in |Y| and Σ q²
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

The vector form is that of Tanimoto. It ranks like Dice on the same weights: J = D / (2 − D). Query terms unknown to the
index count in |X∪Y| and Σ q² under binary and tf weights; under weights with an idf they are left out.""",
    """Jaccard, "Étude comparative de la distribution florale", Bull. Soc. Vaud. Sci. Nat. 37, 1901.
van Rijsbergen, Information Retrieval, 2nd ed. 1979, ch. 3.""",
    """>>> jaccard.weight(tf=3, max_tf=3, df=10, N=1000)
1.0""",
)
euclidean = _comparison(
    "euclidean",
    "tf",
    """Minus the Euclidean distance of the two vectors: −√(Σ (d − q)²), over all terms of both; tf by default.

Higher is nearer, and 0 is the same vector. The distance grows with the length of the document, so the shortest
matching documents come first. This is why vectors are compared by their angle (`cosine`). The distance is computed
as √(Σ d² + Σ q² − 2 Σ q·d), which is exact for whole numbers; with other weights a distance much smaller than the
lengths has fewer exact digits.""",
    "Manning, Raghavan & Schütze, Introduction to Information Retrieval, 2008, sec. 6.3.",
    """>>> euclidean.weight(tf=3, max_tf=3, df=10, N=1000)
3.0""",
)
