"""`check`, `recover`, `policy`, `doctor`: what is damaged, degraded or configured, each with the fix."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from engine.errors import Blocked, Conflict, Damaged, UsageError
from engine.plans.status import Finding, FindingKind
from engine.state.folder import config_home
from tui.cli.output import Answer, Piece, Styled, Text, TextTable, sign_piece, stderr
from tui.cli.progress import progress
from tui.cli.settings import Settings, command, global_options, opened, workspace_path
from tui.present.glyphs import FINDINGS, PASSED
from tui.present.words import noun
from tui.system.given_path import given_path

if TYPE_CHECKING:
    from engine.services.state_transfer import Transferred

MARKS = {kind: sign_piece(sign) for kind, sign in FINDINGS.items()}


@command("check", short_help="Finds damage and says what to do.")
@click.option("--deep", is_flag=True, help="Read every record, kept and archived file again.")
def check_command(settings: Settings, deep: bool) -> Answer:
    """Looks for missing or altered kept files, a broken audit log, an altered archive, a half-finished operation.

    What is amiss in the tree is told as notices, which are no damage.
    """
    with progress(settings) as tick:
        findings = opened(settings).maintenance.check(deep=deep, tick=tick)
    return findings_answer(findings, nothing=f"{PASSED.glyph} nothing is damaged")


@command("recover", short_help="Finishes or rolls back what a crash left.")
def recover_command(settings: Settings) -> Answer:
    """Brings every file to old or new after a crash. Needs no approval: it adds nothing a plan could have refused."""
    with progress(settings) as tick:
        findings = opened(settings).maintenance.recover(tick)
    return findings_answer(findings, nothing=f"{PASSED.glyph} nothing to recover")


@command("doctor", short_help="What is missing or degraded, with the fix.")
@click.option(
    "--bundle",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write versions, terminal, settings and the last errors into a new FILE for a bug report; no content.",
)
def doctor_command(settings: Settings, bundle: Path | None) -> Answer:
    """Says which parts work less well than they could, and how to fix them."""
    console = opened(settings)
    findings = console.maintenance.doctor()
    if bundle is not None:
        from tui.cli.bug_report import write_bundle
        from tui.settings.file import read_settings, settings_path

        read = read_settings(settings_path(config_home(os.environ)), workspace_path(settings))
        write_bundle(bundle.expanduser(), console, findings, msgspec.structs.asdict(read.settings))
        stderr(settings.no_color).line("written: ", str(bundle), " · look at it before you attach it")
    return findings_answer(findings, nothing=f"{PASSED.glyph} everything works as it should")


@command("policy", short_help="The operator's policy in force, and where each value came from.")
@click.option("--config", "of_workspace", is_flag=True, help="The keys of the agent's own memory-config.yaml.")
def policy_command(settings: Settings, of_workspace: bool) -> Answer:
    """Prints every key with its value and its origin: `default`, or the file that sets it.

    With `--config` the keys of `memory-config.yaml`, which the agent can write: honoured, or ignored and why.
    """
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
        [value.key, Styled(_show(value.value), bold=value.origin != "default"), Styled(value.origin, dim=True)]
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
    """5 for damage, 6 for a loss, 4 for a conflict, 0 for notices or nothing (CLI.md §Exit codes)."""
    kinds = {finding.kind for finding in findings}
    if FindingKind.DAMAGE in kinds:
        return Damaged.exit_code
    if FindingKind.LOSS in kinds:
        return Blocked.exit_code
    return Conflict.exit_code if FindingKind.CONFLICT in kinds else 0


def _show(value: object) -> str:
    return msgspec.json.encode(value).decode()


@click.group("state", params=global_options(), short_help="Your state as one file: export, import.")
def state_command() -> None:
    """Keeps and moves memdeck's records of a workspace: queue, history, undo, audit log, searches, snoozes, judgements.

    It lies in your own state folder; the notes themselves are not part of it.
    """


@command("export", short_help="Writes the state into one file.")
@click.argument("file", metavar="FILE")
def export_command(settings: Settings, file: str) -> Answer:
    """Writes a tar with a manifest of hashes, which no other user can read; a FILE that is there is skipped."""
    target = given_path(file)
    maintenance = opened(settings).maintenance
    with progress(settings) as tick:
        done = maintenance.export_state(target, tick)
    return Answer(done, _done_rows(done, "exported to"))


@command("import", short_help="Puts an exported state in the place of this workspace's.")
@click.argument("file", metavar="FILE")
@click.option("--force", is_flag=True, help="Also where something is remembered already: that is kept beside.")
def import_command(settings: Settings, file: str, force: bool) -> Answer:
    """Checks every hash first, then takes the whole state over or nothing. No note is touched."""
    if settings.read_only:
        raise UsageError("nothing is imported with --read-only", hint="leave --read-only out")
    source = given_path(file)
    maintenance = opened(settings).maintenance
    with progress(settings) as tick:
        done = maintenance.import_state(source, force=force, tick=tick)
    return Answer(done, _done_rows(done, "imported from"))


state_command.add_command(export_command)
state_command.add_command(import_command)


def _done_rows(done: "Transferred", how: str) -> Text:
    yield Styled(f"{PASSED.glyph} ", fg="green"), f"{noun(done.files, 'file')} {how} {done.file}"
    if done.kept:
        yield f"  what was here lies in {done.kept}"
    for note in done.notes:
        yield Styled("! ", fg="yellow"), note
