"""Root works beside an agent of another user: what is made belongs to the agent, and its git goes on working."""

import os
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.history.repos import make_repo
from tests.engine.plans.rig import Rig, append, create, move

AGENT = 54_321

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can work beside another user")


def as_agent(folder: Path, *args: str) -> str:
    """Git as the agent calls it."""
    command = ["git", "-c", "user.name=Bo", "-c", "user.email=bo@example.org", *args]
    env = {"PATH": os.environ["PATH"], "HOME": "/", "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(
        command, cwd=folder, env=env, user=AGENT, group=AGENT, extra_groups=[], capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode().rstrip("\n")


@pytest.fixture
def rig() -> Iterator[Rig]:
    # Not below pytest's own folder: each run of pytest that starts, one inside a test too, closes it to other users.
    with tempfile.TemporaryDirectory(prefix="memdeck-agent-") as name:
        home = Path(name)
        home.chmod(0o755)
        folder = make_repo(home / "ws", {"memory/working/a.md": "a\n", "memory/semantic/openclaw.md": "s\n"})
        for path in (folder, *folder.rglob("*")):
            os.lchown(path, AGENT, AGENT)
        rig = Rig(folder, home / "home")
        rig.with_git()
        yield rig


def test_the_first_compaction_leaves_nothing_of_roots_and_the_agent_commits_on(rig: Rig) -> None:
    (rig.folder / "memory/working/a.md").chmod(0o755)
    done = rig.apply(
        create(1, "memory/episodic/deep/a.md", "summary\n"),
        move(2, "memory/working/a.md", "memory/archive/a.md"),
        append(3, "memory/semantic/openclaw.md", "more\n"),
    )
    assert (done.problems, bool(done.commit)) == ((), True)
    foreign = [
        str(path.relative_to(rig.folder))
        for path in rig.folder.rglob("*")
        if (path.lstat().st_uid, path.lstat().st_gid) != (AGENT, AGENT)
    ]
    assert foreign == []
    assert as_agent(rig.folder, "status", "--porcelain") == ""
    assert as_agent(rig.folder, "ls-tree", "HEAD", "memory/archive/a.md").startswith("100755")
    assert (rig.folder / "memory/archive/a.md").stat().st_mode & stat.S_IXUSR
    (rig.folder / "memory/episodic/deep/a.md").write_text("theirs\n", encoding="utf-8")
    as_agent(rig.folder, "commit", "-q", "-a", "-m", "theirs")
    assert as_agent(rig.folder, "show", "--format=", "--name-only", "HEAD") == "memory/episodic/deep/a.md"
    assert as_agent(rig.folder, "fsck", "--strict") == ""
