"""Trials: each setting is evaluated and told once, on the index of its analysis."""

from __future__ import annotations

import pytest

import toysearch
from toysearch import Document, Qrels, Query
from toysearch.corpus.collection import Collection
from toysearch.evaluation.measures.measure import parse_measures
from toysearch.laboratory.experiments.grids import Axis
from toysearch.laboratory.experiments.tuning import Trials
from toysearch.laboratory.study import Study

AXES = [Axis("stem", ("none", "english", "porter"), of_analysis=True), Axis("b", (0.0, 1.0))]
TEXTS, QUERIES, QRELS = {"a": "cat", "b": "the cats sat"}, {"1": "cat", "2": "sat"}, {"1": {"b": 1}, "2": {"b": 1}}


@pytest.fixture
def built(monkeypatch):
    """The analyzers whose indexes are built, in order."""
    analyzers, build = [], Study._built
    monkeypatch.setattr(Study, "_built", lambda study: analyzers.append(study.analyzer) or build(study))
    return analyzers


def trials(**options):
    documents = [Document(doc_id, text) for doc_id, text in TEXTS.items()]
    queries = [Query(query_id, text) for query_id, text in QUERIES.items()]
    collection = Collection("texts", documents, queries, Qrels.from_dict(QRELS))
    study = Study.of(collection, analyzer=toysearch.Analyzer(stem=None))
    return Trials(study, toysearch.model("bm25"), AXES, parse_measures("RR")[0], **options)


SETTINGS = [
    {"stem": "english", "b": 0.0},
    {"stem": "none", "b": 0.0},
    {"stem": "porter", "b": 0.0},
    {"stem": "english", "b": 1.0},
    {},
]
WITH_STEMS, WITHOUT = [0.5, 1.0], [0.0, 1.0]


@pytest.mark.parametrize(("keep", "stems"), [(False, 3), (True, 2)])
def test_what_is_prepared(built, keep, stems):
    made = trials(keep=keep, threads=1)
    values = [row.tolist() for row in made.values(SETTINGS)]
    assert values == [WITH_STEMS, WITHOUT, WITH_STEMS, WITH_STEMS, WITHOUT]
    assert [bool(analyzer.stem) for analyzer in built].count(True) == stems
    assert len(built) == stems + 1
    made.values(SETTINGS[::-1])
    assert len(built) == stems + 1  # each setting once


def test_each_is_told_once_in_its_order():
    told = []
    made = trials(threads=3, tell=lambda setting, row: told.append((setting, row.tolist())))
    made.values([*SETTINGS, *SETTINGS])
    assert [setting for setting, _ in told] == SETTINGS
    assert told[0] == ({"stem": "english", "b": 0.0}, WITH_STEMS)
