"""Gauges as spans: exact width, marks where the thresholds are, zones by what was passed."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from engine.monitoring.trends import Point
from tui.present.overview.cards import Card
from tui.present.overview.forecast import Outlook
from tui.present.overview.gauges import BarLimit, GaugeBar, bar, scale_labels
from tui.present.spans import plain
from tui.widgets.card import drawn

SHARD = (BarLimit(900, "bar_warn"), BarLimit(1020, "bar_risk"), BarLimit(1200, "bar_blocked"))


def shard(value: int) -> GaugeBar:
    return GaugeBar("openclaw.md", value, SHARD, f"{value}")


@given(value=st.integers(0, 10**9), width=st.integers(3, 200), thin=st.booleans())
def test_a_bar_takes_exactly_its_width(value: int, width: int, thin: bool) -> None:
    assert len(plain(bar(shard(value), width, thin=thin))) == width


@given(value=st.integers(0, 5000), width=st.integers(30, 120))
def test_every_threshold_has_its_mark(value: int, width: int) -> None:
    assert plain(bar(shard(value), width)).count("│") == 3
    assert plain(bar(shard(value), width, thin=True)).count("┃") == 3


@given(lower=st.integers(0, 3000), more=st.integers(0, 3000), width=st.integers(10, 80))
def test_a_larger_value_never_fills_less_of_the_same_scale(lower: int, more: int, width: int) -> None:
    def filled(value: int) -> int:
        gauge = GaugeBar("", value, (BarLimit(6000, "bar_risk"),), "")
        return plain(bar(gauge, width)).count("█")

    assert filled(lower) <= filled(lower + more)


def test_zones_play_the_role_of_the_threshold_they_passed() -> None:
    roles = [span.role for span in bar(shard(1300), 60) if "█" in span.text]
    assert roles == ["bar_ok", "bar_warn", "bar_risk", "bar_blocked"]


def test_a_mark_that_was_not_passed_stays_neutral() -> None:
    marks = [span.role for span in bar(shard(950), 60) if span.text == "│"]
    assert marks == ["warn", "mark", "mark"]


def test_at_the_limit_nothing_is_passed() -> None:
    """A1: the limit itself belongs to the lower band."""
    assert [span.role for span in bar(shard(900), 60) if span.text == "│"] == ["mark", "mark", "mark"]


def test_scale_labels_stay_in_order_and_inside() -> None:
    for width in (20, 26, 40, 80):
        text = plain(scale_labels(shard(1047), width))
        assert len(text) == width
        assert text.split() == ["900", "1,020", "1,200"]


def test_a_gauge_without_thresholds_still_draws() -> None:
    assert len(plain(bar(GaugeBar("", 0, (), ""), 12))) == 12


def test_an_outlook_ends_at_the_edge_and_blank_lines_stand_between_where_there_is_room() -> None:
    points: tuple[Point, ...] = tuple((datetime(2026, 3, 1, tzinfo=UTC) + timedelta(days=day), 50) for day in range(14))
    gauge = shard(50)._replace(label="openclaw.md", outlook=Outlook(points, ("not growing",)))
    card = Card("Semantic", (gauge,), stacked=True)
    tight, roomy = ([plain(line) for line in drawn(card, 60, height)] for height in (4, 5))
    assert tight[3].endswith(" not growing") and len(tight[3]) == 60
    assert roomy == ["", *tight]
    two = Card("Semantic", (gauge, gauge), stacked=True)
    low, tall = ([plain(line) for line in drawn(two, 60, height)] for height in (9, 10))
    assert low == ["", *tight, *tight] and tall == ["", *tight, "", *tight]


def test_a_lone_shard_in_a_low_card_has_a_line_as_its_neighbours_have() -> None:
    card = Card("Semantic", (shard(412),), stacked=True)
    low, tall = (plain(drawn(card, 36, height)[1 if height < 4 else 2]) for height in (3, 5))
    assert "━" in low and "█" not in low
    assert "█" in tall and "━" not in tall


def test_many_shards_keep_their_figures_whole_and_as_much_of_their_names_as_fits() -> None:
    limits = (BarLimit(900, "bar_warn"), BarLimit(1020, "bar_risk"), BarLimit(1200, "bar_blocked"))
    shards = [("openclaw.md", 1290, "■ blocked"), ("whatsapp-bot.md", 1047, "▲ risk"), ("ops.md", 930, "! warning")]
    gauges = tuple(GaugeBar(name, tokens, limits, f"{tokens:,} {sign}") for name, tokens, sign in shards)
    narrow = [plain(line) for line in drawn(Card("Semantic", gauges, stacked=True), 26, 3)]
    assert [line.split()[0] for line in narrow] == ["openclaw", "whatsapp-…", "ops"]
    assert [line[-7:] for line in narrow] == ["1,290 ■", "1,047 ▲", "  930 !"]
    roomy = [plain(line) for line in drawn(Card("Semantic", gauges, stacked=True), 60, 3)]
    assert roomy[1].startswith("whatsapp-bot.md ") and roomy[1].endswith("1,047 ▲ risk")
