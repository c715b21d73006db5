"""The state as one file: taken whole, checked whole, put in its place whole or not at all."""

import hashlib
import io
import tarfile
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import msgspec
import pytest

from engine.errors import Damaged, MemdeckError, Refused, UsageError
from engine.plans.operation import ConfirmationAnswer
from engine.plans.plan import PlanState
from engine.search.saved_searches import SavedSearch
from engine.services.engine import Engine
from engine.state.archive import MANIFEST, ArchivedFile, Manifest, unpack
from engine.state.private_files import hooked
from engine.workspace.values import WorkspaceIdentity
from tests.engine.state.killed import KILLED, killed_at
from tests.engine.state.working_notes import with_working_notes
from tests.tui.cli.approvals import an_approval

NOW = datetime(2026, 3, 15, 3, 0, tzinfo=UTC)
HERE = WorkspaceIdentity("/w", 1, 2)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """One with an applied plan, one that waits, and a saved search."""
    folder = with_working_notes(tmp_path / "agent")
    with Engine.open(folder, now=NOW) as engine:
        plan = engine.plans.make("compact").plan
        assert plan is not None
        answers = tuple(ConfirmationAnswer(id=question.id, reason="yes") for question in plan.confirmations)
        engine.plans.apply(plan, msgspec.structs.replace(an_approval(plan), answers=answers))
        engine.search.saved.keep(SavedSearch(name="mine", query="queue"))
    return folder


def _state(workspace: Path) -> Path:
    with Engine.open(workspace) as engine:
        return engine._opened.state.path


def test_a_state_comes_back_whole_and_undo_works(workspace: Path, tmp_path: Path) -> None:
    file = tmp_path / "state.tar"
    with Engine.open(workspace, now=NOW) as engine:
        made = engine.maintenance.export_state(file)
        operations, queue, audit = engine.history.operations(), engine.plans.queue(), engine.history.audit()
    assert file.stat().st_mode & 0o777 == 0o600 and made.files > 5
    _state(workspace).rename(tmp_path / "lost")
    with Engine.open(workspace, now=NOW) as engine:
        done = engine.maintenance.import_state(file)
        assert done.notes == ()
    with Engine.open(workspace, now=NOW) as engine:
        assert (engine.history.operations(), engine.plans.queue(), engine.history.audit()) == (operations, queue, audit)
        assert [one.name for one in engine.search.saved.all()] == ["mine"]
        assert [finding for finding in engine.maintenance.check(deep=True) if finding.kind.value == "damage"] == []
        reversal = engine.history.reversal()
        approval = msgspec.structs.replace(
            an_approval(engine.plans.load(reversal.plan)),
            target=reversal.digest,
            numbers=reversal.numbers,
            risk_tier=reversal.risk_tier,
            nonce="another",
        )
        engine.history.undo(reversal, approval)
    assert len(list((workspace / "memory/working").iterdir())) == 12


def test_g27_plans_that_wait_in_an_archive_are_closed(workspace: Path, tmp_path: Path) -> None:
    (workspace / "memory/working/2026-01-02-old.md").write_text("# Old\n\nWe decided to keep the press oiled.\n")
    with Engine.open(workspace, now=NOW) as engine:
        waiting = engine.plans.make("compact").plan
        assert waiting is not None
        engine.maintenance.export_state(tmp_path / "state.tar")
    with Engine.open(workspace, now=NOW) as engine:
        (note,) = engine.maintenance.import_state(tmp_path / "state.tar", force=True).notes
        assert note == "1 plans that waited are closed: plan again"
    with Engine.open(workspace, now=NOW) as engine:
        entry = next(one for one in engine.plans.queue() if one.id == waiting.id)
        assert entry.state is PlanState.SUPERSEDED and "archive of the state" in entry.state_reason
        assert engine.plans.make("compact").plan is not None


def test_another_workspace_is_told_what_that_means(workspace: Path, tmp_path: Path) -> None:
    with Engine.open(workspace) as engine:
        engine.maintenance.export_state(tmp_path / "state.tar")
    with Engine.open(with_working_notes(tmp_path / "other" / "agent")) as engine:
        (note,) = engine.maintenance.import_state(tmp_path / "state.tar").notes
    assert "plan again" in note and str(workspace) in note


def test_what_is_here_is_kept_beside_and_only_with_force(workspace: Path, tmp_path: Path) -> None:
    file = tmp_path / "state.tar"
    with Engine.open(workspace) as engine:
        engine.maintenance.export_state(file)
        with pytest.raises(UsageError, match="already"):
            engine.maintenance.export_state(file)
        engine.search.saved.keep(SavedSearch(name="later", query="queue"))
        with pytest.raises(Refused, match="already"):
            engine.maintenance.import_state(file)
        kept = Path(engine.maintenance.import_state(file, force=True).kept)
    assert (kept / "audit.jsonl").read_bytes() == (_state(workspace) / "audit.jsonl").read_bytes()
    with Engine.open(workspace) as engine:
        assert [one.name for one in engine.search.saved.all()] == ["mine"]


def test_what_a_link_leads_to_is_in_no_archive(workspace: Path, tmp_path: Path) -> None:
    (tmp_path / "private").mkdir()
    (tmp_path / "private/diary.json").write_text("{}")
    (_state(workspace) / "imports/elsewhere").parent.mkdir(exist_ok=True)
    (_state(workspace) / "imports/elsewhere").symlink_to(tmp_path / "private")
    with Engine.open(workspace) as engine:
        engine.maintenance.export_state(tmp_path / "state.tar")
    with tarfile.open(tmp_path / "state.tar") as tar:
        assert not [name for name in tar.getnames() if "diary" in name or "elsewhere" in name]


def test_an_archive_never_lies_where_the_agent_reads(workspace: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(workspace / "memory")
    with Engine.open(workspace) as engine:
        for place in (workspace / "x.tar", tmp_path / "link/x.tar"):
            with pytest.raises(Refused, match="agent"):
                engine.maintenance.export_state(place)
        with pytest.raises(UsageError, match="no such folder"):
            engine.maintenance.export_state(tmp_path / "nowhere/x.tar")


def test_a_kill_at_any_step_leaves_the_old_or_the_new(workspace: Path, tmp_path: Path) -> None:
    file, steps = tmp_path / "state.tar", list[str]()
    with Engine.open(workspace) as engine:
        engine.maintenance.export_state(file)
        engine.search.saved.keep(SavedSearch(name="later", query="queue"))
    with hooked(steps.append), Engine.open(workspace) as engine:
        engine.maintenance.import_state(file, force=True)
    for number in {0, 1, len(steps) - 3, len(steps) - 2, len(steps) - 1}:
        with Engine.open(workspace) as engine:
            engine.search.saved.keep(SavedSearch(name="later", query="queue"))
        assert killed_at(number, partial(_import, workspace, file)) == KILLED, steps[number]
        with Engine.open(workspace) as engine:
            names = [one.name for one in engine.search.saved.all()]
            assert names in (["later", "mine"], ["mine"]), steps[number]
            assert len(engine.history.operations()) == 1


def _import(workspace: Path, file: Path) -> None:
    with Engine.open(workspace) as engine:
        engine.maintenance.import_state(file, force=True)


# ── archives that somebody altered ────────────────────────────────────────────────────────────────────────────────────


def _archive(*members: tuple[tarfile.TarInfo, bytes], named: dict[str, bytes] | None = None) -> io.BytesIO:
    """An archive of these members; `named`: what its manifest says."""
    files = named if named is not None else {info.name.removeprefix("state/"): data for info, data in members}
    listed = tuple(ArchivedFile(path, len(data), hashlib.sha256(data).hexdigest()) for path, data in files.items())
    manifest = msgspec.json.encode(Manifest(format=1, made_at=NOW, workspace=HERE, files=listed))
    whole = io.BytesIO()
    with tarfile.open(fileobj=whole, mode="w") as tar:
        for info, data in (*members, (tarfile.TarInfo(MANIFEST), manifest)):
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    whole.seek(0)
    return whole


def _member(
    name: str, data: bytes = b"x", kind: bytes = tarfile.REGTYPE, link: str = ""
) -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, link
    return info, data


def test_a_file_of_more_than_one_piece_comes_back_whole(tmp_path: Path) -> None:
    data = bytes(range(256)) * 5_000
    unpack(_archive(_member("state/audit.jsonl", data)), tmp_path, None)
    assert (tmp_path / "audit.jsonl").read_bytes() == data


def test_an_archive_of_plain_files_is_unpacked(tmp_path: Path) -> None:
    unpack(_archive(_member("state/queue/bodies/p.json"), _member("state/audit.jsonl", b"")), tmp_path, None)
    assert (tmp_path / "queue/bodies/p.json").read_bytes() == b"x"
    assert (tmp_path / "audit.jsonl").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "name",
    [
        "state/../x", "state//x", "/state/x", "x", "state/", "state/a/../../x", "state/./x", "state/a\\b", "state/é",
        "state/journal.json", "state/lock", "state/held-log/o.json", "state/held/x", "state/stage/x", "state/.x.new",
        "state/state.db-wal", "state/a/b/c/d/e", "state/a\nb", f"state/{'a' * 256}",
    ],
)  # fmt: skip
def test_a_path_that_leads_elsewhere_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(Refused):
        unpack(_archive(_member(name)), tmp_path / "new", None)
    assert not list(tmp_path.rglob("x"))


@pytest.mark.parametrize(
    "kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE, tarfile.CONTTYPE]
)
def test_links_devices_and_folders_are_refused(tmp_path: Path, kind: bytes) -> None:
    with pytest.raises(Refused):
        unpack(_archive(_member("state/x", b"", kind, "/etc/passwd")), tmp_path, None)
    assert list(tmp_path.iterdir()) == []


def test_what_the_manifest_does_not_say_is_damage(tmp_path: Path) -> None:
    one = _member("state/a")
    for number, (archive, what) in enumerate(
        (
            (_archive(one, named={"a": b"y"}), "manifest"),
            (_archive(one, named={}), "manifest"),
            (_archive(one, named={"a": b"x", "b": b""}), "manifest"),
            (_archive(one, _member("state/a")), "twice"),
            (io.BytesIO(b"no tar" * 1000), "no whole archive"),
            (io.BytesIO(_archive(one).getvalue()[:1200]), "no whole archive"),
            (io.BytesIO(_archive(one).getvalue().replace(b'"format":1', b'"format":9')), "format 9"),
        )
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        with pytest.raises(MemdeckError, match=what):
            unpack(archive, folder, None)


def test_a_damaged_archive_changes_nothing(workspace: Path, tmp_path: Path) -> None:
    file = tmp_path / "state.tar"
    with Engine.open(workspace) as engine:
        engine.maintenance.export_state(file)
    data = bytearray(file.read_bytes())
    data[data.index(b'"intent"')] ^= 1
    file.write_bytes(data)
    state = _state(workspace)
    before = sorted(entry.name for entry in state.parent.iterdir())
    with Engine.open(workspace) as engine, pytest.raises(Damaged):
        engine.maintenance.import_state(file, force=True)
    assert sorted(entry.name for entry in state.parent.iterdir()) == before
