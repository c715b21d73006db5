"""A plan that pushes a line out of what a platform loads says so (decision D41)."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from engine.context.compile.compiler import prefix_change
from engine.context.load.simulation import losses
from engine.context.platforms.catalog import platforms
from engine.plans.annotation import CONTEXT
from engine.plans.plan import Append, Input, Plan, RiskTier
from engine.plans.policy.values import ContextPolicy, Policy
from engine.services.engine import Engine
from engine.services.plan_notes import with_notes
from engine.text.canonical_json import sha256_hex
from engine.text.tokens import counter

NOW = datetime(2026, 3, 15, 3, tzinfo=UTC)


def said(before: dict[str, str], after: dict[str, str | None]) -> tuple[str, ...]:
    held = {path: text.encode() for path, text in before.items()}
    then = {path: None if text is None else text.encode() for path, text in after.items()}
    found = losses(platforms(Policy()), held.get, then, "/srv/agent", counter("o200k_base"))
    return tuple(sentence for _, sentence in found)


def lines(first: int, last: int) -> str:
    return "".join(f"- line {n}\n" for n in range(first, last + 1))


def test_lines_that_fall_off_are_counted_from_the_first_with_its_entry() -> None:
    grown = f"# A\n{lines(2, 199)}## Deploys on Friday\n{lines(201, 203)}"
    found = said({"MEMORY.md": f"# A\n{lines(2, 199)}"}, {"MEMORY.md": grown})
    assert found == ("Claude Code will not load 3 lines of MEMORY.md, from line 201 on under 'Deploys on Friday'",)


def test_lines_pushed_down_are_told_and_those_that_lay_outside_before_are_not() -> None:
    before = lines(1, 202)
    assert said({"MEMORY.md": before}, {"MEMORY.md": before}) == ()
    assert said({"MEMORY.md": before}, {"MEMORY.md": lines(1, 200)}) == ()
    (found,) = said({"MEMORY.md": before}, {"MEMORY.md": "- new\n" + before})
    assert "1 line of MEMORY.md, from line 201" in found


def test_a_file_that_takes_the_room_of_memory_md_is_told_for_that_file() -> None:
    before = {"SOUL.md": "a\n", "TOOLS.md": "t" * 20_000, "USER.md": "u" * 19_600, "MEMORY.md": lines(1, 40)}
    (found,) = said(before, {"SOUL.md": "s" * 20_000})
    assert found.startswith("OpenClaw will not load ") and "lines of MEMORY.md, from line" in found


def test_a_platform_of_which_there_is_no_sign_says_nothing() -> None:
    assert said({}, {"notes.md": "x" * 100_000}) == ()


@pytest.fixture
def console(tmp_path: Path) -> Engine:
    folder = tmp_path / "agent"
    folder.mkdir()
    (folder / "MEMORY.md").write_text(lines(1, 199))
    env = {f"XDG_{name}_HOME": str(tmp_path / name.lower()) for name in ("STATE", "CONFIG", "CACHE")}
    return Engine.open(folder, env=env, clock=lambda: NOW)


def test_every_plan_is_looked_at_before_the_queue(console: Engine) -> None:
    with console:
        opened = console.status._opened
        content = (console.workspace / "MEMORY.md").read_bytes()
        plan = Plan(
            system="tree",
            trigger="cycle",
            workspace=opened.root.identity,
            now=NOW,
            zone="UTC",
            simulated_clock=False,
            made_at=NOW,
            policy_sha256=opened.policy.sha256,
            tokenizer="o200k_base",
            inputs=(Input("MEMORY.md", sha256_hex(content)),),
            changes=(Append(n=1, path="MEMORY.md", risk_tier=RiskTier.C, reason="", content=lines(200, 201)),),
        )
        noted = with_notes(opened, opened.scan(), plan)
        lost, broken = noted.warnings
        assert lost == f"{CONTEXT}Claude Code will not load 1 line of MEMORY.md, from line 201 on"
        assert broken.startswith(f"{CONTEXT}breaks the cached prefix at ") and broken.endswith(" tokens")
        assert with_notes(opened, opened.scan(), noted).warnings == noted.warnings


TODAY = NOW.date()


def broken(before: dict[str, str], after: dict[str, str | None]) -> str:
    held = {path: text.encode() for path, text in before.items()}
    then = {path: None if text is None else text.encode() for path, text in after.items()}
    return prefix_change(held, held.get, then, TODAY, ContextPolicy(), counter("o200k_base"))


def test_d39_a_plan_that_changes_the_prefix_says_from_where_on() -> None:
    soul, memory = "# Soul\n\nI am Silas.\n", "# Core\n\n- one\n"
    files = {"SOUL.md": soul, "MEMORY.md": memory, "notes/a.md": "a\n"}
    at = int(broken(files, {"MEMORY.md": memory + "- two\n"}).split()[-2])
    earlier = int(broken(files, {"SOUL.md": "# Other\n"}).split()[-2])
    assert 0 < earlier < at
    assert broken(files, {"notes/a.md": "b\n"}) == ""
    assert broken(files, {"MEMORY.md": memory}) == ""
    assert broken(files, {"MEMORY.md": None}) and broken({}, {"USER.md": "# User\n"})
    assert broken(files, {f"knowledge/journal/{TODAY}.md": "- new\n"})
    assert broken(files, {"knowledge/journal/2020-01-01.md": "- old\n"}) == ""
