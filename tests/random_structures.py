"""What is read, made by its grammar: mails, pages, archives, TOML, names of models and measures, sound or not.

Each is bounded in depth and length; what stands in the places of a grammar is usual, odd or hostile.
"""

# ruff: noqa: RUF005
import io
import json
import stat
import warnings
import zipfile
from typing import Any

from hypothesis import strategies as st

# Texts

ODD = st.sampled_from(
    [
        *(
            '"',
            "(",
            "<",
            "a b:<",
            "=?",
            "=?utf-8?q?=?=",
            "=?x?b?!?=",
            "\0",
            "\x85",
            ";",
            ",",
            "@",
            "\\",
            "",
            " ",
            "[",
            "a:",
        )
    ]
    + ["(" * 500, '"' * 501, "a," * 300, "=?a?q?" * 100, ";" * 600, "a=" * 300, "é\udc80", "9" * 400, "a" * 3000]
)
WORDS = st.sampled_from(
    ["cat", "a cat", "Müsli", "ada@example.org", "Ada <ada@example.org>", "Tue, 5 May 2020 10:00 +0000"]
)
TEXTS = st.one_of(WORDS, ODD, st.text(max_size=8), st.lists(WORDS | ODD, max_size=4).map("".join))

# Mails

CHARSETS = st.sampled_from(
    [
        "utf-8",
        "latin-1",
        "idna",
        "punycode",
        "undefined",
        "rot13",
        "utf-7",
        "unicode_escape",
        "utf-8\0",
        "none",
        "",
        "é",
    ]
)
ENCODINGS = st.sampled_from(["7bit", "8bit", "base64", "quoted-printable", "uuencode", "x", "\0"])
NAMES = st.sampled_from(
    ["Subject", "From", "Date", "To", "MIME-Version", "Content-Disposition", "Content-ID", "X", "from "]
)
BODIES = st.sampled_from(
    ["a cat\n", "<p>a <b>cat", "Y2F0\n", "=E9=\n", "begin 644 a\n#8V%T\nend\n", "", "\0", "é\n", "--b\n"]
)


@st.composite
def mails(draw: st.DrawFn, depth: int = 4) -> str:
    """A mail, or a part of one, with parts inside each other."""
    headers = draw(st.lists(st.tuples(NAMES, TEXTS), max_size=4))
    lines = [f"{name}: {text}\n" for name, text in headers]
    kind = draw(
        st.sampled_from(["", "text/plain", "text/html", "multipart/mixed", "multipart/related", "message/rfc822", "a"])
    )
    if kind.startswith("multipart") and depth:
        border = draw(st.sampled_from(["b", f"b{depth}", "", '"', "b" * 500]))
        parts = draw(st.lists(mails(depth=depth - 1), max_size=3))
        inside = "".join(f"--{border}\n{part}\n" for part in parts)
        end = draw(st.sampled_from([f"--{border}--\n", ""]))
        return f'{"".join(lines)}Content-Type: {kind}; boundary="{border}"; {draw(TEXTS)}\n\n{inside}{end}'
    if kind.startswith("message") and depth:
        return f"{''.join(lines)}Content-Type: {kind}\n\n{draw(mails(depth=depth - 1))}"
    typed = f"Content-Type: {kind}; charset={draw(CHARSETS)}; {draw(TEXTS)}\n" if kind else ""
    packed = draw(st.one_of(st.just(""), ENCODINGS.map("Content-Transfer-Encoding: {}\n".format)))
    return f"{''.join(lines)}{typed}{packed}\n{draw(BODIES)}"


# Pages

TAGS = st.sampled_from(
    ["p", "a", "b", "h1", "title", "td", "script", "style", "img", "meta", "textarea", "svg", "!--", "?", "!"]
)
SIGNS = st.sampled_from(
    [
        "<!--",
        "-->",
        "-- >",
        "--!>",
        "<![CDATA[",
        "]]>",
        "<![if x]>",
        "<![endif]-->",
        "<?x",
        "?>",
        "<!DOCTYPE x>",
        "&#",
        "&lt",
    ]
    + ["&amp;", "<", ">", "</", "/>", "'", '"', "=", "<a b='", '<img alt="', "\n", "\0"]
)
ATTRIBUTES = st.sampled_from(["", " x", " x=1", " x='a > b'", ' alt="a cat"', " x='", ' charset="utf-16"', "/", " /"])


@st.composite
def pages(draw: st.DrawFn) -> str:
    """A page of tags that close or not, repeated or not."""
    pieces = []
    for _ in range(draw(st.integers(1, 8))):
        tag = draw(TAGS)
        opened = f"<{tag}{draw(ATTRIBUTES)}" + draw(st.sampled_from([">", ">", "", "<"]))
        closed = draw(st.sampled_from([f"</{tag}>", "", f"</{tag}", "-->"]))
        piece = f"{opened}{draw(TEXTS | SIGNS)}{closed}{draw(SIGNS)}"
        pieces.append(piece * draw(st.sampled_from([1, 1, 1, 50])))
    return "".join(pieces)


# Archives

PLACES = st.sampled_from(
    [
        "a.txt",
        "sub/a.txt",
        "../a.txt",
        "/tmp/a.txt",
        "C:\\a.txt",
        "..\\a.txt",
        "a.txt/",
        "",
        ".",
        "\0",
        "é",
        "a" * 300,
        "lab.ipynb",
    ]
)


@st.composite
def archives(draw: st.DrawFn, depth: int = 2) -> bytes:
    """A zip archive with links, names that lead out, archives inside, what unpacks to much more, and damage."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", draw(st.sampled_from([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED]))) as archive:
        for _ in range(draw(st.integers(0, 5))):
            info = zipfile.ZipInfo(draw(PLACES))
            info.compress_type = zipfile.ZIP_DEFLATED
            mode = draw(st.sampled_from([stat.S_IFREG, stat.S_IFREG, stat.S_IFLNK, stat.S_IFIFO, 0]))
            info.external_attr = (mode | 0o644) << 16
            content = draw(st.sampled_from([b"a cat", b"../../a.txt", b"{}", b"0" * 200_000, b""]))
            if depth and draw(st.booleans()):
                content = draw(archives(depth=depth - 1))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # of two entries with one name
                archive.writestr(info, content)
    data = packed.getvalue()
    place, many = draw(st.integers(0, len(data))), draw(st.sampled_from([0, 0, 1, 4]))
    return data[:place] + bytes(many) + data[place + many :]


# TOML

VALUES = st.recursive(
    st.one_of(
        st.sampled_from(
            [True, False, 0, 1, -1, 0.5, 10**400, "", "a", "../a", "a\0b", "bm25", "AP", "*", "a" * 3000, "[" * 50]
        ),
        st.sampled_from(["nan", "inf", "-inf", "1e400", "1979-05-27", "1979-05-27T07:32:00Z", "07:32:00"]).map(
            lambda typed: (typed,)
        ),
    ),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "path", "role", "", "default"]), inner, max_size=3)
    ),
    max_leaves=5,
)


def as_toml(value: Any) -> str:
    """Write a value of `VALUES` as TOML; a tuple holds what stands there as it is."""
    if isinstance(value, tuple):
        return str(value[0])
    if isinstance(value, list):
        return f"[{', '.join(map(as_toml, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{json.dumps(key)} = {as_toml(one)}' for key, one in value.items())}}}"
    return json.dumps(value)


def tomls(keys: list[str]) -> st.SearchStrategy[str]:
    """A file of TOML with values of any type under these keys."""
    tables = st.dictionaries(st.sampled_from(keys), VALUES, max_size=4)
    return tables.map(lambda table: "".join(f"{key} = {as_toml(value)}\n" for key, value in table.items()))


# Names of models and measures

LEAVES = st.sampled_from(
    [
        "bm25",
        "bm25:b=0.4",
        "tfidf",
        "lsa:5",
        "lsa:",
        "dense:a.npy",
        "learned:x",
        "prior:year",
        "bm25f:title=2",
        "a=b",
        "x.py:f",
        "0.5",
    ]
    + [
        "bm25@10",
        "formula: tf",
        "",
        "9" * 400,
        "bm25:k1=1e400",
        "learned:" + "a" * 3000,
        "a=b" * 500,
        "\0",
        "bm25:tf=",
        "rrf",
    ]
)
CALLED = st.sampled_from(["rm3", "mmr", "xquad", "min-max", "z-score", "every", "log", "rrf", "sdm", "", "nope"])
SETTINGS = st.sampled_from(["", ", docs=5", ", docs=9e9", ":docs=5", ", lambda=", ", a=b=c", ","])
JOINED = st.sampled_from([" + ", " * ", " >> ", "-", "@", ",", "=", ":", "(", ")"])
models = st.recursive(
    LEAVES,
    lambda inner: (
        st.builds("{}({}{})".format, CALLED, inner, SETTINGS) | st.builds("{}{}{}".format, inner, JOINED, inner)
    ),
    max_leaves=8,
)
"""Names of rankers, with every bracket and operator."""

measures = st.builds(
    "{}{}{}".format,
    st.sampled_from(
        ["P", "AP", "nDCG", "RBP", "MRR", "F", "ERR", "Fallout", "nope", "x.py:f", "a" * 3000 + ".py:f", "", "P AP,"]
    ),
    st.sampled_from(
        [
            "",
            "(rel=2)",
            "(rel=",
            "(gains={1:2,3:4})",
            "(gains={",
            "(p='",
            "(a=b,c=d)",
            "(" * 50,
            ")" * 50,
            "(rel=" + "9" * 400 + ")",
        ]
    ),
    st.sampled_from(
        ["", "@5", "@[1,5]", "@[", "@0.1", "@" + "9" * 400, "@@", "@-1", ".5,10", "@1e400", "\0", " ", ",,"]
    ),
)
"""Names of measures, with parameters and cutoffs that fit or not."""
