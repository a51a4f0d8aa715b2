#!/bin/sh
# Compares how fast this version and a commit read a topic at least once into Sink.forEach. Passes run in random order in one JVM.
# The commit takes part twice (A/A), which shows the noise. Prints the ratios of 20 pairs. Arguments: a broker's address, the commit,
# the seconds to measure, and optionally the number of 100-byte records (6,000,000). Nothing else may run at the same time.
#   ./mvnw -q -pl checks/jmh -am package -DskipTests && checks/jmh/versions.sh localhost:9092 HEAD~1 600
set -eu
cd "$(dirname "$0")/../.."
. ./.mvn/find-jdk.sh
address=$1
seconds=$3
records=${4:-6000000}
commit=$(git rev-parse --short=12 "$2")
folder=$PWD/checks/jmh/target/versions/$commit
jar=$PWD/checks/jmh/target/benchmarks.jar
if [ ! -d "$folder" ]; then
  git worktree prune
  git worktree add --detach "$folder" "$commit" >&2
fi
(cd "$folder" && ./mvnw -q -pl weir-kafka -am package -Dmaven.test.skip=true -Dspotless.check.skip >&2)
before=
for module in weir-stream weir-lean weir-kafka; do
  before=$before$(find "$folder/$module/target" -maxdepth 1 -name "$module-*.jar" ! -name '*-tests.jar' ! -name '*-sources.jar'):
done
topic="versions-$(date +%s)"
"$JAVA_HOME/bin/java" -cp "$jar" dev.weir.checks.jmh.LeanFill "$address" "$topic" 6 "$records" 100
# The benchmark jar comes last. It adds what the jars of the commit lack: Kafka's client, and the code that runs the passes.
exec "$JAVA_HOME/bin/java" -Xms2g -Xmx2g -XX:+UseG1GC -XX:+AlwaysPreTouch -cp "$jar" dev.weir.checks.jmh.Versions "$address" "$topic" "$records" "$seconds" \
  "$commit=$before$jar" "this=$jar"
