#!/usr/bin/env bash
# One member of a share group against a backlog on six partitions: from a cold start, after a clean restart, after kill -9, and
# with handlers of other lengths. Prints rows for docs/benchmarks/share.md. Arguments: which parts, of
#   starts PATH WORKERS   cold, restarted, killed (without and with a name), a run each
#   short PATH WORKERS    cold and restarted
#   one PATH WORKERS HANDLER   a cold start, for example: one lean 60 5:exponential; path none: the handlers without Kafka
#   cost WORKERS HANDLER  what Kafka adds to a record's processor time: the lean path, the official client at its best settings, and the
#                  handlers without Kafka, ROUNDS (2) of them in turn, SECONDS_EACH, of which the second half counts; the broker
#                  serves a member for a minute before
#   ./mvnw -q -pl checks/jmh,weir-cli -am package -DskipTests && checks/jmh/share.sh starts lean 300 short client 60
# Nothing else may run on the machine at the same time.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. ./.mvn/find-jdk.sh
java=$JAVA_HOME/bin/java
work=$(mktemp -d)
broker=
stop() {
  [ -z "$broker" ] || kill "$broker" 2>/dev/null || :
  wait
  rm -rf "$work"
}
trap stop EXIT

"$java" -jar weir-cli/target/weir-cli.jar broker --port 0 >"$work/address" &
broker=$!
until [ -s "$work/address" ]; do
  kill -0 "$broker"
  sleep 0.2
done
address=$(cat "$work/address")
runs() { "$java" ${FROM:+-Dfrom="$FROM"} ${JAVA_OPTS-} -cp checks/jmh/target/benchmarks.jar dev.weir.checks.jmh.ShareRuns "$address" backlog "$@"; }
# member LABEL PATH GROUP SECONDS WORKERS HANDLER [NAME]
member() {
  label=$1
  echo "--- $*" >&2
  runs "$2" "$3" "$4" "$5" "$6" "$broker" ${7-} | sed "s/^|/| $label |/"
}
# killed PATH GROUP WORKERS [NAME]: one that dies at full speed
killed() {
  "$java" -cp checks/jmh/target/benchmarks.jar dev.weir.checks.jmh.ShareRuns "$address" backlog \
    "$1" "$2" 999 "$3" 5 "$broker" ${4-} >"$work/killed" 2>&1 &
  dead=$!
  sleep 12
  kill -9 "$dead"
  wait "$dead" 2>/dev/null || :
}
# cost GROUP WORKERS HANDLER
cost() {
  seconds=${SECONDS_EACH-90}
  # A new broker compiles its code while it serves, which also slows the client down. No measurement should include this.
  member "does not count" lean "$1-first" 60 "$2" "$3" >/dev/null
  for round in $(seq "${ROUNDS-2}"); do
    paths="none lean official"
    [ $((round % 2)) -eq 1 ] || paths="official lean none"
    for path in $paths; do
      FROM=$((seconds / 2)) member "round $round" "$path" "$1-$round-$path" "$seconds" "$2" "$3" | tee -a "$work/cost"
    done
  done
  awk -F ' *[|] *' '
    { split($3, path, " "); client[path[1]] += $10; broker[path[1]] += $11; n[path[1]]++ }
    END {
      none = client["none"] / n["none"]
      lean = client["lean"] / n["lean"] - none
      official = client["official"] / n["official"] - none
      printf "less the %.2f us of the handlers: lean %.2f us, official %.2f us of a record: %.3f;", none, lean, official, lean / official
      printf " broker: %.1f and %.1f us\n", broker["lean"] / n["lean"], broker["official"] / n["official"]
    }' "$work/cost"
}

runs fill "${RECORDS-10000000}"
echo "| start | path, handler | workers | handler, ms | records/s | ceiling | of it, % | up to speed after s | client us/record | broker us/record | redelivered | limiter |"
echo "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|"
groups=0
while [ $# -gt 0 ]; do
  groups=$((groups + 1))
  group=group-$groups
  case $1 in
    starts | short)
      member cold "$2" "$group" 25 "$3" 5
      member restarted "$2" "$group" 25 "$3" 5
      if [ "$1" = starts ]; then
        killed "$2" "$group" "$3"
        member killed "$2" "$group" 65 "$3" 5
        killed "$2" "$group" "$3" pod-0
        member killed "$2" "$group" 25 "$3" 5 pod-0
      fi
      shift 3
      ;;
    one)
      member cold "$2" "$group" "${SECONDS_EACH-25}" "$3" "$4"
      shift 4
      ;;
    cost)
      cost "$group" "$2" "$3"
      shift 3
      ;;
    *)
      echo "share.sh: what is $1?" >&2
      exit 2
      ;;
  esac
done
