"""Built-in models by name; the file of a family is loaded when one of its models is first asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module

from toysearch.models.model import Model

FAMILIES = {
    "tfidf": "overlap tfidf smart",
    "vector_space": "cosine dice jaccard euclidean",
    "bm25": "bm25 bm25-lucene bm25-robertson bm25-atire bm25-okapi bm25l bm25plus bm25l-rank bm25plus-rank bm25f",
    "language_models": "lm-dirichlet lm-jm",
    "divergence": "pl2 inl2 dph ll spl f2exp",
}
"""File of `toysearch.models` → the names of its models, in the order of lists."""


_FILES = {name: file for file, names in FAMILIES.items() for name in names.split()}


class _BuiltIn(Mapping[str, Model]):
    def __getitem__(self, name: str) -> Model:
        family = import_module(f"toysearch.models.{_FILES[name]}")
        made = getattr(family, name.replace("-", "_"))
        built_in: Model = made if isinstance(made, Model) else made()  # bm25f makes a model of fields
        return built_in

    def __contains__(self, name: object) -> bool:
        return name in _FILES

    def __iter__(self) -> Iterator[str]:
        return iter(_FILES)

    def __len__(self) -> int:
        return len(_FILES)

    def __or__(self, others: Mapping[str, Model]) -> dict[str, Model]:
        return {**self, **others}

    def __ror__(self, others: Mapping[str, Model]) -> dict[str, Model]:
        return {**others, **self}

    def __repr__(self) -> str:
        return repr(dict(self))


MODELS: Mapping[str, Model] = _BuiltIn()
