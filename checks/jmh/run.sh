#!/bin/sh
# Builds and runs all benchmarks in less than half an hour; writes checks/jmh/target/engine.md, the table for
# docs/benchmarks/engine.md. Takes further options of JMH, for instance: checks/jmh/run.sh Chain -f 1
# Nothing else may run on the machine at the same time.
set -eu
cd "$(dirname "$0")/../.."
. ./.mvn/find-jdk.sh
./mvnw -q -pl checks/jmh -am package -DskipTests
jar=checks/jmh/target/benchmarks.jar
exec "$JAVA_HOME/bin/java" -cp "$jar" dev.weir.checks.jmh.Table checks/jmh/target/engine.md "$@"
