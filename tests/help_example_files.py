"""The files that the examples of the help name."""

import json
from collections.abc import Iterator
from pathlib import Path

import click

import toysearch
from toysearch.cli.main import command as program

MINE = '"""A model of one\'s own."""\n\n\ndef rank(tf, df, N):\n    """tf · N / df."""\n    return tf * N / df\n'


def commands(command: click.Command = program) -> Iterator[click.Command]:
    """The program itself, its commands, and theirs."""
    yield command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            yield from commands(command.get_command(context, name))


EXAMPLES = list(
    dict.fromkeys(
        line.strip()
        for command in commands()
        for line in (command.epilog or "").partition("Examples:\n")[2].splitlines()
    )
)


def prepared_folder(work: Path) -> Path:
    """A folder with the files that the examples of the help name."""
    folder = work / "prepared"
    folder.mkdir()
    pets = toysearch.load("cat-dog-parrot")
    index = toysearch.Index.build(pets, toysearch.Analyzer())
    index.save(folder / "pets.idx")
    companions = toysearch.Index.build(toysearch.load("companions"), toysearch.Analyzer())
    for name in ("companions.idx", "my-index"):
        companions.save(folder / name)
    (folder / "notes").mkdir()
    (folder / "notes" / "gloves.txt").write_text("gloves in the snow")
    toysearch.Index.build(toysearch.load(folder / "notes")).save(folder / "notes.idx")
    (folder / "mine.py").write_text(MINE)
    (folder / "more.jsonl").write_text('{"_id": "5", "title": "Goldfish", "text": "How to train a goldfish"}\n')
    (folder / "gone.txt").write_text("5\n")
    for name, model in (("mine.run", "bm25"), ("theirs.run", "tfidf"), ("third.run", "bm25")):
        toysearch.write_run(toysearch.Searcher(index, model).run(pets.queries), str(folder / name))
    for name in ("ada.csv", "ben.csv", "carla.csv", "judged.csv", "monday.csv", "friday.csv", "decided.csv"):
        (folder / name).write_text("query_id,doc_id,relevance\n1,1,2\n1,2,0\n")
    topics, grades = dict(toysearch.load("companions").queries), toysearch.load("companions").qrels
    lines = [{"query_id": row.query_id, "doc_id": row.doc_id, "grade": int(row.relevance > 1)} for row in grades]
    (folder / "model.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    (folder / "pets.txt").write_text("parrot, budgie\ncat, hamster\n")
    expectation = 'run = "mine.run"\nqrels = "qrels.txt"\n[[expect]]\nmeasure = "AP"\nat_least = 0\n'
    (folder / "relevance.toml").write_text(expectation)
    (folder / "class.csv").write_text("name,id\nAda,a1\nGrace Hopper,gh12\n")
    (folder / "topics.txt").write_text("".join(f"{query_id}\t{text}\n" for query_id, text in pets.queries))
    rows = (f'{query_id},"{text}",{"long" if text.count(" ") > 3 else "short"}\n' for query_id, text in topics.items())
    (folder / "topics.csv").write_text("".join(["query_id,text,type\n", *rows]))
    judgments = (f"{row.query_id} 0 {row.doc_id} {row.relevance:g}\n" for row in pets.qrels)
    (folder / "qrels.txt").write_text("".join(judgments))
    return folder
