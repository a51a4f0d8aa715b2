# Sourced by ./weir and by bin/weir of the archive, after find-jdk.sh (POSIX sh). Creates the cache of loaded classes, which
# makes later starts faster. Replaces the shell by the JVM with exec, so that signals to the process reach Weir.

# Creates the cache of jar $1 as file $2, within a few seconds: an AOT cache from JDK 25 on, and an archive of parsed classes
# with older JDKs. Fails if it cannot. A signal during this time ends the shell at once and leaves no files behind. Replaces the
# traps of INT, TERM and HUP, so the caller must set them again, but not EXIT. Call it where a command may fail ("if", "||").
weir_make_cache() {
  weir_cache=$2
  weir_new=$2.$$.new # a separate name, so that no reader sees an incomplete cache
  weir_ended=${!-} # the last child process that has been waited for
  trap 'weir_drop_cache 130' INT
  trap 'weir_drop_cache 143' TERM
  trap 'weir_drop_cache 129' HUP
  weir_made=0
  # JDK 25 could do both steps in one, but the JVM that it starts for the second step would survive a signal.
  case $weir_jdk in
    21 | 22 | 23 | 24) weir_train "-XX:ArchiveClassesAtExit=$weir_new" -jar "$1" warm-up ;;
    *)
      weir_train -XX:AOTMode=record "-XX:AOTConfiguration=$weir_new.config" -jar "$1" warm-up &&
        weir_train -XX:AOTMode=create "-XX:AOTConfiguration=$weir_new.config" "-XX:AOTCache=$weir_new" -jar "$1"
      ;;
  esac && [ -s "$weir_new" ] && mv -f "$weir_new" "$weir_cache" 2>/dev/null || weir_made=1
  rm -f "$weir_new" "$weir_new.config" 2>/dev/null || :
  return "$weir_made"
}

# Runs in the background, because a shell handles signals while it waits, but not while it runs a command. Ignores JVM options
# from the environment: an agent would spoil the cache, and a JVM that waits for a debugger would block the start forever.
weir_train() {
  JAVA_TOOL_OPTIONS='' JDK_JAVA_OPTIONS='' _JAVA_OPTIONS='' \
    "$JAVA_HOME/bin/java" -Xlog:disable "$@" </dev/null >/dev/null 2>&1 &
  weir_status=0
  wait "$!" || weir_status=$?
  weir_ended=$!
  return "$weir_status"
}

# The shell sets $! when it forks. A variable set after the fork would still be empty if a signal arrived in between.
weir_drop_cache() {
  trap '' INT TERM HUP
  if [ "${!-}" != "$weir_ended" ]; then
    kill -9 "$!" 2>/dev/null || :
    wait "$!" 2>/dev/null || :
  fi
  rm -f "$weir_new" "$weir_new.config" 2>/dev/null || :
  exit "$1"
}

# Succeeds if process $1 exists, even if it belongs to another user.
weir_alive() { kill -0 "$1" 2>/dev/null || [ -d "/proc/$1" ] || ps -p "$1" >/dev/null 2>&1; }

# Succeeds if the user's options configure such a cache. The JVM would not start if this script added its own cache options.
weir_has_cache_options() {
  case "${JAVA_TOOL_OPTIONS-} ${JDK_JAVA_OPTIONS-} ${_JAVA_OPTIONS-} ${WEIR_OPTS-}" in
    *-Xshare* | *-XX:AOT* | *SharedArchive* | *SharedClassList* | *DumpLoadedClassList* | *ArchiveClassesAtExit*) ;;
    *) return 1 ;;
  esac
}

# Runs jar $1 with cache $2, which need not exist, and with the remaining arguments.
weir_start() {
  weir_jar=$1
  weir_cache=$2
  shift 2

  # Neither heap size nor collector is set here. The JVM's defaults (G1 from two cores on, a quarter of the memory) suit
  # pipelines, and settings here would conflict with WEIR_OPTS. -XX:+ExitOnOutOfMemoryError is not set either, because it
  # would also apply to a single batch that is too large for the heap. OutOfMemory.java ends the process instead, if a
  # thread dies of the error. Native access is granted in the jar's manifest.
  options='-XX:+DisplayVMOutputToStderr'
  # The JVM's own messages go to standard error, because standard output is for results. Messages about the archive are hidden.
  options="$options -Xlog:disable -Xlog:all=warning:stderr -Xlog:cds*=off:stderr"
  [ "$weir_jdk" -lt 24 ] || options="$options -Xlog:aot*=off:stderr"
  [ "$weir_jdk" -lt 23 ] || options="$options --sun-misc-unsafe-memory-access=allow"
  [ ! -t 2 ] || options="$options -Dweir.terminal=true"
  if [ -t 1 ]; then options="$options -Dweir.terminal.out=true"; else options="$options -Dweir.terminal.out=false"; fi

  argument=
  for argument in "$@"; do :; done
  # --help loads few classes. With a cache, it would take twice as long, because the JVM first links all classes in the cache.
  case $argument in --help | -h) weir_cache= ;; esac

  set -f # options are split at blanks, not globbed
  set -- -jar "$weir_jar" "$@"
  # The JVM ignores a cache that does not match the jar or the JDK.
  if [ -s "$weir_cache" ] && ! weir_has_cache_options; then
    case $weir_jdk in
      21 | 22 | 23 | 24) set -- "-XX:SharedArchiveFile=$weir_cache" "$@" ;;
      *) set -- "-XX:AOTCache=$weir_cache" "$@" ;;
    esac
  fi
  # shellcheck disable=SC2086
  exec "$JAVA_HOME/bin/java" $options ${WEIR_OPTS-} "$@"
}
