"""The measures of preferences: trec_eval's own values, sums by hand, and a slow second computation by single pairs."""

from __future__ import annotations

import random
from itertools import product

import pytest
from lengths import thinned

from toysearch.base.errors import DataError
from toysearch.evaluation.measures.trec_eval_only import PREFERENCE_MEASURES, preference_values

# The ranking is a … i; u … z were not retrieved. The levels, and the values, are those of trec_eval's own tests.
RANKING = list("abcdefghi")
TWO = {"b": 1, "c": 0, "d": 0, "e": 1, "f": 0, "g": 1, "h": 1, "w": 1, "x": 0, "y": 1, "z": 0}
THREE = {"b": 4, "c": 0, "d": 0, "e": 2, "f": 0, "g": 1, "h": 1, "w": 4, "x": 0, "y": 1, "z": 0}
MANY = {"b": 9, "c": 8, "d": 7, "e": 6, "f": 5, "g": 5.5, "h": 6.5, "w": 8, "x": 7, "y": 6, "z": 3}
PEOPLE = [{"b": 0, "c": 1, "d": 0, "y": 5}, {"b": 4, "c": 6, "d": 6, "y": 5}, {"b": 9, "c": 8, "d": 7, "y": 5}]
CHAIN = [{"b": 5, "c": 9, "d": 4, "e": 3, "t": 6, "u": 0}, {"d": 7, "f": 6, "v": 1}]


def groups(*people: list[dict[str, float]]) -> dict[str, dict[str, dict[str, float]]]:
    return {str(i): {str(j): levels for j, levels in enumerate(person)} for i, person in enumerate(people)}


CASES = {
    "both retrieved, in order": ([[{"a": 1, "i": 0}]], "1 1 1 1 1 1 1 1 1 1 1 1 1 1"),
    "the preferred one retrieved": ([[{"a": 1, "u": 0}]], "1 1 0 1 1 1 1 0 0 0 1 1 1 1"),
    "the other one retrieved": ([[{"u": 1, "a": 0}]], "1 0 0 0 0 0 0 0 0 0 0 0 0 0"),
    "neither retrieved": ([[{"u": 0, "v": 1}]], "1 0 0 0 0 0 0 0 0 0 0 0 0 0"),
    "no preference": ([[{"a": 1, "i": 1}]], "0 0 0 0 0 0 1 0 0 0 1 0 0 0"),
    "nothing relevant": ([[{"a": 0, "i": 0}]], "0 0 0 0 0 0 0 0 0 0 0 0 0 0"),
    "one document": ([[{"i": 1}]], "0 0 0 0 0 0 1 0 0 0 1 0 0 0"),
    "two levels": ([[TWO]], "30 12 4 .4 .4 .4 .4444 .3333 .3333 .3333 .4444 .4615 .4615 .4615"),
    "three levels": ([[THREE]], "41 19 9 .4634 .4634 .4634 .4894 .5294 .5294 .5294 .5652 .5278 .5278 .5278"),
    "many levels": ([[MANY]], "52 31 17 .5962 .5962 .5962 .6243 .8095 .8095 .8095 .6735 .6739 .6739 .6739"),
    "three people": (
        [[person] for person in PEOPLE],
        "16 9 4 .5625 .5833 .5333 .5616 .5714 .6111 .5 .4810 .5625 .5833 .5333",
    ),
    "three people with subgroups": (
        [[person, {doc_id: person[doc_id] for doc_id in "bc"}] for person in PEOPLE],
        "16 9 4 .5625 .5833 .5333 .5616 .5714 .6111 .5 .6476 .5625 .5833 .5333",
    ),
    "a chain": ([CHAIN], "24 17 8 .7083 .7083 .7083 .7121 .8889 .8889 .8889 .75 .7727 .7727 .7727"),
}


@pytest.mark.parametrize("case", CASES)
def test_values_are_those_of_trec_eval(case):
    people, expected = CASES[case]
    found = preference_values(RANKING, groups(*people))
    assert list(found) == list(PREFERENCE_MEASURES)
    assert [round(value, 4) for value in found.values()] == [float(value) for value in expected.split()]


def test_what_follows_from_two_preferences_is_one_only_within_a_group():
    chain, apart = groups([{"a": 2, "b": 1}, {"b": 2, "c": 1}]), groups([{"a": 2, "b": 1}], [{"b": 2, "c": 1}])
    assert preference_values(["a"], chain)["prefs_num_prefs_poss"] == 3
    assert preference_values(["a"], apart)["prefs_num_prefs_poss"] == 2


def test_a_group_that_contradicts_itself_is_refused():
    with pytest.raises(DataError, match="group '0' prefers 'a' to 'b' and 'b' to 'a'; keep one of the two"):
        preference_values(["a"], groups([{"a": 2, "b": 1}, {"b": 2, "c": 1}, {"c": 2, "a": 1}]))


def pairs_of(person: dict[str, dict[str, float]]) -> set[tuple[str, str]]:
    """Who is preferred to whom, with what follows, pair by pair."""
    pairs = {(a, b) for levels in person.values() for a, b in product(levels, levels) if levels[a] > levels[b]}
    if len(person) > 1:
        while added := {(a, d) for (a, b), (c, d) in product(pairs, pairs) if b == c} - pairs:
            pairs |= added
    return pairs


def slowly(ranking: list[str], people: dict[str, dict[str, dict[str, float]]]) -> dict[str, float]:
    place = {doc_id: rank for rank, doc_id in enumerate(ranking)}

    def fulfilled(pair: tuple[str, str]) -> bool:
        return pair[0] in place and (pair[1] not in place or place[pair[0]] < place[pair[1]])

    found = {}
    for kind, least in (("", 0), ("_imp", 1), ("_ret", 2)):
        own = [[p for p in pairs_of(person) if sum(d in place for d in p) >= least] for person in people.values()]
        every = [pair for pairs in own for pair in pairs]
        met = [pair for pair in every if fulfilled(pair)]
        shares = [sum(map(fulfilled, pairs)) / len(pairs) if pairs else 0 for pairs in own]
        of_pair = [
            sum(fulfilled(pair) for pair in every if set(pair) == two) / sum(set(pair) == two for pair in every)
            for two in {frozenset(pair) for pair in every}
        ]
        found[f"prefs_simp{kind}"] = len(met) / len(every) if every else 0
        found[f"prefs_avgjg{kind}"] = sum(shares) / len(shares)
        found[f"prefs_pair{kind}"] = sum(of_pair) / len(of_pair) if of_pair else 0
        if kind == "":
            found |= {"prefs_num_prefs_poss": len(every), "prefs_num_prefs_ful": len(met)}
        elif kind == "_ret":
            found["prefs_num_prefs_ful_ret"] = len(met)
    return found


@pytest.mark.parametrize("seed", thinned(range(60), 6))
def test_values_are_those_of_a_slow_count_pair_by_pair(seed):
    chance = random.Random(seed)
    taste = {doc_id: chance.randint(0, 4) for doc_id in "abcdefgh"}
    people = []
    for _ in range(chance.randint(1, 3)):
        chance.shuffle(docs := list(taste))
        own = dict(zip(docs, taste.values(), strict=True))
        people.append(
            [{d: own[d] for d in chance.sample(docs, chance.randint(1, 6))} for _ in range(chance.randint(1, 3))]
        )
    ranking = chance.sample([*taste, "x", "y"], chance.randint(0, 9))
    expected = slowly(ranking, groups(*people))
    found = preference_values(ranking, groups(*people))
    assert {name: found[name] for name in expected} == pytest.approx(expected, abs=1e-12)
