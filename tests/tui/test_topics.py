"""The Topics screen: why did (or didn't) this fire?"""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from time import monotonic

import msgspec
import pytest
from textual import events

from engine.errors import MemdeckError
from engine.sessions.follows import Follows
from engine.topics.decision import GateRule
from engine.topics.decision_log import Useful
from engine.topics.topic import TopicSet
from tests.talks import conversation, review, said
from tests.tui.conftest import Deck, console_of, deck, holds, screen_text, settled, shows
from tests.tui.heard import Heard
from tests.tui.hostile import CODES, HIDDEN, MARKUP
from tui.screens.topics.page import TopicsPage


async def opened(pilot: Deck) -> TopicsPage:
    await pilot.press("4")
    await shows(pilot, "Today", "Active")
    page = console_of(pilot).page
    assert isinstance(page, TopicsPage)
    return page


async def becomes(pilot: Deck, true: Callable[[], bool]) -> None:
    """Waits until something is so, whatever is on screen."""
    await holds(pilot, true, "what was waited for")


async def test_a_message_shows_its_funnel_its_rule_and_its_evidence() -> None:
    made = Heard()
    async with deck(made) as pilot:
        await opened(pilot)
        made.say(*conversation()[:1])
        await shows(pilot, "18:46:02 user", "github-pr-review", "high, sure", "2 sessions", "14/min")
        await pilot.press("k")
        await shows(pilot, "stage 1  1 of 12 topics matched", "stage 2  1 scored enough", "gate     not asked")
        await pilot.press("G")
        text = await shows(pilot, "no topic gate", "PR|pull request|review", "at 8–14", "0.281", "procedures/code-")
        assert "1.9 kB" in text and "left" in text


async def test_the_last_of_many_messages_is_in_sight_though_all_came_at_once() -> None:
    made = Heard()
    async with deck(made) as pilot:
        await opened(pilot)
        made.say(*(said(number, f"message {number:03}.") for number in range(300)))
        text = await shows(pilot, "said     message 299.", "Today 300 messages")
        assert text.count("message 299.") == 2 and "message 000." not in text


async def test_where_none_came_the_last_day_is_shown_until_one_does() -> None:
    made = Heard()
    made.stub.gives("sessions.last_day", conversation())
    async with deck(made) as pilot:
        page = await opened(pilot)
        await shows(pilot, "last on 2026-03-15", "18:46:02 user", "github-pr-review", "Today 0 messages")
        assert page.talk.place is not None and not page.talk.live.messages
        made.say(said(400, "now it goes on"))
        text = await shows(pilot, "now it goes on", "Today 1 message")
        assert "last on" not in text and "18:46:02" not in text


async def test_keys_of_a_replay_say_that_none_plays() -> None:
    async with deck(Heard()) as pilot:
        await opened(pilot)
        await pilot.press("space")
        await shows(pilot, "no replay plays: R chooses one")


async def test_the_hints_have_useful_before_its_opposite() -> None:
    async with deck(Heard()) as pilot:
        await opened(pilot)
        hints = screen_text(pilot).split("\n")[-1]
        assert 0 < hints.index("y Useful") < hints.index("n Not useful")


async def test_listening_that_ended_is_tried_again_with_the_next_look() -> None:
    made = Heard()
    made.breaks = MemdeckError("cannot be read", hint="check its permissions")
    async with deck(made) as pilot:
        await opened(pilot)
        await shows(pilot, "stopped · ctrl+r tries again", "check its permissions")
        made.breaks = None
        await pilot.press("ctrl+r")
        await shows(pilot, "Live · 2 sessions")


async def test_a_hint_and_what_was_injected_are_shown_d20() -> None:
    made = Heard(conversation())
    async with deck(made) as pilot:
        await opened(pilot)
        await shows(pilot, "» code-quality  told: Use Python 3 syntax.", "injected", "it never")


async def test_judging_takes_one_key_and_is_kept() -> None:
    made = Heard(conversation()[:3])
    async with deck(made) as pilot:
        await opened(pilot)
        await shows(pilot, "deployment", "0 of 3 judged")
        await pilot.press("G", "n", "k", "y", "k", "k", "k", "u")
        await shows(pilot, "✗ not useful", "✓ useful", "? unsure", "3 of 3 judged")
        await settled(pilot)
    kept = {(one.message, one.topic): one.useful for one in made.judged}
    assert kept[("k2", "deployment")] is Useful.NO and kept[("k2", "email-triage")] is Useful.YES
    assert kept[("k0", "github-pr-review")] is Useful.UNSURE or len(kept) == 3


async def test_a_judgement_that_cannot_be_kept_is_taken_back_and_said() -> None:
    made = Heard(conversation()[:1])
    made.stub.fails("topics.judge", MemdeckError("the disk is full"))
    async with deck(made) as pilot:
        await opened(pilot)
        await pilot.press("G", "y")
        await shows(pilot, "the disk is full", "0 of 1 judged")


async def test_a_message_with_several_decisions_is_not_judged_as_one() -> None:
    made = Heard(conversation()[2:3])
    async with deck(made) as pilot:
        await opened(pilot)
        await pilot.press("g", "y")
        await shows(pilot, "put the cursor on a decision first")
    assert made.judged == ()


async def test_a_topic_that_was_missed_is_named() -> None:
    made = Heard(conversation()[1:2])
    async with deck(made) as pilot:
        await opened(pilot)
        await pilot.press("m")
        await shows(pilot, "Should have activated", "code-quality")
        await pilot.press(*"deploy", "enter")
        await shows(pilot, "deployment, no candidate")
        await settled(pilot)
    assert [(one.message, one.topic, one.useful) for one in made.judged] == [("k1", "deployment", Useful.YES)]


async def test_a_filter_leaves_what_matches_and_esc_clears_it() -> None:
    async with deck(Heard(conversation())) as pilot:
        await opened(pilot)
        await pilot.press("slash", *"gate:yes")
        await shows(pilot, "email-triage", "/gate:yes")
        assert "code-quality  told" not in screen_text(pilot)
        await pilot.press("escape")
        await shows(pilot, "code-quality  told")


async def test_a_pause_holds_the_stream_and_loses_nothing() -> None:
    made = Heard(conversation()[:1])
    async with deck(made) as pilot:
        page = await opened(pilot)
        await pilot.press("p")
        made.say(*conversation()[1:3])
        await shows(pilot, "paused, 2 new messages", "p Go on")
        assert "invoice mail" not in screen_text(pilot)
        await pilot.press("p")
        await shows(pilot, "invoice mail", "p Pause")
        assert page.talk.stream.messages == 3


async def test_the_cursor_stays_on_its_message_while_others_come() -> None:
    made = Heard(conversation()[:2])
    async with deck(made) as pilot:
        page = await opened(pilot)
        await pilot.press("g")
        await shows(pilot, "not following")
        made.say(*(said(n, f"more {n}") for n in range(10, 60)))
        await shows(pilot, "not following")
        while page.talk.stream.messages < 52:
            await pilot.pause(0.05)
        assert page.talk.place is not None and page.talk.stream.entry(page.talk.place).key == "k0"
        await pilot.press("G")
        await shows(pilot, "more 59")


async def test_a_past_session_is_replayed_at_a_chosen_speed_and_left_again() -> None:
    made = Heard(conversation()[:1])
    async with deck(made) as pilot:
        page = await opened(pilot)
        await pilot.press("R")
        await shows(pilot, "Replay a session", "18:45 review")
        await pilot.press("enter")
        await shows(pilot, "Replay", "60×", "This replay")
        await pilot.press("greater_than_sign")
        await shows(pilot, "300×")
        await pilot.press("p")
        await shows(pilot, "paused")
        for _ in range(5):
            await pilot.press("space")
        await shows(pilot, "5/5 · ended", "email-triage", "R another  esc back to live")
        await pilot.press("p", "space", "less_than_sign")
        await shows(pilot, "the replay is at its end: esc leads back")
        assert "300" not in screen_text(pilot) and "go on" not in screen_text(pilot)
        await pilot.press("escape")
        await shows(pilot, "Live")
        assert page.talk.replay is None and page.talk.stream.messages == 1


async def test_tuning_is_proposed_from_here() -> None:
    made = Heard(conversation())
    planned = made.stub.asked("plans.make")
    async with deck(made) as pilot:
        await opened(pilot)
        await pilot.press("t")
        await settled(pilot)
    assert any("tune" in system for system, *_ in planned)


async def test_topics_with_errors_stand_on_top_and_open() -> None:
    async with deck(Heard()) as pilot:
        page = await opened(pilot)
        await shows(pilot, "✗ broken.md:5", "✗ 1 broken")
        page.turn_to("topics_list")
        await pilot.press("enter")
        await shows(pilot, "disabled until this is fixed")


async def pasted(pilot: Deck, text: str) -> None:
    """Fills the field at once: at a key a letter a path takes longer than a message stays."""
    pilot.app.post_message(events.Paste(text))
    await becomes(pilot, lambda: getattr(pilot.app.focused, "value", "") == text)


async def test_more_files_are_followed_and_let_go_of(tmp_path: Path) -> None:
    file = tmp_path / "s.jsonl"
    file.write_text("")
    made = Heard()
    async with deck(made) as pilot:
        page = await opened(pilot)
        await pilot.press("f")
        await shows(pilot, "Follow session files")
        await pasted(pilot, str(file))
        await pilot.press("enter")
        await becomes(pilot, lambda: made.places[-1:] == [((file,),)])
        await pilot.press("f")
        await shows(pilot, "Followed session files", "s.jsonl", "stop following")
        await pilot.press("enter")
        await shows(pilot, "Follow session files")
        await pasted(pilot, str(tmp_path / "none"))
        await pilot.press("enter")
        await settled(pilot)  # what it says is a message that may end before this reads it
        assert page.heard.followed == Follows((file,))
        await pilot.press("f")
        await shows(pilot, "Followed session files")
        await pilot.press("down", "enter")
        await becomes(pilot, lambda: made.places[-1:] == [((),)])
        assert page.heard.followed == Follows()


async def test_what_was_followed_and_is_gone_is_said_and_can_be_forgotten(tmp_path: Path) -> None:
    file, gone = tmp_path / "s.jsonl", tmp_path / "gone.jsonl"
    file.write_text("")
    made = Heard()
    gone.write_text("")
    made.engine.sessions.follow(file)
    made.engine.sessions.follow(gone)
    gone.unlink()
    async with deck(made) as pilot:
        await opened(pilot)
        await shows(pilot, "1 followed path not there: f forgets")
        await becomes(pilot, lambda: made.places == [((file,),)])
        await pilot.press("f")
        await shows(pilot, "gone.jsonl", "not there, forget")
        await pilot.press("down", "down", "enter")
        await becomes(pilot, lambda: made.engine.sessions.followed() == Follows((file,)))


async def test_a_workspace_without_topics_says_what_one_is() -> None:
    async with deck(Heard(known=TopicSet())) as pilot:
        await opened(pilot)
        await shows(pilot, "this workspace has no topics yet", "topics/NAME.md")


async def test_a_monitor_that_fails_says_so() -> None:
    made = Heard()
    made.stub.fails("sessions.monitor", MemdeckError("no such session", hint="name another"))
    async with deck(made) as pilot:
        await opened(pilot)
        await shows(pilot, "no such session")


async def test_trouble_with_the_log_is_told_once() -> None:
    made = Heard()
    made.problems = ("decisions are not kept: no space left",)
    async with deck(made) as pilot:
        await opened(pilot)
        await shows(pilot, "decisions are not kept")


async def test_a_key_counts_even_where_a_message_comes_before_its_word_of_it() -> None:
    made = Heard(conversation())
    async with deck(made) as pilot:
        page = await opened(pilot)
        lines = page.list_of("stream")
        page.talk._anchor, lines.cursor = (
            page.talk.place,
            lines.count - 3,
        )  # the key moved it, and the page does not know yet
        under = page.talk.place
        made.say(said(90, "one more", review()))
        await shows(pilot, "one more")
        assert page.talk.place == under


async def test_lag_is_shown() -> None:
    made = Heard()
    made.lag = timedelta(seconds=12.3)
    async with deck(made) as pilot:
        await opened(pilot)
        made.say(*conversation()[:1])
        await shows(pilot, "lag 12.3 s")


async def test_a_reading_that_came_too_soon_to_be_painted_is_painted_later(monkeypatch: pytest.MonkeyPatch) -> None:
    made = Heard()
    made.lag = timedelta(seconds=12.3)
    async with deck(made) as pilot:
        page = await opened(pilot)
        monkeypatch.setattr(page.heard, "painted", monotonic() + 1)
        made.say(*conversation()[:1])
        await shows(pilot, "lag 12.3 s", "18:46:02 user")


@pytest.mark.parametrize("size", [(80, 24), (60, 16)])
async def test_every_pane_can_be_reached_on_a_small_terminal(size: tuple[int, int]) -> None:
    made = Heard(conversation())
    async with deck(made, size=size) as pilot:
        await pilot.press("4")
        await shows(pilot, "18:46:02 user")
        for words in ("the rule", "email-triage", "✗ broken.md", "stage 1"):
            await pilot.press("tab")
            if words == "the rule":
                words = "18:46:30"
            if words == "email-triage":
                made.say(said(9, "again", review(topic="email-triage", rule=GateRule.AUTO)))
            await shows(pilot, words)


async def test_hostile_text_does_nothing_but_show_g13() -> None:
    entries = [said(n, text, review(topic=text[:60] or "x")) for n, text in enumerate((*MARKUP, *CODES, *HIDDEN))]
    entries = [msgspec.structs.replace(one, session=one.text[:40], source=one.text[:80]) for one in entries]
    made = Heard(entries)
    async with deck(made) as pilot:
        page = await opened(pilot)
        for _ in range(2 * len(entries)):
            await pilot.press("k")
        await settled(pilot)
        text = screen_text(pilot)
        assert not set(text) & {chr(code) for code in (*range(10), *range(11, 32), 0x7F, 0x202E)}
        assert page.talk.place is not None
    assert made.judged == ()


async def test_in_a_small_terminal_a_pane_has_all_the_room_and_knows_it() -> None:
    made = Heard(conversation())
    async with deck(made, size=(80, 24)) as pilot:
        await pilot.press("4")
        await shows(pilot, "18:46:02 user")
        page = console_of(pilot).page
        for name in page.PANES:
            page.turn_to(name)
            await becomes(pilot, lambda name=name: page.pane(name).outer_size.height == page.size.height)  # type: ignore[misc]
        await shows(pilot, "Today", f"stage 1 {21 * '─'}", "cost", "no call of the topic gate")


async def test_a_key_never_judges_what_came_under_the_cursor_as_it_was_pressed() -> None:
    made = Heard(conversation()[:1])
    async with deck(made) as pilot:
        page = await opened(pilot)
        await shows(pilot, "0 of 1 judged")
        await pilot.press("G")
        made.say(said(90, "one more", review(topic="deployment", activated=False)))
        await becomes(pilot, lambda: page.talk.decided is not None and page.talk.decided[1] == "deployment")
        page.talk.quiet.begin(monotonic() + 60)  # as if it came this moment, however slow the test is
        await pilot.press("y")
        await shows(pilot, "press it again to judge", "paused, 0 new messages", "0 of 2 judged")
        assert not made.judged and page.talk.stream.paused
        made.say(said(91, "and another", review()))
        await shows(pilot, "paused, 1 new message")
        page.talk.quiet.begin(float("-inf"))
        await pilot.press("y")
        await shows(pilot, "✓ useful")
        await settled(pilot)
    assert [one.topic for one in made.judged] == ["deployment"]


async def test_what_comes_under_the_cursor_by_itself_is_not_judged_at_once() -> None:
    made = Heard(conversation()[:1])
    async with deck(made) as pilot:
        page = await opened(pilot)
        await shows(pilot, "0 of 1 judged")
        long_ago = float("-inf")
        page.talk.quiet.begin(long_ago)
        await pilot.press("k", "j")
        assert page.talk.quiet.over(monotonic() - 1000)
        made.say(said(90, "one more", review()))
        await becomes(pilot, lambda: not page.talk.quiet.over(monotonic() - 1000))
        page.talk.quiet.begin(long_ago)
        await pilot.press("g")
        made.say(said(91, "another", review()))
        await shows(pilot, "another")
        assert page.talk.quiet.over(monotonic() - 1000)


async def test_the_keys_of_a_judgement_are_offered_where_one_is_meant() -> None:
    made = Heard(conversation()[:2])
    async with deck(made) as pilot:
        await opened(pilot)
        text = await shows(pilot, "0 of 1 judged", "Message")
        assert "u unsure" not in text
        await pilot.press("k")
        await shows(pilot, "y useful  n not  u unsure  0 of 1 judged")


async def test_the_scroll_bar_stands_at_the_end_though_all_came_at_once() -> None:
    made = Heard()
    async with deck(made) as pilot:
        page = await opened(pilot)
        made.say(*(said(number, f"message {number:03}.") for number in range(300)))
        await shows(pilot, "said     message 299.")
        lines = page.list_of("stream")
        assert lines.scroll_y > 200 and lines.vertical_scrollbar.position == lines.scroll_y
