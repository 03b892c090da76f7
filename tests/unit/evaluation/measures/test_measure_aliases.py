from __future__ import annotations

import pytest
from raising import raising

from toysearch import evaluate
from toysearch.base.errors import ArgumentError
from toysearch.evaluation.measures.measure import (
    ALIASES,
    CUT,
    DEFINITIONS,
    PRESETS,
    Measure,
    aliases_of,
    parse_measures,
)


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        # trec_eval, in its own two spellings
        ("map", "AP"),
        ("gm_map", "GMAP"),
        ("ndcg", "nDCG"),
        ("ndcg_cut_10", "nDCG@10"),
        ("ndcg_cut.10", "nDCG@10"),
        ("map_cut_100", "AP@100"),
        ("P_10", "P@10"),
        ("P.10", "P@10"),
        ("recall_1000", "R@1000"),
        ("success_5", "Success@5"),
        ("relative_P_10", "R_cap@10"),
        ("recip_rank", "RR"),
        ("Rprec", "Rprec"),
        ("bpref", "Bpref"),
        ("infAP", "infAP"),
        ("iprec_at_recall_0.10", "IPrec@0.1"),
        ("iprec_at_recall.0.10", "IPrec@0.1"),
        ("11pt_avg", "IAP"),
        ("set_P", "SetP"),
        ("set_recall", "SetR"),
        ("set_F", "SetF"),
        ("set_F_4", "SetF(beta=2)"),
        ("set_F.0.25", "SetF(beta=0.5)"),
        ("Rprec_mult_0.20", "RprecMult(times=0.2)"),
        ("Rprec_mult.1.0", "RprecMult"),
        ("set_map", "SetAP"),
        ("set_relative_P", "SetRelP"),
        ("num_q", "NumQ"),
        ("num_ret", "NumRet"),
        ("num_rel", "NumRel"),
        ("num_rel_ret", "NumRelRet"),
        # ranx
        ("mrr", "RR"),
        ("mrr@10", "RR@10"),
        ("map@10", "AP@10"),
        ("ndcg@10", "nDCG@10"),
        ("ndcg_burges@10", "nDCG(dcg='exp-log2')@10"),
        ("dcg_burges", "DCG(dcg='exp-log2')"),
        ("precision@5", "P@5"),
        ("recall@5", "R@5"),
        ("f1@5", "F@5"),
        ("hit_rate@5", "Success@5"),
        ("hits@5", "NumRelRet@5"),
        ("r_precision", "Rprec"),
        ("rbp.95", "RBP(p=0.95)"),
        # BEIR, ir_measures, and what people say
        ("NDCG@10", "nDCG@10"),
        ("MAP@100", "AP@100"),
        ("Recall@100", "R@100"),
        ("R_cap@100", "R_cap@100"),
        ("Hole@10", "Hole@10"),
        ("MRR@10", "RR@10"),
        ("MAP", "AP"),
        ("MAP(rel=2)", "AP(rel=2)"),
        ("NumRet(rel=1)", "NumRelRet(rel=1)"),
        ("SetP(relative=True)", "SetRelP"),
        ("SetP(rel=2, relative=True)", "SetRelP(rel=2)"),
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
    assert not (ALIASES.keys() | PRESETS.keys() | CUT.keys() - {"P"}) & DEFINITIONS.keys()


def test_p_stays_our_p() -> None:
    with raising(ArgumentError, "P needs a cutoff, such as P@10"):
        Measure.parse("P")


@pytest.mark.parametrize("alias", ALIASES)
def test_every_alias_is_of_a_measure_and_is_listed_with_it(alias: str) -> None:
    name = ALIASES[alias].partition("(")[0]
    assert name in DEFINITIONS
    assert alias in aliases_of(name)
    end = "@10" if DEFINITIONS[name].cutoff == "needed" else ""
    assert str(Measure.parse(alias + end)) == ALIASES[alias] + end


@pytest.mark.parametrize("preset", PRESETS)
def test_presets(preset: str) -> None:
    measures = parse_measures(preset)
    assert len(measures) == len(set(measures)) > 5
    result = evaluate({"1": ["a", "b"]}, {"1": {"b": 1, "c": 1}}, preset)
    assert list(result.means) == [str(measure) for measure in measures]


def test_official_is_trec_evals_choice() -> None:
    import pytrec_eval

    theirs = {name for name in pytrec_eval.supported_nicknames["official"] if name != "runid"}
    assert {str(measure) for measure in parse_measures("official")} == {
        str(measure) for measure in parse_measures(theirs - {"P"} | {"P.5,10,15,20,30,100,200,500,1000"})
    }


def test_the_column_bears_our_name() -> None:
    result = evaluate({"1": ["a"]}, {"1": {"a": 1}}, "map ndcg_cut_5")
    assert list(result.means) == ["AP", "nDCG@5"]
    assert result["MAP"] == result["map"] == result["AP"] == 1
