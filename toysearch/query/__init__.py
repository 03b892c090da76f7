"""What other folders need of the trees of queries."""

from __future__ import annotations

from toysearch.base.fronts import front

_HOMES = {
    "syntax": "parts",
}

__getattr__ = front(__name__, _HOMES)
