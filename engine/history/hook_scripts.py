"""The git hooks that `memdeck init` gives the agent's repository (autopoiesis §3.5, decisions D23, D24, D51).

The agent's own git runs them, memdeck's never does. They are plain `sh` and git, read staged bytes by their ids and
never a file by its name, and so hold for any name, for the first commit and for a merge.
"""

from collections.abc import Mapping

from engine.workspace.memory_md import MEMORY_MD_LINES

_WARNING, _FULL, _OVER = (lines for _, lines in MEMORY_MD_LINES)

_PRE_COMMIT = f"""#!/bin/sh
# Written by memdeck init. Checks the bytes that are about to be committed; memdeck checks its own plans likewise.
tab=$(printf '\\t')

# Mode, id and quoted name of each staged file below the patterns; what is deleted is none.
staged() {{
    git -c core.quotePath=true diff --cached --raw --no-renames --no-abbrev --diff-filter=d -- "$@"
}}

lines_of() {{
    git cat-file blob "$1" | awk 'END {{ print NR }}'
}}

check() {{
    case $1 in
    transcript)
        first=$(git cat-file blob "$2" | head -n 1 | tr -d '\\r')
        [ "$first" = "---" ] && return 0
        printf 'ERROR: %s has no frontmatter: its first line must be ---\\n' "$3" >&2
        return 1
        ;;
    memory)
        lines=$(lines_of "$2")
        if [ "$lines" -gt {_OVER} ]; then
            printf 'ERROR: %s has %s lines, {_OVER} are allowed: memdeck plan prune, then commit\\n' "$3" "$lines" >&2
            return 1
        elif [ "$lines" -gt {_FULL} ]; then
            printf 'WARNING: %s has %s lines, agents load {_FULL}: memdeck plan prune\\n' "$3" "$lines" >&2
        elif [ "$lines" -gt {_WARNING} ]; then
            printf 'WARNING: %s has %s of {_FULL} lines: memdeck plan prune\\n' "$3" "$lines" >&2
        fi
        ;;
    topic)
        git cat-file blob "$2" | grep -q '^triggers:' || printf 'WARNING: %s has no triggers\\n' "$3" >&2
        ;;
    esac
    return 0
}}

# Every file is looked at, so that one commit tells all that is wrong.
checked() {{
    kind=$1
    shift
    staged "$@" | {{
        bad=0
        while IFS= read -r row; do
            name=${{row#*"$tab"}}
            set -- ${{row%%"$tab"*}}
            case $2 in 100*) check "$kind" "$4" "$name" || bad=1 ;; esac
        done
        exit $bad
    }}
}}

failed=0
checked transcript ':(top,glob)raw/conversations/**/*.md' || failed=1
name=MEMORY.md
checked memory "knowledge/memory/$name" "$name" || failed=1
checked topic ':(top,glob)topics/**/*.md' || failed=1
exit $failed
"""

_PRE_MERGE = """#!/bin/sh
# Written by memdeck init. A merge without conflicts is checked like any commit.
hook=$(dirname -- "$0")/pre-commit
[ ! -x "$hook" ] || exec "$hook"
"""

_POST_COMMIT = """#!/bin/sh
# Written by memdeck init. Brings the search index up to date behind a commit, in the background.
# The index is told by what lies on the disk, so that a deleted file leaves it, whatever the commit before was.
top=$(git rev-parse --show-toplevel) || exit 0
case $0 in
*post-merge) changed=merged ;;
*) changed=$(git diff-tree -r -m --root --no-commit-id --name-only HEAD -- \\
    knowledge raw/conversations topics memory archive MEMORY.md | head -n 1) ;;
esac
[ -n "$changed" ] || exit 0
command -v memdeck >/dev/null 2>&1 || exit 0
unset $(git rev-parse --local-env-vars)
memdeck --workspace "$top" index </dev/null >/dev/null 2>&1 &
exit 0
"""

HOOK_FOLDER = ".git/hooks"
HOOKS: Mapping[str, str] = {
    f"{HOOK_FOLDER}/pre-commit": _PRE_COMMIT,
    f"{HOOK_FOLDER}/pre-merge-commit": _PRE_MERGE,
    f"{HOOK_FOLDER}/post-commit": _POST_COMMIT,
    f"{HOOK_FOLDER}/post-merge": _POST_COMMIT,
}
"""By its workspace-relative path, the text of each hook."""
