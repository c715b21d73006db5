"""Where gauges are heading: words that fit, curves of exact width, and the line that sums up."""

from datetime import UTC, datetime, timedelta

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from engine.monitoring.agent_changes import AgentAction, AgentChange, SinceLook
from engine.monitoring.gauges import GaugeLimit, GaugeReading
from engine.monitoring.trends import GaugeSample, Point, Trend, trends
from engine.plans.memory_status import Degraded
from engine.plans.plan import RiskTier
from tests.values import NOW, a_status
from tui.present.overview import cards
from tui.present.overview import triggers_notices as overview
from tui.present.overview.forecast import Outlook, curve, outlook, outlooks
from tui.present.overview.gauges import GaugeBar as Shown
from tui.present.overview.verdict import VerdictFacts, verdict
from tui.present.spans import plain

SHARD = "semantic:memory/semantic/openclaw.md"
SEMANTIC = (GaugeLimit("soft", 900), GaugeLimit("risk", 1020), GaugeLimit("hard", 1200))
BLOCKS = set("▁▂▃▄▅▆")
values = st.lists(st.integers(0, 10**6), min_size=1, max_size=80)


def trend(
    first: int, last: int, limits: tuple[GaugeLimit, ...] = SEMANTIC, name: str = SHARD, unit: str = "tokens"
) -> Trend:
    """A gauge that went evenly from `first` to `last` within a week."""
    samples = [
        GaugeSample(NOW - timedelta(days=7 - day), {name: round(first + (last - first) * day / 7)}) for day in range(7)
    ]
    (found,) = trends([GaugeReading(id=name, unit=unit, value=last, limits=limits)], samples, NOW)
    return found


def points(levels: list[int]) -> list[Point]:
    return [(NOW + timedelta(hours=7 * hour), level) for hour, level in enumerate(levels)]


@given(values, st.integers(1, 60))
def test_a_curve_takes_exactly_its_width_and_rises_with_what_it_shows(levels: list[int], width: int) -> None:
    text = plain(curve(points(levels), width))
    assert len(text) == width and set(text) <= BLOCKS
    rising = plain(curve(points(sorted(levels)), width))
    assert list(rising) == sorted(rising)


def test_what_was_above_a_limit_plays_that_limits_role() -> None:
    roles = [span.role for span in curve(points([800, 950, 1100, 1300]), 4, (900, 1020, 1200))]
    assert roles == ["rule", "line_warn", "line_risk", "line_blocked"]


def test_the_words_name_the_limit_that_comes_next_and_when() -> None:
    found = outlook(trend(1021, 1063), NOW, NOW)
    assert found.words[0] == "+42/week · hard limit in 23 days at this rate"
    assert found.words[-1] == "in 23 d" and found.role == "warn"
    assert outlook(trend(1021, 1175), NOW, NOW).role == "risk", "within a week"


def test_over_its_limit_says_since_when() -> None:
    found = outlook(trend(6, 13, (GaugeLimit("pressure", 10),)), NOW, NOW)
    assert found.role == "risk" and found.words[0].startswith("over its limit since ")
    assert found.words[-1] == "over"


def test_over_the_hard_limit_is_as_grave_in_words_as_on_the_gauge() -> None:
    """The words were as grave as of a limit that blocks nothing, beside a gauge and a curve that said blocked."""
    over = outlook(trend(1021, 1290), NOW, NOW)
    assert over.role == "blocked" and over.words[0].startswith("over its hard limit")


@given(st.integers(-400 * 86_400, 3_000), st.integers(-3_000, 3_000))
def test_nothing_is_over_for_less_than_no_time(now: int, real: int) -> None:
    """The status is a moment older than the course, or supposes an earlier instant."""
    over = trend(6, 13, (GaugeLimit("pressure", 10),))
    found = outlook(over, NOW + timedelta(seconds=now), NOW + timedelta(seconds=real))
    assert not any("-" in words for words in found.words), found.words
    (sudden,) = trends(
        [GaugeReading(id=SHARD, unit="files", value=13, limits=over.limits)],
        [GaugeSample(NOW - timedelta(days=1), {SHARD: 1})],
        NOW,
    )
    assert not any("-" in words for words in outlook(sudden, NOW - timedelta(milliseconds=5), NOW).words)


def test_what_does_not_grow_or_is_not_known_promises_nothing() -> None:
    assert outlook(trend(50, 50), NOW, NOW).words[-1] == "steady"
    (alone,) = trends([GaugeReading(id="x", unit="files", value=3)], (), NOW)
    assert outlook(alone, NOW, NOW).words == ()
    slow = outlook(trend(50, 51), NOW, NOW)
    assert not any("limit" in words or "line" in words for words in slow.words), "more than a year away"


def test_under_a_what_if_clock_growth_goes_on_at_its_rate() -> None:
    found = outlook(trend(1021, 1063), NOW + timedelta(weeks=4), NOW)
    assert found.words[0] == "≈ 1,231 tokens by then, over its hard limit" and found.role == "info"
    aged = outlook(trend(6, 13, (GaugeLimit("pressure", 10),), "working.oldest", "days"), NOW + timedelta(weeks=4), NOW)
    assert aged.words[0].startswith("over its limit"), "ages are as of then by themselves"


@given(st.integers(0, 90))
def test_the_line_takes_no_more_than_its_width(width: int) -> None:
    for found in (
        outlook(trend(1021, 1063), NOW, NOW),
        outlook(trend(6, 13, (GaugeLimit("p", 10),)), NOW, NOW),
        Outlook(),
    ):
        assert len(plain(found.line(width))) <= width


def test_a_card_says_what_comes_first() -> None:
    course = trend(1900, 2900, (GaugeLimit("pressure", 4000),), "working.tokens")
    known = outlooks([course], NOW, NOW)
    working = cards.cards(a_status(), cards.CardLimits(), known)[0]
    assert plain(working.dense_foot) == "12 eligible · tokens in 8 d"


def test_what_is_always_loaded_has_a_gauge_each() -> None:
    status = a_status(tree={"root": {"tokens": 2954, "cap": 3000}}, memory_md={"lines": 210, "band": "full"})
    card = cards.cards(status, cards.CardLimits())[3]
    gauges = {part.label: part for part in card.body if isinstance(part, Shown)}
    assert gauges["ROOT"].figure == "2,954/3k" and gauges["MEMORY"].figure == "▲ 210/200"
    assert card.role == "risk" and gauges["archive"].figure == "212 files"


class TestVerdict:
    def test_it_names_what_is_wrong_what_comes_and_the_key(self) -> None:
        changed = AgentChange(path="a.md", did=AgentAction.ADDED, before=None, after="0", size_before=0, size_after=9)
        since = SinceLook(looked_at=NOW, changes=(changed,))
        row = verdict(VerdictFacts(a_status(), 3, (trend(1021, 1063),), since))
        assert plain(row.left) == (
            "▲ 3 limits are crossed  ·  the agent changed 1 file  ·  openclaw.md full in 23 d  ·  ! 1 degraded"
        )
        assert plain(row.right) == "3 plans wait: key 2"

    def test_what_finds_no_room_is_left_out_whole(self) -> None:
        row = verdict(VerdictFacts(a_status(), 1, (trend(1021, 1063),)), width=60)
        assert plain(row.left) == "▲ 3 limits are crossed" or plain(row.left).endswith(" d")
        assert "…" not in plain(row.left)

    def test_nothing_wrong_says_so_and_a_fired_trigger_leads_to_a_dry_run(self) -> None:
        quiet = a_status(triggers=(), primary_trigger=None, degraded=(), tree={"backlog": 0})
        assert plain(verdict(VerdictFacts(quiet, 0)).left) == "✓ all within limits"
        assert plain(verdict(VerdictFacts(quiet, 0)).right) == "nothing to do"
        assert plain(verdict(VerdictFacts(a_status(), 0)).right).startswith("d dry run")

    def test_an_operation_that_was_cut_off_comes_before_all_else(self) -> None:
        fix = "memdeck recover finishes it or undoes it"
        cut_off = Degraded(id="recover", what="o-20260315-0001 was cut off half-way", fix=fix)
        row = verdict(VerdictFacts(a_status(degraded=(cut_off,)), 3), width=70)
        assert plain(row.left).endswith("an operation was cut off half-way")
        assert plain(row.right) == ":recover puts it right"

    def test_a_tree_that_is_behind_is_something_to_do(self) -> None:
        row = verdict(VerdictFacts(a_status(triggers=(), primary_trigger=None, degraded=(), tree={"backlog": 10}), 0))
        assert plain(row.left) == "✓ all within limits  ·  the tree is 10 days behind"
        assert plain(row.right) == "d dry run: changes nothing"

    def test_an_empty_folder_and_a_blocked_shard(self) -> None:
        nothing = a_status(capabilities=(), skipped=(), notes=())
        assert "no memory in this folder yet" in plain(verdict(VerdictFacts(nothing, 0)).left)
        first = a_status().triggers[0]
        blocked = a_status(triggers=(msgspec.structs.replace(first, fired=True),), risk_tier=RiskTier.C)
        assert plain(verdict(VerdictFacts(blocked, 0)).left).startswith("■ a shard is over its hard limit")


def test_each_degraded_mode_stands_with_its_fix_and_opens_whole() -> None:
    item = Degraded(id="git", what="git is not installed", fix="install it")
    status = a_status(degraded=(item,), notes=(), skipped=())
    rows = overview.attention(status)
    assert [plain(row.left) for row in rows] == ["! git is not installed", "  → install it"]
    assert overview.attention_detail(status, 0) == overview.attention_detail(status, 1)


def test_a_course_of_years_is_cut_to_the_last_weeks() -> None:
    long = [(datetime(2020, 1, 1, tzinfo=UTC) + timedelta(days=day), 5) for day in range(2000)]
    assert plain(curve([*long, (long[-1][0] + timedelta(days=1), 900)], 30)).endswith("▆")
