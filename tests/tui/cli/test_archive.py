"""`plan prune`, `archive`, `restore` and `distill`, and what `policy --config` tells of the workspace's file."""

import json
from pathlib import Path

from tests.tui.cli.conftest import Run


def put(workspace: Path, path: str, text: str) -> None:
    file = workspace / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def test_a_note_is_archived_and_restored_by_name_and_found_with_a_mark(run: Run, tmp_path: Path) -> None:
    put(tmp_path, "knowledge/reference/zebra.md", "# Zebra\n\n- The zebra queue is drained\n")
    put(tmp_path, "archive/reference/yak.md", "# Yak\n\n- The yak queue is drained\n")
    where = ("-w", str(tmp_path))
    made = json.loads(run("plan", "archive", "--take", "knowledge/reference/zebra.md", "--json", *where).out)
    assert [(one["op"], one["to"]) for one in made["changes"]] == [("move", "archive/reference/zebra.md")]
    back = json.loads(run("plan", "restore", "--take", "archive/reference/yak.md", "--json", *where).out)
    assert [(one["op"], one["to"]) for one in back["changes"]] == [("move", "knowledge/reference/yak.md")]
    assert "archive/reference/yak.md:3  archived" in run("search", "yak queue", *where).out
    hits = json.loads(run("search", "queue drained", "--json", *where).out)
    assert {hit["path"]: hit["archived"] for hit in hits} == {
        "archive/reference/yak.md": True,
        "knowledge/reference/zebra.md": False,
    }
    ran = run("plan", "restore", *where)
    assert ran.code == 2 and "which archived file?" in ran.err


def test_prune_and_distill_say_why_there_is_nothing_to_do(run: Run, tmp_path: Path) -> None:
    put(tmp_path, "MEMORY.md", "# Memory\n\n- one\n")
    ran = run("plan", "prune", "--only", "memory", "-w", str(tmp_path))
    assert ran.code == 0 and "MEMORY.md: 3 lines, below 200" in ran.out
    assert "0 files of projects and people" in run("plan", "distill", "-w", str(tmp_path)).out
    ran = run("plan", "prune", "--only", "people", "-w", str(tmp_path))
    assert ran.code == 2 and "one of: memory, journals, files" in ran.err


def test_policy_lists_every_key_of_the_workspaces_file(run: Run, tmp_path: Path) -> None:
    put(tmp_path, "memory-config.yaml", "lifecycle:\n  memory_line_cap: 150\ngit:\n  auto_push: true\n")
    values = {one["key"]: one for one in json.loads(run("policy", "--config", "--json", "-w", str(tmp_path)).out)}
    assert len(values) == 23
    assert (values["lifecycle.memory_line_cap"]["status"], values["lifecycle.memory_line_cap"]["value"]) == (
        "honoured",
        "150",
    )
    assert values["git.auto_push"]["status"] == "safety key"
    text = run("policy", "--config", "-w", str(tmp_path)).out
    assert "search.bm25_weight" in text and "obsolete" in text and "150" in text
