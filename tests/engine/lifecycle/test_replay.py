"""Replay: all transcripts read anew; what a person wrote stays, every entry is accounted for, a kill loses nothing."""

import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import UsageError
from engine.extraction import judge
from engine.extraction.entry import EntryGrade, EntryKind, ExtractedEntry, LocatedEntry
from engine.extraction.rows import PresentRow, PromotedRow
from engine.lifecycle.replay.comparison import Readings, TranscriptReading, compare
from engine.lifecycle.replay.figures import BlindAnswer, blind_pairs, blind_standing, replay_figures
from engine.lifecycle.requests import ReplayRequest
from engine.plans.operation import LIFETIME, Approval, Witness
from engine.plans.plan import Create, Plan, Replace, RiskTier
from engine.plans.planning import PlanRequest
from engine.services.engine import Engine
from engine.text.transcript_marks import Speaker
from engine.topics.messages import SessionTurn
from tests.engine.lifecycle.events import capture, end, said, start

AT = datetime(2026, 2, 16, 18, 46, tzinfo=UTC)
DECIDED = "We decided to keep everything in SQLite."
RULES = judge.judged_entries
MISSED = "Heliotrope opens the vault."


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "ws"
    folder.mkdir()
    capture(folder, start(), said(f"{DECIDED} I prefer bullet lists over prose."), said(MISSED), end())
    return folder


def better(turns: Sequence[SessionTurn]) -> Iterable[ExtractedEntry]:
    """An extractor that finds what the rules miss, and no preferences."""
    for turn in turns:
        for entry in RULES([turn]):
            if entry.kind is not EntryKind.PREFERENCE:
                yield entry
        if "Heliotrope" in turn.text:
            yield ExtractedEntry(kind=EntryKind.FACT, grade=EntryGrade.STATED, quote=turn.text, turn=turn)


def applied(console: Engine, plan: Plan | None) -> Plan:
    assert plan is not None
    now = console.real_now()
    yes = Approval(
        target=plan.digest,
        numbers=tuple(change.n for change in plan.changes),
        risk_tier=plan.risk_tier,
        answers=(),
        witness=Witness("/dev/pts/0", ("pytest(1)",), "tester", "terminal"),
        granted_at=now,
        expires_at=now + LIFETIME,
        nonce=plan.id,
    )
    console.plans.apply(plan, yes)
    return plan


def replay(console: Engine, name: str = "replay", workers: int = 1) -> Plan | None:
    return console.plans.make("replay", PlanRequest(ReplayRequest(name, workers))).plan


def plant(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judge, "judged_entries", better)
    monkeypatch.setattr(judge, "VERSION", "planted-2")


def texts(plan: Plan) -> dict[str, str]:
    return {one.path: one.content for one in plan.changes if isinstance(one, Create | Replace)}


# ── the plan ────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_replay_by_the_same_extractor_finds_what_is_there(workspace: Path) -> None:
    with Engine.open(workspace) as console:
        applied(console, console.plans.make("extract").plan)
        outcome = console.plans.make("replay")
    assert outcome.plan is None and outcome.reason_no_action == "the replay finds what is there"
    assert outcome.facts["entries"]["before"] == outcome.facts["entries"]["kept"] == 2


def test_d47_a_better_extractor_shows_its_gain_and_takes_out_only_its_own(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Engine.open(workspace) as console:
        applied(console, console.plans.make("extract").plan)
        plant(monkeypatch)
        plan = replay(console)
        assert plan is not None and plan.risk_tier is RiskTier.C and plan.system == "replay"
        entries = plan.facts["entries"]
        assert (entries["before"], entries["kept"], entries["left_out"], entries["new"]) == (2, 1, 1, 1)
        assert MISSED in "".join(texts(plan).values())
        assert "prefer bullet lists" not in texts(plan)["knowledge/identity/USER.md"]
        (gate,) = [one for one in plan.gates if one.id == "account"]
        assert gate.passed and gate.detail == "2 rows = 1 kept + 1 omitted + 0 of yours"
        applied(console, plan)
        assert replay(console) is None
    assert MISSED in (workspace / "knowledge/reference/facts.md").read_text("utf-8")


def test_d47_what_a_person_edited_or_wrote_stays_byte_for_byte(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Engine.open(workspace) as console:
        applied(console, console.plans.make("extract").plan)
        file = workspace / "knowledge/identity/USER.md"
        edited = file.read_text("utf-8").replace("over prose.", "over prose, always.") + "\n- mine, by hand\n"
        file.write_text(edited, "utf-8")
        plant(monkeypatch)
        plan = replay(console)
    assert plan is not None and "knowledge/identity/USER.md" not in texts(plan)
    assert plan.facts["entries"]["yours"] == 1 and plan.facts["entries"]["left_out"] == 0


def test_what_a_person_removed_stays_out(workspace: Path) -> None:
    with Engine.open(workspace) as console:
        applied(console, console.plans.make("extract").plan)
        file = workspace / "knowledge/identity/USER.md"
        file.write_text("".join(line for line in file.read_text("utf-8").splitlines(True) if "x:" not in line), "utf-8")
        outcome = console.plans.make("replay")
    assert outcome.plan is None and outcome.facts["entries"]["removed_by_you"] == 1


def test_a_transcript_that_changed_is_read_again(workspace: Path) -> None:
    with Engine.open(workspace) as console:
        assert replay(console, "one") is not None
        (file,) = (workspace / "raw/conversations").rglob("*.md")
        text = file.read_text("utf-8")
        file.write_text(text.replace(DECIDED, "We decided to move everything to Postgres."), "utf-8")
        plan = replay(console, "one")
    assert plan is not None and "Postgres" in "".join(texts(plan).values())
    assert "SQLite" not in "".join(texts(plan).values())


@pytest.mark.parametrize("name", ["", "../x", "a/b", ".hidden", "x" * 41, "a\nb"])
def test_a_name_that_is_no_file_is_refused(workspace: Path, name: str) -> None:
    with Engine.open(workspace) as console, pytest.raises(UsageError):
        replay(console, name)


# ── reading on several processes, and after a kill ──────────────────────────────────────────────────────────────────


def test_two_processes_read_what_one_reads(workspace: Path) -> None:
    for number in range(20):
        capture(workspace, start(f"s{number}"), said(f"We decided to buy the mill number {number}."), end())
    with Engine.open(workspace) as console:
        one, two = replay(console, "one"), replay(console, "two", workers=2)
        assert one is not None and two is not None
        assert texts(one) == texts(two) and one.facts["entries"] == two.facts["entries"]


KILLED = """
import sys, time
from pathlib import Path
from engine.extraction import judge
from engine.lifecycle.requests import ReplayRequest
from engine.plans.planning import PlanRequest
from engine.services.engine import Engine
find = judge.judged_entries
def slow(turns):
    time.sleep(0.02)
    return find(turns)
judge.judged_entries = slow
with Engine.open(Path(sys.argv[1])) as console:
    console.plans.make("replay", PlanRequest(ReplayRequest("r", 1)))
"""


@pytest.mark.sampled(2)
def test_d28_after_a_kill_a_replay_goes_on_where_it_was(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(60):
        capture(workspace, start(f"s{number}"), said(f"We decided to buy the mill number {number}."), end())
    process = subprocess.Popen([sys.executable, "-c", KILLED, str(workspace)])
    with Engine.open(workspace) as console:
        file = console.plans._opened.state.replay("r")
        deadline = time.monotonic() + 60
        while not (file.exists() and file.stat().st_size) and time.monotonic() < deadline:
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
        process.wait()
        before = Readings(file).known(judge.VERSION)
        with file.open("ab") as half:
            half.write(b'\n{"path": "raw/conv')
        read: list[str] = []
        find = judge.judged_entries

        def counted(turns: Sequence[SessionTurn]) -> Iterable[ExtractedEntry]:
            read.extend({turn.source for turn in turns})
            return find(turns)

        monkeypatch.setattr(judge, "judged_entries", counted)
        plan = replay(console, "r")
    assert 0 < len(before) < 61 and len(read) == 61 - len(before)
    assert plan is not None and sum("mill number" in row for row in "".join(texts(plan).values()).splitlines()) == 60


def test_a_damaged_line_of_the_cache_is_read_anew(tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl"
    kept = Readings(file)
    kept.add([TranscriptReading("a.md", "1", "v", ())])
    with file.open("ab") as half:
        half.write(b"\n\xff\xfe{]\n[[[[[")
    kept.add([TranscriptReading("b.md", "2", "v", ()), TranscriptReading("b.md", "2", "w", ())])
    assert set(kept.known("v")) == {("a.md", "1"), ("b.md", "2")}


# ── the account, for any rows ───────────────────────────────────────────────────────────────────────────────────────


def entry(name: str) -> LocatedEntry:
    turn = SessionTurn(source="t.md", line=1, session="s", role=Speaker.USER, text="", said_at=AT)
    made = ExtractedEntry(kind=EntryKind.FACT, grade=EntryGrade.STATED, quote=name, turn=turn)
    return LocatedEntry(made, 2)


NAMES = [f"fact {n}" for n in range(6)]
IDS = {name: entry(name).entry.id for name in NAMES}


@given(
    st.frozensets(st.sampled_from(NAMES)),
    st.frozensets(st.sampled_from(NAMES)),
    st.frozensets(st.sampled_from(NAMES)),
    st.frozensets(st.sampled_from(NAMES)),
)
def test_every_entry_is_kept_left_out_or_a_persons(
    there: frozenset[str], promoted: frozenset[str], edited: frozenset[str], finds: frozenset[str]
) -> None:
    present = {IDS[name]: PresentRow("k.md", 1, f"{name}!" if name in edited else name) for name in there}
    known = {IDS[name]: PromotedRow(name, "t.md") for name in promoted}
    reading = TranscriptReading("t.md", "1", "v", tuple(map(entry, sorted(finds))))
    found = compare(present, (), known, [reading])
    assert set(found.kept) | set(found.lost) | set(found.edited) == set(present)
    assert found.rows == len(present)
    assert set(found.lost) == {IDS[name] for name in (there & promoted) - edited - finds}
    assert set(found.new) == {IDS[name] for name in finds - there - promoted}
    assert found.removed == {IDS[name] for name in (promoted & finds) - there}


# ── the blind comparison ────────────────────────────────────────────────────────────────────────────────────────────


def test_the_blind_comparison_says_no_side_and_counts_the_wins(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(7):
        words = f"We decided to paint room {number} blue.", f"Heliotrope opens room {number}."
        capture(workspace, start(f"s{number}"), *map(said, words if number else words[1:]), end())
    with Engine.open(workspace) as console:
        applied(console, console.plans.make("extract").plan)
        plant(monkeypatch)
        plan = replay(console)
        assert plan is not None
        pairs = console.replays.pairs(plan.id)
        assert console.queue.newest("replay") == plan.id and pairs
        for pair in pairs:
            after = pair.one if pair.swapped else pair.two
            answer = BlindAnswer.ONE if pair.swapped else BlindAnswer.TWO
            assert any("Heliotrope" in row for row in after)
            console.replays.answer(plan.id, pair.session, answer)
        standing = console.replays.standing(plan.id)
        assert all(pair.one and pair.two for pair in pairs), "an empty side would say whose it is"
        assert (len(pairs), standing.one_sided) == (7, 1)
        assert standing.after == standing.pairs == len(pairs) and standing.rate == 1.0
        assert 0.0 < standing.low < 1.0 == standing.high
        with pytest.raises(UsageError):
            console.replays.answer(plan.id, "raw/conversations/none.md", BlindAnswer.TIE)
        assert {one.swapped for one in blind_pairs(plan)} <= {True, False}


def test_a_tie_and_neither_decide_nothing(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Engine.open(workspace) as console:
        applied(console, console.plans.make("extract").plan)
        plant(monkeypatch)
        plan = replay(console)
    assert plan is not None
    (pair,) = blind_pairs(plan)
    for answers in ({}, {pair.session: BlindAnswer.TIE}, {pair.session: BlindAnswer.NEITHER}):
        standing = blind_standing(plan, answers)
        assert (standing.rate, standing.low, standing.high) == (0.5, 0.0, 1.0)


# ── the comparison in figures ───────────────────────────────────────────────────────────────────────────────────────


def test_the_figures_add_up_and_count_the_probes_before_and_after(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Engine.open(workspace) as console:
        applied(console, console.plans.make("extract").plan)
        plant(monkeypatch)
        plan = replay(console)
        assert plan is not None
        found = console.replays.figures(plan.id)
    assert (found.before, found.kept, found.changed, found.lost, found.yours, found.new) == (2, 1, 0, 1, 0, 1)
    assert found.before == found.kept + found.changed + found.lost + found.yours
    assert (found.files_added, found.files_changed) == (1, 1) and found.extractor == "planted-2"
    assert (found.calls, found.usd, found.inferred_share, found.branch, found.probes) == (0, 0.0, 0.0, "", 0)


def test_an_entry_of_another_kind_in_the_same_line_is_changed(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def other(turns: Sequence[SessionTurn]) -> Iterable[ExtractedEntry]:
        for entry in RULES(turns):
            kind = EntryKind.FACT if entry.kind is EntryKind.PREFERENCE else entry.kind
            yield msgspec.structs.replace(entry, kind=kind)

    with Engine.open(workspace) as console:
        applied(console, console.plans.make("extract").plan)
        monkeypatch.setattr(judge, "judged_entries", other)
        monkeypatch.setattr(judge, "VERSION", "planted-3")
        plan = replay(console)
        assert plan is not None
        found = console.replays.figures(plan.id)
    assert (found.kept, found.changed, found.lost, found.new) == (1, 1, 0, 0)
    noted = [{"outcome": one} for one in ("kept", "kept", "lost", "gained", "unmet", "unknown")]
    probed = replay_figures(msgspec.structs.replace(plan, facts={**plan.facts, "probes": noted}))
    assert (probed.probes, probed.probes_before, probed.probes_after) == (5, 3, 3)
