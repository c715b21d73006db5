"""`log` and `tag`: what was done to the workspace or one file, whether the audit log is whole; the tags of memory."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click
import msgspec

from engine.errors import UsageError
from engine.plans.operation import Operation
from tui.cli.apply import operation_json
from tui.cli.maintenance import exit_code, print_findings
from tui.cli.output import Piece, Printer, Styled, print_json, stdout
from tui.cli.plan_text import tier_piece
from tui.cli.settings import Settings, command, open_console
from tui.present.glyphs import PASSED
from tui.present.history.operation_days import days_strip
from tui.present.spans import plain
from tui.present.words import moment, noun, safe

if TYPE_CHECKING:
    from engine.history.tags import MemoryTag

_STRIP = 100
"""Cells of the strip of days below the operations."""
_LINES = re.compile(r":\d+(?:-\d+)?\Z")

if TYPE_CHECKING:
    from engine.plans.records.chain import AuditRecord
    from engine.services.engine import Engine


@command("log", short_help="Operations and audit log; --verify checks the hash chain.")
@click.argument("path", required=False, metavar="[PATH]")
@click.option("--verify", is_flag=True, help="Check the audit log's hash chain.")
@click.option("-n", "limit", type=click.IntRange(min=1), default=None, help="Only the newest N.")
def log_command(settings: Settings, path: str | None, verify: bool, limit: int | None) -> int:
    """Lists the operations, newest first, and the audit log's records.

    With PATH those that touched that file, and where it is now; PATH may end in `:8-10`, as a semantic entry names it.
    """
    if path is not None and verify:
        raise UsageError("--verify is about all records", where="log", hint="leave PATH out")
    with open_console(settings) as console:
        if path is not None:
            return _print_file(settings, console, _LINES.sub("", path), limit)
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
        if days := days_strip(operations, console.now(), _STRIP):
            printer.line(Styled(plain(days), dim=True))
        print_audit(printer, records)
        if verify:
            print_findings(printer, findings, nothing=f"{PASSED.glyph} the audit log's hash chain is whole")
        return exit_code(findings)


def _print_file(settings: Settings, console: "Engine", path: str, limit: int | None) -> int:
    now, operations = console.history.of_file(path)
    there = console.history.is_there(now)
    if settings.json:
        shown = [operation_json(operation) for operation in operations[:limit]]
        print_json({"path": path, "now": now if there else None, "operations": shown})
        return 0
    printer = stdout(settings.no_color)
    if operations:
        print_operations(printer, operations[:limit])
    else:
        printer.line("no operation touched it")
    printer.line("now ", Styled(now, bold=True), "" if there else ", where nothing is")
    return 0


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


KINDS = ("milestone", "before")


@command("tag", short_help="The tags of memory; `milestone NAME` and `before NAME` make one.")
@click.argument("kind", required=False, metavar="[milestone|before]")
@click.argument("name", required=False, metavar="[NAME]")
def tag_command(settings: Settings, kind: str | None, name: str | None) -> None:
    """Lists the tags of memory, or tags what is committed now as memory/milestone/NAME or memory/before/NAME.

    Each day and each week with a commit gets a tag by itself, and so does what a plan of risk tier C is applied to.
    """
    from engine.history.tags import TagKind

    if kind is not None and (kind not in KINDS or not name):
        raise UsageError("this is no tag", where=f"tag {kind}"[:100], hint=f"memdeck tag {'|'.join(KINDS)} NAME")
    with open_console(settings) as console:
        if kind is None or name is None:
            _print_tags(settings, console.repository.tags())
            return
        made = console.repository.tag(TagKind(kind), name)
    if settings.json:
        print_json({"tag": made})
    else:
        stdout(settings.no_color).line(f"tagged {made}")


def _print_tags(settings: Settings, tags: "tuple[MemoryTag, ...]") -> None:
    if settings.json:
        print_json(tags)
        return
    printer = stdout(settings.no_color)
    printer.table([[safe(tag.name), tag.commit[:12], Styled(moment(tag.at), dim=True)] for tag in tags])
    if not tags:
        printer.line("no tag of memory yet · memdeck tag milestone NAME makes one")
