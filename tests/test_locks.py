"""Everything that `make` installs is named with its hash, memdeck's own build backend included."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
LOCKS = ("runtime", "build", "dev", "docs")


def pins(name: str) -> dict[str, tuple[str, frozenset[str]]]:
    """Version and hashes of each package of a lock file."""
    text = (ROOT / "locks" / f"{name}.txt").read_text("utf-8")
    found = re.findall(r"^([\w.-]+)==([\w.]+)(.*?)(?=^\S|\Z)", text, re.MULTILINE | re.DOTALL)
    return {package: (version, frozenset(re.findall(r"sha256:\w{64}", rest))) for package, version, rest in found}


@pytest.mark.parametrize("name", LOCKS)
def test_every_package_is_pinned_with_its_hashes(name: str) -> None:
    assert pins(name) and all(hashes for _, hashes in pins(name).values())


def test_what_builds_memdeck_is_what_the_tests_build_it_with() -> None:
    build, dev = pins("build"), pins("dev")
    assert {"hatchling", "editables", "tomlkit"} <= set(build)
    assert {package: dev[package] for package in build} == build
    assert f'requires = ["hatchling=={build["hatchling"][0]}"]' in (ROOT / "pyproject.toml").read_text("utf-8")


def test_no_recipe_installs_without_hashes_and_each_step_says_what_it_does() -> None:
    recipes = (ROOT / "Makefile").read_text("utf-8").partition("\nlock:")[0]
    installs = [
        line
        for line in recipes.splitlines()
        if line.startswith("\t") and re.search(r"\$\((PIP|(SITE_)?LOCKED)\)", line)
    ]
    assert len(installs) == 6 and not re.search(r"^\t.*pip install", recipes, re.MULTILINE)
    for line in installs:
        assert "LOCKED) locks/" in line or "--no-deps --no-build-isolation" in line
    lines = recipes.splitlines()
    for line in installs:
        assert lines[lines.index(line) - 1].startswith('\t@echo "· installing')
