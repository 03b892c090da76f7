"""The kinds of answers: what is looked at in one, when two are the same, what can be said of a wrong one."""

from toysearch.course.computed_answers import AtLeast, Computed, Function
from toysearch.course.list_answers import Ordered, Table, Unordered
from toysearch.course.value_answers import Choice, Number, Text, Truth, Whole

__all__ = [
    "AtLeast",
    "Choice",
    "Computed",
    "Function",
    "Number",
    "Ordered",
    "Table",
    "Text",
    "Truth",
    "Unordered",
    "Whole",
]
