"""Observed beside simulated: what a hook of Claude Code reports as loaded, and where it differs (decision D41)."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from engine.context.load.observation import MOST, LoadMark, LoadReport, ObservedFile, observed_files
from engine.context.load.simulation import load
from engine.context.platforms.catalog import platform
from engine.context.platforms.platform import SessionKind
from engine.errors import Refused
from engine.plans.policy.values import Policy
from engine.services.engine import Engine
from engine.text.canonical_json import sha256_hex
from engine.text.tokens import counter

AT = datetime(2026, 3, 15, 14, 2, tzinfo=UTC)
FILES = {"CLAUDE.md": b"# Rules\n@docs/style.md\n", "docs/style.md": b"be brief\n", "MEMORY.md": b"- a\n"}


def report(
    path: str, *, data: bytes | None = None, session: str = "s-1", after: int = 0, reason: str = ""
) -> LoadReport:
    told = FILES.get(path, b"") if data is None else data
    return LoadReport(
        platform="claude-code",
        session=session,
        path=path,
        reason=reason or "session_start",
        at=AT + timedelta(minutes=after),
        sha256=None if path.startswith("/") else sha256_hex(told),
        lines=len(told.splitlines()),
    )


def marks(*reports: LoadReport, kind: SessionKind = SessionKind.MAIN, name: str = "claude-code") -> dict[str, str]:
    found = load(platform(Policy(), name), kind, FILES.get, "/srv/agent", counter("o200k_base"))
    seen = observed_files(found, reports, FILES.get)
    return {one.name: said(one) for one in seen}


def said(file: ObservedFile) -> str:
    when = f" {file.at:%H:%M}" if file.at is not None else ""
    return f"{file.mark.value}{when}{': ' if file.difference else ''}{file.difference}"


def test_d41_without_a_report_everything_is_simulated() -> None:
    assert set(marks().values()) == {"simulated"}
    assert set(marks(report("CLAUDE.md"), kind=SessionKind.SUBAGENT).values()) == {"simulated"}
    assert set(marks(report("CLAUDE.md"), name="openclaw").values()) == {"simulated"}


def test_d41_a_file_that_was_reported_and_is_the_same_still_is_observed() -> None:
    found = marks(report("CLAUDE.md"), report("docs/style.md", reason="include"))
    assert found["CLAUDE.md"] == "observed 14:02" and found["docs/style.md"] == "observed 14:02"
    assert found["MEMORY.md"] == "simulated", "Claude Code does not report it"


def test_d41_a_difference_is_named() -> None:
    found = marks(
        report("CLAUDE.md", data=b"# Rules\n\nand more\n"),
        report("/home/ana/.claude/CLAUDE.md"),
        report("web/CLAUDE.md"),
    )
    assert found["CLAUDE.md"] == "differs 14:02: it changed since: 3 lines then, 2 now"
    assert found["docs/style.md"] == "differs 14:02: the session did not report it"
    outside = found["/home/ana/.claude/CLAUDE.md"]
    assert outside == "differs 14:02: it was loaded, and is outside the workspace (session_start)"
    assert found["web/CLAUDE.md"].startswith("differs 14:02: it was loaded, and is not simulated")


def test_d41_files_that_come_in_later_say_nothing_of_the_start_of_a_session() -> None:
    found = marks(report("web/CLAUDE.md", reason="nested_traversal"))
    assert found["CLAUDE.md"] == "simulated"


def test_d41_only_the_last_session_counts_and_of_it_the_last_report() -> None:
    old = report("CLAUDE.md", session="s-0")
    first = report("CLAUDE.md", data=b"x\n", after=3)
    assert marks(old, report("docs/style.md", after=5))["CLAUDE.md"] == "differs 14:07: the session did not report it"
    assert marks(old, first, report("CLAUDE.md", after=4, reason="compact"))["CLAUDE.md"] == "observed 14:06"


# ── what the hook hands over ───────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def console(tmp_path: Path) -> Engine:
    folder = tmp_path / "agent"
    folder.mkdir()
    for path, data in FILES.items():
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_bytes(data)
    env = {f"XDG_{name}_HOME": str(tmp_path / name.lower()) for name in ("STATE", "CONFIG", "CACHE")}
    return Engine.open(folder, env=env, clock=lambda: AT)


def test_d41_a_report_lies_in_the_state_with_the_hash_of_the_file(console: Engine) -> None:
    with console:
        folder = console.workspace
        made = console.context.report_load("claude-code", "s-1", f"{folder}/CLAUDE.md", "session_start")
        assert (made.path, made.lines, made.sha256) == ("CLAUDE.md", 2, sha256_hex(FILES["CLAUDE.md"]))
        seen = console.context.observed(console.context.loads(SessionKind.MAIN))["claude-code"]
        assert [one.mark for one in seen if one.name == "CLAUDE.md"] == [LoadMark.OBSERVED]
        (folder / "CLAUDE.md").write_text("# Others\n")
        seen = console.context.observed(console.context.loads(SessionKind.MAIN))["claude-code"]
        assert [one.mark for one in seen if one.name == "CLAUDE.md"] == [LoadMark.DIFFERS]


@pytest.mark.parametrize("path", ["CLAUDE.md", "", "/" + "x" * 5000])
def test_an_event_that_names_no_file_is_refused(console: Engine, path: str) -> None:
    with console, pytest.raises(Refused):
        console.context.report_load("claude-code", "s-1", path, "session_start")


def test_what_lies_outside_is_not_read_by_whatever_way_it_is_named(console: Engine, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("x\n")
    with console:
        (console.workspace / "link.md").symlink_to(tmp_path / "secret.md")
        for path in (f"{console.workspace}/../secret.md", str(tmp_path / "secret.md"), f"{console.workspace}/link.md"):
            made = console.context.report_load("claude-code", "s-1", path, "session_start")
            assert made.sha256 is None and made.lines is None


def test_the_oldest_reports_go_first(console: Engine) -> None:
    with console:
        for number in range(MOST + 5):
            console.context.report_load("claude-code", f"s-{number}", f"{console.workspace}/CLAUDE.md", "session_start")
        kept = console.context._reports.all()
        assert len(kept) == MOST and {one.session for one in kept}.isdisjoint({"s-0", "s-4"})
