"""`toysearch learn`: a ranker from judged queries, and its value on held-out queries."""

from __future__ import annotations

from typing import Any

import click

import toysearch
from toysearch.cli import command_of, force_option, keeping, option, remark, shared, show
from toysearch.cli.learn.features import FEATURES, POOL
from toysearch.formats.writing import refuse_place
from toysearch.laboratory.learning.ranker_training import Learning, learn
from toysearch.models.ranker import refuse_foreign


def _folder(_: click.Context, __: click.Parameter, folder: Any) -> Any:
    """The folder of the ranker, refused before the work if it holds something else."""
    if folder is not None:
        refuse_place(folder, True)
        refuse_foreign(folder)
    return folder


def show_and_save(learning: Learning, form: str, folder: str | None, run_file: str | None) -> None:
    """Print the held-out value; write the ranker and the rankings if files were named."""
    show(learning, form)
    if folder is not None:
        learning.save(folder)
        remark(f"the ranker is in {folder}: use it as --model learned:{folder}")
    if run_file is not None:
        toysearch.write_run(learning.run, run_file)
        remark(f"the held-out rankings are in {run_file}")


command = command_of(
    learn,
    "toysearch learn companions --learner logistic -o ranker",
    'toysearch learn companions --learner boosting:trees=50 --features "bm25 min-max(bm25) coverage length" -m RR',
    "toysearch learn companions --learner logistic --folds 10 --pool bm25@100 --pool dph@50",
    doing="learning",
    counted="rankers",
    after=show_and_save,
    names=FEATURES,
    pool=POOL,
    folder=shared(
        "output", "folder", metavar="FOLDER", heading="Output", callback=_folder, help="Folder for the ranker."
    ),
    run_file=option(
        "--run",
        "run_file",
        metavar="FILE",
        writes="file",
        heading="Output",
        callback=keeping("run"),
        help="File for the held-out rankings.",
    ),
    force=force_option,
)
