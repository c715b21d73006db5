"""Tells who spoke: the person, the person's action, or the harness, by the tool's rules (decision D57)."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from engine.sessions.platforms.rules import COMMON, SpeechRules, TextPattern, speech_rules
from engine.text.transcript_marks import UNTRUSTED, Speaker, from_other

_OPENING = re.compile(r"<([A-Za-z][\w:.-]{0,60})(?:[\s/][^<>]{0,2000})?>")
_BLANK = " \t\r\n\v\f\ufeff\u200b\u2060"
_MOST_ROUNDS = 64  # layers that are taken off one message; what is below them stays, untrusted


class HeardText(NamedTuple):
    """The speaker's own words in a message, maybe empty, and the kinds of removed text."""

    text: str
    left_out: tuple[str, ...] = ()
    mark: str = ""  # the mark of its turn: untrusted, or from somebody who is not the owner


class _Element(NamedTuple):
    begin: int
    end: int
    becomes: str
    kind: str


def who_spoke(role: Speaker, text: str | Sequence[str], platform: str = COMMON) -> HeardText:
    """Returns the speaker's own words in a message; judges blocks separately, so that none hides another."""
    rules = speech_rules(platform)
    judge: Callable[[str, SpeechRules], HeardText] = _user if role is Speaker.USER else _agent
    heard = [judge(block, rules) for block in ((text,) if isinstance(text, str) else text)]
    return HeardText(
        "\n".join(block.text for block in heard if block.text.strip()),
        tuple(kind for block in heard for kind in block.left_out),
        max(
            (block.mark for block in heard if block.text.strip()),
            key=lambda mark: (mark != "", mark != UNTRUSTED),
            default="",
        ),
    )


def _agent(text: str, rules: SpeechRules) -> HeardText:
    if kind := rules.silent.get(text.strip(" \t\r\n*_`.!\"'")):
        return HeardText("", (kind,))
    patterns = [pattern for pattern in rules.patterns if pattern.role == "agent"]
    if (whole := _whole(text.strip(_BLANK), patterns, rules)) is not None:
        return HeardText("", (whole.kind,))
    left_out: list[str] = []
    for pattern in patterns:
        text, _ = _taken_off(text, pattern, rules, left_out)
    return HeardText(text, tuple(left_out))


def _user(text: str, rules: SpeechRules) -> HeardText:
    message = _UserMessage(text, rules)
    if not message.take_off_layers():
        return HeardText("", tuple(message.left_out))
    rest = _without_inner(message.rest, rules, message.left_out)
    mark = UNTRUSTED if _is_unknown(rest, rules) else message.mark
    # Only what is taken off changes a text: words that nobody wrapped stay as they were said.
    rest = rest.strip(_BLANK) if message.left_out else text
    mark = from_other(message.speaker) if message.speaker else mark
    return HeardText(rest, tuple(message.left_out), mark if rest.strip(_BLANK) else "")


class _UserMessage:
    """A message in the user's place: the rest, what was removed, and the speaker that this names."""

    def __init__(self, text: str, rules: SpeechRules) -> None:
        self._rules = rules
        self._patterns = [pattern for pattern in rules.patterns if pattern.role == "user"]
        self.rest = text.replace("\r\n", "\n").strip(_BLANK)
        self.left_out: list[str] = []
        self.mark = self.speaker = ""

    def take_off_layers(self) -> bool:
        """Removes wrappers layer by layer; returns False if nothing is a person's."""
        for _ in range(_MOST_ROUNDS):
            before = len(self.left_out)
            if not (self._take_outer() and self._take_whole()):
                return False
            for pattern in self._patterns:
                self.rest, named = _taken_off(self.rest, pattern, self._rules, self.left_out)
                self.speaker = named or self.speaker
            if len(self.left_out) == before:
                return True
        self.mark = UNTRUSTED
        return True

    def _take_outer(self) -> bool:
        if (outer := _outer(self.rest, self._rules)) is None:
            return True
        self.left_out.append(outer.kind)
        self.rest = self.rest[outer.end :].strip(_BLANK)
        # Whoever can write into a program's output can write its closing tag: what follows it is nobody's either.
        return outer.becomes == "off"

    def _take_whole(self) -> bool:
        whole = _whole(self.rest, self._patterns, self._rules)
        if whole is not None and whole.becomes != "untrusted":
            self.left_out.append(whole.kind)
            return False
        self.mark = UNTRUSTED if whole is not None else ""
        return True


def _whole(text: str, patterns: Sequence[TextPattern], rules: SpeechRules) -> TextPattern | None:
    """Returns the pattern for a whole message that begins like this; None if there is none."""
    for pattern in patterns:
        if pattern.becomes != "off" and (
            text.startswith(pattern.starts) or any(made.match(text) for made in rules.compiled[pattern])
        ):
            return pattern
    return None


def _outer(text: str, rules: SpeechRules) -> _Element | None:
    """Returns the known element that a text begins with; None if there is none."""
    if (opening := rules.known.match(text)) is None:
        return None
    element = next(_elements(text, rules), None)
    if element is not None and element.begin == 0:
        return element
    becomes, kind = rules.tags[opening[1].casefold()]
    # A tag alone on its line that never ends was cut off; one in a line may be a person's word.
    is_cut = becomes != "off" and text[opening.end() : opening.end() + 1] in ("\n", "")
    return _Element(0, len(text), becomes, kind) if is_cut else None


def _elements(text: str, rules: SpeechRules) -> Iterator[_Element]:
    """Yields the known closed elements of a text, in linear time. An element that is closed too often, by a forged end,
    ends at the last one, as does one that takes the whole message."""
    marks = list(rules.marks.finditer(text))
    tags = [mark[2].casefold() for mark in marks]
    closed = Counter(tag for mark, tag in zip(marks, tags, strict=True) if mark[1])
    last = {tag: at for at, tag in enumerate(tags) if marks[at][1]}
    total, done = Counter(tags), 0
    for at, (mark, tag) in enumerate(zip(marks, tags, strict=True)):
        if mark[1] or mark.start() < done or last.get(tag, -1) < at:
            continue
        becomes, kind = rules.tags[tag]
        surplus = 2 * closed[tag] - total[tag]
        end = last[tag] if becomes != "off" or surplus > 0 else _pair(marks, tags, at, nested=surplus == 0)
        done = marks[end].end()
        yield _Element(mark.start(), done, becomes, kind)


def _pair(marks: Sequence[re.Match[str]], tags: Sequence[str], at: int, *, nested: bool) -> int:
    """Returns the place of an element's closing tag; the next one if tags are missing."""
    depth, end = 0, at
    for end in (place for place in range(at, len(tags)) if tags[place] == tags[at]):
        depth += -1 if marks[end][1] else int(nested or end == at)
        if depth == 0:
            break
    return end


def _taken_off(text: str, one: TextPattern, rules: SpeechRules, left_out: list[str]) -> tuple[str, str]:
    """Removes what a pattern matches except its `words`; returns the rest and the speaker that it names."""
    speaker = ""
    for made in rules.compiled[one] if one.becomes == "off" else ():
        kept, done = list[str](), 0
        for found in made.finditer(text):
            if found.end() > found.start():
                speaker = found.groupdict().get("speaker") or speaker
                left_out.append(one.kind)
                kept += text[done : found.start()], found.groupdict().get("words") or ""
                done = found.end()
        text = "".join((*kept, text[done:])).strip(_BLANK) if done else text
    return text, speaker


def _without_inner(text: str, rules: SpeechRules, left_out: list[str]) -> str:
    """Removes known elements inside the text: those removed anywhere, others at the start of a line."""
    kept, done = [], 0
    for element in _elements(text, rules):
        begins_line = not text[text.rfind("\n", 0, element.begin) + 1 : element.begin].strip(_BLANK)
        if element.becomes == "off" or begins_line:
            kept.append(text[done : element.begin])
            left_out.append(element.kind)
            done = element.end
    return "".join((*kept, text[done:])) if done else text


def _is_unknown(text: str, rules: SpeechRules) -> bool:
    """Tells whether a text begins with a tag that persons do not write."""
    opening = _OPENING.match(text.lstrip(_BLANK))
    # `<https://…>` is a link.
    return opening is not None and opening[1].casefold() not in rules.markup and not opening[1].endswith(":")
