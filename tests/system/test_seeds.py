"""The rows of the seeds (seeds.txt), each with the commands that answer it, and five promises worked out anew."""

import filecmp
import json
import math
import re
import shutil
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
import shell
from conftest import ROOT
from scipy import stats

import toysearch
from toysearch import labs

pytestmark = pytest.mark.system


def rows() -> dict[str, list[str]]:
    """The lines of each row, by its number."""
    _, *blocks = re.split(r"^# (\d+) ", Path(__file__).with_name("seeds.txt").read_text(encoding="utf-8"), flags=re.M)
    return {number: block.splitlines()[1:] for number, block in zip(blocks[::2], blocks[1::2], strict=True)}


def run_of(**rankings: str) -> str:
    """A run in the format of TREC: documents by rank, for each query."""
    return "".join(
        f"{query} Q0 {document} {rank} {1 / rank} system\n"
        for query, documents in rankings.items()
        for rank, document in enumerate(documents.split(), start=1)
    )


def qrels_of(**grades: dict[str, int]) -> str:
    """Judgments in the format of TREC: the grades of documents, for each query."""
    return "".join(f"{query} 0 {document} {grade}\n" for query, of in grades.items() for document, grade in of.items())


def thumbs_of(*votes: str) -> str:
    """The log of thumbs for document d1 and query q1, one reader each."""
    lines = ({"time": "", "voter": str(n), "query_id": "q1", "vote": v, "doc_id": "d1"} for n, v in enumerate(votes))
    return "\n".join(map(json.dumps, lines))


LONG, SHORT = "ship " * 10 + "filler " * 4990, "ship " * 5 + "filler " * 95
LENGTHS = {"A": LONG, "B": SHORT} | {f"C{n}": "nothing here at all " * 50 for n in range(8)}
FOUR = dict.fromkeys(["d1", "d2", "d3", "d4"], 1)
OLD = "d1,The president of the US is Barack Obama\nd2,Obama took office as president in 2009\n"
KEPT, NEW = "d3,The capital of France is Paris\n", "d9,The president of the US is Donald Trump\n"
FILES = {
    "presidents.csv": f"id,text\n{OLD}{KEPT}",
    "successor.csv": f"id,text\n{NEW}",
    "now.csv": f"id,text\n{KEPT}{NEW}",
    "lengths.jsonl": "\n".join(json.dumps({"id": name, "text": text}) for name, text in LENGTHS.items()),
    "two.run": run_of(q1="d1 x y d2", q2="d1 d2 x y"),
    "other.run": run_of(q1="d1 d2 x y", q2="x d1 d2 y").replace("system", "other"),
    "two.qrels": qrels_of(q1=FOUR, q2=FOUR),
    "twice.run": run_of(q1="d1 d1 d2"),
    "none.run": run_of(q1="d1 d2", q2="d1"),
    "none.qrels": qrels_of(q1={"d1": 0, "d2": 0}, q2={"d1": 1}),
    "firsts.run": run_of(q1="x y d1", q2="d1 x y"),
    "firsts.qrels": qrels_of(q1={"d1": 1}, q2={"d1": 1}),
    "votes.jsonl": thumbs_of("up", "down", "up"),
    "votes.run": run_of(q1="d1"),
}


@pytest.fixture
def folder(tmp_path):
    """A folder with the small inputs of the rows."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    shutil.copy(ROOT / "corpora" / "cat-dog-parrot" / "published.run", tmp_path)
    return tmp_path


def written_out(command: str) -> str:
    """A command without the short forms R*100 and 1..99."""
    command = re.sub(r"\b(\w)\*(\d+)", lambda m: " ".join(m[1] * int(m[2])), command)
    return re.sub(r"\b(\d+)\.\.(\d+)", lambda m: " ".join(map(str, range(int(m[1]), int(m[2]) + 1))), command)


@pytest.mark.parametrize(("number", "lines"), rows().items(), ids=lambda value: value if type(value) is str else "")
def test_a_row_is_answered(number, lines, folder):
    printed, told = iter(()), ""
    for line in filter(None, lines):
        exit_code, _, command = line.partition(" toysearch ")
        if command:
            result = shell.typed(written_out(f"toysearch {command}"), folder)
            told = f"{command}\n{result.stdout}\n{result.stderr}"
            assert result.exit_code == (0 if exit_code == "$" else int(exit_code)), told
            printed = iter(told.splitlines()[1:])
        else:
            assert any(wanted_in(line, each) for each in printed), f"{line!r} is not printed (in this order) by {told}"
    if number == "4":
        assert same_bytes(folder / "changed.idx", folder / "fresh.idx")


def wanted_in(line: str, printed: str) -> bool:
    """Whether the words of an expected line stand in a printed one, in their order."""
    return re.search(r"(?<!\S)" + r"(?!\S).*?(?<!\S)".join(map(re.escape, line.split())), printed) is not None


def same_bytes(one: Path, other: Path) -> bool:
    """Whether two folders hold the same files."""
    names = [sorted(str(path.relative_to(each)) for path in each.rglob("*")) for each in (one, other)]
    return names[0] == names[1] and all(
        filecmp.cmp(one / name, other / name, shallow=False) for name in names[0] if (one / name).is_file()
    )


def test_there_is_a_row_for_each_of_the_seeds():
    assert [*rows()] == [str(number) for number in range(1, 73)]
    assert all(sum(" toysearch " in line for line in lines) < len([*filter(None, lines)]) for lines in rows().values())


def data_of(folder: Path, line: str) -> Any:
    """What a command prints as JSON."""
    result = shell.typed(f"{line} --json", folder)
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def test_a_tweak_gets_a_verdict_whose_test_scipy_repeats(folder):
    systems = data_of(folder, "toysearch eval companions --model bm25 --model cosine -m AP -q")["systems"]
    bm25, cosine = ([each["AP"] for each in system["per_query"].values()] for system in systems)
    test = stats.ttest_rel(bm25, cosine)
    low, high = test.confidence_interval()
    verdict = shell.typed("toysearch compare companions --model cosine --model bm25 -m AP", folder).stdout
    difference = sum(bm25) / len(bm25) - sum(cosine) / len(cosine)
    figures = f"({difference:+.4f}, 95% CI {low:+.4f} to {high:+.4f}; p = {test.pvalue:.4f})"
    assert figures == "(+0.0358, 95% CI +0.0098 to +0.0618; p = 0.0078)"
    assert verdict.startswith(f"bm25 is better than cosine in AP {figures}")


def test_a_score_adds_up_to_its_leaves(folder):
    found = data_of(folder, 'toysearch explain companions p057 p224 --query "removing a tick"')
    for document in found["documents"]:
        score, k1 = document["explanation"], 1.2
        there = [term for term in score["parts"] if "parts" in term]  # of the others the document has none
        weights = [term["parts"][0]["quantities"] | term["quantities"] for term in there]
        sums = [w["idf"] * w["tf"] / (w["tf"] + k1 * w["length"]) for w in weights]
        assert sum(sums) == pytest.approx(score["value"], rel=1e-12), document["doc_id"]
    assert [round(each["explanation"]["value"], 4) for each in found["documents"]] == [4.8713, 3.5559]


def test_known_items_are_where_a_search_finds_them(folder):
    system = data_of(folder, "toysearch eval companions --known-items title -m RR -q")["systems"][0]
    found = {query: each["RR"] for query, each in system["per_query"].items()}
    titles = {document.doc_id: document.fields["title"] for document in toysearch.load("companions").documents}
    for query in [*found][::10]:
        listed = shell.done("search", "companions", titles[query], "--fields", "text", "-k", 400, "--tsv").stdout
        ranks = [line.split("\t")[1] for line in listed.splitlines()]  # the header first
        assert found[query] == (1 / ranks.index(query) if query in ranks else 0), query
    assert (len(found), round(sum(found.values()) / 200, 4)) == (200, 0.5089)


def test_the_numbers_of_a_lab_belong_to_a_student():
    def vectors_of(student):
        labs.start(3, student=student)
        given = labs.given("3.2")
        return given.x, given.y

    ada, again, ben = map(vectors_of, ["ada", "ada", "ben"])
    assert ada == again != ben
    right, wrong = map(cosine_of, [ben, ada])
    assert labs.check("3.2", right).passed
    assert not labs.check("3.2", wrong).passed


def cosine_of(vectors):
    """The cosine of two vectors, each a dict from term to weight."""
    x, y = vectors
    return sum(x[term] * y.get(term, 0) for term in x) / math.hypot(*x.values()) / math.hypot(*y.values())


def test_bounds_are_those_of_all_orders_of_ties_and_of_all_unknown_grades(folder):
    known, tied = {"a": 0, "b": 1, "c": 0, "e": 1}, ["b", "c", "d"]
    (folder / "tied.run").write_text("".join(f"q Q0 {d} 0 {s} t\n" for d, s in zip("abcde", "32221", strict=True)))
    (folder / "tied.qrels").write_text(qrels_of(q=known))

    def precision(order, grades):
        hits = [grades.get(document, 0) for document in order]
        return sum(hit * sum(hits[:n]) / n for n, hit in enumerate(hits, 1)) / sum(grades.values())

    orders = [["a", *order, "e"] for order in permutations(tied)]
    values = [precision(order, known) for order in orders]
    ties = data_of(folder, "toysearch eval tied.run tied.qrels -m AP --ties bounds")["systems"][0]
    assert [min(values), max(values)] == pytest.approx(ties["tie_bounds"]["AP"]) == [0.325, 0.45]
    ranked = ["a", "d", "c", "b", "e"]  # as trec_eval orders equal scores
    values = [precision(ranked, known | {"d": grade}) for grade in (0, 1)]
    [unjudged] = data_of(folder, "toysearch eval tied.run tied.qrels -m AP --bounds")
    assert [min(values), max(values)] == pytest.approx([unjudged["lowest"], unjudged["highest"]])
