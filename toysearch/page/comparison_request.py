"""What a comparison is asked: systems by their letters, a query, measures; read from an address, written as one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple
from urllib.parse import parse_qsl, urlencode

from toysearch.base import ArgumentError, unknown
from toysearch.evaluation import SIZE, mean_measures
from toysearch.evaluation.measures.measure import Measure, with_size
from toysearch.page.model_picker import PARAMETER, AnyModel, chosen_model
from toysearch.page.search_request import SearchRequest, read_request
from toysearch.page.served_source import ServedSource

FILE_NAME = ".name"
"""What follows the name of a field that holds a file, for the name of the file."""

LONGEST_TYPE = 200
"""Characters of a content type; a longer one describes no form."""

LONGEST_HEAD = 1000
"""Bytes of the lines before a field of a form in parts; a field with more is left out."""

MOST_FIELDS = 50
"""Fields of a form."""

_ADDRESS_LIKE = "application/x-www-form-urlencoded"
_IN_PARTS = "multipart/form-data"
_PARAMETER = re.compile(r';\s*+([\w*]++)=(?:"((?:[^"\\]|\\.)*+)"|([^;\s"]*+))', re.DOTALL)


def form_of(content_type: str, body: bytes) -> dict[str, str]:
    """The fields of a form; a file is a text with one character per byte (latin-1). Empty if it is not a form.

    >>> form_of("application/x-www-form-urlencoded", b"judge=ada&grade=3")
    {'judge': 'ada', 'grade': '3'}
    """
    if len(content_type) > LONGEST_TYPE:
        return {}
    kind = content_type.partition(";")[0].strip().lower()
    if kind == _IN_PARTS and (boundary := _parameters(content_type).get("boundary")):
        return _of_parts(body, boundary.encode("latin-1", "replace"))
    if kind != _ADDRESS_LIKE:
        return {}
    try:
        return dict(parse_qsl(body.decode(errors="replace"), keep_blank_values=True, max_num_fields=MOST_FIELDS))
    except ValueError:
        return {}


def _of_parts(body: bytes, boundary: bytes) -> dict[str, str]:
    """The fields of a form in parts, which may hold files."""
    fields: dict[str, str] = {}
    parts = (b"\r\n" + body).split(b"\r\n--" + boundary, MOST_FIELDS + 1)
    for part in parts[1 : MOST_FIELDS + 1]:
        head, mark, content = part.partition(b"\r\n\r\n")
        if part.startswith(b"--") or not mark or len(head) > LONGEST_HEAD:
            continue
        lines = head.decode(errors="replace").split("\r\n")
        described = next((line for line in lines if line.lower().startswith("content-disposition:")), "")
        parameters = _parameters(described)
        name, file = parameters.get("name"), parameters.get("filename")
        if name is None:
            continue
        if file is None:
            fields[name] = content.decode(errors="replace")
        elif file:  # a field in which no file was chosen has an empty name
            fields |= {name: content.decode("latin-1"), name + FILE_NAME: file}
    return fields


def _parameters(line: str) -> dict[str, str]:
    """The parameters of a header: name → value, without the quotation marks around it."""
    return {
        name.lower(): re.sub(r'\\(["\\])', r"\1", quoted) or plain for name, quoted, plain in _PARAMETER.findall(line)
    }


LETTERS = "abcdef"
"""The names of systems in an address; the first of those given is the baseline."""

OF_DOCUMENT = "of.doc"
"""The name of the query for which a document was chosen; for another query it is forgotten."""

MEASURES = "AP"
_USUAL = ("bm25", "lm-dirichlet")  # the system of an address with too few: the first that is not compared yet
_ANY_TOPIC = "\0"  # stands for a topic in an address that is then completed
_LONGEST = 300  # characters of a list of measures


class ComparisonRequest(NamedTuple):
    """A comparison: models by their letters, the search that they share, measures, a document, an order."""

    models: dict[str, AnyModel]
    search: SearchRequest  # its model is the baseline
    measures: list[Measure]
    doc_id: str
    sort: str  # the letter of the system by whose gain queries are sorted
    depends: bool = False  # whether caveats and power are asked for

    @property
    def baseline(self) -> str:
        """The letter of the system with which the others are compared."""
        return next(iter(self.models))

    @property
    def others(self) -> list[str]:
        """The letters of the other systems."""
        return [*self.models][1:]

    @property
    def free(self) -> str | None:
        """The first letter without a system; None if all have one."""
        return next((letter for letter in LETTERS if letter not in self.models), None)

    @property
    def settings(self) -> dict[str, str]:
        """Letter → the model with its parameters, as text."""
        return {letter: str(model) for letter, model in self.models.items()}

    @property
    def words(self) -> str:
        """What distinguishes the query from others."""
        return f"{self.search.topic} {self.search.typed}"

    @property
    def measure_text(self) -> str:
        """The measures, as an address has them."""
        return ",".join(map(str, self.measures))

    def address(self, source: ServedSource, view: str = "compare", **more: str) -> str:
        """The permanent address of this comparison; what is as usual is left out."""
        pairs = self.settings | self.search.pairs()
        del pairs["model"]
        pairs |= {"measure": self.measure_text} if self.measure_text != MEASURES else {}
        pairs |= {"sort": self.sort} if self.sort != self.others[0] else {}
        pairs |= {"doc": self.doc_id, "depends": "1" if self.depends else ""} | more
        return f"/{source.name}/{view}?{urlencode({name: value for name, value in pairs.items() if value})}"

    def of_queries(self, source: ServedSource, query_ids: Iterable[str]) -> list[str]:
        """The addresses that compare the same systems for queries of the collection."""
        # They differ in one value: making hundreds of them one by one takes longer than the comparison.
        search = self.search._replace(typed="", topic=_ANY_TOPIC, mode="plain")
        address = self._replace(search=search, doc_id="").address(source)
        before, after = address.split(urlencode({"topic": _ANY_TOPIC}))
        return [f"{before}{urlencode({'topic': query_id})}{after}" for query_id in query_ids]

    def over_all(self, source: ServedSource, **more: str) -> str:
        """The address that compares the same systems over all judged queries."""
        search = self.search._replace(typed="", topic="", mode="plain")
        return self._replace(search=search, doc_id="").address(source, **more)


def read_comparison(
    source: ServedSource, models: Mapping[str, AnyModel], asked: Mapping[str, str]
) -> ComparisonRequest:
    """The comparison that an address describes; a value that is not accepted is refused in a sentence."""
    shared = {name: asked[name] for name in ("q", "topic", "query_mode", "k") if asked.get(name)}
    systems: dict[str, AnyModel] = {}
    for letter in LETTERS:
        if asked.get(letter, "").strip():
            fields = {"model": asked[letter], "of": asked.get(f"of.{letter}", asked[letter])}
            prefix = f"{PARAMETER}{letter}."
            moved = {name.removeprefix(prefix): value for name, value in asked.items() if name.startswith(prefix)}
            moved = {f"{PARAMETER}{name}": value for name, value in moved.items()}
            systems[letter] = chosen_model(models, fields | moved)
    for letter in LETTERS[:2]:
        if len(systems) < 2 and letter not in systems:
            compared = {getattr(model, "name", str(model)) for model in systems.values()}
            usual = [next(iter(models)), *(name for name in _USUAL if name in models), *models]
            systems[letter] = models[next((name for name in usual if name not in compared), usual[0])]
    systems = dict(sorted(systems.items()))
    search = read_request(source, models, shared)._replace(model=next(iter(systems.values())))
    others = [*systems][1:]
    sort = asked.get("sort") or others[0]
    if sort not in others:
        raise unknown("system to sort by", sort, others, "systems")
    depends = bool(asked.get("depends") or asked.get("save"))  # a saved page cannot ask for it later
    names = asked.get("measure", "").strip() or MEASURES
    if len(names) > _LONGEST:
        raise ArgumentError(f"a list of measures may have at most {_LONGEST} characters here, not {len(names):,}")
    measures = with_size(mean_measures(re.split(r"[\s,]+(?![^(]*\))", names), SIZE), len(source.index))
    different = [*{str(measure): measure for measure in measures}.values()]
    request = ComparisonRequest(systems, search, different, asked.get("doc", ""), sort, depends)
    is_of_query = asked.get(OF_DOCUMENT, request.words) == request.words
    return request if is_of_query else request._replace(doc_id="")
