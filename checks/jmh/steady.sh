#!/bin/sh
# Compares the cost of the lean and the plain client at a steady 5,000 records per second, in two processes at the same time. Also
# measures lean without records. Prints a table for docs/benchmarks/lean.md. Arguments: a broker's address, seconds to measure.
#   ./mvnw -q -pl checks/jmh -am package -DskipTests && checks/jmh/steady.sh localhost:9092 60
set -eu
cd "$(dirname "$0")/../.."
. ./.mvn/find-jdk.sh
topic="steady-$(date +%s)"
run() { "$JAVA_HOME/bin/java" -Xmx256m -XX:+UseSerialGC -cp checks/jmh/target/benchmarks.jar dev.weir.checks.jmh.LeanSteady "$@"; }
run "$1" "$topic" "$2" fill &
echo "| consumer | seconds | records/s | bytes allocated, process | thread that polls | CPU %, process | thread that polls |"
echo "|---|--:|--:|--:|--:|--:|--:|"
for who in lean lean-patient plain plain-patient; do
  run "$1" "$topic" "$2" "$who" &
done
run "$1" "$topic-empty" "$2" lean-idle &
wait
