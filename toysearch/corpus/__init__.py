"""The names that other folders, and several modules of this one, need to find collections."""

from __future__ import annotations

from toysearch.base.lazy_namespaces import front

_HOMES = {
    "catalog": "VARIABLE described load names places without_texts",
    "collection": "Collection Queries",
    "document_shares": "NoDocuments Share cut_in_shares has_late_title of_share place_of_documents shared_path",
    "download": "fetch",
    "loader": "load_recipe",
    "query_sources": "QueriesLike read_queries",
    "recipe": "FILE_NAME Recipe RecipeFile named_fields read_recipe recipe_of_layout spelt_fields",
    "grades": "AS_GIVEN Gains apply_gains choose_grades",
}

__getattr__ = front(__name__, _HOMES)
