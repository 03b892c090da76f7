"""The query language: words and signs, the tree of a query, and its patterns."""
