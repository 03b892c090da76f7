"""Run as a confined program: ranks the queries with what somebody sent, and writes the run.

In the working folder it finds ``asked.json`` (the model's text, the index's folder, the queries, k) and, for a model in
a file, the file. What is wrong with the model it says in one sentence on stderr, with the exit code 2.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

ASKED, RUN = "asked.json", "run.txt"
REFUSED = 2
"""The exit code for an invalid model."""


def main() -> None:
    """Rank, and write the run."""
    from toysearch.errors import ToysearchError
    from toysearch.formats.runs import write_run
    from toysearch.index.index import Index
    from toysearch.models.registry import model
    from toysearch.search.searcher import Searcher

    asked: dict[str, Any] = json.loads(Path(ASKED).read_text(encoding="utf-8"))
    try:
        made = Searcher(Index.open(asked["index"]), model(asked["model"]))
        run = made.run(asked["queries"], asked["k"], name="run", threads=1)
    except MemoryError:
        raise
    except ToysearchError as error:
        refuse(str(error))
    except Exception as error:
        refuse(f"{type(error).__name__}: {error}")
    else:
        write_run(run, RUN)


def refuse(sentence: str) -> None:
    """End with a sentence, in which files of this folder have their bare names."""
    print(" ".join(sentence.replace(f"{os.getcwd()}{os.sep}", "").split()), file=sys.stderr)
    sys.exit(REFUSED)


if __name__ == "__main__":
    main()
