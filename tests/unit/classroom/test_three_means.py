"""The three means of numbers, and what has none."""

import math

from error_messages import raising

from toysearch.base.errors import ArgumentError
from toysearch.classroom.three_means import means


def test_a_zero_makes_two_of_them_zero():
    assert means([1, 0]) == (0.5, 0.0, 0.0)


def test_no_numbers_have_no_mean():
    with raising(ArgumentError, "a mean needs at least one number"):
        means([])


def test_a_number_that_is_not_finite_is_refused():
    with raising(ArgumentError, "a mean needs finite numbers, and inf is not finite"):
        means([1, math.inf])
