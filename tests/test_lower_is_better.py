"""Measures whose lower values are better, in every command that judges by one: their sign decides, as the words say."""

import re
from pathlib import Path

import pytest
from every_measure import DEFINITIONS
from random_collections import collection
from shell import done, run

import toysearch
from toysearch.workbench.robustness.scorecard import conclusions

NAMES = [name for name, definition in DEFINITIONS.items() if definition.better == "lower"]
MEASURES = {name: name + "(N=60)" * (name == "Fallout") for name in NAMES}
CHANGE = re.compile(r"(\d+\.\d{4}) → (\d+\.\d{4}) \(([+-]\d+\.\d{4})\)")
GOOD, BAD = "r1 r2 r3", "n1 n2 n3 n4 r1"


def write(folder: Path) -> None:
    """Runs in which the one finds what is relevant first and the other last; in the last query it is the reverse."""
    for name, ranked in (("good", [GOOD] * 11 + [BAD]), ("bad", [BAD] * 11 + [GOOD])):
        rows = (
            f"{query} Q0 {doc} {rank} {9 - rank} x\n"
            for query, docs in enumerate(ranked)
            for rank, doc in enumerate(docs.split(), 1)
        )
        (folder / f"{name}.run").write_text("".join(rows))
    docs = sorted({*GOOD.split(), *BAD.split()})
    judged = (f"{query} 0 {doc} {int(doc[0] == 'r')}\n" for query in range(12) for doc in docs)
    (folder / "qrels.txt").write_text("".join(judged))


def compare(measure: str) -> None:
    for first, second, worse in (("good", "bad", True), ("bad", "good", False)):
        shown = " ".join(done("compare", f"{first}.run", f"{second}.run", "qrels.txt", "-m", measure).stdout.split())
        verdict, side = ("worse", "+") if worse else ("better", "-")
        assert f"{second}.run is {verdict} than {first}.run in {measure} ({side}" in shown
        assert "lower is better" in shown
        assert ("1/0/11" if worse else "11/0/1") in shown
        assert re.search(r"good\.run [\d.]+\*", shown)


def diff(measure: str) -> None:
    for first, second, counts in (("good", "bad", (1, 11)), ("bad", "good", (11, 1))):
        shown = done("diff", f"{first}.run", f"{second}.run", "qrels.txt", "-m", measure).stdout
        assert f"12 queries: {counts[0]} gain, 0 stay the same, {counts[1]} lose" in shown
        changes = CHANGE.findall(shown)
        assert len(changes) == 1 + 4  # the means, the three of one side, the one of the other
        for before, after, change in (map(float, numbers) for numbers in changes):
            assert change == pytest.approx(after - before, abs=1.1e-4)


def gate(measure: str) -> None:
    for limit in (0, 10):
        for one, other, n in (("good", "bad", 1), ("bad", "good", 11)):
            expected = f'measure = "{measure}"\nbaseline = "{other}.run"\nquery_may_fall_by = {limit}\n'
            Path("gate.toml").write_text(f'run = "{one}.run"\nqrels = "qrels.txt"\n[[expect]]\n{expected}')
            result = run("gate", "gate.toml")
            assert result.exit_code == (limit == 0), result.stdout
            assert limit or f"{n} of 12 queries {'rises' if n == 1 else 'rise'} by more" in result.stdout
            assert not re.search(r"\bfalls?\b", result.stdout)


def report(measure: str) -> None:
    for first, second, word in (("good", "bad", "worse"), ("bad", "good", "better")):
        done("report", f"{first}.run", f"{second}.run", "qrels.txt", "-m", measure, "-o", "page.html", "--force")
        page = Path("page.html").read_text(encoding="utf-8")
        assert f"{second}.run is {word} than {first}.run in {measure}" in page


def ablate(measure: str) -> None:
    made = collection(1, n_docs=60, n_queries=8, by_words=True)
    found = toysearch.ablate("bm25", made, measure)
    assert found.value == pytest.approx(found.values[measure][:, 0].mean())
    assert found.means[measure][found.best[measure]] == min(found.means[measure].values())


def tune(measure: str) -> None:
    made = collection(1, n_docs=60, n_queries=8, by_words=True)
    found = toysearch.tune("bm25", made, {"b": [0.0, 0.5, 1.0]}, measure, folds=2)
    assert found.best.value == pytest.approx(min(trial.value for trial in found.trials))
    assert found.default.value == pytest.approx(found.default.per_query.mean())
    assert found.held_out.value - found.default.value == pytest.approx(found.gain.mean)


def robustness(measure: str) -> None:
    made = collection(1, n_docs=60, n_queries=8, by_words=True)
    found = toysearch.robustness("bm25", made, measure)
    [sentence] = conclusions(found)
    assert re.match(rf"bm25 loses (most|nothing) by {re.escape(measure)} ", sentence)
    assert all(float(after) > float(before) for before, after in re.findall(r"\(([\d.]+) → ([\d.]+)\)", sentence))


COMMANDS = (compare, diff, gate, report, ablate, tune, robustness)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.__name__)
@pytest.mark.parametrize("name", MEASURES)
def test_the_sign_of_a_measure_decides_in_every_command(command, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path)
    of_runs = command in (compare, diff, gate, report) or DEFINITIONS[name].cutoff == "none"
    command(MEASURES[name] if of_runs else f"{MEASURES[name]}@5")


def test_all_such_measures_are_walked():
    assert len(MEASURES) * len(COMMANDS) == 5 * 7
