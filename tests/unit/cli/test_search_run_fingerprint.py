"""The fingerprint of a run: equal for the same documents, queries, model and settings, and for nothing else."""

import json

import pytest
from shell import done

TEXTS = {"1": "train cat", "2": "train dog", "3": "a parrot"}


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(TEXTS)
    (tmp_path / "queries.jsonl").write_text('{"_id": "q", "text": "train cat"}\n')
    (tmp_path / "mine.py").write_text("def rank(tf):\n    return tf\n")


def write(texts):
    rows = [json.dumps({"_id": doc_id, "text": text}) for doc_id, text in texts.items()]
    with open("pets.jsonl", "w", encoding="utf-8") as file:
        file.write("\n".join(rows) + "\n")


def tag(*more, source="pets.jsonl", model="bm25"):
    words = "--queries", "queries.jsonl", "--model", model, "--fingerprint", "-o", "-", *more
    [name] = {line.split()[5] for line in done("run", source, *words).stdout.splitlines()}
    return name


@pytest.mark.system
def test_it_is_the_same_for_collections_indexes_and_shards():
    done("index", "pets.jsonl", "-o", "one.idx")
    done("index", "pets.jsonl", "-o", "two.idx", "--shards", "2")
    tags = {tag(), tag(), tag(source="one.idx"), tag(source="two.idx"), tag("--threads", "2")}
    assert len(tags) == 1
    name, checksum = tags.pop().split("-")
    assert (name, len(checksum)) == ("bm25", 16)
    assert tag("--tag", "mine") == f"mine-{checksum}"


def test_what_changes_a_run_changes_it():
    tags = [tag(), tag("-k", "1"), tag("--query-mode", "lenient"), tag("--analyzer", "english"), tag(model="bm25:k1=2")]
    tags.append(tag(model="mine.py:rank"))
    with open("mine.py", "a", encoding="utf-8") as file:
        file.write("# another version\n")
    tags.append(tag(model="mine.py:rank"))
    write({**TEXTS, "3": "a parrot, a parrot"})
    tags.append(tag())
    with open("queries.jsonl", "w", encoding="utf-8") as file:
        file.write('{"_id": "q", "text": "train dog"}\n')
    tags.append(tag())
    checksums = [name.rpartition("-")[2] for name in tags]
    assert len({*checksums}) == len(tags)


def test_readers_take_the_name():
    done("run", "cat-dog-parrot", "--model", "bm25", "--fingerprint", "-o", "a.run")
    assert done("eval", "a.run", "cat-dog-parrot").stdout.splitlines()[1].startswith("bm25-")
