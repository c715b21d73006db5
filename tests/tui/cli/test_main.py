"""The entry point: options on both sides of the command, exit codes, and errors of one line."""

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine.errors import Blocked, Conflict, Damaged, MemdeckError, Refused, Stale, UsageError
from tests.prepared import Prepared
from tests.ready_demo import Demo
from tests.tui.cli.conftest import Run
from tui.cli.main import main
from tui.cli.root import cli
from tui.cli.settings import Settings
from tui.registry.commands import COMMANDS

PROMISED = (
    "demo", "status", "plan", "queue", "show", "apply", "reject", "undo", "redo", "log", "check", "recover",
    "schedule", "policy", "doctor",
)  # fmt: skip


def test_every_promised_command_is_there_and_says_what_it_does(run: Run) -> None:
    assert set(PROMISED) <= set(COMMANDS)
    listed = run("--help").out
    for name in PROMISED:
        ran = run(name, "--help")
        assert (ran.code, ran.err) == (0, "") and name in listed
        assert "--json" in ran.out and "--workspace" in ran.out and "--now" in ran.out and "--policy" in ran.out


@pytest.mark.parametrize(
    "arguments",
    [
        ("-w", ".", "--json", "status"),
        ("status", "--json", "-w", "."),
        ("--json", "status", "--workspace", "."),
        ("-w", "elsewhere", "status", "-w", ".", "--json"),
    ],
)
def test_global_options_stand_before_and_after(run: Run, demo: Demo, arguments: tuple[str, ...]) -> None:
    ran = run(*arguments)
    assert (ran.code, ran.err) == (0, "")
    assert json.loads(ran.out)["workspace"] == str(demo.folder.resolve())


def test_the_default_workspace_is_the_current_folder(run: Run, demo: Demo) -> None:
    assert json.loads(run("status", "--json").out)["workspace"] == str(demo.folder.resolve())


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (UsageError("x"), 2),
        (Refused("x"), 3),
        (Stale("x"), 4),
        (Conflict("x"), 4),
        (Damaged("x"), 5),
        (Blocked("x"), 6),
        (MemdeckError("x"), 1),
        (ValueError("x"), 1),
        (KeyboardInterrupt(), 3),
    ],
)
def test_each_kind_of_failure_has_its_exit_code_and_one_line(
    run: Run, stubbed: Prepared, error: BaseException, code: int
) -> None:
    stubbed.stub.fails("status.read", error)
    ran = run("status")
    assert (ran.code, ran.out) == (code, "")
    line = ran.err.removeprefix("\n")  # Ctrl-C leaves its own line first
    assert line.startswith("memdeck: ") and line.count("\n") == 1
    assert "Traceback" not in ran.err


@pytest.mark.parametrize(
    ("number", "what_to_do"),
    [
        (errno.EACCES, "make it writable for you"),
        (errno.EROFS, "make it writable for you"),
        (errno.ENOSPC, "free some space"),
        (errno.EIO, "look after the disk"),
        (errno.EBADF, "run again with --debug"),
    ],
)
def test_an_error_of_the_system_says_where_and_what_to_do(
    run: Run, stubbed: Prepared, number: int, what_to_do: str
) -> None:
    stubbed.stub.fails("plans.queue", OSError(number, os.strerror(number), "/state/queue/lock"))
    ran = run("queue")
    assert ran.code == 1 and ran.out == ""
    assert ran.err.startswith(f"memdeck: /state/queue/lock: {os.strerror(number)} · {what_to_do}")
    assert ran.err.count("\n") == 1


def test_a_traceback_is_for_debug_alone(run: Run, stubbed: Prepared) -> None:
    stubbed.stub.fails("status.read", ValueError("\x1b[2Jboom"))
    ran = run("status", "--debug")
    assert ran.code == 1 and "Traceback" in ran.err and "boom" in ran.err and "\x1b" not in ran.err


@pytest.mark.parametrize(
    "arguments",
    [
        ("nosuch",),
        ("statu",),
        ("",),
        ("status", "more"),
        ("status", "--nosuch"),
        ("show",),
        ("apply",),
        ("reject", "p-1"),
        ("reject", "p-1", "--reason", " "),
        ("plan",),
        ("plan", "nosuch"),
        ("plan", "trees"),
        ("plan", "compact", "--route", "x"),
        ("plan", "compact", "--route", "1="),
        ("plan", "compact", "--route", "1=a.md", "--route", "1=b.md"),
        ("plan", "compact", "--route", "²=a.md"),
        ("log", "-n", "0"),
        ("--json",),
        (".", "-w", "elsewhere"),
        ("schedule", "--install", "--remove"),
    ],
)
def test_wrong_usage_is_2_and_one_line(run: Run, workspace: Prepared, arguments: tuple[str, ...]) -> None:
    ran = run(*arguments)
    assert (ran.code, ran.out) == (2, ""), ran
    assert ran.err.startswith("memdeck: ") and ran.err.count("\n") == 1


@pytest.mark.parametrize(
    "now", ["yesterweek", "", "0001-01-01", "9999-12-31T23:59:59-12:00", "2026-02-30", "٢٠٢٦-٠١-٠١"]
)
def test_a_what_if_clock_that_is_no_date_is_wrong_usage(run: Run, demo: Demo, now: str) -> None:
    ran = run("status", "--now", now)
    assert (ran.code, ran.out) == (2, "") and "--now" in ran.err


def test_a_what_if_clock_beyond_the_calendar_is_told_from_what_is_no_date(run: Run, demo: Demo) -> None:
    ran = run("status", "--now", "9999-12-31")
    assert ran.code == 2 and "out of range" in ran.err and "1970 to 9000" in ran.err
    assert "not a date" in run("status", "--now", "2026-02-30").err


def test_g18_a_what_if_clock_is_read_in_utc_and_marked(run: Run, demo: Demo) -> None:
    for given, meant in (("2026-03-15", "00:00"), ("2026-03-15T04:00:00+01:00", "03:00"), ("20260315T0300Z", "03:00")):
        status = json.loads(run("status", "--json", "--now", given).out)
        assert status["now"] == f"2026-03-15T{meant}:00+00:00" and status["simulated_clock"] is True


def test_an_unknown_system_lists_those_there_are(run: Run, demo: Demo) -> None:
    ran = run("plan", "defrag")
    assert ran.code == 2 and "compact" in ran.err


def test_a_misspelt_system_is_recognised(run: Run, demo: Demo) -> None:
    assert "did you mean 'compact'" in run("plan", "compct").err


def test_a_misspelt_command_is_recognised(run: Run) -> None:
    assert "did you mean 'status'" in run("statu").err


@pytest.mark.parametrize(("screen", "named"), [("history", "log"), ("overview", "status"), ("approvals", "queue")])
def test_a_screen_named_as_a_command_leads_to_the_command(run: Run, screen: str, named: str) -> None:
    assert f"did you mean {named!r}" in run(screen).err


def test_no_workspace_is_5(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for place in (tmp_path / "missing", tmp_path / "file"):
        ran = run("status", "-w", str(place))
        assert (ran.code, ran.out) == (5, "") and ran.err.count("\n") == 1


def test_g19_a_policy_inside_the_workspace_is_refused(run: Run, demo: Demo, tmp_path: Path) -> None:
    inside = demo.folder / "policy.yaml"
    inside.write_text("zone: UTC\n")
    try:
        assert run("status", "--policy", str(inside)).code == 3
    finally:
        inside.unlink()
    outside = tmp_path / "policy.yaml"
    outside.write_text("zonee: UTC\n")
    ran = run("status", "--policy", str(outside))
    assert ran.code == 2 and "zone" in ran.err


def test_the_console_without_a_terminal_points_to_the_commands(run: Run, demo: Demo) -> None:
    for arguments in ((), (".",), ("-w", ".")):
        ran = run(*arguments)
        assert ran.code == 3 and "status" in ran.err and ran.err.count("\n") == 1


def test_a_closed_pipe_is_no_error(demo: Demo) -> None:
    command = f"{sys.executable} -m tui.cli log --json | head -c 10; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], cwd=demo.folder, env=_env(demo), capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, ""), done


def test_a_pipe_that_closes_in_the_middle_of_a_long_text_is_no_error(run: Run, demo: Demo) -> None:
    """More than one buffer full, so that writing fails while the command still runs."""
    plan = json.loads(run("plan", "compact", "--json").out)["plan"]
    command = f"{sys.executable} -m tui.cli show {plan} --diff | head -c 10; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], cwd=demo.folder, env=_env(demo), capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, ""), done


@pytest.mark.parametrize("closed", [">&-", "<&-", "2>&-", ">&- 2>&- <&-"])
def test_closed_standard_files_are_no_error(demo: Demo, closed: str) -> None:
    command = f"{sys.executable} -m tui.cli status {closed}"
    done = subprocess.run(["bash", "-c", command], cwd=demo.folder, env=_env(demo), capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, ""), done


def test_an_empty_workspace_name_is_not_the_current_folder(run: Run, demo: Demo) -> None:
    ran = run("status", "-w", "")
    assert ran.code == 2 and "--workspace: an empty name" in ran.err


def test_numbers_of_thousands_of_digits_are_wrong_usage(run: Run, demo: Demo) -> None:
    assert run("plan", "compact", "--route", f"{'9' * 5000}=memory/semantic/x.md").code == 2
    plan = json.loads(run("plan", "compact", "--json").out)["plan"]
    assert run("apply", plan, "--only", "9" * 5000).code == 2


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_full_disk_under_stdout_is_told(demo: Demo, unbuffered: str) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    env = _env(demo) | {"PYTHONUNBUFFERED": unbuffered}
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "tui.cli", "status"],
            cwd=demo.folder, env=env, stdout=full, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
    assert done.returncode == 1 and "Traceback" not in done.stderr and "memdeck: " in done.stderr


def test_another_encoding_of_the_terminal_does_not_break_the_output(demo: Demo) -> None:
    env = _env(demo) | {"PYTHONIOENCODING": "ascii"}
    done = subprocess.run(
        [sys.executable, "-m", "tui.cli", "status"], cwd=demo.folder, env=env, capture_output=True, text=True
    )
    assert done.returncode == 0 and "working" in done.stdout and done.stdout.isascii()


def test_settings_know_every_global_option() -> None:
    names = {parameter.name for parameter in cli.params}
    assert set(Settings.__dataclass_fields__) <= names


def test_main_takes_its_arguments_from_the_process(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["memdeck", "--version"])
    assert main() == 0
    assert capsys.readouterr().out.startswith("memdeck ")


def _env(demo: Demo) -> dict[str, str]:
    root = str(Path(__file__).resolve().parents[3])
    return {**os.environ, **demo.env, "PYTHONPATH": root}
