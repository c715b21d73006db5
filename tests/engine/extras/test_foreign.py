"""Packages of others bring extras by entry point: found, listed and used; one that is broken takes nothing away."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.extra_registry import GROUP, foreign_extras
from engine.extras.importers.kinds import KINDS, ImportKind, import_kinds
from tui.cli.main import main

HERE = Path(__file__).parent / "notebook"
TALK = "2026-02-16T18:45:00Z\tme\tWhich port does the harbour use?\n2026-02-16T18:46:00Z\tshe\tPort 8443.\nno line\n"


def install(site: Path, package: str, entry: str) -> None:
    """Writes the metadata that an installer leaves."""
    info = site / f"{package.replace('-', '_')}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n", "utf-8")
    (info / "entry_points.txt").write_text(f"[{GROUP}]\n{entry}\n", "utf-8")


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of packages in which the notebook's is installed."""
    folder = tmp_path / "site"
    shutil.copytree(HERE, folder)
    install(folder, "memdeck-notebook", "notebook = memdeck_notebook:EXTRA")
    monkeypatch.syspath_prepend(str(folder))
    foreign_extras.cache_clear()
    yield folder
    foreign_extras.cache_clear()


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "ws/knowledge").mkdir(parents=True)
    return tmp_path / "ws"


def test_an_importer_of_another_package_is_found_listed_and_used(
    site: Path, workspace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / ".notebook").mkdir()
    (tmp_path / ".notebook/harbour.talk").write_text(TALK, "utf-8")
    assert [one.name for one in foreign_extras().extras] == ["notebook"] and foreign_extras().problems == ()
    assert main(["-w", str(workspace), "--json", "import", "--list"]) == 0
    assert json.loads(capsys.readouterr().out)["notebook"] == "talks of Notebook, ~/.notebook"
    assert main(["-w", str(workspace), "--json", "import", "notebook"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["sessions"], told["turns"], told["meta"]) == (1, 2, {"unreadable": 1})
    assert told["plan"]
    assert main(["-w", str(workspace), "--json", "export", "--list"]) == 0
    assert [one["kind"] for one in json.loads(capsys.readouterr().out)] == ["notebook"]


def test_a_broken_extra_is_told_and_the_others_work(
    site: Path, workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    install(site, "memdeck-broken", "broken = memdeck_broken:EXTRA")
    install(site, "memdeck-other", "other = memdeck_notebook:KIND")
    foreign_extras.cache_clear()
    assert "notebook" in import_kinds()
    assert main(["-w", str(workspace), "import", "nonsense"]) == 2
    said = capsys.readouterr().err
    assert "the extra broken of memdeck-broken cannot be loaded: ModuleNotFoundError" in said
    assert "the extra other of memdeck-other is no `Extra`" in said and "notebook" in said


def test_a_foreign_kind_takes_no_name_of_ours(site: Path) -> None:
    (site / "memdeck_second.py").write_text(
        "from memdeck_notebook import *\n"
        "EXTRA = Extra('second', '', (KIND._replace(name='codex'), KIND._replace(title='of another')))\n",
        "utf-8",
    )
    install(site, "memdeck-second", "second = memdeck_second:EXTRA")
    foreign_extras.cache_clear()
    assert len(foreign_extras().parts(ImportKind)) == 3
    assert import_kinds()["codex"] is KINDS["codex"]
    assert import_kinds()["notebook"].title == "talks of Notebook, ~/.notebook", "the first one that asks for it"
