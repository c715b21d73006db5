"""The crontab block and the systemd units: quoting, marks, and that nothing else is touched."""

import os
import shutil
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import MemdeckError, Refused, UsageError
from engine.schedule.due_times import WEEKLY, daily, monthly
from engine.schedule.scheduler_entry import (
    SchedulerEntry,
    block,
    install,
    on_calendar,
    read_crontab,
    remove,
    units,
    with_block,
    without_block,
    write_crontab,
)
from engine.state.private_files import hooked

NAMES = st.text(st.characters(blacklist_categories=("Cc", "Cs", "Zl", "Zp")), min_size=1, max_size=30)
LINES = st.lists(st.text(st.characters(blacklist_categories=("Cc", "Cs", "Zl", "Zp"))), max_size=8)
HARD = (
    "/home/a b/$HOME",
    "/x/100%/y",
    "/x/it's",
    '/x/"q"',
    "/x/`id`",
    "/x/$(id)",
    "/x/\\n",
    "/x/;rm",
    "/x/ü가",
    "/x/%%u",
)


def entry(workspace: str = "/home/ana/silas", **other: object) -> SchedulerEntry:
    return SchedulerEntry(job=WEEKLY, workspace=workspace, program=("/opt/memdeck",), **other)  # type: ignore[arg-type]


def entry_of(program: Path) -> SchedulerEntry:
    return SchedulerEntry(job=WEEKLY, workspace="/w", program=(str(program),))


def test_the_line_is_the_weekly_dry_run_on_sunday_at_three_utc() -> None:
    text = block(entry(), cron_is_utc=True)
    command = "/opt/memdeck -w /home/ana/silas schedule --run weekly --json"
    assert f"\n0 3 * * 0 {command} >/dev/null\n" in text
    assert "apply" not in text


@pytest.mark.parametrize("workspace", HARD)
@pytest.mark.parametrize("cron_is_utc", [True, False])
def test_a_path_reaches_the_command_as_it_is(tmp_path: Path, workspace: str, cron_is_utc: bool) -> None:
    assert _run_by_cron(tmp_path, workspace, cron_is_utc=cron_is_utc)[1] == workspace


@given(NAMES)
def test_any_name_reaches_the_command_as_it_is(tmp_path_factory: pytest.TempPathFactory, name: str) -> None:
    words = _run_by_cron(tmp_path_factory.mktemp("cron"), f"/home/{name}", cron_is_utc=True)
    assert words == ["-w", f"/home/{name}", "schedule", "--run", "weekly", "--json"]


def test_the_environment_that_finds_the_records_is_carried(tmp_path: Path) -> None:
    carried = (("XDG_STATE_HOME", "/s p/%x"),)
    made = SchedulerEntry(
        job=WEEKLY, workspace="/w", program=("sh", "-c", 'echo "$XDG_STATE_HOME" >&2'), environment=carried
    )
    assert _cron_shell(block(made, cron_is_utc=True)).stderr.strip() == "/s p/%x"
    assert 'Environment="XDG_STATE_HOME=/s p/%%x"' in units(made)[f"{made.name}.service"]


def test_another_policy_is_carried() -> None:
    assert entry(policy="/p y.yaml").words[3:5] == ("--policy", "/p y.yaml")


@pytest.mark.parametrize(
    ("at", "runs"),
    [
        ("2026-03-29T03:00", True),
        ("2026-03-29T02:45", False),
        ("2026-03-29T03:15", False),
        ("2026-03-28T03:00", False),
        ("2026-03-30T03:00", False),
        ("2026-03-29T15:00", False),
    ],
)
def test_where_cron_has_another_clock_the_line_asks_the_date_itself(tmp_path: Path, at: str, runs: bool) -> None:
    """The line starts at every quarter of an hour; its guard holds at one of the week, whatever cron's zone."""
    _fake_date(tmp_path, datetime.fromisoformat(at))
    _program(tmp_path, "memdeck", f"touch {tmp_path}/ran")
    text = block(entry_of(tmp_path / "memdeck"), cron_is_utc=False)
    assert "\n0,15,30,45 * * * * [" in text
    _cron_shell(text, {"PATH": f"{tmp_path}:{os.environ['PATH']}"})
    assert (tmp_path / "ran").exists() is runs


@pytest.mark.parametrize(("shown", "runs"), [("04:30", True), ("04:15", False), ("16:30", False)])
@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/New_York"])
def test_g5_the_daily_line_goes_by_the_clock_of_its_own_zone(tmp_path: Path, zone: str, shown: str, runs: bool) -> None:
    """Whatever cron's clock is: a line without a guard would run on cron's, and once too often or never in autumn."""
    made = SchedulerEntry(job=daily(zone), workspace="/w", program=(str(tmp_path / "memdeck"),))
    _program(tmp_path, "date", f'[ "$TZ" = {zone} ] && [ "$1" = "+%H:%M" ] && echo {shown}')
    _program(tmp_path, "memdeck", f"touch {tmp_path}/ran")
    for cron_is_utc in (True, False):
        text = block(made, cron_is_utc=cron_is_utc)
        assert "\n0,15,30,45 * * * * [" in text
        _cron_shell(text, {"PATH": f"{tmp_path}:{os.environ['PATH']}"})
        assert (tmp_path / "ran").exists() is runs


def test_the_daily_timer_names_its_zone() -> None:
    assert on_calendar(SchedulerEntry(job=daily("Asia/Kolkata"), workspace="/w", program=("/x",))) == (
        "*-*-* 04:30:00 Asia/Kolkata"
    )


@pytest.mark.parametrize(
    ("shown", "runs"), [("01-04:45", True), ("02-04:45", False), ("01-04:30", False), ("11-04:45", False)]
)
def test_b16_the_monthly_line_runs_on_the_first_of_the_month_alone(tmp_path: Path, shown: str, runs: bool) -> None:
    made = SchedulerEntry(job=monthly("Europe/Berlin"), workspace="/w", program=(str(tmp_path / "memdeck"),))
    _program(tmp_path, "date", f'[ "$TZ" = Europe/Berlin ] && [ "$1" = "+%d-%H:%M" ] && echo {shown}')
    _program(tmp_path, "memdeck", f"touch {tmp_path}/ran")
    _cron_shell(block(made, cron_is_utc=False), {"PATH": f"{tmp_path}:{os.environ['PATH']}"})
    assert (tmp_path / "ran").exists() is runs


def test_b16_the_monthly_timer_and_the_plain_line_keep_the_day_of_the_month() -> None:
    made = SchedulerEntry(job=monthly("UTC"), workspace="/w", program=("/x",))
    assert on_calendar(made) == "*-*-01 04:45:00 UTC"
    assert "\n45 4 1 * * /x " in block(made, cron_is_utc=True)


def test_both_jobs_stand_side_by_side() -> None:
    nightly = SchedulerEntry(job=daily("UTC"), workspace="/w", program=("/x",))
    weekly = SchedulerEntry(job=WEEKLY, workspace="/w", program=("/x",))
    both = with_block(with_block("", nightly, cron_is_utc=True), weekly, cron_is_utc=True)
    assert "\n30 4 * * * /x " in both and "\n0 3 * * 0 /x " in both
    assert without_block(without_block(both, weekly), nightly) == ""


def test_the_guard_fits_the_real_date() -> None:
    now = datetime.now(UTC)
    shown = subprocess.run(["date", "-u", "+%w"], capture_output=True, text=True, check=True).stdout.strip()
    assert shown in (f"{now:%w}", f"{now + timedelta(minutes=1):%w}")


@given(LINES)
def test_every_other_line_of_the_crontab_stays(lines: list[str]) -> None:
    before = "".join(f"{line}\n" for line in lines)
    there = with_block(before, entry(), cron_is_utc=True)
    assert there.startswith(before) and with_block(there, entry(), cron_is_utc=True) == there
    assert without_block(there, entry()) == before


def test_two_workspaces_have_a_block_each() -> None:
    both = with_block(with_block("", entry("/a"), cron_is_utc=True), entry("/b"), cron_is_utc=True)
    assert both.count("\n0 3 * * 0 ") == 2
    assert without_block(both, entry("/a")) == block(entry("/b"), cron_is_utc=True)


def test_a_last_line_without_a_newline_stays_a_line() -> None:
    assert with_block("@daily x", entry(), cron_is_utc=True).startswith("@daily x\n# >>>")


def test_marks_that_do_not_match_are_refused() -> None:
    first, *_, last = block(entry(), cron_is_utc=True).splitlines(keepends=True)
    for broken in (first, last, last + first, first + first + last):
        with pytest.raises(Refused, match="marks"):
            with_block("@daily keep\n" + broken, entry(), cron_is_utc=True)


@pytest.mark.parametrize("name", ["a\nb", "a\x00", "a\r* * * * * evil", "a\x1b[2J", "a\u2028", "\udcff"])
def test_what_no_line_can_hold_is_refused(name: str) -> None:
    for make in (lambda: block(entry(f"/{name}"), cron_is_utc=True), lambda: units(entry(f"/{name}"))):
        with pytest.raises(UsageError):
            make()


def test_the_timer_makes_up_for_a_missed_run() -> None:
    made = entry()
    timer, service = units(made)[f"{made.name}.timer"], units(made)[f"{made.name}.service"]
    assert on_calendar(made) == "Sun *-*-* 03:00:00 UTC"
    assert "OnCalendar=Sun *-*-* 03:00:00 UTC\nPersistent=true\n" in timer
    assert 'ExecStart="/opt/memdeck" "-w" "/home/ana/silas" "schedule" "--run" "weekly" "--json"\n' in service


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd-analyze here")
def test_systemd_reads_the_units_as_meant(tmp_path: Path) -> None:
    for workspace in HARD:
        made = SchedulerEntry(job=WEEKLY, workspace=workspace, program=("/bin/true",))
        for name, text in units(made).items():
            (tmp_path / name).write_text(text)
        verify = ["systemd-analyze", "verify", "--man=no", "--user", str(tmp_path / f"{made.name}.timer")]
        done = subprocess.run(verify, capture_output=True, text=True)
        assert made.name not in done.stderr, done.stderr
    after = ["systemd-analyze", "calendar", "--base-time=2026-03-27 00:00:00 UTC", on_calendar(entry())]
    done = subprocess.run(after, capture_output=True, text=True, env={**os.environ, "TZ": "Europe/Berlin"})
    assert "2026-03-29 03:00:00 UTC" in done.stdout


def test_systemd_quotes_what_it_would_expand() -> None:
    made = entry('/x/$HOME %h "q" \\')
    assert '"/x/$$HOME %%h \\"q\\" \\\\"' in units(made)[f"{made.name}.service"]


@given(NAMES)
def test_names_of_units_are_plain_and_unlike_each_other(name: str) -> None:
    made = entry(f"/{name}").name
    assert made.isascii() and all(character.isalnum() or character == "-" for character in made)
    assert made != entry(f"/{name}x").name


def test_the_crontab_is_read_and_written_through_its_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = tmp_path / "table"
    _program(tmp_path, "crontab", f"case $1 in -l) cat {table};; -) cat > {table};; esac")
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    write_crontab(tmp_path / "ws", "@daily x\n")
    assert read_crontab(tmp_path / "ws") == "@daily x\n"


def test_a_crontab_that_cannot_be_read_is_never_overwritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    _program(tmp_path, "crontab", "echo 'no crontab for ana' >&2; exit 1")
    assert read_crontab(tmp_path / "ws") == ""
    _program(tmp_path, "crontab", "echo 'permission denied' >&2; exit 1")
    with pytest.raises(Refused, match="permission denied"):
        read_crontab(tmp_path / "ws")
    with pytest.raises(Refused):
        write_crontab(tmp_path / "ws", "x\n")
    (tmp_path / "crontab").unlink()
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MemdeckError, match="cannot run"):
        read_crontab(tmp_path / "ws")


def test_units_are_written_started_and_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _program(tmp_path, "systemctl", f'echo "$*" >> {tmp_path}/calls')
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    folder, made = tmp_path / "systemd" / "user", entry()
    assert not remove(made, folder)
    install(made, folder)
    assert {path.name for path in folder.iterdir()} == set(units(made))
    assert remove(made, folder) and not list(folder.iterdir())
    calls = (tmp_path / "calls").read_text().splitlines()
    timer = f"{made.name}.timer"
    assert calls == [
        "--user daemon-reload", f"--user enable --now {timer}", f"--user disable --now {timer}", "--user daemon-reload"
    ]  # fmt: skip


def test_a_systemd_that_fails_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _program(tmp_path, "systemctl", "echo 'Failed to connect to bus' >&2; exit 1")
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with pytest.raises(Refused, match="Failed to connect"):
        install(entry(), tmp_path / "units")


def _run_by_cron(tmp_path: Path, workspace: str, *, cron_is_utc: bool) -> list[str]:
    """The words that the command gets when a cron runs its line: `%` unescaped, then `/bin/sh`."""
    program = tmp_path / "memdeck"
    _program(tmp_path, "memdeck", 'printf "%s\\0" "$@" >&2')
    _fake_date(tmp_path, datetime(2026, 3, 29, 3, tzinfo=UTC))
    made = SchedulerEntry(job=WEEKLY, workspace=workspace, program=(str(program),))
    env = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    return _cron_shell(block(made, cron_is_utc=cron_is_utc), env).stderr.split("\0")[:-1]


def _cron_shell(text: str, env: dict[str, str] | None = None) -> "subprocess.CompletedProcess[str]":
    line = next(line for line in text.splitlines() if not line.startswith("#"))
    command = line.split(" ", 5)[5]
    assert "%" not in command.replace(r"\%", "")
    return subprocess.run(
        ["/bin/sh", "-c", command.replace(r"\%", "%")], capture_output=True, encoding="utf-8", env=env
    )


def _fake_date(folder: Path, at: datetime) -> None:
    """A `date` that knows the formats of the guard, for one moment."""
    _program(folder, "date", f'[ "$1" = -u ] && [ "$2" = "+%w-%H:%M" ] && echo "{at:%w-%H:%M}"')


def _program(folder: Path, name: str, script: str) -> None:
    program = folder / name
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)


def test_units_are_replaced_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A kill at any step leaves each unit old or new, never cut off."""
    _program(tmp_path, "systemctl", "exit 0")
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    folder, made = tmp_path / "units", entry()
    folder.mkdir()
    for name in units(made):
        (folder / name).write_text("old")

    class Died(BaseException):
        """Ends the writer where it stands."""

    seen: list[str] = []

    def died(name: str) -> None:
        seen.append(name)
        if name == "state-replace":
            raise Died

    with hooked(died), pytest.raises(Died):
        install(made, folder)
    assert "state-fsync" in seen
    assert {path.read_text() for path in folder.iterdir() if not path.name.startswith(".")} == {"old"}
    install(made, folder)
    assert {path.name: path.read_text() for path in folder.iterdir() if path.name in units(made)} == units(made)
