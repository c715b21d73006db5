"""`python -m tests.size`: lines of the product, its tests and its data by room, and how long its functions are."""

import ast
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from statistics import median

import msgspec

ROOT = Path(__file__).parents[1]
PRODUCT = ("engine", "tui", "memdeck")
DATA = {".toml", ".yaml", ".yml", ".json", ".sh", ".tcss", ".md", ".txt"}
"""The endings of text that the product reads; what is packed or binary has no lines."""
MOST = 124_000
"""Lines of the product: whatever is added, it has no more."""


class RoomSize(msgspec.Struct, frozen=True):
    """The lines of one room, those of its tests and of its data, and the lines of each function."""

    product: int
    tests: int
    data: int
    functions: tuple[int, ...]


def room_of(path: str) -> tuple[str, str]:
    """Gives the room of a file and what the file is to it; empty where it belongs to none."""
    parts = path.split("/")
    kind = "tests" if parts[0] == "tests" else "product" if path.endswith(".py") else "data"
    inside = parts[1:] if kind == "tests" else parts
    if inside[0] not in PRODUCT:
        return ("tests", kind) if kind == "tests" and path.endswith(".py") else ("", "")
    if not path.endswith(".py") and Path(path).suffix not in DATA:
        return "", ""
    return "/".join(inside[: 2 if len(inside) > 2 else 1]), kind


def sizes(root: Path, files: Iterable[str]) -> Mapping[str, RoomSize]:
    """Counts the lines of these files by room, in the order of names."""
    lines, functions = defaultdict[str, Counter[str]](Counter), defaultdict[str, list[int]](list)
    for path in files:
        room, kind = room_of(path)
        if room and (root / path).is_file():
            source = root.joinpath(path).read_bytes()
            lines[room][kind] += source.count(b"\n")
            if kind == "product":
                functions[room] += _lengths(ast.parse(source))
    return {
        room: RoomSize(lines[room]["product"], lines[room]["tests"], lines[room]["data"], tuple(functions[room]))
        for room in sorted(lines)
    }


def rows(rooms: Mapping[str, RoomSize]) -> Iterator[str]:
    """Gives the table, the sum last."""
    functions = tuple(length for size in rooms.values() for length in size.functions)
    product, tests, data = (
        sum(getattr(size, name) for size in rooms.values()) for name in ("product", "tests", "data")
    )
    yield f"{'':22}{'product':>9}{'tests':>9}{'data':>9}{'functions':>11}{'median':>8}{'p95':>6}"
    for room, size in (*rooms.items(), ("all", RoomSize(product, tests, data, functions))):
        counts = "".join(f"{count:>9,}" if count else f"{'·':>9}" for count in (size.product, size.tests, size.data))
        yield f"{room:22}{counts}{_about(size.functions)}"


def files_of(root: Path) -> list[str]:
    """Lists the files that git knows."""
    asked = ["git", "ls-files", "-z"]
    return subprocess.run(asked, cwd=root, capture_output=True, text=True, check=True).stdout.split("\0")[:-1]


def _lengths(tree: ast.Module) -> list[int]:
    """The lines of each function, from its name to its end."""
    return [
        (node.end_lineno or node.lineno) - node.lineno + 1
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


def _about(functions: tuple[int, ...]) -> str:
    if not functions:
        return f"{len(functions):>11}"
    return f"{len(functions):>11,}{median(functions):>8g}{sorted(functions)[len(functions) * 95 // 100]:>6}"


if __name__ == "__main__":
    sys.stdout.write("\n".join(rows(sizes(ROOT, files_of(ROOT)))) + "\n")
