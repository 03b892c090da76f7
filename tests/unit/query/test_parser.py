"""The query language: what each text means, strictly and leniently."""

import pickle

import pytest

from toysearch.base.errors import ArgumentError
from toysearch.query.lexer import QueryError, around
from toysearch.query.parser import Parsed, parse
from toysearch.query.syntax import (
    And,
    AtLeast,
    Boost,
    Field,
    Fuzzy,
    Node,
    Not,
    Optional,
    Or,
    Phrase,
    Range,
    Synonyms,
    Term,
    Wildcard,
)

A, B, C, D = map(Term, "abcd")

MEANT = {
    "dog -cat": And(Term("dog"), Not(Term("cat"))),
    "a b": Or(A, B),
    "a b -c": And(Or(A, B), Not(C)),
    "-c a b": And(Or(A, B), Not(C)),
    "+a b -c": And(A, Optional(B), Not(C)),
    "b +a": And(Optional(B), A),
    "+a +b": And(A, B),
    "+a": And(A),
    "+(a b)": And(Or(A, B)),
    "(+a) b": Or(A, B),
    "+(NOT c) b": And(Not(C), Optional(B)),
    "+a b AND c": And(A, Optional(And(B, C))),
    "tick AND removal NOT dog": And(Term("tick"), Term("removal"), Not(Term("dog"))),
    "a OR NOT b": Or(A, Not(B)),
    "a OR -b": Or(A, Not(B)),
    "-a OR b": Or(Not(A), B),
    "a OR b -c": And(Or(A, B), Not(C)),
    "a AND -b": And(A, Not(B)),
    "a AND b OR c AND d": Or(And(A, B), And(C, D)),
    "a AND b c": Or(And(A, B), C),
    "a b AND c -d": And(Or(A, And(B, C)), Not(D)),
    "NOT a AND b": And(Not(A), B),
    "NOT NOT a": Not(Not(A)),
    "-(a b) c": And(C, Not(Or(A, B))),
    "NOT a": Not(A),
    "((a))": A,
    "(a b) c": Or(A, B, C),
    "(a AND b) AND c": And(A, B, C),
    "a(b)c": Or(A, B, C),
    "and or not": Or(Term("and"), Term("or"), Term("not")),
    '"exact  phrase"': Phrase("exact", "phrase"),
    '"two words"~8': Phrase("two", "words", slop=8),
    r'"say \"hi\" \\"': Phrase("say", '"hi"', "\\"),
    "word^2": Boost(Term("word"), 2),
    "(a b)^0.5": Boost(Or(A, B), 0.5),
    "a^.5 b^1e3": Or(Boost(A, 0.5), Boost(B, 1000)),
    '-"a b"^2 c': And(C, Not(Boost(Phrase("a", "b"), 2))),
    "comp* c?t *ship": Or(Wildcard("comp*"), Wildcard("c?t"), Wildcard("*ship")),
    r"a\*b* a\*": Or(Wildcard(r"a\*b*"), Term("a*")),
    "word~ a~1 b~2^3": Or(Fuzzy("word", 1), Fuzzy("a", 1), Boost(Fuzzy("b", 2), 3)),
    "/usr/bin": Term("/usr/bin"),
    "/b/^2 c": Or(Boost(Term("/b/"), 2), C),
    "title:a b": Or(Field("title", A), B),
    "title:(a b)": Field("title", Or(A, B)),
    'title:"a b"~3': Field("title", Phrase("a", "b", slop=3)),
    "title:a*^2": Field("title", Boost(Wildcard("a*"), 2)),
    "-title:a b": And(B, Not(Field("title", A))),
    "title:(NOT a)": Field("title", Not(A)),
    "year:1990": Field("year", Term("1990")),
    "year:[1990 TO 2000]": Range("year", 1990, 2000),
    "year:{1990 TO *}": Range("year", 1990, above_low=True),
    "year:[* TO 2000}": Range("year", high=2000, below_high=True),
    "year:[-1.5 TO 1e3]^2": Boost(Range("year", -1.5, 1000), 2),
    "year:>=1990": Range("year", 1990),
    "year:>1990 a": Or(Range("year", 1990, above_low=True), A),
    "year:<=2000^3": Boost(Range("year", high=2000), 3),
    "(year:<2000)": Range("year", high=2000, below_high=True),
    "day:[2001-01-01 TO 2001-12-31]": Range("day", 2001, 2001 + 364 / 365),
    "day:>=2000-02": Range("day", 2000 + 31 / 366),
    "#1(a b)": Phrase("a", "b"),
    "#od1(a b)": Phrase("a", "b"),
    "#od4(a b) #3(a b c)": Or(Phrase("a", "b", gap=4), Phrase("a", "b", "c", gap=3)),
    "#uw8(a b)": Phrase("a", "b", slop=8),
    "#weight(0.8 a 0.2 #1(b c))": Or(Boost(A, 0.8), Boost(Phrase("b", "c"), 0.2)),
    "#weight(2 a)": Boost(A, 2),
    "(a b c)@2": AtLeast(2, A, B, C),
    '(a OR b AND c "b c")@2^2': Boost(AtLeast(2, A, And(B, C), Phrase("b", "c")), 2),
    "((a b) c)@2 -b": And(AtLeast(2, Or(A, B), C), Not(B)),
    "title:(a b)@1": Field("title", AtLeast(1, A, B)),
    "#syn(car automobile)": Synonyms(Term("car"), Term("automobile")),
    '#syn(a "b c" d* #syn(a b))^2': Boost(Synonyms(A, Phrase("b", "c"), Wildcard("d*"), Synonyms(A, B)), 2),
    "#combine(a #combine(b c))": Or(A, B, C),
    "#band(a #combine(b c))": And(A, Or(B, C)),
    "#combine(a AND b c)": Or(And(A, B), C),
    "-#syn(a b) c": And(C, Not(Synonyms(A, B))),
    r"well-known C++ C# and/or don't": Or(*map(Term, ["well-known", "C++", "C#", "and/or", "don't"])),
    r"\-9 \+1 \#1 \/x/ \AND a\:b a\ b": Or(*map(Term, ["-9", "+1", "#1", "/x/", "AND", "a:b", "a b"])),
    "猫 AND naïve": And(Term("猫"), Term("naïve")),
}


@pytest.mark.parametrize("text", MEANT)
def test_a_query_has_this_meaning(text):
    assert parse(text, "strict") == Parsed(MEANT[text], [])
    assert str(parse(str(MEANT[text]), "strict").tree) == str(MEANT[text])


@pytest.mark.parametrize("text", [text for text in MEANT if "\\" not in text and text not in ("NOT NOT a",)])
def test_a_lenient_query_has_the_same_meaning(text):
    assert parse(text) == Parsed(MEANT[text], [])


REFUSED = {
    "cat AND (dog": ("'(' has no partner", 8),
    "cat) dog": ("')' has no partner", 3),
    '"cat dog': ("the quotation mark has no partner", 0),
    "AND cat": ("a word, a phrase or a parenthesis must stand before AND", 0),
    "cat AND": ("a word, a phrase or a parenthesis must follow 'AND'", 4),
    "cat AND OR dog": ("a word, a phrase or a parenthesis must follow 'AND'", 8),
    "(cat NOT)": ("a word, a phrase or a parenthesis must follow 'NOT'", 5),
    "-AND b": ("a word, a phrase or a parenthesis must follow '-'", 1),
    "cat - dog": ("a word, a phrase or a parenthesis must follow '-' directly", 4),
    "(cat)-dog": ("a blank must stand before '-'", 5),
    "cat () dog": ("the parentheses enclose no word", 4),
    'cat "" dog': ("the quotation marks enclose no word", 4),
    '"a b"~x': ("a number of positions must follow '~' after a phrase, such as ~8", 5),
    "a~3": ("a word takes ~1 or ~2 edits, and a wildcard none", 1),
    "a*~1": ("a word takes ~1 or ~2 edits, and a wildcard none", 2),
    "a^b": ("a number above 0 must follow '^'", 1),
    "a^0": ("a number above 0 must follow '^'", 1),
    "a^1e999": ("a number above 0 must follow '^'", 1),
    "word~word": ("a word takes ~1 or ~2 edits, and a wildcard none", 4),
    "a^2b": ("a blank must stand before 'b'", 3),
    "a^2^2": ("a number above 0 must follow '^'", 3),
    "[a": ("'[' has no meaning here; a backslash before it makes it text", 0),
    "a]": ("']' has no meaning here; a backslash before it makes it text", 1),
    "a\\": ("a sign must follow the backslash", 1),
    ":a": ("a field must stand before ':', as in title:cat", 0),
    "titel:a": ("unknown field 'titel'; did you mean 'title'? Fields: title, year", 0),
    "title:": ("a word, a phrase or a parenthesis must follow 'title:' directly", 6),
    "title: a": ("a word, a phrase or a parenthesis must follow 'title:' directly", 6),
    "title:-a": ("'-' must stand before the field, as in -title:cat", 6),
    "title:AND": ("a word, a phrase or a parenthesis must follow 'title:'", 6),
    "t*:a": ("the name of a field contains no * or ?", 0),
    "year:[1990 2000]": ("a range is written [1990 TO 2000] or {1990 TO *}", 5),
    "year:[1990 TO soon]": ("'soon' is neither a number nor a date", 14),
    "year:[nan TO 2]": ("'nan' is neither a number nor a date", 6),
    "year:>soon": ("'soon' is neither a number nor a date", 6),
    "/colou?r/": ("a pattern is written with * and ?, such as colo*r", 0),
    "/(ab/": ("a pattern is written with * and ?, such as colo*r", 0),
    "(a b)@3": ("'@3' follows 3 or more parts without signs, such as (cat dog tick)@2", 4),
    "(a -b c)@2": ("'@2' follows 2 or more parts without signs, such as (cat dog tick)@2", 7),
    "(a b)@0": ("'@0' follows 2 or more parts without signs, such as (cat dog tick)@2", 4),
    "#foo(a)": ("an operator is #1(…), #od4(…), #uw8(…), #weight(…), #syn(…), #combine(…) or #band(…)", 0),
    "#1(a (b c))": ("#1 takes words only, such as #1(tick removal)", 0),
    "#weight(a b)": ("#weight takes pairs of a number above 0 and a part, such as #weight(0.8 cat 0.2 dog)", 0),
    "#weight(0 b)": ("weight must be a number above 0, not 0.0", 0),
    "#syn(a (b AND c))": ('#syn takes words, phrases and patterns, such as #syn(cat "house cat" kitt*)', 0),
    "#syn(-a b)": ("'-' has no meaning inside #syn(…)", 5),
    "+a OR b": ("a part is either required (+) or one of several (OR)", 0),
    "a && b": ("write AND instead of &&", 2),
    "a !b": ("write NOT instead of !", 2),
    "a ! (b c)": ("write NOT instead of !", 2),
    "a --b": ("a word, a phrase or a parenthesis must follow '-' directly", 2),
}


@pytest.mark.parametrize("text", REFUSED)
def test_a_strict_query_is_refused_at_this_place(text):
    with pytest.raises(QueryError) as refusal:
        parse(text, "strict", ["title", "year"])
    assert (refusal.value.problem, refusal.value.place) == REFUSED[text]
    assert str(refusal.value).startswith(f"{REFUSED[text][0]}:\n  {text}\n  {' ' * REFUSED[text][1]}^")


def test_an_error_is_an_argument_error_and_can_be_pickled():
    with pytest.raises(ArgumentError) as refusal:
        parse("(a", "strict")
    again = pickle.loads(pickle.dumps(refusal.value))
    assert (str(again), again.place) == (str(refusal.value), 0)


def words(text: str) -> Node:
    return Or(*map(Term, text.split()))


DIRECTLY = "a word, a phrase or a parenthesis must follow '-' directly"
NOT_PAIRED = "the quotation mark has no partner and is left out"
LENIENT = {
    "": (None, []),
    "  \n": (None, []),
    "C++": (Term("C++"), []),
    "cat+": (Term("cat+"), ["'+' after cat is text"]),
    "-.NET C#": (And(Term("C#"), Not(Term(".NET"))), []),
    "+.NET C#": (And(Term(".NET"), Optional(Term("C#"))), []),
    "-.5 C#": (words("-.5 C#"), []),
    "C# F#": (words("C# F#"), []),
    '"unclosed': (Term("unclosed"), [NOT_PAIRED]),
    'a -"b c': (And(Or(A, C), Not(B)), [NOT_PAIRED]),
    '24" x 30" frame': (words('24" x 30" frame'), []),
    "what is a=b?": (words("what is a=b?"), []),
    "who wrote this?": (words("who wrote this?"), []),
    "(who wrote this?)": (words("who wrote this?"), []),
    "really?! yes": (words("really?! yes"), ["'?' after 'really' is text"]),
    "who? me": (words("who? me"), ["'?' after 'who' is text"]),
    "te?t?": (Wildcard("te?t"), []),
    "comp*, cat": (Or(Wildcard("comp*"), Term("cat")), []),
    "don't": (Term("don't"), []),
    "-9": (Term("-9"), ["'-' is text: there are no other words to search for"]),
    "-a -b": (words("-a -b"), ["'-' is text: there are no other words to search for"]),
    "-40 degrees": (And(Term("degrees"), Not(Term("40"))), [r"'-40' leaves out documents with 40; \-40 is the number"]),
    "+49 170": (And(Term("49"), Optional(Term("170"))), [r"'+49' requires 49; \+49 is the number"]),
    "NOT a": (Not(A), []),
    "a - b": (words("a - b"), ["'-' is text: a word, a phrase or a parenthesis must follow '-' directly"]),
    "a -> b -- c": (words("a -> b -- c"), []),
    "a --b": (words("a --b"), [f"'--b' is text: {DIRECTLY}"]),
    "a -!b": (words("a -!b"), [f"'-!b' is text: {DIRECTLY}"]),
    "a --(b)": (words("a -- b"), [f"'--' is text: {DIRECTLY}"]),
    "a !b": (words("a !b"), ["'!b' is text: write NOT instead of !"]),
    "a AND !b": (And(A, Term("!b")), ["'!b' is text: write NOT instead of !"]),
    "a ! b": (words("a b"), ["'!' is text: write NOT instead of !"]),
    "! (a b)": (words("a b"), ["'!' is text: write NOT instead of !"]),
    'title:!"a b"': (Field("title", Phrase("a", "b")), ["'!' is text: write NOT instead of !"]),
    "*:* -b": (And(Term("*:*"), Not(B)), ["'*:*' is text: write NOT b"]),
    "*:* AND NOT b": (And(Term("*:*"), Not(B)), ["'*:*' is text: write NOT b"]),
    "*:*": (Term("*:*"), ["'*:*' is text: write NOT and a word, for all documents without it"]),
    "help! Yahoo! mail a != b !": (words("help! Yahoo! mail a != b !"), []),
    '"a b"! c': (Or(Phrase("a", "b"), Term("!"), C), []),
    "AND": (Term("AND"), ["'AND' at the beginning is text"]),
    "AND a": (words("AND a"), ["'AND' at the beginning is text"]),
    "a AND": (words("a AND"), ["'AND' at the end is text"]),
    "a AND NOT": (words("a AND NOT"), ["'AND' at the end is text", "'NOT' at the end is text"]),
    "a AND OR b": (And(A, B), ["'OR' after 'AND' is left out"]),
    "title:AND a": (Field("title", A), ["'AND' after 'title:' is left out"]),
    "-AND b": (And(B, Not(Term("AND"))), ["'AND' is text after a sign"]),
    "()": (None, ["empty parentheses are left out"]),
    'title:() "" a AND () b': (
        words("a b"),
        ["empty parentheses are left out", "quotation marks without words are left out"],
    ),
    "(a b": (words("a b"), ["'(' has no partner; it is closed at the end"]),
    "a) b": (words("a b"), ["')' has no partner and is left out"]),
    ":)": (Term(":)"), []),
    "(nice :) )": (words("nice :)"), []),
    "http://x.y/z?a=b": (Term("http://x.y/z?a=b"), []),
    "(http://x.y/*)": (Term("http://x.y/*"), []),
    "12:30 10:20:30": (words("12:30 10:20:30"), []),
    "foo:bar": (Term("foo:bar"), ["'foo:bar' is text: unknown field 'foo'. Fields: title, year"]),
    'foo:"a b"': (Or(Term("foo:"), Phrase("a", "b")), ["'foo:' is text: unknown field 'foo'. Fields: title, year"]),
    "std::vector title: a": (
        words("std::vector title: a"),
        ["'title: a' is text: write title:a to search in a field"],
    ),
    "title:-a": (Term("title:-a"), ["'title:-a' is text: '-' must stand before the field, as in -title:cat"]),
    "year:[1990 TO soon]": (
        words("year:[1990 TO soon]"),
        ["'year:[1990' is text: 'soon' is neither a number nor a date"],
    ),
    "year:[2000 TO 1990]": (Range("year", 2000, 1990), ["the range '[2000 TO 1990]' contains no number"]),
    "and/or TCP/IP 3/4": (words("and/or TCP/IP 3/4"), []),
    "/usr/bin": (Term("/usr/bin"), []),
    "a / b / c": (words("a / b / c"), []),
    "title:/a.b/": (
        Field("title", Term("/a.b/")),
        ["'/a.b/' is text: a pattern is written with * and ?, such as colo*r"],
    ),
    "cat -title:*": (And(Term("cat"), Not(Field("title", Wildcard("*")))), []),
    "* cat": (words("* cat"), ["'*' is text: * and ? stand for letters of a word"]),
    "5*3 **b** x?y=1": (
        words("5*3 **b** x?y=1"),
        [f"'{text}' is text: * and ? stand for letters of a word" for text in ("5*3", "**b**", "x?y=1")],
    ),
    '"comp* c?t"': (
        Phrase("comp*", "c?t"),
        ["'*' between quotation marks is text", "'?' between quotation marks is text"],
    ),
    "me@x.org $5.00 R&D 10.1145/239": (words("me@x.org $5.00 R&D 10.1145/239"), []),
    r"C:\Users\me": (Term(r"C:\Users\me"), []),
    r"dir\file": (Term(r"dir\file"), [r"'\' in 'dir\file' is text"]),
    "~ ^": (
        words("~ ^"),
        ["'~' is text: ~1 or ~2 follows a word, and ~8 a phrase", "'^' is text: a number above 0 must follow '^'"],
    ),
    "a~3": (Term("a~3"), ["'a~3' is text: a word takes ~1 or ~2 edits, and a wildcard none"]),
    "[sic] a[0] {x}": (words("[sic] a[0] {x}"), []),
    "“two words” „zwei“ «trois» “": (Or(Phrase("two", "words"), Phrase("zwei"), Phrase("trois"), Term("“")), []),
    "f(x)=2": (words("f x =2"), []),
    "a && b": (words("a && b"), ["'&&' is text: write AND instead of &&"]),
    "+a OR b": (words("a b"), ["'+' beside OR is left out"]),
    "#1(a (b c))": (words("a b c"), ["#1 is left out: #1 takes words only, such as #1(tick removal)"]),
    "(a +b)@2": (
        And(Optional(A), B),
        ["'@2' is left out: it follows 2 or more parts without signs, such as (cat dog tick)@2"],
    ),
    "(a b)@c": (Or(A, B, Term("@c")), ["'@c' is a word, not an operator"]),
    "#syn(-a b)": (Synonyms(A, B), ["'-' has no meaning inside #syn(…) and is left out"]),
    "#hashtag": (
        Term("#hashtag"),
        ["'#hashtag' is text: an operator is #1(…), #od4(…), #uw8(…), #weight(…), #syn(…), #combine(…) or #band(…)"],
    ),
    r"/(a)\1/": (
        Term(r"/(a)\1/"),
        [r"'/(a)\1/' is text: a pattern is written with * and ?, such as colo*r"],
    ),
}


@pytest.mark.parametrize("text", LENIENT)
def test_what_people_type_is_text_and_a_remark_says_so(text):
    assert parse(text, known_fields=["title", "year"]) == LENIENT[text]


def test_many_remarks_are_cut_short():
    remarks = parse(" ".join(f"#tag{number}" for number in range(100))).remarks
    assert len(remarks) == 21
    assert remarks[-1] == "and 80 more remarks"


def test_a_plain_query_has_no_operators():
    assert parse('-a "b', "plain") == (words('-a "b'), [])
    assert parse("a", "plain") == (A, [])
    assert parse(" ", "plain") == (None, [])


def test_an_unknown_mode_is_refused():
    with pytest.raises(ArgumentError, match="unknown mode 'strickt'; did you mean 'strict'"):
        parse("a", "strickt")


@pytest.mark.parametrize("mode", ["strict", "lenient"])
@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("(" * 101 + "a" + ")" * 101, "the query is nested more than 100 deep"),
        ("(" * 1_000_000, "the query is nested more than 100 deep"),
        ("NOT " * 1000 + "a", "the query is nested more than 100 deep"),
        ("(a AND (b OR " * 51 + "c" + "))" * 51, "the query is nested more than 100 deep"),
        ("+a (" * 40 + "b" + ")^2" * 40, "the query is nested more than 100 deep"),  # And, Optional, Boost
        ("a " * 10_001, "the query has more than 10,000 words"),
        (f'"{"a " * 10_001}"', "the query has more than 10,000 words"),
    ],
    ids=lambda text: text[:20],
)
def test_a_long_or_deep_query_is_refused(text, problem, mode):
    with pytest.raises(QueryError) as refusal:
        parse(text, mode)
    assert refusal.value.problem == problem


@pytest.mark.system
@pytest.mark.parametrize("sign", ["AND ", "() ", "-", "\\", '"', "? ", "a:", "/a", "[", "x^", "~", "#1("])
@pytest.mark.parametrize("mode", ["strict", "lenient"])
def test_a_megabyte_of_signs_is_read_or_refused(sign, mode):
    text = sign * (1_000_000 // len(sign))
    said = []
    try:
        said = parse(text, mode).remarks
    except QueryError as error:
        said = [str(error)]
    assert len("".join(said)) < 5000


def test_the_deepest_query_is_read_and_written():
    deepest = parse("(a AND (b OR " * 50 + "c" + "))" * 50, "strict").tree
    assert parse(str(deepest), "strict").tree == deepest
    assert parse("(" * 100 + "a" + ")" * 100, "strict").tree == A


@pytest.mark.parametrize("mode", ["lenient", "strict"])
@pytest.mark.parametrize(
    "text",
    [
        *('"tick removal"', '"tick"', '"tick AND removal"', '"été 1990"', '"a  b"', '" a"', '""', '"a_b c"', '"a" b"'),
        *("a AND b", "a AND b AND C", "a AND  b", "a AND b-c", "a AND NOT b", "a AND OR", "a AND b AND", "a and b"),
        *("a_b AND c", "été AND ٣", '"a b" AND "c d"'),
    ],
)
def test_simple_texts_mean_the_same_without_the_lexer(text, mode, monkeypatch):
    def outcome() -> Parsed | str:
        try:
            return parse(text, mode, ["title"])
        except QueryError as error:
            return str(error)

    shortened = outcome()
    monkeypatch.setattr("toysearch.query.parser.simple_tree", lambda text: None)
    assert shortened == outcome()


@pytest.mark.parametrize(
    ("text", "place", "shown", "column"),
    [
        ("cat) dog", 3, "cat) dog", 3),
        ("cat", 3, "cat", 3),
        ("", 0, "", 0),
        ("日本)", 2, "日本)", 4),
        ("한국 ｃat)", 6, "한국 ｃat)", 9),
        ("cafe\u0301)", 5, "cafe\u0301)", 4),
        ("हिन्दी)", 6, "हिन्दी)", 5),
        ("a\tb)", 3, "a b)", 3),
        ("a\r\nb\x1b[0m)", 8, "a  b [0m)", 8),
        ("a\u202eb)", 3, "a b)", 3),
        ("a\ud800)", 2, "a\ufffd)", 2),
        ("x" * 100 + ")" + "y" * 100, 100, f"… {'x' * 35}){'y' * 34} …", 37),
        (")" + "y" * 100, 0, f"){'y' * 69} …", 0),
        ("x" * 100 + ")", 100, f"… {'x' * 69})", 71),
        ("日" * 100 + ")" + "本" * 100, 100, f"… {'日' * 17}){'本' * 17} …", 36),
    ],
)
def test_the_caret_stands_under_the_place(text, place, shown, column):
    assert around(text, place) == (shown, " " * column + "^")


@pytest.mark.parametrize(("text", "word"), [("(comet moon)@2a", "@2a"), ('"comet moon"@2 planet', "@2")])
def test_an_at_sign_after_a_phrase_or_before_letters_is_said_to_be_a_word(text, word):
    assert parse(text).remarks == [f"'{word}' is a word, not an operator"]
    with pytest.raises(QueryError, match=f"a blank must stand before '{word}', which is a word"):
        parse(text, "strict")
    assert parse("(comet moon) @2").remarks == []


@pytest.mark.parametrize("typed", ["MATCH 'a cat'", "title MATCH 'a cat'", "SELECT x FROM t WHERE t MATCH 'a cat'"])
def test_a_request_of_sql_is_seen_with_blanks_before_it(typed):
    assert parse(f"  {typed}").remarks[-1] == f"'{typed}' is text: write a cat"
