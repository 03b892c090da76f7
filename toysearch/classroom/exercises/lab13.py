"""Lab 13, users as judges: click rates, propensities, click models, team draft, a preference, sessions needed."""

from __future__ import annotations

import functools
import math
import statistics
from collections.abc import Callable, Sequence
from statistics import fmean

from toysearch import Run, Searcher
from toysearch.base import without_notes
from toysearch.classroom.answers import function, number, ordered, table, text, whole
from toysearch.classroom.exercise import (
    Draw,
    Drawn,
    Exercise,
    Given,
    Numbers,
    lost_items,
    off_by_one,
    swapped,
    wrong_functions,
)
from toysearch.classroom.lab_collection import collection, index
from toysearch.workbench.clicks.click_log import ShownDocument, ShownList
from toysearch.workbench.clicks.click_model import ClickModel, click_model
from toysearch.workbench.clicks.interleaving import interleave_runs

Shown = list[tuple[str, bool]]

# 13.1: click rates


def _lists_of_clicks(draw: Draw) -> Drawn:
    """Draw lists of different lengths, with more clicks at the top; some without a click."""
    chances = (0.7, 0.5, 0.35, 0.3, 0.25)
    lengths = draw.shuffled([5, 5, 5, 5, 4, 4, 3, 3, 2])
    lists = [[int(draw.number(0, 1, 3) < chance) for chance in chances[:length]] for length in lengths]
    return {"lists": [*lists, [1, 0, 0, 0, 1], [0] * 4, [0] * 5]}


def _shown(lists: Sequence[list[int]], rank: int) -> int:
    return sum(len(clicked) > rank for clicked in lists)


def _rates(given: Given, lists: Callable[[Sequence[list[int]], int], int] = _shown) -> list[float]:
    clicks = [sum(clicked[rank] for clicked in given.lists if len(clicked) > rank) for rank in range(5)]
    return [count / max(lists(given.lists, rank), 1) for rank, count in enumerate(clicks)]


RATES = Exercise(
    title="Click rates by rank",
    why="The rate falls from rank to rank even if the documents do not: users see the top first.",
    given=_lists_of_clicks,
    answer=ordered(number(3), "rates"),
    expected=_rates,
    mistakes={
        "these are numbers of clicks; divide each by the lists that show the rank.": {"lists": lambda lists, rank: 1},
        "a list that ends above a rank shows nothing there; divide by the lists that reach it.": {
            "lists": lambda lists, rank: len(lists)
        },
        "these are shares of all clicks; divide by the lists that show the rank.": {
            "lists": lambda lists, rank: sum(map(sum, lists))
        },
        "a list without any click was shown too; count it.": {
            "lists": lambda lists, rank: sum(len(clicked) > rank and any(clicked) for clicked in lists)
        },
    },
    hints=(
        "How many of your lists have a document at rank 5?",
        "For each rank: the clicks there, divided by the number of lists that are at least so long.",
    ),
)


# 13.2: clicks weighted by propensities


def _places_of_documents(draw: Draw) -> Drawn:
    """Draw a document that was nearly always on top, one far down that is better, and one between."""
    examination = {1: 1.0, 2: draw.number(0.6, 0.8, 2), 3: draw.number(0.4, 0.55, 2), 4: draw.number(0.2, 0.35, 2)}
    names = [f"p{place:03}" for place in draw.some(range(1, 400), 3)]
    parts = ((1, 2, 0.35), (2, 3, 0.5), (3, 4, 0.8))
    rows = {
        name: {
            rank: {"shown": (times := draw.whole(40, 90)), "clicks": round(times * examination[rank] * relevance)}
            for rank, relevance in ((high, level), (low, level + draw.number(0.02, 0.1, 2)))
        }
        for name, (high, low, level) in zip(names, parts, strict=True)
    }
    return {"examination": examination, "seen": {name: rows[name] for name in draw.shuffled(names)}}


def _weighted(given: Given, weight: Callable[[float], float] = lambda look: 1 / look) -> Numbers:
    """Divide the clicks, each weighted by the examination of its rank, by the times shown."""
    return {
        name: sum(row["clicks"] * weight(given.examination[rank]) for rank, row in ranks.items())
        / sum(row["shown"] for row in ranks.values())
        for name, ranks in given.seen.items()
    }


WEIGHTED = Exercise(
    title="Clicks weighted by propensity",
    why="A click at a place where one user in four looks stands for four users.",
    given=_places_of_documents,
    answer=table(number(3), "documents"),
    expected=_weighted,
    mistakes={
        "this is the plain click rate; weight each click by 1 over the examination of its rank.": {
            "weight": lambda look: 1.0
        },
        "divide by the examination; you multiplied by it.": {"weight": lambda look: look},
        "you took the mean over the ranks; add up the weighted clicks, and divide by all the times shown.": lambda g: {
            name: fmean(row["clicks"] / row["shown"] / g.examination[rank] for rank, row in ranks.items())
            for name, ranks in g.seen.items()
        },
        "you divided all clicks by all expected looks; here every click has a weight of its own.": lambda g: {
            name: sum(row["clicks"] for row in ranks.values())
            / sum(row["shown"] * g.examination[rank] for rank, row in ranks.items())
            for name, ranks in g.seen.items()
        },
    },
    hints=(
        "One document at a time. What is a click at its lower rank worth?",
        "Σ clicks / examination, over its ranks, divided by the number of times that it was shown.",
    ),
)


# 13.3: the cascade model


def _clicked(lists: str) -> list[Shown]:
    """Return the lists in a text, between commas; a star marks a click."""
    return [[(word.rstrip("*"), word.endswith("*")) for word in shown.split()] for shown in lists.split(",")]


def _logs(draw: Draw, given: Given) -> list[tuple[list[Shown]]]:
    """Draw logs with lists of several clicks, and with lists of none."""
    logs = []
    for n_lists in (3, 5, 8, 12):
        lists = [[(doc_id, draw.whole(1, 10) <= 4) for doc_id in draw.some("abcdef", 4)] for _ in range(n_lists)]
        logs.append([*lists, *_clicked("a b* c* d, b a")])
    a, b, c, d, e = draw.some("ghijkl", 5)
    made = (
        f"{a} {b}* {c}, {c} {d}* {e}*, {a}*",
        f"{a}* {b} {c}*, {a}* {b}*, {a} {d}",
        f"{a} {b}, {b} {a} {c}, , {a} {b}*",
        f"{a} {b} {c}*, {b} {c} {a}*, {c}* {a}* {b}*",
    )
    long = [[(f"p{rank:03}", rank == 14) for rank in range(16)], [(f"p{rank:03}", rank > 11) for rank in range(16)]]
    same = _clicked(f"{a}* {b}, {a}* {b}, {a}* {b}, {b}*, {b} {a}")
    many = [[(a, number % 3 == 0), (b, number > 5), (c, True)] for number in range(115)]
    return [(lists,) for lists in (*logs, *map(_clicked, made), long, same, many, _clicked(f"{a}*"), [])]


def _attraction(lists: Sequence[Shown], last: str = "first", silent: bool = True) -> Numbers:
    """Divide clicks by looks: down to the first click of each list, to its last one, or to the end."""
    clicks: dict[str, int] = {}
    looks: dict[str, int] = {}
    for ranking in lists:
        places = [place for place, (_, clicked) in enumerate(ranking) if clicked]
        if not places and not silent:
            continue
        end = {"first": min, "last": max}[last](places) if places and last != "all" else len(ranking)
        for doc_id, clicked in ranking[: end + 1]:
            looks[doc_id] = looks.get(doc_id, 0) + 1
            clicks[doc_id] = clicks.get(doc_id, 0) + clicked
    return {doc_id: clicks[doc_id] / looks[doc_id] for doc_id in looks}


def _with_unseen(lists: Sequence[Shown]) -> Numbers:
    return {doc_id: 0.0 for ranking in lists for doc_id, _ in ranking} | _attraction(lists)


CASCADE = Exercise(
    title="A cascade model from scratch",
    why="What stands below the click was perhaps never seen; it must not count as refused.",
    inputs=_logs,
    answer=function(table(number(3), "documents"), "attraction(lists)"),
    expected=lambda g: _attraction,
    mistakes={
        **wrong_functions(
            {
                "documents below the first click count as not looked at in this model.": {"last": "all"},
                "you went down to the last click; the user of this model stops at the first one.": {"last": "last"},
                "in a list without a click, the user looked at every document.": {"silent": False},
                "leave out documents that nobody looked at.": _with_unseen,
            },
            _attraction,
        ),
        **lost_items(_attraction),
    },
    hints=(
        "Walk down each list: count a look at each document, and stop after the first click.",
        "The attraction of a document is its clicks over its looks. Leave out what was never looked at.",
    ),
    points=2,
)


# 13.4: a position-based model


@functools.cache
def _runs() -> tuple[Run, Run]:
    """Return the two runs that the log mixes."""
    with without_notes():  # one query has no known word
        one, other = (Searcher(index(), model).run(collection().judged_queries) for model in ("bm25", "jaccard"))
    return one, other


@functools.lru_cache(maxsize=64)
def _log(seed: int) -> tuple[ShownList, ...]:
    """Simulate ten sessions per need, in lists of five by team draft."""
    mixed = interleave_runs(*_runs(), qrels=collection().qrels, k=5, sessions=10, seed=seed)
    return tuple(
        ShownList(session, ranking.query_id, tuple(map(ShownDocument, ranking.doc_ids, clicks, ranking.teams)))
        for (session, ranking), clicks in zip(mixed.lists, mixed.clicks, strict=True)
    )


@functools.lru_cache(maxsize=128)
def _fitted(seed: int) -> ClickModel:
    return click_model(_log(seed))


def _examination(given: Given) -> float:
    return float(_fitted(given.seed).examination[given.rank - 1])


FITTED = Exercise(
    title="A click model fitted to a log",
    why="The model sees one document at several ranks; that alone separates the place from the document.",
    given=lambda draw: {"seed": draw.whole(1, 40), "rank": draw.whole(2, 4)},
    answer=number(3),
    expected=_examination,
    mistakes={
        "this is the click rate; the examination is the chance that users look at the rank.": lambda g: _fitted(
            g.seed
        ).click_rates[g.rank - 1],
        "this ratio of click rates supposes that all ranks have equally good documents; fit the model.": lambda g: (
            _fitted(g.seed).click_rates[g.rank - 1] / _fitted(g.seed).click_rates[0]
        ),
        "ranks count from 1, and a list of Python from 0.": off_by_one(_examination, "rank"),
    },
    hints=(
        'log = simulated("bm25", "jaccard", seed=…) makes your log, toysearch.click_model(log) fits it.',
        "The fitted model has a list `examination`; its first number is that of rank 1.",
    ),
    points=2,
)


# 13.5: team draft


def _two_rankings(draw: Draw) -> Drawn:
    """Draw two rankings that share most documents, and a coin for each round that is not always the same."""
    shared = draw.some("abcdefgh", 6)
    first, second = ([*draw.shuffled(shared), *rest] for rest in ("xyz", "uvw"))
    coins = draw.shuffled(["first", "first", "second", "second"])
    return {"first": first, "second": second, "coins": coins, "k": draw.whole(6, 7)}


def _drafted(given: Given, coins: Sequence[str] | None = None, passes: bool = True) -> list[tuple[str, str]]:
    """Return the list by team draft: in each round both teams pick, the one on the coin first."""
    other = {"first": "second", "second": "first"}
    turns = [team for coin in coins or given.coins for team in (coin, other[coin])]
    return _picked(given, turns, passes)


def _picked(given: Given, turns: Sequence[str], passes: bool = True) -> list[tuple[str, str]]:
    """Let teams pick in turns; without passing over, a team whose next document is in the list loses its turn."""
    places, teams = {"first": 0, "second": 0}, dict[str, str]()
    for team in turns:
        ranking = getattr(given, team)
        while passes and ranking[places[team]] in teams:
            places[team] += 1
        teams.setdefault(ranking[places[team]], team)
        places[team] += 1
    return list(teams.items())[: given.k]


DRAFT = Exercise(
    title="Team draft by hand",
    why="Both teams have an equal chance at every place, so a click is a vote for the team and not for the place.",
    given=_two_rankings,
    answer=ordered(ordered(text(), "names"), "picks"),
    expected=_drafted,
    mistakes={
        "you tossed one coin for the whole list; each round has its own.": lambda g: _drafted(g, g.coins[:1] * 4),
        "the team on the coin picks first in its round.": lambda g: _drafted(
            g, ["second" if coin == "first" else "first" for coin in g.coins]
        ),
        "a coin is for a round, in which both teams pick once.": lambda g: _picked(g, [*g.coins, *g.coins]),
        "a team whose best document is in the list already picks its next one; it does not lose its turn.": {
            "passes": False
        },
        "the list ends after k documents, even in the middle of a round.": off_by_one(_drafted, "k"),
    },
    hints=(
        "Write both rankings side by side. In round 1 the team on the first coin takes its best document; then the "
        "other takes its best one that is not in the list.",
        'Return pairs such as [("a", "first"), ("c", "second")], best first, k of them.',
    ),
    points=2,
)


# 13.6: a preference


def _sessions(draw: Draw) -> Drawn:
    """Draw clicks per session for both; the first wins more sessions, with fewer clicks in each."""
    wins, losses, ties = draw.whole(14, 18), draw.whole(6, 9), draw.whole(6, 11)
    rows = [(draw.whole(1, 2), 0) for _ in range(wins)] + [(0, draw.whole(2, 4)) for _ in range(losses)]
    rows += [(clicks, clicks) for clicks in (draw.one((0, 0, 1)) for _ in range(ties))]
    return {"sessions": draw.shuffled(rows)}


def _of_all(wins: float, ties: float, losses: float) -> float:
    return wins / (wins + ties + losses)


def _with_half_ties(wins: float, ties: float, losses: float) -> float:
    return (wins + ties / 2) / (wins + ties + losses)


def _all_sessions(decided: int, ties: int) -> int:
    return decided + ties


def _preferred(
    given: Given,
    share: Callable[[float, float, float], float] | None = None,
    errors: float = 1.96,
    sessions: Callable[[int, int], int] = lambda decided, ties: decided,
) -> Numbers:
    wins, losses = (sum(sign * (one - other) > 0 for one, other in given.sessions) for sign in (1, -1))
    ties, decided = len(given.sessions) - wins - losses, wins + losses
    part = share(wins, ties, losses) if share else wins / decided
    half = errors * math.sqrt(part * (1 - part) / sessions(decided, ties))
    return {
        "first wins": wins,
        "ties": ties,
        "second wins": losses,
        "share": part,
        "low": part - half,
        "high": part + half,
    }


PREFERENCE = Exercise(
    title="A preference with its interval",
    why="An interval that contains one half says that these sessions cannot decide.",
    given=_sessions,
    answer=table(number(3), "values"),
    expected=_preferred,
    mistakes={
        "each session has one vote, however often its user clicks.": lambda g: _preferred(
            g, lambda *_: sum(one for one, _ in g.sessions) / sum(map(sum, g.sessions))
        ),
        "the share is that of the decided sessions; leave out the ties.": {"share": _of_all},
        "a tie is not half a win here; leave out the ties.": {"share": _with_half_ties},
        "you swapped the wins of the two.": swapped(_preferred, "first wins", "second wins"),
        "this is the deviation of one session; divide by the number of decided ones below the root.": {
            "sessions": lambda decided, ties: 1
        },
        "below the root, too, count only the decided sessions.": {"sessions": _all_sessions},
        "leave out the ties, in the share and below the root.": [
            {"share": _of_all, "sessions": _all_sessions},
            {"share": _with_half_ties, "sessions": _all_sessions},
        ],
        "this is one standard error to each side; an interval of 95% has 1.96 of them.": {"errors": 1},
    },
    hints=(
        "Which system has more clicks in the first session? Count sessions, not clicks.",
        "share = wins / decided, and the interval is share ± 1.96 · √(share · (1 − share) / decided).",
    ),
    points=2,
)


# 13.7: sessions needed


def _too_few(draw: Draw) -> Drawn:
    losses = draw.whole(40, 60)
    return {"wins": losses + draw.whole(8, 14), "ties": draw.whole(40, 80), "losses": losses}


def _needed(
    given: Given,
    ties: bool = True,
    factor: float = 2.8,
    square: int = 2,
    deviation: Callable[[Sequence[float]], float] = statistics.stdev,
) -> int:
    """Count the sessions by which a mean lead differs from 0, if the deviation of the leads is as it seems."""
    leads = [1] * given.wins + [-1] * given.losses + [0] * (given.ties * ties)
    return math.ceil(math.pow(factor * deviation(leads) / fmean(leads), square))


NEEDED = Exercise(
    title="How many sessions are needed",
    why="Know the number before the test starts: stopping at the first small p finds differences that do not exist.",
    given=_too_few,
    answer=whole(),
    expected=_needed,
    mistakes={
        "a tie is a session too: its lead is 0, and both the mean and the deviation count it.": {"ties": False},
        "with 1.96 the difference is found half of the time; 2.8 finds it in 80 of 100 tests.": {"factor": 1.96},
        "this is the deviation of these sessions; that of all future ones is estimated with n - 1.": {
            "deviation": statistics.pstdev
        },
        "the ratio has to be squared.": {"square": 1},
        "this is how many more you need; give all of them.": lambda g: _needed(g) - g.wins - g.ties - g.losses,
    },
    hints=(
        "Make a list of leads: 1 for each win, 0 for each tie, −1 for each loss. What are its mean and its deviation?",
        "n = (2.8 · deviation / mean)², rounded up; statistics.stdev and statistics.mean compute both.",
    ),
    points=2,
)

EXERCISES = (RATES, WEIGHTED, CASCADE, FITTED, DRAFT, PREFERENCE, NEEDED)
