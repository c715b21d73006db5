"""The pages of `docs/` cannot drift: keys and signs are those of the program, and nothing is left out."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from docs.make import PAGES
from docs.reference import EXIT_CODES
from engine import errors
from engine.state.table import StateTable
from tui.registry.commands import COMMANDS
from tui.registry.screens import PLACES
from tui.settings.file import ABOUT, CHOICES
from tui.shell.commands import OWN
from tui.widgets import themes

FOLDER = Path(__file__).parents[1] / "docs"
ALL = {path.name: path.read_text("utf-8") for path in FOLDER.glob("*.md")}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_made_from_the_program_is_up_to_date(name: str) -> None:
    """`python -m docs.make` makes it anew."""
    assert (FOLDER / name).read_text("utf-8") == PAGES[name]()


def test_every_setting_of_the_console_is_documented_with_its_choices() -> None:
    text = ALL["configuration.md"]
    assert [name for name in ABOUT if f"| `{name}` |" not in text] == []
    assert [choice for choices in CHOICES.values() for choice in choices if f"`{choice}`" not in text] == []


def test_every_theme_is_documented() -> None:
    assert [name for name in themes.names() if f"| `{name}` |" not in ALL["themes.md"]] == []


def test_every_word_of_the_command_line_is_documented() -> None:
    words = [command.name for command in OWN if command.name not in {place.id for place in PLACES}]
    assert [word for word in words if word not in ALL["frame.md"]] == []


def test_every_table_of_the_state_is_documented() -> None:
    assert [table for table in StateTable if f"`{table}`" not in ALL["state.md"]] == []


def test_every_screen_has_a_page_that_the_index_names() -> None:
    for place in PLACES:
        assert f"`{place.key}`" in ALL[f"{place.id}.md"], place
        assert f"({place.id}.md)" in ALL["README.md"], place


def test_every_page_stands_in_the_contents_of_the_site_once() -> None:
    """A new page is added to `nav` in mkdocs.yml."""
    contents = (FOLDER.parent / "mkdocs.yml").read_text("utf-8").partition("\nnav:")[2]
    assert sorted(re.findall(r": ([\w-]+\.md)$", contents, re.MULTILINE)) == sorted(ALL)


def test_the_theme_that_the_docs_show_is_one() -> None:
    (shown,) = re.findall(r"```toml\n(.*?)```", ALL["themes.md"], re.DOTALL)
    assert themes.parse(shown, "themes.md").name == "mine"


def test_the_settings_that_the_docs_show_have_no_mistake() -> None:
    from tui.keys.catalog import catalog
    from tui.keys.rebinding import rebind
    from tui.settings.file import parse_settings

    shown, _policy = re.findall(r"```yaml\n(.*?)```", ALL["configuration.md"], re.DOTALL)
    read = parse_settings(shown, "configuration.md")
    assert not read.problems and not rebind(read.settings.keys, catalog()).problems


def test_no_link_of_the_docs_leads_nowhere() -> None:
    for name, text in ALL.items():
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
            assert (FOLDER / target).exists(), (name, target)


def test_the_man_page_has_no_fault_and_every_command() -> None:
    text = (FOLDER / "memdeck.1").read_text("utf-8")
    assert (
        text.isascii()
        and [name for name in COMMANDS if name != "open" and f".B memdeck {_roff(name)}" not in text] == []
    )
    groff = shutil.which("groff")
    if groff:
        done = subprocess.run([groff, "-man", "-ww", "-z", str(FOLDER / "memdeck.1")], capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")


def test_the_exit_codes_of_the_reference_are_those_of_the_errors() -> None:
    codes = {kind.exit_code for kind in _kinds(errors.MemdeckError)}
    assert codes | {0} == EXIT_CODES.keys()


def _kinds(kind: type[errors.MemdeckError]) -> Iterator[type[errors.MemdeckError]]:
    yield kind
    for below in kind.__subclasses__():
        yield from _kinds(below)


def _roff(name: str) -> str:
    return name.replace("-", "\\-")
