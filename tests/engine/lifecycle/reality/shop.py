"""A repository of a shop with its history, and a workspace whose memory speaks of it."""

from pathlib import Path

from tests.engine.history.repos import git, make_repo, write

PACKAGE = """{
  "name": "shop",
  "version": "2.3.0",
  "scripts": {
    "build": "vite build",
    "test": "vitest"
  },
  "dependencies": {
    "react": "^18.2.0",
    "left-pad": "1.1.0"
  }
}
"""
PYPROJECT = """[project]
name = "shop"
version = "2.3.0"
requires-python = ">=3.11"
dependencies = [
  "django~=4.2.1",
]
[tool.ruff]
line-length = 100
"""
FILES = {
    "Makefile": "test: lint\n\tpytest\nlint:\n\truff\nX := 1\n",
    "package.json": PACKAGE,
    "pyproject.toml": PYPROJECT,
    ".env.example": "POSTGRES_PORT=5432\n",
    ".gitignore": "dist/\n",
    "src/app/main.py": "PORT = 8000\nserve(port=8000)\n",
    "src/app/ledger.py": "ledger = []\n",
    "src/app/old.py": "old = 1\n",
    "src/util/__init__.py": "",
    "docs/guide.md": "# Guide\n",
}


def made_shop(folder: Path) -> tuple[Path, str]:
    """The repository, and its first commit; the next removes `src/app/old.py` and calls `ledger.py` `book.py`."""
    repository = make_repo(folder, FILES)
    first = git(repository, "rev-parse", "HEAD")
    git(repository, "branch", "feature/tax")
    git(repository, "rm", "-q", "src/app/old.py")
    git(repository, "mv", "src/app/ledger.py", "src/app/book.py")
    git(repository, "commit", "-q", "-m", "second")
    return repository, first


def made_memory(folder: Path, lines: str) -> Path:
    write(
        folder,
        {
            "MEMORY.md": f"# Memory\n\nThe app starts in `src/app/main.py`.\n{lines}",
            "knowledge/people/ana.md": "# Ana\n",
            "knowledge/reference/a/deploy.md": "# Deploy\n",
        },
    )
    return folder
