"""What is followed besides the workspace is remembered, looked at anew, and forgotten when that is wanted."""

from pathlib import Path

import pytest

from engine.errors import UsageError
from engine.sessions.follows import MOST, Follows, FollowStore
from engine.state.database import StateDatabase


@pytest.fixture
def store(tmp_path: Path) -> FollowStore:
    (tmp_path / "state").mkdir()
    return FollowStore(StateDatabase(tmp_path / "state"))


def test_a_path_is_remembered_until_it_is_forgotten(store: FollowStore, tmp_path: Path) -> None:
    file = tmp_path / "s.jsonl"
    file.write_text("")
    assert store.now() == Follows()
    store.add(file)
    store.add(tmp_path)
    store.add(file)
    assert FollowStore(StateDatabase(tmp_path / "state")).now() == Follows((file, tmp_path))
    store.forget(file)
    assert store.now() == Follows((tmp_path,))
    with pytest.raises(UsageError, match="not followed"):
        store.forget(file)


def test_what_is_gone_is_missing_comes_back_and_can_be_forgotten(store: FollowStore, tmp_path: Path) -> None:
    file = tmp_path / "s.jsonl"
    file.write_text("")
    store.add(file)
    file.unlink()
    assert store.now() == Follows((), (file,))
    file.write_text("")
    assert store.now() == Follows((file,))
    file.unlink()
    store.forget(file)
    assert store.now() == Follows()


def test_nothing_odd_is_followed(store: FollowStore, tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        store.add(tmp_path / "nothing")
    odd = tmp_path / "odd\udcff.jsonl"
    odd.write_text("")
    with pytest.raises(UsageError, match="UTF-8"):
        store.add(odd)
    assert store.now() == Follows()


def test_there_is_a_bound(store: FollowStore, tmp_path: Path) -> None:
    for number in range(MOST + 1):
        (tmp_path / f"{number}.jsonl").write_text("")
    for number in range(MOST):
        store.add(tmp_path / f"{number}.jsonl")
    with pytest.raises(UsageError, match="already"):
        store.add(tmp_path / f"{MOST}.jsonl")


def test_relative_and_odd_names_are_passed_by(store: FollowStore, tmp_path: Path) -> None:
    with store._table.change() as rows:
        for name in ("a", str(tmp_path), "../b", "/x\0"):
            rows.put(name, b"{}")
    assert store.now() == Follows((tmp_path,))
