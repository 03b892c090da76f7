"""Labs: exercises for a course, with different numbers for each student, and checks that comment on wrong answers.

>>> from toysearch import labs
>>> started = labs.start(1, student="ada")
>>> labs.check("1.1", ...).passed
False

Beside the exercises it has what their texts use and no search does: codes and laws of textbooks, worked matrices,
causes of failure, simulated users.
"""

from __future__ import annotations

from toysearch.base import front

__all__ = [
    "COLOURS",
    "LESSONS",
    "TESTS",
    "ShownDocument",
    "ShownList",
    "causes",
    "check",
    "collection",
    "corrected",
    "delta",
    "edit_matrix",
    "explain_expansion",
    "gamma",
    "gaps",
    "given",
    "heaps",
    "hint",
    "hubs_and_authorities",
    "judged_feedback",
    "means",
    "needs",
    "page_rank",
    "picture",
    "poorest",
    "progress",
    "relevance_weights",
    "sensitivity",
    "similarity",
    "start",
    "variable_byte",
    "zipf",
]

_HOMES = {
    ".classroom.exercise": "LESSONS",
    ".classroom.lab_collection": "collection",
    ".classroom.notebook": "picture",
    ".classroom.session": "check given hint needs progress start",
    ".classroom.textbook": "edit_matrix",
    ".classroom.three_means": "means",
    ".classroom.textbook_pages": "hubs_and_authorities page_rank relevance_weights",
    ".workbench.clicks.click_log": "ShownDocument ShownList",
    ".workbench.judged_feedback": "judged_feedback",
    ".study.compare.sensitivity": "sensitivity",
    ".study.compare.significance": "TESTS corrected",
    ".classroom.compression": "delta gamma gaps variable_byte",
    ".study.explain.failure_analysis": "causes poorest",
    ".study.explain.score_explanation": "explain_expansion",
    ".study.vocabulary_laws": "heaps zipf",
    ".workbench.report.charts": "COLOURS",
    ".models.similarity": "similarity",
}

__getattr__ = front(__name__, _HOMES)
