"""The pages of measures and models: every part is there, and a name that they give for another tool is one there."""

import inspect
import re

import pytest
import scipy.spatial.distance
import sklearn.decomposition
import sklearn.feature_extraction.text
import sklearn.metrics
import sklearn.metrics.pairwise

import toysearch
from toysearch.cli.reference_pages import measures, models, notes
from toysearch.evaluation.measures.measure import MEASURES, OF_TREC_EVAL, measure_facts, parse_measures
from toysearch.models.calls import CALLS
from toysearch.models.registry import MODELS

ir_measures = pytest.importorskip("ir_measures")
pytrec_eval = pytest.importorskip("pytrec_eval")

NOTES = notes()
TOOLS = {"trec_eval", "ir_measures", "ranx", "BEIR", "scikit-learn", "Elasticsearch", "ragas"}
TO_WRITE = "write [{}.{}] in toysearch/cli/reference_notes.toml: misleads, a sentence on when the number misleads; {}"
NO_MEASURE = {"runid", "relstring", "gm_bpref"}  # a name, a text, an aggregate of Bpref
ELSEWHERE_ONLY = {"SDCG", "NERR8", "NERR9", "NERR10", "NERR11", "Accuracy"}
RANX = {"hits", "hit_rate", "precision", "recall", "f1", "r-precision", "mrr", "map", "dcg", "dcg_burges", "ndcg"}
RANX |= {"ndcg_burges", "bpref", "rbp"}
SKLEARN = (sklearn.metrics, sklearn.metrics.pairwise, sklearn.feature_extraction.text, sklearn.decomposition)


def given_by(tool: str) -> dict[str, str]:
    """Name in a tool → our measure, without what a page says of it in brackets."""
    texts = {name: entry.get("names", {}).get(tool, "") for name, entry in NOTES["measures"].items()}
    return {word: name for name, text in texts.items() for word in re.sub(r" \([^)]*\)", "", text).split(", ") if word}


@pytest.mark.parametrize("name", MEASURES)
def test_a_measure_has_each_part_of_its_page(name: str) -> None:
    assert name in NOTES["measures"], TO_WRITE.format("measures", name, "names, in other tools, if it has any")
    entry = NOTES["measures"][name]
    assert {"misleads"} <= set(entry) <= {"misleads", "names"}
    assert set(entry.get("names", {})) <= TOOLS
    assert all(entry.values())
    facts = measure_facts(name)
    assert all(facts[key] for key in ("formula", "range", "source", "perfect ranking", "undefined"))


@pytest.mark.parametrize("name", [*MODELS, *CALLS])
def test_a_model_has_each_part_of_its_page(name: str) -> None:
    assert name in NOTES["models"], TO_WRITE.format("models", name, "range, of the scores; names, in other tools")
    entry = NOTES["models"][name]
    assert set(entry) == {"range", "misleads", "names"}
    assert all(entry.values())
    assert all(entry["names"].values())
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
            assert all(f"{tool}: {theirs}" in section for tool, theirs in entry.get("names", {}).items())


def test_there_is_no_entry_without_a_measure_or_model() -> None:
    assert set(NOTES["measures"]) <= set(MEASURES)
    assert set(NOTES["models"]) <= {*MODELS, *CALLS}


def test_the_names_of_trec_eval_are_its_names_and_all_of_them() -> None:
    theirs = {re.sub(r"_[kx]$", "", name): ours for name, ours in given_by("trec_eval").items()}
    ours_of = {
        name: {measure.name for measure in parse_measures({"P": "P_5"}.get(name, name))}
        for name in set(pytrec_eval.supported_measures) - NO_MEASURE
    }
    listed = {name: ours for name, ours in ours_of.items() if not ours & {*OF_TREC_EVAL}}
    assert {name: {ours} for name, ours in theirs.items()} == listed


def test_the_names_of_ir_measures_are_its_names_and_all_of_them() -> None:
    theirs = given_by("ir_measures")
    assert set(theirs) == set(ir_measures.measures.registry) - ELSEWHERE_ONLY
    for name, ours in theirs.items():
        end = {"needed": "@5", "recall": "@0.4"}.get(MEASURES[ours].cutoff, "")
        assert [measure.name for measure in parse_measures(f"{name}{end}")] == [ours]


def test_the_names_of_ranx_are_read() -> None:
    theirs = given_by("ranx")
    assert set(theirs) == RANX
    for name, ours in theirs.items():
        end = {"needed": "@5"}.get(MEASURES[ours].cutoff, "")
        assert [measure.name for measure in parse_measures(f"{name}{end}")] == [ours]


def test_ranx_has_these_measures() -> None:
    metrics = pytest.importorskip("ranx.metrics", reason="ranx is not installed: pip install -e '.[oracles]'")
    assert set(re.findall(r'metric == "([\w-]+)"', inspect.getsource(metrics.metric_switch))) == RANX


def test_the_names_of_scikit_learn_and_scipy_are_theirs() -> None:
    entries = [*NOTES["measures"].values(), *NOTES["models"].values()]
    said = [entry.get("names", {}).get("scikit-learn", "") for entry in entries]
    named = set(re.findall(r"\b(\w+_(?:score|matrix|distances|similarity)|[A-Z]\w+(?:Vectorizer|SVD))", " ".join(said)))
    assert len(named) > 12
    assert [name for name in named if not any(hasattr(module, name) for module in SKLEARN)] == []
    said = [entry.get("names", {}).get("scipy", "") for entry in entries]
    named = {text.rpartition(".")[2].lstrip("−") for text in said if text}
    assert named == {"dice", "jaccard"}
    assert all(hasattr(scipy.spatial.distance, name) for name in named)


@pytest.mark.system
@pytest.mark.parametrize("name", ["overlap", "tfidf", "cosine"])
def test_the_letters_of_smart_give_the_scores_of_the_model(name: str) -> None:
    index = toysearch.Index.build(toysearch.load("companions"))
    letters = NOTES["models"][name]["names"]["SMART"]
    for query in ("removing a tick", "dog dog cat training"):
        ours, theirs = (
            toysearch.Searcher(index, one).search(query, k=400) for one in (name, f"smart:weights={letters}")
        )
        scores = {hit.doc_id: hit.score for hit in theirs}
        assert {hit.doc_id: pytest.approx(hit.score, rel=1e-12) for hit in ours} == scores
