"""Files named relevance*.toml as tests of pytest."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.system

SETTINGS = "[pytest]\n"
PETS = 'collection = "cat-dog-parrot"\n'
HOLDS = '[[expect]]\nmeasure = "AP"\nat_least = 0.9\n'
FAILS = '[[expect]]\nname = "cats"\nquery = 1\ndocument = 3\nin_first = 2\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "pytest.ini").write_text(SETTINGS)
    return tmp_path


def run_pytest(folder: Path, *arguments: str) -> tuple[int, str]:
    plugin = ["-p", "toysearch.workbench.pytest_plugin"]
    command = [sys.executable, "-m", "pytest", *plugin, "-q", "-p", "no:cacheprovider", *arguments]
    # Where the plugin is installed, pytest would load it by itself, and would not have it twice.
    alone = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(command, cwd=folder, env=alone, capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout + done.stderr


def test_expectations_are_tests(folder):
    (folder / "relevance.toml").write_text(PETS + HOLDS + FAILS)
    (folder / "relevance-empty.toml").write_text("")
    (folder / "relevance-unknown.toml").write_text(PETS + FAILS.replace("query = 1", "query = 9") + HOLDS)
    code, printed = run_pytest(folder)
    assert code == 1
    assert (
        f"""
_____________________________________ cats _____________________________________
{folder}/relevance.toml:5
     cats: query 1 has document 3 in the first 2 (bm25 on cat-dog-parrot)
     document 3 is at rank 3; first come 1, 2
"""
        in printed
    )
    assert "\nFAILED relevance.toml::cats - cats: query 1 has document 3 in the first 2 (bm" in printed
    nothing = "no expectation found; expected one table [[expect]] per expectation"
    assert f"{folder / 'relevance-empty.toml'}: {nothing}" in printed
    assert f"{folder / 'relevance-unknown.toml'}:2: collection 'cat-dog-parrot' has no query '9'" in printed
    assert "3 failed, 2 passed" in printed
    assert "Traceback" not in printed


def test_each_can_be_chosen_and_has_a_place(folder):
    (folder / "relevance-of-pets.toml").write_text(PETS + HOLDS + FAILS)
    code, printed = run_pytest(folder, "relevance-of-pets.toml::AP at_least=0.9", "-v")
    assert code == 0
    assert "1 passed" in printed
    assert run_pytest(folder, "-k", "cats")[0] == 1


def test_a_bad_file_is_an_error_of_collection(folder):
    (folder / "relevance.toml").write_text(f"{PETS}ties = 0\n")
    code, printed = run_pytest(folder)
    assert code == 2
    assert f"{folder / 'relevance.toml'}:2: expected rank or trec_eval as ties, found 0\n" in printed
    assert "Traceback" not in printed


def test_without_such_a_file_nothing_is_imported(folder):
    (folder / "test_light.py").write_text(
        "import sys\n"
        "def test_light():\n"
        "    assert 'toysearch.workbench.pytest_plugin' in sys.modules\n"
        "    ours = {name for name in sys.modules if name.startswith('toysearch')}\n"
        "    assert ours == {'toysearch', 'toysearch.workbench', 'toysearch.workbench.pytest_plugin'}\n"
        "    assert not {'numpy', 'scipy', 'tomllib'} & set(sys.modules)\n"
    )
    (folder / "other.toml").write_text("k = [")
    code, printed = run_pytest(folder)
    assert code == 0, printed


def test_the_plugin_is_registered():
    import tomllib

    from conftest import ROOT

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["entry-points"]["pytest11"] == {"toysearch": "toysearch.workbench.pytest_plugin"}
