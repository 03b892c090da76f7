"""Every format of documents × queries × judgments through `eval`: the figures are the same for all."""

import gzip
import io
import json
import shutil
from itertools import product
from pathlib import Path

import pytest
import shell
from tiers import thinned

import toysearch
from toysearch import Document, Qrels, Query

MEASURES = "AP nDCG P@2 Bpref"
TEXTS = {
    "1.txt": "how to train a cat",
    "2.txt": "how to train a dog or a cat or a dog",
    "3.txt": "parrots, cats and dogs sleep",
    "4.txt": "a cat sleeps beside the dog",
}
QUERIES = {"51": "cat", "52": "train dog", "53": "sleep parrots dogs"}
GRADES = {"51": {"1.txt": 1, "2.txt": 2, "3.txt": 0}, "52": {"4.txt": 1, "1.txt": 3}, "53": {"2.txt": 1, "3.txt": 0}}
YES = {query_id: dict.fromkeys(group, 1) for query_id, group in GRADES.items()}  # where a line means relevant
PAIRS = [(query_id, doc_id, grade) for query_id, group in GRADES.items() for doc_id, grade in group.items()]


def table(mark: str, labels: list[str], rows) -> str:
    return "".join(mark.join(map(str, row)) + "\n" for row in [labels, *rows])


def quoted(records: dict[str, str]):
    return [(name, f'"{text}"') for name, text in records.items()]


def objects(key: str, records: dict[str, str]) -> str:
    return "".join(json.dumps({key: name, "text": text}) + "\n" for name, text in records.items())


def smart(records: dict[str, str]) -> str:
    return "".join(f".I {name}\n.W\n{text}\n" for name, text in records.items())


def sgml(records: dict[str, str]) -> str:
    return "".join(f"<DOC>\n<DOCNO>{name}</DOCNO>\n<TEXT>{text}</TEXT>\n</DOC>\n" for name, text in records.items())


def topics(records: dict[str, str]) -> str:
    return "".join(f"<top>\n<num> Number: {name}\n<title> {text}\n</top>\n" for name, text in records.items())


def xml(records: dict[str, str]) -> str:
    each = (f'<topic number="{name}"><query>{text}</query></topic>' for name, text in records.items())
    return f"<topics>{''.join(each)}</topics>\n"


# Name → the format as a collection.toml calls it, and the files of the part.
DOCUMENTS = {
    "beir": ("beir", {"corpus.jsonl": objects("_id", TEXTS)}),
    "smart": ("smart", {"pets.all": smart(TEXTS)}),
    "trec": ("trec", {"pets.sgml": sgml(TEXTS)}),
    "jsonl": ("jsonl", {"pets.jsonl": objects("docno", TEXTS)}),
    "csv": ("csv", {"pets.csv": table(",", ["id", "text"], quoted(TEXTS))}),
    "csv with semicolons": ("csv", {"pets.csv": table(";", ["doc_id", "body"], TEXTS.items())}),
    "tsv": ("tsv", {"pets.tsv": table("\t", ["docno", "text"], TEXTS.items())}),
    "folder": ("folder", {f"texts/{name}": text for name, text in TEXTS.items()}),
}
ASKED = {
    "beir": ("beir", {"queries.jsonl": objects("_id", QUERIES)}),
    "smart": ("smart", {"pets.qry": smart(QUERIES)}),
    "topics": ("trec", {"topics.txt": topics(QUERIES)}),
    "topics in XML": ("trec", {"topics.xml": xml(QUERIES)}),
    "lines": ("trec", {"topics.lines": "".join(f"{name}:{text}\n" for name, text in QUERIES.items())}),
    "jsonl": ("jsonl", {"asked.jsonl": objects("query_id", QUERIES)}),
    "csv": ("csv", {"asked.csv": table(",", ["qid", "text"], QUERIES.items())}),
    "tsv": ("tsv", {"asked.tsv": table("\t", ["query_id", "query"], QUERIES.items())}),
}
JUDGED = {
    "trec": ("trec", "judged", "".join(f"{query} 0 {doc} {grade}\n" for query, doc, grade in PAIRS)),
    "three columns": ("smart", "petsrel", "".join(f"{query} {doc} {grade}\n" for query, doc, grade in PAIRS)),
    "no grades": ("smart", "petsrel", "".join(f"{query} {doc} 0 0.000000\n" for query, doc, _ in PAIRS)),
    "beir": ("beir", "qrels/test.tsv", table("\t", ["query-id", "corpus-id", "score"], PAIRS)),
    "csv": ("csv", "judged.csv", table(",", ["query_id", "doc_id", "relevance"], PAIRS)),
    "tsv": ("tsv", "judged.tsv", table("\t", ["qid", "docno", "label"], PAIRS)),
    "votes": ("csv", "votes.csv", table(",", ["query_id", "doc_id", "vote"], [(q, d, "yes") for q, d, _ in PAIRS])),
    "json": ("jsonl", "judged.json", json.dumps(GRADES)),
    "jsonl": (
        "jsonl",
        "judged.jsonl",
        "".join(json.dumps({"query_id": q, "doc_id": d, "relevance": g}) + "\n" for q, d, g in PAIRS),
    ),
}
STEP = 23  # it meets every format in every role
EVERY = [pytest.param(*names, id=" × ".join(names)) for names in product(DOCUMENTS, ASKED, JUDGED)]

assert len(EVERY) == 576  # 8 formats of documents × 8 of queries × 9 of judgments
SOME = thinned(EVERY, STEP)


def expected(judged: str) -> list[float]:
    """The figures of the same collection made in memory, of which no reader knows."""
    documents = [Document(name, text) for name, text in TEXTS.items()]
    queries = [Query(*pair) for pair in QUERIES.items()]
    grades = YES if judged in ("no grades", "votes") else GRADES
    collection = toysearch.Collection("pets", documents, queries, Qrels.from_dict(grades))
    run = toysearch.Searcher(toysearch.Index.build(collection), "bm25").run(collection.judged_queries)
    return [*toysearch.evaluate(run, collection.qrels, MEASURES).aggregates(None).values()]


EXPECTED = {name: expected(name) for name in JUDGED}


def write(folder: Path, documents: str, asked: str, judged: str, *, gzipped: bool = False) -> None:
    """The files of a collection, as they lie in a folder."""
    files = DOCUMENTS[documents][1] | ASKED[asked][1] | {JUDGED[judged][1]: JUDGED[judged][2]}
    for name, text in files.items():
        packed = gzipped and not name.startswith("texts/")  # a text's name is its id
        path = folder / (f"{name}.gz" if packed else name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(text.encode()) if packed else text.encode())


def describe(folder: Path, documents: str, asked: str, judged: str, *, formats: bool) -> None:
    """A collection.toml that lists the files; with or without the formats that can be seen from the content."""
    form, files = DOCUMENTS[documents]
    path = "texts" if form == "folder" else next(iter(files))
    entries = [("documents", path, form), ("queries", next(iter(ASKED[asked][1])), ASKED[asked][0])]
    entries.append(("qrels", JUDGED[judged][1], JUDGED[judged][0] if formats else ""))
    blocks = (
        f'[[files]]\nrole = "{role}"\npath = "{path}"\n' + (f'format = "{form}"\n' if form else "")
        for role, path, form in entries
    )
    (folder / "collection.toml").write_text("\n".join(blocks))


def figures(folder: Path) -> list[float]:
    """The figures that `eval` prints of a folder."""
    result = shell.run("eval", str(folder), "-m", MEASURES, "--tsv")
    assert result.exit_code == 0, result.stderr
    names, cells = (line.split("\t") for line in result.stdout.splitlines())
    return [float(cell) for name, cell in zip(names[1:], cells[1:], strict=True) if "±" not in name]


@pytest.mark.parametrize(("documents", "asked", "judged"), SOME)
def test_files_of_a_folder(tmp_path, documents, asked, judged):
    write(tmp_path, documents, asked, judged)
    assert figures(tmp_path) == EXPECTED[judged]
    for formats in (True, False):
        describe(tmp_path, documents, asked, judged, formats=formats)
        assert figures(tmp_path) == EXPECTED[judged]


@pytest.mark.parametrize(("documents", "asked", "judged"), thinned(EVERY[::7], 11))
def test_gzipped(tmp_path, documents, asked, judged):
    write(tmp_path, documents, asked, judged, gzipped=True)
    assert figures(tmp_path) == EXPECTED[judged]


READ = ["search {} cat --tsv", "show {}", "index {} -o pets.idx", "convert {} --to jsonl -o out"]


@pytest.mark.parametrize("command", READ)
@pytest.mark.parametrize("name", [name for name in DOCUMENTS if name != "folder"])
def test_documents_of_standard_input_are_those_of_the_file(name, command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    [(path, content)] = DOCUMENTS[name][1].items()
    Path(path).write_text(content)
    printed = shell.done(*command.format(path).split()).stdout
    written = _written()
    for data in (content.encode(), gzip.compress(content.encode())):
        found = shell.run(*command.format("-").split(), stdin=io.BytesIO(data))
        assert (found.exit_code, found.stdout, _written()) == (0, printed, written)


def _written() -> list[bytes]:
    """Return what a command has written, and remove it."""
    files = sorted([*Path().glob("*/*.npy"), *Path().glob("out/documents.*")])
    written = [file.read_bytes() for file in files]
    for folder in {file.parent for file in files}:
        shutil.rmtree(folder)
    return written
