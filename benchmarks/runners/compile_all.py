"""Run all compiled code of toysearch on Cranfield: in an empty cache of compiled code, or in one that is kept.

python compile_all.py SCRATCH [CACHE]
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path


def main() -> None:
    """Index, search, read and evaluate."""
    scratch = Path(sys.argv[1])
    scratch.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as fresh:
        os.environ.pop("NUMBA_CACHE_DIR", None)
        os.environ.update(TOYSEARCH_PATH="compiled", XDG_CACHE_HOME=sys.argv[2] if len(sys.argv) > 2 else fresh)
        import toysearch

        collection = toysearch.load("cranfield")
        run = toysearch.Searcher(toysearch.Index.build(collection)).run(collection.queries)
        toysearch.write_run(run, scratch / "run")
        toysearch.write_qrels(collection.qrels, scratch / "qrels")
        toysearch.evaluate(scratch / "run", scratch / "qrels")


if __name__ == "__main__":
    main()
