"""The rings: what stands around the core, and is found through this table alone.

The core imports none of the modules that the table names, and runs without them.
"""

from __future__ import annotations

import importlib
from types import ModuleType

from toysearch.base.errors import ArgumentError

COMMANDS = {
    "ablate": "toysearch.cli.experiments",
    "gate": "toysearch.cli.experiments",
    "learn": "toysearch.cli.experiments",
    "predict": "toysearch.cli.experiments",
    "retrievability": "toysearch.cli.experiments",
    "robustness": "toysearch.cli.experiments",
    "tune": "toysearch.cli.experiments",
    "verify": "toysearch.cli.experiments",
    "judge": "toysearch.cli.judging",
    "clicks": "toysearch.cli.clicks",
    "report": "toysearch.cli.report",
    "labs": "toysearch.course.shell.labs",
    "leaderboard": "toysearch.course.shell.leaderboard",
    "textbook": "toysearch.course.shell.textbook",
    "serve": "toysearch.page.serve",
}
"""The commands of the rings, each with the module that holds its click command under the name NAME_command."""

ABILITIES = {
    "difficulty": "toysearch.laboratory.experiments.prediction",
    "altered queries": "toysearch.laboratory.experiments.robustness.alterations",
    "judged feedback": "toysearch.laboratory.experiments.judged_feedback",
    "exposure": "toysearch.evaluation.group_exposure",
    "trec_eval": "toysearch.exchange.trec_eval",
    "learned models": "toysearch.models.learned_ranker",
    "learned rankers": "toysearch.search.learned_scorer",
    "vectors": "toysearch.search.vector_scorer",
    "impacts": "toysearch.search.impact_scorer",
    "similar terms": "toysearch.search.similar_terms",
    "latent topics": "toysearch.index.topic_decomposition",
    "shards": "toysearch.index.sharded_index",
    "shard builder": "toysearch.index.shard_builder",
    "shared documents": "toysearch.corpus.document_shares",
    "distributed search": "toysearch.search.distributed_search",
    "sharded rankers": "toysearch.search.sharded_scorer",
    "workers": "toysearch.cluster.connection",
    "notebooks": "toysearch.course.grading.graded_notebook",
    "worked queries": "toysearch.course.textbook",
    "textbook view": "toysearch.laboratory.explain.compression",
}
"""What the core can do with the help of a ring, each with the module that does it."""


def ring(name: str) -> ModuleType:
    """The module behind a command or an ability of the tables; refused if the folder of its ring is missing."""
    module = {**COMMANDS, **ABILITIES}[name]
    folder = ".".join(module.split(".")[:2])
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name != folder:
            raise
        place = folder.replace(".", "/")
        raise ArgumentError(
            f"{name}: the folder {place} is missing from this installation of toysearch; to add it: "
            "pip install --force-reinstall toysearch"
        ) from None
