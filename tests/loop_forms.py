"""Compiled loops in their two forms: as extension modules, and as the Python that these are compiled from."""

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys
from functools import cache
from types import ModuleType

import numpy as np
import pytest
from conftest import ROOT

import toysearch.loops
from toysearch.base.plain_or_compiled import LOOPS, loops_compiled

PACKAGE = "toysearch.compiled."


class _Sources(importlib.abc.MetaPathFinder):
    """Finds the sources of loops, although their extension modules stand beside them."""

    def find_spec(self, name, path=None, target=None):
        module = name.removeprefix("cython.cimports.")
        if not (module.startswith(PACKAGE) and module.removeprefix(PACKAGE) in LOOPS):
            return None
        source = ROOT / f"{module.replace('.', '/')}.py"
        loader = importlib.machinery.SourceFileLoader(name, str(source))
        return importlib.util.spec_from_file_location(name, source, loader=loader)


@cache
def uncompiled(loop: str) -> ModuleType:
    """The module of a loop as plain Python, which uses other loops as plain Python too."""
    pytest.importorskip("cython", reason="Cython is not installed: it runs the sources of loops")
    package = sys.modules.get("toysearch.compiled")
    names = {f"{PACKAGE}{each}" for each in LOOPS}
    before = {name: sys.modules.pop(name) for name in names & set(sys.modules)}
    attributes = {each: package.__dict__.pop(each) for each in LOOPS if package and each in package.__dict__}
    finder = _Sources()
    sys.meta_path.insert(0, finder)
    try:
        return importlib.import_module(f"{PACKAGE}{loop}")
    finally:
        sys.meta_path.remove(finder)
        for name in names & set(sys.modules):
            del sys.modules[name]
        sys.modules.update(before)
        package = sys.modules["toysearch.compiled"]
        for each in LOOPS:
            package.__dict__.pop(each, None)
        package.__dict__.update(attributes)


def both_forms(loop: str) -> list[ModuleType]:
    """The module of a loop as plain Python, and compiled if it is."""
    forms = [uncompiled(loop)]
    if loops_compiled():
        forms.append(importlib.import_module(f"{PACKAGE}{loop}"))
    return forms


class Cells:
    """An array as loops see it once they are compiled: whole numbers that fit, at places from 0 on."""

    def __init__(self, array):
        self.array, self.shape = array, array.shape

    def __getitem__(self, key):
        part = self.array[self._checked(key)]
        return Cells(part) if part.shape else part.item()

    def __setitem__(self, key, value):
        self.array[self._checked(key)] = value

    def _checked(self, key):
        for index in key if isinstance(key, tuple) else (key,):
            if not isinstance(index, slice) and index < 0:
                raise IndexError(index)
        return key


def _with_cells(function):
    return lambda *arguments: function(
        *(Cells(argument) if isinstance(argument, np.ndarray) else argument for argument in arguments)
    )


def terms_in_python(monkeypatch) -> None:
    """Let indexes that are opened from now on find the blocks of terms as plain Python, for other loops in Python."""
    for name in ("NumberColumn", "TermBlocks"):
        monkeypatch.setattr(toysearch.loops, name, getattr(uncompiled("term_lookup"), name))


def in_python(monkeypatch, *loops: str) -> None:
    """Let the callers of loops use them as plain Python."""
    for loop in loops:
        module, python = ModuleType(loop), uncompiled(loop)
        for name, value in vars(python).items():
            setattr(module, name, _with_cells(value) if getattr(value, "__module__", "") == python.__name__ else value)
        for name in toysearch.loops._HOMES.get(
            f".compiled.{loop}", ""
        ).split():  # the front loads it first, and keeps it
            monkeypatch.setattr(toysearch.loops, name, getattr(module, name))
        monkeypatch.setitem(sys.modules, f"{PACKAGE}{loop}", module)
