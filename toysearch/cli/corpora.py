"""`toysearch corpora` and `convert`: collections, their files and their layouts."""

from __future__ import annotations

import contextlib
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click

import toysearch
from toysearch import index
from toysearch.base import (
    ArgumentError,
    Column,
    CountedWords,
    Part,
    ResultTable,
    Sentences,
    byte_size,
    cache_folder,
    counted,
    number_columns,
    table_columns,
    without_notes,
)
from toysearch.base.result import Page
from toysearch.cli.commands import Span, SuggestingGroup, command, examples, kept_value
from toysearch.cli.options import (
    SourceOptions,
    described_options,
    description,
    option,
    output_options,
    reading_options,
    refuse_if,
    shared,
)
from toysearch.cli.output import emit, paragraph, progress, remark, show
from toysearch.cli.sources import load_source
from toysearch.collection import catalog
from toysearch.collection.recipe import Recipe, read_recipe
from toysearch.files import is_dataset

DownloadProgress = Callable[[str, int, int | None], None]

_JUDGMENTS_SHOWN = 10
_WORDS_SHOWN = 30  # of a document of word counts
_LABELS = {"stop": "stop words", "threshold": "relevant from gain", "folder": "found in"}
_PARTS = ("path", "bytes", "records", "sha256")
_COUNTS = ("documents", "queries", "judgments", "judged_queries")


@click.group(
    cls=SuggestingGroup,
    invoke_without_command=True,
    epilog=examples("toysearch corpora", "toysearch corpora --json", "toysearch corpora show companions"),
)
@output_options
@click.pass_context
def corpora_command(ctx: click.Context, form: str) -> None:
    """List the named collections, show one, fetch its files.

    Without a command, the collections are listed with their sizes and folders. The environment variable
    TOYSEARCH_CORPORA names folders with more collections, or with the files of collections that are only described
    here. Fetched ones are in the cache, whose path stands below the table; to remove one, delete its folder. CSV, TSV
    and JSON have the number and the size of its files.
    """
    if ctx.invoked_subcommand is not None:
        refuse_if(form != "table", f"give the form of the output after {ctx.invoked_subcommand}")
        return
    columns = table_columns("name", number_columns(",", *_COUNTS[:3]), Column("folder", "where", wrap=True))
    rows: list[list[Any]] = []
    for name in catalog.collections():
        recipe = catalog.recipe(name)
        folder = catalog.locate(recipe)
        content = "texts" if folder else "word counts" if catalog.counts_of(recipe) else None
        absent = f"{content or 'not here'}; `toysearch corpora get {name}` fetches {'the texts' if content else 'it'}"
        place = str(folder) if folder else absent if form == "table" else None
        fetched = _sizes(cache_folder() / name)
        in_cache = [len(fetched) or None, sum(fetched) or None]
        rows.append([name, *map(recipe.expected.get, _COUNTS[:3]), place, content, *in_cache])
    if form != "table":
        columns += [Column(name) for name in ("held", "files", "bytes")]
    emit(columns, [row[: len(columns)] for row in rows], form)
    sizes = [size for *_, size in rows if size is not None]
    if sizes and form == "table":
        remark(f"{counted(len(sizes), 'fetched collection')}, {byte_size(sum(sizes))}, in {cache_folder()}")


@corpora_command.command(
    "show", epilog=examples("toysearch corpora show cat-dog-parrot", "toysearch corpora show cranfield --json")
)
@click.argument("source", metavar="NAME")
@described_options
@output_options
def show_command(source: str, options: SourceOptions, form: str) -> None:
    """Show a collection: origin, grades, a query, a document.

    NAME is a name from `toysearch corpora`, or a folder or a file of your own. The options decide how the query,
    its judgments and the document are read.
    """
    recipe = catalog.recipe(source) if catalog.is_name(source) and not is_dataset(source) else None
    complete = recipe is None or catalog.locate(recipe) is not None
    counts = None if complete or recipe is None else catalog.counts_of(recipe)
    with without_notes() if counts else contextlib.nullcontext():  # what is missing is described below
        collection = load_source(source, options) if complete or counts else None
        sample = _sample(collection) if collection and form in ("table", "json") else None
    facts = _facts(recipe) if recipe else _facts_of(collection)
    if recipe and collection:
        facts["searched_fields"] = ", ".join(collection.searched_fields)
    parts, data = _facts_parts(facts), dict(facts)
    if recipe:
        grades = _grades(recipe)
        parts += _recipe_parts(recipe, grades, complete, counts is not None)
        files = [{part: getattr(file, part) for part in _PARTS} for file in recipe.files]
        data |= {"grades": grades, "files": files, "sources": recipe.sources, "quirks": recipe.quirks}
    data["sample"] = sample
    if sample:
        parts += _sample_parts(**sample)
    show(Page(parts, ResultTable(table_columns("property", "value"), list(facts.items())), data), form)


def _facts(recipe: Recipe) -> dict[str, Any]:
    """Describe a named collection; unknown facts are None."""
    folder = catalog.locate(recipe)
    splits = ", ".join(recipe.splits) if len(recipe.splits) > 1 else None
    return {
        "name": recipe.name,
        "title": recipe.title,
        "description": recipe.description.strip(),
        **{name: recipe.expected.get(name) for name in _COUNTS},
        "splits": splits,
        "format": recipe.format,
        "searched_fields": ", ".join(recipe.text_fields),
        "language": recipe.language,
        "tokens": recipe.tokens,
        "stop": recipe.stop or None,
        "threshold": recipe.threshold,
        "origin": recipe.origin.strip(),
        "licence": recipe.licence,
        "folder": str(folder) if folder else None,
    }


def _facts_of(collection: Any) -> dict[str, Any]:
    counts = [len(part) for part in (collection.documents, collection.queries, collection.qrels)]
    judged = len(collection.qrels.query_ids)
    return {
        "name": collection.name,
        "title": collection.title,
        "description": collection.description,
        **dict(zip(_COUNTS, [*counts, judged], strict=True)),
        "language": collection.language,
        "tokens": collection.tokens,
        "stop": collection.stop or None,
        "threshold": collection.threshold,
    }


def _grades(recipe: Recipe) -> list[dict[str, Any]]:
    """List the grade mappings, each followed by the changes that its options make."""
    rows = []
    for name, mapping in recipe.grades.items():
        described = {"gains": _by_code(mapping.gains), "description": mapping.description}
        rows.append({"grades": name, "default": name == recipe.default_grades.partition(":")[0], **described})
        for chosen, choice in mapping.options.items():
            for value, gains in choice.values.items():
                # The description belongs to the option and is shown once, beside the first value.
                text = choice.description if value == next(iter(choice.values)) else ""
                described = {"gains": _by_code(gains), "description": text}
                rows.append({"grades": f"{name}:{chosen}={value}", "default": value == choice.default, **described})
    return rows


def _by_code(gains: Mapping[float, float | None]) -> dict[str, float | None]:
    return {f"{code:g}": gain for code, gain in gains.items()}


def _sample(collection: toysearch.Collection) -> dict[str, Any]:
    """Choose a query, its judgments, best first, and a document: the best judged one, if there is one."""
    query = next(iter(collection.judged_queries or collection.queries), None)
    grades = collection.qrels[query.query_id] if query else {}
    judgments = sorted(grades.items(), key=lambda judgment: -judgment[1])
    best = collection.documents.get(judgments[0][0]) if judgments else None
    document = best or collection.documents[0]
    _, text, _, _ = document
    contents: dict[str, Any] = {"text": text}
    if isinstance(text, CountedWords):
        contents = {"words": dict(Counter(text.split()).most_common())}
    return {
        "query": query,
        "judgments": dict(judgments),
        "document": {"doc_id": document.doc_id, "title": document.title, **contents},
    }


def _facts_parts(facts: dict[str, Any]) -> list[Part]:
    name, title, description = (facts[part] for part in ("name", "title", "description"))
    if facts["tokens"] == "word2":
        facts = {**facts, "tokens": None}
    if facts["language"] != "none":
        facts = {**facts, "language": f"{facts['language']} (another: --analyzer)"}
    rows = [
        (_LABELS.get(part, part.replace("_", " ")), f"{value:,}" if isinstance(value, int) else value)
        for part, value in list(facts.items())[3:]
        if value not in (None, "")
    ]
    table = ResultTable([Column("property", " "), Column("value", " ", format="g", wrap=True)], rows)
    return [name if title in ("", name) else f"{name}: {title}", paragraph(description), table]


def _recipe_parts(recipe: Recipe, grades: list[dict[str, Any]], complete: bool, counts: bool) -> list[Part]:
    """List the sources of the files, what to do if they are missing, the grade mappings, and the quirks."""
    parts: list[Part] = []
    if not complete:
        fetching = f"`toysearch corpora get {recipe.name}` fetches them. " if recipe.sources else ""
        missing = (
            "Its texts are not here. Its word counts are, with which every figure is the same; titles, passages, "
            "phrases and other tokenizers need the texts."
            if counts
            else "Its files are not here."
        )
        todo = (
            f"{missing} {fetching}If you have them, put them into a folder called {recipe.name}, "
            f"and name the folder above that one in the environment variable {catalog.VARIABLE}."
        )
        parts.append(paragraph(todo))
    if recipe.sources:
        sources = "\n".join(f"- {source}" for source in recipe.sources)
        parts.append(f"Sources of the files, tried in turn\n\n{sources}")
    rows = []
    for row in grades:
        name, _, option = row["grades"].partition(":")
        label = f"  {option}" if option else name
        gains = [f"{code}→{'removed' if gain is None else f'{gain:g}'}" for code, gain in row["gains"].items()]
        rows.append((label + " (default)" * row["default"], " ".join(gains), row["description"]))
    if rows:
        columns = table_columns("grades", Column("gains", "code → gain"), Column("description", " ", wrap=True))
        title = "How the codes of the judgments become gains: --grades NAME or NAME:OPTION=VALUE\n"
        parts.append(ResultTable(columns, rows, title))
    return [*parts, *([Sentences(recipe.quirks, heading="What to know\n")] if recipe.quirks else [])]


def _sample_parts(query: Any, judgments: dict[str, float], document: dict[str, Any]) -> list[Part]:
    parts = []
    if query:
        listed = ", ".join(f"{doc_id} ({grade:g})" for doc_id, grade in list(judgments.items())[:_JUDGMENTS_SHOWN])
        n_more = len(judgments) - _JUDGMENTS_SHOWN
        more = f", and {n_more} more" if n_more > 0 else ""
        order = " (words in order of the alphabet)" if "words" in document else ""
        parts.append(paragraph(f"Query {query.query_id}{order}: {query.text}"))
        parts.append(paragraph(f"Judged: {counted(len(judgments), 'document')} (gain): {listed}{more}"))
    words = [f"{word} ×{count}" if count > 1 else word for word, count in document.get("words", {}).items()]
    if len(words) > _WORDS_SHOWN:
        words[_WORDS_SHOWN:] = [f"and {len(words) - _WORDS_SHOWN} more words"]
    title, text = document["title"], document.get("text", ", ".join(words)) or "(empty)"
    excerpt = text if not title or text.startswith(title) else f"{title}: {text}"  # where titles are searched too
    return [*parts, paragraph(f"Document {document['doc_id']}: {excerpt}")]


@corpora_command.command(
    "get",
    epilog=examples(
        "toysearch corpora get cat-dog-parrot",
        "toysearch corpora get cranfield",
        "toysearch corpora get cranfield --from http://127.0.0.1:8000/cranfield.tar.gz",
    ),
)
@click.argument("name")
@option(
    "--from",
    "source",
    metavar="PLACE",
    help="Address or path of an archive or a folder.  [default: the sources that `toysearch corpora show` lists]",
)
@shared("output", metavar="DIR", help="Folder of collections to use instead of the cache.")
@option("--force", is_flag=True, help="Fetch the files again; the old ones stay until the new are checked.")
@option(
    "--seconds",
    "timeout",
    default=30.0,
    type=Span(min=0, min_open=True),
    metavar="SECONDS",
    help="Seconds to wait for a silent server.",
)
def get_command(name: str, source: str | None, output: str | None, force: bool, timeout: float) -> None:
    """Fetch the files of a named collection, and check them.

    This needs a connection, unless the files are here or --from names a path. The sources in its description are tried
    in turn. Each file is compared with its checksum before it is put in
    place. The folder of the files is printed.
    """
    from toysearch.collection.download import fetch

    with _progress(name) as tell:
        folder, paths = fetch(name, output, address=source, force=force, timeout=timeout, progress=tell)
    click.echo(folder)
    if not paths:
        remark(f"{name} already exists, nothing was fetched (--force fetches it again)")
        return
    remark(f"{name}: {counted(len(paths), 'file')} fetched")
    if output is not None and folder != catalog.locate(catalog.recipe(name)):
        remark(f"To use them, name {Path(output).resolve()} in the environment variable {catalog.VARIABLE}.")


def offer(name: str) -> bool:
    """Fetch the missing files of a collection with --get, or after a yes at the terminal; return True if it did."""
    from toysearch.collection.download import fetch

    if not kept_value("get"):
        if not at_terminal():
            return False
        recipe = catalog.recipe(name)
        bytes_ = [file.bytes for file in recipe.files]
        large = f" ({byte_size(sum(bytes_))})" if all(bytes_) else ""  # type: ignore[arg-type]
        hosts = " or ".join(dict.fromkeys(urlsplit(source).hostname or source for source in recipe.sources))
        question = f"The files of {recipe.title or recipe.name}{large} are not here. Fetch them from {hosts}?"
        try:
            if not click.confirm(paragraph(question, stream=sys.stderr), default=True, err=True):
                return False
        except click.Abort:  # raised by click for Ctrl-C and for the end of the input
            raise KeyboardInterrupt from None
    with _progress(name) as tell:
        fetch(name, progress=tell)
    return True


def at_terminal() -> bool:
    """Return True if the terminal is interactive."""
    return sys.stdin.isatty() and sys.stderr.isatty()


@contextlib.contextmanager
def _progress(name: str) -> Iterator[DownloadProgress | None]:
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    tasks = {}
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:

        def tell(address: str, done: int, total: int | None) -> None:
            if address not in tasks:
                tasks[address] = bar.add_task(f"{name}: {address.rstrip('/').rsplit('/', 1)[-1]}", total=total)
            bar.update(tasks[address], completed=done, total=total)

        yield tell


@command(
    "toysearch convert cat-dog-parrot --to trec -o pets",
    "toysearch convert companions --to beir -o companions-beir",
    "toysearch convert companions --fields text --to jsonl -o companions-jsonl",
    text=description(
        toysearch.convert, "SOURCE is the name of a collection (`toysearch corpora`), a folder or a file."
    ),
)
@click.argument("source")
@option("--to", required=True, metavar="LAYOUT", help="Layout to write: beir, trec or jsonl.")
@shared(
    "output",
    "folder",
    required=True,
    metavar="DIR",
    help="Folder to write; replaces an earlier one of this kind.",
)
@reading_options
def convert_command(source: str, to: str, folder: str, options: SourceOptions) -> None:
    """Read the collection and write it in the layout."""
    if index.is_index_folder(source):
        raise ArgumentError(
            f"'{source}' is an index, which holds no queries; name the collection that it was built from"
        )
    collection = load_source(source, options)
    with progress("writing", "documents") as tell:
        path = toysearch.convert(collection, to=to, folder=folder, split=options.reading.split, progress=tell)
    files = sorted(file for file in path.rglob("*") if file.is_file())
    names = ", ".join(file.relative_to(path).as_posix() for file in files)
    written = read_recipe(path / "collection.toml").file("documents")
    n_documents = counted(written.records or 0 if written else 0, "document")
    n_queries = counted(len(collection.queries), "query", "queries")
    remark(f"{folder}: {n_documents}, {n_queries}, {byte_size(sum(_sizes(path)))}: {names}")


def _sizes(folder: Path) -> list[int]:
    """Sizes of all files below a folder; empty if the folder does not exist."""
    return [path.stat().st_size for path in folder.rglob("*") if path.is_file()]
