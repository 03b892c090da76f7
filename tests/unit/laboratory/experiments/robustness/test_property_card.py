"""The property card: numbers of the scorecard and of `compare`, cures that help where they should, their costs."""

from __future__ import annotations

import math
import re

import pytest
from lengths import thinned
from pages import WIDTHS, axe_violations, opened
from report_cases import HOSTILE, hostile_report

from toysearch import (
    Analyzer,
    Collection,
    Document,
    Index,
    Qrels,
    Query,
    Searcher,
    compare,
    load,
    model,
    robustness,
)
from toysearch.base.errors import ArgumentError
from toysearch.corpus.collection import Queries
from toysearch.laboratory.experiments.robustness.cures import cures_of
from toysearch.laboratory.experiments.robustness.property_card import property_card
from toysearch.laboratory.experiments.robustness.tested_system import SystemsUnderTest
from toysearch.laboratory.results.forms import as_text
from toysearch.laboratory.results.property_page import property_page
from toysearch.laboratory.results.property_text import verdict

SYSTEMS = ("bm25", "tfidf:idf=none")
MADE_BY = {
    "semantic": "related words only",
    "rare": "three common words",
    "length": "own text added",
    "spelling": "every word misspelt",
}


@pytest.fixture(scope="module")
def companions():
    """Its first judged queries: enough for what is tested, and quicker."""
    whole = load("companions")
    queries = whole.judged_queries[:24]
    judged = Qrels.from_dict({query_id: whole.qrels[query_id] for query_id, _ in queries})
    return whole.with_topics(Queries(queries), judged, whole.threshold)


@pytest.fixture(scope="module")
def card(companions):
    return property_card(companions, SYSTEMS)


def row_of(card, system, cure=""):
    return next(row for row in card.of(system) if row.cure == cure)


def test_without_a_cure_the_numbers_are_those_of_the_scorecard(card, companions):
    found = robustness(companions, SYSTEMS, only="semantic rare length spelling")
    for name, made_by in MADE_BY.items():
        for row in found[made_by].rows:
            effect = row_of(card, row.system).effects[name]
            assert (effect.queries, effect.unaltered, effect.value) == (row.queries, row.original, row.altered)
    corrected = {row.system: row.corrected for row in found["every word misspelt"].rows}
    for system, value in corrected.items():
        assert row_of(card, system, "spelling correction").effects["spelling"].value == value


def test_changes_and_p_are_those_of_compare(card, companions):
    """Over all queries as they are; p is corrected over all cures, so it is compared before its correction."""
    index = Index.build(companions)
    mixed = "0.7*min-max(bm25) + 0.3*min-max(lsa:100)"
    runs = [Searcher(index, name).run(companions.judged_queries) for name in ("bm25", "rm3(bm25)", mixed, "bm25:b=1")]
    found = compare(runs, companions, "AP", correction="none")
    rows = [row_of(card, "bm25", cure) for cure in ("relevance feedback", "latent topics", "b = 1")]
    for row, pair in zip(rows, found.pairs, strict=True):
        effect = row.effects["all"]
        assert effect.difference == pytest.approx(pair.result.mean, abs=1e-12)
        assert effect.low == pytest.approx(pair.result.low)
        assert effect.high == pytest.approx(pair.result.high)
        assert effect.p >= pair.p - 1e-12


def test_p_is_corrected_over_the_cures_of_a_system(card):
    """Holm: the smallest of n p-values is multiplied by n, and none falls below a smaller one."""
    for system in SYSTEMS:
        _, *cures = card.of(system)
        for name in ("all", *MADE_BY):
            p = sorted(row.effects[name].p for row in cures)
            assert all(0 <= each <= 1 for each in p)
        unchanged = row_of(card, system, "statistics frozen").effects["all"]
        assert (unchanged.difference, unchanged.p) == (0, 1)


def test_frozen_statistics_keep_the_ranking_and_change_nothing_else(card):
    for system in SYSTEMS:
        plain, frozen = row_of(card, system), row_of(card, system, "statistics frozen")
        assert frozen.effects["corpus"].value == 1.0
        for name in ("all", *MADE_BY):
            assert frozen.effects[name].value == plain.effects[name].value


def test_without_collection_statistics_nothing_drifts(card):
    """tf without idf and without length normalisation depends on no other document."""
    assert row_of(card, "tfidf:idf=none").effects["corpus"].value == 1.0
    assert row_of(card, "bm25").effects["corpus"].value < 1.0


def test_cures_help_where_they_should(card):
    for system in SYSTEMS:
        assert row_of(card, system, "latent topics").effects["semantic"].difference > 0
        effect = row_of(card, system, "spelling correction").effects["spelling"]
        assert effect.difference > 0.2
        assert effect.p < 0.01
    assert row_of(card, "tfidf:idf=none", "idf on").effects["rare"].difference > 0.05
    assert row_of(card, "tfidf:idf=none", "length normalisation on").effects["length"].difference > 0


def test_what_a_cure_costs(card):
    plain = row_of(card, "bm25")
    assert all(row.milliseconds > 0 for row in card.rows)
    assert row_of(card, "bm25", "character 4-grams").index_bytes > 2 * plain.index_bytes
    assert row_of(card, "bm25", "latent topics").index_bytes > 10 * plain.index_bytes
    assert row_of(card, "bm25", "relevance feedback").index_bytes == plain.index_bytes


def test_a_system_gets_the_cures_that_it_lacks(card, companions):
    names = {system: [row.cure for row in card.of(system)] for system in SYSTEMS}
    assert "idf squared" in names["bm25"]
    assert "idf on" not in names["bm25"]
    assert "idf on" in names["tfidf:idf=none"]
    assert "idf off" not in names["tfidf:idf=none"]
    assert "b = 1" in names["bm25"]
    assert "length normalisation on" in names["tfidf:idf=none"]
    reasons = {each.name: each.reason for each in card.skipped}
    assert reasons["stems, bm25"] == "the system has it already"
    bench = SystemsUnderTest(companions, ["bm25:b=1"], "AP", Analyzer.parse("english:stem=none"))
    missing: dict[str, str] = {}
    names = [cure.name for cure in cures_of(model("bm25:b=1"), bench, lambda _, *told: missing.update([told]))]
    assert "stems" in names
    assert missing == {"b = 1": "the system has it already"}


def test_a_mixture_has_no_parts_to_switch(companions):
    mixed = model("0.5*bm25 + 0.5*lsa:10")
    missing: dict[str, str] = {}
    bench = SystemsUnderTest(companions, [mixed], "AP")
    names = [cure.name for cure in cures_of(mixed, bench, lambda _, *told: missing.update([told]))]
    assert "statistics frozen" in names
    assert missing["idf off"] == missing["b = 1"] == "it is for a single model of term weights"
    assert missing["latent topics"] == "the system has it already"


def test_progress_counts_the_systems():
    told: list[int] = []
    found = property_card("cat-dog-parrot", ["bm25", "jaccard"], progress=told.append)
    assert told == list(range(1, len(found.rows) + 1))


def test_what_is_refused():
    with pytest.raises(ArgumentError, match=r"^a property card has one measure, found AP, P@2$"):
        property_card("cat-dog-parrot", "bm25", "AP P@2")
    with pytest.raises(ArgumentError, match="unknown model 'bm52'"):
        property_card("cat-dog-parrot", "bm52")


def test_a_single_document_and_a_single_query():
    found = property_card(
        Collection("one", [Document("d", "a cat")], [Query("q", "cat")], Qrels.from_dict({"q": {"d": 1}})), "bm25"
    )
    assert {each.property for each in found.skipped} >= {"corpus", "semantic"}
    effect = found.rows[0].effects["length"]
    assert (effect.value, effect.queries) == (1.0, 1)
    assert "spelling" not in found.rows[0].effects  # "cat" is too short for an error
    assert not math.isfinite(found.rows[1].effects["all"].low)
    assert "NaN" not in as_text(found, "json")
    assert property_page(found)


def test_the_verdict_names_gain_and_costs(card):
    said = verdict(card, "bm25", "semantic")
    assert re.fullmatch(
        r"Most is gained by [a-z ]+: \+0\.\d{4}( \(p = 0\.0[0-4]\d\d\)\.| \(p = 0\.\d{4}\), which may be chance\.) "
        r"It costs -0\.\d{4} for a changing corpus\. "
        r"(A query takes [\d.]+ ms instead of [\d.]+ ms\.)?( The index takes [\d.]+ MB instead of [\d.]+ kB\.)?",
        said,
    )
    frozen = verdict(card, "bm25", "corpus")
    assert frozen.startswith("Most is gained by statistics frozen: +0.0")
    assert "No other number falls significantly." in frozen


TEXT = """\
cure                     as they are      rare    corpus    length  spelling    ms   index
no cure                      1.0000    0.7500    1.0000    0.9444    0.3333   …
for rare inputs:
  idf squared               +0.0000   +0.0000   +0.0000   +0.0000   +0.0000   …
for a changing corpus:
  statistics frozen         +0.0000   +0.0000   +0.0000   +0.0000   +0.0000   …
  idf off                   +0.0000   +0.0000   +0.0000   +0.0000   +0.0000   …
for length:
  b = 1                     +0.0000   +0.0000   +0.0000   +0.0556   +0.0000   …
  pivoted normalisation     +0.0000   +0.0000   +0.0000   +0.0556   +0.0000   …
for input errors:
  spelling correction       +0.0000   +0.0000   +0.0000   +0.0000   +0.6667   …
  character 4-grams         +0.0000   -0.2500   +0.0000   +0.0556   +0.6667   …"""


def test_the_text_without_times():
    shown = re.sub(r" +[\d.]+ +[\d.]+ kB$", "   …", str(property_card("cat-dog-parrot")), flags=re.MULTILINE)
    assert re.sub(" +…", "   …", shown).split("\n\n")[2] == TEXT


def test_a_hostile_collection_stays_text():
    comparison = hostile_report()
    name = comparison.title.split(" on ")[-1]
    documents = [Document(f"{HOSTILE}{n}", f"feline {n} {HOSTILE}") for n in range(6)]
    queries = [Query(f"q{n}{HOSTILE}", f"feline {n} {HOSTILE}") for n in range(4)]
    qrels = Qrels.from_dict({query.query_id: {f"{HOSTILE}{n}": n % 3 for n in range(6)} for query in queries})
    page = property_page(property_card(Collection(name, documents, queries, qrels)), {"command": {"command": HOSTILE}})
    assert HOSTILE not in page
    assert "<script>alert" not in page


@pytest.fixture(scope="module")
def page(card, tmp_path_factory):
    file = tmp_path_factory.mktemp("pages") / "properties.html"
    file.write_text(property_page(card, {"command": {"command": "toysearch report"}}), encoding="utf-8")
    return file


@pytest.mark.parametrize("width", thinned(WIDTHS, len(WIDTHS)))
def test_every_chart_is_drawn_and_fills_its_frame(browser, page, width):
    found = opened(browser, page, width=width)
    found.unfold()
    layout = found.layout()
    assert (found.said, found.asked) == ([], [])
    assert layout["beyond"] == 0
    assert len(layout["charts"]) == 1 + 5 * len(SYSTEMS)
    for room, drawn in layout["charts"].values():
        assert room - 2 <= drawn <= room + 1


@pytest.mark.parametrize("dark", thinned([True, False], 2))
def test_axe_finds_nothing(browser, page, dark):
    found = opened(browser, page, width=390, dark=dark, strict=False)
    found.unfold()
    assert axe_violations(found) == []
