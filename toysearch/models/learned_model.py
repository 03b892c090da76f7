"""The model ``learned:FOLDER``: a ranker that `toysearch learn` saved, or that was learned in this process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from toysearch.base.errors import ArgumentError
from toysearch.models.mixture import LEARNED, Factor, Mixture, Product
from toysearch.models.model import Model
from toysearch.models.ranker import Ranker
from toysearch.models.ranker_features import feature_of, ranked_by
from toysearch.models.ranker_folder import open_ranker


@dataclass(frozen=True, eq=False)
class LearnedModel(Mixture):
    """The models and priors of a ranker, combined by its function instead of a sum."""

    source: str = ""  # the folder of the ranker, or another name
    ranker: Ranker = field(default=None, repr=False)  # type: ignore[assignment]

    def __str__(self) -> str:
        return self.label or LEARNED + self.source

    __repr__ = __str__

    def replaced(self, changes: Mapping[Any, Model]) -> LearnedModel:
        """The ranker as it is: its function fits the scores of its own models only."""
        return self


def learned_model(text: str) -> LearnedModel:
    """The learned model of a text, ``learned:FOLDER``."""
    folder = text.strip().removeprefix(LEARNED)
    if not folder:
        raise ArgumentError(f"'{text}' names no folder; expected {LEARNED}FOLDER, as `toysearch learn -o FOLDER` makes")
    return as_model(open_ranker(folder), folder)


def as_model(ranker: Ranker, name: str) -> LearnedModel:
    """A ranker as a model with a name."""
    features = [feature_of(text) for text in ranker.features]
    sources = [each.source for each in features if not isinstance(each.source, str)]
    products: dict[Product, None] = {}
    for source in [*(ranked_by(part.model, "pool") for part in ranker.pool), *sources]:
        own = source.products if isinstance(source, Mixture) else (Product(1.0, (Factor(source),)),)
        products.update(dict.fromkeys(own))
    return LearnedModel(tuple(products), source=name, ranker=ranker)
