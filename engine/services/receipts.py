"""Forgetting for the front ends: finds every place, and clears what is beside the notes once its plan is applied."""

import os
from collections.abc import Iterator
from pathlib import Path

import msgspec

from engine.errors import Conflict, MemdeckError, UsageError
from engine.lifecycle.forget import tombstones
from engine.lifecycle.forget.history_rewrite import history_facts, rewrite_history
from engine.lifecycle.forget.plan import HistoryFacts, LineCorrection, plan_correction, plan_forgetting
from engine.lifecycle.forget.purge import STATE, Purge, WordPlace, kind_of, state_files, why_left, word_places
from engine.lifecycle.forget.scan import Scan, Trace
from engine.lifecycle.forget.sought_words import SoughtWords, statement, tokens
from engine.lifecycle.requests import CorrectRequest, ForgetRequest
from engine.models.model_task import MODELS
from engine.plans.operation import Operation
from engine.plans.planning import Planning, PlanOutcome
from engine.search.indexing.index import discard_index
from engine.services.facts import facts_of
from engine.services.line_life import LifeRung, RungLink
from engine.services.open_workspace import OpenWorkspace
from engine.services.tree import TreeService
from engine.state.private_files import remove_private, step
from engine.text.document import Document, shown_text, split_lines
from engine.text.secrets.detector import redact
from engine.tree.levels import ROOT_PATH, node_place
from engine.workspace.paths import MAX_KEPT, relative_path

_OURS = frozenset({".git", ".memdeck"})
_INDEX = "memory.db"
_FEWEST = 4
"""Words of a line that was made from another: a shorter one would stand in places that have nothing to do with it."""
_INSIGHT = "Durable Insight:"
_MOST_LEFT = 0.6  # share of a line's words that one must have which shortens it


def plan_forgetting_of(opened: OpenWorkspace, planning: Planning, asked: ForgetRequest) -> PlanOutcome:
    """Plans to forget what is asked: words, lines with what was made from them, or all that names somebody."""
    texts = (*asked.words, *(text for line in asked.take for text in _said_by(opened, line)), *asked.about)
    texts += tuple(text for address in asked.address for text in _at_address(opened, planning, address))
    if not texts:
        raise UsageError("what is to be forgotten?", hint="memdeck forget WORDS, --line PATH:LINE or --about NAME")
    if asked.history and not asked.raw:
        what = "git's history cannot be rewritten while the newest commit says it"
        raise UsageError(what, where="--history", hint="add --raw, or leave --history out")
    words = tombstones.WordsToForget(texts=tuple(dict.fromkeys(texts)), sources=asked.raw, history=asked.history)
    sought, others = SoughtWords(words.texts), SoughtWords(_other_people(planning, asked.about) if asked.about else ())
    unread: list[WordPlace] = []
    changed = word_places(_workspace_files(opened, unread), sought, sources=asked.raw, others=others)
    places = [*changed, *unread, *_places_beside(opened, sought, sources=asked.raw)]
    history = HistoryFacts()
    if asked.history:
        here = (msgspec.structs.replace(one, left="", what="rewritten") for one in places if one.path[:5] == "git, ")
        places = [*(one for one in places if one.path[:5] != "git, "), *here]
        history = history_facts(opened.git.writable())
    return plan_forgetting(planning, words, places, history)


def plan_correction_of(opened: OpenWorkspace, planning: Planning, asked: CorrectRequest) -> PlanOutcome:
    """Plans to put what holds in the place of what a line says; `UsageError` without a line or a statement."""
    value = " ".join(asked.value.split())
    if len(asked.take) != 1 or not tokens(value):
        raise UsageError("which line, and what holds?", hint="memdeck correct PATH:LINE 'what holds' --why REASON")
    path, number, said = _line_at(opened, asked.take[0])
    correction = LineCorrection(
        path=path,
        number=number,
        line=said,
        value=value,
        why=" ".join(asked.why.split()),
        made=tuple(_said_by(opened, asked.take[0]))[1:],
        retold=tuple(_retold_by(opened, path, number)),
    )
    return plan_correction(planning, correction, _workspace_files(opened, []))


def _line_at(opened: OpenWorkspace, place: str) -> tuple[str, int, str]:
    path, _, number = place.rpartition(":")
    lines = split_lines(shown_text(opened.root.read(path))) if number.isdecimal() else []
    said = statement(lines[int(number) - 1]) if lines and 0 < int(number) <= len(lines) else ""
    if not tokens(said):
        raise UsageError("no line says anything there", where=place, hint="PATH:LINE, as in memory/2026-03-15.md:12")
    return path, int(number), said


def _said_by(opened: OpenWorkspace, place: str) -> Iterator[str]:
    """Yields what a line says, and what the lines say that were made from it (`memdeck tree life`)."""
    path, number, said = _line_at(opened, place)
    yield said
    stated = (rung for rung in _rungs(opened, path, number) if rung.link is RungLink.STATED)
    # Of an entry of a shard the insight is what was drawn from the line; title and context stand for themselves.
    lines = (one.text for rung in stated for one in rung.lines if rung.level != "semantic" or _INSIGHT in one.text)
    made = [statement(text) for text in lines]
    root = map(statement, split_lines(shown_text(opened.root.read_or_none(ROOT_PATH) or b"")))
    made += (text for text in root if _shortens(text, said))
    yield from (text for text in made if len(tokens(text)) >= _FEWEST)


def _at_address(opened: OpenWorkspace, planning: Planning, address: str) -> Iterator[str]:
    """Yields what all facts about a subject say, the replaced ones too, and what was made from their lines; the turn
    that said each as well. `UsageError` where there is none."""
    wanted, known = set(tokens(address)), facts_of(opened, planning.today, "")
    there = [one for one in known.entries if wanted and wanted == set(tokens(one.subject))]
    if not there:
        raise UsageError("no fact is about that", where=address, hint="memdeck facts lists what each is about")
    for one in there:
        yield from (one.text, *(old.text for old in (*one.replaced, *one.evidence)))
        places = [(one.path, one.line), (one.source.path, one.source.start) if one.source and one.proven else ("", 0)]
        for path, line in places:
            yield from _said_by(opened, f"{path}:{line}") if path and line else ()


def _shortens(text: str, said: str) -> bool:
    """Tells whether a text is another with words left out, as ROOT writes a line: most of its words, in their order."""
    whole = tokens(said)
    left, words = iter(whole), tokens(text)
    return len(words) >= _MOST_LEFT * len(whole) and all(word in left for word in words)


def _rungs(opened: OpenWorkspace, path: str, number: int) -> tuple[LifeRung, ...]:
    return TreeService(opened).life(path, number).rungs if path in opened.fresh(look=False).files else ()


def _retold_by(opened: OpenWorkspace, path: str, number: int) -> Iterator[str]:
    """Yields the nodes above a line in which a model may say it in other words: none of their lines states it."""
    for rung in _rungs(opened, path, number):
        if rung.link in (RungLink.WORDS, RungLink.PERIOD) and node_place(rung.path) is not None:
            method = Document.from_bytes(opened.root.read(rung.path)).frontmatter.values.get("summary", "")
            if str(method).startswith(MODELS):
                yield rung.path


def _other_people(planning: Planning, names: tuple[str, ...]) -> tuple[str, ...]:
    """Gives the names of the people who have a note, but for those who are asked about."""
    people = (path for path in planning.snapshot.files if path.startswith("knowledge/people/") and "/_" not in path)
    known = {path.rpartition("/")[2].removesuffix(".md").replace("-", " ") for path in people}
    asked = {" ".join(tokens(name)) for name in names}
    return tuple(sorted(name for name in known if " ".join(tokens(name)) not in asked and len(name) > 2))


def _workspace_files(opened: OpenWorkspace, unread: list[WordPlace]) -> Iterator[tuple[str, bytes]]:
    """Yields path and bytes of every file of the workspace; adds to `unread` those that cannot be read or written."""
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
    """The places beside the workspace's files: memdeck's state, the index, transcripts outside, git."""
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
    """Goes on with the forgetting that is under way, to its receipt; None where none is. Repeated after a crash it does
    what is left. A plan that was not applied leaves nothing to go on with."""
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
        left=tuple(_traces(opened, scan)),
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
    """Yields what is left in the workspace, the state, git and above, each with the reason where one is known."""
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


class ReceiptService:
    """Gives receipts, and checks them again."""

    def __init__(self, opened: OpenWorkspace) -> None:
        self._opened = opened

    def read(self, name: str = "") -> tombstones.Receipt:
        """Reads a receipt by its operation or its file, the newest where none is named; `UsageError` for none."""
        return tombstones.read_receipt(self._opened.state.path, name)

    def line_now(self, path: str, line: int, text: str = "") -> tuple[str, str]:
        """Finds a line of a note, as `PATH:LINE`, and what it says. One that reads as `text` did stands where it is
        nearest; where none does, or no path is given, the place is empty, and it says what the text said."""
        lines = split_lines(shown_text(self._opened.root.read_or_none(path) or b""))
        near = [at for at, one in enumerate(lines, 1) if at == line or (text and one == text)]
        same = [at for at in near if not text or text in (lines[at - 1], redact(lines[at - 1]))]
        at = min(same, key=lambda at: abs(at - line), default=0)
        said = statement(lines[at - 1] if at else text) if path else text
        if not tokens(said):
            raise UsageError("no line says anything there", where=f"{path}:{line}")
        return (f"{path}:{at}" if at else "", said)

    def check(self, receipt: tombstones.Receipt) -> tombstones.Receipt:
        """Scans again for the words of a receipt, which are known by their hashes alone."""
        opened = self._opened
        scan = Scan(tombstones.load_tombstones(opened.state.path).of(receipt.operation))
        with opened.lock:
            left = tuple(_traces(opened, scan))
        return msgspec.structs.replace(receipt, at=opened.real_clock(), left=left, looked=scan.looked)
