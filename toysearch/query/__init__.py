"""What other folders need of the trees of queries."""

from __future__ import annotations

from toysearch.base.fronts import front

_HOMES = {
    "automaton": "Automaton",
    "parser": "parse",
    "syntax": "And Field Fuzzy Node Not Optional Or Phrase Range Regex Synonyms Term Wildcard parts",
}

__getattr__ = front(__name__, _HOMES)
