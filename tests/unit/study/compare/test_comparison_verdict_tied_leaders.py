"""A verdict on leaders with equal means names only those of them that the open pair is about."""

import re
from itertools import permutations
from random import Random

import pytest
from tiers import longer, often

from toysearch import compare

QRELS = {f"q{number}": {"r": 1} for number in range(12)}
RANK_OF = {"A": [3] * 12, "B": [1] * 4 + [99] * 8, "C": [4] * 12}  # AP: 1/3, 1/3 with far more spread, and 1/4


def _run(name: str) -> dict[str, dict[str, float]]:
    ranks = dict(zip(QRELS, RANK_OF[name], strict=True))
    places = range(1, 6)
    return {query: {"r" if at == rank else f"x{at}": 9.0 - at for at in places} for query, rank in ranks.items()}


@pytest.mark.parametrize("order", list(permutations(RANK_OF)))
def test_only_the_open_leader_is_said_to_be_open(order: tuple[str, ...]) -> None:
    text = compare({name: _run(name) for name in order}, QRELS, "AP").sentences()[0]
    assert "with equal means, but B is not shown to be better than C (+0.0833, 95% CI -0.2" in text


LEADS = re.compile(r"(?:^|\. )([A-E, and]+) leads? in RR(?:, with equal means)?, but ")


def drawn(random):
    """Values of RR of four or five systems for twelve queries; half of the time two of them have equal means."""
    systems = {
        name: [random.choice((0, 1 / 3, 1 / 2, 1)) for _ in range(12)] for name in "ABCDE"[: random.choice((4, 5))]
    }
    if random.random() < 0.5:
        best = max(systems, key=lambda name: sum(systems[name]))
        other = random.choice([name for name in systems if name != best])
        systems[other] = random.sample(systems[best], 12)
    return systems


def run_of(values):
    """A run whose first relevant document stands where RR has these values."""
    run = {}
    for number, value in enumerate(values):
        rank = round(1 / value) if value else 0
        ranked = [f"x{place}" for place in range(1, 4)]
        if rank:
            ranked[rank - 1] = "r"
        run[f"q{number}"] = {doc: 3.0 - place for place, doc in enumerate(ranked)}
    return run


def names_in(text):
    return re.findall(r"\b[A-E]\b", text)


@longer
@pytest.mark.parametrize("seed", range(often(400, quick=12)))
def test_each_claim_on_leaders_is_that_of_the_table(seed):
    """Five comparisons a seed: each pair that a sentence calls open is open, and no open pair of a leader is unsaid."""
    random = Random(seed)
    for _ in range(5):
        systems = drawn(random)
        comparison = compare(
            {name: run_of(values) for name, values in systems.items()},
            {f"q{n}": {"r": 1} for n in range(12)},
            "RR",
            pairs=random.choice(("baseline", "all")),
        )
        means = {name: sum(values) / 12 for name, values in systems.items()}
        leaders = {name for name in means if means[name] > max(means.values()) - 5e-5}
        said = comparison.sentences()[0]
        told = LEADS.search(said)
        if told is None or "more" in said:
            continue
        assert {*names_in(told[1])} == leaders, said
        verdicts = {frozenset(pair[1:3]): comparison.verdict(pair) for pair in comparison.every_pair}
        unsure = {
            (leader, other)
            for leader in leaders
            for other in systems.keys() - leaders
            if not verdicts[frozenset((leader, other))]
        }
        clauses = re.findall(r"(?:but |, and )(?:([A-E, and]+?) )?(?:is|are) not shown to be better than ([^(]+)", said)
        claimed = {
            (leader, other)
            for who, others in clauses
            for leader in names_in(who) or leaders
            for other in names_in(others)
        }
        assert claimed == unsure, said
        for who, evidence in re.findall(
            r"(?:but |, and )(?:([A-E, and]+?) )?(?:is|are) not shown[^(]+\(([-+.\d]+),", said
        ):
            [leader] = names_in(who) or leaders
            assert float(evidence) >= 0, (said, leader)
