"""Other grades in the place of those of the judgments, and a scale whose lowest grade gains something."""

import warnings
from pathlib import Path

import pytest
from error_messages import raising

from toysearch import Collection, Document, Qrels, Query, ToysearchNote, compare, evaluate
from toysearch.base.errors import ArgumentError, DataError
from toysearch.files import QrelsLike
from toysearch.study import Study
from toysearch.workbench.judging.judgment_log import JudgmentLog

RUN = {"1": ["a", "b", "c"]}
FIVE_POINTS = {"1": {"a": 1, "b": 1, "c": 1, "d": 5, "e": 3}}
SHIFTED = {1: 0, 2: 1, 3: 2, 4: 3, 5: 4}


def notes(measures: str, qrels: QrelsLike, **options: object) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        evaluate(RUN, qrels, measures, **options)  # type: ignore[arg-type]
    return [str(warning.message) for warning in caught if issubclass(warning.category, ToysearchNote)]


def test_irrelevant_documents_that_gain_score() -> None:
    with pytest.warns(ToysearchNote):
        assert evaluate(RUN, FIVE_POINTS, "nDCG@3")["nDCG@3"] == pytest.approx(0.288244, abs=5e-7)
    shifted = evaluate(RUN, FIVE_POINTS, "nDCG@3 P@3", gains=SHIFTED)
    assert shifted.means == {"nDCG@3": 0, "P@3": 0}
    assert shifted.without_relevant == ()


def test_the_note() -> None:
    assert notes("nDCG@3 DCG", FIVE_POINTS) == [
        "the lowest grade, 1, has a gain in nDCG@3; if it means not relevant: nDCG(gains={1:0})@3"
    ]
    assert notes("AP nDCG@3 DCG", FIVE_POINTS) == [
        "the lowest grade, 1, counts as relevant in AP and has a gain in nDCG@3; if it means not relevant: "
        "evaluate(…, threshold=3) and nDCG(gains={1:0})@3"
    ]


@pytest.mark.parametrize("measure", ["AP", "P@3", "RR", "Rprec", "Success@1", "Bpref", "SetF", "NumRel"])
@pytest.mark.parametrize("grades", [{"a": 1, "b": 2, "c": 5, "d": 1}, {"a": 1, "b": 2.33, "c": 3, "d": 1}])
def test_the_note_is_for_all_measures_with_a_threshold(measure: str, grades: dict[str, float]) -> None:
    """Its remedy makes the lowest grade not relevant, and every other one relevant."""
    [text] = notes(measure, {"1": grades})
    threshold = float(text.partition("threshold=")[2].rstrip(")"))
    with_zero = evaluate(RUN, {"1": grades | {"a": 0, "d": 0}}, measure, threshold=0.5)
    assert evaluate(RUN, {"1": grades}, measure, threshold=threshold).means == with_zero.means
    assert notes(measure, {"1": grades}, threshold=1) == []
    assert notes("Judged@3 NumRet", {"1": grades}) == []


@pytest.mark.parametrize("measure", ["CG", "NCG", "ERR", "Q", "GAP", "Compat", "RBP", "nDCG(dcg='exp-log2')@3"])
def test_the_note_is_for_all_measures_of_grades(measure: str) -> None:
    """Its remedy is the same measure, where the lowest grade gains nothing."""
    [text] = notes(measure, FIVE_POINTS)
    remedy = text.partition("if it means not relevant: ")[2]
    gains = {grade: grade for grade in (2, 3, 4, 5)} | {1: 0}
    expected = evaluate(RUN, FIVE_POINTS, measure, gains=gains).means.values()
    if remedy.startswith("read_qrels"):
        assert remedy == "read_qrels(…, grades='1=0,3=3,5=5')"
    else:
        assert [*evaluate(RUN, FIVE_POINTS, remedy).means.values()] == [*expected]


@pytest.mark.parametrize(
    ("measures", "qrels", "options"),
    [
        ("nDCG", FIVE_POINTS, {"gains": SHIFTED}),
        ("nDCG(gains={1:0})", FIVE_POINTS, {}),
        ("AP(rel=1) RBP(rel=1)", FIVE_POINTS, {}),  # a threshold says what is relevant
        ("nDCG", {"1": {"a": 0.7, "b": 0.1, "c": 1}}, {"threshold": 0.5}),  # shares mean what they say
        ("nDCG", {"1": {"a": 1, "b": 1}}, {}),  # the relevant documents and no others
        ("nDCG AP", FIVE_POINTS, {"threshold": 1}),
        ("nDCG AP", {"1": {"a": 1, "b": 2, "c": 3}}, {}),  # not the commonest grade: weakly relevant
        ("nDCG AP", {"1": {"a": 1, "b": 2, "c": 2}, "2": {"a": 1, "c": 3}}, {}),  # as many
        ("nDCG", {"1": {"a": 1, "b": 2}, "2": {"a": 0}}, {}),
        ("nDCG", {"1": {"a": 1, "b": 2}, "2": {"a": -1}}, {}),
    ],
)
def test_no_note(measures: str, qrels: dict[str, dict[str, float]], options: dict[str, object]) -> None:
    assert notes(measures, qrels, **options) == []


def test_a_judge_who_saw_the_scale_has_no_other_one_in_mind(tmp_path: Path) -> None:
    """A log of judging states its scale, by itself and beside a collection; copied to another file it does not."""
    copied, log = tmp_path / "copied.qrels", tmp_path / "log.jsonl"
    copied.write_text("".join(f"1 0 {doc_id} {grade}\n" for doc_id, grade in FIVE_POINTS["1"].items()))
    with JudgmentLog(log) as judged:
        for doc_id, grade in FIVE_POINTS["1"].items():
            judged.add("ada", "1", doc_id, grade)
    pets = Collection("pets", [Document(doc_id, "cat") for doc_id in "abcde"], [Query("1", "cat")])
    told = "the lowest grade, 1, has a gain in nDCG; if it means not relevant: nDCG(gains={1:0})"
    for judgments, expected in ((copied, [told]), (log, [])):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            compare(["bm25", "tfidf"], Study.of(pets, qrels=judgments), "nDCG")
            assert {str(one.message) for one in caught if "lowest" in str(one.message)} == {*expected}
        found = [text for text in notes("nDCG", judgments) if "lowest" in text]
        assert found == expected
        assert not [text for text in notes("nDCG", judgments, threshold=1) if "lowest" in text]


def test_of_a_collection_only_a_stated_threshold_is_a_known_scale() -> None:
    documents, judged = [Document(doc_id, doc_id) for doc_id in "abcde"], Qrels(FIVE_POINTS)
    unstated = Collection("pets", documents, [Query("1", "a")], judged)
    stated = Collection("pets", documents, [Query("1", "a")], judged, threshold=1)
    assert len(notes("nDCG", unstated)) == 1
    assert notes("nDCG", stated) == []


def test_the_threshold_is_one_of_the_new_grades() -> None:
    qrels = {"1": {"a": 3, "b": 2, "c": 1}}
    result = evaluate(RUN, qrels, "P@3 NumRel(rel=2)", gains={1: 0, 2: 1, 3: 2})
    assert result.means == {"P@3": pytest.approx(2 / 3), "NumRel(rel=2)": 1}
    assert evaluate(RUN, qrels, "P@3", gains={1: 3, 2: -1, 3: 0})["P@3"] == pytest.approx(1 / 3)


def test_a_grade_without_an_entry_is_refused() -> None:
    with pytest.raises(DataError) as error:
        evaluate(RUN, FIVE_POINTS, "nDCG", gains={1: 0, 3: 2})
    assert str(error.value) == (
        "query '1', document 'd': gains has no entry for the grade 5, only for 1, 3; give one, 5 again to keep it"
    )
    with pytest.raises(DataError, match="only for no grade"):
        evaluate(RUN, FIVE_POINTS, "nDCG", gains={})


@pytest.mark.parametrize(("grade", "gain"), [(1, float("nan")), (1, "x"), ("1", 2)])
def test_what_is_no_number_is_refused(grade: object, gain: object) -> None:
    with raising(ArgumentError, f"gains: expected finite numbers, such as {{1: 0, 2: 1}}; found {grade!r}: {gain!r}"):
        evaluate(RUN, FIVE_POINTS, "nDCG", gains={grade: gain})  # type: ignore[dict-item]
