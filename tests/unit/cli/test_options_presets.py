"""--preset: the analysis, the model and the measures of a published system, where they are not given."""

from __future__ import annotations

import click
import pytest
from shell import every_command, refusal, run

import toysearch
from toysearch.cli.options import PRESETS

ALL = dict(every_command())
WITH_PRESET = [name for name, command in ALL.items() if any(option.name == "preset" for option in command.params)]


def test_commands_that_analyse_have_presets():
    assert {"analyze", "search", "run", "eval", "compare", "tune", "ablate", "index", "similar"} <= {*WITH_PRESET}


@pytest.mark.parametrize("command", WITH_PRESET)
@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_is_of_what_the_options_of_a_command_take(name, command):
    context = click.Context(ALL[command], default_map=PRESETS[name])
    for option in ALL[command].params:
        if option.name in PRESETS[name]:
            value, source = option.consume_value(context, {})
            assert source is click.core.ParameterSource.DEFAULT_MAP
            assert option.type_cast_value(context, value)


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_is_short_for_its_options(name):
    preset = PRESETS[name]
    options = ("--analyzer", preset["analyzer"], "--model", preset["model"], "-m", *preset["measures"])
    assert run("eval", "companions", "--preset", name).stdout == run("eval", "companions", *options).stdout


def test_what_is_given_too_takes_precedence():
    shown = run("eval", "companions", "--preset", "anserini", "--model", "dph", "-m", "AP", "--json").stdout
    options = ("--analyzer", PRESETS["anserini"]["analyzer"], "--model", "dph", "-m", "AP", "--json")
    assert shown == run("eval", "companions", *options).stdout
    plain = run("analyze", "the cats", "--preset", "anserini", "--analyzer", "plain")
    assert plain.stdout == run("analyze", "the cats", "--analyzer", "plain").stdout
    by_formula = run("search", "companions", "cat", "--preset", "anserini", "--formula", "tf", "--json")
    assert '"model": "formula:tf"' in by_formula.stdout


def test_an_index_is_opened_with_the_analysis_that_it_has_and_no_other(tmp_path):
    for folder, options in (("own", ("--preset", "anserini")), ("other", ())):
        assert run("index", "companions", "-o", str(tmp_path / folder), *options).exit_code == 0
    own = run("eval", str(tmp_path / "own"), "--preset", "anserini")
    assert own.stdout == run("eval", "companions", "--preset", "anserini").stdout
    assert "stores its own analysis: --analyzer cannot be chosen here" in refusal(
        "eval", str(tmp_path / "other"), "--preset", "anserini"
    )


def test_stop_words_of_lucene_are_its_33():
    words = toysearch.Analyzer.parse("english:stop=lucene").stop
    assert len(words) == 33
    assert {"a", "such", "will", "with"} <= words
    assert not {"from", "which", "you"} & words
