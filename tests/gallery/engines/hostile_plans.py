"""Plans in which everything that can come from a workspace is hostile, wide, or very long."""

from engine.plans.plan import Create, RiskTier
from tests.gallery.engines.stage_engine import StageEngine
from tests.tui.hostile import hostile_strings
from tests.values import make_plan


def hostile() -> StageEngine:
    """Plans in which everything that can come from a workspace is hostile, wide, or very long."""
    strings = [text.encode("utf-8", "replace").decode() for text in list(hostile_strings())[:60]]
    changes = [
        Create(
            n=number,
            path=f"memory/episodic/{text[:200]}.md",
            risk_tier=RiskTier.B,
            reason=text[:300],
            content="\n".join(strings) + "\n",
            warnings=(text[:200],) if text else (),
        )
        for number, text in enumerate(strings, 1)
    ]
    trigger = "\x1b[2J[@click=app.quit]x[/]"
    odd = make_plan(
        1, changes, system="compact[/foo]", trigger=trigger, warnings=tuple(strings[:6]), report="\n".join(strings)
    )
    wide = Create(
        n=1,
        path="memory/episodic/日本語のとても長い名前の覚え書きファイル-👩‍👩‍👧‍👦-emoji.md",
        risk_tier=RiskTier.B,
        reason="日本語のとても長い理由 " * 12,
        content="# 日本語の見出し\n- 👩‍👩‍👧‍👦 🏳️‍🌈 ﷺ﷽\n- a\u202eb\u200bc \x1b[31mred\x07\tx\r\n- "
        + "x" * 400
        + "\n- "
        + "日本語" * 80,
        dropped=("13 lines of a stack trace (4–16)", "a secret"),
    )
    deep = "memory/episodic/" + "/".join(["a-very-long-folder-name"] * 9) + "/note.md"
    long = Create(n=1, path=deep, risk_tier=RiskTier.B, reason="long", content="x\n")
    engine = StageEngine()
    engine.queue_of([odd, make_plan(2, [wide]), make_plan(3, [long])])
    return engine
