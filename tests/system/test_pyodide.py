"""The wheel in Python for browsers: what it requires is there, and micropip installs it."""

import contextlib
import io
import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from conftest import ROOT, loaded
from fresh_environments import with_network
from packaging.requirements import Requirement
from shell import run
from tiers import exhaustive

from toysearch import tiny

pytestmark = [pytest.mark.system, pytest.mark.waits]

MAKING = loaded(ROOT / "docs" / "browser" / "make_lite.py")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
TAB = {"sys_platform": "emscripten", "platform_system": "Emscripten", "platform_machine": "wasm32", "os_name": "posix"}
TAB |= {"platform_python_implementation": "CPython", "implementation_name": "cpython"}
TAB |= {"python_version": "3.14", "python_full_version": "3.14.2"}
IN_PYODIDE = {"altair": "6.0.0", "beautifulsoup4": "4.14.3", "click": "8.3.1", "jinja2": "3.1.6", "markupsafe": "3.0.3"}
IN_PYODIDE |= {"numpy": "2.4.6", "orjson": "3.11.8", "platformdirs": "4.9.4", "requests": "2.33.1"}
IN_PYODIDE |= {"rich": "14.3.3", "scikit-learn": "1.8.0", "scipy": "1.18.0", "threadpoolctl": "3.6.0"}
"""The versions of Pyodide 314, of what toysearch and its charts require."""
IN_NODE = """
import {loadPyodide} from "PYODIDE/pyodide.mjs";
import fs from "fs";
process.on("uncaughtException", (error) => { console.error(String(error.message).slice(-3000)); process.exit(1); });
const pyodide = await loadPyodide();
const wheels = process.argv.slice(2), content = (path) => new Uint8Array(fs.readFileSync(path));
for (const path of wheels) pyodide.FS.writeFile("/tmp/" + path.split("/").pop(), content(path));
pyodide.unpackArchive(content(wheels[0]), "wheel");  // micropip
console.log(await pyodide.runPythonAsync(fs.readFileSync(0, "utf-8")));
"""
INSTALLING = """
import contextlib, importlib.metadata, io, json, os, sys
import micropip
from micropip import package_manager
from micropip.transaction import Transaction

wheels = ["emfs:/tmp/" + name for name in sorted(os.listdir("/tmp")) if name.endswith(".whl")]
resolved = []

class Watched(Transaction):
    async def gather_requirements(self, requirements):
        resolved.append(self)
        await super().gather_requirements(requirements)

package_manager.Transaction = Watched
with contextlib.suppress(Exception):  # numpy and its like come from Pyodide's address
    await micropip.install(wheels, keep_going=True)
transaction = resolved[0]
await micropip.install(wheels, deps=False)
import toysearch
from toysearch import tiny
from toysearch.base import platform
printed = io.StringIO()
folder = os.path.join(os.path.dirname(toysearch.__file__), "_corpora", "companions")
with contextlib.redirect_stdout(printed):
    tiny.main(folder)
    tiny.main(folder, "removing a tick")
measured = None
with contextlib.suppress(ModuleNotFoundError):
    import numpy, scipy
    collection = toysearch.load("companions")
    run = toysearch.Searcher(toysearch.Index.build(collection), "bm25").run(collection.queries)
    measured = toysearch.evaluate(run, collection.qrels, "AP", threshold=collection.threshold)["AP"]
json.dumps({
    "failed": [str(each) for each in transaction.failed],
    "pyodide": {each.name: each.version for each in transaction.pyodide_packages},
    "wheels": sorted(each.name for each in transaction.wheels),
    "version": importlib.metadata.version("toysearch"),
    "python": sys.version.split()[0],
    "system": platform.SYSTEM,
    "alone": platform.ALONE,
    "printed": printed.getvalue(),
    "measured": measured,
})
"""


def requirements():
    """What is required in a tab, of toysearch alone and of its charts."""
    lines = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["charts"]]
    return [each for each in map(Requirement, lines) if each.marker is None or each.marker.evaluate(TAB)]


def test_all_that_is_required_in_a_tab_is_in_pyodide_or_a_wheel_of_pure_python():
    names = {each.name for each in requirements()}
    assert {"PyStemmer", "vl-convert-python"} & names == set()
    assert names - set(MAKING.NOT_IN_PYODIDE) == set(IN_PYODIDE)
    for each in requirements():
        if each.name in IN_PYODIDE:
            assert each.specifier.contains(IN_PYODIDE[each.name]), each


@pytest.fixture(scope="module")
def pyodide():
    """The folder of npm's pyodide."""
    folder = Path(os.environ.get("TOYSEARCH_PYODIDE", ROOT / ".venv" / "node_modules" / "pyodide"))
    if not shutil.which("node") or not (folder / "pyodide.mjs").exists():
        pytest.skip("node or Pyodide is not installed (npm install --prefix .venv pyodide@314)")
    return folder


def test_the_versions_are_those_of_pyodide(pyodide):
    lock = json.loads((pyodide / "pyodide-lock.json").read_text(encoding="utf-8"))
    assert lock["info"]["python"].startswith(TAB["python_version"])
    assert {name: lock["packages"][name]["version"] for name in IN_PYODIDE} == IN_PYODIDE
    assert {*MAKING.NOT_IN_PYODIDE} & {*lock["packages"]} == set()


@exhaustive
def test_micropip_resolves_and_installs_the_wheel_and_the_whole_idea_runs(pyodide, tmp_path):
    lock = json.loads((pyodide / "pyodide-lock.json").read_text(encoding="utf-8"))
    micropip = f"micropip=={lock['packages']['micropip']['version']}"
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", tmp_path]
    pip += ["--only-binary", ":all:", "--python-version", TAB["python_version"]]
    with_network(*pip, micropip, cwd=tmp_path)
    program = tmp_path / "in_node.mjs"
    program.write_text(IN_NODE.replace("PYODIDE", pyodide.resolve().as_uri()), encoding="utf-8")
    built = tmp_path / "wheels"
    built.mkdir()
    wheels = MAKING.wheels(built)
    command = ["node", program, *tmp_path.glob("micropip-*.whl"), *wheels]
    result = subprocess.run(command, input=INSTALLING, capture_output=True, text=True, cwd=tmp_path, timeout=300)
    assert result.returncode == 0, result.stderr[-3000:]
    answer = json.loads(result.stdout.splitlines()[-1])
    assert answer["failed"] == []
    assert set(answer["wheels"]) == {"micropip", "toysearch", *MAKING.NOT_IN_PYODIDE}
    charts = {Requirement(line).name for line in PROJECT["optional-dependencies"]["charts"]}
    alone = {name: version for name, version in IN_PYODIDE.items() if name not in charts}
    assert {name: answer["pyodide"].get(name) for name in alone} == alone
    assert (answer["version"], answer["system"], answer["alone"]) == (PROJECT["version"], "a browser", True)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        tiny.main(str(ROOT / "corpora" / "companions"))
        tiny.main(str(ROOT / "corpora" / "companions"), "removing a tick")
    assert answer["printed"] == printed.getvalue()
    if answer["measured"] is not None:  # where Pyodide's address can be reached
        done = run("eval", "companions", "--model", "bm25", "-m", "AP", "--json")
        assert answer["measured"] == json.loads(done.stdout)["systems"][0]["measures"]["AP"]
