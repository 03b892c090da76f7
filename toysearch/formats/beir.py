"""BEIR's judgments: ``qrels/*.tsv``, with a header (its documents and queries are JSON Lines: `jsonl.py`)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from toysearch.errors import DataError, malformed
from toysearch.formats.lines import finite_number, numbered_lines, refuse_second
from toysearch.records import Qrels

_HEADER = "query-id<TAB>corpus-id<TAB>score"


def read_beir_qrels(path: str | Path) -> Qrels:
    r"""The judgments of a tab-separated file with a header: ``query-id``, ``corpus-id``, ``score``.

    Parameters
    ----------
    path : str or Path
        The file.

    Raises
    ------
    DataError
        With the line, where the header is missing, a line has not three columns, an id is empty, a score is
        no number, or a pair is given twice; if there is no judgment at all.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "test.tsv")
    >>> _ = path.write_text("query-id\tcorpus-id\tscore\n1\t7\t0.5\n")
    >>> read_beir_qrels(path)["1"]
    {'7': 0.5}
    """
    qrels = Qrels.from_records(_judgments(path))
    if not len(qrels):
        raise DataError(f"{path} holds no judgments; expected lines {_HEADER} after a header")
    return qrels


def _judgments(path: str | Path) -> Iterator[tuple[str, str, float]]:
    first_lines: dict[tuple[str, str], int] = {}
    header = True
    for number, line in numbered_lines(path):
        if not line.strip():
            continue
        columns = [column.strip() for column in line.split("\t")]
        if len(columns) != 3:
            raise malformed(
                path, number, f"expected 3 columns separated by tabs ({_HEADER}), found {len(columns)}: '{line}'"
            )
        query_id, doc_id, text = columns
        score = finite_number(text)
        if header:
            header = False
            if score is not None:  # the first judgment would be lost silently
                raise malformed(path, number, f"expected a header such as {_HEADER}, found '{line}'")
            continue
        if score is None:
            raise malformed(path, number, f"expected a number as the score, found '{text}'")
        if not (query_id and doc_id):
            empty = "corpus-id" if query_id else "query-id"
            raise malformed(path, number, f"the {empty} is empty: '{line}'; give it an id or take the line out")
        refuse_second(path, number, (query_id, doc_id), first_lines)
        yield query_id, doc_id, score
