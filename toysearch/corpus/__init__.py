"""What other folders need to find collections."""

from __future__ import annotations

from toysearch.base.fronts import front

_HOMES = {
    "catalog": "VARIABLE places",
}

__getattr__ = front(__name__, _HOMES)
