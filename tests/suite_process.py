"""The tests of some files in a process of their own, as they run in a simulation."""

import os
import subprocess
import sys

from conftest import ROOT


def suite(*names: str, **variables: str) -> subprocess.CompletedProcess:
    """What pytest says of files or folders below tests/unit with variables of the environment."""
    command = [sys.executable, "-m", "pytest", "-p", "no:xdist", "-p", "no:cacheprovider"]
    command += ["-m", "not exhaustive and not system", *(f"tests/unit/{name}" for name in names)]
    environment = {name: value for name, value in os.environ.items() if name != "TOYSEARCH_TESTS"} | variables
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
