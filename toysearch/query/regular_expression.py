"""Which regular expressions a query may contain: those that cannot take exponential time.

Python's matcher tries one way after the other. A repeat inside a repeat, such as ``(a+)+``, can make the number of ways
exponential in the length of a term. The rule is simple and refuses some harmless expressions too: a repeated group
contains no repeat and no alternatives, and there are few repeats and alternatives.
"""

from __future__ import annotations

import re
import warnings

from toysearch.errors import ArgumentError

_LONGEST, _DEEPEST = 4000, 20
_MOST_REPEATS = 4  # of * + {m,n}: the time grows with this power of the length of a term
_MOST_WAYS = 10_000  # the product of the numbers of alternatives; ? has two

_PIECE = re.compile(
    r"""(?sx)
    \\ (?P<escaped> .)
  | \[ \^? \]? (?: \\. | [^\]\\] )*+ \]                          # a set of characters
  | (?P<group> \( (?: \? : )?+ )
  | (?P<close> \) )
  | (?P<repeat> (?: [*+?] | \{ (?: [0-9]+ (?: , [0-9]* )? | , [0-9]+ ) \} ) [+?]? )
  | (?P<bar> \| )
  | .
    """
)


def refuse_slow(pattern: str) -> None:
    """Reject a pattern that is not a regular expression, or could take exponential time.

    >>> refuse_slow("(?:un|re)?do[a-z]+")
    >>> refuse_slow("(a+")
    Traceback (most recent call last):
    toysearch.errors.ArgumentError: '(a+' is not a regular expression: missing ), unterminated subpattern
    """
    if not isinstance(pattern, str) or not pattern:
        raise ArgumentError(f"a regular expression must be a text that is not empty, not {pattern!r:.60}")
    if len(pattern) > _LONGEST:
        raise ArgumentError(f"the regular expression has {len(pattern):,} characters; at most {_LONGEST:,} are read")
    _refuse_repeats(pattern)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # sets such as [[a]
            re.compile(pattern)
    except (re.error, OverflowError) as error:
        problem = getattr(error, "msg", str(error))
        raise ArgumentError(f"'{pattern:.60}' is not a regular expression: {problem}") from None


def _refuse_repeats(pattern: str) -> None:
    """Reject a pattern with too many repeats or alternatives, or with a repeat around one of them."""
    open_groups = [0]  # for each open group, the number of its repeats and alternatives
    alternatives = [1]
    repeats, ways, inside = 0, 1, 0  # inside: the repeats and alternatives of the group that has just been closed
    for piece in _PIECE.finditer(pattern):
        kind, text = piece.lastgroup, piece[0]
        if kind == "group":
            _refuse_group(pattern, piece.end(), len(open_groups))
            open_groups.append(0)
            alternatives.append(1)
        elif kind == "escaped" and text[1].isdigit():
            raise ArgumentError("a regular expression in a query cannot refer back to a group (\\1)")
        elif kind == "repeat":
            if inside and text[0] != "?":
                raise ArgumentError(
                    "the regular expression repeats a group that contains a repeat or |; "
                    "that can take exponential time, and a set such as [ab] in place of (a|b) cannot"
                )
            open_groups[-1] += 1
            repeats += text[0] in "*+" or "," in text
            ways *= 2 if text[0] == "?" else 1
        elif kind == "bar":
            open_groups[-1] += 1
            alternatives[-1] += 1
        inside = 0
        if kind == "close" and len(open_groups) > 1:
            inside = open_groups.pop()
            open_groups[-1] += inside
            ways *= alternatives.pop()
    if repeats > _MOST_REPEATS or ways * alternatives[-1] > _MOST_WAYS:
        raise ArgumentError(
            f"the regular expression has too many repeats or alternatives: at most {_MOST_REPEATS} of * + {{m,n}} and "
            f"{_MOST_WAYS:,} combinations of alternatives are tried"
        )


def _refuse_group(pattern: str, start: int, depth: int) -> None:
    """Reject a group of another kind than (…) and (?:…), or too many inside each other."""
    if pattern.startswith("?", start):
        raise ArgumentError("the groups of a regular expression in a query are (…) or (?:…), not other kinds of (?…)")
    if depth > _DEEPEST:
        raise ArgumentError(f"the groups of the regular expression are nested more than {_DEEPEST} deep")
