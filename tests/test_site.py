"""The site has every page once, its links lead somewhere, and what it and the host go by is whole."""

import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

from engine import __version__

ROOT = Path(__file__).parents[1]
SETTINGS: dict[str, Any] = yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))
WORKFLOW: dict[str, Any] = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text("utf-8"))
PYTHONS = ["3.11", "3.12", "3.13", "3.14"]


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """What makes the site, without the program that it hooks into: that has an environment of its own."""
    stand_in = ModuleType("mkdocs.structure.files")
    stand_in.__dict__.update(File=object, Files=object)
    monkeypatch.setitem(sys.modules, "mkdocs.structure.files", stand_in)
    import docs.site

    return docs.site


def pages(part: Any = None) -> list[str]:
    """The pages of the site's contents, in order."""
    if isinstance(part, str):
        return [part]
    rows = SETTINGS["nav"] if part is None else part.values() if isinstance(part, dict) else part
    return [page for row in rows for page in pages(row)]


def test_every_page_of_the_top_stands_in_the_contents_once(site: ModuleType) -> None:
    """Those of `docs/` too: tests/test_docs_pages.py."""
    assert sorted(page for page in pages() if "/" in page) == sorted(site.TOP.values())


def test_links_out_of_the_folder_lead_to_their_place_in_the_site(site: ModuleType) -> None:
    linked = site.linked
    assert linked("[a](../README.md#x) [b](tree.md)", "tree.md") == "[a](project/about.md#x) [b](tree.md)"
    assert linked("[t](docs/tour.md) ![p](screenshots/x.svg)", site.TOP["README.md"]) == (
        "[t](../tour.md) ![p](../screenshots/x.svg)"
    )
    assert linked("[how](../tests/corpora/README.md)", "quality.md") == "how"
    assert linked("[there](https://example.org)", "tree.md") == "[there](https://example.org)"


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md", "CHANGELOG.md"])
def test_no_link_of_the_top_pages_leads_nowhere(name: str) -> None:
    text = (ROOT / name).read_text("utf-8")
    found = re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", text)
    assert [target for target in found if not (ROOT / target).exists()] == []


def test_the_version_stands_everywhere_alike() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    assert str(citation["version"]) == __version__
    assert f'\nversion = "{__version__}"\n' in project
    assert re.search(rf"^## \[{re.escape(__version__)}\]", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)


def test_the_host_runs_what_the_package_claims() -> None:
    jobs = WORKFLOW["jobs"]
    assert jobs["matrix"]["strategy"]["matrix"]["python"] == PYTHONS
    assert {"macos-latest", "ubuntu-24.04-arm"} <= set(jobs["matrix"]["strategy"]["matrix"]["os"])
    assert "alpine" in jobs["musl"]["container"]
    assert all(job["timeout-minutes"] <= 30 for job in jobs.values() if "continue-on-error" not in job)
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    assert re.findall(r"Python :: (3\.\d+)", project) == PYTHONS
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    runs = [step["run"] for job in jobs.values() for step in job["steps"] if step.get("run", "").startswith("make ")]
    assert len(runs) >= 6 and {run.split()[1] for run in runs} <= set(targets)


@pytest.mark.parametrize("file", sorted((ROOT / ".github").rglob("*.yml")), ids=lambda file: file.name)
def test_what_the_host_reads_is_yaml(file: Path) -> None:
    assert isinstance(yaml.safe_load(file.read_text("utf-8")), dict)
