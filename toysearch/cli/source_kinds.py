"""The kinds of source, and one table: with which of them each option has an effect. All others are refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import click

from toysearch import files
from toysearch.base import ArgumentError
from toysearch.cli.commands import flag, given_options
from toysearch.cli.options import ANALYSIS, SourceOptions
from toysearch.files import READ_KINDS, SETTINGS, TOPIC_KINDS

if TYPE_CHECKING:
    from toysearch.files import Source
    from toysearch.index.inverted_index import Index


class SourceKinds(NamedTuple):
    """Kinds of source from which documents, queries and judgments come."""

    documents: str
    queries: str
    qrels: str
    runs: str = "none"


_RANKED: Mapping[str, tuple[str, ...]] = {"documents": (*READ_KINDS, "index", "text")}
_BESIDE_RUNS: Mapping[str, tuple[str, ...]] = {**_RANKED, "qrels": READ_KINDS}
_ANALYSED: Mapping[str, tuple[str, ...]] = {"documents": (*READ_KINDS, "text")}
_ROLES = (*SourceKinds._fields[:3], "")  # settings of several roles come last

_SETTINGS_BY_ROLE = sorted(SETTINGS.items(), key=lambda item: _ROLES.index(item[1].role))

EFFECTS: dict[str, Mapping[str, tuple[str, ...]]] = {
    **dict.fromkeys(("models", "formulas"), _BESIDE_RUNS),
    **dict.fromkeys(("model", "settings", "k", "threads"), _RANKED),
    **dict.fromkeys(ANALYSIS, _ANALYSED),
    **{name: setting.effects for name, setting in _SETTINGS_BY_ROLE},
    "get": {"documents": ("collection",), "queries": ("collection", "other"), "qrels": ("collection", "other")},
    "queries": {"queries": (*TOPIC_KINDS, "ids")},
    "qrels": {"qrels": (*TOPIC_KINDS, "checked")},
    "query_mode": _RANKED,
    "known_items": {"queries": (*READ_KINDS, "bare index", "made")},
    "run_columns": {"runs": ("runs", "checked")},
}
"""Option → part of the source → the kinds of source with which it has an effect. In one of the parts is enough."""

_ONLY_SCORED = "{options}: only with one COLLECTION; run files are scored as they are"
_REASONS = {
    "runs": _ONLY_SCORED,
    "ids": _ONLY_SCORED,
    "index": "'{source}' is an index, which stores its own analysis: {options} cannot be chosen here; leave it out, or "
    "name the collection instead of the index",
    "bare index": "the index '{source}' was not built from a named collection and has no judgments: {options} cannot "
    "be chosen here; leave it out, or name a collection instead of the index",
    "text": "{options}: only with a SOURCE, whose files are read; leave it out, or name a SOURCE",
    "files": "{options}: only with a collection of `toysearch corpora`; the files of '{source}' are read as they are",
    "file": "{options}: only with the judgments of a collection; those of a file count as they are",
    "unread": "{options}: only with {reader}; otherwise the queries and judgments of a collection are not read",
    "made": "{options}: only with queries and judgments that are read, and --known-items makes them; leave one out",
    "checked": "{options}: only with a collection; runs and judgments are checked as they are",
    "none": "{options}: only with run files; leave it out",
    "notebook": "{options}: only with a collection; a notebook reads its own files",
}
"""A kind of source → why an option has no effect with it, and what to do."""

_READERS = {"query_id": "--query-id", "ask": "--ask own"}
"""A parameter → the options of its command with which queries and judgments are read."""

NO_SOURCE = SourceKinds("text", "text", "text")
CHECKED = SourceKinds("checked", "checked", "checked", "checked")
NOTEBOOK = SourceKinds("notebook", "notebook", "notebook")
INDEX_ALONE = SourceKinds("index", "index", "index")


def kinds_of(source: str | Source, index: Index | None, options: SourceOptions, topics: bool) -> SourceKinds:
    """Return the kinds of a SOURCE, which may be a saved index; topics: whether queries and judgments are read."""
    documents = "index" if index is not None else _kind(source)
    default = documents if index is None else "collection" if index.collection else "bare index"
    if not topics:
        return SourceKinds(documents, "unread", "unread")
    if options.known_items is not None:
        return SourceKinds(documents, "made", "made")
    queries = default if options.lists_queries else _replacement(options.queries) or default
    judged = options.qrels is not None and files.reads_as_judgments(options.qrels)
    return SourceKinds(documents, queries, "file" if judged else _replacement(options.qrels) or default)


def kinds_of_runs(judgments: str | Source, options: SourceOptions) -> SourceKinds:
    """Return the kinds of run files and of their judgments, those of a file or of a collection."""
    alone = files.reads_as_judgments(judgments)
    queries = "runs" if options.queries is None else "ids"
    if "|" in (options.reading.query_fields or "") and (options.queries is not None or not alone):
        queries = "file"  # its queries are the texts of needs
    return SourceKinds("runs", queries, "file" if alone else _kind(judgments), "runs")


def _kind(source: str | Source) -> str:
    from toysearch.collection.catalog import is_name
    from toysearch.files import is_dataset

    name = str(source)
    is_listed = is_dataset(name) or (isinstance(source, str) and is_name(name))
    return "collection" if is_listed else "files"


def _replacement(source: str | Source | None) -> str:
    return "" if source is None else "file" if files.is_file(source) else "other"


def has_effect(option: str, kinds: SourceKinds) -> bool:
    """Return True if an option has an effect with a source; those that concern no source always have one."""
    return option not in EFFECTS or any(getattr(kinds, part) in among for part, among in EFFECTS[option].items())


def refuse_idle(kinds: SourceKinds, options: SourceOptions, source: str | Source = "") -> None:
    """Refuse the options that the user gave and that have no effect with a source, in one sentence."""
    context = click.get_current_context(silent=True)
    values = vars(options.reading) | options._asdict()
    spelt = {name: flag(name) for name, value in values.items() if value is not None}
    if context is not None:
        spelt |= {name: typed for name, typed in given_options(EFFECTS).items() if name not in values}
    idle = [(part, spelt[part]) for part in EFFECTS if part in spelt and not has_effect(part, kinds)]
    if not idle:
        return
    reason_of = {part: getattr(kinds, next(iter(EFFECTS[part]))) for part, _ in idle}
    reason = reason_of[idle[0][0]]
    names = [name for part, name in idle if reason_of[part] == reason]
    is_index = reason in ("index", "bare index")
    parameters = () if context is None else [parameter.name for parameter in context.command.params]
    reader = next((_READERS[name] for name in _READERS if name in parameters), "queries")
    listed = (" and " if is_index else ", ").join(names)
    sentence = _REASONS[reason].format(options=listed, source=source, reader=reader)
    raise (ArgumentError if is_index else click.UsageError)(sentence)
