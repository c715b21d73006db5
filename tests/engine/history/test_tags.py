"""Tags of memory: days, weeks, milestones, and before a plan of tier C (autopoiesis §3.4, decision D22)."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import Refused, UsageError
from engine.history.tags import LOOKS_BACK, DatedCommit, TagKind, due_tags, make_next_tag, make_tag, memory_tags
from engine.plans.plan import RiskTier
from engine.services.engine import Engine
from tests.engine.approved import applied
from tests.engine.history.repos import found, git, hostile, make_repo, write

UTC_ZONE = ZoneInfo("UTC")
NOW = datetime(2026, 3, 16, 4, 30, tzinfo=UTC)  # a Monday


def commit_of(at: str) -> DatedCommit:
    return DatedCommit(at, datetime.fromisoformat(at).astimezone(UTC))


def test_each_day_and_week_that_is_over_gets_its_last_commit() -> None:
    days = ("2026-03-16T01:00Z", "2026-03-15T23:59Z", "2026-03-15T08:00Z", "2026-03-13T08:00Z", "2026-03-06T09:00Z")
    due = list(due_tags([commit_of(at) for at in days], (), NOW, UTC_ZONE))
    assert due == [
        (TagKind.DAILY, "2026-03-15", "2026-03-15T23:59Z"),
        (TagKind.WEEKLY, "2026-W11", "2026-03-15T23:59Z"),
        (TagKind.DAILY, "2026-03-13", "2026-03-13T08:00Z"),
        (TagKind.DAILY, "2026-03-06", "2026-03-06T09:00Z"),
        (TagKind.WEEKLY, "2026-W10", "2026-03-06T09:00Z"),
    ]
    known = {f"memory/{kind.value}/{name}" for kind, name, _ in due}
    assert not list(due_tags([commit_of(at) for at in days], known, NOW, UTC_ZONE))


def test_days_and_weeks_end_in_the_zone_of_the_workspace() -> None:
    late = commit_of("2026-03-15T20:00Z")
    assert [name for _, name, _ in due_tags([late], (), NOW, ZoneInfo("Asia/Seoul"))] == []
    assert [name for _, name, _ in due_tags([late], (), NOW, UTC_ZONE)] == ["2026-03-15", "2026-W11"]


@given(st.lists(st.integers(-60 * 24, 24 * 50), max_size=40), st.sampled_from(["UTC", "Asia/Seoul", "America/Lima"]))
def test_no_tag_names_a_day_to_come_a_day_twice_or_a_commit_of_another_day(ages: list[int], zone: str) -> None:
    commits = [DatedCommit(str(n), NOW - timedelta(hours=age)) for n, age in enumerate(sorted(ages))]
    due = list(due_tags(commits, (), NOW, ZoneInfo(zone)))
    assert len({(kind, name) for kind, name, _ in due}) == len(due)
    today = NOW.astimezone(ZoneInfo(zone)).date()
    for kind, name, commit in due:
        at = commits[int(commit)].at
        assert at >= NOW - LOOKS_BACK
        day = at.astimezone(ZoneInfo(zone)).date()
        assert day < today
        assert name == (str(day) if kind is TagKind.DAILY else f"{day:%G-W%V}")


@pytest.mark.parametrize(
    "name", ["", "-x", "a/b", "a b", "x..y", "x.lock", "x.", "~x", "é", "x\n", "$(x)", "x" * 101, ".x"]
)
def test_a_name_that_is_no_part_of_a_ref_is_refused(tmp_path: Path, name: str) -> None:
    repository = found(make_repo(tmp_path / "agent", {"a.md": "x"}))
    with pytest.raises(UsageError):
        make_tag(repository.git, TagKind.MILESTONE, name, repository.head(), tmp_path)


def test_a_tag_is_made_once_and_never_moved(tmp_path: Path) -> None:
    workspace = make_repo(tmp_path / "agent", {"a.md": "x"})
    repository = found(workspace)
    first = repository.head()
    assert make_tag(repository.git, TagKind.MILESTONE, "one", first, tmp_path) == "memory/milestone/one"
    assert make_tag(repository.git, TagKind.MILESTONE, "one", first, tmp_path) == "memory/milestone/one"
    write(workspace, {"a.md": "y"})
    git(workspace, "commit", "-qam", "second")
    with pytest.raises(Refused, match="is there already"):
        make_tag(repository.git, TagKind.MILESTONE, "one", repository.head(), tmp_path)
    assert (
        make_next_tag(repository.git, TagKind.MILESTONE, "one", repository.head(), tmp_path) == "memory/milestone/one-2"
    )
    assert git(workspace, "rev-parse", "memory/milestone/one") == first
    git(workspace, "tag", "-a", "memory/milestone/annotated", "-m", "by hand", first)
    git(workspace, "tag", "memory/milestone/of-a-blob", "HEAD:a.md")
    named = {tag.name: tag.commit for tag in memory_tags(repository)}
    assert named["memory/milestone/annotated"] == first and "memory/milestone/of-a-blob" not in named


def test_what_is_approved_as_tier_c_has_a_tag_of_what_was_there_before(tmp_path: Path) -> None:
    workspace = make_repo(tmp_path / "agent", {"a.md": "x"})
    before = git(workspace, "rev-parse", "HEAD")
    with Engine.open(workspace) as console:
        plan = console.plans.make("init").plan
        assert plan is not None and plan.risk_tier is RiskTier.C
        operation = applied(console, plan)
        assert not operation.problems
        assert [tag.name for tag in console.repository.tags()] == [f"memory/before/{plan.id}"]
    assert git(workspace, "rev-parse", f"memory/before/{plan.id}") == before != git(workspace, "rev-parse", "HEAD")


def test_a_tier_b_gets_no_tag_and_neither_does_a_workspace_without_git(tmp_path: Path) -> None:
    notes = {f"memory/working/2026-02-{day:02}-n.md": f"# Day\n\n- We decided {day} because.\n" for day in range(1, 13)}
    workspace = make_repo(tmp_path / "agent", notes)
    with Engine.open(workspace, now=NOW) as console:
        plan = console.plans.make("compact").plan
        assert plan is not None and plan.risk_tier is RiskTier.B
        applied(console, plan)
        assert console.repository.tags() == ()
    (tmp_path / "bare").mkdir()
    with Engine.open(tmp_path / "bare") as console:
        operation = applied(console, console.plans.make("init"))  # tier C, and git begins with it
        assert not operation.problems and operation.commit and console.repository.tags() == ()


def test_a_repository_that_cannot_be_tagged_holds_no_apply_up(tmp_path: Path) -> None:
    workspace = make_repo(tmp_path / "agent", {"a.md": "x"})
    with Engine.open(workspace) as console:
        plan = console.plans.make("init").plan
        assert plan is not None
        write(workspace, {f".git/refs/tags/memory/before/{plan.id}.lock": ""})
        operation = applied(console, plan)
        assert operation.commit and "not tagged before it was applied" in operation.problems[0]


def test_the_daily_run_tags_the_days_that_are_over(tmp_path: Path) -> None:
    workspace = make_repo(tmp_path / "agent", {"a.md": "x"}, at="2026-03-13T10:00:00Z")
    at = [NOW]
    with Engine.open(workspace, clock=lambda: at[0]) as console:
        console.schedule.run("daily")
        assert {tag.name for tag in console.repository.tags()} == {"memory/daily/2026-03-13", "memory/weekly/2026-W11"}
        assert console.repository.tag_days().names == ()
    with Engine.open(workspace, now=NOW + timedelta(days=9)) as console:
        assert console.repository.tag_days().names == ()  # for a supposed instant nothing is written


def test_d22_tags_run_nothing_of_a_hostile_repository(tmp_path: Path) -> None:
    workspace = make_repo(tmp_path / "agent", {"a.md": "x"})
    marks = hostile(workspace, tmp_path / "marks")
    with Engine.open(workspace) as console:
        assert console.repository.tag(TagKind.BEFORE, "it") == "memory/before/it"
        assert [tag.name for tag in console.repository.tags()] == ["memory/before/it"]
        console.repository.tag_days()
    assert sorted(marks.iterdir()) == []


def test_a_policy_without_commits_writes_no_tag(tmp_path: Path, own_home: Path) -> None:
    workspace = make_repo(tmp_path / "agent", {"a.md": "x"}, at="2026-03-13T10:00:00Z")
    config = own_home / "config" / "memdeck"
    config.mkdir(parents=True)
    (config / "policy.yaml").write_text("git: {commit: false}\n")
    with Engine.open(workspace) as console:
        applied(console, console.plans.make("init"))
        assert console.repository.tag_days().names == ()
        with pytest.raises(Refused, match=r"git\.commit is off"):
            console.repository.tag(TagKind.MILESTONE, "x")
        assert console.repository.tags() == ()
