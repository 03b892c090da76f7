"""`toysearch serve`: a page on this computer to search, explain and look around."""

from __future__ import annotations

import re
from itertools import islice
from typing import Any

import click

import toysearch
from toysearch.cli.commands import Command, examples
from toysearch.cli.options import SourceOptions, analyzer_for, judged_options, models_option, option
from toysearch.cli.output import remark
from toysearch.cli.sources import is_index, load_source, open_source
from toysearch.errors import ToysearchError
from toysearch.models.model import index_needs
from toysearch.optional_packages import require_page


@click.command(
    cls=Command,
    epilog=examples(
        "toysearch serve companions --open",
        "toysearch serve my-index cranfield --port 9000",
        "toysearch serve companions --model bm25 --model mine.py:rank",
    ),
)
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@models_option
@option("--port", type=click.IntRange(0, 65535), help="Port; 0 takes any.  [default: the first free one from 8765]")
@option("--host", default="127.0.0.1", help="Address to listen on; another one lets in only who has the token.")
@option("--token", metavar="TEXT", help="Token that every request must carry.  [default: random with another --host]")
@option("--open", "in_browser", is_flag=True, help="Open the page in the browser.")
@judged_options
def command(
    sources: tuple[str, ...],
    models: tuple[Any, ...],
    port: int | None,
    host: str,
    token: str | None,
    in_browser: bool,
    options: SourceOptions,
) -> None:
    """Open a local page to search and to see why.

    Each SOURCE is a folder made by `toysearch index`, the name of a collection, or its folder or file. The page offers
    all models with their parameters, and the models given here. Each of its addresses gives JSON too. Ctrl-C ends it.
    """
    require_page()
    if token is not None and not re.fullmatch(r"[A-Za-z0-9_-]{8,200}", token):
        raise click.UsageError("--token: give at least 8 letters, digits, - or _")
    from toysearch.page.application import application
    from toysearch.page.guard import new_token
    from toysearch.page.served_source import names_in_addresses
    from toysearch.page.server import authority, is_loopback, listening_socket, own_hosts, serve

    offered = {str(model): model for model in models} | dict(toysearch.MODELS)
    if not models:
        offered = {"bm25": toysearch.MODELS["bm25"]} | offered
    listener = listening_socket(host, port)
    with listener:
        names = names_in_addresses(sources)
        served = [served_source(name, source, models, options) for name, source in zip(names, sources, strict=True)]
        for source in served:
            len(source.facets)  # found now, so that the first page opens at once
        at = listener.getsockname()[1]
        if not is_loopback(host):
            token = token or new_token()
        hosts = own_hosts(host, at) if is_loopback(host) else None
        address = f"http://{authority(host, at)}/" + (f"?token={token}" if token else "")
        click.echo(address)
        remark("Ctrl-C ends it")
        if in_browser:
            import webbrowser

            webbrowser.open(address)
        serve(application(served, offered, hosts=hosts, token=token), listener)


def served_source(name: str, typed: str, models: tuple[Any, ...], options: SourceOptions) -> Any:
    """A source with its index, in which queries can name every field, and with its collection if it can be read."""
    from toysearch.page.served_source import ServedSource

    if is_index(typed):
        index, collection = open_source(typed, options, models)
        try:
            len(collection.queries if collection is not None else ())  # read now, not at the first request
        except ToysearchError as error:
            remark(f"note: {typed} is served without queries and judgments: {error}")
            collection = None
        return ServedSource(name, typed, index, collection, is_index=True, options=_given(options))
    collection = load_source(typed, options)
    fields = collection.searched_fields
    numbers = [field for field in _field_names(collection) if field not in fields]
    numbers = [*dict.fromkeys([*numbers, *index_needs(*models).values])]
    index = toysearch.Index.build(collection, analyzer_for(options, collection), fields=fields, values=numbers)
    reading = {name: value for name, value in options.reading().items() if value is not None}
    return ServedSource(name, typed, index, collection, options=_given(options), reading=reading)


_LARGE = 1 << 28  # bytes of files whose documents are not kept in memory
_FIRST = 1000  # documents of these in which fields are looked for


def _field_names(collection: Any) -> list[str]:
    """The names of the fields of documents."""
    if collection.reading is None or collection.reading.size < _LARGE:
        return [*collection.documents.field_names]
    return [*dict.fromkeys(name for document in islice(collection.stream(), _FIRST) for name in document.fields)]


def _given(options: SourceOptions) -> list[str]:
    """The options for reading the source, as words of a command."""
    words: list[str] = []
    given: dict[str, Any] = {name: value for name, value in options._asdict().items() if value is not None}
    given.pop("rejected", None)  # a new file each time
    for name, value in given.items():
        words += [f"--{name.replace('_', '-')}", str(value)]
    return words
