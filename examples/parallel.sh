#!/usr/bin/env bash
# A batch through GNU parallel, in order: parallel.sh BOARDS OUT.jsonl [OPTION OF PARALLEL]…
#
# Runs a process for each core of this machine, and of others with, for instance,
# `--sshlogin 8/ana,8/bob` (asp-solve must be on their PATH; parallel sends each block by ssh and returns
# the objects). If a process is killed or a machine is lost, parallel repeats its block, elsewhere if
# possible. ASP_SOLVE_OPTIONS may have options of asp-solve.
set -euo pipefail
boards=$1 out=$2
shift 2

# Exit codes 2 and 3 mean that a line was invalid or its search gave up; its object says why, and a
# repetition would change nothing. Without the totals ("200 lines: 198 solved, …"), the run was interrupted.
export ASP_SOLVE_OPTIONS=${ASP_SOLVE_OPTIONS-}
block='in=$(mktemp) out=$(mktemp) log=$(mktemp); cat > $in
  asp-solve $in --batch --threads 1 $ASP_SOLVE_OPTIONS --output $out 2> $log; code=$?
  cat $out; cat $log >&2; grep -qE "^[0-9,]+ lines?: " $log; totals=$?; rm $in $out $log
  test $code -eq 0 || test $code -le 3 -a $totals -eq 0'
# Not --pipepart: some versions silently repeat a block without its lines.
parallel --pipe --block "${BLOCK:-1M}" --keep-order --retries 4 --env ASP_SOLVE_OPTIONS "$@" "$block" < "$boards" > "$out"
