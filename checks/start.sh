#!/usr/bin/env bash
# Measures the time of the archive's `weir --help`, and of the plain sample from its start to its first record, with a running `weir broker`.
# Prints the table of docs/benchmarks/start.md. The archive and the sample must be built. Runs each 20 times, unless the argument says otherwise:
#   ./mvnw -B -DskipTests package -pl weir-dist,examples/plain,checks/jmh -am && checks/start.sh [TIMES]
# Nothing else may run on the machine at the same time.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. ./.mvn/find-jdk.sh

times=${1-20}
work=$(mktemp -d)
broker=
stop() {
  [ -z "$broker" ] || kill "$broker" 2>/dev/null || :
  wait
  rm -rf "$work"
}
trap stop EXIT

export XDG_CACHE_HOME=$work/cache
tar -xzf weir-dist/target/weir-*.tar.gz -C "$work"
weir=$(echo "$work"/weir-*/bin/weir)
sample=examples/plain/target/invoicing.jar
cache=$work/invoicing.aot
measure() { "$JAVA_HOME/bin/java" -XX:+UseSerialGC -cp checks/jmh/target/benchmarks.jar dev.weir.checks.jmh.StartTimes "$@"; }

"$weir" --version >/dev/null # makes the cache
[ -n "$(find "$XDG_CACHE_HOME" -type f -size +0 2>/dev/null)" ] || {
  echo "start.sh: the archive made no cache" >&2
  exit 1
}
"$weir" broker --port 0 --topic orders:1 --topic invoices:1 >"$work/address" &
broker=$!
until [ -s "$work/address" ]; do
  kill -0 "$broker"
  sleep 0.2
done
address=$(cat "$work/address")

run="$JAVA_HOME/bin/java"
# A run that has handled a record writes the cache when it ends.
measure 1 record training "$address" "$run" "-XX:AOTCacheOutput=$cache" -jar "$sample" "$address" >/dev/null
[ -s "$cache" ] || {
  echo "start.sh: no cache was made; it takes a JDK from 25 on" >&2
  exit 1
}

echo "| from its start to | times | least, ms | median, ms | most, ms |"
echo "|---|--:|--:|--:|--:|"
measure "$times" command '`weir --help` of the archive, its end' "$weir" --help
measure "$times" command '`weir --version` of the archive, its end' "$weir" --version
measure "$times" record 'the plain sample, its first record' "$address" "$run" "-XX:AOTCache=$cache" -jar "$sample" "$address"
measure "$times" record 'the plain sample without a cache, its first record' "$address" "$run" -jar "$sample" "$address"
