"""Compiles the loops of `toysearch/compiled/`: each file there that imports cython becomes an extension module.

What Cython adds for arrays is a module of its own: in each loop it would take half of the time of the C compiler.
A compiled loop is kept in `build/loops/` with a checksum of all that it was made from, so nothing is compiled twice.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module, metadata, util
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "toysearch" / "compiled"
DEBUG = os.environ.get("TOYSEARCH_DEBUG_BUILD", "") not in ("", "0")
"""Whether the loops check every bound, for tests of damaged files."""
CHOICE = os.environ.get("TOYSEARCH_BUILD", "")
"""What is built: nothing compiled (`plain`), compiled loops or nothing at all (`compiled`), or what is possible."""

DIRECTIVES = {
    "language_level": 3,
    "boundscheck": DEBUG,
    "wraparound": False,
    "cdivision": True,
    "initializedcheck": False,
    "infer_types": True,  # of local variables, from what they are given
}
SUFFIX: str = sysconfig.get_config_var("EXT_SUFFIX") or ".so"


ARRAYS = "toysearch.compiled.memoryviews"
"""The module with which all loops read arrays; Cython writes it."""

BUILT = ROOT / "build" / "loops" / (SUFFIX.strip(".") + ("-debug" if DEBUG else ""))
"""Where compiled loops are kept, for this Python."""
TRIED = BUILT / "tried"
"""The checksum of the sources that were compiled last, or could not be compiled."""


class NotCompiled(Exception):
    """No compiler works here, or the loops are not to be compiled; the message says which."""


def sources() -> dict[str, Path]:
    """The loops to compile: names of modules and their files."""
    files = sorted(FOLDER.glob("*.py"))
    return {
        f"toysearch.compiled.{path.stem}": path
        for path in files
        if "import cython" in path.read_text(encoding="utf-8").splitlines()
    }


ON_WINDOWS = {"win-amd64": "x86_64-windows-gnu", "win-arm64": "aarch64-windows-gnu"}
"""The systems of Windows for which ziglang compiles, and its names for them."""


def flags(visual_c: bool = os.name == "nt") -> list[str]:
    """What the C compiler is told: to optimise without changing any result."""
    if visual_c:
        return ["/Od" if DEBUG else "/O2", "/fp:precise"]
    return ["-ffp-contract=off", "-fno-fast-math", *(["-O1", "-g"] if DEBUG else ["-O3", "-g0"])]


def missing_headers() -> bool:
    """Whether this Python lacks the headers without which no compiler can make an extension module."""
    return not Path(sysconfig.get_paths()["include"], "Python.h").exists()


def compiler() -> Mapping[str, str] | None:
    """The environment variables with which a C compiler of this machine is used; None if there is none that works."""
    if os.name == "nt":
        return {} if _has_visual_c() else None
    # The compiler that made this Python may be missing here while there is another one.
    usual = (os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc").split()[0]
    for program in (usual, "cc", "gcc", "clang"):
        if shutil.which(program) and _works(program):
            return {} if program == usual else _commands([program])
    return None


def zig() -> Mapping[str, str] | None:
    """The same of the compiler in the package ziglang; None if it is not installed, or cannot be used here."""
    if not zig_helps() or util.find_spec("ziglang") is None:
        return None
    python = f'"{Path(sys.executable).as_posix()}"'
    windows = ["-target", ON_WINDOWS[sysconfig.get_platform()], "-DMS_WIN64"] if os.name == "nt" else []
    # Without these options it would compile for this very processor, and check what is not defined in C.
    return _commands([python, "-m", "ziglang", "cc", "-mcpu=baseline", "-fno-sanitize=undefined", *windows])


def zig_helps() -> bool:
    """Whether the package ziglang is of use where there is no other compiler."""
    return not missing_headers() and (os.name != "nt" or sysconfig.get_platform() in ON_WINDOWS)


def _has_visual_c() -> bool:
    """Whether setuptools finds Microsoft's compiler."""
    try:
        import_module("setuptools")  # it brings distutils
        from distutils.ccompiler import new_compiler

        new_compiler(compiler="msvc").initialize()
    except Exception:  # whatever is said of a compiler that is not there
        return False
    return True


def _works(program: str) -> bool:
    """Whether a compiler makes something of the headers of Python: some names on the path have nothing behind them."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "nothing.c")
        source.write_text("#include <Python.h>\n")
        command = [program, "-I", sysconfig.get_paths()["include"], "-c", str(source), "-o", f"{source}.o"]
        return not subprocess.run(command, capture_output=True, check=False).returncode


def _commands(command: list[str]) -> dict[str, str]:
    line = " ".join(command)
    link = f"{line} -shared{' -undefined dynamic_lookup' if sys.platform == 'darwin' else ''}"
    return {"CC": line, "CXX": line, "LDSHARED": link, "LDCXXSHARED": link}


def compiled() -> dict[str, Path]:
    """The compiled loops, made where they are not up to date: names of modules and the files of the extensions."""
    if CHOICE == "plain":
        raise NotCompiled("TOYSEARCH_BUILD is plain")
    loops = {**sources(), ARRAYS: FOLDER / f"{ARRAYS}.c"}  # Cython takes the module's whole name from that of the file
    extensions = {name: BUILT / f"{name.rpartition('.')[2]}{SUFFIX}" for name in loops}
    digests = {name: f"{_digest(path)} {_cython()}" for name, path in loops.items()}
    stale = [name for name in loops if _recorded(extensions[name]) != digests[name]]
    if stale:
        BUILT.mkdir(parents=True, exist_ok=True)
        try:
            _make({loops[name]: extensions[name] for name in stale})
        finally:
            TRIED.write_text(_digest(*sources().values()))
        for name in stale:
            extensions[name].with_suffix(".digest").write_text(digests[name])
    return extensions


def in_place() -> int:
    """Compile the loops beside their sources, and return an exit code."""
    try:
        extensions = compiled()
    except NotCompiled as reason:
        print(f"the loops of toysearch are not compiled, so numpy does their work: {reason}", file=sys.stderr)
        clear()
        return 1
    for extension in extensions.values():
        path = FOLDER / extension.name
        if not path.exists() or path.read_bytes() != extension.read_bytes():
            place(extension, path)
    clear({extension.name for extension in extensions.values()})
    return 0


def clear(but: Collection[str] = ()) -> None:
    """Remove compiled loops from beside their sources, which they may no longer equal."""
    for path in FOLDER.glob(f"*{SUFFIX}"):
        if path.name not in but:
            path.unlink()


def _digest(*paths: Path) -> str:
    """A checksum of all that extension modules are made from."""
    digest = hashlib.sha256(repr((sys.version, sorted(DIRECTIVES.items()), flags())).encode())
    for file in (*paths, *sorted(FOLDER.glob("*.pxd")), *sorted(FOLDER.glob("*.h")), Path(__file__)):
        if file.suffix != ".c":  # which Cython writes
            digest.update(file.read_bytes())
    return digest.hexdigest()


def _cython() -> str:
    """The release of Cython here: loops and the module for arrays must be of the same one."""
    try:
        return metadata.version("cython")
    except metadata.PackageNotFoundError:
        return ""


def _recorded(extension: Path) -> str:
    record = extension.with_suffix(".digest")
    return record.read_text() if record.exists() and extension.exists() else ""


def place(file: Path, path: Path) -> None:
    """Put a copy of a file in its place at once: a process may be using the one that is there."""
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as copy:
        shutil.copyfile(file, copy.name)
    shutil.copymode(file, copy.name)
    os.replace(copy.name, path)


def _make(extensions: Mapping[Path, Path]) -> None:
    """Compile loops with the first compiler that can: files of the sources and of the extension modules."""
    if missing_headers():
        remedy = "; on Debian and Ubuntu they are in python3-dev" if sys.platform == "linux" else ""
        raise NotCompiled(f"this Python has no header files (Python.h){remedy}")
    reasons = []
    for candidate in (compiler, zig):
        settings = candidate()
        if settings is None:
            continue
        with tempfile.TemporaryDirectory(prefix="toysearch-loops-") as folder:
            try:
                with _environment({**settings, "ZIG_GLOBAL_CACHE_DIR": folder, "ZIG_LOCAL_CACHE_DIR": folder}):
                    made = _compile(list(extensions), Path(folder), visual_c=os.name == "nt" and not settings)
                for path, extension in zip(made, extensions.values(), strict=True):
                    place(path, extension)
                return
            except Exception as error:  # whatever a compiler that does not work gives rise to
                reasons.append(f"{settings.get('CC', 'the C compiler')} failed: {error}")
    raise NotCompiled("; ".join(reasons) or "no C compiler works here, and the package ziglang is not installed")


@contextmanager
def _environment(settings: Mapping[str, str]) -> Iterator[None]:
    """Change environment variables for a while."""
    before = dict(os.environ)
    os.environ.update(settings)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def _compile(paths: list[Path], folder: Path, *, visual_c: bool) -> list[Path]:
    """Compile loops in a folder, and check that each extension module can be opened."""
    from Cython.Build import cythonize
    from setuptools import Distribution, Extension
    from setuptools.command.build_ext import build_ext

    names = [f"toysearch.compiled.{path.stem.rpartition('.')[2]}" for path in paths]
    here = Path.cwd()
    os.chdir(ROOT)  # C files repeat the paths of their sources
    try:
        modules = cythonize(
            [
                Extension(name, [str(path.relative_to(ROOT))], extra_compile_args=flags(visual_c))
                for name, path in zip(names, paths, strict=True)
            ],
            build_dir=str(folder / "c"),
            compiler_directives=DIRECTIVES,
            shared_utility_qualified_name=ARRAYS,
            quiet=True,
        )
        command: Any = build_ext(Distribution({"name": "toysearch", "ext_modules": modules}))
        command.build_lib, command.build_temp = str(folder / "lib"), str(folder / "temp")
        if os.name == "nt" and not visual_c:
            command.compiler = "mingw32"
        command.parallel = os.cpu_count() if len(modules) > 1 else None
        command.ensure_finalized()
        command.run()
    finally:
        os.chdir(here)
    made = [Path(command.get_ext_fullpath(name)) for name in names]
    # A compiler for another system or C library makes modules that cannot be.
    opening = "import ctypes, sys; [ctypes.CDLL(path) for path in sys.argv[1:]]"
    done = subprocess.run([sys.executable, "-c", opening, *map(str, made)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise NotCompiled(done.stderr.strip().splitlines()[-1])
    return made


if __name__ == "__main__":  # whether the loops that an installation in the checkout has made are those of the sources
    sys.exit(not (TRIED.exists() and TRIED.read_text() == _digest(*sources().values())))
