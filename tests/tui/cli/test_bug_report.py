"""`doctor --bundle`: what a bug report needs, and nothing that an agent or a person wrote."""

import json
from pathlib import Path

import pytest

from engine.errors import MemdeckError
from engine.services.maintenance import MaintenanceService
from tui.bridge.error_log import KEPT, NAME, frames, last_errors, record
from tui.cli.main import main

SECRET = "AKIA" + "Q7Z3NVX2LMTR5WYB"


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, folder in (("XDG_STATE_HOME", "state"), ("XDG_CONFIG_HOME", "config"), ("HOME", "home")):
        monkeypatch.setenv(name, str(tmp_path / folder))
    notes = tmp_path / "secretive-folder" / "memory" / "working"
    notes.mkdir(parents=True)
    (notes / "2026-01-05-merger-plan.md").write_text(f"We buy the rival. key {SECRET}\n")
    (tmp_path / "config" / "memdeck").mkdir(parents=True)
    (tmp_path / "config" / "memdeck" / "policy.yaml").write_text("limits:\n  cooldown_hours: 7\n")
    return tmp_path / "secretive-folder"


def _broken(_service: object) -> None:
    raise ValueError(f"the note says {SECRET}")


def test_the_bundle_names_versions_settings_and_errors_and_holds_no_content(
    workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(MaintenanceService, "doctor", _broken)
        assert main(["doctor", "-w", str(workspace)]) == 1
    file = tmp_path / "report.txt"
    main(["doctor", "-w", str(workspace), "--bundle", str(file)])
    text = file.read_text("utf-8")
    for part in ("## Versions", "textual: ", "## Terminal", "## Last errors", "ValueError", "working: 1"):
        assert part in text
    assert "limits.cooldown_hours: 7" in text
    for private in (SECRET, "rival", "merger", "secretive", str(tmp_path)):
        assert private not in text
    assert file.stat().st_mode & 0o777 == 0o600
    assert "look at it before you attach it" in capsys.readouterr().err


def test_a_file_that_is_there_is_never_written_over(workspace: Path, tmp_path: Path) -> None:
    file = tmp_path / "mine.txt"
    file.write_text("mine")
    assert main(["doctor", "-w", str(workspace), "--bundle", str(file)]) == 2
    link = tmp_path / "link.txt"
    link.symlink_to(tmp_path / "elsewhere.txt")
    assert main(["doctor", "-w", str(workspace), "--bundle", str(link)]) == 2
    assert file.read_text() == "mine" and not (tmp_path / "elsewhere.txt").exists()


def test_read_only_notes_no_error(workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MaintenanceService, "doctor", _broken)
    assert main(["doctor", "-w", str(workspace), "--read-only"]) == 1
    assert last_errors() == ()


def test_errors_are_kept_by_type_and_place_and_the_oldest_go(workspace: Path, tmp_path: Path) -> None:
    for _ in range(400):
        try:
            raise MemdeckError(f"words with {SECRET}")
        except MemdeckError as error:
            assert frames(error)[-1].startswith("tests/tui/cli/test_bug_report.py:")
            record(error, "console")
    log = tmp_path / "state" / "memdeck" / NAME
    assert len(last_errors()) == KEPT
    assert log.stat().st_size < 128 * 1024 and log.stat().st_mode & 0o777 == 0o600
    assert all(json.loads(line)["error"] == "MemdeckError" for line in last_errors())
    assert SECRET not in log.read_text()
