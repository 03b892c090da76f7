"""Reply in two forms: a page for people, and the same data as JSON for programs."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode

import jinja2
from markupsafe import Markup, escape

from toysearch.base import render
from toysearch.workbench.report.chart_files import templates, true_minus

JSON = ".json"
"""End of an address that gives JSON."""

PART_HEADER = "x-toysearch-part"
"""Header of a script that asks for the main part of a page only."""


CONTENT_TYPES = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}


class Reply(NamedTuple):
    """Answer of a view."""

    template: str  # of the page, which shows the data
    title: str
    data: Mapping[str, Any]  # everything that the page tells, as JSON has it
    form: Mapping[str, Any] = {}  # what only the page needs: choices of its form, addresses
    address: str = ""  # the permanent address
    status: int = 200  # of HTTP
    problem: str = ""  # why something was refused; the page stands below it, with its form
    refused: Mapping[str, str] | None = (
        None  # fields as typed that were not accepted; nothing is computed in their place
    )
    cookie: tuple[str, str] | None = None  # a name and a value that the browser keeps and sends with each request
    file: tuple[str, str] | None = None  # the name and the text of a file to keep, which is given instead of a page

    def typed(self, name: str, accepted: object) -> object:
        """Return what a field shows: what was typed, also if it was refused."""
        return (self.refused or {}).get(name, accepted)

    @property
    def json_address(self) -> str:
        """Return the address of the same as JSON."""
        path, mark, query = self.address.partition("?")
        return f"{path}{JSON}{mark}{query}"

    @property
    def save_address(self) -> str:
        """Return the address of the page as one file to keep."""
        return f"{self.address}{'&' if '?' in self.address else '?'}save=1"


def address_of(source: Any, view: str, **pairs: str) -> str:
    """Return the address of a view of a source; empty values are left out."""
    query = urlencode({name: value for name, value in pairs.items() if value})
    return f"/{source.name}/{view}" + (f"?{query}" if query else "")


def as_json(answer: Reply) -> str:
    """Return the data of an answer: numbers in full, null for those that are not finite."""
    return render([], [], "json", data=dict(answer.data)) + "\n"


def as_page(answer: Reply, layout: str, site: Mapping[str, Any]) -> str:
    """Render the page of an answer: whole ('page'), its main part for a script ('part'), or to keep ('saved').

    A template gets the data by their names, ``page`` (the answer), ``form``, and ``site`` (what all pages share);
    no name of data is one of these, ``saved``, ``style`` or ``layout``.
    """
    template = _environment().get_template(answer.template)
    style = files("toysearch.page").joinpath("static", "page.css").read_text("utf-8") if layout == "saved" else ""
    return template.render(
        layout=f"layout_{layout}.html",
        saved=layout == "saved",
        style=Markup(style),
        page=answer,
        form=answer.form,
        site=site,
        **answer.data,
    )


@functools.cache
def static_file(name: str) -> tuple[bytes, str] | None:
    """Return a script or a style sheet with its content type; None for any other name."""
    folder = files("toysearch.page").joinpath("static")
    file = next((entry for entry in folder.iterdir() if entry.name == name), None)
    ending = name[name.rfind(".") :] if "." in name else ""
    return (file.read_bytes(), CONTENT_TYPES[ending]) if file and ending in CONTENT_TYPES else None


def refusal(problem: str, status: int) -> Reply:
    """Return the answer that something is refused."""
    return Reply("error.html", "Not answered", {"error": problem, "status": status}, status=status)


def page_of_refusal(status: int, problem: str) -> str:
    """Render the page of a refusal for somebody who may not see what else is here."""
    site = {"write_token": "", "token_is_asked": status == 401}
    return as_page(refusal(f"{problem}.", status), "page", site)


def sentence(problem: str) -> str:
    """Begin a message with a capital, unless it begins with a name such as `k1` or `mine.py:3:`.

    >>> sentence("unknown model 'bm52'"), sentence("k1 must be at least 0"), sentence("'x' is not a number")
    ("Unknown model 'bm52'", 'k1 must be at least 0', "'x' is not a number")
    """
    return problem[:1].upper() + problem[1:] if re.match("a (?!of|must)|[a-z][a-z-]+[ ,;]", problem) else problem


def marked(text: str, spans: Iterable[Sequence[int]]) -> Markup:
    """Escape a text and mark some of its words.

    >>> str(marked("<a> cat", [(4, 7)]))
    '&lt;a&gt; <mark>cat</mark>'
    """
    pieces, end = [], 0
    for start, stop in spans:
        pieces += [escape(text[end:start]), Markup("<mark>{}</mark>").format(text[start:stop])]
        end = stop
    return Markup("").join([*pieces, escape(text[end:])])


_QUANTITY = r"[^\W\d]\w*+(?!\()|\d[\d,]*(?:\.\d+)?(?:e[+−-]?\d+)?"
_TOKEN = re.compile(rf"(?P<quantity>{_QUANTITY})|\s+|(?P<function>[^\W\d]\w*)|[^\s]")
_UNSEEN = Markup('<mtext class="unseen">{}</mtext>')
_FRACTION = Markup("<mfrac><mrow>{}</mrow>{}<mrow>{}</mrow></mfrac>")
_STROKE = Markup("<mo>/</mo>")
_EQUATION = re.compile(r"(\s*(?:[^=]*?: )?)([^\W\d]\w*) = ([^=]+)((?: = \S+)?)")
_BLOCK = Markup('<pre class="formula" dir="auto">{}\n</pre>')
_WORKED = Markup('<div class="worked" tabindex="0" role="group" aria-label="The formulas with numbers">{}</div>')
_OF_TERM = Markup('<details><summary dir="auto">{}\n</summary>{}</details>')


def worked(lines: Sequence[str]) -> Markup:
    """Set the lines of a worked score, the indented ones folded below the line above them; the text stays that of all.

    >>> print(worked(["with b = 1", "cat", "  idf = 2"]).replace(' dir="auto"', "").partition(">")[2])
    <pre class="formula">with b = 1
    </pre><details><summary>cat
    </summary><pre class="formula">  idf = <math><mn>2</mn></math>
    </pre></details></div>
    """
    blocks: list[tuple[Markup | None, list[Markup]]] = []  # a folded one has a name
    for line, piece, following in zip(lines, equations(lines), [*lines[1:], ""], strict=True):
        is_inside = line.startswith("  ")
        if following.startswith("  ") and not is_inside:
            blocks.append((piece, []))
        elif line and blocks and blocks[-1][1] != [Markup("")] and is_inside == (blocks[-1][0] is not None):
            blocks[-1][1].append(piece)
        else:
            blocks.append((None, [piece]))
    written = Markup("")
    for name, pieces in blocks:
        block = _BLOCK.format(Markup("\n").join(pieces)) if any(pieces) else Markup("\n")
        written += block if name is None else _OF_TERM.format(name, block)
    return _WORKED.format(written)


def equations(lines: Iterable[str]) -> list[Markup]:
    """Set equations in MathML, a number and the name in whose place it stands marked alike.

    What stands around a `/` is set as a fraction; its brackets and the `/` are there for people who copy or hear it.

    >>> for line in equations(["idf = ln(N)", "cat: idf = ln(8) = 2.079"]):
    ...     print(line.replace("quantity", "q"))
    idf = <math><mi>ln</mi><mo>(</mo><mi class="q" data-q="idf-N">N</mi><mo>)</mo></math>
    cat: idf = <math><mi>ln</mi><mo>(</mo><mn class="q" data-q="idf-N" title="N">8</mn><mo>)</mo></math> = 2.079
    """
    formulas: dict[str, list[str]] = {}
    written = []
    for line in lines:
        match = _EQUATION.fullmatch(line)
        if match is None:
            written.append(escape(line))
            continue
        head, name, right, value = match.groups()
        numbers = [token["quantity"] for token in _TOKEN.finditer(right) if token["quantity"]]
        is_formula = not value and name not in formulas
        names = formulas.setdefault(name, numbers) if is_formula else formulas.get(name, [])
        if len(names) != len(numbers):
            names = [""] * len(numbers)
        marked_numbers = [_quantity(name, *pair, is_formula) for pair in zip(names, numbers, strict=True)]
        written.append(escape(f"{head}{name} = ") + _side(right, marked_numbers) + escape(value))
    return written


def _quantity(owner: str, name: str, text: str, is_formula: bool) -> Markup:
    """Mark a name in a formula, or the number in its place; a number in both is not marked."""
    marks, tag = Markup(""), "mn" if text[0].isdigit() else "mi"
    if name and not name[0].isdigit():
        title = Markup("") if is_formula else Markup(' title="{}"').format(name)
        marks = Markup(' class="quantity" data-quantity="{}-{}"{}').format(owner, name, title)
    return Markup("<{0}{1}>{2}</{0}>").format(tag, marks, text)


def _side(text: str, marked: Iterable[Markup]) -> Markup:
    """Set a side of an equation: the next of the marked quantities in place of each, and fractions around each /.

    A long side is broken between its operands, so each is a formula of its own.
    """
    if text.count("(") != text.count(")"):
        return escape(text)
    operands = _operands(_TOKEN.finditer(text), iter(marked))
    return Markup(" ").join(Markup("<math>{}</math>").format(operand) for operand in operands)


def _operands(tokens: Iterator[re.Match[str]], marked: Iterator[Markup]) -> list[Markup]:
    """Set what stands before the next closing bracket, divided at its spaces."""
    operands = [Markup("")]
    bare = operands[:]  # the same, brackets around the whole unseen
    for token in tokens:
        if token[0] == ")":
            break
        if token[0].isspace():
            operands.append(Markup(""))
            bare.append(Markup(""))
            continue
        if token[0] == "(":
            inner = Markup(" ").join(_operands(tokens, marked))
            piece = Markup("<mo>(</mo>{}<mo>)</mo>").format(inner)
            bare[-1] = bare[-1] + piece if operands[-1] else _UNSEEN.format("(") + inner + _UNSEEN.format(")")
        else:
            tag = "mi" if token["function"] else "mo"
            piece = next(marked) if token["quantity"] else Markup("<{0}>{1}</{0}>").format(tag, token[0])
            bare[-1] = operands[-1] + piece
        operands[-1] += piece
    while _STROKE in operands[1:-1]:
        at = operands.index(_STROKE, 1)
        fraction = _FRACTION.format(bare[at - 1], _UNSEEN.format(" / "), bare[at + 1])
        operands[at - 1 : at + 2] = bare[at - 1 : at + 2] = [fraction]
    return operands


def linked_tries(text: str) -> Markup:
    """Escape a verdict; what it says of tries leads to the table of them.

    >>> linked_tries("(p = 1 for 3 comparisons)")
    Markup('(p = 1 for <a href="#tries">3 comparisons</a>)')
    """
    return Markup(re.sub(r"(?<=for )[\d,]+ comparisons(?=[;)])", r'<a href="#tries">\g<0></a>', str(escape(text))))


def number(value: float | None, form: str = ".4f") -> str:
    """Write a number for people, with a true minus sign; an en dash for none."""
    return "–" if value is None else f"{value:{form}}".replace("-", "−")


def share(value: float) -> str:
    """Write a share for people, in per cent.

    >>> share(0.70588), share(float("nan"))
    ('70.6%', '–')
    """
    return "–" if value != value else f"{value:.1%}"


@functools.cache
def _environment() -> jinja2.Environment:
    """Return the environment of the templates, with what they call."""
    environment: jinja2.Environment = templates("toysearch.page")
    environment.filters |= {
        "number": number,
        "minus": true_minus,
        "share": share,
        "sentence": sentence,
        "grouped": lambda value: f"{value:,}",
    }
    environment.globals |= {"marked": marked, "worked": worked, "linked_tries": linked_tries}
    return environment


LONGEST_TYPE = 200
"""Maximum length of a content type; a longer one describes no form."""

MOST_FIELDS = 50
"""Maximum number of fields of a form."""

_ADDRESS_LIKE = "application/x-www-form-urlencoded"


def form_of(content_type: str, body: bytes) -> dict[str, str]:
    """Read the fields of a form; empty if it is not a form.

    >>> form_of("application/x-www-form-urlencoded", b"judge=ada&grade=3")
    {'judge': 'ada', 'grade': '3'}
    """
    if len(content_type) > LONGEST_TYPE:
        return {}
    kind = content_type.partition(";")[0].strip().lower()
    if kind != _ADDRESS_LIKE:
        return {}
    try:
        return dict(parse_qsl(body.decode(errors="replace"), keep_blank_values=True, max_num_fields=MOST_FIELDS))
    except ValueError:
        return {}
