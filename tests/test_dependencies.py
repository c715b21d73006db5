"""Every package that is declared is imported by a product file, and every import of a product file is declared."""

import ast
import re
import sys
import tomllib
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OWN = {"engine", "memdeck", "themes", "tui"}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
BY_CHOICE = {
    "cluster": {"distributed"},
    "mcp": {"mcp"},
}
"""Packages of an extra: all that is no runtime dependency of a plain installation."""
THROUGH = {
    "tokenizers": "wordllama",
    "safetensors": "wordllama",
    "anyio": "mcp",
    "pydantic": "mcp",
    "backports": "backports-zstd",
}
"""Modules that come with a declared package, and are no use without it."""


LATER = {"compression"}
"""Modules that are part of Python from a later version on, and are imported only there."""


def named(requirements: list[str]) -> set[str]:
    return {plain(re.match(r"[\w.-]+", one)[0]) for one in requirements}  # type: ignore[index]


def plain(package: str) -> str:
    return re.sub(r"[-_.]+", "-", package).lower()


@cache
def imported() -> dict[str, set[str]]:
    """Third-party modules by their first name, with the product files that import them for more than types."""
    found: dict[str, set[str]] = {}
    for folder in OWN:
        for path in (ROOT / folder).rglob("*.py"):
            text = path.read_text("utf-8")
            for module in _modules(ast.parse(text), calls="find_spec" in text):
                if module not in OWN | LATER | set(sys.stdlib_module_names):
                    found.setdefault(module, set()).add(str(path.relative_to(ROOT)))
    return found


def _modules(tree: ast.AST, *, calls: bool = True) -> set[str]:
    """Those that a module imports, also where it only looks for them in a call."""
    found = set()
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.expr) and not calls:
            continue
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            for other in node.orelse:
                found |= _modules(other, calls=calls)
        elif isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.partition(".")[0])
        else:
            match node:
                case ast.Call(func=ast.Name(id="find_spec"), args=[ast.Constant(value=str(module))]):
                    found.add(module)  # its files are read where they lie: word vectors
            found |= _modules(node, calls=calls)
    return found


installed = cache(packages_distributions)
"""Reads the lists of files of all that is installed: half a second."""


def packages_of(module: str) -> set[str]:
    return {plain(name) for name in installed().get(module, [THROUGH.get(module, module)])}


def test_every_declared_package_is_imported_by_a_product_file() -> None:
    used = {package for module in imported() for package in packages_of(module)}
    assert named(PROJECT["dependencies"]) - used == set()


def test_every_import_of_a_product_file_is_declared() -> None:
    declared = named(PROJECT["dependencies"]).union(*BY_CHOICE.values())
    undeclared = {
        module: files
        for module, files in imported().items()
        if not packages_of(module) & declared and THROUGH.get(module) not in declared
    }
    assert undeclared == {}


def test_an_extra_holds_what_its_name_says_and_nothing_that_is_installed_anyway() -> None:
    extras = {name: named(found) for name, found in PROJECT["optional-dependencies"].items() if name != "dev"}
    assert extras == BY_CHOICE
    assert not named(PROJECT["dependencies"]) & set().union(*BY_CHOICE.values())


def test_the_packages_that_the_console_is_built_on_are_installed_with_it() -> None:
    chosen = {"textual", "rich", "pyyaml", "python-frontmatter", "gitpython", "tiktoken", "sqlite-vec", "scikit-learn"}
    assert chosen | {"anthropic"} <= named(PROJECT["dependencies"])
