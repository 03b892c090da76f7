"""Usual analyzer of a collection: what it declares, or what the script of its texts needs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from toysearch.analysis.analyzer import Analyzer
from toysearch.analysis.languages import is_of_other_script, n_characters, n_marks
from toysearch.base import Remedy

if TYPE_CHECKING:
    from toysearch.collection.collection import Collection

UNDECLARED = {"language": "none", "tokens": "word2"}
"""Analysis of a collection that declares none, which is that of `Analyzer()`."""

_MOST = 0.5  # of the words


def usual_analyzer(collection: Collection | None, **changes: Any) -> Analyzer:
    """Return the analyzer that a collection declares, else the plain one, fitted to the script of its files.

    changes : other settings of `Analyzer.for_language`
    """
    usual = collection.analysis if collection else UNDECLARED
    of_script = {}
    if collection and usual == UNDECLARED and "language" not in changes:
        of_script = settings_for_script(collection.sample)
    analyzer: Analyzer = Analyzer.for_language(**{**usual, **of_script, **changes})
    if collection and of_script:
        how = "in pairs of characters" if "cjk" in of_script else "with combining marks as part of their words"
        collection.tell(
            f"the texts of {collection.name} are analysed {how} ({analyzer}); otherwise: "
            f"{Remedy('Index.build', analyzer='plain')}"
        )
    return analyzer


def settings_for_script(text: str) -> dict[str, bool]:
    """Return the settings without which plain analysis breaks most words of a text, or runs them together; {} if none.

    >>> [settings_for_script(text) for text in ("東京都の天気", "हिन्दी में", "naïve cats")]
    [{'cjk': True}, {'marks': True}, {}]
    """
    if not is_of_other_script(text):
        return {}
    text = Analyzer().tokenizer.prepared(text)
    most = _MOST * len(re.findall(r"\w+", text))
    return {"marks": True} if n_marks(text) > most else {"cjk": True} if n_characters(text) > most else {}
