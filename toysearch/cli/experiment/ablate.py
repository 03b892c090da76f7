"""`toysearch ablate`: the contribution of each part of a search system."""

from __future__ import annotations

from typing import Any

from toysearch.base import note
from toysearch.cli import command_of
from toysearch.laboratory.experiments.ablation import ablate
from toysearch.laboratory.study import Study


def noted(study: Study, **_: Any) -> Study:
    """The study; a note says what is not switched in an index."""
    if study.opened is not None:
        note("an index stores its own analysis, so stop words, stemming and title are not switched")
    return study


command = command_of(
    ablate,
    "toysearch ablate companions",
    "toysearch ablate companions --model lm-dirichlet -m nDCG@10 --analyzer none",
    "toysearch ablate cisi --model cosine --test permutation --correction bh --format latex",
    "toysearch ablate companions --model mine.py:rank --json",
    doing="ablating",
    prepare=noted,
)
