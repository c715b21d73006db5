"""Runs `log` and `tag`: operations on the workspace or one file, the audit log, and memory's tags."""

import re
from collections.abc import Sequence
from itertools import chain

from engine.errors import UsageError
from engine.plans.operation import Operation
from engine.plans.records.chain import AuditRecord
from engine.services.engine import Engine
from tui.cli.apply import operation_json
from tui.cli.maintenance import exit_code, findings_rows
from tui.cli.output import Answer, Piece, Styled, Text, TextTable
from tui.cli.plan_text import tier_piece
from tui.cli.settings import Settings, command, opened
from tui.present.count_strip import days_strip
from tui.present.glyphs import PASSED
from tui.present.spans import plain
from tui.present.words import moment, noun, safe

_STRIP = 100  # cells of the strip of days below the operations
_LINES = re.compile(r":\d+(?:-\d+)?\Z")


@command("log")
def log_command(settings: Settings, path: str | None, verify: bool, limit: int | None) -> Answer:
    if path is not None and verify:
        raise UsageError("--verify is about all records", where="log", hint="leave PATH out")
    console = opened(settings)
    if path is not None:
        return _file_answer(console, _LINES.sub("", path), limit)
    operations = console.history.operations(limit)
    records = console.history.audit(limit)
    findings = console.history.verify() if verify else ()
    code = exit_code(findings)
    rows = [*operations_rows(operations)]
    if days := days_strip(operations, console.now(), _STRIP):
        rows.append(Styled(plain(days), dim=True))
    rows += audit_rows(records)
    if verify:
        rows += findings_rows(findings, nothing=f"{PASSED.glyph} no record of the audit log was altered")
    facts = {"operations": [operation_json(operation) for operation in operations], "audit": records}
    return Answer({**facts, "verified": code == 0 if verify else None, "findings": findings}, rows, code)


def _file_answer(console: Engine, path: str, limit: int | None) -> Answer:
    now, operations = console.history.of_file(path)
    there = console.history.is_there(now)
    shown = [operation_json(operation) for operation in operations[:limit]]
    rows = operations_rows(operations[:limit]) if operations else ["no operation touched it"]
    place: list[Piece] = ["now ", Styled(now, bold=True), "" if there else ", where nothing is"]
    return Answer({"path": path, "now": now if there else None, "operations": shown}, chain(rows, [place]))


def operations_rows(operations: Sequence[Operation]) -> Text:
    if not operations:
        yield "no operations yet"
        return
    rows: list[list[Piece]] = [
        [
            Styled(operation.id, bold=True),
            moment(operation.started_at),
            tier_piece(operation.risk_tier),
            operation.state.value,
            f"undo of {operation.undoes}" if operation.undoes else f"{operation.system} {operation.plan}",
            noun(len(operation.done), "file"),
            f"by {operation.approval.witness.user}" if operation.approval else "by policy",
            operation.commit[:12] if operation.commit else "",
        ]
        for operation in operations
    ]
    yield TextTable(rows, right=frozenset({5}))


def audit_rows(records: Sequence[AuditRecord]) -> Text:
    if not records:
        return
    yield ""
    yield Styled(f"audit log, {noun(len(records), 'record')}", bold=True)
    rows: list[list[Piece]] = [
        [str(record.seq), moment(record.at), record.kind, Styled(record.hash[:12], dim=True)] for record in records
    ]
    yield TextTable(rows, frozenset({0}))


KINDS = ("milestone", "before")


@command("tag")
def tag_command(settings: Settings, kind: str | None, name: str | None) -> Answer:
    from engine.history.tags import TagKind

    if kind is not None and (kind not in KINDS or not name):
        raise UsageError("this is no tag", where=f"tag {kind}"[:100], hint=f"memdeck tag {'|'.join(KINDS)} NAME")
    repository = opened(settings).repository
    if kind is None or name is None:
        tags = repository.tags()
        rows: list[list[Piece]] = [[safe(tag.name), tag.commit[:12], Styled(moment(tag.at), dim=True)] for tag in tags]
        return Answer(
            tags, [TextTable(rows)] if tags else ["no tag of memory yet · memdeck tag milestone NAME makes one"]
        )
    made = repository.tag(TagKind(kind), name)
    return Answer({"tag": made}, [f"tagged {made}"])
