"""Takes what a chat program puts in front of a message off it: platform, handle, id, date; what was said stays."""

import re
from collections.abc import Sequence

from engine.text.text_lines import joined

_TIME = r"\d{1,2}[:.]\d\d(?:[:.]\d\d)?(?:\s?[AaPp]\.?[Mm]\.?)?"
_DAY = r"(?:\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|\d{4}-\d\d-\d\d)"
_PLATFORM = "Telegram|WhatsApp|Discord|Slack|Signal|iMessage|Matrix|Teams|WeChat|LINE|webchat|WebChat|SMS"
_ENVELOPE = re.compile(rf"\s*\[(?:{_PLATFORM})\b[^\]\n]{{0,200}}\]\s*")
"""As OpenClaw puts it: platform, sender, id, how long ago, date."""
_SENDER = re.compile(r"\w[\w.-]{0,40} \((?P<name>[^()\n]{1,40})\):\s+(?=\S)")
_FROM = re.compile(r"\[from: [^\]\n]{0,80}\]\s*$")
_MESSAGE_ID = re.compile(r"\[message_id: ?[^\]\n]{0,60}\]\s*$")
_LEVEL = r"\[?(?:DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL|TRACE)\b"
_DATED = re.compile(rf"\s*(?:\[{_DAY},? {_TIME}\]|{_DAY},? {_TIME} [-–—])\s+(?=\S)(?!{_LEVEL})")
"""A program's log line is none of a chat, and left out as it stands."""
_STAMPED = re.compile(
    rf"\s*[\w.@ -]{{1,40}}?\s*(?: [—–-] |\s{{2,}})\s*"
    rf"(?:(?:Today|Yesterday|Heute|Gestern|Hier|Aujourd'hui) (?:at|um|à) )?(?:{_DAY},? )?{_TIME}\s*"
)
_MARK = re.compile(
    r"\[\[[a-z]+(?:_[a-z]+)+\]\]\s*|\[[a-z][a-z_]*:\s?[^\]\s]*\](?!\()\s*|\[Queued[^\]\n]*\]|^Queued #\d+$"
)
"""Commands, attachments and waiting messages that a platform names for itself."""
_LONGEST_STAMP = 120
"""Characters of a line with nothing but a name and a time."""
_ID = re.compile(r"\s?\((?:id:\s?)?\d{6,}\)|\s?\bid:\s?\d{5,}|\s?\(@[A-Za-z]\w{2,31}\)")
_MAY_HOLD_ANY = re.compile(r"\\n|\[|\d[:.]\d\d|\(@|\(\d{6}|\bid:|\(id:|Queued #")
_LINE_END = re.compile(r"\\n- |[.!?…。！？:)]\\n|\\n(?=[A-ZÀ-ÖØ-Þ])")
_ESCAPED = re.compile(r"(?:\\r)?\\n")


def without_chat_headers(lines: Sequence[str]) -> Sequence[str]:
    """The same lines, as many, without chat metadata and with literal `\\n` as a break; each message an item."""
    return [_message(line) for line in lines] if _MAY_HOLD_ANY.search(joined(lines)) else lines


def _message(line: str) -> str:
    if not _MAY_HOLD_ANY.search(line):
        return line
    if len(line) <= _LONGEST_STAMP and _STAMPED.fullmatch(line):
        return ""
    text = _ESCAPED.sub(" · ", line).strip(" ·") if _holds_escapes(line) else line
    head = _ENVELOPE.match(text)
    if head:
        text = _MESSAGE_ID.sub("", _FROM.sub("", text[head.end() :])).rstrip()
        sender = _SENDER.match(text)
        return f"- {text[sender.end() :] if sender else text}"
    dated = _DATED.match(text)
    if dated:
        return f"- {text[dated.end() :]}"
    return _ID.sub("", _MARK.sub("", _MESSAGE_ID.sub("", text)))


def _holds_escapes(line: str) -> bool:
    """Tells whether `\\n` on a line are line ends nobody resolved: at its end, twice, before a sentence."""
    if "\\n" not in line or "`" in line:
        return False
    return line.rstrip().endswith("\\n") or line.count("\\n") > 1 or _LINE_END.search(line) is not None
