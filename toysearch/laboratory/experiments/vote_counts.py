"""Votes counted: which of two systems is preferred, how sure that is, by votes and by queries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from toysearch.base import (
    ArgumentError,
    Column,
    DataError,
    ResultTable,
    Rows,
    checked,
    groups_of,
    number_columns,
    totals,
)
from toysearch.formats.judgment_log import Preference, VoteLog
from toysearch.laboratory.experiments.stats.significance import check_alpha

__all__ = ["VoteCount", "count_votes"]


class _VoteCount(NamedTuple):
    """The fields of `VoteCount`."""

    first: str
    second: str
    by: str
    wins: int
    ties: int
    losses: int
    share: float
    low: float
    high: float
    p: float


class VoteCount(Rows, _VoteCount):
    """The votes on two systems.

    Attributes
    ----------
    first, second : str
        The systems, in the order of their names.
    by : str
        What is counted: votes, or queries, each of which goes to the system that most of its voters prefer.
    wins, ties, losses : int
        How many prefer the first system, neither, the second.
    share : float
        wins / (wins + losses): ties say nothing about which is better. NaN if all are ties.
    low, high : float
        The interval of the share of level 1 − alpha, by Clopper & Pearson: it never covers less often.
    p : float
        The two-sided sign test: the probability of a result at least as one-sided if both were equally good.
    """


def votes_table(counts: Sequence[VoteCount]) -> ResultTable:
    """The votes on each pair of systems, by votes and by queries; an undefined share is left empty."""
    columns = [
        Column("first"),
        Column("second"),
        Column("by"),
        *number_columns(",", wins="first wins", ties="ties", losses="second wins"),
        *number_columns(".4f", "share", low="lowest", high="highest", p="p"),
    ]
    return ResultTable(columns, [[None if cell != cell else cell for cell in row] for row in counts])


@checked
def count_votes(votes: VoteLog | str | Path | Iterable[Preference], *, alpha: float = 0.05) -> list[VoteCount]:
    """The votes on each pair of systems, counted by votes and by queries, with interval and sign test.

    The votes of several people on one query are not independent of each other: with enough people, any two lists
    differ. So the row of votes tells what this audience thinks of these queries, and only the row of queries what to
    expect of other queries.

    Parameters
    ----------
    votes : VoteLog, path or iterable of Preference
        The log, its file, or the preferences themselves.
    alpha : float, default 0.05
        The intervals are of level 1 − alpha.

    Raises
    ------
    ArgumentError
        If alpha is not between 0 and 1, or something else is given as a preference.
    DataError
        If there is no vote on two systems, or the file is malformed.

    References
    ----------
    Clopper & Pearson, "The use of confidence or fiducial limits illustrated in the case of the binomial", Biometrika
    26, 1934. Radlinski, Kurup & Joachims, CIKM 2008, on the sign test of interleaved lists.

    Examples
    --------
    >>> votes = [Preference(voter, "1", "bm25", "lsa", 1) for voter in ("ada", "ben", "carla")]
    >>> by_votes, by_queries = count_votes([*votes, Preference("dana", "2", "bm25", "lsa", 0)])
    >>> by_votes.wins, by_votes.ties, by_votes.share, round(by_votes.low, 4), by_votes.p
    (3, 1, 1.0, 0.2924, 0.25)
    >>> by_queries.wins, by_queries.ties, by_queries.p
    (1, 1, 1.0)
    """
    check_alpha(alpha)
    if isinstance(votes, str | Path):
        votes = VoteLog(votes, append=False)
    preferences = votes.preferences() if isinstance(votes, VoteLog) else list(votes)
    if not preferences:
        raise DataError("there is no vote on two systems")
    odd = next((vote for vote in preferences if not isinstance(vote, Preference)), None)
    if odd is not None:
        raise ArgumentError(f"votes are a log, its file or preferences, not {odd!r:.80}")
    pairs = groups_of(((vote.first, vote.second), vote) for vote in preferences)
    counts = []
    for pair, grades in pairs.items():
        by_query = totals((vote.query_id, vote.value) for vote in grades)
        counts.append(_counted(pair, "votes", [vote.value for vote in grades], alpha))
        counts.append(_counted(pair, "queries", by_query.values(), alpha))
    return counts


def _counted(pair: tuple[str, str], by: str, values: Iterable[int], alpha: float) -> VoteCount:
    signs = [(value > 0) - (value < 0) for value in values]
    wins, losses = signs.count(1), signs.count(-1)
    decided = wins + losses
    share = wins / decided if decided else float("nan")
    low, high = share_interval(wins, decided, alpha)
    return VoteCount(*pair, by, wins, len(signs) - decided, losses, share, low, high, sign_test(wins, losses))


def share_interval(wins: int, decided: int, alpha: float) -> tuple[float, float]:
    """The interval of a share by Clopper and Pearson: quantiles of beta distributions."""
    from scipy.special import betaincinv  # not scipy.stats, which takes a second to import

    low = float(betaincinv(wins, decided - wins + 1, alpha / 2)) if wins else 0.0
    high = float(betaincinv(wins + 1, decided - wins, 1 - alpha / 2)) if wins < decided else 1.0
    return low, high


def sign_test(wins: int, losses: int) -> float:
    """The probability of so few of the rarer outcome, on both sides, with a fair coin."""
    from scipy.special import bdtr

    return min(1.0, 2 * float(bdtr(min(wins, losses), wins + losses, 0.5))) if wins + losses else 1.0
