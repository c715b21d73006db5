"""A release is the same whoever makes it, with hashes that a plain tool checks and a list of all that it runs on."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from engine import __version__
from release.bill import bill_of_materials
from release.make import HASHES, ROOT, hashes, main
from tests.test_locks import pins


def test_the_bill_names_every_locked_package_with_its_hashes_and_is_the_same_each_time() -> None:
    made = bill_of_materials(ROOT, __version__, 1_700_000_000)
    assert made == bill_of_materials(ROOT, __version__, 1_700_000_000)
    bill = json.loads(made)
    parts = {part["name"]: part for part in bill["components"]}
    locked = pins("runtime")
    assert set(parts) == set(locked) and bill["metadata"]["component"]["version"] == __version__
    for name, (version, sums) in locked.items():
        assert parts[name]["purl"] == f"pkg:pypi/{name}@{version}"
        assert {f"sha256:{one['content']}" for one in parts[name]["hashes"]} == sums
    optional = {name for name, part in parts.items() if part.get("scope") == "optional"}
    assert "backports-zstd" in optional and "textual" not in optional
    assert Requirement(f"x ; {parts['backports-zstd']['properties'][0]['value']}").marker is not None


def test_a_plain_tool_checks_the_hashes(tmp_path: Path) -> None:
    files = {"a.whl": b"a", "b.tar.gz": b"b"}
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / HASHES).write_bytes(hashes(files))
    tool = shutil.which("sha256sum")
    if tool is None:
        pytest.skip("no sha256sum here")
    assert subprocess.run([tool, "--check", "--strict", "--quiet", HASHES], cwd=tmp_path, check=False).returncode == 0
    (tmp_path / "a.whl").write_bytes(b"c")
    assert subprocess.run([tool, "--check", "--quiet", HASHES], cwd=tmp_path, check=False).returncode == 1


@pytest.mark.soak
@pytest.mark.wheel
@pytest.mark.timeout(600)
def test_two_builds_of_a_commit_are_the_same_to_the_byte(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    committed = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, check=False)
    if committed.returncode:
        pytest.skip("a release is made of a commit, and this is no repository")
    monkeypatch.setattr("release.make.DIST", tmp_path)
    assert main() == 0
    assert len((tmp_path / HASHES).read_text("utf-8").splitlines()) == 3
