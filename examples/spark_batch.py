"""A batch through Spark: spark-submit spark_batch.py BOARDS OUT [PARTITIONS]

Each partition of the lines goes through a process (`RDD.pipe`); the objects are in the files OUT/part-*, in the order of the
lines. A process that is killed fails its task, which Spark starts again: from the beginning, so that nothing is there twice.
Without a cluster (`--master`), or as `python spark_batch.py …`, it runs on all cores of this machine.

Needs: pip install pyspark, and Java
"""

import os
import sys

from pyspark import SparkConf, SparkContext

# 2 and 3 say that a line was bad, or was given up: its object says why. But there is an object for each line, or the run was
# broken off.
COMMAND = r"""sh -c 'in=$(mktemp) out=$(mktemp); cat > $in; asp-solve - --batch --threads 1 < $in > $out; code=$?
  cat $out; lines=$(grep -acvE "^[[:space:]]*(%|\$)" $in); objects=$(wc -l < $out); rm $in $out
  test $code -le 3 -a $objects -eq $lines'"""


def main(boards, out, partitions=8):
    # In local mode a task is tried once unless something is said.
    conf = SparkConf().setAppName("asp-solve").setIfMissing("spark.master", "local[*,4]")
    with SparkContext(conf=conf) as spark:
        objects = spark.textFile(boards, int(partitions)).pipe(COMMAND, env=dict(os.environ), checkCode=True)
        objects.saveAsTextFile(out)


if __name__ == "__main__":
    main(*sys.argv[1:])
