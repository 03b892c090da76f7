"""Make corpora/companions/made-up/grades.jsonl: what a language model might have graded, for examples and tests.

No language model was called. The grades are those of the first assessor, changed by a simple rule, so that they have
the habit that is reported of such judges: a passage with many words of the query is rated too high (Alaofi et al.,
"LLMs can be fooled into labelling a document as relevant", 2024). Let s be the share of the query terms that occur in
the passage.

- With probability s / 2, a grade below 3 rises by one.
- Otherwise, with probability (1 - s) / 8, a grade above 0 falls by one.

The passages are those that a run of corpora/companions/pools/ has among its first five. Numbers are drawn from a
generator that is started from 0.

    python docs/make_model_grades.py
"""

from __future__ import annotations

import json
import random
from pathlib import Path

import toysearch

FOLDER = Path(__file__).parents[1] / "corpora" / "companions"
FILE = FOLDER / "made-up" / "grades.jsonl"


def grades() -> str:
    """The file: one object per line, with a reason."""
    companions, draw = toysearch.load("companions"), random.Random(0)
    terms_of = toysearch.Searcher(companions).index.analyzer
    pool = toysearch.pool([toysearch.read_run(file) for file in sorted((FOLDER / "pools").iterdir())], 5)
    lines = []
    for query_id in companions.qrels.query_ids:
        terms = {*terms_of(companions.query(query_id).text)}
        for doc_id in pool[query_id]:
            grade = int(companions.qrels[query_id][doc_id])
            shared = terms & {*terms_of(companions.documents.get(doc_id).text)}
            share, number = len(shared) / max(len(terms), 1), draw.random()
            if number < share / 2:
                grade = min(grade + 1, 3)
            elif number > 1 - (1 - share) / 8:
                grade = max(grade - 1, 0)
            reason = f"has {len(shared)} of {len(terms)} terms"
            lines.append({"query_id": query_id, "doc_id": doc_id, "grade": grade, "reason": reason})
    return "".join(json.dumps(line) + "\n" for line in lines)


if __name__ == "__main__":
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text(grades(), encoding="utf-8", newline="\n")
