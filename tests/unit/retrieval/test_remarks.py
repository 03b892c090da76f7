"""The remarks on an answer are facts with remedies: notes of a search are made of them, in the same order."""

import pytest
from captured_notes import noted

from toysearch import Document, Index, Searcher
from toysearch.base import NoMatchNote
from toysearch.retrieval.remarks import Remark, SpellingNote, remarks_on_answer

TEXTS = ["the boundary layer of air", "boundary conditions", "a layer of paint"]
DOCUMENTS = [Document(str(n), text, "", {"brand": "Dyson"}) for n, text in enumerate(TEXTS, 1)]
INDEX = Index.build(DOCUMENTS, values=["brand"])


@pytest.mark.parametrize(
    ("query", "remarks"),
    [
        ("boundary layer", []),
        (
            "boundery layer",
            [
                Remark("did you mean boundary layer? (3 documents)", "", SpellingNote),
                Remark("in no document", "boundery", SpellingNote),
            ],
        ),
        (
            "dyson air xyz",
            [
                Remark("dyson is a value of brand", "+brand:dyson", SpellingNote),
                Remark("in no document", "xyz", SpellingNote),
            ],
        ),
        ("xyz", [Remark("no document contains a term of the query (xyz)", "", NoMatchNote)]),
        (
            '"paint boundary"',
            [Remark('no document has the phrase "paint boundary"; its words occur apart', "", NoMatchNote)],
        ),
        (" ", [Remark("the query is empty", "", NoMatchNote)]),
    ],
)
def test_remarks_are_facts_with_remedies(query: str, remarks: list[Remark]) -> None:
    searcher = Searcher(INDEX, "bm25")
    found = remarks_on_answer(INDEX, searcher.model, searcher.terms(query), query, "lenient", None)
    assert found == remarks
    with noted() as notes:
        searcher.search(query)
    assert notes == [f"{what}: {remedy}" if remedy else what for what, remedy, _ in found]
