"""`toysearch ablate`: what each part of a search system is good for."""

from __future__ import annotations

import click

import toysearch
from toysearch.cli.bar import bar
from toysearch.cli.judged import judged_source
from toysearch.cli.model_options import model_option
from toysearch.cli.options import SourceOptions, examples, judged_options
from toysearch.cli.output import count, emit, output_options, paragraph, remark
from toysearch.reports.ablated import ablation_data, ablation_lines, ablation_table


@click.command(
    epilog=examples(
        "toysearch ablate companions",
        "toysearch ablate companions --model lm-dirichlet -m nDCG@10 --language none",
        "toysearch ablate cisi --model cosine --test permutation --correction bh --format latex",
        "toysearch ablate companions --model mine.py:rank --json",
    )
)
@click.argument("source", metavar="COLLECTION")
@model_option
@click.option("-m", "--measure", default="AP", show_default=True, help="What is measured: one measure.")
@click.option(
    "--test",
    type=click.Choice(list(toysearch.TESTS)),
    default="t",
    show_default=True,
    help="How a difference is tested, query by query.",
)
@click.option(
    "--correction",
    type=click.Choice(list(toysearch.CORRECTIONS)),
    default="holm",
    show_default=True,
    help="How p is corrected for the number of switches.",
)
@click.option("--alpha", default=0.05, show_default=True, help="Level of the intervals.")
@click.option("--seed", default=0, show_default=True, type=click.IntRange(min=0), help="Of the tests that draw.")
@click.option("-k", default=1000, show_default=True, type=click.IntRange(min=1), help="How deep is ranked.")
@click.option("--threshold", type=float, help="The lowest grade that is relevant.  [default: the collection's]")
@judged_options
@output_options
def command(
    source: str,
    name: str,
    measure: str,
    test: str,
    correction: str,
    alpha: float,
    seed: int,
    k: int,
    threshold: float | None,
    options: SourceOptions,
    form: str,
) -> None:
    """Measure what each part of a search system contributes.

    Stop words, stemming, the title, idf, length normalisation, tf, its saturation and repeated query terms are switched
    off one at a time, or on where the system lacks them, and each system is tested against the full one. It works for
    any model: what is switched is what the model's own function is handed.
    """
    model = toysearch.model(name)
    judged = judged_source(source, options)
    with bar("ablating") as show:
        found = toysearch.ablate(
            judged.collection,
            model,
            measure,
            test=test,
            correction=correction,
            alpha=alpha,
            seed=seed,
            k=k,
            threshold=threshold,
            analyzer=judged.analyzer,
            index=judged.index,
            progress=show and (lambda done, total: show(done, total, "")),
        )
    emit(*ablation_table(found, form), form, data=ablation_data(found))
    if form == "table":
        click.echo()
        for line in ablation_lines(found):
            click.echo(paragraph(line, indent="  ", first="- "))
        if judged.index is not None:
            remark("note: an index stores its own analysis, so stop words, stemming and title are not switched")
        tests = f"{test} test · {100 * (1 - alpha):g} % intervals · p corrected: {correction}"
        remark(f"{found.collection} · {found.analyzer} · {count(len(found.query_ids), 'query', 'queries')} · {tests}")
