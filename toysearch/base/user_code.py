"""Functions in a Python file of the user, named as ``mine.py:rank``."""

from __future__ import annotations

import importlib.util
import os
import re
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from toysearch.base.errors import ToysearchError

IN_FILE = re.compile(r"(?P<file>.+\.py):(?P<name>[A-Za-z_]\w*)(?P<parameters>:.*)?\Z", re.DOTALL)
"""Text form of a function in a file, optionally with parameters."""

_NOT_NUMBERS = {type(None): "None (is a return missing?)", str: "a text", complex: "a complex number"}


def in_file_meant(text: str) -> str:
    """Return what ``mine:rank`` and ``mine.rank`` mean where there is a file mine.py: ``mine.py:rank``; else ""."""
    match = re.fullmatch(r"(?P<file>[^:@(]+)[:.](?P<rest>[A-Za-z_]\w*(?:[:@(].*)?)", text.strip())
    return (
        f"{match['file']}.py:{match['rest']}"
        if match and match["rest"] != "py" and os.path.isfile(f"{match['file']}.py")
        else ""
    )


def module_of(path: Path, source: bytes, error: type[ToysearchError]) -> ModuleType:
    """Make a module from the source of a file; any failure is an error of the given class, with its line."""
    if b"\0" in source:  # UTF-16, perhaps, as > of PowerShell writes it; Python names no line, or another error
        raise error(f"{path} is not Python in UTF-8: it holds NUL bytes; save it in UTF-8")
    loader = SourceFileLoader(path.stem, os.path.abspath(path))
    spec = importlib.util.spec_from_loader(path.stem, loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    try:
        # Compiled anew: the import system recognises its cache by size and whole seconds, and two saves of a file
        # can be faster.
        exec(loader.source_to_code(source, loader.path), vars(module))
    except ToysearchError:
        raise
    except SyntaxError as problem:
        raise error(f"{path}:{problem.lineno}: {problem.msg}") from problem
    except Exception as problem:
        raise error(f"{path}:{line_in(problem, str(path))}: {type(problem).__name__}: {problem}") from problem
    return module


def functions_of(module: ModuleType) -> list[str]:
    """List the functions that a module defines itself."""
    return [
        name
        for name, value in vars(module).items()
        if callable(value) and getattr(value, "__module__", "") == module.__name__
    ]


def line_in(error: BaseException, path: str) -> int:
    """Return the last line of a file that an error passed through; 0 if there is none."""
    line, frame = 0, error.__traceback__
    while frame is not None:
        if frame.tb_frame.f_code.co_filename in (path, os.path.abspath(path)):  # the import system makes it absolute
            line = frame.tb_lineno
        frame = frame.tb_next
    return line


def instead_of_numbers(returned: Any) -> str:
    """Name what a function of the user returned where real numbers were expected; "" for real numbers.

    >>> [instead_of_numbers(returned) for returned in (None, "x", [1, None], 10**400, [1, [2]], [0.5])]
    ['None (is a return missing?)', 'a text', 'a list with None', 'a number beyond 64 bits', 'a list of lists', '']
    """
    if type(returned) in _NOT_NUMBERS:
        return _NOT_NUMBERS[type(returned)]
    kind = type(returned).__name__
    among = f"a{'n' * (kind[0] in 'aeiou')} {kind}"
    try:
        values = np.asarray(returned)
    except ValueError:
        return f"{among} of lists"
    if values.dtype.kind in "fiub":
        return ""
    if values.dtype.kind in "US":
        return "texts"
    if values.dtype.kind != "O":
        return f"values that are not real numbers ({values.dtype})"
    for value in values.ravel().tolist():
        if value is None:
            return f"{among} with None"
        try:
            if isinstance(value, str):
                return f"{among} with a text"
            float(value)
        except OverflowError:
            return "a number beyond 64 bits"
        except (TypeError, ValueError):
            return among if value is returned else f"{among} with a value of type {type(value).__name__}"
    return ""
