"""Events of sessions as a program sends them, and the transcripts that come of them."""

import json
from pathlib import Path
from typing import Any

from engine.lifecycle.capture.recorder import Captured
from engine.services.capture import CaptureProblem
from engine.services.engine import Engine
from engine.workspace.layout import CONVERSATIONS


def line(event: str, **fields: Any) -> bytes:
    return json.dumps({"event": event, **fields}).encode() + b"\n"


def start(session: str = "ses_1", at: str = "2026-02-16T18:45:00Z", **more: Any) -> bytes:
    return line("start", session_id=session, started=at, **more)


def said(text: str, role: str = "user", at: str = "2026-02-16T18:46:00Z", **more: Any) -> bytes:
    return line("message", role=role, content=text, time=at, **more)


def end(at: str = "2026-02-16T19:32:00Z", **more: Any) -> bytes:
    return line("end", ended=at, **more)


def capture(workspace: Path, *lines: bytes) -> list[Captured | CaptureProblem]:
    """Captures with a console of its own, as another process would."""
    with Engine.open(workspace) as console:
        return list(console.capture.record(lines))


def transcripts(workspace: Path) -> dict[str, bytes]:
    """Every file below the folder of conversations, by its path in the workspace."""
    folder = workspace / CONVERSATIONS
    return {str(one.relative_to(workspace)): one.read_bytes() for one in folder.rglob("*") if one.is_file()}


SESSION = (
    start("ses_a1b2c3d4", model="claude-opus-4.6", channel="webchat", topic="autopoiesis restructuring"),
    said("Read all open issues and give me a summary.", at="2026-02-16T18:45:10Z"),
    line(
        "tool",
        name="exec",
        args={"command": "gh issue list --repo autopoiesis --state open"},
        result="12 results",
        time="2026-02-16T18:45:20Z",
    ),
    said("Here are all 12 open issues:\n\n1. **#34** — Migrate memory", "agent", "2026-02-16T18:45:30Z"),
    said("I wonder whether the operator means all of them", "agent", "2026-02-16T18:45:31Z", type="thinking"),
    said("Great analysis. Let's focus on #34 first.", at="2026-02-16T18:46:00Z"),
    line(
        "knowledge",
        action="updated",
        path="knowledge/projects/autopoiesis/context.md",
        summary="added migration plan",
        time="2026-02-16T18:52:00Z",
    ),
    line("attachment", path="raw/attachments/plan.png", time="2026-02-16T18:53:00Z"),
    said("That's a wrap.", at="2026-02-17T00:03:00Z"),
    end("2026-02-17T00:05:00Z", tokens_in=45230, tokens_out=12840, tags=["coding", "git"]),
)
PATH = "raw/conversations/2026/02/16/1845-ses_a1b2c3d4-autopoiesis-restructuring.md"
TRANSCRIPT = """\
---
session_id: ses_a1b2c3d4
started: 2026-02-16T18:45:00Z
ended: 2026-02-17T00:05:00Z
model: claude-opus-4.6
channel: webchat
topic: autopoiesis restructuring
tags: [coding, git]
tokens_in: 45230
tokens_out: 12840
knowledge_changes:
  - path: knowledge/projects/autopoiesis/context.md
    action: updated
    summary: added migration plan
---

# autopoiesis restructuring

## 18:45 — user
Read all open issues and give me a summary.

## 18:45 — agent
> [tool:exec] gh issue list --repo autopoiesis --state open → 12 results

Here are all 12 open issues:

1. **#34** — Migrate memory

## 18:46 — user
Great analysis. Let's focus on #34 first.

## 18:52 — agent [memory]
> [knowledge:updated] knowledge/projects/autopoiesis/context.md — added migration plan
> [attachment:raw/attachments/plan.png]

<!-- 2026-02-17 -->

## 00:03 — user
That's a wrap.
"""
"""The transcript of `SESSION` (autopoiesis §2.1)."""
