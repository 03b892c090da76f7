"""Optional packages: those that only increase speed, and those of an extra."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from toysearch.base.errors import ArgumentError, refuse_in_a_tab

ACCELERATORS = {
    "orjson": "a quick JSON parser",
    "PyStemmer": "compiled stemmers",
}
"""Packages that make toysearch faster without changing results; not every Python version has a wheel of each."""

CHARTS = ("altair", "vl_convert", "jinja2")
"""Modules of the extra ``charts``."""

PAGE = ("starlette", "uvicorn", "jinja2")
"""Modules of the extra ``page``."""

_MODULES = {"PyStemmer": "Stemmer"}


@cache
def present(module: str) -> bool:
    """True if a module could be imported; the module is located but not loaded.

    >>> present("json"), present("no_such_module")
    (True, False)
    """
    try:
        return sys.modules.get(module) is not None or importlib.util.find_spec(module) is not None
    except (ImportError, ValueError):
        return False


@contextmanager
def loading(use: str, extra: str, module: str = "") -> Iterator[None]:
    """Report in a sentence that a package of an extra is missing, or that a system cannot load what is installed.

    use: what needs which package; `{}` is the name of what is missing, or the module that is loaded. extra: how it is
    installed, and what can be done without it.

    >>> with loading("charts need the package {}", "an extra"):
    ...     import no_such_module
    Traceback (most recent call last):
    toysearch.base.errors.ArgumentError: charts need the package no_such_module, an extra
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise ArgumentError(f"{use.format(error.name)}, {extra}") from None
    except (ImportError, OSError) as error:  # of a library of the system
        reason = " ".join(str(error).split())
        raise ArgumentError(
            f"{use.format(module)}, which is installed but cannot be loaded: {reason}; "
            "install the library of the system that is missing, or the package again"
        ) from None


def of_charts(module: str) -> Any:
    """Import a module of the extra ``charts``."""
    if module == "vl_convert":
        refuse_in_a_tab("a drawn chart")
    install = "a part of an extra: pip install 'toysearch[charts]'"
    with loading("charts and pages need the package {}", install, module):
        return importlib.import_module(module)


def require_charts() -> None:
    """Raise an error before any work is done if a chart is wanted and the extra ``charts`` is missing."""
    missing = next((module for module in CHARTS if not present(module)), None)
    if missing:
        of_charts(missing)


def version_of(package: str) -> str:
    """Return the version of a package that is installed; "" for any other.

    >>> version_of("no-such-package")
    ''
    """
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def runs_on() -> list[str]:
    """Return the versions that toysearch runs on, one line each: Python, numpy, and the packages that make it faster.

    >>> [line.split()[0] for line in runs_on()]
    ['Python', 'numpy', 'orjson', 'PyStemmer']
    """
    import platform

    lines = [f"Python {platform.python_version()} on {platform.system()} ({platform.machine()})"]
    for package, use in {"numpy": "", **ACCELERATORS}.items():
        version = version_of(package) or "is there" if present(_MODULES.get(package, package)) else "is missing"
        lines.append(f"{package} {version}" + (f": {use}" if use else ""))
    return lines
