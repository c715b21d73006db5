"""The audit log (decision G21, promise B7): whatever is done to it is found, and a healthy one raises no alarm."""

import functools
import os
import threading
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import Damaged
from engine.plans.operation import ChainHead
from engine.plans.records import audit, chain
from engine.plans.records.audit import AuditLog
from engine.plans.records.chain import GENESIS, problems
from tests.turn import examples

AT = datetime(2026, 3, 15, 3, 0, tzinfo=UTC)


def write_log(folder: Path, count: int) -> AuditLog:
    log = AuditLog(folder / "audit.jsonl")
    for i in range(count):
        log.append("intent" if i % 2 else "result", AT + timedelta(seconds=i), {"n": i, "path": f"memory/ä{i}.md"})
    return log


def is_found(data: bytes, anchors: Sequence[ChainHead] = (), after: ChainHead = GENESIS) -> bool:
    return next(problems(data, anchors, after), None) is not None


@pytest.fixture(scope="module")
def healthy(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, ChainHead]:
    log = write_log(tmp_path_factory.mktemp("log"), 40)
    return log.path.read_bytes(), log.head()


@pytest.fixture(autouse=True)
def remember_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """Campaigns verify nearly the same log thousands of times: each distinct line is parsed once."""
    monkeypatch.setattr(chain, "parse", functools.cache(chain.parse))


def test_g21_healthy_log_has_no_findings(tmp_path: Path) -> None:
    log = AuditLog(tmp_path / "audit.jsonl")
    assert log.head() == GENESIS
    assert log.verify() == ()
    heads = [log.append("plan", AT, {"text": text}) for text in ("", "a\nb", "\x1b[31m", "日本", '"nonce":"x"')]
    assert [head.seq for head in heads] == [1, 2, 3, 4, 5]
    assert log.verify(heads) == ()
    assert AuditLog(log.path).verify(heads) == ()
    assert [record.data["text"] for record in log.records()][1] == "a\nb"
    assert log.path.stat().st_mode & 0o777 == 0o600


@pytest.mark.sampled(4)
def test_g21_every_flipped_byte_is_found(healthy: tuple[bytes, ChainHead]) -> None:
    data, _ = healthy
    missed = []
    for at in range(len(data)):
        for mask in (0x01, 0x20, 0xFF):
            flipped = bytearray(data)
            flipped[at] ^= mask
            if not is_found(bytes(flipped)):
                missed.append((at, mask))
    assert missed == []


def test_g21_every_cut_is_found_with_the_head_kept_elsewhere(healthy: tuple[bytes, ChainHead]) -> None:
    data, head = healthy
    assert not is_found(data, [head])
    assert [size for size in range(len(data)) if not is_found(data[:size], [head])] == []


def test_g21_dropped_swapped_doubled_and_inserted_records_are_found(healthy: tuple[bytes, ChainHead]) -> None:
    data, head = healthy
    rows = data.splitlines(keepends=True)
    stranger, _ = chain.seal(7, AT, "intent", {"n": 6}, "0" * 64)
    for i, row in enumerate(rows):
        dropped = rows[:i] + rows[i + 1 :]
        doubled = [*rows[:i], row, *rows[i:]]
        for changed in (dropped, doubled, [*rows[:i], stranger, *rows[i:]], [*rows[:i], b"\n", *rows[i:]]):
            assert is_found(b"".join(changed), [head]), i
        for j in range(i + 1, len(rows)):
            swapped = rows.copy()
            swapped[i], swapped[j] = rows[j], rows[i]
            assert is_found(b"".join(swapped), [head]), (i, j)


def test_g21_a_record_rewritten_with_a_right_hash_breaks_the_chain(healthy: tuple[bytes, ChainHead]) -> None:
    data, head = healthy
    rows = data.splitlines(keepends=True)
    for i, row in enumerate(rows):
        record = chain.parse(row[:-1])
        assert record is not None
        forged, _ = chain.seal(record.seq, record.at, record.kind, {"n": 999}, record.prev)
        assert is_found(b"".join([*rows[:i], forged, *rows[i + 1 :]]), [head]), i


def test_g21_another_spelling_of_the_same_record_is_found(healthy: tuple[bytes, ChainHead]) -> None:
    data, _ = healthy
    first, rest = data.split(b"\n", 1)
    for spelling in (
        first.replace(b'"n":0', b'"n": 0'),
        first + b" ",
        first + b"\r",
        first.replace(b"/\xc3\xa4", rb"/\u00e4"),
    ):
        assert spelling != first
        assert is_found(spelling + b"\n" + rest)


def test_the_head_beside_the_log_finds_a_cut_without_any_operation(tmp_path: Path) -> None:
    log = write_log(tmp_path, 3)
    rows = log.path.read_bytes().splitlines(keepends=True)
    log.path.write_bytes(b"".join(rows[:2]))
    assert [finding.id for finding in AuditLog(log.path).verify()] == ["audit_cut"]
    log.path.unlink()
    assert [finding.id for finding in AuditLog(log.path).verify()] == ["audit_cut"]


@pytest.mark.parametrize("odd", ["folder", "fifo", "link", "device"])
def test_what_is_no_file_in_place_of_the_log_is_named_with_its_path_and_what_to_do(tmp_path: Path, odd: str) -> None:
    log = AuditLog(tmp_path / "audit.jsonl")
    placed: dict[str, Callable[[], object]] = {
        "folder": log.path.mkdir,
        "fifo": lambda: os.mkfifo(log.path),
        "link": lambda: log.path.symlink_to(tmp_path / "elsewhere"),
        "device": lambda: log.path.symlink_to("/dev/zero"),
    }
    placed[odd]()
    calls: list[Callable[[], object]] = [
        log.head, log.identity, log.records, lambda: log.records(limit=3), log.verify, log.spent_nonces,
        lambda: log.append("plan", AT, {}), lambda: log.name_torn(AT),
    ]  # fmt: skip
    for call in calls:
        with pytest.raises(Damaged) as raised:
            call()
        assert raised.value.where == str(log.path) and "move it away" in raised.value.hint
    assert not (tmp_path / "elsewhere").exists()


def test_a_folder_in_place_of_the_head_beside_the_log_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "audit.head").mkdir()
    log = write_log(tmp_path, 3)
    assert AuditLog(log.path).head().seq == 3 and log.verify() == ()


def test_a_cut_log_is_not_healed_by_going_on(tmp_path: Path) -> None:
    log = write_log(tmp_path, 5)
    rows = log.path.read_bytes().splitlines(keepends=True)
    log.path.write_bytes(b"".join(rows[:3]) + rows[3][:20])
    again = AuditLog(log.path)
    again.name_torn(AT)
    assert again.append("plan", AT, {}).seq > 5
    assert {finding.id for finding in again.verify()} >= {"audit_chain"}


@pytest.mark.parametrize("missing", ["all", "half", "newline"])
def test_g21_a_torn_record_is_named_and_nothing_is_cut_off(tmp_path: Path, missing: str) -> None:
    log = write_log(tmp_path, 3)
    whole = log.path.read_bytes()
    torn, _ = chain.seal(4, AT, "intent", {"n": 3}, log.head().hash)
    torn = {"all": torn[:1], "half": torn[:60], "newline": torn[:-1]}[missing]
    with log.path.open("ab") as file:
        file.write(torn)
    again = AuditLog(log.path)
    assert len(again.verify()) == 1
    named = again.name_torn(AT)
    assert len(named) == (missing != "newline")
    assert again.verify() == ()
    again.append("plan", AT, {})
    assert again.verify() == ()
    assert again.name_torn(AT) == ()
    assert log.path.read_bytes().startswith(whole + torn + b"\n")
    for at in range(len(whole), len(whole) + len(torn) + 1):
        flipped = bytearray(log.path.read_bytes())
        flipped[at] ^= 0x04
        assert is_found(bytes(flipped)), at


def test_g21_appending_after_a_torn_record_starts_a_new_line(tmp_path: Path) -> None:
    log = write_log(tmp_path, 2)
    with log.path.open("ab") as file:
        file.write(b'{"at":"2026')
    again = AuditLog(log.path)
    assert again.append("plan", AT, {}).seq == 3
    assert [finding.id for finding in again.verify()] == ["audit_damaged"]
    assert [record.data["length"] for record in again.name_torn(AT)] == [11]
    assert again.verify() == ()


def test_a_crash_while_naming_is_named_too(tmp_path: Path) -> None:
    log = write_log(tmp_path, 2)
    with log.path.open("ab") as file:
        file.write(b'{"at":"2026\n{"at"')
    assert len(AuditLog(log.path).name_torn(AT)) == 2
    assert AuditLog(log.path).verify() == ()


def test_g21_recover_never_names_an_altered_record_as_torn(tmp_path: Path) -> None:
    log = write_log(tmp_path, 6)
    whole = log.path.read_bytes()
    starts = [0, *(i + 1 for i, byte in enumerate(whole) if byte == 0x0A)][:-1]
    for start in starts:
        for at in range(start, start + 40, 3):
            flipped = bytearray(whole)
            flipped[at] ^= 0x01
            log.path.write_bytes(bytes(flipped))
            again = AuditLog(log.path)
            again.name_torn(AT)
            assert again.verify() != (), at


def test_a_torn_claim_about_nothing_is_found(tmp_path: Path) -> None:
    line, _ = chain.seal(1, AT, "torn", {"offset": 0, "length": 4, "sha256": "x"}, GENESIS.hash)
    assert is_found(line)
    line, _ = chain.seal(1, AT, "torn", {}, GENESIS.hash)
    assert is_found(line)
    with pytest.raises(ValueError, match="name_torn"):
        AuditLog(tmp_path / "audit.jsonl").append("torn", AT, {})


@settings(max_examples=examples(60), deadline=None)
@given(st.binary(max_size=300), st.integers(0, 10_000))
def test_random_bytes_anywhere_are_found_and_never_crash(
    healthy: tuple[bytes, ChainHead], junk: bytes, at: int
) -> None:
    data, head = healthy
    at %= len(data)
    for changed in (data[:at] + junk + data[at:], data[:at] + junk + data[at + len(junk) :]):
        assert is_found(changed, [head]) == (changed != data)


def test_two_processes_append_without_tearing_or_forking_the_chain(tmp_path: Path) -> None:
    def run(name: str) -> None:
        log = AuditLog(tmp_path / "audit.jsonl")
        for i in range(30):
            log.append(name, AT, {"i": i})

    threads = [threading.Thread(target=run, args=(name,)) for name in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    log = AuditLog(tmp_path / "audit.jsonl")
    assert log.head().seq == 90
    assert log.verify() == ()


def test_reading_while_another_appends_never_sees_half_a_record(tmp_path: Path) -> None:
    log = AuditLog(tmp_path / "audit.jsonl")
    log.append("intent", AT, {"text": "x" * 50_000})
    done = threading.Event()

    def write() -> None:
        mine = AuditLog(log.path)
        for _ in range(40):
            mine.append("intent", AT, {"text": "x" * 50_000})
        done.set()

    thread = threading.Thread(target=write)
    thread.start()
    while not done.is_set():
        assert log.verify() == ()
    thread.join()


def test_g11_nonces_count_as_spent_however_deep_and_also_in_damaged_lines(tmp_path: Path) -> None:
    log = AuditLog(tmp_path / "audit.jsonl")
    assert "aa" not in log.spent_nonces()
    log.append("intent", AT, {"approval": {"nonce": "aa"}})
    log.append("intent", AT, {"nonce": "bb", "note": 'text says "nonce":"cc"'})
    assert log.spent_nonces() == {"aa", "bb"}
    log.append("intent", AT, {"nonce": "dd"})
    assert "dd" in log.spent_nonces()
    log.path.write_bytes(log.path.read_bytes().replace(b'"kind":"intent"', b'"kind":"intend"'))
    assert AuditLog(log.path).spent_nonces() == {"aa", "bb", "dd"}


def test_newest_records_come_oldest_first_and_other_zones_keep_their_offset(tmp_path: Path) -> None:
    log = write_log(tmp_path, 10)
    assert [record.seq for record in log.records(limit=3)] == [8, 9, 10]
    zone = timezone(timedelta(hours=9))
    log.append("plan", AT.astimezone(zone), {})
    assert log.records(limit=1)[0].at.utcoffset() == timedelta(hours=9)
    with pytest.raises(ValueError, match="offset"):
        log.append("plan", AT.replace(tzinfo=None), {})


def test_appending_does_not_read_the_log_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = write_log(tmp_path, 3)
    read: list[int] = []
    pread = os.pread

    def counted(fd: int, size: int, offset: int) -> bytes:
        read.append(size)
        return pread(fd, size, offset)

    monkeypatch.setattr(os, "pread", counted)
    log.append("plan", AT, {})
    assert read == [1]


@pytest.mark.soak
def test_b7_a_thousand_records_flip_every_byte_and_cut_at_every_length(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each change is looked for in its own record and the next, after the ones before: what is found there counts.

    Reading the whole log for each would take an hour; every 499th change is found in the whole log as well.
    """
    monkeypatch.undo()
    rows, heads = rows_of(write_log(tmp_path, 1000))
    whole = b"".join(rows)
    start = 0
    for row, following, before in zip(rows, [*rows[1:], b""], heads, strict=False):
        for at in range(len(row)):
            changed = bytearray(row)
            changed[at] ^= 1 << ((start + at) % 8)
            assert is_found(bytes(changed) + following, after=before), start + at
            assert is_found(row[:at], heads[-1:], after=before), start + at
            if (start + at) % 499 == 0:
                assert is_found(whole[:start] + bytes(changed) + whole[start + len(row) :]), start + at
                assert is_found(whole[: start + at], heads[-1:]), start + at
        start += len(row)
    assert start == len(whole) and not is_found(whole, heads)


@pytest.mark.soak
def test_b7_a_thousand_records_drop_double_and_swap_each(tmp_path: Path) -> None:
    rows, heads = rows_of(write_log(tmp_path, 1000))
    for i, row in enumerate(rows):
        assert is_found(b"".join(rows[:i] + rows[i + 1 :]), heads[-1:]), i
        assert is_found(b"".join([*rows[:i], row, *rows[i:]])), i
        if i:
            assert is_found(b"".join([*rows[: i - 1], row, rows[i - 1], *rows[i + 1 :]])), i


def test_the_rest_of_a_log_is_judged_after_the_record_before_it(healthy: tuple[bytes, ChainHead]) -> None:
    data, head = healthy
    rows = data.splitlines(keepends=True)
    heads = [GENESIS, *(record.head for row in rows if (record := chain.parse(row[:-1])) is not None)]
    for i, before in enumerate(heads):
        assert not is_found(b"".join(rows[i:]), [head] if i < len(rows) else [], after=before)
        assert is_found(b"".join(rows[i:]), after=ChainHead(before.seq, "f" * 64)) == (i < len(rows))


def rows_of(log: AuditLog) -> tuple[list[bytes], list[ChainHead]]:
    """The lines of a log, and the head before each and after the last."""
    return log.path.read_bytes().splitlines(keepends=True), [GENESIS, *(record.head for record in log.records())]


def test_the_record_is_plain_json_lines(tmp_path: Path) -> None:
    log = write_log(tmp_path, 2)
    keys = [list(msgspec.json.decode(row)) for row in log.path.read_bytes().splitlines()]
    assert keys == [["at", "data", "hash", "kind", "prev", "seq"]] * 2


def test_a_torn_record_and_an_altered_one_are_told_apart(tmp_path: Path) -> None:
    whole = write_log(tmp_path, 1).path.read_bytes()
    (torn,) = problems(whole[:40])
    (altered, *_) = problems(whole.replace(b'"n":0', b'"n":9'))
    assert "incomplete" in str(torn) and "recover" in str(torn) and "altered" in str(altered)


def test_the_first_record_is_found_again_once_it_is_written(tmp_path: Path) -> None:
    log = write_log(tmp_path, 1)
    with log.path.open("rb") as file:
        assert audit._record(log.path, file.fileno(), log.head()).seq == 1
