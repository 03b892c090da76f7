"""The names of measures: ours, those of other tools, lists of them, and what is refused."""

import inspect
import re

import pytest
from error_messages import raising

from toysearch import evaluate
from toysearch.base.elsewhere import NameElsewhere, here, phrases
from toysearch.base.errors import ArgumentError
from toysearch.evaluation.measures.measure import (
    BUILT_IN,
    CUT,
    MEASURES,
    OF_TREC_EVAL,
    PRESETS,
    SIZE,
    Measure,
    aliases_of,
    defined_measure,
    parse_measures,
)

ALIASES = here("measure")
LISTED = "`toysearch measures` lists all (toysearch.MEASURES in Python)"


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("P( rel = 2.0 )@5", "P(rel=2)@5"),
        ("AP()", "AP"),
        ("AP(rel=1)", "AP(rel=1)"),  # 1 is no default: that is the threshold
        ("F(beta=1)@5", "F@5"),
        ("F(beta=0.5,rel=2)@5", "F(rel=2,beta=0.5)@5"),
        ("AP(rel=1e300)", "AP(rel=1e+300)"),
        ("AP( judged_only = false )", "AP"),
        ("AP(judged_only=true,rel=2)", "AP(rel=2,judged_only=True)"),
        ('nDCG(dcg="exp-log2")', "nDCG(dcg='exp-log2')"),
        ("nDCG(dcg=exp-log2)", "nDCG(dcg='exp-log2')"),
        ("nDCG(dcg='log2')", "nDCG"),
        ("nDCG(gains={2: 1, 1:0},dcg='exp-log2')@5", "nDCG(dcg='exp-log2',gains={1:0,2:1})@5"),
        ("IPrec@0.10", "IPrec@0.1"),
        ("IPrec@.5", "IPrec@0.5"),
        ("IPrec(rel=2)@1", "IPrec(rel=2)@1.0"),
        ("IPrec@0.000010", "IPrec@0.00001"),
        ("SetF(beta=1)", "SetF"),
    ],
)
def test_the_text_form_parses_back(text: str, canonical: str) -> None:
    measure = Measure.parse(text)
    assert str(measure) == canonical
    assert Measure.parse(canonical) == measure


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ndgc@10", "unknown measure 'ndgc'; did you mean 'nDCG'?"),
        ("xyz", f"unknown measure 'xyz'; {LISTED}"),
        ("P", "P needs a cutoff, such as P@10, or SetP for the whole list"),
        ("F1", "F needs a cutoff, such as F@10, or SetF for the whole list"),
        ("Hole", "Hole needs a cutoff, such as Hole@10"),
        ("P@10(rel=2)", "P@10(rel=2): parameters stand before the cutoff: P(rel=2)@10"),
        ("ndcg@5(gains={1:2})", "nDCG@5(gains={1:2}): parameters stand before the cutoff: nDCG(gains={1:2})@5"),
        ("mapk@12", "unknown measure 'mapk'; AP(first=12)@12 divides by the lower of R and 12, as it does"),
        ("NERR9@8", "unknown measure 'NERR9'; ERR@8 is not normalised, and nERR_IA@8 is over sub-topics"),
        ("unj_10", "unknown measure 'unj_10'; Hole@10 is the share of unjudged documents, and Judged@10 the rest"),
        ("Rprec@5", "Rprec takes no cutoff; write Rprec without @5"),
        ("P@0", "P@0: expected a whole number from 1 to 999999999 as cutoff, such as P@10"),
        ("R@²", "R@²: expected a whole number from 1 to 999999999 as cutoff, such as R@10"),
        ("R@1000000000", "R@1000000000: expected a whole number from 1 to 999999999 as cutoff, such as R@10"),
        ("AP(rell=2)", "AP has no parameter 'rell'; did you mean 'rel'? Parameters of AP: rel, first, judged_only"),
        ("NumQ(rel=2)", "NumQ takes no parameters; 'rel' was given"),
        ("AP(rel)", "AP(rel): 'rel' is not of the form parameter=value"),
        ("AP(rel=1,rel=2)", "AP(rel=1,rel=2) gives rel twice"),
        ("AP(rel=high)", "AP(rel=high): rel must be a number of at least 0"),
        ("F(beta=-1)@5", "F(beta=-1): beta must be a number of at least 0"),
        ("AP(judged_only=1)", "AP(judged_only=1): judged_only must be True or False"),
        ("AP(first=0)", "AP(first=0): first must be a whole number of at least 1"),
        ("nDCG(dcg='ln')", "nDCG(dcg='ln'): dcg must be 'log2' or 'exp-log2'"),
        ("nDCG(dcg='log2)", "nDCG(dcg='log2): dcg must be 'log2' or 'exp-log2'"),
        ("nDCG(gains={1:0,1:1})", "nDCG(gains={1:0,1:1}): gains must be pairs of numbers, such as {1:0,2:1}"),
        ("SetF(alpha=1.5)", "SetF(alpha=1.5): alpha must be a number from 0 to 1"),
        ("SetF(beta=1,alpha=0.5)", "SetF(beta=1,alpha=0.5): give beta or alpha, not both"),
        ("Fallout", "Fallout needs N, the number of documents in the collection: Fallout(N=…)[@k]"),
        ("Fallout(N=0)@5", "Fallout(N=0): N must be a whole number of at least 1"),
        ("IPrec", "IPrec: expected a level of recall from 0 to 1 after @, such as IPrec@0.1"),
        ("nDCG@[1,5]", "'nDCG@[1,5]' names 2 measures where one was expected: nDCG@1, …"),
        ("nDCG@[1,5", "nDCG@[1,5: expected a whole number from 1 to 999999999 as cutoff, such as nDCG@10"),
        (
            "P(rel=2",
            "'P(rel=2' is not of the form name, name@cutoff or name(parameter=value)@cutoff; an example: P(rel=2)@5",
        ),
        ("", "'' is not of the form name, name@cutoff or name(parameter=value)@cutoff; an example: P(rel=2)@5"),
    ],
)
def test_what_is_no_measure(text: str, message: str) -> None:
    with raising(ArgumentError, message):
        Measure.parse(text)


@pytest.mark.parametrize(
    ("measures", "names"),
    [
        ("AP nDCG@10 P@10", ["AP", "nDCG@10", "P@10"]),
        (" AP,nDCG@10 ,\tP@10\n", ["AP", "nDCG@10", "P@10"]),
        ("F(rel=2, beta=2)@5 F(rel=2,beta=3)@5", ["F(rel=2,beta=2)@5", "F(rel=2,beta=3)@5"]),
        ("AP AP P(rel=2)@5 P(rel=2.0)@5", ["AP", "P(rel=2)@5"]),
        (["AP", Measure("P", 5)], ["AP", "P@5"]),
        (iter(["RR"]), ["RR"]),
        ("nDCG@[1, 5,10] AP", ["nDCG@1", "nDCG@5", "nDCG@10", "AP"]),
        (["P(rel=2)@[5,10]"], ["P(rel=2)@5", "P(rel=2)@10"]),
        ("IPrec@[0.0,0.5],RR", ["IPrec@0.0", "IPrec@0.5", "RR"]),
        ("nDCG(gains={1:0, 2:1}, dcg='exp-log2')@5, AP", ["nDCG(dcg='exp-log2',gains={1:0,2:1})@5", "AP"]),
        ("P.5,10 map,bpref", ["P@5", "P@10", "AP", "Bpref"]),
        (
            "beir AP",
            [f"{name}@{k}" for name in ("nDCG", "AP", "R", "P") for k in (1, 3, 5, 10, 100, 1000)]
            + ["R_cap@100", "Hole@10", "RR@10", "AP"],
        ),
    ],
)
def test_lists(measures: str | list[object], names: list[str]) -> None:
    assert [str(measure) for measure in parse_measures(measures)] == names


@pytest.mark.parametrize("nothing", ["", "  ", []])
def test_no_measure_at_all(nothing: str | list[str]) -> None:
    with raising(ArgumentError, f"no measure was named; {LISTED}"):
        parse_measures(nothing)


ADVISED = [row for row in phrases("measure") if row.advice and "--" not in row.advice]


@pytest.mark.parametrize("typed", ["@7", "_7", "_at_7", ""])
@pytest.mark.parametrize("row", ADVISED, ids=lambda row: row.theirs)
def test_advised_measures_keep_the_cutoff_and_hold_nothing_of_a_collection(row: NameElsewhere, typed: str) -> None:
    with pytest.raises(ArgumentError) as error:
        Measure.parse(row.theirs + typed)
    words = re.findall(r"\w+(?:\([^)]*\))?(?:@\d+)?", str(error.value).partition("; ")[2])
    names = {*MEASURES} - {"R", "DCG", "RBP"}  # which the sentences only mention
    advised = [Measure.parse(word, SIZE) for word in words if re.split("[(@]", word)[0] in names]
    assert advised
    needs_one = any(one.definition.cutoff == "needed" or "first" in dict(one.parameters) for one in advised)
    for measure in advised:
        assert measure.cutoff == (7 if typed else 10 if needs_one else None)
        assert "N" not in dict(measure.parameters)


def test_what_only_trec_eval_has_is_computed_by_name_and_not_listed() -> None:
    from toysearch.workbench.exchange import trec_eval_measures

    names = "RprecMult Utility BinG G nDCG_rel RnDCG IdealDCG Yaap NumNonRelRet"
    assert sorted(names.split()) == OF_TREC_EVAL == sorted(trec_eval_measures.OF_TREC_EVAL)
    found = evaluate({"1": ["a", "b"]}, {"1": {"b": 1, "c": 1, "a": 0}}, names)
    assert found["Utility"] == 0
    assert found["NumNonRelRet"] == 1
    with raising(ArgumentError, "unknown measure 'Yap'; did you mean 'AP'?"):
        parse_measures("Yap")


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        # trec_eval, in its own two spellings
        ("iprec_at_recall_0.10", "IPrec@0.1"),
        ("set_F_4", "SetF(beta=2)"),
        ("Rprec_mult_0.20", "RprecMult(times=0.2)"),
        # ranx
        ("ndcg_burges@10", "nDCG(dcg='exp-log2')@10"),
        ("dcg_burges", "DCG(dcg='exp-log2')"),
        ("rbp.95", "RBP(p=0.95)"),
        ("map@100-l2", "AP(rel=2)@100"),
        ("mrr-l3", "RR(rel=3)"),
        # names of parameters and columns in programs
        ("ndcg_at_10", "nDCG@10"),
        ("map_at_5", "AP@5"),
        ("recall_at_100", "R@100"),
        ("hit_at_1", "Success@1"),
        ("success_at_3", "Success@3"),
        ("mrr_10", "RR@10"),
        ("hit@5", "Success@5"),
        ("HitRate@5", "Success@5"),
        ("average_precision@5", "AP@5"),
        ("mean_average_precision", "AP"),
        ("mAP", "AP"),
        ("mean_reciprocal_rank@10", "RR@10"),
        ("F1@5", "F@5"),
        ("f1_score@5", "F@5"),
        # BEIR, ir_measures, and what people say
        ("MRR@10", "RR@10"),
        ("NumRet(rel=1)", "NumRelRet(rel=1)"),
        ("SetP(relative=True)", "SetRelP"),
        ("E(beta=2)", "SetE(beta=2)"),
        ("ndcg_burges(judged_only=True)@5", "nDCG(dcg='exp-log2',judged_only=True)@5"),
    ],
)
def test_other_tools_names(theirs: str, ours: str) -> None:
    assert str(Measure.parse(theirs)) == ours


@pytest.mark.parametrize("bare", [name for name in CUT if name != "P"])
def test_a_bare_name_has_trec_evals_own_cutoffs(bare: str) -> None:
    name = CUT[bare][0]
    cutoffs = [measure.cutoff for measure in parse_measures(bare)]
    assert {measure.name for measure in parse_measures(bare)} == {name}
    assert cutoffs in ([5, 10, 15, 20, 30, 100, 200, 500, 1000], [1, 5, 10], [level / 10 for level in range(11)])


def test_no_alias_and_no_preset_is_a_name_of_the_table() -> None:
    assert not (ALIASES.keys() | PRESETS.keys() | CUT.keys() - {"P"}) & BUILT_IN


@pytest.mark.parametrize("alias", ALIASES)
def test_every_alias_is_of_a_measure_and_is_listed_with_it(alias: str) -> None:
    name = ALIASES[alias].partition("(")[0]
    assert name in BUILT_IN
    assert alias in aliases_of(name)
    end = "@10" if defined_measure(name).cutoff == "needed" else ""
    assert str(Measure.parse(alias + end)) == ALIASES[alias] + end


@pytest.mark.parametrize("preset", PRESETS)
def test_presets(preset: str) -> None:
    measures = parse_measures(preset)
    assert len(measures) == len(set(measures)) > 5
    result = evaluate({"1": ["a", "b"]}, {"1": {"b": 1, "c": 1}}, preset)
    assert list(result.means) == [str(measure) for measure in measures]


def test_official_is_trec_evals_choice() -> None:
    pytrec_eval = pytest.importorskip("pytrec_eval")

    theirs = {name for name in pytrec_eval.supported_nicknames["official"] if name != "runid"}
    assert {str(measure) for measure in parse_measures("official")} == {
        str(measure) for measure in parse_measures(theirs - {"P"} | {"P.5,10,15,20,30,100,200,500,1000"})
    }


def test_each_parameter_has_the_default_of_its_function():
    """A value that is the default is not handed over, so the function must have the same."""
    walked = 0
    for name in BUILT_IN:
        definition = defined_measure(name)
        taken = inspect.signature(definition.compute).parameters
        for key, parameter in definition.parameters.items():
            if key != "judged_only" and not parameter.needed:  # that one condenses the lists before
                assert taken[key].default == parameter.default, f"{name}({key})"
                walked += 1
    assert walked > 100
