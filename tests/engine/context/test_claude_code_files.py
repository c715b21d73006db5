"""Claude Code's own memory folder and its rules are simulated as its requests have them (observed of 2.1.332)."""

import os
from collections.abc import Sequence
from pathlib import Path

import msgspec

from engine.context.load.simulation import LoadState
from engine.context.platforms.platform import SessionKind, slug_of
from engine.services.engine import Engine
from engine.text.canonical_json import sha256_hex


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


def test_of_a_memory_folder_the_files_of_its_project_are_those_that_are_loaded(own_home: Path) -> None:
    """Seen in use: the project's CLAUDE.md was told to be missing, since it lies in another folder."""
    project = own_home / "work" / "my.app-2"
    memory = own_home / ".claude" / "projects" / slug_of(str(project)) / "memory"
    for path, text in {project / "CLAUDE.md": "# App\n", memory / "MEMORY.md": "- a line\n"}.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")

    def files() -> list[tuple[str, str]]:
        with Engine.open(memory, env={**os.environ, "HOME": str(own_home)}) as engine:
            (found,) = engine.context.loads(SessionKind.MAIN, "claude-code")
            return [
                (file.name, file.path) for file in found.files if file.state is not LoadState.MISSING or file.reason
            ]

    assert files() == [("CLAUDE.md", "~/work/my.app-2/CLAUDE.md"), ("MEMORY.md", "MEMORY.md")]
    project.rename(own_home / "elsewhere")
    with Engine.open(memory, env={**os.environ, "HOME": str(own_home)}) as engine:
        (found,) = engine.context.loads(SessionKind.MAIN, "claude-code")
    assert [file.path for file in found.files] == ["MEMORY.md"], "of a project that is not found nothing is claimed"


class Request(msgspec.Struct, frozen=True):
    """What a request held of these files: its own text, or that text's hash where it is long.

    `~/` is the home, `M/` the memory folder of the project. A text in parts has each so many times.
    """

    files: dict[str, str | list[tuple[str, int]]]
    loaded: list[tuple[str, str]]


REQUESTS = msgspec.json.decode(
    Path(__file__).with_name("claude_code_requests.json").read_bytes(), type=dict[str, str | list[Request]]
)["requests"]


def test_d41_what_is_simulated_is_what_twenty_requests_of_claude_code_held(own_home: Path, tmp_path: Path) -> None:
    """Files, their order and their bytes, but for the order of rules, which is that of the disk, and for the warning
    that stands behind a MEMORY.md that is cut."""
    assert len(REQUESTS) == 20
    for number, request in enumerate(REQUESTS):
        assert isinstance(request, Request)
        home, project = own_home / f"h{number}", tmp_path / f"p{number}"
        memory = f".claude/projects/{slug_of(os.path.realpath(project))}/memory"
        for path, parts in request.files.items():
            place = {"~/": home / path[2:], "M/": home / memory / path[2:]}.get(path[:2], project / path)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes((parts if isinstance(parts, str) else "".join(text * n for text, n in parts)).encode())
        project.mkdir(exist_ok=True)
        with Engine.open(project, env={**os.environ, "HOME": str(home)}) as engine:
            (found,) = engine.context.loads(SessionKind.MAIN, "claude-code")
        texts = [(file.path.replace(f"~/{memory}", "M"), file.text) for file in found.files if file.text]
        seen = [(path, text if len(text) < 300 else f"sha256:{sha256_hex(text.encode())}") for path, text in texts]

        def rules_by_name(files: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
            rules = iter(sorted(file for file in files if "/rules/" in file[0]))
            return [next(rules) if "/rules/" in file[0] else file for file in files]

        assert rules_by_name(seen) == rules_by_name(request.loaded), f"request {number}"
