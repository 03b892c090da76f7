"""Comparing systems: the numbers are those of evaluate and of the tests; what is refused; what conclusions hang on."""

import numpy as np
import pytest
from error_messages import raising

import toysearch
from toysearch.base import Run
from toysearch.base.errors import ArgumentError, DataError
from toysearch.base.ranking import Ranking
from toysearch.evaluation.evaluate import evaluate
from toysearch.study.compare.comparison import caveats, compare
from toysearch.study.compare.comparison_tables import correction_text
from toysearch.study.compare.significance import corrected, paired_test, randomised_tukey

DOCS = [f"d{n}" for n in range(12)]


def systems(seed: int, n: int = 30, strengths: tuple[float, ...] = (0.0, 0.5, 1.0, 2.0)):
    """Judgments of n queries, and systems that put the relevant documents the higher the stronger they are."""
    rng = np.random.default_rng(seed)
    relevant = rng.random((n, len(DOCS))) < 0.3
    relevant[:, 0] = True
    judged = {f"q{q}": {doc: int(relevant[q, d]) for d, doc in enumerate(DOCS)} for q in range(n)}
    runs = {}
    for place, strength in enumerate(strengths):
        scores = rng.normal(0, 1, relevant.shape) + strength * relevant
        runs[f"s{place}"] = {f"q{q}": [DOCS[d] for d in np.argsort(-scores[q])] for q in range(n)}
    return runs, judged


def values(run, judged, measure):
    return np.array([row[measure] for row in evaluate(run, judged, measure).per_query.values()])


@pytest.mark.parametrize(
    ("test", "correction"),
    [("t", "holm"), ("wilcoxon", "bonferroni"), ("sign", "bh"), ("permutation", "none"), ("bootstrap", "holm")],
)
def test_the_numbers_are_those_of_evaluate_and_of_the_test(test, correction):
    runs, judged = systems(1)
    found = compare(runs, judged, "AP P@5", baseline="s1", test=test, seed=3, correction=correction)
    assert [(pair.measure, pair.system, pair.other) for pair in found.pairs] == [
        (measure, name, "s1") for measure in ("AP", "P@5") for name in ("s0", "s2", "s3")
    ]
    for name, run in runs.items():
        assert found.means["AP"][name] == evaluate(run, judged, "AP")["AP"]
    for pair in found.pairs:
        differences = values(runs[pair.system], judged, pair.measure) - values(runs["s1"], judged, pair.measure)
        level = 0.05 * pair.result.p / pair.p  # of a p that is cut off at 1, the level is lower
        alone = paired_test(differences, test, seed=3, alpha=level)
        assert pair.result[:3] + pair.result[5:] == pytest.approx(alone[:3] + alone[5:])
        if pair.p < 1:
            assert pair.result[3:5] == pytest.approx(alone[3:5])
        assert found.differences(pair).tolist() == differences.tolist()
        signs = np.sign(differences.round(12))
        assert (pair.wins, pair.ties, pair.losses) == ((signs > 0).sum(), (signs == 0).sum(), (signs < 0).sum())
    assert [pair.p for pair in found.pairs] == corrected([pair.result.p for pair in found.pairs], correction).tolist()
    assert found.evaluations["s3"].name == "s3"


@pytest.mark.parametrize("settings", [{}, {"pairs": "all"}])
def test_p_by_each_measure_is_that_of_the_measure_alone(settings):
    runs, judged = systems(2, n=12)
    found = compare(runs, judged, "AP P@5", family="measure", **settings)
    alone = compare(runs, judged, "AP", **settings)
    assert [(pair.p, pair.result) for pair in alone.pairs] == [
        (pair.p, pair.result) for pair in found.pairs if pair.measure == "AP"
    ]
    assert all(found.verdict(pair, found.differences(pair)) == found.verdict(pair) for pair in found.pairs)


def test_settings_that_were_tried_before_count_in_p():
    runs, judged = systems(1)
    found = compare(runs, judged, "AP P@5", tried=10)
    assert [pair.p for pair in found.pairs] == [min(1, 18 * pair.result.p) for pair in found.pairs]
    assert correction_text(found) == "corrected for 18 comparisons, of 10 settings tried"
    with raising(
        ArgumentError, "tried counts comparisons with the baseline by all measures; leave out pairs and family"
    ):
        compare(runs, judged, "AP", tried=10, pairs="all")


@pytest.mark.parametrize(("correction", "factor"), [("holm", 2), ("none", 1)])
def test_all_pairs_are_tukeys_and_p_is_multiplied_by_the_number_of_measures(correction, factor):
    runs, judged = systems(5)
    found = compare(runs, judged, "AP P@5", pairs="all", correction=correction)
    assert (found.baseline, found.how.test, len(found.pairs)) == (None, "tukey", 12)
    for pair in found.pairs:
        expected = randomised_tukey(np.round(found.values[pair.measure], 12), alpha=0.05 / factor)
        assert pair.result.p == expected.p[found.systems.index(pair.system), found.systems.index(pair.other)]
        assert pair.result.high - pair.result.mean == pytest.approx(expected.critical)
        assert pair.p == min(1, factor * pair.result.p)
        assert (pair.p <= 0.05) == (pair.result.low > 0 or pair.result.high < 0)


@pytest.mark.parametrize("seed", range(8))
def test_systems_share_a_letter_where_no_difference_is_found(seed):
    runs, judged = systems(seed, n=40, strengths=(0.0, 0.5, 0.9, 1.2, 1.6, 2.2))
    found = compare(runs, judged, "AP ESL", pairs="all", test="t", correction="none")
    for measure, letters in found.letters.items():
        alike = {pair: pair.p > 0.05 for pair in found.pairs if pair.measure == measure}
        for pair, is_alike in alike.items():
            assert bool({*letters[pair.system]} & {*letters[pair.other]}) == is_alike
        together = {frozenset({pair.system, pair.other}) for pair, is_alike in alike.items() if is_alike}
        used = sorted({*"".join(letters.values())})
        holders = {letter: {name for name in letters if letter in letters[name]} for letter in used}
        for group in holders.values():  # no system could join it
            for outside in set(letters) - group:
                assert any(frozenset({outside, member}) not in together for member in group)
        assert "a" in letters[found.best[measure]]
        assert "".join(used) == "abcdefghijkl"[: len(used)]
    assert compare(runs, judged, "AP").letters == {}


def test_the_best_is_compared_with_the_others_as_one_of_all_pairs():
    runs, judged = systems(8, strengths=(0.0, 0.8, 1.6, 2.4))
    found = compare(runs, judged, "AP P@5")
    others = ["s1", "s2", "s3"]
    p_values, keys = [], []
    for measure in ("AP", "P@5"):
        for i, first in enumerate(others):
            for second in others[i + 1 :]:
                difference = values(runs[first], judged, measure) - values(runs[second], judged, measure)
                p_values.append(paired_test(difference).p)
                keys.append((measure, {first, second}))
    apart = {(m, *sorted(pair)) for (m, pair), p in zip(keys, corrected(p_values), strict=True) if p <= 0.05}
    for measure in ("AP", "P@5"):
        best = found.best[measure]
        expected = [name for name in others if name != best and (measure, *sorted((name, best))) not in apart]
        if found.pair(measure, best).p > 0.05:
            expected.insert(0, "s0")
        assert list(found.as_good[measure]) == expected


def test_where_lower_is_better_and_where_neither_is():
    judged = {f"q{n}": {"a": 1, "b": 0} for n in range(30)}
    runs = {"late": {query: ["b", "a"] for query in judged}, "early": {query: ["a", "b"] for query in judged}}
    found = compare(runs, judged, "ESL NumRet")
    assert found.best == {"ESL": "early"}
    assert found.pair("ESL", "early")[5:] == (30, 0, 0)
    assert found.pair("ESL", "early").result.mean == -1
    assert found.verdict(found.pair("ESL", "early")) == -1


def test_equal_means_give_the_first_system_as_the_best():
    runs, judged = systems(9)
    found = compare({"one": runs["s0"], "two": runs["s0"]}, judged, "AP")
    assert found.best == {"AP": "one"}
    assert found.as_good == {"AP": ("two",)}
    assert found.pairs[0].p == 1
    assert found.verdict(found.pairs[0]) == 0


def test_runs_are_known_by_their_names():
    judged = {"1": {"a": 1}, "2": {"b": 1}}
    runs = [
        Run.from_rankings([Ranking(query, ["a", "b"], [2.0, 1.0]) for query in judged], name=name)
        for name in ("x", "y")
    ]
    assert compare(runs, judged, "AP").systems == ("x", "y")
    with raising(ArgumentError, "two systems have the name 'x'; name each, in Python {'a': …, 'b': …}"):
        compare([runs[0], runs[0]], judged, "AP")


def test_a_query_without_a_value_does_not_count():
    judged = {"1": {"a": 1}, "2": {"b": 0}, "3": {"a": 1}}
    runs = {"x": {query: ["a", "b"] for query in judged}, "y": {query: ["b", "a"] for query in judged}}
    found = compare(runs, judged, "AP P@1", undefined="nan")
    assert found.query_ids == {"AP": ("1", "3"), "P@1": ("1", "3")}
    assert found.means["AP"] == {"x": 1.0, "y": 0.5}
    # Nothing relevant is found for the third: how far one has to look is known of one system only.
    far = compare({"x": {"1": ["a"], "3": ["b"]}, "y": {"1": ["b", "a"], "3": ["a"]}}, judged, "ESL", undefined="nan")
    assert far.query_ids == {"ESL": ("1",)}
    assert far.means["ESL"] == {"x": 0.0, "y": 1.0}
    with raising(DataError, "no query has a value of AP under every system, so there is nothing to compare"):
        compare({"x": {"2": ["b"]}, "y": {"2": ["b"]}}, {"2": {"b": 0}}, "AP", undefined="nan")


def test_queries_that_a_run_lacks():
    judged = {"1": {"a": 1}, "2": {"a": 1}}
    runs = {"x": {"1": ["a"], "2": ["a"]}, "y": {"1": ["a"]}}
    assert compare(runs, judged, "AP").means["AP"] == {"x": 1.0, "y": 0.5}
    assert compare(runs, judged, "AP", only_retrieved=True).query_ids["AP"] == ("1",)
    with raising(DataError, "'y' and 'x' have no judged query in common; compare runs of the same queries"):
        compare({"x": {"1": ["a"]}, "y": {"2": ["a"]}}, judged, "AP")
    with pytest.raises(DataError, match="run and judgments have no query in common"):
        compare({"x": {"1": ["a"]}, "y": {"9": ["a"]}}, judged, "AP")


def test_a_verdict_with_other_differences():
    runs, judged = systems(10)
    for settings in ({}, {"pairs": "all"}, {"test": "sign", "correction": "bh"}):
        found = compare(runs, judged, "AP P@5", **settings)
        for pair in found.pairs:
            assert found.verdict(pair, found.differences(pair)) == found.verdict(pair)
        pair = found.pairs[0]
        assert found.verdict(pair, np.full(30, 0.5) + 0.01 * np.arange(30)) == 1
        assert found.verdict(pair, np.full(30, -0.5) + 0.01 * np.arange(30)) == -1
        assert found.verdict(pair, np.tile([0.1, -0.1], 15)) == 0


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"baseline": "s9"}, "unknown baseline 's9'; did you mean 's0'? Baselines: s0, s1, s2, s3"),
        ({"test": "anova"}, "unknown test 'anova'. Tests: t, wilcoxon, sign, permutation, bootstrap"),
        ({"test": "tukey"}, "the test 'tukey' compares all pairs of systems; give pairs='all' with it"),
        ({"family": "measures"}, "unknown family 'measures'; did you mean 'measure'? Families: all, measure"),
        ({"correction": "sidak"}, "unknown correction 'sidak'. Corrections: holm, bonferroni, bh, none"),
        ({"pairs": "some"}, "unknown choice of pairs 'some'. Choices of pairs: baseline, all"),
        ({"pairs": "all", "baseline": "s0"}, "a comparison of all pairs has no baseline; leave out 's0'"),
        ({"measures": "AP GMAP"}, "GMAP is not a mean over queries; compare AP, from whose values it is computed"),
    ],
)
def test_what_is_refused(settings, message):
    runs, judged = systems(13, n=4)
    with raising(ArgumentError, message):
        compare(runs, judged, **{"measures": "AP", **settings})


def test_an_unknown_argument_and_a_file_of_code_are_refused_by_what_they_are(tmp_path):
    runs, judged = systems(13, n=4)
    for function, given in ((compare, [runs]), (toysearch.diff, [*runs.values()][:2])):
        with pytest.raises(TypeError, match=rf"^{function.__name__}\(\) got an unexpected keyword argument 'measur'$"):
            function(*given, judged, measur="AP")
    (tmp_path / "mine.py").write_text("def mine(tf): return tf\n")
    for code in (tmp_path / "mine.py", str(tmp_path / "mine.py")):
        with raising(ArgumentError, f"'{tmp_path / 'mine.py'}': name its function, as in {tmp_path / 'mine.py'}:mine"):
            compare([*runs.values(), code], "companions")


@pytest.mark.parametrize("pairs", ["baseline", "all"])
def test_one_system_has_values_and_no_pairs_and_none_is_refused(pairs):
    with raising(ArgumentError, "a comparison needs at least one system, but none was given"):
        compare({}, {"1": {"a": 1}}, "AP")
    found = compare({"x": {"1": ["a"], "2": ["b", "a"]}}, {"1": {"a": 1}, "2": {"a": 1}}, "RR", pairs=pairs)
    assert found.means == {"RR": {"x": 0.75}}
    assert (found.pairs, found.best, found.as_good, found.of_best("RR")) == ((), {"RR": "x"}, {"RR": ()}, [])


def test_a_pair_that_was_not_compared():
    runs, judged = systems(15)
    found = compare(runs, judged, "AP")
    assert found.pair("AP", "s1") == found.pairs[0]
    with raising(ArgumentError, "s1 was not compared with s2 by AP"):
        found.pair("AP", "s1", "s2")


@pytest.fixture(scope="module")
def companions():
    return toysearch.load("companions")


def runs_of(models, collection, index=None):
    index = toysearch.Index.build(collection) if index is None else index
    return [toysearch.Searcher(index, model).run(collection.judged_queries) for model in models]


@pytest.mark.system
@pytest.mark.parametrize("source", ["name", "collection", "index", "searcher"])
def test_models_are_compared_as_their_runs_are(companions, source):
    index = toysearch.Index.build(companions)
    given = {"name": "companions", "collection": companions, "index": index, "searcher": toysearch.Searcher(index)}
    models = ["bm25", "cosine", toysearch.model("bm25:b=0.4"), "0.7*bm25 + 0.3*lm-dirichlet"]
    found = compare(models, given[source], "AP nDCG@10")
    expected = compare(runs_of(models, companions, index), companions, "AP nDCG@10")
    assert found.pairs == expected.pairs
    assert found.means == expected.means
    assert found.options["threshold"] == companions.threshold


@pytest.mark.system
def test_models_have_names_stand_beside_runs_and_search_another_index(companions):
    index = toysearch.Index.build(companions, toysearch.Analyzer.for_language("english", stem="none"))
    run, other = runs_of(["tfidf", "bm25"], companions, index)
    found = compare({"mine": "bm25", "theirs": run, "own": lambda tf, df: tf / df}, companions, index=index)
    assert found.systems == ("mine", "theirs", "own")
    assert found.evaluations["mine"].per_query == evaluate(other, companions).per_query
    assert found.evaluations["theirs"].per_query == evaluate(run, companions).per_query
    assert found.means != compare({"mine": "bm25", "theirs": run, "own": lambda tf, df: tf / df}, companions).means


def test_an_index_with_queries_and_judgments():
    index = toysearch.Index.build({"d1": "a cat", "d2": "a dog and a cat", "d3": "dog"})
    queries, judged = {"q": "cat", "p": "dog"}, {"q": {"d2": 1}, "p": {"d3": 1}}
    found = compare(["bm25", "overlap"], judged, "RR", index=index, queries=queries)
    assert found.means == {"RR": {"bm25": 0.75, "overlap": 0.25 + 0.25}}
    assert compare(["bm25"], judged, "NumRet", index=index, queries=queries, k=1).means["NumRet"]["bm25"] == 1


def test_the_baseline_may_be_a_model_with_its_defaults_written_out():
    assert compare(["tfidf", "bm25"], "cat-dog-parrot", "AP", baseline="bm25:k1=1.2").baseline == "bm25"


@pytest.mark.parametrize(
    ("systems", "source", "message"),
    [
        (
            ["bm25", "cosine"],
            {"1": {"a": 1}},
            "'bm25' is a model, which needs documents to rank; give a collection or an index instead of the "
            "judgments, or add index=…",
        ),
        (["bm52"], "cat-dog-parrot", "unknown model 'bm52'; did you mean 'bm25'?"),
        (
            ["bm25", "bm25:b=0.75"],
            "cat-dog-parrot",
            "two systems have the name 'bm25'; name each, in Python {'a': …, 'b': …}",
        ),
    ],
)
def test_what_is_refused_of_models(systems, source, message):
    with raising((ArgumentError, DataError), message):
        compare(systems, source, "AP")


FORTY = [f"q{n:02}" for n in range(40)]
JUDGED = {query: {"a": 1, "b": 0, "c": 0} for query in FORTY}


def kinds(comparison):
    return [(caveat.kind, caveat.measure, caveat.system, caveat.other) for caveat in caveats(comparison)]


def at(ranks: dict[str, int] | int) -> dict[str, list[str]]:
    """A run that has the relevant document at a rank, below judged documents that are not relevant."""
    ranks = dict.fromkeys(FORTY, ranks) if isinstance(ranks, int) else ranks
    return {query: [*["b", "c"][: rank - 1], "a", *["b", "c"][rank - 1 :]] for query, rank in ranks.items()}


def mixed(better: int) -> dict[str, int]:
    """The relevant document at rank 1 for so many queries, at rank 2 or 3 for the others."""
    return {query: 1 if n < better else 2 + n % 2 for n, query in enumerate(FORTY)}


TIED = {query: {"a": 1.0, "b": 1.0} for query in FORTY}  # trec_eval puts b first
SURE = {query: {"a": 2.0, "b": 1.0} if n < 20 else {"a": 1.0, "b": 2.0} for n, query in enumerate(FORTY)}
BELOW_TIES = {query: {"a": 3.0, "b": 1.0, "c": 1.0} for query in FORTY}
BELOW_UNJUDGED = {query: ["x", "y", *ranking] for query, ranking in at(mixed(30)).items()}
# Six queries at rank 1 in the place of 2: p is just below 0.05 by the sign-flip test, with five above it.
SIX = {query: 1 if n < 6 else 2 for n, query in enumerate(FORTY)}
# +1/2 for one query, −1/6 (rank 3 in the place of 2) for two: the mean is positive, without the one negative.
ONE = {query: {0: 1, 1: 3, 2: 3}.get(n, 2) for n, query in enumerate(FORTY)}
HIGHER = "higher, but inconclusive without the unjudged documents, where the difference is +0.0000"


@pytest.mark.parametrize(
    ("first", "second", "settings", "expected", "sentence"),
    [
        (
            *(at(mixed(0)), at(mixed(30)), {"n": 24}, ["queries "]),
            "24 queries: with fewer than 25, a mean depends more on the queries than on the systems",
        ),
        (at(mixed(0)), at(mixed(30)), {"n": 25}, [], ""),
        (
            *(at(1), at(1), {"measures": "AP P@1"}, ["identical "]),
            "both have the same value for every query, so there is nothing to test",
        ),
        (
            *(at(2), at(SIX), {"test": "permutation"}, ["one query AP"]),
            "higher with all queries, inconclusive without query 'q00', whose difference is +0.5000",
        ),
        (
            *(at(2), at(ONE), {}, ["one query AP"]),
            "the mean difference is +0.0042, and -0.0085 without query 'q00', whose difference is +0.5000",
        ),
        (
            *(TIED, SURE, {}, ["ties AP"]),
            "higher in this order of equal scores, lower in another; the difference ranges from -0.2500 to +0.2500",
        ),
        (at(mixed(0)), BELOW_TIES, {"measures": "AP P@2"}, [], ""),
        (BELOW_UNJUDGED, at(mixed(30)), {"measures": "nDCG@3 P@2"}, ["unjudged nDCG@3", "unjudged P@2"], HIGHER),
    ],
)
def test_what_a_conclusion_hangs_on(first, second, settings, expected, sentence):
    settings = {"measures": "AP", "n": 40} | settings
    judged = dict(list(JUDGED.items())[: settings.pop("n")])
    found = caveats(compare({"first": first, "second": second}, judged, **settings))
    assert [f"{caveat.kind} {caveat.measure}" for caveat in found] == expected
    assert {caveat.sentence for caveat in found} == ({sentence} if sentence else set())
    assert {(caveat.system, caveat.other) for caveat in found} <= {("second", "first"), ("", "")}


@pytest.mark.parametrize("measure", ["RR", "RR@10", "ERR", "ERR@5"])
def test_a_measure_that_is_no_interval_scale(measure):
    found = caveats(compare({"low": at(mixed(0)), "high": at(mixed(30))}, JUDGED, f"AP {measure}"))
    assert [(caveat.kind, caveat.measure.partition("(")[0]) for caveat in found] == [("scale", measure)]
    assert "Fuhr, SIGIR Forum 51(3), 2017" in found[0].sentence


def test_unjudged_documents_that_could_be_relevant():
    # Without them the difference stays; but all that the baseline found could be relevant.
    base = {query: ["x", "y", "b", "c", "a"] for query in FORTY}
    comparison = compare({"base": base, "mine": at(mixed(30))}, JUDGED, "P@2")
    assert kinds(comparison) == [("bounds", "P@2", "mine", "base")]
    low, high = 30 / 40 * 0.5 + 5 / 40 * 0.5 - 1, 30 / 40 * 0.5 + 5 / 40 * 0.5
    found = caveats(comparison)[0]
    # Of 40 · (5 + 3) documents 40 · 2 are unjudged.
    assert found.sentence == "25% of the first ten documents are unjudged; their judgments could change the conclusion"
    assert (found.low, found.high) == (pytest.approx(low), pytest.approx(high))


def test_a_system_that_finds_nothing_is_not_spared_in_silence():
    """One finds half of the documents at rank 1, the other all by rank 2: only the half counts, as a note says."""
    queries = [str(number) for number in range(60)]
    half = {one: ["r", "a"] if int(one) < 30 else ["a", "b"] for one in queries} | {"0": ["a", "r"]}
    all_of_them = {one: ["a", "r"] if int(one) < 30 else ["r", "a"] for one in queries}
    qrels = {one: {"r": 1, "a": 0} for one in queries}
    comparison = compare({"half": half, "all": all_of_them}, qrels, "ESL RR")
    [caveat] = [one for one in caveats(comparison) if one.kind == "infinite"]
    assert caveat[1:4] == ("ESL", "all", "half")
    assert caveat.sentence == "30 queries are left out, as infinite: 0 under all, 30 under half"
    assert "What is shown depends on the queries left out" in " ".join(str(comparison).split())


def test_unjudged_documents_below_the_first_ten_are_no_caveat():
    judged = {query: {f"d{n}": int(n == 1) for n in range(10)} for query in FORTY}
    base = {query: [*judged[query], "x", "y"] for query in FORTY}
    mine = {query: ["d1", *(doc for doc in judged[query] if doc != "d1"), "x", "y"] for query in FORTY}
    assert kinds(compare({"base": base, "mine": mine}, judged, "AP R@12")) == []
    deeper = {query: [*list(judged[query])[2:], "x", "y", "d0", "d1"] for query in FORTY}
    assert [kind for kind, *_ in kinds(compare({"base": deeper, "mine": mine}, judged, "R@12"))] == ["identical"]
    assert [kind for kind, *_ in kinds(compare({"base": deeper, "mine": mine}, judged, "AP"))] == []


def test_options_of_the_evaluation_hold_for_the_caveats_too():
    judged = {query: {"a": 2, "b": 1, "c": 0} for query in FORTY}
    runs = {"low": at(mixed(0)), "high": at(mixed(30))}
    found = compare(runs, judged, "AP nDCG(dcg='exp-log2')@3 P(judged_only=True)@2", threshold=2, ties="rank")
    assert kinds(found) == []
    for options in ({"convention": "textbook"}, {"undefined": "nan"}, {"only_retrieved": True}, {"ties": "average"}):
        assert kinds(compare(runs, judged, "AP", threshold=2, **options)) == []


def test_a_system_that_finds_nothing_is_not_one_of_other_queries():
    empty = Run(["1"], [0, 0])
    with raising(DataError, "'nothing' finds no document for any judged query, so there is nothing to compare"):
        compare({"bm25": {"1": ["a"]}, "nothing": empty}, {"1": {"a": 1}}, "AP")


@pytest.mark.parametrize("pairs", ["baseline", "all"])
@pytest.mark.parametrize(("test", "is_opposed"), [("sign", True), ("wilcoxon", True), ("t", False)])
def test_nothing_is_concluded_if_signs_and_ranks_are_on_the_other_side_than_the_mean(test, is_opposed, pairs):
    """The new system is slightly worse for 18 queries, and much better for two."""
    judged = {str(number): {"a": 1} for number in range(20)}
    ranks = {number: (20, 21) if int(number) < 18 else (40, 1) for number in judged}
    runs = {
        name: {number: [*map(str, range(of[place] - 1)), "a"] for number, of in ranks.items()}
        for place, name in enumerate(("old", "new"))
    }
    found = compare(runs, judged, "RR", test=test, pairs=pairs)
    [pair] = found.pairs
    assert (pair.p < 0.01) == is_opposed
    assert found.means["RR"]["new"] > found.means["RR"]["old"]
    assert found.verdict(pair) == 0
    assert found.as_good == {"RR": ("old",)}
    assert found.letters == ({"RR": {"old": "a", "new": "a"}} if pairs == "all" else {})
    sentences = [caveat.sentence for caveat in caveats(found) if caveat.kind == "opposed"]
    won, side, mean = ("won 2, tied 0, lost 18", "lower", "higher")
    if pair.system == "old":
        won, side, mean = ("won 18, tied 0, lost 2", "higher", "lower")
    told = f"the {test} test finds it {side} ({won}), but its mean is {mean}, so nothing is concluded"
    assert sentences == [told] * is_opposed


def test_worse_by_a_margin_is_what_the_whole_interval_shows():
    """By the signs the new system is worse; the interval of the mean includes 0."""
    judged = {str(number): {"a": 1} for number in range(20)}
    ranks = {number: (20, 40) if int(number) < 18 else (8, 4) for number in judged}
    old, new = ({number: [*map(str, range(of[place] - 1)), "a"] for number, of in ranks.items()} for place in (0, 1))
    found = compare({"old": old, "new": new}, judged, "RR", test="sign", margin=0.005)
    assert found.pairs[0].result.low < -0.005 < 0.005 < found.pairs[0].result.high
    assert found.margins[0].sentence == "new is worse than old in RR (p = 0.0004), and may be so by 0.005 or more."
