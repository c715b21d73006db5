"""The built wheel works where nothing but its locked dependencies is installed."""

import json
import os
import re
import subprocess
import sys
import zipfile
from importlib.metadata import distribution
from pathlib import Path
from sysconfig import get_path

import pytest
from packaging.requirements import Requirement

pytestmark = [pytest.mark.wheel, pytest.mark.timeout(600)]

ROOT = Path(__file__).resolve().parents[1]
NOTICES = {f"engine/{name}/NOTICE" for name in ("text/ranks", "text/encoder", "text/secrets")} | {"themes/__init__.py"}
OFFLINE = ("Temporary failure", "Could not find a version", "Connection", "Max retries", "No matching distribution")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from a copy of the files that git does not ignore, as they are now."""
    base = tmp_path_factory.mktemp("wheel")
    source = base / "source"
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True
    )
    if listed.returncode != 0:
        pytest.skip("the wheel is built from what git lists, and this is no repository")
    for name in listed.stdout.decode().split("\0"):
        if name and (ROOT / name).is_file():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            (source / name).write_bytes((ROOT / name).read_bytes())
    _done([sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(base / "dist"), str(source)])
    (built,) = (base / "dist").glob("memdeck-*.whl")
    return built


@pytest.fixture(scope="module", params=["linked", pytest.param("by hash", marks=pytest.mark.soak)])
def installed(request: pytest.FixtureRequest, wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `memdeck` of an environment that had nothing in it.

    Its dependencies are links to the files that `make` installed by hash; the long campaign installs them anew.
    """
    place = tmp_path_factory.mktemp("venv")
    _done([sys.executable, "-m", "venv", "--without-pip", str(place)])
    pip = [sys.executable, "-m", "pip", "--python", str(place), "--disable-pip-version-check", "install", "--quiet"]
    if request.param == "linked":
        link_locked(Path(get_path("purelib", vars={"base": str(place)})))
    else:
        locked = [*pip, "--require-hashes", "-r", str(ROOT / "locks" / "runtime.txt")]
        ran = subprocess.run(locked, capture_output=True, text=True)
        if ran.returncode != 0 and any(sign in ran.stderr for sign in OFFLINE):
            pytest.skip(f"the package index cannot be reached: {ran.stderr.strip().splitlines()[-1]}")
        assert ran.returncode == 0, ran.stderr
    _done([*pip, "--no-deps", str(wheel)])
    return place / "bin" / "memdeck"


def link_locked(site: Path) -> None:
    """Links the files of each locked package that this platform has into `site`, and those of no other."""
    for line in re.findall(r"^(\S+==[^\\]*)", (ROOT / "locks" / "runtime.txt").read_text("utf-8"), re.MULTILINE):
        locked = Requirement(line)
        if locked.marker is None or locked.marker.evaluate():
            package = distribution(locked.name)
            assert locked.specifier.contains(package.version), "what is installed is what is locked"
            for first in {file.parts[0] for file in package.files or ()} - {"..", "__pycache__"}:
                if not (site / first).exists():
                    (site / first).symlink_to(str(package.locate_file(first)))


def test_the_wheel_carries_its_data_and_no_tests(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    tops = ("engine", "memdeck", "themes", "tui")
    data = {str(one.relative_to(ROOT)) for top in tops for one in ROOT.joinpath(top).rglob("*.*")}
    needed = {name for name in data if not name.endswith((".py", ".pyc")) and ROOT.joinpath(name).is_file()}
    assert len(needed) > 80 and needed | NOTICES <= names, sorted((needed | NOTICES) - names)
    assert not [name for name in names if name.startswith(("tests/", "locks/", ".ci/"))]
    assert any(name.endswith("licenses/LICENSE") for name in names)


def test_the_library_is_imported_by_the_name_of_the_package(installed: Path, tmp_path: Path) -> None:
    _done(
        [
            str(installed.with_name("python")),
            "-I",
            "-c",
            "import engine.api, memdeck; assert memdeck.Memory is engine.api.Memory",
        ]
    )


def test_demo_and_status_work_in_an_empty_environment(installed: Path, tmp_path: Path) -> None:
    place = tmp_path / "silas"
    _run(installed, tmp_path, "demo", "--no-open", "--dir", str(place))
    status = json.loads(_run(installed, tmp_path, "-w", str(place), "status", "--json"))
    assert status["workspace"] == str(place.resolve()) and len(status["capabilities"]) == 5
    assert status["tokenizer"] == "o200k_base" and status["queue"]["pending"] == 2
    assert "demo" in _run(installed, tmp_path, "--help")
    found = json.loads(_run(installed, tmp_path, "-w", str(place), "check", "--deep", "--json"))
    assert {finding["kind"] for finding in found} == {"notice"}, "due work of the tree is told, and nothing is damaged"


def _run(memdeck: Path, cwd: Path, *arguments: str) -> str:
    home = cwd / "home"
    home.mkdir(exist_ok=True)
    env = {"HOME": str(home), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
    done = subprocess.run([str(memdeck), *arguments], cwd=cwd, env=env, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done
    return done.stdout


def _done(command: list[str]) -> None:
    env = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
