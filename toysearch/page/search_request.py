"""What a search view is asked: read from an address, and written as an address."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import urlencode

from toysearch.base import ArgumentError, unknown
from toysearch.page.facets import FACET
from toysearch.page.model_picker import AnyModel, chosen_model
from toysearch.page.served_source import ServedSource
from toysearch.query.modes import mode_of

DEFAULT_K = 10
MOST = 1000  # documents of a ranking
_MOST_ON_A_PAGE = 40
_LONGEST_QUERY = 10_000  # characters


class SearchRequest(NamedTuple):
    """A search: the words typed, the judged topic, the model, the way to read the words, the length, the facets."""

    typed: str
    topic: str
    model: AnyModel
    mode: str
    k: int
    chosen: dict[str, str]

    def pairs(self, **more: str) -> dict[str, str]:
        """The names and values of an address; what is as usual is left out."""
        pairs = {"q": self.typed, "topic": self.topic, "model": str(self.model)}
        pairs |= {"query_mode": self.mode} if self.mode != usual_mode(self) else {}
        pairs |= {"k": str(self.k)} if self.k != DEFAULT_K else {}
        pairs |= {f"{FACET}{field}": value for field, value in self.chosen.items()} | more
        return {name: value for name, value in pairs.items() if value}

    def address(self, source: ServedSource, view: str = "search", **more: str) -> str:
        """The permanent address of a view of this search."""
        return f"/{source.name}/{view}?{urlencode(self.pairs(**more), errors='replace')}"

    def compare_address(self, source: ServedSource) -> str:
        """The address that compares the model of this search with another one, for the same query."""
        pairs = {name: value for name, value in self.pairs().items() if not name.startswith(FACET)}
        return f"/{source.name}/compare?{urlencode({'a': pairs.pop('model'), **pairs}, errors='replace')}"


def read_request(source: ServedSource, models: Mapping[str, AnyModel], asked: Mapping[str, str]) -> SearchRequest:
    """The search that an address describes; a value that is not accepted is refused in a sentence."""
    typed, topic = asked.get("q", "").strip(), asked.get("topic", "")
    if len(typed) > _LONGEST_QUERY:
        raise ArgumentError(f"a query may have at most {_LONGEST_QUERY:,} characters here, not {len(typed):,}")
    if topic:
        if source.collection is None:
            raise ArgumentError(f"{source.typed} has no queries of its own, so there is no topic '{topic}'")
        source.collection.query(topic)  # raises if there is none
    model, k = chosen_model(models, asked), asked.get("k", str(DEFAULT_K))
    if not re.fullmatch("[0-9]{1,6}", k) or not 1 <= int(k) <= MOST:
        raise ArgumentError(f"k must be a whole number from 1 to {MOST:,}, not '{k:.40}'")
    fields = {facet.field for facet in source.facets}
    chosen = {name.removeprefix(FACET): value for name, value in asked.items() if name.startswith(FACET) and value}
    for field in chosen:
        if field not in fields:
            raise unknown("field with few values", field, fields, "fields")
    request = SearchRequest(typed, topic, model, "", int(k), chosen)
    return request._replace(mode=mode_of(asked.get("query_mode") or usual_mode(request)))


def usual_mode(request: SearchRequest) -> str:
    """How a query is read unless something else is asked: words of a topic plain, typed words leniently."""
    return "lenient" if request.typed else "plain"


def shown_at_most(k: int) -> int:
    """The number of documents that an HTML page shows; JSON has all."""
    return min(k, _MOST_ON_A_PAGE)


def query_text(source: ServedSource, request: SearchRequest) -> str:
    """The words to search for: those typed, or those of the topic."""
    if request.typed or not request.topic or source.collection is None:
        return request.typed
    return str(source.collection.query(request.topic).text)
