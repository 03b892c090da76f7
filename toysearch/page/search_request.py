"""Request of a search view: read from an address, and written as an address."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias
from urllib.parse import urlencode

import toysearch
from toysearch.base import ArgumentError, Query, ToysearchError, expect_name, typed_line
from toysearch.models import index_needs, is_shipped
from toysearch.page.foreign_run import ForeignRun
from toysearch.page.model_picker import PARAMETER, AnyModel, Asked, Data, Models, chosen_model
from toysearch.page.served_source import FACET, ServedSource, rater
from toysearch.query.modes import mode_of
from toysearch.retrieval import TypedQuery, filter_tree, named_fields, with_spelt_fields
from toysearch.study.system import System

DEFAULT_K = 10
NOT_COMPUTED = "not computed"
"""Name that a view finds if only its form is shown, because something was refused."""

OF_TOPIC = "of.topic"
"""Name of the topic with whose words the box of a form was filled: if they are unchanged, none are typed."""

FILTERS = ("lost", "gained", "zero")
"""Choices of queries in a case: those whose score fell since the model's own settings, rose, or is 0."""

ORDERS = ("lowest", "change")
"""Orders of the queries in a case beside their own: by score, by change since the model's own settings."""

MOST = 1000  # documents of a ranking
MOST_ON_A_PAGE = 40  # of these; JSON has all
_LONGEST_QUERY = 10_000  # characters


AnySystem: TypeAlias = "AnyModel | ForeignRun | System"
"""What a comparison compares."""


class SearchRequest(NamedTuple):
    """Search: the words typed, the judged topic, the model, the way to read the words, the length, the facets."""

    typed: str
    topic: str
    model: AnyModel
    mode: str
    k: int
    chosen: dict[str, str]
    case: str = ""  # how all queries are listed with their scores: one of FILTERS and of ORDERS, joined by -, or "1"
    unjudged: str = ""  # "1" if only documents are ranked that have no grade for the topic

    def pairs(self, **more: str) -> dict[str, str]:
        """Return the names and values of an address; defaults are left out."""
        pairs = {"q": self.typed, "topic": self.topic, "model": str(self.model)}
        pairs |= {"query_mode": self.mode} if self.mode != usual_mode(self) else {}
        pairs |= {"k": str(self.k)} if self.k != DEFAULT_K else {}
        pairs |= {"case": self.case, "unjudged": self.unjudged}
        pairs |= {f"{FACET}{field}": value for field, value in self.chosen.items()} | more
        return {name: value for name, value in pairs.items() if value}

    @property
    def where(self) -> str | None:
        """Return the filter of the chosen values; None without any."""
        return " AND ".join(f"{field}:{value}" for field, value in self.chosen.items()) or None

    def address(self, source: ServedSource, view: str = "search", **more: str) -> str:
        """Return the permanent address of a view of this search."""
        return f"/{source.name}/{view}?{urlencode(self.pairs(**more), errors='replace')}"

    def compare_address(self, source: ServedSource) -> str:
        """Return the address that compares the model of this search with another one, for the same query."""
        pairs = self._replace(chosen={}, case="", unjudged="").pairs()
        return f"/{source.name}/compare?{urlencode({'a': pairs.pop('model'), **pairs}, errors='replace')}"


def read_request(source: ServedSource, models: Models, asked: Asked) -> SearchRequest:
    """Read the search that an address describes; refuse a value that is not accepted, in a sentence."""
    typed, topic = asked.get("q", "").strip(), asked.get("topic", "")
    if typed and typed == topic_line(source, asked.get(OF_TOPIC, "")):  # the form was opened with these words
        typed = ""
    if len(typed) > _LONGEST_QUERY:
        raise ArgumentError(f"a query may have at most {_LONGEST_QUERY:,} characters here, not {len(typed):,}")
    unjudged = "1" if topic and asked.get("unjudged") else ""
    if typed and not unjudged and source.judging is not None and source.judging.own_judge:
        topic = source.judging.id_of(typed)  # other words are another query
        typed = "" if topic else typed
    if topic:
        if source.collection is None:
            raise ArgumentError(f"{source.typed} has no queries of its own, so there is no topic '{topic}'")
        source.collection.query(topic)  # raises if there is none
    model, k = chosen_model(models, asked), asked.get("k", str(DEFAULT_K))
    if not re.fullmatch("[0-9]{1,6}", k) or not 1 <= int(k) <= MOST:
        raise ArgumentError(f"k must be a whole number from 1 to {MOST:,}, not '{k:.40}'")
    chosen = {name.removeprefix(FACET): value for name, value in asked.items() if name.startswith(FACET) and value}
    for field in chosen:
        expect_name("field to count by", field, source.facets, "fields")
    request = SearchRequest(typed, topic, model, "", int(k), chosen, asked.get("case", ""), unjudged)
    if request.case:
        request = request._replace(case=case_text(*request.case.split("-")))
    return request._replace(mode=mode_of(asked.get("query_mode") or usual_mode(request)))


def case_text(*words: str) -> str:
    """Write how the queries of a case are listed; unknown words are left out.

    >>> case_text("change", "lost"), case_text("all")
    ('lost-change', '1')
    """
    chosen = [next((name for name in names if name in words), "") for names in (FILTERS, ORDERS)]
    return "-".join(filter(None, chosen)) or "1"


def divided(
    read: Callable[[Mapping[str, str]], object], models: Models, asked: Asked
) -> tuple[dict[str, str], dict[str, str]]:
    """Divide the fields of a form into those that are read together and those that are refused."""
    accepted, refused, later = dict[str, str](), dict[str, str](), dict(asked)
    while later:
        name = next((name for name in later if not name.startswith(PARAMETER)), next(iter(later)))
        value = later.pop(name)
        try:
            read(accepted | {name: value})
            accepted[name] = value
        except ToysearchError:
            parts = _taken_apart(models, name, value)
            later |= parts
            refused |= {} if parts else {name: value}
    return accepted, refused


def _taken_apart(models: Models, field: str, text: str) -> dict[str, str]:
    """Return the fields of a form for a listed model with parameters, such as bm25:k1=-3; empty for other texts."""
    name, colon, rest = text.partition(":")
    if not colon or name not in models:
        return {}
    pairs = [part.partition("=")[::2] for part in rest.split(",")]
    owner = "" if field == "model" else f"{field}."
    of = "of" if field == "model" else f"of.{field}"
    return {field: name, of: name} | {f"{PARAMETER}{owner}{key.strip()}": value for key, value in pairs}


def usual_mode(request: SearchRequest) -> str:
    """Return how a query is read unless something else is asked: words of a topic plain, typed words leniently."""
    return "lenient" if request.typed else "plain"


def topic_line(source: ServedSource, topic: str) -> str:
    """Return the words of a topic in one line, as the box of the form shows them; "" for any other text."""
    query = source.queries.get(topic)
    return " ".join(query.text.split()) if query is not None else ""


def query_text(source: ServedSource, request: SearchRequest) -> str:
    """Return the words to search for: those typed, or those of the topic."""
    if request.typed or not request.topic or source.collection is None:
        return request.typed
    return str(source.collection.query(request.topic).text)


def searched(request: SearchRequest, text: str, typed: TypedQuery) -> Any:
    """Return the query as a searcher takes it: the topic itself, or what was typed."""
    return Query(request.topic, text) if _is_by_topic(request) else typed.searched


def tried(source: ServedSource, request: SearchRequest) -> Data:
    """List what this visitor has tried, each with its time and address, and say by what its mean is measured."""
    rows, unsearched = list[Data](), {*source.runs, *source.systems}
    for model, when in source.tries.items():
        address = "" if model in unsearched else request.address(source, model=model)
        rows.append({"model": model, "time": when, "address": address})
    sees_means = source.judged_queries and not rater.get()  # whoever grades sees none that follow from other grades
    measure = str(source.case_measure) if sees_means else ""
    return {"rows": rows, "measure": measure, "address": request.address(source, model="")}


def spec_of(model: AnySystem) -> str | None:
    """Return the text that names a model on the command line; None for a run or a mixture with a model from a file."""
    if isinstance(model, ForeignRun):
        return None
    if isinstance(model, System):
        return str(model)
    foreign = [part for part in model.models if not is_shipped(part.function)]
    if not foreign:
        return str(model)
    if model.single is None:
        return None
    _, colon, parameters = str(model).partition(":")
    return f"{model.function.__code__.co_filename}:{model.function.__name__}{colon}{parameters}"


def search_command(source: ServedSource, request: SearchRequest, *more: str) -> str | None:
    """Return the command of a ranking; None if no command can name the model, or leave out what is judged."""
    model = spec_of(request.model)
    if model is None or request.unjudged:
        return None
    words = ["--query-id", request.topic] if _is_by_topic(request) else [request.typed]
    words += ["--model", model] if model != "bm25" else []
    words += ["--query-mode", request.mode] if request.mode != usual_mode(request) else []
    words += ["--where", request.where] if request.where else []
    words += ["-k", str(request.k)] if request.k != DEFAULT_K else []
    words += more
    if not _is_by_topic(request) and request.typed.startswith("-"):
        words = [*words[1:], "--", request.typed]
    return typed_line("toysearch", "search", source.typed, *_options(source, request), *words)


def search_python(source: ServedSource, request: SearchRequest, typed: TypedQuery) -> str:
    """Return the Python of a ranking, by the name ``ranking``."""
    where = f", where={request.where!r}" if request.where else ""
    search = f"ranking = searcher.search(text, k={request.k}{_mode(request)}{where})"
    return "\n".join([*_beginning(source, request, typed), search])


def explanation_command(source: ServedSource, request: SearchRequest, doc_id: str) -> str | None:
    """Return the command of an explanation."""
    model = spec_of(request.model)
    if model is None:
        return None
    query = ["--query-id", request.topic] if _is_by_topic(request) else [f"--query={request.typed}"]
    query += ["--query-mode", request.mode] if request.mode != usual_mode(request) else []
    words = [*query, f"--doc={doc_id}", *(["--model", model] if model != "bm25" else [])]
    return typed_line("toysearch", "explain", source.typed, *_options(source, request), *words)


def explanation_python(source: ServedSource, request: SearchRequest, typed: TypedQuery, doc_id: str) -> str:
    """Return the Python of an explanation, by the name ``why``."""
    explained = f"why = toysearch.explain(searcher, text, {doc_id!r}{_mode(request)})"
    return "\n".join([*_beginning(source, request, typed), explained])


def similar_command(source: ServedSource, doc_id: str) -> str:
    """Return the command of the neighbours of a document."""
    return typed_line("toysearch", "similar", source.typed, *source.options_of_documents, f"--doc={doc_id}")


def similar_python(source: ServedSource, doc_id: str, model: str, k: int) -> str:
    """Return the Python of the neighbours of a document, by the name ``ranking``."""
    searcher = f"searcher = toysearch.Searcher({_searched(source, [], toysearch.MODELS[model])}, {model!r})"
    return "\n".join(["import toysearch", "", searcher, f"ranking = toysearch.similar(searcher, {doc_id!r}, k={k})"])


def comparison_command(
    source: ServedSource, models: Sequence[AnySystem], measures: Sequence[str], margin: str = "", tried: int = 0
) -> str | None:
    """Return the command of a comparison; None if two systems are the same, which it refuses, or one is a run."""
    specs = [spec_of(model) for model in models]
    if None in specs or len({*specs}) < len(specs):
        return None
    words = [word for spec in specs if spec is not None for word in ("--model", spec)]
    words += ["--measures", " ".join(measures)]
    words += ["--margin", margin] if margin else []
    words += ["--tried", str(tried)] if tried else []
    return typed_line("toysearch", "compare", source.typed, *source.options, *words)


def comparison_python(
    source: ServedSource, models: Sequence[AnySystem], measures: Sequence[str], margin: str = "", tried: int = 0
) -> str | None:
    """Return the Python of a comparison, by the name ``comparison``; None if two systems are the same."""
    runs = [model for model in models if isinstance(model, ForeignRun)]
    models_here = [model for model in models if not isinstance(model, ForeignRun | System)]
    names = [str(model) if model in runs else spec_of(model) for model in models]
    if None in names or len({*names}) < len(names):
        return None
    systems = repr(names)
    if runs:
        reading = {run.name: f"toysearch.read_run({run.file!r})" for run in runs}
        systems = f"{{{', '.join(f'{name!r}: {reading.get(str(name), repr(name))}' for name in names)}}}"
    options = dict(zip(source.options[::2], source.options[1::2], strict=True))
    searched = _searched(source, [], *models_here)
    collection = _collection(source) if source.reading or searched != repr(source.typed) else searched
    judged = repr(options["--qrels"]) if "--qrels" in options else collection
    more = f", index={searched}" if judged != searched else ""
    more += f", queries={options['--queries']!r}" if "--queries" in options else ""
    more += f", margin={margin}" if margin else ""
    more += f", tried={tried}" if tried else ""
    return f"import toysearch\n\ncomparison = toysearch.compare({systems}, {judged}, {list(measures)!r}{more})"


def _is_by_topic(request: SearchRequest) -> bool:
    return bool(request.topic) and not request.typed


def _options(source: ServedSource, request: SearchRequest) -> list[str]:
    """Return the options for reading what the request needs: a typed query needs no other queries, and no judgments."""
    return [*source.options] if _is_by_topic(request) else source.options_of_documents


def _mode(request: SearchRequest) -> str:
    return "" if request.mode == usual_mode(request) else f", query_mode={request.mode!r}"


def _beginning(source: ServedSource, request: SearchRequest, typed: TypedQuery) -> list[str]:
    model = spec_of(request.model) or str(request.model)
    trees = [tree for tree in (typed.tree, request.where and filter_tree(request.where)) if tree]
    searched = _searched(source, trees, request.model)
    text = f"text = {query_text(source, request)!r}"
    if _is_by_topic(request):
        text = f"text = toysearch.Query({request.topic!r}, {query_text(source, request)!r})"
        if not source.is_index and not {"--queries", "--qrels"} & {*source.options}:
            text = f"text = {_collection(source)}.query({request.topic!r})"
    return ["import toysearch", "", f"searcher = toysearch.Searcher({searched}, {model!r})", text]


def _collection(source: ServedSource) -> str:
    name = source.index.collection if source.is_index else source.typed
    return f"toysearch.load({', '.join([repr(name), *(f'{key}={value!r}' for key, value in source.reading.items())])})"


def _searched(source: ServedSource, trees: Sequence[Any], *models: AnyModel) -> str:
    """Return the searched source in Python: its name if that is enough, else an index with what the query needs."""
    collection, index = source.collection, source.index
    if source.is_index or collection is None:
        return repr(source.typed)
    usual = str(toysearch.Analyzer.for_language(**collection.analysis))
    names = set[str]().union(*(named_fields(with_spelt_fields(tree, index)) for tree in trees))
    words, values = names & {*index.fields.names}, names & {*index.values}
    more = [f"toysearch.Analyzer.parse({str(index.analyzer)!r})"] if str(index.analyzer) != usual else []
    if not (more or words or values or source.reading):
        return repr(source.typed)
    needs = index_needs(*models)
    more += [f"fields={[*index.fields.names]!r}"] if words or needs.apart else []
    if kept := values.union(needs.values):
        more.append(f"values={sorted(kept)!r}")
    return f"toysearch.Index.build({', '.join([_collection(source), *more])})"
