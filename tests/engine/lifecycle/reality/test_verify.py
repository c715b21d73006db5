"""Verifying memory: each kind of claim with each verdict that it can have, its plan, and that nothing leads outside."""

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.lifecycle.reality.claim import claims_in
from engine.lifecycle.reality.judgement import ClaimJudge, ClaimVerdict, _admits
from engine.lifecycle.reality.repository_view import RepositoryView
from engine.lifecycle.requests import VerifyRequest
from engine.plans.plan import Replace, RiskTier
from engine.plans.planning import PlanRequest
from engine.services.engine import Engine
from engine.services.reality import VerifiedMemory
from engine.workspace.paths import WorkspaceRoot
from tests.engine.approved import applied
from tests.engine.history.repos import git, write
from tests.engine.lifecycle.reality.shop import made_memory, made_shop
from tests.turn import examples

NOW = datetime(2026, 3, 20, 9, 0, tzinfo=UTC)
CASES = """
- `src/app/main.py` starts it | path holds src/app/main.py
- see `/src/app/main.py` for it | path holds src/app/main.py
- see `app/main.py:12` for it | path holds src/app/main.py
- `src/app/*.py`, `src/app/never_…` and `src/app/{a,b}.py` |
- the code is in src/util/ | path holds src/util
- `src/app/ledger.py` has the ledger | path moved src/app/ledger.py
- `lib/main.py` starts it | path moved src/app/main.py
- `src/app/old.py` is the old way | path gone src/app/old.py
- `src/app/never.py` does it | path gone
- `dist/bundle.js` is served | path cannot tell
- `billing/run.py` of the other team | path cannot tell
- `../secret.py` and `/etc/passwd` |
- use Node.js and/or v1.2/3.4, e.g. TCP/IP |
- run `make test` first | command holds Makefile:1
- run `make deploy` first | command gone
- run `make build` first | command moved package.json:5
- `npm run build` makes it | command holds package.json:5
- npm run release makes it | command gone
- `cargo run --bin shop` starts it | command cannot tell
- done in commit {first} | commit holds commit {first}
- done in commit 0123abc | commit gone
- session 0123abcd is over |
- branch `feature/tax` waits | branch holds feature/tax
- branch `feature/old` waits | branch gone
- React 18 draws it | version holds package.json:9
- React 17.0 draws it | version differs package.json:9
- Python 3.12 runs it | version holds pyproject.toml:4
- Python 3.9 runs it | version differs pyproject.toml:4
- Version: 2.3.0 | version holds package.json:3
- Version: 2.2.0 | version differs package.json:3
- `line-length = 100` | setting holds pyproject.toml:9
- `line-length = 80` | setting differs pyproject.toml:9
- it listens on port 8000 | port holds src/app/main.py:1
- the postgres database is on port 5433 | port differs .env.example:1
- something is on port 9999 | port cannot tell
- the discount holds until 2026-04-01 | date holds
- the discount holds until 2026-02-01 | date gone
- due 2026-02-31 | date gone
- see https://example.org/a?b=c. | url cannot tell
- see http://[bad | url gone
- ask [[ana]] | link holds knowledge/people/ana.md
- ask [[bob]] | link gone
- see [it](knowledge/reference/deploy.md) | link moved knowledge/reference/a/deploy.md
"""
ROWS = [
    tuple(row[2:].split(" | ")) if " | " in row else (row[2:].rstrip(" |"), "") for row in CASES.strip().split("\n")
]


@pytest.fixture(scope="module")
def verified(tmp_path_factory: pytest.TempPathFactory) -> tuple[VerifiedMemory, str]:
    """All cases as lines of one memory, below its five first lines."""
    repository, first = made_shop(tmp_path_factory.mktemp("shop") / "shop")
    lines = "".join(f"\n- {row}\n" for row, _ in ROWS).replace("{first}", first[:9])
    people = "\n## People\n- **Ana**: leads\n- **Bob**: writes\n"
    workspace = made_memory(tmp_path_factory.mktemp("agent") / "agent", lines + people)
    with Engine.open(workspace, clock=lambda: NOW) as console:
        return console.reality.verify(str(repository)), first[:9]


@pytest.mark.parametrize("at", range(len(ROWS)), ids=lambda at: ROWS[at][0][:40])
def test_each_kind_of_claim_has_its_verdict_and_its_place(verified: tuple[VerifiedMemory, str], at: int) -> None:
    memory, first = verified
    found = [one for one in memory.claims if one.claim.line == 5 + 2 * at]
    told = [f"{one.claim.kind} {one.verdict} {one.there}".strip() for one in found]
    assert told == list(filter(None, [ROWS[at][1].replace("{first}", first)])), ROWS[at][0]


def test_a_person_without_a_file_is_told(verified: tuple[VerifiedMemory, str]) -> None:
    names = {one.claim.text: one.verdict for one in verified[0].claims if one.claim.kind == "name"}
    assert names == {"Ana": ClaimVerdict.HOLDS, "Bob": ClaimVerdict.GONE}


def test_the_plan_marks_what_is_gone_and_puts_right_what_is_named(tmp_path: Path) -> None:
    repository, _ = made_shop(tmp_path / "shop")
    lines = "- run `make deploy`, then [[bob]]\n- `src/app/ledger.py`\n```\nmake deploy\n```\n"
    workspace = made_memory(tmp_path / "agent", lines)
    write(workspace, {"memory/2026-03-01.md": "Today `src/app/main.py` calls `make deploy`.\n"})
    with Engine.open(workspace, clock=lambda: NOW) as console:
        asked = VerifyRequest(repository=str(repository))
        plan = console.plans.make("verify", PlanRequest(asked)).plan
        assert plan is not None
        (change,) = plan.changes
        assert isinstance(change, Replace)
        assert (change.path, change.risk_tier) == ("MEMORY.md", RiskTier.C)
        before = (workspace / "MEMORY.md").read_text()
        marked = before.replace("`make deploy`,", "`make deploy` [?],").replace("[[bob]]", "[[bob]] [?]")
        assert change.content == marked
        applied(console, plan)
        assert console.plans.make("verify", PlanRequest(asked)).plan is None, "a mark is made once"
        asked = VerifyRequest(repository=str(repository), take=("MEMORY.md:5",))
        plan = console.plans.make("verify", PlanRequest(asked)).plan
        assert plan is not None
        applied(console, plan)
    assert (workspace / "MEMORY.md").read_text() == marked.replace("ledger.py", "book.py")


def test_what_held_and_no_longer_does_is_new_and_no_note_changes(tmp_path: Path) -> None:
    repository, _ = made_shop(tmp_path / "shop")
    workspace, at = made_memory(tmp_path / "agent", "- `docs/guide.md` says how\n- `src/app/old.py`\n"), [NOW]
    notes = {path: path.read_bytes() for path in workspace.rglob("*.md")}
    with Engine.open(workspace, clock=lambda: at[0]) as console:
        first = console.reality.verify(str(repository))
        assert not first.before and not any(map(first.is_news, first.claims))
        git(repository, "rm", "-q", "docs/guide.md")
        git(repository, "commit", "-q", "-m", "no guide")
        at[0] += timedelta(days=7)
        then = console.reality.verify(str(repository))
    assert [one.claim.text for one in then.claims if then.is_news(one)] == ["docs/guide.md"]
    assert then.before["MEMORY.md:4"].at == NOW
    assert notes == {path: path.read_bytes() for path in workspace.rglob("*.md")}


def test_the_repository_is_the_policys_or_the_one_around_the_workspace(tmp_path: Path) -> None:
    repository, _ = made_shop(tmp_path / "shop")
    inside, beside = (made_memory(place, "") for place in (repository / "agent", tmp_path / "agent"))
    write(tmp_path, {"config/memdeck/policy.yaml": f"verify: {{repositories: {{{beside}: {repository}}}}}\n"})
    env = {**os.environ, "XDG_CONFIG_HOME": str(tmp_path / "config")}
    for workspace in (inside, beside):
        with Engine.open(workspace, env=env, clock=lambda: NOW) as console:
            memory = console.reality.verify()
        wanted = (
            str(inside) if workspace == inside else str(repository)
        )  # a repository above is asked for by name alone
        assert memory.repository == wanted


def test_a_folder_without_git_is_enough_and_links_lead_nowhere(tmp_path: Path) -> None:
    folder = tmp_path / "plain"
    write(folder, {"src/a.py": "", "Makefile": "run:\n"})
    write(tmp_path, {"outside/secret.py": ""})
    (folder / "src" / "out").symlink_to(tmp_path / "outside")
    workspace = made_memory(
        tmp_path / "agent", "`src/a.py` `make run` `src/out/secret.py` `src/../../outside/secret.py`\n"
    )
    with Engine.open(workspace, clock=lambda: NOW) as console:
        memory = console.reality.verify(str(folder))
    told = {one.claim.text: one.verdict.value for one in memory.claims}
    assert not memory.git
    assert told["src/a.py"] == told["run"] == "holds"
    assert "holds" not in {told["src/out/secret.py"], told.get("src/../../outside/secret.py", "")}


def test_an_answer_holds_no_secret(tmp_path: Path) -> None:
    secret = "ghp_" + "a1B2" * 9
    repository, _ = made_shop(tmp_path / "shop")
    write(repository, {"deploy.yaml": f"token: {secret}\n"})
    workspace = made_memory(tmp_path / "agent", f"- `token: other` and `make {secret}` with {secret}\n")
    with Engine.open(workspace, clock=lambda: NOW) as console:
        memory = console.reality.verify(str(repository))
        outcome = console.plans.make("verify", PlanRequest(VerifyRequest(repository=str(repository))))
    assert [one.verdict.value for one in memory.claims if one.claim.line == 4]
    assert secret not in repr(memory.claims) + outcome.report + repr(outcome.plan and outcome.plan.changes[0].reason)


def test_nothing_that_the_repository_names_is_executed(tmp_path: Path) -> None:
    repository, _ = made_shop(tmp_path / "shop")
    ran = tmp_path / "ran"
    command = f"touch {ran}"
    for key in (
        "core.fsmonitor",
        "core.sshCommand",
        "diff.external",
        "core.pager",
        "filter.x.clean",
        "diff.x.textconv",
    ):
        git(repository, "config", key, command)
    write(repository, {".gitattributes": "* filter=x diff=x\n"})
    workspace = made_memory(tmp_path / "agent", "`make test` port 8000 `src/app/old.py` commit 0123abc branch `x`\n")
    with Engine.open(workspace, clock=lambda: NOW) as console:
        assert console.reality.verify(str(repository)).git
    assert not ran.exists()


@settings(max_examples=examples(200), deadline=None)
@given(st.text(alphabet=st.sampled_from("`/.:-*[](){}<>| \n\tabc0129_~$\\'\"é版本 portcommitbranchv"), max_size=300))
def test_no_text_of_a_note_raises_or_leads_outside(text: str) -> None:
    known = dict.fromkeys(("folders", "commits", "branches", "versions", "settings"), frozenset({"a", "b", "port"}))
    rows = text.split("\n")
    for claim in claims_in("memory/a.md", text, known):
        assert rows[claim.line - 1][claim.start : claim.end] == claim.text


@settings(max_examples=examples(50), deadline=None)
@given(data=st.binary(max_size=400))
def test_no_bytes_of_a_repository_raise(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    folder = tmp_path_factory.mktemp("bytes")
    for name in ("Makefile", "package.json", "compose.yaml", "go.mod", "a.toml"):
        (folder / name).write_bytes(data)
    with WorkspaceRoot.open(folder) as root:
        judge = ClaimJudge(RepositoryView(root, None), NOW.date())
        assert all(judge.judged("a.md", "`make x` a 1 `a=1` `../b.py` `Makefile`\n" + data.decode("utf-8", "replace")))


@pytest.mark.parametrize(
    ("required", "said", "admitted"),
    [
        ("^18.2.0", "18", True),
        ("^18.2.0", "18.3", True),
        ("^18.2.0", "17.0", False),
        ("~4.2.1", "4.2.9", True),
        ("~=4.2.1", "4.3", False),
        (">=3.11", "3.12", True),
        ("3.11", "3.12", False),
        ("latest", "3", False),
    ],
)
def test_a_version_is_admitted_as_the_manifest_says(required: str, said: str, admitted: bool) -> None:
    assert _admits(required, said) is admitted
