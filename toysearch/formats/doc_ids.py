"""Files that name documents: a doc_id on each line."""

from __future__ import annotations

from pathlib import Path

from toysearch.errors import DataError
from toysearch.formats.text_files import numbered_lines


def read_doc_ids(path: str | Path) -> list[str]:
    r"""The doc_ids of a file, in its order. Blanks around one do not count, blank lines are skipped.

    Parameters
    ----------
    path : str or Path
        The file, gzipped or not; ``-`` is standard input.

    Raises
    ------
    DataError
        If the file cannot be read, or holds none.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "gone.txt")
    >>> _ = path.write_text("d1\n\nd7 \n")
    >>> read_doc_ids(path)
    ['d1', 'd7']
    """
    doc_ids = [line.strip() for _, line in numbered_lines(path) if line.strip()]
    if not doc_ids:
        name = "standard input" if str(path) == "-" else path
        raise DataError(f"{name} holds no doc_id; expected one on each line")
    return doc_ids
