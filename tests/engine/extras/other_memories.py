"""Memories as other tools keep them: for each kind its files, and what is in them and what is none."""

import json
from typing import NamedTuple

LIKES, RULE = "The operator prefers bullet lists over prose.", "Never force-push to main."
FACT = "The billing service listens on port 5432."
SECRET = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"


class Kept(NamedTuple):
    """The files of a tool, the words that an import takes (each by the path it goes to), and what is left out."""

    files: dict[str, bytes]
    taken: dict[str, str]
    left_out: int


_CLAUDE = {
    "-home-me-app/memory/MEMORY.md": (
        f"- [Testing](feedback_testing.md) — how tests are run\n- [Role](user-role.md) — who they are\n\n{FACT}\n"
    ).encode(),
    "-home-me-app/memory/feedback_testing.md": (
        "---\nname: Testing\ndescription: how tests are run\ntype: feedback\n---\n"
        f"{RULE}\n\n**Why:** it lost work once.\n**How to apply:** push to a branch.\n"
    ).encode(),
    "-home-me-app/memory/user-role.md": (
        "---\nname: user-role\ndescription: who they are\nmetadata:\n  type: user\n  modified: 2026-03-02T10:00:00Z\n"
        f"---\r\n{LIKES} See [[feedback-testing]].\r\n"
    ).encode(),
}
_OPENCLAW = {
    "MEMORY.md": (
        f"# Memory\n\n## Preferences\n- {LIKES}\n\n## Services\n- {FACT}\n  - since 2026-01-05, behind the proxy\n\n"
        "## Promoted From Short-Term Memory (2026-04-05)\n\n"
        "<!-- openclaw-memory-promotion:memory:memory/2026-04-04.md:12:14 -->\n"
        "- snippet [score=0.853 recalls=4 avg=0.710 source=memory/2026-04-04.md:12-14]\n"
    ).encode(),
    "USER.md": f"# User\n\n- {LIKES}\n- Lives in Graz.\n".encode(),
    "SOUL.md": b"# Soul\n\nBe kind.\n",
    "memory/2026-03-14.md": b"## Deploy [project]\n- outcome: done\n",
    "memory/2026-03-15-cache.md": b"# Session: 2026-03-15 10:01:20 UTC\n\nuser: hi\n",
    "memory/.dreams/x.md": b"- dreamt\n",
    "DREAMS.md": b"## Light Sleep\n- dreamt\n",
}
_CODEX = {
    "MEMORY.md": (
        "# Task Group: billing\nscope: the ports of billing\napplies_to: cwd=/srv/billing; reuse_rule=this checkout\n\n"
        "## Task 1: move the port, success\n\n### rollout_summary_files\n\n- rollout_summaries/2026-03-01-billing.md "
        "(cwd=/srv/billing, thread_id=7)\n\n### keywords\n\n- billing, port, 5432\n\n"
        f"## User preferences\n\n- {LIKES} [Task 1]\n\n## Reusable knowledge\n\n- {FACT}\n- {RULE}\n"
    ).encode(),
    "memory_summary.md": b"v1\n\n- billing: see MEMORY.md\n",
    "raw_memories.md": b"- raw\n",
    "rollout_summaries/2026-03-01-billing.md": b"# Billing\n\nThe port was moved.\n",
}
_HERMES = {
    "MEMORY.md": f"{FACT}\n§\nDeploys run at night:\n- first staging\n- then production\n".encode(),
    "USER.md": f"{LIKES}\n§\n{LIKES}\n".encode(),
    "SOUL.md": b"Be brief.\n",
}
_GEMINI = {
    "GEMINI.md": f"# Rules\n\n- Use tabs.\n\n## Gemini Added Memories\n- {LIKES}\n- Lives in Graz.\n".encode(),
    "tmp/abc/memory/MEMORY.md": f"# Project\n\n- {FACT}\n".encode(),
}
_AGENT = {
    "agents": [
        {
            "name": "sam",
            "blocks": [{"label": "human", "value": f"{LIKES}\nLives in Graz."}, {"label": "persona", "value": " "}],
            "passages": [{"id": "p-1", "text": FACT, "created_at": "2026-03-01T10:00:00+00:00"}],
        }
    ]
}
_LETTA = {
    "sam.af": json.dumps(_AGENT).encode(),
    "system/human.md": f"---\ndescription: the human\nlimit: 2000\n---\n{LIKES}\n".encode(),
}
_MEM0 = {
    "export.json": json.dumps(
        {
            "results": [
                {
                    "id": "m-1",
                    "memory": LIKES,
                    "categories": ["user_preferences"],
                    "created_at": "2026-02-01T10:00:00.000000-07:00",
                },
                {"id": "m-2", "memory": FACT, "created_at": "2026-03-01T10:00:00Z"},
                {"id": "m-3", "memory": ""},
                {"id": "m-4", "memory": FACT.upper()},
            ]
        }
    ).encode(),
    "more.jsonl": b'{"id": "m-9", "text": "Lives in Graz."}\n{torn\n',
}
USER, REFERENCE = "knowledge/identity/USER.md", "knowledge/reference"
KEPT: dict[str, Kept] = {
    "claude-code-memory": Kept(
        _CLAUDE,
        {
            FACT: f"{REFERENCE}/claude-code.md",
            _CLAUDE["-home-me-app/memory/feedback_testing.md"].decode(): f"{REFERENCE}/feedback_testing.md",
            _CLAUDE["-home-me-app/memory/user-role.md"].decode(): f"{REFERENCE}/user-role.md",
        },
        2,
    ),
    "openclaw-memory": Kept(
        _OPENCLAW,
        {
            f"- {LIKES}": USER,
            "- Lives in Graz.": USER,
            f"- {FACT}\n  - since 2026-01-05, behind the proxy": f"{REFERENCE}/openclaw.md",
            _OPENCLAW["memory/2026-03-14.md"].decode(): "memory/2026-03-14.md",
            _OPENCLAW["memory/2026-03-15-cache.md"].decode(): "memory/2026-03-15-cache.md",
        },
        4,
    ),
    "codex-memory": Kept(
        _CODEX,
        {
            f"- {LIKES} [Task 1]": USER,
            f"- {FACT}": f"{REFERENCE}/codex.md",
            f"- {RULE}": f"{REFERENCE}/codex.md",
            "# Billing\n\nThe port was moved.\n": f"{REFERENCE}/2026-03-01-billing.md",
        },
        6,
    ),
    "hermes-memory": Kept(
        _HERMES,
        {
            FACT: f"{REFERENCE}/hermes.md",
            "Deploys run at night:\n- first staging\n- then production": f"{REFERENCE}/hermes.md",
            LIKES: USER,
        },
        1,
    ),
    "gemini-memory": Kept(
        _GEMINI, {f"- {LIKES}": USER, "- Lives in Graz.": USER, f"- {FACT}": f"{REFERENCE}/gemini.md"}, 1
    ),
    "letta-memory": Kept(
        _LETTA,
        {
            f"{LIKES}\nLives in Graz.": f"{REFERENCE}/human.md",
            FACT: f"{REFERENCE}/letta.md",
            _LETTA["system/human.md"].decode(): f"{REFERENCE}/human-2.md",
        },
        1,
    ),
    "mem0-memory": Kept(
        _MEM0, {LIKES: USER, FACT: f"{REFERENCE}/mem0.md", "Lives in Graz.": f"{REFERENCE}/mem0.md"}, 2
    ),
}
