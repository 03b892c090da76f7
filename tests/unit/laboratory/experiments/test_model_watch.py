"""Watching a file: what counts as a save, what is reported of it, and what becomes of errors."""

from __future__ import annotations

import contextlib
import math
import os
import sys

import pytest
from raising import raising
from scipy import stats

import toysearch
from toysearch.base.errors import ArgumentError
from toysearch.laboratory.experiments.model_watch import BestSave, Watch, change

DOCUMENTS = {"a": "the cat sat", "b": "a cat and a cat", "c": "the dog", "d": "a dog and dogs and a cat"}
QUERIES = {"1": "cat", "2": "dog", "3": "sat"}
QRELS = {"1": {"a": 1}, "2": {"c": 1}, "3": {"a": 1}}
SHORT_FIRST = "def rank(tf, dl):\n    return tf / dl\n"
LONG_FIRST = "def rank(tf, dl):\n    return dl / tf\n"


@pytest.fixture
def evaluator():
    return toysearch.Evaluator(toysearch.Index.build(DOCUMENTS), QUERIES, QRELS, "RR AP")


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(SHORT_FIRST)
    return path


@pytest.fixture
def watch(evaluator, file):
    return Watch(evaluator, f"{file}:rank")


def test_the_start(watch, evaluator):
    saved = watch.look()
    assert (saved.number, saved.error, saved.since_last, saved.since_start) == (0, "", None, None)
    expected = evaluator("formula:tf/dl")
    assert saved.evaluation.per_query == expected.per_query
    assert watch.look() is None


def test_what_a_save_changed(watch, evaluator, file):
    watch.look()
    file.write_text(LONG_FIRST)
    saved = watch.look()
    assert saved.number == 1
    before, after = evaluator("formula:tf/dl"), evaluator("formula:dl/tf")
    assert saved.evaluation["RR"] == after["RR"]
    assert saved.since_last == saved.since_start
    assert [effect[2:6] for effect in saved.since_last.effects] == [
        (name, 3, before[name], after[name]) for name in ("RR", "AP")
    ]
    rises = {query: after.per_query[query]["RR"] - before.per_query[query]["RR"] for query in QUERIES}
    assert saved.since_last.won == {query: rise for query, rise in rises.items() if rise > 0}
    assert saved.since_last.lost == {query: rise for query, rise in rises.items() if rise < 0}
    assert saved.since_last.lost
    file.write_text(SHORT_FIRST)
    back = watch.look()
    assert (back.number, back.since_start.won, back.since_start.lost) == (2, {}, {})
    assert [effect.difference for effect in back.since_start.effects] == [0, 0]
    assert back.since_last.won == {query: -rise for query, rise in saved.since_last.lost.items()}


def test_the_largest_come_first():
    def evaluation(values):
        run = {str(query): [*(f"n{i}" for i in range(above)), "d"] for query, above in enumerate(values)}
        return toysearch.evaluate(run, {query: {"d": 1} for query in run}, "RR")

    found = change(evaluation([9, 1, 4, 0]), evaluation([4, 9, 0, 0]))
    assert list(found.won) == ["2", "0"]
    assert list(found.lost) == ["1"]
    assert found.won["2"] == pytest.approx(1 - 1 / 5)


def test_two_quick_saves_of_one_size(watch, file, monkeypatch):
    """What the import system caches is found by size and whole seconds: both are the same here."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    values = []
    for factor in (1, 2, 3, 4):
        file.write_text(f"def rank(tf, dl):\n    return {factor} * tf / dl if {factor} % 2 else dl / tf\n")
        os.utime(file, ns=(10**18 + 100 * factor,) * 2)  # NTFS counts in steps of 100 ns
        values.append(watch.look().evaluation["RR"])
    assert values[0] == values[2] != values[1] == values[3]
    assert not (file.parent / "__pycache__").exists()


def test_an_editor_that_puts_a_new_file_in_its_place(watch, file):
    watch.look()
    file.rename(file.with_suffix(".bak"))
    assert watch.look() is None  # it is missing for a moment
    other = file.with_suffix(".new")
    other.write_text(LONG_FIRST)
    os.utime(other, ns=(0, 0))  # older than the one before
    other.rename(file)
    assert watch.look().number == 1


def test_an_editor_that_empties_the_file_first(watch, file):
    watch.look()
    file.write_text("")
    assert watch.look() is None
    file.write_text(LONG_FIRST)
    assert watch.look().number == 1


@pytest.mark.parametrize(
    ("lose", "what"), [(lambda path: path.unlink(), "gone"), (lambda path: path.write_text(""), "empty")]
)
def test_a_file_that_stays_away_is_an_error_until_it_comes_back_as_it_was(watch, file, lose, what):
    first = watch.look()
    lose(file)
    looks = [watch.look() for _ in range(30)]
    told = [saved for saved in looks if saved is not None]
    assert [saved.error for saved in told] == [f"{file} is {what}; save it again, or end with Ctrl-C"]
    assert told[0].evaluation is first.evaluation
    file.write_text(SHORT_FIRST)
    back = watch.look()
    assert (back.error, back.number) == ("", 1)
    assert watch.look() is None


def test_the_best_save_so_far(watch, file):
    assert watch.look().best == BestSave(0, 5 / 6)
    file.write_text(LONG_FIRST)
    assert watch.look().best.number == 0
    file.write_text(SHORT_FIRST + "\n")
    assert watch.look().best.number == 0  # the first of equals


def evaluated(places, measures="RR"):
    """Queries with one relevant document, below as many others as are given."""
    run = {str(query): [*(f"n{i}" for i in range(above)), "d"] for query, above in enumerate(places)}
    return toysearch.evaluate(run, {query: {"d": 1} for query in run}, measures)


def test_a_change_has_the_p_of_the_paired_t_test():
    before = evaluated([1, 3, 0])
    found = change(before, evaluated([0, 1, 3]))
    assert found.effects[0].p == pytest.approx(stats.ttest_rel([1, 1 / 2, 1 / 4], [1 / 2, 1 / 4, 1]).pvalue)
    assert found.may_be_chance
    assert not change(before, before).may_be_chance


def test_a_change_of_a_geometric_mean_has_no_test():
    found = change(evaluated([1, 3, 0], "GMAP AP"), evaluated([0, 1, 3], "GMAP AP"))
    assert found.effects[0].difference == pytest.approx((1 * 1 / 2 * 1 / 4) ** (1 / 3) - (1 / 2 * 1 / 4 * 1) ** (1 / 3))
    assert math.isnan(found.effects[0].p)
    assert not found.may_be_chance
    assert found.won == {"0": 0.5, "1": 0.25}


def test_what_is_raised_around_an_evaluation_is_its_error(evaluator, file):
    @contextlib.contextmanager
    def around():
        yield
        raise ArgumentError("too slow")

    assert Watch(evaluator, f"{file}:rank", around).look().error == "too slow"


def test_a_save_without_a_change_is_none(watch, file):
    watch.look()
    os.utime(file, ns=(1, 1))
    assert watch.look() is None


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("def rank(tf):\n    return tf\n  oops", "{path}:3: unindent does not match any outer indentation level"),
        ("x = 1\n1 / 0", "{path}:2: ZeroDivisionError: division by zero"),
        ("def other(tf):\n    return tf", "unknown model in {path} 'rank'. Functions of {path}: other"),
        ("raise SystemExit", "{path}: this file ends the program; remove the call of exit"),
    ],
)
def test_an_error_leaves_the_last_good_result(watch, file, text, error):
    first = watch.look()
    file.write_text(LONG_FIRST)
    good = watch.look()
    file.write_text(text)
    saved = watch.look()
    assert saved.error == error.format(path=file)
    assert saved == good._replace(number=2, error=saved.error)
    assert watch.look() is None
    file.write_text(SHORT_FIRST)
    mended = watch.look()
    assert (mended.number, mended.error) == (3, "")
    assert mended.evaluation.per_query == first.evaluation.per_query
    assert mended.since_last.won == {query: -rise for query, rise in good.since_last.lost.items()}


def test_an_error_at_the_start(watch, file):
    file.write_text("(")
    saved = watch.look()
    assert saved.evaluation is None
    assert saved.error
    file.write_text(SHORT_FIRST)
    mended = watch.look()
    assert (mended.number, mended.since_last, mended.since_start) == (1, None, None)


def test_an_empty_file_at_the_start_is_an_error(watch, file):
    file.write_text("")
    assert "unknown model in" in watch.look().error


def test_an_error_while_it_ranks_has_its_line(watch, file):
    watch.look()
    file.write_text("def rank(tf):\n    return tf / nope\n")
    assert f"({file}:2) failed: NameError: name 'nope' is not defined" in watch.look().error


def test_modules_from_its_folder_are_followed(evaluator, file, monkeypatch):
    # Not by syspath_prepend: `importlib.invalidate_caches` is a TypeError in some releases of Python 3.11.
    monkeypatch.setattr(sys, "path", [str(file.parent), *sys.path])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    helper = file.parent / "helper_of_mine.py"
    helper.write_text("def weight(tf, dl): return tf / dl\n")
    file.write_text("import helper_of_mine\ndef rank(tf, dl):\n    return helper_of_mine.weight(tf, dl)\n")
    watch = Watch(evaluator, f"{file}:rank")
    first = watch.look()
    assert watch.look() is None
    helper.write_text("def weight(tf, dl): return dl / tf\n")
    saved = watch.look()
    assert saved.number == 1
    assert saved.since_last.lost
    assert first.error == saved.error == ""
    del sys.modules["helper_of_mine"]


def test_parameters_and_mixtures(evaluator, file):
    file.write_text("def rank(tf, *, k=1.0):\n    return tf / (tf + k)\n")
    assert Watch(evaluator, f"{file}:rank:k=2").look().error == ""
    mixed = Watch(evaluator, f"0.5*bm25 + 0.5*min-max({file}:rank)")
    assert mixed.files == [file]
    assert mixed.look().error == ""


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ("bm25", "'bm25' is not in a file; give a model as FILE.py:NAME"),
        ("mine.py", "'mine.py' is not in a file; give a model as FILE.py:NAME"),
        ("none.py:rank", "none.py: there is no such file; a model of your own is given as FILE.py:NAME"),
    ],
)
def test_what_cannot_be_watched(evaluator, model, message):
    with raising(ArgumentError, message):
        Watch(evaluator, model)
