"""Every number of the published examples, computed; every slip gives what was printed."""

import math

import pytest
from error_messages import raising

from toysearch import worked_examples
from toysearch.base.errors import ArgumentError, DataError
from toysearch.classroom.worked_examples import reads_as

pytestmark = pytest.mark.system


@pytest.fixture(scope="module")
def rows():
    """Each number of each example, with the id of the example."""
    return [(example.example_id, row) for example in worked_examples() for row in example.rows]


def test_ours_is_the_standard_value(rows):
    for place, row in rows:
        assert row.ours == pytest.approx(row.standard, abs=1e-6, nan_ok=True), (place, row)
        assert row.right, (place, row)


def test_a_number_printed_otherwise_is_explained_by_a_slip_that_gives_it(rows):
    for place, row in rows:
        if row.as_printed is not False:
            assert row.by_slip is None, (place, row)
            continue
        assert row.slip, (place, row)
        if row.by_slip is None:
            assert (place, row.measure) == ("E9", "documents")  # a count, which nothing computes
        else:
            assert reads_as(row.printed, row.by_slip), (place, row)


def test_all_five_sources_are_there_with_all_their_slips(rows):
    slips = [place for place, row in rows if row.as_printed is False]
    assert " ".join(sorted(slips)) == "A10 A11 A12 B1 B1 B2 B2 B3 B3 B4 B4 B5 B5 B8 C10 D2 D3 D3 E1 E7 E9"
    assert {place[0] for place, _ in rows} == set("ABCDE")


def test_a_number_that_its_source_does_not_print_is_marked_as_one_by_its_formula(rows):
    given = [(place, row.printed) for place, row in rows if row.by_formula and row.printed]
    assert [place for place, _ in given] == ["D3"] * 2 + ["E1"] * 4 + ["E2"] * 3 + ["E5", "E7"] + ["E8"] * 3
    assert {row.shown for _, row in rows if row.by_formula and not row.printed} == {"by its formula"}
    assert sum(row.by_formula and not row.printed for _, row in rows) == 21
    assert {place[0] for place, row in rows if row.by_formula} == {"D", "E"}
    printed = [row.shown for place, row in rows if place in ("D1", "D2", "E5", "E9")]
    assert printed == ["3/5", "3/7", "by its formula", "1", "0.999 by its formula", "0", "1398", "225"]


def test_a_measure_that_changes_is_noticed(monkeypatch):
    from toysearch.evaluation.measures.definition import Piece, Terms
    from toysearch.evaluation.measures.measure import MEASURES

    broken = MEASURES["AP"]._replace(compute=lambda judged, **_: Terms(Piece("half", judged.retrieved * 0.5)))
    monkeypatch.setattr("toysearch.evaluation.measures.measure.MEASURES", {**MEASURES, "AP": broken})
    wrong = {example.example_id for example in worked_examples("A") for row in example.rows if not row.right}
    assert wrong == {"A6", "A7"}


def test_what_cannot_be_computed_has_no_value():
    [example] = [example for example in worked_examples("c") if example.example_id == "C6"]
    assert {row.measure for row in example.rows if math.isnan(row.ours)} == {"AP", "R@5"}


def test_an_unknown_source_is_refused():
    with raising(ArgumentError, "unknown source of examples 'Z'. Sources of examples: A, B, C, D, E"):
        worked_examples("Z")


def test_an_example_that_says_nothing_to_compute_is_refused(tmp_path):
    text = 'source = "s"\n[[example]]\nid = "A1"\nwhat = "w"\nvalue = [{measure = "AP", standard = 1.0}]\n'
    (tmp_path / "A.toml").write_text(text)
    with pytest.raises(DataError) as refused:
        worked_examples("A", tmp_path)
    assert str(refused.value) == (
        "example A1 has nothing to compute; expected one of documents, texts, recipe, numbers, collection, rankings, "
        "ranking"
    )


def test_printed_numbers_may_be_rounded_or_cut():
    for printed, value in (("0.67", 2 / 3), ("0.66", 2 / 3), ("3/4", 0.75), ("40", 40.0), ("0.38", 0.375)):
        assert reads_as(printed, value)
    for printed, value in (("0.68", 2 / 3), ("0.65", 2 / 3), ("3/4", 0.7), ("NaN", 0.0), ("1", math.nan), ("1", 0.7)):
        assert not reads_as(printed, value)
