"""A batch through HyperQueue: python hyperqueue_batch.py BOARDS OUT.jsonl [LINES [SERVER_DIR]]

Cuts the boards into parts of LINES lines and runs a task for each, on a cluster of its own with all cores
of this machine, or on the one whose server directory is given (`hq server start`, `hq worker start` or
`hq alloc add slurm`; all workers must then see the folder of OUT). A task that was killed is submitted
again, and continues after its last complete object. The parts are in a folder beside OUT until everything
is done: if this driver is killed, the same command continues with them. ASP_SOLVE_OPTIONS may have options of
asp-solve.

Needs: pip install hyperqueue. This suffices for a cluster of this machine. The command `hq`, which starts
servers and workers elsewhere, is not in that package: it is a single file in the archives at
https://github.com/It4innovations/hyperqueue/releases.
"""

import contextlib
import hashlib
import itertools
import os
import pathlib
import shutil
import sys

from hyperqueue import Client, Job, LocalCluster
from hyperqueue.cluster import WorkerConfig
from hyperqueue.ffi.protocol import ResourceRequest

# Exit codes 2 and 3 mean that a line was invalid or its search gave up; its object says why. Without the
# totals ("200 lines: 198 solved, …"), the run was interrupted.
TASK = r"""
log=$(asp-solve "$1" --batch --threads 1 $ASP_SOLVE_OPTIONS --output "$2" --resume 2>&1)
code=$?
test $code -eq 0 || { test $code -le 3 && printf '%s\n' "$log" | grep -qE '^[0-9,]+ lines?: '; }
"""


def folder_of(boards, out, lines):
    """Returns the folder of the parts, which depends on the boards and the cut."""
    with open(boards, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()[:12]
    folder = pathlib.Path(f"{pathlib.Path(out).absolute()}.{digest}-{lines}.parts")
    folder.mkdir(exist_ok=True)
    return folder


def cut(boards, folder, lines):
    """Writes the parts and returns their paths, in order."""
    parts = []
    with open(boards, "rb") as file:
        while part := list(itertools.islice(file, lines)):
            path = folder / f"part-{len(parts)}"
            path.write_bytes(b"".join(part))
            parts.append((path, folder / f"out-{len(parts)}"))
    return parts


def run(client, parts, folder):
    """Runs a task for each part, on one core each; returns whether all succeeded. Finished parts take no time."""
    env = {"ASP_SOLVE_OPTIONS": os.environ.get("ASP_SOLVE_OPTIONS", "")}
    job = Job(default_workdir=folder, max_fails=None)
    for paths in parts:
        command = ["sh", "-c", TASK, "sh", *map(str, paths)]
        job.program(command, env=env, stdout=None, stderr=None, resources=ResourceRequest(cpus=1))
    return client.wait_for_jobs([client.submit(job)], raise_on_error=False)


def main(boards, out, lines=10_000, server=None):
    folder = folder_of(boards, out, lines)
    with contextlib.ExitStack() as stack:
        if server:
            client = Client(server)
        else:
            cluster = stack.enter_context(LocalCluster())
            cluster.start_worker(WorkerConfig(cores=os.cpu_count()))
            client = cluster.client()
        parts = cut(boards, folder, int(lines))
        if not any(run(client, parts, folder) for _ in range(4)):
            sys.exit("some part failed four times")
        with open(out, "wb") as whole:
            for _, path in parts:
                with open(path, "rb") as file:
                    shutil.copyfileobj(file, whole)
    shutil.rmtree(folder)


if __name__ == "__main__":
    main(*sys.argv[1:])
