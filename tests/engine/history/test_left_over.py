"""What a git of ours leaves that is killed is cleared by the next call; what others hold or left stays (D22)."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.errors import MemdeckError
from engine.history import exploration_start, git_locks
from engine.history.exploration_start import clear_left_over, explore, gitfile, left_over, write_new
from engine.history.explorations import explorations
from engine.history.git import GitFailed
from engine.history.git_locks import Begun, Intent, dead_intents, intended
from engine.history.repository import Repository
from engine.history.tags import TagKind, make_tag
from engine.services.engine import Engine
from tests.engine.history.repos import commit, found, git, make_repo, write

TAG = "refs/tags/memory/milestone/one"
NOTES = {"a.md": "a\n", "deep/b.md": "b\n"}


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return found(make_repo(tmp_path / "agent", NOTES, "-b", "main"))


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    return tmp_path / "scratch"


def cut_off(repository: Repository, scratch: Path, held: str | None = None) -> Path:
    """A tag whose git was killed with its lock, and memdeck with it."""
    lock = repository.git.folder / f"{TAG}.lock"
    lock.parent.mkdir(parents=True)
    commit = repository.head()
    with intended(scratch, Intent(str(repository.git.folder), TAG, commit)):
        assert left_over(scratch) == (), "who is alive left nothing"
    lock.write_text(f"{commit}\n" if held is None else held)
    assert left_over(scratch) == (TAG,)
    return lock


def tagged(repository: Repository, scratch: Path) -> str:
    return make_tag(repository.git, TagKind.MILESTONE, "one", repository.head(), scratch)


def clear(repository: Repository, scratch: Path) -> str:
    return " ".join(clear_left_over(repository, repository.git, scratch))


@pytest.mark.parametrize("part", [0, 7, 40, 41])
def test_d22_the_lock_of_our_own_killed_git_is_cleared(repository: Repository, scratch: Path, part: int) -> None:
    cut_off(repository, scratch, f"{repository.head()}\n"[:part])
    with pytest.raises(GitFailed, match="another git has the ref locked"):
        tagged(repository, scratch)
    assert clear(repository, scratch) == f"{TAG}, which was cut off"
    assert tagged(repository, scratch) == "memory/milestone/one" and left_over(scratch) == ()
    assert not list(scratch.glob("intent-*")) and clear(repository, scratch) == ""


def elsewhere(lock: Path) -> None:
    lock.write_text("0" * 40 + "\n")


def older(lock: Path) -> None:
    facts = lock.stat()
    os.utime(lock, ns=(facts.st_atime_ns, facts.st_mtime_ns - 1_000_000_000))


def later(lock: Path) -> None:
    facts = lock.stat()
    os.utime(lock, ns=(facts.st_atime_ns, facts.st_mtime_ns + 60_000_000_000))


def behind_a_link(lock: Path) -> None:
    real = lock.parents[3] / "moved"
    lock.parent.rename(real)
    lock.parent.symlink_to(real)


def a_link(lock: Path) -> None:
    lock.rename(lock.with_name("kept"))
    lock.symlink_to(lock.with_name("kept"))


@pytest.mark.parametrize("change", [elsewhere, older, later, behind_a_link, a_link])
def test_d22_a_lock_that_is_not_ours_stays(
    repository: Repository, scratch: Path, change: Callable[[Path], None]
) -> None:
    lock = cut_off(repository, scratch)
    change(lock)
    assert clear(repository, scratch) == f"{TAG}, which was cut off"
    assert os.path.lexists(lock) and left_over(scratch) == ()


def test_d22_a_lock_that_a_process_has_open_stays_and_is_told(repository: Repository, scratch: Path) -> None:
    lock = cut_off(repository, scratch)
    with lock.open():
        assert f"process {os.getpid()} may have it" in clear(repository, scratch)
    assert lock.exists() and left_over(scratch) == (TAG,)
    clear(repository, scratch)
    assert not lock.exists()


def test_d22_a_lock_stays_while_another_git_works_here(repository: Repository, scratch: Path) -> None:
    lock = cut_off(repository, scratch)
    command = ["git", "-C", str(repository.git.top), "cat-file", "--batch"]
    with subprocess.Popen(command, cwd="/", stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdin is not None and other.stdout is not None
        other.stdin.write(b"HEAD\n")
        other.stdin.flush()
        other.stdout.readline()
        assert f"process {other.pid} may have it" in clear(repository, scratch)
        other.stdin.close()
    assert lock.exists() and left_over(scratch) == (TAG,)


def test_d22_a_lock_is_gone_for_good_before_its_intent_goes(
    repository: Repository, scratch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a power cut the lock could be back, and nobody would know whose it is."""
    lock, order, real = cut_off(repository, scratch), [], os.fsync
    done = Begun.done

    def fsync(fd: int) -> None:
        order.append(os.fstat(fd).st_ino)
        real(fd)

    def gone(begun: Begun) -> None:
        order.append(0)
        done(begun)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(Begun, "done", gone)
    clear(repository, scratch)
    assert not lock.exists()
    assert order == [lock.parent.stat().st_ino, 0]


@pytest.mark.parametrize("left", ["branch", "head", "both", "torn"])
def test_d22_the_next_commit_clears_the_locks_of_our_killed_git(tmp_path: Path, left: str) -> None:
    workspace = make_repo(tmp_path / "agent", NOTES, "-b", "main")
    write(workspace, {"a.md": "ours\n"})
    scratch, folder = tmp_path / "scratch", found(workspace).git.folder
    new = "a" * 40
    with intended(scratch, Intent(str(folder), "refs/heads/main", new, head=str(folder))):
        pass
    locks = {"branch": folder / "refs/heads/main.lock", "head": folder / "HEAD.lock"}
    made = [lock for name, lock in locks.items() if left in (name, "both", "torn")]
    for lock in made:
        lock.write_text(f"{new}\n" if lock.parent != folder and left != "torn" else "")
    assert left_over(scratch) == ("refs/heads/main",)
    report = commit(workspace, "a.md")
    assert report.commit and not report.problems
    assert not any(map(os.path.lexists, made)) and left_over(scratch) == ()
    git(workspace, "commit", "-q", "--allow-empty", "-m", "the agent's own")


def test_d22_locks_of_a_branch_that_others_left_stay(tmp_path: Path) -> None:
    workspace = make_repo(tmp_path / "agent", NOTES, "-b", "main")
    write(workspace, {"a.md": "ours\n"})
    scratch, folder = tmp_path / "scratch", found(workspace).git.folder
    lock = folder / "HEAD.lock"
    lock.touch()
    older(lock)
    with intended(scratch, Intent(str(folder), "refs/heads/main", "a" * 40, head=str(folder))):
        pass
    report = commit(workspace, "a.md")
    assert report.commit is None and "the branch is locked by another git" in report.problems[-1]
    assert lock.exists()


def test_a_record_torn_as_it_was_written_had_begun_nothing(repository: Repository, scratch: Path) -> None:
    scratch.mkdir()
    (scratch / "intent-x.json").write_bytes(b'{"git": "/')
    assert clear(repository, scratch) == "" and list(dead_intents(scratch)) == []
    assert not (scratch / "intent-x.json").exists()


def stopped_at(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """memdeck dies as it calls the function: nothing of it runs any more."""

    class Killed(BaseException):
        pass

    def die(*_: object) -> None:
        raise Killed

    monkeypatch.setattr(exploration_start, name, die)


def killed(repository: Repository, folder: Path, scratch: Path) -> None:
    try:
        explore(repository, "try", folder, scratch)
    except MemdeckError:
        raise
    except BaseException as error:  # noqa: BLE001 — it stands for a kill
        assert type(error).__name__ == "Killed"


@pytest.mark.parametrize("name", ["_prepare", "make_ref"])
def test_d22_an_exploration_that_was_cut_off_before_its_branch_is_taken_back(
    repository: Repository, scratch: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    with monkeypatch.context() as patch:
        stopped_at(name, patch)
        killed(repository, tmp_path / "try", scratch)
    assert (tmp_path / "try").is_dir() and left_over(scratch) == ("refs/heads/explore/try",)
    assert git(repository.git.top, "fsck", "--no-dangling") == ""
    assert "cut off" in clear(repository, scratch)
    assert not (tmp_path / "try").exists() and not list(repository.git.folder.glob("memdeck-*"))
    assert explorations(repository) == () and left_over(scratch) == ()
    assert explore(repository, "try", tmp_path / "try", scratch).branch == "explore/try"


def test_g4_what_somebody_put_into_a_folder_that_is_taken_back_stays(
    repository: Repository, scratch: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        stopped_at("make_ref", patch)
        killed(repository, tmp_path / "try", scratch)
    write(tmp_path / "try", {"deep/b.md": "b\nand more\n", "mine.md": "mine\n"})
    clear(repository, scratch)
    left = {str(one.relative_to(tmp_path / "try")) for one in (tmp_path / "try").rglob("*") if one.is_file()}
    assert left == {"deep/b.md", "mine.md"} and left_over(scratch) == ()


def test_d22_an_exploration_that_was_cut_off_behind_its_branch_is_finished(
    repository: Repository, scratch: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        stopped_at("settle_exploration", patch)
        killed(repository, tmp_path / "try", scratch)
    clear(repository, scratch)
    (one,) = explorations(repository)
    assert one.folder == str(tmp_path / "try")
    assert git(tmp_path / "try", "status", "--porcelain") == ""
    assert git(tmp_path / "try", "branch", "--show-current") == "explore/try"
    assert git(repository.git.top, "fsck", "--no-dangling") == ""


def test_another_folder_in_the_place_of_ours_is_left_alone(
    repository: Repository, scratch: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        stopped_at("make_ref", patch)
        killed(repository, tmp_path / "try", scratch)
    (begun,) = dead_intents(scratch)
    (tmp_path / "try").rename(tmp_path / "kept")
    write(tmp_path / "try", {**NOTES, ".git": gitfile(begun.intent).decode()})
    clear(repository, scratch)
    assert (tmp_path / "try/a.md").exists() and (tmp_path / "try/.git").exists()


def test_recover_tells_of_what_it_cleared(tmp_path: Path) -> None:
    workspace = make_repo(tmp_path / "agent", NOTES, "-b", "main")
    with Engine.open(workspace) as console:
        scratch = console.repository._scratch
        lock = cut_off(found(workspace), scratch)
        told = [one for one in console.maintenance.check() if one.id == "git_left_over"]
        assert TAG in told[0].what and told[0].fix == "memdeck recover"
        (done,) = [one for one in console.maintenance.recover() if one.id == "git_left_over"]
        assert TAG in done.what and not lock.exists()
        assert "git_left_over" not in {one.id for one in console.maintenance.check()}
        assert console.repository.tag(TagKind.MILESTONE, "one") == "memory/milestone/one"


def test_d22_a_git_that_ends_while_it_is_looked_at_holds_no_lock(
    repository: Repository, scratch: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kernel answers ESRCH for what a process was told once it has ended, and its folder is there still."""
    lock = cut_off(repository, scratch)
    process = tmp_path / "proc/4711"
    process.mkdir(parents=True)
    (process / "comm").write_bytes(b"git\n")
    (process / "cwd").symlink_to(repository.git.top)
    read = Path.read_bytes

    def read_bytes(path: Path) -> bytes:
        if path == process / "cmdline":
            raise ProcessLookupError(3, "No such process")
        return read(path)

    monkeypatch.setattr(git_locks, "_PROC", process.parent)
    monkeypatch.setattr(Path, "read_bytes", read_bytes)
    clear(repository, scratch)
    assert not lock.exists()


def test_an_intent_that_is_done_is_gone_and_may_be_done_again(scratch: Path) -> None:
    """Another memdeck that looks at what is left over may have taken the record away."""
    with intended(scratch, Intent("/g", "refs/heads/x", "0" * 40)) as begun:
        begun.done()
        begun.done()
    assert list(dead_intents(scratch)) == []


@pytest.mark.parametrize("link", [False, True])
def test_g4_no_file_is_written_where_something_is(tmp_path: Path, link: bool) -> None:
    theirs = tmp_path / "theirs"
    theirs.write_text("theirs")
    place = tmp_path / "link" if link else theirs
    if link:
        place.symlink_to(theirs)
    with pytest.raises(FileExistsError):
        write_new(place, b"ours")
    assert theirs.read_text() == "theirs"
