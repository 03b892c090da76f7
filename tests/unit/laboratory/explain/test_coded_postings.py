"""The textbook view: its codes decode to the postings of the index, its sizes are those of its codes."""

from __future__ import annotations

import numpy as np
import pytest

import toysearch
from toysearch import ArgumentError, Index
from toysearch.laboratory.explain.codes import gamma_decode, textbook_view, variable_byte_decode


def test_every_term_of_cranfield_decodes_to_its_postings(corpora):
    index = Index.build(toysearch.load("cranfield"))
    for number, term in list(enumerate(index.terms))[::37]:
        view, postings = textbook_view(index, term), index.postings(term)
        assert [posting.document - 1 for posting in view.postings] == postings.docs.tolist()
        assert [posting.doc_id for posting in view.postings] == index.doc_ids.take(postings.docs)
        assert [posting.tf for posting in view.postings] == postings.tf.tolist()
        bits = "".join(posting.gamma for posting in view.postings).replace(" ", "")
        assert (np.cumsum(gamma_decode(bits)) - 1).tolist() == postings.docs.tolist()
        code = bytes(int(byte, 2) for posting in view.postings for byte in posting.variable_byte.split())
        assert (np.cumsum(variable_byte_decode(code)) - 1).tolist() == postings.docs.tolist()
        assert view.bits == {"whole": 32 * view.df, "variable_byte": 8 * len(code), "gamma": len(bits)}
        assert (view.number, view.terms) == (number + 1, len(index.terms))
        assert (view.df, view.cf) == (index.df[number], index.cf[number])
        assert view.last_row - view.first_row + 1 == view.df
        skipping = [place for place, posting in enumerate(view.postings) if posting.skip_to]
        assert len(skipping) == view.skips
        for place in skipping:
            assert view.postings[place].skip_to == view.postings[place + view.skips_apart].document


def test_only_so_many_postings_are_coded():
    view = textbook_view(Index.build(["cat"] * 9), "cat", k=2)
    assert [posting.skip_to for posting in view.postings] == [4, None]
    assert (view.df, view.skips, view.skips_apart, view.bits["gamma"]) == (9, 2, 3, 9)


def test_a_term_that_no_document_holds():
    with pytest.raises(ArgumentError) as caught:
        textbook_view(Index.build(["cat"]), "dog")
    assert str(caught.value) == "no document of the index holds the term 'dog'"
