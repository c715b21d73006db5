"""Nothing stands in the code that nothing uses."""

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
CALLED_FROM_OUTSIDE = {
    "tui/cli/root.py:format_commands": "click calls it",
    "engine/api.py": "scripts import it",
    "engine/lifecycle/reality/addresses.py": "http.client calls it",
    "engine/services/runtime": "the classes of the specification, which scripts call",
    "engine/search/store/vault.py": "SQLite calls it",
    "engine/state/private_files.py": "tests end the program there",
    "engine/text/frontmatter.py:ignore_aliases": "PyYAML calls it",
    "engine/text/poison/classifier.py:find_exact": "rules alone, which benchmarks compare with",
    "tui/toolkit": "Textual calls it",
    "tui/cli/mcp.py:read1": "the reader of the MCP SDK calls it",
}
"""Files, folders or one name of a file, and who uses what stands there."""
BY_NAME = re.compile(r"_|(?:action|on|watch|validate|compute|get|render|lacks)_|compose$")
"""Names of which nobody speaks: private ones, which the linter sees to, and those that Textual or a key's needs put
together."""


@cache
def spoken_of_once() -> list[str]:
    """Public functions whose name stands nowhere but where they are made."""
    sources = {
        str(file.relative_to(ROOT)): file.read_text("utf-8")
        for top in ("engine", "tui")
        for file in ROOT.glob(f"{top}/**/*.py")
    }
    keys = (ROOT / "tui/keys/keys.toml").read_text("utf-8")
    words = Counter(word for text in (*sources.values(), keys) for word in re.findall(r"[A-Za-z_]\w+", text))
    return [
        f"{path}:{node.name}"
        for path, text in sources.items()
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and words[node.name] == 1
        and not BY_NAME.match(node.name)
        and not _is_registered(node)
    ]


def test_every_public_function_is_spoken_of_twice() -> None:
    assert [one for one in spoken_of_once() if not one.startswith(tuple(CALLED_FROM_OUTSIDE))] == []


def test_each_exception_is_needed() -> None:
    needed = [place for place in CALLED_FROM_OUTSIDE if any(one.startswith(place) for one in spoken_of_once())]
    assert needed == list(CALLED_FROM_OUTSIDE)


def _is_registered(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Tells whether a decorator hands the function on: to click, Textual, the MCP server or the systems."""
    return any(
        isinstance(one, ast.Call) and ast.unparse(one.func).endswith(("command", "group", "on", "planner", "tool"))
        for one in node.decorator_list
    )
