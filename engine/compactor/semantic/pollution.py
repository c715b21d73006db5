"""Refuses what must never enter semantic memory, by line and rule (compactor §Recursive Pollution, decision A16)."""

import re
from functools import lru_cache

import msgspec

from engine.compactor.semantic.entry import SemanticEntry
from engine.compactor.semantic.pollution_languages import BY_LANGUAGE
from engine.text.secrets.detector import find_secrets

_TIER = r"(?:\b(?:risk|execution|approval)[- ]?tier\b|\btier[- ]?[abc0-3]\b)"
_ORDER = (
    r"(?:\brequires?\b|\bneeds?\b|\bmeans?\b|\bapprov\w*|\bconfirm\w*|\bautomatic\w*|\bexecut\w*|\bclassif\w*"
    r"|\ballowed\b|\bforbidden\b|[:=])"
)
_LEVEL = r"(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|CRITICAL|FATAL)"
_STAMP = r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d"
_SPEAKER = r"user|assistant|human|agent|system|ai|bot|nutzer|assistent|用户|助手|ユーザー|사용자"
_OPENER = (
    r"ok(?:ay)?|sure|thanks|thank you|thx|hi|hello|hey|yes|yeah|yep|no|nope|hmm+|lol|please|great|got it|sounds good"
    r"|sorry|well|danke|hallo|bitte|genau|alles klar"
)
_OPENER_WIDE = r"谢谢|好的|ありがとう|はい|了解|감사합니다|네"
_GREETING_WIDE = r"你好|您好|こんにちは|おはよう|안녕"
_CLASS = r"\w+(?:\.\w+)*(?:Error|Exception)"

RULES: dict[str, tuple[str, ...]] = {
    "governance": (
        r"\bOPERATING_RULES\b",
        r"(?i:\b(?:execution|semantic|memory|enterprise) governance\b|\bgovernance (?:rules?|polic(?:y|ies)|tiers?)\b)",
        r"(?i:\b(?:explicit|human|operator|user) (?:approval|confirmation) (?:is |was )?(?:required|needed)\b)",
        r"(?i:\b(?:must|has to|needs to) be approved (?:by|before)\b|\brequires? (?:explicit )?approv(?:al|ed)\b)",
    ),
    "tier definition": (rf"(?i:{_TIER}.{{0,60}}{_ORDER}|{_ORDER}.{{0,60}}{_TIER})",),
    "approval log": (r"\bAPPROVED\b", r"(?i:\bapproved by (?:the )?(?:operator|user|human|admin)\b)"),
    "diff": (
        r"^\s*(?:@@ .*@@|diff --git |index [0-9a-f]{7,}\.\.)",
        r"^\s*(?:\+\+\+|---) (?:[ab]/|/dev/null|\S+\.\w+\s*$)",
        r"^\s*[+-](?:def|class|import|return|const|let|var|function) ",
    ),
    "cron or log line": (
        r"^\s*(?:(?:\*|\d+)(?:[/,-]\d+)*\s+){2}(?:[\d*]+(?:[/,-]\d+)*\s+){2}(?:[\d*]+(?:[/,-]\d+)*|[A-Z]{3})\s+\S",
        r"\bCRON\[\d+\]|\bcrond?\[\d+\]|(?i:\bcron(?:tab)?(?: job)? .{0,40}\b(?:ran|started|finished|exited|fired)\b)",
        rf"^\s*\[?{_STAMP}.*?\b{_LEVEL}\b|^\s*\[?{_LEVEL}\]?\s*[:\]|]|^\s*\[{_STAMP}|^\s*{_STAMP}(?::\d\d)?[.,Z ]",
        r"^\s*[A-Z][a-z]{2}\s+\d{1,2} \d\d:\d\d:\d\d \S+ \S+:|^\s*\d\d:\d\d:\d\d(?:[.,]\d+)?\s",
        r"\blevel=(?:debug|info|warn|error)\b|\"(?:GET|POST|PUT|DELETE|HEAD) /\S* HTTP/\d",
    ),
    "stack trace": (
        r"Traceback \(most recent call last\)|^\s*File \"[^\"]+\", line \d+|^\s*at \S+ ?\(.*:\d+(?::\d+)?\)",
        rf"^\s*Caused by: |^\s*Exception in thread |\bpanicked at\b|^goroutine \d+ \[|^\s*{_CLASS}: ",
    ),
    "tool output": (
        r"(?i:\[tool(?:[ _:](?:use|call|result|output)?|\])|</?(?:tool|function)_\w+|\btool_(?:use|result|call)\b)",
        r"^\s*[$%>]\s+(?:\w|\./)|```|(?i:\bexit(?:ed)?(?: with)? (?:code|status) \d+\b)|\b(?:stdout|stderr):",
        r"^\s*[{\[]\s*[\"{\[]|^\s*\|.*\|\s*$|^\s*(?:[-=*_#]\s*){4,}$",
    ),
    "debug note": (
        r"(?i:^\s*(?:debug|todo|fixme|xxx|hack|wip)\b\s*[:!(])",
        r"\bTODO\b|\bFIXME\b|\bconsole\.log\(|\bprint\(|\bbreakpoint\(\)",
    ),
    "generated block": (r"<!--|-->|\[score=[\d.]+|\brecalls=\d+|\bopenclaw(?:-memory-promotion|:dreaming)\b",),
    "raw summary": (
        r"^\s*#{1,6}\s|^\s*(?:# )?Compiled:|(?i:^\s*(?:session |conversation |daily )?summary\s*[:—-])",
        r"(?i:\b(?:this|the|today's) (?:session|conversation|chat)\b.{0,40}\b(?:we|covered|discussed|was about)\b)",
        r"(?i:\bthe (?:user|assistant|agent) (?:asked|said|wants|wanted|requested|replied)\b)",
    ),
    "conversational fragment": (
        rf"(?i:^\s*\**(?:{_SPEAKER})\**\s*[:：])",
        rf"(?i:^\s*(?:{_OPENER})\b\s*(?:[,!.]|$))|^\s*(?:{_OPENER_WIDE})\s*(?:[,!.，、！。]|$)|^\s*(?:{_GREETING_WIDE})",
        r"(?i:\b(?:can|could|would|will) you\b|\bas an ai\b|\blet me know\b|\bi(?:'ll| will) (?:get|let) )",
        r"[?？؟]\s*[\"'”»」）)]*\s*$|(?:\.\.\.|…)\s*$",
    ),
    "merge conflict": (r"^(?:<{7}|={7}|>{7})(?:\s|$)",),
    "instruction to the reader": (
        r"(?i:\b(?:ignore|disregard|forget) (?:all |the |your )*(?:previous|prior|above|earlier) (?:instr|rules|mess))",
    ),
}


LONGEST_FIELD = 600
"""Characters of one field; more is a raw summary, not an insight."""


class Pollution(msgspec.Struct, frozen=True):
    """Line (from 1) and rule by which a text is refused."""

    line: int
    rule: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.rule}"


_PATTERNS: dict[str, re.Pattern[str]] = {
    rule: re.compile("|".join((*RULES.get(rule, ()), *BY_LANGUAGE.get(rule, ())))) for rule in {**RULES, **BY_LANGUAGE}
}


def line_pollution(text: str, line: int) -> tuple[Pollution, ...]:
    """Every rule that one line of text breaks, each once."""
    rules = ("raw summary",) if len(text) > LONGEST_FIELD else _rules_broken(text)
    return tuple(Pollution(line, rule) for rule in rules)


@lru_cache(maxsize=4096)
def _rules_broken(text: str) -> tuple[str, ...]:
    """The rules that a line breaks. A plan asks of the same line as it is extracted, weighed and written."""
    rules = [rule for rule, pattern in _PATTERNS.items() if pattern.search(text)]
    return (*rules, "secret") if find_secrets(text) else tuple(rules)


def entry_pollution(entry: SemanticEntry) -> tuple[Pollution, ...]:
    """Lists the pollution in an entry's fields; lines are those of its text."""
    found: list[Pollution] = []
    for number, (label, text) in enumerate(entry.fields(), 1):
        found.extend(line_pollution(text, entry.lines.get(label, number)))
    return tuple(found)
