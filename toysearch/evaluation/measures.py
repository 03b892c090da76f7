"""The table of measures: what each takes, how its values are put together, and what it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple

import numpy as np

from toysearch.evaluation import graded, ranked


class Parameter(NamedTuple):
    """A number that a measure takes by name: at least `low`; `default` is what it is when not given."""

    low: float
    default: float | None
    description: str


class Definition(NamedTuple):
    """What a name stands for.

    Attributes
    ----------
    compute : callable
        Takes the join (`Judged`) and, by name, the cutoff (unless it takes none) and the parameters; gives
        one float64 a query, NaN where undefined.
    cutoff : {"none", "optional", "needed"}
        Whether ``@k`` can, or must, follow the name.
    parameters : mapping of str to Parameter
        What can be given in parentheses.
    aggregate : {"mean", "sum"}
        What the value for all queries is.
    description : str
        One line.
    source : str
        Where the definition comes from.
    """

    compute: Callable[..., np.ndarray]
    cutoff: Literal["none", "optional", "needed"]
    parameters: Mapping[str, Parameter]
    aggregate: Literal["mean", "sum"]
    description: str
    source: str


_REL = {"rel": Parameter(0.0, None, "the grade from which on a document is relevant")}
_REL_BETA = {**_REL, "beta": Parameter(0.0, 1.0, "how many times as much recall counts as precision")}
_BUCKLEY = "Buckley & Voorhees 2005, in: TREC, experiment and evaluation in information retrieval"

MEASURES: Mapping[str, Definition] = MappingProxyType(
    {
        "AP": Definition(
            ranked.average_precision,
            "optional",
            _REL,
            "mean",
            "average precision: the mean, over all relevant documents, of the precision at their ranks",
            _BUCKLEY,
        ),
        "nDCG": Definition(
            graded.ndcg,
            "optional",
            {},
            "mean",
            "normalised discounted cumulative gain: gain is the grade, discount log2(rank + 1), "
            "the ideal is made of all judgments",
            "Järvelin & Kekäläinen 2002, ACM TOIS 20(4); the discount of Burges et al. 2005, as in trec_eval",
        ),
        "P": Definition(
            ranked.precision,
            "needed",
            _REL,
            "mean",
            "precision: the share of the first k documents that is relevant",
            _BUCKLEY,
        ),
        "R": Definition(
            ranked.recall,
            "needed",
            _REL,
            "mean",
            "recall: the share of the relevant documents that is among the first k",
            _BUCKLEY,
        ),
        "F": Definition(
            ranked.f_measure,
            "needed",
            _REL_BETA,
            "mean",
            "weighted harmonic mean of P@k and R@k",
            "van Rijsbergen 1979, Information Retrieval, chapter 7",
        ),
        "RR": Definition(
            ranked.reciprocal_rank,
            "optional",
            _REL,
            "mean",
            "reciprocal rank: 1 over the rank of the first relevant document",
            "Kantor & Voorhees 2000, Information Retrieval 2",
        ),
        "Rprec": Definition(
            ranked.r_precision,
            "none",
            _REL,
            "mean",
            "precision at the rank that equals the number of relevant documents",
            _BUCKLEY,
        ),
        "Success": Definition(
            ranked.success,
            "needed",
            _REL,
            "mean",
            "whether any relevant document is among the first k",
            "as success in trec_eval",
        ),
        "NumRet": Definition(
            ranked.number_retrieved, "none", {}, "sum", "number of documents retrieved", "as num_ret in trec_eval"
        ),
        "NumRel": Definition(
            ranked.number_relevant, "none", _REL, "sum", "number of relevant documents", "as num_rel in trec_eval"
        ),
        "NumRelRet": Definition(
            ranked.number_relevant_retrieved,
            "none",
            _REL,
            "sum",
            "number of relevant documents retrieved",
            "as num_rel_ret in trec_eval",
        ),
    }
)
