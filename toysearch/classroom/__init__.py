"""The classroom: lessons, exercises, grading and a competition, for courses on retrieval."""
