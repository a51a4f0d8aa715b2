package dev.weir.cli.terminal;

import dev.weir.bench.result.Secrets;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Standard error: whole lines (notes), and on a terminal one status line below them that is rewritten in place.
 * Thread-safe.
 */
public final class Terminal {

    // Line wrap is off while the status is drawn, so that a narrow window cuts it instead of scrolling.
    private static final String DRAW = "\r\033[?7l%s\033[K\033[?7h";
    private static final String ERASE = "\r\033[K";

    private final PrintStream err;
    private final boolean live;

    private final ReentrantLock lock = new ReentrantLock();
    private String status = "";

    /**
     * Creates a terminal over {@code err}, which stays the caller's.
     *
     * @param live whether {@code err} can rewrite a line
     */
    public Terminal(PrintStream err, boolean live) {
        this.err = err;
        this.live = live;
    }

    /** The standard error of this process. */
    public static Terminal ofProcess() {
        // The launcher knows (test -t 2); Java can only ask about standard input and output together.
        boolean terminal = Boolean.getBoolean("weir.terminal");
        return new Terminal(System.err, terminal && !"dumb".equals(System.getenv("TERM")));
    }

    public boolean isLive() {
        return live;
    }

    /** Prints one line for good, above the status line if there is one; line breaks in it are escaped. */
    public void note(String line) {
        print(Printable.line(line));
    }

    /** As {@link #note}, for several lines whose parts were escaped one by one by {@link Printable#line}. */
    public void notes(String lines) {
        print(Printable.lines(lines));
    }

    private void print(String line) {
        lock.lock();
        try {
            if (status.isEmpty()) {
                err.println(line);
            } else {
                err.println(ERASE + line);
                err.printf(DRAW, status);
            }
            err.flush();
        } finally {
            lock.unlock();
        }
    }

    /** Shows {@code text} in place of the last status; where lines cannot be rewritten, as a line of its own. */
    public void status(String text) {
        String line = Printable.line(text);
        if (!live) {
            note(line);
            return;
        }
        lock.lock();
        try {
            status = line;
            err.printf(DRAW, line);
            err.flush();
        } finally {
            lock.unlock();
        }
    }

    /** Removes the status line. */
    public void clearStatus() {
        lock.lock();
        try {
            if (!status.isEmpty()) {
                status = "";
                err.print(ERASE);
                err.flush();
            }
        } finally {
            lock.unlock();
        }
    }

    public void stackTrace(Throwable e) {
        StringWriter trace = new StringWriter();
        e.printStackTrace(new PrintWriter(trace));
        notes(Printable.indented(Secrets.redactAddresses(trace.toString())));
    }

    /** For libraries that print by themselves (picocli's usage help). Not guarded by this object's lock. */
    public PrintStream stream() {
        return err;
    }
}
