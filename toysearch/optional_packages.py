"""Packages that may be missing: those that only make things quicker, and those of an extra."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from functools import cache
from typing import Any

from toysearch.errors import ArgumentError

ACCELERATORS = {
    "numba": "compiled loops for large collections",
    "orjson": "a quick JSON parser",
    "PyStemmer": "compiled stemmers",
}
"""What makes toysearch quicker and changes no result; not every Python has a wheel of each."""

CHARTS = ("altair", "vl_convert", "jinja2")
"""The modules of the extra ``charts``."""

_MODULES = {"PyStemmer": "Stemmer"}


@cache
def present(module: str) -> bool:
    """Whether a module could be imported; it is looked for, and not loaded.

    >>> present("json"), present("no_such_module")
    (True, False)
    """
    try:
        return module in sys.modules or importlib.util.find_spec(module) is not None
    except (ImportError, ValueError):
        return False


def of_charts(module: str) -> Any:
    """A module of the extra ``charts``."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise ArgumentError(
            f"charts and pages need the package {error.name}, a part of an extra: pip install 'toysearch[charts]'"
        ) from None


def require_charts() -> None:
    """Refuse, before any work is done, what would be drawn without the extra ``charts``."""
    missing = next((module for module in CHARTS if not present(module)), None)
    if missing:
        of_charts(missing)


def runs_on() -> list[str]:
    """What toysearch runs on, a line each: Python, numpy, and what makes it quicker.

    >>> [line.split()[0] for line in runs_on()]
    ['Python', 'numpy', 'numba', 'orjson', 'PyStemmer']
    """
    import platform
    from importlib.metadata import PackageNotFoundError, version

    lines = [f"Python {platform.python_version()} on {platform.system()} ({platform.machine()})"]
    for package, use in {"numpy": "", **ACCELERATORS}.items():
        try:
            found = version(package) if present(_MODULES.get(package, package)) else "is missing"
        except PackageNotFoundError:
            found = "is there"
        lines.append(f"{package} {found}" + (f": {use}" if use else ""))
    return lines
