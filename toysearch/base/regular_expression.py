"""Regular expressions of tokens: how many ways to read a text may one that somebody else wrote have."""

from __future__ import annotations

import re

from toysearch.base.argument_checks import expect

__all__ = ["may_not_end"]

_LONGEST, _MOST = 100, 8  # characters; repeats and choices: with k of them a text of n letters has at most n^k readings

_SET = r"\[\^?\]?(?:\\.|[^\]\\])*\]"
_COUNT = r"(?:[*+]|\{\d*,?\d*\})[+?]?"
_MARK = r"(?:\\\W|[^\w\\\[\]()|*+?{}.^$]|\[-?(?:\\\W|[^\w\\\]^-])+-?\])"
_WORD = r"(?:\\[wd]|\[(?:a-z|A-Z|0-9|\w(?!-))+\])"
_ONE_READING = rf"(?:(?:\\.|{_SET}|[^\\\[\]()|*+?{{}}])*|{_MARK}{_WORD}(?:{_COUNT})?)"  # [A-Z]\. or [.']\w+
_PART = re.compile(rf"\((?:\?:)?{_ONE_READING}\)|\\.|{_SET}", re.DOTALL)
_REPEATED_GROUP = re.compile(r"\)[*+{]|\(\?(?:#|[a-z]*x)")  # a comment or (?x) may stand between the two
_CHOICE = re.compile(r"[*+}][+?]?|\||(?<!\()\?")


def may_not_end(pattern: str) -> bool:
    r"""True if a pattern is long, or repeats a group that may read the same text in several ways.

    A group may be repeated if it has no repeats and no alternatives, or is a mark and a word: such as ``(?:-[a-z]+)*``.
    Whether the repeats outside groups read the same text is not looked at: they are few.

    >>> [pattern for pattern in (r"\w+", r"[a-z]+(?:-[a-z]+)*", "(a+)+$", r"(?:\w|-)+") if may_not_end(pattern)]
    ['(a+)+$', '(?:\\w|-)+']
    """
    expect(str, pattern=pattern)
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError):
        return False  # it matches nothing
    if len(pattern) > _LONGEST:
        return True
    parts = _PART.sub("x", pattern)
    return bool(_REPEATED_GROUP.search(parts)) or len(_CHOICE.findall(parts)) > _MOST
