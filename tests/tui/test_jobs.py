"""The jobs of every day by the screen alone, each with exactly the keys it takes.

Three more stand where their screens are tested: from "9 eligible" to the ninth file (`test_chart.py`), the day with the
gap (`test_calendar.py`), and why a topic did not activate (`test_lanes.py`).
"""

import re
from collections.abc import Sequence
from pathlib import Path

from engine.plans.operation import OperationState
from engine.plans.plan import Create
from tests.prepared import prepared
from tests.ready_demo import Demo
from tests.tui.conftest import Deck, answer, deck, screen_text, settled, shows
from tests.values import append_plan


async def type_in(pilot: Deck, keys: Sequence[str]) -> str:
    """Presses these keys at a person's pace and gives what is on screen then."""
    for key in keys:
        await answer(pilot, key)
        await settled(pilot)
    return screen_text(pilot)


async def test_see_the_risk_without_a_key_and_read_its_plan_with_one(demo: Demo) -> None:
    with demo.open_today() as workspace:
        workspace.plans.make("compact")
        async with deck(workspace) as pilot:
            await shows(pilot, "openclaw.md   1,062 ▲ risk", "semantic shard over its risk line")
            await type_in(pilot, ["2"])
            text = await shows(pilot, "risk line", "+ Title: ")
        shard = workspace.plans.load(next(one.id for one in workspace.plans.queue() if one.system == "shard"))
        first = shard.changes[0]
        assert isinstance(first, Create)
        (end,) = (one for one in workspace.plans.sizes(shard).files({first.n}) if one.path == first.path)
        assert "risk line" in text and f"+ {first.content.splitlines()[0]}" in text, "the first entry's title"
        assert re.search(rf"effect +{Path(first.path).name} .*▏ 0 → {end.after:,} ", text), "and where its file ends"


async def test_approve_tier_c_with_its_lines_in_sight_in_eleven_keys_and_undo_in_two() -> None:
    workspace = prepared([append_plan()])
    async with deck(workspace, (120, 36)) as pilot:
        await type_in(pilot, ["2", "ctrl+a"])
        await shows(pilot, "+ Title: ", "+ Durable Insight: ", "[ APPROVED ]")
        text = await type_in(pilot, "APPROVED")
        assert "+ Title: " in text and "+ Durable Insight: " in text, "the lines stay in sight while it is typed"
        await type_in(pilot, ["enter"])
        assert [one.state for one in workspace.operations] == [OperationState.DONE]
        assert "Undo " in await type_in(pilot, ["z"])
        await type_in(pilot, ["y"])
        assert workspace.operations[0].state is OperationState.UNDONE


async def test_from_root_to_a_raw_line_in_six_keys(demo: Demo) -> None:
    with demo.open_today() as workspace:
        async with deck(workspace) as pilot:
            assert "Tree › ROOT" in await type_in(pilot, ["3"])
            assert "≡ raw log" in await type_in(pilot, ["enter", "j", "j", "j", "enter"])


async def test_read_the_week_with_one_key(demo: Demo) -> None:
    with demo.open_today() as workspace:
        async with deck(workspace) as pilot:
            text = await type_in(pilot, ["R"])
            text += await type_in(pilot, ["tab"])
            for _ in range(8):  # flagged lines come first, and the end is some screens below
                text += await type_in(pilot, ["pagedown"])
            for heading in ("What the agent learnt", "What was decided", "What waits for you", "Where it is heading"):
                assert heading in text
