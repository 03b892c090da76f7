"""Labs: exercises for a course, with different numbers for each student, and checks that comment on wrong answers.

>>> from toysearch import labs
>>> started = labs.start(1, student="ada")
>>> labs.check("1.1", ...).passed
False
"""

from toysearch.course import LESSONS, check, collection, given, hint, needs, picture, progress, start

__all__ = ["LESSONS", "check", "collection", "given", "hint", "needs", "picture", "progress", "start"]
