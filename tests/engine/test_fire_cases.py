"""Findings of a review under fire that no other test held, and where the tests of the others are.

| finding | test |
| --- | --- |
| faults and power cuts lose notes, folder entries dropped too | `tests/soak/test_soak.py`, `tests/soak/test_disk.py` |
| locks left by a memdeck that died with its git | `history/test_left_over.py` |
| updates lost between processes | `state/test_processes.py`, `plans/test_races.py` |
| vendors' keys of unknown names, seed phrases | here; `text/secrets/test_announced.py`, `test_detector.py` |
| poison in nine languages, orders, false alarms | `text/poison/test_classifier.py`, `test_labelled.py` |
| `share`, `review`, proposals take anything in | `workspace/test_foreign_text.py`; here: replacing, the prompt |
| doors that tell a secret | `tests/tui/cli/test_all_doors.py`; here: probes on a plan, known entries |
| an unfinished `share sparse` | `lifecycle/test_share.py` |
| a year in which no session took place | here |
| the operator's plan in a storm, a log that changes | `test_storm.py` |
| looks that read every operation | here; `plans/test_operation_cache.py`, `plans/test_check.py` |
| approvals without a person | `tests/tui/cli/test_approving.py`, `plans/test_apply.py` |
| hostile repositories, control bytes | `test_planted_programs.py`, `tests/tui/cli/test_hostile.py` |
| imports that leave their folder | `extras/test_hostile_containers.py`, `extras/test_export.py` |
"""

import random
import re
import string
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from engine.extras.importers.kinds import KINDS
from engine.lifecycle.requests import ExtractRequest, FolderRequest, ImportRequest
from engine.plans.planning import PlanRequest
from engine.plans.records.operations import Operations
from engine.services.engine import Engine
from engine.text.secrets.detector import redact
from tests.benchmarks.loads import FIRST, environment, write_operations
from tests.engine.extras import other_tools
from tests.engine.history.repos import make_repo, write
from tests.engine.lifecycle.events import capture, end, said, start
from tui.cli.main import main

NOW = datetime(2026, 3, 15, 9, 0, tzinfo=UTC)
EPOCH = -62_135_596_800
"""The first second of the year 1."""
PASSWORD = "Tr4ub9xQzK7m"
ITALIAN = "baraonda rumoroso vergogna petalo divano svizzera delegare imbocco scelto inumidire mannaro sclerare"


def test_a_seed_phrase_in_italian_is_hidden() -> None:
    assert ITALIAN not in redact(f"the wallet: {ITALIAN}")


@pytest.mark.parametrize("prefix", ["zvq_", "nimb-", "hx_live_", "qorra_pat_", "wend-sk-", "TZ1.", "bk-v2-"])
def test_a_long_random_part_behind_a_prefix_that_nobody_listed_is_hidden(prefix: str) -> None:
    chance = random.Random(3)
    keys = ["".join(chance.choices(string.ascii_letters + string.digits, k=40)) for _ in range(20)]
    shown = [redact(f"we moved to {prefix}{key} on the new box") for key in keys]
    assert sum(key[-20:] in text for key, text in zip(keys, shown, strict=True)) <= 4


# ── doors ───────────────────────────────────────────────────────────────────────────────────────────────────────────

GUARDED = {
    "memory/ROOT.md": "# Root\n",
    "memory/daily/2026-03-01.md": "---\ntype: daily\nstatus: fixed\nsource: memory/2026-03-01.md\n---\n# Day\n",
    "memory/semantic/known.md": "Title: Known\nContext: c\nDurable Insight: i\n",
    "raw/conversations/2026/03/02/1000-s.md": "---\nsession_id: s\n---\n",
    "AGENTS.md": "# Rules\n",
}
PLAIN = "knowledge/projects/plain.md"


def test_a_review_replaces_nothing_that_memdeck_or_the_operator_alone_writes(tmp_path: Path, own_home: Path) -> None:
    files = GUARDED | {PLAIN: "# Plain\n"}
    for folder in ("ws", "before", "after"):
        write(tmp_path / folder, files)
    write(tmp_path / "after", {path: f"{text}- more\n" for path, text in files.items()})
    with Engine.open(tmp_path / "ws", clock=lambda: NOW) as console:
        asked = PlanRequest(FolderRequest(str(tmp_path / "before"), str(tmp_path / "after")))
        plan = console.plans.make("review", asked).plan
    assert plan is not None and [one.path for one in plan.changes] == [PLAIN]
    assert all(path in plan.report for path in GUARDED)


def test_what_a_share_and_a_review_hold_back_is_told_where_the_plan_is_asked_for(
    tmp_path: Path, own_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    held = {"knowledge/keys.md": f"# Keys\n\nthe password is {PASSWORD}\n", "CLAUDE.md": "# Rules\n"}
    team = make_repo(tmp_path / "team", {**held, "deploy.md": "# Deploy\n"}, "-b", "main")
    write(own_home, {"config/memdeck/policy.yaml": f"git: {{shared: {{team: {team}}}}}\n"})
    place = make_repo(tmp_path / "agent", {"knowledge/bo.md": "# Bo\n"}, "-b", "main")
    (tmp_path / "empty").mkdir()
    write(tmp_path / "after", {**held, "knowledge/deploy.md": "# Deploy\n"})
    for words in (("share", "add", "team"), ("review", str(tmp_path / "empty"), str(tmp_path / "after"))):
        assert main(["-w", str(place), *words]) == 0
        told = "".join(capsys.readouterr())
        assert "held back" in told and all(path in told for path in held), words
        assert PASSWORD not in told


def test_a_plan_keeps_no_secret_of_a_probe(tmp_path: Path, own_home: Path) -> None:
    """Not in its facts, its warnings, its report, nor anywhere in the file of the queue."""
    probe = f"{{question: is the password {PASSWORD} still in use, expect: the password is {PASSWORD}}}"
    notes = {"memory/2026-03-01.md": "# 2026-03-01\n- We decided on blue.\n", "probes.yaml": f"probes:\n  - {probe}\n"}
    write(tmp_path / "agent", notes)
    with Engine.open(tmp_path / "agent", clock=lambda: NOW) as console:
        plan = console.plans.make("tree").plan
        queue = console._opened.state.queue
        assert plan is not None and plan.facts["probes"]
    kept = [file.read_text("utf-8") for file in queue.rglob("*") if file.is_file()]
    assert kept and not any(PASSWORD in text for text in kept)


def test_what_is_quicker_kept_tells_no_secret_of_a_transcript_or_of_a_notes_head(
    tmp_path: Path, own_home: Path
) -> None:
    workspace = tmp_path / "agent"
    head = f"---\nsource: here\nstatus: the password is {PASSWORD}\n---\n# Hosts\n"
    write(workspace, {"memory/working/2026-03-01-hosts.md": head})
    for name, text in (("a", f"We decided that the password is {PASSWORD}."), ("b", "We decided to use SQLite.")):
        spoken = (said(text), said("We decided to keep the backups for a year.", at="2026-02-16T18:47:00Z"))
        capture(workspace, start(f"ses_{name}", topic=f"storage {name}"), *spoken, end())
    with Engine.open(workspace, clock=lambda: NOW) as console:
        console.plans.make("extract", PlanRequest(ExtractRequest()))
        console.status.read()
        state = console._opened.state.path
    known = (state / "transcript-entries").read_bytes()
    assert b"SQLite" in known and PASSWORD.encode() not in known
    assert PASSWORD.encode() not in (state / "cache").read_bytes()


# ── times and many operations ───────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("kind", KINDS)
def test_an_import_files_no_session_under_a_year_that_had_none(
    tmp_path: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr(other_tools, "AT", EPOCH)
    for number, name in enumerate(("FIRST", "SECOND", "THIRD")):
        monkeypatch.setattr(other_tools, name, f"0001-01-01T18:4{5 + number}:00Z")
    (tmp_path / "ws").mkdir()
    other_tools.WRITERS[kind](tmp_path / "there")
    for file in [one for one in (tmp_path / "there").rglob("*") if one.is_file()]:
        data = file.read_bytes().replace(b"2026-02-16", b"0001-01-01")
        data = re.sub(rb"\b17712\d{5}\b", str(EPOCH).encode(), data)
        if data != file.read_bytes():  # a form may have its time of the file itself
            file.write_bytes(data)
        file.rename(file.with_name(file.name.replace("2026", "0001")))
    with Engine.open(tmp_path / "ws", clock=lambda: NOW) as console:
        outcome = console.plans.make("import", PlanRequest(ImportRequest(kind, str(tmp_path / "there"))))
    assert outcome.plan is None and outcome.facts["counts"]["turn without a time"] == 3


LOOKS: dict[str, tuple[Callable[[Engine], object], int]] = {
    "recall when": (lambda console: list(console.recall.when("version 0, word7")), 20),
    "digest": (lambda console: console.digest.make(FIRST + timedelta(days=40)), 2),
    "kept": (lambda console: console.history.kept(), 0),
}
"""Looks, and the most records that one of them may open once the operations are known."""


@pytest.mark.parametrize("name", LOOKS)
def test_a_second_look_does_not_open_every_operation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    env = environment(tmp_path)
    write_operations(tmp_path / "ws", env, 240)
    look, most = LOOKS[name]
    opened: list[str] = []
    read = Operations._read

    def noted(self: Operations, record: str) -> object:
        opened.append(record)
        return read(self, record)

    monkeypatch.setattr(Operations, "_read", noted)
    for _ in range(2):
        opened.clear()
        with Engine.open(tmp_path / "ws", env=env, clock=lambda: FIRST + timedelta(days=45)) as console:
            assert look(console) is not None
    assert len(opened) <= most
