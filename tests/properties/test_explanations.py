"""Every number that is explained is made of its parts: all rankers and all measures of the registries."""

import math
import warnings

import pytest
from properties.test_contributions import read
from test_every_ranker import RANKERS, folder  # noqa: F401
from unit.study.explain.test_measure_explanation import EVERY

import toysearch
from toysearch.base.explanation import Explanation
from toysearch.study.explain.worked_formulas import score_expressions

QUERY = "33"


def holds_together(explanation: Explanation) -> None:
    """Each number is what its formula makes of its parts."""
    for number in explanation.walk():
        size = max([1.0, *(abs(part.value) for part in number.parts)])
        assert math.isclose(number.value, number.combined, rel_tol=1e-12, abs_tol=1e-12 * size) or (
            math.isnan(number.value) and math.isnan(number.combined)
        ), (number.label, number.formula, number.value, number.combined)


@pytest.fixture
def searcher_of(folder, monkeypatch):  # noqa: F811
    monkeypatch.chdir(folder)
    collection = toysearch.load("pets")
    return lambda ranker: (toysearch.Searcher(collection, ranker), collection.query(QUERY))


@pytest.mark.parametrize("ranker", RANKERS)
def test_the_score_of_every_ranker_is_made_of_its_parts(searcher_of, ranker):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", toysearch.ToysearchNote)
        searcher, query = searcher_of(ranker)
        ranking = searcher.search(query, k=None)
        hits = [*ranking]
        for hit in {hit.doc_id: hit for hit in (*hits[:3], hits[len(hits) // 2], hits[-1])}.values():
            why = toysearch.explain(searcher, searcher.terms(query.text, None, query.query_id), hit.doc_id)
            assert why.tree.value == hit.score
            holds_together(why.tree)
            shares = why.tree.shares().values()
            size = max([1.0, *map(abs, shares)])
            assert math.isclose(math.fsum(shares), hit.score, rel_tol=1e-12, abs_tol=1e-12 * size)
            for line in score_expressions(why, searcher.model.single):
                if "√" not in line.numbers:  # what is written with six digits, read as arithmetic
                    assert read(line.numbers) == pytest.approx(line.value, rel=1e-3, abs=1e-4)


@pytest.mark.parametrize("judged", ["3 3 2 2 1 1 0 0 -1", "0 0 1", "1"])
@pytest.mark.parametrize("ranking", ["3 0 U 2 1 2", "U U", "1 0 U 0 3 U 2 2"])
def test_the_value_of_every_measure_is_made_of_its_parts(ranking, judged):
    typed = toysearch.typed_ranking(ranking, judged=f"{ranking.replace('U', '')} {judged}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", toysearch.ToysearchNote)
        evaluation = toysearch.evaluate(typed.run, typed.qrels, EVERY, undefined="nan")
    for measure in evaluation.measures:
        why = toysearch.explain_measure(typed.run, typed.qrels, evaluation, measure, "typed")
        assert why.tree.value == why.value or math.isnan(why.value)
        holds_together(why.tree)
