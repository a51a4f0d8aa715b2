#!/usr/bin/env bash
# What it costs to be seen: metrics scraped each second with the console open, and the same while a profile records, beside nobody
# looking. Prints the table of docs/benchmarks/seeing.md; a quarter of an hour. The command and the benchmarks must be built; 20 pairs of five
# passes, or as the arguments say:
#   ./mvnw -B -DskipTests package -pl weir-cli,checks/jmh -am && checks/seeing.sh [PAIRS] [PASSES]
# A pass reads RECORDS (12,000,000), a second and a half: passes differ by what happens between them, so many short ones tell more than few long ones.
# Which threads pay: "checks/seeing.sh PAIRS PASSES threads" adds the processor time of each kind of thread in those passes;
# "checks/seeing.sh threads [ROUNDS]" has one pipeline read for 25 seconds in a JVM of its own, and prints it for the first five of
# them and for ten once warm. Both may run on a machine that does something else as well.
# Leave the machine alone meanwhile: nothing else may run.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. ./.mvn/find-jdk.sh

records=${RECORDS-12000000}
work=$(mktemp -d)
broker=
stop() {
  [ -z "$broker" ] || kill "$broker" 2>/dev/null || :
  wait
  rm -rf "$work"
}
trap stop EXIT

"$JAVA_HOME/bin/java" -jar weir-cli/target/weir-cli.jar broker --port 0 >"$work/address" &
broker=$!
until [ -s "$work/address" ]; do
  kill -0 "$broker"
  sleep 0.2
done
address=$(cat "$work/address")
"$JAVA_HOME/bin/java" -cp checks/jmh/target/benchmarks.jar dev.weir.checks.jmh.LeanFill "$address" seen 6 "$records" 100
if [ "${1-}" != threads ]; then
  "$JAVA_HOME/bin/java" -cp checks/jmh/target/benchmarks.jar dev.weir.checks.jmh.SeeingCost "$address" seen "$records" "$@"
  exit
fi
for ((round = 0; round < ${2-3}; round++)); do
  for arm in nobody seen; do
    "$JAVA_HOME/bin/java" -cp checks/jmh/target/benchmarks.jar dev.weir.checks.jmh.SeeingThreads "$address" seen "$records" "$arm"
  done
done >"$work/threads"
awk -F'\t' '
  { sum[$2, $3, $1] += $4; runs[$2, $1] += $3 == "(process)"; rows[$2 "\t" $3] = 1 }
  END {
    for (row in rows) {
      split(row, of, "\t")
      nobody = sum[of[1], of[2], "nobody"] / runs[of[1], "nobody"]
      seen = sum[of[1], of[2], "seen"] / runs[of[1], "seen"]
      if (nobody >= 0.05 || seen >= 0.05)
        printf "| %s | %s | %.2f | %.2f | %.2f |\n", of[1], of[2], nobody, seen, seen - nobody
    }
  }' "$work/threads" | sort | {
  printf '| when | ms of processor time a second of | nobody looks | seen | more |\n|---|---|--:|--:|--:|\n'
  cat
}
