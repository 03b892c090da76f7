"""`toysearch robustness`: the loss of a system when words, documents or spelling change."""

from __future__ import annotations

from typing import Any

import click

import toysearch
from toysearch.base.errors import ArgumentError
from toysearch.cli.commands import Command, examples
from toysearch.cli.options import (
    DEFAULT,
    SourceOptions,
    depth_option,
    judged_options,
    models_option,
    option,
    output_options,
    threshold_option,
)
from toysearch.cli.output import progress, remark, show
from toysearch.cli.sources import study_of
from toysearch.cli.workers import Workers, named_worker_options


@click.command(
    cls=Command,
    epilog=examples(
        "toysearch robustness cat-dog-parrot --only rare,spelling",
        "toysearch robustness companions --model bm25 --model cosine:idf=smooth --only length",
        "toysearch robustness cat-dog-parrot --thesaurus pets.txt --json",
        "toysearch robustness companions --cures",
    ),
)
@click.argument("source", metavar="COLLECTION")
@models_option
@option("-m", "--measures", default="AP", help="Measures (`toysearch measures`).")
@option("--only", metavar="A,B", help="Properties to test: semantic, rare, corpus, length, spelling.  [default: all]")
@option(
    "--thesaurus",
    metavar="FILE",
    help="Synonyms, in lines such as 'budgie, parakeet'.  [default: words of the same documents]",
)
@option("--all", "details", is_flag=True, help="Print examples of all inputs, and what else was measured.")
@option(
    "--cures",
    is_flag=True,
    help="Measure one alteration per property, then cures of each model, one by one, and costs.",
)
@depth_option
@option("--seed", default=0, type=int, help="Seed for the alterations.")
@threshold_option
@named_worker_options
@judged_options
@output_options
def command(
    source: str,
    models: tuple[Any, ...],
    measures: str,
    only: str | None,
    thesaurus: str | None,
    details: bool,
    cures: bool,
    k: int,
    seed: int,
    threshold: float | None,
    workers: Workers,
    options: SourceOptions,
    form: str,
) -> None:
    """Measure the loss when words, documents or spelling change.

    Five properties of a good system are tested by altering the input: synonyms, rare words, a changing collection,
    document length, typing errors. A row shows the mean of a measure on the original and on the altered input, over the
    queries that the alteration changes; 'from' and 'to' are the 95 % interval of the change, and 'corrected' is the
    mean after misspelt queries are corrected. The first sentences name what costs most. --all shows each alteration
    with an example, - before and + after.

    With --cures each property is one alteration, and each MODEL is measured on all of them as it is and with cures that
    are switched on one by one: the gain of each, its cost on the other properties, in time and in index size. Times
    differ from run to run.

    The same --seed gives the same alterations and numbers. `toysearch docs test-robustness` describes each of them.
    --format csv, tsv, markdown and latex print the rows of the altered inputs; --json prints everything.

    Workers measure the properties at the same time.
    """
    from toysearch.models.model import index_needs

    models = models or (toysearch.model(DEFAULT),)
    study = study_of(source, options)
    if study.opened is not None and index_needs(*models).apart:
        raise ArgumentError(f"'{source}' is an index; name its collection, whose fields are known")
    with workers.connected() as client, progress("measuring", "systems" if cures else "inputs") as tell:
        found = toysearch.robustness(
            study.of_stored_documents(),
            models,
            measures,
            only=only,
            thesaurus=thesaurus,
            k=k,
            seed=seed,
            threshold=threshold,
            cures=cures,
            client=client,
            progress=tell,
        )
    show(found, form, details=details)
    if form == "table" and not (details or cures):
        remark("--all adds an example of each input, and tables on rare words, changed collections and lengths")
