"""A secret in a raw log stops nothing: what is redacted is clean for the gate, and a node that is not is left out."""

import random
from typing import Any

import msgspec
import pytest

from engine.plans.plan import Create, Replace
from engine.text.secrets.detector import find_secrets
from engine.text.tokens import TokenCounter
from engine.tree.levels import ROOT_PATH
from engine.tree.nodes.copied_or_summarised import BuiltNode, build
from engine.tree.nodes.things import terms
from engine.tree.survey.node_status import Node
from engine.tree.survey.survey import Survey
from tests.engine.text.secrets.kinds import SELF_EVIDENT
from tests.engine.text.secrets.test_detector import HOSTS
from tests.engine.tree.rig import TreeRig, entry, long_log

DAY = "memory/daily/2026-03-15.md"
SECRET = "Xk29sLq81mZa"
LINES = (
    *(f"DATABASE_URL is {host.format(SECRET)} since today" for host in HOSTS),
    f"root:$6$saltsalt${SECRET * 8}:19000:0:99999:7:::",
    f"the key is gh\u200bp_{SECRET}{SECRET}{SECRET}",
    f"these\n\n| user | password |\n|---|---|\n| ana | {SECRET}! |",
    "machine h login ana\npassword " + SECRET + "!",
)


@pytest.mark.parametrize("line", LINES)
def test_a_log_with_a_secret_plans_and_applies(rig: TreeRig, line: str) -> None:
    rig.log("2026-03-15", entry("T", f"request: x\n- decisions: {line}"))
    plan = rig.plan()
    assert all(gate.passed for gate in plan.gates), plan.gates
    rig.apply(plan)
    for path in (DAY, "memory/weekly/2026-W11.md", "memory/monthly/2026-03.md", ROOT_PATH):
        assert SECRET not in rig.text(path)
        assert find_secrets(rig.text(path)) == ()


def test_a_long_log_with_secrets_is_summed_up_without_them(rig: TreeRig) -> None:
    lines = "\n".join(f"- decisions: {line}" for line in LINES)
    rig.log("2026-03-15", long_log("bench", 220) + f"\n## Hosts\n{lines}\n")
    rig.apply(rig.plan())
    for path in (DAY, "memory/weekly/2026-W11.md", "memory/monthly/2026-03.md", ROOT_PATH):
        assert SECRET not in rig.text(path)


def test_a_node_that_would_hold_a_secret_is_left_out_by_name_and_the_others_go_on(
    rig: TreeRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig.log("2026-03-14", entry("A", "request: gardens"))
    rig.log("2026-03-15", entry("B", "request: marker-of-the-test"))
    secret = SELF_EVIDENT["github classic"](random.Random(1))

    def leaking(survey: Survey, node: Node, counter: TokenCounter, **options: Any) -> object:
        built = build(survey, node, counter, **options)
        if isinstance(built, BuiltNode) and "marker-of-the-test" in built.content:
            return msgspec.structs.replace(built, content=f"{built.content}{secret}\n")
        return built

    monkeypatch.setattr("engine.tree.cycle.plan.build", leaking)
    plan = rig.plan(drain=True)
    written = {change.path for change in plan.changes if isinstance(change, Create | Replace)}
    assert DAY not in written and "memory/daily/2026-03-14.md" in written
    assert any(DAY in warning and "secret (github) on line" in warning for warning in plan.warnings)
    assert all(gate.passed for gate in plan.gates), plan.gates
    rig.apply(plan)
    assert not rig.has(DAY) and rig.has("memory/daily/2026-03-14.md")


def test_what_stands_for_a_secret_is_no_word_of_the_text() -> None:
    words = [one.surface for one in terms("the depot uses postgres://app:⟨secret: database-url⟩@db1 and a⟨U+200B⟩ key")]
    assert "depot" in words and "key" in words
    assert not {"secret", "database-url", "U+200B"} & set(words)
