"""Kinds of answers that are looked at through what they compute: functions, models, any object."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from toysearch.course.exercise import Answer, Case, Given, Unanswered, Unusable
from toysearch.course.plain_values import SLACK, cut, found
from toysearch.course.sandbox.time_limit import SECONDS, TooLong, at_most
from toysearch.course.value_answers import Number

_NOTHING = "nothing"


@dataclass(frozen=True)
class Function:
    """A function, looked at through what it returns for the exercise's inputs."""

    of: Answer  # the kind of what it returns
    signature: str  # how it is called, such as "tokens(text)"

    @property
    def expects(self) -> str:
        """What a student should give."""
        return f"a function {self.signature} that returns {self.of.expects}"

    def look(self, answer: Any, case: Case) -> list[dict[str, Any]]:
        """For each input what comes back, or what is raised."""
        if not callable(answer):
            raise Unusable(found(answer))
        results = []
        for arguments in case.inputs:
            results.append(self._result(answer, arguments, case))
            if results[-1].get("raised") == TooLong.__name__:  # the next call would take as long
                break
        if results and all(result.get("unusable") == _NOTHING for result in results):
            raise Unanswered("your function returns nothing; its result has to stand after the word return")
        return results

    def same(self, seen: list[dict[str, Any]], right: list[dict[str, Any]]) -> bool:
        """Whether each result is the same as its counterpart."""
        return len(seen) == len(right) and all(map(self._alike, seen, right))

    def remark(self, seen: list[dict[str, Any]], right: list[dict[str, Any]], case: Case) -> str:
        """The first input for which the result is wrong, and what came back."""
        for result, expected, arguments in zip(seen, right, case.inputs, strict=False):
            if self._alike(result, expected):
                continue
            call = f"{self.signature.partition('(')[0]}({cut(', '.join(map(repr, arguments)))})"
            if "raised" in result:
                if result["raised"] == TooLong.__name__:
                    return f"{call} takes more than {SECONDS['call']:g} s; does its loop end?"
                return f"{call} raises {result['raised']}: {result['message']}"
            if "unusable" in result:
                return f"{call} returns {result['unusable']}; {self.of.expects} was expected"
            more = self.of.remark(result["returned"], expected["returned"], case)
            return f"{call} returns {cut(repr(result['returned']))}" + (f": {more}" if more else ", which is not right")
        return ""

    def _result(self, function: Callable[..., Any], arguments: tuple[Any, ...], case: Case) -> dict[str, Any]:
        try:
            with at_most("call"):
                returned = function(*copy.deepcopy(arguments))
            if returned is None or returned is ...:
                return {"unusable": _NOTHING}
            return {"returned": self.of.look(returned, case)}
        except Unusable as error:
            return {"unusable": str(error)}
        except (Exception, TooLong) as error:  # whatever a student's function may raise is an observation
            return {"raised": type(error).__name__, "message": cut(str(error))}

    def _alike(self, seen: dict[str, Any], right: dict[str, Any]) -> bool:
        if "returned" in seen and "returned" in right:
            return self.of.same(seen["returned"], right["returned"])
        return "raised" in seen and seen["raised"] == right.get("raised")


@dataclass(frozen=True)
class Computed:
    """Any object, looked at through what is computed from it."""

    # from the answer and what is given, what is compared; it raises where the answer is not what was asked for
    by: Callable[[Any, Given], Any]
    of: Answer  # the kind of what it computes
    asked: str  # what a student should give, such as "a Ranking"

    @property
    def expects(self) -> str:
        """What a student should give."""
        return self.asked

    def look(self, answer: Any, case: Case) -> Any:
        """What is computed from the answer."""
        return self.of.look(_computed(self.by, answer, case), case)

    def same(self, seen: Any, right: Any) -> bool:
        """Whether what was computed is the same."""
        return self.of.same(seen, right)

    def remark(self, seen: Any, right: Any, case: Case) -> str:
        """What can be said of what was computed."""
        return self.of.remark(seen, right, case)


@dataclass(frozen=True)
class AtLeast:
    """An object that has to be as good as the expected one: a model by its mean AP, say."""

    by: Callable[[Any, Given], float]  # from the answer and what is given, the number that should be high
    asked: str  # what a student should give, such as "a ranking model"
    what: str  # what the number is, such as "mean AP"

    @property
    def expects(self) -> str:
        """What a student should give."""
        return self.asked

    def look(self, answer: Any, case: Case) -> float:
        """The number."""
        return Number().look(_computed(self.by, answer, case), case)

    def same(self, seen: float, right: float) -> bool:
        """Whether it reaches the bar."""
        return seen >= right - SLACK

    def remark(self, seen: float, right: float, case: Case) -> str:
        """The number, and the bar."""
        return f"its {self.what} is {seen:.4f}, and {right:.4f} is the bar"


def _computed(by: Callable[[Any, Given], Any], answer: Any, case: Case) -> Any:
    try:
        with at_most("cell"):
            return by(answer, case.given)
    except Unusable:
        raise
    except TooLong as error:
        raise Unusable(f"{found(answer)} ({error})") from None
    except Exception as error:  # an answer of the wrong kind fails in ways of its own
        raise Unusable(f"{found(answer)} ({type(error).__name__}: {cut(str(error))})") from None
