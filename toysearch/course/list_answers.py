"""Kinds of answers that hold several values: lists, sets, dicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from toysearch.course.exercise import Answer, Case, Unusable
from toysearch.course.plain_values import cut, found, items, plain, unmatched


@dataclass(frozen=True)
class Ordered:
    """A list whose order counts."""

    of: Answer  # the kind of its items
    what: str = "items"  # what they are, in the plural

    @property
    def expects(self) -> str:
        """What a student should give."""
        return f"a list of {self.what} in order, each {self.of.expects}"

    def look(self, answer: Any, case: Case) -> list[Any]:
        """Its items."""
        return items(answer, self.of, case, ordered=True)

    def same(self, seen: list[Any], right: list[Any]) -> bool:
        """Whether every item is the same as its counterpart."""
        return len(seen) == len(right) and all(map(self.of.same, seen, right))

    def remark(self, seen: list[Any], right: list[Any], case: Case) -> str:
        """Whether only the order is wrong, how many there should be, or the first place that is wrong."""
        if len(seen) == len(right) and unmatched(seen, right, self.of) == (0, 0):
            return f"these are the right {self.what}, in the wrong order"
        pairs = enumerate(zip(seen, right, strict=False), 1)
        place = next((place for place, pair in pairs if not self.of.same(*pair)), min(len(seen), len(right)) + 1)
        if len(seen) != len(right):
            so_far = f"; yours are right up to place {place - 1}" if place > 1 else ""
            return f"there should be {'more' if len(seen) < len(right) else 'fewer'} {self.what}{so_far}"
        if place > 1:
            return f"the {self.what} are right up to place {place - 1}, not at place {place}"
        good = sum(map(self.of.same, seen, right))
        return f"the first of the {self.what} is not right; {good} of the {len(right)} are" if good else ""


@dataclass(frozen=True)
class Unordered:
    """A set, or a list whose order does not count."""

    of: Answer  # the kind of its items
    what: str = "items"  # what they are, in the plural

    @property
    def expects(self) -> str:
        """What a student should give."""
        return f"a set or a list of {self.what} in any order, each {self.of.expects}"

    def look(self, answer: Any, case: Case) -> list[Any]:
        """Its items, in any order."""
        return items(answer, self.of, case, ordered=False)

    def same(self, seen: list[Any], right: list[Any]) -> bool:
        """Whether each has its counterpart."""
        return unmatched(seen, right, self.of) == (0, 0)

    def remark(self, seen: list[Any], right: list[Any], case: Case) -> str:
        """How many are wrong, how many are missing."""
        wrong, missing = unmatched(seen, right, self.of)
        repeated = next((item for item, count in Counter(seen).items() if count > right.count(item) > 0), None)
        parts = [f"'{cut(str(repeated))}' is there too often"] if repeated is not None else []
        parts += [f"{wrong} of your {len(seen)} {self.what} should not be there"] if wrong and not parts else []
        parts += [f"{missing} {'is' if missing == 1 else 'are'} missing"] if missing else []
        return "; ".join(parts)


@dataclass(frozen=True)
class Table:
    """A dict from names to values, such as ``{"cat": 2, "dog": 1}``."""

    of: Answer  # the kind of its values
    keys: str = "keys"  # what its keys are, in the plural

    @property
    def expects(self) -> str:
        """What a student should give."""
        return f"a dict from {self.keys} to values, each {self.of.expects}"

    def look(self, answer: Any, case: Case) -> dict[str, Any]:
        """Its values by name; a key 1 is as good as a key "1"."""
        if not isinstance(answer, Mapping):
            raise Unusable(found(answer))
        try:
            return {str(plain(key)): self.of.look(value, case) for key, value in answer.items()}
        except Unusable as error:
            raise Unusable(f"a dict with {error}") from None

    def same(self, seen: dict[str, Any], right: dict[str, Any]) -> bool:
        """Whether the keys are equal, and each value is the same as its counterpart."""
        return seen.keys() == right.keys() and all(self.of.same(seen[key], right[key]) for key in right)

    def remark(self, seen: dict[str, Any], right: dict[str, Any], case: Case) -> str:
        """Which keys should not be there, how many are missing, which value is wrong; if nothing else is, how."""
        odd = [key for key in seen if key not in right]
        missing = len(right.keys() - seen.keys())
        wrong = [key for key in seen if key in right and not self.of.same(seen[key], right[key])]
        parts = [f"'{cut(odd[0])}' should not be among the {self.keys}"] if odd else []
        parts += [f"{missing} of the {self.keys} {'is' if missing == 1 else 'are'} missing"] if missing else []
        many = f" ({len(wrong)} are not)" * (len(wrong) > 1)
        parts += [f"the value of '{cut(wrong[0])}' is not right{many}"] if wrong else []
        more = self.of.remark(seen[wrong[0]], right[wrong[0]], case) if len(wrong) == len(parts) == 1 else ""
        return "; ".join(parts) + (f": {more}" if more else "")
