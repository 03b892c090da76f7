"""The names of systems: models that would have one name are told by the files of their functions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from toysearch.base.argument_checks import checked
from toysearch.models.mixture import Mixture
from toysearch.models.model import Model

__all__ = ["distinct"]

NAMED = re.compile(r"\s*(?P<label>[^\s=:()+*,;/\\]+)=(?P<model>.+)\Z", re.DOTALL)
"""The text form of a model with a name of its own: new=mine.py:rank."""

_HERE = Path(__file__).parents[1]
AnyModel = TypeVar("AnyModel", bound="Model | Mixture")


def labelled(model: AnyModel, label: str) -> AnyModel:
    """A model that is called by a name of its own in every table."""
    return replace(model, label=label)


@checked
def distinct(models: Sequence[Model | Mixture], *, own: bool = False) -> list[Model | Mixture]:
    """The models, named by their files where several functions have one name.

    Parameters
    ----------
    models : sequence of Model or Mixture
        The systems of one table.
    own : bool
        Whether each function in a file of the user is named by its file. Default False.

    Returns
    -------
    list of Model or Mixture
        In the same order; a model with a name of its own keeps it.

    Examples
    --------
    >>> from toysearch.models.registry import model
    >>> distinct([model("bm25"), model("bm25:b=0.4")])
    [bm25, bm25:b=0.4]
    """
    inside = list(dict.fromkeys(each for model in models for each in model.models if not each.label))
    changes: dict[Model, Model] = {}
    for model in inside:
        file = _file_of(model)
        alike = [other for other in inside if str(other) == str(model) and other != model]
        if file is None or not (own or alike):
            continue
        same_name = [other for other in alike if (beside := _file_of(other)) and beside.name == file.name]
        changes[model] = labelled(model, f"{file if same_name else file.name}:{model}")
    return [model if getattr(model, "label", "") else model.replaced(changes) for model in models]


def _file_of(model: Model) -> Path | None:
    """The file of the function of a model of the user's own; None for any other."""
    code = getattr(model.function, "__code__", None)
    file = Path(code.co_filename) if code else None
    return file if file and file.is_file() and _HERE not in file.parents else None
