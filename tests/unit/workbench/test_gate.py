"""What becomes of expectations: of models and of runs, worked out by hand."""

from pathlib import Path

import pytest

import toysearch
from toysearch import Index, ToysearchNote, gate
from toysearch.base.errors import ArgumentError, DataError
from toysearch.workbench.gate import FailingQuery, GateResult

PETS = 'collection = "cat-dog-parrot"\n'
# Query 1 of cat-dog-parrot: 1 and 2 are relevant, query 2: 1 and 2, query 3: 3.
BETTER = "1 Q0 1 1 3 b\n1 Q0 2 2 2 b\n2 Q0 3 1 2 b\n2 Q0 2 2 1 b\n3 Q0 3 1 1 b\n"
WORSE = "1 Q0 3 1 3 w\n1 Q0 1 2 2 w\n2 Q0 2 1 2 w\n2 Q0 3 2 1 w\n3 Q0 1 1 2 w\n3 Q0 3 2 1 w\n"
# AP of better: 1, (1/2)/2 = 0.25, 1; of worse: (1/2)/2 = 0.25, 1/2, 1/2
RUNS = f'run = "worse.run"\n{PETS}[systems.better]\nrun = "better.run"\n{PETS}'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "better.run").write_text(BETTER)
    (tmp_path / "worse.run").write_text(WORSE)
    return tmp_path


def result(folder: Path, top: str, *expectations: str) -> GateResult:
    text = top + "".join(f"[[expect]]\n{expectation}\n" for expectation in expectations)
    (folder / "relevance.toml").write_text(text)
    return gate(folder / "relevance.toml")


def outcome(folder: Path, top: str, expectation: str):
    return result(folder, top, expectation).outcomes[0]


def refused(folder: Path, top: str, expectation: str) -> str:
    with pytest.raises(DataError) as error:
        result(folder, top, expectation)
    return str(error.value).removeprefix(f"{folder / 'relevance.toml'}:")


JUDGED = 'run = "worse.run"\nqrels = "qrels.txt"\n'
LONG = "x" * 5000
AP, FALL = 'measure = "AP"\n', 'measure = "AP"\nbaseline = "better"\n'
FIRST, FIRST_9 = (f"query = {number}\ndocument = 1\nin_first = 1" for number in (1, 9))
RISE = 'system = "better"\nbaseline = "worse.run"\nmeasure = "AP"\n'


@pytest.mark.parametrize(
    ("expectation", "found", "reason", "failing"),
    [
        (f"{AP}at_least = 0.41", "0.4167", "", ""),
        (f"{AP}at_least = 0.45", "0.4167", "it is 0.4167, 0.0333 too low", "123"),
        (f"{AP}query = 1\nat_least = 0.25", "0.2500", "", ""),
        (f"{AP}query = 1\nat_least = 0.250001", "0.2500", "it is 0.2500, 1e-06 too low", ""),
        # From better to worse 1 falls by 0.75, 3 by 0.5, 2 rises by 0.25.
        (f"{FALL}query_may_fall_by = 0.75", "largest fall 0.7500", "", ""),
        (f"{FALL}query_may_fall_by = 0.4", "largest fall 0.7500", "2 of 3 queries fall by more, one by 0.7500", "13"),
        (f"{RISE}query_may_fall_by = 0.25", "largest fall 0.2500", "", ""),
    ],
)
def test_values_and_falls(folder, expectation, found, reason, failing):
    one = outcome(folder, RUNS, expectation)
    assert (one.passed, one.found, one.reason) == (not reason, found, reason)
    assert "".join(query.query_id for query in one.queries) == failing


def test_the_queries_that_fail_have_their_texts_and_values(folder):
    found = result(folder, RUNS, 'measure = "AP"\nat_least = 0.9', f"{FALL}query_may_fall_by = 0.5")
    assert [one.line for one in found.failures] == [6, 9]
    assert found.outcomes[0].queries[0] == FailingQuery("1", "train cat", 0.25)
    assert found.outcomes[1].queries == (FailingQuery("1", "train cat", 0.25, 1.0),)
    assert not found.passed
    assert result(folder, RUNS, 'measure = "AP"\nat_least = 0.1').passed
    nothing = result(folder, RUNS)
    assert (nothing.outcomes, nothing.passed) == ((), False)


@pytest.mark.parametrize(
    ("expectation", "passed", "found", "reason"),
    [
        ("query = 1\ndocument = 1\nin_first = 2", True, "rank 2", ""),
        (FIRST, False, "rank 2", "document 1 is at rank 2; first comes 3"),
        ("query = 1\ndocuments = [3, 1]\nin_first = 2", True, "rank 1, rank 2", ""),
        (
            "query = 1\ndocuments = [3, 4]\nin_first = 2",
            False,
            "rank 1, not retrieved",
            "document 4 is not among the 2 that are retrieved; first come 3, 1",
        ),
        ("query = 1\ndocument = 1\nnot_in_first = 1", True, "rank 2", ""),
        ("query = 1\ndocument = 4\nnot_in_first = 5", True, "not retrieved", ""),
        ("query = 1\ndocument = 1\nnot_in_first = 2", False, "rank 2", "document 1 is at rank 2"),
        ("query = 1\nfinds_at_most = 2", True, "2 documents", ""),
        ("query = 1\nfinds_at_most = 0", False, "2 documents", "it finds 2 documents, first 3, 1"),
    ],
)
def test_ranks(folder, expectation, passed, found, reason):
    assert outcome(folder, RUNS, expectation)[2:5] == (passed, found, reason)


@pytest.mark.parametrize(
    ("expectation", "what"),
    [
        ("query = 1\ndocument = 1\nin_first = 2", "query 1 has document 1 in the first 2 (worse.run)"),
        ("query = 1\ndocuments = [1, 2]\nnot_in_first = 1", "query 1 does not have documents 1, 2 first (worse.run)"),
        ("query = 1\nfinds_at_most = 1", "query 1 finds at most 1 (worse.run)"),
        (f'{AP}at_least = 1\nname = "low"', "low: AP of worse.run is at least 1"),
        (f"{AP}query = 1\nat_least = 0.25", "AP of query 1 under worse.run is at least 0.25"),
        (f"{FALL}query_may_fall_by = 1", "AP of no query falls by more than 1 from better.run to worse.run"),
    ],
)
def test_in_words(folder, expectation, what):
    assert outcome(folder, RUNS, expectation).what == what


def test_nothing_is_to_be_found_for_a_text(folder):
    nothing, something = ('text = "zebra"\nfinds_at_most = 0', 'text = "cat"\nfinds_at_most = 0')
    passed = outcome(folder, PETS, nothing)
    assert (passed.what, passed.passed, passed.found) == (
        "'zebra' finds nothing (bm25 on cat-dog-parrot)",
        True,
        "0 documents",
    )
    failed = outcome(folder, PETS, something)
    assert (failed.passed, failed.reason) == (False, "it finds 1 document, first 1")


def test_a_run_is_ordered_as_trec_eval_does(folder):
    """Scores decide, whatever the column of ranks says; equal ones by falling doc_id."""
    (folder / "worse.run").write_text("1 Q0 2 1 5 w\n1 Q0 1 2 7 w\n1 Q0 3 3 7 w\n")
    assert outcome(folder, RUNS, "query = 1\ndocuments = [3, 1, 2]\nin_first = 3").found == "rank 1, rank 2, rank 3"


def test_a_fall_is_not_one_by_rounding(folder):
    """In binary numbers 8/10 − 5/10 is more than 0.3."""
    assert 8 / 10 - 5 / 10 > 0.3
    (folder / "qrels.txt").write_text("".join(f"1 0 {number} 1\n" for number in range(8)))
    for name, count in (("better", 8), ("worse", 5)):
        rows = (f"1 Q0 {number} 1 {9 - number} x\n" for number in range(count))
        (folder / f"{name}.run").write_text("".join(rows))
    for limit, passed in (("0.3", True), ("0.29999", False)):
        fall = f'measure = "P@10"\nbaseline = "better.run"\nquery_may_fall_by = {limit}'
        assert outcome(folder, JUDGED, fall).passed is passed


def test_lower_is_better(folder):
    """FP, the documents retrieved that are not relevant: query 1 none → 1, query 2 1 → 1, query 3 none → 1."""
    (folder / "better.run").write_text(BETTER.replace("3 Q0 3 1 1 b\n", "3 Q0 3 1 1 b\n3 Q0 1 2 0 b\n"))
    found = outcome(folder, RUNS, 'measure = "FP"\nbaseline = "better"\nquery_may_fall_by = 0')
    assert found.reason == "1 of 3 queries rises by more, one by 1.0000"
    assert (found.what, found.found) == (
        "FP of no query rises by more than 0 from better.run to worse.run",
        "largest rise 1.0000",
    )
    assert found.queries == (FailingQuery("1", "train cat", 1.0, 0.0),)


def test_queries_without_a_value_do_not_count_against_a_baseline(folder):
    """ESL, how far one has to read for the first relevant document: undefined where none is."""
    (folder / "qrels.txt").write_text("1 0 1 1\n2 0 1 0\n")
    found = outcome(folder, JUDGED, 'measure = "ESL"\nbaseline = "better.run"\nquery_may_fall_by = 0')
    assert found.reason == "1 of 1 query rises by more, one by 1.0000"  # document 1: first, now second
    assert [query.query_id for query in found.queries] == ["1"]


# systems


def test_a_model_on_a_collection(folder):
    (folder / "mine.py").write_text("def rank(tf, *, k=1.0):\n    return tf * k\n")
    for model, label in (("mine.py:rank:k=2", "mine.py:rank:k=2"), ("bm25", "bm25"), (None, "bm25")):
        top = PETS + (f'model = "{model}"\n' if model else "")
        found = outcome(folder, top, FIRST)
        assert found[1:4] == (f"query 1 has document 1 first ({label} on cat-dog-parrot)", True, "rank 1")
    assert outcome(folder, PETS, 'text = "a parrot!"\ndocument = 3\nin_first = 1').what.startswith("'a parrot!' has ")


def test_an_analysis_and_a_threshold(folder):
    expectation = 'text = "parrots"\ndocument = 3\nin_first = 1'
    with pytest.warns(ToysearchNote, match="no document contains a term of the query"):
        assert not outcome(folder, PETS, expectation).passed
    assert outcome(folder, f'{PETS}model = "bm25 | english"\n', expectation).passed
    assert outcome(folder, PETS, 'measure = "R@1"\nquery = 1\nat_least = 0').value == 0.5
    assert outcome(folder, PETS, 'measure = "R(rel=0.1)@1"\nquery = 1\nat_least = 0').value == 0.25


def test_a_collection_and_judgments_beside_the_file(folder):
    (folder / "docs.jsonl").write_text('{"_id": "d1", "text": "a wing"}\n{"_id": "d2", "text": "a jet"}\n')
    (folder / "qrels.txt").write_text("q 0 d2 1\n")
    (folder / "mine.run").write_text("q Q0 d1 1 2 m\nq Q0 d2 2 1 m\n")
    assert outcome(folder, 'collection = "docs.jsonl"\n', 'text = "jet"\ndocument = "d2"\nin_first = 1').passed
    found = outcome(folder, 'run = "mine.run"\nqrels = "qrels.txt"\n', 'measure = "RR"\nat_least = 1')
    assert (found.value, found.queries) == (0.5, (FailingQuery("q", "", 0.5),))


def test_systems_share_a_collection_and_its_index(folder, monkeypatch):
    built: list[object] = []
    build = Index.build
    monkeypatch.setattr(Index, "build", lambda *given, **more: built.append(given) or build(*given, **more))
    top = f'{PETS}model = "bm25"\n[systems.other]\n{PETS}model = "tfidf"\n'
    top += f'[systems.stemmed]\n{PETS}model = "bm25 | english"\n'
    expectations = [
        f'system = "{name}"\ntext = "cat"\ndocument = 1\nin_first = 1' for name in ("other", "stemmed", "other")
    ]
    assert result(folder, top, *expectations, expectations[0].partition("\n")[2]).passed
    assert len(built) == 2


def test_an_index(folder):
    pets = toysearch.load("cat-dog-parrot")
    Index.build(pets).save(folder / "pets.idx")
    top = 'collection = "pets.idx"\n'
    assert outcome(folder, top, f"{AP}at_least = 1").what == "AP of bm25 on pets.idx is at least 1"
    Index.build({"1": "a cat"}).save(folder / "own.idx")
    top = 'collection = "own.idx"\n'
    assert outcome(folder, top, 'text = "cat"\ndocument = 1\nin_first = 1').passed
    assert refused(folder, top, FIRST) == (
        "2: the index 'own.idx' was not built from a named collection and has no queries; a query can be given as text"
    )


def test_queries_and_judgments_of_a_collection(folder):
    """An index of one's own is tested with those of a collection; a collection with queries of one's own."""
    pets = toysearch.load("cat-dog-parrot")
    Index.build({document.doc_id: document.text for document in pets.documents}).save(folder / "own.idx")
    expected = toysearch.evaluate(
        toysearch.Searcher(pets, "jaccard").run(pets.queries), pets.qrels, "AP", threshold=pets.threshold
    )["AP"]
    both = 'queries = "cat-dog-parrot"\nqrels = "cat-dog-parrot"\n'
    found = outcome(folder, f'collection = "own.idx"\nmodel = "jaccard"\n{both}', f"{AP}at_least = 0")
    assert found.value == pytest.approx(expected)
    assert outcome(folder, f'run = "better.run"\n{both}{PETS}', f"{AP}at_least = 0").value == 0.75
    assert outcome(folder, 'run = "better.run"\nqrels = "cat-dog-parrot"\n', f"{AP}at_least = 0").value == 0.75
    (folder / "topics.csv").write_text("query_id,text\nmine,train cat\n")
    (folder / "qrels.txt").write_text("mine 0 3 1\n")
    top = f'{PETS}queries = "topics.csv"\nqrels = "qrels.txt"\n'
    assert outcome(folder, top, 'query = "mine"\ndocument = 1\nin_first = 3').passed
    assert outcome(folder, top, 'measure = "Rprec"\nquery = "mine"\nat_least = 0').passed


def test_what_cannot_be_found_fails(folder):
    (folder / "qrels.txt").write_text("1 0 1 1\n9 0 1 1\n")
    assert outcome(folder, JUDGED, FIRST_9).found == "not retrieved"
    found = outcome(folder, PETS, "query = 1\ndocument = 9\nin_first = 1")
    assert found.reason == "the collection has no document '9'; first comes 1"
    with pytest.warns(ToysearchNote, match="no document contains a term of the query"):
        found = outcome(folder, PETS, 'text = "giraffe"\ndocument = 1\nin_first = 1')
    assert found.reason == "document 1 is not among the 0 that are retrieved; nothing is retrieved"


@pytest.mark.parametrize(
    ("top", "expectation", "message"),
    [
        (PETS, FIRST_9, "2: collection 'cat-dog-parrot' has no query '9'; its 3 queries run from '1' to '3'"),
        (PETS, 'measure = "AP"\nquery = 9\nat_least = 1', "2: query '9' has no judgments, so no value of AP"),
        (f'{PETS}model = "bm52"\n', f"{AP}at_least = 1", "3: unknown model 'bm52'; did you mean 'bm25'?"),
        ('collection = "pests"\n', f"{AP}at_least = 1", "2: unknown collection, file or folder 'pests'"),
        (f'{PETS}qrels = "q.txt"\n', f"{AP}at_least = 1", "3: q.txt: there is no such file"),
        (
            'run = "worse.run"\ncollection = "cat-dog-parrot"\n',
            'text = "cat"\ndocument = 1\nin_first = 1',
            "3: a text needs a collection to search, but this system is a run; give query instead",
        ),
        ('run = "worse.run"\nqrels = "seven.txt"\n', FIRST_9, "3: neither the run nor the judgments have a query '9'"),
        (
            f'{RUNS}[systems.other]\nrun = "seven.run"\nqrels = "seven.txt"\n',
            'measure = "AP"\nbaseline = "other"\nquery_may_fall_by = 1',
            "9: worse.run and the baseline seven.run have no query with a value in common",
        ),
        (
            RUNS,
            'measure = "GMAP"\nbaseline = "better.run"\nquery_may_fall_by = 1',
            "6: GMAP is not a mean over queries; compare AP",
        ),
        # names that no file can have
        (f'collection = "{LONG}"\n', f"{AP}at_least = 1", "2: "),
        (f'run = "{LONG}"\nqrels = "q.txt"\n', f"{AP}at_least = 1", "3: "),
        (f'run = "a\\u0000b"\n{PETS}', f"{AP}at_least = 1", "1: expected a string: the path of a run as run, found "),
        (PETS, f'{AP}baseline = "{LONG}"\nquery_may_fall_by = 1', "4: there is no run 'xxx"),
    ],
)
def test_what_cannot_be_tested(folder, top, expectation, message):
    (folder / "seven.txt").write_text("7 0 1 1\n")
    (folder / "seven.run").write_text("7 Q0 1 1 1 o\n")
    assert refused(folder, top, expectation).startswith(message)


def test_a_fall_to_an_infinite_value(folder):
    """ESL of query 3 is infinite for a run without its relevant document; the run has not fallen from itself."""
    (folder / "none.run").write_text("1 Q0 1 1 3 n\n2 Q0 2 1 2 n\n3 Q0 1 1 2 n\n")
    top, rise = f'run = "none.run"\n{PETS}', 'measure = "ESL"\nquery_may_fall_by = 0.1\nbaseline'
    assert outcome(folder, top, f'{rise} = "none.run"').passed
    found = outcome(folder, top, f'{rise} = "worse.run"')
    assert not found.passed
    assert "one by inf" in found.reason


def test_undefined_values(folder):
    """The expected search length until the first relevant document, where there is none."""
    (folder / "qrels.txt").write_text("1 0 1 0\n")
    found = outcome(folder, JUDGED, 'measure = "ESL"\nat_least = 0')
    reason = "it is undefined: no relevant document is judged"
    assert (found.passed, found.found, found.reason, found.value) == (False, "undefined", reason, None)


def test_a_gate_is_a_file():
    with pytest.raises(ArgumentError, match="gate takes the path of a file of expectations, not a Collection"):
        gate(toysearch.load("cat-dog-parrot"))
