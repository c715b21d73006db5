"""`memdeck topics match|list|event`: JSON lines in and out, errors that stop nothing (`CLI.md`)."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.tui.cli.conftest import Run

TOPICS = {
    "email-triage": """
type: topic
triggers:
  - {type: pattern, match: '\\b(email|inbox)\\b'}
  - {type: webhook, source: email, event: new_message}
subscriptions: [knowledge/people/_index.md]
activation: auto
""",
    "python-2": """
type: topic
triggers:
  - {type: pattern, match: '(?m)^print ', scope: output, correction_hint: Use Python 3.}
activation: auto
""",
    "ops/daily": """
type: topic
triggers: [{type: cron, schedule: '0 8 * * *'}]
priority: high
""",
    "broken": """
type: topic
triggers:
  - type: pattern
    match: '(?=x)'
""",
}
PROMISED = ["id", "candidates", "scores", "decisions", "active", "corrections"]


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "notes"
    for name, frontmatter in TOPICS.items():
        file = folder / "topics" / f"{name}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"---{frontmatter}---\n\n# {name}\n\nDo what has to be done.\n", "utf-8")
    monkeypatch.chdir(folder)
    return folder


def matched(run: Run, monkeypatch: pytest.MonkeyPatch, *lines: object, options: tuple[str, ...] = ()) -> list[Any]:
    """The answers to messages; text that is no message goes in as it is."""
    written = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines) + "\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(written.encode("utf-8", "surrogatepass"))))
    ran = run("topics", "match", *options)
    assert ran.code == 0, ran
    return [json.loads(line) for line in ran.out.splitlines()]


def test_each_message_gets_the_line_that_is_promised(run: Run, notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = matched(
        run, monkeypatch, {"id": 7, "text": "sort my inbox", "direction": "input"}, {"id": "b", "text": "hello"}
    )
    assert list(first)[:6] == PROMISED and list(second)[:6] == PROMISED
    assert (first["id"], first["candidates"], first["active"]) == (7, ["email-triage"], ["email-triage"])
    (decision,) = first["decisions"]
    assert (decision["topic"], decision["rule"], decision["gate"], decision["activated"]) == (
        "email-triage",
        "auto",
        "none",
        True,
    )
    assert decision["evidence"][0]["found"] == "inbox"
    assert decision["pulled_in"] == ["topics/email-triage.md", "knowledge/people/_index.md"]
    assert set(first["scores"]) == {"email-triage"}
    assert (second["id"], second["candidates"], second["scores"], second["active"]) == ("b", [], {}, [])


def test_a_line_that_is_no_message_is_named_and_skipped(run: Run, notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = ["nope", "", "[]", '{"id": 1}', '{"id": 2, "text": 3}', '{"id": 3, "text": "x", "direction": "up"}']
    lines += ['{"text": "x", "time": "soon"}', "[" * 5_000, '{"id": "\x1b[31m", "text": "inbox"}', '{"text": "\x00"}']
    written = (
        "\n".join([*lines, '{"id": "last", "text": "inbox \\u202e"}']) + "\n" + '{"id": "no end", "text": "inbox"}'
    )
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(written.encode())))
    ran = run("topics", "match")
    assert ran.code == 2 and "\x1b" not in ran.out + ran.err
    assert [json.loads(line)["id"] for line in ran.out.splitlines()] == ["last", "no end"]
    for number in (1, 3, 4, 5, 6, 7, 8, 9, 10):
        assert f"line {number}:" in ran.err
    assert "9 lines skipped" in ran.err and "1 topic file disabled" in ran.err


def test_d20_hints_wait_for_their_cooldown_unless_messages_stand_apart(
    run: Run, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = {"text": "print 3", "direction": "output"}
    first, again = matched(run, monkeypatch, said, said)
    assert first["corrections"] == [{"topic": "python-2", "hint": "Use Python 3."}]
    assert again["corrections"] == [] and again["withheld"][0]["reason"] == "cooldown"
    apart = matched(run, monkeypatch, said, said, options=("--apart",))
    assert all(len(each["corrections"]) == 1 for each in apart)
    (injected,) = matched(run, monkeypatch, {**said, "injected": True})
    assert injected["corrections"] == injected["candidates"] == []


def test_answers_come_before_the_input_ends(notes: Path) -> None:
    command = [sys.executable, "-m", "tui.cli", "topics", "match"]
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[3])}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env) as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(b'{"id": 1, "text": "inbox"}\n')
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["active"] == ["email-triage"]
        process.stdin.close()
        assert process.wait() == 0


def test_list_names_topics_and_errors_with_their_lines(run: Run, notes: Path) -> None:
    ran = run("topics", "list")
    assert ran.code == 0 and "email-triage" in ran.out and "ops/daily" in ran.out
    assert "topics/broken.md:5" in ran.out and "`(?=x)`" in ran.out and "1 file disabled" in ran.out
    found = json.loads(run("topics", "list", "--json").out)
    assert [topic["id"] for topic in found["topics"]] == ["email-triage", "ops/daily", "python-2"]
    (error,) = found["errors"]
    assert (error["path"], error["line"], error["topic"]) == ("topics/broken.md", 5, "broken")
    assert found["topics"][0]["triggers"][0]["type"] == "pattern"


def test_list_without_topics_says_what_one_is(run: Run, tmp_path: Path) -> None:
    assert "topics/NAME.md" in run("topics", "list", "-w", str(tmp_path)).out


def test_a_webhook_wakes_its_topic(run: Run, notes: Path) -> None:
    found = json.loads(run("topics", "event", "webhook", "email", "new_message", "--text", "Invoice").out)
    assert found["active"] == ["email-triage"] and list(found)[:6] == PROMISED
    assert json.loads(run("topics", "event", "webhook", "email", "other").out)["active"] == []
    assert run("topics", "event", "webhook").code == 2
    assert run("topics", "event", "webhook", "a", "b", "c").code == 2
    assert run("topics", "event", "smoke").code == 2


def test_a_schedule_wakes_its_topic_once_it_fell_due(run: Run, notes: Path) -> None:
    at = ("--now", "2026-03-15T08:00:30Z")
    assert json.loads(run("topics", "event", "cron", *at).out)["active"] == ["ops/daily"]
    at = ("--now", "2026-03-15T09:00:00Z")
    assert json.loads(run("topics", "event", "cron", *at).out)["active"] == []
    assert json.loads(run("topics", "event", "cron", "--since", "2026-03-10", *at).out)["active"] == ["ops/daily"]
    assert run("topics", "event", "cron", "--since", "someday").code == 2
    assert run("topics", "event", "cron", "daily").code == 2


def test_every_decision_is_kept(run: Run, notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from engine.services.engine import Engine

    matched(run, monkeypatch, {"id": 1, "text": "inbox"}, {"id": 1, "text": "inbox"})
    run("topics", "event", "webhook", "email", "new_message")
    with Engine.open(notes) as console:
        entries = console.topics.recent(10)
    assert [entry.result.active for entry in entries] == [("email-triage",)] * 3
    assert len({entry.key for entry in entries}) == 3


def test_without_a_message_no_heavy_library_is_loaded(notes: Path) -> None:
    heavy = ("numpy", "sklearn", "anthropic", "py3langid", "vaderSentiment", "tokenizers", "textual")
    script = (
        "import sys; from tui.cli.main import main; code = main(['topics', 'list']);"
        f"print([name for name in {heavy!r} if name in sys.modules], file=sys.stderr); sys.exit(code)"
    )
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[3])}
    done = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "[]\n"), done
