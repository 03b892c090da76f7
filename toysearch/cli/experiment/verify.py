"""`toysearch verify`: the numbers of a collection, recomputed by other libraries."""

from __future__ import annotations

import click

from toysearch.cli import POSITIVE, command_of, show
from toysearch.laboratory.experiments.verification import Verification, verify


def show_verification(verification: Verification, form: str) -> None:
    """Print the rows; exit code 1 if something differs."""
    show(verification, form)
    if not verification.agrees:
        click.get_current_context().exit(1)


command = command_of(
    verify,
    "toysearch verify cat-dog-parrot",
    "toysearch verify companions --model bm25-okapi --model cosine:idf=smooth --json",
    more="Exit code 0 if all agree, 1 otherwise.",
    sample={"type": POSITIVE},
    after=show_verification,
)
