"""Studies of a given index whose documents are to be altered: over the texts that it stores."""

from __future__ import annotations

import os
from dataclasses import replace

from toysearch.base import ArgumentError
from toysearch.models import index_needs
from toysearch.study.study import Study, StudySource, model_in, stored_collection


def not_stored(study: Study) -> str:
    """Name what a given index does not store of its documents, texts or fields; "" if they can be altered."""
    index = study.opened()
    if index is None:
        return ""
    needs = index_needs(*map(model_in, study.models))
    return "texts" if index.texts is None else "fields" if needs.apart else ""


def of_stored_documents(study: Study) -> Study:
    """Return the study over documents whose texts can be changed: for a given index, those stored in it."""
    index = study.opened()
    if index is None:
        return study
    if not_stored(study) == "fields":
        source = study.given.source
        name = f"'{source}'" if isinstance(source, str | os.PathLike) else "this"
        raise ArgumentError(f"{name} is an index; name its collection, whose fields are known")
    judged = study.judged()
    stored = stored_collection(index, judged.name).with_topics(judged.queries, judged.qrels, judged.threshold)
    altered = Study.of(StudySource(stored, analysis=study.analyzer()))
    return replace(altered, models=study.models, scoring=study.scoring, fixed_runs=study.fixed_runs, told=study.told)
