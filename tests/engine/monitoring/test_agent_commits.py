"""The agent's own changes are committed every half hour where the policy wants it, and as its own (D22, D34, D51)."""

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from engine.errors import Refused
from engine.services.engine import Engine, utc_now
from engine.state.workspace_lock import hold
from tests.engine.approved import applied
from tests.engine.history.repos import git, hostile, make_repo, write

POLICY = "git: {commit_others: true}\n"
KEY = "aws key AKIA" + "Z7Q2WXE5RTY6UIO4"


@pytest.fixture
def policy(own_home: Path) -> Path:
    file = own_home / "config" / "memdeck" / "policy.yaml"
    file.parent.mkdir(parents=True)
    file.write_text(POLICY)
    return file


@pytest.fixture
def workspace(tmp_path: Path, policy: Path) -> Path:
    return make_repo(tmp_path / "agent", {"knowledge/a.md": "one\n", "knowledge/b.md": "b\n", "code.py": "x\n"})


def said(console: Engine) -> list[str]:
    return [step.told for step in console.schedule.run("commits").steps]


def test_d34_what_the_agent_changed_is_committed_as_its_own(workspace: Path) -> None:
    write(
        workspace,
        {"knowledge/a.md": "two\n", "knowledge/ü \U0001f600.md": "new\n", "code.py": "longer\n", "SOUL.md": "s\n"},
    )
    transcript = "raw/conversations/2026/03/15/1845-ses_1-the-week.md"
    write(workspace, {transcript: "---\ndate: 2026-03-15\n---\n# The week\n"})
    (workspace / "knowledge/b.md").unlink()
    with Engine.open(workspace) as console:
        made = console.repository.commit_others()
        assert not made.problems and len(made.commits) == 3
        assert console.repository.commit_others() == type(made)()
    assert git(workspace, "log", "--format=%s", "-3").split("\n") == [
        "identity: 1 file changed by the agent",
        "memory: 3 files changed by the agent",
        "conversation: the-week",
    ]
    assert git(workspace, "log", "-1", "--format=%(trailers:key=Session,valueonly)", "HEAD~2") == transcript
    assert git(workspace, "log", "-1", "--format=%an <%ae> %cn") == "agent <agent@localhost> memdeck"
    body = git(workspace, "log", "-1", "--format=%b", "HEAD~1")
    assert "- knowledge/a.md: changed" in body and "- knowledge/b.md: removed" in body and "Memdeck-Agent: " in body
    assert "Memdeck-Operation" not in body
    assert git(workspace, "status", "--porcelain") == "M code.py"  # no note: nobody asked for it


def test_d34_it_is_off_unless_the_policy_says_so(workspace: Path, policy: Path) -> None:
    write(workspace, {"knowledge/a.md": "two\n"})
    for text in ("", "git: {commit: false, commit_others: true}\n"):
        policy.write_text(text)
        with Engine.open(workspace) as console:
            assert console.schedule.commit_due() == ()
            assert said(console) == ["commit: the policy's git.commit_others is off"]
    assert git(workspace, "rev-list", "--count", "HEAD") == "1"


def test_d34_an_open_console_commits_every_half_hour_and_no_more_often(workspace: Path) -> None:
    at = [utc_now().replace(hour=9)]  # past midnight a tag of the day before is told too
    with Engine.open(workspace, clock=lambda: at[0]) as console:
        assert console.schedule.commit_due() == ()
        write(workspace, {"knowledge/a.md": "two\n"})
        at[0] += timedelta(minutes=29)
        assert console.schedule.commit_due() == ()
        at[0] += timedelta(minutes=1)
        (line,) = console.schedule.commit_due()
        assert line.endswith("memory: 1 file changed by the agent")
        assert git(workspace, "rev-list", "--count", "HEAD") == "2"
        console.suppose(at[0] + timedelta(days=1))
        assert console.schedule.commit_due() == ()


def test_the_words_of_an_operation_are_never_committed_as_the_agents(workspace: Path, policy: Path) -> None:
    """A workspace whose operations were not committed: what they left stays out, what the agent wrote goes in."""
    policy.write_text("git: {commit: false}\n")
    with Engine.open(workspace) as console:
        applied(console, console.plans.make("init"))
    policy.write_text(POLICY)
    write(workspace, {"topics/mine.md": "---\ntriggers: []\n---\n"})
    note = "---\nkeep: true\n---\n\n# Ours\n"
    with Engine.open(workspace) as console:
        from engine.services.proposals import NoteProposal

        proposal = NoteProposal(path="knowledge/ours.md", action="create", content=note, reason="learnt")
        plan = console.proposals.propose(proposal, "agent").id
        (workspace / ".git/index.lock").touch()
        operation = applied(console, console.plans.load(plan))
        assert operation.commit is None
        assert "comes first" in said(console)[0]
        (workspace / ".git/index.lock").unlink()
        made = console.repository.commit_others()
        assert [one.paths for one in made.commits] == [("topics/mine.md",)]
    assert git(workspace, "log", "-1", "--format=%an", "--", "knowledge/ours.md") != "agent"


def test_what_a_hook_or_a_filter_would_stop_and_secrets_are_left_out_and_told(workspace: Path) -> None:
    write(
        workspace,
        {
            "knowledge/key.md": f"{KEY}\n",
            "knowledge/locked.md": "clear text\n",
            "knowledge/private/door.md": "clear text\n",
            ".gitattributes": "knowledge/locked.md filter=git-crypt\n",
            "MEMORY.md": "x\n" * 230,
            "raw/conversations/2026/03/15/1000-open.md": "no frontmatter\n",
            ".gitignore": "hidden.md\n",
            "hidden.md": "x\n",
            "knowledge/fine.md": "x\n",
        },
    )
    with Engine.open(workspace) as console:
        made = console.repository.commit_others()
    assert [path for one in made.commits for path in one.paths] == ["knowledge/fine.md"]
    told = "\n".join(made.problems)
    assert "knowledge/key.md: left to be committed by hand, it holds a secret" in told
    assert "knowledge/private/door.md: left to be committed by hand, it is private" in told
    assert "git filters it by git-crypt" in told and "MEMORY.md: left" in told and "hidden" not in told
    assert "AKIA" not in told and "clear text" not in git(workspace, "log", "-p", "--format=%B")


def test_a_note_that_the_policys_filter_encrypts_is_committed_by_it_and_once(workspace: Path, policy: Path) -> None:
    """By the command of the policy alone: the repository may name any."""
    crypt = workspace.parent / "crypt"
    crypt.write_text("#!/bin/sh\nprintf '\\0GITCRYPT\\0'\nbase64\n", encoding="utf-8")
    crypt.chmod(0o700)
    policy.write_text(f"git: {{commit_others: true, filters: {{git-crypt: {crypt}}}}}\n", encoding="utf-8")
    rules = "knowledge/private/** filter=git-crypt\nknowledge/large.md filter=lfs\n"
    note = "knowledge/private/door.md"
    write(workspace, {".gitattributes": rules, note: "the blue door\n", "knowledge/large.md": "clear\n"})
    git(workspace, "config", "filter.git-crypt.clean", f"touch {workspace.parent}/ran")
    with Engine.open(workspace) as console:
        made = console.repository.commit_others()
        assert [path for one in made.commits for path in one.paths] == [note]
        assert any("git filters it by lfs" in line for line in made.problems)
        assert git(workspace, "show", "--no-textconv", f"HEAD:{note}").startswith("\0GITCRYPT\0")
        assert console.repository.commit_others().commits == ()
        write(workspace, {note: "the red door\n"})
        assert [one.paths for one in console.repository.commit_others().commits] == [(note,)]
    assert not (workspace.parent / "ran").exists()


def test_nothing_is_committed_while_an_operation_runs_or_a_merge_is_under_way(workspace: Path) -> None:
    write(workspace, {"knowledge/a.md": "two\n"})
    with Engine.open(workspace) as console:
        parts = console._opened
        with hold(parts.state, now=utc_now(), purpose="applying"), pytest.raises(Refused):
            console.repository.commit_others()
        (workspace / ".git/MERGE_HEAD").write_text(git(workspace, "rev-parse", "HEAD") + "\n")
        assert "a merge is under way" in said(console)[0]
    assert git(workspace, "rev-list", "--count", "HEAD") == "1"


@pytest.mark.parametrize("recovers", [False, True])
def test_an_index_that_was_left_behind_follows_the_next_time(workspace: Path, *, recovers: bool) -> None:
    """By the next run or by `recover`, which must not clear the lock first: another git would undo the commit."""
    write(workspace, {"knowledge/a.md": "two\n"})
    from engine.history.git_index import HeldIndex

    with Engine.open(workspace) as console, pytest.MonkeyPatch.context() as patch:

        def refuses(_self: HeldIndex) -> None:
            raise OSError("no space left")

        patch.setattr(HeldIndex, "replace", refuses)
        assert any("index does not show" in line for line in said(console))
    assert git(workspace, "rev-list", "--count", "HEAD") == "2"
    with Engine.open(workspace) as console:
        if recovers:
            told = [one.what for one in console.maintenance.recover()]
            assert told == ["the commit of the agent's changes is whole"]
            assert console.maintenance.recover() == ()
        else:
            assert said(console) == ["commit: nothing changed"]
    assert git(workspace, "status", "--porcelain") == ""


def test_d22_the_agents_changes_are_committed_without_running_anything_of_its_repository(
    workspace: Path, tmp_path: Path
) -> None:
    marks = hostile(workspace, tmp_path / "marks")
    write(workspace, {"knowledge/a.md": "two\n"})
    with Engine.open(workspace) as console:
        assert console.repository.commit_others().commits
    assert sorted(marks.iterdir()) == []


def test_a_commit_of_a_whole_history_stands_at_its_instant(workspace: Path) -> None:
    write(workspace, {"knowledge/a.md": "two\n"})
    at = utc_now().replace(microsecond=0) - timedelta(hours=3)
    with Engine.open(workspace, clock=lambda: at) as console:
        console.repository.commit_others()
    assert datetime.fromisoformat(git(workspace, "log", "-1", "--format=%aI")) == at
