"""Measures of users who read down the ranking and stop, in the frame C/W/L of Moffat, Thomas and Scholer.

A user is one function C: the chance of going on after rank i (`READING_ON`). All else follows from it. The rank is
reached with chance V(i) = C(1) · … · C(i − 1); W(i) = V(i) / Σ V is the share of the reading that falls on it, and
L(i) = V(i) · (1 − C(i)) the chance that it is the last. The expected gain of a document that is read is Σ W(i) gain(i),
the expected gain of the search Σ V(i) gain(i), and the expected number of documents Σ V(i), which is the cost where
each document costs 1. A user stops at the latest after `depth` documents.

The gain of a document is its grade over the top of the scale, or with `rel` 1 for that grade or above, else 0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from toysearch.evaluation import Cutoff, Grade, JoinedRun, Parameter, Piece, Sum, Terms
from toysearch.evaluation.measures.declaration import user_measure
from toysearch.evaluation.measures.graded import GAINING, PERSISTENCE, reading_chance, top_of_scale, unsatisfied


class User(NamedTuple):
    """User, by the name of a function of `READING_ON`, with its parameters."""

    name: str
    p: float = 0.8  # persistence
    T: float = 1.0  # the gain that is wanted
    k: float = 10.0  # the number of documents after which the user gives up
    depth: float = 1000.0

    def reaching(self, gains: np.ndarray) -> np.ndarray:
        """V: the chance that each rank is reached, given the gains at the ranks; both (n_queries, depth) float64."""
        ranks = np.arange(1.0, gains.shape[1] + 1)
        on = READING_ON[self.name](ranks, gains.cumsum(axis=1), self)
        on = np.broadcast_to(np.asarray(on, np.float64), gains.shape)
        return np.pad(np.cumprod(on[:, :-1], axis=1), ((0, 0), (1, 0)), constant_values=1.0)

    def last(self, gains: np.ndarray) -> np.ndarray:
        """L: the chance that each rank is the last that is read, like `reaching`."""
        return -np.diff(self.reaching(gains), axis=1, append=0.0)


READING_ON: Mapping[str, Callable[[np.ndarray, np.ndarray, User], np.ndarray | float]] = {
    "RBP": lambda i, so_far, user: user.p,
    "INSQ": lambda i, so_far, user: ((i + 2 * user.T - 1) / (i + 2 * user.T)) ** 2,
    "INST": lambda i, so_far, user: ((i + 2 * user.T - so_far - 1) / (i + 2 * user.T - so_far)) ** 2,
    "BPM": lambda i, so_far, user: (so_far < user.T) & (i < user.k),
}
"""Chance of going on after rank i with the gain so far: (depth,) and (n_queries, depth) float64."""

_QUERIES = 1000  # as many at once as keep the matrices small

_DEPTH = Parameter("the rank after which nobody reads on", low=1.0, high=100_000.0, whole=True)
_WANTED = "the gain that is wanted: how many documents at the top of the scale"
_USERS: Mapping[str, Parameter] = {
    "user": Parameter("who reads: the user of RBP, INSQ, INST or BPM", choices=tuple(READING_ON)),
    "p": Parameter("persistence of the user of RBP: the probability of reading on", high=1.0),
    "T": Parameter(f"{_WANTED}, by the user of INSQ, INST or BPM", low=0.5),
    "k": Parameter("the number of documents after which the user of BPM gives up", low=1.0, whole=True),
    "depth": _DEPTH,
    "rel": GAINING,
}
_CWL = "Moffat, Thomas & Scholer 2013, CIKM; Azzopardi, Thomas & Moffat 2019, SIGIR (cwl_eval)"


class _Read(NamedTuple):
    gain: Piece  # of each document at `JoinedRun.ranks`
    reached: np.ndarray  # (n_queries, width) float64; the chance that its rank is reached
    documents: np.ndarray  # (n_queries,) float64; the number of documents read
    best: np.ndarray  # (n_queries,) float64; the expected gain of a document if the unjudged ones gain 1
    defined: np.ndarray
    also: tuple[Piece, ...]

    @property
    def utility(self) -> Sum:
        weight = self.reached / self.documents[:, np.newaxis]
        return Sum(self.gain, Piece("weight", weight))


_OfReading: TypeAlias = Callable[[_Read], Terms]


def _read(joined: JoinedRun, user: User, rel: Grade, max_rel: Grade) -> _Read:
    depth, n_queries = int(user.depth), len(joined.ranks)
    also: tuple[Piece, ...] = ()
    if rel is None:
        top = top_of_scale(joined, max_rel, user.name)
        gain = Piece("gain", np.fmax(joined.grades, 0) / top)
        defined, also = np.any(joined.ideal > 0, axis=1), (Piece("top", top),)
    else:
        gain, defined = Piece("hits", joined.hits(rel)), joined.n_relevant(rel) > 0
    reached, documents, best = np.zeros(joined.ranks.shape), np.ones(n_queries), np.zeros(n_queries)
    for start in range(0, n_queries, _QUERIES):
        rows = slice(start, start + _QUERIES)
        row, column = np.nonzero(joined.ranks[rows] <= depth)
        at = row, joined.ranks[rows][row, column].astype(np.int64) - 1
        is_known = ~np.isnan(joined.grades[rows][row, column])
        for unjudged in (0.0, 1.0):
            gains = np.full((len(joined.ranks[rows]), depth), unjudged)
            gains[at] = np.where(is_known, np.asarray(gain.values)[rows][row, column], unjudged)
            chance = user.reaching(gains)
            if unjudged:
                best[rows] = (chance * gains).sum(axis=1) / chance.sum(axis=1)
            else:
                reached[rows][row, column], documents[rows] = chance[at], chance.sum(axis=1)
    return _Read(gain, reached, documents, best, defined, (Piece("documents_read", documents), *also))


def _utility(joined: JoinedRun, user: User, rel: Grade, max_rel: Grade) -> Terms:
    read = _read(joined, user, rel, max_rel)
    return Terms(read.utility, defined=read.defined, also=read.also)


@user_measure(
    "INSQ",
    formula="Σ V(i) · gain(i) / Σ V(i), V(i) = Π C(j) over j < i, C(j) = ((j + 2T - 1) / (j + 2T))^2",
    source="Moffat, Scholer & Thomas 2012, ADCS; as cwl_eval",
    T=Parameter(_WANTED),
    depth=_DEPTH,
    rel=GAINING,
    over_ties="additive",
)
def insq(joined: JoinedRun, T: float = 1.0, depth: float = 1000.0, rel: Grade = None, max_rel: Grade = None) -> Terms:
    """The expected gain of a document that is read by a user who wants T relevant ones.

    The user grows more patient on the way, whatever the documents are.

    References
    ----------
    Moffat, Scholer & Thomas 2012, Models and metrics: IR evaluation as a user process, ADCS.

    Examples
    --------
    V is 1 and (2/3)² = 4/9 for two ranks: (1 · 1 + 0 · 4/9) / (1 + 4/9):

    >>> from toysearch.evaluation.typed_ranking import scored
    >>> round(scored("INSQ(depth=2)", "R I"), 8)
    0.69230769
    """
    return _utility(joined, User("INSQ", T=T, depth=depth), rel, max_rel)


@user_measure(
    "INST",
    formula="Σ V(i) · gain(i) / Σ V(i), V(i) = Π C(j) over j < i, "
    "C(j) = ((j + 2T - g(j) - 1) / (j + 2T - g(j)))^2, g(j) = gain(1) + … + gain(j)",
    source="Moffat, Bailey, Scholer & Thomas 2015, ADCS; as cwl_eval",
    T=Parameter(_WANTED, low=0.5),
    depth=_DEPTH,
    rel=GAINING,
    by_worth="never",
)
def inst(joined: JoinedRun, T: float = 1.0, depth: float = 1000.0, rel: Grade = None, max_rel: Grade = None) -> Terms:
    """INSQ for a user who stops the sooner, the less of T is still wanted.

    What is still wanted is T minus the gain g(j) of the first j documents.

    References
    ----------
    Moffat, Bailey, Scholer & Thomas 2015, INST: an adaptive metric for information retrieval evaluation, ADCS.

    Examples
    --------
    After a relevant document V is (1/2)² = 1/4: 1 / (1 + 1/4):

    >>> from toysearch.evaluation.typed_ranking import scored
    >>> scored("INST(depth=2)", "R I")
    0.8
    """
    return _utility(joined, User("INST", T=T, depth=depth), rel, max_rel)


@user_measure(
    "BPM",
    formula="Σ gain(i) / n over the first n ranks; n is the first rank where g(n) reaches T, at most k",
    source="Zhang et al. 2017, SIGIR, the static form; as cwl_eval",
    T=Parameter(_WANTED),
    rel=GAINING,
    by_worth="never",
)
def bejeweled_player(joined: JoinedRun, cutoff: int, T: float = 1.0, rel: Grade = None, max_rel: Grade = None) -> Terms:
    """The gain of each document for a user who stops with a gain of T, or after k documents.

    This is the static form of the paper: neither T nor k change on the way.

    References
    ----------
    Zhang, Liu, Li, Zhang, Xu & Ma 2017, Evaluating web search with a Bejeweled Player Model, SIGIR.

    Examples
    --------
    The second document is the last that is read:

    >>> from toysearch.evaluation.typed_ranking import scored
    >>> scored("BPM@10", "I R R"), scored("BPM(T=2)@10", "I R R")
    (0.5, 0.6666666666666666)
    """
    return _utility(joined, User("BPM", T=T, k=cutoff, depth=cutoff), rel, max_rel)


@user_measure(
    "RBU",
    formula="(1 - p) Σ p^(i - 1) · (Σ over the sub-topics, w · s(i) · Π (1 - s(j)) over j < i, - e), "
    "s = (2^grade - 1) / 2^max_rel",
    source="Amigó, Spina & Carrillo-de-Albornoz 2018, SIGIR",
    range=(-1.0, 1.0),
    p=PERSISTENCE,
    e=Parameter("the effort of reading a document", high=1.0),
    by_worth="never",
)
def rank_biased_utility(
    joined: JoinedRun, cutoff: Cutoff = None, p: float = 0.8, e: float = 0.03, max_rel: Grade = None
) -> Terms:
    """Rank-biased utility: new satisfaction of the sub-topics, minus the effort of reading.

    All documents retrieved count. As in ERR, a document of grade g satisfies with chance s = (2^g − 1) / 2^max_rel. The
    weights w of the sub-topics add up to 1; judgments without sub-topics are judgments of one.

    References
    ----------
    Amigó, Spina & Carrillo-de-Albornoz 2018, An axiomatic analysis of diversity evaluation metrics, SIGIR. The defaults
    are those of the authors' program, where max_rel is the highest grade of each sub-topic.

    Examples
    --------
    0.2 · (0.5 + 0.8 · 0.5 · 0.5), minus 0.2 · 0.03 · (1 + 0.8):

    >>> from toysearch.evaluation.typed_ranking import scored
    >>> round(scored("RBU", "R R"), 8)
    0.1292
    """
    subtopics = joined.by_subtopic
    top = top_of_scale(joined, max_rel, "RBU")
    grades = np.where(joined.within(cutoff)[..., np.newaxis], np.fmax(subtopics.grades, 0), 0)
    chance = np.exp2(grades - top) - np.exp2(-top)
    share = subtopics.weights / np.fmax(subtopics.weights.sum(axis=1, keepdims=True), np.finfo(float).tiny)
    new = (chance * unsatisfied(chance) * share[:, np.newaxis]).sum(axis=2)
    weight = reading_chance(joined, cutoff, p)
    gain = Sum(Piece("satisfaction", new), Piece("weight", weight))
    n_read = joined.depths(cutoff)
    effort = e * (1 - p**n_read) if p < 1 else np.zeros(len(n_read))
    return Terms(
        Piece("utility", gain.values - effort, "{} − {}", (gain.values, effort)),
        defined=np.any(joined.ideal > 0, axis=1),
        also=(gain.gain, Piece("weight", weight), Piece("effort", effort), Piece("top", top)),
    )


def _of_a_user(name: str, **facts: Any) -> Callable[[_OfReading], _OfReading]:
    """Declare a function of what a user reads as a measure."""

    def declare(terms: _OfReading) -> _OfReading:
        def compute(
            joined: JoinedRun,
            user: str = "INST",
            p: float = 0.8,
            T: float = 1.0,
            k: float = 10.0,
            depth: float = 1000.0,
            rel: Grade = None,
            max_rel: Grade = None,
        ) -> Terms:
            return terms(_read(joined, User(user, p, T, k, depth), rel, max_rel))

        compute.__doc__ = terms.__doc__
        user_measure(name, source=_CWL, better=None, by_worth="never", **_USERS, **facts)(compute)
        return terms

    return declare


@_of_a_user(
    "ETU",
    formula="Σ V(i) · gain(i), V(i) = Π C(j) over j < i, with the C of the user's measure",
    range=(0.0, None),
)
def expected_gain(read: _Read) -> Terms:
    """The expected gain of a whole search: of a document that is read, times their number.

    Rank i is reached with chance V(i).

    References
    ----------
    Azzopardi, Thomas & Moffat 2019, cwl_eval: an evaluation tool for information retrieval, SIGIR.

    Examples
    --------
    >>> from toysearch.evaluation.typed_ranking import scored
    >>> scored("ETU(user='RBP',p=0.5)", "R I R")        # 1 + 0.5²
    1.25
    """
    return Terms(Sum(read.gain, Piece("reached", read.reached)), defined=read.defined, also=read.also)


@_of_a_user(
    "ED",
    formula="Σ V(i), V(i) = Π C(j) over j < i, with the C of the user's measure",
    undefined="",
    range=(0.0, None),
)
def expected_depth(read: _Read) -> Terms:
    """The expected number of documents that are read: the cost of a search.

    Each document costs 1.

    References
    ----------
    As of `expected_gain`.

    Examples
    --------
    >>> from toysearch.evaluation.typed_ranking import scored
    >>> scored("ED(user='BPM',k=2)", "R I R"), scored("ED(user='BPM',k=2)", "I R R")
    (1.0, 2.0)
    """
    return Terms(Piece("documents_read", read.documents))


@_of_a_user(
    "EUres",
    formula="Σ V(i) · gain(i) / Σ V(i) where unjudged documents gain 1, minus the same where they gain 0",
    undefined="",
    range=(-1.0, 1.0),
    negative="judged",
)
def utility_residual(read: _Read) -> Terms:
    """Residual: what unjudged documents could add to INSQ, INST, BPM or RBP.

    Down to `depth`, also below the end of the ranking. With ``user='RBP'`` it is RBPres. A document of a negative grade
    is judged, and gains nothing.

    References
    ----------
    As of `expected_gain`.

    Examples
    --------
    Both documents at most: (1 + 4/9) / (1 + 4/9), and 1 / (1 + 4/9) as it stands:

    >>> from toysearch.evaluation.typed_ranking import scored
    >>> round(scored("EUres(user='INSQ',depth=2)", "R U"), 8)
    0.30769231
    """
    worst = read.utility.values
    return Terms(Piece("residual", read.best - worst, "{} − {}", (read.best, worst)))
