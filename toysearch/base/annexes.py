"""The annexes: what stands beside the core, and is found through this table alone.

`course` teaches, `page` shows, `cluster` spreads work over machines, and `exchange` speaks with other tools. They use
public names of the core. The core imports none of them, and runs without their folders.
"""

from __future__ import annotations

import importlib
from types import ModuleType

from toysearch.base.errors import ArgumentError

COMMANDS = {
    "trec_eval": "toysearch.exchange.trec_eval",
    "serve": "toysearch.page.serve",
    "labs": "toysearch.course.shell.labs",
    "leaderboard": "toysearch.course.shell.leaderboard",
}
"""The commands of annexes, each with the module that holds its click command under the name NAME_command."""

ABILITIES = {
    "CIFF": "toysearch.exchange.ciff",
    "workers": "toysearch.cluster.connection",
    "notebooks": "toysearch.course.shell.notebook_check",
    "textbook": "toysearch.course.textbook_text",
}
"""What the commands of the core can do with the help of an annex, each with the module that does it."""


def annex(name: str) -> ModuleType:
    """The module behind a command or an ability of the tables; refused if the folder of its annex is missing."""
    module = {**COMMANDS, **ABILITIES}[name]
    folder = ".".join(module.split(".")[:2])
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name != folder:
            raise
        place = folder.replace(".", "/")
        raise ArgumentError(f"{name}: the folder {place} is missing from this installation of toysearch") from None
