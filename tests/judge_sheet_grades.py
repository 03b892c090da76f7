"""Sheets of judges as tests read them: the grades by judge, and what is said of a sheet that cannot be read."""

from typing import Any

import pytest

from toysearch.base.errors import DataError
from toysearch.workbench.judging.judge_sheets import Judges, read_judges


def grades(judges: Judges) -> dict[str, dict[tuple[str, str], float]]:
    """Each judge with their grades by query and document."""
    return {judge: {(row.query_id, row.doc_id): row.relevance for row in qrels} for judge, qrels in judges.items()}


def refusal_of_sheets(files: list[Any], **settings: Any) -> str:
    """The sentence on files that cannot be read as those of judges."""
    with pytest.raises(DataError) as error:
        read_judges(files, **settings)
    return str(error.value)
