"""Safety keys in the agent's own file reach status, doctor, check and the Overview, and change nothing (A28)."""

from datetime import UTC, datetime
from pathlib import Path

from engine.services.engine import Engine
from tui.present.overview.triggers_notices import attention

NOW = datetime(2026, 3, 15, 3, 0, tzinfo=UTC)
KEYS = "approval: {auto: [A, B, C]}\nlimits: {semantic: {hard: 99999}}\n"


def workspace(tmp_path: Path, text: str) -> Path:
    folder = tmp_path / "agent"
    (folder / "memory" / "working").mkdir(parents=True)
    (folder / "memory" / "working" / "2026-03-01.md").write_text("# Day\n\n- We decided to keep the queue.\n")
    (folder / "memory-config.yaml").write_text(text)
    return folder


def test_a28_safety_keys_are_told_by_status_doctor_and_check_and_ignored(tmp_path: Path) -> None:
    with Engine.open(workspace(tmp_path, KEYS), now=NOW) as console:
        status = console.status.read()
        told = [item.what for item in status.degraded if item.id == "workspace_policy"]
        assert told == [
            'memory-config.yaml: the safety key `approval.auto` is ignored here: ["A","B","C"]',
            "memory-config.yaml: the safety key `limits.semantic.hard` is ignored here: 99999",
        ]
        for findings in (console.maintenance.doctor(), console.maintenance.check()):
            found = [f"{one.where}: {one.what}" for one in findings if one.id == "workspace_policy"]
            assert found == told
        assert {value.key: value.value for value in console.status.policy_values()}["approval.auto"] == ()
        shard = next(trigger for trigger in status.triggers if trigger.id == "semantic_hard")
        assert shard.threshold == 1200


def test_a28_the_overview_tells_them(tmp_path: Path) -> None:
    with Engine.open(workspace(tmp_path, KEYS), now=NOW) as console:
        rows = attention(console.status.read())
    text = "\n".join(str(row) for row in rows)
    assert "approval.auto" in text and "limits.semantic.hard" in text


def test_a28_a_link_in_its_place_is_told_and_not_followed(tmp_path: Path) -> None:
    folder = workspace(tmp_path, KEYS)
    (folder / "memory-config.yaml").unlink()
    (tmp_path / "elsewhere.yaml").write_text(KEYS)
    (folder / "memory-config.yaml").symlink_to(tmp_path / "elsewhere.yaml")
    with Engine.open(folder, now=NOW) as console:
        (told,) = [item.what for item in console.status.read().degraded if item.id == "workspace_policy"]
    assert "cannot be read" in told and "approval.auto" not in told


def test_a_workspace_without_such_keys_has_nothing_to_tell(tmp_path: Path) -> None:
    with Engine.open(workspace(tmp_path, "search: {bm25_weight: 0.4}\n"), now=NOW) as console:
        assert "workspace_policy" not in {item.id for item in console.status.read().degraded}
