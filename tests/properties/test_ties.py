"""The bounds and the mean over the orders of tied documents, against all permutations of them."""

import math
from itertools import chain, groupby, permutations, product

import numpy as np
import pytest
from every_measure import DEFINITIONS
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tiers import often

from toysearch.base import Qrels, Run
from toysearch.base.ranking import Ranking
from toysearch.evaluation.joined_run import join
from toysearch.evaluation.measures.measure import Measure
from toysearch.evaluation.ties import TiedOrders, expected_values, tie_groups

DOC_IDS = [f"d{number}" for number in range(7)]
SCORES = st.lists(st.sampled_from([0, 0, 0, 1, 2]), min_size=3, max_size=6)
GRADES = st.lists(st.sampled_from([None, 1.0, 2.0, 0.0, 0.5, 3.0, -1.0]), min_size=7, max_size=7).map(
    lambda grades: {doc_id: grade for doc_id, grade in zip(DOC_IDS, grades, strict=True) if grade is not None}
)


def forms(name: str) -> list[str]:
    """Some measures of a name: with and without a cutoff, with other parameters."""
    definition = DEFINITIONS[name]
    needed = [f"{key}=20" for key, parameter in definition.parameters.items() if getattr(parameter, "needed", False)]
    at = {"none": [""], "optional": ["", "@1", "@2", "@3"], "needed": ["@1", "@2", "@3"], "recall": ["@0.0", "@0.5"]}
    chosen = [needed]
    if "rel" in definition.parameters:
        chosen.append([*needed, "rel=2"])
    if "judged_only" in definition.parameters:
        chosen.append([*needed, "judged_only=True"])
    extras = ("dcg='exp-log2'", "discount='jk'", "ideal='ranking'", "ideal='max'", "max_rel=4", "p=0.5", "first=2")
    for extra in (*extras, "scale='query'", "times=0.5", "times=1.5", "FP=2"):
        if extra.partition("=")[0] in definition.parameters:
            chosen.append([*needed, extra])
    if "gains" in definition.parameters:
        chosen.append(["gains={0:2,1:0,2:1}"])
    return [
        f"{name}({','.join(given)}){k}" if given else f"{name}{k}" for given in chosen for k in at[definition.cutoff]
    ]


@pytest.mark.parametrize("name", DEFINITIONS)
@settings(max_examples=often(80, quick=5))
@given(SCORES, GRADES, st.data())
def test_they_are_those_of_all_permutations(
    name: str, scores: list[int], grades: dict[str, float], data: st.DataObject
) -> None:
    measure = Measure.parse(data.draw(st.sampled_from(forms(name))))
    other = Measure.parse(data.draw(st.sampled_from(["AP", "Judged@3", "nDCG(gains={0:2,1:0,2:1})"])))
    ranking = sorted(zip(scores, DOC_IDS, strict=False), reverse=True)
    groups = [[doc_id for _, doc_id in group] for _, group in groupby(ranking, key=lambda row: row[0])]
    assume(math.prod(math.factorial(len(group)) for group in groups) <= 120)
    assume(grades)
    orders = [[*chain(*order)] for order in product(*map(permutations, groups))]
    points = [score for score, _ in ranking]
    run = Run.from_rankings(Ranking(str(number), order, points) for number, order in enumerate(orders))
    judged = join(run, Qrels.from_dict(dict.fromkeys(run.query_ids, grades)))
    values = measure.values(judged)
    middle = np.array([len(orders) // 2])
    one, tied = judged.of_queries(middle), tie_groups(run, judged, "rank").take(middle)
    tied_orders = TiedOrders(one, tied)
    tied_orders.bounds(other)  # whose documents may be worth something else
    low, high = tied_orders.bounds(measure)
    found = [low.item(), high.item(), expected_values(measure, one, tied).item()]
    expected = pytest.approx([values.min(), values.max(), values.mean()], abs=1e-12, nan_ok=True)
    assert found == expected, f"lowest, highest and mean; say by_worth='never' or over_ties=… in @measure('{name}')"
