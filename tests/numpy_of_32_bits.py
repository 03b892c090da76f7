"""A simulated Python of 32 bits: numpy's places have 32 bits, and it refuses to count with wider ones."""

from contextlib import contextmanager

import numpy as np
import pytest

from toysearch.base.plain_or_compiled import loops_compiled

_SHIFT = np.left_shift
_PLACES = ("arange", "flatnonzero", "nonzero", "argsort", "lexsort", "searchsorted", "argwhere", "argpartition")
_DEFAULT = ("array", "full")  # whole numbers of Python have the type of places
_SUMS = ("cumsum", "sum", "prod")  # of whole numbers that are not wider than places
_COUNTED = {"repeat": 1, "bincount": 0}  # the argument that is converted safely


class Narrow(np.ndarray):
    """Numbers of 32 bits that refuse a product of 32 bits or a shift, which may overflow."""

    def __array_ufunc__(self, function, method, *inputs, **options):
        plain = [np.asarray(each) if isinstance(each, Narrow) else each for each in inputs]
        if "out" in options:
            options["out"] = tuple(np.asarray(each) if isinstance(each, Narrow) else each for each in options["out"])
        result = getattr(function, method)(*plain, **options)
        products = function.__name__ in ("multiply", "left_shift") and result.dtype == np.int32
        if method == "__call__" and products and (function is _SHIFT or not any(map(_is_small, plain))):
            raise OverflowError(f"{function.__name__} of 32 bits, which may overflow: use int64")
        return narrow(result)


def _is_small(value):
    """Whether a place in an array, times this number, is one in an array too: eight words of each of 64 terms."""
    return isinstance(value, int) and 0 <= value <= 1024


def narrow(values):
    """Places as on 32 bits."""
    if isinstance(values, tuple):
        return tuple(map(narrow, values))
    if isinstance(values, np.ndarray) and values.dtype == np.int32:
        return values.view(Narrow)
    return values


def narrowed(values):
    """The same, of places of 64 bits."""
    if isinstance(values, tuple):
        return tuple(map(narrowed, values))
    if isinstance(values, np.ndarray) and values.dtype == np.int64:
        assert values.size == 0 or np.abs(values).max() < 1 << 31
        return values.astype(np.int32).view(Narrow)
    return np.int32(values) if isinstance(values, np.int64) else values


def is_wide(values):
    """Whether numpy would refuse to count with these."""
    return isinstance(values, np.ndarray | np.integer) and values.dtype.kind in "iu" and values.dtype.itemsize == 8


class Reducing:
    """A ufunc that refuses starts of 64 bits."""

    def __init__(self, function):
        self._function = function

    def __call__(self, *values, **options):
        return self._function(*values, **options)

    def __getattr__(self, name):
        return getattr(self._function, name)

    def reduceat(self, values, starts):
        assert not is_wide(starts), "reduceat: Cannot cast array data from dtype('int64') to dtype('int32')"
        return self._function.reduceat(values, starts)


@contextmanager
def of_32_bits():
    """The public functions of numpy as on a Python of 32 bits."""
    with pytest.MonkeyPatch.context() as patch:

        def replaced(name, of_32):
            of_64 = getattr(np, name)
            patch.setattr(np, name, lambda *values, **options: of_32(of_64(*values, **options), values, options))

        def place(name):
            def of_32(result, values, options):
                typed = options.get("dtype") is not None or any(isinstance(each, type | np.dtype) for each in values)
                wide = name == "arange" and any(is_wide(each) for each in values)
                return result if typed or wide else narrowed(result)

            replaced(name, of_32)

        def default(name):
            def of_32(result, values, options):
                typed = "dtype" in options or len(values) > (1 if name == "array" else 2)
                given = np.ndarray | np.generic if name == "array" else np.generic
                if typed:
                    return result
                held = values[0] if name == "array" else [*values, *options.values()][1]
                inner = isinstance(held, list | tuple) and any(isinstance(each, given) for each in held)
                return result if inner or isinstance(held, given) or hasattr(held, "__array__") else narrowed(result)

            replaced(name, of_32)

        def summed(result, values, options):
            wide = "dtype" in options or "out" in options or is_wide(np.asarray(values[0]))
            return result if wide else narrowed(result)

        def counted(name, argument):
            def of_32(result, values, options):
                if is_wide(values[argument]):
                    raise TypeError("Cannot cast array data from dtype('int64') to dtype('int32')")
                return narrowed(result) if name == "bincount" else result

            replaced(name, of_32)

        for name in _PLACES:
            place(name)
        for name in _DEFAULT:
            default(name)
        for name in _SUMS:
            replaced(name, summed)
        for name, argument in _COUNTED.items():
            counted(name, argument)
        for name in ("add", "maximum", "minimum", "bitwise_or"):
            patch.setattr(np, name, Reducing(getattr(np, name)))
        patch.setattr(np, "intp", np.int32)
        patch.setenv("TOYSEARCH_PATH", "plain")
        patch.setattr("toysearch.base.platform.WIDE", False)
        loops_compiled.cache_clear()
        yield
    loops_compiled.cache_clear()
