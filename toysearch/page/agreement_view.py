"""The views of agreement and of judgments: how far judges agree, what is settled, and files of the grades."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from itertools import islice
from typing import Any
from urllib.parse import urlencode

from toysearch.base import counted, unknown
from toysearch.evaluation.judge_agreement import MERGE_RULES
from toysearch.page.judge_view import first_row, judging_of
from toysearch.page.judging import Judging
from toysearch.page.judgment_exchange import FORMS, Imported, exported, imported
from toysearch.page.model_picker import AnyModel
from toysearch.page.representation import Reply
from toysearch.page.served_source import ServedSource

_DISPUTED = 50  # documents on a page
_SETTLED = 50  # decisions, the last ones
_BEGINNING = 100  # characters of a query


def agreement(source: ServedSource, models: Mapping[str, AnyModel], asked: Mapping[str, str]) -> Reply:
    """Judges, their agreement and their disagreements with the reasons of both sides; for the adjudicator, forms."""
    judging, start, key = judging_of(source), first_row(asked), asked.get("key", "")
    if key:
        judging.check_adjudicator(key)
    alpha, log = judging.agreement(), judging.log
    decisions = judging.decisions.latest_first()
    decided = {(decision.query_id, decision.doc_id) for decision in decisions}
    disputed = [dispute[:2] for dispute in (alpha.disputed if alpha else ()) if dispute[:2] not in decided]
    settled = ["--decisions", str(judging.decisions.path)] if len(judging.decisions) else []
    counts = {name: log.counts(name) for name in log.judges}
    notes = []
    if asked.get("new"):  # the outcome of an import, from the numbers in the address
        new, old, other = (int(asked[name]) if asked.get(name, "").isdecimal() else 0 for name in Imported._fields)
        imported = f"{counted(new, 'grade')} imported; {old:,} known before"
        notes.append(f"{imported}; {other:,} of other queries or documents left out")
    data: dict[str, Any] = {
        "source": source.typed,
        "judges": [
            {"judge": name, "grades": sum(of.values()), "queries": len(of), "pace": judging.pace(name)}
            for name, of in counts.items()
        ],
        "pairs": alpha.n if alpha else 0,
        "same": alpha.agreement if alpha else None,
        "alpha": {"nominal": alpha.nominal, "ordinal": alpha.ordinal, "interval": alpha.interval} if alpha else None,
        "fleiss": alpha.fleiss if alpha else None,
        "start": start,
        "all_disputed": len(disputed),
        "disputed": [_graded(source, judging, *pair) for pair in disputed[start : start + _DISPUTED]],
        "all_settled": len(decisions),
        "settled": [
            _graded(source, judging, decision.query_id, decision.doc_id)
            | {"grade": decision.grade, "reason": decision.reason}
            for decision in islice(decisions, _SETTLED)
        ],
        "command": shlex.join(["toysearch", "agree", str(log.path), "--differences", "--texts", source.typed]),
        "merged": shlex.join(["toysearch", "merge", str(log.path), *settled, "-o", "judged.txt"]),
        "notes": notes,
    }
    key_pair = {"key": key} if key else {}
    form = {
        "key": key,
        "scale": judging.scale,
        "more": [
            (f"{place + 1:,}–{min(place + _DISPUTED, len(disputed)):,}", _address(source, key_pair, start=str(place)))
            for place in (start - _DISPUTED, start + _DISPUTED)
            if 0 <= place < len(disputed)
        ],
        "rules": [*MERGE_RULES],
        "forms": FORMS,
    }
    here = {"start": str(start)} if start else {}
    reply = Reply("agreement.html", f"Agreement on {source.typed}", data, form, _address(source, key_pair, **here))
    return reply._replace(cookie=(judging.cookie, key)) if key else reply


def settle(source: ServedSource, models: Mapping[str, AnyModel], asked: Mapping[str, str]) -> Reply:
    """Save the grade that the adjudicator decides on, or take the last one back; the answer is the view."""
    judging, key, action = judging_of(source), asked.get("key", ""), asked.get("action", "settle")
    if action == "settle":
        judging.settle(
            key, asked.get("topic", ""), asked.get("doc", ""), asked.get("grade", ""), asked.get("reason", "")
        )
    elif action == "undo":
        judging.unsettle(key)
    else:
        raise unknown("action", action, ("settle", "undo"))
    return agreement(source, models, {name: asked[name] for name in ("key", "start") if name in asked})


def judgments(source: ServedSource, models: Mapping[str, AnyModel], asked: Mapping[str, str]) -> Reply:
    """The judgments as a file to keep; as JSON the same text, and what has no majority."""
    form, rule = asked.get("to") or "qrels", asked.get("rule") or "majority"
    export = exported(judging_of(source), form, rule)
    data = {"source": source.typed, "to": form, "rule": rule, "file": export.file, "text": export.text}
    undecided = [document._asdict() for document in export.undecided]
    return Reply("", "", data | {"undecided": undecided, "notes": []}, file=(export.file, export.text))


def bring(source: ServedSource, models: Mapping[str, AnyModel], asked: Mapping[str, str]) -> Reply:
    """Save the grades of a file; the answer is the view of agreement."""
    judging, key = judging_of(source), asked.get("key", "")
    judging.check_adjudicator(key)
    numbers = imported(judging, asked.get("content", ""), asked.get("judge", "").strip())
    counts = {name: str(number) for name, number in numbers._asdict().items()}
    reply = agreement(source, models, {"key": key, **counts})
    return reply._replace(address=_address(source, {"key": key}, **counts))


def _address(source: ServedSource, key_pair: Mapping[str, str], **more: str) -> str:
    pairs = {**key_pair, **more}
    return f"/{source.name}/agreement" + (f"?{urlencode(pairs)}" if pairs else "")


def _graded(source: ServedSource, judging: Judging, query_id: str, doc_id: str) -> dict[str, Any]:
    """A document with its grades, and why each judge gave theirs."""
    by = judging.log.of_query(query_id).get(doc_id, {})
    present = judging.has(query_id, doc_id)
    pairs = {"topic": query_id, "doc": doc_id}
    return {
        "query_id": query_id,
        "query": " ".join(judging.queries.get(query_id, "").split())[:_BEGINNING],
        "doc_id": doc_id,
        "title": source.title(doc_id) if present else "",
        "grades": [
            {"judge": name, "grade": judgment.grade, "reason": judgment.reason} for name, judgment in by.items()
        ],
        "document": f"/{source.name}/document?{urlencode(pairs)}" if present else None,
    }
