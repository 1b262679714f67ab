#!/usr/bin/env bash
# A batch through GNU parallel, in order: parallel.sh BOARDS OUT.jsonl [OPTION OF PARALLEL]…
#
# Runs a process for each core of this machine, and of others with, for instance,
# `--sshlogin 8/ana,8/bob` (asp-solve must be on their PATH; parallel sends each block by ssh and returns
# the objects). If a process is killed or a machine is lost, parallel repeats its block, elsewhere if
# possible.
set -euo pipefail
boards=$1 out=$2
shift 2

# Exit codes 2 and 3 mean that a line was invalid or its search gave up; its object says why, and a
# repetition would change nothing. If there is not an object for each line, the run was interrupted.
block='in=$(mktemp) out=$(mktemp); cat > $in; asp-solve - --batch --threads 1 < $in > $out; code=$?
  cat $out; lines=$(grep -acvE "^[[:space:]]*(%|$)" $in); objects=$(wc -l < $out); rm $in $out
  test $code -le 3 -a $objects -eq $lines'
# Not --pipepart: some versions silently repeat a block without its lines.
parallel --pipe --block "${BLOCK:-1M}" --keep-order --retries 4 "$@" "$block" < "$boards" > "$out"
