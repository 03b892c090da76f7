"""Grade mappings: how the codes in a file of judgments become gains, by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from toysearch.errors import ArgumentError, DataError, unknown
from toysearch.grammar import Spec, parse_spec
from toysearch.records import Qrels

AS_GIVEN = "as given"
"""What stands for the mapping's name where a collection has none."""

Gains = Mapping[float, float | None]
"""Code → gain; None: the judgment is removed."""


class GradeOption(NamedTuple):
    """A choice that a mapping leaves open.

    Parameters
    ----------
    description : str
        What is to be chosen, in a sentence.
    default : str
        The value where the user says nothing.
    values : mapping of str to mapping of float to float or None
        Value → code → gain, for the codes that it is about.
    """

    description: str
    default: str
    values: Mapping[str, Gains]


class GradeMapping(NamedTuple):
    """A named way to read the codes of a collection's judgments.

    Parameters
    ----------
    name : str
        Its name, as in ``graded:minus1=relevant``.
    description : str
        What it is for, in a sentence or two.
    gains : mapping of float to float or None
        Code → gain; None removes the judgment.
    options : mapping of str to GradeOption
        What the user may choose; a value's gains go over those of the mapping.
    """

    name: str
    description: str
    gains: Gains
    options: Mapping[str, GradeOption]

    def choose(self, parameters: Mapping[str, str]) -> tuple[Spec, Gains]:
        """The full choice, with every option named, and the gains that follow from it.

        Parameters
        ----------
        parameters : mapping of str to str
            Option → value; options left out take their default.

        Raises
        ------
        ArgumentError
            If there is no such option or value.

        Examples
        --------
        >>> minus1 = GradeOption("", "nonrelevant", {"nonrelevant": {-1: 0.0}, "removed": {-1: None}})
        >>> spec, gains = GradeMapping("binary", "", {1: 1.0}, {"minus1": minus1}).choose({})
        >>> str(spec), gains
        ('binary:minus1=nonrelevant', {1: 1.0, -1: 0.0})
        """
        for option in parameters:
            if option not in self.options:
                if not self.options:
                    raise ArgumentError(f"grade mapping '{self.name}' has no options, found '{option}'")
                raise unknown("grade option", option, self.options)
        chosen = {name: parameters.get(name, option.default) for name, option in self.options.items()}
        gains = dict(self.gains)
        for name, value in chosen.items():
            values = self.options[name].values
            if value not in values:
                raise unknown(f"value of {name}", value, values, "values")
            gains.update(values[value])
        return Spec(self.name, chosen), gains


def choose_grades(mappings: Mapping[str, GradeMapping], default: str, text: str | None) -> tuple[str, Gains | None]:
    """The full text of a choice of grades and its gains; `AS_GIVEN` and None where there are no mappings.

    Parameters
    ----------
    mappings : mapping of str to GradeMapping
        Those that the collection has, perhaps none.
    default : str
        The name of the one that is used unless the user says.
    text : str, optional
        What the user says, such as ``graded:minus1=relevant``.

    Raises
    ------
    ArgumentError
        If there is no such mapping, option or value, or no mapping at all to choose from.
    """
    if not mappings:
        if text is None:
            return AS_GIVEN, None
        raise ArgumentError(
            f"grades '{text}' cannot be chosen: this collection has no grade mappings, its grades are used as "
            "given; leave grades out"
        )
    spec = parse_spec(default if text is None else text)
    if spec.values:
        raise ArgumentError(f"'{text}': '{spec.values[0]}' is not of the form option=value")
    if spec.name not in mappings:
        raise unknown("grade mapping", spec.name, mappings)
    full, gains = mappings[spec.name].choose(spec.parameters)
    return str(full), gains


def apply_gains(qrels: Qrels, gains: Gains, grades: str) -> Qrels:
    """The judgments with each code replaced by its gain, or left out where that is None.

    Parameters
    ----------
    qrels : Qrels
        With the codes as they stand in the file.
    gains : mapping of float to float or None
        Code → gain.
    grades : str
        The mapping's name, for the error.

    Raises
    ------
    DataError
        If a judgment has a code that the mapping does not know.

    Examples
    --------
    >>> qrels = Qrels.from_dict({"1": {"a": 1, "b": 4, "c": -1}})
    >>> apply_gains(qrels, {1: 4.0, 4: 1.0, -1: None}, "graded")["1"]
    {'a': 4.0, 'b': 1.0}
    """
    codes, which = np.unique(qrels.relevance, return_inverse=True)
    for position, code in enumerate(codes.tolist()):
        if code not in gains:
            first = list(qrels)[int(np.argmax(which == position))]
            known = ", ".join(f"{known:g}" for known in gains)
            raise DataError(
                f"query '{first.query_id}' has the code {code:g} for document '{first.doc_id}', which grade "
                f"mapping '{grades}' does not know; it knows {known}"
            )
    mapped = [gains[code] for code in codes.tolist()]
    values = np.array([np.nan if gain is None else gain for gain in mapped])[which]
    if None not in mapped:
        return Qrels(qrels.query_ids, qrels.offsets, qrels.doc_ids, values)
    kept = zip(qrels, values.tolist(), strict=True)
    return Qrels.from_records((row.query_id, row.doc_id, gain) for row, gain in kept if gain == gain)
