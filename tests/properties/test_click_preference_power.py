"""Team draft with simulated users: how often it finds a difference that is there, and one that is not."""

import inspect

import numpy as np
import pytest
from lengths import exhaustive

import toysearch
from toysearch.workbench.clicks.click_log import ShownDocument, ShownList
from toysearch.workbench.clicks.click_preference import preference
from toysearch.workbench.clicks.interleaving import interleave, simulated_clicks

SESSIONS, SEEDS = 2000, 200
draft = inspect.unwrap(interleave)  # its arguments are right: to check them takes longer than a draft


@exhaustive
def test_2000_sessions_find_a_difference_of_two_hundredths_of_ap():
    """Each session has a draft of its own: drafts that audiences share would be a difference between equal runs."""
    collection = toysearch.load("companions")
    index = toysearch.Index.build(collection)
    runs = [toysearch.Searcher(index, model).run(collection.queries, k=10) for model in ("bm25", "bm25:k1=4,b=0.9")]
    values = [toysearch.evaluate(run, qrels=collection.qrels, measures="AP")["AP"] for run in runs]
    assert values[0] - values[1] == pytest.approx(0.02, abs=0.003)
    query_ids = [*runs[0].query_ids]
    ranked = [{query_id: [*run.doc_ids_of(query_id)] for query_id in query_ids} for run in runs]
    grades = {query_id: dict(collection.qrels[query_id].items()) for query_id in query_ids}
    wins, alarms = 0, 0
    for seed in range(SEEDS):
        users = np.random.default_rng(seed)
        for second in ranked:
            seen = []
            for session, place in enumerate(users.integers(len(query_ids), size=SESSIONS).tolist()):
                query_id = query_ids[place]
                lists = {"x": ranked[0][query_id], "y": second[query_id]}
                mixed = draft(lists, query_id, voter=f"{seed}-{session}")
                clicks = simulated_clicks(mixed.doc_ids, grades[query_id], users)
                rows = zip(mixed.doc_ids, clicks, mixed.teams, strict=True)
                seen.append(ShownList(str(session), query_id, tuple(ShownDocument(*row) for row in rows)))
            [count] = preference(seen).counts[:1]
            if second is ranked[0]:
                alarms += count.p < 0.05
            else:
                wins += count.p < 0.05 and count.wins > count.losses
    assert wins >= SEEDS * (0.8 - 3 * (0.8 * 0.2 / SEEDS) ** 0.5)  # of 200 it is 160
    assert alarms <= SEEDS * (0.05 + 3 * (0.05 * 0.95 / SEEDS) ** 0.5)  # of 200 it is 6
