package dev.weir.testkit.internal;

import dev.weir.testkit.internal.disk.DiskFaults;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * A forked broker's side of the pipes to its owner. One line on standard output reports that the broker serves clients,
 * or why it does not. Each line on standard input is a command for the broker's disk and is acknowledged. The end of
 * standard input stops the broker. Confined to the main thread.
 */
final class OwnerPipe {
    static final String READY = "ready";

    /** The acknowledgement of a command. */
    static final String DONE = "done";

    private final PrintStream out;

    private OwnerPipe(PrintStream out) {
        this.out = out;
    }

    /** Reserves standard output for the owner. All other output goes to the log. */
    static OwnerPipe open() {
        OwnerPipe pipe = new OwnerPipe(System.out);
        System.setOut(System.err);
        return pipe;
    }

    void ready() {
        say(READY);
    }

    private void say(String line) {
        out.println(line);
        out.flush();
    }

    /** Reports why the broker does not serve clients, and terminates this process. */
    void fail(Throwable reason) {
        say(String.valueOf(reason.getMessage()).replace('\n', ' '));
        Runtime.getRuntime().halt(1);
    }

    /** Executes the owner's commands. Returns when the owner has closed its end of the pipe or has terminated. */
    void awaitEnd() throws IOException {
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String order = orders.readLine(); order != null; order = orders.readLine()) {
            DiskFaults.obey(order);
            say(DONE);
        }
    }
}
