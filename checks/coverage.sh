#!/bin/sh
# Runs the build's tests under JaCoCo, and writes the branches that they reach to docs/internals/coverage.md:
#   checks/coverage.sh             runs the tests, half an hour on two cores, then writes the page
#   checks/coverage.sh --page      writes the page from the last run
#   checks/coverage.sh --open ROOM lists the lines of a room with branches that no test reached, as Class:line:missed/all
# A room is named as in checks/mutation.sh. Counts only what runs in the JVMs of tests: the processes that tests start
# run without the agent. Further Maven options go into WEIR_COVERAGE_OPTIONS.
set -eu
cd "$(dirname "$0")/.."
. ./.mvn/find-jdk.sh
version=0.8.14
work=$PWD/target/coverage
mkdir -p "$work"
modules="weir-stream weir-lean weir-kafka weir-metrics weir-console weir-testkit weir-otel weir-jdbc
weir-spring-boot-starter weir-command weir-cli bench/weir-driver bench/weir-bench"

fetch() {
  [ -s "$work/$2" ] || ./mvnw -q -B -ntp -N dependency:copy "-Dartifact=org.jacoco:$1" "-DoutputDirectory=$work" \
    -Dmdep.stripVersion=true -Dmdep.useBaseVersion=true
}
fetch "org.jacoco.agent:$version:jar:runtime" org.jacoco.agent-runtime.jar
fetch "org.jacoco.cli:$version:jar:nodeps" org.jacoco.cli-nodeps.jar

if [ $# -eq 0 ]; then
  rm -f "$work/jacoco.exec"
  # A test that the agent disturbs (some count bytes) does not end the run; the page says how many there were.
  ./mvnw -B -ntp verify -Dmaven.test.failure.ignore=true ${WEIR_COVERAGE_OPTIONS-} \
    "-Dweir.tests.agent=-javaagent:$work/org.jacoco.agent-runtime.jar=destfile=$work/jacoco.exec,includes=dev.weir.*"
fi
classes=
for module in $modules; do
  classes="$classes --classfiles $module/target/classes --sourcefiles $module/src/main/java"
done
"$JAVA_HOME/bin/java" -jar "$work/org.jacoco.cli-nodeps.jar" report "$work/jacoco.exec" $classes \
  --csv "$work/coverage.csv" --xml "$work/coverage.xml" --quiet >/dev/null

if [ "${1-}" = --open ]; then
  tr '>' '\n' <"$work/coverage.xml" | awk -v room="dev/weir/${2##*weir-}" '
    function value(name) { match($0, " " name "=\"[^\"]*\""); return substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 4) }
    /<package / { package = value("name"); sub("/internal", "", package); in_room = package == room }
    /<sourcefile / { file = value("name"); sub(/\.java/, "", file) }
    in_room && /<line / && value("mb") > 0 { print file ":" value("nr") ":" value("mb") "/" value("mb") + value("cb") }'
  exit
fi

page=docs/internals/coverage.md
{
  sed '/^<!-- figures -->$/q' "$page"
  echo
  awk -F, 'NR > 1 { gsub(/^dev\.weir\./, "", $2); all[$2] += $6 + $7; met[$2] += $7; every += $6 + $7; reached += $7 }
    END {
      printf "of %d branches, **%.1f %%** are reached. By package, with its number of branches:\n", every, 100 * reached / every >"/dev/stderr"
      for (each in all) if (all[each] >= 200) printf "`%s` %.1f %% of %d\n", each, 100 * met[each] / all[each], all[each]
    }' "$work/coverage.csv" 2>"$work/sum.txt" | LC_ALL=C sort >"$work/list.txt"
  echo "On $(date +%F) (commit $(git rev-parse --short=9 HEAD)), $(cat "$work/sum.txt")"
  echo
  echo '| | | |'
  echo '|---|---|---|'
  awk '{ line = line "| " $0 " " } NR % 3 == 0 { print line "|"; line = "" }
    END { if (line != "") { for (n = NR % 3; n < 3; n++) line = line "| "; print line "|" } }' "$work/list.txt"
} >"$work/page.md"
cp "$work/page.md" "$page"
cat "$work/sum.txt"
