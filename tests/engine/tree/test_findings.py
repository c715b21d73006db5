"""What `check` tells of the tree: notices that name the mend, and nothing where there is no tree."""

from pathlib import Path

import pytest

from engine.tree.survey.survey import Survey
from engine.tree.survey.tree_status import MOST, tree_findings
from engine.workspace.values import FindingKind
from tests.engine.tree.rig import TreeRig


@pytest.fixture
def rig(tmp_path: Path) -> TreeRig:
    return TreeRig(tmp_path / "agent", tmp_path / "home")


def findings(rig: TreeRig) -> dict[str, list[str]]:
    survey = Survey(rig.snapshot(), rig.records(), rig.today)
    found = tree_findings(survey)
    assert {finding.kind for finding in found} <= {FindingKind.NOTICE} and all(finding.fix for finding in found)
    by_id: dict[str, list[str]] = {}
    for finding in found:
        by_id.setdefault(finding.id, []).append(f"{finding.where}: {finding.what}")
    return by_id


def a_tree(rig: TreeRig) -> None:
    rig.log("2026-03-02", "# Log\n- drained the queue\n")
    rig.cycle()


def test_logs_without_a_tree_are_no_gap(rig: TreeRig) -> None:
    rig.log("2026-03-02", "# Log\n- drained the queue\n")
    assert findings(rig) == {}


def test_a_tree_that_agrees_with_its_logs_has_nothing_to_tell(rig: TreeRig) -> None:
    a_tree(rig)
    assert findings(rig) == {}


def test_days_without_a_node_are_one_notice(rig: TreeRig) -> None:
    a_tree(rig)
    for day in range(3, 9):
        rig.log(f"2026-03-0{day}", "# Log\n- more work\n")
    assert findings(rig) == {
        "tree_gap": ["memory/daily: 6 days have a log and no node: 2026-03-03, 2026-03-04, 2026-03-05 … 2026-03-08"]
    }


def test_c4_a_fixed_node_whose_log_grew_and_one_whose_bytes_changed_are_told(rig: TreeRig) -> None:
    a_tree(rig)
    rig.log("2026-03-02", "- came late\n")
    assert list(findings(rig)) == ["tree_stale_fixed"]
    node = rig.folder / "memory/daily/2026-03-02.md"
    node.write_text(node.read_text() + "another hand\n")
    (told,) = findings(rig)["tree_damaged"]
    assert told.startswith("memory/daily/2026-03-02.md: it is fixed")


def test_c19_a_source_that_cannot_be_read_is_told(rig: TreeRig) -> None:
    a_tree(rig)
    rig.write("memory/2026-03-03.md", b"# Log\n\xff\xfe\n")
    assert "memory/2026-03-03.md" in findings(rig)["tree_missing_sources"][0]


def test_c21_a_date_that_does_not_exist_is_told(rig: TreeRig) -> None:
    a_tree(rig)
    rig.write("memory/2026-02-31.md", "# Log\n")
    assert "2026-02-31" in findings(rig)["tree_date"][0]


def test_many_of_a_kind_are_counted(rig: TreeRig) -> None:
    a_tree(rig)
    for number in range(MOST + 7):
        rig.write(f"memory/2026-02-31-{number}.md", "# Log\n")
    told = findings(rig)["tree_date"]
    assert len(told) == MOST + 1 and told[-1] == "memory: 7 more like these"
