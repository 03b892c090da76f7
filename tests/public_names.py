"""The public names: those in front of the package, and those that a module lists in ``__all__``."""

from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from types import ModuleType

import toysearch
from toysearch.base.errors import ArgumentError
from toysearch.cli.reference_pages import modules

FOLDER = Path(toysearch.__file__).parent
FRONT = [name for name in dir(toysearch) if not name.startswith("__")]
MODULES: dict[str, list[str]] = dict(modules())


def _importable() -> Iterator[ModuleType]:
    """The modules whose packages are installed: those of an extra may not be."""
    for module in MODULES:
        with suppress(ArgumentError):
            yield import_module(module)


NAMES = {
    f"{module.__name__}.{name}": getattr(module, name) for module in _importable() for name in MODULES[module.__name__]
}
"""Each public name behind its module, with what it names."""
