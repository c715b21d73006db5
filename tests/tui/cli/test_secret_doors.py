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


@pytest.mark.parametrize("where", ["title", "tags", "filename"])
def test_by_command_a_secret_is_neither_in_the_index_nor_in_an_answer(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    """A note for each kind, all in one index."""
    for kind in KINDS:
        note(tmp_path / "notes/knowledge/projects" / kind, said_and_core(kind)[0], where, kind)
    monkeypatch.chdir(tmp_path / "notes")
    index = run("index")
    as_text, as_json = run("search", "gardens"), run("search", "gardens", "--json")
    assert index.code == as_text.code == as_json.code == 0
    rows = json.loads(as_json.out)
    assert len(rows) == len(KINDS) and all("gardens" in row["snippet"] for row in rows)
    shown = "".join((index.out, index.err, as_text.out, as_text.err, as_json.out, as_json.err)).lower()
    kept = [file.read_bytes().lower() for file in (tmp_path / "notes").glob("memory.db*")]
    assert kept
    for core in (said_and_core(kind)[1].lower() for kind in KINDS):
        assert core not in shown and not any(core.encode() in data for data in kept)
    if where == "filename":
        assert all("⟨secret: " in row["path"] for row in rows) and as_text.out.count("⟨secret: ") >= len(KINDS)


def note(folder: Path, said: str, where: str, kind: str) -> None:
    """Writes a note of that kind, in which the secret stands at one place."""
    about = f"about gardens of {kind}\n"
    text = {
        "title": f"# {said}\n\n{about}",
        "tags": f'---\ntags: ["{said}"]\n---\n# Plain\n\n{about}',
        "filename": f"# Plain\n\n{about}",
    }[where]
    folder.mkdir(parents=True)
    (folder / f"{said if where == 'filename' else 'k'}.md").write_text(text, encoding="utf-8")
