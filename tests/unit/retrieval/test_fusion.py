"""Fusion: each method by hand, ranks and ties, normalisations, what is refused."""

import io
import math
from pathlib import Path

import numpy as np
import pytest
from captured_notes import noted
from error_messages import raising

from toysearch import Ranking, Run, fuse, write_run
from toysearch.base.errors import ArgumentError, DataError
from toysearch.retrieval.fusion import FUSION_METHODS, NORMALISATIONS

FIRST = {"q": {"a": 4.0, "b": 3.0, "c": 1.0}}
SECOND = {"q": {"c": 0.9, "a": 0.5, "d": 0.4}}
"""Ranks: a 1 and 2, b 2, c 3 and 1, d 3. By min-max: a 1 and 1/5, b 2/3, c 0 and 1, d 0."""

BY_HAND = {
    "rrf": {"a": 1 / 61 + 1 / 62, "b": 1 / 62, "c": 1 / 63 + 1 / 61, "d": 1 / 63},
    "isr": {"a": 2 * (1 + 1 / 4), "b": 1 / 4, "c": 2 * (1 / 9 + 1), "d": 1 / 9},
    "logisr": {"a": math.log(2) * (1 + 1 / 4), "b": 0, "c": math.log(2) * (1 / 9 + 1), "d": 0},
    "borda": {"a": 4 + 3, "b": 3 + 1, "c": 2 + 4, "d": 1 + 2},
    "combsum": {"a": 1 + 1 / 5, "b": 2 / 3, "c": 0 + 1, "d": 0},
    "combmnz": {"a": 2 * (1 + 1 / 5), "b": 2 / 3, "c": 2 * (0 + 1), "d": 0},
    "combanz": {"a": (1 + 1 / 5) / 2, "b": 2 / 3, "c": (0 + 1) / 2, "d": 0},
    "combmax": {"a": 1, "b": 2 / 3, "c": 1, "d": 0},
    "combmin": {"a": 1 / 5, "b": 2 / 3, "c": 0, "d": 0},
    "combmed": {"a": 3 / 5, "b": 2 / 3, "c": 1 / 2, "d": 0},
}
WEIGHTED = {  # 2 and 0.5
    "rrf": {"a": 2 / 61 + 0.5 / 62, "b": 2 / 62, "c": 2 / 63 + 0.5 / 61, "d": 0.5 / 63},
    "isr": {"a": 2 * (2 + 0.5 / 4), "b": 2 / 4, "c": 2 * (2 / 9 + 0.5), "d": 0.5 / 9},
    "borda": {"a": 2 * 4 + 0.5 * 3, "b": 2 * 3 + 0.5, "c": 2 * 2 + 0.5 * 4, "d": 2 * 1 + 0.5 * 2},
    "combmnz": {"a": 2 * (2 + 0.5 / 5), "b": 4 / 3, "c": 2 * 0.5, "d": 0},
    "combmax": {"a": 2, "b": 4 / 3, "c": 0.5, "d": 0},
    "combmin": {"a": 0.5 / 5, "b": 4 / 3, "c": 0, "d": 0},
    "combmed": {"a": (2 + 0.5 / 5) / 2, "b": 4 / 3, "c": 0.5 / 2, "d": 0},
    "combsum": {"a": 2 + 0.5 / 5, "b": 4 / 3, "c": 0.5, "d": 0},
    "combanz": {"a": (2 + 0.5 / 5) / 2, "b": 4 / 3, "c": 0.5 / 2, "d": 0},
}


def order(run: Run, query_id: str = "q") -> list[str]:
    return list(run[query_id])


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("method", FUSION_METHODS)
def test_each_method_by_hand(method):
    assert fuse([FIRST, SECOND], method)["q"] == pytest.approx(BY_HAND[method])


@pytest.mark.parametrize("method", WEIGHTED)
def test_weights_multiply_what_a_run_adds(method):
    assert fuse([FIRST, SECOND], method, weights=[2, 0.5])["q"] == pytest.approx(WEIGHTED[method])


def test_borda_shares_the_leftover_points_of_a_short_run():
    fused = fuse([{"q": {"a": 3, "b": 2, "c": 1, "d": 0.5}}, {"q": {"d": 1}}], "borda")
    assert fused["q"] == {"a": 4 + 2, "b": 3 + 2, "c": 2 + 2, "d": 1 + 4}  # (3 + 2 + 1) / 3 each


def test_the_constant_of_rrf():
    assert fuse([FIRST, SECOND], rrf_k=0)["q"]["a"] == 1 + 1 / 2


def test_the_result_is_ranked_best_first_cut_at_k_and_named_after_the_method():
    fused = fuse([FIRST, SECOND], k=2)
    assert (order(fused), fused.ranked, fused.name) == (["a", "c"], True, "rrf")
    assert fuse([FIRST, SECOND], name="both").name == "both"
    assert len(fuse([{"q": {f"d{i}": i for i in range(1500)}}, SECOND])) == 1000
    assert len(fuse([{"q": {f"d{i}": i for i in range(1500)}}, SECOND], k=None)) == 1503


def test_ranks_are_those_of_trec_eval_or_the_ranking_s_own():
    tied = {"q": {"a": 1.0, "b": 1.0, "c": 1.00000001}}  # alike in 32 bits
    assert order(fuse([tied, {"q": {"z": 1.0}}])) == ["c", "z", "b", "a"]
    ranked = Run.from_rankings([Ranking("q", ["a", "b"], [1.0, 1.0])])
    assert order(fuse([ranked, {"q": ["z"]}])) == ["a", "z", "b"]


def test_equal_scores_stand_in_the_order_of_the_first_run_then_of_the_second():
    first, second = {"q": ["a", "b"]}, {"q": ["b", "a", "x"]}
    assert order(fuse([first, second])) == ["a", "b", "x"]
    assert order(fuse([second, first])) == ["b", "a", "x"]
    assert order(fuse([{"q": ["a"]}, {"q": ["z"]}, {"q": ["b"]}])) == ["a", "z", "b"]


def test_queries_are_those_of_all_runs_and_what_is_missing_is_noted():
    with noted() as told:
        fused = fuse([{"q2": ["a"]}, {"q1": ["b"], "q2": ["b", "a"]}], "borda")
    assert fused.query_ids == ["q2", "q1"]
    assert fused["q1"] == {"b": 1.0}  # not half a point from the run that was not asked
    assert told == ["run 1 ('run') lacks 1 query of 2, fused from the other runs"]


def test_a_query_for_which_nothing_was_found_stays():
    nothing = Run.from_rankings([Ranking("q", [], []), Ranking("r", [], [])])
    fused = fuse([nothing, {"q": ["a"], "r": []}])
    assert (fused.query_ids, fused["q"], fused["r"]) == (["q", "r"], {"a": 1 / 61}, {})


@pytest.mark.parametrize(
    ("name", "expected", "all_equal"),
    [
        ("min-max", [1, 0.5, 0], [1, 1]),
        ("sum", [2 / 3, 1 / 3, 0], [0.5, 0.5]),
        ("z-score", [math.sqrt(1.5), 0, -math.sqrt(1.5)], [0, 0]),
        ("rank", [1, 2 / 3, 1 / 3], [1, 0.5]),
        ("none", [5, 3, 1], [0.1, 0.1]),
    ],
)
def test_normalisations(name, expected, all_equal):
    assert NORMALISATIONS[name](np.array([5.0, 3.0, 1.0])) == pytest.approx(expected)
    assert NORMALISATIONS[name](np.array([0.1, 0.1])) == pytest.approx(all_equal)
    assert NORMALISATIONS[name](np.full(3, 0.1))[0] == all_equal[0] or name == "sum"


def test_a_document_found_alone_is_the_best_of_its_run():
    assert fuse([{"q": {"a": 0.2}}, {"q": {"b": 9.0, "a": 1.0}}], "combsum")["q"] == {"a": 1.0, "b": 1.0}


def test_infinite_scores_have_ranks_but_no_sum():
    runs = [{"q": {"a": 1.0, "b": -math.inf}}, SECOND]
    assert fuse(runs)["q"]["b"] == 1 / 62
    for normalise in ("min-max", "none"):
        with pytest.raises(DataError) as error:
            fuse(runs, "combsum", normalise=normalise)
        assert str(error.value) == (
            f"run 'run': query 'q' has scores from -inf to 1, which '{normalise}' cannot "
            "normalise; give finite scores, or choose a method of ranks such as rrf"
        )


def test_files_and_dicts_in_one_call(tmp_path):
    path = tmp_path / "first.run"
    with open(path, "w") as file:
        write_run(Run.from_dict(FIRST), file)
    for given in (path, str(path)):
        assert fuse([given, SECOND])["q"] == fuse([FIRST, SECOND])["q"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"method": "rff"}, f"unknown method 'rff'; did you mean 'rrf'? Methods: {', '.join(FUSION_METHODS)}"),
        (
            {"method": "combsum", "normalise": "minmax"},
            "unknown normalisation 'minmax'; did you mean 'min-max'? Normalisations: min-max, sum, z-score, rank, none",
        ),
        ({"normalise": "min-max"}, "method 'rrf' uses only ranks; leave normalise out"),
        ({"method": "isr", "rrf_k": 60}, "rrf_k is a constant of the method rrf; leave it out with 'isr'"),
        ({"rrf_k": -1}, "rrf_k is -1; expected a number of 0 or more, such as 60"),
        ({"rrf_k": math.nan}, "rrf_k is nan; expected a number of 0 or more, such as 60"),
        ({"k": 0}, "k is 0; expected the number of documents per query, 1 or more, or None for all"),
        ({"weights": [1]}, "expected a weight for each of the 2 runs, found 1"),
        ({"weights": [1, 0]}, "a weight is 0; expected a number above 0; leave out a run without weight"),
        ({"weights": [math.inf, 1]}, "a weight is inf; expected a number above 0; leave out a run without weight"),
    ],
)
def test_arguments_that_are_refused(arguments, message):
    with raising(ArgumentError, message):
        fuse([FIRST, SECOND], **arguments)


@pytest.mark.parametrize("runs", ["mine.run", Path("mine.run"), FIRST, Run.from_dict(FIRST)])
def test_one_run_in_the_place_of_a_list(runs):
    sentences = r"^expected several runs, in a list or in a dict of name to run; found one run$|^runs must be a dict or"
    with pytest.raises(ArgumentError, match=sentences):
        fuse(runs)


def test_fewer_than_two_runs():
    with pytest.raises(ArgumentError, match=r"^fusing takes at least two runs, found 1$"):
        fuse([FIRST])


def test_a_document_twice_in_a_ranking():
    twice = Run.from_rankings([Ranking("q", ["a", "a"], [2, 1])], name="twice")
    with pytest.raises(DataError, match=r"^run 'twice': query 'q' has a document twice; each may occur once$"):
        fuse([FIRST, twice])


def test_a_fused_run_can_be_written_to_an_open_file():
    out = io.StringIO()
    write_run(fuse([{"q": ["a"]}, {"q": ["a"]}], rrf_k=1), out)
    assert out.getvalue() == "q Q0 a 1 1 rrf\n"


@pytest.mark.parametrize("method", ["combsum", "combmnz", "combmax", "combmed"])
def test_fused_scores_too_large_for_numbers_are_refused(method: str) -> None:
    """As infinite ones they would be equal, or (inf - inf) no numbers."""
    runs = [{"1": {"a": 1e300, "b": -1e300}}, {"1": {"a": 1e300, "b": 1.0}}]
    with pytest.raises(DataError) as error:
        fuse(runs, method, normalise="none", weights=[1e300, 1e300])
    assert str(error.value) == (
        "query '1' has fused scores that are too large for 64-bit floats; give smaller weights, or another "
        "normalisation such as min-max"
    )
    assert fuse(runs, method, normalise="none")["1"]["a"] > 1e299
