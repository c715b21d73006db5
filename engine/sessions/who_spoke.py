"""Tells who spoke: the person, the person acting, or the harness, by the rules of the tool (decision D57)."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from engine.sessions.platforms.rules import COMMON, SpeechRules, TextPattern, speech_rules
from engine.text.transcript_marks import UNTRUSTED, Speaker, from_other

_OPENING = re.compile(r"<([A-Za-z][\w:.-]{0,60})(?:[\s/][^<>]{0,2000})?>")
_BLANK = " \t\r\n\v\f\ufeff\u200b\u2060"
_MOST_ROUNDS = 64
"""Layers that are taken off one message; what is below them stays, untrusted."""


class HeardText(NamedTuple):
    """The own words of a message's speaker, empty where there are none, and the kinds of what was left out."""

    text: str
    left_out: tuple[str, ...] = ()
    mark: str = ""
    """The mark of its turn: untrusted, or from somebody who is not the owner."""


def who_spoke(role: Speaker, text: str | Sequence[str], platform: str = COMMON) -> HeardText:
    """The own words of a message's speaker. Of blocks, each is judged by itself, so that none hides another."""
    rules = speech_rules(platform)
    judge: Callable[[str, SpeechRules], HeardText] = _user if role is Speaker.USER else _agent
    heard = [judge(block, rules) for block in ((text,) if isinstance(text, str) else text)]
    return HeardText(
        "\n".join(one.text for one in heard if one.text.strip()),
        tuple(kind for one in heard for kind in one.left_out),
        max(
            (one.mark for one in heard if one.text.strip()),
            key=lambda mark: (mark != "", mark != UNTRUSTED),
            default="",
        ),
    )


def _agent(text: str, rules: SpeechRules) -> HeardText:
    if kind := rules.silent.get(text.strip(" \t\r\n*_`.!\"'")):
        return HeardText("", (kind,))
    patterns = [one for one in rules.patterns if one.role == "agent"]
    if (whole := _whole(text.strip(_BLANK), patterns, rules)) is not None:
        return HeardText("", (whole.kind,))
    left_out: list[str] = []
    for one in patterns:
        text, _ = _taken_off(text, one, rules, left_out)
    return HeardText(text, tuple(left_out))


def _user(text: str, rules: SpeechRules) -> HeardText:
    patterns = [one for one in rules.patterns if one.role == "user"]
    left_out: list[str] = []
    # Only what is taken off changes the text: words that nobody wrapped stay as they were said.
    rest, mark, speaker = text, "", ""
    for _ in range(_MOST_ROUNDS):
        inner = rest.replace("\r\n", "\n").strip(_BLANK)
        if (whole := _whole(inner, patterns, rules)) is not None and whole.becomes != "untrusted":
            return HeardText("", (*left_out, whole.kind))
        mark = UNTRUSTED if whole is not None else mark
        layer = _outer_tag(inner, rules)
        if layer is None:
            before = len(left_out)
            for one in patterns:
                if one.becomes == "off":
                    inner, named = _taken_off(inner, one, rules, left_out)
                    speaker = named or speaker
            if len(left_out) == before:
                break
            rest = inner
            continue
        becomes, kind, end = layer
        left_out.append(kind)
        rest = inner[end:].strip(_BLANK)
        # Whoever can write into a program's output can write its closing tag: what follows is not sure to be said.
        mark = mark if becomes == "off" else UNTRUSTED
    else:
        mark = UNTRUSTED
    rest = _without_inner(rest, rules, left_out)
    if _is_unknown(rest, rules):
        mark = UNTRUSTED
    if left_out:
        rest = rest.strip(_BLANK)
    return HeardText(rest, tuple(left_out), (from_other(speaker) if speaker else mark) if rest.strip(_BLANK) else "")


def _whole(text: str, patterns: Sequence[TextPattern], rules: SpeechRules) -> TextPattern | None:
    """The pattern that takes or marks a whole message that begins so."""
    for one in patterns:
        if one.becomes != "off" and (
            text.startswith(one.starts) or any(made.match(text) for made in rules.compiled[one])
        ):
            return one
    return None


def _outer_tag(text: str, rules: SpeechRules) -> tuple[str, str, int] | None:
    """The known tag that a text begins with: what becomes of it, its kind, and where it ends."""
    opening = rules.known.match(text)
    if opening is None:
        return None
    becomes, kind = rules.tags[opening[1].casefold()]
    end = _closing(text, opening[1], greedy=becomes != "off")
    if end is None:
        # A tag alone on its line that never ends was cut off; one in a line may be a person's word.
        if becomes == "off" or text[opening.end() : opening.end() + 1] not in ("\n", ""):
            return None
        end = len(text)
    return becomes, kind, end


def _closing(text: str, tag: str, *, greedy: bool) -> int | None:
    """The end of an element that begins a text; its last closing tag where more are closed than opened."""
    marks = list(re.finditer(rf"(?i)<(/?){re.escape(tag)}(?:\s[^<>]{{0,2000}})?>", text))
    closed = [mark.end() for mark in marks if mark[1]]
    if not closed:
        return None
    if greedy or len(closed) > len(marks) - len(closed):
        return closed[-1]
    depth = 0
    for mark in marks:
        depth += -1 if mark[1] else 1
        if depth == 0:
            return mark.end()
    return closed[-1]


def _taken_off(text: str, one: TextPattern, rules: SpeechRules, left_out: list[str]) -> tuple[str, str]:
    """The text without what a pattern matches, and the speaker whom that names."""
    speaker = ""
    for made in rules.compiled[one] if one.becomes == "off" else ():
        found: Any = made.search(text)
        if found is not None and found.end() > found.start():
            speaker = found.groupdict().get("speaker") or speaker
            left_out.append(one.kind)
            text = (text[: found.start()] + text[found.end() :]).strip(_BLANK)
    return text, speaker


def _without_inner(text: str, rules: SpeechRules, left_out: list[str]) -> str:
    """The text without known elements within it: those that come off anywhere, others where they begin a line."""
    kept, done = [], 0
    for begin, end, kind in _inner(text, rules):
        if begin >= done:
            kept.append(text[done:begin])
            left_out.append(kind)
            done = end
    return "".join((*kept, text[done:])) if done else text


def _inner(text: str, rules: SpeechRules) -> Iterator[tuple[int, int, str]]:
    for opening in rules.known.finditer(text):
        becomes, kind = rules.tags[opening[1].casefold()]
        begins_line = not text[text.rfind("\n", 0, opening.start()) + 1 : opening.start()].strip(_BLANK)
        if becomes == "off" or begins_line:
            end = _closing(text[opening.start() :], opening[1], greedy=becomes != "off")
            if end is not None:
                yield opening.start(), opening.start() + end, kind


def _is_unknown(text: str, rules: SpeechRules) -> bool:
    """Tells whether a text begins with a tag that no person is known to write."""
    opening = _OPENING.match(text.lstrip(_BLANK))
    return opening is not None and opening[1].casefold() not in rules.markup
