"""Fresh environments for tests of the whole: the wheel, toysearch with its dependencies, and each of its extras."""

import importlib.metadata
import importlib.util
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
NETWORK = ("No matching distribution", "ConnectionError", "Could not find a version", "Temporary failure", "timed out")


def run(*command: object, cwd: Path, exit_code: int = 0, **settings: str) -> str:
    """What a command prints, away from the checkout and from this process's settings."""
    hidden = ("PYTHONPATH", "TOYSEARCH_CORPORA", "TOYSEARCH_PATH", "TOYSEARCH_TESTS")
    environment = {name: value for name, value in os.environ.items() if name not in hidden} | settings
    result = subprocess.run(list(map(str, command)), cwd=cwd, env=environment, capture_output=True, text=True)
    assert result.returncode == exit_code, result.stdout + result.stderr
    return result.stdout


def with_network(*command: object, cwd: Path) -> None:
    """Run a command that takes packages from the network; without one the test is skipped, but not where CI is set."""
    try:
        run(*command, cwd=cwd)
    except AssertionError as error:
        if os.environ.get("CI") or not any(sign in str(error) for sign in NETWORK):
            raise
        pytest.skip("the packages cannot be had: there is no network")


def python_of(environment: Path) -> Path:
    return environment / "bin" / "python"


def borrowing(environment: Path, *packages: str) -> None:
    """Let an environment import the packages in these folders too, after its own.

    The path files among those are not read: the checkout, installed for development here, is not importable there.
    """
    own = run(
        python_of(environment), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=environment
    ).strip()
    Path(own, "borrowed.pth").write_text("\n".join([*packages, ""]))


@pytest.fixture(scope="session")
def wheel(tmp_path_factory) -> Path:
    """The wheel, built from the checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    new_enough = int(importlib.metadata.version("setuptools").partition(".")[0]) >= 77
    here = ["--no-isolation"] if new_enough and importlib.util.find_spec("Cython") else []
    with_network(sys.executable, "-m", "build", "--wheel", *here, "--outdir", folder, ROOT, cwd=folder)
    (path,) = folder.glob("toysearch-*.whl")
    return path


@pytest.fixture(scope="session")
def environment(wheel, tmp_path_factory) -> Path:
    """A virtual environment that holds the wheel, and borrows what the wheel depends on from this one."""
    return installed(wheel, tmp_path_factory.mktemp("environment"))


def installed(wheel: Path, folder: Path, *options: str) -> Path:
    """A new environment in a folder, with a wheel alone and what it depends on borrowed from this one."""
    environment = folder / "installed"
    run(sys.executable, "-m", "venv", "--without-pip", environment, cwd=folder)
    install = ("install", "--quiet", "--no-deps", *options, wheel)
    run(sys.executable, "-m", "pip", "--python", python_of(environment), *install, cwd=folder)
    borrowing(environment, *(entry for entry in sys.path if Path(entry).name in ("site-packages", "dist-packages")))
    return environment


@pytest.fixture(scope="session")
def plain(wheel, tmp_path_factory) -> Path:
    """A virtual environment with the wheel and what it requires, from the package index, and nothing else."""
    folder = tmp_path_factory.mktemp("plain")
    run(sys.executable, "-m", "venv", "--without-pip", folder, cwd=folder)
    _install(folder, str(wheel))
    return folder


@pytest.fixture(scope="session")
def with_extras(plain, wheel, tmp_path_factory) -> Callable[[str], Path]:
    """A function from extras, such as ``charts,page``, to an environment with these beside the plain one."""
    packages = run(python_of(plain), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=plain).strip()

    def made(extras: str) -> Path:
        folder = tmp_path_factory.mktemp("extra")
        run(sys.executable, "-m", "venv", "--without-pip", folder, cwd=folder)
        borrowing(folder, packages)
        _install(folder, f"toysearch[{extras}]", "--find-links", str(wheel.parent))
        return folder

    return made


def _install(environment: Path, *what: str) -> None:
    """Install packages without compiling all of their files: what is imported is compiled then."""
    install = ("install", "--quiet", "--disable-pip-version-check", "--no-compile", *what)
    with_network(sys.executable, "-m", "pip", "--python", python_of(environment), *install, cwd=environment)
