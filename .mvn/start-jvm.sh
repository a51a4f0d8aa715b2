# Sourced by ./weir and by bin/weir of the archive, after find-jdk.sh (POSIX sh): becomes the JVM, by exec, so that a signal for
# the shell's process is a signal for Weir, and makes what starts it faster.

# Faster starts: the classes that commands need, loaded once by jar $1 and kept in file $2, as the JDK can: a cache that holds
# them linked and with what they need, or an archive of parsed ones. A file that does not fit is ignored by the JVM.
weir_make_cache() {
  case $weir_jdk in
    21 | 22 | 23 | 24) weir_new=-XX:ArchiveClassesAtExit=$2.$$.new ;;
    *) weir_new=-XX:AOTCacheOutput=$2.$$.new ;;
  esac
  # Whoever has made it puts it in place in one step: nobody reads half of one.
  if "$JAVA_HOME/bin/java" -Xlog:disable "$weir_new" -jar "$1" warm-up >/dev/null 2>&1; then
    mv -f "$2.$$.new" "$2" 2>/dev/null || :
  fi
  rm -f "$2.$$.new" "$2.$$.new.config"
}

# Runs jar $1 with cache $2, which need not be there, and the arguments behind them.
weir_start() {
  weir_jar=$1
  weir_cache=$2
  shift 2

  # No heap and no collector is chosen here: the JVM's own choice (G1 from two cores on, a quarter of the memory) suits
  # pipelines, and a choice in WEIR_OPTS would collide with ours. Out of memory ends the process: what was not
  # committed is delivered again, a process that limps on helps nobody. Native access is granted in the jar's manifest.
  options='-XX:+ExitOnOutOfMemoryError -XX:+DisplayVMOutputToStderr'
  # The JVM's own messages go to standard error, since standard output is for results; those about the archive nowhere.
  options="$options -Xlog:disable -Xlog:all=warning:stderr -Xlog:cds*=off:stderr"
  [ "$weir_jdk" -lt 24 ] || options="$options -Xlog:aot*=off:stderr"
  [ "$weir_jdk" -lt 23 ] || options="$options --sun-misc-unsafe-memory-access=allow"
  [ ! -t 2 ] || options="$options -Dweir.terminal=true"

  # What the JVM says of it is only that it is so. The rest comes from a shell that it starts, which needs no heap.
  say_json=:
  for argument in "$@"; do
    [ "$argument" != --json ] || say_json="echo '{\"error\":\"out of memory\"}'"
  done
  export WEIR_OUT_OF_MEMORY="$say_json
echo 'weir: out of memory. Give it more heap (WEIR_OPTS=-Xmx1g); a pipe holds less with a smaller weir.buffer.bytes in' >&2
echo '  --client-config. Nothing is lost: what was not committed is read again at the next start.' >&2"

  set -f # options are split at blanks, not globbed
  set -- '-XX:OnOutOfMemoryError=eval "$WEIR_OUT_OF_MEMORY"' -jar "$weir_jar" "$@"
  if [ -s "$weir_cache" ]; then
    case $weir_jdk in
      21 | 22 | 23 | 24) set -- "-XX:SharedArchiveFile=$weir_cache" "$@" ;;
      *) set -- "-XX:AOTCache=$weir_cache" "$@" ;;
    esac
  fi
  # shellcheck disable=SC2086
  exec "$JAVA_HOME/bin/java" $options ${WEIR_OPTS-} "$@"
}
