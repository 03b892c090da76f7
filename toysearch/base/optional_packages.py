"""Optional packages: those that only increase speed, and those of an extra."""

from __future__ import annotations

import importlib.util
import sys
from functools import cache
from typing import Any

from toysearch.base.errors import ArgumentError, refuse_in_a_tab

ACCELERATORS = {
    "orjson": "a quick JSON parser",
    "PyStemmer": "compiled stemmers",
}
"""Packages that make toysearch faster without changing results; not every Python version has a wheel of each."""

CHARTS = ("altair", "vl_convert", "jinja2")
"""The modules of the extra ``charts``."""

PAGE = ("starlette", "uvicorn", "jinja2", "segno")
"""The modules of the extra ``page``."""

_MODULES = {"PyStemmer": "Stemmer"}


@cache
def present(module: str) -> bool:
    """Whether a module could be imported; the module is located but not loaded.

    >>> present("json"), present("no_such_module")
    (True, False)
    """
    try:
        return module in sys.modules or importlib.util.find_spec(module) is not None
    except (ImportError, ValueError):
        return False


@cache
def extension(module: str) -> bool:
    """Whether a module was compiled; a module in Python is not.

    >>> extension("toysearch.base.optional_packages")
    False
    """
    return not str(getattr(importlib.util.find_spec(module), "origin", ".py")).endswith(".py")


def of_charts(module: str) -> Any:
    """A module of the extra ``charts``."""
    if module == "vl_convert":
        refuse_in_a_tab("a drawn chart")
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise ArgumentError(
            f"charts and pages need the package {error.name}, a part of an extra: pip install 'toysearch[charts]'"
        ) from None


def of_lightgbm() -> Any:
    """The module of the extra ``lightgbm``."""
    try:
        import lightgbm
    except ModuleNotFoundError:
        raise ArgumentError(
            "the learner lambdamart needs the package lightgbm, an extra: pip install 'toysearch[lightgbm]'; "
            "logistic and boosting do without"
        ) from None
    return lightgbm


def of_usearch() -> Any:
    """The module of indexes in the package of the extra ``approximate``."""
    try:
        import usearch.index
    except ModuleNotFoundError:
        raise ArgumentError(
            "an approximate search needs the package usearch, an extra: pip install 'toysearch[approximate]'; "
            "without approximate= the search is exact"
        ) from None
    return usearch.index


def of_fsspec(address: str) -> Any:
    """The module of the extra ``remote``."""
    try:
        import fsspec
    except ModuleNotFoundError:
        raise ArgumentError(
            f"{address} needs the package fsspec, a part of an extra: pip install 'toysearch[remote]'"
        ) from None
    return fsspec


def require_charts() -> None:
    """Raise an error before any work is done if a chart is wanted and the extra ``charts`` is missing."""
    missing = next((module for module in CHARTS if not present(module)), None)
    if missing:
        of_charts(missing)


def version_of(package: str) -> str:
    """The version of a package that is installed; "" for any other.

    >>> version_of("no-such-package")
    ''
    """
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def runs_on() -> list[str]:
    """The versions that toysearch runs on, one line each: Python, numpy, and the packages that make it faster.

    >>> [line.split()[0] for line in runs_on()]
    ['Python', 'numpy', 'orjson', 'PyStemmer']
    """
    import platform

    lines = [f"Python {platform.python_version()} on {platform.system()} ({platform.machine()})"]
    for package, use in {"numpy": "", **ACCELERATORS}.items():
        version = version_of(package) or "is there" if present(_MODULES.get(package, package)) else "is missing"
        lines.append(f"{package} {version}" + (f": {use}" if use else ""))
    return lines
