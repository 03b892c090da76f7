"""What other folders need to find collections."""

from __future__ import annotations

from toysearch.base.fronts import front

_HOMES = {
    "catalog": "VARIABLE load places",
    "collection": "Collection",
    "document_shares": "NoDocuments Share SharedPlace cut_in_shares has_late_title of_share place_of_documents",
    "download": "fetch",
    "recipe": "Recipe",
}

__getattr__ = front(__name__, _HOMES)
