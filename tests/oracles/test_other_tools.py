"""The code of docs/look-up/other-tools.md runs, and the tools agree on the mean AP that the page states."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT

PAGE = (ROOT / "docs" / "look-up" / "other-tools.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^### ([^\n(]+)\n\n```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
COMMANDS = re.findall(r"^\$ toysearch (.+)$", PAGE, re.MULTILINE)
MEAN_AP = float(re.search(r"The mean AP of `a.run` is ([\d.]+)", PAGE)[1])


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the three files that the examples use."""
    folder = tmp_path_factory.mktemp("files")
    for command in COMMANDS:
        subprocess.run([sys.executable, "-m", "toysearch", *command.split()], cwd=folder, check=True)
    return folder


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("code", [pytest.param(code, id=title) for title, code in EXAMPLES])
def test_the_code_runs(code: str, files: Path, monkeypatch: pytest.MonkeyPatch):
    for node in ast.walk(ast.parse(code)):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        for module in [*names, node.module] if isinstance(node, ast.ImportFrom) else names:
            pytest.importorskip(module)
    monkeypatch.chdir(files)
    found: dict[str, Any] = {}
    exec(code, found)
    assert round(found.get("ap", MEAN_AP), 4) == MEAN_AP


def test_the_page_has_examples():
    assert len(EXAMPLES) == 18
    assert sum("ap = " in code for _, code in EXAMPLES) == 6
