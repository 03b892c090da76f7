"""`toysearch serve`: a page on this computer to search, explain and look around."""

from __future__ import annotations

import contextlib
import functools
import re
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

import click

import toysearch
from toysearch.base import ArgumentError, ToysearchError, note, present, refuse_in_a_tab
from toysearch.base.optional_packages import PAGE
from toysearch.cli.commands import Span, command, flag
from toysearch.cli.options import ANALYSIS, SourceOptions, judged_options, option, refuse_if, shared, systems_option
from toysearch.cli.output import remark
from toysearch.cli.sources import study_of
from toysearch.evaluation import SIZE, mean_measures, with_size
from toysearch.files import ARGUMENTS, SETTINGS
from toysearch.page.foreign_run import foreign_runs
from toysearch.page.served_source import ServedSource, names_in_addresses
from toysearch.study import Study, StudySource, System

_SHOWN = 2.0  # seconds after which the first page has been opened; what comparisons need is loaded then


def _scale(_: click.Context, __: click.Parameter, text: str | None) -> dict[int, str] | None:
    """Read the grades of a scale with their meanings; None for the usual ones."""
    pairs = [part.partition("=") for part in text.split(",")] if text is not None else []
    scale = {int(grade): meaning.strip() for grade, _, meaning in pairs if re.fullmatch(r"\s*[0-9]\s*", grade)}
    if len(scale) < len(pairs) or not all(scale.values()) or len(scale) == 1:
        raise click.BadParameter(f"give two grades or more, each a digit with its meaning: 0=no,1=yes; found '{text}'")
    return scale or None


class PageOptions(NamedTuple):
    """Settings of the page: what is offered on it and where."""

    port: int | None
    host: str
    token: str | None
    judgments: str | None
    judges: str | None
    twice: float | None
    runs: tuple[str, ...]
    measures: str | None
    depth: int
    votes: str | None
    scale: dict[int, str] | None
    in_browser: bool


_OFFER = ("offer", PageOptions)
_option = functools.partial(option, into=_OFFER)


@command(
    "toysearch serve companions --open",
    "toysearch serve my-index cranfield --port 9000",
    "toysearch serve companions --model bm25 --model mine.py:rank",
    "toysearch serve cat-dog-parrot --run theirs.run --model 'bm25 · plain'",
    "toysearch serve companions --judgments class.jsonl --judges ada,ben --twice 20",
    "toysearch serve companions --votes thumbs.jsonl",
)
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@systems_option
@_option("--port", type=click.IntRange(0, 65535), help="Port; 0 takes any.  [default: the first free one from 8765]")
@_option("--host", default="127.0.0.1", help="Address to listen on; any but this computer's requires the token.")
@_option("--token", metavar="TEXT", help="Token that every request must carry.  [default: random with another --host]")
@_option(
    "--judgments",
    metavar="FILE",
    writes="file",
    help="Let people grade documents; this log, *.jsonl, keeps each grade.",
)
@_option("--judges", metavar="NAMES", help="The only judges, such as ada,ben; each gets a link of their own.")
@_option(
    "--twice",
    type=Span(0, 100),
    metavar="PERCENT",
    help="Divide the documents among --judges; a second judge gets this share of each query too.",
)
@_option(
    "--run",
    "runs",
    multiple=True,
    metavar="FILE",
    help="Run of another engine, shown beside the models; repeat for several.",
)
@shared(
    "measures",
    default=None,
    heading="Options",
    help="Measures of each view, also FILE.py:NAME.  [default: AP nDCG@10 P@10]",
    into=_OFFER,
)
@_option("--depth", type=click.IntRange(1), default=10, show_default=True, help="Documents of each --model to judge.")
@_option(
    "--votes", metavar="FILE", writes="file", help="Thumbs up and down in each search; this log, *.jsonl, keeps each."
)
@_option("--scale", metavar="TEXT", callback=_scale, help="The grades and what they mean: 0=no,1=yes.")
@_option("--open", "in_browser", is_flag=True, help="Open the page in the browser.")
@judged_options
def serve_command(
    sources: tuple[str, ...],
    models: tuple[Any, ...],
    offer: PageOptions,
    options: SourceOptions,
) -> None:
    """Open a local page to search, to see why, and to judge.

    Each SOURCE is a folder made by `toysearch index`, the name of a collection, or its folder or file. The page offers
    all models with their parameters, and the models given here. Each of its addresses gives JSON too. Ctrl-C ends it.

    It needs an extra: pip install 'toysearch[page]'
    """
    _refuse_without_packages()
    from toysearch.page.access import new_token
    from toysearch.page.application import application
    from toysearch.page.server import authority, is_loopback, listening_socket, own_hosts, reachable_host, serve

    _refuse_conflicts(sources, offer)
    systems = {str(model): model for model in models if isinstance(model, System)}
    models = tuple(model for model in models if str(model) not in systems)
    offered = {str(model): model for model in models} | dict(toysearch.MODELS)
    if not models:
        offered = {"bm25": toysearch.MODELS["bm25"]} | offered
    host, token = offer.host, offer.token
    with listening_socket(host, offer.port) as listener, contextlib.ExitStack() as ending:
        served = _served_sources(sources, models, options, offer, offered, systems)
        at = listener.getsockname()[1]
        if not is_loopback(host):
            token = token or new_token()
        hosts = own_hosts(host, at) if is_loopback(host) else None
        address = f"http://{authority(host, at)}/" + (f"?token={token}" if token else "")
        _keep_logs(served, models, offer, ending)
        click.echo(address)
        of_adjudicator = _print_links(served, authority(reachable_host(host), at), token, offer.judges)
        remark("Ctrl-C ends it")
        _prepare_later(served)
        if offer.in_browser:
            import webbrowser

            webbrowser.open(of_adjudicator or address)
        serve(application(served, offered, hosts=hosts, token=token), listener)


def _refuse_without_packages() -> None:
    refuse_in_a_tab("toysearch serve")
    if absent := next((module for module in PAGE if not present(module)), None):
        raise ArgumentError(
            f"toysearch serve needs the package {absent}, a part of an extra: pip install 'toysearch[page]'"
        )


def _refuse_conflicts(sources: tuple[str, ...], offer: PageOptions) -> None:
    usable = offer.token is None or re.fullmatch(r"[A-Za-z0-9_-]{8,200}", offer.token)
    refuse_if(not usable, "--token: give at least 8 letters, digits, - or _")
    unkept = offer.judges is not None and offer.judgments is None
    refuse_if(unkept, "--judges needs --judgments FILE, where their grades are kept")
    one_judge = offer.judges is None or (offer.twice and "," not in offer.judges)
    undivided = offer.twice is not None and one_judge
    refuse_if(undivided, "--twice divides documents among several judges: give --judges ada,ben too")
    if len(sources) > 1:
        has_log, has_votes = offer.judgments is not None, offer.votes is not None
        refuse_if(has_log, "--judgments: the grades of a log are of one SOURCE; name only one")
        refuse_if(has_votes, "--votes: the thumbs of a log are of one SOURCE; name only one")
        refuse_if(offer.runs, "--run: a run is of one SOURCE; name only one")


def _served_sources(
    sources: tuple[str, ...],
    models: tuple[Any, ...],
    options: SourceOptions,
    offer: PageOptions,
    offered: dict[str, Any],
    systems: dict[str, System],
) -> list[Any]:
    measures = mean_measures(offer.measures, SIZE) if offer.measures else []
    names = names_in_addresses(sources)
    served, refused = list[Any](), list[ToysearchError]()
    for name, source in zip(names, sources, strict=True):
        try:
            opened = served_source(name, source, models, options)
            len(opened.facets)  # found now, so that the first page opens at once
            served.append(opened)
        except ToysearchError as error:
            refused.append(error)
    if not served:
        raise refused[0]
    for problem in refused:
        note(f"left out: {problem}")
    for source in served:
        source.runs = foreign_runs(source, offer.runs, offered)
        source.chosen_measures = with_size(measures, len(source.index))
        for system in systems.values():
            source.study.of_system(system).index()  # made now, not at the first request
        source.systems = systems
    return served


def _keep_logs(served: list[Any], models: tuple[Any, ...], offer: PageOptions, ending: contextlib.ExitStack) -> None:
    """Open the logs of grades and thumbs, each of the one source."""
    from toysearch.page.judging_rules import JudgingRules, is_without_queries, opened_judging
    from toysearch.page.thumbs import opened_thumbs

    if offer.judgments is not None:
        [source] = served
        systems = models or tuple(toysearch.MODELS[name] for name in ("bm25", "lm-dirichlet"))
        if is_own := is_without_queries(source):
            refuse_if(
                offer.judges is not None,
                f"--judges: {source.typed} has no queries to judge; give some with --queries FILE, or leave out "
                "--judges, search, and grade what you find",
            )
        keys = {} if is_own else _keys(offer.judges, offer.judgments)
        rules = JudgingRules(offer.depth, offer.scale, None if offer.twice is None else offer.twice / 100)
        source.judging = opened_judging(source, offer.judgments, systems, ending, keys, rules)
        if is_own:
            source.options = [*source.options, "--qrels", offer.judgments]
            served[:] = [source.renewed()]
    if offer.votes is not None:
        [source] = served
        source.thumbs = opened_thumbs(source, offer.votes)
        ending.callback(source.thumbs.log.close)


def _print_links(served: list[Any], place: str, token: str | None, judges: str | None) -> str:
    """Print the links of each source; return that of the adjudicator if the rest is closed to judges, else ""."""
    from toysearch.page.class_view import class_link
    from toysearch.page.judging_rules import ADJUDICATOR

    of_adjudicator = ""
    for source in served:
        if token is not None and judges is None:  # judges see no grades: only the adjudicator searches
            source.class_link = class_link(source, place, token)
        for name, link in _invitations(source, place, token).items():
            click.echo(f"{name}: {link}")
            if name == ADJUDICATOR and judges is not None:
                of_adjudicator = link
    return of_adjudicator


def _prepare_later(served: list[Any]) -> None:
    """Load what comparisons need once the first page has been opened."""
    from toysearch.page.compare_view import missing, prepare

    if any(missing(source) is None for source in served):
        later = threading.Timer(_SHOWN, prepare)
        later.daemon = True
        later.start()


def served_source(name: str, typed: str, models: tuple[Any, ...], options: SourceOptions) -> Any:
    """Open a source with its index, in which queries can name every field, and its collection if readable."""
    study = replace(study_of(typed, options, models, named_fields=None), told=True)
    index = study.opened()
    if index is not None:
        try:
            collection = study.collection()
            len(collection.queries if collection else ())  # read now, not at the first request
        except ToysearchError as error:
            note(f"{typed} is served without queries and judgments: {error}")
            alone = Study.of(StudySource(index, topics=False))
            study = replace(study, given=alone.given, read=alone.read)
        again = functools.partial(served_source, name, typed, models, options)
        return ServedSource(name, typed, study, options=_option_words(options), reopen=again)
    chosen = options.of_source.chosen()
    reading = {name: chosen[name] for name in SETTINGS if name in chosen}
    return ServedSource(name, typed, study, options=_option_words(options), reading=reading)


def _option_words(options: SourceOptions) -> list[str]:
    words, values = list[str](), vars(options.reading) | options._asdict()
    for name in (*ANALYSIS, *ARGUMENTS, "queries", "qrels", "query_mode"):
        value = values[name]
        if value is not None and name != "rejected":  # that is a new file each time
            words += (flag(name), str(value))
    return words


def _keys(judges: str | None, judgments: str) -> dict[str, str]:
    from toysearch.page.judging_rules import ADJUDICATOR, judge_keys

    names = [] if judges is None else [name.strip() for name in judges.split(",")]
    refuse_if(
        not all(names) or len({*names}) < len(names) or ADJUDICATOR in names,
        f"--judges: give names between commas, each once and none '{ADJUDICATOR}': ada,ben",
    )
    return judge_keys(Path(judgments).with_suffix(".keys.json"), [*names, ADJUDICATOR])


def _invitations(source: Any, place: str, token: str | None) -> dict[str, str]:
    from toysearch.page.judging_rules import ADJUDICATOR

    def link(view: str, **pairs: str) -> str:
        return f"http://{place}/{source.name}/{view}?{urlencode(({'token': token} if token else {}) | pairs)}"

    reading = {"class": source.class_link} if source.class_link else {}
    keys = source.judging.keys if source.judging else {}
    links = {judge: link("judge", judge=judge, key=key) for judge, key in keys.items()}
    if source.judging and not source.judging.own_judge:
        links[ADJUDICATOR] = link("agreement", key=source.judging.settling_key)
    return reading | links
