"""`toysearch robustness`: the loss of a system when words, documents or spelling change."""

from __future__ import annotations

from toysearch.cli import command_of, option, remark, show
from toysearch.laboratory.experiments.robustness.scorecard import Robustness, robustness


def show_scorecard(scorecard: Robustness, form: str, details: bool) -> None:
    """Print the rows; with details, an example of each input too."""
    show(scorecard, form, details=details)
    if form == "table" and not (details or scorecard.cures):
        remark("--all adds an example of each input, and tables on rare words, changed collections and lengths")


command = command_of(
    robustness,
    "toysearch robustness cat-dog-parrot --only rare,spelling",
    "toysearch robustness companions --model bm25 --model cosine:idf=smooth --only length",
    "toysearch robustness cat-dog-parrot --thesaurus pets.txt --json",
    "toysearch robustness companions --cures",
    more="--all shows each alteration with an example, - before and + after; `toysearch docs test-robustness` "
    "describes each of them. --format csv, tsv, markdown and latex print the rows of the altered inputs; --json prints "
    "everything. Workers measure the properties at the same time.",
    doing="measuring",
    after=show_scorecard,
    only={"metavar": "A,B", "help": "Properties to test: semantic, rare, corpus, length, spelling.  [default: all]"},
    thesaurus={
        "metavar": "FILE",
        "help": "Synonyms, in lines such as 'budgie, parakeet'.  [default: words of the same documents]",
    },
    details=option("--all", "details", is_flag=True, help="Print examples of all inputs, and what else was measured."),
)
