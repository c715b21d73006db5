"""What the console may never do, held by reading its own source and by starting it."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from textual.binding import Binding
from textual.widget import Widget

import tui
from tests.prepared import three_plans
from tests.tui.conftest import console_of, deck
from tui.app import MemdeckApp
from tui.present.spans import ROLES

ROOT = Path(tui.__file__).parent
SCREENS = sorted(set(ROOT.rglob("*.py")) - set(ROOT.glob("cli/*.py")))
"""All that is shown in the console."""


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def calls(node: ast.AST) -> set[str]:
    """Names called anywhere inside a node: `grant`, `self._grant`."""
    found = set()
    for inner in ast.walk(node):
        if isinstance(inner, ast.Call):
            target = inner.func
            found.add(target.attr if isinstance(target, ast.Attribute) else getattr(target, "id", ""))
    return found


def test_only_the_dialog_names_the_grant_g11() -> None:
    naming = {path.name for path in SCREENS if "plans.grant" in path.read_text("utf-8")}
    assert naming == {"confirm.py"}


def test_no_action_leads_to_a_grant_g11() -> None:
    """Whoever calls `grant` in the dialog, and whoever calls those, is no `action_*`: markup can't reach it."""
    tree = ast.parse((ROOT / "dialogs/confirm.py").read_text("utf-8"))
    leads = {"grant"}
    for _ in range(5):
        leads |= {function.name for function in functions(tree) if calls(function) & leads}
    assert "_grant" in leads and "on_key" in leads
    assert not {name for name in leads if name.startswith("action_")}


def test_no_action_applies_or_undoes() -> None:
    for path in SCREENS:
        for function in functions(ast.parse(path.read_text("utf-8"))):
            if function.name.startswith("action_"):
                assert not calls(function) & {"grant", "_grant", "apply", "_apply", "_undo"}, (path, function.name)


def bindings() -> Iterator[tuple[str, Binding]]:
    """Every binding of every class of ours, once all are loaded."""
    import tui.dialogs.confirm
    import tui.dialogs.line_input
    import tui.dialogs.picker
    import tui.dialogs.text_reader
    import tui.screens.approvals.page
    import tui.screens.history.page
    import tui.screens.history.undo
    import tui.screens.topics.page

    assert tui.screens.history.undo and tui.screens.topics.page
    classes: list[type] = [MemdeckApp]
    waiting: list[type] = [Widget]
    while waiting:
        found = waiting.pop()
        classes.append(found)
        waiting.extend(found.__subclasses__())
    for owner in classes:
        if owner.__module__.startswith("tui."):
            for binding in Binding.make_bindings(owner.__dict__.get("BINDINGS", [])):
                yield owner.__name__, binding


def test_no_printable_key_has_priority() -> None:
    seen = list(bindings())
    assert len(seen) > 40
    assert [(owner, binding.key) for owner, binding in seen if binding.priority] == []


def test_every_key_says_what_it_does() -> None:
    assert [(owner, binding.key) for owner, binding in bindings() if not binding.description] == []


def test_no_widget_gets_text_as_markup() -> None:
    """Text reaches a widget as spans; the toolkit's own text widgets, which read markup, are not used at all."""
    for path in SCREENS:
        text = path.read_text("utf-8")
        assert "Static(" not in text and "Label(" not in text, path
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "notify":
                assert {keyword.arg for keyword in node.keywords} >= {"markup"} or "markup=False" in ast.unparse(node)


async def test_keys_cannot_be_pressed_by_an_action() -> None:
    async with deck(three_plans()) as pilot:
        await pilot.app.run_action("simulate_key('2')")
        await pilot.pause()
        assert console_of(pilot).page.id == "overview"


def test_view_models_know_no_toolkit() -> None:
    for path in ROOT.glob("viewmodels/*.py"):
        names = [
            node
            for node in ast.walk(ast.parse(path.read_text("utf-8")))
            if isinstance(node, ast.ImportFrom | ast.Import)
        ]
        modules = {getattr(node, "module", "") or node.names[0].name for node in names}
        assert not {module for module in modules if module.split(".")[0] in ("textual", "rich", "click")}, path


def test_every_role_a_span_may_play_is_used() -> None:
    sources = (*(path for path in SCREENS if path.name != "spans.py"), ROOT / "present/signs.toml")
    text = "".join(path.read_text("utf-8") for path in sources)
    assert [role for role in ROLES if f'"{role}"' not in text] == []


HEAVY = ("sklearn", "scipy", "numpy", "anthropic", "yaml", "tiktoken", "rapidfuzz", "watchfiles", "git", "click", "re2")


@pytest.mark.parametrize("what", ["tui.app", "tui.screens.approvals.page", "tui.screens.search.page"])
def test_nothing_heavy_is_imported_before_the_first_paint(what: str) -> None:
    code = f"import {what}, sys; print([m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT.parent)
    assert done.stdout.strip() == "[]"


LATER = (
    "engine.plans.records.chain",
    "engine.monitoring.retention",
    "engine.monitoring.dry_runs",
    "engine.monitoring.trends",
    "engine.text.document",
    "engine.text.frontmatter",
    "engine.text.poison.classifier",
    "engine.workspace.snapshot",
    "textual.widgets._markdown",
    "tui.shell.commands",
    "tui.screens.approvals.page",
    "tui.present.approvals.approval_question",
    "tui.present.source_lines",
)
"""What of our own the first screen does without: each took a millisecond or more from the first paint."""


def test_nothing_of_later_screens_is_imported_before_the_first_paint() -> None:
    code = f"import tui.launch, tui.screens.overview.page, sys; print([m for m in {LATER!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT.parent)
    assert done.stdout.strip() == "[]"


async def test_a_fault_of_ours_ends_without_showing_values_raw(capsys: pytest.CaptureFixture[str]) -> None:
    """The toolkit's traceback prints local values, and with them whatever a workspace holds."""
    app = MemdeckApp(three_plans().opening)

    def broken() -> None:
        evil = "\x1b]0;owned\x07"
        raise ValueError(evil)

    with pytest.raises(ValueError, match="owned"):
        async with app.run_test() as pilot:
            app.call_later(broken)
            await pilot.pause()
    assert "owned" not in capsys.readouterr().err
