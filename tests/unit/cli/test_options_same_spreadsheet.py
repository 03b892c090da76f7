"""One spreadsheet of ratings in every command: its columns, its encoding and its bad lines by the same names."""

from pathlib import Path

import pytest
from shell import done, run

DOCUMENTS = """SKU;Bezeichnung;Text
S1;Kessel;ein schwerer Kessel für Öl
S2;Lampe;eine rote Lampe
S3;Öl;Öl für die Lampe
"""
QUERIES = "Nr;Suche\n7;Öl\n8;lampe\n"
RATINGS = "Nr;SKU;Anmerkung;Note (0-3)\n7;S1;für Öl;1\n7;S3;;3\n8;S2;gut;2\n8;S3;?;unklar\n"
RUN = "7 Q0 S1 1 2 x\n7 Q0 S3 2 1 x\n8 Q0 S2 1 1 x\n8 Q0 S2 2 0.5 x\n"
NAMED = {"qrels_columns": "query=Nr,doc=SKU,grade=Note (0-3)", "on_error": "skip", "encoding": "cp1252"}
OF_QUERIES = {"query_columns": "id=Nr,text=Suche"}
OF_DOCUMENTS = {"columns": "id=SKU,title=Bezeichnung,text=Text"}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in {"waren.csv": DOCUMENTS, "fragen.csv": QUERIES, "noten.csv": RATINGS}.items():
        Path(name).write_bytes(text.encode("cp1252"))
    Path("zweite.csv").write_bytes(RATINGS.replace(";3\n", ";2\n").encode("cp1252"))
    Path("a.run").write_text(RUN)
    Path("b.run").write_text(RUN.replace("x\n", "y\n").replace("S1 1 2", "S1 3 0"))


def options(*several):
    return [word for each in several for name, value in each.items() for word in (f"--{name.replace('_', '-')}", value)]


COMMANDS = {
    "eval a.run noten.csv -m nDCG": (NAMED,),
    "eval waren.csv --queries fragen.csv --qrels noten.csv -m nDCG": (NAMED, OF_QUERIES, OF_DOCUMENTS),
    "compare a.run b.run noten.csv": (NAMED,),
    "diff a.run b.run noten.csv": (NAMED,),
    "judge agree noten.csv zweite.csv": (NAMED,),
    "judge merge noten.csv zweite.csv -o -": (NAMED,),
}


@pytest.mark.parametrize("line", COMMANDS)
def test_each_command_reads_it_by_the_same_options(line):
    found = done(*line.split(), *options(*COMMANDS[line]))
    assert "noten.csv: 1 line left out, on line 5" in found.stderr
    for name in NAMED:
        some = tuple({key: value for key, value in each.items() if key != name} for each in COMMANDS[line])
        other = run(*line.split(), *options(*some))
        assert (other.exit_code, other.stderr) != (0, found.stderr), name
