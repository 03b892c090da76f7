"""The labs in a simulated tab of a browser: right answers are right there, and provided cells show what they show."""

import json
import re
import subprocess
import sys

import pytest
from conftest import ROOT, loaded
from tiers import exhaustive

from toysearch.labs import LESSONS

pytest.importorskip("jupytext")
pytest.importorskip("IPython")
pytestmark = [pytest.mark.system, pytest.mark.waits]

BUILD = loaded(ROOT / "notebooks" / "build.py")
FIRST = (1,)  # this one is tried by `make test-system`, the others by `make test-all`
COMPILED = "Buffer dtype mismatch, expected 'intp_t' but got 'int'"
"""What a learner of scikit-learn says that was compiled for 64 bits, as it is on this computer."""
PROGRAM = """
import json, sys
from simulated_tab import a_tab
from toysearch.classroom.grading.notebook_run import executed
cells = json.load(sys.stdin)
with a_tab():
    results = executed(cells)
json.dump([[result.outputs, result.trouble] for result in results], sys.stdout)
"""


def shown(outputs):
    """Outputs without pictures, which the notebook draws in a tab."""
    texts = ["".join(output.get("text", output.get("data", {}).get("text/plain", ""))) for output in outputs]
    return [text for text in texts if not text.startswith("[Picture: ")]


@pytest.mark.parametrize(
    "lesson",
    [each if each.number in FIRST else pytest.param(each, marks=exhaustive) for each in LESSONS],
    ids=lambda lesson: lesson.stem,
)
def test_every_check_passes_and_every_provided_cell_shows_the_same(lesson, corpora, tmp_path):
    cells = [cell for cell in BUILD.read(BUILD.SOURCES / f"{lesson.stem}.py") if cell.kind == "code"]
    published = json.loads((ROOT / "notebooks" / f"{lesson.stem}.ipynb").read_text(encoding="utf-8"))["cells"]
    result = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(ROOT / 'tests')!r})\n{PROGRAM}"],
        input=json.dumps([cell.teacher for cell in cells]),
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=tmp_path,
        timeout=600,
    )
    assert result.returncode == 0, result.stderr
    results = json.loads(result.stdout)
    everything = json.dumps(results, ensure_ascii=False)
    for exercise in lesson.exercises:
        assert f"✓ {exercise.number} {exercise.title}" in everything
    assert "✗" not in everything
    data = [output["data"] for outputs, _ in results for output in outputs if "data" in output]
    pictures = [each for each in data if "".join(each["text/plain"]).startswith("[Picture: ")]
    assert len(pictures) >= 2
    assert all("application/vnd.vegalite.v5+json" in each for each in pictures)
    refused = []
    provided = [cell for cell in published if cell["cell_type"] == "code"]
    for cell, (outputs, trouble), here in zip(cells, results, provided, strict=True):
        if trouble:
            refused.append(re.sub(r"^\w+: ", "", trouble))
        elif not cell.is_the_students_own:
            assert shown(outputs) == shown(here["outputs"]), cell.source
    if lesson.number == 10:
        assert [each.partition(" cannot be had in a tab of a browser: ")[0] for each in refused] == [
            "a drawn chart",
            "a process for the code of others",
        ]
    else:
        assert [each for each in refused if lesson.number != 12 or not each.startswith(COMPILED)] == []
