"""The public names: loaded lazily, typed by the stub, each with a docstring."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import toysearch


def test_the_stub_types_exactly_the_public_names():
    tree = ast.parse(Path(toysearch.__file__).with_suffix(".pyi").read_text())
    imported = {
        alias.name: node.module for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    assert imported == toysearch._PUBLIC
    listed = next(node.value for node in tree.body if isinstance(node, ast.Assign))
    assert sorted(ast.literal_eval(listed)) == sorted(toysearch.__all__)


def test_every_public_name_is_there_and_documented():
    for name in toysearch.__all__:
        value = getattr(toysearch, name)
        assert value is not None, name
        assert not callable(value) or (value.__doc__ or "").strip(), name


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'toysearch' has no attribute 'serach'"):
        _ = toysearch.serach
