package dev.weir.command.terminal;

import java.io.PrintStream;

/**
 * The root command as seen by its subcommands: standard output, the terminal and the stop request of one command line.
 * Belongs to the thread that runs the command; any thread may use {@link #terminal} and {@link #shutdown}.
 */
public interface CommandContext {

    /** Returns standard output, for the results that the user requested. All other output goes to {@link #terminal}. */
    PrintStream out();

    /** Returns standard error, for notes and the status line. */
    Terminal terminal();

    /** A rate-limited status on standard error; close it before printing results. */
    Progress progress();

    /** Returns a writer that prints one JSON object per line to standard output. The last line is the summary. */
    JsonLines json();

    /**
     * Records that a JSON line with an {@code error} field has already been written, so that the failure is not
     * reported twice.
     */
    void errorIsReported();

    /** Reports a failure in the JSON output. Call this method if the command fails but does not throw an exception. */
    void tellError(String error);

    /** Returns the handler of requests to stop this process (Ctrl-C, SIGTERM). */
    Shutdown shutdown();
}
