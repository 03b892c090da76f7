"""One verdict: the same sentence in shell, page, report, JSON and Python, whatever the systems and what was tried."""

import html
import itertools
import json
import re

import pytest

pytest.importorskip("starlette")

from page_client import USUAL, client, of_documents
from shell import done

import toysearch
from toysearch.base import Document, Qrels, Query
from toysearch.page.foreign_run import foreign_runs
from toysearch.study.compare.comparison_verdict import condition_of, verdict_of
from toysearch.workbench.report.chart_files import true_minus

N = 30
JUDGED = {str(n): {"a": 1} | dict.fromkeys("bcd", 0) for n in range(N)}


def ranked(*ranks):
    """Rank the relevant document at these ranks, query by query."""
    places = itertools.islice(itertools.cycle(ranks), N)
    return {str(n): [*"bcd"[: rank - 1], "a", *"bcd"[rank - 1 :]] for n, rank in enumerate(places)}


BASE = ranked(2)
OTHERS = {  # in RR, and in P@2 where that differs
    "better": ranked(1),
    "worse": ranked(3),
    "undecided": ranked(*[2] * (N - 1), 1),
    "equal": BASE,
    "mixed": ranked(1, 1, 3),  # better in RR, worse in P@2
    "behind": ranked(*[2] * (N - 1), 4),
}
CASES = [
    (names, measures, tried, margin)
    for size in (1, 2, 4)
    for names in (itertools.combinations(OTHERS, size))
    for measures in ("RR", "RR P@2")
    for tried in (0, 9)
    for margin in (None, 0.1)
    if margin is None or size < 4
]
CHANCE = r"(?:not shown to|may be chance)"
SHOWN = r"(?:is|are|but) (?:better|worse) than"


def comparison_of(names, measures, tried, margin):
    systems = {"base.run": BASE} | {f"{name}.run": OTHERS[name] for name in names}
    return toysearch.compare(systems, JUDGED, measures, tried=tried, margin=margin)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The runs and the judgments as files."""
    path = tmp_path_factory.mktemp("runs")
    for name, run in {"base": BASE, **OTHERS}.items():
        lines = [f"{q} Q0 {doc} {i} {9 - i} {name}.run" for q, docs in run.items() for i, doc in enumerate(docs, 1)]
        (path / f"{name}.run").write_text("\n".join(lines) + "\n")
    judgments = [f"{q} 0 {doc} {grade}" for q, of in JUDGED.items() for doc, grade in of.items()]
    (path / "qrels.txt").write_text("\n".join(judgments) + "\n")
    return path


def page_of(folder):
    """A page of the runs, on which nothing has been tried."""
    documents = [Document(doc_id, f"text {doc_id}") for doc_id in "abcd"]
    queries = [Query(query_id, "text") for query_id in JUDGED]
    source = of_documents(documents, "own", queries, Qrels.from_dict(JUDGED))
    files = [str(folder / f"{name}.run") for name in ("base", *OTHERS)]
    source.runs = foreign_runs(source, files, USUAL)
    return client(source)


def test_each_sentence_holds_of_its_pairs():
    assert len(CASES) == 2 * 2 * (2 * (6 + 15) + 15)
    for case in CASES:
        found = comparison_of(*case)
        text = re.sub(r" \([^()]*\)", "", verdict_of(found))
        if len(found.systems) > 2:
            assert not re.search(CHANCE, text.split(". ")[0]) or not any(map(found.verdict, found.pairs)), (case, text)
            continue
        for pair in found.pairs:
            said = f"in (?:[^;:,.]*\\b{re.escape(pair.measure)}\\b|both measures)"
            shown = re.search(f"{SHOWN} \\S+ {said}", text)
            assert bool(shown) == (found.verdict(pair) != 0), (case, text)
            open_ = re.search(rf"(?:(?:difference|lead)s? {said}|not shown to [a-z ]+ \S+ {said})", text)
            assert bool(open_) == (found.verdict(pair) == 0 and abs(pair.result.mean) > 5e-5), (case, text)


@pytest.mark.system
@pytest.mark.parametrize("case", CASES[:: len(CASES) // 9], ids=str)
def test_every_form_says_the_same(case, folder):
    names, measures, tried, margin = case
    found = comparison_of(*case)
    verdict, caveats = verdict_of(found), found.data()["caveats"]
    assert verdict
    assert (found.data()["verdict"], found.sentences()[0], f": {verdict}>" in repr(found)) == (verdict, verdict, True)
    report = html.unescape(toysearch.report(found, command="toysearch report").html())
    assert true_minus(verdict) in report
    sentences = [one.sentence for one in found.margins]
    assert [one for one in sentences if true_minus(one) not in report] == []

    asked = page_of(folder)
    for number in range(tried and tried - len(names) - 1):
        asked.get(f"/own/search?q=text&model=bm25:b=0.{number}")
    letters = dict(zip("abcdef", ["base.run", *(f"{name}.run" for name in names)], strict=False))
    parameters = letters | {"measure": measures, "margin": margin or "", "depends": "1"}
    data = asked.get("/own/compare.json", params=parameters).json()["overall"]
    assert (data["verdict"], data["margins"]) == (verdict, sentences)
    page = re.sub("</?a[^>]*>", "", html.unescape(asked.get("/own/compare", params=parameters).text))
    assert true_minus(verdict) in page
    assert [one for one in sentences if true_minus(one) not in page] == []
    command = [
        "compare",
        "--qrels",
        str(folder / "qrels.txt"),
        *(str(folder / f"{n}.run") for n in ("base", *names)),
    ]
    command += ["-m", measures, *(["--margin", str(margin)] if margin else []), "--tried", tried]
    printed = json.loads(done(*command, "--json").stdout)
    assert (printed["verdict"], data["condition"]) == (verdict, printed["condition"])
    assert data["caveats"] == [] or caveats
    shown = " ".join(done(*command).stdout.split())
    assert shown.startswith(f"{verdict} {printed['condition']}".rstrip())
    assert verdict in " ".join(done(*command, "--markdown").stdout.split())
    assert condition_of(found, toysearch.study.caveats(found)) == printed["condition"]
