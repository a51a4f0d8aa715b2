package dev.weir.command.terminal;

import java.io.PrintStream;

/**
 * The root command as its subcommands see it: standard output, terminal and stop request. Confined to the command's
 * thread, except for {@link #terminal} and {@link #shutdown}.
 */
public interface CommandContext {

    /** Standard output, for requested results. All other output goes to {@link #terminal}. */
    PrintStream out();

    /** Returns standard error, for notes and the status line. */
    Terminal terminal();

    /** A rate-limited status on standard error; close it before printing results. */
    Progress progress();

    /** Returns a writer that prints one JSON object per line to standard output. The last line is the summary. */
    JsonLines json();

    /** Notes that a JSON line has reported the failure, so that it is not reported again. */
    void errorIsReported();

    /** Reports a failure in the JSON output. Call this if the command fails without an exception. */
    void tellError(String error);

    /** Handles requests to stop this process (Ctrl-C, SIGTERM). */
    Shutdown shutdown();
}
