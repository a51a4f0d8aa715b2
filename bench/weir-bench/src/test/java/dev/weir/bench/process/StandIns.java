package dev.weir.bench.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/** Scripts in place of {@code ssh} and {@code kubectl}. They start local processes, or fail like the real programs. */
final class StandIns {
    // The host name selects the failure. The first command inspects the host; a command with weir.driver.place starts a
    // driver.
    private static final String SSH = """
            #!/bin/sh
            here=$(dirname "$0")
            export XDG_CACHE_HOME="$here/cache"
            while [ "$1" != -- ]; do shift; done
            host=$2
            shift 2
            printf '%s\\n' "$host $*" >> "$here/ssh.log"
            case $* in *weir.driver.place*) kind=driver ;; *) kind=other ;; esac
            case $host/$kind in
              refused/*)
                echo "ssh: connect to host refused port 22: Connection refused" >&2
                exit 255 ;;
              hanging/*) sleep 600 ;;
              banner/*)
                echo "Welcome to $host: {today}"
                echo null
                echo
                echo "*** down at five ***" >&2
                exec sh -c "$*" ;;
              cut/driver) sh -c "$*" | { head -c 250; kill $$; } ;;
              lost/driver)
                mkfifo "$here/lost"
                sh -c "$*" < "$here/lost" &
                echo $! > "$here/lost.pid"
                head -n 1 > "$here/lost"
                echo "client_loop: send disconnect: Broken pipe" >&2
                exit 255 ;;
              silent/driver) exec cat > /dev/null ;;
              short/other)
                case $* in *tar*) head -c 20000 | sh -c "$*"; exit $? ;; esac
                exec sh -c "$*" ;;
              *) exec sh -c "$*" ;;
            esac
            """;

    private static final String KUBECTL = """
            #!/bin/sh
            here=$(dirname "$0")
            export XDG_CACHE_HOME="$here/cache"
            printf '%s\\n' "$*" >> "$here/kubectl.log"
            namespace=none
            while :; do
              case $1 in
                --context=*) shift ;;
                --namespace=*) namespace=${1#*=}; shift ;;
                *) break ;;
              esac
            done
            case $namespace/$1 in
              full/run)
                echo 'Error from server (Forbidden): pods "x" is forbidden: exceeded quota: pods' >&2
                exit 1 ;;
              */exec)
                while [ "$1" != -- ]; do shift; done
                shift
                exec "$@" ;;
              *) exit 0 ;;
            esac
            """;

    private final Path folder;

    /** Writes the scripts to this folder. */
    StandIns(Path folder) throws IOException {
        this.folder = folder;
        script("ssh", SSH);
        script("kubectl", KUBECTL);
    }

    private void script(String name, String text) throws IOException {
        Path file = folder.resolve(name);
        Files.writeString(file, text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
    }

    String program(String name) {
        return folder.resolve(name).toString();
    }

    /** Returns the ID of the process whose connection was lost. */
    long lost() throws IOException {
        return Long.parseLong(Files.readString(folder.resolve("lost.pid")).strip());
    }

    /** Returns the calls of a stand-in, one per line. */
    List<String> calls(String name) throws IOException {
        Path log = folder.resolve(name + ".log");
        return Files.exists(log) ? Files.readAllLines(log) : List.of();
    }
}
