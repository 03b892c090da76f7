"""The preferences between documents that a ranking fulfils: the measures prefs_… of trec_eval.

A preference for a over b asks for a to be ranked first. A group (a person with one information need) gives levels to
documents and prefers higher levels. If its subgroups compare only some of the documents, its preferences are extended
by transitivity: from a over b and b over c follows a over c. The groups need not agree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from toysearch.base import DataError

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
        forward = np.sum([group.prefers for group in counts], axis=0) * counted[kind]
        together = np.triu(forward + forward.T, 1)
        n_pairs = np.count_nonzero(together)
        shares = np.divide(forward, together, out=np.zeros(forward.shape), where=(together > 0) & either)
        by_pair = float(shares.sum() / n_pairs) if n_pairs else 0.0
        values[f"prefs_pair{kind}"] = by_pair
        if kind != "_imp":
            values[f"prefs_avgjg_Rnonrel{kind}"] = _as_many_nonrelevant(counts, retrieved, kind == "_ret")
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


def _as_many_nonrelevant(groups: Sequence[_Group], retrieved: np.ndarray, both: bool) -> float:
    """The mean over groups, each with as many documents of level 0 as relevant ones; 0 if one has no preference."""
    shares = []
    for group in groups:
        fulfilled, possible = _balanced(group, retrieved, both)
        if not possible:
            return 0.0
        shares.append(fulfilled / possible)
    return sum(shares) / len(shares)


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
