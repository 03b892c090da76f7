"""Cures: numbers of the scorecard and of `compare`, cures that help where they should, their costs."""

from __future__ import annotations

import math
import re

import pytest

from toysearch import Analyzer, Collection, Document, Index, Qrels, Query, Searcher, compare, load, model, robustness
from toysearch.base.errors import ArgumentError, ToysearchError
from toysearch.corpus.collection import Queries
from toysearch.laboratory.experiments.robustness.cures import cures_of
from toysearch.laboratory.experiments.robustness.scorecard import best_cure, studied_systems
from toysearch.laboratory.results.tables import as_text
from toysearch.laboratory.study import Study

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
    return robustness(companions, SYSTEMS, cures=True)


def of(card, system):
    """The rows of a system: itself first, then its cures."""
    return [row for row in card.cures if row.system == system]


def row_of(card, system, cure=""):
    return next(row for row in of(card, system) if row.cure == cure)


def test_without_a_cure_the_numbers_are_those_of_the_scorecard(card, companions):
    found = robustness(companions, SYSTEMS, only="semantic rare length spelling")
    for name, made_by in MADE_BY.items():
        for row in found[made_by].rows:
            effect = row_of(card, row.system).effects[name]
            assert (effect.queries, effect.before, effect.after) == (row.queries, row.before, row.after)
    corrected = {row.system: row.corrected for row in found["every word misspelt"].rows}
    for system, value in corrected.items():
        assert row_of(card, system, "spelling correction").effects["spelling"].after == value


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
        _, *cures = of(card, system)
        for name in ("all", *MADE_BY):
            p = sorted(row.effects[name].p for row in cures)
            assert all(0 <= each <= 1 for each in p)
        unchanged = row_of(card, system, "statistics frozen").effects["all"]
        assert (unchanged.difference, unchanged.p) == (0, 1)


def test_frozen_statistics_keep_the_ranking_and_change_nothing_else(card):
    for system in SYSTEMS:
        plain, frozen = row_of(card, system), row_of(card, system, "statistics frozen")
        assert frozen.effects["corpus"].after == 1.0
        for name in ("all", *MADE_BY):
            assert frozen.effects[name].after == plain.effects[name].after


def test_without_collection_statistics_nothing_drifts(card):
    """tf without idf and without length normalisation depends on no other document."""
    assert row_of(card, "tfidf:idf=none").effects["corpus"].after == 1.0
    assert row_of(card, "bm25").effects["corpus"].after < 1.0


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
    assert all(row.milliseconds > 0 for row in card.cures)
    assert row_of(card, "bm25", "character 4-grams").index_bytes > 2 * plain.index_bytes
    assert row_of(card, "bm25", "latent topics").index_bytes > 10 * plain.index_bytes
    assert row_of(card, "bm25", "relevance feedback").index_bytes == plain.index_bytes


def test_a_system_gets_the_cures_that_it_lacks(card, companions):
    names = {system: [row.cure for row in of(card, system)] for system in SYSTEMS}
    assert "idf squared" in names["bm25"]
    assert "idf on" not in names["bm25"]
    assert "idf on" in names["tfidf:idf=none"]
    assert "idf off" not in names["tfidf:idf=none"]
    assert "b = 1" in names["bm25"]
    assert "length normalisation on" in names["tfidf:idf=none"]
    reasons = {each.name: each.reason for each in card.skipped}
    assert reasons["stems, bm25"] == "the system has it already"
    names, missing = possible(companions, model("bm25:b=1"), Analyzer.parse("english:stem=none"))
    assert "stems" in names
    assert missing == {"b = 1": "the system has it already"}


def possible(companions, system, analyzer=None):
    """The names of the cures that a system can have, and the reasons why it cannot have others."""
    studied = studied_systems(Study.of(companions, analyzer=analyzer), [system], "AP")
    names, missing = [], {}
    for _, cure in cures_of(studied.study, studied.language, studied.study):
        try:
            cure.apply(studied.study, system)
            names.append(cure.name)
        except ToysearchError as reason:
            if str(reason):
                missing[cure.name] = str(reason)
    return names, missing


def test_a_mixture_has_no_parts_to_switch(companions):
    names, missing = possible(companions, model("0.5*bm25 + 0.5*lsa:10"))
    assert "statistics frozen" in names
    assert missing["idf off"] == missing["b = 1"] == "it is for a single model of term weights"
    assert missing["latent topics"] == "the system has it already"


def test_progress_counts_the_systems():
    told: list[int] = []
    found = robustness("cat-dog-parrot", ["bm25", "jaccard"], cures=True, progress=told.append)
    assert told == list(range(1, len(found.cures) + 1))


def test_what_is_refused():
    with pytest.raises(ArgumentError, match=r"^cures are measured by one measure, found AP, P@2$"):
        robustness("cat-dog-parrot", "bm25", "AP P@2", cures=True)
    with pytest.raises(ArgumentError, match=r"^cures are measured without workers$"):
        robustness("cat-dog-parrot", "bm25", cures=True, client=object())


def test_a_single_document_and_a_single_query():
    found = robustness(
        Collection("one", [Document("d", "a cat")], [Query("q", "cat")], Qrels.from_dict({"q": {"d": 1}})),
        "bm25",
        cures=True,
    )
    assert {each.property for each in found.skipped} >= {"corpus", "semantic"}
    effect = found.cures[0].effects["length"]
    assert (effect.after, effect.queries) == (1.0, 1)
    assert "spelling" not in found.cures[0].effects  # "cat" is too short for an error
    assert not math.isfinite(found.cures[1].effects["all"].low)
    assert "NaN" not in as_text(found, "json")


def test_the_verdict_names_gain_and_costs(card):
    plain, *cures = of(card, "bm25")
    said = best_cure(plain, cures, "semantic")
    assert re.fullmatch(
        r"most is gained by [a-z ]+: \+0\.\d{4}( \(p = 0\.0[0-4]\d\d\)\.| \(p = 0\.\d{4}\), which may be chance\.) "
        r"It costs -0\.\d{4} for a changing corpus\. "
        r"(A query takes [\d.]+ ms instead of [\d.]+ ms\. )?The index takes [\d.]+ MB instead of [\d.]+ kB\.",
        said,
    )
    frozen = best_cure(plain, cures, "corpus")
    assert frozen.startswith("most is gained by statistics frozen: +0.0")
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
    shown = re.sub(r" +[\d.]+ +[\d.]+ kB$", "   …", str(robustness("cat-dog-parrot", cures=True)), flags=re.MULTILINE)
    assert re.sub(" +…", "   …", shown).split("\n\n")[2] == TEXT


def test_fewer_properties_have_fewer_cures(card, companions):
    """The numbers of the properties that are chosen stay the same, except p, which counts fewer cures."""
    found = robustness(companions, "bm25", only="length", cures=True)
    assert [(row.property, row.cure) for row in found.cures] == [
        ("", ""),
        ("length", "b = 1"),
        ("length", "pivoted normalisation"),
    ]
    for row in found.cures:
        assert [*row.effects] == ["all", "length"]
        assert row.effects["length"].after == row_of(card, "bm25", row.cure).effects["length"].after
