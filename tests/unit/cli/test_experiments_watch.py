"""`toysearch watch`: a line a save, errors with the last good value, and how it ends."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
from functools import partial
from typing import ClassVar

import pytest
import shell
from interrupted import PROGRAM

from toysearch.laboratory.effects import Effect
from toysearch.laboratory.experiments.model_watch import (
    BestSave,
    Change,
    Saved,
    saved_data,
    saved_line,
    saved_text,
    sparkline,
    values_line,
)

GOOD = "def rank(tf, df, N):\n    return tf * N / df\n"
WORSE = "def rank(tf, df, N):\n    return 0 - tf * N / df\n"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(GOOD)
    return tmp_path


run = partial(shell.run, "watch")


def test_once():
    result = run("cat-dog-parrot", "--model", "mine.py:rank", "-m", "AP RR", "--once")
    assert (result.exit_code, result.stdout) == (0, "start: AP 1.0000  RR 1.0000\n")


def test_once_with_an_error(folder):
    (folder / "mine.py").write_text("(\n")
    result = run("cat-dog-parrot", "--model", "mine.py:rank", "--once")
    assert (result.exit_code, result.stdout) == (1, "start: error: mine.py:1: '(' was never closed\n")


def test_json():
    data = json.loads(run("cat-dog-parrot", "--model", "mine.py:rank", "--once", "--json").stdout)
    assert data == {
        "save": 0,
        "error": None,
        "measures": {"AP": 1.0},
        "since_last": None,
        "since_start": None,
        "best": {"number": 0, "value": 1.0},
    }


@pytest.mark.parametrize(("arguments", "message"), [(["cat-dog-parrot"], "Missing option '--model'")])
def test_what_is_refused(arguments, message):
    result = run(*arguments)
    assert result.exit_code == 2
    assert message in result.stderr


@pytest.fixture
def watching():
    """The command as a process of its own, which is ended with the test."""
    arguments = ["watch", "cat-dog-parrot", "--model", "mine.py:rank", "-m", "AP"]

    def start(*more):
        process = subprocess.Popen(
            [*PROGRAM, *arguments, *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8"
        )
        processes.append(process)
        return process

    processes = []
    yield start
    for process in processes:
        process.kill()
        process.communicate()


def test_a_line_for_each_save_and_an_end(watching, folder):
    process = watching("--saves", "3")
    assert process.stdout.readline() == "start: AP 1.0000\n"
    (folder / "mine.py").write_text(WORSE)
    worse = process.stdout.readline()
    assert worse.startswith("save 1: AP 0.")
    assert worse.endswith("since start (won 0, lost 3)  best so far: the start, 1.0000\n")
    (folder / "other.py").write_text(WORSE + ")\n")
    os.replace(folder / "other.py", folder / "mine.py")
    assert process.stdout.readline().startswith("save 2: error: mine.py:3: unmatched ')' (last good: AP 0.")
    (folder / "mine.py").write_text(GOOD)
    mended = process.stdout.readline()
    assert mended.startswith("save 3: AP 1.0000  +0.")
    assert mended.endswith("since last (won 3, lost 0)  +0.0000 since start (won 0, lost 0)\n")
    assert process.wait(20) == 0


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has another Ctrl-C")
def test_ctrl_c_ends_it_with_130(watching):
    process = watching()
    process.stdout.readline()
    process.send_signal(signal.SIGINT)
    assert process.wait(20) == 130
    assert process.stderr.read() == "toysearch: interrupted\n"


class Two:
    """An evaluation with two measures."""

    measures = ("AP", "RR")
    means: ClassVar = {"AP": 0.25, "RR": 0.5}

    def __getitem__(self, name):
        return self.means[name]


def change(rises, won, lost, p=math.nan):
    """A change of the means of some measures from 0."""
    effects = [Effect("", "", measure, 9, 0.0, rise, p=p) for measure, rise in rises.items()]
    return Change(tuple(effects), won, lost)


SAVED = Saved(
    3,
    Two(),
    change({"AP": 0.0123, "RR": -1e-9}, {"7": 0.5, "8": 0.25, "9": 0.125, "10": 0.1}, {"3": -0.25}),
    change({"AP": -0.05, "RR": 0.0}, {}, {"3": -0.25}),
    "",
)


def test_a_save_as_data():
    data = saved_data(SAVED)
    assert data["since_last"]["effects"]["AP"] | {"queries": 9} == {
        **dict.fromkeys(("difference", "low", "high", "p_uncorrected", "p", "effect")),
        **{"queries": 9, "before": 0.0, "after": 0.0123},
    }
    assert (data["since_last"]["won"], data["since_start"]["lost"]) == (SAVED.since_last.won, {"3": -0.25})


def test_a_line():
    assert saved_line(SAVED) == (
        "save 3: AP 0.2500  RR 0.5000  +0.0123 since last (won 4, lost 1)  -0.0500 since start (won 0, lost 1)"
    )
    assert saved_line(SAVED._replace(error="mine.py:1:\nbad")) == (
        "save 3: error: mine.py:1: bad (last good: AP 0.2500  RR 0.5000)"
    )


def test_a_screen():
    assert saved_text(SAVED, {"7": "how to train a cat without a whistle", "3": "x\n\x1b[2J"}, 40).splitlines() == [
        "AP         0.2500   +0.0123 since the last save   -0.0500 since the start",
        "RR         0.5000   +0.0000 since the last save   +0.0000 since the start",
        "won        4 queries",
        "  +0.5000  7  how to train a cat …",
        "  +0.2500  8  ",
        "  +0.1250  9  ",
        "lost       1 query",
        "  -0.2500  3  x [2J",
    ]
    assert saved_text(SAVED._replace(evaluation=None, since_last=None), {}, 40) == ""


def test_what_may_be_chance_has_a_mark_and_the_best_save_is_named():
    saved = SAVED._replace(
        since_last=change({"AP": 0.0123, "RR": 0.0}, SAVED.since_last.won, SAVED.since_last.lost, p=0.06),
        best=BestSave(2, 0.5),
    )
    assert saved_line(saved).endswith(
        "+0.0123~ since last (won 4, lost 1)  -0.0500 since start (won 0, lost 1)  best so far: save 2, 0.5000"
    )
    assert saved_text(saved, {}, 40).splitlines()[:2] == [
        "AP         0.2500   +0.0123~ since the last save   -0.0500 since the start",
        "RR         0.5000   +0.0000 since the last save   +0.0000 since the start",
    ]
    assert "~" not in saved_line(SAVED._replace(since_last=change({"AP": 0.0, "RR": 0.0}, {}, {}, 1.0)))
    assert values_line(saved, [0.1, 0.5, 0.25]) == "save 3   0.1000 ▁█▄ 0.5000   best so far: save 2, 0.5000"
    assert values_line(saved._replace(number=0), [0.1]) == "start"


def test_a_model_that_does_not_end_is_stopped_and_the_watch_goes_on(watching, folder):
    process = watching("--saves", "2", "--seconds", "1")
    assert process.stdout.readline() == "start: AP 1.0000\n"
    (folder / "mine.py").write_text("def rank(tf):\n    while True:\n        pass\n")
    assert process.stdout.readline() == (
        "save 1: error: mine.py:rank was still running after 1 s and was stopped; is there a "
        "loop that does not end? (--seconds sets the limit) (last good: AP 1.0000)\n"
    )
    (folder / "mine.py").write_text(GOOD)
    assert process.stdout.readline().startswith("save 2: AP 1.0000")
    assert process.wait(20) == 0


def test_a_row_of_blocks():
    assert sparkline([1, 2, 4, float("nan"), 3], 10) == "▁▃█▆"
    assert sparkline([1, 2, 3], 2) == "▁█"
    assert sparkline([0.5], 2) == "▁"
    assert sparkline([], 2) == ""
