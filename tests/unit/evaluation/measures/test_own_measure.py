"""Measures of the user: functions in a file or in Python, evaluated, explained, compared and tuned like all others."""

from __future__ import annotations

import numpy as np
import pytest
from shell import done, refusal

import toysearch
from toysearch import ToysearchError, evaluate, explain_measure
from toysearch.base import Qrels, Run
from toysearch.evaluation.measures import own_measure
from toysearch.evaluation.measures.definition import Piece, Terms

MINE = '''
import toysearch


def useful(grades, k):
    """The share of the first documents of grade 2."""
    return sum(grades >= 2) / (k or len(grades) or 1)


def dcg(grades, *, base=2.0):
    import numpy as np

    return grades / (np.log(np.arange(len(grades)) + 2) / np.log(base))


@toysearch.measure(better="lower", description="how many documents are not relevant")
def noise(hits):
    return float((~hits).sum())


def broken(grades):
    return 1 / 0


def strange(title):
    return 0
'''
RUN = {"1": {"a": 3.0, "x": 2.0, "b": 1.0}, "2": {"c": 1.0, "a": 0.5}}
QRELS = {"1": {"a": 2, "b": 1, "d": 2}, "2": {"a": 3, "c": 0}}


@pytest.fixture
def mine(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(own_measure, "DECLARED", {})
    (tmp_path / "mine.py").write_text(MINE)
    return tmp_path


def test_a_function_in_a_file_is_a_measure(mine):
    found = evaluate(RUN, qrels=QRELS, measures="mine.py:useful@2 mine.py:dcg DCG mine.py:dcg(base=4)@2 mine.py:noise")
    first, second = found.per_query.values()
    assert first["mine.py:useful@2"] == second["mine.py:useful@2"] == 0.5
    assert first["mine.py:dcg"] == pytest.approx(first["DCG"])
    assert second["mine.py:dcg(base=4)@2"] == pytest.approx(2 * second["DCG"])
    assert (first["mine.py:noise"], second["mine.py:noise"]) == (1, 1)
    assert found.worst("mine.py:noise")[0] == ("1", 1)
    assert [str(measure) for measure in found.measures][3] == "mine.py:dcg(base=4)@2"


def test_a_file_that_changes_is_read_again(mine):
    assert evaluate(RUN, qrels=QRELS, measures="mine.py:useful")["mine.py:useful"] == pytest.approx((1 / 3 + 1 / 2) / 2)
    (mine / "mine.py").write_text("def useful(R):\n    return R\n")
    assert evaluate(RUN, qrels=QRELS, measures="mine.py:useful")["mine.py:useful"] == 2


def test_in_python_by_a_decorator_and_as_a_lambda(mine):
    @toysearch.measure
    def patient(grades, *, p=0.9):
        return grades * p ** np.arange(len(grades))

    assert evaluate(RUN, qrels=QRELS, measures="patient(p=1)")["patient(p=1)"] == (3 + 3) / 2
    found = evaluate(RUN, qrels=QRELS, measures=["AP", patient, lambda grades: grades.max(), lambda R: R])
    assert list(found.means)[1:] == ["patient", "lambda1", "lambda2"]
    assert found["lambda1"] == 2.5
    assert found["lambda2"] == 2


def test_a_function_of_the_joined_run_and_its_terms(mine):
    @toysearch.measure
    def share(joined):
        return Terms(Piece("found", joined.hits().sum(axis=1)), Piece("relevant", joined.n_relevant()))

    @toysearch.measure
    def same(joined):
        return joined.hits().sum(axis=1) / joined.n_relevant()

    for values in evaluate(RUN, qrels=QRELS, measures="share same R@100").per_query.values():
        assert values["share"] == values["same"] == values["R@100"]


def test_what_each_rank_adds_explains_the_value(mine):
    run, qrels = Run.from_dict(RUN), Qrels.from_dict(QRELS)
    result = evaluate(run, qrels, "mine.py:dcg mine.py:useful")
    why = explain_measure(run, qrels, result, "mine.py:dcg", "2")
    assert why.arithmetic == "mine.py:dcg = 1.892789 = 1.892789" or why.arithmetic == "mine.py:dcg = 1.892789"
    assert [row.quantities.get("term") for row in why.ranking] == pytest.approx([0, 3 / np.log2(3)])
    assert explain_measure(run, qrels, result, "mine.py:useful", "1").value == pytest.approx(1 / 3)


def test_tied_documents_move_it_between_bounds(mine):
    tied = evaluate({"1": {"a": 1, "x": 1}}, qrels={"1": {"a": 2}}, measures="mine.py:useful@1", ties="bounds")
    assert tied.tie_bounds == {"mine.py:useful@1": (0.0, 1.0)}
    assert evaluate(
        {"1": {"a": 1, "x": 1}}, qrels={"1": {"a": 2}}, measures="mine.py:useful@1", ties="average"
    ).means == {"mine.py:useful@1": 0.5}


def test_commands_take_it(mine):
    assert "mine.py:useful@5" in done("eval", "cat-dog-parrot", "-m", "AP mine.py:useful@5").output
    assert (
        "mine.py:dcg@3"
        in done("compare", "cat-dog-parrot", "--model", "bm25", "--model", "tfidf", "-m", "mine.py:dcg@3").output
    )
    tuned = done(
        "tune", "cat-dog-parrot", "--model", "bm25", "--grid", "b=0:1:0.5", "-m", "mine.py:dcg", "--folds", "2"
    ).output
    assert "mine.py:dcg" in tuned


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("none.py:useful", "none.py: there is no such file; a measure of your own is given as FILE.py:NAME"),
        ("mine.py:broken", "broken: {path}:22: ZeroDivisionError: division by zero"),
        (
            "mine.py:strange",
            "strange: a measure takes grades, hits, judged, ideal, R, k and joined, and parameters with a default, "
            "not 'title'",
        ),
        ("mine.py:useful(x=1)", "mine.py:useful takes no parameters; 'x' was given"),
    ],
)
def test_what_cannot_be_a_measure_is_refused(mine, name, message):
    with pytest.raises(ToysearchError) as error:
        evaluate(RUN, qrels=QRELS, measures=name)
    assert str(error.value) == message.format(path=mine / "mine.py")


def test_a_result_of_another_shape_is_refused(mine):
    with pytest.raises(ToysearchError) as error:
        evaluate(RUN, qrels=QRELS, measures=[lambda R: [R, R, R, R]])
    assert str(error.value) == "lambda1: expected a number or one number per rank, found [3, 3, 3, 3]"
    assert refusal("eval", "cat-dog-parrot", "-m", "mine.py:usefull").endswith(
        "Functions of mine.py: useful, dcg, noise, broken, strange"
    )
