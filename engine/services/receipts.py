"""Forgetting for the front ends: finds all places, and clears those beside the notes once the plan is applied."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from engine.errors import Conflict, MemdeckError, UsageError
from engine.lifecycle.forget import tombstones
from engine.lifecycle.forget.history_rewrite import history_facts, rewrite_history
from engine.lifecycle.forget.plan import HistoryFacts, LineCorrection, plan_correction, plan_forgetting
from engine.lifecycle.forget.purge import NO_NOTE, STATE, Purge, WordPlace, kind_of, state_files, why_left, word_places
from engine.lifecycle.forget.scan import Scan, Trace
from engine.lifecycle.forget.sought_words import SoughtWords, statement, tokens
from engine.lifecycle.requests import CorrectRequest, ForgetRequest
from engine.plans.operation import Operation
from engine.plans.planning import Planning, PlanOutcome
from engine.search.indexing.index import discard_index
from engine.services.open_workspace import OpenWorkspace
from engine.services.sought_texts import line_at, retold_by, said_by, same_elsewhere, texts_meant
from engine.state.private_files import remove_private, step
from engine.text.document import shown_text, split_lines
from engine.text.secrets.detector import redact
from engine.workspace.paths import MAX_KEPT, relative_path

_OURS = frozenset({".git", ".memdeck"})
_INDEX = "memory.db"
_OLDER = "earlier contents of the note"


def plan_forgetting_of(opened: OpenWorkspace, planning: Planning, asked: ForgetRequest) -> PlanOutcome:
    """Plans to forget words, lines with what was made of them, or all that names somebody."""
    if asked.history and not asked.raw:
        what = "git's history cannot be rewritten while the newest commit says it"
        raise UsageError(what, where="--history", hint="add --raw, or leave --history out")
    meant = texts_meant(opened, planning, asked)
    own = tuple(sorted(meant.own))
    words = tombstones.WordsToForget(texts=meant.texts, own=own, sources=asked.raw, history=asked.history)
    sought, others, unread = SoughtWords(words.texts), SoughtWords(meant.others), list[WordPlace]()
    changed = word_places(_workspace_files(opened, unread), sought, sources=asked.raw, others=others, own=meant.own)
    places = [*changed, *unread, *_places_beside(opened, sought, sources=asked.raw), *meant.kept]
    history = HistoryFacts()
    if asked.history:
        here = (msgspec.structs.replace(one, left="", what="rewritten") for one in places if one.path[:5] == "git, ")
        places = [*(place for place in places if place.path[:5] != "git, "), *here]
        history = history_facts(opened.git.writable())
    return plan_forgetting(planning, words, places, history)


def plan_correction_of(opened: OpenWorkspace, planning: Planning, asked: CorrectRequest) -> PlanOutcome:
    """Plans to replace a line's statement by one that holds; `UsageError` without a line or a statement."""
    value = " ".join(asked.value.split())
    if len(asked.take) != 1 or not tokens(value):
        raise UsageError("which line, and what holds?", hint="memdeck correct PATH:LINE 'what holds' --why REASON")
    path, number, said = line_at(opened, asked.take[0])
    correction = LineCorrection(
        path=path,
        number=number,
        line=said,
        value=value,
        why=" ".join(asked.why.split()),
        made=tuple(said_by(opened, asked.take[0]))[1:],
        alike=tuple(same_elsewhere(opened, planning, asked.take[0], value)),
        retold=tuple(retold_by(opened, path, number)),
    )
    return plan_correction(planning, correction, _workspace_files(opened, []))


def _workspace_files(opened: OpenWorkspace, unread: list[WordPlace]) -> Iterator[tuple[str, bytes]]:
    """Yields path and bytes of every workspace file; adds those that cannot be read to `unread`."""
    top = Path(opened.root.identity.path)
    for folder, names, files in os.walk(top):
        names[:] = sorted(name for name in names if name not in _OURS)
        for file in (Path(folder, name) for name in sorted(files)):
            path = file.relative_to(top).as_posix()
            try:
                if path != _INDEX and not file.is_symlink():
                    yield relative_path(path), opened.root.read(path, MAX_KEPT)
            except MemdeckError as error:
                unread.append(WordPlace(path=path, kind="file", count=0, left=f"not read: {error.message}"))


def _places_beside(opened: OpenWorkspace, sought: SoughtWords, *, sources: bool) -> Iterator[WordPlace]:
    """Yields places outside the notes: memdeck's state, the index, outside transcripts, git."""
    for path, kind, count in state_files(opened.state.path, sought):
        what, left = f"cleared ({kind.how})", why_left(kind, sources=sources)
        yield WordPlace(path=path, kind=f"state, {kind.name}", count=count, what=what, left=left)
    if opened.root.lstat(_INDEX) is not None:
        yield WordPlace(path=_INDEX, kind="index", count=0, what="made again: words, vectors and free pages")
    for trace in _of_git_and_outside(opened, Scan(sought)):
        yield WordPlace(path=trace.place, kind=trace.what, count=trace.count, left=trace.reason)


def _of_git_and_outside(opened: OpenWorkspace, scan: Scan) -> Iterator[Trace]:
    if opened.root.transcripts is not None:
        for trace in scan.folder(Path(opened.root.transcripts.path), "transcripts:"):
            yield msgspec.structs.replace(trace, reason="a transcript outside the workspace is only read (D32)")
    if (repository := opened.git.usable()) is not None:
        git = repository.git
        if not git.folder.is_relative_to(opened.root.identity.path):
            yield from scan.folder(git.folder, "git:", (git.folder / "objects",))
        yield from scan.git(git)


# ── once it is applied ───────────────────────────────────────────────────────────────────────────────────────────────


def finish_forgetting(opened: OpenWorkspace) -> tombstones.Receipt | None:
    """Finishes a forgetting whose plan was applied, and gives its receipt; None if there is none. May run twice."""
    context, words = opened.context, tombstones.under_way(opened.state.path)
    if words is None:
        return None
    with opened.lock, context.hold("forgetting"):
        applied = (one for one in opened.operations if one.plan == words.plan and one.done and not one.undoes)
        operation = next(applied, None)
        receipt = _finished(opened, words, operation) if operation is not None else None
        remove_private(opened.state.path / tombstones.UNDER_WAY)
        return receipt


def _finished(opened: OpenWorkspace, words: tombstones.WordsToForget, operation: Operation) -> tombstones.Receipt:
    state, sought, done = opened.state.path, SoughtWords(words.texts), len(operation.done)
    known = tombstones.load_tombstones(state)
    by = operation.approval.witness.user if operation.approval is not None else ""
    hashed = known.hashed(words.texts)
    stone = tombstones.Tombstone(operation=operation.id, at=operation.started_at, by=by, places=done, words=hashed)
    tombstones.save_tombstone(state, known, stone)
    discard_index(opened.root, state)
    changed = Purge(opened.context, opened.database, sought, words.sources).run()
    history = _rewritten(opened, words, sought)
    opened.scan()  # what was read of the files before would else be stored again at the end
    step("forget-receipt")
    scan = Scan(sought)
    receipt = tombstones.Receipt(
        operation=operation.id,
        plan=operation.plan,
        at=opened.real_clock(),
        by=by,
        workspace=opened.root.identity.path,
        files=done,
        state=changed,
        history=history,
        left=(*_traces(opened, scan), *_older_notes(opened, words.own)),
        looked=scan.looked,
    )
    tombstones.save_receipt(state, receipt)
    return receipt


def _rewritten(opened: OpenWorkspace, words: tombstones.WordsToForget, sought: SoughtWords) -> str:
    if opened.git.usable() is None or not words.history:
        return "stays" if opened.git.usable() else "there is no git"
    try:
        repository = opened.git.writable()
        writing = opened.git.written_by_owner(repository)
        return rewrite_history(repository, writing, sought, opened.operations, opened.state.path)
    except Conflict:
        raise  # a git is at work: the forgetting is gone on with once that has ended
    except MemdeckError as error:
        return f"stays, it could not be rewritten: {error.line()}"


def _traces(opened: OpenWorkspace, scan: Scan) -> Iterator[Trace]:
    """Yields the traces left in the workspace, the state, git and above, each with the reason if known."""
    top, state = Path(opened.root.identity.path), opened.state.path
    for trace in scan.folder(top, "", (top / ".git" / "objects",)):
        git, kind = trace.place.startswith(".git/"), kind_of(trace.place)
        reason = "git's history stays" if git else why_left(kind, sources=False)
        yield msgspec.structs.replace(trace, reason=trace.reason or reason)
    for trace in scan.folder(state, ""):
        reason = trace.reason or why_left(kind_of(trace.place, STATE), sources=False)
        if trace.place != tombstones.UNDER_WAY:
            yield msgspec.structs.replace(trace, place=f"state:{trace.place}", reason=reason)
    for file in sorted(file for file in state.parents[1].iterdir() if file.is_file()):
        yield from scan.file(file, f"memdeck:{file.name}")
    yield from _of_git_and_outside(opened, scan)


def _older_notes(opened: OpenWorkspace, paths: Iterable[str]) -> Iterator[Trace]:
    """Yields the notes whose earlier contents git keeps; a rewrite removes only the sought words from those."""
    if (repository := opened.git.usable()) is None:
        return
    git, reason = repository.git, "git keeps its lines that say none of the words"
    now = git.run("hash-object", "--stdin", stdin=NO_NOTE.encode()).strip()
    for path in paths:
        name = f"{repository.prefix}{path}"
        rows = git.run("rev-list", "--objects", "--full-history", "--all", "--reflog", "--", name).splitlines()
        before = {ident for ident, _, said in (row.partition(b" ") for row in rows) if said == name.encode()} - {now}
        if before:
            yield Trace(place=f"git, {path}", what=_OLDER, count=len(before), reason=reason)


class ReceiptService:
    def __init__(self, opened: OpenWorkspace) -> None:
        self._opened = opened

    def read(self, name: str = "") -> tombstones.Receipt:
        """Reads a receipt by its operation or file, by default the newest; `UsageError` for none."""
        return tombstones.read_receipt(self._opened.state.path, name)

    def line_now(self, path: str, line: int, text: str = "") -> tuple[str, str]:
        """Finds a note's line as `PATH:LINE`, and its statement; with `text` the nearest line that reads so. Without
        such a line or a path the place is empty, and the statement is that of `text`."""
        lines = split_lines(shown_text(self._opened.root.read_or_none(path) or b""))
        near = [at for at, one in enumerate(lines, 1) if at == line or (text and one == text)]
        same = [at for at in near if not text or text in (lines[at - 1], redact(lines[at - 1]))]
        at = min(same, key=lambda at: abs(at - line), default=0)
        said = statement(lines[at - 1] if at else text) if path else text
        if not tokens(said):
            raise UsageError("no line says anything there", where=f"{path}:{line}")
        return (f"{path}:{at}" if at else "", said)

    def check(self, receipt: tombstones.Receipt) -> tombstones.Receipt:
        """Scans again for a receipt's words, which are known only as hashes."""
        opened = self._opened
        scan = Scan(tombstones.load_tombstones(opened.state.path).of(receipt.operation))
        with opened.lock:
            own = (trace.place.removeprefix("git, ") for trace in receipt.left if trace.what == _OLDER)
            left = (*_traces(opened, scan), *_older_notes(opened, own))
        return msgspec.structs.replace(receipt, at=opened.real_clock(), left=left, looked=scan.looked)
