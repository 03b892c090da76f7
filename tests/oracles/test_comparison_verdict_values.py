"""Verdicts on three and more systems: each claim from the raw values, by fractions, the t distribution and loops."""

import itertools
import math
import random
import re
from fractions import Fraction

import pytest
from scipy import stats
from tiers import longer, often

from toysearch import compare
from toysearch.study.compare.comparison_verdict import verdict_of

ALPHA = 0.05
VALUES = [Fraction(0), Fraction(1, 3), Fraction(1, 2), Fraction(1)]
MEASURES = {
    "RR": lambda value: value,
    "P@1": lambda value: Fraction(value == 1),
    "Success@3": lambda value: Fraction(value > 0),
    "FP@1": lambda value: Fraction(-(value < 1)),
}
"""Measure → its value for a query by that of RR; of FP@1, where less is better, the negative one."""


def drawn(rng):
    """Values of RR per system and query; half of the time systems are copies, or have the values of another query."""
    n_queries, names = rng.choice([2, 4, 8, 12, 25]), "ABCDEF"[: rng.choice([3, 3, 4, 5, 6])]
    systems = {}
    for name in names:
        usual, share = rng.choice([VALUES[1], *VALUES]), rng.choice([0, 0, 0.4, 0.8, 1])
        systems[name] = [usual if rng.random() < share else rng.choice(VALUES) for _ in range(n_queries)]
    if rng.random() < 0.15:  # steps, nearly all of which are shown
        n_queries, low = 40, rng.choice(VALUES[:3])
        systems = {name: [VALUES[3]] * 8 * step + [low] * (40 - 8 * step) for step, name in enumerate("CADFBE")}
    if rng.random() < 0.5:
        best = max(systems, key=lambda name: sum(systems[name]))
        for name in rng.sample([*systems], rng.choice([1, 1, 2, 3])):
            like = systems[rng.choice([best, best, rng.choice([*systems])])]
            systems[name] = rng.choice([like, like[::-1], rng.sample(like, n_queries)])
    return systems


def run_of(values):
    """A run of three documents per query, the relevant one at the rank that gives RR its value."""
    ranks = [int(1 / value) if value else 4 for value in values]
    return {
        f"q{query}": {("r" if at == rank else f"x{at}"): 4.0 - at for at in (1, 2, 3)}
        for query, rank in enumerate(ranks)
    }


def p_and_error(differences):
    """Two-sided p of the paired t test, and the standard error."""
    n = len(differences)
    mean = sum(differences, Fraction(0)) / n
    squares = sum((each - mean) ** 2 for each in differences)
    if not squares:
        return float(mean == 0), 0.0
    error = math.sqrt(squares / (n - 1) / n)
    return 2 * stats.t.sf(abs(float(mean)) / error, n - 1), error


def corrected(p_values, how):
    """The corrected p of each, not cut at 1."""
    m, found = len(p_values), []
    for one in p_values:
        smaller = sum(other < one for other in p_values)
        if how == "holm":  # the largest of what this and the smaller ones must pass
            found.append(
                max((m - sum(less < other for less in p_values)) * other for other in p_values if other <= one)
            )
        elif how == "bh":  # the smallest of what this and the larger ones must pass
            found.append(min(m / sum(less <= other for less in p_values) * other for other in p_values if other >= one))
        else:
            found.append(one * {"bonferroni": m, "none": 1}[how])
        assert smaller < m
    return found


class Truth:
    """What the values say."""

    def __init__(self, systems, measures, baseline, how, family):
        self.systems, self.measures, self.named, self.counted = [*systems], measures, set(), 0
        self.values = {
            (measure, name): [MEASURES[measure](value) for value in values]
            for measure in measures
            for name, values in systems.items()
        }
        self.means = {key: sum(values, Fraction(0)) / len(values) for key, values in self.values.items()}
        self.n = len(next(iter(self.values.values())))
        pairs = [*itertools.combinations(systems, 2)]
        families = (
            [pairs]
            if baseline is None
            else [[pair for pair in pairs if (baseline in pair) == is_in] for is_in in (True, False)]
        )
        self.tested, self.alone, self.corrected, self.error = {*families[0]}, {}, {}, {}
        for members in families:
            for of in [measures] if family == "all" else [[measure] for measure in measures]:
                keys = [(measure, *pair) for measure in of for pair in members]
                tested = [p_and_error(self.differences(*key)) for key in keys]
                for key, (p, error), changed in zip(keys, tested, corrected([p for p, _ in tested], how), strict=True):
                    for way in (key, (key[0], key[2], key[1])):
                        self.alone[way], self.corrected[way], self.error[way] = p, changed, error
        self.together = len(families[0]) * (len(measures) if family == "all" else 1)
        self.baseline, self.how = baseline, how

    def differences(self, measure, one, other):
        return [a - b for a, b in zip(self.values[measure, one], self.values[measure, other], strict=True)]

    def gain(self, measure, one, other):
        return self.means[measure, one] - self.means[measure, other]

    def shown(self, measure, one, other):
        return self.gain(measure, one, other) > 0 and self.corrected[measure, one, other] <= ALPHA

    def leaders(self, measure):
        return [name for name in self.systems if all(self.gain(measure, name, other) >= 0 for other in self.systems)]

    def rivals(self, measure, leader):
        others = (name for name in self.systems if name not in self.leaders(measure))
        return [other for other in others if not self.shown(measure, leader, other)]

    def all_shown(self):
        ways = [pair for one, other in self.tested for pair in ((one, other), (other, one))]
        return {(measure, *pair) for measure in self.measures for pair in ways if self.shown(measure, *pair)}


def listed(text):
    """The names of a list, and how many systems it stands for."""
    parts = re.split(", | and ", text)
    names = [part for part in parts if "more" not in part]
    return names, len(names) + sum(int(part.split()[0]) for part in parts if "more" in part)


def is_list_of(text, systems):
    """Whether a list names systems, the first of some, and counts the others."""
    names, n = listed(text)
    return {*names} <= {*systems} and n == len(systems)


def measures_of(text, truth):
    """The measures that a clause is about."""
    return truth.measures if text.startswith(("both", "all")) else re.split(", | and ", text)


P = re.compile(r"(corrected )?p ([=≤≥<]) (\d\.\d{4})(?:; (?:([≤≥<]) )?(\d\.\d{4}))?(?: for (\d+) comparisons)?")


def printed(p):
    return "0.0001" if p < 0.0001 else f"{min(p, 1):.4f}"


def check_evidence(truth, text, keys):
    """Whether what stands in brackets holds for some pairs: measure, the system that is spoken of, the other one."""
    pick = max if truth.corrected[keys[0]] <= ALPHA else min
    alone, changed = (pick(values[key] for key in keys) for values in (truth.alone, truth.corrected))
    found = P.search(text)
    is_of_others = not all({*key[1:]} in [{*pair} for pair in truth.tested] for key in keys)
    assert bool(found[1]) == is_of_others
    least = [printed(alone), printed(changed)]
    assert [found[3], found[5] or found[3]] == ([least[1]] * 2 if is_of_others or not found[5] else least)
    if not is_of_others:
        assert found[5] or least[0] == least[1]
        assert int(found[6] or 1) == (truth.together if truth.how != "none" else 1)
    for sign, value in ((found[2], alone if found[5] else changed), (found[4], changed)):
        if sign and len(keys) > 1 and printed(value) not in ("0.0001", "1.0000"):
            assert sign == ("≤" if pick is max else "≥")
    assert (len(keys) == 1) == (text[0] in "+-−"), text
    if len(keys) == 1:
        [(measure, one, other)] = keys
        sign = -1 if measure == "FP@1" else 1
        mean = sign * float(truth.gain(measure, one, other))
        assert float(re.match(r"[+-]\d\.\d{4}", text)[0]) == pytest.approx(mean, abs=5.1e-5)
        ends = re.search(r"95% CI ([+-][\d.]+) to ([+-][\d.]+)", text)
        if ends and alone:
            level = ALPHA * alone / changed
            half = stats.t.ppf(1 - level / 2, truth.n - 1) * truth.error[keys[0]]
            assert [float(ends[1]), float(ends[2])] == pytest.approx([mean - half, mean + half], abs=6e-5, rel=1e-4)
        assert ("lower is better" in text) == (sign < 0)


def check_leads(truth, told, measures, rest, evidence):
    """Whether some systems lead, and who may be as good as each of them."""
    claimed = re.findall(r"(?:(.+?) )?(?:is|are) not shown to be better than (.+?) §(\d+)(?:, and |$)", rest)
    assert claimed
    for measure in measures:
        leaders = truth.leaders(measure)
        assert is_list_of(told, leaders)
        groups = {}
        for leader in leaders:
            groups.setdefault(tuple(truth.rivals(measure, leader)), []).append(leader)
        open_groups = [(rivals, who) for rivals, who in groups.items() if rivals]
        assert len(open_groups) == len(claimed)
        for (rivals, who), (who_told, others, _) in zip(open_groups, claimed, strict=True):
            assert is_list_of(others, rivals)
            assert is_list_of(who_told, who) if who_told else who == leaders
    for (rivals, who), (*_, place) in zip(open_groups, claimed, strict=True):
        keys = [(measure, one, other) for measure in measures for one in who for other in rivals]
        check_evidence(truth, evidence[int(place)], keys)


def check_clause(truth, clause, evidence):
    """Check one clause of a verdict."""
    if found := re.fullmatch(r"No system is shown to be best: (.+), but the leads may be chance", clause):
        for leader, of in re.findall(r"(\w) leads in (.+?)(?=(?:, | and )\w leads in|$)", found[1]):
            for measure in measures_of(of, truth):
                assert truth.leaders(measure) == [leader]
                assert len(truth.rivals(measure, leader)) == len(truth.systems) - 1
    elif found := re.fullmatch(r"(\w) is better than all others in (.+) §(\d+)", clause):
        measures = measures_of(found[2], truth)
        keys = [(measure, found[1], other) for measure in measures for other in truth.systems if other != found[1]]
        assert all(truth.shown(*key) for key in keys)
        truth.named |= {*keys}
        check_evidence(truth, evidence[int(found[3])], keys)
    elif found := re.fullmatch(r"(.+?) (?:is|are) (better|worse) than (.+) in (.+) §(\d+)", clause):
        (one, n_one), (other, n_other), measures = listed(found[1]), listed(found[3]), measures_of(found[4], truth)
        told = [(measure, a, b) for measure in measures for a in one for b in other]
        keys = told if found[2] == "better" else [(measure, b, a) for measure, a, b in told]
        assert all(truth.shown(*key) for key in keys)
        truth.named |= {*keys}
        truth.counted += (n_one * n_other - len(one) * len(other)) * len(measures)
        if n_one * n_other == len(one) * len(other):
            check_evidence(truth, evidence[int(found[5])], told)
    elif found := re.fullmatch(r"(.+?) leads? in (.+?)(, with equal means)?, but (.+)", clause):
        check_leads(truth, found[1], measures_of(found[2], truth), found[4], evidence)
        assert bool(found[3]) == (len(truth.leaders(measures_of(found[2], truth)[0])) > 1)
    elif found := re.fullmatch(r"(.+?) (?:have equal means in (.+)|are best in (.+), with equal means)", clause):
        for measure in measures_of(found[2] or found[3], truth):
            assert is_list_of(found[1], truth.leaders(measure))
            assert bool(found[2]) == (len(truth.leaders(measure)) == len(truth.systems))
            assert not any(truth.rivals(measure, leader) for leader in truth.leaders(measure))
    elif found := re.fullmatch(r"So (?:is|are) (\d+) further differences? in the tables", clause):
        truth.counted += int(found[1])
    else:
        raise AssertionError(f"what is {clause!r}?")


@longer
@pytest.mark.parametrize("seed", range(often(200, quick=20)))
def test_each_claim_on_three_or_more_systems_follows_from_the_values(seed):
    rng = random.Random(seed)
    for _ in range(10):
        systems, measures = drawn(rng), rng.sample([*MEASURES], rng.choice([1, 1, 2, 3, 4]))
        options = {
            "correction": rng.choice(["holm", "bonferroni", "bh", "none"]),
            "family": rng.choice(["all", "measure"]),
        }
        baseline = rng.choice([None, *systems])
        of_pairs = {"pairs": "all", "test": "t"} if baseline is None else {"baseline": baseline}
        runs = {name: run_of(values) for name, values in systems.items()}
        qrels = {query: {"r": 1} for query in runs["A"]}
        comparison = compare(runs, qrels, measures, alpha=ALPHA, **options, **of_pairs)
        truth = Truth(systems, measures, baseline, options["correction"], options["family"])
        for pair in comparison.every_pair:
            key = pair[:3]
            assert pair.result.p == pytest.approx(truth.alone[key], abs=1e-9), key
            assert pair.p == pytest.approx(min(truth.corrected[key], 1), abs=1e-9), key

        evidence = re.findall(r" \(([^()]*)\)", said := verdict_of(comparison))
        places = itertools.count()
        text = re.sub(r" \([^()]*\)", lambda _, places=places: f" §{next(places)}", said).replace("The baseline ", "")
        for clause in re.split(r"; |\. ", text.replace("the baseline ", "").removesuffix(".")):
            try:
                check_clause(truth, clause, evidence)
            except (AssertionError, TypeError) as error:
                raise AssertionError(f"{said}\n{systems}\n{options}, {of_pairs}") from error
        assert len(truth.all_shown() - truth.named) == truth.counted, said
