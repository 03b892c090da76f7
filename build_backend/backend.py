"""The build backend: setuptools, which is asked for a C compiler from the package index where there is none."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import loops
from setuptools import build_meta
from setuptools.build_meta import *  # noqa: F403

Settings = dict[str, Any] | None


def get_requires_for_build_wheel(config_settings: Settings = None) -> list[str]:
    """What a build needs besides setuptools and Cython: a C compiler, unless there is one."""
    return [*build_meta.get_requires_for_build_wheel(config_settings), *_compiler()]


def get_requires_for_build_editable(config_settings: Settings = None) -> list[str]:
    """The same for an installation whose sources stay in the checkout."""
    return [*build_meta.get_requires_for_build_editable(config_settings), *_compiler()]


def _compiler() -> list[str]:
    """The package of a C compiler, if it is needed and can be had."""
    needed = not loops.PLAIN and not loops.missing_headers() and loops.compiler() is None
    return ["ziglang>=0.13"] if needed and _obtainable("ziglang>=0.13") else []


def _obtainable(package: str) -> bool:
    """Whether pip finds a package; an installation must not fail for the lack of what only makes it quicker."""
    command = [sys.executable, "-m", "pip", "install", "--dry-run", "--ignore-installed", "--no-deps", "--quiet"]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    try:
        found = subprocess.run([*command, package], capture_output=True, text=True, env=environment, timeout=300)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return found.returncode == 0 or "No module named pip" in found.stderr  # other front ends bring no pip
