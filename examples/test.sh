#!/usr/bin/env bash
# Tests the engines on the same boards, and on the cubes of one program: test.sh ASP-SOLVE [BOARDS [ENGINE…]]
#
# Each must give the output of a single run, byte for byte and in order, even if a process is killed while
# it works. The certificates of the cubes must verify as one. Prints the time of each, and a warning for each
# engine that is not installed.
set -euo pipefail
program=$(realpath "$1") boards=${2:-20000}
engines=("${@:3}")
((${#engines[@]})) || engines=(parallel slurm hyperqueue spark)
here=$(dirname "$(realpath "$0")")
export WORK=$(mktemp -d)
daemons=()
trap 'for daemon in "${daemons[@]}"; do kill "$daemon" || true; done 2> /dev/null; wait; rm -rf "$WORK"' EXIT
cd "$WORK"

# Boards of eight tiles, shuffled by up to 40 moves, with ids out of order.
make_boards() {
  awk -v boards="$boards" 'BEGIN {
    srand(1)
    for (board = 0; board < boards; board++) {
      for (cell = 0; cell < 9; cell++) tile[cell] = (cell + 1) % 9
      free = 8
      for (move = int(rand() * 40); move >= 0; move--) {
        side = int(rand() * 4)
        next_ = free + (side == 0 ? -3 : side == 1 ? 3 : side == 2 ? -1 : 1)
        if (next_ < 0 || next_ > 8 || (side > 1 && int(next_ / 3) != int(free / 3))) continue
        tile[free] = tile[next_]; tile[next_] = 0; free = next_
      }
      printf "{\"id\": \"%s\", \"instance\": \"", board * 7919 % boards
      for (cell = 0; cell < 9; cell++) printf "%s%s", tile[cell], cell == 8 ? "\"}\n" : cell % 3 == 2 ? "\\n" : " "
    }
  }' > boards.jsonl
}

# The cubes of a program without an answer, whose results have certificates.
make_cubes() {
  cat > pigeons.lp << 'PROGRAM'
{ in(P,H) : H = 1..10 } = 1 :- P = 1..11.
:- H = 1..10, { in(P,H) : P = 1..11 } > 1.
PROGRAM
  asp-solve split pigeons.lp --into 64 -o boards.jsonl
  export ASP_SOLVE_OPTIONS='--proof -'
}

# This wrapper kills the first process that starts while the folder to-kill exists.
mkdir bin
cat > bin/asp-solve << 'WRAPPER'
#!/bin/sh
if rmdir "$WORK/to-kill" 2> /dev/null; then
  exec 3<&0
  "$WORK/program" "$@" <&3 3<&- & pid=$!
  sleep 0.03
  # Alternates like schedulers: SIGTERM, on which it ends with the results so far, and SIGKILL.
  if mkdir "$WORK/was-asked" 2> /dev/null; then signal=TERM; else signal=KILL; rmdir "$WORK/was-asked"; fi
  kill -"$signal" "$pid" && touch "$WORK/was-killed"
  wait "$pid"
  exit
fi
exec "$WORK/program" "$@"
WRAPPER
chmod +x bin/asp-solve
ln -s "$program" program
# Daemons are in /usr/sbin.
export PATH=$WORK/bin:$PATH:/usr/sbin PYSPARK_PYTHON=${PYTHON:=python3}

seconds() { awk -v from="$1" -v to="$(date +%s.%N)" 'BEGIN { printf "%.2f", to - from }'; }
passed=0 failed=0 skipped=0

# Solves the lines of boards.jsonl without an engine.
run_once() {
  for threads in 1 $(nproc); do
    from=$(date +%s.%N)
    asp-solve boards.jsonl --batch --threads "$threads" $ASP_SOLVE_OPTIONS > one.jsonl
    echo "$lines in one run with --threads $threads: $(seconds "$from") s"
  done
}

# try NAME COMMAND…: undisturbed, and with a process killed; the command writes the objects to out.jsonl,
# in order.
try() {
  from=$(date +%s.%N)
  judge "$@" || return 0
  echo "$1, $lines: $(seconds "$from") s"
  # The process may have finished before it is killed.
  rm -f was-killed
  local kills=0
  for _ in $(seq 10); do
    mkdir -p to-kill
    judge "$@" || return 0
    [[ ! -e was-killed ]] || kills=$((kills + 1))
    rm -f was-killed
    ((kills < 2)) || { echo "$1, $lines, a process interrupted, and one killed: nothing is lost"; return; }
  done
  ((++failed))
  echo "$1, $lines: NOTHING WAS KILLED" >&2
}

# Prints objects without what depends on the other lines of a worker: the proofs of cubes.
results() {
  sed -E 's/,"proof":.*//; s/,"steps": ?[0-9]+//' "$1"
}

judge() {
  rm -f out.jsonl
  if "${@:2}" &> log.txt && cmp <(results out.jsonl) <(results one.jsonl); then
    ((++passed))
  else
    ((++failed))
    echo "$1, $lines: IT IS NOT WHAT ONE RUN GIVES" >&2
    tail -n 20 log.txt >&2
    return 1
  fi
}

missing() {
  ((++skipped))
  echo "$1 IS NOT HERE AND WAS NOT TRIED" >&2
}

try_parallel() {
  command -v parallel > /dev/null || { missing 'GNU PARALLEL'; return; }
  local part=$(($(stat -c %s boards.jsonl) / 8))
  through_parallel() { BLOCK=$((part < 1000000 ? part : 1000000)) "$here/parallel.sh" boards.jsonl out.jsonl --will-cite; }
  try 'GNU parallel' through_parallel
}

# A cluster of this machine only, which needs no privileges and leaves nothing behind.
start_slurm() {
  mkdir slurm
  cat > slurm.conf << CONF
ClusterName=test
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmctldPort=$((20000 + RANDOM % 10000))
SlurmdPort=$((30000 + RANDOM % 10000))
AuthType=auth/munge
AuthInfo=socket=$WORK/slurm/munge
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
StateSaveLocation=$WORK/slurm
SlurmdSpoolDir=$WORK/slurm
SlurmctldPidFile=$WORK/slurm/slurmctld.pid
SlurmdPidFile=$WORK/slurm/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
SchedulerParameters=sched_min_interval=100000,batch_sched_delay=0
NodeName=$(hostname -s) NodeAddr=127.0.0.1 CPUs=$(nproc)
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
  export SLURM_CONF=$WORK/slurm.conf
  head -c 1024 /dev/urandom > slurm/key
  chmod 400 slurm/key
  munged --foreground --force --key-file="$WORK/slurm/key" --socket="$WORK/slurm/munge" --pid-file="$WORK/slurm/munge.pid" \
    --log-file="$WORK/slurm/munge.log" --seed-file="$WORK/slurm/munge.seed" &> slurm/munged.txt &
  daemons+=($!)
  slurmctld -D &> slurm/slurmctld.txt &
  daemons+=($!)
  slurmd -D &> slurm/slurmd.txt &
  daemons+=($!)
  for _ in $(seq 100); do
    [[ $(sinfo --noheader --format=%T 2> /dev/null) == idle ]] && return
    sleep 0.2
  done
  tail -n 5 slurm/*.txt >&2
  return 1
}

try_slurm() {
  for command in slurmctld slurmd munged sbatch; do
    command -v "$command" > /dev/null || { missing SLURM; return; }
  done
  [[ -e slurm.conf ]] || start_slurm || { missing 'A SLURM THAT STARTS'; return; }
  through_slurm() {
    rm -rf parts
    mkdir parts
    split --numeric-suffixes --suffix-length=4 --number=l/8 boards.jsonl parts/part-
    sbatch --array=0-7 --wait --output="$WORK/slurm.txt" "$here/slurm.sbatch" "$WORK/parts"
    cat parts/out-???? > out.jsonl
  }
  try 'a Slurm array' through_slurm
}

try_hyperqueue() {
  "$PYTHON" -c 'import hyperqueue' 2> /dev/null || { missing HYPERQUEUE; return; }
  through_hyperqueue() { "$PYTHON" "$here/hyperqueue_batch.py" boards.jsonl out.jsonl $(($(wc -l < boards.jsonl) / 8 + 1)); }
  try HyperQueue through_hyperqueue
  # Kill the driver itself and start it again.
  rm -f out.jsonl
  through_hyperqueue &> log.txt & driver=$!
  for _ in $(seq 200); do
    if [[ -s $(echo out.jsonl.*.parts/out-0) ]]; then break; fi
    sleep 0.05
  done
  pkill -KILL -P "$driver" || true
  wait "$driver" || true
  local kept
  kept=$(cat out.jsonl.*.parts/out-* | wc -l)
  ((kept > 0)) || { ((++failed)); echo 'HyperQueue: NOTHING IS KEPT OF A DRIVER THAT WAS KILLED' >&2; return; }
  judge HyperQueue through_hyperqueue || return 0
  echo "HyperQueue, its driver killed: $kept lines were kept, and nothing is lost"
}

try_spark() {
  { command -v java && "$PYTHON" -c 'import pyspark'; } &> /dev/null || { missing 'SPARK, OR JAVA'; return; }
  through_spark() {
    rm -rf out
    "$PYTHON" "$here/spark_batch.py" boards.jsonl out
    cat out/part-* > out.jsonl
  }
  try Spark through_spark
}

for lines in boards cubes; do
  export ASP_SOLVE_OPTIONS=
  "make_$lines"
  run_once
  for engine in "${engines[@]}"; do
    "try_$engine"
  done
done
# The results of the engines are these.
asp-solve merge one.jsonl || (($? == 1))
asp-solve verify one.jsonl pigeons.lp
echo "$passed passed, $failed failed, $skipped skipped"
((failed == 0))
