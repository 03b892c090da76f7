"""Public functions do what is meant with what they are given, or refuse it in a sentence."""

import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from public_names import FRONT, NAMES

import toysearch
from toysearch import Index, Qrels, Run, Searcher, ToysearchError, load
from toysearch.evaluation.convention_effects import side_by_side
from toysearch.evaluation.evaluate import evaluate
from toysearch.evaluation.lint import lint
from toysearch.evaluation.unjudged_bounds import unjudged_bounds
from toysearch.retrieval.similar_documents import near_duplicates, similarity_matrix
from toysearch.study.compare.sensitivity import sensitivity
from toysearch.study.compare.significance import corrected
from toysearch.study.explain.failure_analysis import hardest
from toysearch.study.explain.order_explanation import explain_similar, shared_terms, standing
from toysearch.study.explain.rank_flip import turning_points
from toysearch.study.vocabulary_laws import heaps, zipf
from toysearch.workbench.judging.judge_agreement import kappa
from toysearch.workbench.judging.pooling import pool
from toysearch.workbench.report.measure_curve import curve

NAME = "cat-dog-parrot"
COLLECTION = load(NAME)
INDEX = Index.build(COLLECTION)
SEARCHER = Searcher(INDEX)


USES: dict[str, Callable[[Any], Any]] = {
    "Searcher": lambda what: Searcher(what).search("train cat").doc_ids,
    "search": lambda what: toysearch.search(what, "train cat").doc_ids,
    "explain": lambda what: toysearch.explain(what, "train cat", "1").score,
    "explain_order": lambda what: toysearch.explain_order(what, "train cat", "1", "2").ahead,
    "explain_similar": lambda what: explain_similar(what, "1", "2").score,
    "shared_terms": lambda what: shared_terms(what, "1", "2"),
    "standing": lambda what: standing(what, "train cat", "1"),
    "turning_points": lambda what: len(turning_points(what, "train cat", "1", "2", ["b"])),
    "similar": lambda what: toysearch.similar(what, "1", "bm25").doc_ids,
    "similarity_matrix": lambda what: similarity_matrix(what, ["1", "2"]).tolist(),
    "near_duplicates": lambda what: list(near_duplicates(what, 0.1)),
    "Evaluator": lambda what: toysearch.Evaluator(what, COLLECTION.queries, COLLECTION.qrels, "AP")("bm25")["AP"],
    "tune": lambda what: toysearch.tune("bm25", what, {"k1": [0.5, 1.2]}, folds=2).best.value,
    "ablate": lambda what: toysearch.ablate("bm25", what).value,
    "robustness": lambda what: toysearch.robustness("bm25", what, only="spelling").means,
}
WRONG = [None, 3, 2.5, "nonsense", object(), Run.from_dict({"1": {"a": 1}}), Qrels.from_dict({"1": {"a": 1}}), [None]]


@pytest.mark.system
@pytest.mark.parametrize("name", USES)
def test_an_index_a_searcher_a_collection_or_its_name(name: str, tmp_path: Path) -> None:
    INDEX.save(tmp_path / "pets.idx")
    use = USES[name]
    expected = use(INDEX)
    for what in (SEARCHER, COLLECTION, NAME, COLLECTION.folder, tmp_path / "pets.idx", str(tmp_path / "pets.idx")):
        assert use(what) == expected, what


@pytest.mark.parametrize("name", USES)
def test_anything_else_is_refused_in_a_sentence(name: str) -> None:
    for wrong in WRONG:
        with pytest.raises(ToysearchError) as error:
            USES[name](wrong)
        assert "\n" not in str(error.value)


def test_what_is_checked_is_named() -> None:
    for function, wrong, said in (
        *((each, wrong, "index must be an Index, not ") for each in (zipf, heaps) for wrong in [*WRONG, COLLECTION]),
        (sensitivity, {}, "comparison must be a Comparison, not a dict"),
        (hardest, ["AP"], "evaluations must be a list of Evaluation, not a list of str"),
        (corrected, "none", "p_values must be numbers, not a str"),
        (lambda models: toysearch.robustness(models, NAME), [], "robustness is that of at least one model"),
        (lambda fused: toysearch.fuse(fused, RUN), RUN, "expected several runs, in a list"),
    ):
        with pytest.raises(ToysearchError, match=f"^{said}"):
            function(wrong)


def test_an_index_of_ones_own_takes_queries_and_judgments() -> None:
    own = Index.build({document.doc_id: document.text for document in COLLECTION.documents})
    with pytest.raises(ToysearchError, match="has no judgments to score against; give some: qrels=…"):
        toysearch.ablate("bm25", own)
    given = {"queries": COLLECTION.queries, "qrels": NAME}
    assert toysearch.ablate("bm25", own, **given).value == toysearch.ablate("bm25", INDEX).value
    found = toysearch.tune("bm25", own, {"k1": [0.5, 1.2]}, folds=2, **given)
    assert found.best.value == toysearch.tune("bm25", INDEX, {"k1": [0.5, 1.2]}, folds=2).best.value


JUDGING = {
    function.__name__: function
    for function in (
        *(evaluate, curve, lint, side_by_side, unjudged_bounds),
        *(toysearch.compare, toysearch.diff, kappa, pool, toysearch.fuse),
    )
}


@pytest.mark.parametrize("name", JUDGING)
@pytest.mark.parametrize("wrong", [None, 3, object(), INDEX, SEARCHER, {"1": 3}, {1: {"a": 1}}, [None], []])
def test_no_wrong_run_or_judgments_end_in_an_accident(name: str, wrong: Any) -> None:
    function = JUDGING[name]
    n = sum(each.default is inspect.Parameter.empty for each in inspect.signature(function).parameters.values())
    n = min(n, 3 if name == "diff" else 2)
    good: list[Any] = [{"1": ["a"]}, {"1": ["a"]}, Qrels.from_dict({"1": {"a": 1}})][-n:]
    for place in range(n):
        given = [*good[:place], wrong, *good[place + 1 :]]
        rest = ["AP"] if name == "side_by_side" else []
        try:
            function(*given, *rest)
        except (ToysearchError, TypeError) as error:
            assert "\n" not in str(error)  # noqa: PT017  (some of them work)


WRONG_KINDS: list[Any] = [
    *(None, 3, "nonsense", object(), b"x", [], ["x"], ["x", None], {}, {"1": {"a": 1}}),
    *(COLLECTION, INDEX, Run.from_dict({"1": {"a": 1}}), COLLECTION.qrels),
]
CALLABLES = {
    name: made
    for name, made in NAMES.items()
    if callable(made) and not (isinstance(made, type) and issubclass(made, BaseException))
    if not name.startswith("toysearch.labs.")
}


OF_PYTHON = "missing|expected str, bytes or os.PathLike|should be a str object|strings and bytes|a real number"
"""Errors of Python itself that name what is wrong: a keyword that has to be given, no path, no number."""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CALLABLES)
def test_no_public_name_ends_in_an_accident(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # some of them write files
    made = CALLABLES[name]
    places = [each for each in inspect.signature(made).parameters.values() if each.kind is each.POSITIONAL_OR_KEYWORD]
    needed = [each.name for each in places if each.default is each.empty] or [each.name for each in places[:1]]
    for wrong in WRONG_KINDS:
        try:
            made(**dict.fromkeys(needed, wrong))
        except ToysearchError as error:
            assert str(error)  # noqa: PT017  (some of them work)
        except TypeError as error:
            assert re.search(OF_PYTHON, str(error))  # noqa: PT017


RUN = SEARCHER.run(COLLECTION.queries)
EVALUATION = evaluate(RUN, COLLECTION.qrels, "AP")
GIVEN: dict[str, Any] = {
    **{"collection": COLLECTION, "documents": COLLECTION.documents, "index": INDEX, "searcher": SEARCHER},
    **{"run": RUN, "runs": [RUN, RUN], "first": RUN, "second": RUN, "qrels": COLLECTION.qrels},
    **{"queries": COLLECTION.queries, "query": "train cat", "text": "train cat", "query_id": "1", "word": "cat"},
    **{"model": "bm25", "models": ["bm25"], "systems": ["bm25", "dice"], "measure": "AP", "measures": ["AP"]},
    **{"doc_id": "1", "other": "2", "above": "1", "below": "2", "ranking": "RN", "differences": [0.1, 0.2, -0.1]},
    **{"comparison": toysearch.compare(["bm25", "dice"], COLLECTION, "AP"), "evaluation": EVALUATION},
    **{"lists": {"a": ["1", "2"], "b": ["2", "1"]}, "judgments": {"a": COLLECTION.qrels, "b": COLLECTION.qrels}},
    **{"source": COLLECTION, "path": COLLECTION.folder, "name": NAME, "deviation": 0.2, "n": 20, "effect": 0.3},
}
"""Good values of the arguments that functions need."""
IN_FRONT = [made for name, made in CALLABLES.items() if name.rpartition(".")[2] in FRONT]
OPTIONAL = [
    (function, each.name)
    for function in IN_FRONT
    if {each.name for each in inspect.signature(function).parameters.values() if each.default is each.empty} <= {*GIVEN}
    for each in inspect.signature(function).parameters.values()
    if each.default is not each.empty and each.name not in ("progress", "folder", "reading", "left_out")
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("function", "name"), OPTIONAL, ids=[f"{function.__name__}-{name}" for function, name in OPTIONAL]
)
def test_no_wrong_choice_ends_in_an_accident(
    function: Any, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    needed = [each for each in inspect.signature(function).parameters.values() if each.default is each.empty]
    given = {each.name: GIVEN[each.name] for each in needed if each.name in GIVEN}
    by_place = [given.pop(each.name) for each in needed if each.kind is each.POSITIONAL_ONLY]
    for wrong in (None, 3, 2.5, float("nan"), "nonsense", [], {}, object()):
        try:
            function(*by_place, **given, **{name: wrong})
        except ToysearchError as error:
            assert str(error)  # noqa: PT017  (some of them work)


MADE: list[Any] = [
    *(INDEX, SEARCHER, RUN, COLLECTION, COLLECTION.qrels, COLLECTION.documents[0], COLLECTION.queries[0]),
    *(SEARCHER.search("cat"), SEARCHER.search("cat")[0], INDEX.analyzer, toysearch.MODELS["bm25"]),
    *(toysearch.MEASURES["AP"], EVALUATION, unjudged_bounds(RUN, COLLECTION.qrels)),
    *(toysearch.compare(["bm25", "tfidf"], COLLECTION, "AP"), toysearch.diff(RUN, RUN, COLLECTION.qrels, "AP")),
    toysearch.tune("bm25", INDEX, {"k1": [0.5, 1.2]}, folds=2),
    *(
        toysearch.ablate("bm25", INDEX),
        toysearch.robustness("bm25", INDEX, only="spelling"),
        toysearch.diagnose(COLLECTION.folder),
    ),
    *(toysearch.explain(INDEX, "train cat", "1"), toysearch.explain_order(INDEX, "train cat", "1", "2")),
    *(toysearch.explain_measure(RUN, COLLECTION.qrels, EVALUATION, "AP", "1"), toysearch.pool([RUN])),
    kappa(COLLECTION.qrels, COLLECTION.qrels),
    *(toysearch.paired_test([1.0, 2.0, -3.0]), toysearch.Evaluator(INDEX, COLLECTION.queries, COLLECTION.qrels, "AP")),
]
"""An object of each public class that is not a file, and of what the public functions return."""
_APART = (
    *("Searcher.scores", "Definition.compute", "Model.function", "Pool.get"),
    *("Run.of_groups", "Qrels.of_usual", "Run.ranks_in_dicts", "Run.positions", "Qrels.positions"),
)
"""Methods that are called for each query, a user's own function, that of any mapping, and the steps of `evaluate`."""
METHODS = [
    (made, name)
    for made in MADE
    for name in dir(made)
    if not name.startswith("_") and inspect.isroutine(getattr(type(made), name, None))
    if inspect.ismethod(getattr(made, name)) and f"{type(made).__name__}.{name}" not in _APART
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("made", "name"), METHODS, ids=[f"{type(made).__name__}.{name}" for made, name in METHODS])
def test_no_method_ends_in_an_accident(made: Any, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    method = getattr(made, name)
    places = [each for each in inspect.signature(method).parameters.values() if each.kind is each.POSITIONAL_OR_KEYWORD]
    needed = [each.name for each in places if each.default is each.empty] or [each.name for each in places[:1]]
    for wrong in [*WRONG_KINDS, 2.5]:
        try:
            method(**dict.fromkeys(needed, wrong))
        except ToysearchError as error:
            assert "\n" not in str(error)  # noqa: PT017  (some of them work)
        except TypeError as error:
            assert re.search(OF_PYTHON, str(error))  # noqa: PT017
        except IndexError as error:
            assert name in ("text", "title", "term", "docs", "tf")
            assert wrong == 3, error  # noqa: PT017


def test_ids_that_are_no_texts_are_never_looked_up() -> None:
    for rows in (Run.from_dict({"1": {"a": 1}}), Qrels.from_dict({"1": {"a": 1}})):
        with pytest.raises(ToysearchError, match="ids are texts: write '1', not 1"):
            rows[1]  # type: ignore[index]
        assert rows["2"] == {}


@pytest.mark.parametrize(
    ("call", "refusal"),
    [
        (lambda: toysearch.model("learned:" + "a" * 3000), r"a{20}: there is no such folder"),
        (lambda: toysearch.model("a" * 300), "unknown model"),
        (lambda: toysearch.evaluate({"1": {"a": 1}}, {"1": {"a": 1}}, "a" * 300 + ".py:f"), "there is no such file"),
        (lambda: toysearch.model("bm25", k1=10**400), "k1 of bm25 is too large: a float holds at most 1.8e308"),
        (lambda: toysearch.model("rm3(bm25)").bind(b=10**400), "b of bm25 is too large"),
        (
            lambda: toysearch.model("bm25").weight(tf=10**400, df=1, N=2, dl=1, avgdl=1),
            "tf holds a number that is too large",
        ),
        (lambda: toysearch.evaluate({"1": {"a": 10**400}}, {"1": {"a": 1}}, "AP"), "score|too large"),
        (lambda: toysearch.evaluate({"1": {"a": 1}}, {"1": {"a": 10**400}}, "AP"), "grade|relevance|too large"),
        (lambda: toysearch.evaluate({"1": {"a": 1}}, {"1": {"a": 1}}, "AP", threshold=10**400), "threshold"),
        (lambda: toysearch.compare("cat-dog-parrot", ["bm25", "dph"], alpha=10**400), "alpha"),
        *(
            (lambda gains=gains: toysearch.Evaluator(INDEX, COLLECTION.queries, COLLECTION.qrels, gains=gains), "gains")
            for gains in (10**400, {10**400: 1}, {1: 10**400}, "x")
        ),
    ],
)
def test_long_names_and_large_numbers_are_refused(call, refusal):
    with pytest.raises(toysearch.ToysearchError, match=refusal):
        call()


SYSTEMS_FIRST: dict[str, tuple[Callable[[Any], Any], str]] = {
    "tune": (lambda what: toysearch.tune(what, "bm25", {"b": [0, 1]}), "tune('bm25', collection, grid)"),
    "ablate": (lambda what: toysearch.ablate(what, "bm25"), "ablate('bm25', collection)"),
    "robustness": (
        lambda what: toysearch.robustness(what, ["bm25", "dice"]),
        "robustness(['bm25', 'dph'], collection)",
    ),
    "diff": (lambda what: toysearch.diff(what, "bm25", "dice"), "diff('bm25', 'dph', collection)"),
    "diff, between": (lambda what: toysearch.diff("bm25", what, "dice"), "diff('bm25', 'dph', collection)"),
}


@pytest.mark.parametrize("name", SYSTEMS_FIRST)
def test_documents_before_systems_are_refused_with_the_right_call(name: str) -> None:
    call, written = SYSTEMS_FIRST[name]
    for what in (NAME, COLLECTION, COLLECTION.folder, INDEX):
        with pytest.raises(ToysearchError) as refused:
            call(what)
        assert str(refused.value) == f"the systems come first, then the collection: {written}"


def test_runs_in_files_are_no_documents_before_systems(tmp_path: Path) -> None:
    run = Run.from_dict({"1": {"1": 1}})
    toysearch.write_run(run, tmp_path / "a.run")
    for first in (tmp_path / "a.run", str(tmp_path / "a.run")):
        assert toysearch.diff(first, tmp_path / "a.run", NAME).counts == (0, 3, 0)


def test_a_misspelt_model_in_its_place_is_named_as_one() -> None:
    for call in (
        lambda: toysearch.tune("bm52", NAME, {"b": [0, 1]}),
        lambda: toysearch.robustness("bm52", COLLECTION),
        lambda: toysearch.diff("bm52", "dice", NAME),
    ):
        with pytest.raises(ToysearchError, match="unknown model 'bm52'; did you mean"):
            call()


def test_systems_that_are_not_one_list_and_measures_that_are_not_last() -> None:
    run, qrels = Run.from_dict({"1": {"1": 1}}), {"1": {"1": 1}}
    for call in (
        lambda: toysearch.compare("bm25", "dice", COLLECTION),
        lambda: toysearch.compare(["bm25", "dice"], "AP", COLLECTION),
        lambda: evaluate(run, "AP", qrels),
        lambda: evaluate("AP", qrels, run),
    ):
        with pytest.raises(ToysearchError, match=r"^measures come last: evaluate\(run, qrels, 'AP'\); several systems"):
            call()
    for systems in (NAME, COLLECTION, qrels, Qrels.from_dict(qrels)):
        with pytest.raises(ToysearchError, match=r"systems come first, .*, as in compare\(\["):
            toysearch.compare(systems, [run])


def test_a_threshold_is_a_number() -> None:
    for call in (
        lambda: toysearch.Collection("mine", ["a cat"], threshold="x"),
        lambda: toysearch.features(NAME, ["bm25"], threshold="x"),
        lambda: toysearch.tune("bm25", NAME, {"b": [0, 1]}, threshold="x"),
        lambda: evaluate(Run.from_dict({"1": {"1": 1}}), NAME, threshold="x"),
    ):
        with pytest.raises(ToysearchError, match=r"^the threshold must be a finite number, not 'x'$"):
            call()
