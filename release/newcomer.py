"""Does what a newcomer does, in a clean home: `python -m release.newcomer [PACKAGE]` installs memdeck from the package
index into an environment of its own, makes the demonstration, looks at it, plans, and finds the man page."""

import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

ROOT = Path(__file__).resolve().parents[1]


def main(package: str = str(ROOT)) -> int:
    if Path(package).exists():
        package = str(Path(package).resolve())
    with TemporaryDirectory() as base:
        home, place = Path(base) / "home", Path(base) / "env"
        home.mkdir()
        env = {"HOME": str(home), "LANG": "C.UTF-8", "PATH": os.environ.get("PATH", "/usr/bin:/bin")}
        pip = {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SSL_"))}
        _ran([sys.executable, "-m", "venv", str(place)], env)
        command, python, silas = str(place / "bin" / "memdeck"), str(place / "bin" / "python"), str(home / "silas")
        began = monotonic()
        _ran([python, "-m", "pip", "install", "--quiet", package], env | pip)
        sys.stdout.write(f"installed in {monotonic() - began:.0f} s\n")
        _ran([command, "demo", "--no-open", "--dir", silas], env)
        status = json.loads(_ran([command, "-w", silas, "status", "--json"], env))
        _ran([command, "-w", silas, "plan", "tree"], env)
        _ran([command, "-w", silas, "search", "billing"], env)
        _ran([command, "-w", silas, "check", "--deep"], env)
        _ran([command, "--install-completion", "bash"], env)
        _ran([python, "-I", "-c", "from memdeck import Memory"], env)
        if not (place / "share/man/man1/memdeck.1").is_file():
            sys.exit("the man page is not installed")
    sys.stdout.write(
        f"Python {sys.version.split()[0]} on {sys.platform} works; degraded: {status['degraded'] or 'nothing'}\n"
    )
    return 0


def _ran(command: list[str], env: dict[str, str]) -> str:
    done = subprocess.run(command, cwd=env["HOME"], env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}: {done.stderr.strip()}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
