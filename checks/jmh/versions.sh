#!/bin/sh
# How fast a topic is read at least once into Sink.forEach, by this version and by that of a commit, passes of both in random
# order in one JVM, the commit's twice: A/A tells what is noise. Prints 20 pairs' ratios. Wants: an address of a broker, a
# commit, seconds to measure; then, if not 6,000,000, records of 100 bytes to write first. Leave the machine alone meanwhile.
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
(cd "$folder" && ./mvnw -q -pl weir-kafka -am package -Dmaven.test.skip=true -Dspotless.check.skip -Dcheckstyle.skip >&2)
before=
for module in weir-stream weir-lean weir-kafka; do
  before=$before$(find "$folder/$module/target" -maxdepth 1 -name "$module-*.jar" ! -name '*-tests.jar' ! -name '*-sources.jar'):
done
topic="versions-$(date +%s)"
"$JAVA_HOME/bin/java" -cp "$jar" dev.weir.checks.jmh.LeanFill "$address" "$topic" 6 "$records" 100
# What the commit does not have comes last: Kafka's client, and what runs the passes.
exec "$JAVA_HOME/bin/java" -Xms2g -Xmx2g -XX:+UseG1GC -XX:+AlwaysPreTouch -cp "$jar" dev.weir.checks.jmh.Versions "$address" "$topic" "$records" "$seconds" \
  "$commit=$before$jar" "this=$jar"
