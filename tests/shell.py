"""Lines of the command line as they are typed, run in this process: to start Python takes longer than most of them."""

from __future__ import annotations

import contextlib
import re
import shlex
from collections.abc import Mapping
from pathlib import Path

from click.testing import CliRunner, Result

from toysearch.cli.main import command


def alone(line: str) -> bool:
    """Whether a line is toysearch by itself, without anything that only a shell can do."""
    outside = re.sub(r"'[^']*'|\"[^\"]*\"", "", line)
    return line.split()[0] == "toysearch" and not set(outside) & set("|<>;&$`*?#~")


def typed(line: str, folder: Path, environment: Mapping[str, str] | None = None) -> Result:
    """What a line prints that is typed in a folder; the terminal is a pipe, 80 columns wide."""
    own = {"COLUMNS": "80", **(environment or {})}
    with contextlib.chdir(folder):
        return CliRunner().invoke(
            command, shlex.split(line)[1:], env=own, prog_name="toysearch", catch_exceptions=False
        )
