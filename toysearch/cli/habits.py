"""Words of other tools of the field: what their options and values are called here; only wrong usage needs it."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterator, Mapping, Sequence

import click

import toysearch
from toysearch.base import ToysearchError, nearest, typed_line
from toysearch.base.elsewhere import NameElsewhere, phrases
from toysearch.base.rendering import FORMATS


def meant(error: click.UsageError, typed: Sequence[str]) -> tuple[list[str], str] | None:
    """Return the words of a command line with an option or a value of another tool replaced, and a note; else None."""
    if isinstance(error, click.NoSuchOption):
        return _option_meant(error, typed)
    if not isinstance(error, click.BadParameter) or error.param is None:
        return None
    values = {row.theirs: row.ours for row in phrases("value") if row.only == error.param.name and row.ours}
    place = next((place for place, word in enumerate(typed) if word.rpartition("=")[2] in values), None)
    if place is None:
        return None
    value = typed[place].rpartition("=")[2]
    word = typed[place].removesuffix(value) + values[value]
    return [*typed[:place], word, *typed[place + 1 :]], f"{value} is {values[value]} here"


def _named(name: str) -> str:
    return name if len(name) == 1 else name.casefold().replace("_", "-")


def pattern_of(paths: Sequence[str]) -> str:
    """Return the pattern that names these files and no others, such as ``*.txt`` or ``{a,b}.txt``; "" without one."""
    ending = os.path.splitext(paths[0])[1]
    begin = os.path.commonprefix(paths).removesuffix(ending)  # noqa: RUF071 (of names, not of folders)
    pattern = f"{glob.escape(begin)}*{ending}"
    if sorted(glob.glob(pattern)) == sorted(paths):
        return pattern
    folder = begin[: begin.rfind(os.sep) + 1]
    names = [glob.escape(path.removeprefix(folder)) for path in paths]
    return "" if any(re.search("^/|[{,}]", name) for name in names) else f"{folder}{{{','.join(names)}}}"


def with_one_source(args: Sequence[str], source: str, others: Sequence[str]) -> list[str]:
    """Return arguments with one pattern for the files that a shell wrote for it; refuse other files beside a source."""
    every, size = [source, *others], len(others) + 1
    start = next((place for place in range(len(args)) if [*args[place : place + size]] == every), None)
    if start is None or not (pattern := pattern_of(every)):
        raise click.UsageError(f"{others[0]} is one more file; give one file, the folder of the files or a pattern")
    return [*args[:start], pattern, *args[start + size :]]


def _option_meant(error: click.NoSuchOption, typed: Sequence[str]) -> tuple[list[str], str] | None:
    option, ctx, place = error.option_name, error.ctx, _place_of(error.option_name, typed)
    if ctx is None or place is None:
        return None
    whole, equals, value = typed[place].partition("=")
    given = {whole: [value] if equals else []}  # -hits is no -h
    if whole.startswith(option) and whole != option:  # -l2
        given[option] = [typed[place].removeprefix(option)]
    parameters = {name: each for each in ctx.command.params for name in each.opts}
    for name, values in given.items():
        for there in _there(parameters, str(ctx.info_name), _named(name.lstrip("-"))):
            if values and (not there or getattr(parameters.get(there), "is_flag", False)):
                continue
            sentence = f"{name} is {there} here" if there else f"{name} changes nothing here"
            return [*typed[:place], *there.split(), *values, *typed[place + 1 :]], sentence
    return None


def _is_source(word: str) -> bool:
    return word in toysearch.collections() or os.path.exists(word)


def _place_of(option: str, typed: Sequence[str]) -> int | None:
    """Where an option stands: alone, before its value, or, like -i in -hits, among letters behind one dash."""
    words = [word.partition("=")[0] for word in typed]
    if option.startswith("--"):
        return words.index(option) if option in words else None
    short = [place for place, word in enumerate(words) if word[:1] == "-" != word[1:2]]
    begun = [place for place in short if words[place].startswith(option)]
    return next(iter([*begun, *(place for place in short if option[1:] in words[place])]), None)


def _rows(command: str, name: str) -> list[NameElsewhere]:
    """Return the rows on an option of other tools: those of the command alone, if there are some."""
    rows = [row for row in phrases("option") if row.theirs == name and row.holds_in(command)]
    return [row for row in rows if row.only] or rows


def _there(parameters: Mapping[str, click.Parameter], command: str, name: str) -> Iterator[str]:
    """Yield what a name of other tools is called by a command."""
    if name in FORMATS and name in getattr(getattr(parameters.get("--format"), "type", None), "choices", ()):
        yield f"--format {name}"
    for row in _rows(command, name):
        if row.ours == "":
            yield ""
        yield from (option for option in (row.ours or "").split() if option in parameters)


def _advice(command: str, name: str) -> str:
    """Return what to do instead of an option of other tools; "" without a row that says it."""
    return next((row.advice for row in _rows(command, name) if row.advice), "")


_WORDINGS = {r"a valid integer( range)?\b": "a whole number", r"a valid float( range)?\b": "a number"}


def advised(error: click.UsageError, typed: Sequence[str]) -> click.UsageError:
    """Add advice to an error: an example, what does it here, the place for a parameter of a model, a near option."""
    if isinstance(error, click.NoSuchOption) and error.ctx is not None:
        return _option_advised(error, error.ctx, typed)
    message = error.format_message()
    for theirs, ours in _WORDINGS.items():
        message = re.sub(theirs, ours, message)
    if isinstance(error, click.BadParameter) and getattr(error.param, "_flag_needs_value", False):
        message = f"{message.rstrip('.')}; without a value, {error.param.opts[0]} comes last"  # type: ignore[union-attr]
    if "'tukey'" in message:
        message = f"{message.rstrip('.')}; --all-pairs compares each pair by Tukey's HSD"
    if re.fullmatch(r"Missing [^;]+\.", message) and error.ctx and (example := _example(error.ctx)):
        message = f"{message.rstrip('.')}, as in: {example}"
    return click.UsageError(message, error.ctx)


def _example(ctx: click.Context) -> str:
    """Return the first example of a command in its help; "" without one."""
    lines = (line.strip() for line in (ctx.command.epilog or "").splitlines())
    return next((line for line in lines if line.startswith(f"{ctx.command_path} ")), "")


def _option_advised(error: click.NoSuchOption, ctx: click.Context, typed: Sequence[str]) -> click.NoSuchOption:
    option, place, command = error.option_name, _place_of(error.option_name, typed), str(ctx.info_name)
    whole = option if place is None else typed[place].partition("=")[0]
    word = _named(whole.lstrip("-"))
    of_query = command in ("search", "query") and re.fullmatch(r"-[^\W\d_]{3,}", whole)
    option = whole if of_query or word in toysearch.MODELS or _advice(command, word) else option
    name = _named(option.lstrip("-"))
    options = [each for parameter in ctx.command.params for each in parameter.opts]
    of_model = name.rpartition(".")[2]
    model = next((model.name for model in toysearch.MODELS.values() if of_model in model.parameters), None)
    means_model = model or any(row.ours == "--model" for row in _rows(command, name))
    if otherwise := _advice(command, name):
        advice = f": {otherwise}"
    elif means_model and "--model" not in options:
        advice = ": a model is chosen where it ranks, as in toysearch search SOURCE QUERY --model bm25:b=0.4"
    elif model:
        where = f"--grid {of_model}=…" if "--grid" in options else f"--model {model}:{of_model}=…"
        advice = f": parameters belong to the model, as in {where}"
    elif name in toysearch.MODELS and "--model" in options:
        advice = f": --model {name} ranks by it"
    elif option == "-m" and "--model" in options:
        advice = ": --model NAME chooses the model"
    elif command in ("search", "query") and not option.startswith("--"):
        advice = "; if it is of the query, put -- before the query"
    elif near := nearest(name, [each[2:] for each in options if each[:2] == "--"]):
        advice = f"; did you mean {' or '.join(repr(f'--{each}') for each in near)}?"
    else:
        advice = f"; {ctx.command_path} -h lists the options"
    return click.NoSuchOption(option, f"No such option '{option}'{advice}", ctx=ctx)


def swapped_names(name: str, typed: Sequence[str]) -> str:
    """Return the line with two names swapped, of which one can be read, or the sentence on a missing file, or ""."""
    places = [place for place, word in enumerate(typed) if _is_source(word) and typed[place - 1][:1] != "-"]
    if name not in typed or len(places) != 1:  # of several files none is the source
        return ""
    rest, place = [*typed], typed.index(name)
    if places[0] < place and typed[0] == "add":  # its index comes first
        return f"{name}: there is no such file or folder" if os.path.splitext(name)[1] else ""
    source = rest.pop(places[0])
    rest.insert(place, source)
    line = typed_line("toysearch", *rest)
    return f"'{name}' is not a collection, a file or a folder, but '{source}' is: {line}"


def with_options(command: click.Command, args: Sequence[str], words: Sequence[str]) -> list[str]:
    """Move names of models and measures behind their options; files and collections stay where they are."""
    args = [*args]
    for word in words:
        option = "" if _is_source(word) else _option_of(command, word)
        places = [place for place, arg in enumerate(args) if arg == word and not args[place - 1].startswith("-")]
        if option and places:
            del args[places[0]]
            args += [option, word]
    return args


def _option_of(command: click.Command, word: str) -> str:
    from toysearch.evaluation.measures.measure import parse_measures

    options = [option for parameter in command.params for option in parameter.opts]
    for option, parse in (("--model", toysearch.model), ("-m", parse_measures)):
        try:
            if option in options and parse(word):
                return option
        except ToysearchError:
            continue
    return ""
