"""Commands that only look, on the demonstration: what they print agrees with their JSON."""

import json

from tests.ready_demo import Demo
from tests.tui.cli.conftest import Run


def test_a_node_is_printed_with_its_children_and_sources(run: Run, demo: Demo) -> None:
    week = json.loads(run("tree", "2026-W10", "--json").out)
    shown = run("tree", "2026-W10").out
    children = shown.split("children\n")[1].split("\n\n")[0].splitlines()
    assert len(children) == week["children"] == 7 and all("daily" in line for line in children)
    sources = shown.split("sources\n")[1].splitlines()
    assert len(sources) == 7 and all(line.endswith("as it was") for line in sources)
    assert week["text"].splitlines()[-1] in shown and run("tree", "2026-W10", "2026-W11").code == 2


def test_the_life_of_a_line_is_printed_rung_by_rung(run: Run, demo: Demo) -> None:
    hits = json.loads(run("tree", "find", "checkout", "--json").out)["hits"]
    place = next(f"{one['path']}:{one['line']}" for one in hits if one["level"] == "raw")
    told = json.loads(run("tree", "life", place, "--json").out)
    shown = run("tree", "life", place).out
    assert len(told["rungs"]) > 1 and all(rung["path"] in shown for rung in told["rungs"])
    ran = run("tree", "life", "nowhere")
    assert ran.code == 2 and "which line?" in ran.err


def test_gauges_are_listed_and_one_is_drawn_with_what_it_counts(run: Run, demo: Demo) -> None:
    every = json.loads(run("trends", "--json").out)
    listed = run("trends").out
    assert every and all(trend["id"] in listed for trend in every)
    one = json.loads(run("trends", "working.files", "--days", "30", "--json").out)
    drawn = run("trends", "working.files", "--days", "30").out
    assert one["members"] and all(member["path"] in drawn for member in one["members"])


def test_the_pipeline_is_a_table_of_its_stages(run: Run, demo: Demo) -> None:
    told = json.loads(run("lifecycle", "--json").out)
    shown = run("lifecycle").out.splitlines()
    assert shown[0].split() == ["stage", "stands", "due", "last", "run", "waits", "the", "week"]
    assert len(shown) > 5 and told
    assert any(line.startswith("Capture") for line in shown)


def test_the_kinds_of_an_import_are_listed(run: Run, demo: Demo) -> None:
    kinds = json.loads(run("import", "--list", "--json").out)
    assert {"claude-code", "claude-code-memory"} <= set(kinds)
    assert all(kind in run("import", "--list").out for kind in kinds)
    ran = run("import", "claude-code")
    assert ran.code == 2 and "memdeck import claude-code PATH" in ran.err
