"""A prepared workspace whose prompt and platforms are made from texts told by hand, by the engine's own compiler."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

from engine.context.compile.compiler import CompileRequest, compile_prefix, compile_prompt
from engine.context.compile.fenced_pieces import PromptPiece
from engine.context.compile.prompt import PREFIX, CompiledPrompt, PromptSlot
from engine.context.load.observation import LoadReport, ObservedFile, observed_files
from engine.context.load.simulation import PlatformLoad, load
from engine.context.platforms.catalog import platforms
from engine.context.platforms.platform import SessionKind
from engine.plans.policy.values import Policy
from engine.sessions.window.session_window import SessionWindow
from engine.sessions.window.token_timeline import Compaction, WindowTimeline, WindowTurn
from engine.text.tokens import WordsCounter
from engine.topics.messages import SessionTurn, ToolCall
from tests.prepared import Told

LOADED = {
    "MEMORY.md": "# Core\n" + "- a lesson\n" * 200 + "## Deploys on Friday\n- never\n",
    "SOUL.md": "# Soul\n\nI am Silas.\n",
    "CLAUDE.md": "# As agreed\n",
}
PIECES = (
    PromptPiece(slot=PromptSlot.IDENTITY, label="SOUL.md", path="SOUL.md", text="I am Silas.\n" * 20),
    PromptPiece(slot=PromptSlot.MEMORY, label="MEMORY.md", path="MEMORY.md", text="## Core\n- lesson\n## More\n" * 60),
    PromptPiece(
        slot=PromptSlot.SUBSCRIPTIONS, label="notes/old.md", path="notes/old.md", refused="there is no such file"
    ),
    PromptPiece(
        slot=PromptSlot.KNOWLEDGE, label="a.md", path="a.md", line=3, text="blue-green since March", score=0.75
    ),
)
TURNS = (
    SessionTurn(source="", number=1, role="user", text="read the open issues"),
    SessionTurn(
        source="",
        number=2,
        role="agent",
        text="here they are",
        tool_calls=(ToolCall("exec", (), "gh issue list", "12 results"),),
    ),
)


class Compiled(Told):
    """Compiles `pieces`; what was asked is kept in `compiled`."""

    def __init__(self) -> None:
        super().__init__()
        self.pieces: tuple[PromptPiece, ...] = PIECES
        self.loaded: Mapping[str, str] = LOADED
        self.load_reports: tuple[LoadReport, ...] = ()
        self.compiled: list[tuple[str, SessionKind, int | None, str | None]] = []
        self.stub.answers("context.loads", self._loads)
        self.stub.answers("context.observed", self._observed)
        self.stub.answers("context.compile", self._compile)

    def _held(self) -> dict[str, bytes]:
        return {path: text.encode("utf-8", "replace") for path, text in self.loaded.items()}

    def _loads(self, session: SessionKind, **_: object) -> Sequence[PlatformLoad]:
        read = self._held().get
        found = [load(one, session, read, "/home/ana/agents/silas", WordsCounter()) for one in platforms(Policy())]
        return tuple(sorted(found, key=lambda one: not one.used))

    def _observed(self, loads: Sequence[PlatformLoad]) -> Mapping[str, Sequence[ObservedFile]]:
        return {one.platform.name: observed_files(one, self.load_reports, self._held().get) for one in loads}

    def _compile(
        self,
        message: str,
        session: SessionKind,
        *,
        budget: int | None = None,
        history: str | None = None,
        look: bool = True,
    ) -> CompiledPrompt:
        self.compiled.append((message, session, budget, history))
        counter, tokens = WordsCounter(), budget or 8192
        prefix = compile_prefix([one for one in self.pieces if one.slot in PREFIX], tokens, counter)
        request = CompileRequest(
            message=message,
            session=session,
            budget=tokens,
            pieces=tuple(one for one in self.pieces if one.slot not in PREFIX),
            turns=() if history == "none" else TURNS,
        )
        return compile_prompt(prefix, request, counter)


def a_window(name: str = "s-1", *, turns: int = 60, step: int = 3_000, cut_at: int = 20) -> SessionWindow:
    """A session of Claude Code that grows by `step` tokens a turn and was compacted once."""
    at = datetime(2026, 3, 15, 2, 0, tzinfo=UTC)
    made = [
        WindowTurn(n, 4 * n, step * (n if n <= cut_at else n - cut_at), at + timedelta(seconds=n))
        for n in range(1, turns + 1)
    ]
    cut = Compaction(
        line=4 * cut_at + 2,
        trigger="auto",
        before=step * cut_at,
        after=step,
        first_turn=1,
        last_turn=cut_at,
        first_line=1,
        last_line=4 * cut_at + 1,
        at=at,
    )
    timeline = WindowTimeline(model="claude-sonnet-4-5", turns=tuple(made), compactions=(cut,), since=cut_at)
    return SessionWindow(source=f"/home/ana/.claude/{name}.jsonl", modified=at, limit=140_000, timeline=timeline)
