# Sourced by ./weir and by bin/weir of the archive, after find-jdk.sh (POSIX sh): becomes the JVM, by exec, so that a signal for
# the shell's process is a signal for Weir, and makes the cache of loaded classes that its starts are faster with.

# Makes the cache of jar $1 as file $2, within some seconds: an AOT cache from JDK 25 on, an archive of parsed classes before. Fails
# if none could be made. A signal meanwhile ends the shell at once, and leaves nothing behind. Replaces the traps of INT,
# TERM and HUP, which the caller sets anew; its trap of EXIT is kept. To be called where a command may fail ("if", "||").
weir_make_cache() {
  weir_cache=$2
  weir_new=$2.$$.new # a name of our own: whoever reads the cache never sees half of one
  weir_ended=${!-} # the last child that was waited for
  trap 'weir_drop_cache 130' INT
  trap 'weir_drop_cache 143' TERM
  trap 'weir_drop_cache 129' HUP
  weir_made=0
  # Not in one step, as JDK 25 could: the JVM that it starts for the second one would outlive a signal.
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

# In the background, since a shell hears a signal while it waits, but not while it runs a command. Without the options of
# the environment: an agent spoils the cache, and a debugger that the JVM waits for would hold up the start for good.
weir_train() {
  JAVA_TOOL_OPTIONS='' JDK_JAVA_OPTIONS='' _JAVA_OPTIONS='' \
    "$JAVA_HOME/bin/java" -Xlog:disable "$@" </dev/null >/dev/null 2>&1 &
  weir_status=0
  wait "$!" || weir_status=$?
  weir_ended=$!
  return "$weir_status"
}

# The shell sets $! as it forks: a variable of ours would still be empty for a signal that comes right then.
weir_drop_cache() {
  trap '' INT TERM HUP
  if [ "${!-}" != "$weir_ended" ]; then
    kill -9 "$!" 2>/dev/null || :
    wait "$!" 2>/dev/null || :
  fi
  rm -f "$weir_new" "$weir_new.config" 2>/dev/null || :
  exit "$1"
}

# Whether process $1 is there, whoever it belongs to.
weir_alive() { kill -0 "$1" 2>/dev/null || [ -d "/proc/$1" ] || ps -p "$1" >/dev/null 2>&1; }

# Whether the user's options are about such caches themselves: the JVM does not start with ours beside them.
weir_has_cache_options() {
  case "${JAVA_TOOL_OPTIONS-} ${JDK_JAVA_OPTIONS-} ${_JAVA_OPTIONS-} ${WEIR_OPTS-}" in
    *-Xshare* | *-XX:AOT* | *SharedArchive* | *SharedClassList* | *DumpLoadedClassList* | *ArchiveClassesAtExit*) ;;
    *) return 1 ;;
  esac
}

# Runs jar $1 with cache $2, which need not be there, and the arguments behind them.
weir_start() {
  weir_jar=$1
  weir_cache=$2
  shift 2

  # No heap and no collector is chosen here: the JVM's own choice (G1 from two cores on, a quarter of the memory) suits
  # pipelines, and a choice in WEIR_OPTS would collide with ours. Out of memory ends the process (OutOfMemory.java), but
  # for a batch that is too large for the heap: the JVM cannot tell the two apart, so it is not asked to. Native access is
  # granted in the jar's manifest.
  options='-XX:+DisplayVMOutputToStderr'
  # The JVM's own messages go to standard error, since standard output is for results; those about the archive nowhere.
  options="$options -Xlog:disable -Xlog:all=warning:stderr -Xlog:cds*=off:stderr"
  [ "$weir_jdk" -lt 24 ] || options="$options -Xlog:aot*=off:stderr"
  [ "$weir_jdk" -lt 23 ] || options="$options --sun-misc-unsafe-memory-access=allow"
  [ ! -t 2 ] || options="$options -Dweir.terminal=true"
  if [ -t 1 ]; then options="$options -Dweir.terminal.out=true"; else options="$options -Dweir.terminal.out=false"; fi

  argument=
  for argument in "$@"; do :; done
  # A help loads a class or two, and with a cache the JVM links all classes in it before: that takes twice as long.
  case $argument in --help | -h) weir_cache= ;; esac

  set -f # options are split at blanks, not globbed
  set -- -jar "$weir_jar" "$@"
  # A cache that does not fit is ignored by the JVM.
  if [ -s "$weir_cache" ] && ! weir_has_cache_options; then
    case $weir_jdk in
      21 | 22 | 23 | 24) set -- "-XX:SharedArchiveFile=$weir_cache" "$@" ;;
      *) set -- "-XX:AOTCache=$weir_cache" "$@" ;;
    esac
  fi
  # shellcheck disable=SC2086
  exec "$JAVA_HOME/bin/java" $options ${WEIR_OPTS-} "$@"
}
