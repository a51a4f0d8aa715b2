#!/bin/sh
# Breaks one instruction of a room at a time and reports the breaks that the room's tests do not notice:
#   checks/mutation.sh ROOM               one room, named MODULE/PACKAGE, or MODULE if the module is one package
#   checks/mutation.sh ROOM CLASS         one class of the room, such as AcquiredRange
#   checks/mutation.sh --rooms            lists the rooms
# Prints the score, then each unnoticed mutant as Class:line:mutator:method, then each mutant that only a timeout
# noticed. A mutant whose JVM ran out of memory counts as unnoticed and is listed as (memory_error), because no test
# failed. Nothing else may compile this clone at the same time, because changed classes break the JVMs of PIT.
# Further Maven options go into WEIR_MUTATION_OPTIONS, for example -o.
set -eu
cd "$(dirname "$0")/.."
rooms="weir-kafka/in/offsets weir-kafka/in/buffer weir-kafka/in/commit weir-kafka/in/position weir-kafka/out/transaction
weir-kafka/out/write weir-kafka/handler weir-kafka/share/member
weir-lean/batch weir-lean/wire weir-lean/cursor weir-lean/consumer weir-lean/producer weir-lean/share
weir-stream/run weir-stream/ack weir-stream/parallel weir-stream/boundary weir-stream/substream weir-stream/failure
weir-metrics bench/weir-bench/statistics"
if [ "${1-}" = --rooms ]; then
  printf '%s\n' $rooms
  exit 0
fi
room=${1-}
case " $(echo $rooms) " in
  *" $room "*) [ -n "$room" ] || room=none ;;
  *) room=none ;;
esac
if [ "$room" = none ]; then
  echo "checks/mutation.sh: no room \"${1-}\"; checks/mutation.sh --rooms lists them" >&2
  exit 2
fi
module=$room
until [ -f "$module/pom.xml" ]; do module=${module%/*}; done
folder=${room#"$module"}
package=$(echo "${folder#/}" | tr / .)
base=dev.weir.${module##*weir-}
home=$base.internal.$package
[ -d "$module/src/main/java/$(echo "$home" | tr . /)" ] || home=$base${package:+.$package}
# A room is covered by the tests of its package and by tests that run it from outside. If the package has no tests, all
# tests of its module cover the room.
tests=$home.*
[ -d "$module/src/test/java/$(echo "$home" | tr . /)" ] || tests=$base.*
case $room in
  weir-kafka/out/transaction) tests="$tests,$base.internal.in.owner.TransactionSimulationTest" ;;
  weir-kafka/in/buffer | weir-kafka/in/commit | weir-kafka/in/position) tests="$tests,$base.internal.in.owner.*" ;;
  weir-kafka/out/write) tests="$tests,$base.internal.out.transaction.Transactional*" ;;
  weir-lean/batch)
    tests="$tests,$base.KeptBatchesTest,$base.CorruptBatchPolicyTest,$base.internal.wire.*,$base.internal.encode.*"
    ;;
  weir-lean/cursor) tests="$tests,$base.KeptBatchesTest,$base.PausesAndSeeksTest" ;;
  weir-lean/consumer)
    tests="$tests,$base.ConsumerWorldTest,$base.NearReplicaTest,$base.PausesAndSeeksTest,$base.WholeTopicTest"
    tests="$tests,$base.CorruptBatchPolicyTest,$base.HeldBatchesTest,$base.RareFaultsTest,$base.ScriptedBrokerTest"
    tests="$tests,$base.TopicIdTest,$base.BackoffTest"
    ;;
  weir-lean/producer) tests="$tests,$base.ScriptedProduceTest,$base.ProducerAmongStaleBrokersTest" ;;
  weir-stream/*) tests=$base.* ;;
esac
name=${package:-all}${2:+.$2}
report=$module/target/mutation/$name/mutations.xml
rm -f "$report"
./mvnw -q -B -ntp -T1 -Pmutation ${WEIR_MUTATION_OPTIONS-} -pl "$module" -am test-compile \
  org.pitest:pitest-maven:mutationCoverage "-Dweir.mutation.room=$name" \
  "-Dweir.mutation.classes=$home.${2-}*" "-Dweir.mutation.tests=$tests"
if [ ! -s "$report" ]; then
  echo "checks/mutation.sh: PIT wrote no $report; its output above says why" >&2
  exit 1
fi
awk -v room="$room" '
  function field(name, text) {
    if (!match(text, "<" name ">[^<]*</" name ">")) return ""
    return substr(text, RSTART + length(name) + 2, RLENGTH - 2 * length(name) - 5)
  }
  BEGIN { RS = "</mutation>" }
  /<mutation / {
    all++
    match($0, /status=.[A-Z_]+/)
    status = substr($0, RSTART + 8, RLENGTH - 8)
    count[status]++
    type = field("mutatedClass", $0); sub(/.*\./, "", type)
    mutator = field("mutator", $0); sub(/.*\./, "", mutator)
    place = type ":" field("lineNumber", $0) ":" mutator ":" field("mutatedMethod", $0)
    if (status == "TIMED_OUT") slow[++late] = place
    else if (status != "KILLED") {
      line[++alive] = place \
          (status == "NO_COVERAGE" ? " (not reached)" : status == "SURVIVED" ? "" : " (" tolower(status) ")")
    }
  }
  END {
    if (!all) { print room ": no mutants"; exit 1 }
    if ("RUN_ERROR" in count) {
      printf "%s: no score, the JVMs of %d mutants broke. Did another build change the classes? Run it again.\n",
          room, count["RUN_ERROR"]
      exit 1
    }
    printf "%s: %d of %d mutants noticed, %.1f %%", room, all - alive, all, 100 * (all - alive) / all
    for (status in count) printf ", %s %d", tolower(status), count[status]
    printf "\n"
    for (i = 1; i <= alive; i++) print line[i] | "sort"
    close("sort")
    if (late) print "noticed by time alone:"
    for (i = 1; i <= late; i++) print slow[i] | "sort"
  }' "$report"
