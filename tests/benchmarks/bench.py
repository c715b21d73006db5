"""`make bench`: each figure as a ratio to its floor, measured within this one run.

Machines are noisy, so nothing here fails: it prints what was reached beside what to reach for.
A bench module offers `ratios()`, which returns `Figure` rows.
"""

import importlib
import sys
from collections.abc import Sequence

from tests.benchmarks.figure import Figure

MODULES = (
    "command_bench",
    "paint_bench",
    "idle_bench",
    "open_bench",
    "keys_bench",
    "disk_bench",
    "scan_bench",
    "index_bench",
    "plan_bench",
    "apply_bench",
    "tree_bench",
    "search_bench",
    "git_bench",
    "mcp_bench",
    "load_bench",
    "context_bench",
    "window_bench",
    "topics_bench",
    "burst_bench",
    "scrub_bench",
    "claude_bench",
    "replay_bench",
    "fleet_bench",
)


def figures(names: Sequence[str]) -> list[Figure]:
    """Runs the named bench modules, one after the other."""
    rows: list[Figure] = []
    for name in names:
        print(f"… {name}", file=sys.stderr, flush=True)
        rows.extend(importlib.import_module(f"tests.benchmarks.{name}").ratios())
    return rows


def main(arguments: Sequence[str]) -> int:
    chosen = [name for name in MODULES if not arguments or any(word in name for word in arguments)]
    rows = figures(chosen)
    width = max((len(row.name) for row in rows), default=0)
    for row in rows:
        verdict = "✓" if row.reached <= row.target else "▲"
        print(
            f"{verdict} {row.name:<{width}}  {row.reached:8.2f} {row.unit:<3} reach for ≤ {row.target:g}  {row.detail}"
        )
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
