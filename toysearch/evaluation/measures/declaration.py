"""Declaration of a measure: a decorator above its function, which its signature and its docstring complete.

Start with `measure`; `definition_of` derives what need not be said.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as np

from toysearch.base import (
    ArgumentError,
    expect,
    expect_name,
    functions_of,
    has_no,
    instead_of_numbers,
    listed,
    module_of,
)
from toysearch.evaluation import Definition, Parameter
from toysearch.evaluation.measures.user_function import of_each_query, of_the_join

__all__ = ["measure"]

DECLARED: dict[str, Definition] = {}
"""Name → definition of each measure, built-in or of the user; a later one of the same name replaces it."""

TAKES = ("grades", "hits", "judged", "ideal", "R", "k", "joined")
"""Names of what the function of a measure can take for its own; its other arguments are parameters of the measure."""

PARAMETERS: Mapping[str, Parameter] = {
    "rel": Parameter("the lowest grade that is relevant; the threshold by default"),
    "gains": Parameter("the gain of each grade; a grade that is not named is its own gain", pairs=True),
    "max_rel": Parameter("the top of the scale; the highest grade of all judgments by default"),
    "N": Parameter("the number of documents in the collection", low=1, whole=True, needed="1400"),
    "judged_only": Parameter(
        "leave out the unjudged documents so that those below move up (condensed list)", default=False
    ),
}
"""Parameters that mean the same in every built-in measure, unless it describes them itself."""

_OF_A_FUNCTION = Parameter("a parameter of the function", low=None)
_NO_GAIN = "no judged document gains anything"
DEFAULTS: Mapping[str, dict[str, Any]] = {
    "ranked": {"undefined": "no document is relevant"},
    "set": {"undefined": "no document is relevant", "ordered": False},
    "graded": {"undefined": _NO_GAIN},
    "user": {"undefined": _NO_GAIN},
    "diversity": {"undefined": "no document is relevant to a sub-topic", "by_worth": "never"},
    "incomplete": {"undefined": ""},
    "own": {
        "undefined": "the function returns NaN",
        "source": "a function of the user",
        "range": (0.0, None),
        "by_worth": "never",
        "judged_only": False,
    },
}
"""Family → facts of its measures, unless one of them says something else; a measure of the user is in "own"."""

Function = TypeVar("Function", bound=Callable[..., Any])


@overload
def measure(what: Function, /) -> Function: ...


@overload
def measure(what: str = "", /, **facts: Any) -> Callable[[Function], Function]: ...


def measure(
    what: Callable[..., Any] | str = "",
    /,
    *,
    better: Literal["higher", "lower"] | None = "higher",
    description: str = "",
    **facts: Any,
) -> Any:
    """Declare a function as a measure of its name: evaluated, explained, compared and tuned like all others.

    Its parameters name what it takes, for one query:

    ======  ===========================================================================================
    grades  the grades by rank, down to the cutoff: float64; 0 for an unjudged document and below 0
    hits    whether each of these is relevant: bool
    judged  whether each of these is judged: bool
    ideal   the grades of all judged documents, retrieved or not, falling: float64
    R       the number of relevant documents, retrieved or not
    k       the cutoff; without one its default, or None
    joined  all queries at once, as a `toysearch.evaluation.joined_run.JoinedRun`
    ======  ===========================================================================================

    It returns a number, or an array with what each rank adds, by which the value is explained; NaN where it is not
    defined. A function of `joined` returns one number per query, or the `Terms` of these, and can take a `cutoff`.
    Other parameters need a default, and are those of the measure, as in ``useful(p=0.9)@10``. In a shell,
    ``-m mine.py:useful@10`` names it.

    Parameters
    ----------
    what : callable or str
        The function; or, for a decorator, the name of the measure, as in ``@measure("useful", better="lower")``. By
        default it is that of the function.
    better : {"higher", "lower"}, optional
        Which values are better; None if neither.
    description : str
        One line; by default the first line of the docstring.
    **facts
        What else is known of it: fields of `toysearch.evaluation.measures.definition.Definition`, such as `family`,
        `formula`, `source` and `range`; and for each of its parameters a `Parameter`.

    Raises
    ------
    ArgumentError
        If it takes something else.

    Examples
    --------
    >>> from toysearch import evaluate
    >>> @measure(better="higher")
    ... def useful(grades, *, p=0.5):
    ...     return (grades >= 2) * p ** np.arange(len(grades))
    >>> evaluate({"1": ["a", "b", "c"]}, {"1": {"a": 2, "b": 1, "c": 3}}, "useful useful(p=1)@2").means
    {'useful': 1.25, 'useful(p=1)@2': 1.0}
    """

    def declare(function: Function) -> Function:
        name = what if isinstance(what, str) and what else function.__name__
        DECLARED[name] = definition_of(function, name, better=better, description=description, **facts)
        return function

    if callable(what):
        return declare(what)
    expect(str, what=what)
    return declare


class _OfFamily(NamedTuple):
    """Declares the measures of a family, as `measure` does."""

    family: str

    def __call__(self, name: str, **facts: Any) -> Callable[[Function], Function]:
        return measure(name, family=self.family, **facts)


ranked_measure: _OfFamily = _OfFamily("ranked")
set_measure: _OfFamily = _OfFamily("set")
graded_measure: _OfFamily = _OfFamily("graded")
user_measure: _OfFamily = _OfFamily("user")
diversity_measure: _OfFamily = _OfFamily("diversity")


def definition_of(function: Callable[..., Any], name: str, **facts: Any) -> Definition:
    """Define a measure by its function and by facts; what is not among these is derived.

    >>> def late(joined, cutoff: int, rel=None):
    ...     "Lateness of the last relevant document."
    >>> late = definition_of(late, "late", family="ranked", formula="…", source="…")
    >>> late.cutoff, list(late.parameters), late.description
    ('needed', ['rel', 'judged_only'], 'lateness of the last relevant document')
    """
    family = facts.setdefault("family", "own")
    expect_name("family", family, DEFAULTS, "families")
    described = {key: facts.pop(key) for key in [*facts] if isinstance(facts[key], Parameter)}
    facts = DEFAULTS[family] | facts
    try:
        arguments = inspect.signature(function).parameters
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"{name} does not say what it takes; call it in a function of {listed(TAKES)}") from error
    statistics = ["joined"] if "joined" in arguments else [key for key in arguments if key in TAKES]
    parameters = _parameters(name, family, arguments, described)
    if not statistics:
        raise ArgumentError(f"{name}: a measure takes one of {listed(TAKES)} or several")
    if facts.pop("judged_only", facts.get("negative") is None):
        parameters["judged_only"] = PARAMETERS["judged_only"]
    facts["description"] = facts.get("description") or _summary(function, family)
    if family == "own":
        facts.setdefault("formula", f"{name}({', '.join(statistics)})")
        facts["description"] = facts["description"] or f"a function of {listed(statistics)}"
    _check(name, facts)
    if statistics != ["joined"]:
        return Definition(partial(of_each_query, function, name, statistics), "optional", parameters, **facts)
    compute = partial(of_the_join, function, name) if family == "own" else function
    return Definition(compute, _cutoff(arguments), parameters, **facts)


def _parameters(
    name: str, family: str, arguments: Mapping[str, inspect.Parameter], described: Mapping[str, Parameter]
) -> dict[str, Parameter]:
    """Return the parameters with their defaults, but none whose default cannot be written in a measure."""
    given = ("joined", "cutoff") if "joined" in arguments else TAKES
    known = described if family == "own" else {**PARAMETERS, **described}
    parameters = {}
    for key, argument in arguments.items():
        default = argument.default
        if key in given:
            continue
        if default is inspect.Parameter.empty:
            raise ArgumentError(f"{name}: a measure takes {listed(given)}, and parameters with a default, not '{key}'")
        is_number = isinstance(default, int | float | np.number) and not isinstance(default, bool)
        if is_number and not instead_of_numbers(default):
            default = float(default)
        elif not isinstance(default, bool | str | None):
            continue
        if key not in known and family != "own":
            raise ArgumentError(f"measure '{name}' does not describe {key}; write @measure({key}=Parameter('…'))")
        parameters[key] = known.get(key, _OF_A_FUNCTION)._replace(default=default)
    for key in described.keys() - parameters.keys():
        raise has_no(name, "parameter", key, parameters)
    return parameters


def _check(name: str, facts: Mapping[str, Any]) -> None:
    """Refuse a declaration that lacks a fact, or states what is not one."""
    if not facts["description"]:
        raise ArgumentError(f"measure '{name}' has no description; write it as the first line of the docstring")
    for key in ("formula", "source"):
        if key not in facts:
            raise ArgumentError(f"measure '{name}' has no {key}; write @measure({key}='…')")
    declared = Definition._fields[3:]  # the signature gives the first three
    for key in facts.keys() - set(declared):
        raise has_no("a measure", "fact", key, declared)


def _cutoff(arguments: Mapping[str, inspect.Parameter]) -> Literal["none", "optional", "needed", "recall"]:
    """Return the kind of cutoff of a function of the joined run: a level of recall is a float."""
    if "cutoff" not in arguments:
        return "none"
    if arguments["cutoff"].annotation in (float, "float"):
        return "recall"
    return "needed" if arguments["cutoff"].default is inspect.Parameter.empty else "optional"


def _summary(function: Callable[..., Any], family: str) -> str:
    """Return the first line of the docstring; for a built-in measure in the form of a list, without a full stop."""
    line = (function.__doc__ or "").strip().partition("\n")[0]
    if family == "own":
        return line
    begins_with_a_word = line[1:2].islower()  # not AP, nDCG or Q-measure
    return (line[:1].lower() if begins_with_a_word else line[:1]) + line[1:].removesuffix(".")


def declared(function: Callable[..., Any]) -> str:
    """Declare a function as a measure and return its name; a lambda gets a number, such as lambda1."""
    name = getattr(function, "__name__", type(function).__name__)
    if not name.isidentifier():
        name = next(f"lambda{place}" for place in count(1) if f"lambda{place}" not in DECLARED)
    DECLARED[name] = definition_of(function, name)
    return name


def in_file(path: Path, name: str) -> Definition:
    """Define a measure by a function in a Python file."""
    if not os.path.isfile(path):
        raise ArgumentError(f"{path}: there is no such file; a measure of your own is given as FILE.py:NAME")
    before = dict(DECLARED)
    module = module_of(path, path.read_bytes(), ArgumentError)
    decorated = DECLARED.get(name)
    DECLARED.clear()
    DECLARED.update(before)  # a file declares its measures under names that begin with its own
    if decorated is not None and decorated is not before.get(name):
        return decorated
    if not callable(getattr(module, name, None)):
        raise has_no(str(path), "function", name, functions_of(module))
    return definition_of(getattr(module, name), name)
