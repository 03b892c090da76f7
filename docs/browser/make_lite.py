"""Make a folder to publish: JupyterLite with the labs, the demo, and toysearch as a wheel.

    python docs/browser/make_lite.py [FOLDER]      default: .venv/lite

The folder needs no program on the server. Python for browsers (Pyodide) is loaded when a notebook is opened, from the
address PYODIDE; --pyodide names another one. Wheels that Pyodide lacks are fetched once into
.venv/browser-wheels; then the folder is made without a network.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PYODIDE = "https://cdn.jsdelivr.net/pyodide/v314.0.6/full/"
"""The release that the kernel of JupyterLite was made with; nowhere else is the address named."""
WHEELS = ROOT / ".venv" / "browser-wheels"
NOT_IN_PYODIDE = ("snowballstemmer", "stopwordsiso", "rank-bm25", "pooch", "markdown-it-py", "mdurl", "comm")
"""What toysearch and the kernel of JupyterLite require and Pyodide has not: wheels in pure Python."""
INSTALL = "%pip install -q toysearch altair"
"""The first cell of a notebook in a browser; grading leaves such lines out."""


def wheels(folder: Path) -> list[Path]:
    """The wheels that Pyodide has not, fetched once, and toysearch's without compiled loops, built in this folder."""
    WHEELS.mkdir(parents=True, exist_ok=True)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    missing = [name for name in NOT_IN_PYODIDE if not _fetched(name)]
    if missing:
        required = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
        wanted = [
            next((line.partition(";")[0] for line in required if line.startswith(name)), name) for name in missing
        ]
        pure = ["--no-deps", "--only-binary", ":all:", "--platform", "any", "--dest", str(folder)]
        if subprocess.run([*pip, "download", "--quiet", *pure, *wanted]).returncode:
            raise SystemExit(
                f"{', '.join(missing)}: not in {WHEELS}, and pip could not fetch it; run this with a network once"
            )
        for wheel in folder.glob("*.whl"):  # whole files only: another call may look for them now
            os.replace(wheel, WHEELS / wheel.name)
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    done = subprocess.run(build, env={**os.environ, "TOYSEARCH_BUILD": "plain"}, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stdout + done.stderr)
    return [*(_fetched(name)[-1] for name in NOT_IN_PYODIDE), *folder.glob("toysearch-*.whl")]


def _fetched(name: str) -> list[Path]:
    """The wheels of a package that were fetched."""
    return sorted(WHEELS.glob(f"{name.replace('-', '_')}-*.whl"))


def in_a_browser(notebook: str) -> str:
    """A notebook with a first cell that installs toysearch in the kernel of a browser."""
    content = json.loads(notebook)
    cell = {"cell_type": "code", "execution_count": None, "id": "install", "metadata": {}, "outputs": []}
    content["cells"].insert(0, cell | {"source": [INSTALL]})
    return json.dumps(content, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def lite(target: Path, pyodide: str = PYODIDE) -> None:
    """The static folder of JupyterLite with the notebooks and the wheels."""
    if target.exists() and any(target.iterdir()) and not (target / "jupyter-lite.json").exists():
        raise SystemExit(f"{target} is there and holds something else; name another one, or remove it")
    shutil.rmtree(target, ignore_errors=True)
    WHEELS.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=WHEELS.parent) as folder:  # of this call alone: two may run side by side
        staged, contents = Path(folder), Path(folder) / "contents"
        contents.mkdir()
        for notebook in sorted((ROOT / "notebooks").glob("[0-9][0-9]-*.ipynb")):
            text = in_a_browser(notebook.read_text(encoding="utf-8"))
            (contents / notebook.name).write_text(text, encoding="utf-8")
        command = [sys.executable, "-m", "jupyterlite_core", "build", "--no-unused-shared-packages", "--no-sourcemaps"]
        command += ["--lite-dir", str(staged), "--contents", str(contents), "--output-dir", str(target)]
        for wheel in wheels(staged):
            command += ["--piplite-wheels", str(wheel)]
        settings = {
            "@jupyterlite/pyodide-kernel-extension:kernel": {"pyodideUrl": f"{pyodide.rstrip('/')}/pyodide.mjs"}
        }
        config = {"jupyter-lite-schema-version": 0, "jupyter-config-data": {"litePluginSettings": settings}}
        (staged / "jupyter-lite.json").write_text(json.dumps(config), encoding="utf-8")
        done = subprocess.run(command, cwd=staged, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(done.stdout + done.stderr)


def main() -> None:
    """Make the folder."""
    parser = argparse.ArgumentParser(description="Make a folder to publish: the labs in JupyterLite.")
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / ".venv" / "lite")
    parser.add_argument("--pyodide", metavar="ADDRESS", default=PYODIDE, help="where Pyodide is")
    options = parser.parse_args()
    lite(options.folder.resolve(), options.pyodide)
    print(options.folder / "index.html")


if __name__ == "__main__":
    main()
