"""The three tiers together, and that nothing in a message stalls or breaks them (decisions D16–D20, D31, D37)."""

import random
import string
from datetime import UTC, datetime

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.topics.decision import Correction, GateRule, MatchResult
from engine.topics.messages import Direction, ToolCall
from engine.topics.patterns.pattern_sets import FEW, PatternSets
from engine.topics.patterns.tier1 import LONGEST_TEXT, TopicPatterns
from engine.topics.topic import (
    Activation,
    CodeTrigger,
    GlobTrigger,
    KeywordsTrigger,
    LanguageTrigger,
    MentionTrigger,
    PatternTrigger,
    Priority,
    Scope,
    SentimentTrigger,
    Topic,
    UrlTrigger,
)
from tests.engine.topics.building import SayingGate, matcher, said, topic
from tests.turn import part

NOW = datetime(2026, 3, 15, tzinfo=UTC)

REDOS = r"""
(a+)+$|([a-zA-Z]+)*$|(a|aa)+$|(a|a?)+$|(.*a){20}$|^(a+)+b|(x+x+)+y|(x+x+)+z|^(([a-z])+.)+[A-Z]([a-z])+$|^([a-zA-Z0-9])(([\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+[.]{1}(([a-z]{2,3})|([a-z]{2,3}[.]{1}[a-z]{2,3}))$
(\d+)*x|(\w+\s?)*$|^(\w+\s?)*\.$|(a*)*b|(a*)*$|((a*)*)*b|(ab*)*c|^(a?){25}a{25}$|(?:a|a|a)+$|([^"]+|")*x
(\s*,\s*)*$|^\s+|\s+$|(\s+\w+)*!|<(\w+\s*)*>|(<[^>]*>)*x|^(\/+)*$|(.+)+\n|(.*?,){30}P|(?:.*=.*=.*=)+$
(foo|foo)*bar|(fo+)*bar|([a-c]+)*d|([\w-]+)*:|(\d{1,9}){1,9}x|(1+)*2|^(1*)*$|(.{0,9}){9}!|((ab)*)*c|(a(b)*)*c
^(?:(?:[a-z0-9]+-?)*[a-z0-9])+$|(?i)(a+){10}y|(\.|[^.])*x|(a|b|ab)*c|(?:\r\n|\r|\n)*x|(_|__)*a|(\*+)*x|(=+)*>|(e|ee|eee)*f|(t+)+u+v
"""


def redos() -> list[str]:
    """Fifty patterns that bring a backtracking engine to a halt."""
    found: list[str] = []
    for line in REDOS.strip().split("\n"):
        depth, start = 0, 0
        for at, char in enumerate(line):
            depth += (char == "(" and line[at - 1 : at] != "\\") - (char == ")" and line[at - 1 : at] != "\\")
            if char == "|" and depth == 0:
                found.append(line[start:at])
                start = at + 1
        found.append(line[start:])
    return found


def everything() -> list[Topic]:
    """A topic for each type of trigger, and the patterns above."""
    triggers = (
        PatternTrigger(match=r"\büber\b|x", scope=Scope.BOTH),
        KeywordsTrigger(words=("deploy", "roll back", "部署"), scope=Scope.BOTH),
        CodeTrigger(scope=Scope.BOTH),
        LanguageTrigger(languages=("de", "fr"), scope=Scope.BOTH),
        MentionTrigger(names=("@silas", "David"), scope=Scope.BOTH),
        UrlTrigger(hosts=("github.com",), scope=Scope.BOTH),
        SentimentTrigger(scope=Scope.BOTH),
        GlobTrigger(match="*.py", scope=Scope.BOTH),
    )
    each = [topic(trigger.kind, trigger, text=trigger.what) for trigger in triggers]
    hard = [topic(f"redos-{number}", PatternTrigger(match=each)) for number, each in enumerate(redos())]
    return [*each, *hard, topic("near", similarity_only=True, text="deploy the shop")]


def hostile(count: int) -> list[str]:
    """Messages made to stall, to escape, or to break: the same ones every time."""
    chance = random.Random(16)
    pieces = [
        "a" * 40, "a" * 5_000 + "!", "(" * 900, "[" * 900, "x=" * 800, "\x00", "\x1b[2J\x1b]0;x\x07", "\ud800\udfff",
        "\u202e\u2066", "\u200b" * 60, "é" * 300, "e\u0301" * 300, "한국어" * 90, "```" * 60, "```py\n" + "(" * 300,
        "https://" * 90, "http://[::1", "https://a@b@c/" + "/" * 400, "@" * 300, "!" * 300, "URGENT ", "<script>",
        "[@click=app.quit]", "../" * 90, "%s%n", "'; DROP TABLE topics; --", "\n" * 400, "\r\n\t", "🙂" * 90,
        " @silas ", "\n```py\nx = 1\n```\n",
        "A" * 3_000, "- " * 500, "SELECT " * 90, "def f(:\n" * 50, "ſK", "İ" * 50, "0" * 4_000, " " * 4_000,
    ]  # fmt: skip
    letters = string.printable + "äß中🙂\u0301\u202e\ud800"
    return [
        "".join(
            chance.choice(pieces) if chance.random() < 0.5 else "".join(chance.choices(letters, k=30)) for _ in range(3)
        )
        for _ in range(count)
    ]


def checked(result: MatchResult) -> None:
    """What holds for any message."""
    assert set(result.active) == {each.topic for each in result.decisions if each.activated} <= set(result.candidates)
    assert [each.topic for each in result.decisions] == list(result.candidates)
    assert all(isinstance(each.rule, GateRule) for each in result.decisions)
    assert all(0.0 <= score <= 1.0 for score in result.scores.values())
    msgspec.json.encode(msgspec.structs.replace(result, id=""))


@pytest.mark.sampled(1)
def test_d16_fifty_patterns_and_five_thousand_hostile_messages_stall_and_crash_nothing() -> None:
    topics = everything()
    assert len(redos()) == 50
    made = matcher(topics, SayingGate())
    woken: set[str] = set()
    for number, text in enumerate(part(hostile(5_000))):
        direction = Direction.OUTPUT if number % 2 else Direction.INPUT
        message = said(text, direction=direction, tool_calls=(ToolCall(text[:9], (text[:200],)),) if number % 3 else ())
        result = made.match(message, NOW)
        checked(result)
        woken.update(result.candidates)
    assert {"pattern", "code", "sentiment", "mention"} <= woken and any(name.startswith("redos") for name in woken)


@pytest.mark.parametrize(
    "text",
    [
        "```" + "a" * 190_000 + "`",
        "`" * 190_000 + "x`",
        "~~~ " * 40_000,
        "!" + "?" * 190_000,
        "A" * 190_000,
        "AB " * 60_000,
        "https://" + "a@" * 90_000,
        "www." * 40_000,
        "@" * 190_000,
        "deploy " * 27_000,
        "\n".join(["def f(x):"] * 15_000),
        "(" * 190_000,
        "a.b-c_" * 30_000,
        "中" * 190_000,
        "(" + "a" * 190_000 + "$b",
        "a" * 190_000 + "!aB",
    ],
)
def test_our_own_patterns_take_no_longer_on_long_lines(text: str) -> None:
    checked(ANY.match(said(text, direction=Direction.OUTPUT, tool_calls=(ToolCall("x", (text[:5_000],)),)), NOW))


def test_a_message_of_megabytes_is_cut_and_says_so() -> None:
    result = matcher(everything(), SayingGate()).match(said("a" * 3_000_000 + " deploy"), NOW)
    checked(result)
    assert "keywords" not in result.candidates and any(f"{LONGEST_TEXT:,}" in remark for remark in result.degraded)


@given(st.text(max_size=80), st.sampled_from(list(Direction)), st.floats(-1, 1))
def test_any_text_gets_a_result(text: str, direction: Direction, mood: float) -> None:
    checked(ANY.match(said(text, direction=direction, mood=mood), NOW))


def test_d18_no_tier_1_match_means_no_candidates() -> None:
    made = matcher([topic("a", PatternTrigger(match="zebra"), text="trains"), topic("b", text="trains")], SayingGate())
    assert made.match(said("trains trains trains"), NOW).candidates == ()


def test_d17_similarity_only_topics_need_no_tier_1_match() -> None:
    made = matcher([topic("a", similarity_only=True, text="railway tickets"), topic("b", text="railway tickets")])
    result = made.match(said("railway tickets"), NOW)
    assert result.candidates == ("a",) and not result.decisions[0].tier1


def test_d37_auto_needs_a_tier_1_match_only_and_active_is_what_this_message_activated() -> None:
    made = matcher([topic("a", PatternTrigger(match="zebra"), text="trains", activation=Activation.AUTO)])
    assert made.match(said("a zebra"), NOW).active == ("a",)
    assert made.match(said("nothing"), NOW).active == ()


def test_d20_injected_text_never_triggers() -> None:
    made = matcher([topic("a", PatternTrigger(match="zebra", scope=Scope.BOTH), activation=Activation.AUTO)])
    assert made.match(said("zebra", injected=True, direction=Direction.OUTPUT), NOW).candidates == ()


def test_output_triggers_bring_their_hints() -> None:
    print_2 = PatternTrigger(match=r"(?m)^print ", scope=Scope.OUTPUT, correction_hint="Use Python 3.")
    made = matcher([topic("py", print_2, activation=Activation.AUTO), topic("off", print_2, enabled=False)])
    assert made.match(said("print 3", direction=Direction.OUTPUT), NOW).corrections == (
        Correction("py", "Use Python 3."),
    )
    assert made.match(said("print 3"), NOW).corrections == ()


def test_what_becomes_active_pulls_in_its_file_and_its_subscriptions_once() -> None:
    one = topic(
        "a", PatternTrigger(match="x"), activation=Activation.AUTO, subscriptions=("k/a.md", "k/b.md", "k/a.md")
    )
    assert matcher([one]).match(said("x"), NOW).decisions[0].pulled_in == ("topics/a.md", "k/a.md", "k/b.md")


def test_the_funnel_counts_what_each_tier_let_through() -> None:
    topics = [
        topic("a", PatternTrigger(match="zebra"), text="zebra", priority=Priority.HIGH),
        topic("b", PatternTrigger(match="zebra"), text="trains", priority=Priority.LOW),
        topic("c", PatternTrigger(match="lion"), text="lion"),
    ]
    funnel = matcher(topics, SayingGate(cost=0.5)).match(said("zebra"), NOW).funnel
    assert (funnel.topics, funnel.tier1, funnel.tier2, funnel.active) == (3, 2, 1, 1)


# ── hot reload ────────────────────────────────────────────────────────────────────────────────────────────────────────


WORD = st.text("abc", min_size=1, max_size=2)


@given(
    st.lists(st.dictionaries(st.integers(0, 4), WORD, max_size=5), min_size=1, max_size=5), st.text("abc ", max_size=8)
)
def test_layers_match_as_if_all_were_compiled_anew(steps: list[dict[int, str]], text: str) -> None:
    made = PatternSets(steps[0])
    for step in steps:
        made = made.changed(step)
        assert sorted(made.hits(text.encode())) == sorted(PatternSets(step).hits(text.encode()))


def test_a_change_compiles_what_changed_and_many_changes_make_one_set_again() -> None:
    patterns = {number: f"w{number}x" for number in range(300)}
    first = PatternSets(patterns)
    second = first.changed({**patterns, 7: "new", 300: "more"})
    assert second._base is first._base and second._recent is not None and len(second._recent.patterns) == 2
    assert second.hits(b"w7x new more w8x") == [8, 7, 300]
    third = second.changed({number: f"v{number}x" for number in range(FEW + 1)})
    assert third._base is not first._base and third._recent is None


def test_d16_patterns_too_large_for_one_set_still_match_each(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.topics.patterns.regex.SET_BYTES", 300_000)
    monkeypatch.setattr("engine.topics.patterns.regex.BYTES_EACH", 0)
    heavy = {number: rf"w{number:02}[\pL\pN]{{1,8}}x" for number in range(24)}
    made = PatternSets(heavy)
    assert made._base._set is None, "no room for all of them in one set"
    assert sorted(made.hits("w07äöüx, w11ßx w03 w23abcx".encode())) == [7, 11, 23]
    assert made.hits(b"nothing") == []


def test_a_matcher_of_changed_topics_decides_by_them() -> None:
    old = [
        topic("a", PatternTrigger(match=r"\bzebra\b"), activation=Activation.AUTO),
        topic("b", PatternTrigger(match="lio+n")),
    ]
    new = [topic("a", PatternTrigger(match=r"\bgiraffe\b"), activation=Activation.AUTO), old[1]]
    patterns = TopicPatterns(new, TopicPatterns(old))
    assert len(patterns._texts) == 1, "of a trigger that words decide no pattern is made (D64)"
    assert set(patterns.match(said("zebra giraffe lion")).evidence) == {"a", "b"}
    assert set(patterns.match(said("zebra")).evidence) == set()


@pytest.mark.sampled(3)
def test_scorer_and_patterns_may_be_shared_by_many_threads() -> None:
    from concurrent.futures import ThreadPoolExecutor

    texts = hostile(200)
    with ThreadPoolExecutor(4) as pool:
        many = list(pool.map(lambda text: ANY.match(said(text), NOW).active, texts))
    assert many == [ANY.match(said(text), NOW).active for text in texts]


ANY = matcher(everything(), SayingGate())
