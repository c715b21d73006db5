"""Web addresses that memory names: asked only where the policy lets it, of public hosts, and sent no more."""

import os
import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from engine.lifecycle.reality import addresses
from engine.lifecycle.reality.addresses import answered_claims, is_public
from engine.lifecycle.reality.claim import Claim, ClaimKind
from engine.lifecycle.reality.judgement import ClaimVerdict, JudgedClaim
from engine.lifecycle.requests import VerifyRequest
from engine.plans.plan import Plan, Replace
from engine.plans.planning import PlanRequest
from engine.services.engine import Engine
from tests.engine.history.repos import write
from tests.engine.lifecycle.reality.shop import made_memory, made_shop
from tests.engine.models.loopback import LoopbackServer, QuietHandler

ELSEWHERE = "https://example.org/new"
ANSWERS = {
    "/there": (200, ""),
    "/get": (200, ""),
    "/here": (301, "/there"),
    "/moved": (308, ELSEWHERE),
    "/lent": (302, ELSEWHERE),
    "/scheme": (301, "file:///etc/passwd"),
    "/named": (301, "https://ana:pass@example.org/"),
    "/gone": (410, ""),
    "/missing": (404, ""),
    "/broken": (500, ""),
    "/nowhere": (302, ""),
}


class _Site(LoopbackServer):
    """Answers by path, and keeps the head of every request."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str, dict[str, str]]] = []
        outer = self

        class Handler(QuietHandler, BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.asked.append((self.command, self.path, dict(self.headers)))
                if self.path == "/slow":
                    with suppress(OSError):  # who asked hangs up
                        for _ in range(40):
                            self.wfile.write(b"H")
                            time.sleep(0.02)
                    return
                status, to = ANSWERS[self.path.partition("?")[0]]
                self.send_response(405 if (self.command, self.path) == ("HEAD", "/get") else status)
                if to:
                    self.send_header("Location", to)
                self.end_headers()

            do_HEAD = do_GET  # noqa: N815

        super().__init__(Handler)


@pytest.fixture
def site() -> Iterator[_Site]:
    made = _Site()
    yield made
    made.close()


def claim(url: str, path: str = "MEMORY.md") -> JudgedClaim:
    return JudgedClaim(Claim(ClaimKind.URL, path, 1, 4, url, row=f"see {url}"), ClaimVerdict.UNKNOWN)


def told(*claims: JudgedClaim) -> list[str]:
    judged = answered_claims(claims, ("knowledge/private",), lambda number: number == "127.0.0.1")
    return [f"{one.verdict} {one.value}".strip() for one in judged]


@pytest.mark.parametrize(
    ("path", "verdict"),
    [
        ("/there", "holds"),
        ("/get", "holds"),
        ("/here", "holds"),
        ("/moved", f"moved {ELSEWHERE}"),
        ("/lent", "cannot tell"),
        ("/scheme", "cannot tell"),
        ("/named", "cannot tell"),
        ("/gone", "gone"),
        ("/missing", "gone"),
        ("/broken", "cannot tell"),
        ("/nowhere", "cannot tell"),
    ],
)
def test_what_an_address_answers_is_what_became_of_it(site: _Site, path: str, verdict: str) -> None:
    assert told(claim(f"{site.url}{path}")) == [verdict]
    assert {asked for _, asked, _ in site.asked} == {path}, "no redirect is followed"


def test_nothing_but_the_address_is_sent_and_each_is_asked_once(site: _Site) -> None:
    assert told(*[claim(f"{site.url}/there?a=b#part")] * 3) == ["holds"] * 3
    ((method, path, headers),) = site.asked
    assert (method, path) == ("HEAD", "/there?a=b")
    host = site.url.removeprefix("http://")
    assert headers == {"Host": host, "User-Agent": "memdeck", "Accept": "*/*", "Connection": "close"}


def test_names_secrets_private_notes_and_other_schemes_are_not_asked(site: _Site) -> None:
    at, secret = f"{site.url}/there", "ghp_" + "a1B2" * 9
    asked = [claim(at.replace("//", "//ana:pass@")), claim(f"{at}?token={secret}"), claim(at, "knowledge/private/a.md")]
    asked += [claim(at.replace("http:", "ftp:")), claim(f"{at}/ü")]
    assert told(*asked) == ["cannot tell"] * 5
    assert not site.asked


def test_a_server_without_tls_is_not_taken_for_one_with_it(site: _Site) -> None:
    assert told(claim(f"{site.url}/there".replace("http:", "https:"))) == ["cannot tell"]
    assert not site.asked


def test_of_a_run_fifty_are_asked(site: _Site) -> None:
    verdicts = told(*(claim(f"{site.url}/there?{number}") for number in range(52)))
    assert verdicts == ["holds"] * 50 + ["cannot tell"] * 2 and len(site.asked) == 50


def test_who_answers_without_end_is_not_waited_for(site: _Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(addresses, "_SECONDS", 0.2)
    began = time.monotonic()
    assert told(claim(f"{site.url}/slow")) == ["cannot tell"]
    assert time.monotonic() - began < 0.7


def test_an_address_that_was_gone_when_it_was_asked_is_marked_where_the_policy_lets_it_be_asked(
    tmp_path: Path, site: _Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = f"{site.url}/gone"
    monkeypatch.setattr(answered_claims, "__defaults__", (lambda number: number == "127.0.0.1",))
    repository, _ = made_shop(tmp_path / "shop")
    workspace = made_memory(tmp_path / "agent", f"- see {gone}\n- and {site.url}/there\n")
    env = {**os.environ, "XDG_CONFIG_HOME": str(tmp_path / "config")}

    def planned(urls: str, *, ask: bool) -> Plan | None:
        write(tmp_path, {"config/memdeck/policy.yaml": f"verify: {{urls: {urls}}}\n"})
        with Engine.open(workspace, env=env, clock=lambda: datetime(2026, 3, 20, 9, tzinfo=UTC)) as console:
            if ask:
                console.reality.ask_addresses(str(repository))
            return console.plans.make("verify", PlanRequest(VerifyRequest(repository=str(repository)))).plan

    assert planned("off", ask=True) is planned("ask", ask=False) is None and not site.asked
    told = planned("ask", ask=True)
    assert told is not None
    (change,) = told.changes
    assert isinstance(change, Replace) and f"- see {gone} [?]\n- and {site.url}/there\n" in change.content
    met = len(site.asked)
    assert planned("ask", ask=False) is not None, "a plan of the weekly job knows it too, and asks nobody"
    assert planned("off", ask=False) is None and len(site.asked) == met


@pytest.mark.parametrize(
    ("number", "public"),
    [
        ("93.184.215.14", True),
        ("2606:2800:21f:cb07:6820:80da:af6b:8b2c", True),
        *((number, False) for number in ("127.0.0.1", "10.0.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1")),
        *((number, False) for number in ("0.0.0.0", "224.0.0.1", "255.255.255.255", "::1", "fe80::1", "fd00::1")),
        *((number, False) for number in ("::ffff:127.0.0.1", "2002:7f00:1::", "64:ff9b::7f00:1", "ff02::1")),
    ],
)
def test_only_hosts_of_the_internet_are_asked(number: str, public: bool) -> None:
    assert is_public(number) is public


def test_d62_only_the_operators_policy_lets_the_command_ask(tmp_path: Path, site: _Site) -> None:
    """The real check stands: a policy that says `ask` reaches no server of this machine either."""
    repository, _ = made_shop(tmp_path / "shop")
    workspace = made_memory(tmp_path / "agent", f"- see {site.url}/there\n")
    env = {**os.environ, "XDG_CONFIG_HOME": str(tmp_path / "config")}
    write(workspace, {"memory-config.yaml": "verify: {urls: ask}\n"})
    whys = []
    for urls, ask in (("off", True), ("ask", False), ("ask", True)):
        write(tmp_path, {"config/memdeck/policy.yaml": f"verify: {{urls: {urls}}}\n"})
        with Engine.open(workspace, env=env, clock=lambda: datetime(2026, 3, 20, 9, tzinfo=UTC)) as console:
            memory = console.reality.verify(str(repository), ask=ask)
            whys += [one.why for one in memory.claims if one.claim.kind is ClaimKind.URL]
    assert whys == ["well formed; it was not asked"] * 2 + ["not asked: its host is not on the internet"]
    assert not site.asked
