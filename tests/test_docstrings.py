"""Docstrings name exactly the parameters that there are."""

from __future__ import annotations

import importlib
import inspect
import pkgutil

import pytest
from numpydoc.validate import validate

import toysearch


def documented():
    """The paths of public functions, classes and methods whose docstring has a section on parameters."""
    for module in pkgutil.walk_packages(toysearch.__path__, "toysearch."):
        if module.name.startswith("toysearch.cli"):
            continue  # what a command takes is said by its help
        for name, value in vars(importlib.import_module(module.name)).items():
            if name.startswith("_") or getattr(value, "__module__", None) != module.name:
                continue
            yield f"{module.name}.{name}", value
            if inspect.isclass(value):
                for method, function in vars(value).items():
                    if not method.startswith("_") and callable(getattr(value, method)):
                        yield f"{module.name}.{name}.{method}", getattr(function, "__func__", function)


PATHS = [path for path, value in documented() if "Parameters\n----------" in (inspect.getdoc(value) or "")]


@pytest.mark.parametrize("path", PATHS)
def test_parameters_are_neither_invented_nor_missing(path):
    wrong = [message for code, message in validate(path)["errors"] if code in ("PR01", "PR02", "PR03")]
    assert not wrong


def test_there_is_something_to_check():
    assert len(PATHS) > 50
