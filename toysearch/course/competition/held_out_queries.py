"""Which queries are public and which are held out: drawn from a secret."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable

from toysearch.errors import ArgumentError

PUBLIC, HELD_OUT = "public", "held-out"
PARTS = (PUBLIC, HELD_OUT)
"""The parts of the judged queries."""


def held_out_queries(query_ids: Iterable[str], share: float, secret: str) -> set[str]:
    """The queries that are held out.

    They are those with the lowest HMAC-SHA-256 of their ids under the secret: the collection
    without the secret tells nothing about them.
    """
    listed = sorted(set(query_ids))
    if not 0 < share < 1:
        raise ArgumentError(f"the share of held-out queries is a number between 0 and 1, not {share:g}")
    if len(listed) < 2:
        raise ArgumentError(f"a part of the judged queries is held out, which takes two or more, not {len(listed)}")
    drawn = sorted(listed, key=lambda query_id: hmac.digest(secret.encode(), query_id.encode(), hashlib.sha256))
    return set(drawn[: min(max(round(share * len(listed)), 1), len(listed) - 1)])
