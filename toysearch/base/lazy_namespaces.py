"""Fronts: the names of a folder that several other files import from it, each loaded at its first use."""

from __future__ import annotations

TYPE_CHECKING = False  # typing is not imported for this: Ctrl-C works only after this file has been read
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any


def front(
    package: str, homes: Mapping[str, str], elsewhere: Callable[[str], str] = lambda name: ""
) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of a package; homes: module of the package → its names in front, between blanks.

    A module that begins with a point stands beside the package, as in a relative import.

    elsewhere : for an unknown name, what its error says of where to find it

    >>> front("toysearch.base", {"wording": "counted cut"})("counted")(2, "cat")
    '2 cats'
    """
    modules = {name: module for module, names in homes.items() for name in names.split()}

    def load(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module '{package}' has no attribute '{name}'{elsewhere(name)}")
        import importlib

        value = getattr(importlib.import_module(f".{modules[name]}", package), name)
        setattr(importlib.import_module(package), name, value)
        return value

    return load
