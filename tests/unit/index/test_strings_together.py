"""The positions of many strings together are those of each alone."""

from hypothesis import given
from hypothesis import strategies as st

from toysearch.index.strings import Positions, Strings

STRINGS = st.text(st.sampled_from("ab\x00é"), max_size=20)


@given(st.sets(STRINGS, min_size=1, max_size=60), st.sets(STRINGS, min_size=9, max_size=30))
def test_strings_alike_for_many_bytes(known, others):
    ordered = sorted(known, key=str.encode)
    wanted = [*others, *ordered[:5]]
    together, alone = Positions(Strings.of(ordered)), Positions(Strings.of(ordered))
    places = {string: place for place, string in enumerate(ordered)}
    assert together.of_each(wanted) == [places.get(string, -1) for string in wanted]
    assert together.of_each(wanted) == [alone[string] for string in wanted]


def test_absent_strings_are_not_kept():
    positions = Positions(Strings.of(["cat", "dog"]))
    assert positions.of_each(["dog", "catfish", ""]) == [1, -1, -1]
    assert dict(positions) == {"dog": 1}
