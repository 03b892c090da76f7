"""Measures that only trec_eval has; they reproduce its output.

The experimental or old ones take the join (`JoinedRun`) and return their `Terms`. The gain of a document is its
grade, 0 for a grade below 0 and for an unjudged document.

The measures prefs_… count the preferences between documents that a ranking fulfils. A preference for a over b asks for
a to be ranked first. A group (a person with one information need) gives levels to documents and prefers higher levels.
If its subgroups compare only some of the documents, its preferences are extended by transitivity: from a over b and b
over c follows a over c. The groups need not agree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from toysearch.base import DataError
from toysearch.evaluation import JUDGED_ONLY, REL, Definition, JoinedRun, Mapped, Parameter, Piece, Sum, Terms
from toysearch.evaluation.measures.graded import GAINS, UNDEFINED, discount_of, gain_of


def precision_at_multiple(judged: JoinedRun, rel: float | None = None, times: float = 1.0) -> Terms:
    """RprecMult: the precision at a multiple of R, the number of relevant documents.

    The rank is times · R + 0.9 without its fraction, as in trec_eval; the value is 0 where the rank is 0.

    >>> from toysearch.evaluation.typed_ranking import scored
    >>> [round(scored(f"RprecMult(times={times})", "R I I", relevant=2), 8) for times in (0.5, 1.5)]
    [1.0, 0.33333333]
    """
    relevant = judged.n_relevant(rel)
    cutoffs = np.floor(times * relevant + 0.9)
    hits = judged.hits(rel) & (judged.ranks <= cutoffs[:, np.newaxis])
    return Terms(Sum(Piece("hits", hits), name="found"), Piece("rank", cutoffs), relevant > 0)


def utility(
    judged: JoinedRun,
    rel: float | None = None,
    TP: float = 1.0,
    FP: float = -1.0,
    FN: float = 0.0,
) -> Terms:
    """Utility: the worth of the retrieved set and of the missed documents, with a price for each kind of document.

    >>> from toysearch.evaluation.typed_ranking import scored
    >>> scored("Utility", "R I R", relevant=2), scored("Utility(TP=2,FP=-0.5)", "R I R", relevant=2)
    (1.0, 3.5)
    """
    n_hits, relevant = judged.hits(rel).sum(axis=1), judged.n_relevant(rel)
    others, missed = judged.retrieved - n_hits, relevant - n_hits
    worth = TP * n_hits + FP * others + FN * missed
    return Terms(Piece("worth", worth, "{} · {} + {} · {} + {} · {}", (TP, n_hits, FP, others, FN, missed)))


def binary_g(judged: JoinedRun, rel: float | None = None) -> Terms:
    """BinG: the mean over all relevant documents of 1 / log2(2 + the documents above it that are not relevant).

    >>> from toysearch.evaluation.typed_ranking import scored
    >>> scored("BinG", "R I I R", relevant=2)           # (1/log2(2) + 1/log2(2 + 2)) / 2
    0.75
    """
    hits, relevant = judged.hits(rel), judged.n_relevant(rel)
    above = np.where(hits, judged.ranks - hits.cumsum(axis=1), 0)
    credit = Sum(Piece("hits", hits), discount=discount_of(1 + above))
    return Terms(credit, Piece("relevant", relevant), relevant > 0, also=(Piece("not_relevant_above", above),))


def normalized_gain(judged: JoinedRun, gains: Mapped | None = None) -> Terms:
    """G: each gain over log2(2 + the gain that the ranking lacks at its rank), over the gains of the ideal ranking.

    The lacking gain is that of the ideal ranking down to the rank minus that of the ranking. Each rank of the ideal
    ranking counts as at least 1, also below its end.

    Examples
    --------
    The ideal gains 3 and 1, the ranking 1 and 3: (1 / log2(2 + 3 − 1) + 3 / log2(2 + 4 − 4)) / 4.

    >>> from toysearch.evaluation.typed_ranking import scored
    >>> scored("G", "1 3", judged="1 3")
    0.875
    """
    gain, ideal = gain_of(judged.grades, gains), _ideal(judged, gains)
    at_least_one = np.where(ideal > 0, np.fmax(ideal, 1), 0).cumsum(axis=1)
    lengths = (ideal > 0).sum(axis=1)[:, np.newaxis]
    ranks = np.where(np.isfinite(judged.ranks), judged.ranks, 1)
    could = _at(at_least_one, np.minimum(ranks, lengths)) + np.fmax(ranks - lengths, 0)
    lacking = np.where(gain > 0, could - gain.cumsum(axis=1), 0)
    of_judged = gain_of(judged.ideal, gains)
    return Terms(
        Sum(Piece("gain", gain), discount=discount_of(1 + lacking)),
        Sum(Piece("ideal_gain", ideal), name="ideal_gains", ideal=(judged.ideal, of_judged)),
        np.any(of_judged > 0, axis=1),
        also=(Piece("lacking", lacking),),
    )


def ndcg_over_relevant(judged: JoinedRun, gains: Mapped | None = None) -> Terms:
    """nDCG_rel: the mean of nDCG at the ranks of the documents that gain; for one not retrieved, nDCG at the end.

    Examples
    --------
    At rank 1 it is 1/3, at rank 2 (1 + 3/log2(3)) / (3 + 1/log2(3)) = 0.7967:

    >>> from toysearch.evaluation.typed_ranking import scored
    >>> round(scored("nDCG_rel", "1 3", judged="1 3"), 4)
    0.565
    """
    gain, dcg, ideal, ideal_dcg = _discounted(judged, gains)
    lengths = (ideal > 0).sum(axis=1)
    end = _at(ideal_dcg, np.fmax(lengths, 1)[:, np.newaxis])[:, 0]
    at_rank = _at(ideal_dcg, np.minimum(np.where(gain > 0, judged.ranks, 1), lengths[:, np.newaxis]))
    ndcg = np.where(gain > 0, dcg / np.where(at_rank > 0, at_rank, 1), 0)
    total, missed = ndcg.sum(axis=1), lengths - (gain > 0).sum(axis=1)
    at_end = _last(dcg) / np.where(end > 0, end, 1)
    return Terms(
        Piece("sum_of_ndcg", total + missed * at_end, "({} + {} · {})", (total, missed, at_end)),
        Piece("gaining", lengths),
        np.any(gain_of(judged.ideal, gains) > 0, axis=1),
        also=(Piece("gain", gain), Piece("dcg", dcg), Piece("ndcg", ndcg), Piece("ndcg_at_end", at_end)),
        ideal=(Piece("ideal_dcg", ideal_dcg),),
    )


def ndcg_at_levels(judged: JoinedRun, rel: float | None = None, gains: Mapped | None = None) -> Terms:
    """RnDCG: the mean of nDCG at the ranks where the gain of the ideal ranking falls, and at the end of the ranking.

    The end counts where the ranking is longer, by two documents or more, than the ideal one.

    Examples
    --------
    The ideal falls after ranks 1 and 2: (1/3 + 0.7967) / 2, the value of `ndcg_over_relevant`.

    >>> from toysearch.evaluation.typed_ranking import scored
    >>> round(scored("RnDCG", "1 3", judged="1 3"), 4)
    0.565
    """
    _, dcg, ideal, ideal_dcg = _discounted(judged, gains)
    following = np.pad(ideal[:, 1:], ((0, 0), (0, 1)))
    falls = (ideal > 0) & (ideal != following)
    places = np.arange(1.0, ideal.shape[1] + 1)
    # The gain down to each place of the ideal ranking.
    n_above = (judged.ranks[:, np.newaxis, :] <= places[np.newaxis, :, np.newaxis]).sum(axis=2)
    so_far = _at(np.pad(dcg, ((0, 0), (1, 0))), n_above + 1)
    ndcg = np.where(falls, so_far / np.where(ideal_dcg > 0, ideal_dcg, 1), 0)
    at_levels = ndcg.sum(axis=1)
    lengths = (ideal > 0).sum(axis=1)
    end = _at(ideal_dcg, np.fmax(lengths, 1)[:, np.newaxis])[:, 0]
    longer = judged.retrieved > lengths + 1
    at_end = np.where(longer, _last(dcg) / np.where(end > 0, end, 1), 0)
    return Terms(
        Piece("sum_of_ndcg", at_levels + at_end, "({} + {})", (at_levels, at_end)),
        Piece("levels", falls.sum(axis=1) + longer),
        np.any(gain_of(judged.ideal, gains) > 0, axis=1) & (judged.n_relevant(rel) > 0),
        also=(Piece("dcg", dcg), Piece("ndcg_at_end", at_end)),
        ideal=(Piece("ideal_dcg", ideal_dcg), Piece("dcg", so_far), Piece("ndcg", ndcg)),
    )


def ideal_dcg(judged: JoinedRun, gains: Mapped | None = None) -> Terms:
    """IdealDCG: the discounted cumulative gain of the ideal ranking, by which nDCG divides.

    >>> from toysearch.evaluation.typed_ranking import scored
    >>> round(scored("IdealDCG", "1", judged="1 3"), 4)         # 3 + 1/log2(3)
    3.6309
    """
    _, _, ideal, dcg = _discounted(judged, gains)
    return Terms(Piece("ideal_dcg", _last(dcg)), defined=np.any(ideal > 0, axis=1), ideal=(Piece("ideal_dcg", dcg),))


def yaap(judged: JoinedRun, rel: float | None = None) -> Terms:
    """Yaap: log((1 + s) / (1 + R − s)), where s is the sum that AP divides by R.

    Examples
    --------
    s = 1 + 2/4, and log(2.5 / 2.5):

    >>> from toysearch.evaluation.typed_ranking import scored
    >>> scored("Yaap", "R I I R", relevant=3)
    0.0
    """
    hits, relevant = judged.hits(rel), judged.n_relevant(rel)
    total = np.where(hits, hits.cumsum(axis=1) / judged.ranks, 0).sum(axis=1)
    value = np.log((1 + total) / (1 + relevant - total))
    return Terms(Piece("log_odds", value, "log((1 + {}) / (1 + {} − {}))", (total, relevant, total)))


def number_judged_not_relevant(judged: JoinedRun, rel: float | None = None) -> Terms:
    """NumNonRelRet: how many retrieved documents are judged and not relevant."""
    return Terms(Sum(Piece("not_relevant", (judged.grades >= 0) & ~judged.hits(rel))))


def _discounted(judged: JoinedRun, gains: Mapped | None) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The gains at the ranks and their DCG down to each; the ideal ranking's gains, falling, and its DCG."""
    gain, ideal = gain_of(judged.grades, gains), _ideal(judged, gains)
    dcg = (gain / np.log2(judged.ranks + 1)).cumsum(axis=1)
    return gain, dcg, ideal, (ideal / np.log2(np.arange(2.0, ideal.shape[1] + 2))).cumsum(axis=1)


def _ideal(judged: JoinedRun, gains: Mapped | None) -> np.ndarray:
    return -np.sort(-gain_of(judged.ideal, gains), axis=1)


def _at(values: np.ndarray, places: np.ndarray) -> np.ndarray:
    """The values at places that count from 1; 0 at place 0."""
    whole = np.asarray(places, dtype=np.int64)
    padded = np.pad(values, ((0, 0), (1, 0)))
    return np.asarray(np.take_along_axis(padded, np.minimum(whole, values.shape[1]), axis=1))


def _last(values: np.ndarray) -> np.ndarray:
    return np.asarray(values[:, -1] if values.shape[1] else np.zeros(len(values)))


_WORTH = "the worth of a document that is"
_BUCKLEY = "as {} in trec_eval (C. Buckley 2008)"


MEASURES: Mapping[str, Definition] = MappingProxyType(
    {
        "RprecMult": Definition(
            precision_at_multiple,
            "none",
            {**REL, "times": Parameter("how many times the number of relevant documents", 1.0), **JUDGED_ONLY},
            family="ranked",
            description="precision at the rank that is a multiple of the number of relevant documents",
            formula="P@k, k = times · R + 0.9 without its fraction",
            source=_BUCKLEY.format("Rprec_mult"),
            ordered=False,
        ),
        "Utility": Definition(
            utility,
            "none",
            {
                **REL,
                "TP": Parameter(f"{_WORTH} retrieved and relevant", 1.0, low=None),
                "FP": Parameter(f"{_WORTH} retrieved and not relevant", -1.0, low=None),
                "FN": Parameter(f"{_WORTH} relevant and not retrieved", 0.0, low=None),
            },
            family="set",
            description="the worth of the retrieved set, with a price for each cell of its table",
            formula="TP · found + FP · others + FN · missed",
            source=_BUCKLEY.format("utility"),
            range=(-np.inf, None),
            ordered=False,
            undefined="",
        ),
        "BinG": Definition(
            binary_g,
            "none",
            {**REL, **JUDGED_ONLY},
            family="ranked",
            description="the mean over the relevant documents of a discount by the non-relevant ones above",
            formula="Σ r(i) / log2(2 + not relevant above i) / R",
            source=_BUCKLEY.format("binG"),
            perfect=1.0,
        ),
        "G": Definition(
            normalized_gain,
            "none",
            {**GAINS, **JUDGED_ONLY},
            family="graded",
            description="gains, each discounted by how far the ranking is behind the ideal one at its rank",
            formula="Σ gain(i) / log2(2 + Σ max(ideal, 1) − Σ gain, both down to i) / Σ ideal",
            source=_BUCKLEY.format("G"),
            undefined=UNDEFINED,
        ),
        "nDCG_rel": Definition(
            ndcg_over_relevant,
            "none",
            {**GAINS, **JUDGED_ONLY},
            family="graded",
            description="the mean of nDCG at the ranks of the documents that gain",
            formula="Σ nDCG@i over the ranks i with a gain, the missed ones with that at the end, over their number",
            source=_BUCKLEY.format("ndcg_rel"),
            perfect=1.0,
            undefined=UNDEFINED,
        ),
        "RnDCG": Definition(
            ndcg_at_levels,
            "none",
            {**REL, **GAINS, **JUDGED_ONLY},
            family="graded",
            description="the mean of nDCG at the ranks where the ideal ranking's gain falls",
            formula="Σ nDCG@i over the ranks i where the ideal gain falls, and at the end, over their number",
            source=_BUCKLEY.format("Rndcg"),
            perfect=1.0,
            undefined=UNDEFINED,
        ),
        "IdealDCG": Definition(
            ideal_dcg,
            "none",
            GAINS,
            family="graded",
            description="the discounted cumulative gain of the ideal ranking",
            formula="Σ ideal gain(i) / log2(i + 1)",
            source="as ideal_dcg in trec_eval 10",
            range=(0.0, None),
            better=None,
            ordered=False,
            undefined=UNDEFINED,
        ),
        "Yaap": Definition(
            yaap,
            "none",
            {**REL, **JUDGED_ONLY},
            family="ranked",
            description="AP on a logarithmic scale, on which values below 0.1 differ as much as those above 0.9",
            formula="log((1 + s) / (1 + R − s)), s = Σ r(i) · P@i",
            source="Robertson 2012, On smoothing average precision, ECIR; as yaap in trec_eval",
            range=(-np.inf, None),
            undefined="",
        ),
        "NumNonRelRet": Definition(
            number_judged_not_relevant,
            "none",
            REL,
            family="ranked",
            description="number of documents retrieved that are judged not relevant",
            formula="Σ of the judged with r(i) = 0",
            source="as num_nonrel_judged_ret in trec_eval",
            range=(0.0, None),
            better=None,
            ordered=False,
            undefined="",
            aggregate="sum",
        ),
    }
)


PREFERENCE_MEASURES = (
    "prefs_num_prefs_poss",
    "prefs_num_prefs_ful",
    "prefs_num_prefs_ful_ret",
    "prefs_simp",
    "prefs_pair",
    "prefs_avgjg",
    "prefs_avgjg_Rnonrel",
    "prefs_simp_ret",
    "prefs_pair_ret",
    "prefs_avgjg_ret",
    "prefs_avgjg_Rnonrel_ret",
    "prefs_simp_imp",
    "prefs_pair_imp",
    "prefs_avgjg_imp",
)
"""The measures, in the order of trec_eval."""

_KINDS = ("", "_ret", "_imp")  # the pairs that count: all, those with both documents retrieved, or with at least one


class _Group(NamedTuple):
    """The preferences of a group between documents that are numbered by rank, the retrieved ones first."""

    prefers: np.ndarray  # (n, n) bool: whether it prefers the document of the row to that of the column
    levels: np.ndarray  # (n,) float64, NaN for a document without a level
    ordered: bool  # whether it has one subgroup, and so an order of all its documents

    def pairs(self, counted: np.ndarray) -> tuple[int, int]:
        """The number of counted preferences that are fulfilled, and of all counted ones."""
        preferred = self.prefers & counted
        return int(np.triu(preferred).sum()), int(preferred.sum())


def preference_values(
    ranking: Sequence[str], groups: Mapping[str, Mapping[str, Mapping[str, float]]]
) -> dict[str, float]:
    """The preference measures of one ranking.

    Parameters
    ----------
    ranking : sequence of str
        The doc_ids, best first, each once.
    groups : mapping
        Group → subgroup → doc_id → level, as `read_judgment_groups` reads them.

    Returns
    -------
    dict of str to float
        By the names of `PREFERENCE_MEASURES`. A preference is fulfilled if the document that is preferred was
        retrieved, and the other one further down or not at all. ``simp`` is the share of the preferences that are
        fulfilled, ``pair`` the mean of this share over the pairs of documents, ``avgjg`` its mean over the groups.
        These count all preferences; names with ``_imp`` leave out pairs with no document retrieved, and names with
        ``_ret`` pairs with one not retrieved. ``Rnonrel`` takes as many documents of level 0 in each group as there
        are above it: the first ones, or, if there are too few, additional ones below all others.

    Raises
    ------
    DataError
        If the preferences of a group contradict each other.

    Notes
    -----
    Two details of ``Rnonrel`` are as in trec_eval. In a group with one subgroup that has too many documents of
    level 0, each of them counts as preferred to each of those kept, which is fulfilled if it comes first. In
    a group with several subgroups, ``_ret`` keeps as many as are relevant, retrieved or not.

    Examples
    --------
    Ada prefers a to b and c, Ben prefers b to a; c was not retrieved.

    >>> groups = {"ada": {"0": {"a": 1, "b": 0, "c": 0}}, "ben": {"0": {"b": 2, "a": 1}}}
    >>> found = preference_values(["a", "x", "b"], groups)
    >>> found["prefs_num_prefs_poss"], found["prefs_num_prefs_ful"], found["prefs_simp"]
    (3.0, 2.0, 0.6666666666666666)
    >>> found["prefs_pair"], found["prefs_avgjg"], found["prefs_simp_ret"]
    (0.75, 0.5, 0.5)
    """
    doc_ids = {doc_id for subgroups in groups.values() for levels in subgroups.values() for doc_id in levels}
    preferred = [doc_id for doc_id in ranking if doc_id in doc_ids]
    places = {doc_id: place for place, doc_id in enumerate([*preferred, *sorted(doc_ids.difference(preferred))])}
    counts = [_group(name, groups[name], places) for name in sorted(groups)]
    retrieved = np.arange(len(places)) < len(preferred)
    either = retrieved[:, np.newaxis] | retrieved
    counted = {"": np.ones_like(either), "_ret": retrieved[:, np.newaxis] & retrieved, "_imp": either}
    values = {}
    for kind in _KINDS:
        # A preference between two documents that were not retrieved is never fulfilled.
        pairs = [(group.pairs(counted[kind] & either)[0], group.pairs(counted[kind])[1]) for group in counts]
        fulfilled, possible = (sum(column) for column in zip(*pairs, strict=True))
        values[f"prefs_simp{kind}"] = fulfilled / possible if possible else 0.0
        values[f"prefs_avgjg{kind}"] = sum(one / of for one, of in pairs if of) / len(counts)
        forward = np.sum([group.prefers for group in counts], axis=0, dtype=np.int64) * counted[kind]
        together = np.triu(forward + forward.T, 1)
        n_pairs = np.count_nonzero(together)
        shares = np.divide(forward, together, out=np.zeros(forward.shape), where=(together > 0) & either)
        by_pair = float(shares.sum() / n_pairs) if n_pairs else 0.0
        values[f"prefs_pair{kind}"] = by_pair
        if kind != "_imp":
            # Each group with as many documents of level 0 as relevant ones.
            balanced = [_balanced(group, retrieved, kind == "_ret") for group in counts]
            mean = sum(one / of for one, of in balanced) / len(balanced) if all(of for _, of in balanced) else 0.0
            values[f"prefs_avgjg_Rnonrel{kind}"] = mean
        if kind == "":
            values |= {"prefs_num_prefs_poss": float(possible), "prefs_num_prefs_ful": float(fulfilled)}
        elif kind == "_ret":
            values["prefs_num_prefs_ful_ret"] = float(fulfilled)
    return {name: values[name] for name in PREFERENCE_MEASURES}


def _group(name: str, subgroups: Mapping[str, Mapping[str, float]], places: Mapping[str, int]) -> _Group:
    """The preferences of a group, extended by transitivity."""
    prefers = np.zeros((len(places), len(places)), dtype=bool)
    levels = np.full(len(places), np.nan)
    for subgroup in sorted(subgroups):
        its_own = np.full(len(places), np.nan)
        for doc_id, level in subgroups[subgroup].items():
            its_own[places[doc_id]] = level
        prefers |= its_own[:, np.newaxis] > its_own
        levels = np.where(np.isnan(its_own), levels, its_own)
    if len(subgroups) > 1:
        for between in np.flatnonzero(prefers.any(axis=0) & prefers.any(axis=1)):
            prefers |= prefers[:, between, np.newaxis] & prefers[between]
    np.fill_diagonal(prefers, False)
    if (prefers & prefers.T).any():
        first, second = (list(places)[place] for place in np.argwhere(prefers & prefers.T)[0])
        raise DataError(
            f"group '{name}' prefers '{first}' to '{second}' and '{second}' to '{first}'; keep one of the two"
        )
    return _Group(prefers, levels, len(subgroups) == 1)


def _balanced(group: _Group, retrieved: np.ndarray, both: bool) -> tuple[int, int]:
    relevant, rest = group.levels > 0, group.levels <= 0 if group.ordered else group.levels == 0
    counting = retrieved if both else np.ones_like(retrieved)
    counted = counting[:, np.newaxis] & counting
    n_relevant, n_rest = int((relevant & counting).sum()), int((rest & counting).sum())
    either = retrieved[:, np.newaxis] | retrieved
    if n_relevant >= n_rest:
        more = n_relevant - n_rest
        fulfilled, possible = group.pairs(counted & either)[0], group.pairs(counted)[1]
        return fulfilled + int((relevant & retrieved).sum()) * more, possible + int(relevant.sum()) * more
    if not group.ordered:
        lowest = ~(rest & (rest.cumsum() > relevant.sum()))
        counted &= lowest[:, np.newaxis] & lowest
        return group.pairs(counted & either)[0], group.pairs(counted)[1]
    last = group.levels == np.nanmin(group.levels)
    lowest = last & (last.cumsum() <= n_relevant)
    prefers = group.prefers & (~last | lowest) & counted
    prefers |= last[:, np.newaxis] & lowest & counted  # as in trec_eval: even within the last level
    return int((np.triu(prefers, 1) & either).sum()), int(prefers.sum())
