"""The judged sets: text by an author who has not read the rules, each figure beside a keyword rule and a placebo.

`python -m tests.benchmarks.evaluate_judged choose` measures the part that may be looked at; `make eval` the part
that is held out, whose items are never printed.
"""

import sys
from collections.abc import Iterator

from tests.benchmarks import judged_entries, judged_flush, judged_pairs, judged_speakers, judged_work
from tests.benchmarks.corpora.judged import Part
from tests.benchmarks.judged_shared import Row

PARTS = (judged_speakers, judged_entries, judged_work, judged_pairs, judged_flush)


def rows(part: Part = "held") -> Iterator[Row]:
    for module in PARTS:
        yield from module.rows(part)


def main(arguments: list[str]) -> int:
    part: Part = "choose" if "choose" in arguments else "held"
    wanted = [one for one in arguments if one not in ("choose", "held")]
    for module in PARTS:
        if not wanted or any(word in module.__name__ for word in wanted):
            for label, value, comparison in module.rows(part):
                print(f"  {label:<48} {value:>13}  {comparison}", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
