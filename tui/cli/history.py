"""`log`: what was done to the workspace, and whether the audit log still says what it said."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click
import msgspec

from engine.plans.operation import Operation
from tui.cli.apply import operation_json
from tui.cli.maintenance import exit_code, print_findings
from tui.cli.output import Piece, Printer, Styled, print_json, stdout
from tui.cli.plan_text import tier_piece
from tui.cli.settings import Settings, command, open_console
from tui.present.glyphs import PASSED
from tui.present.words import moment, noun

if TYPE_CHECKING:
    from engine.plans.records.chain import AuditRecord


@command("log", short_help="Operations and audit log; --verify checks the hash chain.")
@click.option("--verify", is_flag=True, help="Check the audit log's hash chain.")
@click.option("-n", "limit", type=click.IntRange(min=1), default=None, help="Only the newest N.")
def log_command(settings: Settings, verify: bool, limit: int | None) -> int:
    """Lists the operations, newest first, and the audit log's records."""
    with open_console(settings) as console:
        operations = console.history.operations(limit)
        records = console.history.audit(limit)
        findings = console.history.verify() if verify else ()
        if settings.json:
            print_json(
                {
                    "operations": [operation_json(operation) for operation in operations],
                    "audit": msgspec.to_builtins(records),
                    "verified": exit_code(findings) == 0 if verify else None,
                    "findings": msgspec.to_builtins(findings),
                }
            )
            return exit_code(findings)
        printer = stdout(settings.no_color)
        print_operations(printer, operations)
        print_audit(printer, records)
        if verify:
            print_findings(printer, findings, nothing=f"{PASSED.glyph} the audit log's hash chain is whole")
        return exit_code(findings)


def print_operations(printer: Printer, operations: Sequence[Operation]) -> None:
    if not operations:
        printer.line("no operations yet")
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
    printer.table(rows, right=frozenset({5}))


def print_audit(printer: Printer, records: Sequence["AuditRecord"]) -> None:
    if not records:
        return
    printer.line("")
    printer.line(Styled(f"audit log, {noun(len(records), 'record')}", bold=True))
    printer.table(
        [[str(r.seq), moment(r.at), r.kind, Styled(r.hash[:12], dim=True)] for r in records], right=frozenset({0})
    )
