"""What other folders need to choose between plain and compiled loops."""

from __future__ import annotations

from toysearch.base.fronts import front

_HOMES = {
    "plain_or_compiled": "beside compiled cores search_pays_from",
}

__getattr__ = front(__name__, _HOMES)
