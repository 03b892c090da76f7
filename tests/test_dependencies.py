"""What is imported is declared, what is declared is used, and what only makes things quicker may be missing."""

import ast
import functools
import importlib
import importlib.util
import random
import re
import subprocess
import sys
import tomllib

import pytest
import stopwordsiso
from conftest import ROOT
from tiers import EVERYTHING, longer, often, thinned

import toysearch
from toysearch.analysis.languages import CODES
from toysearch.analysis.token_filters import stemmers
from toysearch.base import ArgumentError, of_charts
from toysearch.base.optional_packages import CHARTS, PAGE
from toysearch.workbench.shards.connection import _dask

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PACKAGES = {  # modules whose packages are called otherwise
    "Stemmer": "pystemmer",
    "bs4": "beautifulsoup4",
    "markdown_it": "markdown-it-py",
    "rank_bm25": "rank-bm25",
    "sklearn": "scikit-learn",
    "vl_convert": "vl-convert-python",
    "pytrec_eval": "pytrec-eval-terrier",
    "ir_measures": "ir-measures",
}
BLOCKING = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in BLOCKED:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

BLOCKED = set(sys.argv.pop(1).split(","))
sys.meta_path.insert(0, Blocked())
if "loops" in BLOCKED:
    from toysearch.base import plain_or_compiled
    plain_or_compiled.is_compiled = lambda module: False
from toysearch.__main__ import main
main()
"""


def declared(*extras: str) -> set[str]:
    """The packages that the project names: always, and in extras."""
    lines = [*PROJECT["dependencies"], *(line for extra in extras for line in PROJECT["optional-dependencies"][extra])]
    return {re.match(r"[A-Za-z0-9_.-]+", line)[0].lower().replace("_", "-") for line in lines}


@functools.cache
def imported() -> set[str]:
    """The packages that some file of toysearch imports, wherever in it."""
    modules = set()
    for path in (ROOT / "toysearch").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                modules.update(name.name for name in node.names)
            elif isinstance(node, ast.ImportFrom) and not node.level:
                modules.add(node.module)
            elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "of_charts":
                modules.update(argument.value for argument in node.args if isinstance(argument, ast.Constant))
    tops = {module.partition(".")[0] for module in modules} - set(sys.stdlib_module_names) - {"toysearch"}
    return {PACKAGES.get(top, top).lower().replace("_", "-") for top in tops}


@pytest.mark.system
def test_what_is_imported_is_declared():
    extras = [name for name in PROJECT["optional-dependencies"] if name not in ("bench", "oracles")]
    assert imported() - declared(*extras) == set()


@pytest.mark.system
def test_what_is_declared_is_used():
    assert declared() - imported() == {"tzdata"}  # zoneinfo reads it where the system has no time zones


def test_a_file_of_tests_is_left_out_where_its_package_is_missing():
    optional = declared(*PROJECT["optional-dependencies"]) - declared() - {"toysearch", "pytest", "hypothesis"}
    for path in (ROOT / "tests").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        for top in re.findall(r"^(?:import|from) (\w+)", text, re.MULTILINE):
            is_optional = PACKAGES.get(top, top).lower().replace("_", "-") in optional
            assert not is_optional or f'importorskip("{top}' in text, f"{path.relative_to(ROOT)} imports {top}"


@pytest.mark.parametrize(("extra", "modules"), [("charts", CHARTS), ("page", PAGE)])
def test_an_extra_is_what_the_guard_looks_for(extra, modules):
    assert {PACKAGES.get(module, module) for module in modules} <= declared(extra)
    assert f"toysearch[{extra}]" in PROJECT["optional-dependencies"]["dev"]


@pytest.mark.system
@pytest.mark.parametrize("missing", PAGE)
def test_serve_names_the_extra(missing):
    needed = "toysearch: toysearch serve needs the package {}, a part of an extra: pip install 'toysearch[page]'\n"
    absent = next(module for module in PAGE if module == missing or importlib.util.find_spec(module) is None)
    assert blocked(missing, "serve", "cat-dog-parrot") == (2, "", needed.format(absent))


def blocked(modules: str, *arguments: str) -> tuple[int, str, str]:
    """Exit code, output and notes of a command in a Python that lacks some modules."""
    command = [sys.executable, "-c", BLOCKING, modules, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=120)
    return done.returncode, done.stdout, done.stderr


COMMANDS = [
    ["demo"],
    ["search", "companions", "train a cat", "--analyzer", "english", "-k", "3"],
    ["eval", "companions", "--model", "bm25", "--model", "cosine", "--json"],
    ["analyze", "Die Häuser und Straßen", "--analyzer", "german", "--json"],
]


@pytest.mark.system
@longer
@pytest.mark.parametrize("missing", thinned(["orjson,Stemmer", "orjson", "Stemmer"], 3))
def test_without_an_accelerator_all_is_the_same(missing, tmp_path):
    for command in COMMANDS if EVERYTHING else COMMANDS[2:3]:
        assert blocked(missing, *command) == blocked("nothing", *command)
    folders = []
    for modules in (missing, "nothing"):
        folder = tmp_path / modules
        code, _, notes = blocked(modules, "index", "companions", "-o", str(folder), "--language", "english")
        assert (code, notes.count("note")) == (0, 0)
        folders.append({file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()})
    assert folders[0] == folders[1]


@pytest.mark.system
def test_the_version_says_what_it_runs_on():
    code, printed, _ = blocked("orjson,loops", "--version")
    lines = printed.splitlines()
    assert (code, lines[0]) == (0, f"toysearch {toysearch.__version__}")
    assert lines[1].startswith(f"Python {sys.version.split()[0]} on ")
    assert lines[2].startswith("numpy ")
    assert lines[3] == "orjson is missing: a quick JSON parser"
    assert re.fullmatch(r"PyStemmer ([\d.]+|is missing): compiled stemmers", lines[4])
    assert lines[5:] == ["loops are not compiled: numpy does their work, slower"]


@pytest.mark.system
def test_compiled_loops_asked_for_and_missing(monkeypatch):
    monkeypatch.setenv("TOYSEARCH_PATH", "compiled")
    code, printed, said = blocked("loops", "search", "companions", "cat")
    assert (code, printed) == (2, "")
    assert said == "toysearch: TOYSEARCH_PATH is compiled, but its loops are not; unset it\n"


@pytest.mark.system
@pytest.mark.parametrize(
    "command",
    [
        ["report", "companions", "--model", "bm25", "-o", "{}.html"],
        ["report", "companions", "--model", "bm25", "--chart", "pr", "-o", "{}.svg"],
    ],
    ids=("page", "chart"),
)
def test_what_draws_names_the_extra(command, tmp_path):
    code, printed, said = blocked("vl_convert", *(part.format(tmp_path / "page") for part in command))
    assert (code, printed) == (2, "")
    assert said == (
        "toysearch: charts and pages need the package vl_convert, a part of an extra: pip install 'toysearch[charts]'\n"
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("module", "load", "said"),
    [
        ("altair", lambda: of_charts("altair"), "charts and pages need the package altair"),
        ("distributed", lambda: _dask("distributed"), "workers need the package distributed"),
    ],
)
@pytest.mark.parametrize("raised", ["ImportError('no\\nlibgomp.so.1', name='{}.core')", "OSError('no\\nlibgomp.so.1')"])
def test_what_is_installed_but_cannot_be_loaded_is_told(module, load, said, raised, tmp_path, monkeypatch):
    """As where a library of the system is missing, such as the C++ runtime of Windows."""
    (tmp_path / f"{module}.py").write_text(f"raise {raised.format(module)}\n")
    for name in [name for name in sys.modules if name.partition(".")[0] == module]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ArgumentError) as caught:
        load()
    assert str(caught.value) == (
        f"{said}, which is installed but cannot be loaded: no libgomp.so.1; "
        "install the library of the system that is missing, or the package again"
    )


LETTERS = {
    "arabic": "ابتثجحخدذرزسشصضطظعغفقكلمنهويءآأإةى",
    "armenian": "աբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆև",
    "greek": "αβγδεζηθικλμνξοπρστυφχψωάέήίόύώς",
    "hindi": "कखगघचछजझटठडढणतथदधनपफबभमयरलवशषसहािीुूेैोौंँ्ड़",
    "nepali": "कखगघचछजझटठडढणतथदधनपफबभमयरलवशषसहािीुूेैोौंँ्",
    "persian": "ابپتثجچحخدذرزژسشصضطظعغفقکگلمنوهی\u200c",
    "russian": "абвгдеёжзийклмнопрстуфхцчшщъыьэюя",
    "serbian": "абвгдђежзијклљмнњопрстћуфхцчџшabcčćdđefghijklmnoprsštuvzž",
    "tamil": "கஙசஞடணதநபமயரலவழளறனாிீுூெேைொோௌ்",
    "yiddish": "אבגדהוזחטיכלמנסעפצקרשתםןץףך\u05b7\u05b8",
}
LATIN = "abcdefghijklmnopqrstuvwxyzäöüßéèêàâîôûçñąćęłńóśźżčďěřšťůžāīūőű'"


def pure(name: str):
    """The stemmer of snowballstemmer that is written in Python; it would give PyStemmer's, which is there."""
    module = importlib.import_module(f"snowballstemmer.{name}_stemmer")
    return getattr(module, name.title().replace("_", "") + "Stemmer")()


@longer
@pytest.mark.parametrize("name", stemmers())
def test_stems_in_pure_python_are_pystemmers(name):
    draw = random.Random(name)
    letters = LETTERS.get(name, LATIN)
    words = {"".join(draw.choices(letters, k=draw.randint(1, 14))) for _ in range(often(500))}
    words |= set(stopwordsiso.stopwords(CODES.get(name, "")))
    both = sorted(words)
    endings = [word[-3:] for word in both]
    both += [word + draw.choice(endings) for word in both]
    Stemmer = pytest.importorskip("Stemmer")
    assert pure(name).stemWords(both) == Stemmer.Stemmer(name).stemWords(both)


@pytest.mark.system
@pytest.mark.parametrize("collection", thinned(["companions", "cranfield", "cisi", "scifact"], 4))
def test_every_word_of_the_collections_has_the_same_stem(corpora, collection):
    Stemmer = pytest.importorskip("Stemmer")
    words = list(toysearch.Index.build(toysearch.load(collection), toysearch.Analyzer(), store_text=False).terms)
    for name in ("english", "porter"):
        assert pure(name).stemWords(words) == Stemmer.Stemmer(name).stemWords(words)
