"""Commands that are made from functions have an option for each parameter, with its type, default and help."""

import inspect

import click
import pytest
from shell import derived_commands, refusal

from toysearch.cli.options import descriptions, documented, sections
from toysearch.workbench.commands.derived_commands import command_of


def experiment(collection, *, weight: float = 0.5, folds: int | None = None, strict: bool = False, progress=None):
    """Measure something.

    Its details.

    Parameters
    ----------
    collection : Collection
        Documents with judged queries.
    weight, folds : float or int
        The weight of it. A second sentence.
    strict : bool
        Whether it is strict, such as
        here.

    Returns
    -------
    float
    """


DERIVED = derived_commands()


@pytest.mark.parametrize(("command", "function"), DERIVED.values(), ids=DERIVED)
def test_every_parameter_has_an_option_with_help_and_the_default(command, function):
    options = {option.name: option for option in command.params if isinstance(option, click.Option)}
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.default is parameter.empty or (name in STOOD_FOR and name not in options):
            continue
        option = options[name]
        assert option.help
        if name not in ("model", "models") and not option.is_flag:  # a model is made from its name
            default = [parameter.default] if option.multiple else parameter.default
            assert option.default in (default, None) or parameter.default is None


STOOD_FOR = {"collection", "analyzer", "index", "queries", "qrels", "progress"}
"""Parameters that the source, its options, and the terminal stand for."""


def test_types_defaults_and_help_come_from_the_signature_and_the_docstring():
    command = command_of(experiment, "toysearch experiment companions", doing="measuring")
    options = {option.name: option for option in command.params}
    assert (options["weight"].type, options["weight"].default) == (click.FLOAT, 0.5)
    assert options["weight"].help == "Weight of it."
    assert options["folds"].type is click.INT
    assert options["strict"].is_flag
    assert options["strict"].help == "Whether it is strict, such as here."
    assert command.help == "Measure something.\n\nIts details."
    assert "progress" not in options
    assert "toysearch experiment companions" in command.epilog


def measured(log, *, level: float | None = None, rule: str | None = None):
    """Measure a log.

    Parameters
    ----------
    log : str or Path
        The file of the log.
    level : float, optional
        The level of the test; by default that of the log. More of it.
    rule : str, optional
        How; "strict" by default.
    """
    return log, level, rule


def test_a_parameter_without_a_default_is_an_argument_and_nothing_is_read_without_a_source(capsys):
    command = command_of(
        measured, "toysearch measured LOG", log={"metavar": "LOG"}, after=lambda result, form: print(*result, form)
    )
    assert [parameter.name for parameter in command.params if isinstance(parameter, click.Argument)] == ["log"]
    assert "qrels" not in {parameter.name for parameter in command.params}
    command.main(["a.csv", "--level", "0.5"], standalone_mode=False)
    assert capsys.readouterr().out == "a.csv 0.5 None table\n"


def test_a_default_that_only_the_docstring_tells_is_shown_like_any_other():
    texts = descriptions(sections(measured)["Parameters"])
    assert texts["level"] == "Level of the test.  [default: that of the log]"
    options = {option.name: option for option in command_of(measured, "toysearch measured LOG").params}
    assert options["rule"].help == "How.  [default: strict]"


def test_a_command_that_is_written_out_lists_options_of_a_function_with_what_it_changes():
    @click.command
    @documented(measured)("rule", heading="Test")
    @documented(measured)("level", names=["-l"])
    def command(**values):
        """Nothing."""

    assert [(option.opts, option.type, option.heading) for option in command.params] == [
        (["--rule"], click.STRING, "Test"),
        (["-l"], click.FLOAT, "Options"),
    ]


def test_sections_and_descriptions():
    parts = sections(experiment)
    assert [*parts] == ["", "Parameters", "Returns"]
    assert [*descriptions(parts["Parameters"])] == ["collection", "weight", "folds", "strict"]


def test_a_value_of_another_type_is_refused():
    assert "'x' is not a whole number" in refusal("learn", "companions", "--folds", "x")
