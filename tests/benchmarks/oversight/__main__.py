"""`make DIR SEALED [SEED]`, `play DIR`, `tell DIR SEALED`, `flags DIR [TRIALS]`."""

import secrets
import sys
from datetime import date
from pathlib import Path

from tests.benchmarks.oversight.flags import flag_counts
from tests.benchmarks.oversight.play import play
from tests.benchmarks.oversight.trial import make, outcome, told

TODAY = date(2026, 11, 29)


def main(arguments: list[str]) -> None:
    match arguments:
        case ["make", folder, sealed, *seed]:
            digest = make(Path(folder), Path(sealed), *(seed or [secrets.token_hex(8)]))
            print(f"100 items wait in {folder}/silas; the answers are sealed: sha256 {digest}")
        case ["play", folder]:
            play(Path(folder))
        case ["tell", folder, sealed]:
            print("\n".join(told(outcome(Path(folder), Path(sealed)), Path(folder))))
        case ["flags", folder, *trials]:
            for harm, (many, flagged) in flag_counts(Path(folder, "silas"), int((*trials, "30")[0]), TODAY).items():
                print(f"{'planted' if harm else 'others'}: {flagged:,} of {many:,} flagged, {flagged / many:.1%}")
        case _:
            raise SystemExit(__doc__)


main(sys.argv[1:])
