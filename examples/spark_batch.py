"""A batch through Spark: spark-submit spark_batch.py BOARDS OUT [PARTITIONS]

Each partition of the lines goes through a process (`RDD.pipe`); the objects are in the files OUT/part-*,
in the order of the lines. If a process is killed, its task fails and Spark repeats it from the beginning,
so that nothing is written twice. Without a cluster (`--master`), or as `python spark_batch.py …`, it runs
on all cores of this machine. ASP_SOLVE_OPTIONS may have options of asp-solve.

Needs: pip install pyspark, and Java
"""

import os
import sys

from pyspark import SparkConf, SparkContext

# Exit codes 2 and 3 mean that a line was invalid or its search gave up; its object says why. Without the
# totals ("200 lines: 198 solved, …"), the run was interrupted.
COMMAND = r"""sh -c 'in=$(mktemp) out=$(mktemp) log=$(mktemp); cat > $in
  asp-solve $in --batch --threads 1 $ASP_SOLVE_OPTIONS --output $out 2> $log; code=$?
  cat $out; cat $log >&2; grep -qE "^[0-9,]+ lines?: " $log; totals=$?; rm $in $out $log
  test $code -eq 0 || test $code -le 3 -a $totals -eq 0'"""


def main(boards, out, partitions=8):
    # In local mode a task is tried only once by default.
    conf = SparkConf().setAppName("asp-solve").setIfMissing("spark.master", "local[*,4]")
    with SparkContext(conf=conf) as spark:
        objects = spark.textFile(boards, int(partitions)).pipe(COMMAND, env=dict(os.environ), checkCode=True)
        objects.saveAsTextFile(out)


if __name__ == "__main__":
    main(*sys.argv[1:])
