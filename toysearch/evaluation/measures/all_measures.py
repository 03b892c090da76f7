"""The table of measures of all families, the properties of each in words, and names of measures in other tools.

Aliases, names of other tools and of sets of measures, are accepted as input only; output has the names in the table of
measures. No alias equals a name of that table.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from itertools import chain
from types import MappingProxyType

from toysearch.base import checked, unknown
from toysearch.evaluation.measures import graded, ranked, sets, trec_eval_only, user_models
from toysearch.evaluation.measures.definition import Definition

__all__ = ["MEASURES", "PRESETS", "measure_facts", "measure_form"]


CUTOFFS = "[5,10,15,20,30,100,200,500,1000]"
LEVELS = "[0.0,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1.0]"

ALIASES: Mapping[str, str] = MappingProxyType(
    {
        # trec_eval
        "num_q": "NumQ",
        "num_ret": "NumRet",
        "num_rel": "NumRel",
        "num_rel_ret": "NumRelRet",
        "map": "AP",
        "gm_map": "GMAP",
        "bpref": "Bpref",
        "recip_rank": "RR",
        "ndcg": "nDCG",
        "11pt_avg": "IAP",
        "set_P": "SetP",
        "set_recall": "SetR",
        "set_F": "SetF",
        "set_map": "SetAP",
        "set_relative_P": "SetRelP",
        "binG": "BinG",
        "ndcg_rel": "nDCG_rel",
        "Rndcg": "RnDCG",
        "utility": "Utility",
        "num_nonrel_judged_ret": "NumNonRelRet",
        # ranx
        "mrr": "RR",
        "dcg": "DCG",
        "dcg_burges": "DCG(dcg='exp-log2')",
        "ndcg_burges": "nDCG(dcg='exp-log2')",
        "precision": "P",
        "recall": "R",
        "f1": "F",
        "hit_rate": "Success",
        "hits": "NumRelRet",
        "r-precision": "Rprec",
        "r_precision": "Rprec",
        "rbp": "RBP",
        # BEIR, ir_measures, and common names
        "MAP": "AP",
        "MRR": "RR",
        "NDCG": "nDCG",
        "Recall": "R",
        "Precision": "P",
        "F1": "F",
        "RPrec": "Rprec",
        "BPref": "Bpref",
        "err": "ERR",
        "E": "SetE",
    }
)
"""Another tool's name → ours; parameters and a cutoff may follow it as they may ours."""

CUT: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "P": ("P", CUTOFFS),
        "recall": ("R", CUTOFFS),
        "map_cut": ("AP", CUTOFFS),
        "ndcg_cut": ("nDCG", CUTOFFS),
        "success": ("Success", "[1,5,10]"),
        "relative_P": ("R_cap", CUTOFFS),
        "iprec_at_recall": ("IPrec", LEVELS),
    }
)
"""Name of a measure with cutoffs in trec_eval → ours, and the cutoffs if none is given: ``P_5``, ``P.5,10``."""

PRESETS: Mapping[str, str] = MappingProxyType(
    {
        "official": f"NumQ NumRet NumRel NumRelRet AP GMAP Rprec Bpref RR IPrec@{LEVELS} P@{CUTOFFS}",
        "beir": "nDCG@10 AP@100 R@100 P@10 R_cap@100 Hole@10 RR@10",
        "seeds": "P@[2,5] R@[2,5] F@5 R_cap@5 RR RR@2 AP AP@2 AP(first=2) MeanP@[2,5] DCG DCG(discount='jk') "
        "DCG(dcg='exp-log2') nDCG nDCG@2 nDCG(ideal='ranking') nDCG(dcg='exp-log2') nDCG(dcg='exp-log2',ideal='max') "
        "SetP SetR SetF SetF(alpha=0.2) SetE TP FP FN",
    }
)
"""The name of a set of measures → its measures: those of trec_eval, of BEIR, of published examples."""

_CUT = re.compile(rf"(?P<name>{'|'.join(CUT)})(?:[._](?P<cutoffs>[0-9.]+(?:,[0-9.]+)*))?")
_RBP = re.compile(r"rbp\.(?P<digits>[0-9]+)(?P<rest>.*)")
_MULTIPLE = re.compile(r"Rprec_mult(?:[._](?P<times>[0-9]+(?:\.[0-9]+)?(?:,[0-9]+(?:\.[0-9]+)?)*))?")
_MULTIPLES = "0.2,0.4,0.6,0.8,1,1.2,1.4,1.6,1.8,2"  # those of trec_eval
_SET_F = re.compile(r"set_F[._](?P<squared>[0-9]+(?:\.[0-9]+)?)")
_NAME = re.compile(r"(?P<name>\w[\w-]*)(?:\((?P<parameters>[^()]*)\))?(?P<rest>.*)")
_BETWEEN = re.compile(r"\s+")
_RELATIVE = "relative=True"


def in_our_names(text: str) -> list[str]:
    """The measures that a text names, each as a text with its name in the table."""
    if text in PRESETS:
        return [one for part in _BETWEEN.split(PRESETS[text]) for one in each_cutoff(part)]
    cut = _CUT.fullmatch(text)
    if cut and (cut["cutoffs"] or text != CUT[cut["name"]][0]):
        name, usual = CUT[cut["name"]]
        return each_cutoff(f"{name}@[{cut['cutoffs']}]" if cut["cutoffs"] else f"{name}@{usual}")
    if rbp := _RBP.fullmatch(text):
        return [f"RBP(p=0.{rbp['digits']}){rbp['rest']}"]
    if set_f := _SET_F.fullmatch(text):  # the parameter of trec_eval is beta²
        return [f"SetF(beta={math.sqrt(float(set_f['squared']))!r})"]
    if multiple := _MULTIPLE.fullmatch(text):
        return [f"RprecMult(times={float(times)!r})" for times in (multiple["times"] or _MULTIPLES).split(",")]
    form = _NAME.fullmatch(text)
    return [_renamed(form) if form else text]


def each_cutoff(text: str) -> list[str]:
    """One text per cutoff, for a text that ends in a list of cutoffs."""
    start, at, cutoffs = text.partition("@[")
    if not at or not cutoffs.endswith("]"):
        return [text]
    return [f"{start}@{cutoff.strip()}" for cutoff in cutoffs[:-1].split(",")]


def aliases_of(name: str) -> list[str]:
    """The aliases of a measure."""
    cut = [f"{theirs}_{'x' if usual == LEVELS else 'k'}" for theirs, (ours, usual) in CUT.items() if ours == name]
    return cut + [theirs for theirs, ours in ALIASES.items() if ours.partition("(")[0] == name]


def _renamed(form: re.Match[str]) -> str:
    """A single measure with its name in the table, its parameters and its cutoff."""
    name, arguments = form["name"], [part.strip() for part in (form["parameters"] or "").split(",") if part.strip()]
    # In ir_measures, these two are other measures with a parameter.
    if name == "NumRet" and any(part.startswith("rel") for part in arguments):
        name = "NumRelRet"
    if name == "SetP" and _RELATIVE in arguments:
        name = "SetRelP"
        arguments.remove(_RELATIVE)
    ours, _, bound = ALIASES.get(name, name).rstrip(")").partition("(")
    parameters = ",".join([bound, *arguments] if bound else arguments)
    return ours + (f"({parameters})" if parameters else "") + form["rest"]


_FAMILIES = (ranked, graded, user_models, sets, trec_eval_only)

MEASURES: Mapping[str, Definition] = MappingProxyType(
    dict(chain.from_iterable(family.MEASURES.items() for family in _FAMILIES))
)
"""Name → definition, in the order in which they are listed."""


FAMILIES = {
    "ranked": "Rankings of documents that are relevant or not",
    "graded": "Rankings of documents that are relevant to a degree",
    "user": "Models of a user who reads down the ranking",
    "incomplete": "Incomplete judgments",
    "set": "Sets of documents",
}
"""Family → the heading of its measures, in the order of the table."""

_AGGREGATES = {
    "mean": "the mean",
    "sum": "the sum",
    "gm": "the geometric mean, values below 0.00001 counting as 0.00001",
    "hm": "the harmonic mean",
    "median": "the median",
    "min": "the lowest",
    "max": "the highest",
}
_ENDS = {"none": "", "optional": "[@k]", "needed": "@k", "recall": "@x"}


@checked
def measure_form(name: str) -> str:
    """The form of the name of a measure, with required parameters and the cutoff.

    Parameters
    ----------
    name : str
        A name of the table of measures.

    Examples
    --------
    >>> measure_form("AP"), measure_form("P"), measure_form("IPrec"), measure_form("Fallout"), measure_form("Rprec")
    ('AP[@k]', 'P@k', 'IPrec@x', 'Fallout(N=…)[@k]', 'Rprec')
    """
    definition = _defined(name)
    needed = ",".join(f"{parameter}=…" for parameter in definition.needs)
    return name + (f"({needed})" if needed else "") + _ENDS[definition.cutoff]


def _defined(name: str) -> Definition:
    if name not in MEASURES:
        raise unknown("measure", name, MEASURES)
    return MEASURES[name]


@checked
def measure_facts(name: str) -> dict[str, str]:
    """The properties of a measure: label → sentence.

    Parameters
    ----------
    name : str
        A name of the table of measures.

    Examples
    --------
    >>> rr = measure_facts("RR")
    >>> rr["range"], rr["perfect ranking"], rr["other names"]
    ('0 to 1; higher is better', '1, without a cutoff', 'recip_rank, mrr, MRR')
    """
    definition = _defined(name)
    low, high = definition.range
    span = f"at least {low:g}" if high is None else f"{low:g} to {high:g}"
    better = f"{definition.better} is better" if definition.better else "neither end is better"
    perfect = "depends on the judgments" if definition.perfect is None else f"{definition.perfect:g}"
    if definition.perfect is not None and definition.cutoff == "optional":
        perfect += ", without a cutoff"
    order = "matters" if definition.ordered else "does not matter"
    if not definition.ordered and definition.cutoff != "none":
        order += " within the cutoff"
    undefined = f"where {definition.undefined}: " if definition.undefined else "never"
    if definition.undefined and definition.better == "lower":
        undefined += "left out of the mean (0 would be the best value)"
    elif definition.undefined:
        undefined += 'counts as 0, or is left out of the mean with undefined="nan"'
    return {
        "formula": definition.formula,
        "cutoff": {
            "none": "none",
            "optional": f"optional, as in {name}@10: only the first ten ranks count",
            "needed": f"required, as in {name}@10: only the first ten ranks count",
            "recall": f"required: a level of recall from 0 to 1, as in {name}@0.1",
        }[definition.cutoff],
        "range": f"{span}; {better}",
        "order": order,
        "perfect ranking": perfect,
        "undefined": undefined,
        "over all queries": _AGGREGATES[definition.aggregate],
        "source": definition.source,
        "other names": ", ".join(map(_with_parameters, aliases_of(name))) or "none",
    }


def _with_parameters(alias: str) -> str:
    """Another name, with the parameters that it stands for."""
    parameters = ALIASES.get(alias, "").rstrip(")").partition("(")[2]
    return f"{alias} ({parameters})" if parameters else alias
