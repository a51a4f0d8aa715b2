#!/bin/sh
# Looks for bytes that something does not survive, for as long as said:
#   checks/fuzz.sh responses|batches 10m   the parsers of weir-lean, by Jazzer, from the corpus on
#   checks/fuzz.sh ports 10m               the ports of console and metrics, each so long: any bytes to a pipeline that runs
#   checks/fuzz.sh files 10m               settings, dispatchers, workloads and environments, each so long
# What Jazzer finds is written beside the corpus and so becomes part of the suite; what leads further is kept in
# weir-lean/.cifuzz-corpus and used by the next run. Its lines on the console: cov and ft count what was reached. The
# others print the seed of a failure.
set -eu
cd "$(dirname "$0")/.."
seconds() {
  case $1 in
    *m) echo $((${1%m} * 60)) ;;
    *) echo "${1%s}" ;;
  esac
}
long() {
  exec ./mvnw -pl "$1" -am test "-Dtest=$2" "-Dweir.fuzz.seconds=$(seconds "$3")" -Dsurefire.failIfNoSpecifiedTests=false
}
case $1 in
  ports) long weir-console,weir-metrics ConsoleFuzzTest,MetricsServerFuzzTest "$2" ;;
  files) long weir-bench FilesFuzzTest "$2" ;;
  *)
    JAZZER_FUZZ=1 exec ./mvnw -pl weir-lean test "-Dtest=FetchFuzzTest#$1" "-Djazzer.max_duration=$2" \
      -Djazzer.hooks=true '-Djazzer.instrumentation_includes=dev.weir.lean.**' -Djunit.jupiter.execution.timeout.mode=disabled
    ;;
esac
