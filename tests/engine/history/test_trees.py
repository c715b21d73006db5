"""The next tree without an index: the same that git makes with one (decision D22)."""

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.history.git import Git, GitFailed
from engine.history.git_index import index_lines
from engine.history.trees import (
    PathEntry,
    TreeReader,
    changed_tree,
    entry_at,
    parse_tree,
    read_folders,
    tree_bytes,
    tree_reader,
)
from tests.engine.history.repos import found, git, make_repo, write
from tests.turn import examples

NAMES = st.sampled_from(["a", "a.md", "a-b", "a0", "ab", "é", "new\nline", " x"])
PATHS = st.lists(NAMES, min_size=1, max_size=3).map("/".join)
MODES = st.sampled_from(["100644", "100755", "120000"])


def blob(repository_git: Git, text: str) -> str:
    return repository_git.run("hash-object", "-w", "--stdin", stdin=text.encode()).decode().strip()


def git_tree(repository_git: Git, index: Path, old: str, entries: list[PathEntry]) -> str:
    """The tree that git makes of the entries with an index."""
    repository_git.run(*(("read-tree", old) if old else ("read-tree", "--empty")), index=index)
    lines = index_lines(entries, 40)
    repository_git.run("update-index", "-z", "--index-info", stdin=lines, index=index)
    return repository_git.run("write-tree", index=index).decode().strip()


@settings(max_examples=examples(60), deadline=None)
@given(
    st.dictionaries(PATHS, MODES, max_size=8),
    st.dictionaries(PATHS, st.none() | MODES, min_size=1, max_size=6),
)
def test_d22_the_next_tree_is_the_one_that_an_index_gives(
    tmp_path_factory: pytest.TempPathFactory, before: dict[str, str], changes: dict[str, str | None]
) -> None:
    top = tmp_path_factory.mktemp("ws")
    plain = found(make_repo(top / "ws", {"keep.md": "k\n"})).git
    one, other, index = blob(plain, "one"), blob(plain, "other"), top / "index"
    old = ""
    if before:
        tree = git_tree(plain, index, "", [PathEntry(path, mode, one) for path, mode in before.items()])
        old = plain.run("commit-tree", tree, "-m", "before", more=PERSON).decode().strip()
    entries = [PathEntry(path, mode or "100644", mode and other) for path, mode in changes.items()]
    kept: list[bytes] = []

    def keep(data: bytes) -> str:
        kept.append(data)
        return plain.run("hash-object", "-w", "-t", "tree", "--stdin", stdin=data).decode().strip()

    assert changed_tree(read_folders(plain, old, changes), entries, keep) == git_tree(plain, index, old, entries)
    assert all(tree_bytes(parse_tree(data, 20)) == data for data in kept)


PERSON = {f"GIT_{who}_{what}": "ana" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}


def test_only_the_folders_on_the_way_are_read(tmp_path: Path) -> None:
    workspace = make_repo(tmp_path / "ws", {"a/b/c.md": "c", "a/x/y.md": "y", "z/q.md": "q", "plain": "p"})
    repository = found(workspace)
    folders = read_folders(repository.git, repository.head(), ["a/b/c.md", "plain/below.md", "none/d.md"])
    assert set(folders) == {"", "a", "a/b"}
    assert entry_at(folders, "a") is None and entry_at(folders, "none/d.md") is None
    entry = entry_at(folders, "a/b/c.md")
    assert entry is not None and entry.id == git(workspace, "rev-parse", "HEAD:a/b/c.md")
    assert read_folders(repository.git, "", ["a.md"]) == {"": {}}


def test_more_folders_are_read_than_a_pipe_holds_names_of(tmp_path: Path) -> None:
    workspace = make_repo(tmp_path / "ws", {f"f{number}/n.md": "n" for number in range(1_700)})
    repository = found(workspace)
    assert len(read_folders(repository.git, repository.head(), [f"f{n}/n.md" for n in range(1_700)])) == 1_701


def test_what_is_no_tree_or_not_there_is_an_error_of_ours(tmp_path: Path) -> None:
    workspace = make_repo(tmp_path / "ws", {"a.md": "a"})
    with tree_reader(found(workspace).git) as reader:
        for name in ("HEAD:a.md", "0" * 40, "no-such-name"):
            with pytest.raises(GitFailed, match="no tree"):
                list(reader.trees([name]))
        with pytest.raises(GitFailed):
            list(reader.trees(["HEAD^{tree}"]))  # after a blob the answers are out of step


@pytest.mark.parametrize("data", [b"100644 a", b"100644 a\0short", b"9x a\0" + bytes(20), b"100644 \0" + bytes(20)])
def test_a_damaged_tree_is_an_error_of_ours(data: bytes) -> None:
    with pytest.raises(GitFailed, match="damaged"):
        parse_tree(data, 20)


def test_modes_of_old_gits_are_read_as_an_index_reads_them() -> None:
    folder = parse_tree(b"100664 a\0%s040000 d\0%s" % (bytes(20), bytes(20)), 20)
    folders = {"": folder}
    assert (entry := entry_at(folders, "a")) is not None and entry.file_mode == "100644"
    assert entry_at(folders, "d") is None


def test_a_folder_that_a_reader_never_asked_for_starts_no_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace = make_repo(tmp_path / "ws", {"a.md": "a"})
    write(workspace, {})
    repository_git = found(workspace).git
    monkeypatch.setattr("engine.history.git.subprocess.Popen", None)
    with tree_reader(repository_git) as reader:
        assert list(reader.trees([])) == []


@pytest.mark.parametrize(
    ("head", "why"),
    [
        (f"id tree {64 << 20}", "ended before"),
        (f"id tree {(64 << 20) + 1}", "no tree"),
        ("id blob 3", "no tree"),
        ("id missing", "no tree"),
    ],
)
def test_a_tree_of_up_to_64_mib_is_read_and_nothing_else(head: str, why: str) -> None:
    source, asked = os.pipe()
    try:
        with pytest.raises(GitFailed, match=why):
            next(TreeReader(asked, iter([f"{head}\n".encode()])).trees(["id"]))
    finally:
        os.close(source)
        os.close(asked)
