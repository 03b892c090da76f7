"""`toysearch eval`: ties and conventions."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest
import shell

RUN = "q1 Q0 a 1 1 mine\nq1 Q0 b 2 1 mine\nq1 Q0 c 3 1 mine\nq1 Q0 d 4 0 mine\nq2 Q0 a 1 2 mine\nq2 Q0 b 2 1 mine\n"
QRELS = "q1 0 a 1\nq2 0 b 1\n"
CONVENTIONS = "2 queries · relevant from grade 1 · ties "
UNJUDGED = "note: 67 % of the first ten documents are unjudged and count as not relevant\n"
TIED = f"{UNJUDGED}note: tied documents affect the values of 1 of 2 queries: q1\n"


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    (tmp_path / "run").write_text(RUN)
    (tmp_path / "qrels").write_text(QRELS)
    return [str(tmp_path / "run"), str(tmp_path / "qrels")]


run = partial(shell.run, "eval")
side_by_side = partial(shell.run, "conventions")
failure = partial(shell.refusal, "eval")


class TestLens:
    def test_below_the_means_stand_their_bounds(self, files: list[str]) -> None:
        result = run(*files, "-m", "RR P@3 NumRet")
        assert result.stdout == (
            "system                            RR     P@3  NumRet\n"
            "mine                          0.4167  0.3333       6\n"
            "  any order of ties  0.4167 … 0.7500\n"
        )
        assert result.stderr == f"{CONVENTIONS}trec_eval\n{TIED}"

    def test_below_all_where_each_query_has_a_row(self, files: list[str]) -> None:
        lines = run(*files, "-m", "RR", "--per-query").stdout.splitlines()
        assert lines[-2:] == [
            "mine    all                           0.4167",
            "          any order of ties  0.4167 … 0.7500",
        ]

    def test_it_is_for_people(self, files: list[str]) -> None:
        assert run(*files, "-m", "RR", "--tsv").stdout == f"system\tRR\nmine\t{(1 / 3 + 1 / 2) / 2}\n"
        system = json.loads(run(*files, "-m", "RR P@3", "--json").stdout)["systems"][0]
        assert system["tie_bounds"] == {"RR": [pytest.approx(5 / 12), 0.75], "P@3": [pytest.approx(1 / 3)] * 2}

    def test_without_ties_there_is_nothing(self, files: list[str]) -> None:
        Path(files[0]).write_text(
            "q1 Q0 a 1 2 mine\nq1 Q0 b 2 1 mine\nq2 Q0 a 1 2 mine\nq2 Q0 c 2 1 mine\nq2 Q0 d 3 1 mine\n"
        )
        result = run(*files, "-m", "RR")
        assert result.stdout == "system      RR\nmine    0.5000\n"
        assert result.stderr == f"{CONVENTIONS}trec_eval\n{UNJUDGED.replace('67', '80')}"
        assert "tie_bounds" not in json.loads(run(*files, "-m", "RR", "--json").stdout)["systems"][0]


class TestTies:
    def test_average(self, files: list[str]) -> None:
        result = run(*files, "-m", "RR", "--ties", "average", "--tsv")
        assert result.stdout == f"system\tRR\nmine\t{(11 / 18 + 1 / 2) / 2}\n"
        assert json.loads(run(*files, "--ties", "average", "--json").stdout)["ties"] == "average"

    def test_bounds_beside_each_value(self, files: list[str]) -> None:
        result = run(*files, "-m", "RR", "--ties", "bounds", "--per-query", "--tsv")
        assert result.stdout == (
            "system\tquery_id\tRR\tRR low\tRR high\n"
            f"mine\tq1\t{1 / 3}\t{1 / 3}\t1.0\n"
            "mine\tq2\t0.5\t0.5\t0.5\n"
            f"mine\tall\t{(1 / 3 + 1 / 2) / 2}\t{(1 / 3 + 1 / 2) / 2}\t0.75\n"
        )
        table = run(*files, "-m", "RR", "--ties", "bounds")
        assert table.stdout == "system      RR  RR low  RR high\nmine    0.4167  0.4167   0.7500\n"
        assert table.stderr == f"{CONVENTIONS}bounds\n{TIED.replace('note: tied', 'note: mine: tied')}"

    def test_bounds_as_json(self, files: list[str]) -> None:
        system = json.loads(run(*files, "-m", "P@3", "--ties", "bounds", "--json").stdout)["systems"][0]
        third = pytest.approx(1 / 3)
        assert system["tie_bounds"] == {"P@3": [third, third]}
        assert system["tie_bounds_per_query"] == {"q1": {"P@3": [third, third]}, "q2": {"P@3": [third, third]}}

    def test_a_collection_has_the_same_in_memory(self) -> None:
        arguments = ("cat-dog-parrot", "-m", "nDCG@2", "--tsv", "--ties")
        bounds, average, sklearn = (run(*arguments, ties).stdout for ties in ("bounds", "average", "sklearn"))
        header, row = bounds.splitlines()
        assert header == "system\tnDCG@2\tnDCG@2 low\tnDCG@2 high"
        assert [float(cell) for cell in row.split("\t")[1:]] == pytest.approx([1, 0.7981, 1], abs=5e-5)
        assert average == sklearn
        assert float(average.split()[-1]) == pytest.approx(0.8865, abs=5e-5)


class TestConventions:
    def test_one(self, files: list[str]) -> None:
        values = {
            name: json.loads(run(*files, "-m", "RR", "--convention", name, "--json").stdout)["systems"][0]["measures"]
            for name in ("trec_eval", "textbook", "sklearn")
        }
        assert values == {
            "trec_eval": {"RR": pytest.approx(5 / 12)},
            "textbook": {"RR": 0.75},
            "sklearn": {"RR": pytest.approx(5 / 9)},
        }

    def test_all_side_by_side_and_why(self, files: list[str]) -> None:
        result = side_by_side(*files, "-m", "RR P@3")
        assert result.stdout == (
            "system  measure  trec_eval  textbook  sklearn  differs\n"
            "mine    RR          0.4167    0.7500   0.5556  textbook, sklearn\n"
            "mine    P@3         0.3333    0.3333   0.3333\n"
            "\n"
            "mine: why they differ, each reason alone\n"
            "  textbook: equal scores keep the order of the ranking, or of the file's lines (RR 0.4167 → 0.7500)\n"
            "  sklearn: documents of equal score count all at once for AP; other measures are the mean over their "
            "orders (RR 0.4167 → 0.5556)\n"
        )

    def test_all_where_they_agree(self, files: list[str]) -> None:
        assert side_by_side(*files, "-m", "P@3").stdout.endswith("\n\nmine: no difference\n")

    def test_parameters_for_all_measures_that_take_them(self, files: list[str]) -> None:
        options = ("--dcg", "exp-log2", "--discount", "jk", "--ideal", "ranking", "--tsv")
        rows = [line.split("\t") for line in side_by_side(*files, "-m", "nDCG DCG@2 AP", *options).stdout.splitlines()]
        ndcg, dcg = "nDCG(dcg=exp-log2,discount=jk,ideal=ranking)", "DCG(dcg=exp-log2,discount=jk)@2"
        means = run(*files, "-m", f"{ndcg} {dcg} AP", "--tsv").stdout.splitlines()[1]
        assert rows[0][2] == "trec_eval"
        assert [row[2] for row in rows[1:]] == means.split("\t")[1:]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ("--explain", "AP", "--query-id", "q1", "--ties", "average"),
            (
                "Error: --explain explains one order of the documents; it cannot be combined with a "
                "value over all orders of ties"
            ),
        )
    ],
)
def test_what_does_not_go_together(files: list[str], options: tuple[str, ...], message: str) -> None:
    assert failure(*files, *options) == message


def test_a_parameter_that_no_measure_takes_is_refused(files: list[str]) -> None:
    result = side_by_side(*files, "-m", "AP", "--dcg", "log2")
    assert (result.exit_code, result.stderr) == (2, "toysearch: none of AP has a parameter dcg; leave it out\n")


def test_a_table_says_its_convention(files: list[str]) -> None:
    result = run(*files, "-m", "P@3", "--convention", "textbook")
    assert result.stderr == f"{CONVENTIONS}rank · convention textbook\n{UNJUDGED}"
