"""Texts of any origin, cleaned for a sentence or a terminal."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence

# Characters that end a cell or a line, or control the terminal: C0, DEL, C1, two Unicode line ends, and those that
# change the direction of the following text.
CONTROLS = [*range(0x20), *range(0x7F, 0xA0), *range(0x2028, 0x202F), *range(0x2066, 0x206A)]
BLANKS = dict.fromkeys(CONTROLS, " ")
"""For `str.translate`: each control character becomes a blank."""

LONGEST_SENTENCE = 1200
"""Most characters of an error or a note; its end is kept too, because it says what to do."""

_FORMULA = r"'*[=+\-@\t\r]"
_NUMBER = r"(?i)[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[+-]?inf(?:inity)?"
_END = 400
_SURROGATE = "[\ud800-\udfff]"
_CONTROL = f"[{re.escape(''.join(map(chr, CONTROLS)).replace(chr(9), ''))}\ud800-\udfff]"


def one_line(text: str) -> str:
    r"""Write a text of any origin in one line: no control characters, single blanks.

    >>> one_line("shear  flow\n\x1b[31mpast a plate")
    'shear flow [31mpast a plate'
    """
    return " ".join(text.translate(BLANKS).split())


def comparable(text: str) -> str:
    """Return a text in a form in which it equals those that differ only in case and white space.

    >>> comparable(" Shear  Flow ")
    'shear flow'
    """
    return " ".join(text.casefold().split())


def folded(text: str) -> str:
    """Remove accents from a text: decompose it by NFKD, and drop its combining characters.

    >>> folded("naïve résumé")
    'naive resume'
    """
    # Equal to `strip_accents="unicode"` of scikit-learn. NFKD also turns `ﬁ` into `fi`, `²` into `2` and a wide `ａ`
    # into `a`; letters that do not decompose stay (ø, ł, ß, æ). Unicode Standard Annex 15, Unicode Normalization Forms.
    if text.isascii():
        return text
    return "".join(
        character for character in unicodedata.normalize("NFKD", text) if not unicodedata.combining(character)
    )


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """Join a number and its noun.

    >>> counted(1, "query", "queries"), counted(1400, "document")
    ('1 query', '1,400 documents')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def agreeing(number: int, text: str) -> str:
    """Make the words in brackets of a text agree with a number.

    >>> agreeing(1, "1 query [has|have] no term"), agreeing(2, "2 queries [has|have] no term")
    ('1 query has no term', '2 queries have no term')
    """
    return re.sub(r"\[(\w+)\|(\w+)\]", r"\1" if number == 1 else r"\2", text)


def listed(names: Sequence[str]) -> str:
    """List names in a sentence: a, b and c."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def some(names: Sequence[str], most: int = 5) -> str:
    """Name the first few of many.

    >>> some(["a", "b", "c"], 2)
    'a, b, …'
    """
    return ", ".join(names[:most]) + (", …" if len(names) > most else "")


def byte_size(number: int) -> str:
    """Write a number of bytes readably.

    >>> byte_size(951_480), byte_size(1)
    ('951.5 kB', '1 byte')
    """
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if number >= factor:
            return f"{number / factor:.1f} {unit}"
    return counted(number, "byte")


def shortest(number: float) -> str:
    """Write the fewest digits from which a number is read again: 2, not 2.0."""
    return repr(float(number)).removesuffix(".0")


def percent(part: int, whole: int) -> str:
    """Write a share in whole per cent; only shares of 0 and 1 are shown as 0 and 100%.

    >>> percent(1, 8), percent(1, 1000), percent(999, 1000), percent(4, 4)
    ('12%', 'less than 1%', 'more than 99%', '100%')
    """
    rounded = round(100 * part / whole)
    if rounded == 0 < part:
        return "less than 1%"
    return "more than 99%" if rounded == 100 and part < whole else f"{rounded}%"


def sentence(text: str) -> str:
    r"""Write the text of an error or a note in one line of bounded length, whatever it quotes from a file (tabs stay).

    >>> sentence("unknown tag 'a\x1b[2Jb'; expected\nanother")
    "unknown tag 'a [2Jb'; expected another"
    >>> len(sentence("unknown tag '" + 10_000_000 * "a" + "'"))
    1200
    """
    if len(text) > LONGEST_SENTENCE:
        text = f"{text[: LONGEST_SENTENCE - _END - 3]} … {text[-_END:]}"
    return re.sub(_CONTROL, lambda found: "\ufffd" if "\ud800" <= found[0] <= "\udfff" else " ", text)


def cut(text: str, most: int) -> str:
    """Return the beginning of a text, with at most the given number of characters; an ellipsis marks the omission.

    >>> cut("d1", 4), cut("d1234", 4)
    ('d1', 'd12…')
    """
    return text if len(text) <= most else f"{text[: most - 1]}…"


def encodable(text: str) -> tuple[str, int]:
    r"""Replace each lone surrogate of a text by U+FFFD, and count them.

    >>> encodable("a\ud800b")
    ('a\ufffdb', 1)
    """
    return re.subn(_SURROGATE, "\ufffd", text)


def spreadsheet_text(text: str) -> str:
    """Put an apostrophe before a text of a CSV cell that a spreadsheet would take for a formula.

    >>> [spreadsheet_text(text) for text in ("=1+1", "@a", "-cat", "'=1", "-0.5", "d7")]
    ["'=1+1", "'@a", "'-cat", "''=1", '-0.5', 'd7']
    """
    return f"'{text}" if re.match(_FORMULA, text) and not re.fullmatch(_NUMBER, text) else text


def from_spreadsheet(text: str) -> str:
    """Return the text of a cell that `spreadsheet_text` has made.

    >>> [from_spreadsheet(text) for text in ("'=1+1", "''=1", "-0.5", "d7", "'tis")]
    ['=1+1', "'=1", '-0.5', 'd7', "'tis"]
    """
    return text[1:] if text.startswith("'") and re.match(_FORMULA, text) else text


def edits_from_beginnings(
    typed: str, meant: str, most: int, wrong: Callable[[str, str], int] = lambda key, other: 1
) -> list[int]:
    """Count the edits between a text and each beginning of another, from the empty one on; too many are above `most`.

    An edit is a letter too many, too few or wrong, or two neighbours exchanged. wrong : the edits that a wrong letter
    counts, given it and the right one

    >>> edits_from_beginnings("tikc", "tick", 2)
    [4, 3, 2, 1, 1]
    """
    before, last = list[int](), [*range(len(meant) + 1)]
    for i, key in enumerate(typed, 1):
        row = [i] + [most + 1] * len(meant)
        for j in range(max(i - most, 1), min(i + most, len(meant)) + 1):
            other = meant[j - 1]
            row[j] = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (wrong(key, other) if key != other else 0))
            if i > 1 and j > 1 and key != other and (key, typed[i - 2]) == (meant[j - 2], other):
                row[j] = min(row[j], before[j - 2] + 1)
        if min(row) > most:  # and so are all rows after it
            return row
        before, last = last, row
    return last


def field_identifier(name: str) -> str:
    """Turn the name of a field into a part of a Python name: everything except letters, digits and _ becomes _."""
    return re.sub(r"\W", "_", name)
