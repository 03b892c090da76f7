"""Sets, multisets and points: overlap, Tversky's ratio, Dice and Jaccard by minima, and distances.

Their weights are those of the cosine's family (`tfidf.vector_weight`); a query is weighed by the same formula
as a document. Query terms unknown to the index count in the query's sums under binary and tf weights; under weights
with an idf they have none and are left out.
"""

from __future__ import annotations

from typing import Any

from toysearch.ranking.model import Array, model
from toysearch.ranking.tfidf import VECTOR, vector_weight


@model(similarity="overlap-coefficient", name="overlap-coefficient", **VECTOR)
def overlap_coefficient(
    tf: Array,
    max_tf: Array,
    df: Array,
    N: float,
    *,
    weights: str = "binary",
    tf_: str = "raw",
    idf: str = "ln",
) -> Array:
    """Overlap coefficient: |X∩Y| / min(|X|, |Y|), the shared terms as a part of the smaller set.

    1 where the document holds the whole query, or the query the whole document: a document of one word that is in the
    query scores 1. With other weights than binary: Σ min(q, d) / min(Σ d, Σ q).

    Parameters
    ----------
    tf, max_tf, df, N
        Statistics of the posting, its document, its term, the collection.
    weights : {'tfidf', 'tf', 'binary'}
        tf part · idf part; the tf part alone; 1.
    tf_ : {'raw', 'log', 'sqrt', 'binary', 'augmented'}
        tf; 1 + ln tf; √tf; 1; 0.5 + 0.5 tf / max_tf.
    idf : {'ln', 'smooth', 'plus1', 'prob', 'none'}
        ln(N/df); ln((1+N)/(1+df)) + 1; ln(N/df) + 1; max(0, ln((N-df)/df)); 1.

    References
    ----------
    Simpson, "Mammals and the nature of continents", American Journal of Science 241, 1943 (Szymkiewicz 1934).
    Manning & Schütze, Foundations of Statistical Natural Language Processing, 1999, table 8.7.

    Examples
    --------
    >>> overlap_coefficient.weight(tf=3, max_tf=3, df=10, N=1000)
    1.0
    """
    tf_part, idf_part = vector_weight(tf, max_tf, df, N, weights, tf_, idf)
    return tf_part * idf_part


@model(similarity="tversky", alpha=(0, None), beta=(0, None), **VECTOR)
def tversky(
    tf: Array,
    max_tf: Array,
    df: Array,
    N: float,
    *,
    alpha: float = 1.0,
    beta: float = 1.0,
    weights: str = "binary",
    tf_: str = "raw",
    idf: str = "ln",
) -> Array:
    """Tversky's ratio model: |X∩Y| / (|X∩Y| + alpha · |X−Y| + beta · |Y−X|), X the document, Y the query.

    alpha counts what only the document has, beta what only the query has: ``tversky:1,1`` is Jaccard,
    ``tversky:0.5,0.5`` Dice, ``tversky:0,1`` the part of the query that the document holds. With other weights than
    binary the measure of a set is the sum of its weights, and shared is min(q, d): ``tversky:weights=tf`` is
    `jaccard-minmax`.

    Parameters
    ----------
    tf, max_tf, df, N
        Statistics of the posting, its document, its term, the collection.
    alpha : float
        What a term that only the document has counts, beside 1 for a shared one.
    beta : float
        What a term that only the query has counts.
    weights : {'tfidf', 'tf', 'binary'}
        tf part · idf part; the tf part alone; 1.
    tf_ : {'raw', 'log', 'sqrt', 'binary', 'augmented'}
        tf; 1 + ln tf; √tf; 1; 0.5 + 0.5 tf / max_tf.
    idf : {'ln', 'smooth', 'plus1', 'prob', 'none'}
        ln(N/df); ln((1+N)/(1+df)) + 1; ln(N/df) + 1; max(0, ln((N-df)/df)); 1.

    References
    ----------
    Tversky, "Features of similarity", Psychological Review 84, 1977.

    Examples
    --------
    >>> tversky.bind(0.5, beta=1)
    tversky:alpha=0.5
    """
    tf_part, idf_part = vector_weight(tf, max_tf, df, N, weights, tf_, idf)
    return tf_part * idf_part


@model(similarity="dice-minmax", name="dice-minmax", **VECTOR)
def dice_minmax(
    tf: Array,
    max_tf: Array,
    df: Array,
    N: float,
    *,
    weights: str = "tf",
    tf_: str = "raw",
    idf: str = "ln",
) -> Array:
    """Dice's coefficient of multisets: 2 Σ min(q, d) / (Σ d + Σ q), on tf the default; on sets Dice's own.

    A term counts as shared as often as both have it. 1 minus this is the dissimilarity of Bray & Curtis. Ranks like
    `jaccard-minmax` on the same weights.

    Parameters
    ----------
    tf, max_tf, df, N
        Statistics of the posting, its document, its term, the collection.
    weights : {'tfidf', 'tf', 'binary'}
        tf part · idf part; the tf part alone; 1.
    tf_ : {'raw', 'log', 'sqrt', 'binary', 'augmented'}
        tf; 1 + ln tf; √tf; 1; 0.5 + 0.5 tf / max_tf.
    idf : {'ln', 'smooth', 'plus1', 'prob', 'none'}
        ln(N/df); ln((1+N)/(1+df)) + 1; ln(N/df) + 1; max(0, ln((N-df)/df)); 1.

    References
    ----------
    Bray & Curtis, "An ordination of the upland forest communities of southern Wisconsin", Ecol. Monographs 27, 1957.

    Examples
    --------
    >>> dice_minmax.weight(tf=3, max_tf=3, df=10, N=1000)
    3.0
    """
    tf_part, idf_part = vector_weight(tf, max_tf, df, N, weights, tf_, idf)
    return tf_part * idf_part


@model(similarity="jaccard-minmax", name="jaccard-minmax", **VECTOR)
def jaccard_minmax(
    tf: Array,
    max_tf: Array,
    df: Array,
    N: float,
    *,
    weights: str = "tf",
    tf_: str = "raw",
    idf: str = "ln",
) -> Array:
    """Jaccard's coefficient of multisets: Σ min(q, d) / Σ max(q, d), on tf the default; on sets Jaccard's own.

    A term counts as shared as often as both have it. Otherwise than `jaccard:weights=tf`, which is Tanimoto's with
    products and squares, many repetitions of one term count once each.

    Parameters
    ----------
    tf, max_tf, df, N
        Statistics of the posting, its document, its term, the collection.
    weights : {'tfidf', 'tf', 'binary'}
        tf part · idf part; the tf part alone; 1.
    tf_ : {'raw', 'log', 'sqrt', 'binary', 'augmented'}
        tf; 1 + ln tf; √tf; 1; 0.5 + 0.5 tf / max_tf.
    idf : {'ln', 'smooth', 'plus1', 'prob', 'none'}
        ln(N/df); ln((1+N)/(1+df)) + 1; ln(N/df) + 1; max(0, ln((N-df)/df)); 1.

    References
    ----------
    Ruzicka, "Anwendung mathematisch-statistischer Methoden in der Geobotanik", Biológia 13, 1958.

    Examples
    --------
    >>> jaccard_minmax.weight(tf=3, max_tf=3, df=10, N=1000)
    3.0
    """
    tf_part, idf_part = vector_weight(tf, max_tf, df, N, weights, tf_, idf)
    return tf_part * idf_part


@model(similarity="euclidean", **VECTOR)
def euclidean(
    tf: Array,
    max_tf: Array,
    df: Array,
    N: float,
    *,
    weights: str = "tf",
    tf_: str = "raw",
    idf: str = "ln",
) -> Array:
    """Minus the Euclidean distance of the two vectors: −√(Σ (d − q)²), over all terms of both; tf by default.

    Higher is nearer, and 0 is the same vector. The distance grows with a document's length, so the shortest of the
    documents that match come first: which is why vectors are compared by their angle (`cosine`). It is computed
    as √(Σ d² + Σ q² − 2 Σ q·d), exactly so on whole numbers; with other weights a distance that is small beside the
    lengths has fewer exact digits.

    Parameters
    ----------
    tf, max_tf, df, N
        Statistics of the posting, its document, its term, the collection.
    weights : {'tfidf', 'tf', 'binary'}
        tf part · idf part; the tf part alone; 1.
    tf_ : {'raw', 'log', 'sqrt', 'binary', 'augmented'}
        tf; 1 + ln tf; √tf; 1; 0.5 + 0.5 tf / max_tf.
    idf : {'ln', 'smooth', 'plus1', 'prob', 'none'}
        ln(N/df); ln((1+N)/(1+df)) + 1; ln(N/df) + 1; max(0, ln((N-df)/df)); 1.

    References
    ----------
    Manning, Raghavan & Schütze, Introduction to Information Retrieval, 2008, sec. 6.3.

    Examples
    --------
    >>> euclidean.weight(tf=3, max_tf=3, df=10, N=1000)
    3.0
    """
    tf_part, idf_part = vector_weight(tf, max_tf, df, N, weights, tf_, idf)
    return tf_part * idf_part


@model(similarity="manhattan", **VECTOR)
def manhattan(
    tf: Array,
    max_tf: Array,
    df: Array,
    N: float,
    *,
    weights: str = "tf",
    tf_: str = "raw",
    idf: str = "ln",
) -> Array:
    """Minus the Manhattan distance of the two vectors: −Σ |d − q|, over all terms of both; tf by default.

    Higher is nearer, and 0 is the same vector; on sets it is minus the number of terms that only one of the two
    has. Like the Euclidean distance it prefers short documents.

    Parameters
    ----------
    tf, max_tf, df, N
        Statistics of the posting, its document, its term, the collection.
    weights : {'tfidf', 'tf', 'binary'}
        tf part · idf part; the tf part alone; 1.
    tf_ : {'raw', 'log', 'sqrt', 'binary', 'augmented'}
        tf; 1 + ln tf; √tf; 1; 0.5 + 0.5 tf / max_tf.
    idf : {'ln', 'smooth', 'plus1', 'prob', 'none'}
        ln(N/df); ln((1+N)/(1+df)) + 1; ln(N/df) + 1; max(0, ln((N-df)/df)); 1.

    References
    ----------
    Manning & Schütze, Foundations of Statistical Natural Language Processing, 1999, sec. 8.5 (L1 norm).

    Examples
    --------
    >>> manhattan.weight(tf=3, max_tf=3, df=10, N=1000)
    3.0
    """
    tf_part, idf_part = vector_weight(tf, max_tf, df, N, weights, tf_, idf)
    return tf_part * idf_part


MODELS: tuple[Any, ...] = (overlap_coefficient, tversky, dice_minmax, jaccard_minmax, euclidean, manhattan)
