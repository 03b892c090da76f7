"""The words of a command line become the study of a collection or an index, whose models rank now."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, cast

import click

import toysearch
import toysearch.study
from toysearch import files, index, retrieval
from toysearch.base import (
    ToysearchError,
    byte_size,
    note,
    typed_line,
    without_notes,
)
from toysearch.cli.commands import kept_value
from toysearch.cli.options import (
    SourceOptions,
    Target,
    analysis_of,
)

if TYPE_CHECKING:
    from toysearch.collection.collection import Collection
    from toysearch.evaluation import Measure
    from toysearch.files import QrelsLike
    from toysearch.query.syntax import Node
    from toysearch.study.study import Study
    from toysearch.study.system import ModelOrSystem


_NO_OPTIONS = SourceOptions()
ONLY_READ = "toysearch.only_read"
"""The key under which a context says that a command ends once its files are read."""
_MANY = 100_000  # documents
_LARGE = 4_000_000  # bytes of documents, whose analysis takes the greater part of a search


class FilesAreRead(Exception):
    """End of a command that only reads its files."""


def study_of(
    source: Target,
    options: SourceOptions,
    models: Iterable[ModelOrSystem] = (),
    *,
    topics: bool = True,
    named_fields: Iterable[str] | None = (),
    beside: bool = False,
    indexes: Sequence[Target] = (),
    rows: files.JudgedRows | None = None,
) -> Study:
    """Return the study of a SOURCE, read and analysed according to the options; its documents are not read yet.

    models : that the index must serve
    topics : whether queries and judgments are read
    named_fields : the fields that queries name; None if they may name any
    beside : whether run files are given too
    indexes : folders of indexes of the same documents, each of which makes systems of the models
    rows : what is in a file that is its own judgments, if it is read already
    """
    study = _read_study(source, options, topics, beside, rows, named_fields=named_fields)
    if models:
        study = study.with_models(systems_of(models, options, indexes))
    reading = study.searched().reading if not topics and study.opened() is None else None
    if reading and reading.size >= _LARGE:
        from pathlib import Path  # few sources are that large

        name, typed = typed_line(f"{Path(source).name.split('.')[0]}.idx"), typed_line(str(source))
        note(
            f"{byte_size(reading.size)} of documents are indexed for this command; to do it once: "
            f"toysearch index {typed} -o {name}, then give {name} instead of {typed}"
        )
    return keep_study(study)


def keep_study(study: Study) -> Study:
    """Keep the study of a command, whose JSON says what its numbers depend on."""
    if (context := click.get_current_context(silent=True)) is not None:
        context.meta["toysearch.study"] = study
        if context.meta.get(ONLY_READ):
            study.ready()
            raise FilesAreRead
    return study


def systems_of(
    models: Iterable[ModelOrSystem], options: SourceOptions, indexes: Sequence[Target] = ()
) -> Sequence[ModelOrSystem]:
    """Return the systems of a command line: every model with every analysis, list of fields and index."""
    stop = {} if options.stop is None else {"stop": options.stop}
    of_languages = [{"language": language, **stop} for language in options.several.get("language", ())]
    analyzers = options.several.get("analyzer", of_languages)
    fields = options.several.get("fields", ())
    if not (analyzers or fields or indexes):
        return [*models]
    return toysearch.study.crossed([*models], analyzers or [None], fields or [None], indexes or [None])


def _read_study(
    source: Target,
    options: SourceOptions,
    topics: bool,
    beside: bool = False,
    rows: files.JudgedRows | None = None,
    **parts: Any,
) -> Study:
    """Read the study of a SOURCE, and refuse options without an effect on its kind."""
    is_saved = index.is_index_folder(source)
    qrels = None if options.qrels is None else judgments_given(options.qrels, options, source)
    analysis = None if is_saved else analysis_of(options)
    is_asked = topics and options.known_items is None  # these are made, not read
    queries, documents, reading = cast("Any", options.queries), cast("Any", source), options.of_source
    rows = rows or own_rows(source, options)
    if rows is not None and isinstance(qrels, toysearch.Qrels):
        from toysearch.collection.collection import collection_in_memory  # most files hold one role

        columns = {"id": rows.id_column, **files.parsed_columns(options.reading.columns or {})}
        documents = collection_in_memory(rows.documents, files.Reading(columns=columns, fields=options.reading.fields))
        documents.name, reading = str(source), files.Reading()
        qrels.texts = qrels.texts or rows.texts
    is_named = options.reading.query_columns is not None or options.reading.query_fields is not None
    in_one = queries is not None and str(queries) == str(options.qrels)
    if in_one and isinstance(qrels, toysearch.Qrels) and not is_named:
        from toysearch.collection.collection import Queries
        from toysearch.collection.queries import named_by_text  # most files hold one of both

        queries = named_by_text(Queries([]), qrels).queries or queries
    given = toysearch.study.StudySource(documents, queries, qrels, reading, options.of_queries, is_asked, analysis)
    scoring = toysearch.study.Scoring(query_mode=options.query_mode)
    study = replace(toysearch.study.Study.of(given), scoring=scoring, **parts)
    if options != _NO_OPTIONS or kept_value("get"):  # else all have an effect
        from toysearch.cli.source_kinds import kinds_of, refuse_idle

        opened = study.opened() if is_saved else None
        same = opened is not None and options.analyzer == opened.analyzer  # which says what is true
        kinds = kinds_of(source, opened, options, topics)._replace(runs="runs" if beside else "none")
        refuse_idle(kinds, options._replace(analyzer=None) if same else options, source)
    if options.known_items is None:
        return study
    how = toysearch.study.ItemSettings.parse(options.known_items)
    return study.with_known_items(toysearch.study.known_items(study, **how._asdict()))


def own_rows(source: Target, options: SourceOptions) -> files.JudgedRows | None:
    """Return what is in the rows of a file that is its own judgments; None for another."""
    is_own = str(source) == str(options.qrels) != "-" and files.is_file(source)
    return files.judged_rows(options.source(source), options.reading.qrels_columns) if is_own else None


def fields_named(tree: Node | None) -> set[str]:
    """Return the fields that a query names."""
    return set() if tree is None else retrieval.named_fields(tree)


def load_source(source: Target, options: SourceOptions, topics: bool = True) -> Collection:
    """Return the collection of a name, a folder or a file, read and judged according to the options."""
    return _read_study(source, options, topics).searched()


def judgments_given(word: Target, options: SourceOptions, of: Target | None = None) -> QrelsLike:
    """Return the judgments in a file, perhaps of a collection or an index, or a collection for its judgments."""
    if not files.reads_as_judgments(word):
        return loaded(word, options, files.settings_for("qrels", "other"))
    source, on_error = options.source(word), options.reading.on_error or "refuse"
    given = [str(of), str(options.queries), "-"]
    # Standard input is read once, and one file tells nothing of itself, unless it has several sheets.
    if of is not None and (len({*given}) == len(given) or len(source.sheets) > 1):
        source.beside = [files.Source(str(of), ids=lambda: _ids_of(of, options))]
    return toysearch.read_qrels(source, options.reading.qrels_columns, on_error, options.reading.grades)


def _ids_of(source: Target, options: SourceOptions) -> tuple[Iterable[str], Iterable[str]]:
    """Return the ids and texts of all queries of a source, and the names of its documents if they are not too many."""
    from toysearch.collection.judged_queries import names_of
    from toysearch.collection.queries import queries_given  # most judgments name their columns

    accounts, is_asked = list[files.Account](), options.queries is not None
    own = replace(options.of_source, report=files.ReadingReport(read=accounts.append), rejected=None)
    with without_notes(), suppress(ToysearchError):  # its readers tell
        study = toysearch.study.Study.of(toysearch.study.StudySource(source, reading=own, topics=not is_asked))
        of_queries, opened = replace(options.of_queries, report=own.report), study.opened()
        names: Iterable[str] = ()
        with suppress(ToysearchError):
            queries = queries_given(options.queries, of_queries) if is_asked else study.searched().queries  # type: ignore[arg-type]
            names = chain(queries.query_ids, queries.texts)  # judgments may have either
        if opened is not None:
            return names, opened.doc_ids
        documents = ((document.doc_id, document.fields) for document in study.searched().stream())
        of_some = names_of(islice(documents, _MANY), accounts)
        return names, () if any(documents) else of_some
    return (), ()


def loaded(name: Target, options: SourceOptions, settings: Iterable[str]) -> Collection:
    """Return the collection of a name or a folder, read with some of the settings."""
    from toysearch.collection.catalog import collection_of  # a search of an index reads none

    return collection_of(str(name), options.some_of(settings))


def named_measures(names: str) -> list[Measure]:
    """Return the measures of an option; N, which some need, may be missing until the collection is known."""
    from toysearch.evaluation.measures.measure import parse_measures  # a search needs no measure

    return parse_measures(names, ["N"])
