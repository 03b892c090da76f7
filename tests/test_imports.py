"""Starting up is quick because next to nothing is imported; imports run one way, each file has its own name."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tiers import thinned

import toysearch
from toysearch.cli.main import HOMES
from toysearch.rings import COMMANDS

pytestmark = pytest.mark.system

ROOT = Path(__file__).resolve().parent.parent
HEAVY = {"scipy", "sklearn", "pooch", "rank_bm25", "rich"}


def loaded_in_order(code: str, *arguments: str) -> list[str]:
    """The modules that a process has begun to load when it has run the code, in their order."""
    code += "\nimport sys; print(*sys.modules, file=sys.stderr)"
    result = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return result.stderr.splitlines()[-1].split()


def loaded_by(code: str, *arguments: str) -> set[str]:
    """The modules that a process has loaded after running the code."""
    return {*loaded_in_order(code, *arguments)}


COMMAND = "from toysearch.cli.main import main\ntry: main()\nexcept SystemExit as end: assert not end.code, end.code"


def loaded_by_command(*arguments: str) -> set[str]:
    """The modules that a command of the command line has loaded, its output going to a pipe."""
    return loaded_by(COMMAND, *arguments)


@pytest.mark.waits
def test_importing_toysearch_loads_nothing_else():
    before = loaded_by("from __future__ import annotations; import importlib, typing")
    after = loaded_by("import importlib, typing, toysearch")
    assert after - before == {"toysearch"}


@pytest.mark.waits
def test_a_public_name_loads_only_its_home():
    assert loaded_by("import toysearch; toysearch.Document").isdisjoint({*HEAVY, "click", "toysearch.index"})


@pytest.fixture(scope="module")
def index(tmp_path_factory) -> str:
    folder = tmp_path_factory.mktemp("imports") / "pets.idx"
    analyzer = toysearch.Analyzer.for_language("english")
    toysearch.Index.build(toysearch.load("cat-dog-parrot"), analyzer).save(folder)
    return str(folder)


LIGHT = [
    ["search", "INDEX", "train", "cat"],
    ["search", "INDEX", "train cat", "--model", "cosine", "--json"],
    ["search", "cat-dog-parrot", "train cat", "--explain"],
    ["eval", "cat-dog-parrot", "--model", "bm25"],
    ["run", "cat-dog-parrot", "-o", "-"],
    ["analyze", "training cats", "--analyzer", "english"],
    ["corpora"],
    ["corpora", "show", "cat-dog-parrot"],
    ["show", "INDEX"],
    ["check", "INDEX"],
    ["query", '"train cat" -dog title:cat', "INDEX"],
]


@pytest.mark.waits
@pytest.mark.parametrize("arguments", thinned(LIGHT, 2), ids=" ".join)
def test_a_command_on_little_data_loads_nothing_heavy(index, arguments):
    loaded = loaded_by_command(*(index if argument == "INDEX" else argument for argument in arguments))
    assert sorted(loaded & HEAVY) == []


WITHOUT_LOOPS = """
import importlib, pkgutil, sys
import toysearch
from toysearch.base.plain_or_compiled import ARRAYS, LOOPS

NEED = {f"toysearch.compiled.{loop}" for loop in (*LOOPS, ARRAYS)}
NEED |= {"toysearch.retrieval.block_search", "toysearch.__main__"}

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name == "cython" or name in NEED:
            raise ModuleNotFoundError(name, name=name)

sys.meta_path.insert(0, Missing())
for module in pkgutil.walk_packages(toysearch.__path__, "toysearch."):
    if module.name not in NEED:
        importlib.import_module(module.name)
"""


@pytest.mark.waits
def test_without_compiled_loops_and_cython_every_module_can_be_loaded():
    loaded_by(WITHOUT_LOOPS)


@pytest.mark.waits
def test_the_page_is_loaded_only_to_serve():
    loaded = loaded_by_command("search", "cat-dog-parrot", "cat")
    assert loaded.isdisjoint({"toysearch.workbench", "toysearch.classroom", "toysearch.page"})
    loaded |= loaded_by_command("serve", "--help")
    assert loaded.isdisjoint({"starlette", "uvicorn", "jinja2", "toysearch.page.application"})


@pytest.mark.waits
def test_a_search_in_an_index_reads_no_collection(index):
    loaded = loaded_by_command("search", index, "cat")
    assert loaded.isdisjoint(
        {"toysearch.files.syntaxes.smart", "toysearch.files.recognise", "tomllib", "toysearch.evaluation"}
    )
    assert loaded.isdisjoint({"html", "shutil", "bz2", "lzma"})


ENGINE = {
    "index": "checksums file_layout inverted_index opened_files posting_blocks postings strings",
    "models": "bm25 model registry similarity",
    "query": "modes",
    "retrieval": "block_search model_scorer scorers scoring searcher snippets query_terms typed_query",
}


@pytest.mark.waits
@pytest.mark.parametrize("folder", ENGINE)
def test_a_search_with_one_model_loads_the_engine_that_it_needs(index, folder):
    """No builder, no shards, no scorer of another ranker, no query language; block_search only with compiled loops."""
    loaded = loaded_by_command("search", index, "train cat", "--model", "bm25")
    names = {name.rpartition(".")[2] for name in loaded if name.startswith(f"toysearch.{folder}.")}
    assert names | {"block_search"} & {*ENGINE[folder].split()} == {*ENGINE[folder].split()}


@pytest.mark.waits
def test_a_search_in_an_index_loads_few_modules(index):
    """A new one makes every search start later: load it where it is used, or raise this number."""
    order = loaded_in_order(COMMAND, "search", index, "train cat")
    assert order.index("numpy") < order.index("toysearch.cli.search")  # where the stack is not yet deep
    loaded = {*order}
    assert len([name for name in loaded if name.partition(".")[0] == "toysearch"]) <= 61
    assert loaded.isdisjoint({"toysearch.collection.collection", "toysearch.files.source", "glob", "locale", "pathlib"})


@pytest.mark.waits
def test_scores_of_run_files_load_no_engine(tmp_path):
    (tmp_path / "mine.run").write_text("q1 Q0 a 1 2.5 mine\n")
    (tmp_path / "qrels").write_text("q1 0 a 1\n")
    loaded = loaded_by_command("eval", str(tmp_path / "mine.run"), str(tmp_path / "qrels"))
    engine = ("analysis.analyzer", "index.inverted_index", "models.model", "retrieval.searcher")
    assert loaded.isdisjoint({f"toysearch.{module}" for module in engine})


@pytest.mark.waits
def test_imports_run_one_way():
    script = Path(sys.executable).with_name("lint-imports")
    if not script.exists():
        pytest.skip("import-linter is not installed: pip install 'toysearch[dev]'")
    result = subprocess.run(
        [script, "--no-cache"], cwd=ROOT, capture_output=True, text=True, env={**os.environ, "COLUMNS": "200"}
    )
    assert result.returncode == 0, result.stdout


def test_no_name_stands_twice():
    package = ROOT / "toysearch"
    of_commands = {ROOT / f"{module.replace('.', '/')}.py" for module in [*HOMES, *COMMANDS.values()]}
    entries = {path.parent if path.name == "__init__.py" else path for path in package.rglob("*.py")}
    of_commands |= {path.parent for path in of_commands}
    main_nouns = {package / "study" / "study.py", package / "collection" / "collection.py"}
    names = sorted(path.stem for path in entries - of_commands - main_nouns - {package})
    assert [name for name in set(names) if names.count(name) > 1] == []


def test_no_class_name_stands_twice():
    apart = {*(ROOT / "toysearch" / "classroom" / "exercises").glob("*.py"), ROOT / "toysearch" / "tiny.py"}
    files = [path for path in (ROOT / "toysearch").rglob("*.py") if path not in apart]
    names = [
        name for path in files for name in re.findall(r"^class (\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    assert sorted({name for name in names if names.count(name) > 1 and not name.startswith("_")}) == []
