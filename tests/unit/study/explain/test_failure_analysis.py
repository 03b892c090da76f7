"""Failure analysis: the worst, the best and the hardest queries, and what causes a poor answer."""

import pytest

import toysearch
from toysearch import Analyzer, Index, Qrels, Ranking, Run, evaluate
from toysearch.evaluation.measures.measure import parse_measures
from toysearch.study.explain.failure_analysis import causes, hardest, poorest

FILLER = " ".join(f"w{i}" for i in range(40))
DOCUMENTS = [
    toysearch.Document("cat", "how to train a cat"),
    toysearch.Document("dog", "how to train a dog"),
    toysearch.Document("bird", "parrots talk"),
    toysearch.Document("long", f"train {FILLER}"),
]


def found(ranking, grades, text=None, analyzer=None, **options):
    run = Run.from_rankings([Ranking("q", ranking, range(len(ranking), 0, -1))])
    qrels = Qrels.from_dict({"q": grades})
    index = Index.build(DOCUMENTS, analyzer or Analyzer()) if text is not None else None
    evaluation = evaluate(run, qrels, "AP", **options)
    return {cause.name: cause for cause in causes(run, qrels, evaluation, "q", index=index, text=text)}


def unjudged(n):
    """A ranking with so many unjudged documents on top, and its judgments."""
    return [f"u{i}" for i in range(n)] + [f"j{i}" for i in range(20)], {f"j{i}": 1 for i in range(20)}


def far(above):
    """A ranking with so many documents above the relevant one, and its judgments."""
    ranking = [f"n{i}" for i in range(above)] + ["a"]
    return ranking, dict.fromkeys(ranking, 0) | {"a": 1}


NO_TERM = "relevant documents share no term with the query"


@pytest.mark.parametrize(
    ("ranking", "grades", "text", "name", "sentence"),
    [
        ([], {"cat": 1}, None, "nothing retrieved", "nothing was retrieved"),
        ([], {"cat": 1}, "train hamster gerbil", "unknown terms", "2 of 3 terms are in no document: hamster, gerbil"),
        (
            *(["cat", "dog"], {"cat": 1, "bird": 1}, "train", "no shared term"),
            "1 of 2 relevant documents shares no term with the query: bird",
        ),
        (["cat"], {"cat": 0, "bird": 1, "dog": 1}, "hamster", "no shared term", f"2 of 2 {NO_TERM}: bird, dog"),
        (*unjudged(4), None, "unjudged on top", None),
        (*unjudged(5), None, "unjudged on top", "5 of the first 10 documents are unjudged"),
        (*unjudged(10), None, "unjudged on top", "10 of the first 10 documents are unjudged"),
        (
            *(["long", "cat"], {"cat": 1, "long": 0}, "train cat", "long document in the way"),
            "long at rank 1 is 3.2 times as long as the average document (41 and 12.8 terms)",
        ),
        (["cat", "long"], {"cat": 1, "long": 0}, "train cat", "long document in the way", None),
        (["a", "b"], {"a": 1, "b": 1, "m": 1}, None, "not retrieved", None),
        (
            *(["a", "b"], {"a": 1, "b": 1, "m": 1, "n": 1}, None, "not retrieved"),
            "2 of 4 relevant documents were not retrieved",
        ),
        (*far(9), None, "far down", None),
        (*far(10), None, "far down", "the first relevant document is at rank 11"),
        (
            *(["cat"], {"cat": 1, "hamster": 1}, "cat", "not in the collection"),
            "1 of 2 relevant documents is not in the collection: hamster",
        ),
        # What no ranking can hold is not blamed on the ranking.
        (["cat"], {"cat": 1, "bird": 1}, "cat", "not retrieved", None),
        (["cat"], {"cat": 1, "bird": 1}, None, "not retrieved", "1 of 2 relevant documents was not retrieved"),
        (
            *(["bird"], {"cat": 1, "bird": 1, "hamster": 1}, "cat", "not retrieved"),
            "the only relevant document with a query term was not retrieved",
        ),
    ],
)
def test_a_cause_and_its_sentence(ranking, grades, text, name, sentence):
    cause = found(ranking, grades, text).get(name)
    assert (cause and cause.sentence) == sentence


def test_the_numbers_of_a_cause():
    assert found([], {"cat": 1}, "train hamster gerbil")["unknown terms"].numbers == {"unknown": 2, "terms": 3}
    apart = found(["cat", "dog"], {"cat": 1, "bird": 1}, "train")["no shared term"]
    assert apart.numbers == {"apart": 1, "relevant": 2}
    long = found(["long", "cat"], {"cat": 1, "long": 0}, "train cat")["long document in the way"]
    assert long.numbers == {"rank": 1, "dl": 41, "avgdl": (4 + 4 + 2 + 41) / 4}  # the default analyzer drops "a"


def test_a_well_answered_query_has_no_cause():
    assert found(["cat"], {"cat": 1}, "train cat") == {}
    assert found(["cat"], {"cat": 1}) == {}


def test_nothing_relevant():
    cause = found(["cat"], {"cat": 1, "dog": 0}, threshold=2)["nothing relevant"]
    assert cause == ("nothing relevant", "none of 2 judged documents reaches grade 2", {"judged": 2, "relevant": 0})


def test_all_stopped():
    stopped = found([], {"cat": 1}, "How to", Analyzer(stop=["how", "to"]))
    assert stopped["all stopped"].sentence.startswith("every word of the query is removed by ")
    assert "all stopped" not in found([], {"cat": 1}, "", Analyzer(stop=["how"]))
    assert "all stopped" not in found([], {"cat": 1}, "how cat", Analyzer(stop=["how"]))


QRELS = Qrels.from_dict({"1": {"a": 1}, "2": {"a": 1}, "3": {"a": 1}})


def run(name, ranks):
    """A run that ranks the one relevant document of each query at a rank, or not at all (0)."""
    scores = {query: {f"n{i}": 9.0 - i for i in range(1, rank or 3)} for query, rank in ranks.items()}
    for query, rank in ranks.items():
        scores[query] |= {"a": 9.0 - rank} if rank else {}
    return Run.from_dict(scores, name)


def test_the_worst_queries_are_those_with_the_lowest_values_in_the_order_of_the_judgments():
    mine = run("mine", {"1": 2, "2": 1, "3": 1})
    result = evaluate(mine, QRELS, "RR")
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
    assert [query.query_id for query in poorest(mine, QRELS, evaluations[0], 1)] == ["2"]
    assert parse_measures("ESL")[0].definition.better == "lower"


def items(documents, text, relevant, analyzer="plain"):
    """The causes of a query over documents of one's own, as bm25 ranks them."""
    index = Index.build(documents, analyzer)
    run, qrels = toysearch.Searcher(index, "bm25").run({"q": text}), Qrels.from_dict({"q": {relevant: 1}})
    found_causes = causes(run, qrels, evaluate(run, qrels, "RR"), "q", index=index, text=text)
    return {cause.name: cause for cause in found_causes}


def test_a_near_duplicate_at_the_first_rank():
    text = " ".join(f"word{i}" for i in range(19))
    found_causes = items({"copy": f"{text} oak oak", "own": f"{text} oak"}, "oak", "own")
    assert found_causes["near duplicate"].sentence == "copy at rank 1 is nearly own: they share 100% of their terms"
    other = items({"copy": f"{text} oak oak", "own": "oak elm"}, "elm word1 word2 word3", "own")
    assert "near duplicate" not in other
    terms, more = {*text.split(), "oak"}, {*text.split(), "oak", "elm", "fir"}
    jaccard = items({"copy": f"{text} oak oak oak", "own": f"{text} oak elm fir"}, "oak", "own")["near duplicate"]
    assert jaccard.numbers == {"jaccard": len(terms & more) / len(terms | more)}


def test_no_term_of_the_query_is_rare():
    documents = {f"d{i}": "oak oak elm" for i in range(20)} | {"own": "oak elm fir beech ash hazel birch"}
    cause = items(documents, "oak elm", "own")["no rare term"]
    assert cause.sentence == "no rare term: even 'oak' is in 21 of 21 documents"
    assert "no rare term" not in items(documents, "oak fir", "own")


def test_words_that_the_analyzer_drops():
    documents = {"a": "oak oak", "own": "oak tree C R"}
    cause = items(documents, "oak C R", "own")["dropped words"]
    assert cause.sentence == "plain drops 2 of 3 words of the query: C, R"
    assert "dropped words" not in items(documents, "oak tree C", "own")
