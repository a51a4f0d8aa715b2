# Sourced by ./weir and ./mvnw. Sets JAVA_HOME to the newest JDK found that is at least 21, or leaves it unset.
# Looks at JAVA_HOME, PATH and the usual folders of Linux, macOS, SDKMAN, asdf, mise and Homebrew. POSIX sh.

WEIR_MIN_JDK=21

# Prints the feature version of the JDK in folder $1 (from its release file: no JVM start), or 0.
weir_jdk_version() {
  [ -x "$1/bin/java" ] && [ -x "$1/bin/javac" ] || { echo 0; return; }
  v=$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release" 2>/dev/null | head -n 1)
  echo "${v:-0}"
}

# Keeps folder $1 as the best candidate if its JDK is newer than the best so far.
weir_consider_jdk() {
  v=$(weir_jdk_version "$1")
  if [ "$v" -ge "$WEIR_MIN_JDK" ] && [ "$v" -gt "$weir_best" ]; then
    weir_best=$v
    weir_best_home=$1
  fi
}

weir_find_jdk() {
  weir_best=0
  weir_best_home=
  [ -z "${JAVA_HOME-}" ] || weir_consider_jdk "$JAVA_HOME"
  on_path=$(command -v javac 2>/dev/null || :)
  if [ -n "$on_path" ]; then
    # Follow links (a package manager's alternatives) to the JDK itself.
    while [ -L "$on_path" ]; do
      target=$(readlink "$on_path")
      case $target in /*) on_path=$target ;; *) on_path=$(dirname "$on_path")/$target ;; esac
    done
    weir_consider_jdk "$(dirname "$(dirname "$on_path")")"
  fi
  # Globbing may be off in the sourcing script (mvnw runs with set -f).
  case $- in *f*) weir_noglob=1; set +f ;; *) weir_noglob= ;; esac
  for dir in /usr/lib/jvm/* /usr/lib64/jvm/* /usr/java/* /opt/java/* /opt/jdk* /opt/*/jdk* \
    /Library/Java/JavaVirtualMachines/*/Contents/Home "${HOME-}"/Library/Java/JavaVirtualMachines/*/Contents/Home \
    /opt/homebrew/opt/openjdk*/libexec/openjdk.jdk/Contents/Home /usr/local/opt/openjdk*/libexec/openjdk.jdk/Contents/Home \
    "${HOME-}"/.sdkman/candidates/java/* "${HOME-}"/.asdf/installs/java/* "${HOME-}"/.local/share/mise/installs/java/* \
    "${HOME-}"/.jdks/*; do
    [ ! -d "$dir" ] || weir_consider_jdk "$dir"
  done
  [ -z "$weir_noglob" ] || set -f
  if [ -n "$weir_best_home" ]; then
    JAVA_HOME=$weir_best_home
    export JAVA_HOME
  fi
}

weir_find_jdk
