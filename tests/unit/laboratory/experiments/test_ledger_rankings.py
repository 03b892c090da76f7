"""An interrupted evaluation goes on with the rankings that its file has, and gives the same in the end."""

from __future__ import annotations

import functools
import json

import pytest
from raising import raising
from shell import done, run

from toysearch.base import DataError
from toysearch.laboratory import Study
from toysearch.search import searcher as module

pytestmark = pytest.mark.system

MODELS = ["bm25", "rm3(bm25)"]


def columns(made):
    return made.name, made.ranked, made.query_ids, made.doc_ids, made.offsets.tolist(), made.scores.tolist()


STUDY = functools.cache(lambda: Study.of("companions", models=MODELS).ready())


def runs(**settings):
    return [columns(made) for made in STUDY().with_(**settings).runs()]


@pytest.mark.parametrize("lines", [0, 1, 40, 90])
def test_what_the_file_has_is_not_ranked_again(tmp_path, monkeypatch, lines):
    results, expected = tmp_path / "r.jsonl", runs()
    assert runs(results=results) == expected
    whole = results.read_bytes()
    parts = whole.splitlines(keepends=True)
    results.write_bytes(b"".join(parts[:lines]) + parts[lines][: len(parts[lines]) // 2])  # the last line is torn
    asked = []
    ranks = module.Searcher.run

    def counting(self, queries, *rest, **named):
        asked.extend(queries)
        return ranks(self, queries, *rest, **named)

    monkeypatch.setattr(module.Searcher, "run", counting)
    assert runs(results=results) == expected
    assert len(asked) == 116 - max(0, lines - 1)
    assert results.read_bytes() == whole


def test_another_experiment_is_refused(tmp_path):
    results = tmp_path / "r.jsonl"
    runs(results=results)
    message = f"{results} holds another experiment: its k: 1000, not 5; choose another file, or delete this one"
    with raising(DataError, message):
        runs(results=results, k=5)
    (tmp_path / "x.jsonl").write_text('{"a": 1}\n')
    message = f"{tmp_path / 'x.jsonl'}: this is not a file of results of `eval` or `compare`; choose another name"
    with raising(DataError, message):
        runs(results=tmp_path / "x.jsonl")
    lines = results.read_text().splitlines()
    results.write_text("\n".join([lines[0], '{"system": "bm25", "query_id": "1", "doc_ids": ["a"], "scores": []}', ""]))
    message = f"{results}:2: expected a ranking: doc_ids and scores; choose another file"
    with raising(DataError, message):
        runs(results=results)


def test_eval_and_compare_share_a_file(tmp_path):
    results, models = tmp_path / "r.jsonl", ["--model", "bm25", "--model", "dph"]
    plain = json.loads(done("eval", "companions", *models, "--json").stdout)
    assert json.loads(done("eval", "companions", *models, "--results", results, "--json").stdout) == plain
    compared = done("compare", "companions", *models, "--results", results)
    assert compared.stdout == done("compare", "companions", *models).stdout
    assert f"{results}: 58 of 58 rankings of dph are taken from this file" in compared.stderr
    (tmp_path / "a.run").write_text("1 Q0 p106 1 1.0 a\n")
    result = run("eval", tmp_path / "a.run", "companions", "--results", results)
    assert "--results: only with one COLLECTION; run files are scored as they are" in result.stderr
    result = run("eval", "companions", *models, "--results", results, "--worst", "2")
    assert "--worst predicts difficulties while it ranks: leave out --results" in result.stderr
    result = run("compare", "companions", *models, "--results", results, "--feedback", "5")
    assert "--results keeps rankings of the queries as they are: leave out --alter and --feedback" in result.stderr
