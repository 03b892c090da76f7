"""What users of other tools type: each line works, or a sentence leads on to one that does (habits.tsv).

Its columns: the tool; the line typed; the advice, as it stands in the sentence, empty if the line works; and the line
in our words. If the line works, both give the same result. If it leads on, our line follows the advice, and works; of a
call in Python, the advice is that line. A method that an object does not have is Python's own error: the page *Coming
from another tool* has the advice.
"""

import ast
import contextlib
import json
import re
import shlex
import shutil
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from shell import every_command, refusal, run, typed

import toysearch
from toysearch.base.elsewhere import NameElsewhere, here, phrases
from toysearch.cli.main import command as main
from toysearch.files import record_in

pytestmark = pytest.mark.system

TOOLS = ["trec_eval", "pytrec_eval", "ir_measures", "ranx", "PyTerrier", "Pyserini", "rank-bm25", "bm25s"]
TOOLS += ["Elasticsearch", "Whoosh", "SQLite", "any", "course", "sklearn"]
_, *ROWS = [
    line.split("\t") for line in Path(__file__).with_name("habits.tsv").read_text(encoding="utf-8").splitlines()
]
IN_SHELL = [row for row in ROWS if not row[1].startswith(">>> ")]
IN_PYTHON = [(row[1].removeprefix(">>> "), row[2], row[3]) for row in ROWS if row[1].startswith(">>> ")]
NOT_UNDERSTOOD = r" is text: (?!.*\bwrite\b)| are text here|in no document"
UNSEEN = {"--threads", "--help"}
"""Options that change nothing in what is printed."""
DEFAULTS = {("--test", "t"), ("--model", "bm25")}
"""Values that are the defaults too."""
PETS = "id,title,text\na,Cat care,How to train a cat\nb,Dog care,How to walk a dog\n"
RUN = {"1": {"1": 2.5, "2": 1.5}, "2": {"2": 2.0, "3": 1.0}, "3": {"3": 0.5}}
QRELS = {"1": {"1": 1, "4": 1}, "2": {"2": 1, "3": 1}, "3": {"1": 1, "3": 0}}
GRADES = {"1": {"1": 2, "4": 1}, "2": {"2": 2, "3": 1}, "3": {"1": 2, "3": 0}}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files that the lines name."""
    monkeypatch.chdir(tmp_path)
    first, qrels = toysearch.Run.from_dict(RUN, name="a"), toysearch.Qrels.from_dict(QRELS)
    second = toysearch.Run.from_dict({"1": {"4": 2.0}, "2": {"1": 1.0}, "3": {"1": 3.0}}, name="b")
    for file, written in {"a.run": first, "b.run": second, "run.json": first}.items():
        toysearch.write_run(written, file)
    for file in ("q.txt", "q.json"):
        toysearch.write_qrels(qrels, file)
    toysearch.write_qrels(toysearch.Qrels.from_dict(GRADES), "g.txt")
    toysearch.Index.build("cat-dog-parrot").save("pets.idx")
    texts = {"pets.csv": PETS, "topics.tsv": "1\ttrain cat\n2\twalk dog\n3\ttrain parrot\n"}
    texts["topics.csv"] = "No;Search term;Volume\n1;train cat;10\n2;train dog;5\n3;train parrot;7\n"
    texts["mine.py"] = (
        "def weight(tf, *, k=1):\n    return tf + k\n\n\ndef first(grades):\n    return grades[:1].sum()\n"
    )
    texts["shop.csv"] = "id,text,topic\na,red lamp,home\nb,blue lamp,\n"
    texts["files.qrels"] = "1 0 a.txt 1\n2 0 b.txt 1\n"
    Path("notes").mkdir()
    for file, text in (texts | {"notes/a.txt": "train the cat\n", "notes/b.txt": "walk the dog\n"}).items():
        Path(file).write_text(text, encoding="utf-8")
    return tmp_path


def result_of(line: str, folder: Path) -> tuple[int, str, list[str], str]:
    """The exit code of a line, what it prints, the files that it writes and what it says; not what made them."""
    for path in folder.glob("x.*"):
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    found = typed(line, folder)
    written = [
        path.read_text(encoding="utf-8")
        if path.is_file()
        else str(sorted(re.sub("-.*", "", one.name) for one in path.iterdir()))
        for path in folder.glob("x.*")
        if not (path.is_file() and record_in(path))
    ]
    return found.exit_code, found.stdout.partition('  "repeat": {')[0], written, found.stderr


def without_each_option(line: str) -> Iterator[str]:
    """A line without one of its options and the value of that, for each that changes what is printed."""
    _, name, *words = shlex.split(line)
    command = dict(every_command()).get(name)
    options = {} if command is None else {each: one for one in command.params for each in one.opts}
    for place, word in enumerate(words):
        option = options.get(word.partition("=")[0])
        if isinstance(option, click.Option) and not {*option.opts} & UNSEEN:
            has_value = not option.is_flag and "=" not in word
            if (word, *words[place + 1 : place + 1 + has_value]) not in DEFAULTS:
                yield shlex.join(["toysearch", name, *words[:place], *words[place + 1 + has_value :]])


def follows(line: str, advice: str, before: str) -> bool:
    """Whether a line follows an advice: it has its words in their order, with something for each placeholder."""
    if advice.startswith("leave"):
        return {*line.split()} < {*before.split()}
    if advice == "as in title:cat":
        return "title:" in line
    words = re.sub(r"^write |\d?> FILE", "", advice).split()
    return bool(re.search(".*".join(re.sub(r"\b[A-Z]+\b|…", r"\\S+", re.escape(word)) for word in words), line))


def test_the_table_is_of_all_tools() -> None:
    assert len(ROWS) >= 400
    assert all(len(row) == 4 for row in ROWS)
    of_each = Counter(row[0] for row in ROWS)
    assert [*of_each] == TOOLS
    assert min(of_each.values()) >= 10
    assert len({row[1] for row in ROWS}) == len(ROWS)


@pytest.mark.parametrize(("line", "advice", "ours"), [row[1:] for row in IN_SHELL], ids=[row[1] for row in IN_SHELL])
def test_a_line_works_or_leads_on(line: str, advice: str, ours: str, folder: Path) -> None:
    code, printed, written, said = result_of(line, folder)
    if advice:
        *others, last = said.splitlines()
        assert advice in last if code else any(advice in each and each.startswith("note: ") for each in [*others, last])
        assert code in (0, 2)
        assert not [each for each in others if code and not re.match(r"note: |Usage: |Try |$", each)]
        assert follows(ours, advice, line)
    else:
        assert code == 0, said
        assert printed or written or said
        assert not re.search(NOT_UNDERSTOOD, said)
    if ours:
        code, *results, said = result_of(ours, folder)
        assert code == 0, said
        assert not re.search(NOT_UNDERSTOOD, said)
        assert advice or results == [printed, written]
    for without in without_each_option(ours) if ours and not advice else ():
        assert result_of(without, folder)[1:] != (printed, written, said), without


def useful(grades: Any) -> Any:
    """A measure of a user's own."""
    return grades.sum()


def without_each_argument(call: str) -> Iterator[str]:
    """A call without one of its arguments by name, for each that may be left out."""
    tree = ast.parse(call, mode="eval")
    for node in ast.walk(tree):
        for argument in [*node.keywords] if isinstance(node, ast.Call) else ():
            assert isinstance(node, ast.Call)
            node.keywords.remove(argument)
            yield ast.unparse(tree)
            node.keywords.append(argument)


def names_for(call: str) -> dict[str, Any]:
    """What a user has, by the names in a call."""
    names: dict[str, Any] = {"toysearch": toysearch, "run": RUN, "qrels": QRELS, "queries": {"1": "train cat"}}
    names |= {"texts": ["a cat", "a dog sits"], "documents": ["a new one"], "text": "cat", "doc_id": "1", "term": "cat"}
    names |= {"R": toysearch.Run.from_dict(RUN), "S": toysearch.Run.from_dict(RUN, name="b")}
    names |= {"Q": toysearch.Qrels.from_dict(QRELS), "collection": toysearch.load("cat-dog-parrot")}
    names |= {"name": "companions", "frame": QRELS if "Qrels" in call else RUN, "evaluation": None}
    names |= {"folder": "pets.idx" if "open" in call else "x.idx", "file": "q.txt" if "qrels" in call else "a.run"}
    names["index"] = toysearch.Index.build(names["collection"])
    names["searcher"] = toysearch.Searcher(names["index"])
    names["evaluation"] = toysearch.evaluate(names["R"], names["Q"])
    names["ranking"] = names["searcher"].search("train cat")
    names |= {"hit": names["ranking"][0], "function": useful}
    names |= {"result": toysearch.compare([names["R"], names["S"]], names["Q"]), "path": None, "json": json}
    if "Run(" in call:  # of a method of a run
        names["run"] = names["R"]
    if "write" in call:
        names |= {"file": "x.run", "run": names["R"], "qrels": names["Q"]}
    return names


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("line", "advice", "ours"), IN_PYTHON, ids=[row[0] for row in IN_PYTHON])
def test_a_call_works_or_leads_on(line: str, advice: str, ours: str) -> None:
    names = names_for(advice)
    if advice:
        with pytest.raises((toysearch.ToysearchError, AttributeError, TypeError)) as error:
            eval(line, names)
        said = str(error.value)
        assert "\n" not in said
        if missing := re.fullmatch(r"(?:type object )?'\w+'(?: object)? has no attribute '(\w+)'", said):
            assert advice in [row.ours for row in phrases("name") if row.theirs.endswith(f".{missing[1]}")]
        else:
            assert advice in said
            assert ours or said.endswith(f"; here: {advice}")
        eval(ours or advice, names)
    else:
        value = eval(line, names)
        assert not ours or repr(value) == repr(eval(ours, names))
        for without in without_each_argument(line):
            assert repr(eval(without, names_for(advice))) != repr(value), without


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", dict.fromkeys(here("name").values()))
def test_a_call_that_stands_for_a_name_of_a_library_works(call: str) -> None:
    ast.parse(call, mode="eval")
    if "frame()" in call:
        pytest.importorskip("pandas")
    eval(call, names_for(call))


def test_no_name_of_a_library_is_one_here() -> None:
    assert not {*here("name")} & {*dir(toysearch)}


def test_an_option_that_a_habit_stands_for_exists_somewhere() -> None:
    options = {option for parameter in main.params for option in parameter.opts}
    for _, command in every_command():
        options |= {option for parameter in command.params for option in parameter.opts if option.startswith("-")}
    for row in phrases("option"):
        assert {*(row.ours or "").split()} <= options, row
        assert {*re.findall(r"(?<![\w-])--?[a-z][\w-]*", row.advice)} <= options | {"-FIELD"}, row


ADVICE = [row for row in phrases("option") if row.advice]


@pytest.mark.parametrize("row", ADVICE, ids=[f"{row.only} {row.theirs}".strip() for row in ADVICE])
def test_the_advice_on_an_option_is_given(row: NameElsewhere) -> None:
    option = f"-{row.theirs}" if len(row.theirs) == 1 else f"--{row.theirs}"
    command = row.only.partition(" ")[0] or ("run" if row.theirs == "output-format" else "measures")
    typed = {"pool": ["judge", "pool"], "model": ["clicks", "model"]}.get(command, [command])
    assert refusal(*typed, option, "3").endswith(f"No such option '{option}': {row.advice}")


@pytest.mark.parametrize("name", ["bm25", "dph"])
def test_the_name_of_a_model_as_an_option_leads_to_the_model(name: str) -> None:
    assert refusal("search", "cat-dog-parrot", f"--{name}").endswith(f": --model {name} ranks by it")


def test_a_name_of_a_model_that_is_a_file_stays_a_file(folder: Path) -> None:
    (folder / "dph").write_bytes((folder / "a.run").read_bytes())
    assert "dph" not in run("eval", "cat-dog-parrot", "dph").stdout
    assert run("eval", "cat-dog-parrot", "dph").stdout == run("eval", "cat-dog-parrot", "a.run").stdout


def test_runs_and_models_are_compared_as_in_python(folder: Path) -> None:
    result = toysearch.compare(["a.run", "bm25"], "cat-dog-parrot", "AP nDCG@10")
    line = "toysearch compare cat-dog-parrot a.run --model bm25 -m 'AP nDCG@10' --json"
    shown = typed(line, folder).stdout
    for name in result.systems:
        for measure in ("AP", "nDCG@10"):
            assert str(result.evaluations[name][measure]) in shown
    with contextlib.suppress(OSError):
        Path("bm25.run").write_bytes(Path("a.run").read_bytes().replace(b" a\n", b" bm25\n"))
    lines = typed("toysearch eval bm25.run --qrels cat-dog-parrot --model bm25 --tsv", folder).stdout.splitlines()
    assert [line.split("\t")[0] for line in lines] == ["system", "bm25.run", "bm25"]


def test_two_models_where_one_is_taken_are_refused_however_they_are_named() -> None:
    assert "--model is given 2 times" in refusal("run", "cat-dog-parrot", "bm25", "--model", "dph", "-o", "x.run")


def test_models_beside_runs_need_documents() -> None:
    sentence = refusal("compare", "a.run", "--qrels", "q.txt", "--model", "dph")
    assert sentence == "Error: --model: only with one COLLECTION; run files are scored as they are"
    sentence = refusal("diff", "cat-dog-parrot", "a.run", "b.run", "--model", "dph")
    assert sentence == "Error: a diff needs two systems, found 3: diff COLLECTION RUN --model MODEL"


def test_dicts_in_the_order_of_trec_eval_have_a_note() -> None:
    for call, written in (
        (lambda: toysearch.evaluate(QRELS, RUN), "evaluate(run, qrels)"),
        (lambda: toysearch.diff(QRELS, RUN, RUN), "diff(run, run, qrels)"),
        (lambda: toysearch.diff(RUN, QRELS, RUN), "diff(run, run, qrels)"),
    ):
        with pytest.warns(toysearch.ToysearchNote, match="all different; runs come first: ") as notes:
            call()
        assert any(f"{written}; if these are in order, give Run(run)" in str(each.message) for each in notes)
    ranks, shares = {"1": {"a": 2, "b": 1}}, {"1": {"a": 0.5, "b": 0.3}}
    with warnings.catch_warnings(record=True, action="always") as several:
        for right in ((RUN, QRELS), (ranks, shares), (shares, ranks), (toysearch.Run(QRELS), RUN)):
            assert toysearch.evaluate(*right).means
    assert not [each for each in several if "runs come first" in str(each.message)]
