"""Lab 14, judging by a model: over-rating, agreement, calibration, favoured systems, conclusions, holes of a pool."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from statistics import fmean, median

import numpy as np

from toysearch import kappa, load, read_qrels, read_run
from toysearch.base import Qrels, Run, without_notes
from toysearch.classroom.answers import choice, number, ordered, table
from toysearch.classroom.exercise import Draw, Drawn, Exercise, Given, Numbers, swapped
from toysearch.workbench.judging.second_judge import Rejudged, rejudge

# 14.1: over-rating


def _two_judges(draw: Draw) -> Drawn:
    """Draw the grades of a person, and of a model that rates low grades too high, and seldom too low."""
    person = draw.shuffled([0] * 9 + [1] * 6 + [2] * 5 + [3] * 5)
    luck = [(draw.whole(1, 10), grade) for grade in person]
    model = [grade + (number <= 5 - grade) * (grade < 3) - (number == 10) * (grade > 0) for number, grade in luck]
    return {"person": person, "model": model}


def _shares(
    given: Given, counts: Callable[[int, int], bool] = lambda person, model: model > person, by_model: bool = False
) -> Numbers:
    """Return, for each grade of a judge, the share of its pairs that count."""
    rows = list(zip(given.person, given.model, strict=True))
    return {
        str(grade): fmean([counts(*row) for row in rows if row[by_model] == grade] or [0]) for grade in (0, 1, 2, 3)
    }


OVERRATED = Exercise(
    title="Over-rating by grade",
    why="Most documents have grade 0, so a small share of them that is rated too high makes many false answers.",
    given=_two_judges,
    answer=table(number(3), "grades"),
    expected=_shares,
    mistakes={
        "you grouped by the grade of the model; group by that of the person.": {"by_model": True},
        "these are shares of all pairs; divide by the pairs of the grade.": lambda g: {
            grade: share * g.person.count(int(grade)) / len(g.person) for grade, share in _shares(g).items()
        },
        "these are rated lower by the model; count those rated higher.": {
            "counts": lambda person, model: model < person
        },
        "equal grades are not rated too high; count only those above.": {
            "counts": lambda person, model: model >= person
        },
        "these are rated differently; count only those rated higher.": {
            "counts": lambda person, model: model != person
        },
    },
    hints=(
        "Take the places where the person gave 0. In how many of them did the model give more?",
        "Divide by the number of these places; do the same for 1, 2 and 3. Nothing is above 3, so its share is 0.",
    ),
)


# 14.2 and 14.3: agreement and calibration


def _counts(draw: Draw) -> Drawn:
    """Draw a table of grades of a person (rows) and a model (columns), which is the kinder judge."""
    same = ((40, 70), (12, 25), (10, 20), (15, 30))

    def spans(row: int) -> list[tuple[int, int]]:
        return [{row: same[row], row + 1: (5, 12)}.get(column, (1, 4)) for column in range(4)]

    return {"counts": [[draw.whole(*span) for span in spans(row)] for row in range(4)]}


def _weighted_kappa(
    given: Given, weights: Callable[[np.ndarray], np.ndarray] = np.square, chance: bool = True
) -> float:
    """Compute 1 − Σ w·o / Σ w·e, with weights of the distance of two grades."""
    observed = np.array(given.counts, float) / np.sum(given.counts)
    w = weights(np.subtract.outer(np.arange(4), np.arange(4)))
    expected = np.outer(observed.sum(1), observed.sum(0)) if chance else np.full((4, 4), 9 / w.sum())
    return float(1 - (w * observed).sum() / (w * expected).sum())


def _quadratic(given: Given) -> float:
    rows = [(i, j) for i in range(4) for j in range(4) for _ in range(given.counts[i][j])]
    one, other = ({"": {str(place): row[judge] for place, row in enumerate(rows)}} for judge in (0, 1))
    return kappa(one, other).quadratic


AGREEMENT = Exercise(
    title="κ with quadratic weights",
    why="A judge that is off by one grade disagrees less than one that is off by three; plain κ does not know that.",
    given=_counts,
    answer=number(3),
    expected=_quadratic,
    mistakes={
        "this is κ without weights: it counts a distance of 3 like one of 1.": lambda g: _weighted_kappa(
            g, lambda apart: (apart != 0) * 1.0
        ),
        "this is the share of equal grades; κ compares it with chance, and weighs the distance.": lambda g: float(
            np.trace(g.counts) / np.sum(g.counts)
        ),
        "this is 1 − κ: the disagreement divided by that of chance.": lambda g: 1 - _quadratic(g),
        "these weights are linear; square the distance.": lambda g: _weighted_kappa(g, np.abs),
        "you divided by the largest weight; divide by what is expected by chance.": lambda g: _weighted_kappa(
            g, chance=False
        ),
    },
    hints=(
        "w = (i − j)². Add up w · count over the table, and w · row sum · column sum / n over the table.",
        "κ = 1 − the first sum, divided by the second.",
    ),
    points=2,
)


def _calibrated(
    given: Given, error: Callable[[np.ndarray, np.ndarray], float] | None = None, by_person: bool = False
) -> Numbers:
    """Return the mean grade of the one judge for each grade of the other, and the calibration error."""
    columns = np.array(given.counts) if by_person else np.array(given.counts).T
    sizes = columns.sum(1)
    means = (columns @ np.arange(4) / sizes).tolist()
    apart = np.arange(4) - means
    value = error(apart, sizes) if error else float(np.average(np.abs(apart), weights=sizes))
    return {str(grade): mean for grade, mean in enumerate(means)} | {"error": value}


CALIBRATION = Exercise(
    title="What a grade of the model is worth",
    why="A grade of a calibrated model means what it says; one that is not can be read through this table.",
    given=_counts,
    answer=table(number(3), "values"),
    expected=_calibrated,
    mistakes={
        "this is the mean grade of the model for each grade of the person; it is asked the other way round.": {
            "by_person": True
        },
        "the error is a mean over pairs, so a grade with many pairs counts more.": {
            "error": lambda apart, sizes: float(np.abs(apart).mean())
        },
        "errors of different signs must not cancel; take absolute values.": {
            "error": lambda apart, sizes: float(np.average(apart, weights=sizes))
        },
        "you squared the distances; take absolute values.": {
            "error": lambda apart, sizes: float(np.average(np.square(apart), weights=sizes))
        },
    },
    hints=(
        "A column of the table holds the pairs to which the model gave one grade. What is their mean for the person?",
        "error = Σ |grade − mean of the grade| · pairs of the grade / all pairs.",
    ),
    points=2,
)


# 14.4: favoured systems


def _means(draw: Draw) -> Drawn:
    names = draw.some(("bm25", "lsa", "rm3", "dirichlet", "jaccard", "reranker", "sdm"), 5)
    means = {}
    for name in names:
        person = draw.number(0.2, 0.5, 3)
        means[name] = {"person": person, "model": round(person + draw.number(0.02, 0.16, 3), 3)}
    return {"means": means}


def _rises(given: Given) -> Numbers:
    return {name: row["model"] - row["person"] for name, row in given.means.items()}


def _ratios(given: Given) -> Numbers:
    return {name: row["model"] / row["person"] for name, row in given.means.items()}


def _favours(given: Given, centre: Callable[[Sequence[float]], float] = fmean, sign: int = 1) -> Numbers:
    rises = _rises(given)
    return {name: sign * (rise - centre([*rises.values()])) for name, rise in rises.items()}


FAVOURED = Exercise(
    title="The systems that a model favours",
    why="A model that is kind to all changes no conclusion; one that is kinder to some does.",
    given=_means,
    answer=table(number(4), "systems"),
    expected=_favours,
    mistakes={
        "these are ratios; take differences, and subtract their mean.": _ratios,
        "you compared ratios; compare differences.": lambda g: {
            name: ratio - fmean(_ratios(g).values()) for name, ratio in _ratios(g).items()
        },
        "this is the rise; subtract the mean rise of all systems.": _rises,
        "a system that gains more than the others is favoured: plus.": {"sign": -1},
        "you subtracted the median; subtract the mean.": {"centre": median},
        "you compared with the mean of the others; compare with the mean of all.": lambda g: {
            name: value * 5 / 4 for name, value in _favours(g).items()
        },
    },
    hints=(
        "How much higher is each system under the model than under the person?",
        "Its bias is this rise minus the mean of the five rises; the five add up to 0.",
    ),
)


# 14.5 and 14.6: conclusions

_VERDICTS = ("same", "inconclusive", "lost", "new", "reversed")
_SIGNIFICANT = {"same": (1, 1), "reversed": (1, 1), "lost": (1, 0), "new": (0, 1), "inconclusive": (0, 0)}


def _pairs(draw: Draw) -> Drawn:
    """Draw each verdict at least once, an inconclusive one with both signs, and no p near 0.05."""
    pairs = []
    for verdict in draw.shuffled([*_VERDICTS, "inconclusive", "lost", draw.one(_VERDICTS)]):
        signs = draw.one((1, -1)), 0
        changes = verdict == "reversed" or (verdict in ("inconclusive", "lost") and draw.whole(0, 1))
        signs = signs[0], -signs[0] if changes else signs[0]
        pairs.append(
            {
                judge: {
                    "difference": sign * draw.number(0.03, 0.12, 3),
                    "p": draw.number(0.001, 0.03, 3) if significant else draw.number(0.08, 0.9, 3),
                }
                for judge, sign, significant in zip(("person", "model"), signs, _SIGNIFICANT[verdict], strict=True)
            }
        )
    return {"pairs": pairs}


def _read(given: Given, alpha: float = 0.05, signs: bool = True) -> list[str]:
    """Read the verdict on each pair; without signs, two significant differences are the same."""
    verdicts = []
    for pair in given.pairs:
        person, model = (pair[judge]["p"] < alpha for judge in ("person", "model"))
        turned = signs and pair["person"]["difference"] * pair["model"]["difference"] < 0
        both = ("reversed" if turned else "same") if person else "inconclusive"
        verdicts.append(both if person == model else "lost" if person else "new")
    return verdicts


CONCLUSIONS = Exercise(
    title="Which conclusions change",
    why="The conclusion is what you publish; a new one that is wrong costs more than one that is lost.",
    given=_pairs,
    answer=ordered(choice(*_VERDICTS), "verdicts"),
    expected=_read,
    mistakes={
        "both may be significant and still say opposite things; look at the signs.": {"signs": False},
        "lost means that only the person shows the difference, new that only the model does.": lambda g: [
            {"lost": "new", "new": "lost"}.get(verdict, verdict) for verdict in _read(g)
        ],
        "signs alone are not conclusions; where p is above 0.05, a judge shows no difference.": {"alpha": 1.0},
    },
    hints=(
        "Look at the two p first. Which of them are below 0.05?",
        "Both: same or reversed, by the signs. One: lost or new. None: inconclusive.",
    ),
)


_RUNS = (
    *("bm25-description", "bm25-keywords", "bm25-title", "cosine-plain", "dirichlet-title", "dph-narrative"),
    *("jaccard-title", "jelinek-mercer-description", "lsa", "pieces-title"),
)


@functools.cache
def _both_judges() -> tuple[Qrels, Qrels, dict[str, Run]]:
    companions = load("companions")
    assert companions.folder is not None  # a collection included in toysearch
    runs = {name: read_run(companions.folder / "pools" / f"{name}.run") for name in _RUNS}
    return companions.qrels, read_qrels(companions.folder / "made-up" / "grades.jsonl"), runs


@functools.lru_cache(maxsize=256)
def _rejudged(names: tuple[str, ...], measure: str) -> Rejudged:
    person, model, runs = _both_judges()
    with without_notes():  # one query has no known word
        return rejudge({name: runs[name] for name in names}, person, measure, by=model, threshold=1, test="t")


def _changed(given: Given) -> Numbers:
    """Return Kendall's τ, and how many conclusions are lost and new."""
    result = _rejudged(tuple(given.systems), given.measure)
    return {"τ": result.tau, "lost": result.changes["lost"], "new": result.changes["new"]}


SYSTEMS = Exercise(
    title="Conclusions of a whole experiment",
    why="τ and κ describe the judge; the count of lost and new conclusions describes your experiment.",
    given=lambda draw: {"systems": sorted(draw.some(_RUNS, 4)), "measure": draw.one(("P@5", "nDCG@5", "AP@5"))},
    answer=table(number(3), "values"),
    expected=_changed,
    mistakes={
        "you took the model as the first judge; what it alone shows is new.": swapped(_changed, "lost", "new"),
        "this is κ of the grades; τ compares the two orders of the systems.": lambda g: (
            _changed(g) | {"τ": _rejudged(tuple(g.systems), g.measure).both.kappa}
        ),
    },
    hints=(
        "rejudge(systems, collection.qrels, measure, by=grades, …) with a dict of your four runs.",
        'The result has `tau`, and `changes`, a dict with "lost" and "new". Use test="t" and threshold=1.',
    ),
    points=2,
)


# 14.7: holes of a pool


def _holes(draw: Draw) -> Drawn:
    """Draw a ranking of a newcomer: three of its first five have not been judged by a person."""
    names = [f"p{place:03}" for place in draw.some(range(1, 400), 8)]
    unjudged = {*draw.some(names[:5], 3), *draw.some(names[5:], 1)}
    person = {name: draw.one((0, 1, 2, 3)) for name in names if name not in unjudged}
    model = {name: min(3, person.get(name, draw.one((0, 1, 2))) + draw.whole(0, 1)) for name in names}
    return {"ranking": names, "person": person, "model": model}


def _filled(given: Given, least: int = 2) -> Numbers:
    """Return P@5 with holes as not relevant, with the grades of the model in them, and by the model alone."""
    of_person = given.person
    grades = {"without": of_person, "filled": given.model | of_person, "model alone": given.model}
    return {
        name: sum(values.get(doc_id, 0) >= least for doc_id in given.ranking[:5]) / 5 for name, values in grades.items()
    }


def _condensed(given: Given) -> Numbers:
    judged = [given.person[name] for name in given.ranking if name in given.person]
    return _filled(given) | {"without": sum(grade >= 2 for grade in judged[:5]) / 5}


HOLES = Exercise(
    title="Holes of a pool, filled",
    why="A person judges most, a model the rest: the value keeps the judge that you trust where there is one.",
    given=_holes,
    answer=table(number(3), "values"),
    expected=_filled,
    mistakes={
        "you left the holes out; without a model they count as not relevant at their ranks.": _condensed,
        "the model fills holes only; where the person has judged, the grade of the person counts.": lambda g: (
            _filled(g) | {"filled": _filled(g)["model alone"]}
        ),
        "relevant begins at grade 2 here.": {"least": 1},
        "you swapped the values without and with the grades of the model.": swapped(_filled, "without", "filled"),
    },
    hints=(
        "Write the grade of the person below each of the first five documents, or a blank where there is none.",
        "without: a blank counts 0. filled: a blank gets the grade of the model. model alone: all grades are its own.",
    ),
)

EXERCISES = (OVERRATED, AGREEMENT, CALIBRATION, FAVOURED, CONCLUSIONS, SYSTEMS, HOLES)
