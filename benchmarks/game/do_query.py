"""Answer lines "COMMAND<TAB>query" on standard input with one number per line: python do_query.py FOLDER.

Queries are in the language of Lucene: words (any of them), +words (all of them), "a phrase". The index has no
positions, and a searcher ranks the documents that have any of the words: whatever needs more is UNSUPPORTED.
"""

from __future__ import annotations

import functools
import re
import sys

import numpy as np

import toysearch

MODEL = "bm25:k1=0.9,b=0.4"  # as the game asks for
TOP = re.compile(r"TOP_(\d+)(_COUNT)?")


def count(index: toysearch.Index, query: str) -> int:
    """How many documents have any of the words, or all of them where each has a plus sign."""
    join = np.intersect1d if query.startswith("+") else np.union1d
    found = [np.asarray(index.postings(term).docs) for term in index.analyzer(query)]
    return len(functools.reduce(join, found)) if found else 0


def answer(searcher: toysearch.Searcher, command: str, query: str) -> str:
    """The line that answers a command."""
    words = query.split()
    signs = [word.startswith("+") for word in words]
    if re.search(r'["():*?~^\[\]{}]', query) or any(signs) != all(signs) or any(word.startswith("-") for word in words):
        return "UNSUPPORTED"
    if command == "COUNT":
        return str(count(searcher.index, query))
    top = TOP.fullmatch(command)
    if not top or any(signs):
        return "UNSUPPORTED"
    searcher.search(query, int(top[1]), query_mode="plain")
    return str(count(searcher.index, query)) if top[2] else "1"


def main() -> None:
    """Answer until the end of the input."""
    searcher = toysearch.Searcher(toysearch.Index.open(sys.argv[1]), MODEL)
    for line in sys.stdin:
        command, _, query = line.rstrip("\n").partition("\t")
        print(answer(searcher, command, query), flush=True)


if __name__ == "__main__":
    main()
