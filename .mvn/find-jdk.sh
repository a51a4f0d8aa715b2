# Sourced by ./weir and ./mvnw (POSIX sh). Sets JAVA_HOME to the newest JDK found that is at least 21, and weir_jdk to
# its feature version; prints how to get one and exits with 1 if there is none.
# Looks at JAVA_HOME, PATH and the usual folders of Linux, macOS, SDKMAN, asdf, mise, Gradle and Homebrew.
# WEIR_JAVA_HOME, if set, is the only candidate: the way to choose an older one.
# No process is started per candidate: this runs before every command.

WEIR_MIN_JDK=21

# Keeps folder $1 if it holds a JDK (its release file tells) that is newer than the best so far.
weir_consider_jdk() {
  [ -x "$1/bin/javac" ] && [ -r "$1/release" ] || return 0
  while IFS= read -r weir_line || [ -n "$weir_line" ]; do
    case $weir_line in
      JAVA_VERSION=\"[0-9]*)
        weir_version=${weir_line#JAVA_VERSION=\"}
        weir_version=${weir_version%%[!0-9]*}
        if [ "$weir_version" -ge "$WEIR_MIN_JDK" ] && [ "$weir_version" -gt "$weir_jdk" ]; then
          weir_jdk=$weir_version
          weir_home=$1
        fi
        return 0
        ;;
    esac
  done <"$1/release"
}

# The JDK of the javac on PATH, through a package manager's links.
weir_consider_path() {
  weir_javac=$(command -v javac) || return 0
  while [ -L "$weir_javac" ]; do
    weir_link=$(readlink "$weir_javac")
    case $weir_link in /*) weir_javac=$weir_link ;; *) weir_javac=${weir_javac%/*}/$weir_link ;; esac
  done
  case $weir_javac in /*/bin/javac) weir_consider_jdk "${weir_javac%/bin/javac}" ;; esac
}

weir_consider_folders() {
  for weir_dir in /usr/lib/jvm/* /usr/lib64/jvm/* /usr/java/* /opt/java/* /opt/jdk* /opt/*/jdk* \
    /Library/Java/JavaVirtualMachines/*/Contents/Home "$1"/Library/Java/JavaVirtualMachines/*/Contents/Home \
    /opt/homebrew/opt/openjdk*/libexec/openjdk.jdk/Contents/Home /usr/local/opt/openjdk*/libexec/openjdk.jdk/Contents/Home \
    /home/linuxbrew/.linuxbrew/opt/openjdk*/libexec "$1"/.sdkman/candidates/java/* "$1"/.asdf/installs/java/* \
    "$1"/.local/share/mise/installs/java/* "$1"/.jdks/* "$1"/.gradle/jdks/* "$1"/.gradle/jdks/*/Contents/Home; do
    weir_consider_jdk "$weir_dir"
  done
}

weir_find_jdk() {
  weir_jdk=0
  weir_home=
  if [ -n "${WEIR_JAVA_HOME-}" ]; then
    weir_consider_jdk "$WEIR_JAVA_HOME"
    weir_where="WEIR_JAVA_HOME=$WEIR_JAVA_HOME"
  else
    [ -z "${JAVA_HOME-}" ] || weir_consider_jdk "$JAVA_HOME"
    weir_consider_path
    # mvnw runs with globbing off.
    case $- in *f*) weir_glob=-f; set +f ;; *) weir_glob=+f ;; esac
    weir_consider_folders "${HOME-/root}"
    set "$weir_glob"
    weir_where="JAVA_HOME=${JAVA_HOME-}, PATH and the usual folders"
  fi
  if [ -z "$weir_home" ]; then
    cat >&2 <<END
weir: no JDK $WEIR_MIN_JDK or newer in $weir_where. Install one:
  Debian, Ubuntu   sudo apt-get install openjdk-21-jdk
  Fedora           sudo dnf install java-25-openjdk-devel
  macOS            brew install openjdk@25
  any of them      curl -s https://get.sdkman.io | bash, then in a new shell: sdk install java
END
    exit 1
  fi
  JAVA_HOME=$weir_home
  export JAVA_HOME
}

weir_find_jdk
