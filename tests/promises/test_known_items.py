"""How far known items agree with real judgments: the table of docs/do/known-items.md, computed again.

TOYSEARCH_GOLDEN=write puts what is computed into the page: read the diff.
"""

import os
import re
from itertools import combinations

import pytest
from conftest import ROOT
from scipy.stats import ttest_rel
from tiers import exhaustive

import toysearch
from toysearch.study import Study, known_items
from toysearch.workbench.tune.study_evaluation import study_evaluator

pytestmark = [pytest.mark.system, exhaustive]

PAGE = ROOT / "docs" / "do" / "known-items.md"
TABLE = re.compile(r"(?<=\| --- \| --- \| --- \| --- \| --- \|\n)(?:\| (?:cisi|cranfield|companions|languages) .*\n)+")
ANOTHER_NAME = ("bm25-okapi", "bm25l-rank", "bm25plus-rank")
"""Models that rank as another one of the list, or nearly."""
NOT_ON_ONE_FIELD = ("bm25f",)
MODELS = [name for name in toysearch.MODELS if name not in (*ANOTHER_NAME, *NOT_ON_ONE_FIELD)]
KINDS = ("title", "sentence", "words")
COLLECTIONS = ("cisi", "cranfield", "companions", "languages")
NO_TITLES = "cranfield"  # its texts begin with them


def values(source, measure):
    """The values of each model by query."""
    evaluator = study_evaluator(Study.of(source), [measure])
    return {model: evaluator.values(model) for model in MODELS}


def separated(of, pairs):
    """The pairs that differ in a paired t test, p < .05, each with the better one first."""
    apart = [(one, other) for one, other in pairs if (of[one] != of[other]).any()]
    apart = [pair for pair in apart if ttest_rel(of[pair[0]], of[pair[1]]).pvalue < 0.05]
    return [tuple(sorted(pair, key=lambda model: -of[model].mean())) for pair in apart]


def row(name):
    """The row of a collection in the table."""
    judged, cells = separated(values(name, "AP"), combinations(MODELS, 2)), []
    for kind in KINDS:
        if (name, kind) == (NO_TITLES, "title"):
            cells.append("–")
            continue
        of_items = values(known_items(name, kind), "RR")
        alike = sum(of_items[one].mean() > of_items[other].mean() for one, other in judged)
        by_items = {*separated(of_items, judged)}
        confirmed = len(by_items & {*judged})
        cells.append(f"{alike / len(judged):.0%} ({confirmed}, {len(by_items) - confirmed})")
    return f"| {name} | {len(judged)} | {' | '.join(cells)} |\n"


@pytest.mark.filterwarnings("ignore")
def test_the_table_of_the_page():
    assert len(MODELS) >= 15
    if any(toysearch.load(name).word_counts for name in COLLECTIONS):
        pytest.skip("the texts of a collection are not on this machine")
    computed = "".join(map(row, COLLECTIONS))
    text = PAGE.read_text(encoding="utf-8")
    if os.environ.get("TOYSEARCH_GOLDEN") == "write":
        PAGE.write_text(TABLE.sub(computed, text), encoding="utf-8")
        return
    assert TABLE.search(text)[0] == computed


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", COLLECTIONS[:3])
def test_titles_alone_agree_with_judgments_on_the_analysis(name):
    if toysearch.load(name).word_counts:
        pytest.skip("the texts of the collection are not on this machine")
    analyses = [toysearch.System("bm25", analyzer) for analyzer in ("plain", "english")]
    sources = {"judgments": (name, "AP"), "words": (known_items(name, "words"), "RR")}
    if name != NO_TITLES:
        sources["title"] = (known_items(name, "title"), "RR")
    for kind, (source, measure) in sources.items():
        plain, english = toysearch.compare(analyses, source, measure).evaluations.values()
        of_plain, of_english = ([row[measure] for row in each.per_query.values()] for each in (plain, english))
        assert ttest_rel(of_plain, of_english).pvalue < 0.05
        assert (english[measure] > plain[measure]) == (kind != "words")
