"""Citation support: the loop of ALCE over a judge who knows the facts, the sums of TREC RAG, an example on paper."""

from __future__ import annotations

import json
import random

import pytest

from toysearch import Qrels, evaluate
from toysearch.evaluation.citation_support import citation_support
from toysearch.formats.cited_answers import CitedAnswer, CitedSentence


def label(facts, documents):
    """What the documents say together of the facts of a sentence."""
    said = len(facts & set().union(*documents)) if documents else 0
    return "full" if said == len(facts) else "partial" if said else "no"


def alce(sentences):
    """Recall and precision as the script of ALCE computes them, from (facts, documents) of each sentence."""
    entail = needed = total = 0
    for facts, documents in sentences:
        joint = bool(documents) and label(facts, documents) == "full"
        total += len(documents)
        entail += joint
        if joint and len(documents) > 1:
            for place, document in enumerate(documents):
                rest = documents[:place] + documents[place + 1 :]
                needed += label(facts, [document]) == "full" or label(facts, rest) != "full"
        else:
            needed += joint
    return entail / len(sentences), needed / total if total else 0


@pytest.mark.parametrize("seed", range(30))
def test_loop(seed, tmp_path):
    chance = random.Random(seed)
    answers, expected = [], []
    for query in range(4):
        sentences = [
            (
                set(chance.sample(range(4), chance.randint(1, 3))),
                [set(chance.sample(range(4), chance.randint(0, 3))) for _ in range(chance.randint(0, 4))],
            )
            for _ in range(chance.randint(1, 5))
        ]
        items, weights = [], {"full": 1, "partial": 0.5, "no": 0}
        for facts, documents in sentences:
            rest = [documents[:place] + documents[place + 1 :] for place in range(len(documents))]
            items.append(
                {
                    "text": "…",
                    "citations": list(range(len(documents))),
                    "support": [label(facts, [document]) for document in documents],
                    "together": label(facts, documents),
                    "without": [label(facts, others) for others in rest],
                }
            )
        answers.append(json.dumps({"topic_id": query, "run_id": "a", "answer": items}))
        recall, precision = alce(sentences)
        given = [weights[one] for item in items for one in item["support"]]
        expected.append(
            [
                *(recall, precision, 2 * recall * precision / (recall + precision) if recall and precision else 0),
                sum(weights[item["together"]] for item in items) / len(items),
                sum(given) / len(given) if given else 0,
            ]
        )
    path = tmp_path / "answers.jsonl"
    path.write_text("\n".join(answers))
    result = citation_support(path)
    assert [list(row[2:7]) for row in result.answers] == [pytest.approx(values) for values in expected]
    means = [sum(column) / 4 for column in zip(*expected, strict=True)]
    assert list(result.systems[0][2:7]) == pytest.approx(means)


def test_on_paper():
    sentences = (
        CitedSentence((1.0, 0.0, 1.0)),  # full; the second is not needed: 2 of 3
        CitedSentence((0.5, 0.5), together=1.0),  # full only together: both are needed
        CitedSentence((0.5, 0.5)),  # partial: none counts
        CitedSentence(()),
        CitedSentence((0.5, 0.5, 0.0), together=1.0, without=(0.5, 0.5, 1.0)),  # the third is not needed: 2 of 3
    )
    [row] = citation_support([CitedAnswer("mine", "1", sentences)]).answers
    assert row[2:] == pytest.approx((3 / 5, 6 / 10, 0.6, 3.5 / 5, 5 / 10, 5, 10))


def test_the_first_citation_alone_is_that_of_trec():
    """TREC RAG 2024 judges the first citation of each sentence: full 1, partial 1/2, over citations and sentences."""
    sentences = tuple(CitedSentence(support) for support in ((1.0,), (0.5,), (0.0,), (1.0,), ()))
    [row] = citation_support([CitedAnswer("mine", "1", sentences)]).answers
    assert (row.weighted_precision, row.weighted_recall) == (2.5 / 4, 2.5 / 5)


def test_context_recall_counts_statements_without_support():
    judged = Qrels.from_subtopics({"1": {"a": {"s1": 1}, "b": {"s2": 0, "s3": 1}}})  # no document supports s2
    run = {"1": ["x", "b"]}
    assert evaluate(run, judged, "ContextRecall@2 NuggetRecall@2 ContextRecall@1").means == pytest.approx(
        {"NuggetRecall(missing=True)@2": 1 / 3, "NuggetRecall@2": 1 / 2, "NuggetRecall(missing=True)@1": 0}
    )


def test_context_recall_of_statements_without_any_support_is_0_not_undefined():
    judged = Qrels.from_subtopics({"1": {"a": {"s1": 0}}, "2": {"a": {"s1": 1}}})
    result = evaluate({"1": ["a"], "2": ["a"]}, judged, "ContextRecall NuggetRecall", undefined="nan")
    assert result.means == {"NuggetRecall(missing=True)": 0.5, "NuggetRecall": 1.0}
