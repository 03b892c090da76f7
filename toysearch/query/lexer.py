"""Lexer of a query, from text to words and signs; a caret shows the place of each refusal."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any, NamedTuple

from toysearch.base import BLANKS, ArgumentError, counted, cut, encodable, one_line, unknown
from toysearch.base.rendering import display_width
from toysearch.query.syntax import (
    OF_PROGRAMS,
    OPERATORS,
    Boost,
    Field,
    Fuzzy,
    Node,
    Phrase,
    Range,
    Synonyms,
    Term,
    Wildcard,
    all_of,
    one_of,
)

__all__ = ["QueryError"]

_WIDTH = 70  # columns of the query that are shown
_ELLIPSIS = "…"


class QueryError(ArgumentError):
    """Raised for a query outside the query language, or too long; `place` is the number of the character in question.

    Examples
    --------
    >>> print(QueryError("')' has no partner", "cat) dog", 3))
    ')' has no partner:
      cat) dog
         ^
    """

    def __init__(self, problem: str, query: str, place: int) -> None:
        self.problem, self.query, self.place = problem, query, place
        line, caret = around(query, place)
        super().__init__(f"{problem}:", (line, caret))

    def __reduce__(self) -> tuple[type[QueryError], tuple[str, str, int]]:
        return QueryError, (self.problem, self.query, self.place)


def around(text: str, place: int) -> tuple[str, str]:
    """Cut the part of a text around a place into a line of limited width, with a caret under the place.

    >>> around("日本 cat^^2", 7)
    ('日本 cat^^2', '         ^')
    """
    # A cell of the terminal holds one character at least, so nothing beyond the width matters. A long run of combining
    # marks is cut too.
    sides = text[max(0, place - _WIDTH) : place], text[place : place + _WIDTH]
    parts = [encodable(side)[0].translate(BLANKS) for side in sides]
    before, after = ("".join(" " if sign.isspace() else sign for sign in part) for part in parts)
    first, last = place > _WIDTH, place + _WIDTH < len(text)
    while display_width(before) > _WIDTH // 2 and display_width(before) + display_width(after) > _WIDTH:
        before, first = before[1:], True
    while display_width(before) + display_width(after) > _WIDTH:
        after, last = after[:-1], True
    before = before.lstrip() if first else before
    before = f"{_ELLIPSIS} {before}" if first else before
    return f"{before}{after}{' ' + _ELLIPSIS if last else ''}", " " * display_width(before) + "^"


_EMOTICON_OR_ADDRESS = re.compile(
    r"""[:;=]['^o-]?[()\[\]{}DPpO|/\\3*<>]++(?=\s|\Z)|[A-Za-z][A-Za-z0-9+.-]*+://[^\s()"]++|[A-Za-z]:\\[^\s()"]++"""
)
_QUOTATION = re.compile(r"“([^“”]++)”|„([^„“”]++)[“”]|«([^«»]++)»")  # as editors and telephones set the marks
_END_OF_SENTENCE = re.compile(r"[?!.,;]++\Z")
_IN_NO_WORD = re.compile(r"""[!-)+-/:->@\[-^`{-~]|\*\*|[0-9][*?][0-9]""")
_WILD = re.compile(r"(?s)[^*?\\]*+(?:\\.[^*?\\]*+)*[*?]")  # a * or ? without a backslash before it


def usual_text_at(text: str, at: int) -> str | None:
    """Return an emoticon, a web address or a path of Windows at a place of a text; None without one.

    >>> usual_text_at("see :) there", 4), usual_text_at("http://x.org/?q=a b", 0), usual_text_at("title:cat", 0)
    (':)', 'http://x.org/?q=a', None)
    """
    match = _EMOTICON_OR_ADDRESS.match(text, at)
    return None if match is None else match[0]


def quotation_at(text: str, at: int) -> tuple[list[str], int] | None:
    """Read the words between typographic quotation marks at a place of a text, and the place after them.

    >>> quotation_at("“tick removal” dog", 0)
    (['tick', 'removal'], 14)
    """
    match = _QUOTATION.match(text, at)
    words = (match[1] or match[2] or match[3]).split() if match else []
    return (words, match.end()) if match and words else None


def is_wild(word: str) -> bool:
    """True if a word contains * or ? without a backslash before it."""
    return ("*" in word or "?" in word) and _WILD.match(word) is not None


def without_punctuation(word: str) -> str:
    """Strip the signs of the end of a sentence from a word.

    >>> without_punctuation("comp*,"), without_punctuation("who?!")
    ('comp*', 'who')
    """
    return word if word.endswith("\\?") else _END_OF_SENTENCE.sub("", word)


def may_be_a_pattern(word: str) -> bool:
    """True if * and ? in a word can stand for letters of a term: not in ``5*3``, ``**bold**`` or ``x?y=1``."""
    return is_wild(word) and any(map(str.isalnum, word)) and not _IN_NO_WORD.search(word)


INDRI = "#1(…), #od4(…), #uw8(…), #weight(…), #syn(…), #combine(…) or #band(…)"

_NAMED = ("combine", "band", "syn", "weight")
_WINDOWS = ("", "od", "uw")
_OPENING = re.compile(r"#([A-Za-z]*)([0-9]*+)\(")


def operator_at(text: str, at: int) -> str | None:
    """Name the operator whose parenthesis opens at a place of a text, such as ``uw8``; None without one.

    >>> operator_at("#uw8(a b)", 0), operator_at("#syn (a b)", 0), operator_at("#uw(a b)", 0)
    ('uw8', None, None)
    """
    match = _OPENING.match(text, at)
    if match is None:
        return None
    name, distance = match[1], match[2]
    is_window = name in _WINDOWS and 0 < len(distance) <= 6 and int(distance) > 0
    return name + distance if is_window or (name in _NAMED and not distance) else None


def applied(name: str, nodes: Sequence[Node]) -> Node | None:
    """Make the node of an operator and its parts.

    >>> print(applied("weight", [Term("0.8"), Term("cat"), Term("0.2"), Phrase("house", "cat")]))
    cat^0.8 OR "house cat"^0.2
    """
    if name == "combine":
        return one_of(nodes)
    if name == "band":
        return all_of(nodes)
    if name == "syn":
        return Synonyms(*nodes)
    if name == "weight":
        weights = [_weight_of(node) for node in nodes[::2]]
        if len(nodes) % 2 or None in weights:
            raise ArgumentError("#weight takes pairs of a number above 0 and a part, such as #weight(0.8 cat 0.2 dog)")
        return one_of([Boost(node, weight or 0.0) for weight, node in zip(weights, nodes[1::2], strict=True)])
    words = [node.word for node in nodes if isinstance(node, Term)]
    if len(words) < len(nodes):
        raise ArgumentError(f"#{name} takes words only, such as #{name}(tick removal)")
    distance = int(name.lstrip("oduw"))
    return Phrase(*words, slop=distance) if name.startswith("uw") else Phrase(*words, gap=distance)


def _weight_of(node: Node) -> float | None:
    try:
        return float(node.word) if isinstance(node, Term) else None
    except ValueError:
        return None


MOST_WORDS, MOST_SIGNS = 10_000, 50_000
MOST_REMARKS = 20

# Runs of single characters are possessive (*+, ++), and no two alternatives begin alike: nothing is tried twice, so the
# time grows with the length of the text. Longer repeats are not possessive: Python 3.11.0 to 3.11.4 may keep the
# beginning of a part that does not fit.
_BLANKS = re.compile(r"\s*+")
_WORD = re.compile(r"""(?s:(?:[^\s\\"()\[\]{}:^~]++|\\.)+)""")
_SIMPLE_WORD = re.compile(r"[^\W_]++(?=[\s()]|\Z)")
_LENIENT_WORD = re.compile(r"""(?:[^\s\\"()\[\]{}:^~]++|\\\S)+""")  # a backslash before a blank is text
_CHUNK = re.compile(r"""(?:[^\s()"\\]++|\\\S?+)+(?:(?<!:)"(?:[^\s()"\\]++|\\\S?+)*)*""")  # "24"" is inches
_PHRASE = re.compile(r'(?s)"([^"\\]*+(?:\\.[^"\\]*+)*)"')
_REGEX = re.compile(r"/(?:[^/\\\s]++|\\\S)+/(?=[\s)^]|\Z)")
_RANGE = re.compile(r"([\[{])\s*+([^\s\[\]{}]++)\s++TO\s++([^\s\[\]{}]++)\s*+([\]}])")
_LIMIT = re.compile(r"([<>]=?)([^\s()\"]*+)")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:[\d:.]++(?:Z|[+-]\d\d:?\d\d)?(?=[\s()]|\Z)", re.ASCII)
_SIGNS_OF_A_WORD = re.compile(r"[-+!]{2,}+[\w\"(]")
_OF_NEGATION = re.compile(r"!++(?:(\w)|\s*+[\w\"“„«(+-])")
_WRITE_NOT = "write NOT instead of !"
_FUZZY = re.compile(r"~([0-9.]*+)")
_REQUIRED = re.compile(r"@([0-9]{1,4})(?=[\s)^]|\Z)")
_SLOP = re.compile(r"~([0-9]*+)")
_WEIGHT = re.compile(r"\^((?:[0-9]++\.?[0-9]*+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?)")
_ESCAPE = re.compile(r"(?s)\\(.)")


class Lexeme(NamedTuple):
    """Word, phrase or sign of a query.

    kind: ``node`` (value: the node), ``(`` (value: the name of an Indri operator, or ""), ``)`` (value: how many parts
    are required, or None), ``AND``, ``OR``, ``NOT``, ``+``, ``-``, ``field`` (value: its name), ``left out`` (a part
    without words), or ``skipped`` (a sign).
    """

    kind: str
    start: int
    end: int
    value: Any = None
    weight: float | None = None


class Lexer:
    """Lexemes of a text, and the remarks on parts taken as text."""

    def __init__(self, text: str, strict: bool, known_fields: Collection[str] | None, advice: str = "") -> None:
        self.text, self.strict, self.known_fields, self._advice = text, strict, known_fields, advice
        self._remarks: dict[str, None] = {}
        self._more = self._words = self._signs = 0
        self._end_of_sentence = len(text.rstrip(' \t\r\n)"?!.'))
        self._word = _WORD if strict else _LENIENT_WORD

    def __iter__(self) -> Iterator[Lexeme]:
        at = self._after_blanks(0)
        while at < len(self.text):
            reader = _READERS.get(self.text[at], Lexer._plain)
            lexeme = reader(self, at)
            if lexeme.kind == "node":
                self._words += len(lexeme.value.words) if isinstance(lexeme.value, Phrase) else 1
            else:
                self._signs += 1
            if self._words > MOST_WORDS or self._signs > MOST_SIGNS:
                most = f"{MOST_WORDS:,} words" if self._words > MOST_WORDS else f"{MOST_SIGNS:,} signs"
                raise QueryError(f"the query has more than {most}", self.text, lexeme.start)
            yield lexeme
            at = self._after_blanks(lexeme.end)

    @property
    def remarks(self) -> list[str]:
        """One sentence for each part taken for something else than it might look like; at most 21."""
        more = [f"and {counted(self._more, 'more remark')}"] if self._more else []
        return [*self._remarks, *more]

    def remark(self, sentence: str) -> None:
        """Keep a sentence, once."""
        if sentence not in self._remarks and len(self._remarks) < MOST_REMARKS:
            self._remarks[sentence] = None
        elif sentence not in self._remarks:
            self._more += 1

    def odd(self, place: int, problem: str, remark: str = "") -> None:
        """Refuse a part outside the query language, or keep a remark."""
        if self.strict:
            raise QueryError(problem, self.text, place)
        if remark:
            self.remark(remark)

    def _after_blanks(self, at: int) -> int:
        match = _BLANKS.match(self.text, at)
        return match.end() if match else at

    def _as_text(self, start: int, problem: str, place: int | None = None, *, quiet: bool = False) -> Lexeme:
        match = _CHUNK.match(self.text, start)
        end = match.end() if match else start + 1
        chunk = self.text[start:end]
        self.odd(start if place is None else place, problem, "" if quiet else f"{quoted(chunk)} is text: {problem}")
        return Lexeme("node", start, end, Term(self._unescaped(chunk)))

    def _unescaped(self, raw: str) -> str:
        r"""Remove the backslashes before signs; in a lenient query they stay before letters, as in C:\Users."""
        if "\\" not in raw:
            return raw
        if self.strict or raw[1:] in OPERATORS:
            return "\\".join(piece.replace("\\", "") for piece in raw.split(r"\\"))  # ten times as fast as `re.sub`
        return _ESCAPE.sub(lambda match: match[0] if match[1].isalnum() else match[1], raw)

    # Signs

    def _open(self, at: int) -> Lexeme:
        return Lexeme("(", at, at + 1, "")

    def _close(self, at: int) -> Lexeme:
        required = _REQUIRED.match(self.text, at + 1)
        weight, end = self._weight(required.end() if required else at + 1)
        return Lexeme(")", at, end, int(required[1]) if required else None, weight)

    def _sign(self, at: int) -> Lexeme:
        sign, following = self.text[at], self.text[at + 1 : at + 2]
        if at and not self.text[at - 1].isspace() and self.text[at - 1] != "(":
            return self._as_text(at, f"a blank must stand before '{sign}'")
        if self.strict and following and not following.isspace() and following not in "+-)":
            return Lexeme(sign, at, at + 1)
        is_name = following == "." and self.text[at + 2 : at + 3].isalpha()  # .NET
        if following.isalnum() or is_name or (following and (following in '"(#/*?\\_' or ord(following) > 127)):
            return Lexeme(sign, at, at + 1)
        chunk = _CHUNK.match(self.text, at)
        alone = chunk is None or len(chunk[0]) > 1  # such as -- and ->
        quiet = alone and not _SIGNS_OF_A_WORD.match(self.text, at)
        return self._as_text(at, f"a word, a phrase or a parenthesis must follow '{sign}' directly", quiet=quiet)

    def _exclamation(self, at: int) -> Lexeme:
        """Read ! as text: other programs take it for NOT before a word, but not at the end of a sentence."""
        negates = _OF_NEGATION.match(self.text, at)
        if negates is None or self.text[max(0, at - 1)] in ')"':
            return self._plain(at)
        if negates[1]:  # the word, which some analyzers keep with the sign
            return self._as_text(at, _WRITE_NOT)
        self.odd(at, _WRITE_NOT, f"'!' is text: {_WRITE_NOT}")
        return Lexeme("skipped", at, at + 1)

    def _operator(self, at: int) -> Lexeme:
        name = operator_at(self.text, at)
        if name is None:
            return self._as_text(at, f"an operator is {INDRI}")
        return Lexeme("(", at, at + len(name) + 2, name)

    def _weight(self, at: int) -> tuple[float | None, int]:
        if self.text[at : at + 1] != "^":
            return None, at
        match = _WEIGHT.match(self.text, at)
        if match and 0 < float(match[1]) < math.inf:
            return float(match[1]), match.end()
        self.odd(at, "a number above 0 must follow '^'")
        return None, at

    # Words and phrases

    def _phrase(self, at: int) -> Lexeme:
        match = _PHRASE.match(self.text, at)
        if match is None:
            self.odd(at, "the quotation mark has no partner", "the quotation mark has no partner and is left out")
            return Lexeme("skipped", at, at + 1)
        words, end = self._unescaped(match[1]).split(), match.end()
        slop = 0
        if near := _SLOP.match(self.text, end):
            if 0 < len(near[1]) <= 6:
                slop, end = int(near[1]), near.end()
            else:
                problem = "a number of positions must follow '~' after a phrase, such as ~8"
                self.odd(end, problem, f"'~' is left out: {problem}")
                end = near.end()
        if not words:
            self.odd(at, "the quotation marks enclose no word", "quotation marks without words are left out")
            return Lexeme("left out", at, end)
        for sign in "*?" if not self.strict else "":
            if sign in match[1].rstrip("?!"):
                self.remark(f"'{sign}' between quotation marks is text")
        weight, end = self._weight(end)
        return Lexeme("node", at, end, Phrase(*words, slop=slop), weight)

    def _quotation(self, at: int) -> Lexeme:
        quotation = None if self.strict else quotation_at(self.text, at)
        return Lexeme("node", at, quotation[1], Phrase(*quotation[0])) if quotation else self._plain(at)

    def _slashes(self, at: int) -> Lexeme:
        """Read a regular expression of other tools as text; a path is a word."""
        match = _REGEX.match(self.text, at)
        if match is None or not set(match[0]) & set(r".*+?[](){}|\^$"):
            return self._plain(at)
        pattern = re.sub(r"\.[*+]", "*", match[0][1:-1])
        is_simple = re.fullmatch(r"[\w*]*\w[\w*]*", pattern)
        advice = f"write {pattern}" if is_simple else "a pattern is written with * and ?, such as colo*r"
        self.odd(at, advice, f"{quoted(match[0])} is text: {advice}")
        weight, end = self._weight(match.end())
        return Lexeme("node", at, end, Term(match[0]), weight)

    def _plain(self, at: int) -> Lexeme:
        if self.text[at] == "@" and self.text[:at].endswith((")", '"')):
            word = quoted(self.text[at:].split(maxsplit=1)[0])
            self.odd(at, f"a blank must stand before {word}, which is a word", f"{word} is a word, not an operator")
        simple = _SIMPLE_WORD.match(self.text, at)
        if simple and simple[0] not in OPERATORS and simple[0] not in OF_PROGRAMS:  # as usual
            return Lexeme("node", at, simple.end(), Term(simple[0]))
        if not self.strict and (usual := usual_text_at(self.text, at)):
            return Lexeme("node", at, at + len(usual), Term(usual))
        match = self._word.match(self.text, at)
        if match is None:
            return self._as_text(at, self._stray(at), quiet=self.text[at] in "[]{}")
        raw, end = match[0], match.end()
        if raw in OPERATORS and self._is_end(end):
            return Lexeme(raw, at, end)
        if raw in OF_PROGRAMS:
            return self._as_text(at, f"write {OF_PROGRAMS[raw]} instead of {raw}")
        if self.text[end : end + 1] == ":":
            time = _TIME.match(self.text, at)
            return Lexeme("node", at, time.end(), Term(time[0])) if time else self._field(raw, at, end)
        node, start_of_suffix = None, end
        if fuzzy := _FUZZY.match(self.text, end):
            ends = self._is_end(fuzzy.end()) or self.text[fuzzy.end()] == "^"
            if fuzzy[1] not in ("", "1", "2") or is_wild(raw) or not ends:
                return self._as_text(at, "a word takes ~1 or ~2 edits, and a wildcard none", end)
            node, end = Fuzzy(self._unescaped(raw), int(fuzzy[1] or 1)), fuzzy.end()
        weight, end = self._weight(end)
        if not self._is_end(end):
            return self._as_text(at, self._stray(end), end, quiet=self.text[end] in '"[]{}')
        return Lexeme("node", at, end, node or self._word_node(raw, start_of_suffix), weight)

    def _is_end(self, at: int) -> bool:
        """True if a word can end here. In a lenient query, a quotation mark after a letter or a digit is text."""
        sign = self.text[at : at + 1]
        return not sign or sign.isspace() or sign in "()" or (sign == '"' and self.strict)

    def _stray(self, at: int) -> str:
        sign = self.text[at]
        return {
            "^": "a number above 0 must follow '^'",
            "\\": "a sign must follow the backslash",
            ":": "a field must stand before ':', as in title:cat",
            "~": "~1 or ~2 follows a word, and ~8 a phrase",
            **dict.fromkeys("[]{}", f"'{sign}' has no meaning here; a backslash before it makes it text"),
        }.get(sign, f"a blank must stand before '{sign}'")

    def _word_node(self, raw: str, end: int) -> Term | Wildcard:
        """Make a word or a wildcard; in a lenient query, a question mark at its end is text."""
        if self.strict:
            return Wildcard(raw) if is_wild(raw) else Term(self._unescaped(raw))
        if is_wild(raw):
            pattern = without_punctuation(raw)
            if may_be_a_pattern(pattern):
                return Wildcard(pattern)
            if is_wild(pattern):
                self.remark(f"{quoted(raw)} is text: * and ? stand for letters of a word")
            elif end <= self._end_of_sentence:
                self.remark(f"'?' after {quoted(pattern)} is text")
            return Term(self._unescaped(raw))
        word = raw.removesuffix("+")
        if word != raw and word[-1:].isalnum():  # but C++ is a name
            self.remark(f"'+' after {cut(word, 30)} is text")
        unescaped = self._unescaped(raw)
        if "\\" in unescaped and "\\\\" not in raw:
            self.remark(f"'\\' in {quoted(raw)} is text")
        return Term(unescaped)

    # Fields

    def _field(self, raw: str, start: int, colon: int) -> Lexeme:
        name, after = self._unescaped(raw), colon + 1
        following = self.text[after : after + 1]
        if not self.strict and not self._looks_like_a_field(raw, after):
            return self._as_text(start, "", quiet=True)
        if is_wild(raw):
            return self._as_text(start, "the name of a field contains no * or ?")
        if self.known_fields is not None and name not in self.known_fields:
            from toysearch.index.field_names import field_spelt  # most queries name no field

            try:
                name = field_spelt(name, self.known_fields)
            except ArgumentError as error:
                return self._as_text(start, str(error))
            if name not in self.known_fields:
                return self._as_text(start, self._unknown(name))
        if not following or following.isspace() or following in "):":
            return self._as_text(
                start, f"a word, a phrase or a parenthesis must follow '{cut(name, 30)}:' directly", after
            )
        if following in "+-":
            return self._as_text(start, f"'{following}' must stand before the field, as in {following}title:cat", after)
        if following in "[{":
            return self._range(name, start, after)
        if following in "<>":
            return self._limit(name, start, after)
        if following == "*" and self._is_end(after + 1):
            return Lexeme("node", start, after + 1, Field(name, Wildcard("*")))
        return Lexeme("field", start, after, name)

    def _unknown(self, name: str) -> str:
        problem = f"there is no field '{cut(name, 30)}'; no values of fields are kept"
        if self.known_fields:
            problem = str(unknown("field", name, self.known_fields))
        advised = self._advice and "did you mean" not in problem
        return f"{problem} ({self._advice.format(cut(name, 30))})" if advised else problem

    def _looks_like_a_field(self, raw: str, after: int) -> bool:
        """True if a word with a colon may be a field: not in 12:30, a::b, a:b:c or "note: this"."""
        if not raw[0].isalpha() or "\\" in raw:
            return False
        following = self.text[after : after + 1]
        if not following or following.isspace() or following in ":)/":
            return following == "/" and _REGEX.match(self.text, after) is not None
        chunk = _CHUNK.match(self.text, after)
        return chunk is None or following in "[{" or ":" not in chunk[0]

    def _range(self, name: str, start: int, at: int) -> Lexeme:
        match = _RANGE.match(self.text, at)
        if match is None:
            return self._as_text(start, "a range is written [1990 TO 2000] or {1990 TO *}", at)
        low = -math.inf if match[2] == "*" else _number(match[2])
        high = math.inf if match[3] == "*" else _number(match[3])
        for number, group in ((low, 2), (high, 3)):
            if math.isnan(number):
                return self._as_text(
                    start, f"{quoted(match[group])} is neither a number nor a date", match.start(group)
                )
        if low > high:
            self.remark(f"the range {quoted(match[0])} contains no number")
        weight, end = self._weight(match.end())
        node = Range(name, low, high, match[1] == "{", match[4] == "}", match[2], match[3])
        return Lexeme("node", start, end, node, weight)

    def _limit(self, name: str, start: int, at: int) -> Lexeme:
        match = _LIMIT.match(self.text, at)
        assert match is not None  # a sign is enough
        typed, hat, _ = match[2].partition("^")
        number, end = _number(typed), match.start(2) + len(typed)
        if math.isnan(number):
            return self._as_text(start, f"{quoted(typed)} is neither a number nor a date", match.start(2))
        weight, end = self._weight(end) if hat else (None, end)
        if not self._is_end(end):
            return self._as_text(start, self._stray(end), end)
        below, strictly = match[1][0] == "<", len(match[1]) == 1
        node = Range(name, high=number, below_high=strictly, high_text=typed)
        if not below:
            node = Range(name, number, above_low=strictly, low_text=typed)
        return Lexeme("node", start, end, node, weight)


_READERS = {'"': Lexer._phrase, "/": Lexer._slashes, "#": Lexer._operator, "(": Lexer._open}
_READERS |= {")": Lexer._close, "+": Lexer._sign, "-": Lexer._sign, "!": Lexer._exclamation}
_READERS |= dict.fromkeys("“„«", Lexer._quotation)


def quoted(text: str) -> str:
    """Quote the beginning of a text between apostrophes, for a remark."""
    return f"'{cut(one_line(text[:200]), 40)}'"


def _number(text: str) -> float:
    """Read the number in a range: as the index keeps numbers and dates, else NaN."""
    from toysearch.index.typed_values import number_and_unit  # with numpy, which most queries do not need

    return number_and_unit(text)[0]
