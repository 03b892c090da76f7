"""Failure analysis: the worst, the best and the hardest queries, and what causes a poor answer."""

import pytest

import toysearch
from toysearch import Analyzer, Index, Qrels, Ranking, Run, evaluate
from toysearch.evaluation.measures.measure import parse_measures
from toysearch.laboratory.explain.failure_analysis import causes, hardest, poorest

FILLER = " ".join(f"w{i}" for i in range(40))
DOCUMENTS = [
    toysearch.Document("cat", "how to train a cat"),
    toysearch.Document("dog", "how to train a dog"),
    toysearch.Document("bird", "parrots talk"),
    toysearch.Document("long", f"train {FILLER}"),
]


def found(ranking, grades, text=None, analyzer=None, **options):
    run = Run.from_rankings([Ranking("q", ranking, range(len(ranking), 0, -1))] if ranking is not None else [])
    if ranking is None:
        run = Run.from_rankings([Ranking("other", ["x"], [1.0]), Ranking("q", [], [])])
    qrels = Qrels.from_dict({"q": grades})
    index = Index.build(DOCUMENTS, analyzer or Analyzer()) if text is not None else None
    evaluation = evaluate(run, qrels, "AP", **options)
    return {cause.name: cause for cause in causes(run, qrels, evaluation, "q", index=index, text=text)}


def test_a_well_answered_query_has_no_cause():
    assert found(["cat"], {"cat": 1}, "train cat") == {}
    assert found(["cat"], {"cat": 1}) == {}


def test_nothing_retrieved():
    assert found([], {"cat": 1})["nothing retrieved"].sentence == "nothing was retrieved"


def test_nothing_relevant():
    cause = found(["cat"], {"cat": 1, "dog": 0}, threshold=2)["nothing relevant"]
    assert cause == ("nothing relevant", "none of 2 judged documents reaches grade 2", {"judged": 2, "relevant": 0})


def test_all_stopped():
    stopped = found([], {"cat": 1}, "How to", Analyzer(stop=["how", "to"]))
    assert stopped["all stopped"].sentence.startswith("every word of the query is removed by ")
    assert "all stopped" not in found([], {"cat": 1}, "", Analyzer(stop=["how"]))
    assert "all stopped" not in found([], {"cat": 1}, "how cat", Analyzer(stop=["how"]))


def test_unknown_terms():
    cause = found([], {"cat": 1}, "train hamster gerbil")["unknown terms"]
    assert cause.sentence == "2 of 3 terms are in no document: hamster, gerbil"
    assert cause.numbers == {"unknown": 2, "terms": 3}


def test_relevant_documents_without_a_term_of_the_query():
    cause = found(["cat", "dog"], {"cat": 1, "bird": 1}, "train")["no shared term"]
    assert cause.sentence == "1 of 2 relevant documents shares no term with the query: bird"
    assert cause.numbers == {"apart": 1, "relevant": 2}
    both = found(["cat"], {"cat": 0, "bird": 1, "dog": 1}, "hamster")["no shared term"]
    assert both.sentence == "2 of 2 relevant documents share no term with the query: bird, dog"


@pytest.mark.parametrize(("unjudged", "holds"), [(4, False), (5, True), (10, True)])
def test_unjudged_documents_on_top(unjudged, holds):
    ranking = [f"u{i}" for i in range(unjudged)] + [f"j{i}" for i in range(20)]
    judgments = {f"j{i}": 1 for i in range(20)}
    cause = found(ranking, judgments).get("unjudged on top")
    assert (cause is not None) == holds
    if holds:
        assert cause.sentence == f"{unjudged} of the first 10 documents are unjudged"


def test_one_long_document_in_the_way():
    average = (4 + 4 + 2 + 41) / 4  # the default analyzer drops "a"
    cause = found(["long", "cat"], {"cat": 1, "long": 0}, "train cat")["long document in the way"]
    assert cause.sentence == f"long at rank 1 is 3.2 times as long as the average document (41 and {average:.1f} terms)"
    assert cause.numbers == {"rank": 1, "dl": 41, "avgdl": average}
    assert "long document in the way" not in found(["cat", "long"], {"cat": 1, "long": 0}, "train cat")


@pytest.mark.parametrize(("missed", "holds"), [(1, False), (2, True)])
def test_relevant_documents_that_were_not_retrieved(missed, holds):
    grades = {"a": 1, "b": 1, **{f"m{i}": 1 for i in range(missed)}}
    cause = found(["a", "b"], grades).get("not retrieved")
    assert (cause is not None) == holds
    if holds:
        assert cause.sentence == "2 of 4 relevant documents were not retrieved"


@pytest.mark.parametrize(("above", "holds"), [(9, False), (10, True)])
def test_the_first_relevant_document_is_far_down(above, holds):
    ranking = [f"n{i}" for i in range(above)] + ["a"]
    cause = found(ranking, {**dict.fromkeys(ranking, 0), "a": 1}).get("far down")
    assert (cause is not None) == holds
    if holds:
        assert cause.sentence == "the first relevant document is at rank 11"


QRELS = Qrels.from_dict({"1": {"a": 1}, "2": {"a": 1}, "3": {"a": 1}})


def run(name, ranks):
    """A run that ranks the one relevant document of each query at a rank, or not at all (0)."""
    scores = {query: {f"n{i}": 9.0 - i for i in range(1, rank or 3)} for query, rank in ranks.items()}
    for query, rank in ranks.items():
        scores[query] |= {"a": 9.0 - rank} if rank else {}
    return Run.from_dict(scores, name)


def test_the_best_queries_are_those_with_the_highest_values_in_the_order_of_the_judgments():
    mine = run("mine", {"1": 2, "2": 1, "3": 1})
    result = evaluate(mine, QRELS, "RR")
    assert [query[:2] for query in poorest(mine, QRELS, result, 2, best=True)] == [("2", 1), ("3", 1)]
    assert [query[:2] for query in poorest(mine, QRELS, result, 2)] == [("1", 0.5), ("2", 1)]


def test_the_hardest_queries_are_those_whose_best_value_is_lowest():
    evaluations = [
        evaluate(run("first", {"1": 1, "2": 4, "3": 0}), QRELS, "RR"),
        evaluate(run("second", {"1": 2, "2": 3, "3": 5}), QRELS, "RR"),
    ]
    assert hardest(evaluations) == [("3", 1 / 5, "second"), ("2", 1 / 3, "second"), ("1", 1.0, "first")]
    assert hardest(evaluations, 1) == [("3", 1 / 5, "second")]


def test_where_lower_is_better_the_hardest_are_those_with_the_highest_values():
    evaluations = [evaluate(run("first", {"1": 1, "2": 4, "3": 2}), QRELS, "ESL")]
    assert [query.query_id for query in hardest(evaluations)] == ["2", "3", "1"]
    mine = run("first", {"1": 1, "2": 4, "3": 2})
    assert [query.query_id for query in poorest(mine, QRELS, evaluations[0], 1, best=True)] == ["1"]
    assert parse_measures("ESL")[0].definition.better == "lower"


def test_what_no_ranking_can_hold_is_not_blamed_on_the_ranking():
    with_index = found(["cat"], {"cat": 1, "bird": 1}, "cat")
    assert "not retrieved" not in with_index
    assert "not retrieved" in found(["cat"], {"cat": 1, "bird": 1})


def test_relevant_documents_that_are_not_in_the_collection():
    cause = found(["cat"], {"cat": 1, "hamster": 1}, "cat")["not in the collection"]
    assert cause.sentence == "1 of 2 relevant documents is not in the collection: hamster"
