"""`toysearch show` as textbooks draw it: whole outputs of a term and of the two laws."""

from __future__ import annotations

import json
from functools import partial

import pytest
import shell

import toysearch

run = partial(shell.run, "show")


@pytest.fixture(scope="module")
def sparse(tmp_path_factory):
    """An index whose term cat is in the documents 1, 9, 10, 13, 24, all of 24."""
    texts = ["dog"] * 24
    for number, tf in ((1, 1), (9, 2), (10, 1), (13, 12), (24, 1)):
        texts[number - 1] = " ".join(["cat"] * tf)
    folder = tmp_path_factory.mktemp("indexes") / "sparse.idx"
    toysearch.Index.build(texts).save(folder)
    return folder


@pytest.fixture(scope="module")
def zipfian(tmp_path_factory):
    """An index of 60 terms; that of rank r occurs ⌊120 / r⌋ times, in the order of the ranks, 20 a document."""
    tokens = [f"w{rank:02}" for rank in range(1, 61) for _ in range(120 // rank)]
    folder = tmp_path_factory.mktemp("indexes") / "zipfian.idx"
    texts = [" ".join(tokens[start : start + 20]) for start in range(0, len(tokens), 20)]
    toysearch.Index.build(texts).save(folder)
    return folder


def test_the_laws_and_their_plots(zipfian):
    shown = run(zipfian).stdout
    assert shown[shown.index("Zipf") :].splitlines() == LAWS
    assert max(map(len, shown.splitlines())) <= 80


def test_a_range_of_ranks(zipfian):
    shown = run(zipfian, "--ranks", "1-4").stdout
    assert "Zipf's law: cf ≈ 120 · rank^-1.000  (R² = 1.0000)\n" in shown
    assert "• law, ranks 1 to 4   + terms\n" in shown
    data = json.loads(run(zipfian, "--ranks", "2-4", "--json").stdout)["zipf"]
    assert data == pytest.approx({"c": 120, "slope": -1, "r_squared": 1, "first": 2, "last": 4})


def test_the_line_is_drawn_where_it_was_fitted(zipfian):
    """The terms of the ranks 50 to 60 lie on it, and hide it; elsewhere it would be seen."""
    shown = run(zipfian, "--ranks", "50-60").stdout
    assert "Zipf's law: cf ≈ 2 · rank^0.000  (R² = undefined)\n" in shown
    assert shown.partition("Heaps")[0].count("•") == 1  # before the name


def test_one_document_has_no_growth(tmp_path):
    toysearch.Index.build([" ".join(f"w{number}" for number in range(60))]).save(tmp_path / "one.idx")
    shown = run(tmp_path / "one.idx").stdout
    assert shown.endswith("\nHeaps' law: the vocabulary of a single document does not grow\n")
    assert "Zipf's law: cf ≈ 1 · rank^0.000  (R² = undefined)\n" in shown
    assert json.loads(run(tmp_path / "one.idx", "--json").stdout)["heaps"] == {"k": None, "b": None, "r_squared": None}


LAWS = [
    "Zipf's law: cf ≈ 130 · rank^-1.058  (R² = 0.9911)",
    "",
    "  cf   • law, ranks 1 to 60   + terms",
    "     │+",
    " 100 │",
    "     │           +",
    "     │                 +",
    "     │                     +   +",
    "     │                            + + +",
    "     │                                • ++ •",
    "  10 │                                     +++ ++++",
    "     │                                            ++++++",
    "     │                                                 •+++••",
    "     │                                                     +++++•••",
    "     │                                                         +++++++",
    "     └┬──────────────────────────────────┬────────────────────────────",
    "      1                                 10",
    "                                                                  rank",
    "",
    "Heaps' law: terms ≈ 0.00215 · tokens^1.475  (R² = 0.7865)",
    "",
    " terms   • law   + documents",
    "    60 │                                                               +",
    "       │",
    "       │                                                            +",
    "       │",
    "    40 │                                                          +",
    "       │                                                        +",
    "       │                                                     +",
    "    20 │                                                   +    • • •  •",
    "       │                                              + +  • •",
    "       │                               •  • •  + + +",
    "       │              •  • •  + +  + + +  + +",
    "       │+ +  + +  + + +  + +",
    "       └──────────────────────┬───────────────────────┬─────────────────",
    "                             200                     400",
    "                                                                  tokens",
]


def test_more_blocks_than_fit_are_counted(tmp_path):
    toysearch.Index.build(["cat"] * (9 * 128 + 1)).save(tmp_path / "long.idx")
    shown = run(tmp_path / "long.idx", "--term", "cat", "--textbook").stdout
    assert shown.endswith(f"{'128':>8}{'1,024':>15}{'0':>14}{'0':>13}{'1':>12}{'1':>10}{'0':>6}\n… 2 more\n")
