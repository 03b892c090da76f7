"""The names of `toysearch.query` with their types; __init__.py loads the same ones lazily."""

from toysearch.query.syntax import parts as parts
