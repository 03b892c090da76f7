"""Files that earlier versions made, and users have kept: each answers as it did, or is refused in one sentence.

answers.json has what the version named in README.md answered. No answer depends on a time.
"""

import json
import math
import re
import shutil
import tarfile
from functools import cache
from pathlib import Path

import pytest
import shell

import toysearch
from toysearch.base import ToysearchError, ToysearchNote
from toysearch.index.content_checks import check_index
from toysearch.workbench.judging.judgment_log import JudgmentLog, VoteLog

KEPT = Path(__file__).parent
FORTY = KEPT / "forty"
ANSWERS = json.loads((KEPT / "answers.json").read_text(encoding="utf-8"))
LARGEST = 480_000  # bytes of all kept files

pytestmark = pytest.mark.filterwarnings(f"ignore::{ToysearchNote.__module__}.ToysearchNote")


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory):
    """A function of the name of an archive: the folder that it holds."""

    @cache
    def folder_of(name: str) -> Path:
        folder = tmp_path_factory.mktemp(Path(name).name)
        with tarfile.open(KEPT / f"{name}.tar.gz") as archive:
            archive.extractall(folder, filter="data")
        return folder

    return folder_of


def close(found, kept):
    """Whether two answers are equal, numbers to nine digits."""
    if isinstance(kept, dict):
        return found.keys() == kept.keys() and all(close(found[name], kept[name]) for name in kept)
    if isinstance(kept, list):
        return len(found) == len(kept) and all(map(close, found, kept))
    return math.isclose(found, kept, rel_tol=1e-9) if isinstance(kept, float) else found == kept


def answers(name, found):
    """Compare an answer with the one that is kept."""
    assert close(json.loads(json.dumps(found)), ANSWERS[name]), found


def ranked(index, model, text, **how):
    """The best documents with their scores."""
    ranking = toysearch.Searcher(index, model).search(text, k=5, **how)
    return [[doc_id, score] for doc_id, score in zip(ranking.doc_ids, ranking.scores.tolist(), strict=True)]


def rankings(index, model):
    """The five best documents of some queries of forty/ for a ranker that needs no words."""
    queries = [query for query in toysearch.load(str(FORTY)).queries if query.query_id in ("2", "17", "28")]
    run = toysearch.Searcher(index, model).run(queries, k=5)
    return {name: [run.ranking(name).doc_ids, run.ranking(name).scores.tolist()] for name in run.query_ids}


def grades(qrels):
    """Judgments as rows."""
    return [list(qrel) for qrel in qrels]


SEARCHES = {
    "plain": [("bm25", "train cat"), ("cosine", "a parrot"), ("lm-dirichlet", "train")],
    "positions": [("bm25", '"train a dog"'), ("bm25", '"cat train"~4')],
    "apart": [("bm25f:title=3,text=1", "fireworks and dogs"), ("bm25", "title:cat"), ("dph", "rabbit")],
    "values": [("bm25", "the cat"), ("bm25", "dog +date:>2000")],
    "topics": [("lsa", "garden pond"), ("0.5*min-max(bm25) + 0.5*min-max(lsa)", "cat in a garden")],
    "shards": [("bm25", "the cat"), ("tfidf", "fireworks"), ("bm25", '"for owners"')],
    "analysis": [("bm25", "champion talkers of 1958"), ("bm25", "talker horse")],
    "paged": [("bm25", "cat dog"), ("bm25", "aquarium fish"), ("pl2", "fish")],
}
"""Index → models and queries."""


KEPT_INDEXES = sorted(f"{path.parent.name}/{path.name[:-7]}" for path in KEPT.glob("indexes-[45]/*.tar.gz"))
"""Those of the formats that are read."""


def test_the_kept_indexes_are_of_both_formats():
    assert len(KEPT_INDEXES) == len(SEARCHES) + 3


@pytest.mark.parametrize("kept", KEPT_INDEXES)
def test_an_index_is_sound_and_ranks_as_it_did(kept, unpacked):
    folder, name = unpacked(kept), kept.partition("/")[2]
    assert [*check_index(folder)] == []
    index = toysearch.Index.open(folder)
    found = {f"{model} | {text}": ranked(index, model, text) for model, text in SEARCHES[name]}
    answers(f"index {name}", {"documents": len(index), "analyzer": str(index.analyzer), "rankings": found})


@pytest.mark.parametrize("name", SEARCHES)
def test_an_index_of_format_3_is_refused(name, unpacked):
    with pytest.raises(
        ToysearchError, match=r"is an index of format 3, .*; this one reads format 5: build the index again"
    ):
        toysearch.Index.open(unpacked(f"indexes/{name}"))


@pytest.mark.parametrize(
    "kept",
    [
        "indexes-4/plain",
        "indexes-4/positions",
        *(f"indexes-{n}/{name}" for n in (4, 5) for name in ("topics", "values")),
    ],
)
def test_an_index_takes_new_documents(kept, unpacked):
    index, name = toysearch.Index.open(unpacked(kept)), kept.partition("/")[2]
    changed = index.add({"new": "train a cat and a dog at home"}).delete([index.doc_ids[0]])
    answers(f"changed {name}", ranked(changed, "bm25", "train dog"))


def test_values_of_format_4_become_those_of_today(unpacked):
    kept = toysearch.Index.open(unpacked("indexes-4/values"))
    built = toysearch.Index.build(toysearch.load(FORTY), values=["date", "topic"], store_text=False)
    facets = [toysearch.Searcher(index).facets("cat", ["date", "topic"]) for index in (kept, built)]
    assert facets[0] == facets[1]
    assert kept.add({"new": "a cat"}).checksum == built.add({"new": "a cat"}).checksum


def test_a_learned_ranker_ranks_as_it_did(unpacked):
    index = toysearch.Index.open(unpacked("indexes-4/apart"))
    answers("ranker logistic", rankings(index, f"learned:{KEPT / 'rankers/logistic'}"))


def test_trees_that_were_kept_node_by_node_are_refused(unpacked):
    index = toysearch.Index.open(unpacked("indexes-4/apart"))
    with pytest.raises(ToysearchError, match=r"'boosted' is missing; learn it again with `toysearch learn`"):
        rankings(index, f"learned:{KEPT / 'rankers/boosting'}")


def test_a_learned_ranker_of_models_that_have_been_retired_since_is_refused(unpacked):
    index = toysearch.Index.open(unpacked("indexes-4/apart"))
    with pytest.raises(ToysearchError, match=r"ranker.json is not .*: unknown model 'dlh'; .*; learn it again with "):
        rankings(index, f"learned:{KEPT / 'rankers/of-retired-models'}")


VECTORS = KEPT / "vectors"


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("dense", f"dense:{VECTORS / 'documents.npy'},queries={VECTORS / 'queries.jsonl'}"),
        ("dense by dot", f"dense:{VECTORS / 'documents.npy'},queries={VECTORS / 'queries.jsonl'},similarity=dot"),
        ("impact", f"impact:{VECTORS / 'impacts.jsonl'}"),
    ],
    ids=["dense", "dense by dot", "impact"],
)
def test_vectors_rank_as_they_did(name, model, unpacked):
    index = toysearch.Index.open(unpacked("indexes-4/apart"))
    answers(f"vectors {name}", rankings(index, model))


def test_tune_has_the_values_that_it_had():
    grid = {"k1": "0.5,1.2", "b": "0,0.75", "stem": "none,english"}
    analyzer = toysearch.Analyzer.parse("english")
    tuned = toysearch.tune("bm25", str(FORTY), grid, folds=3, analyzer=analyzer)
    answers("tune", {str(sorted(trial.setting.items())): trial.value for trial in tuned.trials})


RETIRED = re.compile(r".*:(?P<line>\d+): (?P<key>\w+) is not a key any more: \w.*")
WITHOUT_A_GOAL = re.compile(r".*:(?P<line>\d+): this table states no expectation; .*")


@pytest.mark.parametrize(
    ("name", "retired"),
    [
        ("expectations", ["language", "k", "mean_may_fall_by"]),
        ("every-key", ["language", "language", "at_most", "finds_at_least"]),
    ],
)
def test_a_gate_holds_as_it_did_where_its_keys_stay(name, retired, tmp_path):
    """A key of version 0.2.0 that is gone is refused with what to write instead; with that the rest holds as it did."""
    shutil.copytree(FORTY, tmp_path / "forty")
    shutil.copytree(KEPT / "gate", tmp_path / "gate")
    path, refused, result = tmp_path / "gate" / f"{name}.toml", [], None
    lines = path.read_text().splitlines()
    while result is None:
        try:
            result = toysearch.gate(path)
        except ToysearchError as error:
            gone = RETIRED.fullmatch(str(error)) or WITHOUT_A_GOAL.fullmatch(str(error))
            refused += [gone["key"]] if "key" in gone.groupdict() else []
            first = int(gone["line"]) - 1
            last = first + 1 if "key" in gone.groupdict() else [*lines[first:], ""].index("") + first
            lines[first:last] = ["#"] * (last - first)
            if refused[-1:] == ["language"] and "bm25 | english" in str(error).replace(":stem=porter", ""):
                lines[first - 1] = 'model = "bm25 | english"'
            path.write_text("\n".join(lines))
    assert refused == retired
    kept = dict(ANSWERS["gate" if name == "expectations" else f"gate {name}"])
    assert len(result.outcomes) == len(kept) - 1
    assert all(each.passed == kept[each.line] for each in result.outcomes)


def test_the_grades_of_judges_are_read():
    with JudgmentLog(KEPT / "logs/judgments.jsonl", append=False) as log:
        found = {judge: grades(qrels) for judge, qrels in log.qrels().items()}
        answers("judgments", {"grades": found, "notes": log.notes("ada"), "skipped": log.skipped("carla", "2")})


def test_thumbs_are_read_as_judgments():
    with VoteLog(KEPT / "logs/thumbs.jsonl", append=False) as log:
        answers("thumbs", grades(log.qrels()))


def test_votes_on_two_systems_are_refused_line_by_line_and_the_thumb_among_them_is_read(tmp_path):
    path = Path(shutil.copy(KEPT / "logs/votes.jsonl", tmp_path))
    lines = path.read_text().splitlines(keepends=True)
    for _ in range(3):  # the first thing to remove is always the first line
        said = shell.refusal("judge", "votes", path)
        assert said == f"toysearch: {path}:1: a vote on two systems, which toysearch no longer counts; remove the line"
        path.write_text("".join(lines := lines[1:]))
    answers("votes", grades(VoteLog(path, append=False).qrels()))


def test_clicks_say_what_they_said():
    said = json.loads(shell.done("clicks", "model", KEPT / "logs/clicks.csv", "--json").stdout)
    answers("clicks pbm", said)


@pytest.mark.parametrize("name", ["bm25.run", "cosine.csv", "cosine.json"])
def test_a_run_is_scored_as_it_was(name):
    run = toysearch.read_run(KEPT / "runs" / name)
    answers(f"run {name}", [run.name, toysearch.evaluate(run, FORTY / "qrels/test.tsv", "AP nDCG@10 P@5").means])


@pytest.mark.parametrize("name", ["sheet.csv", "merged.csv", "merged.txt", "thumbs.qrels"])
def test_judgments_are_read_as_they_were(name):
    answers(f"judged {name}", grades(toysearch.read_qrels(KEPT / "judged" / name)))


def test_the_log_of_experiments_is_refused(tmp_path):
    """It counted what was tried and held snapshots of the page."""
    log = shutil.copy(KEPT / "logs/experiments.jsonl", tmp_path)
    for command in ("tune", "compare", "serve"):
        assert "No such option '--experiments'" in shell.refusal(command, "cat-dog-parrot", "--experiments", log)


def answered_or_refused(name, answer):
    """The same as `answers` of a command that prints JSON, or one sentence on standard error with exit code 2."""
    if answer.exit_code == 2:
        assert answer.stdout == ""
        sentence = answer.stderr.splitlines()[-1]
        assert len(sentence.split()) > 5, sentence
        return
    assert answer.exit_code == 0, answer.stderr
    answers(name, [[hit["doc_id"], hit["score"]] for hit in json.loads(answer.stdout)["hits"]])


def test_an_approximate_search(unpacked):
    model = f"dense:{VECTORS / 'documents.npy'},queries={VECTORS / 'queries.jsonl'},approximate=5"
    searched = ["search", unpacked("indexes-4/apart"), "--queries", FORTY / "queries.jsonl", "--query-id", "2"]
    answered_or_refused("approximate", shell.run(*searched, "--model", model, "-k", "3", "--json"))


def test_an_index_in_the_common_format(tmp_path):
    indexed = shell.run("index", KEPT / "pets.ciff.gz", "-o", tmp_path / "pets.idx")
    searched = indexed if indexed.exit_code else shell.run("search", tmp_path / "pets.idx", "train cat", "--json")
    answered_or_refused("ciff", searched)


def test_the_kept_files_are_small():
    assert sum(path.stat().st_size for path in KEPT.rglob("*") if path.is_file()) < LARGEST
