"""How toysearch is installed where there is a C compiler, where only ziglang has one, and where there is none."""

import shutil
import sys
import zipfile
from importlib import metadata
from pathlib import Path

import pytest
from conftest import loaded
from fresh_environments import ROOT, installed, python_of, run, with_network
from tiers import exhaustive

from toysearch.base.plain_or_compiled import ARRAYS, LOOPS

pytestmark = [pytest.mark.system, pytest.mark.waits]

COMPILED, PLAIN = "loops are compiled", "loops are not compiled: numpy does their work, slower"
HOOK = "import backend; print(backend.get_requires_for_build_wheel())"


BY_ZIG = {"judged_ranks", "run_ranks", "tokens"}
"""The loops that ziglang compiles here; all would take minutes, so the others are those of this checkout."""
BUILT = loaded(ROOT / "build_backend" / "loops.py").BUILT


def loops_of(wheel: Path) -> list[str]:
    """The loops of which a wheel has extension modules."""
    names = (Path(name) for name in zipfile.ZipFile(wheel).namelist())
    return sorted(name.name.partition(".")[0] for name in names if name.suffix in (".so", ".pyd"))


@pytest.fixture(scope="module")
def tools(tmp_path_factory) -> Path:
    """An environment with what a build needs, but for a compiler."""
    folder = tmp_path_factory.mktemp("tools")
    run(sys.executable, "-m", "venv", folder, cwd=folder)
    cython = f"cython=={metadata.version('cython')}"  # that of the loops which are compiled here
    install = ("install", "--quiet", "--disable-pip-version-check", "--no-compile", "setuptools>=77", cython)
    with_network(python_of(folder), "-m", "pip", *install, cwd=folder)
    return folder


@pytest.fixture
def checkout(tmp_path) -> Path:
    """A copy of what a wheel is built from: nothing in it is compiled."""
    folder = tmp_path / "checkout"
    for name in ("toysearch", "build_backend", "corpora", "docs", "notebooks"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("*.so", "*.pyd", "__pycache__"))
    for path in (
        *ROOT.glob("*.md"),
        *(ROOT / name for name in ("LICENSE", "MANIFEST.in", "pyproject.toml", "setup.py")),
    ):
        shutil.copy(path, folder)
    (folder / "empty").mkdir()
    return folder


def wheel_of(checkout: Path, tools: Path, **settings: str) -> Path:
    """The wheel of a copy of the checkout, built without a compiler on the path."""
    folder = checkout.parent / "wheels"
    command = (python_of(tools), "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", folder)
    run(*command, checkout, cwd=checkout, PATH=str(checkout / "empty"), **settings)
    (path,) = folder.glob("*.whl")
    return path


def test_with_a_compiler_every_loop_is_compiled(wheel, environment, tmp_path):
    assert loops_of(wheel) == sorted((*LOOPS, ARRAYS))
    assert not wheel.name.endswith("-none-any.whl")
    assert run(environment / "bin" / "toysearch", "--version", cwd=tmp_path).splitlines()[-1] == COMPILED
    names = "import sys, toysearch.compiled.block_max; print(sum(name.endswith('memoryviews') for name in sys.modules))"
    assert run(python_of(environment), "-c", names, cwd=tmp_path) == "1\n"  # under its whole name alone


@exhaustive
def test_without_any_compiler_toysearch_is_installed_too(environment, checkout, tools, tmp_path):
    plain = wheel_of(checkout, tools)
    assert loops_of(plain) == []
    assert plain.name.endswith("-py3-none-any.whl")
    without = installed(plain, tmp_path, "--no-compile")
    script, compiled = (folder / "bin" / "toysearch" for folder in (without, environment))
    assert run(script, "--version", cwd=tmp_path).splitlines()[-1] == PLAIN
    for command in (["demo"], ["eval", "companions", "--json"]):
        assert run(script, *command, cwd=tmp_path) == run(compiled, *command, cwd=tmp_path)
    run(script, "eval", "companions", cwd=tmp_path, exit_code=2, TOYSEARCH_PATH="compiled")


@exhaustive
def test_without_a_compiler_the_package_ziglang_compiles(checkout, tools, tmp_path):
    with_network(python_of(tools), "-m", "pip", "install", "--quiet", "ziglang>=0.13", cwd=tmp_path)
    compiled_before = shutil.ignore_patterns("tried", *(f"{loop}.*" for loop in BY_ZIG))
    shutil.copytree(BUILT, checkout / BUILT.relative_to(ROOT), ignore=compiled_before)
    by_zig = wheel_of(checkout, tools)
    run(python_of(tools), "-m", "pip", "uninstall", "--quiet", "--yes", "ziglang", cwd=tmp_path)
    assert loops_of(by_zig) == sorted((*LOOPS, ARRAYS))
    here = {path.name: path.read_bytes() for path in BUILT.glob("*.so")}
    modules = {Path(name).name: zipfile.ZipFile(by_zig).read(name) for name in zipfile.ZipFile(by_zig).namelist()}
    assert {name.partition(".")[0] for name, content in here.items() if modules[name] != content} == BY_ZIG
    script = installed(by_zig, tmp_path, "--no-compile") / "bin" / "toysearch"
    printed = {}
    for path in ("compiled", "plain"):
        printed[path] = run(script, "eval", "companions", "--json", cwd=tmp_path, TOYSEARCH_PATH=path)
        run(script, "index", "companions", "-o", f"{path}.idx", cwd=tmp_path, TOYSEARCH_PATH=path)
    assert printed["compiled"] == printed["plain"]
    indexes = [{file.name for file in (tmp_path / f"{path}.idx").iterdir()} for path in ("compiled", "plain")]
    assert indexes[0] == indexes[1]  # their names are checksums


@exhaustive
def test_ziglang_is_asked_for_only_where_it_helps(checkout, tools, tmp_path):
    folder = str(ROOT / "build_backend")

    def asked(**settings: str) -> str:
        return run(python_of(tools), "-c", HOOK, cwd=checkout, PYTHONPATH=folder, **settings).strip()

    assert asked() == "[]"
    empty = str(checkout / "empty")
    assert asked(PATH=empty, PIP_NO_INDEX="1", PIP_CONFIG_FILE="/dev/null") == "[]"
    assert asked(PATH=empty, TOYSEARCH_BUILD="plain") == "[]"
    broken = checkout / "empty" / "cc"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    if asked(PATH="/usr/bin:/bin") == "[]":
        with_network(python_of(tools), "-m", "pip", "download", "--quiet", "--no-deps", "ziglang", cwd=tmp_path)
        assert asked(PATH=empty) == "['ziglang>=0.13']"
