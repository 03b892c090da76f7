import numpy as np
import pytest
from error_messages import raising

import toysearch
from toysearch.base.errors import DataError
from toysearch.base.ranking import Ranking
from toysearch.base.run_and_qrels import Qrels, Run
from toysearch.base.run_order import order_of, ordered
from toysearch.evaluation import joined_run
from toysearch.evaluation.joined_run import blocks, join


def test_unjudged_and_judged_non_relevant_are_kept_apart() -> None:
    run = Run.from_rankings([Ranking("1", ["n", "u", "r", "m"], [4, 3, 2, 1]), Ranking("x", ["r"], [1])])
    qrels = Qrels.from_dict({"2": {"r": 1}, "1": {"r": 2, "n": 0, "m": -1, "absent": 1}})
    judged = join(run, qrels)
    assert judged.query_ids == ["2", "1"]
    assert judged.retrieved.tolist() == [0, 4]
    np.testing.assert_array_equal(judged.ranks, [[np.inf] * 3, [1, 3, 4]])
    np.testing.assert_array_equal(judged.grades, [[np.nan] * 3, [0, 2, -1]])
    np.testing.assert_array_equal(judged.ideal, [[1, np.nan, np.nan, np.nan], [2, 1, 0, -1]])


def test_relevant_is_at_the_threshold_and_above_zero() -> None:
    run = Run.from_rankings([Ranking("1", ["a", "b", "c", "d"], [4, 3, 2, 1])])
    judged = join(run, Qrels.from_dict({"1": {"a": 0.5, "b": 0, "c": -1, "d": 1}}), threshold=0.5)
    assert judged.hits().tolist() == [[True, False, False, True]]
    assert judged.hits(cutoff=3).tolist() == [[True, False, False, False]]
    assert judged.hits(rel=0).tolist() == [[True, False, False, True]]
    assert judged.hits(rel=1).tolist() == [[False, False, False, True]]
    assert [judged.n_relevant(rel).tolist() for rel in (None, 0.4, 0.6, 2)] == [[2], [2], [1], [0]]


class TestOrder:
    def test_is_found_once_for_the_scores_of_a_run_which_stay_as_they_are(self) -> None:
        scores = np.array([1.0, 2.0, 2.0])
        run = Run(["1"], [0, 3], ["a", "b", "c"], scores)
        assert [ordered(run, rule)[0].doc_ids for rule in ("rank", "trec_eval")] == [list("bca"), list("cba")]
        scores[0] = 3
        assert [ordered(run, rule)[0].doc_ids for rule in ("rank", "trec_eval")] == [list("bca"), list("cba")]
        assert run["1"] == {"a": 1, "b": 2, "c": 2}
        assert order_of(run, "trec_eval") is order_of(run, "trec_eval")
        with pytest.raises(ValueError, match="read-only"):
            run.values[0] = 3


def test_the_ideal_ranking_most_like_a_ranking_keeps_its_order_within_a_grade() -> None:
    run = Run.from_rankings([Ranking("1", ["d", "n", "a", "c"], [4, 3, 2, 1]), Ranking("2", ["x"], [1])])
    judged = join(run, Qrels.from_dict({"1": {"a": 1, "b": 2, "c": 2, "d": 1, "e": 1, "n": 0}, "2": {"y": 1}}))
    # c, b (grade 2), then d, a, e (grade 1)
    np.testing.assert_array_equal(judged.ideal_ranks(), [[3, np.inf, 4, 1], [np.inf] * 4])


class TestBlocks:
    def test_a_wide_query_does_not_make_later_blocks_small(self) -> None:
        qrels = Qrels.from_dict({"1": dict.fromkeys("abcd", 1), "2": {"a": 1}, "3": {"a": 1, "b": 1}, "4": {"a": 1}})
        assert list(blocks(qrels, cells=4)) == [slice(0, 1), slice(1, 3), slice(3, 4)]

    @pytest.mark.parametrize("cells", [1, 1 << 20])
    def test_dicts_may_change_after_an_evaluation(self, cells: int, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(joined_run, "CELLS", cells)
        run, grades = {"1": {"a": 1.0, "b": 1.0}, "2": {"c": 2.0, "d": 2.0}}, {"1": {"a": 1, "b": 0}, "2": {"c": 1}}
        evaluation = toysearch.evaluate(run, qrels=grades, measures="RR")
        for group in (*run.values(), *grades.values()):
            group.clear()
        assert evaluation.tie_bounds == {"RR": (0.5, 1.0)}


@pytest.mark.parametrize("path", ["plain", "compiled"])
class TestADocumentTwice:
    def test_is_refused_for_a_judged_query(self, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("TOYSEARCH_PATH", path)
        run = Run.from_rankings([Ranking("1", ["a", "b", "a"], [3, 2, 1])])
        with raising(DataError, "query '1' has document 'a' twice in the run; a ranking holds a document once"):
            join(run, Qrels.from_dict({"1": {"b": 1}}))

    def test_is_no_matter_for_any_other(self, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("TOYSEARCH_PATH", path)
        run = Run.from_rankings([Ranking("0", ["a", "a"], [2, 1]), Ranking("1", ["a", "b"], [2, 1])])
        assert join(run, Qrels.from_dict({"1": {"b": 1}})).ranks.tolist() == [[2.0]]


def test_what_the_run_lacks_is_not_looked_up_one_by_one_and_bounds_are_computed_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Files of judgments may have half a million queries that a run does not."""
    looked_up, run = list[str](), Run.from_rankings([Ranking("1", ["a", "b"], [2, 1])])
    places = Run.places
    monkeypatch.setattr(Run, "places", lambda run, query_id: looked_up.append(query_id) or places(run, query_id))
    qrels = Qrels.from_dict({"0": {"a": 1, "c": 0}, "1": {"c": 0, "b": 1}, "2": {"b": 1}})
    evaluation = toysearch.evaluate(run, qrels=qrels, measures="RR")
    assert evaluation.per_query == {"0": {"RR": 0.0}, "1": {"RR": 0.5}, "2": {"RR": 0.0}}
    assert evaluation.tie_bounds is evaluation.tie_bounds
    assert {*looked_up} == {"1"}
