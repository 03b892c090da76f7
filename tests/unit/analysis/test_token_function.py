"""A tokenizer of the user: a function in a file."""

import json
import pickle
from pathlib import Path

import pytest
from error_messages import raising
from shell import refused, run

import toysearch
from toysearch import Analyzer, Document, Index, Searcher
from toysearch.analysis import token_function
from toysearch.base.errors import ArgumentError, DataError, StorageError
from toysearch.retrieval.snippets import snippet

pytestmark = pytest.mark.system

PLACES = r"""
import re

def tokens(text):
    return [match.span() for match in re.finditer(r"\.?\w[\w+#]*", text)]

def strings(text):
    yield from text.replace("-", " ").split()

def shorter(text):
    return [word[:3] for word in text.split()] + ["added"]

def broken(text):
    return [1 / len(text.split("zebra")[1:])]

def one_string(text): return text
def nothing(text): return None
def numbers(text): return [3]
def mixed(text): return ["a", (0, 1)]
def outside(text): return [(0, 99)]
def backwards(text): return [(3, 1)]
def yes(text): return [(False, True)]

constant = 3
"""


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(PLACES)
    return path


def test_places_and_strings(mine):
    text = "C++, c# and .NET wi-fi"
    assert Analyzer(tokens=f"{mine}:tokens")(text) == ["c++", "c#", "and", ".net", "wi", "fi"]
    assert Analyzer(tokens=f"{mine}:strings", stop=["and"])(text) == ["c++,", "c#", ".net", "wi", "fi"]
    assert Analyzer.for_language("ja", tokens=f"{mine}:tokens").cjk is False


def test_the_places_of_its_tokens_are_marked(mine):
    tokens = Analyzer(tokens=f"{mine}:tokens")
    assert [*tokens.tokenizer.places("C++ or .NET")] == [(0, 3), (4, 6), (7, 11)]
    found = snippet("Learn C++ or C# at home", {"c++", "c#"}, tokens)
    assert [found.text[start:end] for start, end in found.spans] == ["C++", "C#"]
    shorter = Analyzer(tokens=f"{mine}:shorter")
    assert [*shorter.tokenizer.places("Training cats")] == [(0, 3), (9, 12)]


def test_it_is_part_of_the_analyzer(mine):
    with pytest.raises(ArgumentError, match=r"a function in a file such as 'mine\.py:tokens', not 3"):
        Analyzer(tokens=3)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="a function splits the whole text: leave out cjk, or "):
        Analyzer(tokens=f"{mine}:tokens", cjk=True)
    analyzer = Analyzer(tokens=f"{mine}:tokens")
    again = Analyzer.from_dict(json.loads(json.dumps(analyzer.to_dict())))
    assert again == analyzer == pickle.loads(pickle.dumps(analyzer)) == Analyzer.parse(str(analyzer))
    assert analyzer != Analyzer(tokens=f"{mine}:strings")
    mine.write_text(PLACES + "\n")
    assert analyzer != Analyzer(tokens=f"{mine}:tokens")
    assert hash(again) == hash(analyzer)


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("broken", "a cat", "{file}:14: the function {file}:broken raised ZeroDivisionError: division by zero, for the "
                            "text 'a cat'"),
        ("one_string", "a", "{file}:one_string gave 'a' for the text 'a'; {expected}"),
        ("nothing", "a", "{file}:nothing gave None for the text 'a'; {expected}"),
        ("numbers", "a" * 50, "{file}:numbers gave 3 for the text 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' …, of "
                              "50 characters; {expected}"),
        ("mixed", "a", "{file}:mixed gave 'a' for the text 'a', of 1 character; {expected}"),
        ("outside", "a", "{file}:outside gave (0, 99) for the text 'a', of 1 character; {expected}"),
        ("backwards", "abcd", "{file}:backwards gave (3, 1) for the text 'abcd', of 4 characters; {expected}"),
        ("yes", "a", "{file}:yes gave (False, True) for the text 'a', of 1 character; {expected}"),
    ],
)  # fmt: skip
def test_a_function_that_breaks_its_contract(mine, name, text, problem):
    with pytest.raises(ArgumentError) as error:
        Analyzer(tokens=f"{mine}:{name}")(text)
    expected = "expected a list of strings, or of places such as (0, 3)"
    assert str(error.value) == problem.format(file=mine, expected=expected)


@pytest.mark.parametrize(
    ("tokens", "problem"),
    [
        ("{file}:token", "{file} has no function 'token'; did you mean 'tokens'?"),
        ("{file}:constant", "{file} has no function 'constant'"),
        ("{file}", "'{file}': name its function, as in {file}:tokens"),
        ("{file}:tokens:k=2", "'{file}:tokens:k=2': expected a file and the name of a function in it"),
        ("{file}.py:tokens", "{file}.py: No such file or directory; a function of your own is given as FILE.py:NAME"),
        ("word3", "unknown tokenizer 'word3'; did you mean 'word2'? Tokenizers: word2, word1, unicode, whitespace"),
        ("", "unknown tokenizer ''. Tokenizers: word2, word1, unicode, whitespace"),
    ],
)
def test_a_tokenizer_that_is_none(mine, tokens, problem):
    with pytest.raises(ArgumentError) as error:
        Analyzer(tokens=tokens.format(file=mine))
    assert str(error.value).startswith(problem.format(file=mine))


def test_a_file_that_cannot_be_run(mine):
    mine.write_text("def tokens(text):\n    retrun text\n")
    with raising(ArgumentError, f"{mine}:2: invalid syntax"):
        Analyzer(tokens=f"{mine}:tokens")
    mine.write_text("def tokens(text):\n    return [text]\n", encoding="utf-16")
    with raising(ArgumentError, f"{mine} is not Python in UTF-8: it holds NUL bytes; save it in UTF-8"):
        Analyzer(tokens=f"{mine}:tokens")
    mine.write_text("\n\nraise ValueError('no')\n")
    with raising(ArgumentError, f"{mine}:3: ValueError: no"):
        Analyzer(tokens=f"{mine}:tokens")


def test_an_index_remembers_it(mine, tmp_path):
    folder = tmp_path / "own.idx"
    documents = tmp_path / "documents.csv"
    documents.write_text("id,text\n1,Learn C++ at home\n2,Learn C# at home\n")
    assert (
        run("index", documents, "-o", folder, "--analyzer", f"plain:tokens={mine}:tokens", "--positions").exit_code == 0
    )
    hits = json.loads(run("search", folder, "C#", "--json").stdout)["hits"]
    assert [hit["doc_id"] for hit in hits] == ["2"]
    assert Index.open(folder).positions("c#", "2").tolist() == [1]
    more = tmp_path / "more.csv"
    more.write_text("id,text\n3,More C++\n")
    assert run("add", folder, more).exit_code == 0
    assert [hit.doc_id for hit in Searcher(Index.open(folder)).search("C++")] == ["3", "1"]

    mine.write_text(PLACES.replace("#", ""))
    message = refused("search", folder, "C#")
    assert message.startswith(f"toysearch: the index in {folder} takes its tokens from the function tokens in {mine}, ")
    assert "which has changed (SHA-256 " in message
    assert message.endswith("…); put the earlier file there, or build the index again\n")
    assert message.count("\n") == 1
    mine.unlink()
    with pytest.raises(StorageError, match=r"which cannot be read here .*; put the file with the SHA-256 .* there"):
        Index.open(folder)
    assert "which cannot be read here" in run("check", folder).output
    mine.write_text(PLACES)
    assert len(Index.open(folder)) == 3


def test_a_file_that_is_not_the_one_described_is_not_run(mine, tmp_path):
    description = Analyzer(tokens=f"{mine}:tokens").to_dict()
    trace = tmp_path / "trace"
    mine.write_text(f"open({str(trace)!r}, 'w')\n" + PLACES)
    for forged in [description, description | {"tokens_sha256": ""}, description | {"tokens_sha256": "0" * 64}]:
        with pytest.raises((ArgumentError, DataError)):
            Analyzer.from_dict(forged)
    without = {name: value for name, value in description.items() if name != "tokens_sha256"}
    with pytest.raises(DataError, match="an analyzer has tokens_sha256 if its tokens come from a f"):
        Analyzer.from_dict(without)
    assert not trace.exists()


def test_the_file_of_a_strangers_index_is_not_run(mine, tmp_path, monkeypatch):
    """Only a file that the user has named before, in this process or an earlier one."""
    trace, folder = tmp_path / "trace", tmp_path / "own.idx"
    monkeypatch.setattr(token_function, "cache_folder", lambda: tmp_path / "cache")
    mine.write_text(f"open({str(trace)!r}, 'a').write('x')\n" + PLACES)
    Index.build(["Learn C++"], Analyzer(tokens=f"{mine}:tokens")).save(folder)
    assert trace.read_text() == "x"
    monkeypatch.setattr(token_function, "_named", set())
    token_function._loaded.cache_clear()
    assert len(Index.open(folder)) == 1  # another process of this user
    assert trace.read_text() == "xx"
    (tmp_path / "cache" / "token-functions.txt").unlink()
    for made in (lambda: Index.open(folder), lambda: refused("search", folder, "C++")):
        monkeypatch.setattr(token_function, "_named", set())
        token_function._loaded.cache_clear()
        try:
            message = made()
        except StorageError as error:
            message = str(error)
        assert "which you have not named yourself" in message
        assert f"plain:tokens={mine}:tokens" in message.replace("\\\\", "\\")  # a text of Python has them twice
        assert ("toysearch analyze TEXT --analyzer" in message) == message.startswith("toysearch: ")
    assert trace.read_text() == "xx"
    assert run("analyze", "C++", "--analyzer", f"plain:tokens={mine}:tokens").exit_code == 0
    monkeypatch.setattr(token_function, "_named", set())
    assert len(Index.open(folder)) == 1


def test_a_collection_cannot_name_one(mine, tmp_path):
    (tmp_path / "corpus.jsonl").write_text('{"_id": "1", "text": "R and C++"}\n')
    (tmp_path / "collection.toml").write_text('tokens = "word1"\n')
    assert json.loads(run("search", tmp_path, "R", "--json").stdout)["hits"][0]["doc_id"] == "1"
    assert "tokens              word1" in run("corpora", "show", tmp_path).stdout
    assert run("convert", tmp_path, "--to", "trec", "-o", tmp_path / "copy").exit_code == 0
    for folder in (tmp_path, tmp_path / "copy"):
        collection = toysearch.load(folder)
        assert (collection.tokens, Index.build(collection).analyzer) == ("word1", Analyzer(tokens="word1"))
    (tmp_path / "collection.toml").write_text(f"tokens = '{mine}:tokens'\n")
    assert refused("search", tmp_path, "R") == (
        f"toysearch: {tmp_path / 'collection.toml'}: tokens names a function, '{mine}:tokens': a collection.toml "
        f"runs no code; choose a function with --analyzer plain:tokens={mine}:tokens\n"
    )


def test_functions_in_memory_are_tokenizers_and_stemmers(tmp_path):
    def first_three(word):
        return word[:3]

    analyzer = Analyzer(tokens=str.split, stem=first_three, stop=["the"])
    assert str(analyzer) == "plain:tokens=<function split>,stop=<1>,stem=<function first_three>"
    assert analyzer("The trainers of C++") == ["tra", "of", "c++"]
    assert analyzer == Analyzer(tokens=str.split, stem=first_three, stop=["the"]) != Analyzer(tokens=str.split)
    assert pickle.loads(pickle.dumps(Analyzer(tokens=str.split))) == Analyzer(tokens=str.split)
    index = Index.build([Document("1", "the trainers of C++"), Document("2", "a cat")], analyzer=analyzer)
    assert Searcher(index).search("training").doc_ids == ["1"]
    refusal = (
        "the tokens come from <function split>, which only this process knows, so the analyzer cannot be saved; put "
        "the function in a file and name it: tokens='mine.py:tokens'"
    )
    with raising(ArgumentError, refusal):
        index.save(tmp_path / "saved")
    with raising(ArgumentError, refusal):
        Index.build([Document("1", "cat")], analyzer=analyzer, folder=tmp_path / "spooled")
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"stem": lambda _: 3}, "<function lambda> gave 3 for the word 'cat'; expected a string, not empty"),
        (
            {"stem": lambda word: word.missing},
            "the function <function lambda> raised AttributeError: 'str' object has no attribute 'missing', for the "
            "text 'cat'",
        ),
        ({"tokens": str.split, "cjk": True}, "a function splits the whole text: leave out cjk, or <function split>"),
    ],
)
def test_a_function_in_memory_that_breaks_its_contract(options, problem):
    with raising(ArgumentError, problem):
        Analyzer(**options)("cat")


def test_a_stemmer_is_a_function_in_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("own.py").write_text("def stem(word):\n    return word[:4]\n")
    analyzer = Analyzer.parse("english:stem=own.py:stem")
    assert analyzer("Training the cats") == ["trai", "cats"]
    assert pickle.loads(pickle.dumps(analyzer)) == analyzer
    Index.build([Document("1", "trains")], analyzer=analyzer).save("saved")
    assert Searcher(Index.open("saved")).search("training").doc_ids == ["1"]
    Path("own.py").write_text("def stem(word):\n    return word[:3]\n")
    with pytest.raises(ArgumentError, match=r"takes its stems from the function stem in own\.py, which has changed"):
        Analyzer.from_dict(analyzer.to_dict() | {"stem_sha256": analyzer.stem_sha256})
    with raising(DataError, "an analyzer has stem_sha256 if its stems come from a function in a file, and only then"):
        Analyzer.from_dict({key: value for key, value in analyzer.to_dict().items() if key != "stem_sha256"})
    assert refused("analyze", "cat", "--analyzer", "plain:stem=missing.py:stem") == (
        "toysearch: missing.py: No such file or directory; a function of your own is given as FILE.py:NAME\n"
    )
