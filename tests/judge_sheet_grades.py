"""Sheets of judges as tests read them: the grades by judge, and what is said of a sheet that cannot be read."""

from collections.abc import Iterable
from typing import Any

import pytest

from toysearch.base.errors import DataError
from toysearch.workbench.judging.judge_sheets import read_judges
from toysearch.workbench.judging.judgment_log import Judgment


def grades(given: Iterable[Judgment]) -> dict[str, dict[tuple[str, str], float]]:
    """Each judge with their grades by query and document."""
    by_judge: dict[str, dict[tuple[str, str], float]] = {}
    for each in given:
        by_judge.setdefault(each.judge, {})[each.query_id, each.doc_id] = each.grade
    return by_judge


def reasons(given: Iterable[Judgment]) -> dict[tuple[str, str, str], str]:
    """The reasons by judge, query and document."""
    return {each[1:4]: each.reason for each in given if each.reason}


def given_by(judges: dict[str, dict[str, dict[str, float]]]) -> list[Judgment]:
    """The grades in a dict of judge → query → document → grade."""
    return [
        Judgment("", judge, query_id, doc_id, float(grade))
        for judge, by_query in judges.items()
        for query_id, by_doc in by_query.items()
        for doc_id, grade in by_doc.items()
    ]


def refusal_of_sheets(files: list[Any], **settings: Any) -> str:
    """The sentence on files that cannot be read as those of judges."""
    with pytest.raises(DataError) as error:
        read_judges(files, **settings)
    return str(error.value)
