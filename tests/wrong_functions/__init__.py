"""Functions that students write and that are wrong, beside those for which a lab has a sentence, each with the reason.

An exercise gives no points for any of them, whoever the student is and whatever the secret of the lecturer.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from toysearch.classroom.exercise import Given, Mistake

Made = Callable[[Given], Callable[..., Any]]


def _with_reason(wrong: tuple[Callable[..., Any], str] | Mistake) -> tuple[Made, str]:
    answer, reason = wrong
    return (answer if isinstance(wrong, Mistake) else lambda given: answer), reason


WRONG: dict[str, list[tuple[Made, str]]] = {
    number: [*map(_with_reason, table)]
    for lab in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13)
    for number, table in importlib.import_module(f"wrong_functions.lab{lab:02}").WRONG.items()
}
"""Exercise → what makes a wrong function from the given values, and the reason."""
