"""Packages toysearch, with its loops compiled where a C compiler can be had; pyproject.toml has all other settings.

`python setup.py build_ext --inplace` compiles the loops whose sources have changed, beside their sources.
"""

from __future__ import annotations

import atexit
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT / "build_backend"))

import addresses  # noqa: E402
import loops  # noqa: E402

if {"build_ext", "--inplace"} == set(sys.argv[1:]) - {"-q", "--quiet"}:
    sys.exit(loops.in_place())

from setuptools import Extension, setup  # noqa: E402
from setuptools.command.build import build  # noqa: E402
from setuptools.command.build_ext import build_ext  # noqa: E402
from setuptools.command.build_py import build_py  # noqa: E402
from setuptools.command.egg_info import egg_info  # noqa: E402

DATA = {
    "corpora": "_corpora",
    "docs/README.md": "_docs/README.md",
    "docs/do": "_docs/do",
    "docs/learn": "_docs/learn",
    "docs/look-up": "_docs/look-up",
    "docs/slides": "_docs/slides",
    "docs/understand": "_docs/understand",
    "notebooks": "_notebooks",
}
"""What a wheel holds of the checkout besides the package, and where in the package it is."""
BESIDE = ("build.py", "sources", "teacher", "tweak")
"""What makes the notebooks or was made beside them, which a wheel leaves out."""


def temporary() -> str:
    """A folder for this build alone: what an earlier one has left would get into the wheel."""
    folder = tempfile.mkdtemp(prefix="toysearch-build-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


class Build(build):
    """A build in a folder of its own."""

    def initialize_options(self) -> None:
        """Say where."""
        super().initialize_options()
        self.build_base = temporary()


class Metadata(egg_info):
    """Metadata that are not written into the checkout."""

    def initialize_options(self) -> None:
        """Say where."""
        super().initialize_options()
        self.egg_base = temporary()


class Data(build_py):
    """The package and its data."""

    def run(self) -> None:
        """Copy both; a package that is used in the checkout finds its data there."""
        super().run()
        if self.editable_mode:
            return
        for source, place in DATA.items():
            path, copy = ROOT / source, Path(self.build_lib, "toysearch", place)
            if path.is_dir():
                shutil.copytree(path, copy, ignore=shutil.ignore_patterns(".*", "__pycache__", *BESIDE))
            else:
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, copy)


class Loops(build_ext):
    """The extension modules, which are compiled already."""

    def build_extension(self, ext: Any) -> None:
        """Put one into its place."""
        path = Path(self.get_ext_fullpath(ext.name))
        path.parent.mkdir(parents=True, exist_ok=True)
        loops.place(Path(ext.sources[0]), path)


def extensions() -> list[Extension]:
    """The compiled loops; none if nothing compiles them here, or if only metadata or sources are asked for."""
    if not {"bdist_wheel", "editable_wheel", "build", "build_ext", "install"} & set(sys.argv):
        return []
    try:
        return [Extension(name, [str(path)]) for name, path in loops.compiled().items()]
    except loops.NotCompiled as reason:
        if loops.CHOICE == "compiled":
            raise
        print(f"the loops of toysearch are not compiled, so numpy does their work: {reason}", file=sys.stderr)
        if "editable_wheel" in sys.argv:
            loops.clear()
        return []


setup(
    long_description=addresses.description(),
    long_description_content_type="text/markdown",
    ext_modules=extensions(),
    package_dir={"": "."},
    cmdclass={"build": Build, "build_ext": Loops, "build_py": Data, "egg_info": Metadata},
)
