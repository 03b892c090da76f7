"""The view of agreement: what each judge has done, how far they agree, and where they do not."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from toysearch.page.judge_view import judging_of
from toysearch.page.judging import Judging
from toysearch.page.model_picker import AnyModel
from toysearch.page.representation import Reply
from toysearch.page.served_source import ServedSource

_DISPUTED = 100  # rows on a page; JSON has all
_BEGINNING = 100  # characters of a query


def agreement(source: ServedSource, models: Mapping[str, AnyModel], asked: Mapping[str, str]) -> Reply:
    """Judges, their agreement and their disagreements with the reasons of both sides."""
    judging = judging_of(source)
    judgments, found = judging.log.qrels(), judging.agreement()
    data: dict[str, Any] = {
        "source": source.typed,
        "judges": [
            {"judge": name, "grades": len(qrels), "queries": len(qrels.query_ids), "pace": judging.pace(name)}
            for name, qrels in judgments.items()
        ],
        "pairs": found.n if found else 0,
        "same": found.agreement if found else None,
        "alpha": {"nominal": found.nominal, "ordinal": found.ordinal, "interval": found.interval} if found else None,
        "fleiss": found.fleiss if found else None,
        "disputed": [_disputed(source, judging, *pair[:2]) for pair in (found.disputed if found else ())],
        "command": shlex.join(["toysearch", "agree", str(judging.log.path), "--differences", "--texts", source.typed]),
        "merged": shlex.join(["toysearch", "merge", str(judging.log.path), "-o", "judged.txt"]),
        "notes": [],
    }
    address = f"/{source.name}/agreement"
    form = {"most": _DISPUTED}
    return Reply("agreement.html", f"Agreement on {source.typed}", data, form, address)


def _disputed(source: ServedSource, judging: Judging, query_id: str, doc_id: str) -> dict[str, Any]:
    """A pair with different grades, and why each judge gave theirs."""
    by = judging.log.of_query(query_id)[doc_id]
    known = doc_id in source.index.doc_ids
    pairs = {"topic": query_id, "doc": doc_id}
    return {
        "query_id": query_id,
        "query": " ".join(judging.queries.get(query_id, "").split())[:_BEGINNING],
        "doc_id": doc_id,
        "title": source.title(doc_id) if known else "",
        "grades": [{"judge": name, "grade": given.grade, "reason": given.reason} for name, given in by.items()],
        "document": f"/{source.name}/document?{urlencode(pairs)}" if known and query_id in judging.queries else None,
    }
