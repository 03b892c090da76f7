"""The names of `toysearch.base`: the stub types those that are loaded lazily, and each is that of its module."""

from __future__ import annotations

import ast
from importlib import import_module

import pytest
from conftest import ROOT

from toysearch import base

HOME = {name: home for home, names in base._HOMES.items() for name in names.split()}


def test_the_stub_types_exactly_the_names_that_are_loaded_lazily():
    tree = ast.parse((ROOT / "toysearch" / "base" / "__init__.pyi").read_text(encoding="utf-8"))
    imported = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    homes = {node.names[0].asname: (node.module or "").rpartition(".")[2] for node in imported}
    assert homes == HOME


def test_each_name_is_that_of_its_module():
    for name, home in HOME.items():
        assert getattr(base, name) is getattr(import_module(f"toysearch.base.{home}"), name)


def test_any_other_name_is_missing():
    with pytest.raises(AttributeError, match=r"module 'toysearch\.base' has no attribute 'nonsense'"):
        _ = base.nonsense
