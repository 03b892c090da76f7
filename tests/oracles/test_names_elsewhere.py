"""The pages of measures and models: every part is there, and a name that they give for another tool is one there."""

import inspect
import re

import pytest

import toysearch
from toysearch.cli.reference_pages import OF_TERMS, OF_WEIGHTS, measures, models, notes
from toysearch.evaluation.measures.measure import MEASURES, aliases_of, measure_facts, parse_measures
from toysearch.models.calls import CALLS
from toysearch.models.registry import MODELS

ir_measures = pytest.importorskip("ir_measures")
pytrec_eval = pytest.importorskip("pytrec_eval")

NOTES = notes()
TO_WRITE = "write [{}.{}] in toysearch/cli/reference_notes.toml: misleads, a sentence on when the number misleads"
NO_MEASURE = {"runid", "relstring", "gm_bpref"}  # a name, a text, an aggregate of Bpref
ELSEWHERE_ONLY = {"SDCG", "NERR8", "NERR9", "NERR10", "NERR11", "Accuracy"}
RANX = {"hits", "hit_rate", "precision", "recall", "f1", "r-precision", "mrr", "map", "dcg", "dcg_burges", "ndcg"}
RANX |= {"ndcg_burges", "bpref", "rbp"}


@pytest.mark.parametrize("name", MEASURES)
def test_a_measure_has_each_part_of_its_page(name: str) -> None:
    assert name in NOTES["measures"], TO_WRITE.format("measures", name)
    assert NOTES["measures"][name].keys() == {"misleads"}
    assert NOTES["measures"][name]["misleads"]
    facts = measure_facts(name)
    assert all(facts[key] for key in ("formula", "range", "source", "perfect ranking", "undefined"))


@pytest.mark.parametrize("name", [*MODELS, *CALLS])
def test_a_model_has_each_part_of_its_page(name: str) -> None:
    assert name in NOTES["models"], TO_WRITE.format("models", name)
    entry = NOTES["models"][name]
    assert {"misleads"} <= entry.keys() <= {"range", "misleads", "smart"}
    assert all(entry.values())
    if name in CALLS:
        assert CALLS[name].source
        assert CALLS[name].formula
    else:
        assert re.search(r"References\n-+\n\s*\S", inspect.getdoc(MODELS[name]) or "")


def test_the_pages_say_when_each_number_misleads() -> None:
    for kind, page in {"measures": measures(), "models": models()}.items():
        for name, entry in NOTES[kind].items():
            [section] = re.findall(rf"^### {re.escape(name)}\n(.*?)(?=^##|\Z)", page, re.MULTILINE | re.DOTALL)
            assert f"- misleads: {entry['misleads']}\n" in section
            usual = OF_WEIGHTS if name in MODELS else OF_TERMS
            assert kind == "measures" or f"- range: {entry.get('range', usual)}\n" in section


def test_there_is_no_entry_without_a_measure_or_model() -> None:
    assert set(NOTES["measures"]) <= set(MEASURES)
    assert set(NOTES["models"]) <= {*MODELS, *CALLS}


def test_the_names_of_trec_eval_are_read_and_listed() -> None:
    for name in set(pytrec_eval.supported_measures) - NO_MEASURE:
        [ours] = {measure.name for measure in parse_measures({"P": "P_5"}.get(name, name))}
        assert name in (ours, "Rprec_mult") or {name, f"{name}_k", f"{name}_x"} & {*aliases_of(ours)}, name


def test_the_names_of_ir_measures_are_read() -> None:
    for name in set(ir_measures.measures.registry) - ELSEWHERE_ONLY:
        [ours] = {one.name for end in ("", "@5", "@0.4") for one in parsed(f"{name}{end}")}
        assert name == ours or name in aliases_of(ours), name


def test_the_names_of_ranx_are_read() -> None:
    for name in RANX:
        [ours] = {one.name for end in ("", "@5") for one in parsed(f"{name}{end}")}
        assert name in aliases_of(ours), name


def parsed(text: str) -> list[toysearch.evaluation.Measure]:
    """The measures of a text; none if it lacks a cutoff, or has one that it cannot have."""
    try:
        return parse_measures(text)
    except toysearch.ToysearchError:
        return []


def test_ranx_has_these_measures() -> None:
    metrics = pytest.importorskip("ranx.metrics", reason="ranx is not installed: pip install -e '.[oracles]'")
    assert set(re.findall(r'metric == "([\w-]+)"', inspect.getsource(metrics.metric_switch))) == RANX


@pytest.mark.system
@pytest.mark.parametrize("name", ["overlap", "tfidf", "cosine"])
def test_the_letters_of_smart_give_the_scores_of_the_model(name: str) -> None:
    index = toysearch.Index.build(toysearch.load("companions"))
    letters = NOTES["models"][name]["smart"]
    for query in ("removing a tick", "dog dog cat training"):
        ours, theirs = (
            toysearch.Searcher(index, one).search(query, k=400) for one in (name, f"smart:weights={letters}")
        )
        scores = {hit.doc_id: hit.score for hit in theirs}
        assert {hit.doc_id: pytest.approx(hit.score, rel=1e-12) for hit in ours} == scores
