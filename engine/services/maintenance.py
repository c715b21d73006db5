"""Maintenance for the front ends: damage and missing things, recovery, and moving the operator's state."""

from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from engine.errors import MemdeckError
from engine.extra_registry import MissingExtra, needs
from engine.history.hook_scripts import CALL_OURS, HOOKS
from engine.lifecycle.forget.tombstones import under_way
from engine.lifecycle.lint.files import unread_faults, workspace_faults
from engine.lifecycle.lint.links import Fault
from engine.monitoring.agent_commits import finish_pending, is_pending
from engine.plans import damage as checking
from engine.plans.apply import recovery as recovering
from engine.plans.policy.workspace_keys import CONFIG_FILE, FINDING_ID, KeyStatus, workspace_settings
from engine.plans.records.journal import load_journal
from engine.schedule.due_times import jobs
from engine.services.alarms import AlarmService
from engine.services.capture import CaptureService
from engine.services.open_workspace import OpenWorkspace
from engine.services.privacy import PrivacyService
from engine.services.receipts import finish_forgetting
from engine.services.setup_facts import hooks_elsewhere
from engine.services.shares import ShareService
from engine.services.state_transfer import Transferred, export_state, import_state
from engine.services.status_figures import FOUND_BY_CHECK, degraded
from engine.state.health import rebuild, state_findings
from engine.tree.survey.tree_status import tree_findings
from engine.workspace.values import Finding, FindingKind, Tick, damage, notice


class MaintenanceService:
    """Finds damaged and missing things, and repairs the records."""

    def __init__(
        self,
        opened: OpenWorkspace,
        capture: CaptureService,
        privacy: PrivacyService,
        shares: ShareService,
        alarms: AlarmService,
    ) -> None:
        self._opened, self._capture, self._privacy = opened, capture, privacy
        self._shares, self._alarms = shares, alarms

    def check(self, *, deep: bool = False, tick: Tick | None = None) -> tuple[Finding, ...]:
        """Gives damage of the records, then problems of the tree as notices, each with its fix."""
        opened = self._opened
        snapshot = self._opened.fresh(look=True, tick=tick)
        hashes = {path: facts.sha256 for path, facts in snapshot.files.items()}
        found = checking.check(opened.context, deep=deep, anchors=opened.git.anchors(), hashes=hashes, tick=tick)
        found += state_findings(opened.state.path)
        tree = tree_findings(opened.survey(snapshot))
        left = (*self._capture.findings(), *self._shares.left_unfinished(), *self._unforgotten())
        return (*found, *self._private(), *opened.settings.safety_findings(), *left, *tree)

    def _private(self) -> tuple[Finding, ...]:
        """Reports private files in clear; nothing where git does not answer."""
        with suppress(MemdeckError):
            return self._privacy.findings()
        return ()

    def lint(self) -> tuple[Fault, ...]:
        """Finds faults in the form of files, by file and line (autopoiesis §2.2, §2.3), and private files in clear."""
        snapshot = self._opened.fresh(look=True)
        private = (Fault(kind="private", path=finding.where, line=1, what=finding.what) for finding in self._private())
        unread = unread_faults(snapshot.skipped)
        return (*workspace_faults(snapshot.files, snapshot.content), *unread, *private)

    def doctor(self) -> tuple[Finding, ...]:
        """Lists what is missing or degraded, each with its fix."""
        modes = (item for item in degraded(self._opened) if item.id not in (*FOUND_BY_CHECK, FINDING_ID))
        found = [notice(item.id, "", item.what, item.fix) for item in modes]  # the check tells the others
        checked = self.check()  # which lists the workspace anew
        alarms = [(FindingKind.LOSS, alarm) for alarm in self._alarms.losses()]
        alarms += [(FindingKind.STOPPED, alarm) for alarm in self._alarms.heartbeat.stopped()]
        urgent = (Finding(kind=kind, id=one.id, where=one.path, what=one.detail, fix=one.fix) for kind, one in alarms)
        return (*urgent, *found, *self._unused_hooks(), *self._without_effect(), *self._newer_tools(), *checked)

    def _newer_tools(self) -> tuple[Finding, ...]:
        """Reports imported tools that are newer than memdeck knows; nothing without the extra."""
        try:
            with needs("importers"):
                from engine.extras.importers.export_service import newer_findings
        except MissingExtra:
            return ()
        return newer_findings(self._opened.state.imports)

    def _unused_hooks(self) -> tuple[Finding, ...]:
        """Reports that git runs hooks from another folder than the one that `init` filled."""
        opened = self._opened
        path, text = next(iter(HOOKS.items()))
        folder = hooks_elsewhere(opened.root, opened.git) if opened.root.read_or_none(path) == text.encode() else ""
        what = f"git never runs it: it takes hooks from {folder} (core.hooksPath)"
        return (notice("hooks_elsewhere", path, what, CALL_OURS),) if folder else ()

    def _without_effect(self) -> tuple[Finding, ...]:
        """Reports the obsolete keys that `memory-config.yaml` sets (autopoiesis §9.3)."""
        settings = workspace_settings(self._opened.settings.config())
        unused = (key for key in settings if key.value and key.status is KeyStatus.OBSOLETE)
        told, fix = "has no effect", "take it out; `memdeck policy --config` lists every key"
        return tuple(notice("workspace_key", CONFIG_FILE, f"`{key.key}` {told}: {key.reason}", fix) for key in unused)

    def recover(self, tick: Tick | None = None) -> tuple[Finding, ...]:
        """Finishes or undoes what a crash interrupted, and makes the owed commits."""
        context = self._opened.context
        # Before the lock is cleared under which git's index is behind a commit of the agent's changes.
        found = (*self._followed(), *recovering.recover(context, tick), *self._capture.recover())
        with self._opened.lock, context.hold("recovering"):
            self._opened.database.close()
            found = (*found, *rebuild(context.state.path, self._known_runs()), *self._shares.take_back())
        forgotten, done = finish_forgetting(self._opened), "the forgetting that was cut off is whole"
        return found if forgotten is None else (*found, notice("forgotten", forgotten.operation, done))

    def _unforgotten(self) -> Iterator[Finding]:
        """Reports an interrupted forgetting, because some places still have the words."""
        if under_way(self._opened.state.path) is not None:
            yield damage("forgetting", "forgetting.json", "a forgetting was cut off half-way", "memdeck recover")

    def _followed(self) -> tuple[Finding, ...]:
        """Updates git's index for an interrupted commit of the agent's changes (decision D34)."""
        opened = self._opened
        context, repository = opened.context, opened.git.usable()
        if repository is None or not opened.policy.git.commit or not is_pending(opened.git.scratch):
            return ()
        if load_journal(context.state) is not None:
            return ()  # what the agent left at its paths is known once that operation is settled
        with self._opened.lock, context.hold("recovering"):
            stuck = finish_pending(repository, opened.git.scratch, opened.root.read_or_none, opened.policy.git)
        what = "; ".join(stuck) or "the commit of the agent's changes is whole"
        kind, fix = ("commit_owed", "memdeck recover") if stuck else ("commit_settled", "")
        return (notice(kind, "git", what, fix),)

    def export_state(self, file: Path, tick: Tick | None = None) -> Transferred:
        """Writes the operator's whole state of this workspace to one file."""
        with self._opened.lock:
            return export_state(self._opened, file, tick)

    def import_state(self, file: Path, *, force: bool = False, tick: Tick | None = None) -> Transferred:
        """Replaces this workspace's state by an exported one. Afterwards the workspace must be reopened."""
        with self._opened.lock:
            return import_state(self._opened, file, force=force, tick=tick)

    def _known_runs(self) -> dict[str, datetime]:
        """Gives for each job the time of its last dry run that made a plan: the job ran then or later."""
        made = [(entry.system, entry.made_at) for entry in self._opened.queue.entries() if not entry.simulated_clock]
        steps = {job.id: job.steps for job in jobs(self._opened.policy.zone)}
        runs = {job: [at for system, at in made if system in systems] for job, systems in steps.items()}
        return {job: max(found).astimezone(UTC) for job, found in runs.items() if found}
