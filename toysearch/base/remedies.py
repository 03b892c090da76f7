"""What to do about an error or a note, as data: people who write Python read a call, those at a shell an option."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Remedy:
    """A call of a public function with the argument that mends what a message tells; its text is for the front end.

    function : the name in front of `toysearch`, or the whole path of the module and the function; "" for any
    first : what is given by place, if there is nothing else to give
    settings : the arguments by name; ``...`` is a value that only the user knows

    >>> str(Remedy("Index.build", positions=True)), str(Remedy("", qrels=...))
    ('Index.build(…, positions=True)', 'qrels=…')
    """

    def __init__(self, function: str, *first: str, **settings: Any) -> None:
        self.function, self.first, self.settings = function, first, settings

    def __str__(self) -> str:
        return FRONT_ENDS[-1](self)


def in_python(remedy: Remedy) -> str:
    """A remedy as a call in Python."""
    arguments = [*map(repr, remedy.first)] or ["…"]
    settings = []
    for name, value in remedy.settings.items():
        written = f"Analyzer.parse({value!r})" if name == "analyzer" else repr(value)
        settings.append(f"{name}={'…' if value is ... else written}")
    return f"{remedy.function}({', '.join([*arguments, *settings])})" if remedy.function else ", ".join(settings)


FRONT_ENDS: list[Callable[[Remedy], str]] = [in_python]
"""What writes remedies: the last one. The command line puts its own here while a command runs."""
