"""`memdeck digest`: one page, its other forms, since when, and the operator's own command."""

import json
from pathlib import Path

import pytest

from tests.ready_demo import NOW, Demo
from tests.tui.cli.conftest import Run

AT = ("--now", NOW.isoformat())


@pytest.fixture
def sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace of the test's own, whose policy gives the digest to `tee FILE`; the file."""
    for name in ("STATE", "CONFIG"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name))
    config = tmp_path / "CONFIG" / "memdeck"
    config.mkdir(parents=True, mode=0o700)
    (config / "policy.yaml").write_text(f"digest: {{command: [tee, {tmp_path / 'sent'}]}}\n", encoding="utf-8")
    note = tmp_path / "ws" / "memory" / "working" / "2026-03-12-deploy.md"
    note.parent.mkdir(parents=True)
    note.write_text("## Decisions\n- keep blue-green, because rollback is one command\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path / "ws")
    return tmp_path / "sent"


def test_a_week_of_the_demo_is_one_page(run: Run, demo: Demo) -> None:
    ran = run("digest", "--since", "7d", *AT)
    assert (ran.code, ran.err) == (0, "") and len(ran.out.splitlines()) <= 40
    for heading in ("What the agent learnt", "What was decided", "What waits for you", "Where it is heading"):
        assert heading in ran.out
    assert "“" in ran.out and "▁" in ran.out
    assert run("digest", "--since", "7d", "--text", *AT).out == ran.out, "the same week, the same bytes"


def test_the_same_page_as_html_and_json(run: Run, demo: Demo) -> None:
    assert run("digest", "--html", *AT).out.startswith("<!DOCTYPE html>")
    found = json.loads(run("digest", "--json", "--since", "7d", *AT).out)
    told = {"since", "until", "learnt", "planned", "approved", "refused", "undone", "waiting", "falling", "curves"}
    assert told <= found.keys()
    quoted = found["learnt"][0]
    line = (demo.folder / quoted["path"]).read_text("utf-8").splitlines()[quoted["line"] - 1]
    assert quoted["text"] in line


@pytest.mark.parametrize("since", ["tomorrow", "banana", "+3d"])
def test_an_instant_that_is_none_or_still_to_come_is_refused(run: Run, demo: Demo, since: str) -> None:
    ran = run("digest", "--since", since)
    assert ran.code == 2 and since in ran.err and "try" in ran.err


def test_two_forms_at_once_are_refused(run: Run, demo: Demo) -> None:
    assert run("digest", "--text", "--html").code == 2


def test_without_a_command_nothing_is_sent_and_the_key_is_named(run: Run, demo: Demo) -> None:
    ran = run("digest", "--send")
    assert ran.code == 2 and "digest.command" in ran.err


def test_the_policys_command_gets_the_text_and_the_next_digest_begins_there(run: Run, sent: Path) -> None:
    shown = run("digest", *AT).out
    assert "keep blue-green" in shown and "from Sun 8 Mar" not in shown
    assert run("digest", "--send", *AT).code == 0
    assert sent.read_text("utf-8") == shown
    later = run("digest", "--json", "--now", "2026-03-17T12:00:00Z").out
    assert json.loads(later)["since"].startswith(NOW.isoformat()[:16])


def test_reading_it_moves_the_mark_as_well_and_looking_does_not(run: Run, sent: Path) -> None:
    at = ("--json", "--now", "2026-03-17T12:00:00Z")
    run("digest", *AT)
    assert json.loads(run("digest", *at).out)["since"].startswith("2026-03-10")
    run("digest", "--read", *AT)
    assert json.loads(run("digest", *at).out)["since"].startswith(NOW.isoformat()[:16])
    assert not sent.exists()
