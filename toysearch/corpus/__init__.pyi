"""The names of `toysearch.corpus` with their types; __init__.py loads the same ones lazily."""

from toysearch.corpus.catalog import VARIABLE as VARIABLE
from toysearch.corpus.catalog import places as places
