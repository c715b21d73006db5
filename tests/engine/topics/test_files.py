"""Topic files: typed triggers, errors with file and line, ids, and that a bad one stops no other (D15, D16, D37)."""

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.topics.files.topic_file import KEYS, is_topic_path, read_topic, read_topics
from engine.topics.files.trigger_reader import KINDS
from engine.topics.gate.offline import CUT, RIVALS
from engine.topics.patterns.regex import LONGEST_PATTERN
from engine.topics.similarity.scorer import passages
from engine.topics.topic import (
    Activation,
    CodeTrigger,
    CronTrigger,
    GlobTrigger,
    KeywordsTrigger,
    LanguageTrigger,
    MentionTrigger,
    MoodShift,
    PatternTrigger,
    Priority,
    Scope,
    SentimentTrigger,
    UrlTrigger,
    WebhookTrigger,
)
from tests.engine.topics.building import from_file

ALL = r"""---
type: topic
description: Mail that has to be sorted.
triggers:
  - {type: pattern, match: '\b(email|inbox)\b', scope: both}
  - type: glob
    match: "*.eml"
  - type: keywords
    words: [spam, junk mail]
    at_least: 2
  - type: code
    languages: [python]
  - type: language
    languages: de
  - type: mention
    names: ["@silas", David]
  - type: url
    hosts: [github.com/*/*/pull/*]
  - type: sentiment
    shift: negative
    by: 0.4
  - type: webhook
    source: email
    event: new_message
  - type: cron
    schedule: "0 8 * * *"
  - type: pattern
    match: "^print "
    scope: output
    correction_hint: Use Python 3.
subscriptions:
  - knowledge/procedures/email-workflow.md
activation: gated
priority: high
max_context_kb: 4.5
similarity_threshold: 0.2
similarity_only: false
---

# Email Triage

## Instructions

When a new email arrives:
1. Classify it
2. Answer it
"""


def problems(text: str) -> list[tuple[int, str]]:
    return [(problem.line, problem.message) for problem in read_topic("topics/t.md", text.encode()).problems]


def with_trigger(lines: str) -> str:
    return f"---\ntype: topic\ntriggers:\n{lines}\n---\n\n# T\n"


def test_d15_every_type_of_trigger_is_read_with_its_line() -> None:
    topic = from_file(ALL, "topics/mail/triage.md")
    assert topic.id == "mail/triage" and topic.title == "Email Triage", "decision D37: the path without .md"
    assert topic.triggers == (
        PatternTrigger(match=r"\b(email|inbox)\b", scope=Scope.BOTH, line=5),
        GlobTrigger(match="*.eml", line=6),
        KeywordsTrigger(words=("spam", "junk mail"), at_least=2, line=8),
        CodeTrigger(languages=("python",), line=11),
        LanguageTrigger(languages=("de",), line=13),
        MentionTrigger(names=("@silas", "David"), line=15),
        UrlTrigger(hosts=("github.com/*/*/pull/*",), line=17),
        SentimentTrigger(shift=MoodShift.NEGATIVE, by=0.4, line=19),
        WebhookTrigger(source="email", event="new_message", line=22),
        CronTrigger(schedule="0 8 * * *", line=25),
        PatternTrigger(match="^print ", scope=Scope.OUTPUT, correction_hint="Use Python 3.", line=27),
    )
    assert (topic.activation, topic.priority) == (Activation.GATED, Priority.HIGH)
    assert (topic.max_context_kb, topic.similarity_threshold, topic.similarity_only) == (4.5, 0.2, False)
    assert topic.subscriptions == ("knowledge/procedures/email-workflow.md",)
    kinds = [trigger.kind for trigger in topic.triggers]
    assert kinds[:4] == ["pattern", "glob", "keywords", "code"] and all(trigger.what for trigger in topic.triggers)


def test_d15_scope_is_input_and_thresholds_are_the_tables_unless_the_file_says_otherwise() -> None:
    topic = from_file(with_trigger("  - {type: pattern, match: x}"))
    assert topic.triggers[0].scope is Scope.INPUT
    assert topic.similarity_threshold is None and not topic.similarity_only and topic.enabled
    assert (topic.activation, topic.priority, topic.max_context_kb) == (Activation.GATED, Priority.MEDIUM, 4.0)


def test_d15_the_specifications_own_example_is_told_where_its_keys_belong() -> None:
    text = "---\ntype: topic\ntriggers:\n  - type: pattern\n    match: x\n  similarity_threshold: 0.2\n---\n"
    ((line, message),) = problems(text)
    assert line == 6 and "`similarity_threshold` belongs to the topic" in message


@pytest.mark.parametrize(
    ("trigger", "line", "said"),
    [
        ("  - {type: patern, match: x}", 4, "did you mean `pattern`"),
        ("  - {match: x}", 4, "needs a `type`"),
        ("  - x", 4, "a trigger is a map"),
        ("  - type: pattern\n    mtach: x", 5, "did you mean `match`"),
        ("  - type: pattern\n    match: x\n    scope: sideways", 6, "sideways"),
        ("  - type: pattern", 4, "needs `match`"),
        ("  - type: keywords\n    words: []", 4, "needs `words`"),
        ("  - type: keywords\n    words: [a, '']", 5, "none of them empty"),
        ("  - type: keywords\n    words: [a]\n    at_least: 2", 6, "`at_least`"),
        ("  - type: glob\n    match: '[z-a]'", 5, "is no glob"),
        ("  - type: cron\n    schedule: '0 8 * *'", 5, "five fields"),
        ("  - type: cron\n    schedule: '0 8 30 2 *'", 5, "is no schedule"),
        ("  - type: url\n    hosts: ['https://x.com']", 5, "is no host"),
        ("  - type: language\n    languages: [german]", 5, "no ISO 639 code"),
        ("  - type: sentiment\n    by: 3", 5, "`by`"),
        ("  - type: sentiment\n    by: many", 5, "`by`"),
        ("  - type: webhook\n    event: x", 4, "needs `source`"),
        ("  - type: pattern\n    match: x\n    line: 7", 6, "has no `line`"),
    ],
)
def test_what_is_wrong_in_a_trigger_is_named_with_its_line(trigger: str, line: int, said: str) -> None:
    text = with_trigger(trigger)
    assert read_topic("topics/t.md", text.encode()).topic is None
    found = problems(text)
    assert [where for where, _ in found] == [line] and said in found[0][1]


@pytest.mark.parametrize("pattern", ["(?=x)y", r"(a)\1", "a{1,2000}", "(?<!x)y", "(", "a++"])
def test_d16_what_re2_cannot_take_is_refused_and_quoted(pattern: str) -> None:
    text = with_trigger(f"  - type: pattern\n    match: '{pattern}'")
    ((line, message),) = problems(text)
    assert line == 5 and f"`{pattern}`" in message, "decision D37: an error about a pattern quotes it"


def test_d16_a_pattern_has_a_length() -> None:
    assert not problems(with_trigger(f"  - {{type: pattern, match: {'x' * 1000}}}"))
    ((_, message),) = problems(with_trigger(f"  - {{type: pattern, match: {'x' * 1001}}}"))
    assert "longer than 1,000" in message and "x" * 81 not in message


def test_d38_lint_says_which_boundaries_stay_ascii() -> None:
    text = with_trigger("  - type: pattern\n    match: 'deploy\\b.*now'")
    read = read_topic("topics/t.md", text.encode())
    assert read.topic is not None, "a remark disables nothing"
    (problem,) = read.problems
    assert not problem.error and "ASCII" in problem.message and r"`deploy\b.*now`" in problem.message


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("activation: sometimes", "auto, gated, manual"),
        ("priority: urgent", "low, medium, high, critical"),
        ("max_context_kb: lots", "a number"),
        ("similarity_threshold: 1.5", "from 0 to 1"),
        ("similarity_threshold: nan", "from 0 to 1"),
        ("similarity_only: maybe", "true or false"),
        ("subscriptions: [../secrets.md]", "inside the workspace"),
        ("subscriptions: [/etc/passwd]", "inside the workspace"),
        ("subscriptions: {a: b}", "a list"),
        ("triggers: yes", "a list"),
        ("priority: [high]", "one value"),
    ],
)
def test_what_is_wrong_in_a_topic_disables_it(line: str, said: str) -> None:
    read = read_topic("topics/t.md", f"---\ntype: topic\n{line}\n---\n# T\n".encode())
    assert read.topic is None
    assert any(problem.line == 3 and said in problem.message for problem in read.problems if problem.error)


def test_an_unknown_key_is_a_remark_with_a_suggestion() -> None:
    text = "---\ntype: topic\nsimilarity_only: yes\nsimilarity_treshold: 0.2\n---\n# T\n"
    assert problems(text) == [(4, "a topic has no `similarity_treshold`; did you mean `similarity_threshold`?")]
    assert from_file(text).similarity_only


def test_a_bad_topic_is_disabled_and_named_and_the_others_go_on() -> None:
    good = with_trigger("  - {type: pattern, match: x}").encode()
    found = read_topics(
        {"topics/b.md": b"no frontmatter", "topics/a.md": good, "topics/z/c.md": b"\xff", "topics/d.md": good}
    )
    assert [topic.id for topic in found.topics] == ["a", "d"]
    assert {(problem.path, problem.line) for problem in found.problems} == {("topics/b.md", 1), ("topics/z/c.md", 1)}


def test_which_files_are_topics() -> None:
    assert is_topic_path("topics/a.md") and is_topic_path("topics/x/y.md")
    for path in ("topics/README.md", "topics/_index.md", "topics/a.txt", "knowledge/a.md", "topics/x/_a.md"):
        assert not is_topic_path(path)


def test_d37_similarity_looks_at_description_and_instructions_without_what_all_topics_say() -> None:
    assert passages(from_file(ALL)) == ("Email Triage", "Mail that has to be sorted.", "Classify it", "Answer it")


def test_the_description_is_the_first_paragraph_where_none_is_given() -> None:
    topic = from_file("---\ntype: topic\nsimilarity_only: yes\n---\n# T\n\nAbout trains.\nAnd planes.\n\nMore.\n")
    assert topic.description == "About trains.\nAnd planes."


@given(st.binary(max_size=300))
def test_no_bytes_are_an_exception(data: bytes) -> None:
    for prefix in (b"", b"---\ntype: topic\ntriggers:\n  - type: pattern\n    match: "):
        read = read_topic("topics/t.md", prefix + data)
        assert read.topic is not None or any(problem.error for problem in read.problems)
        assert all(problem.line >= 1 for problem in read.problems)


@given(
    st.recursive(
        st.text(max_size=8),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
        max_leaves=8,
    )
)
def test_no_shape_of_a_trigger_is_an_exception(value: object) -> None:
    for name in ("pattern", "keywords", "sentiment", "url", "cron", "webhook", "mention", "code"):
        written = {"type": name, "match": value, "words": value, "shift": value, "source": value, "scope": value}
        text = msgspec.json.encode({"type": "topic", "triggers": [written, value], "subscriptions": value}).decode()
        read_topic("topics/t.md", f"---\n{text[1:-1]}\n---\n".encode("utf-8", "replace"))
        read_topic(
            "topics/t.md", f"---\ntype: topic\ntriggers: {msgspec.json.encode([written]).decode()}\n---\n".encode()
        )


# ── the page that tells of it ─────────────────────────────────────────────────────────────────────────────────────────


PAGE = (Path(__file__).parents[3] / "docs" / "topics-files.md").read_text("utf-8")


def test_the_page_names_every_key_and_every_trigger_with_its_fields() -> None:
    rows = {line.split("|")[1].strip(): line for line in PAGE.splitlines() if line.startswith("| `")}
    told = " ".join(rows)
    assert [key for key in KEYS if f"`{key}`" not in told] == []
    for name, kind in KINDS.items():
        own = set(kind.type.__struct_fields__) - {"scope", "correction_hint", "line"}
        assert [field for field in own if f"`{field}`" not in rows[f"`{name}`"]] == []


def test_the_page_tells_the_figures_that_hold() -> None:
    assert f"{LONGEST_PATTERN:,} characters" in PAGE
    assert f"less {RIVALS:g} times" in PAGE and f"at least {CUT:g}" in PAGE


def test_the_pages_example_is_a_topic_without_a_remark() -> None:
    example = PAGE.split("```markdown\n", 1)[1].split("```", 1)[0]
    read = read_topic("topics/email-triage.md", example.encode())
    assert read.topic is not None and read.problems == ()


def test_a_glob_that_hears_the_user_alone_is_remarked_since_tool_calls_are_the_agents() -> None:
    topic = "---\ntype: topic\ntriggers:\n  - type: glob\n    match: '*.py'\n    scope: {}\n---\n# Python\n"
    for scope, remarks in (("input", 1), ("output", 0), ("both", 0)):
        read = read_topics({"topics/python.md": topic.format(scope).encode()})
        assert [one.error for one in read.problems] == [False] * remarks
        assert all("agent's" in one.message and one.line == 4 for one in read.problems)
