"""A ranking typed by hand and scored: what is said of it belongs to the whole ranking."""

import pytest

from toysearch.study.explain.typed_ranking_measures import score_ranking


@pytest.mark.parametrize("measures", ["nDCG(judged_only=true) P@4", "P@4 nDCG(judged_only=true)"])
def test_a_measure_of_the_judged_documents_does_not_shorten_the_ranking(measures):
    found = score_ranking("R I U R", judged="R I R R", measures=measures)
    about = "4 retrieved · 1 of them unjudged · 2 relevant found · 3 relevant in all · relevant from grade 1"
    assert found.about() == [about]
    assert [row["grade"] for row in found.data()["ranking"]] == [1, 0, None, 1]
    assert found.tables()[0].columns[2].name == "bounds"
