#!/bin/sh
# Written by memdeck init. The bytes of a commit are checked, those of memdeck's plans as well.
tab=$(printf '\t')

# Mode, id and quoted name of each staged file below the patterns; what is deleted is none.
staged() {
    git -c core.quotePath=true diff --cached --raw --no-renames --no-abbrev --diff-filter=d -- "$@"
}

lines_of() {
    git cat-file blob "$1" | awk 'END { print NR }'
}

check() {
    case $1 in
    transcript)
        first=$(git cat-file blob "$2" | head -n 1 | tr -d '\r')
        [ "$first" = "---" ] && return 0
        printf 'ERROR: %s has no frontmatter: its first line must be ---\n' "$3" >&2
        return 1
        ;;
    memory)
        lines=$(lines_of "$2")
        if [ "$lines" -gt @OVER@ ]; then
            printf 'ERROR: %s has %s lines, @OVER@ are allowed: memdeck plan prune, then commit\n' "$3" "$lines" >&2
            return 1
        elif [ "$lines" -gt @FULL@ ]; then
            printf 'WARNING: %s has %s lines, agents load @FULL@: memdeck plan prune\n' "$3" "$lines" >&2
        elif [ "$lines" -gt @WARNING@ ]; then
            printf 'WARNING: %s has %s of @FULL@ lines: memdeck plan prune\n' "$3" "$lines" >&2
        fi
        ;;
    topic)
        git cat-file blob "$2" | grep -q '^triggers:' || printf 'WARNING: %s has no triggers\n' "$3" >&2
        ;;
    esac
    return 0
}

# Every file is looked at, so that one commit tells all that is wrong.
checked() {
    kind=$1
    shift
    staged "$@" | {
        bad=0
        while IFS= read -r row; do
            name=${row#*"$tab"}
            set -- ${row%%"$tab"*}
            case $2 in 100*) check "$kind" "$4" "$name" || bad=1 ;; esac
        done
        exit $bad
    }
}

failed=0
checked transcript ':(top,glob)raw/conversations/**/*.md' || failed=1
name=MEMORY.md
checked memory "knowledge/memory/$name" "$name" || failed=1
checked topic ':(top,glob)topics/**/*.md' || failed=1
exit $failed
