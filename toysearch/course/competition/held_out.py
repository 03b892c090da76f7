"""Which judged queries of a competition are held out."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable

from toysearch.base import ArgumentError


def held_out_queries(query_ids: Iterable[str], share: float, secret: str) -> set[str]:
    """The held-out queries."""
    # They have the lowest HMAC-SHA-256 of their ids under the secret, so that the collection reveals nothing about them
    # without the secret.
    listed = sorted(set(query_ids))
    if not 0 < share < 1:
        raise ArgumentError(f"the share of held-out queries must be between 0 and 1, not {share:g}")
    if len(listed) < 2:
        raise ArgumentError(f"holding out queries needs at least two judged queries, found {len(listed)}")
    drawn = sorted(listed, key=lambda query_id: hmac.digest(secret.encode(), query_id.encode(), hashlib.sha256))
    return set(drawn[: min(max(round(share * len(listed)), 1), len(listed) - 1)])
