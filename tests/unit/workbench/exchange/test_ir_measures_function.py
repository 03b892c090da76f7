"""Measures that ir_measures defines, against its own values; what goes wrong in one is a sentence."""

import sys
import types

import numpy as np
import pytest

import toysearch
from toysearch import ToysearchError, evaluate


@pytest.mark.system
def test_measures_that_ir_measures_defines():
    """Equal to what ir_measures makes of them, though documents are known by their ranks alone."""
    ir_measures = pytest.importorskip("ir_measures")
    pytest.importorskip("pandas")

    def halving(qrels, run):
        grades = qrels.set_index("doc_id")["relevance"]
        found = sum(grades.get(doc_id, 0) * 2.0**-rank for rank, doc_id in enumerate(run["doc_id"]))
        return float(found) + len(qrels) + 0.1 * float(qrels["relevance"].sum())

    measure = ir_measures.define_byquery(halving, name="Halving")
    companions = toysearch.load("companions")
    run = toysearch.Searcher(companions).run(companions.queries)
    qrels = [ir_measures.Qrel(row.query_id, row.doc_id, int(row.relevance)) for row in companions.qrels]
    documents = [
        ir_measures.ScoredDoc(query, doc, score) for query in run.query_ids for doc, score in run[query].items()
    ]
    expected = {
        str(one): value for one, value in ir_measures.calc_aggregate([measure, measure @ 2], qrels, documents).items()
    }
    assert evaluate(run, companions.qrels, [measure, measure @ 2]).means == pytest.approx(expected, rel=1e-12)


class Defined:
    """What `define` of ir_measures returns, as far as it counts."""

    NAME, SHORT_DESC, params = "Length", "", {"cutoff": 1}
    RUN_INPUTS, QREL_INPUTS, SUPPORTED_PARAMS = ["query_id"], ["relevance"], {"cutoff": None}

    def runtime_impl(self, qrels, run):
        return 1 / 0


def test_what_goes_wrong_in_such_a_measure_is_a_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", types.SimpleNamespace(DataFrame=Frame))
    for changed, message in [
        ({}, "Length: ZeroDivisionError: division by zero"),
        ({"NAME": "two words"}, "a measure of ir_measures needs a name that is one word, not 'two words': define("),
        ({"RUN_INPUTS": ["text"]}, "Length: a measure takes ranks and grades, not the columns text"),
    ]:
        with monkeypatch.context() as patched:
            for name, value in changed.items():
                patched.setattr(Defined, name, value)
            with pytest.raises(ToysearchError) as error:
                evaluate({"1": ["a"]}, {"1": {"a": 1}}, [Defined()])
        assert str(error.value).startswith(message)


class Frame(dict):
    """A data frame with one column of whole numbers."""

    def __init__(self, rows, columns):
        super().__init__(relevance=np.ones(len(rows)))
