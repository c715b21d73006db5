"""The agent's context for the front ends: what platforms load, and a message's compiled prompt (§6, D41)."""

import stat
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from engine.context.platforms import catalog
from engine.context.platforms.platform import SessionKind
from engine.errors import MemdeckError
from engine.monitoring.last_look import SeenNote, SeenStore
from engine.monitoring.note_flags import is_own_file
from engine.services.note_flags import FlagService
from engine.services.open_workspace import OpenWorkspace
from engine.services.search import SearchService
from engine.text.safe_text import visible_line
from engine.text.secrets.detector import redact
from engine.text.tokens import counter
from engine.workspace.paths import WorkspaceRoot
from engine.workspace.snapshot import Snapshot

if TYPE_CHECKING:
    from engine.context.compile.fenced_pieces import NoteText, PromptPiece, RememberedCounts
    from engine.context.compile.given_beside_prompt import GivenText
    from engine.context.compile.prompt import CompiledPrompt, Prefix
    from engine.context.compile.recalled import GivenSources
    from engine.context.load.observation import LoadReport, LoadReports, ObservedFile
    from engine.context.load.simulation import PlatformLoad
    from engine.services.sessions import SessionService
    from engine.services.topics import TopicService
    from engine.topics.messages import SessionTurn

NO_HISTORY = "none"  # in the place of a session: the prompt has no history


class ContextService:
    """Reads the workspace; writes only the search index and the loads that platforms report."""

    def __init__(
        self,
        opened: OpenWorkspace,
        search: SearchService,
        topics: "TopicService",
        sessions: "SessionService",
        flags: FlagService,
    ) -> None:
        self._opened, self.flags = opened, flags
        self._search, self._topics, self._sessions = search, topics, sessions
        self._counter: RememberedCounts | None = None
        self._prefix: tuple[object, Prefix] | None = None
        self._own: tuple[tuple[Snapshot, int], frozenset[str]] | None = None
        self._turns: tuple[object, tuple[SessionTurn, ...]] | None = None

    def loads(
        self, session: SessionKind, platform: str | None = None, *, clean: bool = False, flags: bool = False
    ) -> "Sequence[PlatformLoad]":
        """Simulates what platforms load in a session of this kind, those in use first. `clean`: without secrets,
        removed before texts are cut. `flags`: with the flagged lines that reach the agent (G30)."""
        from engine.context.load.simulation import load
        from engine.context.platforms.project import in_project

        opened = self._opened
        folder = opened.root.identity.path
        chosen = [catalog.platform(opened.policy, platform)] if platform else catalog.platforms(opened.policy)
        chosen = [in_project(one, folder, opened.env.get("HOME", "")) for one in chosen]
        read = self._without_secrets if clean else self._read
        found = [load(one, session, read, folder, opened.counter, self._link, self._notes_in) for one in chosen]
        told = [self._flagged(one) if flags and one.used else one for one in found]
        return tuple(sorted(told, key=lambda platform_load: not platform_load.used))

    def _flagged(self, load: "PlatformLoad") -> "PlatformLoad":
        files = []
        for file in load.files:
            data = self._opened.root.read_or_none(file.path) if file.text and file.path else None
            files.append(replace(file, flags=self.flags.of(file.path, data)) if data is not None else file)
        return replace(load, files=tuple(files))

    def _without_secrets(self, path: str) -> bytes | None:
        data = self._read(path)
        return None if data is None else redact(data.decode("utf-8", "replace"), keep_lines=True).encode()

    def _read(self, path: str) -> bytes | None:
        """Reads a file of the workspace, or of a platform's own folder for it; empty where only that folder exists."""
        home = self._opened.env.get("HOME", "")
        if not path.startswith("~/") or not home:
            return self._opened.root.read_or_none(path)
        with suppress(MemdeckError):
            with WorkspaceRoot.open(Path(home)) as root:
                data = root.read_or_none(path[2:])
            is_known = "/.claude/projects/" in path and Path(home, path[2:]).parents[1].is_dir()
            return b"" if data is None and is_known else data
        return None

    def _notes_in(self, folder: str) -> Sequence[str]:
        home = self._opened.env.get("HOME", "") if folder.startswith("~/") else ""
        place = Path(home, folder[2:]) if home else Path(self._opened.root.identity.path, folder)
        files = place.rglob("*.md") if folder else place.glob("*.md")
        return sorted(str(Path(folder, file.relative_to(place))) for file in files if not file.is_symlink())

    def _link(self, path: str) -> str:
        """Describes a symbolic link: `a link to ../shared/MEMORY.md`; empty for anything else."""
        root = self._opened.root
        with suppress(MemdeckError, OSError):
            facts = root.lstat(path)
            if facts is not None and stat.S_ISLNK(facts.st_mode):
                return visible_line(f"a link to {root.place(path).readlink()}")
        return ""

    def observed(self, loads: "Sequence[PlatformLoad]") -> "Mapping[str, Sequence[ObservedFile]]":
        """Adds to the files of simulated loads, by platform, what sessions last reported of them."""
        from engine.context.load.observation import observed_files

        reports, read = self._reports.all(), self._opened.root.read_or_none
        return {load.platform.name: observed_files(load, reports, read) for load in loads}

    def report_load(self, platform: str, session: str, path: str, reason: str) -> "LoadReport":
        """Records a hook's report that a session of a platform loaded a file."""
        return self._reports.take(platform, session, path, reason, self._opened.real_clock())

    def report_compaction(self, platform: str, session: str) -> None:
        """Keeps how much of a session's own transcript its context has lost."""
        from engine.context.load.observation import COMPACTED
        from engine.lifecycle.capture.transcript_text import file_key

        own = f"-{file_key(session)}"
        for path in (path for path in self._opened.fresh(look=True).files if session and own in path):
            self.report_load(platform, session, f"{self._opened.root.identity.path}/{path}", COMPACTED)

    @property
    def _reports(self) -> "LoadReports":
        from engine.context.load.observation import LoadReports

        return LoadReports(self._opened.database, self._opened.root)

    def beside(self, message: str, *, look: bool = True, notes: bool = True, session: str = "") -> "GivenText":
        """Finds topics and notes for a message, without what platforms and the session already have (decision D64)."""
        from engine.context.compile.given_beside_prompt import BUDGET, given_text
        from engine.context.compile.recalled import GivenSources
        from engine.context.load.observation import COMPACTED
        from engine.lifecycle.capture.transcript_text import file_key

        message, snapshot = redact(message, keep_lines=True), self._opened.fresh(look)
        loaded, whole = self._loaded(SessionKind.MAIN)
        given = None if notes else GivenSources(notes=())
        pieces, _ = self._recalled(message, SessionKind.MAIN, snapshot, loaded, whole, "", given)
        own = f"-{file_key(session)}" if session else "\0"
        said = {piece.path: 0 for piece in pieces if own in piece.path}
        for report in self._reports.all() if said else ():
            if report.reason == COMPACTED and report.path in said:
                said[report.path] = report.lines or 0
        # What the session said before its context was compacted is in the window no more.
        pieces = [piece for piece in pieces if own not in piece.path or piece.line <= said[piece.path]]
        # A hook has no time to load the table of tokens; a third more words are about as many.
        count = counter("words*1.3") if self._search.words_only else self._counts()
        return given_text(pieces, message, loaded, BUDGET, count)

    def _loaded(self, session: SessionKind, client: str | None = None) -> tuple[str, frozenset[str]]:
        """Gives the text that the platforms in use (or one client's) load, and the paths that they load in full."""
        if client == "":
            return "", frozenset()
        used = [load for load in self.loads(session) if load.used]
        files = [
            file for load in used if client is None or client.startswith(load.platform.clients) for file in load.files
        ]
        whole = frozenset(file.path for file in files if file.path and not file.fallen)
        return "\n".join(file.text for file in files), whole

    def compile(
        self,
        message: str,
        session: SessionKind,
        *,
        budget: int | None = None,
        history: str | None = None,
        before: int = 0,
        look: bool = True,
        given: "GivenSources | None" = None,
        client: str = "",
    ) -> "CompiledPrompt":
        """Compiles the prompt for a message; `Blocked` if the budget is too small. `history`: a session or `none`, up
        to `before`. `look`: scans first. `given` replaces the search. Omits what `client`'s platform loads."""
        from engine.context.compile.compiler import CompileRequest, compile_prompt
        from engine.context.compile.later_words import with_later_words
        from engine.context.compile.recalled import PIECES

        message, snapshot = redact(message, keep_lines=True), self._opened.fresh(look)
        budget = budget or self._opened.settings.prompt_tokens()
        source = self._history_source(session, history)
        text, whole = self._loaded(session, client)
        prefix, there = self._prefixed(snapshot, session, budget, text, whole)
        known = prefix.text + text
        pieces, warnings = self._recalled(message, session, snapshot, known, there | whole, source, given, PIECES)
        # A hook has no time to search all notes for later words.
        if not self._search.words_only:
            told = with_later_words(pieces, snapshot.reader, message)
            pieces = [replace(piece, text=self._opened.older.marked(piece.text, snapshot)) for piece in told]
        turns = self.turns(source) if given is None else given.turns
        request = CompileRequest(
            message=message,
            session=session,
            budget=budget,
            pieces=tuple(pieces),
            turns=tuple(turn for turn in turns if not before or turn.number < before),
            warnings=warnings,
        )
        self.flags.keep()
        return compile_prompt(prefix, request, self._counts())

    # ── the prefix ─────────────────────────────────────────────────────────────────────────────────────────────────

    def _prefixed(
        self, snapshot: Snapshot, session: SessionKind, budget: int, loaded: str, there: frozenset[str]
    ) -> "tuple[Prefix, frozenset[str]]":
        """Gives the prefix, cached while its files stay, and its whole files; omits `loaded` text and files `there`."""
        from engine.context.compile.compiler import compile_prefix
        from engine.context.compile.given_beside_prompt import new_lines
        from engine.context.compile.prompt import ItemState
        from engine.context.compile.recalled import MIRRORED, prefix_pieces

        policy = self._opened.policy
        today = self._opened.now().astimezone(policy.time_zone).date()

        def text_of(path: str) -> "NoteText | str":
            text = "the platform loads it" if path in there else self._text(snapshot, path)
            if isinstance(text, str):
                return text
            new = new_lines(text.text, loaded) if loaded else text.text
            return replace(text, text=new if self._search.words_only else self._opened.older.marked(new, snapshot))

        pieces = prefix_pieces(snapshot.files, text_of, today, session)
        key = (pieces, budget)
        if self._prefix is None or self._prefix[0] != key:
            self._prefix = key, compile_prefix(pieces, budget, self._counts(), policy.context.system_prompt)
        whole = {item.path for item in self._prefix[1].items if item.state is ItemState.INCLUDED}
        return self._prefix[1], frozenset(whole | {piece.path for piece in pieces if piece.refused == MIRRORED})

    def _text(self, snapshot: Snapshot, path: str) -> "NoteText | str":
        from engine.context.compile.fenced_pieces import note_text

        if path not in snapshot.files:
            return "there is no such file"
        try:
            data = snapshot.reader(path)
            if self._search.words_only and self.flags.known(data) != ():
                return "nobody judged it yet"
            return replace(note_text(data, self.flags.of(path, data)), owned=path in self._owned(snapshot))
        except MemdeckError as error:
            return f"it cannot be read: {error.message}"

    def _owned(self, snapshot: Snapshot) -> frozenset[str]:
        """Gives the operator's files and topics that the operator saw or approved: they are instructions (D65)."""
        store = SeenStore(self._opened.state.path / "seen.db")
        key = snapshot, store.file.stat().st_mtime_ns if store.begun else 0
        if self._own is None or self._own[0] != key:
            own = [path for path in snapshot.files if is_own_file(path) or path.startswith("topics/")]
            seen: dict[str, SeenNote | None] = {}
            with closing(store), suppress(OSError, MemdeckError):
                seen = {path: store.note(path) for path in own} if store.begun else {}
            found = (path for path, note in seen.items() if note and note.sha256 == snapshot.files[path].sha256)
            self._own = key, frozenset(found)
        return self._own[1]

    def _counts(self) -> "RememberedCounts":
        if self._counter is None:
            from engine.context.compile.fenced_pieces import RememberedCounts

            self._counter = RememberedCounts(self._opened.counter)
        return self._counter

    # ── what the message calls for ─────────────────────────────────────────────────────────────────────────────────

    def _recalled(
        self,
        message: str,
        session: SessionKind,
        snapshot: Snapshot,
        prefix: str,
        there: frozenset[str],
        source: str,
        given: "GivenSources | None",
        pieces_a_note: int = 0,
    ) -> "tuple[list[PromptPiece], tuple[str, ...]]":
        from engine.context.compile.recalled import FEW_HITS, HITS, hit_pieces, keywords, topic_pieces
        from engine.topics.activation import Activations
        from engine.topics.decision import MatchResult
        from engine.topics.messages import Message

        service, now = self._topics, self._opened.now()
        chosen = given.topics if given is not None else None
        topics = {topic.id: topic for topic in (service.current().topics if chosen is None else chosen)}
        asked = Message(id="compile", text=message, time=now)
        if chosen is not None:
            result = MatchResult(id="compile", active=tuple(topics))
        elif self._search.words_only:
            result = service.named(asked)
        else:
            result = service.matcher().match(asked, now)
        activations = Activations(lambda path: snapshot.files[path].size if path in snapshot.files else None)
        woken, text_of = activations.take("compile", result, topics, now), partial(self._text, snapshot)
        pieces = list(topic_pieces(woken.active, woken.excluded, topics, text_of, there, session, self._counts()))
        query = f"{message} {keywords(topics[active.topic] for active in woken.active)}".strip()
        only = given.notes if given is not None else None
        # A caller that names no notes wants none: the search is spared.
        if only is not None and not only:
            return pieces, result.degraded
        # A hook must answer at once: fewer hits.
        most = FEW_HITS if self._search.words_only else HITS
        answer = self._search.find(
            query, most if only is None else len(snapshot.files), look=False, pieces=pieces_a_note
        )
        hits = [hit for hit in answer.hits if only is None or hit.path in only][:most]
        there |= {piece.path for piece in pieces if not piece.refused}
        known, judged = self.flags.known, self._search.words_only
        pieces += hit_pieces(hits, snapshot.reader, there, prefix, session, source, known, judged=judged)
        return pieces, (*result.degraded, *answer.degraded)

    # ── history ────────────────────────────────────────────────────────────────────────────────────────────────────

    def _history_source(self, session: SessionKind, history: str | None) -> str:
        if history == NO_HISTORY or (history is None and session is not SessionKind.MAIN):
            return ""
        if history is not None:
            return history
        return next((info.source for info in self._sessions.files()), "")

    def turns(self, source: str) -> "tuple[SessionTurn, ...]":
        """Gives the turns of a session for the history, cached by its file; none without a source."""
        if not source:
            return ()
        key = next((info for info in self._sessions.files() if info.source == source), None)
        if key is None or self._turns is None or self._turns[0] != key:
            self._turns = key, self._turns_of(source)
        return self._turns[1]

    def _turns_of(self, source: str) -> "tuple[SessionTurn, ...]":
        from engine.topics.messages import SessionTurn, ToolCall

        zone = self._opened.policy.time_zone
        said = [message for message in self._sessions.messages(source) if not message.message.injected]
        return tuple(
            SessionTurn(
                number=number,
                role=one.role.value,
                text=redact(one.message.text, keep_lines=True),
                said_at=one.message.time.astimezone(zone) if one.message.time is not None else None,
                source=source,
                line=one.line,
                tool_calls=tuple(
                    ToolCall(call.name, (), redact(call.target or ", ".join(call.paths)), redact(call.outcome))
                    for call in one.message.tool_calls
                ),
            )
            for number, one in enumerate(said, 1)
        )
