#!/bin/sh
# Written by memdeck init. A merge without conflicts is checked like any commit.
hook=$(dirname -- "$0")/pre-commit
[ ! -x "$hook" ] || exec "$hook"
