"""What is active, until when, and what it costs (autopoiesis §10.2)."""

from datetime import timedelta

from engine.topics.activation import MOST_ACTIVE, TTL, Activations, Excluded, LeftOut, PulledIn
from engine.topics.topic import Priority
from tests.engine.topics.waking import NOON, topic, woke

SIZES = {"topics/mail.md": 500, "a.md": 1000, "b.md": 3000, "c.md": 200, "topics/pr.md": 100}


def state() -> Activations:
    return Activations(SIZES.get)


def test_a_topic_is_active_for_its_time_and_longer_where_it_is_woken_again() -> None:
    active, topics = state(), {"mail": topic("mail")}
    active.take("s", woke("mail"), topics, NOON)
    again = active.take("s", woke("mail"), topics, NOON + timedelta(minutes=10)).active[0]
    assert (again.since, again.until, again.woken) == (NOON, NOON + timedelta(minutes=10) + TTL, 2)
    assert [one.topic for one in active.active(NOON + TTL)] == ["mail"]
    assert active.active(NOON + timedelta(minutes=10) + TTL) == ()


def test_subscriptions_are_pulled_in_as_long_as_they_fit_into_max_context_kb() -> None:
    topics = {"mail": topic("mail", subscriptions=("a.md", "b.md", "c.md", "gone.md", "a.md"), max_context_kb=2)}
    (mail,) = state().take("s", woke("mail"), topics, NOON).active
    assert mail.files == (PulledIn("topics/mail.md", 500), PulledIn("a.md", 1000), PulledIn("c.md", 200))
    assert mail.left_out == (LeftOut("b.md", "over max_context_kb 2"), LeftOut("gone.md", "there is no such file"))
    assert (mail.cost, mail.limit) == (1700, 2048)


def test_a_file_that_another_topic_brought_costs_nothing_d5() -> None:
    active = state()
    topics = {"mail": topic("mail", subscriptions=("a.md",)), "pr": topic("pr", subscriptions=("a.md",))}
    active.take("s", woke("mail"), topics, NOON)
    (pr,) = active.take("s", woke("pr"), topics, NOON).active
    assert pr.files[1] == PulledIn("a.md", 1000, shared=True) and pr.cost == 100
    (elsewhere,) = active.take("t", woke("pr"), topics, NOON).active
    assert elsewhere.cost == 1100


def test_of_two_topics_that_say_the_same_only_the_stronger_wakes() -> None:
    text = "# Mail\n\nSort it."
    topics = {
        "mail": topic("mail", priority=Priority.LOW, instructions=text),
        "post": topic("post", priority=Priority.CRITICAL, instructions=text + "\n"),
    }
    active = state()
    woken = active.take("s", woke("mail", "post"), topics, NOON)
    assert [one.topic for one in woken.active] == ["post"] and woken.excluded == (Excluded("mail", "post"),)
    assert active.take("s", woke("mail"), topics, NOON).excluded == (Excluded("mail", "post"),)
    assert [one.topic for one in active.take("other", woke("mail"), topics, NOON).active] == ["mail"]


def test_what_is_active_is_bounded_and_can_be_taken_over() -> None:
    active, topics = state(), {"mail": topic("mail")}
    for number in range(MOST_ACTIVE + 5):
        active.take(f"s{number}", woke("mail"), topics, NOON)
    kept = active.active(NOON)
    assert len(kept) == MOST_ACTIVE
    later = state()
    later.restore(kept[:2], NOON + timedelta(minutes=1))
    assert len(later.active(NOON + timedelta(minutes=1))) == 2
    later.restore(kept[2:4], NOON + TTL)
    assert later.active(NOON + TTL) == ()


def test_a_topic_that_is_gone_wakes_nothing() -> None:
    assert state().take("s", woke("gone"), {}, NOON).active == ()
