"""Approvals are made in one place, by a person's own word, and nowhere else (decision G11)."""

import ast
import os
import pty
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from engine.errors import Refused
from engine.plans.grant import grant, witness
from engine.plans.operation import Approval, ConfirmationAnswer, Witness
from engine.plans.plan import RiskTier
from tests.source import naming

ROOT = Path(__file__).parents[3]
NOW = datetime(2026, 3, 15, 3, 0, tzinfo=UTC)
PERSON = Witness("/dev/pts/1", ("bash(10)",), "ana", "terminal")
FRONT_ENDS = {"tui/cli/prompt.py", "tui/dialogs/confirm.py"}


def say(
    typed: str,
    tier: RiskTier,
    *,
    answers: tuple[ConfirmationAnswer, ...] = (),
    numbers: tuple[int, ...] = (1,),
    who: Witness = PERSON,
) -> Approval:
    return grant(
        target="sha256:" + "0" * 64,
        numbers=numbers,
        risk_tier=tier,
        typed=typed,
        answers=answers,
        witness=who,
        now=NOW,
        nonce="ab" * 16,
        shown="each",
    )


def test_g11_the_word_for_tier_c_is_exact() -> None:
    approval = say("APPROVED", RiskTier.C, numbers=(3, 1, 3))
    assert approval.numbers == (1, 3)
    assert approval.expires_at - approval.granted_at == timedelta(minutes=10)
    for typed in (
        "",
        "y",
        "yes",
        "approved",
        "Approved",
        "APPROVED ",
        " APPROVED",
        "APPROVED\n",
        "APPROVE",
        "АPPROVED",
    ):
        with pytest.raises(Refused):
            say(typed, RiskTier.C)


@pytest.mark.parametrize("tier", [RiskTier.A, RiskTier.B])
def test_g11_tiers_a_and_b_take_a_yes_and_nothing_else(tier: RiskTier) -> None:
    for typed in ("y", "Y", "yes", "YES", " y "):
        assert say(typed, tier).risk_tier is tier
    for typed in ("", "n", "no", "ok", "j", "APPROVED", "yy", "y n", "\x1b[200~y\x1b[201~"):
        with pytest.raises(Refused):
            say(typed, tier)


def test_a_confirmation_needs_a_reason() -> None:
    assert (
        say("y", RiskTier.B, answers=(ConfirmationAnswer("first_run", "backed up"),)).answers[0].reason == "backed up"
    )
    for reason in ("", " ", "\n"):
        with pytest.raises(Refused, match="first_run needs a reason"):
            say("y", RiskTier.B, answers=(ConfirmationAnswer("first_run", reason),))


def test_nothing_to_approve_and_no_terminal_are_refused() -> None:
    for numbers in ((), (0,), (-1, 2)):
        with pytest.raises(Refused, match="no change"):
            say("y", RiskTier.B, numbers=numbers)
    with pytest.raises(Refused, match="terminal"):
        say("y", RiskTier.B, who=Witness("", (), "ana", "terminal"))


def test_g11_the_witness_names_terminal_and_parent_processes() -> None:
    leader, follower = pty.openpty()
    try:
        seen = witness("terminal", follower)
        assert seen.tty == os.ttyname(follower)
    finally:
        os.close(leader)
        os.close(follower)
    assert seen.processes[0].endswith(f"({os.getppid()})")
    assert 1 <= len(seen.processes) <= 16
    assert seen.user
    with Path("/dev/null").open() as null:
        assert witness("console", null.fileno()).tty == ""


def test_a_process_cannot_steer_the_terminal_by_its_name(tmp_path: Path) -> None:
    code = (
        "import ctypes, subprocess, sys;"
        "ctypes.CDLL(None).prctl(15, b'\\x1b[2J) 1 (\\n', 0, 0, 0);"
        "print(subprocess.check_output([sys.executable, '-c', "
        "'from engine.plans.grant import witness; print(witness(\"console\").processes[0])'], text=True))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert "\x1b" not in done.stdout
    assert done.stdout.strip().startswith("␛[2J) 1 (␊(")


def test_a_process_whose_name_is_no_utf_8_is_named_and_stops_no_approval() -> None:
    code = (
        "import ctypes, subprocess, sys;"
        "ctypes.CDLL(None).prctl(15, b'\\xe9tude', 0, 0, 0);"
        "print(subprocess.check_output([sys.executable, '-c', "
        "'from engine.plans.grant import witness; print(ascii(witness(\"console\").processes[0]))'], text=True))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert "tude(" in done.stdout


FOLDERS = ("engine", "tui", "screenshots", "themes")


def test_g11_no_other_module_builds_an_approval() -> None:
    """Neither by calling the class, nor by copying one with other fields, nor by decoding one alone."""
    builders = set()
    for name, tree in naming("pproval", *FOLDERS):
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and _called(node.func) == "Approval":
                builders.add(name)
            if isinstance(node, ast.Call) and _called(node.func) in {"convert", "decode", "replace"}:
                assert not _mentions(node, {"Approval", "approval"}), f"{name}:{node.lineno}"
    assert builders == {"engine/plans/grant.py"}


def test_g11_only_the_dialog_and_the_prompt_name_the_module_that_grants() -> None:
    for name, tree in naming("grant", *FOLDERS):
        imported = {
            alias for node in ast.walk(tree) for alias in _imports(node) if alias.startswith("engine.plans.grant")
        }
        words = {
            node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)
        }
        assert not imported or name in FRONT_ENDS, name
        assert "engine.plans.grant" not in words, name


def _called(func: ast.expr) -> str:
    return func.attr if isinstance(func, ast.Attribute) else func.id if isinstance(func, ast.Name) else ""


def _mentions(call: ast.Call, names: set[str]) -> bool:
    values = [*call.args, *(keyword.value for keyword in call.keywords if keyword.arg == "type")]
    return any(isinstance(value, ast.Name) and value.id in names for value in values)


def _imports(node: ast.AST) -> list[str]:
    match node:
        case ast.Import():
            return [alias.name for alias in node.names]
        case ast.ImportFrom():
            return [f"{node.module}.{alias.name}" for alias in node.names]
        case _:
            return []
