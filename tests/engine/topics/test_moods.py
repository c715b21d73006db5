"""The mood of a session goes on from message to message, and of too many sessions the silent ones are forgotten."""

from engine.topics.patterns.sentiment import Moods, next_mood


def test_a_mood_goes_on_in_its_own_session() -> None:
    moods = Moods()
    moods.go_on("a", moods.of("a"), -1.0)
    assert moods.of("a") == next_mood(0.0, -1.0) < 0 == moods.of("b")
    moods.go_on("a", moods.of("a"), None)
    assert moods.of("a") == next_mood(0.0, -1.0)


def test_the_session_that_was_silent_longest_goes_first() -> None:
    moods = Moods(most=2)
    for session in ("a", "b", "a", "c"):
        moods.go_on(session, 0.0, 1.0)
    assert [bool(moods.of(session)) for session in "abc"] == [True, False, True]
