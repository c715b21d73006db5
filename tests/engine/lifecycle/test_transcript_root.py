"""A transcript root outside the workspace: read as those inside are, and written by capture alone (decision D32)."""

import os
from pathlib import Path

import pytest

from engine.errors import MemdeckError, Refused
from engine.lifecycle.requests import ImportRequest, ReplayRequest
from engine.plans.plan import Create, Replace
from engine.plans.planning import PlanRequest
from engine.services.engine import Engine
from engine.workspace.file_events import Watcher
from engine.workspace.paths import WorkspaceRoot
from engine.workspace.transcript_root import TranscriptRoot
from tests.engine.lifecycle.applying import approve
from tests.engine.lifecycle.events import end, line, said, start

DECIDED = "We decided to keep the boat on the lake."
PATH = "raw/conversations/2026/02/16/1845-ses_1-"


class Place:
    """A workspace whose settings name a folder beside it, and a policy that allows it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.notes, self.outer = folder, folder / "ws", folder / "outer"
        for made in (self.notes / "knowledge", self.outer, folder / "config/memdeck"):
            made.mkdir(parents=True)
        self.outer.chmod(0o700)
        self.settings(str(self.outer))
        self.policy(str(self.outer))

    def settings(self, path: str) -> None:
        (self.notes / "memory-config.yaml").write_text(f"lifecycle:\n  transcript_root: '{path}'\n", "utf-8")

    def policy(self, *paths: str) -> None:
        listed = ", ".join(f"'{path}'" for path in paths)
        (self.folder / "config/memdeck/policy.yaml").write_text(
            f"lifecycle: {{transcript_roots: [{listed}]}}\n", "utf-8"
        )

    def open(self) -> Engine:
        env = {"XDG_STATE_HOME": str(self.folder / "state"), "XDG_CONFIG_HOME": str(self.folder / "config")}
        return Engine.open(self.notes, env=env)

    def captured(self, session: str = "ses_1", text: str = DECIDED) -> None:
        events = (start(session), line("tool", name="ls", args={}, result="x", time="2026-02-16T18:45:30Z"))
        with self.open() as console:
            list(console.capture.record((*events, said(text), end())))

    def files(self, folder: Path) -> dict[str, bytes]:
        return {str(one.relative_to(folder)): one.read_bytes() for one in folder.rglob("*") if one.is_file()}


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def told(console: Engine) -> list[str]:
    return [f"{one.id} {one.what}" for one in console.maintenance.check()]


def test_d32_capture_writes_outside_and_nothing_of_it_inside(place: Place) -> None:
    """D32: below the same folders by day, closed by its hash, and not owed to the git of the workspace."""
    place.captured()
    (name,) = place.files(place.outer)
    assert name.startswith(PATH.removeprefix("raw/conversations/"))
    assert not (place.notes / "raw").exists()
    with place.open() as console:
        (closed,) = console.capture.closed()
        assert closed.path == f"raw/conversations/{name}"
        assert console.capture.findings() == () and told(console) == []
        (place.outer / name).write_bytes(b"other")
        (finding,) = console.capture.findings()
        assert finding.id == "transcript_changed"


def test_d32_a_session_left_open_by_a_crash_is_recovered_outside(place: Place) -> None:
    with place.open() as console:
        list(console.capture.record((start("ses_1"), said(DECIDED))))
        (path,) = place.files(place.outer)
        (place.outer / path).write_bytes(b"")
        assert [one.id for one in console.capture.recover()] == ["transcript_recovered"]
        assert DECIDED.encode() in (place.outer / path).read_bytes()
        console.capture.close("ses_1")
    assert place.files(place.outer).keys() != {path} and not (place.notes / "raw").exists()


def test_d32_it_is_extracted_searched_condensed_replayed_and_linted_as_one_inside(place: Place) -> None:
    """D32: and an apply changes nothing outside."""
    place.captured()
    before = place.files(place.outer)
    with place.open() as console:
        assert console.lifecycle.pipeline().closed == 1
        plan = console.plans.make("extract").plan
        assert plan is not None
        (entry,) = console.extractions.entries(plan.id)
        assert entry.source.path.startswith(PATH)
        approve(console, plan)
        assert any(DECIDED in one.content for one in plan.changes if isinstance(one, Create | Replace))
        assert console.plans.make("replay", PlanRequest(ReplayRequest(workers=1))).plan is None
        assert console.plans.make("condense").reason_no_action or console.plans.make("condense").plan is not None
        console.search.index()
        hits = [hit.path for hit in console.search.find("boat lake").hits]
        assert any(path.startswith(PATH) for path in hits)
        (place.outer / "2026/02/16/0900-ses_x-bad.md").write_text("no head\n", "utf-8")
        assert any(one.path.endswith("ses_x-bad.md") for one in console.maintenance.lint())
        (place.outer / "2026/02/16/0900-ses_x-bad.md").unlink()
    assert place.files(place.outer) == before


def test_d32_nothing_but_capture_writes_outside(place: Place) -> None:
    """D32: neither an import, nor an editor, nor the executor whatever its plan says."""
    place.captured()
    (name,) = place.files(place.outer)
    (place.folder / "there").mkdir()
    (place.folder / "there/s.jsonl").write_bytes(b"{}\n")
    with place.open() as console:
        request = PlanRequest(ImportRequest("claude-code", str(place.folder / "there")))
        with pytest.raises(Refused, match="only capture writes"):
            console.plans.make("import", request)
        with pytest.raises(Refused, match="only read"):
            console.revert.text_to_edit(f"raw/conversations/{name}")


def test_d32_the_executor_opens_no_folder_outside(place: Place) -> None:
    from engine.plans.apply.folders import OpenFolders
    from engine.state.folder import StateFolder

    with WorkspaceRoot.open(place.notes) as root:
        root.transcripts = TranscriptRoot.open(str(place.outer), root.identity.path)
        state = StateFolder.locate(root.identity, place.folder / "state/memdeck")
        with OpenFolders(root, state) as folders:
            for path in ("raw/conversations", "raw/conversations/2026"):
                with pytest.raises(Refused, match="only capture writes"):
                    folders.folder(path)
            with pytest.raises(Refused, match="only capture writes"):
                folders.spot("raw/conversations/x.md", changes=True)


def test_d32_a_root_that_only_the_agent_names_is_ignored_and_told(place: Place) -> None:
    """D32, G12: the agent can write memory-config.yaml; the operator's policy must name the same folder."""
    place.policy()
    place.captured()
    assert place.files(place.outer) == {} and any(path.startswith("raw/") for path in place.files(place.notes))
    with place.open() as console:
        assert any(said.startswith("transcript_root") and "does not name it" in said for said in told(console))


@pytest.mark.parametrize("fault", ["missing", "link", "file", "inside", "around", "relative", "shared"])
def test_d32_a_root_that_cannot_be_used_is_told_and_nothing_falls_back_to_the_inside(place: Place, fault: str) -> None:
    path = str(place.outer)
    match fault:
        case "missing":
            place.outer.rmdir()
        case "link":
            place.outer.rmdir()
            (place.folder / "elsewhere").mkdir()
            place.outer.symlink_to(place.folder / "elsewhere")
        case "file":
            place.outer.rmdir()
            place.outer.write_text("x")
        case "inside":
            path = str(place.notes / "knowledge")
        case "around":
            path = str(place.folder)
        case "relative":
            path = f"{place.folder}/../{place.folder.name}/outer"
        case "shared":
            place.outer.chmod(0o777)
    place.settings(path)
    place.policy(path)
    with place.open() as console:
        assert any(said.startswith("transcript_root") and "cannot be used" in said for said in told(console))
        with pytest.raises(MemdeckError, match="transcripts are in"):
            list(console.capture.record((start("ses_1"), said(DECIDED), end())))
        assert console.plans.make("extract").plan is None
    assert not (place.notes / "raw").exists() and not list(place.notes.rglob("*ses_1*"))


def test_d32_no_link_in_the_root_is_followed(place: Place) -> None:
    place.captured()
    secret = place.folder / "secret"
    secret.mkdir()
    (secret / "1000-ses_9-x.md").write_text(f"---\nsession_id: x\n---\n\n## 10:00 — user\n{DECIDED}\n", "utf-8")
    (place.outer / "2027").symlink_to(secret)
    (place.outer / "1000-ses_9-x.md").symlink_to(secret / "1000-ses_9-x.md")
    with place.open() as console:
        assert not [one for one in console.extractions.offered() if "ses_9" in one.source.path]
        plan = console.plans.make("extract").plan
        assert plan is not None and not any("ses_9" in path for path in (one.path for one in plan.inputs))


def test_d32_what_was_inside_stays_there_unread(place: Place) -> None:
    place.policy()
    place.captured("ses_0")
    before = place.files(place.notes / "raw")
    place.policy(str(place.outer))
    place.captured("ses_1", "We decided to sell the car.")
    with place.open() as console:
        plan = console.plans.make("extract").plan
        assert plan is not None
        assert [one.quote for one in console.extractions.entries(plan.id)] == ["We decided to sell the car."]
    assert place.files(place.notes / "raw") == before


def test_d32_a_change_outside_is_noticed(place: Place) -> None:
    with WorkspaceRoot.open(place.notes) as root:
        root.transcripts = TranscriptRoot.open(str(place.outer), root.identity.path)
        watcher = Watcher(root)
        place.captured()
        found = watcher._differences()
        assert any(path.startswith(PATH) for path in found)
        (name,) = place.files(place.outer)
        assert watcher._relative(os.fspath(place.outer / name)) == f"raw/conversations/{name}"
        assert root.place(f"raw/conversations/{name}") == place.outer / name
