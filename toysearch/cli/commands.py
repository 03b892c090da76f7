"""Commands and groups of commands: options under headings, shared options as one object, names suggested."""

from __future__ import annotations

import importlib
import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import click

from toysearch.base import note, typed_line, unknown

TYPED = "toysearch.typed"
"""Where a context keeps the arguments as typed, the name of the command among them."""

READ = frozenset(
    "source sources target targets run runs more files first second collection judged qrels path".split()  # noqa: SIM905
)
READ_OPTIONS = ("qrels", "queries", "judged", "decisions")
"""The names of the arguments and of the options that name what is read, by a path or a name."""

TELL = "tell"
"""The name under which the context keeps the function that is told what each file is taken for."""

FILES = "toysearch docs collections#reading-options"
"""What tells of the options for reading files, instead of the help of a command."""

_HEADINGS = (
    "Options",
    "Ranking",
    "Evaluation",
    "Queries",
    "Test",
    "Notebooks",
    "Workers",
    "Analysis",
    "Input",
    "Output",
)


def examples(*lines: str) -> str:
    """Return the block of examples at the end of the help of a command, for the click parameter `epilog`."""
    return "\n".join(["\b", "Examples:", *(f"  {line}" for line in lines)])


def command(*lines: str, text: str | None = None, **settings: Any) -> Callable[[Callable[..., Any]], click.Command]:
    """Return a decorator that makes a command of a function, with examples; text: its help, instead of the docstring.

    The function reads what is named, does the work, and shows the result.
    """
    return click.command(cls=Command, help=text, epilog=examples(*lines), **settings)


class Option(click.Option):
    """Option with its heading in the help and the object for its value; of a brief one, only the name is shown."""

    def __init__(
        self,
        *names: Any,
        heading: str = "Options",
        into: tuple[str, type] | None = None,
        brief: str = "",
        hidden: bool = False,
        stream: bool = False,
        writes: str = "",
        joined: bool = False,
        kept: bool = False,
        **settings: Any,
    ) -> None:
        default = settings.get("default")
        if joined:  # a list of names in one value, which may come in several: -m AP -m P@10 is -m "AP P@10"
            settings |= {"multiple": True, "default": [default] if default else None, "callback": one_list}
        if kept:  # by the context, for another option or for the main command; the function does not get it
            settings |= {"is_eager": True, "expose_value": False, "callback": _keep}
        settings["hidden"] = hidden or bool(brief)
        settings.setdefault("show_default", default not in (None, "") and not isinstance(default, bool))
        super().__init__(*names, **settings)
        self.heading = heading
        self.into = into
        self.brief = brief  # the command whose help describes it, or `FILES`
        # file or folder, of an output: whether it can be written is looked at before the work
        self.writes = writes or (_kind(self) if "-o" in self.opts and not self.is_flag else "")
        self.stream = stream  # of an output: whether - is standard output; else it is refused

    def make_metavar(self, ctx: click.Context) -> str:
        """Return the placeholder of the value: N for a whole number, X for any number."""
        kind = self.type if self.metavar is None else None
        if isinstance(kind, click.types.IntParamType):
            return "N"
        return "X" if isinstance(kind, click.types.FloatParamType) else super().make_metavar(ctx)

    def get_help_extra(self, ctx: click.Context) -> click.types.OptionHelpExtra:
        """Return the default; a range is only mentioned in errors."""
        extra = super().get_help_extra(ctx)
        extra.pop("range", None)
        return extra


class _WithHelp(click.Command):
    """Command with --help in English: click looks for a translation of its text, which takes 2 ms."""

    _help: click.Option | None = None

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        """Return the option, the same each time; None if the command uses its names for others."""
        names = self.get_help_option_names(ctx)
        if self._help is None and names:
            text = "Show this message and exit."
            self._help = click.Option(
                names,
                is_flag=True,
                is_eager=True,
                expose_value=False,
                callback=shows(click.Context.get_help),
                help=text,
            )
        return self._help


def shows(text: Callable[[click.Context], str]) -> Callable[[click.Context, click.Parameter, bool], None]:
    """Return the callback of a flag that prints a text, and ends the command."""

    def show(ctx: click.Context, _: click.Parameter, value: bool) -> None:
        if value and not ctx.resilient_parsing:
            click.echo(text(ctx), color=ctx.color)
            ctx.exit()

    return show


def _refuse_repeated(ctx: click.Context, order: Sequence[click.Parameter]) -> None:
    """Refuse an option of one value that is given twice; order: the parameters as they were given."""
    for option in dict.fromkeys(order):
        n = order.count(option)
        if isinstance(option, Option) and not (option.multiple or option.is_flag) and n > 1:
            name = max(option.opts, key=len)
            is_of_systems = name in ("--model", "--analyzer", "--language", "--fields")
            more = "; eval and compare take several" if is_of_systems else ""
            raise click.UsageError(
                f"{name} is given {n} times, and takes one value here: leave out the others{more}", ctx
            )


class Command(_WithHelp):
    """Command whose function receives the shared options as one object, such as ``options``, a `SourceOptions`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments, with names of models and measures behind their options; refuse one value given twice."""
        if not ctx.resilient_parsing:
            typed = args = _with_two_dashes(self, args)
            values, extra, order = self.make_parser(ctx).parse_args(args=list(args))
            targets, source = values.get("targets"), values.get("source")
            if extra and isinstance(source, str) and all(map(os.path.isfile, [source, *extra])):
                from toysearch.cli.habits import with_one_source  # most sources are one file

                args, extra = with_one_source(args, source, extra), []
            words = [*extra, *(targets if isinstance(targets, tuple) else ())]
            if len(args) > 1 and not all(map(os.path.exists, words)):
                from toysearch.cli.habits import with_options  # most commands are given files, or one collection

                args = with_options(self, args, words)
            if args is not typed:
                order = self.make_parser(ctx).parse_args(args=list(args))[2]
            _refuse_repeated(ctx, order)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Refuse an output without a place, then call the function with the shared options gathered."""
        inputs: list[object] = []
        gathered: dict[tuple[str, Callable[..., Any]], dict[str, Any]] = {}
        for parameter in self.params:
            name = str(parameter.name)
            value = ctx.params.get(name)
            if name in (READ if isinstance(parameter, click.Argument) else READ_OPTIONS):
                inputs += value if isinstance(value, tuple) else [value or ""]
            if not isinstance(parameter, Option):
                continue
            if "-o" in parameter.opts and value == "-" and not parameter.stream:
                raise click.UsageError(f"-o -: this output cannot be standard output; name a {_kind(parameter)}", ctx)
            if parameter.writes and value not in (None, "", "-"):
                from toysearch.files.writing import refuse_place  # most commands write no file

                refuse_place(value, parameter.writes == "folder")
            if parameter.into is not None and parameter.expose_value:
                gathered.setdefault(parameter.into, {})[name] = ctx.params.pop(name)
        if [str(text).rpartition("=")[2] for text in inputs].count("-") > 1:  # an input may have a name: ada=-
            raise click.UsageError("standard input (-) can be read only once; give the others as files", ctx)
        for (name, kind), values in gathered.items():
            ctx.params[name] = kind(**values)
        return super().invoke(ctx)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options by heading, and the names of options that the help of another command describes."""
        sections: dict[str, list[tuple[str, str]]] = {heading: [] for heading in _HEADINGS}
        brief: dict[str, list[str]] = {}
        for option in self.params:
            if isinstance(option, Option) and option.brief:
                brief.setdefault(option.brief, []).append(max(option.opts, key=len))
            elif isinstance(option, Option) and (record := option.get_help_record(ctx)) is not None:
                sections[option.heading].append(record)
        help_option = self.get_help_option(ctx)
        if help_option is not None and (record := help_option.get_help_record(ctx)) is not None:
            sections["Output" if sections["Output"] else "Options"].append(record)
        for heading, records in sections.items():
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)
        of_files = brief.pop(FILES, [])
        for other, names in brief.items():
            with formatter.section(f"Also, as in `{other} -h`"):
                formatter.write_text("  ".join(names))
        if of_files:
            formatter.write_paragraph()
            such = " (--columns, …)" if "--columns" in of_files else ""
            formatter.write_text(f"How files are read{such}: {FILES}")


def by_name(command: click.Command) -> dict[str, click.Parameter]:
    """Return the parameters of a command by each of their names."""
    return {name: parameter for parameter in command.params for name in parameter.opts}


def _with_two_dashes(command: click.Command, args: list[str]) -> list[str]:
    """Give a long option behind one dash, such as -output, its second: -o would take utput for a file."""
    options = {name[1:] for name in by_name(command) if name.startswith("--")}
    end = args.index("--") if "--" in args else len(args)
    single = {word: option for word in args[:end] if (option := word.partition("=")[0]) in options}
    for option in dict.fromkeys(single.values()):
        note(f"{option} is -{option} here")
    return [f"-{word}" if word in single else word for word in args[:end]] + args[end:]


def _keep(ctx: click.Context, option: click.Parameter, value: Any) -> None:
    ctx.meta[f"toysearch.{option.name}"] = value


def was_given(name: str) -> bool:
    """Return True if the user gave an option of the running command."""
    return click.get_current_context().get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE


def given_options(names: Iterable[str]) -> dict[str, str]:
    """Those of some parameters that the user gave the running command: each name as it is typed, in their order."""
    typed = {
        str(parameter.name): max(parameter.opts, key=len)
        if isinstance(parameter, click.Option)
        else str(parameter.name).upper()
        for parameter in click.get_current_context().command.params
    }
    return {name: typed[name] for name in names if name in typed and was_given(name)}


def refuse_given(names: Iterable[str], sentence: str) -> None:
    """Refuse the first of some parameters that the user gave, by a sentence with {} for it."""
    for typed in given_options(names).values():
        raise click.UsageError(sentence.format(typed))


def kept_value(name: str) -> Any:
    """Return the value of an option that the context keeps; None where no command runs that has it."""
    context = click.get_current_context(silent=True)
    return context and context.meta.get(f"toysearch.{name}")


def one_list(_: click.Context, option: click.Parameter, values: Sequence[str]) -> str | None:
    """Join the values of a parameter; None if there are none."""
    return " ".join(values) if values else None


def _kind(option: click.Parameter) -> str:
    return "file" if option.metavar == "FILE" else "folder"


def command_line() -> str:
    """Return the running command, quoted for a shell."""
    return typed_line("toysearch", *click.get_current_context().meta[TYPED])


class SuggestingGroup(_WithHelp, click.Group):
    """Group of commands, listed in the order of addition, that corrects a misspelt name."""

    command_class = Command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; without any, list the commands of a group that does nothing by itself."""
        if self.no_args_is_help and not (args or ctx.resilient_parsing):
            click.echo(ctx.get_help())
            ctx.exit()
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands, in their own order."""
        return list(self.commands)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command named by the first argument; for an unknown one, a usage error with the nearest name."""
        if self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            if advice := self.advice_on(args[0], ctx):
                raise click.UsageError(f"there is no command '{args[0]}'; {advice}", ctx)
            listed = f"{ctx.command_path} {'--commands' if ctx.parent is None else '-h'} lists all"
            raise click.UsageError(str(unknown("command", args[0], self.list_commands(ctx), listed=listed)), ctx)
        return super().resolve_command(ctx, args)

    def advice_on(self, name: str, ctx: click.Context) -> str | None:
        """Return what does here what people type for a command of this group; None for any other name."""
        from toysearch.base.elsewhere import phrases  # most names are commands

        place = str(ctx.info_name) if ctx.parent else ""
        return next((row.ours for row in phrases("command") if (row.theirs, row.only) == (name, place)), None)


class LazyGroup(SuggestingGroup):
    """Group with one line of help per command that imports only the command used."""

    def __init__(
        self,
        homes: Mapping[str, str],
        groups: Mapping[str, Mapping[str, str]],
        **settings: Any,
    ) -> None:
        super().__init__(**settings)
        self.modules = {name: module for module, names in homes.items() for name in names.split()}
        self.groups = groups
        self.lines = {name: line for lines in groups.values() for name, line in lines.items()}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands, in the order given."""
        return list(self.lines)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Return the command, imported now."""
        if name not in self.lines:
            return None
        import numpy  # noqa: F401  (each command needs it, and deeper in the stack, calls would map memory anew)

        if name in self.modules:
            module = importlib.import_module(self.modules[name])
        else:
            from toysearch.rings import ring  # everyday commands are of the core

            module = ring(name)
        command: click.Command = getattr(module, f"{name}_command")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write one line per command, group by group, without importing any."""
        for heading, lines in self.groups.items():
            with formatter.section(heading):
                formatter.write_dl(list(lines.items()))


def group_in(module: str, lines: Mapping[str, str], *shown: str) -> Callable[[Callable[[], None]], click.Group]:
    """Return a group whose commands, each with its line of help, are all in one module, as NAME_command."""
    return click.group(
        cls=LazyGroup, homes={module: " ".join(lines)}, groups={"Commands": lines}, epilog=examples(*shown)
    )


class Span(click.FloatRange):
    """Number from one to another; nan, which compares with neither, is outside."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number."""
        number = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value} is not a number.", param, ctx)
        return number


def flag(name: str) -> str:
    """Return the option of a parameter."""
    return f"--{name.replace('_', '-')}"
