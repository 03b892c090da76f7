"""The parts of two scores, and what moved a document between two rankings, add up: any collection, any two models."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiers import often, thinned

import toysearch
from toysearch import Index, Searcher
from toysearch.base.explanation import SUM
from toysearch.study.compare.run_diff import movers_of
from toysearch.study.explain.order_explanation import standing
from toysearch.study.explain.score_explanation import part_differences
from toysearch.study.explain.worked_formulas import expressions, hook_expressions, score_expressions

WORDS = ["train", "cat", "dog", "κῦμα", "日本語", "the"]
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=9).map(" ".join), min_size=1, max_size=9)
QUERIES = st.lists(st.sampled_from([*WORDS, "unheard"]), min_size=1, max_size=6).map(" ".join)
MIXTURES = [
    "0.7*bm25 + 0.3*tfidf",
    "0.5*min-max(bm25) + 0.5*z-score(lm-dirichlet)",
    "sum(cosine) + -2*euclidean",
    "bm25*dice + min-max(pl2)",
    "2*z-score(bm25plus-rank) + z-score(lm-jm)",
]
SPECS = [*toysearch.MODELS, *MIXTURES, "cosine:weights=tf", "bm25:k3=2", "formula:log(1+tf)*log(1+N/df)"]


def why(searcher: Searcher, text: str, doc_id: str):
    return toysearch.explain(searcher, text, doc_id)


def close(value: float, expected: float, *sizes: float) -> bool:
    """Equal to rounding, which grows with the numbers that were added."""
    return math.isclose(value, expected, rel_tol=1e-9, abs_tol=1e-10 * max(1.0, *map(abs, sizes)))


CALLS = {"ln": math.log, "where": lambda holds, one, other: one if holds else other, "min": min, "max": max, "abs": abs}
CALLS |= {name: getattr(math, name) for name in ("log2", "log10", "exp", "sqrt")}


def read(numbers: str) -> float:
    """What a line comes to as it is printed, of numbers with six digits."""
    for written, python in (("·", "*"), ("−", "-"), ("^", "**"), (" mod ", " % ")):
        numbers = numbers.replace(written, python)
    return float(eval(numbers, {"__builtins__": {}}, CALLS))


@pytest.mark.parametrize("spec", thinned(SPECS, 2))
@settings(max_examples=often(12, quick=4))
@given(texts=TEXTS, query=QUERIES)
def test_the_parts_of_a_score_add_up_to_the_searchers_score(spec, texts, query):
    searcher = Searcher(Index.build(texts, fields=("title", "text")), spec)
    for hit in searcher.search(query, k=None):
        found = why(searcher, query, hit.doc_id).tree.shares()
        assert close(sum(found.values()), hit.score, *found.values())


@pytest.mark.parametrize("first", thinned(SPECS, 3))
@settings(max_examples=often(8, quick=4))
@given(texts=TEXTS, query=QUERIES, second=st.sampled_from(SPECS))
def test_differences_between_two_models_add_up_to_that_of_the_scores(first, texts, query, second):
    index = Index.build(texts, fields=("title", "text"))
    searchers = [Searcher(index, spec) for spec in (first, second)]
    scores = [{hit.doc_id: hit.score for hit in searcher.search(query, k=None)} for searcher in searchers]
    for doc_id in scores[0]:
        before, after = (why(searcher, query, doc_id).tree.shares() for searcher in searchers)
        rows = part_differences(before, after)
        difference = scores[1][doc_id] - scores[0][doc_id]
        assert close(sum(row.difference for row in rows), difference, *before.values(), *after.values())
        assert all(row.difference == row.second - row.first for row in rows)
        sizes = [abs(row.difference) for row in rows]
        assert sizes == sorted(sizes, reverse=True)


@pytest.mark.parametrize("spec", thinned(SPECS, 3))
@settings(max_examples=often(6, quick=4))
@given(texts=TEXTS, query=QUERIES)
def test_differences_between_two_documents_add_up_to_what_the_upper_one_is_ahead(spec, texts, query):
    searcher = Searcher(Index.build(texts, fields=("title", "text")), spec)
    ranking = searcher.search(query, k=None)
    for upper, lower in zip(list(ranking), list(ranking)[1:], strict=False):
        for pair in ((upper, lower), (lower, upper)):
            order = toysearch.explain_order(searcher, query, *(hit.doc_id for hit in pair))
            assert (order.above.doc_id, order.below.doc_id) == (upper.doc_id, lower.doc_id)
            assert order.ahead == upper.score - lower.score
            sizes = [part.first for part in order.parts] + [part.second for part in order.parts]
            assert close(sum(part.difference for part in order.parts), order.ahead, *sizes)
    for rank, hit in enumerate(ranking, 1):
        assert standing(searcher, query, hit.doc_id) == (rank, hit.score)


@pytest.mark.parametrize("first", thinned(SPECS, 3))
@settings(max_examples=often(8, quick=4))
@given(texts=TEXTS, query=QUERIES, second=st.sampled_from(SPECS), n=st.integers(1, 9))
def test_what_moved_a_document_adds_up_in_scores_and_in_leads(first, texts, query, second, n):
    index = Index.build(texts, fields=("title", "text"))
    searchers = [Searcher(index, spec) for spec in (first, second)]
    scores = [{hit.doc_id: hit.score for hit in searcher.search(query, k=None)} for searcher in searchers]
    ranked = [*scores[0]]
    passed = {doc_id: [other for other in ranked if other != doc_id][:n] for doc_id in ranked}
    spans = [max(own.values(), default=0.0) - min(own.values(), default=0.0) for own in scores]
    for doc_id, explained in movers_of(searchers, query, passed, spans).items():
        assert explained.scores == (scores[0][doc_id], scores[1][doc_id])
        sizes = [abs(mover.first) + abs(mover.second) for mover in explained.movers]
        if not passed[doc_id]:
            assert (explained.leads, explained.movers) == ((None, None), [])
            continue
        difference = explained.scores[1] - explained.scores[0]
        assert close(sum(mover.difference for mover in explained.movers), difference, *sizes)
        # Its lead, worked out from the scores alone: no part is looked at.
        leads = []
        for own, span in zip(scores, spans, strict=True):
            others = [own[other] for other in passed[doc_id]]
            leads.append((own[doc_id] - sum(others) / len(others)) / (span or 1.0))
            sizes += [abs(value) / (span or 1.0) for value in own.values()]
        assert close(explained.leads[0], leads[0], *sizes)
        assert close(explained.leads[1], leads[1], *sizes)
        assert all(mover.lift == mover.own - mover.others for mover in explained.movers)
        lifts = sum(mover.lift for mover in explained.movers)
        largest = max([*sizes, *(abs(mover.lift) for mover in explained.movers)], default=1.0)
        assert close(lifts, leads[1] - leads[0], largest)


IN_LINES = [spec for spec in SPECS if spec not in MIXTURES and spec != "bm25f"]


@pytest.mark.parametrize("spec", thinned(IN_LINES, 2))
@settings(max_examples=often(8, quick=4))
@given(texts=TEXTS, query=QUERIES)
def test_the_lines_of_a_models_code_end_in_the_weight(spec, texts, query):
    """All but bm25f, which is made of a loop; and what is written there, read as arithmetic, is that value."""
    searcher = Searcher(Index.build(texts, fields=("title", "text")), spec)
    for hit in searcher.search(query, k=2):
        explanation = toysearch.explain(searcher, query, hit.doc_id)
        hooks = hook_expressions(searcher, query, hit.doc_id)
        for line in [
            *hooks.per_matched_document,
            *hooks.document,
            *(line for own in hooks.query.values() for line in own),
        ]:
            assert read(line.numbers) == pytest.approx(line.value, rel=1e-3, abs=1e-4)
        for line in score_expressions(explanation, searcher.model):
            if line.name == "s" or explanation.tree.formula == SUM:
                assert read(line.numbers) == pytest.approx(line.value, rel=1e-3, abs=1e-4)
        for share in explanation.terms:
            lines = expressions(searcher.model, share, explanation.collection)
            assert lines[-1].name == "weight"
            assert math.isclose(lines[-1].value, share.weight, rel_tol=1e-12)
            assert all(
                read(line.numbers) == pytest.approx(line.value, rel=1e-3, abs=1e-4) for line in lines if line.numbers
            )
            last = {line.name: line.value for line in lines}
            own = {name.removesuffix("_"): value for name, value in share.parts.items() if name.isidentifier()}
            assert {name: last[name] for name in own} == pytest.approx(own, rel=1e-12)
