"""`toysearch show` as textbooks draw it (whole outputs: tests/golden/sessions): what is too long, and numbers."""

import json
from functools import partial

import pytest
import shell

import toysearch

run = partial(shell.run, "show")


def test_more_blocks_than_fit_are_counted(tmp_path):
    toysearch.Index.build(["cat"] * (9 * 128 + 1)).save(tmp_path / "long.idx")
    shown = run(tmp_path / "long.idx", "--term", "cat", "--textbook").stdout
    assert shown.endswith(f"{'128':>8}{'1,024':>15}{'0':>14}{'0':>13}{'1':>12}{'1':>10}{'0':>6}\n… 2 more\n")


def test_the_laws_for_programs(tmp_path):
    """Of two ranks a line is exact, and one document has no growth."""
    toysearch.Index.build([" ".join(["w1"] * 60 + ["w2"] * 30 + ["w3"] * 20)]).save(tmp_path / "one.idx")
    data = json.loads(run(tmp_path / "one.idx", "--ranks", "2-3", "--json").stdout)
    assert data["zipf"] == pytest.approx({"c": 60, "slope": -1, "r_squared": 1, "first": 2, "last": 3})
    assert data["heaps"] == {"k": None, "b": None, "r_squared": None}
