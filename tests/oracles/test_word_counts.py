"""The bundled word counts of Cranfield and CISI against their texts: indexes, rankings and measures, bit for bit."""

import gzip
import zlib
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT, loaded
from error_messages import raising
from tiers import exhaustive

import toysearch
from toysearch import MEASURES, MODELS, Analyzer, Index, Searcher
from toysearch.base.errors import ArgumentError, without_notes
from toysearch.collection import catalog
from toysearch.models.rankers import ADDED

pytestmark = pytest.mark.system
NAMES = ["cranfield", pytest.param("cisi", marks=exhaustive)]
ANALYSES = [
    None,
    "plain",
    *(
        pytest.param(spec, marks=exhaustive)
        for spec in (
            *("english:stem=porter", "english:stem=none,stop=snowball", "english:fold_accents,stop=none"),
            *("english:stop=iso,numbers=drop", "english:tokens=word1", "plain:tokens=word1"),
            *("plain:numbers=mark,min_length=4,max_length=9", "english:char_ngrams=3-4"),
        )
    ),
]
WRAPPED = [f"{name}(bm25)" for name in ADDED if name not in ("sdm", "passages")]
MIXED = [
    "0.5*min-max(bm25) + 0.5*min-max(lm-jm:0.7)",
    "rrf(bm25, lsa:5)",
    "rm3(lm-dirichlet:200)",
    "mmr(bm25)",
    "bm25@20 >> lsa:5",
]
OF_BYTES = "formula:tf / (tf + bytes / 800)"
FEW = ["bm25", "lm-dirichlet", "rm3(bm25)", "lsa:5", OF_BYTES]
MODELS_TRIED = [
    pytest.param(model, marks=[] if model in FEW else exhaustive)
    for model in [*FEW, *(each for each in [*MODELS, *WRAPPED, *MIXED] if each not in FEW)]
]
ROUNDED = ("axiomatic", "rm3(lm-dirichlet")
"""Rankers that add up terms in the order of the query: of a bag of words the last bits of a score may differ."""

WITH_CUT = ("P", "R", "R_cap", "F", "MeanP", "Success", "BPM", "alpha_DCG", "ERR_IA", "P_IA", "Hole")
SPECS = {
    **{name: f"{name}@10" for name in WITH_CUT},
    "IPrec": "IPrec@0.1",
    **{name: f"{name}(N=1400)" for name in ("Fallout", "SetAccuracy", "Generality", "TN")},
}
EVERY_MEASURE = [SPECS.get(name, name) for name in MEASURES] + ["nDCG@10", "nDCG(dcg=exp-log2)@10"]


@cache
def both(name: str, fields: str | None = None) -> tuple[toysearch.Collection, toysearch.Collection]:
    """The collection from its texts, and from its word counts."""
    with without_notes(), pytest.MonkeyPatch.context() as patch:
        texts = toysearch.load(name, fields=fields)
        for variable in ("TOYSEARCH_CORPORA", "HOME", "USERPROFILE", "IR_DATASETS_HOME", "PYTERRIER_HOME", "NLTK_DATA"):
            patch.setenv(variable, "")
        patch.setenv("TOYSEARCH_CACHE", "nowhere")
        counts = toysearch.load(name, fields=fields)
        assert len(counts.documents) == len(texts.documents)
    assert (texts.word_counts, counts.word_counts) == (False, True)
    return texts, counts


@cache
def indexes(name: str, fields: str | None = None, apart: bool = False) -> tuple[Index, Index]:
    """The indexes of both."""
    collections = both(name, fields)
    first, second = (Index.build(each, fields=each.searched_fields if apart else None) for each in collections)
    return first, second


@pytest.mark.parametrize("name", NAMES)
def test_documents_queries_and_judgments(corpora: Path, name: str) -> None:
    texts, counts = both(name)
    assert counts.documents.doc_ids == texts.documents.doc_ids
    assert counts.queries.query_ids == texts.queries.query_ids
    assert all(isinstance(text, toysearch.base.CountedWords) for text in counts.documents.texts)
    word1 = Analyzer(tokens="word1")
    for ours, theirs in ((counts.documents, texts.documents), (counts.queries, texts.queries)):
        assert [sorted(word1(text)) for text in ours.texts] == [sorted(word1(text)) for text in theirs.texts]
    for attribute in (
        *("language", "tokens", "threshold", "complete", "split", "title", "description", "searched_fields"),
    ):
        assert getattr(counts, attribute) == getattr(texts, attribute), attribute
    with without_notes(), pytest.MonkeyPatch.context() as patch:
        grades = catalog.recipe(name).grades
        every = [
            *grades,
            *(
                f"{key}:{option}={value}"
                for key, each in grades.items()
                for option in each.options
                for value in each.options[option].values
            ),
        ]
        theirs = {each: list(toysearch.load(name, grades=each).qrels) for each in every}
        patch.setenv("TOYSEARCH_CORPORA", "")
        patch.setenv("TOYSEARCH_CACHE", "nowhere")
        assert {each: list(toysearch.load(name, grades=each).qrels) for each in every} == theirs


@pytest.mark.parametrize("fields", [None, "T", pytest.param("T,W", marks=exhaustive)])
@pytest.mark.parametrize("analysis", ANALYSES)
@pytest.mark.parametrize("name", NAMES)
def test_every_array_of_an_index(corpora: Path, name: str, analysis: str | None, fields: str | None) -> None:
    analyzer = None if analysis is None else Analyzer.parse(analysis)
    first, second = (Index.build(each, analyzer) for each in both(name, fields))
    own = [each for each in first.arrays if not each.startswith(("titles", "texts", "keyword", "value"))]
    assert sorted(own) == sorted(second.arrays)
    for each in own:
        assert np.array_equal(np.asarray(first.arrays[each]), np.asarray(second.arrays[each])), each
    assert (first.stats, list(first.terms)) == (second.stats, list(second.terms))
    assert (second.titles, second.texts, second.word_counts) == (None, None, True)


@pytest.mark.parametrize("model", MODELS_TRIED)
@pytest.mark.parametrize("name", NAMES)
def test_every_model_by_every_measure(corpora: Path, name: str, model: str) -> None:
    of_fields = model == "bm25f"
    spec, fields = ("bm25f:T=2,W=1", "T,W") if of_fields else (model, None)
    collections = both(name, fields)
    with without_notes():
        runs = [
            Searcher(index, spec).run(collection.judged_queries)
            for index, collection in zip(indexes(name, fields, of_fields), collections, strict=True)
        ]
    first, second = runs
    if model.startswith(ROUNDED):
        assert sorted(first.doc_ids) == sorted(second.doc_ids)
    else:
        assert (first.query_ids, first.doc_ids) == (second.query_ids, second.doc_ids)
        assert np.array_equal(first.scores, second.scores)
    with without_notes():
        values = [
            toysearch.evaluate(run, collection.qrels, EVERY_MEASURE, threshold=collection.threshold)
            for run, collection in zip(runs, collections, strict=True)
        ]
    assert repr(values[0].per_query) == repr(values[1].per_query)  # nan is not equal to itself


@pytest.mark.parametrize("ranker", ["sdm(bm25)", "rm3(sdm(bm25))", "passages(bm25)"])
def test_rankers_that_need_texts(corpora: Path, ranker: str) -> None:
    needed = (
        "passages are cut out of texts" if "passages" in ranker else "a phrase or a window needs the order of words"
    )
    with raising(
        ArgumentError,
        f"{needed}, and the documents of 'cranfield' are word counts here; `fetch('cranfield')` fetches the texts",
    ):
        Searcher(indexes("cranfield")[1], ranker).run(both("cranfield")[1].judged_queries[:1])


@pytest.mark.parametrize("name", NAMES)
def test_the_files_are_made_from_the_texts(corpora: Path, name: str) -> None:
    make = loaded(ROOT / "docs" / "make_word_counts.py")
    with without_notes():
        files = make.files_of(name)
    folder = ROOT / "corpora" / name
    assert sorted(f"{file}.gz" for file in files) == sorted(path.name for path in folder.glob("*.gz"))
    for file, text in files.items():
        data = (folder / f"{file}.gz").read_bytes()
        assert gzip.decompress(data) == text.encode(), file
        if "ng" not in zlib.ZLIB_RUNTIME_VERSION:  # which packs in another way
            assert make.packed(text) == data, file
