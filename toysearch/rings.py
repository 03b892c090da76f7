"""Rings around the core, which finds them through this table alone.

`workbench` improves rankings, `classroom` teaches, and `page` shows. The core imports none of them, and runs without
their folders.
"""

from __future__ import annotations

import importlib
from types import ModuleType

from toysearch.base.errors import ArgumentError

COMMANDS = {
    "ablate": "toysearch.workbench.commands.experiments",
    "gate": "toysearch.workbench.commands.experiments",
    "learn": "toysearch.workbench.commands.experiments",
    "robustness": "toysearch.workbench.commands.experiments",
    "tune": "toysearch.workbench.commands.experiments",
    "verify": "toysearch.workbench.commands.experiments",
    "judge": "toysearch.workbench.commands.judging",
    "clicks": "toysearch.workbench.commands.clicks",
    "report": "toysearch.workbench.commands.report",
    "labs": "toysearch.classroom.commands.labs",
    "textbook": "toysearch.classroom.commands.textbook",
    "serve": "toysearch.page.serve",
}
"""Commands of the rings, each with the module that holds its click command under the name NAME_command."""

ABILITIES = {
    "judgment logs": "toysearch.workbench.judging.judgment_log",
    "trec_eval": "toysearch.workbench.exchange.trec_eval",
    "measures of trec_eval": "toysearch.workbench.exchange.trec_eval_measures",
    "learned models": "toysearch.workbench.learning.learned_ranker",
    "learned rankers": "toysearch.workbench.learning.learned_scorer",
    "vectors": "toysearch.workbench.vectors.vector_scorer",
    "impacts": "toysearch.workbench.vectors.impact_scorer",
    "similar terms": "toysearch.workbench.vectors.similar_terms",
    "latent topics": "toysearch.workbench.vectors.topic_decomposition",
    "shards": "toysearch.workbench.shards.sharded_index",
    "files of shards": "toysearch.workbench.shards.shard_folder",
    "shard builder": "toysearch.workbench.shards.shard_builder",
    "distributed search": "toysearch.workbench.shards.distributed_search",
    "sharded rankers": "toysearch.workbench.shards.sharded_scorer",
    "workers": "toysearch.workbench.shards.connection",
    "notebooks": "toysearch.classroom.grading.graded_notebook",
    "worked queries": "toysearch.classroom.textbook",
}
"""Abilities of the core that need a ring, each with the module that provides it."""


def ring(name: str) -> ModuleType:
    """Return the module behind a command or an ability of the tables; refuse it if its ring's folder is missing."""
    try:
        return importlib.import_module({**COMMANDS, **ABILITIES}[name])
    except ModuleNotFoundError as error:
        raise missing(name, error) from None


def missing(name: str, error: ModuleNotFoundError) -> Exception:
    """Return the error for a name whose module was not found: a sentence if the folder of its ring is missing."""
    folder = str(error.name)
    if folder not in {".".join(module.split(".")[:2]) for module in (*COMMANDS.values(), *ABILITIES.values())}:
        return error
    return ArgumentError(
        f"{name}: the folder {folder.replace('.', '/')} is missing from this installation of toysearch; to add it: "
        "pip install --force-reinstall toysearch"
    )
