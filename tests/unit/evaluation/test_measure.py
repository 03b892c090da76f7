from __future__ import annotations

import pytest

from toysearch.errors import ArgumentError
from toysearch.evaluation.measure import Measure, parse_measures
from toysearch.evaluation.measures import MEASURES

LISTED = "AP, nDCG, P, R, F, RR, Rprec, Success, NumRet, NumRel, NumRelRet"


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("AP", "AP"),
        (" nDCG@10 ", "nDCG@10"),
        ("P(rel=2)@5", "P(rel=2)@5"),
        ("P( rel = 2.0 )@5", "P(rel=2)@5"),
        ("AP(rel=0.5)@100", "AP(rel=0.5)@100"),
        ("AP()", "AP"),
        ("AP(rel=1)", "AP(rel=1)"),  # 1 is no default: that is the threshold
        ("F(beta=1)@5", "F@5"),
        ("F(beta=0.5,rel=2)@5", "F(rel=2,beta=0.5)@5"),
        ("RR", "RR"),
        ("RR@10", "RR@10"),
        ("Rprec(rel=3)", "Rprec(rel=3)"),
        ("R@1000", "R@1000"),
        ("Success@1", "Success@1"),
        ("NumRel(rel=2)", "NumRel(rel=2)"),
        ("NumRet", "NumRet"),
        ("AP(rel=1e300)", "AP(rel=1e+300)"),
    ],
)
def test_the_text_form_parses_back(text: str, canonical: str) -> None:
    measure = Measure.parse(text)
    assert str(measure) == canonical
    assert Measure.parse(canonical) == measure


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ndcg@10", f"unknown measure 'ndcg'; did you mean 'nDCG'? Measures: {LISTED}"),
        ("Precision@5", f"unknown measure 'Precision'; did you mean 'Rprec'? Measures: {LISTED}"),
        ("Bpreff", f"unknown measure 'Bpreff'; did you mean 'Rprec'? Measures: {LISTED}"),
        ("xyz", f"unknown measure 'xyz'. Measures: {LISTED}"),
        ("P", "P needs a cutoff, such as P@10"),
        ("F(beta=2)", "F needs a cutoff, such as F@10"),
        ("Rprec@5", "Rprec takes no cutoff; write Rprec without @5"),
        ("P@0", "P@0: a cutoff is a whole number from 1 to 999999999, such as P@10"),
        ("P@-1", "P@-1: a cutoff is a whole number from 1 to 999999999, such as P@10"),
        ("AP@", "AP@: a cutoff is a whole number from 1 to 999999999, such as AP@10"),
        ("nDCG@ten", "nDCG@ten: a cutoff is a whole number from 1 to 999999999, such as nDCG@10"),
        ("R@1.5", "R@1.5: a cutoff is a whole number from 1 to 999999999, such as R@10"),
        ("R@²", "R@²: a cutoff is a whole number from 1 to 999999999, such as R@10"),
        ("R@1000000000", "R@1000000000: a cutoff is a whole number from 1 to 999999999, such as R@10"),
        ("AP(rell=2)", "unknown parameter of AP 'rell'; did you mean 'rel'? Parameters: rel"),
        ("AP(beta=2)", "unknown parameter of AP 'beta'. Parameters: rel"),
        ("nDCG(rel=2)@10", "nDCG takes no parameters; 'rel' was given"),
        ("AP(rel)", "AP(rel): 'rel' is not of the form parameter=value"),
        ("AP(rel=1,rel=2)", "AP(rel=1,rel=2) gives rel twice"),
        ("AP(rel=high)", "AP(rel=high): rel is a number from 0 on"),
        ("AP(rel=nan)", "AP(rel=nan): rel is a number from 0 on"),
        ("F(beta=-1)@5", "F(beta=-1): beta is a number from 0 on"),
        (
            "P(rel=2",
            "'P(rel=2' is not of the form name, name@cutoff or name(parameter=value)@cutoff; an example: P(rel=2)@5",
        ),
        ("", "'' is not of the form name, name@cutoff or name(parameter=value)@cutoff; an example: P(rel=2)@5"),
    ],
)
def test_what_is_no_measure(text: str, message: str) -> None:
    with pytest.raises(ArgumentError) as error:
        Measure.parse(text)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("measures", "names"),
    [
        ("AP nDCG@10 P@10", ["AP", "nDCG@10", "P@10"]),
        (" AP,nDCG@10 ,\tP@10\n", ["AP", "nDCG@10", "P@10"]),
        ("F(rel=2, beta=2)@5 F(rel=2,beta=3)@5", ["F(rel=2,beta=2)@5", "F(rel=2,beta=3)@5"]),
        ("AP AP P(rel=2)@5 P(rel=2.0)@5", ["AP", "P(rel=2)@5"]),
        (["AP", Measure("P", 5)], ["AP", "P@5"]),
        (iter(["RR"]), ["RR"]),
    ],
)
def test_lists(measures: str | list[object], names: list[str]) -> None:
    assert [str(measure) for measure in parse_measures(measures)] == names


@pytest.mark.parametrize("nothing", ["", "  ", []])
def test_no_measure_at_all(nothing: str | list[str]) -> None:
    with pytest.raises(ArgumentError) as error:
        parse_measures(nothing)
    assert str(error.value) == f"no measure was named; some of them: {LISTED}"


def test_one_bad_name_in_a_list_is_told() -> None:
    with pytest.raises(ArgumentError) as error:
        parse_measures("AP MAPP")
    assert str(error.value) == f"unknown measure 'MAPP'; did you mean 'AP'? Measures: {LISTED}"


def test_every_measure_of_the_table_parses() -> None:
    for name, definition in MEASURES.items():
        text = f"{name}@10" if definition.cutoff == "needed" else name
        measure = Measure.parse(text)
        assert str(measure) == text
        assert measure.definition is definition
        assert definition.description
        assert definition.source
