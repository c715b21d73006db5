"""Shows the audit log: the findings of verifying its chain, then its records from the newest."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec

from engine.plans.records.chain import AuditRecord
from engine.workspace.values import Finding
from tui.present import glyphs
from tui.present.spans import LazyRows, Line, ListRow, Span
from tui.present.words import age, count, noun, safe

_LONGEST = 120  # characters of one value of an audit record in a row


class AuditRows(LazyRows[Finding | AuditRecord]):
    """Rows of the log: findings first, then records."""

    def __init__(self, records: Sequence[AuditRecord], findings: Sequence[Finding], now: datetime) -> None:
        super().__init__((*findings, *reversed(records)))
        self._now = now

    def made(self, item: Finding | AuditRecord) -> ListRow:
        if isinstance(item, Finding):
            return ListRow((mark(item), Span(f"{safe(item.where)}: {safe(item.what)}")))
        return _record_row(item, self._now)


def mark(finding: Finding) -> Span:
    sign = glyphs.FINDINGS[finding.kind]
    return Span(f"{sign.glyph} {sign.word}  ", sign.role)


def _record_row(record: AuditRecord, now: datetime) -> ListRow:
    left = (
        Span(f"{record.seq:>5}  ", "gutter"),
        Span(f"{safe(record.kind)[:10]:<11}", "strong"),
        Span(_gist(record.data), "muted"),
    )
    return ListRow(left, (Span(f"{age(record.at, now):>7}", "muted"),))


def _gist(data: dict[str, Any]) -> str:
    named = [str(data[key]) for key in ("operation", "plan", "undoes", "state", "reason") if data.get(key)]
    return safe("  ".join(dict.fromkeys(named))[:_LONGEST])


def detail(records: Sequence[AuditRecord], findings: Sequence[Finding], index: int) -> tuple[str, tuple[Line, ...]]:
    """Returns the title and the full text of one row."""
    if index < len(findings):
        finding = findings[index]
        fix = (Span("Fix  ", "muted"), Span(safe(finding.fix)))
        return safe(finding.where), ((mark(finding), Span(safe(finding.what))), (), fix)
    record = records[len(records) - 1 - (index - len(findings))]
    body = msgspec.json.format(msgspec.json.encode(record.data), indent=2).decode()
    lines: list[Line] = [
        (Span("when  ", "muted"), Span(f"{record.at:%Y-%m-%d %H:%M:%S} UTC")),
        (Span("hash  ", "muted"), Span(safe(record.hash))),
        (Span("prev  ", "muted"), Span(safe(record.prev))),
        (),
        *((Span(safe(line)),) for line in body.split("\n")),
    ]
    return f"Record {record.seq}: {safe(record.kind)}", tuple(lines)


def title(
    records: Sequence[AuditRecord] | None, findings: Sequence[Finding] | None = (), *, more: bool = False
) -> Line:
    """Returns `Audit log ⟨42⟩ ✓ no record altered`; `findings` is None before verifying, `more`: older ones exist."""
    name: Line = (Span("Audit log", "title"),)
    if records is None:
        return name
    named: Line = (*name, Span(f" ⟨{'newest ' if more else ''}{count(len(records))}⟩", "muted"))
    if findings is None:
        return (*named, Span(" verifying…", "muted"))
    if findings:
        return (*named, Span(f" {glyphs.FAILED.glyph} {noun(len(findings), 'finding')}", "blocked"))
    return (*named, Span(f" {glyphs.PASSED.glyph} no record altered", "ok")) if records else named
