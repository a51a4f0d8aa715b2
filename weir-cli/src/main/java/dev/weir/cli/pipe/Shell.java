package dev.weir.cli.pipe;

import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Starts the commands of {@code exec:} and {@code each:}, and shields them from signals sent to the whole process
 * group, for example by Ctrl-C in a terminal or by {@code timeout(1)}. The pipe ends the commands itself after the
 * drain. Immutable.
 */
final class Shell {

    // With setsid(1), a command runs in its own session and may use all signals. Without setsid(1), for example on
    // macOS, this line makes the command ignore the signals of a terminal. The command must not ignore SIGTERM, because
    // its children would then ignore it too, and commands such as timeout(1) send SIGTERM to their children.
    private static final String TRAP = "trap '' INT HUP QUIT; exec /bin/sh -c \"$@\"";

    /**
     * The first byte that the shell prints on standard error. It shows that signals to the process group can no longer
     * reach the shell, and that the shell is about to run the command. This class reads the byte before it returns the
     * process.
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

    /**
     * Starts {@code sh -c command} with the arguments {@code $0} and so on. Returns the process of the command itself,
     * not of a wrapper.
     */
    Process start(String command, String... arguments) throws IOException {
        // The shell executes the first line, which prints the mark, before it parses the command. The mark is therefore
        // printed even if the command is invalid.
        String marked = MARK_WRITER + '\n' + command;
        List<String> line = new ArrayList<>(
                hasSessions
                        // setsid replaces itself with the command without forking. It forks only if it leads a process
                        // group, which a child of this JVM never does.
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
                // The JDK throws this exception if a signal reaches the helper process that it uses to start commands.
                if (attempt == MAX_ATTEMPTS) {
                    throw notStarted;
                }
            }
            // A signal hit the shell before it left the process group. The command has not started, so it can be
            // started again.
        }
    }

    /** Kills the process and everything that it has started. */
    static void kill(ProcessHandle process) {
        // Kills children first, because they cannot be found once their parent is gone.
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
