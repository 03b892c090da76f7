"""What is suspicious about runs and judgments: each finding's whole line, and none where there is nothing."""

import shlex
import subprocess
from pathlib import Path

import pytest
from captured_notes import noted

from toysearch import Qrels, Ranking, Run, read_run
from toysearch.evaluation.lint import lint, suspicions
from toysearch.files import read_runs

GOOD_RUN = "1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n2 Q0 c 1 0.5 t\n"
GOOD_QRELS = "1 0 a 1\n1 0 x 0\n2 0 c 2\n"


def said(run: object, qrels: object = None) -> list[str]:
    return [str(finding) for finding in lint(run, qrels=qrels)]  # type: ignore[arg-type]


def file(folder: Path, text: str) -> Path:
    path = folder / "run"
    path.write_text(text)
    return path


def test_nothing_is_said_of_what_is_as_it_should_be(tmp_path: Path) -> None:
    qrels = tmp_path / "qrels"
    qrels.write_text(GOOD_QRELS)
    assert lint(file(tmp_path, GOOD_RUN)) == []
    assert lint(file(tmp_path, GOOD_RUN), qrels=qrels) == []


class TestLines:
    @pytest.mark.parametrize(
        ("text", "sentence"),
        [
            (GOOD_RUN + "2 Q0 d\n3\n", "columns: 2 lines do not have six columns, first line 4: '2 Q0 d'; cut short?"),
            (
                GOOD_RUN + "2 Q0 d 2 nan t\n",
                "scores: 1 score is not a number, first on line 4: 'nan'; a division by 0, or another column?",
            ),
            (
                GOOD_RUN + "1 Q0 a 3 0 t\n1 Q0 b 4 0 t\n",
                "duplicates: 2 lines repeat a document of the query, first line 4: query '1', document 'a'; "
                "passages of one document, or two runs in one file?",
            ),
            (GOOD_RUN + "3 Q0 c 1 0.5 u\n", "tags: 2 tags in one file, 't' and, from line 4, 'u'; two runs joined?"),
            (
                "1 Q0 a 1 0.1 t\n2 Q0 a 1 9 t\n1 Q0 b 2 0.5 t\n",
                "ranks: the ranks of 1 query of 2 contradict the scores, such as '1': rank 1 (line 1) scores 0.1, "
                "rank 2 (line 3) 0.5; the scores decide and the ranks are ignored; are the scores distances?",
            ),
            (
                "1 Q0 a 1 3 t\n1 Q0 b 2 inf t\n",
                "infinite scores: 1 score is infinite, first of query '1', document 'b'; the logarithm of 0?",
            ),
        ],
    )
    def test_a_file(self, tmp_path: Path, text: str, sentence: str) -> None:
        assert sentence in said(file(tmp_path, text))

    def test_nothing_that_can_be_read(self, tmp_path: Path) -> None:
        path = file(tmp_path, "1 Q0 a 1 1 t\n".replace(" 1 1 ", " 1 1 ").replace("1 t", "nan t"))
        path.write_text("1 Q0 b 1 extra 2 t\n1 Q0 a 1 1 t\n".replace("1 Q0 a 1 1 t", "1 Q0 a 1 0x t"))
        assert said(path) == [
            f"malformed: {path}:1: expected 6 columns (query_id Q0 doc_id rank score tag), found 7: "
            "'1 Q0 b 1 extra 2 t'; an id holds no blank here: write a table, with the header query_id,doc_id,score"
        ]


ONE, BLOCK = {"a": 2.0, "b": 1.0}, dict.fromkeys("abcde", 1)
SCORED = {"1": {"a": 7.0, "x": 1.0}}


@pytest.mark.parametrize(
    ("run", "qrels", "sentence"),
    [
        (
            {"1": {"a": 1.0, "b": 1.0}, "2": {"a": 1.0}},
            None,
            "constant scores: all scores of 1 query of 2 are equal, such as those of '1' (2 documents with 1); "
            "doc_ids order equal scores, or their lines where ties go by rank, not the system",
        ),
        (Run.from_rankings([Ranking("1", ["a", "b"], [1, 1])]), None, ""),  # the ranking has an order of its own
        (
            {"1": ONE, "2": {"a": 2.0, "b": 0.5}, "3": ONE, "4": ONE, "5": ONE},
            None,
            "repeated rankings: 4 queries of 5 have the documents and scores of another, such as '1', '3', '4' and 1 "
            "more; was one query's ranking written for all of them, or is it the same text?",
        ),
        (
            {"1": {f"d{number}": float(number) for number in range(30)} | {"near": 1 + 1e-9}},
            None,
            "precision: 1 score differs from the next only beyond 32 bits, first of query '1'; trec_eval treats them "
            "as equal",
        ),
        (
            SCORED,
            {"1": {"a": 0, "b": -1}},
            "grades: no grade of 2 judgments is above 0, so nothing is relevant; is it another scale?",
        ),
        (
            SCORED,
            {"1": {"a": 0.5, "b": 0.1}},
            "grades: all grades are below 1, the highest is 0.5; give a threshold, such as 0.25",
        ),
        (
            SCORED,
            {"1": {"a": 3, "b": 2, "c": 3}},
            "grades: the lowest grade is 2, and counts as relevant: nothing is judged not relevant; if 2 means that, "
            "nDCG(gains={2:0})@10 and AP(rel=3) are the measures",
        ),
        (SCORED, {"1": {"a": 1, "b": 1}}, ""),  # the relevant documents and no others
        (
            SCORED,
            {"1": {"a": 1, **{f"d{number}": number / 7 for number in range(60)}}},
            "grades: 60 different grades, from 0 to 8.42857; are these the scores of a run?",
        ),
        (
            {"1": {"a": 3.0}, "2": {"a": 2.0}},
            {"1": BLOCK, "2": dict(BLOCK)},
            "repeated judgments: queries '1', '2' have the same judgments; was one query's block copied?",
        ),
        (
            {"1": {"a": 1.0}},
            {},
            "malformed: the judgments are empty; expected at least one query with a judged document",
        ),
        (
            {"1": ONE},
            {"1": {"a": 2, "b": 1, "c": 0}},
            "judgments as run: every score is the document's grade; was the run made of the judgments?",
        ),
        (
            {"1": []},
            {"1": {"a": 1}},
            "nothing retrieved: no document for any query that is judged; was anything searched?",
        ),
    ],
)
def test_one_suspicion(run: object, qrels: object, sentence: str) -> None:
    assert said(run, qrels) == ([sentence] if sentence else [])


class TestTogether:
    def test_no_query_in_common_and_why(self) -> None:
        grades = {"1": {"a": 1}}
        first = "no query in common: 1 query in the run, such as '{}', 1 in the judgments, such as '1'"
        assert said({"x": {"a": 5.0}}, grades) == [first.format("x")]
        for query_id, how in (("001", "leading zeros"), ("Q1", "the text around the number")):
            assert said({query_id: {"a": 5.0}}, grades) == [
                first.format(query_id),
                f"query ids: 1 of the run and of the judgments differ in {how}, such as '{query_id}' and '1'; "
                "write them alike",
            ]

    def test_nothing_that_was_retrieved_is_judged_and_why(self) -> None:
        sentence = (
            "nothing judged: 0 of 2 retrieved documents are judged; the run has ids such as '{}', the judgments "
            "such as '{}': another collection, or other ids?"
        )
        alike = "document ids: {} of the run and of the judgments differ in {}, such as '{}' and '{}'; write them alike"
        assert said({"1": {"x": 5.0, "y": 4.0}}, {"1": {"a": 1}}) == [sentence.format("x", "a")]
        assert said({"1": {"A": 5.0, "B": 4.0}}, {"1": {"a": 1, "b": 0}}) == [
            sentence.format("A", "a"),
            alike.format(2, "case", "A", "a"),
        ]

    @pytest.mark.parametrize(
        ("ours", "theirs", "how"),
        [
            ("KB7", "kb7", "case"),
            ("00001", "1", "leading zeros"),
            ("12", "12.0", "a final .0"),
            ("https://www.x.org/help/", "x.org/help", "the ends of addresses"),
            ("What\u2019s  new \u2013 7", "What's new - 7", "blanks, dashes or apostrophes"),
        ],
    )
    def test_a_part_of_the_documents_that_is_spelt_differently_is_told_at_once(self, ours, theirs, how) -> None:
        run = Run.from_dict({"1": {ours: 5.0, "b": 4.0}, "2": {"b": 2.0, "c": 1.0}})
        qrels = Qrels.from_dict({"1": {theirs: 1, "b": 0}, "2": {"b": 1}})
        first = f"document ids: 1 of the first documents of the run and of the judgments differ in {how}, such as "
        assert suspicions(run, qrels) == [f"{first}'{ours}' and '{theirs}'; write them alike"]
        both = Run.from_dict({"1": {ours: 5.0, theirs: 4.0}, "2": {"b": 2.0, "c": 1.0}})
        assert suspicions(both, qrels) == []  # two documents
        assert suspicions(run, Qrels.from_dict({"1": {"b": 1}, "2": {"b": 1, theirs: 0, ours: 1}})) == []

    def test_queries_numbered_by_place(self) -> None:
        """Cranfield: its judgments number the queries 1 to 225, the queries themselves bear numbers to 365."""
        run = {query_id: {"d": float(query_id)} for query_id in ("1", "2", "4", "8", "9")}
        qrels = {str(place): {"d": place % 2} for place in range(1, 6)}
        assert said(run, qrels)[0] == (
            "numbered by place: 5 queries in the run and 5 in the judgments, but 3 in common: the run's numbers go to "
            "9, the judgments' to 5; is one side numbered by position (like the judgments of Cranfield, whose queries "
            "have other numbers)?"
        )
        named = {f"q{query_id}": docs for query_id, docs in run.items()}
        assert "numbered by place" not in [finding.name for finding in lint(named, qrels=qrels)]
        assert "numbered by place" not in [finding.name for finding in lint(qrels, qrels=qrels)]

    def test_queries_on_one_side_only(self) -> None:
        run = {"1": {"a": 5.0, "x": 1.0}, "7": {"a": 2.0}}
        qrels = {"1": {"a": 1}, **{f"m{letter}": {"a": 1} for letter in "abcd"}}
        assert said(run, qrels) == [
            "missing queries: 4 judged queries are not in the run: 'ma', 'mb', 'mc' and 1 more, of 5; nothing found "
            "for them, or not searched?",
            "unjudged queries: 1 query of the run has no judgments: '7', of 2; another set of queries?",
        ]


class TestBeforeScoring:
    def test_only_what_is_serious_is_said(self, tmp_path: Path) -> None:
        qrels = Qrels.from_dict({"1": {"a": 1}, "2": {"a": 1}})
        run = Run.from_dict({"1": {"a": 3.0, "b": 1.0, "c": 1.0}, "7": {"a": 1.0}})
        assert suspicions(run, qrels) == []
        assert len(lint(run, qrels=qrels)) == 3
        assert suspicions(run, Qrels.from_dict({"9": {"a": 1}})) == []  # an evaluation refuses that
        assert len(suspicions(run, Qrels.from_dict({"1": {"z": 1}}))) == 1

    def test_the_ranks_of_the_first_thousand_lines(self, tmp_path: Path) -> None:
        good = "".join(f"1 Q0 d{rank} {rank} {5000 - rank} t\n" for rank in range(1, 1101))
        qrels = Qrels.from_dict({"1": {"d1": 1}, "2": {"d1": 1}})
        late = file(tmp_path, good + "2 Q0 a 1 0.1 t\n2 Q0 b 2 0.5 t\n")
        run = Run.from_dict({"1": {"d1": 2.0, "d2": 1.0}})
        assert suspicions(run, qrels, late) == []
        early = file(tmp_path, "2 Q0 a 1 0.1 t\n2 Q0 b 2 0.5 t\n" + good)
        assert suspicions(run, qrels, early) == [
            "ranks: the ranks of at least 1 query contradict the scores, such as '2': rank 1 (line 1) scores 0.1, "
            "rank 2 (line 2) 0.5; the scores decide and the ranks are ignored; are the scores distances?"
        ]
        assert suspicions(run, qrels, "-") == []

    def test_every_document_of_a_rank_scores_at_least_as_those_below(self, tmp_path: Path) -> None:
        path = file(tmp_path, "1 Q0 a 1 1 t\n1 Q0 b 1 3 t\n1 Q0 c 2 2 t\n")
        assert any("rank 1 (line 1) scores 1, rank 2 (line 3) 2" in sentence for sentence in said(path))

    @pytest.mark.parametrize("form", ["system", "setup", "trec"])
    def test_ranks_are_compared_with_the_scores_of_their_system(self, tmp_path: Path, form: str) -> None:
        qrels = Qrels.from_dict({"1": {"a": 1}})
        many = "the ranks of at least 1 query contradict the scores, such as '1': rank 1"
        for scores, is_told in (("12 11 0.5 0.3", False), ("12 11 0.3 0.5", True)):
            rows = [*zip(("s1", "s1", "s2", "s2"), "abca", "1212", scores.split(), strict=True)]
            lines = [f"1 Q0 {doc_id} {rank} {score} {system}\n" for system, doc_id, rank, score in rows]
            cells = [f"{form},query_id,doc_id,rank,score\n", *(f"{s},1,{d},{r},{score}\n" for s, d, r, score in rows)]
            path = file(tmp_path, "".join(lines if form == "trec" else cells))
            for run in read_runs(path):
                assert any(many in sentence for sentence in suspicions(run, qrels, path)) == is_told
            if form == "trec":
                assert any("contradict the scores" in sentence for sentence in said(path)) == is_told


@pytest.mark.parametrize(("mark", "told"), [("#", True), ("-", True), ("~", False)])
def test_passages_of_judged_documents_are_told_with_a_way_to_keep_the_best(
    tmp_path: Path, mark: str, told: bool
) -> None:
    lines = [f"1 Q0 {doc_id}{mark}{at} {at} {9 - at} t\n" for at, doc_id in enumerate(["d3", "d1", "d3", "x7"])]
    path, judged = file(tmp_path, "".join(lines)), Qrels.from_dict({"1": {"d1": 1, "d3": 0}})
    [sentence] = [each for each in suspicions(read_run(path), judged, path) if "0 of 4" in each]
    assert ("passages, since most ids without their last number are judged" in sentence) == told
    if told:
        command = sentence[sentence.index("awk '") :].replace("RUN > FILE", str(path))
        kept = subprocess.run(shlex.split(command), capture_output=True, text=True, check=True).stdout
        assert [line.split()[2] for line in kept.splitlines()] == ["d3", "d1", "x7"]


def test_a_file_of_several_systems_is_checked_by_system(tmp_path: Path) -> None:
    rows = "".join(f"{name},1,{doc_id},{score}\n" for name in ("a", "b") for doc_id, score in (("d", 2), ("e", 1)))
    path = file(tmp_path, f"system,query_id,doc_id,score\n{rows}")
    with noted() as notes:
        assert said(path) == []
    assert notes == [f"{path} holds 2 systems (column system: a, b); each is a run"]
    alike = "constant scores: "
    path = file(tmp_path, f"system,query_id,doc_id,score\n{rows.replace('b,1,d,2', 'b,1,d,1')}")
    assert [sentence[: len(alike) + 3] for sentence in said(path)][:1] == [f"{alike}b: "]


@pytest.mark.parametrize(("labels", "step", "is_told"), [("score", -1, False), ("distance", 1, False)])
def test_scores_of_a_table_that_rise_from_row_to_row_are_told(tmp_path, labels, step, is_told) -> None:
    cells = [(query_id, f"d{row}", 9 + step * row) for query_id in "12" for row in range(4)]
    path = tmp_path / "mine.csv"
    path.write_text(f"query_id,doc_id,{labels}\n" + "".join(f"{q},{d},{score}\n" for q, d, score in cells))
    message = (
        f"{path}: the scores of each query rise down its list, such as from 9 to 12 for query '1'; the highest is "
        "ranked first; if they are distances: read_run(…, columns='query=query_id,doc=doc_id,distance=score')"
    )
    for read in (read_run, lint):
        with noted() as notes:
            read(path)
        assert (message in notes) == is_told
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-2]))  # too few rows may rise by chance
    with noted() as notes:
        read_run(path)
    assert message not in notes


def test_query_ids_shifted_by_one_are_seen() -> None:
    judged = {str(query): {f"d{query}-{place}": place % 2 for place in range(3)} for query in range(1, 21)}
    own = {query: dict.fromkeys(grades, 1.5) | {"x": 1.0} for query, grades in judged.items()}
    for shift, sign in ((1, "high"), (-1, "low")):
        run = {str(int(query) + shift): scores for query, scores in own.items()}
        (found,) = [each for each in lint(run, qrels=judged) if each.name == "shifted query ids"]
        assert f"n{-shift:+d}; are the query numbers of the run too {sign} by one" in found.message
    assert not [each for each in lint(own, qrels=judged) if each.name == "shifted query ids"]


def test_random_ids_with_a_number_in_common_are_not_other_spellings() -> None:
    judged = {"1": {"k4bq": 1, "r7mx": 0, "0zz2": 1}}
    assert not [each for each in said({"1": {"4wpt": 2.0, "j7aa": 1.5, "0h2m": 1}}, judged) if "around" in each]
    prefixed = said({"1": {"doc-4": 2.0, "doc-7": 1.5}}, {"1": {"4": 1, "7": 0}})
    assert any("2 of the run and of the judgments differ in the text around the number" in each for each in prefixed)
