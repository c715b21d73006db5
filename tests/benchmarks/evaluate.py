"""`make eval`: quality on real inputs with known answers, each beside its baselines in the same run."""

import argparse
import importlib
import sys
from collections.abc import Sequence

from tests.conftest import SHARED

MODULES = (
    "evaluate_summaries",
    "evaluate_content",
    "evaluate_chains",
    "evaluate_survival",
    "evaluate_reading",
    "evaluate_search",
    "evaluate_tree",
    "evaluate_claude",
    "evaluate_context",
    "evaluate_prompt24",
    "evaluate_topics",
    "evaluate_secrets",
    "evaluate_poison",
    "evaluate_extraction",
    "evaluate_condense",
    "evaluate_judged",
    "evaluate_flush",
    "evaluate_reality",
    "evaluate_forgetting",
)


WITHOUT_DATA = frozenset(
    {
        "evaluate_search",
        "evaluate_chains",
        "evaluate_extraction",
        "evaluate_claude",
        "evaluate_condense",
        "evaluate_judged",
        "evaluate_flush",
        "evaluate_forgetting",
    }
)
"""Parts that have corpora of their own, and measure on those alone where the data sets are not."""


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.evaluate", description=__doc__)
    parser.add_argument("part", nargs="*", help=f"measure only these, by a part of their name: {', '.join(MODULES)}")
    wanted = parser.parse_args(arguments).part
    for name in MODULES:
        if wanted and not any(word in name for word in wanted):
            continue
        if not SHARED.is_dir() and name not in WITHOUT_DATA:
            print(f"{name} skipped: the data sets are not at {SHARED}")
            continue
        print(f"{name}", flush=True)
        for label, value, comparison in importlib.import_module(f"tests.benchmarks.{name}").rows():
            print(f"  {label:<48} {value:>10}  {comparison}", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
