"""Ten commands whose files and output are the same on every system: their checksums are compared with everywhere.txt.

Run it with any Python that has toysearch: it needs no other package. With --write it records the checksums.
"""

import hashlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RECORDED = Path(__file__).with_suffix(".txt")
COMMANDS = (
    "index companions -o pets.idx --positions",
    "index cat-dog-parrot -o parts.idx --shards 2",
    "delete pets.idx p057",
    "search pets.idx +tick~1 -k 3 --explain",
    "run companions --model bm25 -o bm25.run",
    "run companions --model lm-dirichlet -o -",
    "eval bm25.run companions -m AP --per-query --tsv",
    "eval bm25.run QRELS --format trec_eval --only-retrieved -q",
    "convert cat-dog-parrot --to trec -o trec",
    "compare companions --model bm25 --model dph --json",
)
WITH_TIMES = ("index", "delete")  # they print how long they took


def checksums(folder: Path) -> list[str]:
    """Of what the commands print, and of the files that they leave in a folder."""
    variables = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
    variables |= {"TOYSEARCH_CACHE": str(folder / "cache"), "COLUMNS": "80", "NO_COLOR": "1"}
    qrels = str(ROOT / "corpora" / "companions" / "qrels" / "test.tsv")
    lines = []
    for command in COMMANDS:
        words = [qrels if word == "QRELS" else word for word in command.split()]
        done = subprocess.run(
            [sys.executable, "-m", "toysearch", *words], cwd=folder, env=variables, capture_output=True, check=False
        )
        if done.returncode:
            sys.exit(f"toysearch {command}: {done.stderr.decode()}")
        if words[0] not in WITH_TIMES:
            lines.append(f"{hashlib.sha256(done.stdout).hexdigest()}  {command}")
    paths = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    return lines + [f"{hashlib.sha256((folder / path).read_bytes()).hexdigest()}  {path}" for path in paths]


def main() -> None:
    """Compare, and name what differs."""
    with tempfile.TemporaryDirectory(prefix="everywhere-") as folder:
        lines = checksums(Path(folder))
    if "--write" in sys.argv:
        RECORDED.write_bytes("".join(f"{line}\n" for line in lines).encode())
        return
    recorded = RECORDED.read_text(encoding="utf-8").splitlines()
    if differing := sorted({line.split("  ", 1)[1] for line in {*lines} ^ {*recorded}}):
        sys.exit("not as on other systems: " + ", ".join(differing))
    print(f"{len(lines)} outputs and files are as on every system")


if __name__ == "__main__":
    main()
