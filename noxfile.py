"""Other Pythons than that of the checkout: `nox` runs the core's tests and a newcomer's steps on each that is there."""

import nox

nox.options.error_on_missing_interpreters = False
nox.options.default_venv_backend = "venv"


@nox.session(python=["3.11", "3.12", "3.13", "3.14"])
def core(session: nox.Session) -> None:
    """The tests of the core, on the locked dependencies; arguments go to pytest."""
    session.install("--require-hashes", "-r", "locks/dev.txt")
    session.install("--no-deps", "--no-build-isolation", "--editable", ".")
    session.run("python", "-m", "tests.core_alone", *(session.posargs or ["-n", "auto", "--dist", "worksteal"]))


@nox.session(python=["3.11", "3.12", "3.13", "3.14"])
def newcomer(session: nox.Session) -> None:
    """The package in a clean home, its dependencies resolved anew."""
    session.run("python", "-m", "release.newcomer", *session.posargs)
