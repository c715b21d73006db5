"""The store of displaced bytes and the held files (A10)."""

import shutil
from datetime import timedelta
from pathlib import Path

import pytest

from engine.errors import Damaged
from engine.plans.apply.folders import WORKSPACE_YARD, OpenFolders
from engine.plans.apply.recovery import recover
from engine.plans.damage import check
from engine.plans.operation import Held
from engine.plans.records.displaced import HOLD, DisplacedStore, HeldFiles, late_bytes
from engine.state.private_files import hooked
from engine.text.canonical_json import sha256_hex
from tests.engine.plans.campaign import Crash, crash_at
from tests.engine.plans.rig import START, Rig, overwrite


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    rig = Rig(tmp_path / "workspace", tmp_path / "home")
    rig.write("memory/notes.md", "old\n")
    return rig


def test_bytes_come_back_by_their_hash(tmp_path: Path) -> None:
    store = DisplacedStore(tmp_path)
    sha256 = store.put(b"\x00\xff bytes")
    store.flush()
    assert sha256 == sha256_hex(b"\x00\xff bytes")
    assert store.get(sha256) == b"\x00\xff bytes"
    assert store.put(b"\x00\xff bytes") == sha256
    assert list(store.hashes()) == [sha256]
    assert store.has(sha256)
    assert not store.has("0" * 64)


def test_missing_and_altered_bytes_are_damage(tmp_path: Path) -> None:
    store = DisplacedStore(tmp_path)
    sha256 = store.put(b"bytes")
    place = tmp_path / sha256[:2] / sha256
    place.write_bytes(b"bytez")
    with pytest.raises(Damaged, match="altered"):
        store.get(sha256)
    assert not store.has(sha256)
    store.put(b"bytes")
    assert store.get(sha256) == b"bytes", "putting them again mends it"
    place.unlink()
    with pytest.raises(Damaged, match="missing"):
        store.get(sha256)


def test_a10_the_displaced_inode_itself_is_held(rig: Rig) -> None:
    """A10: kept for 24 h at least, as the very file that was displaced."""
    inode = (rig.folder / "memory/notes.md").stat().st_ino
    operation = rig.apply(overwrite(1, "memory/notes.md", "new\n"))
    (held,) = operation.held
    assert Path(held.place).stat().st_ino == inode
    assert Path(held.place).is_relative_to(rig.ctx.state.held), "one file system: in the state folder"
    assert not (rig.folder / ".memdeck").exists()
    assert held.until - START >= HOLD
    assert HeldFiles(rig.ctx.state).entries() == {operation.id: operation.held}
    assert rig.ctx.displaced.get(sha256_hex(b"old\n")) == b"old\n"


def later(rig: Rig, hours: int) -> None:
    rig.clock.at += timedelta(hours=hours)


def test_a10_held_files_go_a_day_later_and_their_bytes_stay(rig: Rig) -> None:
    operation = rig.apply(overwrite(1, "memory/notes.md", "new\n"))
    place = Path(operation.held[0].place)
    later(rig, 23)
    rig.apply(overwrite(1, "memory/notes.md", "newer\n"))
    assert place.exists()
    later(rig, 2)
    recover(rig.ctx)
    assert not place.exists()
    assert rig.ctx.displaced.get(operation.held[0].sha256) == b"old\n"
    assert operation.id not in rig.ctx.held.entries()
    rig.undo()
    rig.undo()
    assert rig.read("memory/notes.md") == b"old\n"


def test_a10_what_got_late_bytes_stays_held(rig: Rig) -> None:
    """A10: late bytes are shown for as long as they are there."""
    with (rig.folder / "memory/notes.md").open("ab", buffering=0) as kept:
        operation = rig.apply(overwrite(1, "memory/notes.md", "new\n"))
        kept.write(b"late\n")
    later(rig, 30)
    recover(rig.ctx)
    assert Path(operation.held[0].place).read_bytes() == b"old\nlate\n"
    (finding,) = late_bytes(rig.ctx.state, rig.ctx.displaced)
    assert finding.operation == operation.id and finding.held == operation.held[0]
    assert rig.ctx.displaced.has(sha256_hex(b"old\nlate\n"))


def test_a10_a_file_that_is_still_open_stays_held(rig: Rig) -> None:
    """A10: after a day too, whoever has it open can go on writing into what we keep."""
    with (rig.folder / "memory/notes.md").open("ab", buffering=0) as kept:
        operation = rig.apply(overwrite(1, "memory/notes.md", "new\n"))
        later(rig, 30)
        recover(rig.ctx)
        assert Path(operation.held[0].place).exists()
        kept.write(b"late\n")
    assert late_bytes(rig.ctx.state, rig.ctx.displaced)


def test_a_held_file_that_is_gone_ends_its_record(rig: Rig) -> None:
    operation = rig.apply(overwrite(1, "memory/notes.md", "new\n"))
    Path(operation.held[0].place).unlink()
    assert late_bytes(rig.ctx.state, rig.ctx.displaced) == ()
    later(rig, 30)
    recover(rig.ctx)
    assert rig.ctx.held.entries() == {}


def test_a_link_in_place_of_a_held_file_is_not_followed(rig: Rig, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    link = tmp_path / "held"
    link.symlink_to(tmp_path / "secret")
    rig.ctx.held.record("o-20260315-0009", (Held("memory/x.md", str(link), "0" * 64, START),))
    assert late_bytes(rig.ctx.state, rig.ctx.displaced) == ()
    later(rig, 30)
    recover(rig.ctx)
    assert link.is_symlink()


def test_an_unreadable_record_is_damage(rig: Rig) -> None:
    (rig.ctx.state.held_log / "o-20260315-0001.json").write_bytes(b"{")
    with pytest.raises(Damaged, match="held files"):
        rig.ctx.held.entries()


@pytest.mark.parametrize("loss", ["altered", "missing", "folder"])
def test_a_loss_of_the_store_is_made_good_from_what_is_held(rig: Rig, loss: str) -> None:
    before = rig.tree()
    done = rig.apply(overwrite(1, "memory/notes.md", "new\n"))
    (place,) = rig.ctx.state.displaced.glob("??/*")
    if loss == "altered":
        place.write_bytes(b"olf\n")
    else:
        shutil.rmtree(place.parent if loss == "missing" else rig.ctx.state.displaced)
    with pytest.raises(Damaged, match="memdeck check"):
        rig.undo(done.id)
    (found,) = check(rig.ctx)
    assert (found.id, found.fix) == ("displaced_damaged", "memdeck recover takes them from the held file")
    assert [finding.id for finding in recover(rig.ctx)] == ["displaced_refilled"]
    assert recover(rig.ctx) == () and check(rig.ctx) == ()
    rig.undo(done.id)
    assert rig.tree() == before


def test_held_bytes_that_changed_make_nothing_good(rig: Rig) -> None:
    done = rig.apply(overwrite(1, "memory/notes.md", "new\n"))
    (place,) = rig.ctx.state.displaced.glob("??/*")
    place.write_bytes(b"olf\n")
    ((held,),) = HeldFiles(rig.ctx.state).entries().values()
    Path(held.place).write_bytes(b"late\n")
    assert recover(rig.ctx) == ()
    with pytest.raises(Damaged, match="altered"):
        rig.undo(done.id)


@pytest.mark.parametrize("yard", ["state", "workspace"])
def test_a10_a_crash_while_held_files_are_let_go_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, yard: str
) -> None:
    """Before each of its steps; what is held must go from its record last, and from the disk after the store has it."""
    if yard == "workspace":
        monkeypatch.setattr(OpenFolders, "yard_for", lambda *_: WORKSPACE_YARD)
    crashes = 0
    while True:
        rig = Rig(tmp_path / str(crashes) / "workspace", tmp_path / str(crashes) / "home")
        for name in "ab":
            rig.write(f"memory/{name}.md", f"old {name}\n")
        rig.apply(overwrite(1, "memory/a.md", "new\n"), overwrite(2, "memory/b.md", "new\n"))
        shutil.rmtree(rig.ctx.state.displaced / sha256_hex(b"old a\n")[:2])  # as a disk may lose it
        rig.clock.at += timedelta(hours=25)
        try:
            with hooked(crash_at(crashes + 1)):
                recover(rig.ctx)
        except Crash:
            crashes += 1
            recover(rig.ctx)
        else:
            break
        assert check(rig.ctx) == ()
        assert rig.ctx.held.entries() == {}
        rig.undo()
        assert rig.read("memory/a.md") == b"old a\n"
    assert crashes > 5
