"""The names that other folders, and several modules of this one, need to find collections."""

from __future__ import annotations

from toysearch.base.lazy_namespaces import front

_HOMES = {
    "catalog": "VARIABLE described load names places without_texts bundled",
    "collection": "Collection Queries",
    "download": "fetch",
    "loader": "load_recipe",
    "query_sources": "QueriesLike read_queries",
    "recipe": "FILE_NAME Recipe RecipeFile named_fields read_recipe recipe_of_layout spelt_fields",
    "grades": "AS_GIVEN Gains apply_gains choose_grades",
}

__getattr__ = front(__name__, _HOMES)
