"""No secret leaves by command: not through the index nor through the answers."""

import json
import random
from pathlib import Path

import pytest

from tests.engine.text.secrets.kinds import SELF_EVIDENT
from tests.tui.cli.conftest import Run

KINDS = ("anthropic", "aws access", "github classic", "stripe live", "slack bot", "gitlab", "npm", "password")


def said_and_core(kind: str) -> tuple[str, str]:
    """How a note says a secret, and the part of it that no other place may hold."""
    secret = "Xk29sLq81!mZ" if kind == "password" else SELF_EVIDENT[kind](random.Random(11))
    return (f"password: {secret}", secret[2:]) if kind == "password" else (secret, secret[6:])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("where", ["title", "tags", "filename"])
def test_by_command_a_secret_is_neither_in_the_index_nor_in_an_answer(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, where: str
) -> None:
    said, core = said_and_core(kind)
    text = {
        "title": f"# {said}\n\nabout gardens\n",
        "tags": f'---\ntags: ["{said}"]\n---\n# Plain\n\nabout gardens\n',
        "filename": "# Plain\n\nabout gardens\n",
    }[where]
    file = tmp_path / "notes/knowledge/projects/x" / f"{said if where == 'filename' else 'k'}.md"
    file.parent.mkdir(parents=True)
    file.write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path / "notes")
    index = run("index")
    as_text, as_json = run("search", "gardens"), run("search", "gardens", "--json")
    (row,) = json.loads(as_json.out)
    assert "gardens" in row["snippet"] and index.code == as_text.code == as_json.code == 0
    shown = "".join((index.out, index.err, as_text.out, as_text.err, as_json.out, as_json.err)).lower()
    assert core.lower() not in shown
    kept = [file.read_bytes().lower() for file in (tmp_path / "notes").glob("memory.db*")]
    assert kept and not any(core.lower().encode() in data for data in kept)
    if where == "filename":
        assert "⟨secret: " in row["path"] and "⟨secret: " in as_text.out
