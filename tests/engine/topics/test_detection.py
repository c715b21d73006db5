"""Code, language, sentiment, mentions, links, paths: each on text it must and must not match (decision D31)."""

from datetime import UTC, datetime

import pytest

from engine.topics.messages import Direction, Message, ToolCall
from engine.topics.patterns.code_detection import find_code
from engine.topics.patterns.language_detection import detect_language
from engine.topics.patterns.sentiment import mood_of, next_mood, shouted, turned
from engine.topics.patterns.tier1 import TopicPatterns
from engine.topics.patterns.urls import glob_problem
from engine.topics.topic import (
    AnyTrigger,
    CodeTrigger,
    GlobTrigger,
    KeywordsTrigger,
    LanguageTrigger,
    MentionTrigger,
    MoodShift,
    PatternTrigger,
    Scope,
    SentimentTrigger,
    UrlTrigger,
)
from tests.engine.topics.building import said, topic

NOW = datetime(2026, 3, 15, tzinfo=UTC)


def wakes(trigger: AnyTrigger, message: Message | str) -> bool:
    one = said(message) if isinstance(message, str) else message
    return "t" in TopicPatterns([topic("t", trigger)]).match(one).evidence


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Look:\n```python\nx = 1\n```", "python"),
        ("```py\nx = 1\n```", "python"),
        ("~~~rust\nfn main() {}\n~~~", "rust"),
        ("```\ndef f(x):\n    return x\n```", "python"),
        ("def f(x):\n    return x + 1\n", "python"),
        ("import os\nfrom sys import argv\nprint(argv)\n", "python"),
        ("const x = 3;\nconsole.log(x);\n", "javascript"),
        ("SELECT name FROM users WHERE id = 3;", "sql"),
        ("package main\n\nfunc main() {\n\tx := 3\n}\n", "go"),
        ("use std::io;\nfn main() {\n    let x = 3;\n}\n", "rust"),
        ("#include <stdio.h>\nint main(void) {\n  return 0;\n}\n", "c"),
        ("public class A {\n  public static void main(String[] a) {\n    System.out.println(1);\n  }\n}", "java"),
    ],
)
def test_d31_code_is_found_with_its_language(text: str, language: str) -> None:
    assert language in {code.language for code in find_code(text)}
    assert wakes(CodeTrigger(languages=(language,)), text) and wakes(CodeTrigger(), text)
    assert not wakes(CodeTrigger(languages=("cobol",)), text)


@pytest.mark.parametrize(
    "text",
    [
        "Why does this fail?\n```\nx = compute(y)\nshow(x)\n```",
        "~~~\ncfg.load(path);\n~~~",
        "It is this:\n\n    total += price * count;\n    items[n] = total;\n\nand it is wrong.",
        "\tlda #$00;\n\tsta $d020;\n",
    ],
)
def test_d31_code_that_names_no_language_is_code(text: str) -> None:
    assert wakes(CodeTrigger(), text) and not wakes(CodeTrigger(languages=("cobol",)), text)


def test_d31_two_indented_lines_of_c_are_c() -> None:
    text = "Is this right?\n\n    int total = 0;\n    add(&total, 3);\n"
    assert wakes(CodeTrigger(languages=("c",)), text)
    (found,) = TopicPatterns([topic("t", CodeTrigger())]).match(said(text)).evidence["t"]
    assert text[found.start : found.end] == "    int total = 0;\n    add(&total, 3);"


@pytest.mark.parametrize(
    "text",
    [
        "Please select a date from the calendar where we met.",
        "I think def is a strange word, and import duties are high.",
        "Dear all,\n\nif you can: come.\nThanks",
        "- a list\n- of things\n\nFor example:\n\n1. we import goods from China\n2. return to sender",
        "```\nJust a quoted sentence.\n```",
        "```text\nnothing here\n```",
        "The class of 1999 met; let us go.",
        "1. first\n\n    which goes on here;\n    and ends here (really).\n",
        "    Dear Anna,\n    thank you for the flowers!\n",
        "```\nAnna: hello\nBen: hi, how are you?\n```",
        "",
    ],
)
def test_d31_prose_is_no_code(text: str) -> None:
    assert find_code(text) == ()


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Wir treffen uns morgen um acht am Bahnhof und fahren dann gemeinsam weiter.", "de"),
        ("Where is the file that I wrote yesterday evening?", "en"),
        ("J'aimerais savoir si vous pouvez venir demain soir à la maison.", "fr"),
        ("今天天气很好，我们去公园吧", "zh"),
        ("明日の会議は何時からですか", "ja"),
        ("내일 회의는 몇 시에 시작하나요", "ko"),
        ("Привет, ты не забыл про встречу завтра вечером?", "ru"),
    ],
)
def test_d31_languages_are_told_apart(text: str, language: str) -> None:
    assert detect_language(text) == language
    assert wakes(LanguageTrigger(languages=(language.upper(),)), text)
    other = "de" if language != "de" else "en"
    assert not wakes(LanguageTrigger(languages=(other,)), text)


@pytest.mark.parametrize(
    "text",
    [
        "ok",
        "LGTM",
        "12345 67890 12345 67890",
        "```\nfor i in range(3): pass\n```",
        "https://example.org/eine/lange/deutsche/adresse",
    ],
)
def test_d31_too_little_text_has_no_language(text: str) -> None:
    assert detect_language(text) == ""


def test_d31_sentiment_is_a_turn_and_no_state() -> None:
    angry = "This is terrible, I hate it, everything is broken and useless."
    assert mood_of(angry) < -0.5 < 0.5 < mood_of("This is wonderful, I love it, great work!")
    down, up = SentimentTrigger(), SentimentTrigger(shift=MoodShift.POSITIVE)
    assert wakes(down, angry) and not wakes(up, angry)
    assert not wakes(down, said(angry, mood=-0.8)), "the session was angry before"
    assert not wakes(down, "Please list the files in this folder.")
    assert wakes(SentimentTrigger(shift=MoodShift.ANY), "This is wonderful, I love it, great work, thank you so much.")
    assert turned(SentimentTrigger(by=0.5), 0.0, -0.5) and not turned(SentimentTrigger(by=0.5), 0.0, -0.49)
    assert next_mood(0.0, -1.0) == pytest.approx(-0.4)


@pytest.mark.parametrize("text", ["URGENT: the shop is down", "Help!!!", "WHY IS THIS STILL NOT WORKING"])
def test_d31_shouting_is_an_escalation(text: str) -> None:
    assert shouted(text) is not None and wakes(SentimentTrigger(), text)


@pytest.mark.parametrize(
    "text", ["Use HTTP and JSON.", "Great! Thanks!", "The API returns XML.", "urgently needed: milk"]
)
def test_d31_capitals_alone_are_no_shouting(text: str) -> None:
    assert shouted(text) is None


@pytest.mark.parametrize(
    ("names", "text", "found"),
    [
        (("David",), "ask david about it", True),
        (("David",), "cc @David", True),
        (("David",), "Davidson came", False),
        (("@silas",), "hey @silas!", True),
        (("@silas",), "hey silas", False),
        (("@silas",), "mail x@silas.com", False),
        (("Jörg Weiß",), "frag mal  Jörg\nWeiß", True),
        (("Jörg",), "Jörgen", False),
        (("张伟",), "请问张伟在吗", True),
        (("@张伟",), "请问@张伟在吗", True),
        (("@张伟",), "请问张伟在吗", False),
        (("민수",), "민수가 왔어요", True),
    ],
)
def test_d31_mentions(names: tuple[str, ...], text: str, found: bool) -> None:
    assert wakes(MentionTrigger(names=names), text) is found


@pytest.mark.parametrize(
    ("hosts", "text", "found"),
    [
        ((), "see https://example.org.", True),
        ((), "see www.example.org", True),
        ((), "no link at example dot org", False),
        ((), "see example.org/docs for it", True),
        ((), "请看github.com/x/y", True),
        ((), "open engine/topics/gate.py/x or docs.md/x", False),
        ((), "either and/or e.g./i.e. 1.5/2", False),
        ((), "mail me@example.org/x", False),
        (("github.com",), "look at github.com/x", True),
        (("github.com",), "look at notgithub.com/x", False),
        (("github.com",), "evil.example/github.com/x", False),
        (("github.com/*/*/pull/*",), "merged github.com/a/b/pull/7, at last", True),
        (("github.com",), "https://github.com/a/b", True),
        (("github.com",), "https://gist.github.com/a", True),
        (("github.com",), "https://notgithub.com/a", False),
        (("github.com",), "https://github.com@evil.example/a", False),
        (("github.com",), "https://evil.example/github.com", False),
        (("github.com",), "HTTPS://GitHub.COM./a", True),
        (("github.com/*/*/pull/*",), "(https://github.com/a/b/pull/7/files)", True),
        (("github.com/*/*/pull/*",), "https://github.com/a/b/issues/7", False),
        (("example.org/docs",), "https://example.org/docs/a", True),
        (("example.org/docs",), "https://example.org/docsier", False),
        (("example.org",), "http://[::1", False),
    ],
)
def test_d31_links_by_what_they_lead_to(hosts: tuple[str, ...], text: str, found: bool) -> None:
    assert wakes(UrlTrigger(hosts=hosts), text) is found


@pytest.mark.parametrize(
    ("glob", "path", "found"),
    [
        ("*.py", "engine/topics/gate/bypass.py", True),
        ("*.py", "gate.pyc", False),
        ("src/*.py", "/home/me/src/a.py", True),
        ("src/*.py", "src/deep/a.py", False),
        ("src/**/*.py", "src/very/deep/a.py", True),
        ("src/**/*.py", "src/a.py", True),
        ("/etc/*", "/etc/passwd", True),
        ("/etc/*", "/home/etc/passwd", False),
        ("*.{ts,tsx}", "app.tsx", True),
        ("[A-C]*.md", "B.md", True),
        ("[!A-C]*.md", "B.md", False),
        ("Makefile", "x/Makefile", True),
        ("Makefile", "makefile", False),
        ("a?.txt", "ab.txt", True),
        ("a.b", "axb", False),
    ],
)
def test_globs_match_paths_of_tool_calls(glob: str, path: str, found: bool) -> None:
    assert glob_problem(glob) == ""
    message = said("reading", direction=Direction.OUTPUT, tool_calls=(ToolCall("read", (path,)),))
    assert wakes(GlobTrigger(match=glob, scope=Scope.BOTH), message) is found
    assert not wakes(GlobTrigger(match=glob, scope=Scope.BOTH), said(path)), "text is no path of a tool call"


@pytest.mark.parametrize(
    ("words", "text", "found"),
    [
        (("deploy", "roll back"), "please roll  back now", True),
        (("deploy",), "redeployed", False),
        (("deploy",), "DEPLOY!", True),
        (("部署",), "我们明天部署新版本", True),
        (("c++",), "in C++ it is", True),
        (("straße",), "die Straße", True),
    ],
)
def test_keywords_are_whole_words(words: tuple[str, ...], text: str, found: bool) -> None:
    assert wakes(KeywordsTrigger(words=words), text) is found


def test_keywords_can_ask_for_several() -> None:
    both = KeywordsTrigger(words=("deploy", "production", "rollback"), at_least=2)
    assert wakes(both, "deploy it to production") and not wakes(both, "deploy, deploy, deploy")


@pytest.mark.parametrize(
    ("scope", "directions"),
    [(Scope.INPUT, {Direction.INPUT}), (Scope.OUTPUT, {Direction.OUTPUT}), (Scope.BOTH, set(Direction))],
)
def test_d15_a_trigger_listens_to_its_side_alone(scope: Scope, directions: set[Direction]) -> None:
    trigger = PatternTrigger(match="x", scope=scope)
    assert {each for each in Direction if wakes(trigger, said("x", direction=each))} == directions


def test_evidence_points_at_what_matched() -> None:
    trigger = PatternTrigger(match=r"\bbär\b", line=5)
    (found,) = TopicPatterns([topic("t", trigger)]).match(said("Der Bär da")).evidence["t"]
    assert (found.trigger, found.what, found.line, found.start, found.end) == ("pattern", r"\bbär\b", 5, 4, 7)
    assert found.found == "Bär"
