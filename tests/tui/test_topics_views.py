"""The stream's rows, replays and figures as pure functions."""

from datetime import timedelta

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from engine.sessions.feed import Batch
from engine.sessions.messages import LineProblem
from engine.sessions.monitor import MonitorStep
from engine.topics.decision import GateRule
from engine.topics.decision_log import Useful
from engine.topics.rates import MessageRate, Tally
from tests.talks import NOW, conversation, review, said, topics
from tui.present.spans import plain
from tui.present.topics import funnel_figures as figures
from tui.present.topics.decision_detail import active_rows, decision_detail, message_detail
from tui.present.topics.message_stream import MOST, Stream, StreamRow, StreamRows, matches
from tui.present.topics.replay import LONGEST_GAP, SPEEDS, Replay
from tui.present.topics.verdicts import rule_reason, rule_words


def rows(stream: Stream) -> list[str]:
    shown = StreamRows(stream, {})
    return [plain(shown.row(index).left).strip() for index in range(len(shown))]


def test_a_message_has_a_row_and_so_has_each_decision_and_hint() -> None:
    stream = Stream()
    stream.add(conversation())
    assert [row.split("  ")[0] for row in rows(stream)][:4] == [
        "18:46:02 user",
        "▶ github-pr-review",
        "18:46:09 agent I'll open it now and look at the tests first.",
        "18:46:16 user",
    ]
    assert stream.judged({("k0", "github-pr-review"): Useful.YES, ("old", "x"): Useful.NO}) == (1, 3)


def test_the_stream_is_bounded_and_keeps_the_newest() -> None:
    stream = Stream()
    stream.add(said(n, f"m{n}", review()) for n in range(MOST + 50))
    assert stream.messages == MOST and len(stream.rows) == 2 * MOST
    assert stream.rows[0] == StreamRow(50, -1)
    assert stream.index(StreamRow(3, -1)) == 0
    assert stream.judged({}) == (0, MOST)


def test_a_pause_keeps_what_comes() -> None:
    stream = Stream()
    stream.pause(True)
    stream.add(conversation())
    assert (stream.messages, stream.waiting) == (0, 5)
    stream.pause(False)
    assert (stream.messages, stream.waiting) == (5, 0)


def test_a_filter_looks_at_words_topics_rules_and_answers() -> None:
    entries = conversation()
    words = (
        "invoice MAIL",
        "github-pr-review",
        "rule:medium-drop",
        "gate:yes",
        "role:agent",
        "is:injected",
        "hint:given",
        "",
    )
    found = {text: [entry.key for entry in entries if matches(entry, text)] for text in words}
    assert found == {
        "invoice MAIL": ["k2"],
        "github-pr-review": ["k0"],
        "rule:medium-drop": ["k2"],
        "gate:yes": ["k2"],
        "role:agent": ["k1", "k3"],
        "is:injected": ["k4"],
        "hint:given": ["k3"],
        "": ["k0", "k1", "k2", "k3", "k4"],
    }


@given(st.lists(st.sampled_from(["add", "pause", "go", "filter", "clear"]), max_size=25))
def test_whatever_is_done_rows_and_messages_agree(deeds: list[str]) -> None:
    stream, number = Stream(), 0
    for deed in deeds:
        match deed:
            case "add":
                stream.add([said(number, f"m{number % 3}", review())])
                number += 1
            case "pause" | "go":
                stream.pause(deed == "pause")
            case _:
                stream.set_filter("m1" if deed == "filter" else "")
    assert stream.messages + stream.waiting == number
    assert stream.rows == sorted(stream.rows)
    assert all(matches(stream.entry(place), stream.filter) for place in stream.rows)


def test_every_rule_has_its_words() -> None:
    assert len({rule_words(rule) for rule in GateRule}) == len(GateRule)
    assert len({rule_reason(rule) for rule in GateRule}) == len(GateRule)


def test_a_decision_names_its_rule_whatever_it_was_d17() -> None:
    for rule in GateRule:
        decision = review(rule=rule, score=None)
        text = "\n".join(map(plain, decision_detail(said(1, "a review"), decision, None)))
        assert rule.value in text and "no score was needed" in text


def test_evidence_that_does_not_fit_the_text_harms_nothing() -> None:
    entry = said(1, "ab", review())
    text = "\n".join(map(plain, message_detail(entry, {})))
    assert "ab" in text


def test_a_replay_waits_as_the_session_did_but_never_long() -> None:
    entries = [said(0, "a"), said(1, "b"), said(2, "c")]
    replay = Replay("x", entries, speed=1)
    assert [one.text for one in replay.advance(0.0)] == ["a"]
    assert replay.advance(LONGEST_GAP - 0.1) == ()
    assert [one.text for one in replay.advance(0.2)] == ["b"]
    replay.paused = True
    assert replay.advance(60) == ()
    assert [one.text for one in replay.step()] == ["c"]
    assert replay.over and replay.step() == () and replay.tally.messages == 3
    replay.faster(-1)
    assert replay.speed == SPEEDS[0]
    for _ in SPEEDS:
        replay.faster(1)
    assert replay.speed == SPEEDS[-1]


def test_what_was_active_in_a_replay_ends_when_its_time_is_over() -> None:
    later = msgspec.structs.replace(said(1, "much later"), at=NOW + timedelta(hours=1))
    late = [said(0, "a review", review()), later]
    replay = Replay("x", late)
    replay.step()
    assert [one.topic for one in replay.active()] == ["github-pr-review"]
    replay.step()
    assert replay.active() == ()


def test_titles_say_how_far_behind_and_what_was_skipped() -> None:
    feed = Batch(lag=timedelta(seconds=7), pending=5000, sessions=1, skipped={LineProblem.NOT_JSON: 3}, left_out=1)
    title = plain(
        figures.live_title(MonitorStep(feed=feed, pace=MessageRate(9)), paused=None, following=True, shown="")
    )
    assert title == "Live · 1 session · lag 7.0 s · 9/min · 4.9 KiB to read"
    narrow = figures.live_title(MonitorStep(feed=feed), paused=2, following=True, shown="mail", width=60)
    assert plain(narrow) == "Live · 1 session · paused, 2 new messages · p goes on /mail"
    assert (
        figures.skipped_words(feed) == "skipped lines: 3 not JSON · 1 file not followed: too many, or an unusable name"
    )
    assert figures.skipped_words(Batch(lost=12_345)).startswith("12,345 bytes lost: cut or overwritten before")
    assert figures.skipped_words(feed, 2).startswith("2 followed paths not there: f forgets · skipped lines")


def test_the_funnel_says_what_each_step_dropped_and_never_widens() -> None:
    tally = Tally(messages=100, candidates=20, scored=10, asked=4, said_yes=1, active=7)
    text = [plain(line) for line in figures.funnel_lines(tally, None, 90)]
    assert "20 %" in text[0] and "−80 dropped" in text[0] and "−10 dropped" in text[1] and "−3 dropped" in text[2]
    assert text[3] == "gate    asked of 4 of 10, refused 3"
    assert [line.count("━") for line in text[:3]] == sorted((line.count("━") for line in text[:3]), reverse=True)
    many = figures.funnel_lines(msgspec.structs.replace(tally, messages=1999), None, 68)
    assert all(len(plain(line)) <= 68 for line in many[:3])
    nothing = [plain(line) for line in figures.funnel_lines(Tally(), None, 90)]
    assert "dropped" not in "".join(nothing) and nothing[3] == "gate    not asked"


def test_topics_stand_below_their_problems() -> None:
    shown = figures.TopicFigureRows(topics(), {"deployment"})
    text = [plain(shown.row(index).left) for index in range(len(shown))]
    assert text[0].startswith("✗ broken.md:5") and "▶ deployment" in text
    title, lines = figures.topic_detail(topics(), 1)
    assert title == "code-quality" and any("PR|pull request|review" in plain(line) for line in lines)


def test_time_left_is_told_in_its_own_unit() -> None:
    woken = conversation()[0].woken.active[0]
    right = [plain(active_rows([woken], woken.until - timedelta(seconds=left), 1)[0].right) for left in (59, 700, 9000)]
    assert [text.split("  ")[-1].strip() for text in right] == ["59 s left", "11 min left", "2 h left"]


def test_a_gate_that_failed_is_told_in_whole_words_however_narrow_the_pane() -> None:
    reading = MonitorStep(pace=MessageRate(14, 0.4, 1.2))
    tally = Tally(gate_calls=4, gate_failed=1, corrections=2, micro_usd=400)
    wide, narrow = (plain(figures.funnel_lines(tally, reading, width)[-1]) for width in (120, 66))
    assert wide.endswith("4 topic gate calls, $0.0004 · ✗ 1 topic gate failure · p50 0.40 ms, p95 1.20 ms · 2 hints")
    assert len(narrow) <= 66 and narrow.endswith("✗ 1 topic gate failure")


def test_a_topic_lists_its_exemplars() -> None:
    known = topics()
    said = ("look at PR 41", "review \x1b[2Jthis")
    first = msgspec.structs.replace(known.topics[0], exemplars=said)
    _, lines = figures.topic_detail(
        msgspec.structs.replace(known, topics=(first, *known.topics[1:])), len(known.problems)
    )
    text = [plain(line) for line in lines]
    assert "exemplar 1 look at PR 41" in text and any(line.endswith("2 review ␛[2Jthis") for line in text)
