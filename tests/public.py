"""The public names: those in front of the package, and those that a module lists in ``__all__``."""

from importlib import import_module
from pathlib import Path

import toysearch
from toysearch.cli.reference_pages import modules

FOLDER = Path(toysearch.__file__).parent
FRONT = [name for name in dir(toysearch) if not name.startswith("__")]
MODULES: dict[str, list[str]] = dict(modules())
NAMES = {
    f"{module}.{name}": getattr(import_module(module), name) for module, names in MODULES.items() for name in names
}
"""Each public name behind its module, with what it names."""
