"""The classroom: lessons, exercises, and grading, for courses on retrieval."""
