"""No content of an index folder leads to a crash, a hang, a step outside of an array, or an error but a sentence."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterable
from importlib import util
from pathlib import Path

import pytest
from forged_index_answers import GROUP, PAGED
from forged_indexes import build, build_topics
from tiers import exhaustive

from toysearch.base.plain_or_compiled import LOOPS

pytestmark = pytest.mark.system

TESTS = Path(__file__).resolve().parents[2]
CASES, AT_ONCE = 2100, 300
TOPICS = 30, 90  # number 33 goes wrong without the check of topics
QUICK = 724, 756  # seven of these go wrong without the checks of postings


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """The folder of the sound indexes."""
    folder = tmp_path_factory.mktemp("forged") / "sound"
    build(folder)
    return folder


@pytest.fixture(scope="module")
def paged(tmp_path_factory):
    """The folder of the same indexes, saved as if most of their files were large, and with small groups of terms."""
    folder = tmp_path_factory.mktemp("forged") / "paged"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("toysearch.index.checksums._LARGE", PAGED)
        for module in ("posting_blocks", "file_layout"):
            patch.setattr(f"toysearch.index.{module}.GROUP", GROUP)
        build(folder)
    return folder


@pytest.fixture(scope="module")
def topics(tmp_path_factory):
    """The folder of a sound index with latent topics."""
    folder = tmp_path_factory.mktemp("forged") / "topics"
    build_topics(folder)
    return folder


def wrong(sound: Path, start: int, stop: int, *options: str, **environment: str) -> list[str]:
    """What goes wrong with the forged indexes of these numbers, all asked in another process."""
    process = subprocess.run(
        [sys.executable, TESTS / "forged_index_answers.py", sound, str(start), str(stop), *options],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    said = [json.loads(line) for line in process.stdout.splitlines()]
    tried = [each for each in said if isinstance(each, dict)]
    if len(tried) < stop - start:
        return [f"case {said[-1] if said else start} ends the process with {process.returncode}: {process.stderr}"]
    assert any(each["answered"] > 4 for each in tried)
    return [f"case {each['case']}: {found}" for each in tried for found in each["found"]]


def test_forged_indexes_give_an_answer_or_a_sentence(sound):
    assert wrong(sound, *QUICK) == []


@exhaustive
def test_forged_topics_give_an_answer_or_a_sentence(topics):
    assert wrong(topics, *TOPICS) == []


@exhaustive
def test_forged_large_files_give_an_answer_or_a_sentence(paged):
    assert wrong(paged, 0, 300, "--paged") == []


@exhaustive
@pytest.mark.parametrize("start", range(0, CASES, AT_ONCE))
def test_more_forged_indexes_give_an_answer_or_a_sentence(sound, start):
    assert wrong(sound, start, start + AT_ONCE) == []


def watched(kind: str, loops: Iterable[str], folder: Path) -> dict[str, str]:
    """Compile loops so that they check every bound, or that gcc's AddressSanitizer watches; what they need."""
    include, bounds, flags, environment = sysconfig.get_paths()["include"], kind == "bounds", ["-O0"], {}
    if not (shutil.which("gcc") and util.find_spec("Cython") and Path(include, "Python.h").exists()):
        pytest.skip("loops are compiled by gcc and Cython")
    if not bounds:
        library = subprocess.run(["gcc", "-print-file-name=libasan.so"], capture_output=True, text=True).stdout.strip()
        if not Path(library).is_absolute():
            pytest.skip("gcc has no AddressSanitizer here")
        flags += ["-fsanitize=address", "-fno-omit-frame-pointer"]
        environment = {"LD_PRELOAD": library, "ASAN_OPTIONS": "detect_leaks=0"}
    directives = f"boundscheck={bounds},wraparound=False,cdivision=True,initializedcheck=False,infer_types=True"
    for loop in loops:
        source, code = TESTS.parent / "toysearch" / "compiled" / f"{loop}.py", folder / f"{loop}.c"
        module = folder / f"{loop}{sysconfig.get_config_var('EXT_SUFFIX')}"
        subprocess.run([sys.executable, "-m", "cython", "-3", "-X", directives, source, "-o", code], check=True)
        subprocess.run(["gcc", "-shared", "-fPIC", "-w", *flags, f"-I{include}", code, "-o", module], check=True)
    return environment


WATCHED = [("bounds", ["bit_packing"], 10)]
WATCHED += [pytest.param(kind, LOOPS, 300, marks=exhaustive) for kind in ("bounds", "addresses")]


@pytest.mark.parametrize(("kind", "loops", "cases"), WATCHED)
def test_compiled_loops_stay_within_their_arrays(sound, tmp_path, kind, loops, cases):
    environment = watched(kind, loops, tmp_path)
    assert wrong(sound, 300, 300 + cases, "--compiled", f"--loops={tmp_path}", **environment) == []
