"""A setting of reading is declared once: arguments, keys of collection.toml and options are its field."""

import inspect

import pytest
from shell import every_command

import toysearch
from toysearch.base import ArgumentError, DataError
from toysearch.cli.options import SourceOptions
from toysearch.cli.source_kinds import EFFECTS, SourceKinds
from toysearch.collection import catalog
from toysearch.collection.recipe import ROLES, read_recipe
from toysearch.files.reading import ARGUMENTS, SETTINGS, Reading, settings_for
from toysearch.study.corpus_check import diagnosis

OF_LOAD = ("source", "topics")
NOT_DIAGNOSED = {"split", "rejected"}


def test_load_has_a_parameter_for_each_setting():
    parameters = {*inspect.signature(toysearch.load).parameters} - {*OF_LOAD}
    missing, unknown = sorted({*ARGUMENTS} - parameters), sorted(parameters - {*ARGUMENTS})
    write = [f"`{name}: … = None` in the signature of load, its docstring, and {name}={name}" for name in missing]
    write += [f"`{name}: … = _setting(…)` in Reading, or leave {name} out of load" for name in unknown]
    assert not write, "write " + "; ".join(write)


@pytest.mark.parametrize("function", ["load", "diagnose"])
def test_each_argument_reaches_the_reading(monkeypatch, function):
    seen = []
    for module, name in ((catalog, "collection_of"), (diagnosis, "read_raw_collection")):
        monkeypatch.setattr(module, name, lambda source, reading, *more: seen.append(reading) or 1 / 0)
    arguments = {name: name for name in ARGUMENTS if function == "load" or name not in NOT_DIAGNOSED}
    with pytest.raises(ZeroDivisionError):
        getattr(toysearch, function)("pets", **arguments)
    assert seen == [Reading(**arguments)], "each argument stands in the Reading under its own name"


def test_every_setting_is_an_option_with_its_words():
    shown = {option.name: option for _, command in every_command() for option in command.params}
    for name, setting in SETTINGS.items():
        assert shown[name].help == setting.help.replace("{on_error}", "--on-error")
        assert shown[name].metavar == setting.metavar
        assert tuple(getattr(shown[name].type, "choices", ())) == setting.choices
        assert EFFECTS[name] == setting.effects
        assert setting.effects.keys() <= {*SourceKinds._fields} - {"runs"} <= {*ROLES}


def test_every_setting_but_files_to_write_is_a_key(tmp_path):
    (tmp_path / "docs.csv").write_text("id,text\n1,a cat\n")
    for name, setting in SETTINGS.items():
        (tmp_path / "collection.toml").write_text(f"{name} = 0\n")
        with pytest.raises(DataError) as refused:
            read_recipe(tmp_path / "collection.toml")
        assert ("unknown key" in str(refused.value)) == setting.is_output, name


def test_settings_for_other_queries_and_judgments_are_not_those_of_the_source():
    every = Reading(**{name: name for name in ARGUMENTS})
    assert SourceOptions(every).of_source == every
    of_queries = {name for name in ARGUMENTS if getattr(SourceOptions(every, queries="-").of_source, name)}
    of_judged = {name for name in ARGUMENTS if getattr(SourceOptions(every, qrels="-").of_source, name)}
    assert {*ARGUMENTS} - of_queries == {"query_fields", "query_columns"}
    assert {*ARGUMENTS} - of_judged == {"grades", "split", "qrels_columns"}


def test_what_is_read_of_each_kind_of_source():
    assert {*settings_for("qrels", "file")} == {"grades", "qrels_columns", "on_error", "encoding"}
    assert {*settings_for("qrels", "other")} == {*settings_for("qrels", "file"), "split"}
    assert {*settings_for("documents", "files")} == {
        *("fields", "input_format", "records", "columns", "ids", "on_error", "rejected", "encoding"),
    }


def test_a_choice_is_one_of_the_setting_s(tmp_path):
    (tmp_path / "docs.csv").write_text("id,text\n1,a cat\n")
    assert len(catalog.collection_of(tmp_path).documents) == 1
    for name, setting in SETTINGS.items():
        for value in setting.choices:
            assert len(catalog.load(tmp_path, **{name: value}).documents) == 1
        if setting.choices:
            with pytest.raises(ArgumentError, match=f"unknown value of {name} 'nothing'"):
                catalog.load(tmp_path, **{name: "nothing"})
