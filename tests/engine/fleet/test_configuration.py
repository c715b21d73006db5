"""`fleet.yaml`: what it may say, and what is refused with its key."""

from pathlib import Path

import pytest

from engine.errors import PolicyError, Refused
from engine.fleet.configuration import known_fleet
from tests.engine.fleet.places import Places


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places(tmp_path)


def test_without_a_file_it_is_what_is_connected(places: Places) -> None:
    shop = str(places.home / "shop")
    known = known_fleet(places.env, (shop, f"{shop}/"))  # two tools on one workspace are one agent
    assert [(one.name, one.path) for one in known.agents] == [("shop", shop)]
    places.list_them(f"agents:\n- path: {shop}\n  name: Shop\n")
    assert [one.name for one in known_fleet(places.env, (shop,)).agents] == ["Shop"]


def test_names_groups_and_order_are_the_operators(places: Places) -> None:
    places.list_them(
        "order: listed\nagents:\n- path: ~/agents/shop/\n  group: work\n- path: /srv/ana\n  name: Ana\n  muted: true\n"
        "machines:\n- host: me@nas\n  seconds: 3\n"
    )
    known = known_fleet(places.env)
    told = [(one.name, one.path, one.group, one.muted) for one in known.agents]
    assert told == [("shop", f"{places.home}/agents/shop", "work", False), ("Ana", "/srv/ana", "", True)]
    assert [(one.name, one.host, one.seconds) for one in known.machines] == [("me@nas", "me@nas", 3)]


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("agents:\n- path: relative\n", "agents[0].path"),
        ("agents:\n- path: /a\n  colour: red\n", "colour"),
        ("machines:\n- host: -oProxyCommand=sh\n", "machines[0].host"),
        ("machines:\n- host: a b\n", "machines[0].host"),
        ("machines:\n- host: nas\n  command: memdeck;ls\n", "machines[0].command"),
        ("machines:\n- host: nas\n  command: --help\n", "machines[0].command"),
        ("machines:\n- host: nas\n  seconds: 0\n", "machines[0].seconds"),
        ("agents: &a\n- path: /a\n", "fleet.yaml:1"),
        ("just words\n", "object"),
    ],
)
def test_a_mistake_is_named_by_file_and_key(places: Places, text: str, key: str) -> None:
    file = places.list_them(text)
    with pytest.raises(PolicyError) as told:
        known_fleet(places.env)
    assert key in told.value.line() and str(file) in told.value.where


def test_a_list_that_others_may_write_is_refused(places: Places) -> None:
    places.list_them("agents: []\n").chmod(0o666)
    with pytest.raises(Refused):
        known_fleet(places.env)
