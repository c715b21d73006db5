"""Secrets are found by shape, never returned, and clean text stays quiet."""

import hashlib
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import Damaged
from engine.text import pattern_file, secrets
from engine.text.secrets import detector
from engine.text.secrets.detector import SecretFound, find_secrets, redact
from engine.text.secrets.rules import rules
from tests.engine.text.secrets.harmless import lines as harmless_lines
from tests.engine.text.secrets.harmless_notes import ODD
from tests.engine.text.secrets.harmless_notes import notes as harmless_notes
from tests.engine.text.secrets.kinds import SELF_EVIDENT, Case, cases, kinds
from tests.engine.text.secrets.makers import filled
from tests.turn import examples, part

HOSTS = (
    "postgres://app:{}@db1.internal:5432/x",
    "postgres://app:{}@app.abc123.eu-west-1.rds.amazonaws.com/app",
    "postgresql://app:{}@ep-cool-1.eu.aws.neon.tech/app",
    "postgres://postgres:{}@db.abcd.supabase.co:5432/postgres",
    "rediss://default:{}@eu1-cool.upstash.io:6379",
    "mongodb+srv://app:{}@cluster0.abc.mongodb.net/app",
    "mongodb://app:{}@h1:27017,h2:27017/app?replicaSet=a",
    "redis://:{}@10.0.0.7:6379/0",
    "postgres://app:{}@localhost:5432/app",
    "mysql://root:{}@172.17.0.2/shop",
    "mysql://root:{}@mariadb:3306/shop",
    "https://9f86d081884c7d659a2feaa0c55ad015:{}@o1.ingest.sentry.io/2",
    "https://ana:{}@github.com/a/b.git",
    "postgres://app:{}@db.example.com/x",
)


@pytest.fixture(scope="module")
def every_case() -> list[Case]:
    return list(cases())


@pytest.fixture(scope="module")
def found_cases(every_case: list[Case]) -> frozenset[Case]:
    return frozenset(case for case in every_case if find_secrets(case.text))


def test_recall_over_every_kind_is_at_least_97_percent(every_case: list[Case], found_cases: frozenset[Case]) -> None:
    missed = [(case.kind, case.text) for case in every_case if case not in found_cases]
    assert len(kinds()) >= 120
    assert len(missed) <= 0.03 * len(every_case), missed[:20]


def test_redacting_leaves_nothing_of_a_secret_behind(every_case: list[Case], found_cases: frozenset[Case]) -> None:
    left = []
    for case in every_case:
        if case not in found_cases or case.kind.startswith(("seed phrase", "visa", "mastercard", "amex", "card")):
            continue
        shown = redact(case.text)
        core = case.secret.rsplit("/", 1)[-1] if "://" in case.secret else case.secret
        if any(core[at : at + 10] in shown for at in range(0, len(core) - 10, 5)):
            left.append((case.kind, case.text, shown))
    assert len(left) <= 0.01 * len(every_case), left[:10]


@pytest.mark.sampled(1)
def test_whatever_the_secret_redacting_once_is_redacting_for_good(every_case: list[Case]) -> None:
    for case in part(every_case):
        for keep_lines in (False, True):
            clean = redact(case.text, keep_lines=keep_lines)
            assert find_secrets(clean) == (), (case.kind, clean)
            assert redact(clean, keep_lines=keep_lines) == clean


def test_no_harmless_line_of_two_thousand_is_taken_for_a_secret() -> None:
    alarms = [(kind, line, found) for kind, line in harmless_lines() if (found := find_secrets(line))]
    assert not alarms, alarms[:10]


def test_no_harmless_note_of_several_lines_is_taken_for_one_with_a_secret() -> None:
    """Headings that announce a secret, with lists, tables and prose below, in ten languages."""
    made = list(harmless_notes())
    alarms = [(note[hit.start : hit.end], note) for _, note in made for hit in find_secrets(note)]
    assert len(made) >= 300 and len({language for language, _ in made}) == 10
    assert not alarms, alarms[:10]


@pytest.mark.parametrize("heading", ["login [project]", "Password", "token", "API key", "credentials", "PIN", "senha"])
def test_a_heading_takes_nothing_from_the_next_line(heading: str) -> None:
    for below in ("- zebra0 moved into stable0", *(f"- {odd}" for odd in ODD), "the key2door is there\n"):
        assert find_secrets(f"## {heading}\n{below}") == ()


@pytest.mark.parametrize("host", HOSTS)
def test_a_redacted_connection_string_is_clean(host: str) -> None:
    text = f"DATABASE_URL is {host.format('Xk29sLq81mZa')} since today"
    clean = redact(text)
    assert "Xk29sLq81mZa" not in clean
    assert find_secrets(clean) == ()


@pytest.mark.parametrize(
    "text",
    [
        "⟨secret: hunter2-Xk29sLq81⟩",
        "password: ⟨secret: hunter2-Xk29sLq81⟩",
        "⟨secret: x⟩ password: hunter2-Xk29sLq81",
        "password: ⟨secret: x⟩hunter2-Xk29sLq81",
        "password: ⟨secret: password⟩hunter2-Xk29sLq81",
        "password: ⟨secret: password⟩ hunter2-Xk29sLq81",
        "the password is ⟨secret: password⟩ hunter2-Xk29sLq81",
        'password = "⟨secret: github⟩hunter2-Xk29sLq81"',
        "⟨secret: password: hunter2-Xk29sLq81",
    ],
)
def test_a_forged_mark_hides_nothing(text: str) -> None:
    clean = redact(text)
    assert "hunter2" not in clean and "Xk29" not in clean
    assert find_secrets(clean) == ()


def test_a_mark_of_ours_is_no_secret_and_stays() -> None:
    for name in {rule.name for rule in rules().all}:
        for text in (
            f"⟨secret: {name}⟩",
            f"password: ⟨secret: {name}⟩",
            f"postgres://app:⟨secret: {name}⟩@db1.internal:5432/x",
        ):
            assert find_secrets(text) == ()


def test_each_kind_alone_is_found_at_least_eight_times_in_ten(
    every_case: list[Case], found_cases: frozenset[Case]
) -> None:
    by_kind: dict[str, list[bool]] = {}
    for case in every_case:
        by_kind.setdefault(case.kind, []).append(case in found_cases)
    weak = {kind: sum(hits) / len(hits) for kind, hits in by_kind.items() if sum(hits) < 0.8 * len(hits)}
    assert len(weak) <= 0.02 * len(by_kind), weak


@pytest.mark.parametrize(
    "folder",
    ["memaware/memory", "memaware/raw", "memorybank-en", "memorybank-cn"],
    ids=lambda name: name.split("/")[-1],
)
def test_clean_logs_raise_at_most_one_false_alarm_in_a_thousand_lines(shared_data: Path, folder: str) -> None:
    texts = [path.read_text(encoding="utf-8") for path in (shared_data / folder).rglob("*.md")]
    lines = sum(text.count("\n") for text in texts)
    alarms = [(text[max(0, hit.start - 30) : hit.end], hit.rule) for text in texts for hit in find_secrets(text)]
    assert lines > 1_000
    assert len(alarms) <= lines / 1_000, alarms[:10]


@pytest.mark.parametrize(
    "line",
    [
        "password: required",
        "The password is incorrect, try again",
        "the password is case-sensitive and your own",
        "Password: ********",
        "password=${DB_PASSWORD}",
        "api_key: <your-api-key>",
        "token: your-token-goes-here-123",
        "tokens_in: 445",
        "tokenizer: o200k_base",
        "token budget: 200000",
        "secret_file: /etc/app/secret.yaml",
        "password changed: 2026-03-15T03:00:00Z",
        "api_key = os.environ['API_KEY']",
        "token = await get_access_token(session)",
        "postgres://user:password@localhost/db",
        "https://example.com:8080/path?x=1@2",
        "Authorization: see the wiki page",
        "We talked about secrets, tokens and passwords all day.",
        "sk-learn is a library, sk-something is a class",
        "-----BEGIN PRIVATE KEY----- is how such a file begins",
        "⟨secret: github⟩",
        "password: ⟨secret: password⟩",
        "密码是什么？",
        "commit 1d229271928d3f9e2bb0375bd6ce5db6c6d348d9",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "id: 550e8400-e29b-41d4-a716-446655440000",
    ],
)
def test_ordinary_text_and_placeholders_stay_quiet(line: str) -> None:
    assert find_secrets(line) == ()


def test_a_finding_says_where_and_never_what() -> None:
    secret = SELF_EVIDENT["github classic"](random.Random(1))
    text = f"第一行\r\n\r\nkey 密: {secret}, and\n"
    (found,) = find_secrets(text)
    assert text[found.start : found.end] == secret
    assert (found.rule, found.line) == ("github", 3)
    assert secret[4:12] not in repr(found) + str(found)
    assert SecretFound.__struct_fields__ == ("start", "end", "rule", "line")


def test_several_secrets_keep_order_and_places_and_overlaps_are_one() -> None:
    rnd = random.Random(2)
    one, two = SELF_EVIDENT["anthropic"](rnd), SELF_EVIDENT["npm"](rnd)
    text = f'ÄÖ api_key = "{one}"\n😀 {two} {two}\n'
    found = find_secrets(text)
    assert [(hit.rule, hit.line) for hit in found] == [("anthropic", 1), ("npm", 2), ("npm", 2)]
    assert redact(text) == 'ÄÖ api_key = "⟨secret: anthropic⟩"\n😀 ⟨secret: npm⟩ ⟨secret: npm⟩\n'


def test_the_whole_body_of_a_key_goes_also_where_its_end_is_missing() -> None:
    whole = SELF_EVIDENT["rsa"](random.Random(3))
    assert redact(f"before\n{whole}\nafter") == "before\n⟨secret: private-key⟩\nafter"
    cut = whole.rsplit("\n", 1)[0]
    assert redact(f"before\n{cut}\n") == "before\n⟨secret: private-key⟩\n"


PIECES = st.sampled_from(
    [
        "password",
        "token",
        "contraseña",
        " is ",
        " es ",
        "=",
        ": ",
        "sk-",
        "ghp_",
        "://",
        "@",
        "a1B2",
        "Xk29sLq81!mZ",
        "\n",
        "eyJ",
        ".",
        '"',
        "x" * 40,
        "⟨secret: password⟩",
        "⟨secret: ",
        "⟩",
        "\0",
        "\u200b",
        "ｐａｓｓ",
        "|",
        "|---|\n",
        "postgres://app:",
        "@db1:5432/x",
        "curl -u a:",
        "Cookie: a=b; ",
        "4111 1111 1111 1111",
        " ",
    ]
)


@settings(max_examples=examples(300))
@given(st.one_of(st.text(max_size=300), st.lists(st.one_of(PIECES, st.text(max_size=12)), max_size=40).map("".join)))
def test_what_is_redacted_holds_no_secret_and_redacting_twice_changes_nothing(text: str) -> None:
    for keep_lines in (False, True):
        once = redact(text, keep_lines=keep_lines)
        assert find_secrets(once) == ()
        assert redact(once, keep_lines=keep_lines) == once
    assert redact(text, keep_lines=True).count("\n") == text.count("\n")
    assert redact("\ud800" + text) is not None


@pytest.mark.parametrize(
    "text", ["password: " * 300 + "Xk29sLq81!mZ ", "| token " * 200 + "|\n|-|\n| Xk29sLq81!mZ |\n" * 20]
)
def test_text_made_to_yield_one_secret_after_the_other_ends_clean(text: str) -> None:
    assert find_secrets(redact(text)) == ()


def test_every_rule_finds_its_sample_and_not_its_counter_sample() -> None:
    rnd = random.Random(5)
    for number, rule in enumerate(rules().all):
        for _ in range(5):
            sample = filled(rule.sample, rnd)
            assert is_found_by(number, sample), (rule.name, sample)
            assert find_secrets(sample), (rule.name, sample)
        counter = filled(rule.counter, rnd)
        assert not is_found_by(number, counter), (rule.name, rule.pattern, counter)


def is_found_by(number: int, text: str) -> bool:
    return number in {one for _, _, one in detector._spans(text)}


def test_a_file_of_rules_that_is_wrong_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    good = (
        b"heads = ['secret']\n[parts]\nwords = 'pass'\nplaces = 'pass'\nheading = 'pass'\n[[rules]]\nname = 'one'\n"
        b"pattern = 'a%{edge}'\nsample = 'a'\ncounter = 'b'\n"
    )
    whole = good.replace(b"%{edge}", b"")
    names = pattern_file.source("engine.text.secrets", "names.toml")
    data = good
    monkeypatch.setattr(pattern_file, "source", lambda _, name: names if name == "names.toml" else data)
    with pytest.raises(Damaged, match=r"rules\.toml, parts: no part is called edge"):
        rules.__wrapped__()
    data = whole
    assert rules.__wrapped__().all[0].name == "one"
    for wrong in (b"name = 'One'", b"name = 'one'\nmore = 1", b"name = 'one'\ndoubt = 'some'"):
        data = whole.replace(b"name = 'one'", wrong)
        with pytest.raises(Damaged, match=r"rules\.toml, rules\[0\]"):
            rules.__wrapped__()


def test_the_words_of_seed_phrases_are_the_english_list_of_bip_39() -> None:
    data = (Path(secrets.__file__).parent / "seed_words" / "english.txt").read_bytes()
    assert hashlib.sha256(data).hexdigest() == "2f5eed53a4727b4bf8880d8f3f199efc90e58503646d9ff8eff3a2ed3b24dbda"


@given(
    st.lists(
        st.sampled_from(["password", " is ", "=", ": ", "sk-", "://", "@", "a1B2", "\n", "eyJ", ".", '"', "x" * 40])
    )
)
def test_spans_are_in_order_apart_and_inside(parts: list[str]) -> None:
    text = "".join(parts)
    end = 0
    for found in find_secrets(text):
        assert end <= found.start < found.end <= len(text)
        assert found.line == text.count("\n", 0, found.start) + 1
        end = found.end


def hostile(size: int) -> str:
    rnd = random.Random(7)
    parts = [
        "password",
        "sk-",
        "AKIA",
        "eyJ",
        "abcDEF0123",
        ".",
        ":",
        " is ",
        "=",
        "://",
        "@",
        "\n",
        "token",
        "-----BEGIN ",
    ]
    return "".join(rnd.choice(parts) for _ in range(size))


@pytest.mark.sampled(4)
@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "text",
    [
        hostile(80_000),
        "password is " * 80_000,
        "-----BEGIN PRIVATE KEY-----\n" * 40_000,
        "a" * 2_000_000,
        ("password=/" + "_a" * 20_000 + "! ") * 4,
        ("token: " + "a." * 20_000 + "@ ") * 4,
        "password=" + "aB3$" * 200_000,
    ],
    ids=["parts", "words", "headers", "one letter", "underscores", "dots", "one value"],
)
def test_hostile_repetition_ends(text: str) -> None:
    assert all(0 <= found.start < found.end <= len(text) for found in find_secrets(text))


def test_rules_have_names_fit_for_the_screen() -> None:
    assert all(rule.name.replace("-", "").isalpha() for rule in rules().all)
    assert len({rule.name for rule in rules().all}) >= 40
