"""The core works where the folder of the extras is away: each command of it, and a command of an extra says why not."""

import ast
import json
import subprocess
import sys
from typing import NamedTuple

import pytest

from tests.core_alone import environment, tree_without_extras
from tests.source import naming
from tui.registry.commands import COMMANDS

EXTRAS = {
    "import": "import codex .",
    "export": "export codex {base}/out",
    "store": "store",
    "batches": "batches",
    "mcp": "mcp",
    "connect": "connect",
}
"""Commands of extras, each as it is typed."""
CORE = (
    "status",
    "plan compact",
    "plan tree",
    "plan replay",
    "plan lint",
    "plan prune",
    "queue",
    "log",
    "search billing",
    "index",
    "load",
    "compile billing",
    "tree",
    "topics list",
    "changes",
    "consolidations",
    "trends",
    "reports",
    "digest",
    "cost",
    "kept",
    "check --deep",
    "recover",
    "flushes",
    "window",
    "schedule",
    "lifecycle",
    "extraction --offered",
    "links memory/ROOT.md",
    "lint",
    "policy",
    "doctor",
    "config",
    "keys",
    "probe",
    "recall when billing",
    "tag",
    "share",
    "init",
)
RUN = """
import contextlib, io, json, sys
from tui.cli.main import main
told = {}
for line in json.load(sys.stdin):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main(line.split())
        except BaseException as error:
            code, _ = -1, err.write(repr(error))
    told[line] = code, out.getvalue(), err.getvalue()
assert not [name for name in sys.modules if name.startswith("engine.extras.")]
json.dump(told, sys.stdout)
"""


class Told(NamedTuple):
    """What a command gave: its exit code, and what it wrote."""

    code: int
    out: str
    err: str


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Told]:
    """All commands in one process of a tree without extras, on a demonstration."""
    base = tmp_path_factory.mktemp("alone")
    tree = tree_without_extras(base / "tree")
    names = [f"{name} --help" for name in COMMANDS]
    lines = ["demo --no-open --dir {base}/demo", *names, *CORE, *EXTRAS.values()]
    written = [line.format(base=base) for line in lines]
    asked = [f"-w {base}/demo --debug {line}" if not line.startswith("demo") else line for line in written]
    home = {"HOME": str(base), "XDG_STATE_HOME": str(base / "state"), "XDG_CONFIG_HOME": str(base / "config")}
    done = subprocess.run(
        [sys.executable, "-c", RUN],
        input=json.dumps(asked),
        cwd=tree,
        env={**environment(tree), **home},
        capture_output=True,
        text=True,
        timeout=170,
    )
    assert done.returncode == 0, done.stderr
    return dict(zip(lines, (Told(*one) for one in json.loads(done.stdout).values()), strict=True))


def test_every_command_of_the_core_answers_without_the_extras(told: dict[str, Told]) -> None:
    codes = {name: one.code for name, one in told.items() if name not in EXTRAS.values() and one.code}
    assert codes == {"lint": 1}, told
    assert "billing" in told["search billing"].out and "compact" in told["queue"].out


@pytest.mark.parametrize("name", EXTRAS)
def test_a_command_of_an_extra_says_what_is_missing_and_how_to_install_it(told: dict[str, Told], name: str) -> None:
    answer = told[EXTRAS[name]]
    assert answer.code == 2, answer
    assert "needs the extra" in answer.err and "pip install" in answer.err


def test_nothing_of_the_core_opens_an_extra_when_it_is_loaded() -> None:
    opened = [
        f"{path}:{node.lineno}"
        for path, tree in naming("engine.extras", "engine", "tui", "memdeck")
        if not path.startswith("engine/extras/")
        for node in tree.body
        if isinstance(node, ast.ImportFrom | ast.Import) and "engine.extras" in ast.unparse(node)
    ]
    assert opened == []
