"""Runs `check`, `recover`, `policy` and `doctor`: what is damaged, degraded or configured, each with the fix."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from engine.errors import Blocked, Conflict, Damaged, UsageError
from engine.state.folder import config_home
from engine.workspace.values import Finding, FindingKind
from tui.cli.output import Answer, Piece, Styled, Text, TextTable, sign_piece, stderr
from tui.cli.progress import progress
from tui.cli.settings import Settings, command, group, opened, workspace_path
from tui.present.glyphs import FINDINGS, PASSED
from tui.present.words import noun
from tui.system.given_path import given_path

if TYPE_CHECKING:
    from engine.services.state_transfer import Transferred

MARKS = {kind: sign_piece(sign) for kind, sign in FINDINGS.items()}


@command("check")
def check_command(settings: Settings, deep: bool) -> Answer:
    with progress(settings) as tick:
        findings = opened(settings).maintenance.check(deep=deep, tick=tick)
    return findings_answer(findings, nothing=f"{PASSED.glyph} nothing is damaged")


@command("recover")
def recover_command(settings: Settings) -> Answer:
    with progress(settings) as tick:
        findings = opened(settings).maintenance.recover(tick)
    return findings_answer(findings, nothing=f"{PASSED.glyph} nothing to recover")


@command("doctor")
def doctor_command(settings: Settings, bundle: Path | None) -> Answer:
    console = opened(settings)
    findings = console.maintenance.doctor()
    if bundle is not None:
        from tui.cli.bug_report import write_bundle
        from tui.settings.file import read_settings, settings_path

        read = read_settings(settings_path(config_home(os.environ)), workspace_path(settings))
        write_bundle(bundle.expanduser(), console, findings, msgspec.structs.asdict(read.settings))
        stderr(settings.no_color).line("written: ", str(bundle), " · look at it before you attach it")
    return findings_answer(findings, nothing=f"{PASSED.glyph} everything works as it should")


@command("policy")
def policy_command(settings: Settings, of_workspace: bool) -> Answer:
    status = opened(settings).status
    rows: list[list[Piece]]
    if of_workspace:
        keys = status.workspace_keys()
        rows = [
            [key.key, Styled(key.value or "—", bold=bool(key.value)), key.status.value, Styled(key.reason, dim=True)]
            for key in keys
        ]
        return Answer(keys, [TextTable(rows)])
    values = status.policy_values()
    rows = [
        [
            value.key,
            Styled(msgspec.json.encode(value.value).decode(), bold=value.origin != "default"),
            Styled(value.origin, dim=True),
        ]
        for value in values
    ]
    return Answer(values, [TextTable(rows)])


def findings_answer(findings: Sequence[Finding], *, nothing: str) -> Answer:
    return Answer(findings, findings_rows(findings, nothing=nothing), exit_code(findings))


def findings_rows(findings: Sequence[Finding], *, nothing: str) -> Text:
    if not findings:
        yield Styled(nothing, fg="green")
    for finding in findings:
        where = f" · {finding.where}" if finding.where else ""
        yield MARKS[finding.kind], f"  {finding.id}{where}: {finding.what}"
        if finding.fix:
            yield Styled(f"    → {finding.fix}", dim=True)


def exit_code(findings: Sequence[Finding]) -> int:
    """Returns 5 for damage, 6 for a loss or a stopped program, 4 for a conflict, else 0 (CLI.md §Exit codes)."""
    kinds = {finding.kind for finding in findings}
    if FindingKind.DAMAGE in kinds:
        return Damaged.exit_code
    if kinds & {FindingKind.LOSS, FindingKind.STOPPED}:
        return Blocked.exit_code
    return Conflict.exit_code if FindingKind.CONFLICT in kinds else 0


@command("export")
def export_command(settings: Settings, file: str) -> Answer:
    target = given_path(file)
    maintenance = opened(settings).maintenance
    with progress(settings) as tick:
        done = maintenance.export_state(target, tick)
    return Answer(done, _done_rows(done, "exported to"))


@command("import")
def import_command(settings: Settings, file: str, force: bool) -> Answer:
    if settings.read_only:
        raise UsageError("nothing is imported with --read-only", hint="leave --read-only out")
    source = given_path(file)
    maintenance = opened(settings).maintenance
    with progress(settings) as tick:
        done = maintenance.import_state(source, force=force, tick=tick)
    return Answer(done, _done_rows(done, "imported from"))


state_command = group("state", __name__, export_command, import_command)


def _done_rows(done: "Transferred", how: str) -> Text:
    yield Styled(f"{PASSED.glyph} ", fg="green"), f"{noun(done.files, 'file')} {how} {done.file}"
    if done.kept:
        yield f"  what was here lies in {done.kept}"
    for note in done.notes:
        yield Styled("! ", fg="yellow"), note
