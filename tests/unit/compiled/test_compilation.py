"""Where compiled loops are kept, and what is said where nothing can be kept."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from toysearch.base.user_cache import compiled_loops

PROGRAM = """
import os, warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import toysearch.compiled.compilation
import numba
print(numba.config.CACHE_DIR)
print(os.path.isdir(numba.config.CACHE_DIR))
print(*(str(each.message) for each in caught), sep="\\n")
"""


def imported(cache: Path) -> list[str]:
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True,
        env={**environment, "XDG_CACHE_HOME": str(cache), "LOCALAPPDATA": str(cache)},
    )  # fmt: skip
    return done.stdout.splitlines()


def test_they_are_kept_where_that_can_be_written_to(tmp_path, monkeypatch):
    folder, there, said = imported(tmp_path)
    assert (Path(folder).parent, there) == (tmp_path / "toysearch" / "compiled", "True")
    assert said == f"compiling the fast loops once; they are kept in {tmp_path / 'toysearch' / 'compiled'}"
    assert imported(tmp_path) == [folder, "True", ""]
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    assert Path(folder).name == compiled_loops().name


def test_a_cache_that_cannot_be_written_to(tmp_path):
    (tmp_path / "file").touch()
    folder, there, said = imported(tmp_path / "file")
    assert there == "True"
    assert not Path(folder).exists()
    assert tmp_path not in Path(folder).parents
    cache = tmp_path / "file" / "toysearch" / "compiled"
    assert said == (
        f"compiling the fast loops for this run only: {cache} is not writable; set NUMBA_CACHE_DIR to a writable "
        "folder to keep them"
    )
