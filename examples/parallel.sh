#!/usr/bin/env bash
# A batch through GNU parallel, order kept: parallel.sh BOARDS OUT.jsonl [OPTION OF PARALLEL]…
#
# On this machine a process for each core; on others as well with, for instance, `--sshlogin 8/ana,8/bob` (asp-solve must be on
# their PATH; parallel sends each block by ssh and brings the objects back). A process that is killed, or a machine that is
# lost, costs its block: parallel does it again, elsewhere if it can.
set -euo pipefail
boards=$1 out=$2
shift 2

# 2 and 3 say that a line was bad, or was given up: its object says why, and doing it again would change nothing. But there is
# an object for each line, or the run was broken off.
block='in=$(mktemp) out=$(mktemp); cat > $in; asp-solve - --batch --threads 1 < $in > $out; code=$?
  cat $out; lines=$(grep -acvE "^[[:space:]]*(%|$)" $in); objects=$(wc -l < $out); rm $in $out
  test $code -le 3 -a $objects -eq $lines'
# Not --pipepart: some versions try a block again without its lines, and say nothing.
parallel --pipe --block "${BLOCK:-1M}" --keep-order --retries 4 "$@" "$block" < "$boards" > "$out"
