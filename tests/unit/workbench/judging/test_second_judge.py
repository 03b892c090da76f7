"""Two judges: every number by plain loops over grades and systems, and the bundled grades against their script."""

import math
from itertools import combinations, permutations
from statistics import fmean

import pytest
from conftest import ROOT
from error_messages import raising

import toysearch
from toysearch.base.errors import ArgumentError, DataError
from toysearch.workbench.judging.second_judge import CHANGES, rejudge

FOLDER = ROOT / "corpora" / "companions"
GRADES = FOLDER / "made-up" / "grades.jsonl"
NAMES = ("bm25-title", "cosine-plain", "jaccard-title", "dph-narrative")
RUNS = {name: toysearch.read_run(FOLDER / "pools" / f"{name}.run") for name in NAMES}
PERSON = toysearch.load("companions").qrels
MODEL = toysearch.read_qrels(GRADES)


def pairs():
    """(query, document) → the grades of both."""
    return {(row.query_id, row.doc_id): (PERSON[row.query_id][row.doc_id], row.relevance) for row in MODEL}


def precision(name, grades, query_id, k=5):
    ranked = RUNS[name].doc_ids_of(query_id)[:k]
    return sum(grades.get((query_id, doc_id), 0) >= 1 for doc_id in ranked) / k


@pytest.fixture(scope="module")
def found():
    return rejudge(RUNS, "companions", "P@5", by=GRADES, test="t", depth=5)


def test_the_pairs_are_those_of_both(found):
    assert (found.both.n, found.n) == (len(pairs()), 58)


def test_counts_are_means_in_every_column(found):
    counts = {row.system: row for row in rejudge(RUNS, "companions", "TP@5", by=GRADES, test="t", depth=5).systems}
    for row in found.systems:
        means = [getattr(counts[row.system], part) for part in ("by_first", "by_second", "without", "filled")]
        assert means == pytest.approx([5 * row.by_first, 5 * row.by_second, 5 * row.without, 5 * row.filled])


def test_the_systems_by_plain_loops(found):
    both = pairs()
    sets = [{pair: grades[judge] for pair, grades in both.items()} for judge in (0, 1)]
    means = {
        name: [fmean(precision(name, grades, query) for query in MODEL.query_ids) for grades in sets] for name in NAMES
    }
    rises = {name: second - first for name, (first, second) in means.items()}
    assert [system.system for system in found.systems] == sorted(NAMES, key=lambda name: -means[name][0])
    for system in found.systems:
        mine = RUNS[system.system]
        others = [run for name, run in RUNS.items() if name != system.system]
        alone = {
            (query, doc_id)
            for query in mine.query_ids
            for doc_id in mine.doc_ids_of(query)[:5]
            if not any(doc_id in other.doc_ids_of(query)[:5] for other in others)
        } & both.keys()
        without = {pair: 0 if pair in alone else grade for pair, grade in sets[0].items()}
        filled = {pair: sets[1][pair] if pair in alone else grade for pair, grade in sets[0].items()}
        holes = [
            fmean(precision(system.system, set_, query) for query in MODEL.query_ids) for set_ in (without, filled)
        ]
        favour = rises[system.system] - fmean(rises.values())
        assert [system.by_first, system.by_second] == pytest.approx(means[system.system], abs=1e-12)
        assert [system.favour, system.without, system.filled] == pytest.approx([favour, *holes], abs=1e-12)
        assert system.alone == len(alone)
    assert found.tau == tau(means)
    assert math.fsum(system.favour for system in found.systems) == pytest.approx(0, abs=1e-12)


def tau(means):
    signs = [
        math.copysign(1, means[a][0] - means[b][0]) * math.copysign(1, means[a][1] - means[b][1])
        for a, b in combinations(NAMES, 2)
    ]
    return pytest.approx(fmean(signs))


def test_the_conclusions_are_those_of_two_comparisons(found):
    common = [{query: {} for query in MODEL.query_ids} for _ in range(2)]
    for (query, doc_id), grades in pairs().items():
        for judge in (0, 1):
            common[judge][query][doc_id] = grades[judge]
    compared = [toysearch.compare(RUNS, grades, "P@5", pairs="all", test="t", threshold=1) for grades in common]
    for mine, first, second in zip(found.pairs, *(comparison.pairs for comparison in compared), strict=True):
        shown = [int(math.copysign(1, pair.result.mean)) if pair.p <= 0.05 else 0 for pair in (first, second)]
        name = {(True, True): "same", (True, False): "lost", (False, True): "new", (False, False): "inconclusive"}
        expected = "reversed" if shown[0] * shown[1] < 0 else name[bool(shown[0]), bool(shown[1])]
        assert mine == (first.system, first.other, first.result.mean, second.result.mean, first.p, second.p, expected)
    assert sum(found.changes.values()) == 6
    assert [*found.changes] == [*CHANGES]


@pytest.mark.system
def test_a_judge_who_agrees_changes_nothing():
    same = rejudge(RUNS, PERSON, "RR", by=PERSON)
    assert (same.tau, same.both.kappa) == (1, 1)
    assert {system.favour for system in same.systems} == {0}
    assert {pair.conclusion for pair in same.pairs} <= {"same", "inconclusive"}
    assert all(system.filled == system.by_first for system in same.systems)


def test_what_is_refused():
    with raising(ArgumentError, "a second judge is compared on at least two systems, found 1"):
        rejudge({"one": RUNS[NAMES[0]]}, "companions", by=GRADES)
    with pytest.raises(DataError, match="no pair of query and document has been judged in both"):
        rejudge(RUNS, PERSON, by={"x": {"y": 1}})


@pytest.mark.parametrize("measure", ["RR", "ESL"])
def test_nothing_depends_on_the_order_in_which_systems_are_named(measure):
    """Two systems tie under each judge."""
    person = {"1": {"a": 1, "b": 0, "c": 0}, "2": {"a": 1, "b": 0, "c": 0}}
    model = {"1": {"a": 0, "b": 1, "c": 0}, "2": {"a": 1, "b": 1, "c": 0}}
    rankings = {"one": "abc", "two": "acb", "three": "bac", "four": "cba"}
    runs = {name: {query: [*ranking] for query in person} for name, ranking in rankings.items()}
    seen = set()
    for names in permutations(runs):
        found = rejudge({name: runs[name] for name in names}, person, measure, by=model, test="sign", threshold=1)
        of_systems = sorted((row.system, row.alone, round(row.favour, 12)) for row in found.systems)
        seen.add((round(found.tau, 12), *of_systems))
    assert len(seen) == 1
    assert "nan" not in "".join(found.sentences())


@pytest.mark.parametrize("measure", ["RR", "ESL"])
def test_who_is_favoured_depends_on_which_values_are_better(measure):
    """The second judge finds both documents relevant: the system that the first one ranks last gains."""
    person = {str(query): {"a": 1, "b": 0} for query in range(8)}
    model = {query: {"a": 1, "b": 1} for query in person}
    runs = {name: {query: [*docs] for query in person} for name, docs in (("old", "ba"), ("new", "ab"))}
    found = rejudge(runs, person, measure, by=model, test="sign", threshold=1)
    said = [sentence for sentence in found.sentences() if sentence.startswith("the second judge")]
    assert [sentence.split(":")[0].split()[-2:] for sentence in said] == [["disadvantages", "new"], ["favours", "old"]]


def test_a_favour_that_most_queries_contradict_is_not_shown():
    """The second judge lowers the new system a little for 18 queries, and raises it much for two."""
    person = {str(query): {"a": 1, "b": 0} for query in range(20)}
    model = {query: {"a": 0, "b": 1} for query in person}
    others = [*map(str, range(39))]
    ranked = {query: [*others[:19], "a", "b"] if int(query) < 18 else ["b", *others[:38], "a"] for query in person}
    found = rejudge({"old": dict.fromkeys(person, others), "new": ranked}, person, "RR", by=model, test="sign")
    favours = {row.system: row.favour for row in found.systems}
    assert favours["new"] > 0 > favours["old"]
    assert [row.p for row in found.systems] == [1, 1]
    assert not any(sentence.startswith("the second judge") for sentence in found.sentences())


def test_systems_that_one_judge_ties_have_no_order():
    runs = {name: {"1": [*name], "2": [*name]} for name in ("ab", "ba")}
    grades = {query: {"a": 1, "b": 1} for query in "12"}
    found = rejudge(runs, {query: {"a": 1, "b": 0} for query in "12"}, "RR", by=grades, test="sign", threshold=1)
    assert math.isnan(found.tau)
    assert "order of the systems: τ_b undefined" in found.sentences()


@pytest.mark.parametrize("named", ["1", "1a 1b"])
def test_a_need_with_two_texts_counts_once(named):
    """By the need or by its texts, whose values are 1 and 1/2 for one judge, and 1/2 and 1 for the other."""
    first, second = ({"1": grades, "2": {"a": 1}} for grades in ({"a": 1, "b": 0}, {"a": 0, "b": 1}))
    person = toysearch.Qrels(first).for_texts({"1a": "1", "1b": "1"})
    model = {query: second.get(query, second["1"]) for query in [*named.split(), "2"]}
    runs = {name: {"1a": ["a", "b"], "1b": ["b", "a"], "2": [*docs]} for name, docs in (("old", "ba"), ("new", "ab"))}
    found = rejudge(runs, person, "RR", by=model, test="sign")
    assert (found.n, found.kind, found.both.n, found.both.only_first, found.both.only_second) == (
        2,
        ("need", "needs"),
        3,
        0,
        0,
    )
    assert [(row.by_first, row.by_second) for row in found.systems] == [(0.875, 0.875), (0.625, 0.625)]
    assert found.about()[0].startswith("2 needs · 3 pairs judged by both")
    assert "kind" not in found.data()


def test_a_measure_of_subtopics_is_refused():
    person = toysearch.Qrels.from_subtopics({"1": {"a": {"x": 1}, "b": {"x": 1, "y": 1}}})
    runs = {name: {"1": [*name]} for name in ("ab", "ba")}
    assert rejudge(runs, person, "RR", by=person).tau != 0
    with pytest.raises(ArgumentError, match="StRecall@1 counts the grades of sub-topics, and judges are compared by"):
        rejudge(runs, person, "StRecall@1", by=person)


def test_queries_left_out_as_infinite_are_told():
    person = {str(n): {"a": 1, "x": 0} for n in range(6)}
    model = {n: {"a": 1, "x": int(n == "0")} for n in person}
    runs = {"all": {n: ["x", "a"] for n in person}, "some": {n: ["x"] if n < "2" else ["a"] for n in person}}
    found = rejudge(runs, person, "ESL", by=model, test="sign")
    assert found.left_out == (
        "first judge: 2 queries are left out, as infinite: 0 under all, 2 under some",
        "second judge: 1 query is left out, as infinite: 0 under all, 1 under some",
    )
    assert found.sentences()[-2:] == [*found.left_out]
    assert rejudge(runs, person, "RR", by=model, test="sign").left_out == ()
