"""A batch through HyperQueue: python hyperqueue_batch.py BOARDS OUT.jsonl [LINES [SERVER_DIR]]

Cuts the boards into parts of LINES lines, a task for each, on a cluster of its own with a core for each of this machine, or
on the one whose server directory is given (`hq server start`, `hq worker start` or `hq alloc add slurm`; then the folder of
OUT must be one that all workers see). A task that was killed is submitted again, and goes on after its last whole object.
The parts lie in a folder beside OUT until all is done: the same command, given again after this driver was killed, goes on
with them.

Needs: pip install hyperqueue. For a cluster of this machine that is all; the command `hq`, which starts servers and workers
elsewhere, is not in that package: it is one file, in the archives at https://github.com/It4innovations/hyperqueue/releases.
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

# 2 and 3 say that a line was bad, or was given up: its object says why. But there is an object for each line, or the run was
# broken off.
TASK = r"""
asp-solve "$1" --batch --threads 1 --output "$2" --resume
test $? -le 3 -a $(wc -l < "$2") -eq $(grep -acvE '^[[:space:]]*(%|$)' "$1")
"""


def folder_of(boards, out, lines):
    """The folder of the parts: another for other boards, or another cut."""
    with open(boards, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()[:12]
    folder = pathlib.Path(f"{pathlib.Path(out).absolute()}.{digest}-{lines}.parts")
    folder.mkdir(exist_ok=True)
    return folder


def cut(boards, folder, lines):
    """Writes the parts and gives their paths, in order."""
    parts = []
    with open(boards, "rb") as file:
        while part := list(itertools.islice(file, lines)):
            path = folder / f"part-{len(parts)}"
            path.write_bytes(b"".join(part))
            parts.append((path, folder / f"out-{len(parts)}"))
    return parts


def run(client, parts, folder):
    """Runs a task for each part, on a core each, and says whether all went well; what was done before takes no time."""
    job = Job(default_workdir=folder, max_fails=None)
    for paths in parts:
        command = ["sh", "-c", TASK, "sh", *map(str, paths)]
        job.program(command, stdout=None, stderr=None, resources=ResourceRequest(cpus=1))
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
