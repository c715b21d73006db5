"""`make eval`: quality on real inputs with known answers, each beside its baselines in the same run."""

import importlib
import sys
from collections.abc import Sequence

from tests.conftest import SHARED

MODULES = (
    "evaluate_summaries",
    "evaluate_survival",
    "evaluate_search",
    "evaluate_tree",
    "evaluate_topics",
    "evaluate_secrets",
    "evaluate_poison",
)


def main(arguments: Sequence[str]) -> int:
    if not SHARED.is_dir():
        print(f"skipped: the data sets are not at {SHARED}")
        return 0
    for name in MODULES:
        if arguments and not any(word in name for word in arguments):
            continue
        print(f"{name}", flush=True)
        for label, value, comparison in importlib.import_module(f"tests.benchmarks.{name}").rows():
            print(f"  {label:<48} {value:>10}  {comparison}", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
