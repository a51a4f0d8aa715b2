#!/bin/sh
# Measures the allocation of a consumer group member on the lean fetch path, at a steady 5,000 records per second over
# six partitions and without records, with both group protocols, each in its own process. Prints a table for
# docs/benchmarks/lean.md, with the threads that allocate most below each row. Arguments: a broker's address, and the
# seconds to measure.
#   ./mvnw -q -pl checks/jmh -am package -DskipTests && checks/jmh/group.sh localhost:9092 60
set -eu
cd "$(dirname "$0")/../.."
. ./.mvn/find-jdk.sh
topic="group-$(date +%s)"
run() { "$JAVA_HOME/bin/java" -Xmx256m -XX:+UseSerialGC -cp checks/jmh/target/benchmarks.jar dev.weir.checks.jmh.GroupSteady "$@"; }
run "$1" "$topic" "$2" fill &
echo "| member | records/s | elements/s | kB/s allocated, process | B per record |"
echo "|---|--:|--:|--:|--:|"
for who in views views-kip848 views-patient views-kip848-patient views-thread views-kip848-thread decoder; do
  run "$1" "$topic" "$2" "$who" &
done
for who in views views-kip848; do
  run "$1" "$topic-empty" "$2" "$who" &
done
wait
