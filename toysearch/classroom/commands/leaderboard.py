"""`toysearch leaderboard`: a competition in a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

import toysearch
from toysearch.base import counted, note
from toysearch.classroom.competition.history import own_numbers, same_as
from toysearch.classroom.competition.leaderboard import Leaderboard
from toysearch.classroom.competition.leaderboard_page import result_text, visible_part, write_board
from toysearch.cli.commands import SuggestingGroup, examples
from toysearch.cli.options import (
    POSITIVE,
    SourceOptions,
    analyzer_for,
    collection_options,
    depth_option,
    option,
    output_options,
    shared,
)
from toysearch.cli.output import emit, force_option, keeping, remark, show
from toysearch.cli.sources import load_source

_BASELINES = ("bm25", "tfidf")
_SHORT = 16  # characters; a shorter seed can be guessed


@click.group(
    cls=SuggestingGroup,
    epilog=examples(
        "toysearch leaderboard init board cranfield",
        "toysearch leaderboard submit board mine.py:rank --name Ada",
        "toysearch leaderboard show board",
    ),
)
def leaderboard_command() -> None:
    """Run a class competition: submissions, shared ranks, a page.

    FOLDER belongs to the organiser and holds the judgments. Participants get the output of `show`, or its page.
    """


@leaderboard_command.command(
    "init",
    epilog=examples(
        "toysearch leaderboard init board cranfield",
        'toysearch leaderboard init board2 cat-dog-parrot -m "nDCG@10 AP" --limit 20 --baseline bm25',
    ),
)
@click.argument("folder")
@click.argument("collection")
@option("-m", "--measures", default="AP", help="Measures; the first decides the ranks.")
@option("--held-out", type=float, default=0.5, metavar="SHARE", help="Share of the queries held out.")
@option("--seed", "secret", metavar="TEXT", help="Secret seed of the split.  [default: random, kept in FOLDER]")
@depth_option
@option(
    "--alpha", type=float, default=0.05, help="Significance level: teams with p at or below it are distinguishable."
)
@option("--limit", type=POSITIVE, help="Submissions per team.  [default: any number]")
@option(
    "--due",
    "until",
    default="",
    metavar="TIME",
    help="Time from which submissions are refused, such as 2026-12-01T18:00+01:00.",
)
@option(
    "--baseline",
    "baselines",
    multiple=True,
    metavar="MODEL",
    help=f"Baseline model, repeatable.  [default: {', '.join(_BASELINES)}]",
)
@option("--seconds", type=float, default=60, metavar="S", help="Time limit for a submitted model, in seconds.")
@option("--memory", type=int, default=4000, metavar="MB", help="Memory limit, in megabytes.")
@collection_options
def init_command(
    folder: str,
    collection: str,
    secret: str | None,
    baselines: tuple[str, ...],
    seconds: float,
    memory: int,
    options: SourceOptions,
    **settings: Any,
) -> None:
    """Begin a competition: split the queries, index the documents.

    The judged queries are split into public and held-out ones. FOLDER is created, readable only by you. Models rank on
    an index that the options describe.
    """
    from toysearch.classroom.sandbox.confined_run import Limits

    source = load_source(collection, options)
    limits = Limits(seconds=seconds, memory=memory * 1_000_000)
    for name in baselines:
        toysearch.model(name)  # a misspelt one is reported before the folder is made
    board = Leaderboard.create(
        folder,
        source,
        secret=secret,
        limits=limits,
        **settings,
        analyzer=analyzer_for(options, source),
        source=collection if Path(collection).exists() else "",
    )
    for name in baselines or _BASELINES:
        board.submit(name, name, baseline=True)
    parts = " and ".join(f"{number:,} {part}" for part, number in board.queries.items())
    click.echo(f"{folder}: {source.name}, {board.measure}, queries: {parts}, {counted(len(board.counted), 'baseline')}")
    if secret is not None and len(secret) < _SHORT:
        note(f"a seed of fewer than {_SHORT} characters can be guessed: leave it out for a secret one")


@leaderboard_command.command(
    "submit",
    epilog=examples(
        "toysearch leaderboard submit board mine.py:rank --name Ada",
        'toysearch leaderboard submit board "bm25:b=0.4" --name Ben',
        'toysearch leaderboard submit board "formula:log(1+tf)*log(N/df)" --name Cleo',
    ),
)
@click.argument("folder")
@click.argument("file", metavar="FILE | MODEL")
@option("--name", "team", required=True, metavar="TEAM", help="Name of the team.")
@option("--trust-code", is_flag=True, help="Run FILE even if this system cannot confine it.")
@option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def submit_command(folder: str, file: str, team: str, trust_code: bool, as_json: bool) -> None:
    """Take a submission: a model in a file, a model's text, or a run.

    Code runs confined by the Linux kernel: with limits on time, memory and disk, without a network or other programs,
    and with read access only to the index. Other systems refuse it without --trust-code. A run must answer all judged
    queries.
    """
    board = Leaderboard(folder)
    entry = board.submit(file, team, trust_code=trust_code)
    standings = board.standings("public")
    if as_json:
        standing = next(one for one in standings if one.entry.team == entry.team)
        data = {"number": entry.number, "team": entry.team, "public": entry.public, "rank": standing.place.rank}
        of_team = own_numbers(board.history)[entry.number]
        more = {"of_team": of_team, "shared": standing.place.shared, "counts": standing.entry.number}
        emit([], [], "json", data=data | more)
        return
    values, meaning = result_text(board, entry, standings)
    click.echo(values)
    remark(meaning)
    for other in same_as(entry, board.history):
        note(f"byte for byte identical to a submission of {other.team}")


@leaderboard_command.command(
    "show",
    epilog=examples(
        "toysearch leaderboard show board",
        "toysearch leaderboard show board -o board.html",
        "toysearch leaderboard show board --json",
    ),
)
@click.argument("folder")
@shared("output", callback=keeping("page"), help="Self-contained page to write, such as board.html.")
@force_option
@option("--organiser", is_flag=True, help="Show held-out means before the end, refused and identical submissions.")
@output_options
def show_command(folder: str, output: str | None, organiser: bool, form: str) -> None:
    """Show the table, the submissions, and how far they overfit.

    While the competition is open, the ranks are those on the public queries, and the held-out queries are not shown.
    Once it is closed, the ranks are those on the held-out queries, and both means are shown. Judgments and values of
    single queries are never shown.
    """
    board = Leaderboard(folder)
    standings = visible_part(board, organiser)
    if output is not None:
        write_board(standings, output)
        click.echo(f"{output}: {standings.lead}")
        return
    show(standings, form)


@leaderboard_command.command("close", epilog=examples("toysearch leaderboard close board2"))
@click.argument("folder")
def close_command(folder: str) -> None:
    """Close the competition: held-out queries decide the ranks.

    What is sent from now on is refused. Submissions that wait on a page were sent before, and are ranked first.
    """
    board: Any = Leaderboard(folder)
    if board.waiting and not board.closed:
        remark(f"{counted(board.waiting, 'submission')} sent before the end: ranked first")
    board.close()
    click.echo(f"{folder}: closed; {counted(len(board.counted), 'line')} in the table")
