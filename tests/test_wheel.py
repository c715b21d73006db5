"""Sdist and wheel hold what they should, and the wheel works where nothing but its locked dependencies is installed."""

import json
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from importlib.metadata import distribution
from pathlib import Path
from sysconfig import get_path

import pytest
from packaging.requirements import Requirement

pytestmark = [pytest.mark.wheel, pytest.mark.timeout(600)]

ROOT = Path(__file__).resolve().parents[1]
NOTICES = {f"engine/{name}/NOTICE" for name in ("text/ranks", "text/encoder", "text/secrets")}
OFFLINE = ("Temporary failure", "Could not find a version", "Connection", "Max retries", "No matching distribution")


@pytest.fixture(scope="module")
def listed() -> frozenset[str]:
    """The files that git does not ignore, as they are now."""
    files = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True
    )
    if files.returncode != 0:
        pytest.skip("packages are built from what git lists, and this is no repository")
    return frozenset(name for name in files.stdout.decode().split("\0") if name and (ROOT / name).is_file())


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory, listed: frozenset[str]) -> Path:
    """A folder with the sdist, made from a copy of those files, and the wheel, made from that."""
    base = tmp_path_factory.mktemp("wheel")
    source = base / "source"
    for name in listed:
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_bytes((ROOT / name).read_bytes())
    _done([sys.executable, "-m", "build", "--no-isolation", "--outdir", str(base / "dist"), str(source)])
    return base / "dist"


@pytest.fixture(scope="module")
def wheel(dist: Path) -> Path:
    (built,) = dist.glob("memdeck-*.whl")
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


def test_the_wheel_holds_the_program_its_data_its_man_page_and_nothing_else(
    wheel: Path, listed: frozenset[str]
) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    program = {name for name in listed if name.startswith(("engine/", "memdeck/", "themes/", "tui/"))}
    beside = f"memdeck-{wheel.name.split('-')[1]}"
    data = {f"{beside}.data/data/share/man/man1/memdeck.1"}
    licences = {f"licenses/{name}" for name in ("LICENSE", *NOTICES)}
    about = {f"{beside}.dist-info/{name}" for name in ("METADATA", "RECORD", "WHEEL", "entry_points.txt", *licences)}
    assert names == program | data | about
    assert program >= NOTICES and len([name for name in program if not name.endswith(".py")]) > 80


def test_the_sdist_holds_all_that_tests_and_builds_it(dist: Path, listed: frozenset[str]) -> None:
    (built,) = dist.glob("memdeck-*.tar.gz")
    with tarfile.open(built) as packed:
        names = {member.name.partition("/")[2] for member in packed.getmembers()}
        modes = {member.mode for member in packed.getmembers()}
    apart = {name for name in listed if name.startswith((".ci/", ".github/"))}
    assert names == listed - apart | {"PKG-INFO"}
    assert modes <= {0o644, 0o755}


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
