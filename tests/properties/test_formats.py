"""What is written is read back, whatever the ids and numbers; and a quick reader gives what a careful one does."""

import contextlib
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiers import thinned

from toysearch import Qrels, Ranking, Run, read_qrels, read_run, write_qrels, write_run
from toysearch.base.errors import DataError

ANY_ID = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n\r"), min_size=1, max_size=5)
PLAIN_ID = st.text(st.sampled_from("aB0-_é日#,;\"'{"), min_size=1, max_size=4)
GRADE = st.one_of(st.integers(-2, 4).map(float), st.floats(allow_nan=False, allow_infinity=False))
SCORE = st.one_of(st.sampled_from([0.0, -0.0, 1.0, 1 + 1e-9]), st.floats(allow_nan=False))
IDS = {"trec": PLAIN_ID, "tsv": PLAIN_ID, "csv": ANY_ID, "json": ANY_ID}


_FOLDER = tempfile.TemporaryDirectory()  # of all examples; removed when the tests end


def folder() -> Path:
    return Path(_FOLDER.name)


@pytest.mark.parametrize(("form", "ending"), thinned([(form, end) for form in IDS for end in ("", ".gz")], 3))
@given(data=st.data())
def test_judgments_come_back_as_they_were(form: str, ending: str, data: st.DataObject) -> None:
    group = st.dictionaries(IDS[form], GRADE, min_size=1, max_size=4)
    grades = data.draw(st.dictionaries(IDS[form], group, min_size=1, max_size=4))
    path = folder() / f"file{ending}"
    write_qrels(Qrels.from_dict(grades), path, form)
    assert list(read_qrels(path)) == list(Qrels.from_dict(grades))


@pytest.mark.parametrize("form", IDS)
@given(data=st.data())
def test_a_ranking_comes_back_in_its_order(form: str, data: st.DataObject) -> None:
    rows = data.draw(st.lists(st.tuples(IDS[form], SCORE), min_size=1, max_size=8, unique_by=lambda row: row[0]))
    query_id = data.draw(IDS[form])
    path = folder() / "file"
    write_run(Run.from_rankings([Ranking(query_id, [d for d, _ in rows], [s for _, s in rows])]), path, form)
    read = read_run(path)[query_id]
    assert sorted(read, key=lambda doc_id: -np.float32(read[doc_id])) == [doc_id for doc_id, _ in rows]


COLUMN = st.sampled_from(["1", "2", "a", "b", "0.5", "-1e3", "inf", "nan", "1_0", "é", "\0", "x y", ""])
ANY_LINE = st.lists(COLUMN, min_size=4, max_size=7).map(" ".join)
GOOD_LINE = st.builds("{} Q0 {} 1 {} tag".format, st.sampled_from("12"), st.sampled_from("abcde"), st.floats(0, 9))
LINES = st.lists(GOOD_LINE, max_size=6) | st.lists(GOOD_LINE | ANY_LINE, max_size=6)


@given(LINES)
def test_any_lines_are_read_or_refused(lines: list[str]) -> None:
    path = folder() / "file"
    path.write_text("\n".join(lines), encoding="utf-8")
    for read in (read_run, read_qrels):
        with contextlib.suppress(DataError):
            assert len(read(path))
