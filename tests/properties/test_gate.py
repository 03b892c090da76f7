"""Whatever stands in a relevance.toml, it is tested or refused; and what is tested is what `evaluate` says."""

import warnings
from pathlib import Path

import pytest
from damaged_files import mutated
from gate_files import VALID
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tiers import often

from toysearch import ToysearchError, evaluate, gate
from toysearch.base.errors import DataError

pytestmark = pytest.mark.system

IDS = st.sampled_from("abcdef")
RUNS = st.dictionaries(st.sampled_from("12345"), st.lists(IDS, min_size=1, unique=True), min_size=1)
QRELS = st.dictionaries(
    st.sampled_from("12345"), st.dictionaries(IDS, st.integers(0, 2), min_size=1), min_size=1, max_size=5
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("gate")
    (folder / "mine.run").write_text("1 Q0 1 1 2 m\n2 Q0 2 1 1 m\n")
    (folder / "qrels.txt").write_text("1 0 1 1\n2 0 1 1\n")
    return folder


@given(data=mutated(VALID.encode()))
@settings(max_examples=often(100), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_any_file_is_tested_or_refused(folder, data):
    path = folder / "relevance.toml"
    path.write_bytes(data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found, refusal = gate(path).outcomes, f"{path}: nothing"
        except ToysearchError as error:
            found, refusal = (), str(error)
    assert refusal.startswith(str(path))
    assert all(outcome.what and outcome.found for outcome in found)


@given(ours=RUNS, theirs=RUNS, qrels=QRELS, limit=st.sampled_from([0, 0.1, 0.25, 0.5, 1]))
@settings(max_examples=often(100), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_outcomes_are_what_evaluate_says(folder, ours, theirs, qrels, limit):
    for name, run in (("ours", ours), ("theirs", theirs)):
        lines = (f"{q} Q0 {doc} 1 {9 - i} x\n" for q, docs in run.items() for i, doc in enumerate(docs))
        (folder / f"{name}.run").write_text("".join(lines))
    rows = (f"{q} 0 {doc} {grade}\n" for q, grades in qrels.items() for doc, grade in grades.items())
    (folder / "judged.txt").write_text("".join(rows))
    text = f'run = "ours.run"\nqrels = "judged.txt"\n[[expect]]\nmeasure = "AP"\nat_least = {limit}\n'
    text += f'[[expect]]\nmeasure = "AP"\nbaseline = "theirs.run"\nquery_may_fall_by = {limit}\n'
    (folder / "relevance.toml").write_text(text)
    if not (ours.keys() & qrels.keys() and theirs.keys() & qrels.keys()):
        with pytest.raises(DataError, match="run and judgments have no query in common"):
            gate(folder / "relevance.toml")
        return
    passed = [outcome.passed for outcome in gate(folder / "relevance.toml").outcomes]
    one, other = evaluate(ours, qrels, "AP", threshold=1), evaluate(theirs, qrels, "AP", threshold=1)
    values = {query_id: row["AP"] for query_id, row in one.per_query.items()}
    falls = [other.per_query[query_id]["AP"] - value for query_id, value in values.items()]
    assert passed == [one["AP"] >= limit, max(falls) <= limit + 1e-12]
