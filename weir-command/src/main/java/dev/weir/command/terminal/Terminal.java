package dev.weir.command.terminal;

import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Standard error. Prints permanent lines, called notes. On a terminal, a status line below them is updated in place.
 * Thread-safe.
 */
public final class Terminal {

    // Line wrap is off while the status is drawn: a narrow window then cuts it off and does not scroll.
    private static final String DRAW = "\r\033[?7l%s\033[K\033[?7h";
    private static final String ERASE = "\r\033[K";

    private final PrintStream err;
    private final boolean live;

    private final ReentrantLock lock = new ReentrantLock();
    private String status = "";

    /**
     * Creates a terminal over {@code err}, which the caller owns.
     *
     * @param live whether {@code err} can rewrite a line
     */
    public Terminal(PrintStream err, boolean live) {
        this.err = err;
        this.live = live;
    }

    public static Terminal ofProcess() {
        // The launcher passes the result of "test -t 2" in this property. Java cannot check standard error.
        boolean terminal = Boolean.getBoolean("weir.terminal");
        return new Terminal(System.err, terminal && !"dumb".equals(System.getenv("TERM")));
    }

    public boolean isLive() {
        return live;
    }

    /** Prints a permanent line above the status line. Escapes line breaks. */
    public void note(String line) {
        print(Printable.line(line));
    }

    /** Prints permanent lines. The caller must have escaped their parts with {@link Printable#line}. */
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

    /** Sets the status to {@code text}. Prints it as a note if lines cannot be rewritten. */
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

    /** Returns the stream for libraries that print directly (picocli's usage help), without this object's lock. */
    public PrintStream stream() {
        return err;
    }
}
