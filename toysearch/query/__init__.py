"""What other folders need of the trees of queries."""

from __future__ import annotations

from toysearch.base.lazy_namespaces import front

_HOMES = {
    "automaton": "Automaton Steps",
    "lexer": "QueryError",
    "modes": "MODES settled_mode",
    "parser": "parse read",
    "syntax": "And Boost Field Fuzzy Node Not Optional Or Phrase Range Regex Synonyms Term Wildcard "
    "all_of one_of parts",
}

__getattr__ = front(__name__, _HOMES)
