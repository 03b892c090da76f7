"""The circles of files in the package: files that import each other, directly or through others; and the rings.

`python tests/circles.py` prints each circle with the lines that make it, and each import that goes from the core to a
ring, or to a ring that stands further out; it ends with the exit code 1 if there is one.
An import inside a function counts, a name of a front is that of the file that it comes from, and a string that names a
module counts like its import; an import for type checkers alone does not.
"""

import ast
import sys
from collections.abc import Container, Iterator
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "toysearch"
RINGS = {"workbench": 1, "classroom": 2, "page": 3}
"""Each ring, and how far out it stands: it imports from those inside; the core is at 0."""
Graph = dict[str, dict[str, int]]
"""File → each file that it imports → the first line that does."""


def running(path: Path) -> ast.Module:
    """A file without what is for type checkers alone."""
    tree = ast.parse(path.read_bytes())
    tree.body = [one for one in tree.body if not (isinstance(one, ast.If) and "TYPE_CHECKING" in ast.unparse(one.test))]
    return tree


def fronted(module: str, tree: ast.Module) -> dict[str, str]:
    """Name → the module that it comes from, of a front; empty for any other module."""
    tables = [node.value for node in tree.body if isinstance(node, ast.Assign) and dotted(node.targets[0]) == "_HOMES"]
    homes = {home: names for table in tables for home, names in ast.literal_eval(table).items()}
    beside = module.rpartition(".")[0]  # of a home that begins with a point
    full = {home: f"{beside}{home}" if home.startswith(".") else f"{module}.{home}" for home in homes}
    return {name: full[home] for home, names in homes.items() for name in names.split()}


def dotted(node: ast.AST) -> str:
    """A name and the attributes asked of it; for any other expression, a text that is no name."""
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def written(tree: ast.Module, modules: Container[str]) -> Iterator[tuple[str, int]]:
    """What a file imports, the attributes of that, and the modules that strings name: each in full, with its line."""
    local, attributes = dict[str, str](), list[ast.Attribute]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            attributes.append(node)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            inside = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
            for name in node.names:
                first = name.asname or name.name.partition(".")[0]
                local[first] = f"{inside}{name.name}" if inside or name.asname else first
                yield f"{inside}{name.name}", node.lineno
        elif isinstance(node, ast.Constant) and (text := str(node.value).partition(":")[0]) in modules:
            yield text, node.lineno
    for node in attributes:
        first, _, rest = dotted(node).partition(".")
        if first in local:
            yield f"{local[first]}.{rest}", node.lineno


def imports(package: Path) -> Graph:
    """What each file of a package imports from it, in truth."""
    paths = {".".join(path.relative_to(package.parent).with_suffix("").parts): path for path in package.rglob("*.py")}
    modules = {name.removesuffix(".__init__"): path for name, path in sorted(paths.items())}
    fronts, said = dict[str, dict[str, str]](), dict[str, list[tuple[str, int]]]()
    for module, path in modules.items():
        tree = running(path)
        fronts[module] = fronted(module, tree)
        is_table = path.name == "rings.py"  # through it alone the core finds what stands beside it
        said[module] = [*written(tree, () if is_table else modules)]

    def home(name: str) -> str:
        module, *parts = name.split(".")
        for part in parts:
            further = f"{module}.{part}"
            module = further if further in modules else fronts.get(module, {}).get(part, module)
        return module

    graph: Graph = {module: {} for module in modules if module in paths and not fronts[module]}
    for module, imported in graph.items():
        for name, line in said[module]:
            if (file := home(name)) in graph and file != module:
                imported.setdefault(file, line)
    return graph


def place(module: str) -> int:
    """How far out a file stands."""
    folder = module.split(".")[1:2]
    return RINGS["classroom"] if folder == ["labs"] else RINGS.get(*folder, 0) if folder else max(RINGS.values())


def against(graph: Graph) -> list[tuple[str, str, int]]:
    """The imports that go outwards: the file, what it imports, and the line."""
    return [
        (file, other, line)
        for file, imported in sorted(graph.items())
        for other, line in sorted(imported.items())
        if place(other) > place(file)
    ]


def circles(graph: Graph) -> list[list[str]]:
    """The files that lead to each other, the largest circle first."""
    reached = {file: {*imported} for file, imported in graph.items()}
    for between in graph:
        for others in reached.values():
            if between in others:
                others |= reached[between]
    together = {tuple(sorted(other for other in reached[file] if file in reached[other])) for file in graph}
    return sorted(([*circle] for circle in together if circle), key=lambda circle: (-len(circle), circle))


def main() -> None:
    """Print the circles, each file with those of its circle that it imports."""
    graph = imports(PACKAGE)
    found = circles(graph)
    for circle in found:
        print(f"a circle of {len(circle)} files:")
        for file in circle:
            print(f"  {file} →", *(f"{other} (line {graph[file][other]})" for other in circle if other in graph[file]))
    outwards = against(graph)
    for file, other, line in outwards:
        print(f"{file} → {other} (line {line}) goes outwards")
    counts = f"{len(graph)} files, {sum(map(len, graph.values()))} imports"
    print(f"{counts}, {len(found)} circles, {len(outwards)} against the rings")
    sys.exit(bool(found or outwards))


if __name__ == "__main__":
    main()
