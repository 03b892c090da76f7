"""What `eval --format trec_eval` prints, character by character, against lines made from pytrec_eval's values."""

# ruff: noqa: UP031  (the formats are those of C)
import functools
import math
from pathlib import Path

import pytest
import shell
from hypothesis import given
from hypothesis import strategies as st
from peer_measures import Grades, Scores, random_collection

from toysearch import Qrels, Run, evaluate
from toysearch.workbench.exchange.trec_eval import trec_eval_lines

pytrec_eval = pytest.importorskip("pytrec_eval")

COUNTS = {"num_q", "num_ret", "num_rel", "num_rel_ret"}

DOCS = [*(f"d{number}" for number in range(9)), "D1", "é", "日本"]
RUNS = st.dictionaries(
    st.sampled_from(["1", "2", "10", "only-run"]),
    st.dictionaries(st.sampled_from(DOCS), st.sampled_from([0.0, -0.0, 1.0, 1 + 1e-9, 0.5, -2.0]), min_size=1),
    min_size=1,
)
QRELS = st.dictionaries(
    st.sampled_from(["1", "2", "10", "only-judged"]),
    # trec_eval's nDCG reads past its arrays where all grades of a query are negative.
    st.dictionaries(st.sampled_from(DOCS), st.integers(-1, 3), min_size=1).filter(lambda g: max(g.values()) >= 0),
    min_size=1,
)


drawn = functools.partial(random_collection, sizes=(4, 30, 1200), queries=[str(number) for number in range(1, 13)])


def its_lines(
    run: Scores, qrels: Grades, measures: set[str], level: int = 1, complete: bool = True, per_query: bool = False
) -> list[str]:
    """The lines of trec_eval 9: print_single_meas and print_final_meas over its own values, in its own order."""
    values = pytrec_eval.RelevanceEvaluator(qrels, measures, relevance_level=level).evaluate(run)
    lines = []

    # pytrec_eval has no value of relstring: it is a text.
    names = [name for name in next(iter(values.values())) if not name.startswith("relstring")]
    queries = sorted(values, key=str.encode)
    if per_query:
        for query_id in queries:
            for name in names:
                if name not in ("runid", "num_q", "gm_map"):
                    lines.append("%-22s\t%s\t%s" % (name, query_id, shown(name, values[query_id][name])))
    n_queries = len(qrels) if complete else len(queries)
    for name in names:
        total = 0.0
        for query_id in queries:
            total += values[query_id][name]
        if name == "runid":
            lines.append("%-22s\t%s\t%s" % ("runid", "all", "mine"))
            continue
        if name == "num_q":
            total = n_queries
        elif name == "num_rel" and complete:
            total = sum(grade > 0 for grades in qrels.values() for grade in grades.values())
        elif name.startswith("gm_"):
            total = math.exp((total + (n_queries - len(queries)) * math.log(0.00001)) / n_queries)
        elif name not in COUNTS:
            total /= n_queries
        lines.append("%-22s\t%s\t%s" % (name, "all", shown(name, total)))
    return lines


def shown(name: str, value: float) -> str:
    return "%d" % value if name in COUNTS else "%6.4f" % value


def written(folder: Path, run: Scores, qrels: Grades) -> list[str]:
    rows = [f"{q} Q0 {d} 0 {s!r} mine\n" for q, docs in run.items() for d, s in docs.items()]
    (folder / "run").write_text("".join(rows), encoding="utf-8")
    rows = [f"{q} 0 {d} {g}\n" for q, docs in qrels.items() for d, g in docs.items()]
    (folder / "qrels").write_text("".join(rows), encoding="utf-8")
    return [str(folder / "run"), str(folder / "qrels")]


def printed(*arguments: str) -> list[str]:
    result = shell.run("eval", *arguments, "--format", "trec_eval")
    assert result.exit_code == 0, result.stderr
    return result.stdout.splitlines()


FLAGS = ["", "-q", "--only-retrieved", "-q --only-retrieved", "--threshold 2", "-q --threshold=2"]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("flags", FLAGS)
def test_the_official_measures(tmp_path: Path, seed: int, flags: str) -> None:
    run, qrels = drawn(seed)
    expected = its_lines(
        run,
        qrels,
        {"official"},
        level=2 if "threshold" in flags else 1,
        complete="only" not in flags,
        per_query="-q" in flags,
    )
    assert printed(*flags.split(), *written(tmp_path, run, qrels)) == expected
    assert len(expected) >= 29


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("level", [1, 2])
def test_all_measures_that_both_have(seed: int, level: int) -> None:
    run, qrels = drawn(seed)
    values = pytrec_eval.RelevanceEvaluator(qrels, {"all_trec"}, relevance_level=level).evaluate(run)
    names = [name for name in next(iter(values.values())) if not name.startswith("relstring")]
    for name in {*names} - {"runid", "num_q", "gm_bpref"}:
        ours = evaluate(run, qrels, name, threshold=level).per_query
        [theirs, mine] = zip(*((values[query][name], *ours[query].values()) for query in values), strict=True)
        logs = [math.log(max(value, 1e-5)) for value in mine] if name == "gm_map" else mine
        assert [*logs] == pytest.approx([*theirs], abs=1e-9), name


@pytest.mark.system
@given(RUNS, QRELS, st.sampled_from([1, 2]), st.booleans())
def test_small_collections(run: Scores, qrels: Grades, level: int, complete: bool) -> None:
    if not run.keys() & qrels.keys():
        return
    ours = trec_eval_lines(
        Run.from_dict(run, name="mine"),
        Qrels.from_dict(qrels),
        threshold=level,
        only_retrieved=not complete,
        per_query=True,
    )
    assert list(ours) == its_lines(run, qrels, {"official"}, level=level, complete=complete, per_query=True)


def test_a_published_layout(tmp_path: Path) -> None:
    """The first lines of the sample output that comes with trec_eval: widths, tabs and digits."""
    lines = printed(*written(tmp_path, {"1": {"a": 1.0}}, {"1": {"a": 1}}))
    assert lines[:3] == [
        "runid                 \tall\tmine",
        "num_q                 \tall\t1",
        "num_ret               \tall\t1",
    ]
    assert lines[10] == "iprec_at_recall_0.00  \tall\t1.0000"
