"""The numbers that docs/look-up/results.md promises, computed again."""

from __future__ import annotations

import shlex

import pytest
from conftest import ROOT, loaded
from lengths import by_hand, exhaustive
from shell import run

import toysearch

make_results = loaded(ROOT / "docs" / "make_results.py")

# Of the larger collections, every fourth model is computed again.
STEPS = {"companions": 3, "cranfield": 1, "cisi": 4, "scifact": 4}
LARGER = [pytest.param("cisi", marks=by_hand), pytest.param("scifact", marks=by_hand)]


@pytest.mark.parametrize("name", ["companions", pytest.param("cranfield", marks=exhaustive), *LARGER])
def test_the_page_says_what_the_models_give(name, corpora):
    page = make_results.PAGE.read_text(encoding="utf-8")
    lines, queries = make_results.table(name, make_results.MODELS[:: STEPS[name]])
    assert f"{name} {queries}" in page
    own = page.partition(f"\n## {toysearch.load(name).title}\n")[2].partition("\n## ")[0].splitlines()
    assert [line for line in lines if line not in own] == []
    assert STEPS[name] > 1 or "\n".join(lines) in page


def printed(line: str) -> list[list[str]]:
    """The words of each line that a command prints."""
    return [row.split() for row in run(*shlex.split(line)[1:]).stdout.splitlines()]


@pytest.mark.parametrize(
    ("name", "analysis", "models"),
    [
        ("companions", "plain", ["bm25", "sdm(bm25)", "bm25f"]),
        pytest.param("cranfield", "english", ["smart:Lnu.ltu", "rm3(lm-dirichlet:200)"], marks=exhaustive),
        pytest.param("cranfield", "plain", ["bm25f:T=2,W=1"], marks=exhaustive),
        pytest.param("scifact", "english", ["bm25f"], marks=by_hand),
    ],
)
def test_the_command_of_a_value_prints_it(name, analysis, models, corpora):
    page = make_results.PAGE.read_text(encoding="utf-8")
    own = page.partition(f"\n## {toysearch.load(name).title}\n")[2].partition("\n## ")[0]
    place = list(make_results.ANALYSES).index(analysis) * len(make_results.MEASURES)
    rows = printed(make_results.command(name, analysis, models, make_results.MEASURES))
    for model in models:
        [promised] = [line.split(" | ")[1:] for line in own.splitlines() if line.startswith(f"| `{model}` |")]
        cells = [cell.strip(" |") for cell in promised][place : place + len(make_results.MEASURES)]
        assert cells in [row[1:] for row in rows]


@exhaustive
def test_the_command_of_a_comparison_prints_its_row(corpora):
    page = make_results.PAGE.read_text(encoding="utf-8")
    rows = printed(make_results.comparison_command("cranfield", "rm3(bm25)"))
    [promised] = [line.strip("| ").split(" | ") for line in page.splitlines() if "| `rm3(bm25)` | 0.3401 " in line]
    values = [row[1].rstrip("*~") for row in rows if row[:1] == ["rm3(bm25)"]]
    assert values == promised[1:3]
    [row] = [row for row in rows if row[:2] == ["rm3(bm25)", "0.3401*"]]
    assert (row[2], row[-1].split("/")[::2]) == (promised[3], promised[5:])


@exhaustive
@pytest.mark.filterwarnings("ignore::toysearch.ToysearchNote")
@pytest.mark.parametrize("name", ["cranfield", *LARGER])
@pytest.mark.parametrize("models", [make_results.FEEDBACK, make_results.LATENT], ids=["feedback", "latent"])
def test_the_page_says_what_a_comparison_with_bm25_gives(models, name, corpora):
    page = make_results.PAGE.read_text(encoding="utf-8")
    made = make_results.comparison_table(name, models[:: STEPS[name]])
    assert [line for line in made.splitlines() if line not in page] == []
    assert STEPS[name] > 1 or made in page


MEASURED = {  # AP of Cranfield, CISI and SciFact, measured with other programs by the definitions of toysearch
    "bm25": (0.3173, 0.2220, 0.6380),
    "rm3(bm25)": (0.3401, 0.2457, 0.6073),
    "rocchio(bm25)": (0.3369, 0.2460, 0.5719),
    "bo1(bm25)": (0.3494, 0.2434, 0.5472),
    "bo1(bm25:docs=10,terms=20)": (0.3417, 0.2633, 0.5135),
    "kl(bm25)": (0.3469, 0.2466, 0.5697),
}


def test_feedback_gives_what_was_measured_elsewhere():
    text = (
        make_results.PAGE.read_text(encoding="utf-8")
        .partition("## Feedback compared with BM25")[2]
        .partition("\n## ")[0]
    )
    for model, expected in MEASURED.items():
        rows = [line.split(" | ") for line in text.splitlines() if line.startswith(f"| `{model}` |")]
        assert [float(row[1]) for row in rows] == pytest.approx(expected, abs=1e-4)
