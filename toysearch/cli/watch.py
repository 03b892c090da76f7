"""`toysearch watch`: evaluate a model again whenever its file is saved."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click

from toysearch import laboratory
from toysearch.base import ArgumentError, TooLong, at_most, one_line
from toysearch.cli import (
    POSITIVE,
    Command,
    SourceOptions,
    depth_option,
    examples,
    judged_options,
    named_measures,
    option,
    shared,
    study_of,
    terminal_width,
    threshold_option,
)
from toysearch.laboratory.experiments.model_watch import saved_data, saved_line, saved_text, values_line

_EVERY = 0.1  # seconds between two looks at the file


@click.command(
    cls=Command,
    epilog=examples(
        "toysearch watch cranfield --model mine.py:rank --once",
        'toysearch watch cat-dog-parrot --model mine.py:rank -m "AP nDCG@10" --once --json',
    ),
)
@click.argument("collection")
@option("--model", required=True, metavar="FILE.py:NAME", help="Model in your file.")
@shared("measures", default="AP", help="Measures; the first decides which queries are won and lost.")
@depth_option
@threshold_option
@option("--seconds", type=float, default=60, metavar="S", help="Time limit for one evaluation.")
@option("--once", is_flag=True, help="Evaluate once and end; exit code 1 if the file has an error.")
@option("--saves", type=POSITIVE, help="End after N saves.")
@option("--json", "as_json", is_flag=True, help="Print one line of JSON per save.")
@judged_options
def watch_command(
    collection: str,
    model: str,
    measures: str,
    seconds: float,
    once: bool,
    saves: int | None,
    as_json: bool,
    options: SourceOptions,
    **settings: Any,
) -> None:
    """Evaluate a model again whenever its file is saved.

    Shows the value, the change since the last save and since the start (~ where it may be chance), the best save so
    far, and the queries won and lost. An error is shown with its line, and the last good result stays; a model that
    does not end is stopped. Ends with Ctrl-C.
    """
    parsed = named_measures(measures)  # a misspelt measure is reported before anything is read
    study = study_of(collection, options).with_(k=settings["k"], threshold=settings["threshold"]).ready()
    evaluator = study.evaluator(parsed)
    sys.dont_write_bytecode = True  # the cache is recognised by whole seconds, and two saves can be faster
    texts = {query.query_id: query.text for query in study.queries}
    last: Any = None
    most = 0 if once else saves
    with _printer(as_json, f"{model} on {study.judged.name}, Ctrl-C ends", texts) as (show, running):
        watch = laboratory.Watch(evaluator, model, lambda: _limited(model, seconds, running))
        while last is None or most is None or last.number < most:  # the file at the start, then every save
            saved = watch.look()
            if saved is None:
                time.sleep(_EVERY)
                continue
            show(saved)
            last = saved
    if once and last.error:
        click.get_current_context().exit(1)


@contextmanager
def _limited(model: str, seconds: float, running: Callable[[], None]) -> Iterator[None]:
    """Show that the model is running, and stop it at the time limit."""
    running()
    try:
        with at_most("call", seconds):
            yield
    except TooLong as error:
        raise ArgumentError(
            f"{model} was still running after {seconds:g} s and was stopped; is there a loop that does not end? "
            "(--seconds sets the limit)"
        ) from error


@contextmanager
def _printer(
    as_json: bool, title: str, texts: dict[str, str]
) -> Iterator[tuple[Callable[[Any], None], Callable[[], None]]]:
    """The functions that show a save (in place on a terminal, else one line each) and that the model is running."""
    width = terminal_width(sys.stdout)
    if as_json or width is None:
        yield lambda saved: click.echo(json.dumps(saved_data(saved)) if as_json else saved_line(saved)), lambda: None
        return
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    values: list[float] = []
    shown: list[Any] = []
    with Live(console=Console(), auto_refresh=False) as live:

        def draw(last: list[Any]) -> None:
            live.update(Text("\n").join([Text(title, style="bold"), *last]), refresh=True)

        def show(saved: Any) -> None:
            if saved.evaluation is not None and not saved.error:
                values.append(next(iter(saved.evaluation.means.values())))
            shown[:] = [Text(one) for one in (values_line(saved, values), saved_text(saved, texts, width - 1)) if one]
            if saved.error:
                above = ", the last good save above" if saved.evaluation is not None else ""
                shown.append(Text(f"error{above}: {one_line(saved.error)}", style="red"))
            draw(shown)

        yield show, lambda: draw([*shown, Text("running …", style="dim")])
