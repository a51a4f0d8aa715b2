package dev.weir.cli.pipe;

import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Starts the commands of {@code exec:} and {@code each:}, and shields them from signals to the process group, for
 * example by Ctrl-C or {@code timeout(1)}. The pipe ends the commands after the drain. Immutable.
 */
final class Shell {

    // For machines without setsid(1), for example macOS: the command ignores the terminal's signals. It must not ignore
    // SIGTERM, because its children would ignore SIGTERM too.
    private static final String TRAP = "trap '' INT HUP QUIT; exec /bin/sh -c \"$@\"";

    /**
     * First byte from the shell on standard error. Once it has arrived, signals to the process group cannot reach the
     * shell.
     */
    private static final int MARK = 1;

    private static final String MARK_WRITER = "printf '\\001' >&2";

    private static final int MAX_ATTEMPTS = 5;

    private static final Shell OF_MACHINE = new Shell(isOnPath("setsid"));

    private final boolean hasSessions;

    /**
     * Creates a shell.
     *
     * @param hasSessions whether {@code setsid(1)} is available
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

    /** Starts {@code sh -c command}. Returns the command's own process, not a wrapper. */
    Process start(String command, String... arguments) throws IOException {
        // The shell prints the mark before it parses the command, so even an invalid command has it.
        String marked = MARK_WRITER + '\n' + command;
        List<String> line = new ArrayList<>(
                hasSessions
                        // setsid forks only if it leads a process group, which a child of this JVM never does.
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
                // A signal may have hit the JDK's helper process that starts commands.
                if (attempt == MAX_ATTEMPTS) {
                    throw notStarted;
                }
            }
            // A signal hit the shell in the process group. The command has not started yet, so start it again.
        }
    }

    /** Kills the process and all its descendants. */
    static void kill(ProcessHandle process) {
        // Kill children first: they cannot be found without their parent.
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
