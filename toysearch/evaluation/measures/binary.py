"""Measures of documents that are relevant or not, as a ranking or as a set: formulas over `JoinedRun`.

Each takes the join, a cutoff k where it has one (None: the whole ranking), and ``rel``, the grade from which a document
is relevant (None: the threshold of the join), and returns its `Terms`. A query without relevant documents has no
value; whether that counts as 0 or is left out of the mean is not decided here.

Start with `average_precision`.

The set of retrieved documents is the whole ranking, or, with a cutoff, its first k documents; if fewer than k were
retrieved, all of them (`precision` divides by k). Every measure of a set is a formula over the table

|               | relevant | not relevant |
|---------------|----------|--------------|
| retrieved     | TP       | FP           |
| not retrieved | FN       | TN           |

An unjudged document is not relevant. TN needs the number N of documents in the collection, which neither a run nor
judgments contain.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from toysearch.base import ArgumentError
from toysearch.evaluation import Cutoff, Grade, JoinedRun, Parameter, Piece, Sum, Terms, fraction
from toysearch.evaluation.measures.declaration import measure, ranked_measure, set_measure
from toysearch.evaluation.measures.definition import Best, Mean
from toysearch.evaluation.measures.tied_group import Group, blended, stopping

COUNT: Mapping[str, Any] = {
    "range": (0.0, None),
    "ordered": False,
    "undefined": "",
    "aggregate": "sum",
    "judged_only": False,
    "over_ties": "additive",
}
"""Facts of a measure that counts documents of a set."""

_NOT_FOUND = "no relevant document"

_BOOK = "van Rijsbergen 1979, Information Retrieval, chapter 7"
_BUCKLEY = "Buckley & Voorhees 2005, in: TREC, experiment and evaluation in information retrieval"
_MANNING = "Manning, Raghavan & Schütze 2008, Introduction to Information Retrieval, chapter 8"

_BETA = Parameter("the weight of recall relative to precision")
_ALPHA = Parameter("the weight of precision, in place of beta: beta² = (1 − alpha) / alpha", high=1)
_ROUNDING = Parameter(
    "how a level of recall becomes a number of documents: x · R + 0.9 truncated, or the nearest",
    choices=("up", "nearest"),
)

INFAP_EPSILON = 0.00001  # from trec_eval: the estimated precision is 1/2 if nothing is judged above


def _average_precision_over_ties(
    joined: JoinedRun, groups: list[Group], cutoff: Cutoff = None, rel: Grade = None
) -> float:
    total = blended(groups, lambda grades: joined.is_relevant(grades, rel).astype(np.float64), cutoff)
    return total / int(joined.n_relevant(rel)[0])


@ranked_measure(
    "AP",
    formula="Σ r(i) · P@i / R",
    source=_BUCKLEY,
    perfect=1.0,
    first=Parameter(
        "only the first n relevant documents count, so AP(first=k)@k divides by min(k, R); by default all",
        low=1,
        whole=True,
    ),
    over_ties=_average_precision_over_ties,
)
def average_precision(joined: JoinedRun, cutoff: Cutoff = None, rel: Grade = None, first: float | None = None) -> Terms:
    """Average precision: the mean, over all relevant documents, of the precision at their ranks.

    With ``first=n`` only the first n relevant documents count, over n (or over all, if those are fewer).

    >>> from toysearch.evaluation.typed_ranking import scored
    >>> scored("AP", "R I I R", relevant=4)         # (1/1 + 2/4) / 4
    0.375
    """
    hits = joined.hits(rel, cutoff)
    relevant = joined.n_relevant(rel)
    if first is not None:
        hits &= hits.cumsum(axis=1) <= first
        relevant = np.minimum(relevant, first)
    hits_so_far = hits.cumsum(axis=1)
    precision = fraction("precision", hits_so_far, joined.ranks)
    return Terms(Sum(Piece("hits", hits), precision), Piece("relevant", relevant), relevant > 0)


@ranked_measure(
    "GMAP",
    formula="Σ r(i) · P@i / R",
    source="Robertson 2006, CIKM; as gm_map in trec_eval, where lower values count as 0.00001",
    perfect=1.0,
    aggregate="gm",
    over_ties=_average_precision_over_ties,
)
def geometric_average_precision(joined: JoinedRun, cutoff: Cutoff = None, rel: Grade = None) -> Terms:
    """AP, whose value for all queries is the geometric mean: most sensitive to the worst queries."""
    return average_precision(joined, cutoff, rel)


# A relevant document that a cutoff lets in can lower the mean of the precisions: 1 becomes (1 + 2/3) / 2.
@ranked_measure(
    "ContextPrecision",
    formula="Σ r(i) · P@i / Σ r(i)",
    source="Es et al. 2024, RAGAs, EACL (demonstrations), as context precision in ragas",
    perfect=1.0,
    by_worth="uncut",
)
def context_precision(joined: JoinedRun, cutoff: Cutoff = None, rel: Grade = None) -> Terms:
    """AP over the relevant documents found instead of all: what was missed does not count.

    One relevant document at rank 1 gives 1, however many others there are.

    >>> from toysearch.evaluation.typed_ranking import scored
    >>> scored("ContextPrecision", "R I I R", relevant=4)         # (1/1 + 2/4) / 2
    0.75
    """
    hits = joined.hits(rel, cutoff)
    hits_so_far = hits.cumsum(axis=1)
    found = Piece("found", hits.sum(axis=1))
    precision = fraction("precision", hits_so_far, joined.ranks)
    return Terms(Sum(Piece("hits", hits), precision), found, joined.n_relevant(rel) > 0)


@ranked_measure("P", formula="Σ r(i) / k", source=_BUCKLEY, ordered=False, over_ties="additive")
def precision(joined: JoinedRun, cutoff: int, rel: Grade = None) -> Terms:
    """Precision: the share of the first k documents that is relevant.

    It is over k even where fewer than k were retrieved.
    """
    return Terms(_found(joined, cutoff, rel), Piece("cutoff", cutoff), joined.n_relevant(rel) > 0)


def _found(joined: JoinedRun, cutoff: Cutoff, rel: Grade) -> Sum:
    return Sum(Piece("hits", joined.hits(rel, cutoff)), name="found")


@ranked_measure("R", formula="Σ r(i) / R", source=_BUCKLEY, ordered=False, over_ties="additive")
def recall(joined: JoinedRun, cutoff: int, rel: Grade = None) -> Terms:
    """Recall: the share of the relevant documents that is among the first k."""
    relevant = joined.n_relevant(rel)
    return Terms(_found(joined, cutoff, rel), Piece("relevant", relevant), relevant > 0)


@ranked_measure(
    "R_cap",
    formula="Σ r(i) / min(k, R)",
    source="Thakur et al. 2021, BEIR, NeurIPS; as relative_P in trec_eval",
    ordered=False,
    perfect=1.0,
    over_ties="additive",
)
def capped_recall(joined: JoinedRun, cutoff: int, rel: Grade = None) -> Terms:
    """Capped recall: the relevant among the first k over the highest possible number."""
    relevant = joined.n_relevant(rel)
    most = Piece("most", np.minimum(relevant, cutoff), "min({}, {})", (cutoff, relevant))
    return Terms(_found(joined, cutoff, rel), most, relevant > 0, also=(Piece("relevant", relevant),))


@ranked_measure(
    "F",
    formula="(1 + β²) P R / (β² P + R)",
    source=_BOOK,
    ordered=False,
    beta=_BETA,
    over_ties="additive",
)
def f_measure(joined: JoinedRun, cutoff: int, rel: Grade = None, beta: float = 1.0) -> Terms:
    """Weighted harmonic mean of P@k and R@k.

    (1 + β²) P R / (β² P + R) is (1 + β²) found / (β² relevant + k).
    """
    n_hits, relevant = joined.hits(rel, cutoff).sum(axis=1), joined.n_relevant(rel)
    sizes = ("({} + {})", (relevant, cutoff)) if beta == 1 else ("({} · {} + {})", (beta**2, relevant, cutoff))
    return Terms(
        Piece("weighted_found", (1 + beta**2) * n_hits, "(1 + {}) · {}", (beta**2, n_hits)),
        Piece("weighted_size", beta**2 * relevant + cutoff, *sizes),
        relevant > 0,
        also=(Piece("found", n_hits), Piece("relevant", relevant)),
    )


@ranked_measure(
    "MeanP",
    formula="Σ P@i / k",
    source="no standard measure; the name is ours",
    over_ties="additive",
)
def mean_precision(joined: JoinedRun, cutoff: int, rel: Grade = None) -> Terms:
    """The mean of P@1, P@2, …, P@k, which some texts call average precision.

    It is not AP, which takes the precision at relevant ranks only: a relevant document at rank r counts in each P@i
    from i = r on, and adds 1/r + … + 1/k.

    >>> from toysearch.evaluation.typed_ranking import scored
    >>> round(scored("MeanP@5", "R R R I I", relevant=3), 9)        # (1 + 1 + 1 + 3/4 + 3/5) / 5
    0.87
    """
    hits = joined.hits(rel, cutoff)
    above = np.where(hits, joined.ranks - 1, cutoff)
    added = Piece("added_to_precisions", _harmonic(np.array(float(cutoff))) - _harmonic(above))
    return Terms(Sum(Piece("hits", hits), added), Piece("cutoff", cutoff), joined.n_relevant(rel) > 0)


@ranked_measure(
    "RR",
    formula="1 / rank of the first relevant document, 0 without one",
    source="Kantor & Voorhees 2000, Information Retrieval 2",
    perfect=1.0,
    over_ties=lambda joined, groups, cutoff=None, rel=None: stopping(
        groups, lambda grades: joined.is_relevant(grades, rel) * 1.0, cutoff
    )[0],
)
def reciprocal_rank(joined: JoinedRun, cutoff: Cutoff = None, rel: Grade = None) -> Terms:
    """Reciprocal rank: 1 over the rank of the first relevant document."""
    reciprocal = fraction("reciprocal_rank", 1, joined.ranks)
    return Terms(
        Best(Sum(Piece("hits", joined.hits(rel, cutoff)), reciprocal), _NOT_FOUND),
        defined=joined.n_relevant(rel) > 0,
    )


@ranked_measure(
    "Rprec", formula="P@R", source=_BUCKLEY, ordered=False, cut_by_R=True, perfect=1.0, over_ties="additive"
)
def r_precision(joined: JoinedRun, rel: Grade = None) -> Terms:
    """Precision at the rank that equals the number of relevant documents."""
    relevant = joined.n_relevant(rel)
    hits = joined.hits(rel) & (joined.ranks <= relevant[:, np.newaxis])
    return Terms(Sum(Piece("hits", hits), name="found"), Piece("relevant", relevant), relevant > 0)


@ranked_measure(
    "Success",
    formula="1 if any r(i) is 1, else 0",
    source="as success in trec_eval",
    ordered=False,
    perfect=1.0,
    over_ties=lambda joined, groups, cutoff, rel=None: (
        1 - stopping(groups, lambda grades: joined.is_relevant(grades, rel) * 1.0, cutoff)[1]
    ),
)
def success(joined: JoinedRun, cutoff: int, rel: Grade = None) -> Terms:
    """Whether any relevant document is among the first k."""
    first = Best(_found(joined, cutoff, rel), _NOT_FOUND, "first relevant at rank {}")
    return Terms(first, defined=joined.n_relevant(rel) > 0)


@ranked_measure(
    "IPrec",
    formula="max P@i over the ranks i with Σ r / R ≥ x",
    source=f"{_BUCKLEY}; as iprec_at_recall in trec_eval",
    perfect=1.0,
    rounding=_ROUNDING,
)
def interpolated_precision(joined: JoinedRun, cutoff: float, rel: Grade = None, rounding: str = "up") -> Terms:
    """Interpolated precision: the highest precision at or after the rank where recall reaches x.

    It is 0 if recall never reaches x. The number of relevant documents that x stands for is computed as in trec_eval 9:
    x · R + 0.9 without its fraction, which is x · R rounded up (but down, where it is less than a tenth above a whole
    number). With ``rounding="nearest"`` it is the nearest whole number, as in trec_eval 10.

    >>> from toysearch.evaluation.typed_ranking import scored
    >>> scored("IPrec@0.5", "R I I R", relevant=2), scored("IPrec@0.6", "R I I R", relevant=2)
    (1.0, 0.5)
    >>> scored("IPrec(rounding='nearest')@0.6", "R I I R", relevant=2)      # 1.2 is 1
    1.0
    """
    hits, relevant = joined.hits(rel), joined.n_relevant(rel)
    level = cutoff * relevant
    least = np.floor(level + 0.9) if rounding == "up" else np.floor(level) + (level % 1 >= 0.5)
    hits_so_far = hits.cumsum(axis=1)
    reached = Piece("reached", hits & (hits_so_far >= least[:, np.newaxis]))
    precision = fraction("precision", hits_so_far, joined.ranks)
    return Terms(
        Best(Sum(reached, precision), "recall is never that high"),
        defined=relevant > 0,
        also=(Piece("found", hits_so_far), Piece("relevant", relevant), Piece("wanted", least)),
    )


@ranked_measure(
    "IAP",
    formula="(IPrec@0.0 + IPrec@0.1 + … + IPrec@1.0) / 11",
    source="Manning, Raghavan & Schütze 2008, chapter 8; as 11pt_avg in trec_eval",
    perfect=1.0,
    points=Parameter("how many levels of recall, from 0 to 1", low=2, high=10_001, whole=True),
    rounding=_ROUNDING,
)
def interpolated_average_precision(
    joined: JoinedRun, rel: Grade = None, points: float = 11, rounding: str = "up"
) -> Terms:
    """The mean of IPrec at the 11 levels of recall 0, 0.1, …, 1."""
    levels = (np.arange(points) / (points - 1)).tolist()
    at = [interpolated_precision(joined, level, rel, rounding).values for level in levels]
    return Terms(Mean("interpolated_precision", levels, at))


def _binary_preference_over_ties(joined: JoinedRun, groups: list[Group], rel: Grade = None) -> float:
    """Average Bpref: 0, 1, …, m judged non-relevant documents of a group precede a relevant one, equally often."""
    relevant = int(joined.n_relevant(rel)[0])
    most = max(min(int((joined.ideal[0] >= 0).sum()) - relevant, relevant), 1)
    total, above = 0.0, 0
    for group in groups:
        hits = int(joined.is_relevant(group.grades, rel).sum())
        others = int((group.grades >= 0).sum()) - hits
        total += hits * float((1 - np.minimum(above + np.arange(others + 1), relevant) / most).mean())
        above += others
    return total / relevant


@ranked_measure(
    "Bpref",
    formula="Σ over retrieved relevant (1 − min(n, R) / min(N, R)) / R; n, N: judged non-relevant, above it and in all",
    source="Buckley & Voorhees 2004, SIGIR; as corrected in trec_eval",
    perfect=1.0,
    negative="unjudged",
    over_ties=_binary_preference_over_ties,
)
def binary_preference(joined: JoinedRun, rel: Grade = None) -> Terms:
    """Binary preference: how rarely a judged non-relevant document ranks above a relevant one.

    N is the number of judged non-relevant documents. Documents that are unjudged, or of a negative grade, do not count.

    >>> from toysearch.evaluation.typed_ranking import scored
    >>> scored("Bpref", "1 U 0 1", judged="1 1 1 0 0")      # ((1 − 0/2) + (1 − 1/2)) / 3
    0.5
    """
    hits, relevant = joined.hits(rel), joined.n_relevant(rel)
    others = (joined.ideal >= 0).sum(axis=1) - relevant
    above = ((joined.grades >= 0) & ~hits).cumsum(axis=1)
    most = np.fmax(np.minimum(others, relevant), 1)
    share = 1 - np.minimum(above, relevant[:, np.newaxis]) / most[:, np.newaxis]
    return Terms(
        Sum(Piece("hits", hits), Piece("kept", share)),
        Piece("relevant", relevant),
        relevant > 0,
        also=(Piece("not_relevant_above", above), Piece("not_relevant", others), Piece("most", most)),
    )


@ranked_measure(
    "infAP",
    formula="Σ over retrieved relevant (1/k + (k − 1)/k · pooled/(k − 1) · (rel + ε)/(rel + nonrel + 2ε)) / R",
    source="Yilmaz & Aslam 2006, CIKM; as in trec_eval, ε = 0.00001",
    negative="unjudged",
    by_worth="never",
)
def inferred_average_precision(joined: JoinedRun, rel: Grade = None) -> Terms:
    """Inferred AP: precisions at relevant ranks are estimated from the judged documents above.

    All three numbers of the formula count documents above rank k. All documents with a grade are pooled: a negative
    grade means that the document was in the pool, but not in the sample that was judged. Such a document above a
    relevant one can raise the value.

    >>> from toysearch.evaluation.typed_ranking import scored
    >>> round(scored("infAP", "R I R", relevant=2), 9)      # (1 + 1/3 + 2/3 · 2/2 · 1/2) / 2, but for ε
    0.833333333
    """
    hits, everyone = joined.hits(rel), joined.n_relevant(rel)
    relevant = hits.cumsum(axis=1) - hits
    others = ((joined.grades >= 0) & ~hits).cumsum(axis=1)
    pooled = relevant + others + (joined.grades < 0).cumsum(axis=1)
    precisions = (relevant + INFAP_EPSILON) / (relevant + others + 2 * INFAP_EPSILON)
    above = ("relevant_above", relevant), ("not_relevant_above", others), ("pooled_above", pooled)
    return Terms(
        Sum(Piece("hits", hits), Piece("expected_precision", (1 + pooled * precisions) / joined.ranks)),
        Piece("relevant", everyone),
        everyone > 0,
        also=(*(Piece(*piece) for piece in above), Piece("precision_above", precisions)),
    )


@ranked_measure("NumQ", formula="1", source="as num_q in trec_eval", better=None, **COUNT)
def number_of_queries(joined: JoinedRun) -> Terms:
    """Number of queries."""
    return Terms(Piece("queries", np.ones(len(joined.query_ids))))


@ranked_measure("NumRet", formula="retrieved", source="as num_ret in trec_eval", better=None, **COUNT)
def number_retrieved(joined: JoinedRun, cutoff: Cutoff = None) -> Terms:
    """Number of documents retrieved."""
    return Terms(Piece("retrieved", np.minimum(joined.retrieved, np.inf if cutoff is None else cutoff)))


@ranked_measure("NumRel", formula="R", source="as num_rel in trec_eval", better=None, **COUNT)
def number_relevant(joined: JoinedRun, rel: Grade = None) -> Terms:
    """Number of relevant documents."""
    return Terms(Piece("relevant", joined.n_relevant(rel)))


@ranked_measure("NumRelRet", formula="Σ r(i)", source="as num_rel_ret in trec_eval", **COUNT)
def number_relevant_retrieved(joined: JoinedRun, cutoff: Cutoff = None, rel: Grade = None) -> Terms:
    """Number of relevant documents retrieved."""
    return Terms(_found(joined, cutoff, rel))


def _harmonic(numbers: np.ndarray) -> np.ndarray:
    """Sum 1 + 1/2 + … + 1/n for each whole number; beyond 1,000 by Euler's expansion, whose error is below 1e-15."""
    small = np.concatenate(([0.0], np.cumsum(1 / np.arange(1.0, 1001))))
    large = np.fmax(numbers, 1000)
    euler = np.log(large) + np.euler_gamma + 1 / (2 * large) - 1 / (12 * large**2) + 1 / (120 * large**4)
    return np.asarray(np.where(numbers <= 1000, small[np.minimum(numbers, 1000).astype(np.int64)], euler))


@measure(
    "Judged",
    family="incomplete",
    formula="judged documents among the first k / documents retrieved among the first k",
    source="as Judged in ir_measures, where a negative grade is a judgment too",
    better=None,
    ordered=False,
    negative="judged",
    over_ties="additive",
)
def judged_share(joined: JoinedRun, cutoff: Cutoff = None) -> Terms:
    """The share of the first k documents that was judged, relevant or not.

    Where fewer than k were retrieved, the share is of those, as in ir_measures; without a cutoff, of all. It is 0 where
    nothing was retrieved.

    >>> from toysearch.evaluation.typed_ranking import scored
    >>> scored("Judged@4", "U 2 U -1")          # a negative grade is a judgment
    0.5
    """
    depth = np.maximum(joined.depths(cutoff), 1)
    return Terms(Sum(_is_judged(joined, cutoff), name="judged"), Piece("depth", depth))


@measure(
    "Hole",
    family="incomplete",
    formula="unjudged documents among the first k / k",
    source="Thakur et al. 2021, BEIR, NeurIPS, where a document judged for any query is judged",
    better=None,
    ordered=False,
    negative="judged",
    over_ties="additive",
)
def hole_share(joined: JoinedRun, cutoff: int) -> Terms:
    """The share of the first k documents that is unjudged for the query.

    >>> from toysearch.evaluation.typed_ranking import scored
    >>> scored("Hole@5", "U 2 U")
    0.4
    """
    n_judged = np.asarray(_is_judged(joined, cutoff).values).sum(axis=1)
    return Terms(Piece("unjudged", joined.depths(cutoff) - n_judged), Piece("cutoff", cutoff))


def _is_judged(joined: JoinedRun, cutoff: Cutoff) -> Piece:
    return Piece("is_judged", ~np.isnan(joined.grades) & joined.within(cutoff))


class Contingency(NamedTuple):
    """Table of retrieved × relevant, one number per query each; TN is NaN where N is not known."""

    TP: np.ndarray
    FP: np.ndarray
    FN: np.ndarray
    TN: np.ndarray

    @property
    def retrieved(self) -> np.ndarray:
        """TP + FP."""
        return np.asarray(self.TP + self.FP)

    @property
    def relevant(self) -> np.ndarray:
        """TP + FN."""
        return np.asarray(self.TP + self.FN)

    def terms(self, part: Piece, whole: Piece | None = None, *, needs: np.ndarray | None = None) -> Terms:
        """Divide the part by the whole, for queries with a relevant document or those in `needs`; show the cells."""
        cells = (Piece(name, cell) for name, cell in self._asdict().items())
        return Terms(part, whole, self.relevant > 0 if needs is None else needs, also=tuple(cells))


def contingency(joined: JoinedRun, cutoff: Cutoff = None, rel: Grade = None, N: float | None = None) -> Contingency:
    """Count retrieved × relevant of each query in a 2×2 table; `N` is the number of documents in the collection.

    Raises
    ------
    ArgumentError
        If a query has more documents than N.

    Examples
    --------
    Retrieved are a, x, y and b of ten documents; relevant are a, b and c.

    >>> from toysearch.evaluation.joined_run import join
    >>> from toysearch.base.ranking import Ranking
    >>> from toysearch.base import Qrels, Run
    >>> run = Run.from_rankings([Ranking("1", ["a", "x", "y", "b"], [4, 3, 2, 1])])
    >>> [cell.tolist() for cell in contingency(join(run, Qrels.from_dict({"1": {"a": 1, "b": 1, "c": 1}})), N=10)]
    [[2.0], [2.0], [1.0], [5.0]]
    """
    n_hits = joined.hits(rel, cutoff).sum(axis=1).astype(np.float64)
    false_positives, missed = joined.depths(cutoff) - n_hits, joined.n_relevant(rel) - n_hits
    rest = np.nan if N is None else N
    others = rest - n_hits - false_positives - missed
    for row in np.flatnonzero(others < 0)[:1].tolist():
        raise ArgumentError(
            f"N={N:g} is fewer than the {rest - others[row]:g} documents that are retrieved or relevant for query "
            f"'{joined.query_ids[row]}'; N is the number of documents in the collection"
        )
    return Contingency(n_hits, false_positives, missed, others)


@set_measure("SetP", formula="TP / (TP + FP)", source=_MANNING, over_ties="additive")
def set_precision(joined: JoinedRun, cutoff: Cutoff = None, rel: Grade = None) -> Terms:
    """Set precision: the share of the retrieved that is relevant.

    It is 0 where nothing was retrieved.
    """
    table = contingency(joined, cutoff, rel)
    return table.terms(Piece("TP", table.TP), Piece("retrieved", table.retrieved))


@set_measure("SetR", formula="TP / (TP + FN)", source=_MANNING, over_ties="additive")
def set_recall(joined: JoinedRun, cutoff: Cutoff = None, rel: Grade = None) -> Terms:
    """Set recall: the share of the relevant that was retrieved."""
    table = contingency(joined, cutoff, rel)
    return table.terms(Piece("TP", table.TP), Piece("relevant", table.relevant))


@set_measure(
    "SetF",
    formula="1 / (α / P + (1 − α) / R) = (1 + β²) P R / (β² P + R)",
    source=_BOOK,
    either=("beta", "alpha"),
    beta=_BETA,
    alpha=_ALPHA,
    over_ties="additive",
)
def set_f(
    joined: JoinedRun,
    cutoff: Cutoff = None,
    rel: Grade = None,
    beta: float = 1.0,
    alpha: float | None = None,
) -> Terms:
    """Weighted harmonic mean of set precision and set recall.

    In the numbers of the table, it is TP / (α · retrieved + (1 − α) · relevant), where α = 1 / (1 + β²). With α = 1 it
    is SetP.

    >>> from toysearch.evaluation.typed_ranking import scored
    >>> [round(scored(f"SetF({weight})", "R R I I", relevant=8), 8) for weight in ("alpha=0.2", "beta=2")]
    [0.27777778, 0.27777778]
    """
    table = contingency(joined, cutoff, rel)
    share = 1 / (1 + beta**2) if alpha is None else alpha
    retrieved, relevant = table.retrieved, table.relevant
    mixed = share * retrieved + (1 - share) * relevant
    size = Piece("weighted_size", mixed, "({} · {} + {} · {})", (share, retrieved, 1 - share, relevant))
    return table.terms(Piece("TP", table.TP), size)


@set_measure(
    "SetE",
    formula="1 − 1 / (α / P + (1 − α) / R)",
    source=_BOOK,
    better="lower",
    either=("beta", "alpha"),
    beta=_BETA,
    alpha=_ALPHA,
    over_ties="additive",
)
def effectiveness(
    joined: JoinedRun,
    cutoff: Cutoff = None,
    rel: Grade = None,
    beta: float = 1.0,
    alpha: float | None = None,
) -> Terms:
    """Van Rijsbergen's E: 1 − SetF."""
    return replace(set_f(joined, cutoff, rel, beta, alpha), complement=True)


@set_measure(
    "SetRelP",
    formula="TP / min(TP + FP, TP + FN)",
    source="as set_relative_P in trec_eval",
    over_ties="additive",
)
def set_relative_precision(joined: JoinedRun, cutoff: Cutoff = None, rel: Grade = None) -> Terms:
    """Set precision over the best that a set of this size can have."""
    table = contingency(joined, cutoff, rel)
    sizes = table.retrieved, table.relevant
    return table.terms(Piece("TP", table.TP), Piece("best", np.minimum(*sizes), "min({}, {})", sizes))


@set_measure("SetAP", formula="P · R", source="as set_map in trec_eval")
def set_average_precision(joined: JoinedRun, cutoff: Cutoff = None, rel: Grade = None) -> Terms:
    """Set precision times set recall.

    It is the AP of a ranking whose relevant documents all have precision SetP.
    """
    table = contingency(joined, cutoff, rel)
    retrieved, relevant = table.retrieved, table.relevant
    product = retrieved * relevant
    # Divided once, as in trec_eval: twice would round twice.
    both = table.TP**2 / np.where(product > 0, product, 1)
    return table.terms(Piece("P_times_R", both, "({} / {}) · ({} / {})", (table.TP, retrieved, table.TP, relevant)))


@set_measure(
    "Fallout",
    formula="FP / (FP + TN)",
    source=_MANNING,
    better="lower",
    undefined="every document of the collection is relevant",
    judged_only=False,
    over_ties="additive",
)
def fallout(joined: JoinedRun, cutoff: Cutoff = None, rel: Grade = None, N: float | None = None) -> Terms:
    """The share of the non-relevant documents that was retrieved."""
    table = contingency(joined, cutoff, rel, N)
    others = table.FP + table.TN
    return table.terms(Piece("FP", table.FP), Piece("not_relevant", others), needs=others > 0)


@set_measure(
    "SetAccuracy",
    formula="(TP + TN) / N",
    source=_MANNING,
    undefined="",
    judged_only=False,
    over_ties="additive",
)
def accuracy(joined: JoinedRun, cutoff: Cutoff = None, rel: Grade = None, N: float | None = None) -> Terms:
    """The share of the collection correctly retrieved or correctly left out; misleading where little is relevant.

    Where 99.9% of a collection is not relevant, retrieving nothing has an accuracy of 0.999.
    """
    table = contingency(joined, cutoff, rel, N)
    right = Piece("right", table.TP + table.TN, "({} + {})", (table.TP, table.TN))
    size = np.asarray(sum(table))
    return table.terms(right, Piece("documents", size), needs=size > 0)


@set_measure(
    "Generality",
    formula="(TP + FN) / N",
    source=_BOOK,
    better=None,
    undefined="",
    judged_only=False,
)
def generality(joined: JoinedRun, rel: Grade = None, N: float | None = None) -> Terms:
    """The share of the collection that is relevant."""
    table = contingency(joined, None, rel, N)
    size = np.asarray(sum(table))
    return table.terms(Piece("relevant", table.relevant), Piece("documents", size), needs=size > 0)


@set_measure("TP", formula="Σ r(i)", source=_MANNING, **COUNT)
def true_positives(joined: JoinedRun, cutoff: Cutoff = None, rel: Grade = None) -> Terms:
    """Relevant documents retrieved."""
    return Terms(Sum(Piece("hits", joined.hits(rel, cutoff)), name="TP"))


@set_measure("FP", formula="retrieved − TP", source=_MANNING, better="lower", **COUNT)
def false_positives(joined: JoinedRun, cutoff: Cutoff = None, rel: Grade = None) -> Terms:
    """Documents retrieved that are not relevant."""
    table = contingency(joined, cutoff, rel)
    return Terms(Piece("FP", table.FP, "{} − {}", (table.retrieved, table.TP)))


@set_measure("FN", formula="R − TP", source=_MANNING, better="lower", **COUNT)
def false_negatives(joined: JoinedRun, cutoff: Cutoff = None, rel: Grade = None) -> Terms:
    """Relevant documents not retrieved."""
    table = contingency(joined, cutoff, rel)
    return Terms(Piece("FN", table.FN, "{} − {}", (table.relevant, table.TP)))


@set_measure("TN", formula="N − TP − FP − FN", source=_MANNING, **COUNT)
def true_negatives(joined: JoinedRun, cutoff: Cutoff = None, rel: Grade = None, N: float | None = None) -> Terms:
    """Documents neither retrieved nor relevant."""
    table = contingency(joined, cutoff, rel, N)
    return Terms(Piece("TN", table.TN, "{} − {} − {} − {}", (np.asarray(sum(table)), table.TP, table.FP, table.FN)))
