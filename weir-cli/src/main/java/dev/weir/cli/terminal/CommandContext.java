package dev.weir.cli.terminal;

import java.io.PrintStream;

/**
 * The root command, as its subcommands see it: standard output, the terminal and the stop request of one command line.
 * Belongs to the thread that runs the command; {@link #terminal} and {@link #shutdown} are for any.
 */
public interface CommandContext {

    /** Standard output, for what the user asked for. Everything else belongs to {@link #terminal}. */
    PrintStream out();

    /** Standard error: notes and the status line. */
    Terminal terminal();

    /** A rate-limited status on standard error; close it before printing results. */
    Progress progress();

    /** Standard output as one JSON object per line, the last being the summary. */
    JsonLines json();

    /** Says that the last JSON line has an {@code error}, so that none is added. */
    void errorIsTold();

    /** Tells a failure that ends no command by an exception, where programs look for it. */
    void tellError(String error);

    /** The stop request of this process (Ctrl-C, SIGTERM). */
    Shutdown shutdown();
}
