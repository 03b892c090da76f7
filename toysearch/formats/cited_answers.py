"""Answers with citations, and how far each citation supports its sentence: JSON Lines with an object per answer."""

from __future__ import annotations

import json
from collections.abc import Container
from pathlib import Path
from typing import Any, NamedTuple

from toysearch.base import DataError, Problems, checked, counted, encodable, note
from toysearch.formats import object_lines, places_of, run_name

__all__ = ["CitedAnswer", "CitedSentence", "read_cited_answers"]

SUPPORT = {
    **{"full": 1.0, "full support": 1.0, "fs": 1.0, "2": 1.0},
    **{"partial": 0.5, "partial support": 0.5, "ps": 0.5, "1": 0.5},
    **{"no": 0.0, "no support": 0.0, "ns": 0.0, "0": 0.0},
}
"""What support weighs, by its label."""
_EXPECTED = "full, partial, no, 2, 1 or 0"


class CitedSentence(NamedTuple):
    """How far the citations of a sentence support it: 1 fully, 0.5 partly, 0 not.

    Attributes
    ----------
    support : tuple of float
        The support of each citation by itself; empty for a sentence without citations.
    together : float or None
        The support of all of them together; that of the best one if None.
    without : tuple of float or None
        For each citation, the support of the others together; that of the best of them if it is None.
    """

    support: tuple[float, ...]
    together: float | None = None
    without: tuple[float | None, ...] = ()


class CitedAnswer(NamedTuple):
    """The answer of a system to a query.

    Attributes
    ----------
    system, query_id : str
        Who answers what.
    sentences : tuple of CitedSentence
        The sentences of the answer.
    """

    system: str
    query_id: str
    sentences: tuple[CitedSentence, ...]


@checked
def read_cited_answers(path: str | Path) -> list[CitedAnswer]:
    """The judged answers of a file.

    Each object has ``query_id`` (or ``topic_id``), ``run_id`` if the system is not named by the file, and ``answer``, a
    list of sentences, as in TREC RAG. A sentence has ``citations``, and beside it ``support``, a label for each of
    them: full, partial, no (or 2, 1, 0), or null for one that is not judged, which is left out with a note.
    ``together`` and ``without`` may hold the labels of several citations read together.

    Parameters
    ----------
    path : str or Path
        JSON Lines, or an array of objects.

    Raises
    ------
    DataError
        If a line is not an answer, or the file holds none.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "mine.jsonl")
    >>> _ = path.write_text('{"topic_id": 1, "answer": [{"citations": ["d7", "d9"], "support": ["full", "no"]}]}')
    >>> read_cited_answers(path)[0].sentences
    (CitedSentence(support=(1.0, 0.0), together=None, without=()),)
    """
    problems, answers, n_unjudged = Problems(path), dict[tuple[str, str], CitedAnswer](), 0
    for number, line in object_lines(path):
        try:
            answer, unjudged = _answer(json.loads(line), run_name(path))
            answers[unanswered(answer, answers)] = answer
            n_unjudged += unjudged
        except (ValueError, RecursionError) as error:
            problems.add(number, str(error))
    problems.refuse()
    if not answers:
        raise DataError(f"{path} holds no answer; expected JSON objects with the keys query_id and answer")
    if n_unjudged:
        note(f"{path}: {counted(n_unjudged, 'citation')} left out, whose support is not judged")
    return list(answers.values())


def unanswered(answer: CitedAnswer, answers: Container[tuple[str, str]]) -> tuple[str, str]:
    """The system and the query of an answer; refused if they have one."""
    if answer[:2] in answers:
        raise DataError(
            f"system '{answer.system}' answers query '{answer.query_id}' twice; leave one out, or give each system a "
            "run_id of its own"
        )
    return answer[:2]


def _answer(item: Any, system: str) -> tuple[CitedAnswer, int]:
    """The answer in an object, and how many of its citations are not judged."""
    places = places_of(item) if isinstance(item, dict) else {}
    values = list(item.values()) if places else []
    items = item.get("answer") if places else None
    if "query_id" not in places or not isinstance(items, list):
        raise ValueError("expected an object with the keys query_id and answer, a list of sentences")
    query_id, name = values[places["query_id"]], values[places["tag"]] if "tag" in places else system
    if any(type(value) not in (str, int) or value == "" for value in (query_id, name)):
        raise ValueError("query_id and run_id must be a text or a whole number")
    sentences = [_sentence(place, sentence) for place, sentence in enumerate(items, 1)]
    answer = CitedAnswer(
        encodable(str(name))[0], encodable(str(query_id))[0], tuple(sentence for sentence, _ in sentences)
    )
    return answer, sum(n for _, n in sentences)


def _sentence(place: int, item: Any) -> tuple[CitedSentence, int]:
    """The support of a sentence, and how many of its citations are not judged."""
    parts = item if isinstance(item, dict) else {"citations": None}
    citations, labels, without = (parts.get(key, []) for key in ("citations", "support", "without"))
    if not (isinstance(citations, list) and isinstance(labels, list) and len(citations) == len(labels)):
        raise ValueError(f"sentence {place} of the answer needs citations and support, two lists of the same length")
    if not isinstance(without, list) or len(without) not in (0, len(labels)):
        raise ValueError(f"sentence {place} of the answer needs a list as without, with a label for each citation")
    support = [_weight(place, label) for label in labels]
    rest = [_weight(place, label) for label in without or [None] * len(labels)]
    judged = [(one, other) for one, other in zip(support, rest, strict=True) if one is not None]
    sentence = CitedSentence(
        tuple(one for one, _ in judged),
        _weight(place, parts.get("together")),
        tuple(other for _, other in judged) if without else (),
    )
    return sentence, len(support) - len(judged)


def _weight(place: int, label: object) -> float | None:
    """What a label weighs; None for null."""
    if label is not None and (type(label) not in (str, int) or str(label).lower() not in SUPPORT):
        raise ValueError(f"expected {_EXPECTED} as support in sentence {place}, found {json.dumps(label)[:40]}")
    return None if label is None else SUPPORT[str(label).lower()]
