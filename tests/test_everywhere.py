"""What toysearch writes is the same on every system: here, and with Windows' own Python where one has been set up."""

import os
import subprocess
import sys
from pathlib import Path

import everywhere
import pytest
from conftest import ROOT

pytestmark = pytest.mark.system

SAME = f"{len(everywhere.RECORDED.read_text(encoding='utf-8').splitlines())} outputs and files are as on every system\n"


@pytest.mark.waits
def test_files_and_output_are_those_of_other_systems():
    done = subprocess.run([sys.executable, everywhere.__file__], capture_output=True, text=True)
    assert (done.stdout, done.stderr, done.returncode) == (SAME, "", 0)


@pytest.mark.waits
def test_windows_writes_the_same():
    place = os.environ.get("TOYSEARCH_WINDOWS", "")
    checks = Path(os.environ.get("TOYSEARCH_CHECKS", ROOT.parent / "shared" / "checks")) / "windows" / "run.sh"
    if not place or not checks.is_file():
        pytest.skip("no Windows here: TOYSEARCH_WINDOWS names a folder made by windows/setup.sh of TOYSEARCH_CHECKS")
    done = subprocess.run(["bash", checks, place, ROOT, "tests/everywhere.py"], capture_output=True, text=True)
    assert (done.stdout, done.returncode) == (SAME, 0)
