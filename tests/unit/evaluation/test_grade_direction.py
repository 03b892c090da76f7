"""Grades that run backwards are told before the figures; others are not."""

from __future__ import annotations

import shutil

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.stats import wilcoxon

from toysearch import Qrels, Run, doubts
from toysearch.cli.app import command
from toysearch.evaluation.grade_direction import _chance, backwards

WORDS = "the scale runs backwards: documents with 1 are ranked higher than those with 4"


def example(n_queries, grades):
    names = "abcd"[: len(grades)]
    run = {str(query): {name: -float(place) for place, name in enumerate(names)} for query in range(n_queries)}
    return Run.from_dict(run), Qrels.from_dict({query: dict(zip(names, grades, strict=True)) for query in run})


@pytest.mark.parametrize(
    ("n_queries", "grades", "found"),
    [
        (12, [1, 2, 3], (1.0, 3.0)),
        (500, [1, 2, 3, 0], (1.0, 3.0)),
        (12, [3, 2, 1], None),
        (12, [0, 1], None),
        (12, [-1, 0, 1], None),
        (9, [1, 2, 3], None),  # by accident with a chance of 1 in 512
    ],
)
def test_examples(n_queries, grades, found):
    run, qrels = example(n_queries, grades)
    assert backwards(run, qrels) == found
    assert len(doubts(run, qrels)) == (found is not None)


@pytest.mark.parametrize("n", [10, 40, 225])
def test_the_chance_is_that_of_scipy(n):
    values = np.round(np.random.default_rng(n).normal(-0.3, 0.6, n), 1)
    expected = wilcoxon(values[values != 0], alternative="less", method="approx", correction=False).pvalue
    assert _chance(values) == pytest.approx(expected if np.count_nonzero(values) >= 10 else 1.0, rel=1e-9)


@pytest.mark.parametrize(
    "arguments", [("eval", "-m", "nDCG@10"), ("compare", "--model", "bm25", "--model", "tfidf", "-m", "AP")]
)
def test_cranfield_in_a_folder_of_ones_own(corpora, tmp_path, arguments):
    """The codes of its file run backwards; the collection of the catalog has turned them round."""
    for name in ("cran.all.1400", "cran.qry", "cranqrel"):
        shutil.copy(corpora / "cranfield" / name, tmp_path / name)
    name, *options = arguments
    assert WORDS in CliRunner().invoke(command, [name, str(tmp_path), *options]).stderr
    assert "backwards" not in CliRunner().invoke(command, [name, "cranfield", *options]).stderr
