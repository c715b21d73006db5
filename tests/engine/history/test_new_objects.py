"""Objects written by one git: each has the id that git gives it, and a commit the bytes that git would store."""

import json
import subprocess
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.history.new_objects import NewObjects, as_git_writes, commit_bytes
from engine.history.request import Person
from tests.engine.history.repos import commit, found, git, make_repo, write
from tests.turn import examples

AT = datetime(2026, 3, 15, 3, 0, tzinfo=UTC)


@pytest.mark.parametrize("options", [(), ("--object-format=sha256",)], ids=["sha1", "sha256"])
def test_each_object_has_the_id_that_git_gives_it(tmp_path: Path, options: tuple[str, ...]) -> None:
    workspace = make_repo(tmp_path / "ws", {}, *options)
    objects = NewObjects(long=bool(options))
    texts = [b"", b"one\n", b"\0" * 15, b"x" * 16, b"y" * 100_000]
    blobs = [objects.add("blob", text) for text in texts]
    tree = objects.add("tree", b"100644 a.md\0" + bytes.fromhex(blobs[1]))
    ana = Person("Ana", "ana@example.org")
    made = objects.add("commit", commit_bytes(tree, "", ana, ana, AT, "first\n"))
    objects.write(found(workspace).git)
    for name, text in zip(blobs, texts, strict=True):
        assert found(workspace).git.run("cat-file", "blob", name) == text
    assert git(workspace, "ls-tree", "--name-only", made) == "a.md"
    assert git(workspace, "fsck", "--strict", "--no-dangling", made) == ""


@settings(max_examples=examples(40), deadline=None)
@given(st.text(max_size=12), st.text(max_size=12), st.integers(-14 * 60, 14 * 60))
def test_a_commit_has_the_bytes_that_git_would_store(
    tmp_path_factory: pytest.TempPathFactory, name: str, email: str, minutes: int
) -> None:
    plain = "".join(sign for sign in name if sign.isprintable()), "".join(sign for sign in email if sign.isprintable())
    person = as_git_writes(Person(*plain))
    if not person.name or not person.email:
        return  # git refuses it, and ours stands in its place
    folder = tmp_path_factory.mktemp("ws")
    workspace = make_repo(folder / "ws", {"a.md": "a"})
    at = AT.astimezone(timezone(timedelta(minutes=minutes)))
    tree, parent = git(workspace, "rev-parse", "HEAD^{tree}"), git(workspace, "rev-parse", "HEAD")
    facts = {"NAME": plain[0], "EMAIL": plain[1], "DATE": f"@{int(at.timestamp())} {at:%z}"}
    more = {f"GIT_{who}_{key}": value for who in ("AUTHOR", "COMMITTER") for key, value in facts.items()}
    told = b"a subject\n\nKey: value\n"
    theirs = found(workspace).git.run("commit-tree", tree, "-p", parent, "-F", "-", stdin=told, more=more)
    ours = commit_bytes(tree, parent, person, person, at, told.decode())
    assert NewObjects(long=False).id_of("commit", ours) == theirs.decode().strip()


@pytest.mark.parametrize("name", ["...", "<>", '"', " "])
def test_a_name_of_which_git_would_keep_nothing_is_ours_instead(tmp_path: Path, name: str) -> None:
    """Git refused the commit, and it was owed for ever."""
    workspace = make_repo(tmp_path / "ws", {"a.md": "a"})
    git(workspace, "config", "user.name", name)
    write(workspace, {"a.md": "ours\n"})
    assert commit(workspace, "a.md").problems == ()
    assert git(workspace, "log", "-1", "--format=%an") == "memdeck"


def test_d22_each_new_object_reaches_the_disk_before_the_branch_moves(tmp_path: Path) -> None:
    workspace = make_repo(tmp_path / "ws", {"a.md": "a"})
    objects = NewObjects(long=False)
    objects.add("blob", b"ours")
    objects.add("tree", b"")
    trace = tmp_path / "trace"
    repository_git = found(workspace).git
    command, env = repository_git._call(("unpack-objects", "-q"), None, {}, as_owner=False)
    traced = env | {"GIT_TRACE2_EVENT": str(trace)}
    subprocess.run(command, input=objects.pack(), env=traced, check=True)
    events = [json.loads(row) for row in trace.read_text().splitlines()]
    flushed = [event for event in events if event.get("category") == "fsync" and event["key"] == "fsync/hardware-flush"]
    assert sum(int(event["value"]) for event in flushed) == 2
