"""The note under the cursor of a search: what the index may not hold, its preview may not show (promise F1)."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from engine.errors import Refused
from engine.services.engine import Engine

NOW = datetime(2026, 3, 15, 3, tzinfo=UTC)
KEY = "ghp_" + "aB3kd92LsQ" * 3 + "aB3kd9"


def test_a_note_is_shown_without_secrets_each_line_on_its_line(tmp_path: Path) -> None:
    note = tmp_path / "memory" / "working" / f"{KEY}.md"
    note.parent.mkdir(parents=True)
    note.write_text(f"---\ntitle: {KEY}\n---\n# queue\n\nthe password: hunter2-Xk29sLq81mZa stands here\nlast\n")
    path = str(note.relative_to(tmp_path))
    with Engine.open(tmp_path, now=NOW) as console:
        lines = console.search.note(path)
        assert len(lines) == 7 and lines[3] == "# queue" and lines[-1] == "last"
        assert "⟨secret: github⟩" in lines[1] and KEY not in "".join(lines) and "hunter2" not in "".join(lines)
        note.unlink()
        for ask in (console.search.note, console.revert.text_to_edit):
            with pytest.raises(Refused) as refused:
                ask(path)
            assert KEY not in refused.value.line()
