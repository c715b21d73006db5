"""Every key has a name, can be rebound from outside the workspace, and there is always a way out."""

import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.widget import Widget

import tui
from engine.text.pattern_file import pattern_file
from tests.prepared import three_plans
from tests.ready_demo import Demo
from tests.tui.conftest import console_of, deck, screen_text, settled
from tui.app import MemdeckApp
from tui.keys.caps import key_name, long_key
from tui.keys.card import as_text, bound, markdown, matching
from tui.keys.catalog import Key, catalog, scopes, slug, tables_of
from tui.keys.naming import KeyAction
from tui.keys.rebinding import ALWAYS, FIXED, rebind

KEYS = catalog()
BOUND = re.compile(r"(?m)^class .*\bscope=\"([a-z-]+)\"")
"""What a class reads its keys by."""


def test_every_key_has_a_name_of_its_own() -> None:
    names = [key.name for key in KEYS]
    assert len(names) > 80
    assert len(set(names)) == len(names)
    assert [key for key in KEYS if not key.title or not key.keys] == []


def test_every_scope_is_that_of_a_class_and_every_table_that_of_a_scope() -> None:
    """A page takes its keys from where `memdeck keys` reads them: it declares none of its own."""
    sources = [file.read_text("utf-8") for file in Path(tui.__file__).parent.rglob("*.py")]
    assert sorted(scopes()) == sorted(scope for source in sources for scope in BOUND.findall(source))
    asked = {table for scope in scopes() for table in tables_of(scope)}
    assert asked == set(pattern_file("tui.keys", "keys.toml"))
    declared = [line for source in sources for line in re.findall(r"^ +BINDINGS\b.*=.*", source, re.MULTILINE)]
    assert declared == []


def below(kind: type[object]) -> Iterator[type[object]]:
    for child in kind.__subclasses__():
        yield child
        yield from below(child)


def test_what_an_action_needs_is_said_by_somebody_and_its_method_is_there() -> None:
    for module in walk_packages(tui.__path__, "tui."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    kinds: list[type[object]] = [MemdeckApp, *below(Widget)]
    rows = [(kind, row) for kind in kinds for row in kind.__dict__.get("BINDINGS", ()) if isinstance(row, KeyAction)]
    conditions = {name for kind in kinds for name in dir(kind)}
    assert [row.id for _, row in rows if not conditions.issuperset(f"lacks_{need}" for need in row.needs)] == []
    assert [row.id for _, row in rows if row.named and row.named not in conditions] == []
    for kind, row in rows:
        name = row.action.partition("(")[0]
        owners = [MemdeckApp] if name.startswith("app.") else kinds if row.pane else [kind, *kind.__subclasses__()]
        assert any(hasattr(owner, f"action_{name.removeprefix('app.')}") for owner in owners), row.id


def test_a_wish_that_fits_is_granted_in_the_toolkits_spelling() -> None:
    rebound = rebind({"approvals.reject": ("ctrl+x",), "console.keys": ("f1", "?")}, KEYS)
    assert rebound.problems == ()
    assert rebound.keymap == {"approvals.reject": "ctrl+x", "console.keys": "f1,question_mark"}


@pytest.mark.parametrize(
    ("name", "keys", "words"),
    [
        ("approvals.rejct", ("R",), "did you mean approvals.reject?"),
        ("approvals.reject", ("d",), "d is already approvals.dry-run"),
        ("list.down", ("n",), "n is already screen.find-next"),
        ("list.down", ("tab",), "tab is already screen.next-pane"),
        ("console.undo", ("ctrl+q",), "leaves memdeck, always"),
        ("console.undo", ("escape",), "leads out, always"),
        ("console.undo", ("hyper+x",), "is no key"),
        ("console.undo", ("xx",), "is no key"),
        ("console.undo", (), "one key at least"),
    ],
)
def test_a_wish_that_cannot_be_says_why(name: str, keys: tuple[str, ...], words: str) -> None:
    rebound = rebind({name: keys}, KEYS)
    assert rebound.keymap == {}
    ((at, what, hint),) = rebound.problems
    assert at == name and words in f"{what} {hint}"


def test_two_wishes_that_swap_keys_are_no_conflict() -> None:
    rebound = rebind({"console.undo": ("q",), "console.quit": ("z",)}, KEYS)
    assert rebound.problems == ()


def test_the_question_before_a_plan_is_applied_cannot_be_rebound() -> None:
    for key in KEYS:
        if key.scope in FIXED:
            assert rebind({key.name: ("f9",)}, KEYS).keymap == {}


@given(
    st.dictionaries(st.sampled_from([key.name for key in KEYS]), st.lists(st.text(max_size=8), max_size=3), max_size=5)
)
def test_whatever_is_wished_for_there_is_a_way_out(wishes: dict[str, list[str]]) -> None:
    rebound = rebind(wishes, KEYS)
    given_away = {key for keys in rebound.keymap.values() for key in keys.split(",")}
    own = {key for found in KEYS for key in found.keys if found.name in rebound.keymap}
    assert not (given_away - own) & set(ALWAYS)


@pytest.mark.parametrize("cap", ["?", ":", "/", "+", "-", "@", "esc", "pgdn", "→", "x", "X", "ctrl+r", "f5", "space"])
def test_a_key_cap_and_its_long_name_are_the_same(cap: str) -> None:
    assert key_name(long_key(cap)) == cap


def test_a_name_is_made_of_the_words_of_what_it_does() -> None:
    assert slug("Approve…") == "approve"
    assert slug("Page down") == "page-down"


def test_the_card_tells_every_key_and_can_be_searched() -> None:
    text = "\n".join(as_text(KEYS))
    assert all(key.name in text and key.name in markdown(KEYS) for key in KEYS)
    assert [key.name for key in matching(KEYS, "zoom pane")] == ["screen.zoom"]
    assert bound({"screen.zoom": "f11"})[KEYS.index(matching(KEYS, "zoom pane")[0])].keys == ("f11",)


def test_a_key_cap_that_would_break_the_table_is_escaped() -> None:
    assert "`\\|`" in markdown([Key("x.y", ("vertical_line",), "Z", "z")])


def app_with(folder: Path, yaml: str) -> MemdeckApp:
    folder.mkdir(exist_ok=True)
    (folder / "console.yaml").write_text(yaml)
    return MemdeckApp(three_plans().opening, user_home="/home/ana", config=folder)


async def test_a_rebound_key_works_and_stands_in_footer_and_help(tmp_path: Path) -> None:
    app = app_with(tmp_path / "config", "keys:\n  console.undo: f9\n  list.down: [down, f8]\n  console.approvals: f2\n")
    async with app.run_test(size=(120, 36), notifications=True) as pilot:
        await settled(pilot)
        assert "f9 Undo" in screen_text(pilot)
        await pilot.press("2")
        assert console_of(pilot).page.id == "overview"
        await pilot.press("f2")
        assert console_of(pilot).page.id == "approvals"


async def test_a_change_of_the_file_is_taken_up_at_once_and_a_mistake_is_told_with_its_line(tmp_path: Path) -> None:
    folder = tmp_path / "config"
    app = app_with(folder, "theme: paper\n")
    async with app.run_test(size=(120, 36), notifications=True) as pilot:
        await settled(pilot)
        assert app.theme == "paper"
        (folder / "console.yaml").write_text("theme: contrast\nkeys:\n  console.undo: d\n")
        app._poll()
        await pilot.pause()
        (told,) = [note.message for note in app._notifications]
        assert "console.yaml:3" in told and "d is already console.dry-run" in told
        assert app.theme == "contrast"
        assert "z Undo" in screen_text(pilot), "the key keeps what it was"


async def test_quit_works_whatever_is_configured(tmp_path: Path) -> None:
    app = app_with(tmp_path / "config", "keys:\n  console.quit: f12\n")
    async with app.run_test(size=(120, 36)) as pilot:
        await settled(pilot)
        await pilot.press("q")
        assert app.is_running
        await pilot.press("ctrl+q")
        await pilot.pause()
    assert not app.is_running


async def test_every_key_that_reaches_a_screen_is_on_the_card(demo: Demo) -> None:
    """A key that is bound somewhere and documented nowhere would be a secret."""
    known = {(key.action, cap) for key in KEYS for cap in key.keys}
    async with deck(demo.open_today()) as pilot:
        for place in ("1", "2", "7"):
            await pilot.press(place)
            await settled(pilot)
            for cap, active in pilot.app.screen.active_bindings.items():
                if not (active.binding.system or active.binding.action.startswith(("screen.", "app."))):
                    assert (active.binding.action, cap) in known or active.binding.action in ("help_quit", "quit"), cap
