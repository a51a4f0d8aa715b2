#!/bin/sh
# Lets Jazzer look for bytes that the parsers of weir-lean do not survive: one target for as long as said, from the corpus on.
#   checks/fuzz.sh responses|batches 10m
# What it finds is written beside the corpus and so becomes part of the suite; what leads further is kept in
# weir-lean/.cifuzz-corpus and used by the next run. The lines on the console: cov and ft count what was reached.
set -eu
cd "$(dirname "$0")/.."
JAZZER_FUZZ=1 exec ./mvnw -pl weir-lean test "-Dtest=FetchFuzzTest#$1" "-Djazzer.max_duration=$2" \
  -Djazzer.hooks=true '-Djazzer.instrumentation_includes=dev.weir.lean.**' -Djunit.jupiter.execution.timeout.mode=disabled
