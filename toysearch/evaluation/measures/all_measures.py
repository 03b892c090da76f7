"""The table of measures of all families, and the properties of each in words."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from types import MappingProxyType

from toysearch.base.argument_checks import checked
from toysearch.base.errors import unknown
from toysearch.evaluation.measures import graded, incomplete, ranked, sets, trec_eval_only, user_models
from toysearch.evaluation.measures.aliases import ALIASES, aliases_of
from toysearch.evaluation.measures.definition import Definition

__all__ = ["MEASURES", "measure_facts", "measure_form"]

_FAMILIES = (ranked, graded, user_models, incomplete, sets, trec_eval_only)

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
    return {
        "formula": definition.formula,
        "cutoff": _cutoff(name, definition),
        "range": f"{span}; {better}",
        "order": _order(definition),
        "perfect ranking": perfect,
        "undefined": _undefined(definition),
        "over all queries": _AGGREGATES[definition.aggregate],
        "source": definition.source,
        "other names": ", ".join(map(_with_parameters, aliases_of(name))) or "none",
    }


def _with_parameters(alias: str) -> str:
    """Another name, with the parameters that it stands for."""
    given = ALIASES.get(alias, "").rstrip(")").partition("(")[2]
    return f"{alias} ({given})" if given else alias


def _cutoff(name: str, definition: Definition) -> str:
    return {
        "none": "none",
        "optional": f"optional, as in {name}@10: only the first ten ranks count",
        "needed": f"required, as in {name}@10: only the first ten ranks count",
        "recall": f"required: a level of recall from 0 to 1, as in {name}@0.1",
    }[definition.cutoff]


def _order(definition: Definition) -> str:
    if definition.ordered:
        return "matters"
    return "does not matter" if definition.cutoff == "none" else "does not matter within the cutoff"


def _undefined(definition: Definition) -> str:
    if not definition.undefined:
        return "never"
    if definition.better == "lower":
        return f"where {definition.undefined}: left out of the mean (0 would be the best value)"
    return f'where {definition.undefined}: counts as 0, or is left out of the mean with undefined="nan"'
