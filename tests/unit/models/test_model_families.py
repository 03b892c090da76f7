"""The table of families names every model that their files declare, and one model loads one file."""

import pkgutil
import subprocess
import sys
from importlib import import_module

import pytest

import toysearch
import toysearch.models
from toysearch.models.model import FAMILIES, Model

FILES = [module.name for module in pkgutil.iter_modules(toysearch.models.__path__)]


@pytest.mark.parametrize("file", FILES)
def test_the_table_names_what_a_file_declares(file):
    declared = {value.name for value in vars(import_module(f"toysearch.models.{file}")).values() if _is_of(value, file)}
    made = {"bm25f"} if file == "bm25" else set()  # a function makes it, of the names of fields
    assert declared | made == {*FAMILIES.get(file, "").split()}


def _is_of(value: object, file: str) -> bool:
    return isinstance(value, Model) and value.function.__module__ == f"toysearch.models.{file}"


def test_the_models_are_a_mapping_like_a_dict():
    names = " ".join(FAMILIES.values()).split()
    assert [*toysearch.MODELS] == names == [model.name for model in toysearch.MODELS.values()]
    assert len(toysearch.MODELS) == len({*names})
    assert toysearch.MODELS.get("bm52") is None
    assert toysearch.MODELS["bm25f"] is toysearch.model("bm25f")
    own = toysearch.model("bm25:b=0")
    assert (toysearch.MODELS | {"bm25": own})["bm25"] == ({"mine": own} | toysearch.MODELS)["mine"] == own
    assert repr(toysearch.MODELS) == repr({name: toysearch.model(name) for name in names})


@pytest.mark.waits
def test_a_model_loads_the_file_of_its_family_alone():
    code = "import sys, toysearch; toysearch.model('dph'); print('lm-jm' in toysearch.MODELS, *sys.modules)"
    found, *loaded = subprocess.check_output([sys.executable, "-c", code], text=True).split()
    assert found == "True"
    assert {f"toysearch.models.{file}" for file in FAMILIES} & {*loaded} == {"toysearch.models.divergence"}
