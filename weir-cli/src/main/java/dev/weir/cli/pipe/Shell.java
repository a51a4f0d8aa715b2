package dev.weir.cli.pipe;

import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Starts the commands of {@code exec:} and {@code each:}: out of reach of what a terminal (Ctrl-C) or {@code
 * timeout(1)} sends to the whole process group, because it is the pipe that decides when they end: after the drain.
 * Immutable.
 */
final class Shell {

    // A session of its own leaves the command all of its signals. Without setsid(1), as on macOS, the command ignores
    // those of a terminal; not SIGTERM, because commands such as timeout(1) send it to their own children.
    private static final String TRAP = "trap '' INT HUP QUIT; exec /bin/sh -c \"$@\"";

    /** First on standard error, taken off here: the command begins now, where signals to the group do not reach it. */
    private static final int MARK = 1;

    private static final String MARK_WRITER = "printf '\\001' >&2";

    private static final int MAX_ATTEMPTS = 5;

    private static final Shell OF_MACHINE = new Shell(isOnPath("setsid"));

    private final boolean hasSessions;

    /**
     * Creates a shell.
     *
     * @param hasSessions whether there is {@code setsid(1)}
     */
    Shell(boolean hasSessions) {
        this.hasSessions = hasSessions;
    }

    static Shell ofMachine() {
        return OF_MACHINE;
    }

    private static boolean isOnPath(String program) {
        String path = System.getenv("PATH");
        return path != null
                && Stream.of(path.split(File.pathSeparator)).anyMatch(dir -> new File(dir, program).canExecute());
    }

    /** Starts {@code sh -c command}, with arguments {@code $0} and so on; the process is that of the command. */
    Process start(String command, String... arguments) throws IOException {
        // On a line of its own: a shell runs it before it looks at what may be wrong with the command.
        String marked = MARK_WRITER + '\n' + command;
        List<String> line = new ArrayList<>(
                hasSessions
                        // It becomes the command and forks nothing: a child of this JVM leads no process group.
                        ? List.of("setsid", "/bin/sh", "-c", marked)
                        : List.of("/bin/sh", "-c", TRAP, "sh", marked));
        line.addAll(List.of(arguments));
        for (int attempt = 1; ; attempt++) {
            try {
                Process process = new ProcessBuilder(line).start();
                if (process.getErrorStream().read() == MARK || attempt == MAX_ATTEMPTS) {
                    return process;
                }
            } catch (IOException notStarted) {
                // So does the JDK tell it if its own helper is hit.
                if (attempt == MAX_ATTEMPTS) {
                    throw notStarted;
                }
            }
            // A signal met it on the way out of the group: the command has not begun, so that it can begin again.
        }
    }

    /** Kills the process and all that it has started. */
    static void kill(ProcessHandle process) {
        // The children first: once their parent is gone they cannot be found.
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
