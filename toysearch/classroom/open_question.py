"""Open questions of the labs, which a tutor grades by hand: one prediction and one explanation per lab."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

_PLACE = re.compile(r"\*\*Your (?:prediction|explanation):\*\*")
_LONGEST = 5_000  # characters of an answer


class OpenQuestion(NamedTuple):
    """Question without an answer that a program could judge."""

    number: str  # of the lab, and its kind, which is also the tag of its cell in the notebook: 5.predict
    title: str
    rubric: tuple[str, ...]  # one point for each line

    @property
    def points(self) -> int:
        """Return the maximum number of points."""
        return len(self.rubric)


_PREDICTION = (
    "It is a claim that the next cell can refute: a number, an order, or a direction.",
    "It gives a reason in the terms of this lab.",
)
_SUBJECTS = {
    1: (
        "The reason names the skewed distribution: a few terms make up much of the text, and most terms are rare.",
        "A stemmer puts words together that searchers mean as one, and words that they do not.",
        "It names a pair of words of each kind, from the lab or of its own.",
        "It says who gains and who loses: more documents are found (recall), and some of them are wrong (precision).",
    ),
    2: (
        "The reason says that each further word of an AND can only shorten the result.",
        "A merge passes each of the two lists once, so its cost is the sum of their lengths.",
        "Starting with the shortest lists keeps the intermediate results short.",
        "It gives an example with numbers.",
    ),
    3: (
        "The reason names what each scheme does with the length of a document.",
        "The dot product grows with the length of the document; the cosine divides by it.",
        "It says that the angle stays the same if a text is repeated.",
        "It names a cost: short documents with one matching word can come out on top.",
    ),
    4: (
        "The reason says what b scales: the length of the document in the denominator.",
        "Saturation: each further occurrence adds less, with the limit k1 + 1 (or 1, in the form of Lucene).",
        "Length: a long document has more words by chance, so its counts weigh less; b says how much.",
        "It says what happens at one extreme, such as k1 = 0 or b = 0.",
    ),
    5: (
        "The reason says that nearly all documents are not relevant, so true negatives decide.",
        "The harmonic mean is near the smaller of the two, so that neither can make up for the other.",
        "It shows how the arithmetic mean is gamed: return everything, or a single sure document.",
        "It names a weakness that F keeps: it ignores the order, or the length of the list may be chosen afterwards.",
    ),
    6: (
        "The reason says who decides the order of a tie: the tool, not the system.",
        "AP looks at the ranks of all relevant documents, P@10 only at how many are among ten.",
        "It gives two rankings that one of the measures distinguishes and the other does not.",
        "It says for which reader each of the two is the right one.",
    ),
    7: (
        "The reason says that a wrong pairing leaves only chance, and what chance gives here.",
        "It names a trap of the files, and the sign by which one notices it.",
        "It says what the trap would have done to the values, and in which direction.",
        "It says how one checks a new collection before the first evaluation.",
    ),
    8: (
        "The reason uses the level of the test: of twenty true null hypotheses, one is rejected on average.",
        "p is the probability of such a difference, or a larger one, if the two systems do not differ.",
        "It says what p is not: the probability that the null hypothesis holds, or the size of the gain.",
        "It says what has to stand beside it: the difference, its interval, and how much was tried.",
    ),
    9: (
        "The reason says that a pool holds the first ranks of the systems that took part.",
        "An unjudged document counts as not relevant, although nobody has looked at it.",
        "A new system finds other documents, so it loses more than the pooled ones.",
        "It names a remedy and its price: judge more, a measure such as bpref, or a count of unjudged documents.",
    ),
    10: (
        "The reason says that the best of many settings is also the luckiest one.",
        "The tuned value was chosen by the same queries that it is reported on.",
        "On other queries the luck is gone, and the setting keeps only what is real.",
        "It says what to report instead: a held-out value, with the number of settings tried.",
    ),
    11: (
        "The reason says what feedback adds to the query where the first documents are wrong.",
        "The user has already seen the marked documents, so ranking them well helps nobody.",
        "Counting them rewards the system for what it was told.",
        "The residual collection removes them for both systems, from the rankings and from the judgments.",
    ),
    12: (
        "The reason compares what the learner adds with what is already in the score of BM25.",
        "A twin of a test query in the training part carries the answers over.",
        "So the held-out value is too high, and most of all for learners that can memorise.",
        "It names the remedy: near-duplicate queries stay in one fold, or a control with shuffled features.",
    ),
    13: (
        "The reason says that users look at the top first, so a place has clicks of its own.",
        "A click rate mixes two things: the chance that users look at a place, and what they find there.",
        "One document at several ranks separates them, as interleaving or shuffling provides.",
        "It names an assumption of its model that may be wrong: that looking depends on the rank alone, for example.",
    ),
    14: (
        "The reason says in which direction such a judge errs, and which systems gain by that.",
        "Agreement is about grades; a conclusion is about differences of systems, which can change where κ is high.",
        "Equal kindness to all systems cancels; kindness to one kind of system does not.",
        "It names the circle: a system that ranks with the model which judges it.",
    ),
}


def open_questions(lab: int) -> tuple[OpenQuestion, ...]:
    """Return the open questions of a lab, in the order of the notebook.

    >>> [question.number for question in open_questions(5)]
    ['5.predict', '5.explain']
    """
    if lab not in _SUBJECTS:
        return ()
    reason, *explanation = _SUBJECTS[lab]
    return (
        OpenQuestion(f"{lab}.predict", "Prediction", (*_PREDICTION, reason)),
        OpenQuestion(f"{lab}.explain", "In your own words", tuple(explanation)),
    )


def written_answers(content: bytes) -> dict[str, str]:
    """Map the kind of each open question of a notebook to what the student wrote below its last mark.

    >>> cell = {"cell_type": "markdown", "metadata": {"tags": ["explain"]}, "source": "**Your explanation:** it is."}
    >>> written_answers(json.dumps({"cells": [cell]}).encode())
    {'explain': 'it is.'}
    """
    texts: dict[str, str] = {}
    try:
        for cell in json.loads(content)["cells"]:
            for kind in {"predict", "explain"} & set(cell["metadata"].get("tags", ())):
                if cell["cell_type"] == "markdown":
                    text = _PLACE.split("".join(cell["source"]))[-1].strip()[:_LONGEST]
                    texts[kind] = text.encode("utf-8", "backslashreplace").decode()  # it may hold lone surrogates
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return {}
    return {kind: text for kind, text in texts.items() if text}


def question_texts(content: bytes) -> dict[str, str]:
    """Map the kind of each open question of a blank notebook to its text: a prediction answers the guess above it."""
    texts: dict[str, str] = {}
    above = ""
    for cell in json.loads(content)["cells"]:
        text = _PLACE.split("".join(cell["source"]))[0].strip()
        for kind in {"predict", "explain"} & set(cell["metadata"].get("tags", ())):
            parts = text.partition("\n\n") if kind == "explain" else above.rpartition("*Guess first:*")
            texts[kind] = parts[2].strip()
        above = text
    return texts
