"""The verdict of any comparison: each claim holds in the numbers of its table, and each shown difference is named."""

import random
import re
from itertools import product

import pytest
from tiers import often

from toysearch.study.compare.comparison import caveats, compare
from toysearch.study.compare.comparison_verdict import condition_of, verdict_of
from toysearch.study.compare.significance import CORRECTIONS

COUNTS = {"both measures": 2, "all three measures": 3, "all four measures": 4}
PRINTED = 5e-5
NAME = r"[a-f]"
LIST = rf"(?:{NAME}|\d more)(?:(?:, | and )(?:{NAME}|\d more))*"
IN = r"in (?P<by>[^;.(]+?)"
MANY = {
    "best": rf"(?P<names>{NAME}) is better than all others {IN}",
    "differ": rf"(?P<names>{LIST}) (?:is|are) (?P<way>better|worse) than (?P<others>{LIST}) {IN}",
    "leads": rf"(?P<names>{NAME}) leads {IN}, but is not shown to be better than (?P<others>{LIST})",
    "lead": rf"(?P<names>{LIST}) lead {IN}, with equal means, but are not shown to be better than (?P<others>{LIST})",
    "tied": rf"(?P<names>{LIST}) are best {IN}, with equal means",
    "equal": rf"(?P<names>{LIST}) have equal means {IN}",
    "further": r"So (?:is|are) (?P<n>\d+) further differences? in the tables",
}
OPEN = r"No system is shown to be best: (?P<leads>.+), but the leads may be chance"
EVIDENCE = r" \(([^()]*)\)"


class Table:
    """The numbers of a comparison, and what its verdict has said of them."""

    def __init__(self, comparison):
        self.comparison, self.systems, self.alpha = comparison, comparison.systems, comparison.how.alpha
        self.measures = [*comparison.best]
        self.signs = {str(each): -1 if each.definition.better == "lower" else 1 for each in comparison.measures}
        self.p = {}
        for pair in comparison.every_pair:
            self.p[pair.measure, pair.system, pair.other] = self.p[pair.measure, pair.other, pair.system] = pair.p
        self.named = set()  # (measure, better, worse)

    def gain(self, measure, one, other):
        means = self.comparison.means[measure]
        return self.signs[measure] * (means[one] - means[other])

    def shown(self, measure, one, other):
        """Whether the first is significantly better, in figures that differ as they are printed."""
        return self.p[measure, one, other] <= self.alpha and self.gain(measure, one, other) >= PRINTED

    def lead(self, measure):
        """The systems whose mean is printed like the highest."""
        best = max(self.systems, key=lambda name: self.gain(measure, name, self.systems[0]))
        return {name for name in self.systems if abs(self.gain(measure, name, best)) < PRINTED}

    def not_beaten(self, measure, names):
        others = {*self.systems} - {*names}
        return {other for other in others if any(self.p[measure, name, other] > self.alpha for name in names)}

    def by(self, text):
        if text in COUNTS or text is None:
            assert text is None or COUNTS[text] == len(self.measures)
            return self.measures
        return re.split(", | and ", text)

    def covers(self, text, systems):
        """Whether a list names some systems and counts the others."""
        names, n = listed(text)
        return {*names} <= {*systems} and n == len(systems)

    def check(self, kind, found):
        said = found.groupdict()
        if kind == "further":
            return int(said["n"])
        names, counted = re.split(", | and ", said["names"]), 0
        for measure in self.by(said["by"]):
            if kind == "best":
                assert self.lead(measure) == {*names}
                for other in {*self.systems} - {*names}:
                    assert self.shown(measure, names[0], other)
                    self.named.add((measure, names[0], other))
            elif kind == "differ":
                (first, n_first), (second, n_second) = listed(said["names"]), listed(said["others"])
                for one, other in product(first, second):
                    pair = (one, other) if said["way"] == "better" else (other, one)
                    assert self.shown(measure, *pair)
                    self.named.add((measure, *pair))
                counted += n_first * n_second - len(first) * len(second)
            else:
                leaders = self.lead(measure)
                assert self.covers(said["names"], leaders)
                rivals = self.not_beaten(measure, leaders)
                assert self.covers(said["others"], rivals) if "others" in said else not rivals or kind == "equal"
                assert (kind == "equal") == (leaders == {*self.systems})
        return counted


def listed(text):
    """The names of a list, and how many systems it stands for."""
    names = re.split(", | and ", text)
    more = [int(name.split()[0]) for name in names if name.endswith(" more")]
    names = [name for name in names if not name.endswith(" more")]
    return names, len(names) + sum(more)


def claimed(table, text):
    """Check each sentence of many systems; the number of differences that it only counts."""
    counted = 0
    if found := re.fullmatch(OPEN + r"\.", text):
        for one in re.finditer(rf"({NAME}) leads in (.+?)(?=(?:, | and ){NAME} leads|$)", found["leads"]):
            for measure in table.by(one[2]):
                assert table.lead(measure) == {one[1]}
                assert not any(table.shown(measure, one[1], other) for other in table.systems if other != one[1])
        return counted
    for clause in re.split(r"(?:; |\. |\.$)", text)[:-1]:
        [(kind, found)] = [(kind, found) for kind, form in MANY.items() if (found := re.fullmatch(form, clause))]
        counted += table.check(kind, found)
    return counted


def claimed_of_two(table, text):
    """Check the sentence of two systems, which says of the one how it differs from the other."""
    _, system, base, *_ = table.comparison.pairs[0]
    ways = {}
    for measure in table.measures:
        if abs(table.gain(measure, system, base)) < PRINTED:
            ways.setdefault("equal", []).append(measure)
        else:
            way = "better" if table.gain(measure, system, base) > 0 else "worse"
            ways.setdefault(way if table.p[measure, system, base] <= table.alpha else "open", []).append(measure)
    said = {"equal": [], "open": [], "better": [], "worse": []}
    for kind, form in {
        "equal": r"equal means in ([^;.]+?)(?:;|\.$)",
        "open": rf"(?:differences? in|it leads in|not shown to (?:be better than|differ from) {NAME} in) "
        r"([^;.:]+?)(?:,? but the leads? may be chance| may be chance|\.)",
        "better": rf"(?:is|but) better than {NAME} in ([^;.]+?)(?:, but|[;.])",
        "worse": rf"(?:is|but) worse than {NAME} in ([^;.]+?)(?:, but|[;.])",
    }.items():
        for found in re.findall(form, text):
            said[kind] += table.by(found)
    assert {kind: measures for kind, measures in said.items() if measures} == ways
    for way in ("better", "worse"):
        for measure in said[way]:
            table.named.add((measure, system, base) if way == "better" else (measure, base, system))
    return 0


def is_of_pairs(comparison, evidence):
    """Whether numbers of a verdict are those of pairs in the comparison."""
    pairs = comparison.every_pair
    for bound, text in re.findall(r"p ([=<≤≥]) (\d\.\d+)", evidence):
        printed = [f"{p:.4f}" for pair in pairs for p in (pair.p, pair.result.p)]
        assert text in printed or (bound, text) == ("<", "0.0001")
    found = re.match(r"([+-]\d+\.\d{4})(?:, \d+% CI(?: by Student's t)? ([+-]\S+) to ([+-][\d.]+))?;", evidence)
    if not found:
        return bool(re.match("(?:corrected )?p ", evidence))
    numbers = {
        tuple(
            f"{end + 0.0:+.4f}"
            for end in (side * pair.result.mean, *sorted((side * pair.result.low, side * pair.result.high)))
        )
        for pair in pairs
        for side in (1, -1)
    }
    return any(found[1] == mean and found[2] in (None, low) for mean, low, _ in numbers)


def systems_of(rng, n_systems, n_queries):
    """Systems of three documents per query, some of which are copies, or copies but for some queries: many tie."""
    systems = {}
    for name in "abcdef"[:n_systems]:
        quality = rng.choice([0.0, 0.3, 0.6, 1.0])
        run = {}
        for query in map(str, range(n_queries)):
            documents = ["r", "x", "y"]
            rng.shuffle(documents)
            if rng.random() < quality:
                documents = ["r", *(other for other in documents if other != "r")]
            run[query] = documents
        if systems and rng.random() < 0.5:
            copied = dict(rng.choice([*systems.values()]))
            for query in rng.sample([*copied], min(n_queries, rng.choice([0, 0, 1, 5]))):
                copied[query] = run[query]
            run = copied
        systems[name] = run
    return systems


@pytest.mark.parametrize("seed", range(often(600, 150)))
def test_each_claim_holds_and_each_shown_difference_is_named(seed):
    rng = random.Random(seed)
    n_systems = rng.choice([2, 3, 3, 4, 4, 6])
    systems = systems_of(rng, n_systems, rng.choice([1, 12, 30]))
    judged = {query: {"r": 1, "x": 0, "y": 0} for query in systems["a"]}
    measures = rng.sample(["RR", "Success@1", "AP", "P@3", "nDCG@2", "ESL", "FP@2", "FN@1"], rng.choice([1, 2, 3, 4]))
    options = rng.choice([{}, {"family": "measure"}, {"pairs": "all"}, {"baseline": rng.choice([*systems])}])
    options = {"test": rng.choice(["t", "sign", "wilcoxon"]), "correction": rng.choice([*CORRECTIONS]), **options}
    if rng.random() < 0.1:
        options = {"pairs": "all", "test": "tukey"}
    found = compare(systems, judged, " ".join(measures), alpha=rng.choice([0.05, 0.01]), **options)
    table, text = Table(found), verdict_of(found)
    plain = re.sub(rf"[Tt]he baseline |{EVIDENCE}", "", text)
    assert text.count("he baseline") <= 1
    count = (claimed_of_two if n_systems == 2 else claimed)(table, plain)
    shown = {
        (measure, one, other)
        for measure, *pair in ((one.measure, one.system, one.other) for one in found.pairs)
        for one, other in (pair, pair[::-1])
        if table.shown(measure, one, other)
    }
    assert len(shown - table.named) == count, text
    assert shown or not condition_of(found, caveats(found))
    for evidence in re.findall(EVIDENCE, text):
        assert is_of_pairs(found, evidence), (evidence, text)
