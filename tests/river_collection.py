"""A collection of four documents with queries and judgments, runs of it, and files of every other kind."""

from pathlib import Path

from small_collections import write_files

DOCUMENTS = """id,title,text
d1,Otters,The otters were swimming in cold rivers
d2,Herons,A heron waits beside the rivers and fishes
d3,Beavers,Beavers build dams across small rivers
d4,Frogs,Frogs are hiding from the heron
"""
QUERIES = "query_id,text\n1,the swimming river\n2,heron -rivers\n3,dams\n"
JUDGMENTS = "query_id,doc_id,relevance\n1,d1,2\n1,d2,1\n1,d3,1\n2,d2,2\n2,d4,1\n3,d3,1\n"
FILES = {"documents.csv": DOCUMENTS, "queries.csv": QUERIES, "qrels/test.csv": JUDGMENTS}
RANKED = ["1 d1", "1 d4", "1 d3", "2 d4", "2 d2", "3 d3"]


def ranked_lines(name: str) -> str:
    """A run of the collection."""
    return "".join(f"{pair.replace(' ', ' Q0 ')} {rank} {9 - rank} {name}\n" for rank, pair in enumerate(RANKED))


VOTE = '{"time": "2026-01-01T00:00:00.000+00:00", "voter": "ada", "query_id": "1", "vote": "up", "doc_id": "d1"}\n'
OTHERS = {
    "votes.jsonl": VOTE,
    "clicks.csv": "session,query,rank,doc,clicked,system\n1,1,1,d1,1,one\n1,1,2,d2,0,two\n",
    "gate.toml": 'run = "one.run"\nqrels = "qrels.csv"\n[[expect]]\nmeasure = "AP"\nat_least = 0.1\n',
    "links.txt": "a b\nb a\n",
    "image.png": b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01",
    "empty.txt": "",
}


def write_rivers(folder: Path) -> Path:
    """The collection in the folder `own`, its files beside it, two runs, and a file of each other kind."""
    (folder / "hollow").mkdir()
    beside = {"documents.csv": DOCUMENTS, "queries.csv": QUERIES, "qrels.csv": JUDGMENTS}
    runs = {f"{name}.run": ranked_lines(name) for name in ("one", "two")}
    return write_files(folder, **{f"own/{name}": text for name, text in FILES.items()}, **beside, **runs, **OTHERS)
