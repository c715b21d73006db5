"""`memdeck load`: what platforms load, and what falls off."""

import io
import json
import sys
from pathlib import Path

import pytest

from tests.ready_demo import Demo
from tests.tui.cli.conftest import Run


@pytest.fixture
def agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "agent"
    folder.mkdir()
    for name in ("STATE", "CONFIG", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    (folder / "MEMORY.md").write_text(
        "# Memory\n" + "- a\n" * 198 + "## Deploys\n- \x1b[31mon Friday\n", encoding="utf-8"
    )
    monkeypatch.chdir(folder)
    return folder


def test_load_names_every_line_that_falls_off_with_its_entry(run: Run, agent: Path) -> None:
    ran = run("load")
    assert ran.code == 0 and "Claude Code · main" in ran.out
    assert "201/200 lines" in ran.out and "1 line falls off" in ran.out
    assert "201  - ␛[31mon Friday  Deploys" in ran.out and "\x1b" not in ran.out
    assert "OpenClaw · main  no sign of it here (SOUL.md" in ran.out


def test_load_gives_the_same_as_json(run: Run, agent: Path) -> None:
    (found,) = json.loads(run("load", "--platform", "claude-code", "--json").out)
    memory = next(file for file in found["files"] if file["name"] == "MEMORY.md")
    assert found["used"] and found["version"] and found["fallen"] == 1
    assert memory["state"] == "cut" and memory["caps"][0]["headroom"] == -1
    assert [(line["line"], line["entry"]) for line in memory["fallen"]] == [(201, "Deploys")]
    assert memory["text"].endswith("## Deploys")


def test_a_platform_that_is_asked_for_is_shown_whole(run: Run, agent: Path) -> None:
    ran = run("load", "--platform", "openclaw", "--session", "subagent")
    assert "OpenClaw · subagent" in ran.out and "AGENTS.md" in ran.out and "MEMORY.md" not in ran.out
    assert run("load", "--platform", "cursor").code == 2
    assert run("load", "--session", "all").code == 2


def test_a_policy_that_fits_no_platform_is_refused_at_once(run: Run, agent: Path, tmp_path: Path) -> None:
    (tmp_path / "config/memdeck").mkdir(parents=True)
    (tmp_path / "config/memdeck/policy.yaml").write_text("context: {platforms: {claude: {}}}\n")
    ran = run("status")
    assert ran.code == 2 and "there is no platform 'claude'" in ran.err


def test_compile_prints_items_with_state_and_reason_and_then_the_prompt(run: Run, agent: Path) -> None:
    ran = run("compile", "when on \x1b[31mFriday?", "--budget", "600")
    assert ran.code == 0 and "of 600 tokens (o200k_base) · main" in ran.out
    assert "cut" in ran.out and "MEMORY.md" in ran.out and "prefix stable for" in ran.out
    assert ran.out.rstrip().endswith("when on ␛[31mFriday?") and "\x1b" not in ran.out
    only = run("compile", "--message", "hello", "--prompt")
    assert only.out.startswith("Text between <recalled") and "prefix stable" not in only.out


def test_compile_gives_the_keys_that_are_promised(run: Run, agent: Path) -> None:
    found = json.loads(run("compile", "--message", "hello", "--session", "shared", "--json").out)
    assert found["budget"] == 8192 and found["tokens"] <= 8192 and found["tokenizer"] == "o200k_base"
    assert found["prefix"]["sha256"].startswith("sha256:") and found["prompt"].endswith("[message]\nhello\n")
    keys = {"label", "priority", "path", "tokens", "score", "state", "reason"}
    assert all(keys <= set(item) for item in found["items"])
    (memory,) = (item for item in found["items"] if item["path"] == "MEMORY.md")
    assert memory["state"] == "dropped" and memory["reason"] == "only a main session sees it"


def test_a_message_without_room_ends_with_exit_code_6(run: Run, agent: Path) -> None:
    ran = run("compile", "--message", "word " * 400, "--budget", "300")
    assert ran.code == 6 and "more than the whole budget of 300" in ran.err
    assert run("compile", "--message", "hi", "--budget", "40").code == 6
    assert run("compile").code == 2 and run("compile", "a", "--message", "b").code == 2


def test_why_names_the_lines_behind_an_answer(run: Run, demo: Demo, tmp_path: Path) -> None:
    answer = "The new checkout came back for 5 % of the carts."
    ran = run("why", answer)
    assert (ran.code, ran.err) == (0, "")
    assert "share its rare words" in ran.out and "MEMORY.md:" in ran.out and "entry:" in ran.out
    found = json.loads(run("why", "--json", answer).out)
    first = found["origins"][0]
    line = (demo.folder / first["path"]).read_text("utf-8").splitlines()[first["line"] - 1]
    assert line.strip() == first["text"].strip() and "checkout" in first["words"] and found["answer"] == answer
    file = tmp_path / "answer.txt"
    file.write_text(answer, encoding="utf-8")
    assert json.loads(run("why", "--json", "--file", str(file)).out) == found
    assert "it is not from there" in run("why", "Zzyzx qwop.").out


def test_why_of_a_turn_and_its_errors(run: Run, demo: Demo) -> None:
    source = sorted(path.relative_to(demo.folder) for path in (demo.folder / "raw").rglob("*.md"))[-1].as_posix()
    found = json.loads(run("why", "--json", "--of", source).out)
    assert found["answer"] and found["message"]
    assert run("why").code == 2 and run("why", "x", "--turn", "1").code == 2
    assert "none of the agent's" in run("why", "--of", source, "--turn", "1").err


PROBES = """\
probes:
  - {question: note 3, expect: keep note 3}
  - {question: "\\e[31mcapital?", expect: Paris}
  - {question: no expectation}
"""


def old_notes(agent: Path) -> None:
    """Twelve working notes that a compaction moves."""
    (agent / "memory/working").mkdir(parents=True)
    for number in range(1, 13):
        note = f"# 2026-01-{number:02}\n\n- decided: we keep note {number} as it is\n"
        (agent / f"memory/working/2026-01-{number:02}-x.md").write_text(note)


def test_probes_are_asked_now_and_under_a_plan_by_command(run: Run, agent: Path) -> None:
    assert "no probes" in run("probe").out
    old_notes(agent)
    (agent / "probes.yaml").write_text(PROBES, encoding="utf-8")
    ran = run("probe")
    assert ran.code == 0 and "1 of 2 probes holds" in ran.out and "needs one of `expect:` and `not:`" in ran.err
    assert "expects “Paris” in search" in ran.out and "\x1b" not in ran.out and "␛[31mcapital?" in ran.out
    made = json.loads(run("plan", "compact", "--json").out)
    changes = json.loads(run("probe", made["plan"], "--json").out)
    assert [one["question"] for one in changes] == ["note 3", "\x1b[31mcapital?"]
    assert [one["outcome"] for one in changes] == ["kept", "unmet"] and changes[1]["before"]["held"] is False
    assert "1 kept, 1 unmet" in run("probe", made["plan"]).out
    assert "✓ probes  1 kept, 1 unmet" in run("show", made["plan"]).out


def test_suggested_probes_can_be_kept(run: Run, agent: Path) -> None:
    old_notes(agent)
    ran = run("probe", "--suggest", "5")
    assert ran.code == 0 and ran.out.startswith("probes:\n- question: ")
    assert run("probe", "p-1", "--suggest", "5").code == 2
    (agent / "probes.yaml").write_text(ran.out, encoding="utf-8")
    assert "5 of 5 probes hold" in run("probe").out


def test_a_loss_that_the_policy_blocks_ends_with_exit_code_6(run: Run, agent: Path, tmp_path: Path) -> None:
    (tmp_path / "config/memdeck").mkdir(parents=True)
    (tmp_path / "config/memdeck/policy.yaml").write_text("probes: {on_loss: block}\n")
    (tmp_path / "config/memdeck/probes.yaml").write_text("probes: [{question: we keep note 3, not: source-date}]\n")
    old_notes(agent)
    made = json.loads(run("plan", "compact", "--json").out)
    assert made["gates"][-1] == {"id": "probes", "passed": False, "detail": "1 lost"}
    ran = run("probe", made["plan"])
    assert ran.code == 6 and "✗ lost" in ran.out and "the policy blocks this plan: 1 lost" in ran.err


def test_two_prompts_are_compared_by_command(run: Run, agent: Path) -> None:
    ran = run("compile", "on \x1b[31mFriday?", "--compare", "300..4096")
    assert ran.code == 0 and "300 tokens, " in ran.out and "the prefix differs" in ran.out
    assert "MEMORY.md" in ran.out and "\x1b" not in ran.out
    found = json.loads(run("compile", "Friday", "--compare", "300", "--json").out)
    assert [side["budget"] for side in found["sides"]] == [8192, 300] and not found["prefix_kept"]
    memory = next(item for item in found["items"] if item["path"] == "MEMORY.md")
    assert memory["fate"] in ("changed", "fell out") and memory["reason"]
    assert run("compile", "x", "--compare", "300", "--prompt").code == 2
    assert run("compile", "x", "--compare", "p-20200101-0001").code != 0


def test_what_a_session_reports_stands_beside_what_is_simulated(
    run: Run, agent: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (agent / "CLAUDE.md").write_text("# Rules\n")
    assert "simulated" in run("load").out and "observed" not in run("load").out
    for path in (agent / "CLAUDE.md", "/home/ana/.claude/\x1b[31mCLAUDE.md"):
        told = {"hook_event_name": "InstructionsLoaded", "session_id": "s-1", "file_path": str(path)}
        event = json.dumps(told | {"memory_type": "Project", "load_reason": "session_start"}).encode()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(event)))
        assert run("hook", "loaded").code == 0
    out = run("load").out
    assert "observed " in out and "outside the workspace (session_start)" in out and "\x1b" not in out
    (found,) = json.loads(run("load", "--platform", "claude-code", "--json").out)
    assert next(file["observed"]["mark"] for file in found["files"] if file["name"] == "CLAUDE.md") == "observed"
    assert found["besides"][0]["mark"] == "differs"
    (agent / "CLAUDE.md").write_text("# Rules\n\nmore\n")
    assert "it changed since: 1 lines then, 3 now" in run("load").out
