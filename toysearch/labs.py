"""Labs: exercises for a course, with different numbers for each student, and checks that comment on wrong answers.

>>> from toysearch import labs
>>> started = labs.start(1, student="ada")
>>> labs.check("1.1", ...).passed
False

Beside the exercises it has what their texts use and no search does: codes and laws of textbooks, worked matrices,
causes of failure, simulated users.
"""

from __future__ import annotations

from toysearch.base.lazy_namespaces import front

__all__ = [
    "COLOURS",
    "LESSONS",
    "TESTS",
    "Leaderboard",
    "ShownDocument",
    "ShownList",
    "blocks_merged",
    "causes",
    "champion_lists",
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
    "preference",
    "progress",
    "relevance_weights",
    "sensitivity",
    "similarity",
    "start",
    "textbook_view",
    "variable_byte",
    "wand",
    "zipf",
]

_HOMES = {
    ".course.competition.leaderboard": "Leaderboard",
    ".course.exercise": "LESSONS",
    ".course.lab_collection": "collection",
    ".course.notebook": "picture",
    ".course.session": "check given hint needs progress start",
    ".course.textbook": "edit_matrix",
    ".course.textbook_pages": "blocks_merged champion_lists hubs_and_authorities page_rank relevance_weights wand",
    ".evaluation.result": "means",
    ".formats.click_log": "ShownDocument ShownList",
    ".laboratory.experiments.click_preference": "preference",
    ".laboratory.experiments.judged_feedback": "judged_feedback",
    ".laboratory.experiments.stats.power": "sensitivity",
    ".laboratory.experiments.stats.significance": "TESTS corrected",
    ".laboratory.explain.compression": "delta gamma gaps textbook_view variable_byte",
    ".laboratory.explain.failure_analysis": "causes poorest",
    ".laboratory.explain.score_explanation": "explain_expansion",
    ".laboratory.explain.vocabulary_laws": "heaps zipf",
    ".laboratory.results.charts": "COLOURS",
    ".models.similarity": "similarity",
}

__getattr__ = front(__name__, _HOMES)
