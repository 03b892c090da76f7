"""Which terms come into a query, in collections of any size: the smallest too."""

import warnings
from fractions import Fraction

import pytest

import toysearch
from toysearch import Index, Searcher
from toysearch.models.rankers import ADDED
from toysearch.retrieval.expansion_formulas import highest_df
from toysearch.study.explain.score_explanation import explain_expansion

ABOUT_CATS = ["train your cat with a clicker", "a cat learns tricks with treats and a clicker"]
OTHERS = ["goldfish swim", "hens lay eggs", "a horse eats hay", "snails are slow", "ducks like ponds", "newts hide"]
SIZES = (2, 4, 8, 15, 20)
EXPANSIONS = [name for name in ADDED if name != "sdm"]


def texts(size: int) -> list[str]:
    """Texts of which one in a small collection, and two in all others, are about training cats."""
    return [*ABOUT_CATS[: 1 if size < 4 else 2], *(f"{OTHERS[n % len(OTHERS)]} {n}" for n in range(size))][:size]


def new_terms(index: Index, model: str, query: str) -> set[str]:
    [found] = explain_expansion(Searcher(index, model), query)
    typed = {index.analyzer.term(word) for word in query.split()}
    return {term.label for term in found.parts if term.parts[1].value > 0} - typed


def test_every_expansion_is_tried() -> None:
    assert EXPANSIONS == ["rm3", "rocchio", "bo1", "kl", "axiomatic"]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("wrapper", EXPANSIONS)
def test_a_term_comes_in_by_default(wrapper: str, size: int) -> None:
    assert len(texts(size)) == size
    with warnings.catch_warnings():
        warnings.simplefilter("error", toysearch.ToysearchNote)
        assert "clicker" in new_terms(Index.build(texts(size)), f"{wrapper}(bm25)", "train cat")


@pytest.mark.parametrize("size", [1, 2, 3, 4, 9, 10, 15, 19, 20, 30, 41])
@pytest.mark.parametrize("share", ["0", "0.1", "0.25", "0.5", "1"])
def test_the_limit_by_counting(size: int, share: str) -> None:
    """Word k is in the first k documents. It comes in if k is in the share, or at most 2 and not in all."""
    index = Index.build([" ".join(["cat", *(f"w{k}" for k in range(n, size + 1))]) for n in range(1, size + 1)])
    expected = {f"w{k}" for k in range(1, size + 1) if k <= Fraction(share) * size or (k <= 2 and k < size)}
    for wrapper in ("rm3", "rocchio"):
        model = f"{wrapper}(bm25, docs={size}, terms=1000, df={share})"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", toysearch.ToysearchNote)
            assert new_terms(index, model, "cat") == expected


def test_from_20_documents_on_the_share_alone_decides() -> None:
    assert all(highest_df(N, 0.1) == 0.1 * N for N in range(20, 2000))
    assert [highest_df(N, 0.1) for N in range(1, 20)] == [0.1, 1, *[2] * 17]


@pytest.mark.parametrize("wrapper", ["rm3", "rocchio"])
def test_a_collection_too_small_for_new_terms_is_told(wrapper: str) -> None:
    with pytest.warns(toysearch.ToysearchNote) as notes:
        added = new_terms(Index.build(texts(1)), f"{wrapper}(bm25)", "train cat")
    message = f"{wrapper} adds no term among 1 document: a term in all documents does not come in"
    assert ([str(note.message) for note in notes], added) == ([message], set())
    with warnings.catch_warnings():
        warnings.simplefilter("error", toysearch.ToysearchNote)
        assert new_terms(Index.build(texts(2)), f"{wrapper}(bm25)", "train cat") != set()
