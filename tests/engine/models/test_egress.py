"""The door for text that leaves: redacted whole, then cut, closed where a secret is left; and what the SDK adds."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.models import egress
from engine.models.claude import ADDRESS, Claude, ModelFailed
from engine.models.egress import Unsendable, fenced, outgoing, sealed
from engine.text.secrets.detector import find_secrets
from engine.topics.gate.claude import prompt_of
from engine.topics.gate.question import MESSAGE_LENGTH, GateQuestion
from engine.topics.topic import PatternTrigger
from tests.engine.models.loopback import KEY, Loopback, failure, loopback, message
from tests.engine.text.secrets.kinds import SELF_EVIDENT, Case, cases
from tests.engine.topics.building import topic

SCHEMA = {"type": "object"}
FOUND = [case for case in cases(2) if case.kind in SELF_EVIDENT and find_secrets(case.text)]
KINDS = {case.kind: case for case in FOUND}


@pytest.fixture
def line() -> Iterator[Loopback]:
    with loopback() as made:
        yield made


def ask(claude: Claude, prompt: str) -> None:
    claude.ask(system="Say yes.", prompt=prompt, schema=SCHEMA, max_tokens=10)


def test_no_secret_of_forty_kinds_is_in_any_request(line: Loopback) -> None:
    line.answer = lambda _asked: message('{"answer": "NO", "reason": ""}')
    assert len(KINDS) >= 40
    claude = line.claude()
    for case in KINDS.values():
        question = GateQuestion(message=case.text, topic=topic("one", PatternTrigger(match="x")), tier1=True, score=0.4)
        ask(claude, prompt_of(question))
        ask(claude, fenced("note", outgoing(f"before\n{case.text}\nbehind")))
    assert len(line.sent) == 2 * len(KINDS)
    sent = "\n".join(json.loads(one.rpartition("\n")[2])["messages"][0]["content"] for one in line.sent)
    for case in KINDS.values():
        assert case.secret not in sent, case.kind


@pytest.mark.parametrize("case", list(KINDS.values())[:12], ids=lambda case: case.kind)
def test_a_secret_over_the_cut_leaves_in_no_half(case: Case) -> None:
    """Wherever the cut falls, twelve characters of the secret in a row are not there."""
    for before in range(0, len(case.secret), 29):
        text = "x " * (2 * MESSAGE_LENGTH - before // 2) + case.text
        for most in (MESSAGE_LENGTH, 4 * MESSAGE_LENGTH):
            cut = outgoing(text, most)
            assert len(cut) <= most
            assert not any(case.secret[at : at + 12] in cut for at in range(max(1, len(case.secret) - 11)))


def test_a_secret_that_is_still_there_closes_the_door(line: Loopback, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = next(iter(KINDS.values())).text
    monkeypatch.setattr(egress, "redact", lambda text, keep_lines=False: text)
    with pytest.raises(Unsendable, match="secret") as caught:
        outgoing(secret)
    assert secret not in str(caught.value)
    with pytest.raises(ModelFailed, match="secret"):
        ask(line.claude(), secret)
    assert line.sent == []


@given(st.text(max_size=200), st.integers(0, 50))
def test_what_leaves_holds_nothing_that_is_found(text: str, most: int) -> None:
    assert sealed(outgoing(text, most)) == outgoing(text, most)
    inside = fenced("note", text).removeprefix("<note>\n").removesuffix("\n</note>")
    assert "<" not in inside and ">" not in inside


def test_the_environment_adds_no_header_no_address_and_no_other_key(
    line: Loopback, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", "X-Evil: yes\nX-Api-Key: stolen\nAuthorization: Bearer other")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "other")
    monkeypatch.setenv("ANTHROPIC_OPEN_TELEMETRY_TRACES_CONTENT_MODE", "content")
    line.answer = lambda _asked: message("{}")
    ask(line.claude(), "hello")
    (sent,) = line.sent
    lowered = sent.casefold()
    assert f"x-api-key: {KEY}" in lowered
    assert not any(word in lowered for word in ("x-evil", "stolen", "authorization", "traceparent"))
    assert Claude("m", os.environ)._url == ADDRESS, "the address is the policy's"


def test_no_redirect_is_followed(line: Loopback) -> None:
    with loopback() as other:
        line.answer = lambda _asked: failure(307)
        line.headers = {"location": f"{other.url}/v1/messages"}
        with pytest.raises(ModelFailed):
            ask(line.claude(), "hello")
        assert other.sent == []
