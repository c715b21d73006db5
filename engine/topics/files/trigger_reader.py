"""Reads one trigger of a topic file, and reports errors with their line (decisions D15, D16, D38)."""

import difflib
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from engine.topics import topic as triggers
from engine.topics.patterns.boundaries import bounded
from engine.topics.patterns.regex import BadPattern, check
from engine.topics.patterns.schedules import schedule_problem
from engine.topics.patterns.urls import glob_problem, host_problem
from engine.topics.topic import AnyTrigger, Scope

MOST_WORDS = 500  # keywords, names or hosts of one trigger
LONGEST_WORD = 100  # characters of a keyword, a name, a host
LONGEST_HINT = 500  # characters of a hint to the agent

Remark = tuple[int, str, bool]  # line, message, and whether it disables the topic
LineOf = Callable[..., int]


class _Kind(msgspec.Struct, frozen=True):
    """One type of trigger: class, main key, aliases of that key, whether it takes a list."""

    type: type[AnyTrigger]
    main: str
    also: tuple[str, ...] = ()
    many: bool = False
    needed: bool = True


KINDS = {
    "pattern": _Kind(triggers.PatternTrigger, "match", ("pattern",)),
    "glob": _Kind(triggers.GlobTrigger, "match", ("glob", "pattern")),
    "keywords": _Kind(triggers.KeywordsTrigger, "words", ("keywords", "match"), many=True),
    "code": _Kind(triggers.CodeTrigger, "languages", ("language", "match"), many=True, needed=False),
    "language": _Kind(triggers.LanguageTrigger, "languages", ("language", "match"), many=True),
    "mention": _Kind(triggers.MentionTrigger, "names", ("name", "match"), many=True),
    "url": _Kind(triggers.UrlTrigger, "hosts", ("host", "match"), many=True, needed=False),
    "sentiment": _Kind(triggers.SentimentTrigger, "shift", ("match",), needed=False),
    "webhook": _Kind(triggers.WebhookTrigger, "source"),
    "cron": _Kind(triggers.CronTrigger, "schedule", ("match",)),
}
_EVENTS = ("webhook", "cron")


class TriggerError(Exception):
    """The trigger is unusable; `key`: the faulty key."""

    def __init__(self, message: str, key: str | None = None) -> None:
        super().__init__(message)
        self.key = key


def read_trigger(written: Any, line_of: LineOf) -> tuple[AnyTrigger | None, list[Remark]]:
    """Returns the trigger, or None with the reason. `line_of()` returns its line, `line_of(key)` a key's."""
    try:
        trigger = _trigger(written, line_of())
        return trigger, [(line_of(), text, False) for text in _remarks(trigger)]
    except TriggerError as wrong:
        return None, [(line_of(wrong.key) if wrong.key else line_of(), str(wrong), True)]


def _trigger(written: Any, line: int) -> AnyTrigger:
    if not isinstance(written, dict):
        raise TriggerError("a trigger is a map that begins with `type:`")
    kind = _kind(written)
    values = _values(written, kind)
    try:
        # Not strict, since every scalar of a topic's frontmatter is a string to us (decision C16).
        trigger = msgspec.convert({**values, "line": line}, kind.type, strict=False)
    except msgspec.ValidationError as error:
        message, _, where = str(error).partition(" - at `$.")
        key = where.rstrip("`").partition("[")[0]
        raise TriggerError(f"`{key}`: {message[:1].lower()}{message[1:]}", key if key in written else None) from None
    for key, problem in _problems(trigger):
        if problem:
            raise TriggerError(problem, next((name for name in (key, *kind.also) if name in written), None))
    return trigger


def _kind(written: dict[str, Any]) -> _Kind:
    name = written.get("type")
    if not isinstance(name, str) or not name:
        raise TriggerError(f"a trigger needs a `type`: {', '.join(KINDS)}")
    if name not in KINDS:
        raise TriggerError(f"no trigger type `{name[:40]}`{similar(name, KINDS)}", "type")
    return KINDS[name]


def _values(written: dict[str, Any], kind: _Kind) -> dict[str, Any]:
    name = str(kind.type.__struct_config__.tag)
    known = {*kind.type.__struct_fields__, *kind.also, "type"} - {"line"}
    values: dict[str, Any] = {}
    for key, value in written.items():
        if key not in known:
            raise TriggerError(f"a {name} trigger has no `{key[:40]}`{similar(key, known)}", key)
        if key == "type":
            continue
        target = kind.main if key in kind.also else key
        if target in values:
            raise TriggerError(f"`{key}` says `{target}` a second time", key)
        is_word = kind.many and target == kind.main and isinstance(value, str)
        values[target] = [value] if is_word else value
    if kind.needed and not values.get(kind.main):
        raise TriggerError(f"a {name} trigger needs `{kind.main}`")
    if kind.many and kind.main in values:
        _check_words(values[kind.main], kind.main)
    return values


def _check_words(words: Any, key: str) -> None:
    if not isinstance(words, list) or not all(isinstance(word, str) and word.strip() for word in words):
        raise TriggerError(f"`{key}` is a list of words, none of them empty", key)
    if len(words) > MOST_WORDS:
        raise TriggerError(f"`{key}` has {len(words):,} entries, more than {MOST_WORDS}", key)
    long = next((word for word in words if len(word) > LONGEST_WORD), None)
    if long is not None:
        raise TriggerError(f"`{key}`: `{long[:40]}…` is longer than {LONGEST_WORD} characters", key)


def _problems(trigger: AnyTrigger) -> Iterator[tuple[str, str]]:
    """Yields key and text of each fault that makes a trigger unusable; an empty text means no fault."""
    if len(trigger.correction_hint) > LONGEST_HINT:
        yield "correction_hint", f"`correction_hint` is longer than {LONGEST_HINT} characters"
    match trigger:
        case triggers.PatternTrigger():
            try:
                check(trigger.match)
                # The filter may be larger than the pattern that it stands for, and RE2 has to take both.
                check(bounded(trigger.match).filter)
            except BadPattern as bad:
                yield "match", str(bad)
        case triggers.GlobTrigger():
            yield "match", glob_problem(trigger.match)
        case triggers.UrlTrigger():
            yield from (("hosts", host_problem(host)) for host in trigger.hosts)
        case triggers.CronTrigger():
            yield "schedule", schedule_problem(trigger.schedule)
        case triggers.KeywordsTrigger() if not 1 <= trigger.at_least <= len(set(trigger.words)):
            yield "at_least", f"`at_least` is from 1 to the number of words, not {trigger.at_least}"
        case triggers.SentimentTrigger() if not 0 < trigger.by <= 2:
            yield "by", f"`by` is above 0 and at most 2, not {trigger.by:g}"
        case triggers.LanguageTrigger():
            for code in trigger.languages:
                if not (len(code) in (2, 3) and code.isascii() and code.isalpha()):
                    yield "languages", f"`{code}` is no ISO 639 code such as `de`"


def _remarks(trigger: AnyTrigger) -> Iterator[str]:
    """Yields remarks on what may work differently than the author expects."""
    if isinstance(trigger, triggers.PatternTrigger) and (inner := bounded(trigger.match).inner):
        yield (
            f"in the pattern `{trigger.match[:80]}` {inner} of its `\\b` stay ASCII, since they are inside or what"
            " stands beside them may be no word character; write letters as `\\p{L}` there"
        )
    if trigger.correction_hint and (trigger.scope is Scope.INPUT or trigger.kind in _EVENTS):
        yield "`correction_hint` is for triggers with `scope: output` or `both`; it is never given here"
    if isinstance(trigger, triggers.GlobTrigger) and trigger.scope is Scope.INPUT:
        yield "tool calls are the agent's: in a session this glob sees them with `scope: output` or `both` alone"
    if trigger.kind in _EVENTS and trigger.scope is not Scope.INPUT:
        yield f"`scope` means nothing to a {trigger.kind} trigger"


def similar(name: str, known: Any) -> str:
    """Returns `; did you mean …?` if a known name is similar; else nothing."""
    close = difflib.get_close_matches(name, sorted(known), n=1)
    return f"; did you mean `{close[0]}`?" if close else ""
