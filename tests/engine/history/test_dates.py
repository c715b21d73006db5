"""The day a file was first committed (decision G8)."""

from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from engine.history import commit_dates as dates_module
from engine.history.commit_dates import CommitDates
from engine.history.git import Git
from engine.history.repository import Repository
from tests.engine.history.repos import found, git, make_repo, write


def commit_at(workspace: Path, when: str, files: dict[str, str], message: str = "x") -> None:
    write(workspace, files)
    git(workspace, "add", "-A")
    git(workspace, "commit", "-q", "--allow-empty", "-m", message, "--date", when)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    workspace = make_repo(tmp_path / "ws", {})
    commit_at(workspace, "2025-01-10T12:00:00+00:00", {"a.md": "a\n", "late.md": "x\n"})
    commit_at(workspace, "2025-02-10T23:30:00+00:00", {"b.md": "b\n", "日本 \t.md": "j\n", "a.md": "aa\n"})
    (workspace / "late.md").unlink()
    commit_at(workspace, "2025-03-01T00:00:00+00:00", {})
    commit_at(workspace, "2025-04-01T00:00:00+00:00", {"late.md": "y\n"})
    return workspace


def test_g8_the_first_commit_dates_a_file_not_the_last(workspace: Path) -> None:
    dates = CommitDates(found(workspace), "UTC")
    assert dates(["a.md", "b.md", "日本 \t.md", "late.md", "never.md"]) == {
        "a.md": date(2025, 1, 10),
        "b.md": date(2025, 2, 10),
        "日本 \t.md": date(2025, 2, 10),
        "late.md": date(2025, 1, 10),
    }


def test_g8_the_day_is_that_of_the_workspaces_zone(workspace: Path) -> None:
    assert CommitDates(found(workspace), "Asia/Seoul")(["b.md"]) == {"b.md": date(2025, 2, 11)}
    assert CommitDates(found(workspace), "America/Los_Angeles")(["b.md"]) == {"b.md": date(2025, 2, 10)}


def test_many_paths_are_asked_about_all_at_once(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dates_module, "_FEW", 1)
    found_dates = CommitDates(found(workspace), "UTC")([*(f"{i}.md" for i in range(500)), "a.md", "b.md"])
    assert found_dates == {"a.md": date(2025, 1, 10), "b.md": date(2025, 2, 10)}


def test_files_that_came_with_a_merge_are_dated_by_their_own_branch(workspace: Path) -> None:
    git(workspace, "checkout", "-q", "-b", "side", "HEAD~2")
    commit_at(workspace, "2025-02-20T00:00:00+00:00", {"side.md": "s\n"})
    git(workspace, "checkout", "-q", "main")
    git(workspace, "merge", "-q", "--no-edit", "side")
    assert CommitDates(found(workspace), "UTC")(["side.md"]) == {"side.md": date(2025, 2, 20)}


def test_a_name_that_looks_like_a_status_letter_is_a_name(workspace: Path) -> None:
    commit_at(workspace, "2025-06-01T00:00:00+00:00", {"A": "x", "B/A": "y"})
    assert set(CommitDates(found(workspace), "UTC")(["A", "B/A"])) == {"A", "B/A"}


def test_an_empty_or_damaged_repository_dates_nothing(tmp_path: Path, workspace: Path) -> None:
    empty = make_repo(tmp_path / "empty", {})
    assert CommitDates(found(empty), "UTC")(["a.md"]) == {}
    head = git(workspace, "rev-parse", "HEAD^{tree}")
    (workspace / ".git" / "objects" / head[:2] / head[2:]).unlink()
    assert CommitDates(found(workspace), "UTC")(["a.md"]) == {}
    missing = Repository(Git(workspace / ".git", workspace, {"PATH": "/nowhere"}), "")
    assert CommitDates(missing, "UTC")(["a.md"]) == {}


def test_a_forged_date_is_no_crash(workspace: Path) -> None:
    commit_at(workspace, "@99999999999 +0000", {"far.md": "f\n"})
    assert CommitDates(found(workspace), "UTC")(["far.md"])["far.md"] >= date(1970, 1, 1)


def test_d22_paths_below_the_top_of_the_repository(tmp_path: Path) -> None:
    main = make_repo(tmp_path / "main", {})
    commit_at(main, "2025-01-10T12:00:00+00:00", {"agent/memory/n.md": "n\n"})
    inner = main / "agent"
    assert CommitDates(found(inner, main / ".git"), "UTC")(["memory/n.md"]) == {"memory/n.md": date(2025, 1, 10)}


@pytest.mark.sampled(4)
def test_two_thousand_commits_are_read_at_once(tmp_path: Path) -> None:
    workspace = make_repo(tmp_path / "ws", {})
    stream = []
    for i in range(2000):
        at = int(datetime(2025, 1, 1, tzinfo=UTC).timestamp()) + i * 3600
        stream.append(f"commit refs/heads/main\nauthor A <a@b> {at} +0000\ncommitter A <a@b> {at} +0000\ndata 1\nx\n")
        stream.append(f"M 100644 inline memory/{i}.md\ndata 2\nx\n\n")
    git(workspace, "fast-import", "--quiet", stdin="".join(stream).encode())
    git(workspace, "symbolic-ref", "HEAD", "refs/heads/main")
    dates = CommitDates(found(workspace), "UTC")([f"memory/{i}.md" for i in range(2000)])
    assert len(dates) == 2000
    assert dates["memory/24.md"] == date(2025, 1, 2)


def test_a_date_beyond_the_calendar_is_the_first_of_1970(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dates_module, "_first_commits", lambda *_: {"a.md": 10**18, "new.md": -(10**18)})
    assert set(CommitDates(found(workspace), "UTC")(["a.md", "new.md"]).values()) == {date(1970, 1, 1)}
    told = {dates_module.instant_of(text) for text in ("", "9" * 30, "-" + "9" * 30)}
    assert told == {datetime(1970, 1, 1, tzinfo=UTC)}
