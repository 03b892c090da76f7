"""Labs 11 to 14 by other ways: expansion, learning to rank, clicks, and judges that are models."""

import math
from collections import Counter
from random import Random
from statistics import fmean

import numpy as np
import pytest
from scipy import stats
from tiers import exhaustive, thinned

import toysearch
from toysearch import kappa
from toysearch.analysis.analyzer import Analyzer
from toysearch.base.errors import without_notes
from toysearch.classroom.answers import judge, observe
from toysearch.classroom.exercise import Given, exercise
from toysearch.classroom.exercises import lab11
from toysearch.classroom.lab_collection import collection, index
from toysearch.models.normalisations import min_max
from toysearch.models.rankers import Ranker
from toysearch.retrieval.expanded_queries import expanded_by
from toysearch.retrieval.relevance_feedback import search_again
from toysearch.workbench.clicks.interleaving import interleave
from toysearch.workbench.learning.learned_ranker import COUNTED, Linear, QueryCounts
from toysearch.workbench.learning.ranker_training import query_groups

STUDENTS = ["anyone", "ada", "student 3"]
each_student = pytest.mark.parametrize("student", STUDENTS)


def average_precision(ranking, relevant):
    found = [rank for rank, doc_id in enumerate(ranking, 1) if doc_id in relevant]
    return sum(hits / rank for hits, rank in enumerate(found, 1)) / len(relevant)


@each_student
def test_the_residual_value_is_that_of_what_nobody_has_seen(student):
    given = exercise("11.4").case(student).given
    new = [doc_id for doc_id in given.after if doc_id in given.before[given.seen :]]
    relevant = set(given.relevant) - set(given.before[: given.seen])
    assert len(relevant) == 3
    assert exercise("11.4").expected(given) == pytest.approx(average_precision(new, relevant))


@pytest.mark.system
@pytest.mark.parametrize("student", thinned(STUDENTS[:2], 2))
def test_the_gain_of_a_user_who_marks_is_the_same_one_query_at_a_time(student):
    given = exercise("11.5").case(student).given
    searcher, of = toysearch.Searcher(index(), "bm25"), collection()
    differences = []
    for query_id in given.queries:
        text, grades = of.query(query_id).text, of.qrels[query_id]
        with without_notes():
            before = [hit.doc_id for hit in searcher.search(text, k=None)]
        seen = set(before[: given.docs])
        relevant = {doc_id for doc_id, grade in grades.items() if grade >= of.threshold}
        if not relevant - seen:
            continue
        with without_notes():
            after = search_again(searcher, text, seen & relevant, seen - relevant, k=None)
        rankings = [before, [hit.doc_id for hit in after]]
        old, new = ([doc_id for doc_id in ranking if doc_id not in seen] for ranking in rankings)
        differences.append(average_precision(new, relevant - seen) - average_precision(old, relevant - seen))
    assert len(differences) < len(given.queries)
    assert exercise("11.5").expected(given) == pytest.approx(fmean(differences))


@exhaustive
def test_strangers_share_no_term_and_nothing_nearer_does_not():
    held = {doc.doc_id: set(lab11._index().analyzer(doc.text)) for doc in collection().documents}
    assert "anim" not in set().union(*held.values())
    for document in lab11._lonely()[::20]:
        rank, stranger, _ = lab11._strangers(document)[0]
        assert not held[document] & held[stranger]
        with without_notes():
            nearer = toysearch.similar(lab11._searcher(20), document, k=rank).doc_ids[:-1]
        assert all(held[document] & held[each] for each in nearer)


@each_student
def test_the_sums_of_two_rankings_are_those_of_the_library(student):
    given = exercise("11.9").case(student).given
    rankings = (toysearch.Ranking("1", ids, [*range(len(ids), 0, -1)]) for ids in (given.by_words, given.by_vectors))
    runs = [toysearch.Run.from_rankings([ranking]) for ranking in rankings]
    fused = toysearch.fuse(runs, rrf_k=given.k)
    assert {hit.doc_id: hit.score for hit in fused} == pytest.approx(exercise("11.9").expected(given))
    assert len(given.by_words) == len(given.by_vectors) == 5


def test_rocchio_moves_the_query_of_a_textbook():
    """Manning, Raghavan & Schütze 2008, chapter 9, with beta 0.75 and gamma 0.25."""
    given = Given(
        query={"cheap": 3, "CDs": 2, "DVDs": 1, "extremely": 1},
        relevant=[{"CDs": 2, "cheap": 2, "software": 1}],
        not_relevant=[{"cheap": 1, "thrills": 1, "DVDs": 1}],
        beta=0.75,
        gamma=0.25,
    )
    moved = {"cheap": 4.25, "CDs": 3.5, "DVDs": 0.75, "extremely": 1, "software": 0.75}
    assert exercise("11.1").expected(given) == moved


@each_student
@pytest.mark.parametrize("lambda_", [0.0, 0.3, 0.8, 1.0])
def test_the_relevance_model_and_its_mixture_are_those_of_the_library(student, lambda_):
    given = exercise("11.2").case(student).given
    index = toysearch.Index.build(given.documents, toysearch.Analyzer.for_language("none"))
    query = list(given.documents["d1"].split()[:1] * 2) + given.documents["d2"].split()[:1]
    searcher = toysearch.Searcher(index, "bm25")
    wrapper = Ranker("rm3", (toysearch.model("bm25"),), (3, given.terms, lambda_, 1.0))
    scores = np.array([*given.scores.values()])
    found = expanded_by(searcher.scorer, searcher.terms(" ".join(query)), wrapper, np.arange(3), scores).query
    weights = {
        index.terms[term]: weight for term, weight in zip(found.numbers.tolist(), found.qtf.tolist(), strict=True)
    }
    shares = exercise("11.2").expected(given)
    counts = {word: query.count(word) for word in query}
    mixed = exercise("11.3").expected(given)(counts, shares, lambda_)
    assert {word: weight * len(query) for word, weight in mixed.items()} == pytest.approx(weights)
    assert sum(shares.values()) == pytest.approx(1)


@each_student
def test_a_function_is_asked_for_a_plain_query_and_for_an_expansion_alone(student):
    case = exercise("11.3").case(student, "a grader's")
    mixed = exercise("11.3").expected(case.given)
    (plain,) = [mixed(*each) for each in case.inputs if each[2] == 1]
    assert len(plain) == 2
    (alone,) = [mixed(*each) for each in case.inputs if each[2] == 0]
    assert len(alone) == 4


@each_student
def test_rocchio_adds_means_and_not_sums(student):
    given = exercise("11.1").case(student).given
    words = sorted(
        {word for part in ([given.query], given.relevant, given.not_relevant) for each in part for word in each}
    )
    query, good, bad = (
        np.array([[each.get(word, 0) for word in words] for each in part]).mean(axis=0)
        for part in ([given.query], given.relevant, given.not_relevant)
    )
    moved = dict(zip(words, query + given.beta * good - given.gamma * bad, strict=True))
    assert exercise("11.1").expected(given) == pytest.approx({word: by for word, by in moved.items() if by > 0})
    assert min(moved.values()) < 0


@pytest.mark.system
@pytest.mark.parametrize("student", thinned(STUDENTS, 3))
def test_a_query_is_worth_its_ap_and_nothing_that_is_written_of_the_need_reaches_the_bar(student):
    asked = exercise("11.10")
    given = asked.case(student).given
    languages = toysearch.load("languages")
    searcher = toysearch.Searcher(toysearch.Index.build(languages), "bm25")
    relevant = {doc_id for doc_id, grade in languages.qrels[given.query_id].items() if grade >= 1}
    written = dict(zip(languages.queries.query_ids, languages.queries.fields, strict=True))[given.query_id]
    with without_notes():
        values = {
            name: average_precision(searcher.search(text, k=None).doc_ids, relevant)
            for name, text in written.items()
            if name in ("text", "wording_2", "wording_3", "description", "narrative", "synonyms")
        }
    assert asked.expected(given) == written["synonyms"]
    assert values.pop("synonyms") > given.bar > max(values.values())
    assert lab11._said(given.text, given) == pytest.approx(values["text"])


@pytest.mark.parametrize(
    ("answer", "found"), [(["lazy"], "an object of type list"), ("lazy " * 26, "26 words, more than 25")]
)
def test_a_query_is_a_text_of_few_words(answer, found):
    case = exercise("11.10").case("anyone")
    assert observe(exercise("11.10"), answer, case) == {"state": "refused", "found": found}


# The bar of lab 12: new evidence reaches it, and counts of words do not.


RANKER = exercise("12.8")


@pytest.fixture(scope="module")
def case():
    return RANKER.case("ada")


def verdict(answer, case):
    return judge(RANKER, observe(RANKER, answer, case), case)


@pytest.mark.system
def test_counts_of_words_do_not_reach_the_bar_and_feedback_does(case):
    found = verdict(["bm25", "coverage", "length"], case)
    assert found.state == "wrong"
    assert f"{case.given.bar:.4f} is the bar" in found.sentences[0]
    assert verdict(("min-max(bm25)", "min-max(rm3(bm25))", "min-max(lsa:100)"), case).passed


@pytest.mark.system
@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (["bm52"], "did you mean 'bm25'"),
        ("bm25", "an object of type str"),
        ([], "at least one feature"),
        (["bm25", "bm25"], "each named once"),
    ],
)
def test_what_is_not_a_list_of_features_is_told(answer, told, case):
    found = verdict(answer, case)
    assert found.state == "refused"
    assert told in found.sentences[0]


# Features, steps, shares, groups, folds and controls, compared with the library.


@each_student
def test_features_are_those_of_the_library(student):
    given = exercise("12.1").case(student).given
    words, asked = given.document.split(), sorted(set(given.query))
    df = np.array([given.df[word] for word in asked], float)
    counts = QueryCounts(
        np.log(1 + (given.N - df + 0.5) / (df + 0.5)),
        np.array([[word in words for word in asked]]),
        np.array([sum(map(words.count, asked))]),
        np.array([len(words)]),
    )
    made = exercise("12.1").expected(given)
    assert made == pytest.approx({name: COUNTED[name](counts)[0] for name in made})
    assert len(made) == 5


@each_student
def test_scores_are_normalised_as_by_the_library(student):
    given = exercise("12.2").case(student).given
    for query, scores in exercise("12.2").expected(given).items():
        right = min_max(np.array([*given.scores[query].values()]))
        assert [*scores.values()] == pytest.approx(right.tolist())


@each_student
def test_a_step_goes_down_the_gradient_of_the_pairwise_loss(student):
    given = exercise("12.3").case(student).given
    names = list(given.weights)

    def loss(weights):
        return math.log1p(
            math.exp(-sum(w * (given.relevant[n] - given.other[n]) for n, w in zip(names, weights, strict=True)))
        )

    start, stepped = np.array([*given.weights.values()]), exercise("12.3").expected(given)
    for place, name in enumerate(names):
        nudge = np.eye(len(names))[place] * 1e-6
        slope = (loss(start + nudge) - loss(start - nudge)) / 2e-6
        assert stepped[name] == pytest.approx(start[place] - given.rate * slope, abs=1e-7)
    assert loss([*stepped.values()]) < loss(start)


@each_student
def test_shares_add_up_as_those_of_a_learned_sum(student):
    given = exercise("12.4").case(student).given
    weights, means, scales, values = (
        np.array([part[name] for name in given.weights])
        for part in (given.weights, given.means, given.deviations, given.document)
    )
    learned = Linear(given.intercept, weights, means, scales)
    made = exercise("12.4").expected(given)
    assert made["score"] == pytest.approx(learned.scores(values[None])[0])
    assert [made[name] for name in given.weights] == pytest.approx(learned.shares(values[None])[0].tolist())


@each_student
def test_a_held_out_value_is_that_of_the_ranker_without_the_query(student):
    given = exercise("12.5").case(student).given
    made = exercise("12.5").expected(given)
    total = sum(min(values.values()) for values in given.AP.values())  # all other rankers have seen the query
    assert made["held out"] == pytest.approx(total / 7)
    assert made["on the same queries"] > made["held out"] + 0.05


@each_student
def test_groups_are_those_of_the_library(student):
    given = exercise("12.6").case(student).given
    queries = {query_id: " ".join(words) for query_id, words in given.queries.items()}
    groups = query_groups(queries, Analyzer.for_language("none"), given.least)
    assert sorted(map(sorted, exercise("12.6").expected(given))) == sorted(map(sorted, groups))
    assert sorted(map(len, groups)) == [2, 3]


@each_student
def test_experiments_have_every_verdict_and_no_interval_that_ends_near_0(student):
    given = exercise("12.7").case(student).given
    assert set(exercise("12.7").expected(given)) == {"gain", "inconclusive", "error"}
    for each in given.experiments:
        for found in (each["held out"], each["shuffled"]):
            assert found["low"] < found["gain"] < found["high"]
        assert min(abs(each["held out"]["low"]), abs(each["shuffled"]["low"])) > 0.004


# Click models, team draft, preferences, agreement and calibration of labs 13 and 14, compared with the library.


def given_and_answer(number, student):
    given = exercise(number).case(student).given
    return given, exercise(number).expected(given)


@each_student
def test_a_cascade_counts_looks_down_to_the_first_click(student):
    case = exercise("13.3").case(student)
    for (lists,) in case.inputs:
        clicks, looks = Counter(), Counter()
        for shown in lists:
            for doc_id, clicked in shown:
                looks[doc_id] += 1
                clicks[doc_id] += clicked
                if clicked:
                    break
        made = exercise("13.3").expected(case.given)(lists)
        assert made == pytest.approx({doc_id: clicks[doc_id] / n for doc_id, n in looks.items()})
    assert any(sum(clicked for _, clicked in shown) > 1 for (lists,) in case.inputs for shown in lists)


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
def test_a_preference_has_nearly_the_exact_interval(student):
    given, made = given_and_answer("13.6", student)
    wins, losses = sum(one > other for one, other in given.sessions), sum(one < other for one, other in given.sessions)
    exact = stats.binomtest(wins, wins + losses).proportion_ci()
    assert (made["first wins"], made["second wins"], made["share"]) == (wins, losses, wins / (wins + losses))
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
    pairs = [(person["q"][doc_id], grade) for doc_id, grade in model["q"].items()]
    worth = {
        grade: fmean(first for first, second in pairs if second == grade) for grade in {second for _, second in pairs}
    }
    assert {float(grade): made[f"{grade:g}"] for grade in worth} == pytest.approx(worth)
    assert made["error"] == pytest.approx(fmean(abs(second - worth[second]) for _, second in pairs))
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
