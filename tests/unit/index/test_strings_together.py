"""The positions of many strings together are those of each alone."""

from hypothesis import given
from hypothesis import strategies as st

from toysearch.index import strings
from toysearch.index.strings import Positions, Strings

STRINGS = st.text(st.sampled_from("ab\x00é"), max_size=20)


def check(known, wanted):
    ordered = sorted(known, key=str.encode)
    together = Positions(Strings.of(ordered)).of_all([*wanted])
    alone = Positions(Strings.of(ordered))
    places = {string: place for place, string in enumerate(ordered)}
    assert together.tolist() == [places.get(string, -1) for string in wanted] == [alone[string] for string in wanted]


@given(st.sets(STRINGS, min_size=1, max_size=60), st.sets(STRINGS, min_size=9, max_size=30))
def test_strings_alike_for_several_keys(known, wanted):
    check(known, {*wanted, *[*known][:5]})


def test_strings_between_those_of_the_sample():
    known = {f"term{number}" for number in range(3 * strings._STEP)}
    check(known, known | {f"term{number}x" for number in range(100)} | {"", "a", "zebra"})


def test_known_strings_are_not_looked_up_again(monkeypatch):
    positions, wanted = Positions(Strings.of(sorted(map(str, range(20))))), [*map(str, range(20))]
    first = positions.of_all(wanted).tolist()
    monkeypatch.setattr(strings.JointLookup, "positions", lambda self, wanted: 1 / 0)
    assert positions.of_all(wanted).tolist() == first
