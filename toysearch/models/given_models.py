"""Models as they are given: a name with parameters, a function, a text of a sum or a pipeline.

Start with `given`, and with `_named`, which takes apart the text of one model.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from toysearch.base import (
    IN_FILE,
    SYSTEM_PARTS,
    ArgumentError,
    ModelError,
    Spec,
    a,
    functions_of,
    has_no,
    in_file_meant,
    listed,
    module_of,
    parse_spec,
    unknown,
)
from toysearch.base.elsewhere import phrases
from toysearch.models import bm25
from toysearch.models.calls import CALLS, LEARNED, PIPE
from toysearch.models.formula import PREFIX as FORMULA
from toysearch.models.formula import from_text
from toysearch.models.model import MODELS, Model
from toysearch.models.model import model as declare
from toysearch.models.normalisations import FACTOR_NORMALISATIONS
from toysearch.models.rankers import Ranker
from toysearch.rings import ring


def _letters(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "")


_SPELT = {_letters(name): name for name in MODELS}  # TF_IDF and BM25Okapi, as elsewhere


_LABEL = r"[^\s=:()+*,;/\\]+"
NAMED = re.compile(rf"\s*(?P<label>{_LABEL})=(?:\s*{_LABEL}=)*(?P<model>.+)\Z", re.DOTALL)
"""Text form of a model with a name of its own, the first of several: new=mine.py:rank."""


def given(what: Any, values: dict[str, Any]) -> Any:
    """Return what `toysearch.models.registry.model` returns of anything but a name alone."""
    what = _of_text(what) if isinstance(what, str) else what
    if isinstance(what, Model | Ranker):
        return _with_values(what, values) if values else what
    if what is not None and not callable(what):
        whole = "; compare, diff and tune take it whole, and Study.of(collection).searcher(system) searches with it"
        advice = whole if type(what).__name__ == "System" else ""
        raise ArgumentError(f"what must be a text, a function, a Model or a Ranker, not {a(what)}{advice}")
    from toysearch.models.search_function import own_search, takes_text  # most models are named

    return own_search(what) if takes_text(what) else declare(what, **values)


def _of_text(what: str) -> Model | Ranker:
    if what in MODELS:
        return MODELS[what]
    if re.search(SYSTEM_PARTS, what):
        raise ArgumentError(
            f"'{what}' is a system, a model with an analysis, fields or an index of its own; compare, eval, diff and "
            "report take it (System in Python), and only a model is expected here"
        )
    if labelled_text := NAMED.match(what):
        return replace(_of_text(labelled_text["model"]), label=labelled_text["label"])
    if what.lstrip().startswith(FORMULA) and PIPE not in what:
        return from_text(what)
    folder = what.strip().removeprefix(f"{LEARNED}:")
    if folder != what.strip() and os.path.isdir(folder):  # its name may have any characters
        return _named(what)
    from toysearch.models.grammar import read  # a name alone needs none

    ranker: Model | Ranker = read(what, _named)
    return ranker


def _with_values(named: Model | Ranker, values: dict[str, Any]) -> Model:
    if not isinstance(named, Model):
        raise ArgumentError(
            f"'{named}' takes values in its text alone, as in 'rm3(bm25:b=0.4)'; write {listed(sorted(values))} there"
        )
    if named.name == bm25.BM25F:  # whose parameters depend on the fields that are named
        named_fields = parse_spec(str(replace(named, label=""))).parameters
        bound = bm25.bm25f_from_parameters({**named_fields, **values})
    else:
        bound = named.bind(**values)
    return replace(bound, label=named.label)


def _named(what: str) -> Model | Ranker:
    if what.startswith(FORMULA):
        return from_text(what)
    if what.lstrip().startswith(f"{LEARNED}:"):
        learned: Ranker = ring("learned models").learned_model(what, _of_text)
        return learned
    in_file = IN_FILE.match(what.strip())
    if comma := re.match(_COMMA_AFTER_FUNCTION, what.strip()):
        raise ArgumentError(f"'{what}': parameters follow a colon: {comma[1]}:{comma[2]}")
    if in_file:
        unbound = _from_file(Path(in_file["file"]), in_file["name"])
        spec = parse_spec(f"{in_file['name']}{in_file['parameters'] or ''}")
    else:
        head = what.strip().partition(":")[0]
        if head not in MODELS and (meant := in_file_meant(what)):
            raise ArgumentError(f"'{what}': the name of a file ends in .py: {meant}")
        spec = parse_spec(what) if head else Spec("", {})
        name = spec.name if spec.name in MODELS else _SPELT.get(_letters(spec.name), spec.name)
        if name not in MODELS:
            raise _unknown_model(what, spec.name)
        if name == bm25.BM25F and not spec.values:
            return bm25.bm25f_from_parameters(spec.parameters)
        unbound = MODELS[name]
        for parameter, value in spec.parameters.items():
            if (variant := f"{name}-{value}") in MODELS and parameter not in unbound.ranges:
                raise ArgumentError(f"{name} has no parameter '{parameter}'; did you mean '{variant}'?")
    bound: Model | Ranker = unbound.bind(*spec.values, **spec.parameters) if spec.values or spec.parameters else unbound
    return bound


_COMMA_AFTER_FUNCTION = r"(?s)(.+\.py:[A-Za-z_]\w*),(.+)"
LISTED = "`toysearch models` lists all (toysearch.MODELS in Python)"


def _unknown_model(what: str, name: str) -> ArgumentError:
    if not name:
        return ArgumentError(f"'{what}' names no model; an example: bm25:b=0.4")
    if name.endswith(".py"):
        if not os.path.isfile(name):
            return ArgumentError(f"{name}: there is no such file; a model of your own is given as FILE.py:NAME")
        functions = functions_of(module_of(Path(name), Path(name).read_bytes(), ModelError))
        return ArgumentError(f"'{what}': name its function, as in {name}:{functions[0] if functions else 'rank'}")
    names = [*MODELS, *CALLS]
    for row in phrases("model"):
        if _letters(row.theirs) == _letters(name):
            return ArgumentError(f"unknown model '{name}'; {row.advice or f'it is {row.ours} here'}")
    if "%" in name or ("@" in name and name.partition("@")[0].lower() in names):
        return ArgumentError(f"'{what}': @ says how many documents the next stage re-ranks, as in bm25@100 >> lsa:100")
    if name.lower() in FACTOR_NORMALISATIONS:
        return ArgumentError(f"'{what}': {name.lower()} normalises the scores of a model, as in {name.lower()}(bm25)")
    if name.lower() in CALLS:
        call = CALLS[name.lower()]
        return ArgumentError(f"'{what}': expected {call.form}, as in {call.example}")
    return unknown("model", name, names, listed=LISTED)


def _from_file(path: Path, name: str) -> Any:
    if not os.path.isfile(path):
        raise ArgumentError(f"{path}: there is no such file; a model of your own is given as FILE.py:NAME")
    module = module_of(path, path.read_bytes(), ModelError)
    if not hasattr(module, name):
        models = [variable for variable, value in vars(module).items() if isinstance(value, Model)]
        raise has_no(str(path), "function", name, dict.fromkeys([*models, *functions_of(module)]))
    function: Callable[..., Any] = getattr(module, name)
    if isinstance(function, Model | Ranker):
        return function
    from toysearch.models.search_function import own_search, takes_text  # most models come with toysearch

    if takes_text(function):
        return own_search(function, name=f"{path}:{name}")
    # By the name requested: a lambda, or a function with two names, has no other name.
    return declare(function, name=name.replace("_", "-"))
