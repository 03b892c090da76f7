"""The build backend: setuptools, which is asked for a C compiler from the package index where there is none."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import loops
from setuptools.build_meta import *  # noqa: F403

Settings = dict[str, Any] | None


def get_requires_for_build_wheel(config_settings: Settings = None) -> list[str]:
    """What a build needs besides setuptools and Cython: a C compiler, unless there is one."""
    return _compiler()


def get_requires_for_build_editable(config_settings: Settings = None) -> list[str]:
    """The same for an installation whose sources stay in the checkout."""
    return _compiler()


def _compiler() -> list[str]:
    """The package of a C compiler, if it is needed and can be had."""
    needed = loops.CHOICE != "plain" and loops.zig_helps() and loops.compiler() is None
    return ["ziglang>=0.13"] if needed and _obtainable("ziglang") else []


def _obtainable(package: str) -> bool:
    """Whether pip finds a package; an installation must not fail for the lack of what only makes it quicker."""
    try:
        answer = subprocess.run(
            [sys.executable, "-m", "pip", "index", "versions", package],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return not answer.returncode or "No module named pip" in answer.stderr  # other front ends bring no pip
