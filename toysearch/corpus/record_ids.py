"""Records whose ids are missing or repeated: refused, left out, or called otherwise, as the user chooses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from toysearch.formats.rejected_records import Rejected
from toysearch.formats.text_files import Record

Source = tuple["Path | str", Iterable[Record]]


def chosen(read: Callable[[], Iterable[Source]], choice: str) -> Iterator[Record]:
    """Of the records with one id the first or the last; or all, the later ones with a number behind their id.

    >>> records = [(1, "a", {"text": "cat"}), (2, "a", {"text": "dog"}), (3, "b", {"text": "parrot"})]
    >>> for choice in ("first", "last", "number"):
    ...     print([(line, doc_id) for line, doc_id, _ in chosen(lambda: [("pets.csv", records)], choice)])
    [(1, 'a'), (3, 'b')]
    [(2, 'a'), (3, 'b')]
    [(1, 'a'), (2, 'a-2'), (3, 'b')]
    """
    if choice == "last":
        last = {record[1]: (path, record[0]) for path, records in read() for record in records}
        yield from (record for path, records in read() for record in records if last[record[1]] == (path, record[0]))
        return
    seen: dict[str, int] = {}
    for _, records in read():
        for line, record_id, fields in records:
            seen[record_id] = count = seen.get(record_id, 0) + 1
            if count == 1:
                yield line, record_id, fields
            elif choice == "number":
                while (name := f"{record_id}-{count}") in seen:
                    count += 1
                seen[record_id], seen[name] = count, 1
                yield line, name, fields


def without_second(sources: Iterable[Source], kind: str, rejected: Rejected) -> Iterator[Record]:
    """The records as they come, those with an id that an earlier one has among the rejected."""
    first: dict[str, tuple[Path | str, int]] = {}
    for path, records in sources:
        for record in records:
            line, record_id, fields = record
            place = first.setdefault(record_id, (path, line))
            if place == (path, line):
                yield record
                continue
            earlier = f"on line {place[1]}" if place[0] == path else f"in {place[0]}"
            reason = f"{kind} '{record_id}' was given {earlier} already; each may occur once"
            rejected.add(path, line, reason, " ".join(fields.values()))
