package dev.weir.cli.terminal;

/** The exit codes of the process. Constants only. */
public final class ExitCode {

    /** The work was done, or was drained on request. */
    public static final int DONE = 0;

    /** The command line was right; the work failed. */
    public static final int FAILED = 1;

    /** The command line was wrong; nothing was started. */
    public static final int WRONG_USAGE = 2;

    /** The JVM had no memory left; it ends with the same by itself, under {@code -XX:+ExitOnOutOfMemoryError}. */
    public static final int OUT_OF_MEMORY = 3;

    /** Figures do not meet the rule that was given. */
    public static final int GATE_NOT_MET = 3;

    private ExitCode() {}
}
