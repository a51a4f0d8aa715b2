#!/usr/bin/env bash
# Measures the cost of observation: metrics scraped every second with the console open, with and without a recording profile, compared
# with no observation. Prints the table of docs/benchmarks/seeing.md after a quarter of an hour. The command and the benchmarks must be
# built. Runs 20 pairs of five passes, unless the arguments say otherwise:
#   ./mvnw -B -DskipTests package -pl weir-cli,checks/jmh -am && checks/seeing.sh [PAIRS] [PASSES]
# A pass reads RECORDS (12,000,000) in a second and a half. Conditions change between passes, so many short passes show more than a few long ones.
# "checks/seeing.sh PAIRS PASSES threads" adds the processor time of each kind of thread in those passes, on Linux.
# Nothing else may run on the machine at the same time.
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
"$JAVA_HOME/bin/java" -cp checks/jmh/target/benchmarks.jar dev.weir.checks.jmh.SeeingCost "$address" seen "$records" "$@"
