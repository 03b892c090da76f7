"""What the tests share: the folder of the public test collections, how much is tried, hypothesis' profiles."""

import contextlib
import copy
import errno
import functools
import gc
import importlib
import importlib.util
import os
import re
import shutil
import signal
import sys
import tempfile
from collections import Counter
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from circles import RINGS
from click.testing import CliRunner
from fresh_environments import environment, plain, wheel, with_extras
from hypothesis import HealthCheck, settings
from numpy_of_32_bits import of_32_bits
from on_windows import NO_CLOCK, STRICT, WINDOWS, NotOnWindows, strict
from tiers import EVERYTHING, longer, often

from toysearch.base.plain_or_compiled import LOOPS, loops_compiled

__all__ = ["environment", "plain", "wheel", "with_extras"]  # fixtures, each made once for all files

ROOT = Path(__file__).resolve().parent.parent
REAL_WINDOWS = WINDOWS and not STRICT
"""Whether this is no simulation, and packages may be missing."""
IN_CI = bool(os.environ.get("CI"))
MISSING = [name for name in (*RINGS, "compiled") if not (ROOT / "toysearch" / name).is_dir()]
"""The folders that a copy of the core lacks (core_alone.py)."""
BUILT: dict[str, int] = {}
"""The compiled loops when the tests begin."""

settings.register_profile(
    "toysearch",
    deadline=None,
    derandomize=not EVERYTHING,  # `make test-all` tries other examples each time, and prints how to repeat one
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
    max_examples=often(100),
)
settings.load_profile("toysearch")

gc.disable()  # what is collected stays to the end: looking through it again and again takes a tenth of the time


def pytest_configure(config: pytest.Config) -> None:
    """Compile the loops whose sources have changed, and load them: pytest would load their sources for doctests."""
    if IN_CI:
        # Elsewhere other releases may warn of what is deprecated. When garbage is found depends on what else is done.
        found_as_garbage = ("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
        config.getini("filterwarnings")[:0] = ("error", *found_as_garbage)
    config.addinivalue_line("markers", "xdist_group: one worker runs its tests")  # pytest-xdist may be switched off
    signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell in the background starts them without
    if "PYTEST_XDIST_WORKER" not in os.environ:
        if "compiled" not in MISSING:
            loaded(ROOT / "build_backend" / "loops.py").in_place()
        os.environ["TOYSEARCH_CACHE"] = tempfile.mkdtemp(prefix="cache-of-tests-")  # not that of who runs them
    if REAL_WINDOWS or MISSING:
        CliRunner.invoke = recorded(CliRunner.invoke)
    for loop in LOOPS if loops_compiled() else ():
        importlib.import_module(f"toysearch.compiled.{loop}")
    BUILT.update(built())


def pytest_unconfigure() -> None:
    """Remove the cache of the tests."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        shutil.rmtree(os.environ.pop("TOYSEARCH_CACHE", ""), ignore_errors=True)


LACKING = re.compile(r"(?:No module named '|load failed while importing |needs? the package )(?!toysearch)([\w.]+)")
"""How an error names a package that is missing, or that cannot be loaded."""


ON_WINDOWS = {
    "Windows sends no signals to other processes": "Unsupported signal",
    "Windows does not confine the code of others": "cannot confine untrusted code",
    NO_CLOCK: NO_CLOCK,
}
"""Why tests are left out there, and what their errors say."""
if not importlib.util.find_spec("tzdata"):
    ON_WINDOWS["tzdata is not installed on this Windows"] = "expected a time such as"
LAST_SAID: list[str] = []
"""What the last command of a test said on standard error; kept on Windows, and where a ring is missing."""


def recorded(invoke):
    """A function that runs a command, and keeps what it says."""

    def invoked(*arguments, **options):
        result = invoke(*arguments, **options)
        LAST_SAID[:] = [result.stderr]
        return result

    return invoked


def left_out(error: BaseException | str) -> str:
    """Why a test that ends with an error cannot be run here; empty if it could."""
    text = f"{error} {getattr(error, '__context__', '')}"  # the error may be that a test waited for a warning
    if REAL_WINDOWS or MISSING:
        text += "".join(LAST_SAID)
    missing = LACKING.search(text)
    if absent := [name for name in MISSING if re.search(rf"toysearch[./]{name}\b|toysearch\.labs\b", text)]:
        return f"toysearch/{absent[0]} is not in this copy"
    if isinstance(error, NotOnWindows):
        return str(error)
    if not loops_compiled() and ("its loops are not" in text or (missing and missing[1] == "cython")):
        return "the loops are not compiled here"
    if REAL_WINDOWS and missing:
        return f"{missing[1]} is not installed, or not whole, on this Windows"
    if reasons := [reason for reason, sign in ON_WINDOWS.items() if REAL_WINDOWS and sign in text]:
        return reasons[0]
    if WINDOWS and isinstance(error, OSError) and error.errno in (errno.EINVAL, errno.EACCES):
        passed = [str(entry.path) for entry in pytest.ExceptionInfo.from_exception(error).traceback]
        if not any(path.startswith(str(ROOT / "toysearch")) for path in passed):
            return "Windows neither replaces nor removes a file that is mapped"
    return ""


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    """Leave out, and say so, the tests of what is not installed or not compiled here."""
    report = yield
    if report.failed and (reason := left_out(str(report.longrepr))):
        report.outcome, report.longrepr = "skipped", (str(collector.path), 0, f"Skipped: {reason}")
    return report


@contextlib.contextmanager
def leaving_out():
    """Skip what cannot be run here, and say why."""
    try:
        yield
    except (Exception, pytest.fail.Exception) as error:
        if reason := error.__dict__.setdefault("left_out", left_out(error)):  # a shared fixture raises it again
            pytest.skip(reason)
        raise


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup():
    """Skip what cannot be made here."""
    LAST_SAID.clear()
    with leaving_out():
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call():
    """Skip what cannot be run here."""
    with leaving_out():
        return (yield)


def pytest_collection_finish(session: pytest.Session) -> None:
    """From now on garbage is looked for, but not among the thousands of collected tests; groups must be in their names.

    A group that is not is spread over all workers, and each of them makes anew what the group shares.
    """
    gc.freeze()
    gc.enable()
    if getattr(session.config.option, "loadgroup", False):
        of_groups = [item.nodeid for item in session.items if item.get_closest_marker("xdist_group")]
        assert all("@" in name for name in of_groups), "pytest-xdist does not see the groups of tests"


LONG_EXAMPLES = {
    *(f"docs/do/{page}.md" for page in ["combine-models", "explain", "judge", "learn-a-ranker"]),
    "docs/understand/tiny.md",
    "toysearch/analysis/analyzer.py",
    "toysearch/classroom/sandbox/confined_run.py",
    "toysearch/workbench/judged_feedback.py",
    *(f"toysearch/workbench/robustness/{name}.py" for name in ["alterations", "scorecard"]),
    "toysearch/study/compare/run_diff.py",
    "toysearch/study/explain/rank_flip.py",
    "toysearch/classroom/worked_examples.py",
    "toysearch/workbench/learning/ranker_training.py",
}
"""Pages and modules whose examples take long, or start processes; they cannot carry a mark of pytest themselves."""


def marked_whole(name: str, text: str) -> bool:
    """Whether all tests of a file are of the tier `system`."""
    marked = re.search(r"^pytestmark = \[?\s*pytest\.mark\.system", text, re.MULTILINE)
    return name.startswith("tests/system/") or name in LONG_EXAMPLES or bool(marked)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave files out in which the tier has no test: to import them all takes a fifth of the time of `make test`."""
    if not collection_path.is_file() or not collection_path.is_relative_to(ROOT):
        return None
    name = collection_path.relative_to(ROOT).as_posix()
    text = collection_path.read_text(encoding="utf-8", errors="replace")
    of_system = marked_whole(name, text)
    match config.option.markexpr:
        case "not exhaustive and not system":
            return of_system or None
        case "system and not exhaustive":
            return not (of_system or "mark.system" in text) or None
        case "exhaustive or longer":
            return not re.search(r"\b(exhaustive|longer|thinned|properties)\b", f"{name}\n{text}") or None
    return None


@functools.cache
def group_of(path: Path) -> str:
    """The group of a file whose tests share what is made once, so that one worker runs them all; empty without any."""
    text = path.read_text(encoding="utf-8")
    if "system" in path.parts and "wheel" in text:
        return "installs"  # they share environments, and build in the same folders
    return path.name if re.search(r'scope="module"|import folder\b', text) else ""


@pytest.hookimpl(tryfirst=True)  # before xdist writes the groups into the tests' names
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put tests into their tiers; a property holds for any input, so `make test-all` tries more of them."""
    for item in items:
        if group := "installs" if "wheel" in getattr(item, "fixturenames", ()) else group_of(item.path):
            item.add_marker(pytest.mark.xdist_group(group))
        if "system" in item.path.parts or item.nodeid.partition("::")[0] in LONG_EXAMPLES:
            item.add_marker(pytest.mark.system)
        if "properties" in item.path.parts:
            item.add_marker(longer)
        if IN_CI and "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.flaky(reruns=1))


def pytest_terminal_summary(terminalreporter) -> None:
    """Say which tests needed a second time, and what was left out and why: a line per reason."""
    for report in terminalreporter.stats.get("rerun", []):
        terminalreporter.write_line(f"flaky: {report.nodeid}")
    skipped = terminalreporter.stats.get("skipped", [])
    if place := os.environ.get("TOYSEARCH_SKIPPED"):  # the list of the tests that need what is outside the checkout
        needs = re.compile("TOYSEARCH_(?:CORPORA|CHECKS)")
        nodes = {report.nodeid for report in skipped if needs.search(report.longrepr[2])}
        Path(place).write_text("".join(f"{node}\n" for node in sorted(nodes)), encoding="utf-8")
    said = (report.longrepr[2].removeprefix("Skipped: ") for report in skipped)
    reasons = (re.sub(r"^could not import '(\w+).*", r"\1 is not installed", reason) for reason in said)
    for reason, count in sorted(Counter(reason.partition(": pip install")[0] for reason in reasons).items()):
        terminalreporter.write_line(f"left out: {count} ({reason})")


def built() -> dict[str, int]:
    """The compiled loops beside their sources, and when each was written."""
    folder = [] if "compiled" in MISSING else os.scandir(ROOT / "toysearch" / "compiled")
    return {file.name: file.stat().st_mtime_ns for file in folder if file.name.endswith((".so", ".pyd"))}


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Of the indexes that a test has opened, and may have damaged, the next one knows nothing; no test builds here."""
    if opened_files := sys.modules.get("toysearch.index.opened_files"):
        opened_files.opened_folders.clear()
    if nextitem and nextitem.path == item.path:
        return  # the loops are looked at after each file
    before = dict(BUILT)
    BUILT.clear()
    BUILT.update(built())
    assert before == BUILT, "a test has changed the compiled loops of this checkout; it must work on a copy"


def loaded(path: Path) -> ModuleType:
    """A program of the project that is in no package, as a module."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(autouse=os.environ.get("TOYSEARCH_BITS") == "32")
def _bits():
    """With TOYSEARCH_BITS=32 every test runs on a simulated Python of 32 bits."""
    with of_32_bits():
        yield


@pytest.fixture(autouse=STRICT)
def windows(monkeypatch) -> list[str]:
    """A simulated Windows, which refuses more than Wine; with TOYSEARCH_SYSTEM=strict-windows every test has it."""
    if sys.platform != "linux":
        pytest.skip("/proc tells what is open")
    return strict(monkeypatch)


@pytest.fixture(scope="session")
def corpora() -> Path:
    """The folder that holds the raw files of Cranfield, CISI and SciFact."""
    folder = Path(os.environ.get("TOYSEARCH_CORPORA", ROOT.parent / "shared" / "corpora"))
    if not (folder / "cranfield" / "cran.all.1400").exists():
        reason = f"Cranfield's files are not in {folder}; set TOYSEARCH_CORPORA to the folder that holds them"
        if os.environ.get("TOYSEARCH_NEED_TEXTS"):
            pytest.fail(reason)
        pytest.skip(reason)
    os.environ["TOYSEARCH_CORPORA"] = str(folder.resolve())
    return folder


@pytest.fixture
def bundled_read_once(monkeypatch) -> None:
    """A bundled collection is read and indexed once for all tests that ask for this: most of the time of a command.

    Not another reading of it, nor an index with other settings.
    """
    from toysearch.base.errors import collected_notes, note
    from toysearch.base.plain_or_compiled import compiled
    from toysearch.collection import judged_queries
    from toysearch.files.reading import Reading
    from toysearch.index import builder

    read, build = judged_queries._codes, builder.build_parts

    def read_once(recipe, file, beside):
        if not recipe.in_catalog or recipe.reading != Reading():
            return read(recipe, file, beside)
        place = f"{recipe.folder} {file}"
        if place not in READ:
            READ[place] = read(recipe, file, beside)
        return copy.copy(READ[place])

    def built_once(source, analyzer, **settings):
        is_bundled = getattr(source, "read_from", None) == (getattr(source, "catalog_name", ""), {})
        if not is_bundled or settings["spooled"] or settings["progress"]:
            return build(source, analyzer, **settings)
        place = f"{source.folder} {source.searched_fields} {analyzer and analyzer.to_dict()} {settings} {compiled()}"
        if place not in READ:
            with collected_notes() as notes:
                READ[place] = build(source, analyzer, **settings), notes
            for array in READ[place][0][1].values():
                if isinstance(array, np.ndarray):
                    array.flags.writeable = False  # for all of them
        parts, notes = READ[place]
        for each in notes:
            note(str(each))
        return parts[0], dict(parts[1]), *parts[2:]

    monkeypatch.setattr(judged_queries, "_codes", read_once)
    monkeypatch.setattr(builder, "build_parts", built_once)


READ: dict[str, object] = {}
"""Judgments and indexes of bundled collections, by their files and settings."""


def slow_down(browser) -> None:
    """Let each answer reach the pages of a browser late, and bit by bit."""
    new_context = browser.new_context

    def slow_context(**options):
        context = new_context(**options)
        new_page = context.new_page

        def slow_page():
            page = new_page()
            session = context.new_cdp_session(page)
            session.send("Network.enable")
            network = {"offline": False, "latency": 400, "downloadThroughput": 40_000, "uploadThroughput": -1}
            session.send("Network.emulateNetworkConditions", network)
            return page

        context.new_page = slow_page
        return context

    browser.new_context = slow_context


@pytest.fixture(scope="session")
def browser():
    """Chromium, driven by Playwright; skipped where one of them is missing, unless TOYSEARCH_NEED_CHROMIUM is 1."""
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    missing = [] if program else ["Chromium is not installed"]
    missing += [] if importlib.util.find_spec("axe_playwright_python") else ["axe-playwright-python is not installed"]
    if missing:
        reason = ", ".join(missing)
        if os.environ.get("TOYSEARCH_NEED_CHROMIUM") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    from playwright.sync_api import sync_playwright

    quiet = [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    ]
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=program, args=quiet)
        if os.environ.get("TOYSEARCH_BROWSER") == "slow":
            slow_down(opened)
        yield opened
        opened.close()
