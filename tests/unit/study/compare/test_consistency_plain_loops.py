"""Numbers over needs whose texts differ, each beside a plain loop over the values of single texts."""

import math
import statistics

import numpy as np
import pytest
from small_collections import TREES as DOCUMENTS

import toysearch
from toysearch import compare, diff, evaluate
from toysearch.evaluation import parse_measures
from toysearch.study import agreement, hardest, poorest, scores
from toysearch.study.compare.correlation import kendall_tau
from toysearch.workbench.effects import study_variation
from toysearch.workbench.learning.ranker_training import learn
from toysearch.workbench.report.documents_by_rank import by_rank
from toysearch.workbench.report.measure_curve import curve
from toysearch.workbench.robustness.scorecard import effects

NEEDS = {
    "1": {"w1": "hard wood", "w2": "oak and axe", "w3": "snow"},
    "2": {"h1": "warms the room", "h2": "stove"},
    "3": {"c1": "cuts a tree saw"},
    "4": {"s1": "winter needles", "s2": "snow", "s3": "pine", "s4": "slow tree"},
}
JUDGED = {
    "1": {"oak": 2, "axe": 1, "pine": 0},
    "2": {"fire": 2, "axe": 1, "snow": 0},
    "3": {"saw": 1, "axe": 1},
    "4": {"snow": 1, "pine": 1, "oak": 0},
}
TEXTS = {text: words for texts in NEEDS.values() for text, words in texts.items()}
QUERIES = [
    {"query_id": text, "text": words, "need": need} for need, texts in NEEDS.items() for text, words in texts.items()
]
MODELS = ("bm25", "overlap")


@pytest.fixture(scope="module")
def trees():
    return toysearch.Collection("trees", DOCUMENTS, QUERIES, JUDGED)


def run_of(model):
    return toysearch.Searcher(toysearch.Index.build(DOCUMENTS), model).run(TEXTS)


def alone(model, measure="AP"):
    """The value of each text, judged by itself: no need is known."""
    judged = {text: JUDGED[need] for need, texts in NEEDS.items() for text in texts}
    return {text: row[measure] for text, row in evaluate(run_of(model), judged, measure).per_query.items()}


def over_needs(of_text):
    """The mean over the texts of each need, of those that have a value."""
    means = {}
    for need, texts in NEEDS.items():
        known = [of_text[text] for text in texts if text in of_text and not math.isnan(of_text[text])]
        if known:
            means[need] = sum(known) / len(known)
    return means


def mean(of_text):
    return statistics.fmean(over_needs(of_text).values())


def gains():
    first, second = map(alone, MODELS)
    return {text: second[text] - first[text] for text in TEXTS}


def relevant_at(ranks=3):
    counts = [0.0] * ranks
    for need, texts in NEEDS.items():
        for text in texts:
            for place, hit in enumerate(run_of("bm25").ranking(text)[:ranks]):
                counts[place] += (JUDGED[need].get(hit.doc_id, 0) >= 1) / len(texts)
    return counts


def taus():
    return mean({text: kendall_tau(*([h.doc_id for h in run_of(m).ranking(text)] for m in MODELS)) for text in TEXTS})


def worst_once(of_text):
    need_of = {text: need for need, texts in NEEDS.items() for text in texts}
    listed, seen = [], set()
    for text in sorted(of_text, key=of_text.__getitem__):
        if need_of[text] not in seen:
            seen.add(need_of[text])
            listed.append(of_text[text])
    return listed


def best_of_both():
    first, second = map(alone, MODELS)
    return {text: max(first[text], second[text]) for text in TEXTS}


def learned(trees):
    found = learn(toysearch.features(trees, ["bm25", "overlap"]), "logistic", folds=2)
    judged = {text: JUDGED[need] for need, texts in NEEDS.items() for text in texts}
    of_text = {text: row["AP"] for text, row in evaluate(found.run, judged, "AP").per_query.items()}
    each = [found.held_out.value, found.baseline.value, found.gain.n, found.gain.mean, *found.held_out.per_query]
    difference = {text: of_text[text] - alone("bm25")[text] for text in TEXTS}
    return each, [mean(of_text), mean(alone("bm25")), 4, mean(difference), *over_needs(of_text).values()]


def altered(trees):
    """A variation that changes two texts of the first need and one of the fourth: only these are compared."""
    study, model = toysearch.study.study.Study.of(trees), toysearch.model("bm25")
    texts = {"w1": "saw", "w3": "hard", "s2": "oak"}
    queries = [toysearch.Query(*pair) for pair in texts.items()]
    variation = study_variation("v", "", lambda study: study.with_texts(queries))
    [found] = effects("bm25", model, study, variation, parse_measures("AP"))
    judged = {text: JUDGED["1" if text in ("w1", "w3") else "4"] for text in texts}
    run = toysearch.Searcher(toysearch.Index.build(DOCUMENTS), "bm25").run(texts)
    before, after = alone("bm25"), {text: row["AP"] for text, row in evaluate(run, judged, "AP").per_query.items()}
    changes = [(after["w1"] - before["w1"] + after["w3"] - before["w3"]) / 2, after["s2"] - before["s2"]]
    return [found.queries, found.before, found.test.mean], [
        2,
        statistics.fmean([(before["w1"] + before["w3"]) / 2, before["s2"]]),
        statistics.fmean(changes),
    ]


CELLS = {
    "agreement": lambda trees: (
        [agreement(*map(run_of, MODELS), [*TEXTS], ties="rank", needs=trees.qrels.needs).tau],
        [taus()],
    ),
    "by rank": lambda trees: (by_rank(run_of("bm25"), trees.qrels, depth=3).relevant, relevant_at()),
    "compare": lambda trees: (
        [compare(MODELS, trees, "AP").pairs[0].result.n, compare(MODELS, trees, "AP").pairs[0].result.mean],
        [4, mean(gains())],
    ),
    "curve": lambda trees: (
        curve(run_of("bm25"), trees.qrels, "P", depth=2).mean,
        [mean(alone("bm25", "P@1")), mean(alone("bm25", "P@2"))],
    ),
    "diff": lambda trees: ([*diff(*MODELS, trees).gains.values()], [*over_needs(gains()).values()]),
    "effect": altered,
    "hardest": lambda trees: (
        [query.value for query in hardest(scores(MODELS, trees, "AP").evaluations)],
        worst_once(best_of_both()),
    ),
    "learn": learned,
    "worst": lambda trees: (
        [query.value for query in poorest(run_of("bm25"), trees.qrels, evaluate(run_of("bm25"), trees, "AP"))],
        worst_once(alone("bm25")),
    ),
}


@pytest.mark.parametrize("cell", CELLS)
def test_a_number_over_needs_is_that_of_a_plain_loop(cell, trees):
    found, expected = CELLS[cell](trees)
    np.testing.assert_allclose(np.asarray(found, float), np.asarray(expected, float), atol=1e-9)


def test_all_cells_are_there():
    assert len(CELLS) == 9
