package dev.weir.command.terminal;

/** The exit codes of the process. Constants only. */
public final class ExitCode {

    /** The command completed its work, or it drained the work in progress after a request to stop. */
    public static final int DONE = 0;

    /** The command line was valid; the work failed. */
    public static final int FAILED = 1;

    /** The command line was invalid; nothing was started. */
    public static final int WRONG_USAGE = 2;

    /** The JVM ran out of memory. With {@code -XX:+ExitOnOutOfMemoryError}, the JVM itself exits with the same code. */
    public static final int OUT_OF_MEMORY = 3;

    /** Benchmark results do not meet the gate's rule, or the results history raised an alarm. */
    public static final int GATE_NOT_MET = 3;

    private ExitCode() {}
}
