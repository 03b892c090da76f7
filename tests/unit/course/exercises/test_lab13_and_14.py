"""Click models, team draft, preferences, agreement and calibration of labs 13 and 14, compared with the library."""

import math
from random import Random

import pytest
from scipy import stats

from toysearch import kappa
from toysearch.course.exercise import exercise
from toysearch.evaluation.interleaving import interleave
from toysearch.formats.click_log import ShownDocument, ShownList
from toysearch.laboratory.experiments.click_models import click_model
from toysearch.laboratory.experiments.click_preference import preference
from toysearch.laboratory.experiments.second_judge import rejudge

each_student = pytest.mark.parametrize("student", ["anyone", "ada", "student 3"])


def given_and_answer(number, student):
    given = exercise(number).case(student).given
    return given, exercise(number).expected(given)


@each_student
def test_a_cascade_is_that_of_the_library(student):
    case = exercise("13.3").case(student)
    for (lists,) in case.inputs:
        log = [ShownList(str(n), "q", tuple(ShownDocument(*one) for one in shown)) for n, shown in enumerate(lists)]
        made = exercise("13.3").expected(case.given)(lists)
        assert made == pytest.approx(click_model(log, "cascade").relevance["q"])
        assert any(sum(clicked for _, clicked in shown) > 1 for shown in lists)


@each_student
def test_propensities_undo_the_examination_of_clicks_as_expected(student):
    """Each document has the attraction that its clicks were drawn from, up to the rounding of their number."""
    given, made = given_and_answer("13.2", student)
    naive = {
        name: sum(row["clicks"] for row in ranks.values()) / sum(row["shown"] for row in ranks.values())
        for name, ranks in given.seen.items()
    }
    assert sorted(made, key=made.get) != sorted(naive, key=naive.get) or max(made.values()) > 1.8 * max(naive.values())
    for name, ranks in given.seen.items():
        of_ranks = [row["clicks"] / row["shown"] / given.examination[rank] for rank, row in ranks.items()]
        assert min(of_ranks) <= made[name] <= max(of_ranks)


@pytest.mark.parametrize("seed", range(20))
def test_a_draft_is_that_of_the_library_if_the_coins_are_its_coins(seed):
    draw = Random(seed)
    first, second = (draw.sample("abcdefgh", 8) for _ in range(2))
    mixed = interleave({"first": first, "second": second}, "q", k=8, seed=seed)
    coins = list(mixed.teams[::2])
    given = exercise("13.5").case("ada").given
    vars(given).update(first=[*first, *"xyz"], second=[*second, *"uvw"], coins=coins, k=8)
    assert exercise("13.5").expected(given) == list(zip(mixed.doc_ids, mixed.teams, strict=True))


@each_student
def test_a_preference_has_the_counts_of_the_library_and_nearly_its_interval(student):
    given, made = given_and_answer("13.6", student)
    log = []
    for session, clicks in enumerate(given.sessions):
        of = zip("ab", clicks, strict=True)
        shown = (ShownDocument(f"{system}{place}", place < n, system) for system, n in of for place in range(4))
        log.append(ShownList(str(session), str(session), tuple(shown)))
    [count, _] = preference(log).counts
    assert (count.wins, count.ties, count.losses) == (made["first wins"], made["ties"], made["second wins"])
    exact = stats.binomtest(count.wins, count.wins + count.losses).proportion_ci()
    assert made["share"] == count.wins / (count.wins + count.losses)
    assert (made["low"], made["high"]) == pytest.approx((exact.low, exact.high), abs=0.08)


@each_student
def test_so_many_sessions_find_the_difference_in_four_of_five_tests(student):
    given, needed = given_and_answer("13.7", student)
    leads = [1] * given.wins + [0] * given.ties + [-1] * given.losses
    effect = abs(sum(leads) / len(leads)) / stats.tstd(leads)
    power = stats.norm.sf(1.96 - effect * math.sqrt(needed))
    assert power == pytest.approx(0.8, abs=0.002)


def _judged(counts):
    pairs = [(i, j) for i, row in enumerate(counts) for j, number in enumerate(row) for _ in range(number)]
    return ({"q": {str(place): pair[judge] for place, pair in enumerate(pairs)}} for judge in (0, 1))


@each_student
def test_agreement_is_that_of_the_library(student):
    given, made = given_and_answer("14.2", student)
    assert made == kappa(*_judged(given.counts)).quadratic


@each_student
def test_over_rating_and_calibration_are_those_of_the_library(student):
    given, made = given_and_answer("14.3", student)
    person, model = _judged(given.counts)
    runs = {name: {"q": order} for name, order in (("a", ["0", "1"]), ("b", ["1", "0"]))}
    for judge in (person, model):  # a test of systems needs two queries
        judge["r"] = {"0": 0}
    for run in runs.values():
        run["r"] = ["0"]
    found = rejudge(runs, person, "P@2", by=model, threshold=1, test="sign")
    zero = sum(row[0] for row in given.counts)  # the extra pair is one more that both grade 0
    worth = {f"{row.grade:g}": row.mean for row in found.calibration}
    worth["0"] *= (zero + 1) / zero
    assert {grade: made[grade] for grade in worth} == pytest.approx(worth)
    assert made["error"] * (found.both.n - 1) == pytest.approx(found.calibration_error * found.both.n)
    over, shares = given_and_answer("14.1", student)
    for grade, share in shares.items():
        rows = [m > p for p, m in zip(over.person, over.model, strict=True) if p == int(grade)]
        assert share == sum(rows) / len(rows)


@each_student
def test_favours_add_up_to_0_and_verdicts_have_every_kind(student):
    _, made = given_and_answer("14.4", student)
    assert sum(made.values()) == pytest.approx(0)
    given, verdicts = given_and_answer("14.5", student)
    assert set(verdicts) == {"same", "inconclusive", "lost", "new", "reversed"}
    assert all(not 0.03 < pair[judge]["p"] < 0.08 for pair in given.pairs for judge in ("person", "model"))


@each_student
def test_a_filled_hole_never_lowers_the_value(student):
    given, made = given_and_answer("14.7", student)
    assert made["without"] <= made["filled"] <= made["without"] + 0.6
    assert sum(name not in given.person for name in given.ranking[:5]) == 3
