package dev.weir.testkit.internal;

import java.io.IOException;
import java.io.PrintStream;

/**
 * A forked broker's side of the pipes to the process that owns it: one line on standard output says that the broker
 * serves, or why it does not, and the end of standard input asks it to stop. Confined to the main thread.
 */
final class OwnerPipe {
    static final String READY = "ready";

    private final PrintStream out;

    private OwnerPipe(PrintStream out) {
        this.out = out;
    }

    /** Takes standard output for the owner; whatever else writes to it goes to the log. */
    static OwnerPipe open() {
        OwnerPipe pipe = new OwnerPipe(System.out);
        System.setOut(System.err);
        return pipe;
    }

    /** Says that the broker serves clients. */
    void ready() {
        out.println(READY);
        out.close();
    }

    /** Says why it does not, and ends this process at once. */
    void fail(Throwable reason) {
        out.println(String.valueOf(reason.getMessage()).replace('\n', ' '));
        out.flush();
        Runtime.getRuntime().halt(1);
    }

    /** Returns when the owner has closed its end, or is gone. */
    void awaitEnd() throws IOException {
        while (System.in.read() >= 0) {
            // The owner writes nothing that has a meaning.
        }
    }
}
