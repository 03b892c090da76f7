"""The names of `toysearch.compiled` with their types; __init__.py loads the same ones lazily."""

from toysearch.compiled.plain_or_compiled import beside as beside
from toysearch.compiled.plain_or_compiled import compiled as compiled
from toysearch.compiled.plain_or_compiled import cores as cores
from toysearch.compiled.plain_or_compiled import search_pays_from as search_pays_from
