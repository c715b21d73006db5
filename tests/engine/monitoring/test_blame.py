"""Blame: who wrote each line, from operations, tool calls and commits; nobody's name is ever taken from git."""

import random
from datetime import UTC, datetime, timedelta

import msgspec

from engine.history.repository_history import Commit
from engine.monitoring.recall.blame import OriginKind, blame
from engine.monitoring.recall.timeline import Teller, Timeline, Version
from engine.sessions.written_files import FileEdit

START = datetime(2026, 3, 1, tzinfo=UTC)
PATH = "memory/a.md"


def at(minutes: float) -> datetime:
    return START + timedelta(minutes=minutes)


def version(minutes: float, teller: Teller, text: str | None, ref: str = "", *, made: bool = False) -> Version:
    data = text.encode() if text is not None else None
    return Version(path=PATH, at=at(minutes), teller=teller, data=data, ref=ref, made=made)


def edit(minutes: float, turn: int, new: str, old: str | None = None) -> FileEdit:
    return FileEdit(path=PATH, old=old, new=new, at=at(minutes), session="s", turn=turn)


def told(versions: list[Version], edits: list[FileEdit]) -> list[tuple[str, str, int]]:
    lines = blame(Timeline(PATH, tuple(versions), ()), edits).lines
    return [(line.text, line.origin.kind.value, line.origin.turn or 0) for line in lines]


def test_a_line_belongs_to_the_operation_the_turn_the_commit_or_to_nobody() -> None:
    versions = [
        version(1, Teller.GIT, "a\n", "c1"),
        version(2, Teller.OPERATION, "a\nmet\n", "o1"),
        version(2, Teller.OPERATION, "a\nmet\nmade\n", "o1", made=True),
        version(9, Teller.NOW, "a\nmet\nmade\nsaid\nwho\n"),
    ]
    calls = [edit(5, 7, "made\nsaid\n", "made\n"), edit(6, 8, "never there", "nowhere")]
    assert told(versions, calls) == [
        ("a", "commit", 0),
        ("met", "unknown", 0),
        ("made", "operation", 0),
        ("said", "turn", 7),
        ("who", "unknown", 0),
    ]
    unknown = blame(Timeline(PATH, tuple(versions), ()), calls).lines[4].origin
    assert (unknown.since, unknown.until) == (at(2), at(9))


def test_a_call_counts_only_where_the_file_agrees_with_it() -> None:
    versions = [version(1, Teller.GIT, "a\n", "c1"), version(9, Teller.NOW, "a\nb\n")]
    assert told(versions, [edit(5, 3, "a\nforged\n"), edit(20, 4, "a\nb\n")]) == [
        ("a", "commit", 0),
        ("b", "unknown", 0),
    ]


def test_the_first_version_may_come_from_a_turn_and_a_line_written_anew_from_the_later_one() -> None:
    versions = [version(3, Teller.GIT, "a\nb\n", "c1"), version(9, Teller.NOW, "a\nc\nb\n")]
    calls = [edit(1, 1, "a\nb\nc\n"), edit(2, 2, "a\nb\n"), edit(5, 5, "a\nc\n", "a\n")]
    assert told(versions, calls) == [("a", "turn", 1), ("c", "turn", 5), ("b", "turn", 1)]


def test_a_file_that_was_gone_for_a_while_begins_anew() -> None:
    versions = [
        version(1, Teller.GIT, "a\n", "c1"),
        version(2, Teller.GIT, None, "c2"),
        version(3, Teller.GIT, "a\n", "c3"),
    ]
    assert [line.origin.ref for line in blame(Timeline(PATH, tuple(versions), ()), ()).lines] == ["c3"]


def test_line_ends_are_no_change_whoever_names_them() -> None:
    versions = [version(1, Teller.GIT, "a\r\nb\r\n", "c1"), version(9, Teller.NOW, "a\r\nnew\r\nb\r\n")]
    assert told(versions, [edit(5, 5, "a\nnew\nb\n", "a\nb\n")]) == [
        ("a\r", "commit", 0),
        ("new\r", "turn", 5),
        ("b\r", "commit", 0),
    ]
    assert told([versions[0], version(9, Teller.NOW, "a\nb\n")], []) == [("a", "commit", 0), ("b", "commit", 0)]


def test_where_git_tells_nothing_older_a_line_is_of_before() -> None:
    """The first commit of a shallow clone brought nothing of what it holds."""
    oldest = msgspec.structs.replace(version(1, Teller.GIT, "a\n", "c1"), oldest=True)
    first, second = blame(Timeline(PATH, (oldest, version(2, Teller.GIT, "a\nb\n", "c2")), ()), ()).lines
    assert (first.origin.kind, first.origin.since, first.origin.until) == (OriginKind.UNKNOWN, None, at(1))
    assert second.origin.ref == "c2"


def test_what_a_merge_brought_is_of_the_commit_on_the_other_branch() -> None:
    merge = msgspec.structs.replace(version(3, Teller.GIT, "a\nside\nmerged\n", "m"), merge=True)
    versions = (version(1, Teller.GIT, "a\n", "c1"), merge, version(9, Teller.NOW, "top\na\nside\nmerged\n"))
    commits = [Commit(ref, at(2), "") for ref in ("c1", "side", "m")]
    known = Timeline(PATH, versions, ())
    assert [line.origin.ref for line in blame(known, (), lambda *_: commits).lines] == ["", "c1", "side", "m"]
    assert [line.origin.ref for line in blame(known, (), lambda *_: ()).lines] == ["", "c1", "m", "m"]


class History:
    """A file that an agent, a person and memdeck edit in turn; it knows who wrote each line."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.lines: list[tuple[str, str]] = []
        self.versions: list[Version] = []
        self.edits: list[FileEdit] = []
        self.minute = 0.0

    @property
    def text(self) -> str:
        return "".join(f"{line}\n" for line, _ in self.lines)

    def step(self, number: int) -> None:
        self.minute += 1
        match self.rng.choices(("agent", "person", "memdeck", "commit"), (6, 1, 1, 2))[0]:
            case "agent":
                self.agent(number)
            case "person":
                self.add(f"person {number}", "person")
            case "memdeck":
                self.versions.append(version(self.minute, Teller.OPERATION, self.text, f"o{number}"))
                self.add(f"operation {number}", f"o{number}")
                self.versions.append(version(self.minute, Teller.OPERATION, self.text, f"o{number}", made=True))
            case _:
                self.versions.append(version(self.minute, Teller.GIT, self.text, f"c{number}"))

    def agent(self, number: int) -> None:
        """One Write or Edit call. Some lines are blank or the same as others, as in real notes."""
        before = self.text
        if self.lines and self.rng.random() < 0.3:
            self.change(number, before)
            return
        words = self.rng.choice((f"agent {number}", f"agent {number}", f"agent {number}", "", "- same"))
        place = self.add(words, str(number))
        if self.rng.random() < 0.4 or not place:
            self.call(number, self.text, None)
            return
        old = f"{self.lines[place - 1][0]}\n"
        if before.count(old) == 1:
            self.call(number, f"{old}{words}\n", old)
        else:
            self.call(number, self.text, None)

    def change(self, number: int, before: str) -> None:
        """Some lines become others, a word of a line another, a word everywhere, or a line moves."""
        first = self.rng.randrange(len(self.lines))
        last = min(len(self.lines), first + self.rng.randint(1, 4))
        match self.rng.choice(("lines", "word", "everywhere", "move", "fails")):
            case "lines":
                old = "\n".join(line for line, _ in self.lines[first:last])
                self.lines[first:last] = [(f"lines {number} {n}", str(number)) for n in range(self.rng.randint(1, 4))]
                new = "\n".join(line for line, who in self.lines if who == str(number))
                self.call(number, new, old) if old and before.count(old) == 1 else self.call(number, self.text, None)
            case "word":
                self.lines[first] = (f"{self.lines[first][0]} word {number}".strip(), str(number))
                self.call(number, self.text, None)
            case "everywhere":
                self.lines = [
                    (line.replace("agent", "the agent"), str(number) if "agent" in line else who)
                    for line, who in self.lines
                ]
                self.call(number, "the agent", "agent", everywhere=True)
            case "move":
                self.lines.insert(self.rng.randrange(len(self.lines)), (self.lines.pop(first)[0], str(number)))
                self.call(number, self.text, None)
            case _:
                self.call(number, "failed", "a text that is not there")

    def call(self, number: int, new: str, old: str | None, *, everywhere: bool = False) -> None:
        when = at(self.minute)
        self.edits.append(
            FileEdit(path=PATH, old=old, new=new, at=when, session="s", turn=number, everywhere=everywhere)
        )

    def add(self, line: str, who: str) -> int:
        if self.lines and self.rng.random() < 0.15:
            del self.lines[self.rng.randrange(len(self.lines))]
        place = self.rng.randint(0, len(self.lines))
        self.lines.insert(place, (line, who))
        return place


def right(kind: OriginKind, ref: str, turn: int, writers: set[str]) -> bool:
    """Tells whether one of those who wrote a line is named."""
    return (kind is OriginKind.OPERATION and ref in writers) or (kind is OriginKind.TURN and str(turn) in writers)


def writers(lines: list[tuple[str, str]], index: int) -> set[str]:
    """Who wrote a line; of equal lines in a row nobody can tell which is whose."""
    first = last = index
    while first and lines[first - 1][0] == lines[index][0]:
        first -= 1
    while last + 1 < len(lines) and lines[last + 1][0] == lines[index][0]:
        last += 1
    return {who for _, who in lines[first : last + 1]}


def test_of_500_edits_at_least_95_percent_are_given_to_whoever_made_them_and_none_to_a_person() -> None:
    """A person's own line that the agent then wrote again with the whole file counts as the agent's: nobody saw it."""
    hits = []
    for seed in range(4):
        history = History(seed)
        for number in range(1, 501):
            history.step(number)
        history.versions.append(version(history.minute + 1, Teller.NOW, history.text))
        lines = blame(Timeline(PATH, tuple(history.versions), ()), history.edits).lines
        for index, (line, (text, who)) in enumerate(zip(lines, history.lines, strict=True)):
            assert line.text == text
            if who == "person":
                assert line.origin.kind is not OriginKind.OPERATION
            else:
                named = line.origin
                hits.append(right(named.kind, named.ref, named.turn, writers(history.lines, index)))
    assert len(hits) > 900
    assert sum(hits) / len(hits) >= 0.95
