package dev.weir.cli.terminal;

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

    /** Returns standard output as one JSON object per line. The last line is the summary. */
    JsonLines json();

    /** Notes that a JSON line already has an {@code error}, so that no further line reports it. */
    void errorIsReported();

    /** Reports, in JSON output, a failure that does not end the command by an exception. */
    void tellError(String error);

    /** The stop request of this process (Ctrl-C, SIGTERM). */
    Shutdown shutdown();
}
