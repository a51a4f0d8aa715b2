package dev.weir.command.terminal;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * A status line, updated four times a second on a terminal and every five seconds in a log. Confined to the thread that
 * waits for the work.
 */
public final class Progress implements AutoCloseable {

    static final long LIVE_PERIOD_NANOS = TimeUnit.MILLISECONDS.toNanos(250);
    static final long PLAIN_PERIOD_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Terminal terminal;
    private final LongSupplier nanoClock;
    private final long periodNanos;

    private long dueNanos;

    public Progress(Terminal terminal, LongSupplier nanoClock) {
        this.terminal = terminal;
        this.nanoClock = nanoClock;
        this.periodNanos = terminal.isLive() ? LIVE_PERIOD_NANOS : PLAIN_PERIOD_NANOS;
        this.dueNanos = nanoClock.getAsLong() + periodNanos;
    }

    /** Shows the status if it is due. Otherwise does not compute it. */
    public void update(Supplier<String> status) {
        long now = nanoClock.getAsLong();
        if (now - dueNanos >= 0) {
            terminal.status(status.get());
            dueNanos = now + periodNanos;
        }
    }

    /** Shows the status until {@code work} is done, and returns the result. Does not cancel the work. */
    public <T> T await(Future<T> work, Supplier<String> status) throws InterruptedException, ExecutionException {
        while (true) {
            try {
                long waitNanos = Math.max(1, dueNanos - nanoClock.getAsLong());
                return work.get(waitNanos, TimeUnit.NANOSECONDS);
            } catch (TimeoutException ignored) {
                // The work is not done yet.
                update(status);
            }
        }
    }

    @Override
    public void close() {
        terminal.clearStatus();
    }
}
