"""What the project weighs: statements, files, functions called once, the command line, its help, tests.

`make weight` prints the figures per folder of the package, and those of the command line, the documentation and the
tests; `python tests/weight.py FOLDER` prints those of the files of one folder. Nothing fails by them.
"""

import ast
import sys
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import click
from ranker_kinds import places
from shell import every_command, run

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "toysearch"
BARE = frozenset(
    """found each own given known made named asked shown kept told taken seen read left said done held set got wanted
    used tried""".split()  # noqa: SIM905
)
"""Participles and pronouns that do not say what a local name holds."""


class Weight(NamedTuple):
    """The counts of one file, or their sum over several."""

    files: int = 0
    statements: int = 0
    imports: int = 0
    functions: int = 0
    single_use: int = 0
    many_parameters: int = 0
    names: int = 0
    bare: int = 0

    def plus(self, other: "Weight") -> "Weight":
        """The sum of two weights."""
        return Weight(*(a + b for a, b in zip(self, other, strict=True)))


Function = ast.FunctionDef | ast.AsyncFunctionDef


def parameters(function: Function) -> int:
    """How many parameters a function has, without self and cls."""
    arguments = function.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return sum(argument.arg not in ("self", "cls") for argument in every)


def single_uses(module: ast.Module, nodes: list[ast.AST]) -> int:
    """How many private functions of a module are called in one place, and mentioned nowhere else."""
    names = Counter(node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load))
    names.update(node.attr for node in nodes if isinstance(node, ast.Attribute))
    calls = Counter(node.func.id for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Name))
    private = [
        node.name
        for node in module.body
        if isinstance(node, Function) and node.name.startswith("_") and not node.decorator_list
    ]
    return sum(names[name] == calls[name] == 1 for name in private)


def weigh(path: Path) -> Weight:
    """The weight of one file."""
    module = ast.parse(path.read_bytes())
    nodes = list(ast.walk(module))
    functions = [node for node in nodes if isinstance(node, Function)]
    names = [node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
    return Weight(
        files=bool(module.body),
        statements=sum(isinstance(node, ast.stmt) for node in nodes),
        imports=sum(isinstance(node, ast.Import | ast.ImportFrom) for node in nodes),
        functions=len(functions),
        single_use=single_uses(module, nodes),
        many_parameters=sum(parameters(function) > 10 for function in functions),
        names=len(names),
        bare=sum(name in BARE for name in names),
    )


def weights() -> dict[Path, Weight]:
    """The weight of every file of the package."""
    return {path.relative_to(PACKAGE): weigh(path) for path in sorted(PACKAGE.rglob("*.py"))}


def total(chosen: list[Weight]) -> Weight:
    """The sum of several weights."""
    result = Weight()
    for weight in chosen:
        result = result.plus(weight)
    return result


def options(command: click.Command) -> list[click.Option]:
    """The options of a command."""
    return [option for option in command.params if isinstance(option, click.Option)]


def command_line() -> str:
    """How many commands, options and lines of help there are, and where most stand."""
    leaves = dict(every_command())
    names = {max(option.opts, key=len) for command in leaves.values() for option in options(command)}
    described = {name: sum(not option.hidden for option in options(command)) for name, command in leaves.items()}
    lines = {name: len(run(*name.split(), "--help").stdout.splitlines()) for name in ["", *leaves]}
    names_of_commands = {name.split()[0] for name in leaves}
    most, longest = max(described, key=described.__getitem__), max(lines, key=lines.__getitem__)
    return (
        f"command line: {len(names_of_commands)} commands, {len(leaves)} with their subcommands; {len(names)} options, "
        f"{sum(len(options(command)) for command in leaves.values())} places that declare one; most described: "
        f"{described[most]} (toysearch {most}); "
        f"lines of help: {lines['']} (toysearch), {lines[longest]} (toysearch {longest})"
    )


def lines_of(folder: str, *endings: str) -> str:
    """How many lines and words the files of a folder have, by their endings."""
    paths = [path for path in (ROOT / folder).rglob("*") if path.suffix in endings and path.is_file()]
    texts = [path.read_text(encoding="utf-8") for path in paths]
    words, lines = (sum(map(len, map(split, texts))) for split in (str.split, str.splitlines))
    return f"{folder}: {len(paths)} files ({' '.join(endings)}), {lines} lines, {words} words"


def main() -> None:
    """Print the figures per folder, or per file of one folder with its single uses."""
    under = sys.argv[1].rstrip("/") if len(sys.argv) > 1 else ""
    rows: dict[str, list[Weight]] = {}
    for path, weight in weights().items():
        if path.as_posix().startswith(under):
            rows.setdefault(path.as_posix() if under else path.parts[0], []).append(weight)
    print("".join(f"{name.replace('_', ' '):>16}" for name in Weight._fields))
    rows["all"] = [weight for group in rows.values() for weight in group]
    for name, group in rows.items():
        print("".join(f"{count:16}" for count in total(group)), " ", name)
    if not under:
        print(f"places that decide by the kind of a ranker: {len(places())}")
        print(command_line(), lines_of("docs", ".md"), lines_of("tests", ".py", ".txt", ".toml", ".tsv"), sep="\n")


if __name__ == "__main__":
    main()
