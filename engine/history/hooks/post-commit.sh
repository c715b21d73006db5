#!/bin/sh
# Written by memdeck init. Brings the search index up to date behind a commit, in the background.
# The index is told by what lies on the disk, so that a deleted file leaves it, whatever the commit before was.
top=$(git rev-parse --show-toplevel) || exit 0
case $0 in
*post-merge) changed=merged ;;
*) changed=$(git diff-tree -r -m --root --no-commit-id --name-only HEAD -- \
    knowledge raw/conversations topics memory archive MEMORY.md | head -n 1) ;;
esac
[ -n "$changed" ] || exit 0
command -v memdeck >/dev/null 2>&1 || exit 0
unset $(git rev-parse --local-env-vars)
memdeck --workspace "$top" index </dev/null >/dev/null 2>&1 &
exit 0
