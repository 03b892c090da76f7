"""The kinds of answers: what is looked at in one, when two are the same, what can be said of a wrong one."""

from toysearch.labs.computed import AtLeast, Computed, Function
from toysearch.labs.containers import Ordered, Table, Unordered
from toysearch.labs.values import Choice, Number, Text, Truth, Whole

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
