"""What holds no more is marked in what a prompt and a search show of MEMORY.md, USER.md, ROOT and the rest (D61)."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from engine.context.platforms.platform import SessionKind
from engine.services.engine import Engine

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
OLD, NEW = "The staging port is 5433.", "The staging port is 5434."
NOTES = {
    "knowledge/reference/ports.md": (
        f"# Ports\n\n- {OLD} (superseded: 2026-04-10 it moved)\n- {NEW}\n"
        "- We meet on Monday. (superseded: 2026-04-01 x)\n"
        "- 2026-05-02: We meet on Monday. <!-- x:0123456789 -->\n- no. (superseded: 2026-04-01 y)\n"
    ),
    "MEMORY.md": f"# Memory\n\n- {OLD}\n- {NEW}\n- We meet on Monday.\n- no.\n",
    "USER.md": f"# User\n\nAna asks. {OLD} She waits.\n",
    "memory/ROOT.md": f"# Root\n\n- **ports**: the staging port is **5433**\n- {OLD[:-1]} for Bob.\n",
}
MARK = " (said otherwise on 2026-04-10)"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for path, text in NOTES.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    return tmp_path


def test_d61_a_prompt_marks_lines_that_another_took_the_place_of(folder: Path) -> None:
    with Engine.open(folder, now=NOW) as console:
        prompt = console.context.compile("What is new?", SessionKind.MAIN, budget=8192).prompt
        assert f"- {OLD}{MARK}\n- {NEW}\n- We meet on Monday.\n- no.\n" in prompt, "one is said again, one says nothing"
        assert f"Ana asks. {OLD} She waits.{MARK}\n" in prompt
        assert f"the staging port is **5433**{MARK}\n- {OLD[:-1]} for Bob.\n" in prompt, "that is another statement"
        assert f"{OLD} (superseded: 2026-04-10 it moved){MARK}" not in prompt, "it is marked already"
        (folder / "knowledge/reference/ports.md").write_text(f"# Ports\n\n- {OLD}\n")
        assert MARK not in console.context.compile("What is new?", SessionKind.MAIN, budget=8192).prompt


def test_d61_a_hit_is_marked_before_its_snippet(folder: Path) -> None:
    with Engine.open(folder, now=NOW) as console:
        hits = {hit.path: hit.snippet for hit in console.search.find("staging port 5433").hits}
        assert hits["USER.md"].startswith(MARK.strip()) and hits["memory/ROOT.md"].startswith(MARK.strip())
        assert not hits["knowledge/reference/ports.md"].startswith("(said")
        assert not any(hit.snippet.startswith("(said") for hit in console.search.find("Monday").hits)
