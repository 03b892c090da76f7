"""The command table, and how errors, notes and broken pipes are handled."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import re
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import click

import toysearch
from toysearch.base import (
    BLANKS,
    MissingFiles,
    QueryNote,
    ReadingNote,
    Remedy,
    ToysearchError,
    ToysearchNote,
    note,
    sentence,
)
from toysearch.base.errors import FRONT_ENDS, UnknownName
from toysearch.base.interrupts import SENTENCE, STATUS, Interruptible, end
from toysearch.base.platform import is_broken_pipe, write_as_everywhere
from toysearch.cli.commands import TELL, TYPED, LazyGroup, by_name, shows

_FEW_FILES = "this process may not open more files: raise the limit (ulimit -n 1024) or use fewer --threads"
_NO_MEMORY = "not enough memory; give the command more (ulimit -v), a smaller collection, or fewer --threads"
_NO_THREAD = "no more threads can be started here; use --threads 1, or raise the limit (ulimit -u, ulimit -v)"

_OF_FILES = {
    errno.ENOENT: "there is no file or folder {}; check the name and the folder you are in",
    errno.EACCES: "permission denied: {} may not be read or written by you",
    errno.EPERM: "permission denied: {} may not be read or written by you",
    errno.EISDIR: "{} is a folder; a file was expected",
    errno.ENOTDIR: "{} is not inside a folder: a part of the path is a file",
    errno.EEXIST: "{} already exists; choose another name",
    errno.EROFS: "{} is on a disk that cannot be written to; choose another place",
    errno.ELOOP: "{} is a link that leads to itself; name the file",
}


def trouble_of(error: BaseException) -> str | None:
    """Return a sentence about what the system refuses or cannot hold; None for any other error."""
    causes: list[str] = []
    cause: BaseException | None = error
    while cause is not None:
        causes.append(str(cause))
        cause = cause.__cause__ or cause.__context__
    text = " ".join(causes)
    unloaded = isinstance(error, ImportError) or (isinstance(error, OSError) and not error.errno)
    if isinstance(error, MemoryError) or (unloaded and ("failed to map" in text or "annot allocate" in text)):
        return _NO_MEMORY
    if isinstance(error, RuntimeError) and "can't start new thread" in text:
        return _NO_THREAD
    if unloaded and os.strerror(errno.EMFILE) in text:
        return _FEW_FILES
    if isinstance(error, ValueError) and "embedded null" in text:
        return "the name of a file cannot hold the character 0; leave it out"
    if isinstance(error, OverflowError) and "overflow in fsum" in text:
        return "some numbers are too large to be added up; write smaller grades or scores"
    if not isinstance(error, OSError):
        return None
    name = f"'{os.fsdecode(error.filename)}'" if isinstance(error.filename, str | bytes) else ""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"no room left on the disk{f' for {name}' if name else ''}; free some or choose another place"
    if error.errno in (errno.EMFILE, errno.ENFILE):
        return _FEW_FILES
    if error.errno == errno.ENOMEM:
        return _NO_MEMORY
    if error.errno == errno.EAGAIN and not name:
        return _NO_THREAD
    if not name and error.strerror:
        return f"the system refuses what the command needs: {error.strerror[:1].lower()}{error.strerror[1:]}"
    if not name:
        return None
    return _OF_FILES.get(error.errno or 0, "{}: " + str(error.strerror).replace("{", "{{")).format(name)


_NOTES = "toysearch.notes"  # where it keeps whether --notes is given, of a command that has it

GROUPS = {
    "Search": {
        "search": "Search an index or a collection for a query.",
        "index": "Index a collection and save it to a folder.",
        "run": "Rank every query of a collection and write a TREC run.",
        "explain": "Explain the score of a document, or why one ranks above another.",
        "similar": "Find similar documents, near-duplicates, or compare two texts.",
        "fuse": "Fuse several runs into one TREC run.",
        "serve": "Open a local page to search, to see why, and to judge.",
    },
    "Evaluate": {
        "eval": "Score models, or runs, against relevance judgments.",
        "compare": "Compare systems: which is better, and what could be chance.",
        "diff": "Show which queries gain and lose, which documents moved, and why.",
        "tune": "Find the best parameters of a model, and their held-out value.",
        "score": "Score a ranking typed by hand, by all measures.",
        "report": "Write a page about systems, or draw one chart.",
    },
    "Index": {
        "add": "Add documents to a saved index.",
        "delete": "Delete documents from a saved index.",
        "show": "Show what is in an index: counts and laws, a term, a document.",
        "analyze": "Show step by step how a text becomes terms.",
        "query": "Show how a query is read, and the terms of its words.",
    },
    "Experiment": {
        "ablate": "Measure what each part of a search system contributes.",
        "robustness": "Measure the loss when words, documents or spelling change.",
        "gate": "Test the expectations about a ranking, for a build.",
        "learn": "Learn a ranker from judged queries, with its held-out value.",
    },
    "Judge": {
        "judge": "Pool documents to judge, measure agreement, merge judges.",
        "clicks": "Interleave runs for users, and learn from their clicks.",
    },
    "Look up": {
        "models": "List the ranking models, explain one, or show how weights move.",
        "measures": "List the measures, or explain one of them.",
        "docs": "Search the documentation, print a page, or list all by purpose.",
        "demo": "Explain a score, show what ties hide, and compare two models.",
    },
    "Collections": {
        "corpora": "List the named collections, show one, fetch its files.",
        "convert": "Write a collection in another layout: BEIR, TREC, JSON Lines.",
        "check": "Check an index, a collection, a run, judgments or a notebook.",
        "verify": "Recompute the scores of a collection with other libraries.",
    },
    "Course": {
        "labs": "Run labs for a course: start one, grade a class.",
        "textbook": "Work out textbook algorithms with all their numbers.",
    },
}
"""Heading → command → its line of help."""

HOMES = {
    "toysearch.cli.check": "check",
    "toysearch.cli.compare": "compare diff",
    "toysearch.cli.contents": "analyze query show",
    "toysearch.cli.corpora": "convert corpora",
    "toysearch.cli.demo": "demo",
    "toysearch.cli.docs": "docs",
    "toysearch.cli.eval": "eval score",
    "toysearch.cli.explain": "explain",
    "toysearch.cli.fuse": "fuse",
    "toysearch.cli.index": "add delete index",
    "toysearch.cli.models": "measures models",
    "toysearch.cli.run": "run",
    "toysearch.cli.search": "search",
    "toysearch.cli.similar": "similar",
}
"""Module → the commands that it holds, each as NAME_command; the others are of rings."""

FIRST = ("search", "index", "run", "explain", "eval", "compare", "diff", "tune")
"""The everyday commands, which the first page of help describes."""

_LEADS_ON = """
Each command: toysearch COMMAND -h  All of them: --commands  Version: --version
Begin with:   toysearch search companions "removing a tick" --explain
"""


class _Failure(click.ClickException):
    """Wrong usage or bad input: a sentence on stderr with details below it, and exit code 2."""

    exit_code = 2

    def show(self, file: Any = None) -> None:
        click.echo(f"toysearch: {self.message}", file=file, err=file is None)


class _Frame(LazyGroup):
    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write one screen of 80 × 24: eight commands with a line each, the names of all others, and a first line."""
        formatter.write(f"{self.help}\n\n")
        with formatter.indentation():
            formatter.write_dl([(name, self.lines[name]) for name in FIRST])
            formatter.write("\n")
            others = {heading: [name for name in lines if name not in FIRST] for heading, lines in self.groups.items()}
            formatter.write_dl([(heading, "  ".join(names)) for heading, names in others.items() if names])
        formatter.write(_LEADS_ON)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments, and keep them: a command is run again once its missing files are fetched."""
        ctx.meta[TYPED] = [*args]
        with self._saying_failures(ctx):  # those of --help and --version, which print here
            return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command."""
        FRONT_ENDS.append(_in_shell)
        try:
            with self._saying_failures(ctx), Interruptible(end), _notes_on_stderr(ctx):
                result = self._run(ctx)
                sys.stdout.flush()
                return result
        finally:
            FRONT_ENDS.pop()

    @contextlib.contextmanager
    def _saying_failures(self, ctx: click.Context) -> Iterator[None]:
        """End every expected failure of a block in a sentence and an exit code, never in a traceback."""
        try:
            yield
        except ToysearchError as error:
            from toysearch.cli.remaining_problems import with_remaining

            message = _of_another_kind(error, self, ctx) or str(error)
            raise _Failure(with_remaining(message, self, ctx)) from error
        except KeyboardInterrupt:
            click.echo(SENTENCE, err=True)
            ctx.exit(STATUS)
        except Exception as error:
            if is_broken_pipe(error):
                # The reader has closed the pipe. The rest of the buffer must not fail again at exit.
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
                ctx.exit(128 + 13)  # as a shell reports a program that SIGPIPE ended
            trouble = trouble_of(error)
            if not trouble and not isinstance(error, click.ClickException | click.exceptions.Exit | click.Abort):
                from toysearch.index.content_checks import damage_of_opened

                trouble = damage_of_opened()
            if not trouble:
                raise
            raise _Failure(sentence(trouble)) from error

    def _run(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except click.UsageError as error:
            from toysearch.cli.habits import advised, meant

            typed = ctx.meta[TYPED]
            habit = meant(error, typed)
            if habit is None:
                raise advised(error, typed) from None
            typed, difference = habit
            note(difference)
        except MissingFiles as error:
            from toysearch.cli.corpora import offer

            if not offer(error.collection):
                raise
            typed = ctx.meta[TYPED]
        with self.make_context(ctx.info_name, typed) as again:
            return self._run(again)


def _in_shell(remedy: Remedy) -> str:
    from toysearch.cli.remedies import in_shell  # few commands tell of a remedy

    return in_shell(remedy)


def _of_another_kind(error: ToysearchError, main: click.Group, ctx: click.Context) -> str:
    """Advice for arguments in the other order, a model given as a measure or the reverse, a list of models; else ""."""
    if isinstance(error, UnknownName) and error.kind.startswith("collection"):
        from toysearch.cli.habits import swapped_names

        return swapped_names(error.name, ctx.meta[TYPED])
    if not isinstance(error, UnknownName) or error.kind not in ("measure", "model"):
        return ""
    from toysearch.evaluation.measures.measure import parse_measures

    if error.kind == "model" and {*error.name.replace(" ", "").split(",")} <= {*toysearch.MODELS} and "," in error.name:
        return f"'{error.name}' is a list; --model is repeated: --model {error.name.replace(',', ' --model ')}"
    other, parse = ("model", toysearch.model) if error.kind == "measure" else ("measure", parse_measures)
    try:
        parse(error.name)
    except ToysearchError:
        return ""
    command = main.get_command(ctx, ctx.invoked_subcommand or "")
    options = {"model": ("--model",), "measure": ("-m", "--measure", "--measures")}[other]
    accepted = [option for option in by_name(command) if option in options] if command else []
    return (
        f"{error.name} is a {other}: {accepted[0]} {error.name}"
        if accepted
        else f"{error.name} is a {other}, not a {error.kind}"
    )


@contextlib.contextmanager
def _notes_on_stderr(ctx: click.Context) -> Iterator[None]:
    """While this lasts, each distinct `ToysearchNote` is one line on stderr; other warnings are unchanged.

    Notes on queries stand at the end of a command with --notes, without which several are summed up. Those on how files
    are read, alike at each reading, lose what follows their head in a command that keeps nothing of it.
    """
    sentences = set()
    last = []
    with warnings.catch_warnings():
        warnings.simplefilter("always", ToysearchNote)
        otherwise = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
            if not issubclass(category, ToysearchNote):
                otherwise(message, category, *where, **more)
            elif str(message) not in sentences:
                from toysearch.cli.output import remark  # the help does not need it

                sentences.add(str(message))
                if issubclass(category, QueryNote) and _NOTES in ctx.meta:
                    last.append(str(message))
                    return
                brief = issubclass(category, ReadingNote) and ctx.meta.get(_NOTES) is False
                if brief and ctx.invoked_subcommand not in _IN_FULL:
                    message = f"{str(message).partition(';')[0]}; --notes says more"
                remark(f"note: {message}")

        warnings.showwarning = show

        def tell(taken: str) -> None:
            if ctx.meta.get(_NOTES):
                show(sentence(taken), ToysearchNote)

        ctx.meta[f"toysearch.{TELL}"] = tell
        yield
        if last:
            from toysearch.cli.output import remark

            several = f"{len(last)} notes on queries and ties: --notes prints them"
            summed_up = len(last) > 1 and not ctx.meta[_NOTES]
            for line in [several] if summed_up else [f"note: {sentence}" for sentence in last]:
                remark(line)


_IN_FULL = ("add", "check", "convert", "index")  # commands that read a collection once


def _version(_: click.Context) -> str:
    from toysearch.base.optional_packages import runs_on
    from toysearch.base.plain_or_compiled import loops_compiled

    loops = "loops are compiled" if loops_compiled() else "loops are not compiled: numpy does their work, slower"
    return "\n".join([f"toysearch {toysearch.__version__}", *runs_on(), loops])


def _commands(ctx: click.Context) -> str:
    formatter = ctx.make_formatter()
    command.format_commands(ctx, formatter)
    return formatter.getvalue().strip()


_SHOWN: dict[str, Any] = {"is_flag": True, "is_eager": True, "expose_value": False}


@click.group(
    "toysearch",
    cls=_Frame,
    homes=HOMES,
    groups=GROUPS,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.option("--commands", callback=shows(_commands), help="Describe every command.", **_SHOWN)
@click.option("--version", callback=shows(_version), help="Show the version.", **_SHOWN)
@click.pass_context
def command(ctx: click.Context) -> None:
    """A small search engine with its own evaluation laboratory."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


_OWN = "(\x1b\\[(?:[0-9];?){0,4}m|[\n\t])"  # rich's and click's bold, dim and colours


class _Clean:
    """Stream that replaces control characters by blanks, except codes for bold text and colours."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write a text."""
        pieces = re.split(_OWN, text)
        pieces[::2] = [piece.translate(BLANKS) for piece in pieces[::2]]
        self._stream.write("".join(pieces))
        return len(text)

    def writelines(self, texts: Any) -> None:
        """Write some texts."""
        for text in texts:
            self.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def main() -> None:
    """Run the command line, once Ctrl-C is answered (`toysearch.__main__`)."""
    for stream in (sys.stdout, sys.stderr):
        write_as_everywhere(stream)
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.isatty():
        sys.stdout = _Clean(sys.stdout)
    command(prog_name="toysearch")
