"""qmd is optional: off by default, in the background, stopped in time, and a failure is a sentence (decision C23)."""

import sys
import time
from pathlib import Path

from engine.plans.policy.values import Policy
from engine.tree.cycle.qmd import Qmd, Run


def run(folder: Path, code: str, how: Run = "update", timeout: float = 20) -> Qmd:
    qmd = Qmd(folder, how, timeout, (sys.executable, "-c", code))
    started = time.perf_counter()
    qmd.refresh()
    assert time.perf_counter() - started < 1, "the caller never waits"
    if qmd._thread is not None:
        qmd._thread.join(20)
    return qmd


def test_c23_it_is_off_by_default(tmp_path: Path) -> None:
    assert Policy().qmd.run == "off"
    qmd = run(tmp_path, "open('ran', 'w')", "off")
    assert not (tmp_path / "ran").exists()
    assert qmd.problem == ""


def test_c23_update_and_embed_run_outside_the_workspace(tmp_path: Path) -> None:
    code = f"import os, sys; open({str(tmp_path / 'ran')!r}, 'a').write(sys.argv[1] + ' ' + os.getcwd() + ' ')"
    assert run(tmp_path / "ws", code, "embed").problem == ""
    assert (tmp_path / "ran").read_text() == "update / embed / "


def test_c23_a_failure_is_a_banner(tmp_path: Path) -> None:
    assert run(tmp_path, "raise SystemExit(3)").problem == "qmd update failed with exit code 3"
    missing = Qmd(tmp_path, "update", 5, ("/nowhere/qmd",))
    missing.refresh()
    missing.close()
    assert "cannot be started" in missing.problem


def test_c23_what_hangs_is_stopped(tmp_path: Path) -> None:
    started = time.perf_counter()
    assert "was stopped" in run(tmp_path, "import time; time.sleep(60)", timeout=0.5).problem
    assert time.perf_counter() - started < 15
