#!/usr/bin/env bash
# One hard board or program in parts: cubes.sh FILE FOLDER [WORKERS [CUBES]]
#
# Splits the search into CUBES parts, gives each of the WORKERS its share, merges the results and checks
# the certificate of the whole. A worker that is killed continues after its last complete result; so does
# everything, if the script is started again with the same FOLDER. KILLS=N kills a worker N times, to show
# that. ASP_SOLVE_OPTIONS may have options of asp-solve, such as `-c n=9`, which are part of the program, and
# SEARCH_OPTIONS those about the answers, such as `--unique`.
set -euo pipefail
file=$1 folder=$2 workers=${3:-2} cubes=${4:-64}
ASP_SOLVE_OPTIONS=${ASP_SOLVE_OPTIONS-} SEARCH_OPTIONS=${SEARCH_OPTIONS-}
mkdir -p "$folder"
cd "$(dirname "$file")"
file=$PWD/$(basename "$file")
cd - > /dev/null

if [[ ! -e $folder/parts.jsonl ]]; then
  asp-solve split "$file" --into "$cubes" $ASP_SOLVE_OPTIONS -o "$folder/parts.jsonl"
  # Cubes that follow each other have much in common, and a worker learns from each for the next ones.
  split --number=l/"$workers" --numeric-suffixes "$folder/parts.jsonl" "$folder/part-"
fi

worker() {
  for _ in $(seq 1000); do
    asp-solve "$1" --batch --threads 1 --quiet --proof - $ASP_SOLVE_OPTIONS $SEARCH_OPTIONS --output "$2" --resume &
    echo $! > "$2.pid"
    code=0
    wait $! || code=$?
    # Codes above 3 are those of signals. Code 3 means that a limit was reached, which a repetition would not change.
    [[ $code -gt 3 ]] || return 0
  done
}
pids=()
for part in "$folder"/part-??; do
  worker "$part" "$folder/out-${part##*-}" &
  pids+=($!)
done
if [[ ${KILLS:-0} -gt 0 ]]; then
  for _ in $(seq "$KILLS"); do
    sleep "${KILL_EVERY:-1}"
    pid=$(cat "$folder"/out-*.pid | shuf -n 1)
    kill -9 "$pid" 2> /dev/null || true
  done
fi
wait "${pids[@]}"

code=0
asp-solve merge "$folder"/out-?? || code=$?
[[ $code -le 1 ]] || exit $code
asp-solve verify "$folder"/out-?? "$file" $ASP_SOLVE_OPTIONS
