"""Claude Code's own memory folder and its rules are simulated as its requests have them (observed of 2.1.332)."""

import os
from pathlib import Path

from engine.context.platforms.platform import SessionKind, slug_of
from engine.services.engine import Engine


def test_the_memory_of_a_project_is_that_of_its_folder_below_the_home(own_home: Path, tmp_path: Path) -> None:
    project = tmp_path / "shop.app"
    (project / ".claude" / "rules" / "db").mkdir(parents=True)
    (project / ".claude" / "rules" / "db" / "ledger.md").write_text("- never touch the ledger\n", "utf-8")
    (project / "CLAUDE.md").write_text("# Rules\n@MEMORY.md @CLAUDE.local.md\n", "utf-8")
    (project / "CLAUDE.local.md").write_text("# Mine\n", "utf-8")
    (project / "MEMORY.md").write_text("# Another tool's\n", "utf-8")
    memory = own_home / ".claude" / "projects" / slug_of(os.path.realpath(project)) / "memory"

    def files() -> list[tuple[str, str, int]]:
        with Engine.open(project) as engine:
            (found,) = engine.context.loads(SessionKind.MAIN, "claude-code")
            assert found.used
            return [(file.name, file.path, len(file.fallen)) for file in found.files]

    project_files = [
        ("CLAUDE.md", "CLAUDE.md", 0),
        ("MEMORY.md", "MEMORY.md", 0),
        ("CLAUDE.local.md", "CLAUDE.local.md", 0),
    ]
    rules = (".claude/rules/db/ledger.md", ".claude/rules/db/ledger.md", 0)
    assert files() == [*project_files, rules], "what is imported is counted once"
    memory.mkdir(parents=True)
    (memory / "MEMORY.md").write_text("- line\n" * 210, "utf-8")
    (own_home / ".claude" / "CLAUDE.md").write_text("# Everywhere\n", "utf-8")
    own = f"~/.claude/projects/{memory.parent.name}/memory/MEMORY.md"
    everywhere = ("~/.claude/CLAUDE.md", "~/.claude/CLAUDE.md", 0)
    assert files() == [everywhere, *project_files, rules, ("MEMORY.md", own, 10)]
    with Engine.open(memory) as engine:
        (found,) = engine.context.loads(SessionKind.MAIN, "claude-code")
        assert [(file.path, len(file.fallen)) for file in found.files if file.name == "MEMORY.md"] == [
            ("MEMORY.md", 10)
        ]
