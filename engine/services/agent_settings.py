"""Reads the agent's own `memory-config.yaml`, and reports the settings that the policy does not allow (§9.3)."""

from collections.abc import Sequence

from engine.errors import MemdeckError
from engine.plans.policy.values import Policy
from engine.plans.policy.workspace_keys import CONFIG_FILE, unreadable, workspace_safety_keys, workspace_tuning
from engine.text.safe_text import visible_line
from engine.workspace.paths import FileMissing, WorkspaceRoot
from engine.workspace.transcript_root import TranscriptRoot
from engine.workspace.values import Finding, notice

MOST_CONFIG_BYTES = 64 * 1024  # bytes of the agent's own settings; a larger file counts as unreadable


class AgentSettings:
    """The settings that an agent may write itself: they can only narrow the policy."""

    def __init__(self, root: WorkspaceRoot, policy: Policy) -> None:
        self._root, self._policy = root, policy

    def config(self) -> bytes | None:
        """Reads the agent's `memory-config.yaml`; None where there is none that can be read."""
        return self._root.read_or_none(CONFIG_FILE, MOST_CONFIG_BYTES)

    def prompt_tokens(self) -> int:
        """Gives a prompt's budget in tokens: the policy's, or less where the workspace asks for less (§9.3, G12)."""
        most, asked = self._policy.context.prompt_tokens, workspace_tuning(self.config()).token_budget
        # The agent may ask for less and never for more (decision G12).
        return most if asked is None else min(most, asked)

    def transcript_root(self, guarded: Sequence[str]) -> TranscriptRoot | None:
        """Opens the transcript root that policy and workspace both name; None where there is none (D32)."""
        allowed = self._policy.lifecycle.transcript_roots
        # Where none is allowed, the agent's file need not be read: to load YAML takes a twentieth of `memdeck queue`.
        named = workspace_tuning(self.config()).transcript_root if allowed else ""
        if named not in allowed:
            return None
        return TranscriptRoot.open(named, self._root.identity.path, guarded)

    def safety_findings(self) -> tuple[Finding, ...]:
        """Reports the safety keys in the agent's own file, or that the file is unreadable (decision A28)."""
        try:
            if self._root.lstat(CONFIG_FILE) is None:
                return ()
            keys = workspace_safety_keys(self._root.read(CONFIG_FILE, MOST_CONFIG_BYTES))
            return (*keys, *self._transcript_findings())
        except FileMissing:
            return ()
        except MemdeckError as error:
            return (unreadable(error.message),)

    def _transcript_findings(self) -> tuple[Finding, ...]:
        """Reports why transcripts are not in the folder that the settings name (decision D32)."""
        named, used = workspace_tuning(self.config()).transcript_root, self._root.transcripts
        if not named or (used is not None and used.path == named and not used.problem):
            return ()
        fix = "name it in the operator's own policy, or start memdeck again: memdeck policy"
        if used is not None and used.path == named:
            what = f"its transcript root cannot be used: {used.problem}"
            fix = "correct the folder, then start memdeck again"
        elif named in self._policy.lifecycle.transcript_roots:
            what = "its transcript root was named since memdeck was started"
        else:
            what = "its transcript root is ignored: the policy's lifecycle.transcript_roots does not name it"
        what = f"{what}: {visible_line(named)[:200]}"
        return (notice("transcript_root", CONFIG_FILE, what, fix),)
